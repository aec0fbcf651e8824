//===- vector.hpp - vectors under DPC++'s name
#pragma once

#include <sycl/vec.hpp>
