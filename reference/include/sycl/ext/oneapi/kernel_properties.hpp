//===- kernel_properties.hpp - a later name of kernel_properties/properties.hpp --------------===//
#pragma once

#include <sycl/ext/oneapi/kernel_properties/properties.hpp>
