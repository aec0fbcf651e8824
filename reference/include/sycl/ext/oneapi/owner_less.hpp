//===- owner_less.hpp - the order of weak_object.hpp -----------------------------------------===//
#pragma once

#include <sycl/ext/oneapi/weak_object.hpp>
