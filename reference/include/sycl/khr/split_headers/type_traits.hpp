//===- type_traits.hpp - sycl_khr_split_headers: type traits --------------------------------===//
#pragma once

#include <sycl/aspects.hpp>
#include <sycl/functional.hpp>
#include <sycl/group_algorithms.hpp>
#include <sycl/is_device_copyable.hpp>
#include <sycl/khr/split_headers/version.hpp>
#include <sycl/multi_ptr.hpp>
#include <sycl/property_list.hpp>
