//===- access.hpp - modes, targets and orders, under DPC++'s name
#pragma once

#include <sycl/access.hpp>
