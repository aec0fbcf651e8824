//===- group_algorithm.hpp - group functions under DPC++'s name
#pragma once

#include <sycl/group_algorithms.hpp>
