//! Ahead-of-time compilation by an OpenCL runtime: a program from SPIR-V, built for one device,
//! and its binary taken back out. This is all that `opencl-aot` does.

use std::error::Error as _;
use std::ffi::{CStr, CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::ptr::null_mut;

use components::{Components, Missing, emulator};
use libloading::Library;
use libloading::os::unix::{self, RTLD_GLOBAL, RTLD_NOW};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_CPU, Device};
use opencl3::platform::{Platform, get_platforms};
use opencl3::program as cl;
use opencl3::types::{cl_context, cl_device_type, cl_int, cl_platform_id, cl_program, cl_uint};

use crate::layout::Layout;

/// The devices that can be compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum OpenClDevice {
    /// The CPU.
    #[value(name = "cpu")]
    Cpu,
    /// The FPGA emulator.
    #[value(name = "fpga_fast_emu")]
    FpgaEmulator,
}

/// An OpenCL runtime could not compile a module.
#[derive(Debug, thiserror::Error)]
pub enum OpenClError {
    /// There is no runtime with such a device.
    #[error("no OpenCL runtime has a device for --device={device}: {reason}")]
    NoDevice {
        /// The device's name on the command line.
        device: &'static str,
        /// What was looked for and how to get it.
        reason: String,
    },
    /// The runtime's library cannot be used.
    #[error("cannot use the OpenCL runtime '{}': {reason}", library.display())]
    Library {
        /// The library.
        library: PathBuf,
        /// What the loader says.
        reason: String,
    },
    /// The runtime refuses the module or the options.
    #[error("{device} cannot {what}: {reason}{}", after_line(.log))]
    Refused {
        /// The device's own name.
        device: String,
        /// What failed.
        what: &'static str,
        /// The OpenCL error.
        reason: String,
        /// The build log.
        log: String,
    },
}

fn after_line(log: &str) -> String {
    match log {
        "" => String::new(),
        log => format!("\n{log}"),
    }
}

impl OpenClDevice {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            OpenClDevice::Cpu => "cpu",
            OpenClDevice::FpgaEmulator => "fpga_fast_emu",
        }
    }

    fn kind(self) -> cl_device_type {
        match self {
            OpenClDevice::Cpu => CL_DEVICE_TYPE_CPU,
            OpenClDevice::FpgaEmulator => CL_DEVICE_TYPE_ACCELERATOR,
        }
    }

    /// What its compiler has to be told to compile for, in [`INSTRUCTION_SET_VARIABLE`], where the user
    /// names nothing. The runtime has it run such images on the same instruction set.
    #[must_use]
    pub fn instruction_set(self) -> Option<&'static str> {
        let is_named = std::env::var_os(INSTRUCTION_SET_VARIABLE).is_some();
        let asks = self == OpenClDevice::FpgaEmulator && !is_named;
        emulator::INSTRUCTION_SET.to_str().ok().filter(|_| asks)
    }

    /// The library of the runtime that set-up brought for it.
    fn library(self, components: &Components) -> Result<PathBuf, Missing> {
        let runtime = match self {
            OpenClDevice::Cpu => components.opencl_cpu(),
            OpenClDevice::FpgaEmulator => components.opencl_fpga_emulator(),
        };
        runtime.map(|runtime| runtime.library)
    }
}

/// What Intel's CPU runtime calls an instruction set in its own variable,
/// [`INSTRUCTION_SET_VARIABLE`].
///
/// # Errors
/// When there is no such instruction set; the text lists them.
pub fn instruction_set(name: &str) -> Result<&'static str, String> {
    Ok(match name {
        "sse42" => "corei7",
        "avx" => "corei7-avx",
        "avx2" => "core-avx2",
        "avx512" => "skx",
        _ => {
            return Err(format!(
                "unknown instruction set '{name}'; there are sse42, avx, avx2 and avx512"
            ));
        }
    })
}

/// The variable by which Intel's CPU runtime is told which instruction set to compile for.
pub const INSTRUCTION_SET_VARIABLE: &str = "CL_CONFIG_CPU_TARGET_ARCH";

/// Builds a SPIR-V module for a device with the given build options; gives the device's code.
///
/// # Errors
/// When there is no such device, or its runtime refuses the module; the build log is in the error.
pub fn compile(
    device: OpenClDevice,
    spirv: &[u8],
    options: &str,
    components: &Components,
) -> Result<Vec<u8>, OpenClError> {
    let runtime = Runtime::find(device, components)?;
    let name = runtime.device.name().unwrap_or_default();
    let name = name.trim_end_matches('\0');
    let refused = |what, reason: String, log: String| OpenClError::Refused {
        device: name.to_owned(),
        what,
        reason,
        log,
    };
    let context = Context::from_device(&runtime.device)
        .map_err(|e| refused("make a context", e.to_string(), String::new()))?;
    let program = runtime
        .program(&context, spirv)
        .map_err(|code| refused("take the module", text(code), String::new()))?;
    let id = runtime.device.id();
    let options = match device {
        OpenClDevice::Cpu => options.into(),
        OpenClDevice::FpgaEmulator => emulator::build_options(options),
    };
    let options = CString::new(options.as_ref()).unwrap_or_default();
    if let Err(code) = cl::build_program(program, &[id], &options, None, null_mut()) {
        let log = cl::get_program_build_data(program, id, cl::CL_PROGRAM_BUILD_LOG);
        let log = String::from_utf8_lossy(&log.unwrap_or_default()).into_owned();
        let log = log.trim_end_matches(['\0', '\n']).to_owned();
        return Err(refused("compile the module", text(code), log));
    }
    // The program and the context go with the process, which does nothing else.
    let binaries: Vec<Vec<u8>> = cl::get_program_info(program, cl::CL_PROGRAM_BINARIES)
        .map_err(|code| refused("give the compiled code", text(code), String::new()))?
        .into();
    match binaries.into_iter().find(|binary| !binary.is_empty()) {
        Some(binary) => Ok(binary),
        None => Err(refused(
            "give the compiled code",
            "it is empty".to_owned(),
            String::new(),
        )),
    }
}

fn text(code: cl_int) -> String {
    opencl3::error_codes::ClError(code).to_string()
}

type GetPlatforms = unsafe extern "C" fn(cl_uint, *mut cl_platform_id, *mut cl_uint) -> cl_int;
type GetFunction = unsafe extern "C" fn(*const c_char) -> *mut c_void;
type CreateWithIl =
    unsafe extern "C" fn(cl_context, *const c_void, usize, *mut cl_int) -> cl_program;

/// An OpenCL device, and what platforms before OpenCL 2.1 need to take SPIR-V.
struct Runtime {
    device: Device,
    create_with_il: Option<CreateWithIl>,
}

impl Runtime {
    /// The runtime that set-up brought, or else any that is installed in the system.
    fn find(device: OpenClDevice, components: &Components) -> Result<Runtime, OpenClError> {
        let missing = match device.library(components) {
            Ok(library) => return Runtime::load(device, &library),
            Err(missing) => missing,
        };
        let none = OpenClError::NoDevice {
            device: device.name(),
            reason: missing.to_string(),
        };
        // The emulator calls itself an accelerator, as other devices do that are none of ours.
        let platforms = match device {
            OpenClDevice::Cpu => get_platforms().unwrap_or_default(),
            OpenClDevice::FpgaEmulator => Vec::new(),
        };
        let found = platforms
            .iter()
            .find_map(|platform| first_device(platform, device));
        match found {
            Some(device) => Ok(Runtime {
                device,
                create_with_il: None,
            }),
            None => Err(none),
        }
    }

    fn load(device: OpenClDevice, path: &Path) -> Result<Runtime, OpenClError> {
        if device == OpenClDevice::FpgaEmulator {
            load_sycl_runtime();
        }
        let fail = |reason: String| OpenClError::Library {
            library: path.to_owned(),
            reason,
        };
        // SAFETY: an OpenCL implementation that set-up brought; loading it runs its own
        // initialisers.
        let library = unsafe { Library::new(path) }.map_err(|e| {
            // The error itself says no more than which call failed.
            fail(
                e.source()
                    .map_or_else(|| e.to_string(), ToString::to_string),
            )
        })?;
        // Its objects are used until the process ends.
        let library = Box::leak(Box::new(library));
        let get = extension::<GetPlatforms>(library, c"clIcdGetPlatformIDsKHR")
            .ok_or_else(|| fail("it is no OpenCL implementation".to_owned()))?;
        let platform =
            first_platform(get).ok_or_else(|| fail("it offers no platform".to_owned()))?;
        let found = first_device(&platform, device).ok_or_else(|| OpenClError::NoDevice {
            device: device.name(),
            reason: format!("'{}' offers none", path.display()),
        })?;
        Ok(Runtime {
            device: found,
            create_with_il: extension(library, c"clCreateProgramWithILKHR"),
        })
    }

    /// Through OpenCL 2.1's function, or the extension of older platforms.
    fn program(&self, context: &Context, spirv: &[u8]) -> Result<cl_program, cl_int> {
        let error = match cl::create_program_with_il(context.get(), spirv) {
            Ok(program) => return Ok(program),
            Err(error) => error,
        };
        let Some(create) = self.create_with_il else {
            return Err(error);
        };
        let mut status = 0;
        let il = spirv.as_ptr().cast();
        // SAFETY: the context is alive; `il` spans the module for the length of the call.
        let program = unsafe { create(context.get(), il, spirv.len(), &raw mut status) };
        match status {
            0 => Ok(program),
            status => Err(status),
        }
    }
}

/// The emulator resolves what kernels call while it compiles them, among the symbols of the process:
/// the SYCL runtime has the function that failed assertions end in. Only kernels that can fail one
/// miss it, and the emulator then names it.
fn load_sycl_runtime() {
    let Ok(layout) = Layout::here() else { return };
    let file = layout.lib().join("libplumbline_sycl.so");
    // SAFETY: the library of the toolchain that this tool belongs to; loading it does nothing.
    if let Ok(library) = unsafe { unix::Library::open(Some(file), RTLD_NOW | RTLD_GLOBAL) } {
        std::mem::forget(library);
    }
}

fn first_platform(get: GetPlatforms) -> Option<Platform> {
    let mut id = null_mut();
    let mut count = 0;
    // SAFETY: there is room for one identifier.
    let status = unsafe { get(1, &raw mut id, &raw mut count) };
    (status == 0 && count > 0).then(|| Platform::new(id))
}

fn first_device(platform: &Platform, device: OpenClDevice) -> Option<Device> {
    let devices = platform.get_devices(device.kind()).ok()?;
    devices.first().map(|id| Device::new(*id))
}

/// A function of an extension; `F` is the type that the extension gives it.
fn extension<F: Copy>(library: &Library, name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: OpenCL gives the functions these types; the name is a C string.
    unsafe {
        let get = library
            .get::<GetFunction>(b"clGetExtensionFunctionAddress\0")
            .ok()?;
        let address = get(name.as_ptr());
        (!address.is_null()).then(|| std::mem::transmute_copy::<*mut c_void, F>(&address))
    }
}
