//! LLVM's own ThinLTO link (`lto::LTO`), up to where it would generate code: each module is optimized
//! once, with what it imports by LLVM's thresholds, and comes back as bitcode with a summary.

use std::collections::HashMap;
use std::ffi::{c_char, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Mutex, PoisonError};

use offload_formats::Bytes;

use super::{LlvmError, c_string, diagnostics, shim, take_message};

/// What the link is told of a symbol that a module defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Resolution {
    /// This definition is the one that counts.
    pub prevailing: bool,
    /// Something beside the modules of the link may refer to it.
    pub visible: bool,
}

/// A link that modules are added to, over their bytes.
#[derive(Debug)]
pub struct Link<'b> {
    raw: Raw,
    bytes: PhantomData<&'b [u8]>,
}

/// LLVM's side of it.
#[derive(Debug)]
struct Raw(*mut c_void);

impl<'b> Link<'b> {
    /// A link for a target, with so many threads at most.
    #[must_use]
    pub fn new(triple: &str, jobs: usize) -> Self {
        let triple = c_string(triple);
        let jobs = c_uint::try_from(jobs).unwrap_or(c_uint::MAX);
        Link {
            // SAFETY: the text outlives the call; what it makes is freed when this is dropped.
            raw: Raw(unsafe { shim::plumbline_lto_create(triple.as_ptr(), jobs) }),
            bytes: PhantomData,
        }
    }

    /// Adds a module in bitcode with a summary, under a name that no other one has; errors name `origin`. The
    /// summary must be true of the module, as [`thin::bitcode`](super::thin::bitcode)
    /// makes it: LLVM trusts it, on threads that no crash can be kept in.
    ///
    /// # Errors
    /// [`LlvmError::Read`] with LLVM's reason.
    pub fn add(
        &mut self,
        name: &str,
        origin: &str,
        bytes: &'b [u8],
        mut resolve: impl FnMut(&str) -> Resolution,
    ) -> Result<(), LlvmError> {
        let name_text = c_string(name);
        let (mut message, mut crashed) = (ptr::null_mut(), 0);
        let mut resolve: &mut dyn FnMut(&str) -> Resolution = &mut resolve;
        let state = (&raw mut resolve).cast();
        // SAFETY: the link is valid and nobody else's now; the bytes outlive it, and the closure the call.
        let added = diagnostics::reading(origin, || unsafe {
            shim::plumbline_lto_add(
                self.raw.0,
                name_text.as_ptr(),
                bytes.as_ptr().cast(),
                bytes.len(),
                state,
                resolution,
                &mut message,
                &mut crashed,
            )
        });
        if crashed != 0 {
            diagnostics::end_reading(origin);
        }
        if added != 0 {
            return Ok(());
        }
        Err(LlvmError::Read {
            origin: origin.to_owned(),
            // SAFETY: LLVM's message, ours now.
            reason: unsafe { take_message(message) },
        })
    }

    /// Links. What `kept` has under a module's key, which is LLVM's, is taken for what would become of the
    /// module; [`Optimized::key`] tells the keys of the others. `hold` is given what becomes of a module, and
    /// says where that is kept.
    ///
    /// # Errors
    /// [`LlvmError::Link`] with all that LLVM has to say.
    pub fn run(self, kept: Option<&Kept<'_>>, hold: &Hold<'_>) -> Result<Optimized, LlvmError> {
        let (mut message, mut crashed) = (ptr::null_mut(), 0);
        let keeper = Keeper::new(kept, hold);
        let (state, look) = (keeper.state(), kept.map(|_| look as shim::Look));
        let link = self.raw.0;
        // SAFETY: the link is valid and nobody else's; the keeper, which threads may share, outlives the call.
        let done =
            unsafe { shim::plumbline_lto_run(link, state, look, take, &mut message, &mut crashed) };
        Link::done(done, message, "ThinLTO").map(|()| keeper.optimized())
    }

    /// Writes, under the folder `into` and each module's name, the index that the module needs
    /// (`.thinlto.bc`) and the list of the modules that it imports from (`.imports`).
    ///
    /// # Errors
    /// [`LlvmError::Link`] with all that LLVM has to say.
    pub fn write_indexes(self, into: &str) -> Result<(), LlvmError> {
        let (mut message, mut crashed) = (ptr::null_mut(), 0);
        let into = c_string(into);
        // SAFETY: the link is valid and nobody else's; the text outlives the call.
        let done = unsafe {
            let (into, link) = (into.as_ptr(), self.raw.0);
            shim::plumbline_lto_write_indexes(link, into, &mut message, &mut crashed)
        };
        Link::done(done, message, "the index of ThinLTO")
    }

    /// Does the work of the module `name` alone, by the index that was written for it; the modules that it
    /// imports from were added too. Errors name the file of the index.
    ///
    /// # Errors
    /// [`LlvmError::Link`] with all that LLVM has to say.
    pub fn back_end(self, name: &str, file: &str, index: &[u8]) -> Result<Optimized, LlvmError> {
        let (mut message, mut crashed) = (ptr::null_mut(), 0);
        let text = c_string(name);
        let keeper = Keeper::new(None, &Bytes::copy_from_slice);
        // SAFETY: the link is valid and nobody else's; name, index and keeper outlive the call.
        let done = diagnostics::reading(file, || unsafe {
            shim::plumbline_lto_back_end(
                self.raw.0,
                text.as_ptr(),
                index.as_ptr().cast(),
                index.len(),
                keeper.state(),
                take,
                &mut message,
                &mut crashed,
            )
        });
        if crashed != 0 {
            diagnostics::end_reading(file);
        }
        Link::done(done, message, file).map(|()| keeper.optimized())
    }

    fn done(done: i32, message: *mut c_char, origin: &str) -> Result<(), LlvmError> {
        let reason = match done {
            // SAFETY: LLVM's message, ours now.
            0 if !message.is_null() => unsafe { take_message(message) },
            0 if diagnostics::ran_out() => "out of memory".to_owned(),
            0 => "LLVM crashes on it".to_owned(),
            _ => return Ok(()),
        };
        Err(LlvmError::Link {
            origin: origin.to_owned(),
            reason,
        })
    }
}

/// What was made before: the module under a key. Several threads ask at once.
pub type Kept<'k> = dyn Fn(&str) -> Option<Bytes> + Sync + 'k;

/// Where what became of a module is kept. Several threads ask at once.
pub type Hold<'k> = dyn Fn(&[u8]) -> Bytes + Sync + 'k;

impl Drop for Raw {
    fn drop(&mut self) {
        // SAFETY: made in `Link::new` and freed nowhere else.
        unsafe { shim::plumbline_lto_dispose(self.0) }
    }
}

/// What a link made of its modules.
#[derive(Debug, Default)]
pub struct Optimized {
    modules: HashMap<String, Bytes>,
    /// Of those that were not kept already.
    keys: HashMap<String, String>,
}

impl Optimized {
    /// What became of the module that was added under a name.
    ///
    /// # Errors
    /// [`LlvmError::Link`] when nothing did.
    pub fn module(&self, name: &str) -> Result<&[u8], LlvmError> {
        let found = self.modules.get(name);
        found.map(|bytes| &**bytes).ok_or_else(|| LlvmError::Link {
            origin: name.to_owned(),
            reason: "ThinLTO made nothing of it".to_owned(),
        })
    }

    /// The key under which that can be kept; none when it was kept already.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&str> {
        self.keys.get(name).map(String::as_str)
    }
}

/// What LLVM's threads ask while a link runs, and hand over.
struct Keeper<'k> {
    kept: Option<&'k Kept<'k>>,
    hold: &'k Hold<'k>,
    optimized: Mutex<Optimized>,
}

impl<'k> Keeper<'k> {
    fn new(kept: Option<&'k Kept<'k>>, hold: &'k Hold<'k>) -> Self {
        Keeper {
            kept,
            hold,
            optimized: Mutex::default(),
        }
    }

    /// As LLVM hands it on.
    fn state(&self) -> *mut c_void {
        ptr::from_ref(self).cast_mut().cast()
    }

    fn change(&self, change: impl FnOnce(&mut Optimized)) {
        change(
            &mut self
                .optimized
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn optimized(self) -> Optimized {
        let optimized = self.optimized.into_inner();
        optimized.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks the keeper behind `state` for what is kept under a key; true when there is something, which the module
/// of a name becomes.
extern "C" fn look(
    state: *mut c_void,
    key: *const c_char,
    key_length: usize,
    name: *const c_char,
    name_length: usize,
) -> u8 {
    // SAFETY: `state` is what `Link::run` gave; LLVM's texts are as long as said.
    let (keeper, key, name) = unsafe {
        let keeper = &*state.cast::<Keeper<'_>>();
        (keeper, text(key, key_length), text(name, name_length))
    };
    let kept = keeper.kept.and_then(|kept| kept(&key));
    let is_kept = kept.is_some();
    keeper.change(|optimized| match kept {
        Some(bytes) => drop(optimized.modules.insert(name, bytes)),
        None => drop(optimized.keys.insert(name, key)),
    });
    is_kept.into()
}

/// Hands what became of the module of a name to the keeper behind `state`.
extern "C" fn take(
    state: *mut c_void,
    name: *const c_char,
    name_length: usize,
    bytes: *const c_char,
    length: usize,
) {
    // SAFETY: `state` is what the link was given; LLVM's text and bytes are as long as said.
    let (keeper, name, bytes) = unsafe {
        let keeper = &*state.cast::<Keeper<'_>>();
        let bytes = std::slice::from_raw_parts(bytes.cast::<u8>(), length);
        (keeper, text(name, name_length), bytes)
    };
    let held = (keeper.hold)(bytes);
    keeper.change(|optimized| drop(optimized.modules.insert(name, held)));
}

/// A text of LLVM's.
///
/// # Safety
/// It is as long as said.
unsafe fn text(start: *const c_char, length: usize) -> String {
    // SAFETY: by contract.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Asks the closure behind `state` of a symbol: bit 0 prevailing, bit 1 visible.
extern "C" fn resolution(state: *mut c_void, name: *const c_char, length: usize) -> u8 {
    // SAFETY: `state` is what `Link::add` gave, and the name is as long as said; an empty one may have
    // no place.
    unsafe {
        let resolve = &mut *state.cast::<&mut dyn FnMut(&str) -> Resolution>();
        let name: &[u8] = match name.is_null() {
            true => &[],
            false => std::slice::from_raw_parts(name.cast::<u8>(), length),
        };
        let found = resolve(&String::from_utf8_lossy(name));
        u8::from(found.prevailing) | u8::from(found.visible) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, thin, write};

    const USER: &str = r#"
        source_filename = "user.cpp"
        target triple = "spir64-unknown-unknown"
        declare spir_func i32 @small(i32)
        declare spir_func i32 @other(i32)
        define spir_kernel void @k(ptr addrspace(1) %p) {
          %v = call spir_func i32 @small(i32 1)
          %w = call spir_func i32 @other(i32 %v)
          store i32 %w, ptr addrspace(1) %p
          ret void
        }
        define linkonce_odr spir_func void @unused() noinline { ret void }
    "#;
    const DEFINER: &str = r#"
        source_filename = "definer.cpp"
        target triple = "spir64_gen-unknown-unknown"
        define spir_func i32 @small(i32 %x) {
          %r = call spir_func i32 @local(i32 %x)
          ret i32 %r
        }
        define spir_func i32 @other(i32 %x) noinline {
          %r = call spir_func i32 @local(i32 %x)
          ret i32 %r
        }
        define internal spir_func i32 @local(i32 %x) noinline {
          %r = mul i32 %x, 77
          ret i32 %r
        }
    "#;

    fn held(bytes: &[u8]) -> Bytes {
        Bytes::copy_from_slice(bytes)
    }

    fn linked(units: &[&str], kept: &[&str]) -> Vec<String> {
        let context = context();
        let units = bitcode(units);
        let mut link = Link::new("spir64-unknown-unknown", 2);
        let mut seen = std::collections::HashSet::new();
        for (number, unit) in units.iter().enumerate() {
            let resolve = |symbol: &str| Resolution {
                prevailing: seen.insert(symbol.to_owned()),
                visible: kept.contains(&symbol),
            };
            link.add(&number.to_string(), "a.bc", unit, resolve)
                .unwrap();
        }
        let optimized = link.run(None, &held).unwrap();
        let text = |number: usize| {
            let bytes = optimized.module(&number.to_string()).unwrap();
            let module = read::module(&context, bytes, "a.bc").unwrap();
            write::verify(&module).unwrap();
            write::text(&module)
        };
        (0..units.len()).map(text).collect()
    }

    #[test]
    fn each_module_is_optimized_once_with_what_it_imports() {
        let linked = linked(&[USER, DEFINER], &["k"]);
        let [user, definer] = &linked[..] else {
            panic!("two modules");
        };
        // What is small is inlined; what is not comes in no other way than by its name.
        assert!(!user.contains("@small"), "{user}");
        assert!(user.contains("declare spir_func i32 @other"), "{user}");
        assert!(!user.contains("@unused"), "{user}");
        // What it calls is promoted, so that others can refer to it.
        assert!(definer.contains("i32 @local.llvm."), "{definer}");
        assert!(user.contains("i32 @local.llvm."), "{user}");
    }

    /// The units, and a link that they are added to.
    fn bitcode(units: &[&str]) -> Vec<Vec<u8>> {
        let context = context();
        let bytes = |text: &&str| {
            let module = read::module(&context, text.as_bytes(), "a.ll").unwrap();
            thin::bitcode(&module).unwrap()
        };
        units.iter().map(bytes).collect()
    }

    fn link<'b>(units: &'b [Vec<u8>], names: &[&str]) -> Link<'b> {
        let mut link = Link::new("spir64-unknown-unknown", 2);
        for (unit, name) in units.iter().zip(names) {
            let resolve = |symbol: &str| Resolution {
                prevailing: true,
                visible: symbol == "k",
            };
            link.add(name, name, unit, resolve).unwrap();
        }
        link
    }

    #[test]
    fn a_process_of_its_own_makes_the_same_of_a_module() {
        let units = bitcode(&[USER, DEFINER]);
        let names = ["0.bc", "1.bc"];
        let whole = link(&units, &names).run(None, &held).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().to_str().unwrap();
        link(&units, &names).write_indexes(into).unwrap();
        let list = std::fs::read_to_string(folder.path().join("0.bc.imports")).unwrap();
        assert_eq!(list, "1.bc\n");
        for name in names {
            let index = std::fs::read(folder.path().join(format!("{name}.thinlto.bc"))).unwrap();
            let alone = link(&units, &names)
                .back_end(name, "a.thinlto.bc", &index)
                .unwrap();
            assert!(
                alone.module(name).unwrap() == whole.module(name).unwrap(),
                "{name}"
            );
        }
    }

    #[test]
    fn a_broken_index_is_an_error() {
        let units = bitcode(&[USER, DEFINER]);
        let names = ["0.bc", "1.bc"];
        let cut = &units[1][..units[1].len() / 2];
        for index in [&b"BC\xc0\xde broken"[..], b"", cut] {
            let made = link(&units, &names).back_end("0.bc", "a.thinlto.bc", index);
            let error = made.unwrap_err().to_string();
            assert!(error.contains("'a.thinlto.bc'"), "{error}");
        }
        let unknown = link(&units, &names).back_end("2.bc", "a.thinlto.bc", &units[0]);
        assert!(unknown.is_err());
    }

    #[test]
    fn what_was_kept_is_taken_and_the_rest_has_keys() {
        let units = bitcode(&[USER, DEFINER]);
        let names = ["0.bc", "1.bc"];
        let none = |_: &str| None;
        let first = link(&units, &names).run(Some(&none), &held).unwrap();
        let key = first.key("0.bc").unwrap().to_owned();
        let other = first.key("1.bc").unwrap();
        assert_ne!(key, other);
        let one = |wanted: &str| (wanted == key).then(|| Bytes::from_static(b"kept"));
        let second = link(&units, &names).run(Some(&one), &held).unwrap();
        assert_eq!(second.module("0.bc").unwrap(), b"kept");
        assert_eq!(second.key("0.bc"), None);
        assert_eq!(second.key("1.bc"), Some(other));
    }

    #[test]
    fn one_definition_stays_of_several() {
        let unit = |number: u32| {
            format!(
                "source_filename = \"{number}.cpp\"\n\
                 target triple = \"spir64-unknown-unknown\"\n\
                 define weak_odr spir_kernel void @shared(ptr addrspace(1) %p) {{\n\
                   store i32 {number}, ptr addrspace(1) %p\n ret void\n}}\n"
            )
        };
        let linked = linked(&[&unit(1), &unit(2)], &["shared"]);
        assert!(linked[0].contains("void @shared("), "{}", linked[0]);
        assert!(!linked[1].contains("@shared"), "{}", linked[1]);
    }

    #[test]
    fn broken_bitcode_is_an_error_that_names_the_module() {
        let mut link = Link::new("spir64-unknown-unknown", 1);
        let added = link.add("0", "a.bc", b"BC\xc0\xde broken", |_| Resolution::default());
        let error = added.unwrap_err().to_string();
        assert!(error.starts_with("'a.bc': "), "{error}");
    }
}
