//===- fpga_extensions.hpp - what programs for FPGAs use -------------------------------------===//
#pragma once

#include <sycl/ext/intel/experimental/pipes.hpp>
#include <sycl/ext/intel/fpga_device_selector.hpp>
#include <sycl/ext/intel/fpga_lsu.hpp>
#include <sycl/ext/intel/pipes.hpp>

namespace sycl::ext::intel {

/// sycl_ext_intel_fpga_reg: asks for a register on hardware, and is the value anywhere.
template <typename Type> Type fpga_reg(Type value) { return value; }

} // namespace sycl::ext::intel
