//===- usm_enums.hpp - kinds of memory, under DPC++'s name
#pragma once

#include <sycl/usm.hpp>
