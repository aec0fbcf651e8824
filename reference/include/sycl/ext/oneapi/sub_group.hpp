//===- sub_group.hpp - sycl_ext_oneapi_sub_group, which SYCL 2020 took up -------------------===//
#pragma once

#include <sycl/group_algorithms.hpp>

namespace sycl::ext::oneapi {
using sycl::sub_group;
} // namespace sycl::ext::oneapi
