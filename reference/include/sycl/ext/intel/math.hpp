//===- math.hpp - sycl_ext_intel_math, not there
#error "Plumbline has no sycl_ext_intel_math"
