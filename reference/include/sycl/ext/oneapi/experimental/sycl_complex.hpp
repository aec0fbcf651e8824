//===- sycl_complex.hpp - the name that DPC++ once had for complex/complex.hpp
//------------------===//
#pragma once

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
