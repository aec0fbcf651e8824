//! The SPIR-V writer in this program: the back end of the LLVM that it is built on, where that has one. LLVM's
//! LTO generates the code, and what is left to do for a module is the first pass of its pass manager
//! (`THIN`, "Device code link time changes": the long-term flow).

use std::path::Path;

use components::process::Job;

use super::spirv::{NoWriter, SpirvOptions, SpirvWriter};
use super::{TranslateError, legalise, spirv_words};
use crate::llvm::spirv::Failure;
use crate::llvm::{self, passes, read};

/// LLVM's SPIR-V back end in this program.
#[derive(Debug, Clone, Copy)]
pub struct Internal(());

impl Internal {
    /// The writer.
    ///
    /// # Errors
    /// When the LLVM that this toolchain is built on has none.
    pub fn find() -> Result<Box<dyn SpirvWriter>, NoWriter> {
        match llvm::spirv::is_there() {
            true => Ok(Box::new(Internal(()))),
            false => Err(NoWriter::NotInside),
        }
    }
}

impl SpirvWriter for Internal {
    fn name(&self) -> &'static str {
        "the SPIR-V back end inside LTO"
    }

    fn program(&self) -> Option<&Path> {
        None
    }

    fn job(&self, options: &SpirvOptions) -> Job {
        Job::new("llc")
            .args(["-O0", "-filetype=obj"])
            .arg(format!("-mtriple={}", options.backend_triple()))
            .arg(format!("--spirv-ext={}", options.backend_extensions()))
            .args(["-", "-o", "-"])
    }

    fn write(
        &self,
        bitcode: &[u8],
        options: &SpirvOptions,
        origin: &str,
        kernels: &[String],
    ) -> Result<Vec<u8>, TranslateError> {
        let fail = |reason| TranslateError::inside(self.name(), origin, kernels, reason);
        let context = llvm::context_without_names();
        let module = read::module(&context, bitcode, origin).map_err(|e| fail(e.to_string()))?;
        let finish = || {
            legalise::legalise(&module)?;
            // As every compiler does that has the back end behind it: what is marked so has no function.
            passes::run(&module, "always-inline")
        };
        let (triple, extensions) = (options.backend_triple(), options.backend_extensions());
        let made = llvm::spirv::generate(&module, &triple, &extensions, finish);
        made.map_err(|failure| match failure {
            Failure::Finish(error) => fail(error.to_string()),
            Failure::Generate(reason) => fail(reason),
        })
    }

    fn mend(&self, spirv: Vec<u8>) -> Vec<u8> {
        spirv_words::mend_back_end(spirv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::write;
    use crate::translate::spirv::translate;

    #[test]
    fn it_is_found_where_the_back_end_is() {
        assert_eq!(Internal::find().is_ok(), llvm::spirv::is_there());
    }

    #[test]
    #[cfg_attr(
        feature = "llvm19",
        ignore = "skipped: the LLVM inside has no SPIR-V back end"
    )]
    fn what_is_left_to_do_is_done_within() {
        let writer = Internal::find().unwrap();
        let text = "target triple = \"spir64-unknown-unknown\"\n\
                    declare i8 @llvm.bitreverse.i8(i8)\n\
                    define spir_kernel void @k(ptr addrspace(1) %p, i8 %x) {\n\
                      %a = call i8 @llvm.bitreverse.i8(i8 %x)\n\
                      %b = zext i8 %a to i40\n  %c = mul i40 %b, 77\n\
                      %d = lshr i40 %c, 3\n  %r = trunc i40 %d to i8\n\
                      store i8 %r, ptr addrspace(1) %p\n  ret void\n}\n";
        let context = llvm::context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        let bitcode = write::bitcode(&module);
        let options = SpirvOptions::default();
        let made = translate(&*writer, &bitcode, &options, "a.bc", &[]).unwrap();
        assert_eq!(made[4..8], [0, 2, 1, 0]);
        let refused = "define void @f(ptr %p) {\n  store atomic i24 0, ptr %p seq_cst, align 4\n  ret void\n}\n";
        let module = read::module(&context, refused.as_bytes(), "b.ll").unwrap();
        let bitcode = write::bitcode(&module);
        let error = translate(&*writer, &bitcode, &options, "b.bc", &["k".to_owned()]);
        let error = error.unwrap_err().to_string();
        assert!(error.contains("b.bc (kernels: k)"), "{error}");
        assert!(error.contains("i24"), "{error}");
    }
}
