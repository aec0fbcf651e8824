//===- pointers.hpp - pointers under DPC++'s name
#pragma once

#include <sycl/multi_ptr.hpp>
