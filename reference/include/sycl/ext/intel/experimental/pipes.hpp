//===- pipes.hpp - sycl_ext_intel_dataflow_pipes, not there
#error "Plumbline has no sycl_ext_intel_dataflow_pipes"
