//! ThinLTO: modules with a summary, the index over all summaries, and the import of definitions
//! from one module into another.

use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_void};
use std::marker::PhantomData;
use std::ptr;

use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};
use inkwell::targets::TargetData;

use super::{LlvmError, attributes, c_string, diagnostics, identifier, passes, shim};
use super::{take_message, values};

/// The data layouts that clang gives to device code; LLVM's link takes no module without one.
const SPIR_LAYOUT: &str =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";
const PTX_LAYOUT: &str = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

/// The module as bitcode with a summary of its globals, all of which get a name. One that came without a
/// data layout gets its target's.
///
/// # Errors
/// When LLVM refuses its own passes.
pub fn bitcode(module: &Module<'_>) -> Result<Vec<u8>, LlvmError> {
    if module.get_data_layout().as_str().is_empty() {
        let layout = match module.get_triple().as_str().to_bytes() {
            [b'n', b'v', ..] => PTX_LAYOUT,
            _ => SPIR_LAYOUT,
        };
        module.set_data_layout(&TargetData::create(layout).get_data_layout());
    }
    passes::run(module, "canonicalize-aliases,name-anon-globals")?;
    // SAFETY: the module is valid; the buffer is ours.
    let buffer = unsafe { MemoryBuffer::new(shim::plumbline_thin_bitcode(module.as_mut_ptr())) };
    Ok(buffer.as_slice().to_vec())
}

/// Whether bitcode comes with a summary.
///
/// # Errors
/// [`LlvmError::Read`] with LLVM's reason.
pub fn has_summary(bytes: &[u8], origin: &str) -> Result<bool, LlvmError> {
    guarded(origin, |message, crashed| {
        // SAFETY: the bytes outlive the call.
        unsafe {
            let start = bytes.as_ptr().cast();
            shim::plumbline_thin_has_summary(start, bytes.len(), message, crashed)
        }
    })
    .map_err(|reason| read_error(origin, reason))
}

/// Summaries of modules, each under a name of its own.
#[derive(Debug)]
pub struct Summaries<'b> {
    index: *mut c_void,
    bytes: PhantomData<&'b [u8]>,
}

impl<'b> Summaries<'b> {
    /// None yet.
    #[must_use]
    pub fn new() -> Self {
        Summaries {
            // SAFETY: what it makes is freed when this is dropped.
            index: unsafe { shim::plumbline_thin_create() },
            bytes: PhantomData,
        }
    }

    /// Adds the summary of a module in bitcode; false when it comes with none.
    ///
    /// # Errors
    /// [`LlvmError::Read`] with LLVM's reason.
    pub fn add(&mut self, name: &str, bytes: &'b [u8], origin: &str) -> Result<bool, LlvmError> {
        let name = c_string(name);
        guarded(origin, |message, crashed| {
            let (start, length) = (bytes.as_ptr().cast(), bytes.len());
            // SAFETY: the index is valid and nobody else's now; the bytes outlive it.
            unsafe {
                shim::plumbline_thin_add(self.index, name.as_ptr(), start, length, message, crashed)
            }
        })
        .map_err(|reason| read_error(origin, reason))
    }

    /// The thin link: from now on each module can import from all others.
    #[must_use]
    pub fn link(self) -> Index<'b> {
        // SAFETY: the index is valid and nobody else's now.
        unsafe { shim::plumbline_thin_link(self.index) };
        Index(self)
    }
}

impl Default for Summaries<'_> {
    fn default() -> Self {
        Summaries::new()
    }
}

impl Drop for Summaries<'_> {
    fn drop(&mut self) {
        // SAFETY: made in `new` and freed nowhere else.
        unsafe { shim::plumbline_thin_dispose(self.index) }
    }
}

/// All summaries, by which a module imports from the others what it lacks. Definitions that another
/// module may replace (weak ones, but for those that C++ promises to be the same everywhere) are imported
/// where they are known to be the ones that count.
#[derive(Debug)]
pub struct Index<'b>(Summaries<'b>);

// SAFETY: after the thin link the index is read and never changed; what it refers to is bytes.
unsafe impl Sync for Index<'_> {}

impl Index<'_> {
    /// Brings into a module what it imports, and what that needs in turn; all of it is the module's
    /// own then, invisible from outside, save device globals, which the host finds by name, and the symbols in
    /// `open`, which it gives: definitions that are to serve what is linked next, until they are
    /// [closed](Self::close). Of the symbols in `weak` a definition counts that another one could replace; those in
    /// `elsewhere` are not imported.
    ///
    /// # Errors
    /// [`LlvmError::Import`] with LLVM's reason.
    pub fn import(
        &self,
        name: &str,
        module: &Module<'_>,
        weak: &BTreeSet<String>,
        elsewhere: &BTreeSet<String>,
        open: &BTreeSet<&str>,
    ) -> Result<Vec<String>, LlvmError> {
        let origin = identifier(module);
        let name: CString = c_string(name);
        let texts = [weak, elsewhere].map(|symbols| {
            let texts = symbols.iter().map(|symbol| c_string(symbol));
            texts.collect::<Vec<CString>>()
        });
        let [weak, elsewhere] = texts.each_ref().map(|texts| {
            let pointers = texts.iter().map(|text| text.as_ptr());
            pointers.collect::<Vec<*const c_char>>()
        });
        let imported = guarded(&origin, |message, crashed| {
            let (index, module) = (self.0.index, module.as_mut_ptr());
            // SAFETY: the index is only read; the module is valid, its context is this thread's, and the
            // texts outlive the call.
            unsafe {
                shim::plumbline_thin_import(
                    index,
                    name.as_ptr(),
                    module,
                    weak.as_ptr(),
                    weak.len(),
                    elsewhere.as_ptr(),
                    elsewhere.len(),
                    message,
                    crashed,
                )
            }
        });
        imported.map_err(|reason| LlvmError::Import { origin, reason })?;
        let mut opened = Vec::new();
        for global in values::globals(module) {
            if global.get_linkage() == Linkage::AvailableExternally {
                let name = values::name(global);
                let shared = attributes::of_variable(global, "sycl-unique-id").is_some();
                let is_open = !shared && open.contains(&*name);
                global.set_linkage(match shared || is_open {
                    true => Linkage::External,
                    false => Linkage::Internal,
                });
                opened.extend(is_open.then_some(name));
            }
        }
        Ok(opened)
    }

    /// Makes definitions that [`Self::import`] left open the module's own.
    pub fn close(module: &Module<'_>, opened: &[String]) {
        for symbol in opened {
            let function = module.get_function(symbol).map(|f| f.as_global_value());
            if let Some(global) = function.or_else(|| module.get_global(symbol)) {
                global.set_linkage(Linkage::Internal);
            }
        }
    }
}

/// Runs what reads bytes from outside; its answer, or what went wrong.
fn guarded(
    origin: &str,
    work: impl FnOnce(*mut *mut c_char, *mut i32) -> u8,
) -> Result<bool, String> {
    let (mut message, mut crashed) = (ptr::null_mut(), 0);
    let answer = diagnostics::reading(origin, || work(&mut message, &mut crashed));
    if crashed != 0 {
        diagnostics::end_reading(origin);
    }
    if !message.is_null() {
        // SAFETY: LLVM's message, ours now.
        return Err(unsafe { take_message(message) });
    }
    match diagnostics::take_errors() {
        Some(reason) => Err(reason),
        None => Ok(answer != 0),
    }
}

fn read_error(origin: &str, reason: String) -> LlvmError {
    LlvmError::Read {
        origin: origin.to_owned(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    const USER: &str = r#"
        source_filename = "user.cpp"
        target triple = "spir64-unknown-unknown"
        declare spir_func i32 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32)
        declare spir_func i32 @shared(i32)
        define spir_kernel void @k(ptr addrspace(1) %p) {
          %i = call spir_func i32 @_Z33__spirv_BuiltInGlobalInvocationIdi(i32 0)
          %v = call spir_func i32 @shared(i32 %i)
          store i32 %v, ptr addrspace(1) %p
          ret void
        }
    "#;

    /// A unit that defines `@shared`, which needs a local function that others have by that name.
    fn definer(linkage: &str, number: u32) -> String {
        format!(
            r#"
            source_filename = "definer.cpp"
            target triple = "spir64-unknown-unknown"
            @table = internal constant [2 x i32] [i32 {number}, i32 7]
            define {linkage} spir_func i32 @shared(i32 %x) noinline {{
              %r = call spir_func i32 @local(i32 %x)
              ret i32 %r
            }}
            define internal spir_func i32 @local(i32 %x) noinline {{
              %a = getelementptr [2 x i32], ptr @table, i32 0, i32 %x
              %r = load i32, ptr %a
              ret i32 %r
            }}
            "#
        )
    }

    fn thin(text: &str) -> Vec<u8> {
        let context = context();
        let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
        bitcode(&module).unwrap()
    }

    /// The first of `units` after its imports.
    fn imported(units: &[&str]) -> String {
        imported_with(units, &[])
    }

    /// The same where weak definitions count.
    fn imported_with(units: &[&str], weak: &[&str]) -> String {
        let units: Vec<_> = units.iter().map(|text| thin(text)).collect();
        let mut summaries = Summaries::new();
        for (number, unit) in units.iter().enumerate() {
            assert!(summaries.add(&number.to_string(), unit, "a.bc").unwrap());
        }
        let index = summaries.link();
        let context = context();
        let module = read::module(&context, &units[0], "a.bc").unwrap();
        let weak = weak.iter().map(|&symbol| symbol.to_owned()).collect();
        let none = (BTreeSet::new(), BTreeSet::new());
        index.import("0", &module, &weak, &none.0, &none.1).unwrap();
        write::verify(&module).unwrap();
        write::text(&module)
    }

    #[test]
    fn definitions_come_in_with_what_they_need() {
        let text = imported(&[USER, &definer("", 5)]);
        assert!(
            text.contains("define internal spir_func i32 @shared"),
            "{text}"
        );
        assert!(text.contains("[i32 5, i32 7]"), "{text}");
        assert_eq!(text.matches("declare").count(), 1, "{text}");
    }

    #[test]
    fn a_local_function_comes_from_the_module_that_calls_it() {
        // The unit that imports has one of the same name from the same source: two images of it.
        let own = USER.replace("user.cpp", "definer.cpp").replace(
            "ret void",
            "%o = call spir_func i32 @local(i32 %v)\n store i32 %o, ptr addrspace(1) %p\n ret void",
        );
        let own = format!(
            "{own}\n define internal spir_func i32 @local(i32 %x) noinline {{ ret i32 77 }}"
        );
        let text = imported(&[&own, &definer("", 5)]);
        for part in ["ret i32 77", "[i32 5, i32 7]"] {
            assert!(text.contains(part), "{text}");
        }
        assert_eq!(text.matches("declare").count(), 1, "{text}");
    }

    #[test]
    fn functions_that_are_only_pointed_to_come_in_too() {
        let text = USER.replace(
            "ret void",
            "store ptr @shared, ptr addrspace(1) %p\n ret void",
        );
        let pointed = text.replace(
            "%v = call spir_func i32 @shared(i32 %i)",
            "%v = add i32 1, 1",
        );
        let text = imported(&[&pointed, &definer("", 5)]);
        assert!(
            text.contains("define internal spir_func i32 @shared"),
            "{text}"
        );
    }

    #[test]
    fn of_several_definitions_one_comes_in() {
        for linkage in ["", "weak_odr", "linkonce_odr"] {
            let text = imported(&[USER, &definer(linkage, 5), &definer(linkage, 6)]);
            assert_eq!(text.matches("declare").count(), 1, "{linkage}: {text}");
            assert_eq!(text.matches("[2 x i32] [").count(), 1, "{linkage}: {text}");
        }
    }

    #[test]
    fn what_may_be_replaced_stays_outside() {
        let text = imported(&[USER, &definer("weak", 5)]);
        assert!(text.contains("declare spir_func i32 @shared"), "{text}");
        // Unless it is known to be the one that counts, whatever else there is.
        let text = imported_with(&[USER, &definer("", 6), &definer("weak", 5)], &["shared"]);
        assert!(
            text.contains("define internal spir_func i32 @shared"),
            "{text}"
        );
        assert!(text.contains("[i32 5, i32 7]"), "{text}");
    }

    #[test]
    fn bitcode_without_a_summary_is_told_and_broken_one_is_an_error() {
        let context = context();
        let module = read::module(&context, USER.as_bytes(), "a.ll").unwrap();
        let plain = write::bitcode(&module);
        assert!(!has_summary(&plain, "a.bc").unwrap());
        assert!(!Summaries::new().add("0", &plain, "a.bc").unwrap());
        let thin = thin(USER);
        assert!(has_summary(&thin, "a.bc").unwrap());
        for cut in [0, 4, 64, thin.len() / 2] {
            let mut summaries = Summaries::new();
            let error = summaries
                .add("0", &thin[..cut], "a.bc")
                .unwrap_err()
                .to_string();
            assert!(error.starts_with("'a.bc': "), "{error}");
        }
    }
}
