//===- group_barrier.hpp - barriers of groups under DPC++'s name
#pragma once

#include <sycl/sub_group.hpp>
