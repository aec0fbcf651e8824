//===- builtins.hpp - built-in functions under DPC++'s name
#pragma once

#include <sycl/math.hpp>
