//===- level_zero.hpp - objects of SYCL as Level Zero knows them, under DPC++'s name
#pragma once

#include <sycl/backend.hpp>
