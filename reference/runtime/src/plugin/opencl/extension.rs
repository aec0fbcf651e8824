//! Functions that OpenCL extensions add, which a loader need not export.

use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute_copy;
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use libloading::Library;
use opencl3::platform::Platform;
use opencl3::types::{
    cl_bool, cl_command_queue, cl_context, cl_device_id, cl_event, cl_int, cl_kernel,
    cl_platform_id, cl_program, cl_uint,
};

use super::emulator;
use super::icd::LOADER;

type AllocHost =
    unsafe extern "C" fn(cl_context, *const u64, usize, cl_uint, *mut cl_int) -> *mut c_void;
type AllocDevice = unsafe extern "C" fn(
    cl_context,
    cl_device_id,
    *const u64,
    usize,
    cl_uint,
    *mut cl_int,
) -> *mut c_void;
type Free = unsafe extern "C" fn(cl_context, *mut c_void) -> cl_int;
type AllocInfo = unsafe extern "C" fn(
    cl_context,
    *const c_void,
    cl_uint,
    usize,
    *mut c_void,
    *mut usize,
) -> cl_int;
type SetPointer = unsafe extern "C" fn(cl_kernel, cl_uint, *const c_void) -> cl_int;
type Fill = unsafe extern "C" fn(
    cl_command_queue,
    *mut c_void,
    *const c_void,
    usize,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
type Copy = unsafe extern "C" fn(
    cl_command_queue,
    cl_bool,
    *mut c_void,
    *const c_void,
    usize,
    cl_uint,
    *const cl_event,
    *mut cl_event,
) -> cl_int;
pub(super) type CreateWithIl =
    unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;

/// A device, a program and a name; the variable's size and its address.
pub(super) type GlobalPointer = unsafe extern "C" fn(
    cl_device_id,
    cl_program,
    *const c_char,
    *mut usize,
    *mut *mut c_void,
) -> cl_int;

/// `cl_intel_unified_shared_memory`.
#[derive(Clone, Copy)]
pub(super) struct Usm {
    pub alloc_host: AllocHost,
    pub alloc_device: AllocDevice,
    pub alloc_shared: AllocDevice,
    /// Frees when commands that use the memory are done.
    pub free: Free,
    pub info: AllocInfo,
    pub set_pointer: SetPointer,
    pub fill: Fill,
    pub copy: Copy,
    pub list: List,
}

/// The right to have a driver look up such memory, or to change what there is. Intel's FPGA emulator keeps a tree of it
/// without a lock of its own: threads that allocated and freed at once ended programs.
#[derive(Clone, Copy)]
pub(super) struct List {
    is_guarded: bool,
}

impl List {
    /// For calls that are handed a pointer or start a kernel.
    pub fn read(self) -> Option<RwLockReadGuard<'static, ()>> {
        let lock = self.is_guarded.then(|| GUARD.read());
        lock.map(|lock| lock.unwrap_or_else(PoisonError::into_inner))
    }

    /// For calls that allocate or free.
    pub fn change(self) -> Option<RwLockWriteGuard<'static, ()>> {
        let lock = self.is_guarded.then(|| GUARD.write());
        lock.map(|lock| lock.unwrap_or_else(PoisonError::into_inner))
    }
}

/// Of the one driver whose memory is guarded.
static GUARD: RwLock<()> = RwLock::new(());

/// The extensions of a platform that this runtime uses.
#[derive(Clone, Copy)]
pub(super) struct Extensions {
    pub usm: Option<Usm>,
    /// `cl_khr_il_program`, for platforms before OpenCL 2.1.
    pub create_with_il: Option<CreateWithIl>,
    /// Where variables of a program are, which no extension of Khronos's tells.
    pub global_pointer: Option<GlobalPointer>,
}

impl Extensions {
    pub fn of(platform: &Platform) -> Extensions {
        Extensions {
            usm: usm(platform),
            create_with_il: function(platform, c"clCreateProgramWithILKHR"),
            global_pointer: function(platform, c"clGetDeviceGlobalVariablePointerINTEL"),
        }
    }
}

fn usm(platform: &Platform) -> Option<Usm> {
    Some(Usm {
        alloc_host: function(platform, c"clHostMemAllocINTEL")?,
        alloc_device: function(platform, c"clDeviceMemAllocINTEL")?,
        alloc_shared: function(platform, c"clSharedMemAllocINTEL")?,
        free: function(platform, c"clMemBlockingFreeINTEL")?,
        info: function(platform, c"clGetMemAllocInfoINTEL")?,
        set_pointer: function(platform, c"clSetKernelArgMemPointerINTEL")?,
        fill: function(platform, c"clEnqueueMemFillINTEL")?,
        copy: function(platform, c"clEnqueueMemcpyINTEL")?,
        list: List {
            is_guarded: platform.name().is_ok_and(|name| emulator::is_named(&name)),
        },
    })
}

/// The platform's function of that name; `F` is the type that its extension gives it.
fn function<F: std::marker::Copy>(platform: &Platform, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    let lookup = (*LOOKUP)?;
    // SAFETY: the platform is one that the driver gave; the name is a C string.
    let address = unsafe { lookup(platform.id(), name.as_ptr()) };
    if address.is_null() {
        return None;
    }
    // SAFETY: the address is of a function of type `F`, as the caller took from the extension.
    Some(unsafe { transmute_copy(&address) })
}

type Lookup = unsafe extern "C" fn(cl_platform_id, *const c_char) -> *mut c_void;

/// The loader's `clGetExtensionFunctionAddressForPlatform`, which opencl3 does not wrap.
static LOOKUP: LazyLock<Option<Lookup>> = LazyLock::new(|| {
    // SAFETY: the OpenCL loader, which opencl3 has loaded already.
    let loader = unsafe { Library::new(LOADER) }.ok()?;
    // Its functions are used until the process ends.
    let loader = Box::leak(Box::new(loader));
    // SAFETY: OpenCL 1.2 gives the function this type.
    let lookup = unsafe { loader.get::<Lookup>(b"clGetExtensionFunctionAddressForPlatform\0") };
    lookup.ok().map(|symbol| *symbol)
});
