//===- groups.cpp - what the work-items of a group compute together, for PTX ----------------===//
//
// SPIR-V has instructions for it. A sub-group is a warp: its work-items pass values from lane to
// lane. In a work-group each warp puts what it has found into local memory, where all find it.
//
//===----------------------------------------------------------------------------------------===//

#include "device.h"

#ifdef __NVPTX__

#define CONVERGENT __attribute__((convergent))
// The first version of PTX whose shuffles and votes say which lanes take part.
#define SYNCHRONIZED __attribute__((convergent, always_inline, target("ptx60")))

namespace {

/// SPIR-V's numbers of scopes and of group operations.
enum : unsigned { sub_group_scope = 3 };
enum : unsigned { reduce = 0, inclusive_scan = 1, exclusive_scan = 2 };

constexpr unsigned warp_size = 32, most_warps = 32;

/// A value of each warp. What other warps write is not to be taken from a register.
volatile __attribute__((address_space(3))) unsigned long of_warps[most_warps];

unsigned own_number() {
  return (__nvvm_read_ptx_sreg_tid_z() * __nvvm_read_ptx_sreg_ntid_y() +
          __nvvm_read_ptx_sreg_tid_y()) *
             __nvvm_read_ptx_sreg_ntid_x() +
         __nvvm_read_ptx_sreg_tid_x();
}
unsigned work_items() {
  return __nvvm_read_ptx_sreg_ntid_x() * __nvvm_read_ptx_sreg_ntid_y() *
         __nvvm_read_ptx_sreg_ntid_z();
}

/// The place of a work-item in its work-group and its warp.
struct whole_place {
  unsigned warp = own_number() / warp_size;
  unsigned lane = own_number() % warp_size;
  unsigned warps = (work_items() + warp_size - 1) / warp_size;
  /// The assembler puts a wait for the lanes before each shuffle whose mask is no constant.
  static constexpr unsigned mask = ~0u;
};

/// The same where the last warp may be a part of one.
struct place : whole_place {
  unsigned lanes = warp + 1 < warps ? warp_size : work_items() - warp * warp_size;
  unsigned mask = ~0u >> (warp_size - lanes);
};

template <typename T> struct bits {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  static unsigned long of(T value) {
    unsigned long words = 0;
    __builtin_memcpy(&words, &value, sizeof(T));
    return words;
  }
  static T value(unsigned long words) {
    T value;
    __builtin_memcpy(&value, &words, sizeof(T));
    return value;
  }
};

/// How a shuffle finds the lane: by its number, by how far below it is, or by the bits in which the
/// numbers differ.
enum class lane_is { numbered, below, across };

template <lane_is How>
SYNCHRONIZED unsigned word_from(unsigned mask, unsigned word, unsigned lane) {
  const int sent = static_cast<int>(word), number = static_cast<int>(lane);
  int got = 0;
  if constexpr (How == lane_is::below)
    got = __nvvm_shfl_sync_up_i32(mask, sent, number, 0);
  else if constexpr (How == lane_is::across)
    got = __nvvm_shfl_sync_bfly_i32(mask, sent, number, 0x1f);
  else
    got = __nvvm_shfl_sync_idx_i32(mask, sent, number, 0x1f);
  return static_cast<unsigned>(got);
}

template <lane_is How, typename T> SYNCHRONIZED T from_lane(unsigned mask, T value, unsigned lane) {
  const unsigned long words = bits<T>::of(value);
  unsigned long got = word_from<How>(mask, static_cast<unsigned>(words), lane);
  if constexpr (sizeof(T) == 8)
    got |=
        static_cast<unsigned long>(word_from<How>(mask, static_cast<unsigned>(words >> 32), lane))
        << 32;
  return bits<T>::value(got);
}
template <lane_is How, typename T> SYNCHRONIZED T from(const place &own, T value, unsigned lane) {
  return from_lane<How>(own.mask, value, lane);
}

struct add {
  template <typename T> T operator()(T x, T y) const { return x + y; }
};
struct least {
  template <typename T> T operator()(T x, T y) const { return __builtin_elementwise_min(x, y); }
};
struct most {
  template <typename T> T operator()(T x, T y) const { return __builtin_elementwise_max(x, y); }
};

/// What the lanes up to the own one and those before it make together.
template <typename T> struct scans {
  T inclusive, exclusive;
};

template <typename T, typename Operation>
SYNCHRONIZED scans<T> scan_lanes(const place &own, T value, T identity, Operation operation) {
  for (unsigned step = 1; step < warp_size; step *= 2) {
    const T before = from<lane_is::below>(own, value, step);
    if (own.lane >= step)
      value = operation(before, value);
  }
  const T before = from<lane_is::below>(own, value, 1);
  return {value, own.lane == 0 ? identity : before};
}

template <typename T> T chosen(unsigned kind, T whole, const scans<T> &scans) {
  return kind == reduce ? whole : kind == inclusive_scan ? scans.inclusive : scans.exclusive;
}

/// What each `width` lanes of a whole warp make together, in all of them; `width` is a power of
/// two.
template <typename T, typename Operation>
SYNCHRONIZED T reduce_lanes(T value, unsigned width, Operation operation) {
#pragma unroll
  for (unsigned step = 1; step < warp_size; step *= 2) {
    if (step >= width)
      break;
    value = operation(value, from_lane<lane_is::across>(whole_place::mask, value, step));
  }
  return value;
}

/// What a work-group of whole warps makes together: each warp what its lanes have, then all of them
/// what the warps have.
template <typename T, typename Operation>
SYNCHRONIZED T reduce_warps(T value, T identity, Operation operation) {
  const whole_place own;
  const T whole = reduce_lanes(value, warp_size, operation);
  if (own.warps == 1)
    return whole;
  if (own.lane == 0)
    of_warps[own.warp] = bits<T>::of(whole);
  __syncthreads();
  const unsigned width = 2u << (31 - __builtin_clz(own.warps - 1));
  const unsigned warp = own.lane & (width - 1);
  const T one = warp < own.warps ? bits<T>::value(of_warps[warp]) : identity;
  // The next use of the memory waits until everyone has read it.
  __syncthreads();
  return reduce_lanes(one, width, operation);
}

template <typename T, typename Operation>
SYNCHRONIZED T over_group(unsigned scope, unsigned kind, T value, T identity, Operation operation) {
  if (kind == reduce && work_items() % warp_size == 0)
    return scope == sub_group_scope ? reduce_lanes(value, warp_size, operation)
                                    : reduce_warps(value, identity, operation);
  const place own;
  scans<T> scans = scan_lanes(own, value, identity, operation);
  const T whole = from<lane_is::numbered>(own, scans.inclusive, own.lanes - 1);
  if (scope == sub_group_scope)
    return chosen(kind, whole, scans);
  if (own.lane == 0)
    of_warps[own.warp] = bits<T>::of(whole);
  __syncthreads();
  T all = bits<T>::value(of_warps[0]), before = identity;
  for (unsigned warp = 1; warp < own.warps; ++warp) {
    if (warp == own.warp)
      before = all;
    all = operation(all, bits<T>::value(of_warps[warp]));
  }
  // The next use of the memory waits until everyone has read it.
  __syncthreads();
  if (own.warp > 0) {
    scans.inclusive = operation(before, scans.inclusive);
    scans.exclusive = own.lane == 0 ? before : operation(before, scans.exclusive);
  }
  return chosen(kind, all, scans);
}

template <typename T> SYNCHRONIZED T broadcast(unsigned scope, T value, unsigned long sender) {
  const place own;
  if (scope == sub_group_scope)
    return from<lane_is::numbered>(own, value, static_cast<unsigned>(sender));
  if (own.warp * warp_size + own.lane == sender)
    of_warps[0] = bits<T>::of(value);
  __syncthreads();
  const T sent = bits<T>::value(of_warps[0]);
  __syncthreads();
  return sent;
}

} // namespace

#define OPERATION(NAME, T, IDENTITY, FUNCTION)                                                     \
  CONVERGENT __attribute__((target("ptx60"))) T __spirv_Group##NAME(unsigned scope,                \
                                                                    unsigned operation, T value) { \
    return over_group(scope, operation, value, static_cast<T>(IDENTITY), FUNCTION());              \
  }
OPERATION(IAdd, int, 0, add)
OPERATION(IAdd, unsigned, 0, add)
OPERATION(IAdd, long, 0, add)
OPERATION(IAdd, unsigned long, 0, add)
OPERATION(FAdd, float, 0, add)
OPERATION(FAdd, double, 0, add)
OPERATION(SMin, int, __INT_MAX__, least)
OPERATION(SMin, long, __LONG_MAX__, least)
OPERATION(UMin, unsigned, ~0u, least)
OPERATION(UMin, unsigned long, ~0ul, least)
OPERATION(FMin, float, __builtin_inff(), least)
OPERATION(FMin, double, __builtin_inf(), least)
OPERATION(SMax, int, -__INT_MAX__ - 1, most)
OPERATION(SMax, long, -__LONG_MAX__ - 1, most)
OPERATION(UMax, unsigned, 0, most)
OPERATION(UMax, unsigned long, 0, most)
OPERATION(FMax, float, -__builtin_inff(), most)
OPERATION(FMax, double, -__builtin_inf(), most)
#undef OPERATION

#define BROADCAST(T)                                                                               \
  CONVERGENT __attribute__((target("ptx60"))) T __spirv_GroupBroadcast(unsigned scope, T value,    \
                                                                       unsigned long sender) {     \
    return broadcast(scope, value, sender);                                                        \
  }
BROADCAST(int)
BROADCAST(unsigned)
BROADCAST(long)
BROADCAST(unsigned long)
BROADCAST(float)
BROADCAST(double)
#undef BROADCAST

CONVERGENT __attribute__((target("ptx60"))) bool __spirv_GroupAll(unsigned scope, bool value) {
  if (scope == sub_group_scope)
    return __nvvm_vote_all_sync(place().mask, value);
  return __nvvm_bar0_and(value) != 0;
}
CONVERGENT __attribute__((target("ptx60"))) bool __spirv_GroupAny(unsigned scope, bool value) {
  if (scope == sub_group_scope)
    return __nvvm_vote_any_sync(place().mask, value);
  return __nvvm_bar0_or(value) != 0;
}

// What some lanes of a warp do, each of which has a bit in `members`.

CONVERGENT __attribute__((target("ptx60"))) unsigned
__devicelib_shuffle_among(unsigned members, unsigned word, unsigned lane) {
  return word_from<lane_is::numbered>(members, word, lane);
}
CONVERGENT __attribute__((target("ptx60"))) void __devicelib_barrier_among(unsigned members) {
  __nvvm_bar_warp_sync(members);
}

/// A barrier of a sub-group; the headers know that of a work-group themselves.
CONVERGENT __attribute__((target("ptx60"))) void __devicelib_sub_group_barrier() {
  __nvvm_bar_warp_sync(place().mask);
}
#endif
