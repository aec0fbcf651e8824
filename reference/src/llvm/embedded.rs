//! What host bitcode carries for a later link: the contents of the variables that the metadata
//! `llvm.embedded.objects` names, each with the section that it will lie in (`MODEL`, "Device
//! Extraction").

use inkwell::module::Module;
use inkwell::values::BasicValueEnum;
use offload_formats::Bytes;
use offload_formats::container::OFFLOADING_SECTION;

use super::metadata::{self, Operand};
use super::{context, read};

/// The metadata that names the variables.
const METADATA: &str = "llvm.embedded.objects";

/// The OffloadBinaries in a bitcode file, in order; none in bitcode without any, such as that of a
/// device.
///
/// # Errors
/// When the file is no bitcode that LLVM can read.
pub fn offload_binaries(bitcode: &Bytes) -> Result<Vec<Bytes>, String> {
    let context = context();
    let module = read::module_lazily(&context, bitcode, "").map_err(|e| e.to_string())?;
    Ok(objects(&module))
}

fn objects(module: &Module<'_>) -> Vec<Bytes> {
    let nodes = metadata::named(module, METADATA).into_iter();
    nodes
        .filter_map(|node| match node.operands().as_slice() {
            [Operand::Global(global), Operand::Text(section)] if section == OFFLOADING_SECTION => {
                match global.get_initializer()? {
                    BasicValueEnum::ArrayValue(array) => {
                        array.as_const_string().map(Bytes::copy_from_slice)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::write;

    #[test]
    fn objects_of_the_offloading_section_are_found() {
        let text = r#"
            @a = private constant [4 x i8] c"\10\FF\10\AD", section ".llvm.offloading", align 8
            @b = private constant [3 x i8] c"abc", section ".llvm.other"
            !llvm.embedded.objects = !{!0, !1}
            !0 = !{ptr @a, !".llvm.offloading"}
            !1 = !{ptr @b, !".llvm.other"}
        "#;
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let bitcode = Bytes::from(write::bitcode(&module));
        let found = offload_binaries(&bitcode).unwrap();
        assert_eq!(found, [Bytes::from_static(b"\x10\xFF\x10\xAD")]);
    }
}
