//===- sycl_complex.hpp - complex/complex.hpp, under the name that DPC++ once had
#pragma once

#include <sycl/ext/oneapi/experimental/complex/complex.hpp>
