//! The C interface of `include/sycl/detail/abi.h`.
//!
//! Thin: each function turns C values into the runtime's, calls it, and turns the outcome into a
//! number. Handles are raw pointers to what `Arc` holds, or to devices and platforms that live as
//! long as the process. A panic never crosses into C++.

mod bundles;
pub mod codes;
mod commands;
mod discovery;
mod foreign;
mod interop;
mod memory;
mod queues;
#[cfg(feature = "seeded-errors")]
mod seeded;
mod sources;

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char};
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::event::{Event, Watched};

thread_local! {
    static REASON: RefCell<CString> = RefCell::default();
    static OPENCL: Cell<i32> = const { Cell::new(0) };
}

/// What objects refer to that were compiled with headers of the same interface.
#[unsafe(export_name = "plumbline_headers_and_runtime_differ_8d3f2b12")]
pub static INTERFACE: u8 = 0;

/// Runs the body of a C function: 0, or the failure's kind with its reason kept for
/// [`plsycl_error_message`].
fn answer(body: impl FnOnce() -> Result<()>) -> i32 {
    // What a panic leaves behind is behind locks that recover from it.
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let panicked = |_| Err(Error::new(Kind::Runtime, "the runtime failed in itself"));
    match outcome.unwrap_or_else(panicked) {
        Ok(()) => 0,
        Err(error) => keep(&error),
    }
}

/// Keeps the failure's reason for this thread and gives its number.
fn keep(error: &Error) -> i32 {
    let text = error.reason.replace('\0', " ");
    // Destructors of static objects use the interface when this is gone.
    let _ = REASON.try_with(|reason| reason.replace(CString::new(text).unwrap_or_default()));
    OPENCL.set(error.opencl);
    error.kind as i32
}

/// The reason of the last failure on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn plsycl_error_message() -> *const c_char {
    const NOT_KEPT: &CStr = c"a failure whose reason was not kept, as the thread ends";
    let reason = REASON.try_with(|reason| reason.borrow().as_ptr());
    reason.unwrap_or(NOT_KEPT.as_ptr())
}

/// OpenCL's number of the last failure on this thread; 0 where it was none of OpenCL's.
#[unsafe(no_mangle)]
pub extern "C" fn plsycl_error_of_opencl() -> i32 {
    OPENCL.get()
}

fn invalid(reason: &str) -> Error {
    Error::new(Kind::Invalid, reason)
}

/// Writes a result to where the caller wants it.
///
/// # Safety
/// `place` must be null or a place for a `T`.
unsafe fn give<T>(place: *mut T, value: T) -> Result<()> {
    if place.is_null() {
        return Err(invalid("a result was asked for with no place to put it"));
    }
    // SAFETY: the caller gives a place for a `T`.
    unsafe { place.write(value) };
    Ok(())
}

/// What a handle or record stands for.
///
/// # Safety
/// `pointer` must be null or stay good, and unchanged, for `'a`.
unsafe fn borrow<'a, T>(pointer: *const T) -> Result<&'a T> {
    // SAFETY: the caller gives a good pointer.
    unsafe { pointer.as_ref() }.ok_or_else(|| invalid("a null handle or record"))
}

/// One more owner of what a handle stands for.
///
/// # Safety
/// `pointer` must be null or come from `Arc::into_raw`, of an object that is alive.
unsafe fn share<T>(pointer: *const T) -> Result<Arc<T>> {
    if pointer.is_null() {
        return Err(invalid("a null handle"));
    }
    // SAFETY: the object is alive; the new owner is counted before it is made.
    unsafe {
        Arc::increment_strong_count(pointer);
        Ok(Arc::from_raw(pointer))
    }
}

/// What a handle stands for, as its owner has it.
type Lent<T> = ManuallyDrop<Arc<T>>;

/// What a handle stands for, as its owner has it, for who may become one more.
///
/// # Safety
/// `pointer` must be null or come from `Arc::into_raw`, of an object that is alive as long as the result.
unsafe fn lend<T>(pointer: *const T) -> Result<Lent<T>> {
    if pointer.is_null() {
        return Err(invalid("a null handle"));
    }
    // SAFETY: the object is alive; that it has one more owner is forgotten with the result.
    Ok(ManuallyDrop::new(unsafe { Arc::from_raw(pointer) }))
}

/// The handle of an event that a program gets.
fn handle(event: Watched) -> *const Watched {
    Arc::into_raw(Arc::new(event))
}

/// The handle of an event.
fn watched(event: Event) -> *const Watched {
    handle(Watched::of(event))
}

/// Items of an array; none when the pointer is null.
///
/// # Safety
/// `first` must be null or span `count` items that stay good for `'a`.
unsafe fn items<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: the caller gives a good span.
    unsafe { std::slice::from_raw_parts(first, count) }
}

/// The devices of an array of handles; they live as long as the process.
///
/// # Safety
/// `first` must be null or span `count` handles.
unsafe fn devices(first: *const *const Device, count: usize) -> Result<Vec<&'static Device>> {
    // SAFETY: as the caller says.
    let handles = unsafe { items(first, count) }.iter();
    // SAFETY: a device is never gone.
    handles.map(|each| unsafe { borrow(*each) }).collect()
}

/// Text of a C string.
///
/// # Safety
/// `pointer` must be null or a C string that stays good for `'a`.
unsafe fn text<'a>(pointer: *const c_char) -> Result<&'a str> {
    // SAFETY: as the caller says.
    let text = unsafe { c_string(pointer) }?;
    text.to_str()
        .map_err(|_| invalid("a string that is not UTF-8"))
}

/// A C string.
///
/// # Safety
/// `pointer` must be null or a C string that stays good for `'a`.
unsafe fn c_string<'a>(pointer: *const c_char) -> Result<&'a CStr> {
    if pointer.is_null() {
        return Err(invalid("a null string"));
    }
    // SAFETY: the caller gives a C string.
    Ok(unsafe { CStr::from_ptr(pointer) })
}

/// The `_retain` and `_release` functions of a reference-counted handle.
macro_rules! counted {
    ($object:ty, $retain:ident, $release:ident) => {
        /// One more owner.
        ///
        /// # Safety
        /// The handle must be null or alive.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $retain(object: *const $object) {
            if !object.is_null() {
                // SAFETY: the handle is alive.
                unsafe { std::sync::Arc::increment_strong_count(object) };
            }
        }

        /// One owner less; the last one ends the object, unless the program's end has come.
        ///
        /// # Safety
        /// The handle must be null or alive; the caller owns a reference to it.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $release(object: *const $object) {
            if !object.is_null() && !crate::ending::has_come() {
                // SAFETY: the handle is alive, and the caller gives its reference up.
                unsafe { std::sync::Arc::decrement_strong_count(object) };
            }
        }
    };
}
use counted;

/// What knows an object without keeping it: `Weak` as a handle.
macro_rules! weakly {
    ($object:ty, $downgrade:ident, $upgrade:ident, $forget:ident) => {
        /// What knows the object.
        ///
        /// # Safety
        /// The handle must be alive.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $downgrade(object: *const $object) -> *const $object {
            // SAFETY: the handle is alive.
            let object = unsafe { super::share(object) };
            object.map_or(std::ptr::null(), |object| {
                std::sync::Weak::into_raw(std::sync::Arc::downgrade(&object))
            })
        }

        /// The object with one more owner, or null where it is gone.
        ///
        /// # Safety
        /// `known` must be what `$downgrade` gave.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $upgrade(known: *const $object) -> *const $object {
            // SAFETY: as the caller says, who keeps it.
            let weak = unsafe { std::sync::Weak::from_raw(known) };
            let weak = std::mem::ManuallyDrop::new(weak);
            weak.upgrade()
                .map_or(std::ptr::null(), std::sync::Arc::into_raw)
        }

        /// Ends what knows the object; null is nothing.
        ///
        /// # Safety
        /// `known` must be null or what `$downgrade` gave, which nobody has any more.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $forget(known: *const $object) {
            if !known.is_null() {
                // SAFETY: as the caller says.
                drop(unsafe { std::sync::Weak::from_raw(known) });
            }
        }
    };
}
use weakly;

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    #[test]
    fn headers_and_runtime_have_one_name_for_each_form_of_the_interface() {
        const NAME: &str = "plumbline_headers_and_runtime_differ_";
        let header = include_str!("../../../include/sycl/detail/abi.h");
        let named = |line: &&str| line.contains(NAME);
        let without: String = header.lines().filter(|line| !named(line)).collect();
        let number: String = Sha256::digest(without.as_bytes())[..4]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let name = format!("{NAME}{number}");
        for source in [header, include_str!("mod.rs")] {
            assert!(
                source.contains(&name),
                "the interface has changed: name it {name}"
            );
        }
    }
}
