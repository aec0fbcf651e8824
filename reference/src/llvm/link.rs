//! LLVM's module linker.

use std::ffi::c_void;

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

/// Adds modules to one.
///
/// It keeps a table of the types of the module that it adds to; a new linker each time would look
/// through all of that module again.
pub struct Linker<'a, 'ctx> {
    into: &'a Module<'ctx>,
    linker: *mut c_void,
}

impl<'a, 'ctx> Linker<'a, 'ctx> {
    /// A linker that adds to `into`.
    #[must_use]
    pub fn new(into: &'a Module<'ctx>) -> Self {
        // SAFETY: the module is valid, and outlives the linker by the borrow.
        let linker = unsafe { shim::plumbline_linker_create(into.as_mut_ptr()) };
        Linker { into, linker }
    }

    /// The module that is added to.
    #[must_use]
    pub fn module(&self) -> &'a Module<'ctx> {
        self.into
    }

    /// Links `from` in; both modules live in one context. Of a lazily read module, only the bodies
    /// that are taken are read.
    ///
    /// # Errors
    /// [`LlvmError::Link`] with the linker's reason; the module is not to be used then.
    pub fn add(&mut self, from: Module<'ctx>, take: Take) -> Result<(), LlvmError> {
        let origin = identifier(&from);
        let source = from.as_mut_ptr();
        // The linker frees the module that it links in.
        std::mem::forget(from);
        let only_needed = i32::from(take == Take::OnlyNeeded);
        let mut crashed = 0;
        // SAFETY: the linker and both modules are valid, the modules of one context; `source` is
        // not used afterwards.
        let failed = diagnostics::reading(&origin, || unsafe {
            shim::plumbline_linker_add(self.linker, source, only_needed, &mut crashed) != 0
        });
        if crashed != 0 {
            diagnostics::end_reading(&origin);
        }
        match diagnostics::take_errors() {
            None if !failed => Ok(()),
            reason => Err(LlvmError::Link {
                origin,
                reason: reason.unwrap_or_else(|| "no reason given".to_owned()),
            }),
        }
    }
}

impl Drop for Linker<'_, '_> {
    fn drop(&mut self) {
        // SAFETY: made in `new` and freed nowhere else.
        unsafe { shim::plumbline_linker_dispose(self.linker) }
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
        let mut linker = Linker::new(&module);
        linker
            .add(read(library, "lib.ll"), Take::OnlyNeeded)
            .unwrap();
        drop(linker);
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
        let module = read("one.ll");
        let error = Linker::new(&module)
            .add(read("two.ll"), Take::All)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("two.ll") && error.contains("twice"),
            "{error}"
        );
    }
}
