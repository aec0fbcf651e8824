//! Kernels out of sources that a program has while it runs.

use std::ffi::{c_char, c_void};
use std::sync::Arc;

use super::bundles::give_images;
use super::discovery::give_bytes;
use super::{answer, borrow, counted, devices, give, invalid, items, share, text};
use crate::bundle;
use crate::context::Context;
use crate::device::Device;
use crate::ending;
use crate::error::Result;
use crate::foreign::{Kernel, Program};
use crate::plugin::sources::{self, SourceLanguage};
use crate::registry::Image;
use crate::source::{self, Library, Object, Source};

counted!(Object, plsycl_object_retain, plsycl_object_release);

/// The number of SYCL among `plsycl_source_language`, which no driver builds.
const SYCL: u32 = 2;

fn language(number: u32) -> Result<SourceLanguage> {
    let mut known = [SourceLanguage::OpenClC, SourceLanguage::SpirV].into_iter();
    let found = known.find(|each| *each as u32 == number);
    found.ok_or_else(|| invalid("no such language of sources"))
}

/// Whether kernels for the device can be built from sources in the language.
///
/// # Safety
/// `device` must be a device and `builds` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_device_builds(
    device: *const Device,
    of: u32,
    builds: *mut i32,
) -> i32 {
    answer(|| {
        ending::refuse()?;
        // SAFETY: as the caller says.
        let device = unsafe { borrow(device) }?;
        let can = match of {
            SYCL => source::builds(device),
            _ => {
                let language = language(of)?;
                let compiler = device.driver().compiler();
                compiler.is_some_and(|compiler| compiler.builds(language))
            }
        };
        // SAFETY: as the caller says.
        unsafe { give(builds, can.into()) }
    })
}

/// A program that the driver builds from a source.
///
/// # Safety
/// The handles must be alive, `devices` span `count` of them, `code` span `size` bytes, `options` be a C
/// string and `program` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_from_source(
    context: *const Context,
    devices: *const *const Device,
    count: usize,
    of: u32,
    code: *const c_void,
    size: usize,
    options: *const c_char,
    program: *mut *const Program,
) -> i32 {
    answer(|| {
        ending::refuse()?;
        // SAFETY: as the caller says.
        let (context, devices, code, options) = unsafe {
            (
                share(context)?,
                self::devices(devices, count)?,
                items(code.cast::<u8>(), size),
                text(options)?,
            )
        };
        let source = sources::Source {
            language: language(of)?,
            code,
            options,
        };
        let built = Program::from_source(context, &devices, &source)?;
        // SAFETY: as the caller says.
        unsafe { give(program, Arc::into_raw(Arc::new(built))) }
    })
}

/// What the driver's compiler said of a program.
///
/// # Safety
/// The handle must be alive; `bytes` must have room for `capacity` bytes and `size` be a place for the
/// size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_log(
    program: *const Program,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_bytes(borrow(program)?.log().as_bytes(), bytes, capacity, size) })
}

/// One of a program's kernels; null where it has none of the name.
///
/// # Safety
/// The handle must be alive, `name` a C string and `kernel` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_program_kernel(
    program: *const Program,
    name: *const c_char,
    kernel: *mut *const Kernel,
) -> i32 {
    answer(|| {
        ending::refuse()?;
        // SAFETY: as the caller says.
        let found = unsafe { borrow(program)?.kernel(text(name)?) }?;
        let found = found.map_or(std::ptr::null(), |found| Arc::into_raw(Arc::new(found)));
        // SAFETY: as the caller says.
        unsafe { give(kernel, found) }
    })
}

/// `plsycl_include_file`.
#[repr(C)]
pub struct RawIncludeFile {
    name: *const c_char,
    text: *const c_char,
}

/// `plsycl_sycl_source`.
#[repr(C)]
pub struct RawSource {
    text: *const c_char,
    files: *const RawIncludeFile,
    file_count: usize,
    options: *const *const c_char,
    option_count: usize,
    names: *const *const c_char,
    name_count: usize,
}

/// Does something with a source in SYCL.
///
/// # Safety
/// `raw` must be null or a record whose pointers are good.
unsafe fn with_source<Made>(
    raw: *const RawSource,
    make: impl FnOnce(&Source<'_>) -> Result<Made>,
) -> Result<Made> {
    ending::refuse()?;
    // SAFETY: as the caller says.
    let raw = unsafe { borrow(raw) }?;
    let texts = |first, count| {
        // SAFETY: as the caller says.
        let all = unsafe { items::<*const c_char>(first, count) }.iter();
        // SAFETY: as the caller says.
        all.map(|each| unsafe { text(*each) })
            .collect::<Result<Vec<&str>>>()
    };
    // SAFETY: as the caller says.
    let files = unsafe { items(raw.files, raw.file_count) }.iter();
    // SAFETY: as the caller says.
    let files = files.map(|file| unsafe { Ok((text(file.name)?, text(file.text)?)) });
    let files: Vec<(&str, &str)> = files.collect::<Result<_>>()?;
    let options = texts(raw.options, raw.option_count)?;
    let names = texts(raw.names, raw.name_count)?;
    make(&Source {
        // SAFETY: as the caller says.
        text: unsafe { text(raw.text) }?,
        files: &files,
        options: &options,
        names: &names,
    })
}

/// What the compiler makes of a source in SYCL.
///
/// # Safety
/// `devices` must span `count` of them, `source` be a record whose pointers are good, and `object` a place
/// for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_object_from_source(
    devices: *const *const Device,
    count: usize,
    source: *const RawSource,
    object: *mut *const Object,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let devices = unsafe { self::devices(devices, count) }?;
        // SAFETY: as the caller says.
        let made = unsafe { with_source(source, |source| Object::of(source, &devices)) }?;
        // SAFETY: as the caller says.
        unsafe { give(object, Arc::into_raw(Arc::new(made))) }
    })
}

/// What the compiler said of an object.
///
/// # Safety
/// As [`plsycl_program_log`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_object_log(
    object: *const Object,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_bytes(borrow(object)?.log.as_bytes(), bytes, capacity, size) })
}

/// The library of objects.
///
/// # Safety
/// `objects` must span `count` live handles and `library` be a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_library_from_objects(
    objects: *const *const Object,
    count: usize,
    library: *mut *const Library,
) -> i32 {
    answer(|| {
        ending::refuse()?;
        // SAFETY: as the caller says.
        let objects = unsafe { items(objects, count) }.iter();
        // SAFETY: as the caller says.
        let objects = objects.map(|object| unsafe { share(*object) });
        let made = source::linked(&objects.collect::<Result<Vec<_>>>()?)?;
        // SAFETY: as the caller says.
        unsafe { give(library, std::ptr::from_ref(made)) }
    })
}

/// The library of a source in SYCL.
///
/// # Safety
/// As [`plsycl_object_from_source`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_library_from_source(
    devices: *const *const Device,
    count: usize,
    source: *const RawSource,
    library: *mut *const Library,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let devices = unsafe { self::devices(devices, count) }?;
        // SAFETY: as the caller says.
        let made = unsafe { with_source(source, |source| source::built(source, &devices)) }?;
        // SAFETY: as the caller says.
        unsafe { give(library, std::ptr::from_ref(made)) }
    })
}

/// What the compiler said of a library.
///
/// # Safety
/// As [`plsycl_program_log`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_library_log(
    library: *const Library,
    bytes: *mut u8,
    capacity: usize,
    size: *mut usize,
) -> i32 {
    // SAFETY: as the caller says.
    answer(|| unsafe { give_bytes(borrow(library)?.log.as_bytes(), bytes, capacity, size) })
}

/// Where a library has what it calls so; null where it has none.
///
/// # Safety
/// The handle must be alive, `name` a C string and `place` a place for the result.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_library_symbol(
    library: *const Library,
    name: *const c_char,
    place: *mut *mut c_void,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let found = unsafe { borrow(library)?.symbol(text(name)?) };
        // SAFETY: as the caller says.
        unsafe { give(place, found.unwrap_or(std::ptr::null_mut())) }
    })
}

/// The images of a library that serve kernels on some of the devices.
///
/// # Safety
/// The handles must be alive and `devices` span `device_count` of them; `images` must have room for
/// `capacity` results; `count` must be a place for their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn plsycl_library_images(
    library: *const Library,
    devices: *const *const Device,
    device_count: usize,
    images: *mut *const Image,
    capacity: usize,
    count: *mut usize,
) -> i32 {
    answer(|| {
        // SAFETY: as the caller says.
        let (library, devices) =
            unsafe { (borrow(library)?, self::devices(devices, device_count)?) };
        let found = bundle::images_of_source(library.binary, &devices)?;
        // SAFETY: as the caller says.
        unsafe { give_images(found, images, capacity, count) }
    })
}
