//===- pipes.hpp - pipes with properties (sycl_ext_intel_fpga_kernel_interface_properties) ---===//
//
// The properties are about the hardware that a pipe becomes on an FPGA, and without effect here.
//
//===----------------------------------------------------------------------------------------===//
#pragma once

#include <sycl/ext/intel/pipes.hpp>
#include <sycl/ext/oneapi/properties/properties.hpp>

namespace sycl::ext::intel::experimental {

template <typename Name, typename Data, std::int32_t MinCapacity = 0,
          typename Properties = oneapi::experimental::empty_properties_t>
class pipe : intel::detail::pipe_of_kernels<Name, Data, MinCapacity> {
  using elements = intel::detail::pipe_of_kernels<Name, Data, MinCapacity>;

public:
  using value_type = Data;
  static constexpr std::int32_t min_capacity = MinCapacity;

  using elements::read;
  using elements::write;

  template <typename List, sycl::detail::if_properties<List> = 0>
  static Data read(bool &success, List) {
    return elements::read(success);
  }
  template <typename List, sycl::detail::if_properties<List> = 0> static Data read(List) {
    return elements::read();
  }
  template <typename List, sycl::detail::if_properties<List> = 0>
  static void write(const Data &element, bool &success, List) {
    elements::write(element, success);
  }
  template <typename List, sycl::detail::if_properties<List> = 0>
  static void write(const Data &element, List) {
    elements::write(element);
  }
};

} // namespace sycl::ext::intel::experimental
