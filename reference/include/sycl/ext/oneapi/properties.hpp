//===- properties.hpp - a later name of properties/properties.hpp ----------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
