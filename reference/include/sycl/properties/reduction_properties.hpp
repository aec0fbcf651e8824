//===- reduction_properties.hpp - properties, under DPC++'s name
#pragma once

#include <sycl/sycl.hpp>
