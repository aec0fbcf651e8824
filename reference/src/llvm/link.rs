//! LLVM's module linker.

use inkwell::module::Module;

use super::{LlvmError, diagnostics, identifier, shim};

/// What to take from the module that is linked in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Everything.
    All,
    /// Only what the destination refers to, and what that needs in turn.
    OnlyNeeded,
}

/// Links `from` into `into`; both live in one context.
///
/// # Errors
/// [`LlvmError::Link`] with the linker's reason; `into` is not to be used then.
pub fn link<'ctx>(into: &Module<'ctx>, from: Module<'ctx>, take: Take) -> Result<(), LlvmError> {
    let origin = identifier(&from);
    let source = from.as_mut_ptr();
    // The linker frees the module that it links in.
    std::mem::forget(from);
    // SAFETY: both modules are valid and of one context; `source` is not used afterwards.
    let failed = unsafe {
        let only_needed = i32::from(take == Take::OnlyNeeded);
        shim::plumbline_link_modules(into.as_mut_ptr(), source, only_needed) != 0
    };
    match diagnostics::take_errors() {
        None if !failed => Ok(()),
        reason => Err(LlvmError::Link {
            origin,
            reason: reason.unwrap_or_else(|| "no reason given".to_owned()),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    #[test]
    fn only_what_is_needed_comes_along() {
        let context = context();
        let read = |text: &str, name| read::module(&context, text.as_bytes(), name).unwrap();
        let main = "declare void @a()\ndefine void @k() {\n  call void @a()\n  ret void\n}\n";
        let library = "define void @a() {\n  ret void\n}\ndefine void @b() {\n  ret void\n}\n";
        let module = read(main, "main.ll");
        link(&module, read(library, "lib.ll"), Take::OnlyNeeded).unwrap();
        let text = write::text(&module);
        assert!(
            text.contains("define void @a()") && !text.contains("@b"),
            "{text}"
        );
    }

    #[test]
    fn a_symbol_defined_twice_is_an_error_that_names_it() {
        let context = context();
        let text = "define void @twice() {\n  ret void\n}\n";
        let read = |name| read::module(&context, text.as_bytes(), name).unwrap();
        let error = link(&read("one.ll"), read("two.ll"), Take::All)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("two.ll") && error.contains("twice"),
            "{error}"
        );
    }
}
