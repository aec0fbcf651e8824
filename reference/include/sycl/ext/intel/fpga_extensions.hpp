//===- fpga_extensions.hpp - sycl_ext_intel_dataflow_pipes, fpga_reg and fpga_lsu, not there
#error                                                                                             \
    "Plumbline has no sycl_ext_intel_dataflow_pipes, fpga_reg and fpga_lsu (the selectors are in sycl/ext/intel/fpga_device_selector.hpp)"
