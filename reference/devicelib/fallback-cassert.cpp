//===- fallback-cassert.cpp - failed assertions, where the device compiler has no own way ---===//
//
// The message goes where the device's printf goes, which is the standard output, and the work-item
// ends by touching what no device lets it touch.
//
//===----------------------------------------------------------------------------------------===//

#include "device.h"

// PTX has CUDA's own way.
#ifndef __NVPTX__

// The address space of OpenCL's constants, where a format has to lie; in device code of SYCL clang
// gives `opencl_constant` that of global memory.
#define CONSTANT __attribute__((address_space(2)))

extern int __spirv_ocl_printf(const CONSTANT char *format, ...);

namespace {
const CONSTANT char assertion_format[] =
    "%s:%d: %s: global id: [%lu,%lu,%lu], local id: [%lu,%lu,%lu] Assertion `%s` failed.\n";

/// Ends the work-item, and with it the program, by an access that no device allows.
void stop() {
  auto *nowhere =
      reinterpret_cast<volatile __attribute__((opencl_global)) int *>(size_type(1) << 62);
  *nowhere = 0;
}
} // namespace

DEVICE_API void __devicelib_assert_fail(const char *condition, const char *file, int line,
                                        const char *function, size_type global0, size_type global1,
                                        size_type global2, size_type local0, size_type local1,
                                        size_type local2) {
  __spirv_ocl_printf(assertion_format, file, line, function, global0, global1, global2, local0,
                     local1, local2, condition);
  stop();
}
#endif
