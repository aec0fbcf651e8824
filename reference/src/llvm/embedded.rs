//! Device images inside host bitcode: byte arrays that the module's `llvm.embedded.objects` names
//! (`MODEL`, "Device Extraction").

use inkwell::module::Module;
use inkwell::values::GlobalValue;
use offload_formats::Bytes;
use offload_formats::container::OFFLOADING_SECTION;

use super::metadata::{self, Operand};
use super::{constants, context, read};

/// The list of a module that names what it embeds: pairs of a variable and a section name.
const EMBEDDED_OBJECTS: &str = "llvm.embedded.objects";

/// What a bitcode module embeds for the section of OffloadBinaries; `origin` is named should LLVM's
/// reader crash.
///
/// # Errors
/// When the bytes are no bitcode, or a variable that the list names has no plain bytes.
pub fn offload_binaries(bitcode: &Bytes, origin: &str) -> Result<Vec<Bytes>, String> {
    let context = context();
    let module = read::module_lazily(&context, bitcode, origin).map_err(|e| e.to_string())?;
    let variables = embedded_variables(&module);
    variables
        .into_iter()
        .map(|variable| {
            constants::bytes_of_initializer(variable)
                .map(Bytes::from)
                .ok_or_else(|| "what 'llvm.embedded.objects' names holds no bytes".to_owned())
        })
        .collect()
}

fn embedded_variables<'ctx>(module: &Module<'ctx>) -> Vec<GlobalValue<'ctx>> {
    let pairs = metadata::named(module, EMBEDDED_OBJECTS).into_iter();
    pairs
        .filter_map(|pair| match pair.operands().as_slice() {
            [Operand::Global(variable), Operand::Text(section), ..]
                if section == OFFLOADING_SECTION =>
            {
                Some(*variable)
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::write;

    fn bitcode(text: &str) -> Bytes {
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        Bytes::from(write::bitcode(&module))
    }

    #[test]
    fn bytes_come_back_whole_with_their_last_zero() {
        let text = "@o = private constant [4 x i8] c\"\\10\\FFx\\00\", section \".llvm.offloading\"\n\
                    @other = private constant [1 x i8] c\"x\"\n\
                    !llvm.embedded.objects = !{!0, !1}\n\
                    !0 = !{ptr @o, !\".llvm.offloading\"}\n!1 = !{ptr @other, !\".llvm.lto\"}\n";
        let found = offload_binaries(&bitcode(text), "a.bc").unwrap();
        assert_eq!(found, [Bytes::from_static(b"\x10\xFFx\0")]);
    }

    #[test]
    fn a_module_that_embeds_nothing_has_none() {
        assert_eq!(
            offload_binaries(&bitcode("@x = global i32 0\n"), "a.bc"),
            Ok(vec![])
        );
    }

    #[test]
    fn broken_bitcode_is_an_error() {
        let error = offload_binaries(&Bytes::from_static(b"BC\xC0\xDE"), "a.bc").unwrap_err();
        assert!(error.contains("not a valid LLVM module"), "{error}");
    }
}
