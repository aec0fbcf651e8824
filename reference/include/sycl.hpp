//===- sycl.hpp - sycl/sycl.hpp, which DPC++'s driver finds under this name too
#pragma once

#include <sycl/sycl.hpp>
