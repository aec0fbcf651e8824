//===- fp_control_kernel_properties.hpp - sycl_ext_intel_fp_control, not there
#error "Plumbline has no sycl_ext_intel_fp_control"
