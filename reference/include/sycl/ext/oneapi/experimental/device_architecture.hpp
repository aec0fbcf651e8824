//===- device_architecture.hpp - which device runs (sycl_ext_oneapi_device_architecture) -----===//
//
// In kernels the compiler decides, by the one architecture that it compiles for: a kernel that asks
// and is compiled when the program runs is refused.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/device.hpp>

#include <cstdint>

namespace sycl::ext::oneapi::experimental {

enum class architecture : std::uint64_t {
  unknown = 0x9900000000000000,
#define PLSYCL_ARCHITECTURE(NAME, MACRO, VALUE) NAME = VALUE,
#define PLSYCL_ARCHITECTURE_NAME(OTHER, NAME) OTHER = NAME,
#include <sycl/ext/oneapi/experimental/device_architecture.def>
#undef PLSYCL_ARCHITECTURE
#undef PLSYCL_ARCHITECTURE_NAME
  // Processors of one kind: devices say that they are x86_64.
  intel_cpu_spr = 0x0300000000000800,
  intel_cpu_gnr = 0x0300000000000900,
  intel_cpu_dmr = 0x0300000000001000,
};

enum class arch_category { intel_gpu, nvidia_gpu, amd_gpu };

namespace detail {

/// What this code is compiled for; unknown where that is not one architecture.
constexpr architecture compiled_architecture() {
#ifdef __SYCL_DEVICE_ONLY__ // Host compilations know of none, and read this in every program.
// The second of two arguments, or of three where the macro is defined as 1.
#define PLSYCL_COMMA_1 0,
#define PLSYCL_SECOND(FIRST, SECOND, ...) SECOND
#define PLSYCL_CHOICE(...) PLSYCL_SECOND(__VA_ARGS__)
#define PLSYCL_WITH_COMMA(VALUE) PLSYCL_CHOICE(PLSYCL_COMMA_##VALUE true, false, )
#define PLSYCL_IS_SET(MACRO) PLSYCL_WITH_COMMA(MACRO)
#define PLSYCL_ARCHITECTURE(NAME, MACRO, VALUE)                                                    \
  if (PLSYCL_IS_SET(MACRO))                                                                        \
    return architecture::NAME;
#define PLSYCL_ARCHITECTURE_NAME(OTHER, NAME)
#include <sycl/ext/oneapi/experimental/device_architecture.def>
#undef PLSYCL_ARCHITECTURE
#undef PLSYCL_ARCHITECTURE_NAME
#undef PLSYCL_IS_SET
#undef PLSYCL_WITH_COMMA
#undef PLSYCL_CHOICE
#undef PLSYCL_SECOND
#undef PLSYCL_COMMA_1
#endif
  return architecture::unknown;
}

/// The bits of a number that say whose devices it is about.
constexpr std::uint64_t maker(architecture of) {
  return static_cast<std::uint64_t>(of) & 0xff00000000000000;
}
constexpr bool is_in(architecture of, arch_category category) {
  switch (category) {
  case arch_category::intel_gpu:
    return maker(of) == 0;
  case arch_category::nvidia_gpu:
    return maker(of) == maker(architecture::nvidia_gpu_sm_50);
  case arch_category::amd_gpu:
    return maker(of) == maker(architecture::amd_gpu_gfx700);
  }
  return false;
}

/// What one condition asks.
template <architecture... Among> struct is_among {
  static constexpr bool holds(architecture of) { return ((of == Among) || ...); }
};
template <arch_category... Among> struct is_in_categories {
  static constexpr bool holds(architecture of) { return (is_in(of, Among) || ...); }
};
/// Of devices of one maker that are no processors, a range of numbers.
template <architecture Low, bool WithLow, architecture High, bool WithHigh> struct is_from_to {
  static constexpr bool holds(architecture of) {
    return maker(of) == maker(Low) && maker(of) == maker(High) && maker(of) != maker(processor) &&
           (of > Low || (WithLow && of == Low)) && (of < High || (WithHigh && of == High));
  }
  static constexpr architecture processor = architecture::x86_64;
};
/// The least and the greatest number of that maker's.
constexpr architecture first(architecture of) { return static_cast<architecture>(maker(of)); }
constexpr architecture last(architecture of) {
  return static_cast<architecture>(maker(of) | 0x00ffffffffffffff);
}
template <architecture Than> using is_less = is_from_to<first(Than), true, Than, false>;
template <architecture Than> using is_at_most = is_from_to<first(Than), true, Than, true>;
template <architecture Than> using is_greater = is_from_to<Than, false, last(Than), true>;
template <architecture Than> using is_at_least = is_from_to<Than, true, last(Than), true>;
template <architecture Low, architecture High> using is_between = is_from_to<Low, true, High, true>;

/// What has been found so far: whether no condition has held yet.
template <bool IsOpen> class architecture_choice {
  template <typename Condition, typename Function>
  static constexpr auto choose([[maybe_unused]] Function function) {
    constexpr architecture here = compiled_architecture();
#ifdef __SYCL_DEVICE_ONLY__
    static_assert(here != architecture::unknown || sizeof(Function) == 0,
                  "if_architecture_is is for code that is compiled ahead of time for one "
                  "architecture: -fsycl-targets=spir64_x86_64, intel_gpu_..., nvidia_gpu_...");
#endif
    if constexpr (IsOpen && Condition::holds(here)) {
      function();
      return architecture_choice<false>();
    } else {
      return architecture_choice<IsOpen>();
    }
  }

public:
  template <architecture... Among, typename Function>
  constexpr auto else_if_architecture_is(Function function) {
    return choose<is_among<Among...>>(function);
  }
  template <arch_category... Among, typename Function>
  constexpr auto else_if_architecture_is(Function function) {
    return choose<is_in_categories<Among...>>(function);
  }
  template <architecture Than, typename Function>
  constexpr auto else_if_architecture_is_lt(Function function) {
    return choose<is_less<Than>>(function);
  }
  template <architecture Than, typename Function>
  constexpr auto else_if_architecture_is_le(Function function) {
    return choose<is_at_most<Than>>(function);
  }
  template <architecture Than, typename Function>
  constexpr auto else_if_architecture_is_gt(Function function) {
    return choose<is_greater<Than>>(function);
  }
  template <architecture Than, typename Function>
  constexpr auto else_if_architecture_is_ge(Function function) {
    return choose<is_at_least<Than>>(function);
  }
  template <architecture Low, architecture High, typename Function>
  constexpr auto else_if_architecture_is_between(Function function) {
    return choose<is_between<Low, High>>(function);
  }
  template <typename Function> constexpr void otherwise([[maybe_unused]] Function function) {
    if constexpr (IsOpen)
      function();
  }
};

using no_choice_yet = architecture_choice<true>;

} // namespace detail

/// Calls the function in code for one of these architectures; what comes back takes what else is
/// asked, and what is done otherwise.
template <architecture... Among, typename Function>
constexpr auto if_architecture_is(Function function) {
  return detail::no_choice_yet().else_if_architecture_is<Among...>(function);
}
template <arch_category... Among, typename Function>
constexpr auto if_architecture_is(Function function) {
  return detail::no_choice_yet().else_if_architecture_is<Among...>(function);
}
/// Compared with other devices of the same maker.
template <architecture Than, typename Function>
constexpr auto if_architecture_is_lt(Function function) {
  return detail::no_choice_yet().else_if_architecture_is_lt<Than>(function);
}
template <architecture Than, typename Function>
constexpr auto if_architecture_is_le(Function function) {
  return detail::no_choice_yet().else_if_architecture_is_le<Than>(function);
}
template <architecture Than, typename Function>
constexpr auto if_architecture_is_gt(Function function) {
  return detail::no_choice_yet().else_if_architecture_is_gt<Than>(function);
}
template <architecture Than, typename Function>
constexpr auto if_architecture_is_ge(Function function) {
  return detail::no_choice_yet().else_if_architecture_is_ge<Than>(function);
}
template <architecture Low, architecture High, typename Function>
constexpr auto if_architecture_is_between(Function function) {
  return detail::no_choice_yet().else_if_architecture_is_between<Low, High>(function);
}

namespace info::device {
/// What a device is; unknown where its driver does not tell.
struct architecture {
  using return_type = experimental::architecture;
  PLSYCL_LATE static return_type answer(const sycl::device &of) {
    // Every processor of this machine, whatever driver it is a device of.
#ifdef __x86_64__
    if (of.is_cpu())
      return return_type::x86_64;
#endif
    static constexpr struct {
      aspect what;
      return_type its;
    } all[] = {
#define PLSYCL_ARCHITECTURE(NAME, MACRO, VALUE) {aspect::NAME, return_type::NAME},
#define PLSYCL_ARCHITECTURE_NAME(OTHER, NAME)
#include <sycl/ext/oneapi/experimental/device_architecture.def>
#undef PLSYCL_ARCHITECTURE
#undef PLSYCL_ARCHITECTURE_NAME
    };
    for (const auto &each : all)
      if (of.has(each.what))
        return each.its;
    return return_type::unknown;
  }
};
} // namespace info::device

} // namespace sycl::ext::oneapi::experimental

namespace sycl {

template <typename>
bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::architecture what) const {
  return get_info<ext::oneapi::experimental::info::device::architecture>() == what;
}
template <typename>
bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category what) const {
  return ext::oneapi::experimental::detail::is_in(
      get_info<ext::oneapi::experimental::info::device::architecture>(), what);
}

} // namespace sycl
