//===- types.hpp - vectors and half under DPC++'s name
#pragma once

#include <sycl/vec.hpp>
