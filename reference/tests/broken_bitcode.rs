//! Whatever bytes `sycl-post-link` gets, it ends with exit status 0, or with 1 and a message that
//! names the file: never by a signal, never by a panic. LLVM's own reader crashes on some of them.

use std::path::Path;
use std::time::Duration;

use components::process::Job;
use reference::llvm::{context, read, write};

/// Modules with bodies, constants, metadata and debug information.
const MODULES: [&str; 2] = [
    r#"
    target triple = "spir64-unknown-unknown"
    %pair = type { i32, [4 x float] }
    @table = constant [2 x ptr] [ptr @inner, ptr @table]
    @pair = internal addrspace(1) global %pair { i32 1, [4 x float] [float 1.0, float 0.0, float 2.0, float 3.0] }
    @other = alias void (), ptr @inner
    define internal spir_func void @inner() {
      ret void
    }
    define spir_kernel void @one(ptr addrspace(1) %out, i32 %n) #0 !intel_used_aspects !0 {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %place = getelementptr %pair, ptr addrspace(1) @pair, i32 0, i32 1, i32 %i
      %value = load float, ptr addrspace(1) %place
      store float %value, ptr addrspace(1) %out
      %next = add i32 %i, 1
      %done = icmp eq i32 %next, %n
      br i1 %done, label %end, label %loop
    end:
      %f = load ptr, ptr @table
      call spir_func void %f()
      call spir_func void @other()
      ret void
    }
    define spir_kernel void @two() #0 !reqd_work_group_size !1 {
      ret void
    }
    attributes #0 = { "sycl-module-id"="a.cpp" "sycl-optlevel"="2" }
    !0 = !{i32 6}
    !1 = !{i32 8, i32 1, i32 1}
    "#,
    r#"
    target triple = "spir64-unknown-unknown"
    define spir_kernel void @placed(ptr addrspace(1) %p) !dbg !3 !intel_used_aspects !7 {
      %v = load double, ptr addrspace(1) %p, !dbg !6
      switch i32 0, label %a [ i32 1, label %b ], !dbg !6
    a:
      store double %v, ptr addrspace(1) %p, align 8, !dbg !5
      br label %b
    b:
      ret void, !dbg !5
    }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!1}
    !0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus_14, file: !2, emissionKind: FullDebug)
    !1 = !{i32 2, !"Debug Info Version", i32 3}
    !2 = !DIFile(filename: "k.cpp", directory: "/")
    !3 = distinct !DISubprogram(name: "placed", file: !2, unit: !0, line: 2, spFlags: DISPFlagDefinition)
    !4 = distinct !DISubprogram(name: "inner", file: !2, unit: !0, line: 1, spFlags: DISPFlagDefinition)
    !5 = distinct !DILocation(line: 3, column: 3, scope: !3)
    !6 = !DILocation(line: 1, column: 5, scope: !4, inlinedAt: !5)
    !7 = !{i32 6}
    "#,
];

const ROUNDS: usize = 150;

/// A sequence that looks random and is the same each time.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most.max(1)
    }
}

fn broken(whole: &[u8], sequence: &mut Sequence) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    let at = sequence.below(bytes.len());
    match sequence.below(4) {
        0 => bytes.truncate(at),
        1 => drop(bytes.drain(at..bytes.len().min(at + 4))),
        flips => {
            for _ in 1..flips * 2 {
                let at = sequence.below(bytes.len());
                bytes[at] ^= 1 << sequence.below(8);
            }
        }
    }
    bytes
}

/// Exit status and standard error of a split of `module`, in its folder.
fn split(module: &Path) -> (Option<i32>, String) {
    let job = Job::new(env!("CARGO_BIN_EXE_sycl-post-link"))
        .args(["-split=kernel", "-symbols", "-properties", "-o"])
        .arg(module.with_extension("table"))
        .arg(module)
        .limit(Duration::from_secs(60));
    let output = job.output(b"").unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn broken_bitcode_is_an_ordinary_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.bc");
    let mut sequence = Sequence(1);
    let mut failed = 0;
    for text in MODULES {
        let context = context();
        let module = read::module(&context, text.as_bytes(), "whole").unwrap();
        let whole = write::bitcode(&module);
        std::fs::write(&file, &whole).unwrap();
        assert_eq!(split(&file), (Some(0), String::new()), "the whole module");
        for round in 0..ROUNDS {
            let bytes = broken(&whole, &mut sequence);
            std::fs::write(&file, &bytes).unwrap();
            let (code, said) = split(&file);
            match code {
                Some(0) => {}
                Some(1) => {
                    failed += 1;
                    assert!(
                        said.contains("error: ") && said.contains("broken.bc"),
                        "{said}"
                    );
                }
                other => panic!("round {round} ended with {other:?}: {said}"),
            }
            assert!(!said.contains("panicked"), "round {round}: {said}");
        }
    }
    assert!(
        failed > ROUNDS,
        "too few of the inputs are broken: {failed}"
    );
}
