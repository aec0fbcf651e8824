//===- memory_enums.hpp - orders and scopes of memory under DPC++'s name
#pragma once

#include <sycl/access.hpp>
