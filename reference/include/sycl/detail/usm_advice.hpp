//===- usm_advice.hpp - DPC++'s names of what memory is advised ------------------------------===//
//
// Programs written for DPC++ have them from its sycl.hpp, by way of its interface to drivers.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#ifndef UR_API_H_INCLUDED

/// What `queue::mem_advise` takes as a number, which each device defines (SYCL 2020,
/// `handler::mem_advise`). All are hints, and none is followed.
enum ur_usm_advice_flag_t {
  UR_USM_ADVICE_FLAG_DEFAULT = 1 << 0,
  UR_USM_ADVICE_FLAG_SET_READ_MOSTLY = 1 << 1,
  UR_USM_ADVICE_FLAG_CLEAR_READ_MOSTLY = 1 << 2,
  UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION = 1 << 3,
  UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION = 1 << 4,
  UR_USM_ADVICE_FLAG_SET_NON_ATOMIC_MOSTLY = 1 << 5,
  UR_USM_ADVICE_FLAG_CLEAR_NON_ATOMIC_MOSTLY = 1 << 6,
  UR_USM_ADVICE_FLAG_BIAS_CACHED = 1 << 7,
  UR_USM_ADVICE_FLAG_BIAS_UNCACHED = 1 << 8,
  UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_DEVICE = 1 << 9,
  UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_DEVICE = 1 << 10,
  UR_USM_ADVICE_FLAG_SET_ACCESSED_BY_HOST = 1 << 11,
  UR_USM_ADVICE_FLAG_CLEAR_ACCESSED_BY_HOST = 1 << 12,
  UR_USM_ADVICE_FLAG_SET_PREFERRED_LOCATION_HOST = 1 << 13,
  UR_USM_ADVICE_FLAG_CLEAR_PREFERRED_LOCATION_HOST = 1 << 14,
  UR_USM_ADVICE_FLAG_SET_NON_COHERENT_MEMORY = 1 << 15,
  UR_USM_ADVICE_FLAG_CLEAR_NON_COHERENT_MEMORY = 1 << 16
};

#endif
