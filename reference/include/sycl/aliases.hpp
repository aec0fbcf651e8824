//===- aliases.hpp - vectors' names under DPC++'s name
#pragma once

#include <sycl/vec.hpp>
