//===- core.hpp - SYCL without the parts that DPC++ leaves to headers of their own, under its name
#pragma once

#include <sycl/sycl.hpp>
