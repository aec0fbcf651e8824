//! What images whose kernels can fail an assertion need of the runtime.
//!
//! A failed assertion is text on standard error and the end of the program by `abort`. CPU devices
//! see to it by themselves. The FPGA emulator runs kernels in this process and finds in it by name
//! what their code calls: it gets the function from here. For other devices the image brings a
//! library along that prints through the device's printf and ends the work-item by a bad access.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null;
use std::sync::{Arc, Once};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use offload_formats::aspects;
use offload_formats::property_set::{ASSERT_USED, FALLBACK_LIBRARIES};

use crate::device::Device;
use crate::registry::Image;
use crate::trace::{say, trace};

/// The OpenCL extension of devices that report failed assertions.
const REPORTS_ASSERTIONS: &str = "cl_intel_devicelib_assert";

/// The SPIR-V libraries to link to the images of a program for the device: those that they bring along
/// for devices without the extensions that they are named by, each once.
pub fn fallback_libraries<'a>(images: &'a [Arc<Image>], device: &Device) -> Vec<&'a [u8]> {
    let facts = device.facts();
    let emulated = aspects::number("emulated").is_some_and(|n| facts.aspects.contains(&n));
    let sets = || images.iter().map(|image| &image.content.properties);
    if emulated && sets().any(|sets| sets.set(ASSERT_USED).is_some()) {
        let_kernels_find_this_library();
    }
    let brought = |extension: &str| {
        facts.has_extension(extension) || emulated && extension == REPORTS_ASSERTIONS
    };
    let brought_along = sets()
        .filter_map(|sets| sets.set(FALLBACK_LIBRARIES))
        .flatten();
    let libraries: BTreeMap<&str, &[u8]> = brought_along
        .filter(|(extension, _)| !brought(extension))
        .filter_map(|(extension, library)| Some((extension.as_ref(), library.as_bytes()?)))
        .collect();
    libraries.into_values().collect()
}

/// Ends the program for a work-item whose assertion failed. Kernels that run in this process call
/// it under this name, which DPC++ gave it.
///
/// # Safety
/// The texts must be null or end in a NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __devicelib_assert_fail(
    condition: *const c_char,
    file: *const c_char,
    line: c_int,
    function: *const c_char,
    global0: usize,
    global1: usize,
    global2: usize,
    local0: usize,
    local1: usize,
    local2: usize,
) -> ! {
    // SAFETY: the caller's promise.
    let [condition, file, function] =
        [condition, file, function].map(|text| unsafe { lossy(text) });
    say(&format!(
        "{file}:{line}: {function}: global id: [{global0},{global1},{global2}], \
         local id: [{local0},{local1},{local2}] Assertion `{condition}` failed."
    ));
    std::process::abort()
}

/// # Safety
/// `text` must be null or end in a NUL.
unsafe fn lossy(text: *const c_char) -> String {
    if text.is_null() {
        return "?".to_owned();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Opens only what is loaded already: the number of Linux's C libraries.
const RTLD_NOLOAD: c_int = 4;

/// What `dladdr` says of an address.
#[repr(C)]
struct Place {
    file: *const c_char,
    base: *mut c_void,
    symbol: *const c_char,
    symbol_address: *mut c_void,
}

unsafe extern "C" {
    fn dladdr(address: *const c_void, place: *mut Place) -> c_int;
}

/// The emulator looks among the symbols that the whole process sees. This library's are not when it
/// came with a plugin that the program loaded.
fn let_kernels_find_this_library() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut place = Place {
            file: null(),
            base: null::<c_void>().cast_mut(),
            symbol: null(),
            symbol_address: null::<c_void>().cast_mut(),
        };
        let own = let_kernels_find_this_library as *const c_void;
        // SAFETY: the address is this library's; there is room for the answer.
        if unsafe { dladdr(own, &raw mut place) } == 0 || place.file.is_null() {
            return;
        }
        // SAFETY: `dladdr` gave a text that lives as long as this library.
        let file = unsafe { lossy(place.file) };
        // The name finds what is loaded under it whatever the current folder is; with this flag it
        // finds nothing else, so that there is never a second copy.
        let flags = RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD;
        // SAFETY: the library is loaded and initialised already.
        match unsafe { Library::open(Some(&file), flags) } {
            Ok(library) => std::mem::forget(library),
            Err(error) => trace(|| format!("kernels cannot find '{file}': {error}")),
        }
    });
}
