//===- property.hpp - a part of properties.hpp -----------------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/properties/properties.hpp>
