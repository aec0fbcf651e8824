//! What a module says of itself, as SPIR-V writers read it.
//!
//! The translator takes modules for plain SPIR-V only, whatever device they are compiled for, and
//! writes down the source language that the module names. Device compilers choose their own functions
//! by it: where it says nothing, Intel's takes the code for OpenCL 1.2, which has no atomic operations
//! over generic pointers, and finds no such functions. What the back end writes by itself, OpenCL C++,
//! is what DPC++ writes too.

use inkwell::module::Module;
use inkwell::targets::TargetTriple;

use crate::llvm::metadata::{self, Node, Operand};

/// The triple of plain SPIR-V; what else the link tells apart by a triple, no writer does.
const PLAIN: &str = "spir64-unknown-unknown";

/// The source language: metadata of this name, with the number of SPIR-V's `OpSource` for OpenCL C++
/// and its version.
const SOURCE: (&str, u32, u32) = ("spirv.Source", 4, 100_000);

/// Has the module say what every writer understands.
pub(super) fn settle(module: &Module<'_>) {
    let triple = module.get_triple();
    if triple.as_str().to_bytes().starts_with(b"spir64") {
        module.set_triple(&TargetTriple::create(PLAIN));
    }
    let (name, language, version) = SOURCE;
    if metadata::named(module, name).is_empty() {
        let words = [Operand::u32(language), Operand::u32(version)];
        let node = Node::new(module.get_context(), &words);
        metadata::add_named(module, name, node);
    }
}

#[cfg(test)]
mod tests {
    use super::super::legalise;
    use crate::llvm::{context, read, write};

    fn settled(text: &str) -> String {
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        legalise(&module).unwrap();
        write::text(&module)
    }

    #[test]
    fn a_module_is_plain_spirv_of_opencl_cpp_for_any_device() {
        for triple in ["spir64", "spir64_x86_64", "spir64_gen", "spir64_fpga"] {
            let after = settled(&format!("target triple = \"{triple}-unknown-unknown\"\n"));
            assert!(
                after.contains("triple = \"spir64-unknown-unknown\""),
                "{after}"
            );
            assert!(after.contains("!{i32 4, i32 100000}"), "{after}");
        }
    }

    #[test]
    fn what_a_module_says_of_its_source_stays() {
        let after = settled("!spirv.Source = !{!0}\n!0 = !{i32 3, i32 200000}\n");
        assert!(after.contains("!{i32 3, i32 200000}"), "{after}");
        assert!(!after.contains("100000"), "{after}");
    }
}
