//===- fpga_extensions.hpp - what programs for FPGAs use -------------------------------------===//
#pragma once

#include <sycl/ext/intel/experimental/pipes.hpp>
#include <sycl/ext/intel/fpga_device_selector.hpp>
#include <sycl/ext/intel/fpga_lsu.hpp>
#include <sycl/pipes.hpp>

namespace sycl::ext::intel {

/// sycl_ext_intel_fpga_reg: asks for a register on hardware, and is the value anywhere.
template <typename Type> Type fpga_reg(Type value) { return value; }

// The loops of a function, so many deep, that hardware is to fuse; elsewhere the function is
// called.
template <int Depth = 1, typename Function> void fpga_loop_fuse(Function loops) {
  static_assert(Depth >= 1, "at least the outermost loops are fused");
  loops();
}
template <int Depth = 1, typename Function> void fpga_loop_fuse_independent(Function loops) {
  fpga_loop_fuse<Depth>(loops);
}

/// Of what hardware computes, and whether that holds within functions that are called.
enum class Preference { DSP, Softlogic, Compiler_default };
enum class Propagate { On, Off };
template <Preference Way = Preference::DSP, Propagate Calls = Propagate::On, typename Function>
void math_dsp_control(Function computation) {
  computation();
}

} // namespace sycl::ext::intel
