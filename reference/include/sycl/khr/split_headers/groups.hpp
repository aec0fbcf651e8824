//===- groups.hpp - sycl_khr_split_headers: groups, sub-groups and their barriers -----------===//
#pragma once

#include <sycl/khr/split_headers/version.hpp>
#include <sycl/sub_group.hpp>
