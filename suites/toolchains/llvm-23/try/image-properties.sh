# OFF, "Linking of device objects": clang-sycl-linker makes symbol tables and property sets of images.
cat > a.ll <<'END'
target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1"
target triple = "spirv64-unknown-unknown"
define spir_kernel void @doubles(ptr addrspace(1) %p) !intel_used_aspects !0 {
  store double 1.0, ptr addrspace(1) %p
  ret void
}
!0 = !{i32 6}
END
llvm-as a.ll -o a.bc
clang-sycl-linker --triple=spirv64-unknown-unknown a.bc -o a.img
tr -c '[:print:]' '\n' < a.img | grep -E 'symbols|doubles|aspect|SYCL/'
# prints: symbols
# prints: doubles
# does not print: aspect
# does not print: SYCL/
