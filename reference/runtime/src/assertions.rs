//! What images whose kernels can fail an assertion need of the runtime.
//!
//! CPU devices report a failed assertion by themselves: on standard error, then the program aborts.
//! For other devices the image brings a library along that prints through the device's printf and
//! ends the work-item by a bad access.

use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Once;

use offload_formats::property_set::{ASSERT_USED, FALLBACK_LIBRARIES, PropertyValue};
use offload_formats::registration::RegisteredImage;

use crate::device::Device;

/// The OpenCL extension of devices that report failed assertions.
const REPORTS_ASSERTIONS: &str = "cl_intel_devicelib_assert";

/// The SPIR-V libraries to link to the image for the device: those that it brings along for devices
/// without the extensions that they are named by.
pub fn fallback_libraries<'a>(image: &'a RegisteredImage, device: &Device) -> Vec<&'a [u8]> {
    let facts = device.facts();
    if image.properties.set(ASSERT_USED).is_some() && !facts.has_extension(REPORTS_ASSERTIONS) {
        write_lines_at_once();
    }
    let set = image.properties.set(FALLBACK_LIBRARIES);
    set.into_iter()
        .flatten()
        .filter(|(extension, _)| !facts.has_extension(extension))
        .filter_map(|(_, library)| PropertyValue::as_bytes(library))
        .collect()
}

unsafe extern "C" {
    /// The C library's standard output.
    static mut stdout: *mut c_void;
    fn setvbuf(stream: *mut c_void, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
}

/// Makes the C library's standard output write each line as it ends, also into a file or a pipe: a
/// device in this process that ends by a bad access takes what is not written along.
fn write_lines_at_once() {
    const BY_LINE: c_int = 1;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the stream is the C library's own, which locks it. A refusal changes nothing.
        unsafe { setvbuf(stdout, null_mut(), BY_LINE, 0) };
    });
}
