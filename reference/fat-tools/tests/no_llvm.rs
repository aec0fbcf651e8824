//! The tools of fat files start without LLVM.

#[test]
fn no_tool_is_linked_with_llvm() {
    for tool in [
        env!("CARGO_BIN_EXE_clang-offload-bundler"),
        env!("CARGO_BIN_EXE_clang-offload-packager"),
        env!("CARGO_BIN_EXE_offload-inspect"),
    ] {
        let program = std::fs::read(tool).unwrap();
        let needed = program.windows(7).any(|name| name == b"libLLVM");
        assert!(!needed, "{tool} loads LLVM as it starts");
    }
}
