//===- group_algorithms.hpp - sycl_khr_split_headers: functions of groups -------------------===//
#pragma once

#include <sycl/group_algorithms.hpp>
#include <sycl/khr/split_headers/version.hpp>
