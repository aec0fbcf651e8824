//===- fpga_device_selector.hpp - devices of sycl_ext_intel_fpga_device_selector -------------===//
//
// A board is an accelerator of Intel's FPGA platform, the emulator one that says it emulates.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/device_selector.hpp>

namespace sycl::ext::intel {

namespace detail {
/// Whether the device is of Intel's FPGA platform, and emulates as asked.
inline int rate_fpga(const device &candidate, bool emulates) {
  const std::string platform = candidate.get_platform().get_info<sycl::info::platform::name>();
  const bool is_fpga = candidate.is_accelerator() && platform.find("FPGA") != std::string::npos;
  return is_fpga && candidate.has(aspect::emulated) == emulates ? 10000 : -1;
}
} // namespace detail

inline int fpga_selector_v(const device &candidate) { return detail::rate_fpga(candidate, false); }
inline int fpga_emulator_selector_v(const device &candidate) {
  return detail::rate_fpga(candidate, true);
}
/// A simulated board is a board to the runtime.
inline int fpga_simulator_selector_v(const device &candidate) {
  return detail::rate_fpga(candidate, false);
}

/// As objects, which DPC++ deprecates.
struct fpga_selector {
  int operator()(const device &candidate) const { return fpga_selector_v(candidate); }
};
struct fpga_emulator_selector {
  int operator()(const device &candidate) const { return fpga_emulator_selector_v(candidate); }
};
struct fpga_simulator_selector {
  int operator()(const device &candidate) const { return fpga_simulator_selector_v(candidate); }
};

} // namespace sycl::ext::intel
