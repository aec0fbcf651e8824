//===- info_desc.hpp - queries, under DPC++'s name
#pragma once

#include <sycl/info.hpp>
