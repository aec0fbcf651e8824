//! The first half of the linker wrapper, which links programs without device code, waits for no LLVM.

#[test]
fn the_wrapper_is_not_linked_with_llvm() {
    let needs_llvm = |program: &str| {
        let program = std::fs::read(program).unwrap();
        program.windows(7).any(|name| name == b"libLLVM")
    };
    assert!(!needs_llvm(env!("CARGO_BIN_EXE_clang-linker-wrapper")));
    // The second half shows what a program with LLVM looks like.
    assert!(needs_llvm(env!("CARGO_BIN_EXE_plumbline-link")));
}
