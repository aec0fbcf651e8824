//===- absent_headers.cpp - Headers of extensions that are not there ------------------------===//

#include "absent_headers.h"
#include "clang/Lex/PPCallbacks.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace plumbline;

namespace {

/// The beginning of a header's path below `sycl/ext/`, and the extension behind `sycl_ext_`.
struct Absent {
  StringRef path;
  StringRef extension;
};

constexpr Absent absent[] = {
    {"codeplay/experimental/fusion_", "codeplay_kernel_fusion"},
    {"intel/esimd", "intel_esimd"},
    {"intel/experimental/esimd", "intel_esimd"},
    {"intel/experimental/fp_control", "intel_fp_control"},
    {"intel/experimental/fpga_mem", "intel_fpga_mem"},
    {"intel/experimental/online_compiler", "intel_online_compiler"},
    {"intel/experimental/task_sequence", "intel_fpga_task_sequence"},
    {"intel/online_compiler", "intel_online_compiler"},
    {"oneapi/experimental/alloca.", "oneapi_private_alloca"},
    {"oneapi/experimental/annotated_usm/", "oneapi_annotated_usm"},
    {"oneapi/experimental/async_alloc/", "oneapi_async_memory_alloc"},
    {"oneapi/experimental/cluster_group_prop.", "oneapi_cuda_cluster_group"},
    {"oneapi/experimental/cuda/barrier.", "oneapi_cuda_async_barrier"},
    {"oneapi/experimental/float_4bit/", "oneapi_fp4"},
    {"oneapi/experimental/float_8bit/", "oneapi_fp8"},
    {"oneapi/experimental/invoke_simd.", "oneapi_invoke_simd"},
    {"oneapi/experimental/ipc_event.", "oneapi_ipc_event"},
    {"oneapi/experimental/ipc_memory.", "oneapi_ipc_memory"},
    {"oneapi/experimental/ipc_physical_memory.", "oneapi_ipc_physical_memory"},
    {"oneapi/experimental/register_host_memory.", "oneapi_register_host_memory"},
    {"oneapi/experimental/reusable_events.", "oneapi_reusable_events"},
    {"oneapi/experimental/syclbin_", "oneapi_syclbin"},
    {"oneapi/experimental/uniform.", "oneapi_uniform"},
    {"oneapi/experimental/virtual_functions.", "oneapi_virtual_functions"},
    {"oneapi/matrix/", "oneapi_matrix"},
    {"oneapi/virtual_mem/", "oneapi_virtual_mem"},
};

class AbsentHeaders : public PPCallbacks {
public:
  explicit AbsentHeaders(DiagnosticsEngine &diagnostics) : diagnostics(diagnostics) {}

  // Behind the error that the file is not found, which ends the compilation.
  void InclusionDirective(SourceLocation, const Token &, StringRef name, bool,
                          CharSourceRange written, OptionalFileEntryRef file, StringRef, StringRef,
                          const Module *, bool, SrcMgr::CharacteristicKind) override {
    if (file)
      return;
    const auto note = [&](const auto &text) {
      const unsigned message = diagnostics.getCustomDiagID(DiagnosticsEngine::Note, text);
      return diagnostics.Report(written.getBegin(), message);
    };
    if (name.starts_with("CL/") && !name.starts_with("CL/sycl"))
      note("Plumbline brings no headers of OpenCL; the system's package opencl-c-headers does");
    if (name.starts_with("syclcompat"))
      note("Plumbline has no syclcompat");
    if (!name.consume_front("sycl/ext/"))
      return;
    const auto *found =
        llvm::find_if(absent, [&](const Absent &header) { return name.starts_with(header.path); });
    if (found != std::end(absent))
      note("Plumbline has no sycl_ext_%0") << found->extension;
  }

private:
  DiagnosticsEngine &diagnostics;
};

} // namespace

void plumbline::watchAbsentHeaders(Preprocessor &preprocessor) {
  preprocessor.addPPCallbacks(std::make_unique<AbsentHeaders>(preprocessor.getDiagnostics()));
}
