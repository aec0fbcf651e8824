//===- usm_pointers.hpp - pointers to USM of one kind (sycl_ext_intel_usm_address_spaces) ----===//
#pragma once

#include <sycl/multi_ptr.hpp>

namespace sycl::ext::intel {

/// Points to what sycl::malloc_device gives.
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using device_ptr = multi_ptr<Type, access::address_space::ext_intel_global_device_space, Decorated>;
/// Points to what sycl::malloc_host gives.
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using host_ptr = multi_ptr<Type, access::address_space::ext_intel_global_host_space, Decorated>;

template <typename Type> using raw_device_ptr = device_ptr<Type, access::decorated::no>;
template <typename Type> using raw_host_ptr = host_ptr<Type, access::decorated::no>;
template <typename Type> using decorated_device_ptr = device_ptr<Type, access::decorated::yes>;
template <typename Type> using decorated_host_ptr = host_ptr<Type, access::decorated::yes>;

} // namespace sycl::ext::intel

namespace sycl {

// DPC++'s former names.
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using device_ptr [[deprecated("use sycl::ext::intel::device_ptr")]] =
    ext::intel::device_ptr<Type, Decorated>;
template <typename Type, access::decorated Decorated = access::decorated::legacy>
using host_ptr [[deprecated("use sycl::ext::intel::host_ptr")]] =
    ext::intel::host_ptr<Type, Decorated>;

} // namespace sycl
