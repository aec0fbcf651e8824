//! Finding OpenCL platforms with no variable set.
//!
//! The system's loader lists what is installed in the system. The runtimes that set-up brought are
//! not installed: their libraries are opened here and asked for their platforms through the
//! function that the loader itself would use (`cl_khr_icd`). The loader dispatches on the objects,
//! so from then on both kinds are the same.

use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};

use components::home::{self, Home};
use libloading::Library;
use opencl3::error_codes::{ClError, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::platform::get_platforms;
use opencl3::types::{cl_int, cl_platform_id, cl_uint};

use super::super::DeviceType;
use super::emulator;
use crate::error::with_causes;
use crate::trace::trace;

/// The system's loader.
pub(super) const LOADER: &str = "libOpenCL.so.1";

/// Names of set-up's OpenCL components, of the library in each one, and of what its devices are. The
/// default device is the first of those that are equally good.
const COMPONENTS: [(&str, &str, DeviceType); 3] = [
    ("intel-opencl-cpu", "lib/libintelocl.so", DeviceType::Cpu),
    // Loads where the C library is new enough: else under the component's own starter of programs.
    ("pocl", "lib/x86_64-linux-gnu/libpocl.so.2", DeviceType::Cpu),
    (
        "intel-opencl-fpga-emulator",
        "lib/libintelocl_emu.so",
        DeviceType::Accelerator,
    ),
];

type Lookup = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type GetPlatforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;

/// Every platform once, the system's first, without those at the end that only have devices of kinds which
/// are not `wanted`; else why there is none.
pub(super) fn platform_ids(
    wanted: impl Fn(DeviceType) -> bool,
) -> Result<Vec<cl_platform_id>, String> {
    let system = get_platforms();
    // Objects of any implementation are used through the loader.
    if let Err(ClError(DLOPEN_RUNTIME_LOAD_FAILED)) = system {
        return Err(format!("cannot open '{LOADER}'"));
    }
    let system = system.unwrap_or_default();
    let mut ids: Vec<cl_platform_id> = system.iter().map(|platform| platform.id()).collect();
    let (libraries, left_out) = component_libraries(wanted);
    for library in libraries {
        for id in platforms_of(&library) {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    // The system's loader may have loaded it too.
    emulator::settle(this_library().as_deref());
    match (ids.is_empty(), left_out) {
        (false, _) => Ok(ids),
        (true, false) => Err("no OpenCL driver is installed".to_owned()),
        (true, true) => Err("no device of the drivers that set-up brought is asked for".to_owned()),
    }
}

/// The libraries of the components that are in place, and whether others are. Loading one takes as long as
/// a small program; those before one that is wanted stay, as their devices are counted.
fn component_libraries(wanted: impl Fn(DeviceType) -> bool) -> (Vec<PathBuf>, bool) {
    let variable = std::env::var_os(home::VARIABLE).map(PathBuf::from);
    let Some((folder, _)) = this_library().and_then(|here| home::locate(variable, &here)) else {
        return (Vec::new(), false);
    };
    let Ok(home) = Home::read(&folder) else {
        return (Vec::new(), false);
    };
    let path = |(name, library, _): &(&str, &str, DeviceType)| {
        let (folder, _) = home.find(name)?;
        Some(folder.join(library)).filter(|path| path.is_file())
    };
    let last = COMPONENTS.iter().rposition(|(.., kind)| wanted(*kind));
    let (counted, others) = COMPONENTS.split_at(last.map_or(0, |last| last + 1));
    let left_out = others.iter().any(|other| path(other).is_some());
    (counted.iter().filter_map(path).collect(), left_out)
}

/// The file that this code was loaded from.
fn this_library() -> Option<PathBuf> {
    let address = this_library as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let path = maps.lines().find_map(|line| mapped_file(line, address))?;
    Some(path.to_owned())
}

/// The file of a line of `/proc/self/maps` whose span holds the address.
fn mapped_file(line: &str, address: usize) -> Option<&Path> {
    let (span, rest) = line.split_once(' ')?;
    let (begin, end) = span.split_once('-')?;
    let begin = usize::from_str_radix(begin, 16).ok()?;
    let end = usize::from_str_radix(end, 16).ok()?;
    let path = &rest[rest.find('/')?..];
    (begin..end).contains(&address).then(|| Path::new(path))
}

/// The platforms of an OpenCL implementation; none when it cannot be loaded.
fn platforms_of(library: &Path) -> Vec<cl_platform_id> {
    // SAFETY: an OpenCL implementation that set-up brought; loading it runs its own initialisers.
    let opened = unsafe { Library::new(library) };
    let library = match opened {
        Ok(library) => library,
        Err(reason) => {
            let reason = with_causes(&reason);
            trace(|| format!("no device of {}: {reason}", library.display()));
            return Vec::new();
        }
    };
    // Its objects are used until the process ends.
    let library = Box::leak(Box::new(library));
    let Some(get) = get_platforms_function(library) else {
        return Vec::new();
    };
    let mut count: cl_uint = 0;
    // SAFETY: with no room for identifiers only the count is written.
    if unsafe { get(0, std::ptr::null_mut(), &raw mut count) } != 0 {
        return Vec::new();
    }
    let mut ids = vec![std::ptr::null_mut(); count as usize];
    // SAFETY: there is room for `count` identifiers.
    let status = unsafe { get(count, ids.as_mut_ptr(), std::ptr::null_mut()) };
    if status == 0 { ids } else { Vec::new() }
}

/// The function that gives an implementation's platforms, found as `cl_khr_icd` has loaders find it.
fn get_platforms_function(library: &Library) -> Option<GetPlatforms> {
    // SAFETY: OpenCL gives the function this type.
    let lookup = unsafe { library.get::<Lookup>(b"clGetExtensionFunctionAddress\0") }.ok()?;
    // SAFETY: the name is a C string.
    let address = unsafe { lookup(c"clIcdGetPlatformIDsKHR".as_ptr()) };
    if address.is_null() {
        return None;
    }
    // SAFETY: `cl_khr_icd` gives the function this type.
    Some(unsafe { std::mem::transmute::<*mut c_void, GetPlatforms>(address) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_memory_map_names_its_file() {
        let line = "7f00-7f80 r-xp 00001000 08:01 12  /some where/lib x.so";
        assert_eq!(
            mapped_file(line, 0x7f7f),
            Some(Path::new("/some where/lib x.so"))
        );
        assert_eq!(mapped_file(line, 0x7f80), None);
        assert_eq!(mapped_file("7f00-7f80 rw-p 0 00:00 0 [heap]", 0x7f00), None);
        assert!(this_library().unwrap().is_file());
    }
}
