//===- strided.hpp - what work-items of a group do by turns ----------------------------------===//
#pragma once

namespace sycl::detail {

/// Calls `act` for `first` and every `step`-th number behind it that is below `end`.
///
/// That the loop ends can be seen. Intel's compiler for processors makes one that would not for a
/// step of 0 an endless one for that, and then runs kernels in sub-groups of one, whatever size
/// they require.
template <typename Number, typename Act>
void each_strided(Number first, Number step, Number end, const Act &act) {
  for (Number i = first; i < end;) {
    act(i);
    const auto next = static_cast<Number>(i + step);
    if (next <= i)
      break;
    i = next;
  }
}

} // namespace sycl::detail
