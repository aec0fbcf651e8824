//===- usm_pointer_info.hpp - questions about pointers, under DPC++'s name
#pragma once

#include <sycl/usm.hpp>
