//! OpenCL programs and kernels.

use std::any::Any;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};

use offload_formats::demangle::named;
use offload_formats::registration::ImageFormat;
use offload_formats::spirv;
use opencl3::context::Context as ClContext;
use opencl3::device::Device as ClDevice;
use opencl3::error_codes::{
    CL_INVALID_ARG_VALUE, CL_INVALID_BUILD_OPTIONS, CL_INVALID_COMPILER_OPTIONS,
    CL_INVALID_OPERATION, CL_INVALID_VALUE, ClError,
};
use opencl3::kernel::{
    CL_KERNEL_COMPILE_NUM_SUB_GROUPS, CL_KERNEL_MAX_NUM_SUB_GROUPS,
    CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, Kernel as ClKernel, create_kernel,
    get_kernel_sub_group_info, retain_kernel,
};
use opencl3::program::{
    CL_PROGRAM_BINARIES, CL_PROGRAM_BUILD_LOG, CL_PROGRAM_DEVICES, build_program, compile_program,
    create_program_with_binary, create_program_with_il, create_program_with_source,
    get_program_build_data, get_program_info, link_program, release_program, retain_program,
    set_program_specialization_constant,
};
use opencl3::types::{cl_bool, cl_device_id, cl_int, cl_program, cl_uint};

use super::device::Id;
use super::emulator;
use super::extension::{CreateWithIl, Extensions, GlobalPointer};
use super::queue::OpenClEvent;
use super::refused;
use crate::abi::codes;
use crate::error::{Error, Kind, Result};
use crate::plugin::sources::{Source, SourceLanguage};
use crate::plugin::{BuildInput, Kernel, Part, Program};

// Kernels may reach USM that no argument names, through pointers in memory.
const CL_KERNEL_EXEC_INFO_INDIRECT_ACCESS_INTEL: [cl_uint; 3] = [0x4200, 0x4201, 0x4202];

// A question of cl_intel_required_subgroup_size.
const CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL: cl_uint = 0x410A;

/// An OpenCL program object; opencl3's own type cannot hold one that an extension made.
pub(super) struct Object(pub cl_program);

// SAFETY: cl_program is thread-safe but for building, which is done before anyone shares it.
unsafe impl Send for Object {}
// SAFETY: as above.
unsafe impl Sync for Object {}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: this owns the one reference. There is nobody to tell of a refusal.
        let _ = unsafe { release_program(self.0) };
    }
}

/// A built program.
pub(super) struct OpenClProgram {
    object: Object,
    device: Id,
    has_usm: bool,
    global_pointer: Option<GlobalPointer>,
    /// OpenCL forbids releasing a context before its programs' kernels are done.
    _context: Arc<ClContext>,
}

impl OpenClProgram {
    pub fn build(
        context: &Arc<ClContext>,
        device: Id,
        input: &BuildInput<'_>,
        extensions: &Extensions,
    ) -> Result<OpenClProgram> {
        let create = |part: &Part<'_>| {
            let object = if input.format == ImageFormat::SpirV {
                let created = create_from_spirv(context, part.bytes, extensions.create_with_il);
                Object(created.map_err(build_failure("the driver refuses the image"))?)
            } else {
                create_from_binary(context, device, part.bytes)?
            };
            Unbuilt::of(object, device, part)
        };
        let mut parts: Vec<Unbuilt> = input.parts.iter().map(create).collect::<Result<_>>()?;
        let built = match (parts.pop(), parts.is_empty()) {
            (Some(only), true) => only.build(device),
            (last, _) => {
                parts.extend(last);
                compile_and_link(context, device, &parts)
            }
        };
        let object = built.map_err(|error| explained(error, device, input))?;
        Ok(OpenClProgram {
            object,
            device,
            has_usm: extensions.usm.is_some(),
            global_pointer: extensions.global_pointer,
            _context: Arc::clone(context),
        })
    }
}

/// A driver's refusal to build, with the reason where the device tells of it: OpenCL 3.0 leaves sub-groups
/// to devices ("Sub-groups" in its appendix of what became optional), and compilers fail over their
/// functions in words of their own.
fn explained(error: Error, device: Id, input: &BuildInput<'_>) -> Error {
    let device = ClDevice::new(device.0);
    let has_none = device.max_num_sub_groups().is_ok_and(|number| number == 0);
    let uses = |part: &Part<'_>| spirv::uses_sub_groups(part.bytes).unwrap_or(false);
    if !has_none || !input.parts.iter().any(uses) {
        return error;
    }
    let name = super::device::clean(device.name().unwrap_or_default());
    Error::new(
        Kind::KernelNotSupported,
        format!(
            "'{name}' has no sub-groups, which kernels of the image use: {}",
            error.reason
        ),
    )
    .by_opencl(error.opencl)
}

/// A program with the options that it is to be built with.
struct Unbuilt {
    object: Object,
    options: CString,
}

impl Unbuilt {
    /// The program with the values of its specialization constants.
    fn of(object: Object, device: Id, part: &Part<'_>) -> Result<Unbuilt> {
        for value in part.spec_values {
            let bytes = value.bytes.as_ptr().cast();
            // SAFETY: `bytes` spans the value for the length of the call.
            unsafe {
                set_program_specialization_constant(object.0, value.id, value.bytes.len(), bytes)
            }
            .map_err(build_failure(
                "the driver refuses a specialization constant",
            ))?;
        }
        let name = ClDevice::new(device.0).name().unwrap_or_default();
        let options = match emulator::is_named(&name) {
            true => components::emulator::build_options(part.options),
            false => part.options.into(),
        };
        let options = CString::new(options.as_ref())
            .map_err(|_| Error::new(Kind::Build, "build options with a NUL character"))?;
        Ok(Unbuilt { object, options })
    }

    fn build(self, device: Id) -> Result<Object> {
        build_program(self.object.0, &[device.0], &self.options, None, null_mut())
            .map_err(|error| self.failed(device, error))?;
        Ok(self.object)
    }

    fn failed(&self, device: Id, error: cl_int) -> Error {
        failed_build(&self.object, device, &self.options.to_string_lossy(), error)
    }
}

/// One program out of several. OpenCL's linker takes few options, so each is compiled with its own;
/// what a driver leaves to its linker may be compiled without them.
fn compile_and_link(context: &ClContext, device: Id, parts: &[Unbuilt]) -> Result<Object> {
    for part in parts {
        let (program, options) = (part.object.0, &part.options);
        compile_program(program, &[device.0], options, &[], &[], None, null_mut())
            .map_err(|error| part.failed(device, error))?;
    }
    let programs: Vec<cl_program> = parts.iter().map(|part| part.object.0).collect();
    // SAFETY: the device is one of the context, and so are the programs.
    let linked =
        unsafe { link_program(context.get(), &[device.0], c"", &programs, None, null_mut()) };
    Ok(Object(linked.map_err(build_failure(
        "the driver cannot link the device image with its libraries",
    ))?))
}

/// A program out of a source, built for devices.
pub(super) fn built_from_source(
    context: &ClContext,
    devices: &[Id],
    source: &Source<'_>,
    create_with_il: Option<CreateWithIl>,
) -> Result<Object> {
    let Some(first) = devices.first() else {
        return Err(Error::new(Kind::Invalid, "a program needs a device"));
    };
    let invalid = |what| Error::new(Kind::Invalid, what);
    let created = match source.language {
        SourceLanguage::SpirV => {
            // There are drivers that never come to the end of one that is cut off.
            spirv::check::check(source.code).map_err(|reason| {
                let reason = format!("the source is no whole module of SPIR-V: {reason}");
                Error::new(Kind::Build, reason)
            })?;
            create_from_spirv(context, source.code, create_with_il)
        }
        SourceLanguage::OpenClC => {
            let text = std::str::from_utf8(source.code);
            let text = text.map_err(|_| invalid("a source in OpenCL C that is no text"))?;
            // OpenCL takes a length of nothing for text up to a NUL.
            let text = if text.is_empty() { " " } else { text };
            create_program_with_source(context.get(), &[text])
        }
    };
    let object = Object(created.map_err(build_failure("the driver refuses the source"))?);
    let options =
        CString::new(source.options).map_err(|_| invalid("build options with a NUL character"))?;
    let raw: Vec<cl_device_id> = devices.iter().map(|id| id.0).collect();
    match build_program(object.0, &raw, &options, None, null_mut()) {
        Ok(()) => Ok(object),
        Err(error @ (CL_INVALID_BUILD_OPTIONS | CL_INVALID_COMPILER_OPTIONS)) => {
            let reason = format!("the driver takes no options '{}'", source.options);
            Err(invalid(&reason).by_opencl(error))
        }
        Err(error) => Err(failed_build(&object, *first, source.options, error)),
    }
}

/// What the driver's compiler said.
pub(super) fn build_log(object: &Object, device: Id) -> String {
    let log = get_program_build_data(object.0, device.0, CL_PROGRAM_BUILD_LOG);
    super::device::clean(String::from_utf8_lossy(&log.unwrap_or_default()).into_owned())
}

/// A failed build with its log.
pub(super) fn failed_build(object: &Object, device: Id, options: &str, error: cl_int) -> Error {
    Error::new(
        Kind::Build,
        format!(
            "the device image does not build with options '{options}': {}\nbuild log:\n{}",
            ClError(error),
            build_log(object, device)
        ),
    )
    .by_opencl(error)
}

fn create_from_binary(context: &ClContext, device: Id, binary: &[u8]) -> Result<Object> {
    // SAFETY: the device is one of the context; the driver checks the binary.
    let created = unsafe { create_program_with_binary(context.get(), &[device.0], &[binary]) };
    Ok(Object(
        created.map_err(build_failure("the driver refuses the image"))?,
    ))
}

/// Through OpenCL 2.1's function, or the extension of older platforms.
fn create_from_spirv(
    context: &ClContext,
    spirv: &[u8],
    create_with_il: Option<CreateWithIl>,
) -> std::result::Result<cl_program, cl_int> {
    let first = create_program_with_il(context.get(), spirv);
    let (Err(_), Some(create)) = (first, create_with_il) else {
        return first;
    };
    let mut status = 0;
    // SAFETY: `spirv` spans the module for the length of the call.
    let object = unsafe {
        create(
            context.get(),
            spirv.as_ptr().cast::<c_void>(),
            spirv.len(),
            &raw mut status,
        )
    };
    if status == 0 { Ok(object) } else { Err(status) }
}

fn build_failure(what: &str) -> impl Fn(cl_int) -> Error + '_ {
    move |error| Error::new(Kind::Build, format!("{what}: {}", ClError(error))).by_opencl(error)
}

impl Program for OpenClProgram {
    fn global(&self, name: &str) -> Result<Option<*mut c_void>> {
        let Some(global_pointer) = self.global_pointer else {
            let reason = "the OpenCL driver cannot tell where variables of a program are, which \
                          device globals need";
            return Err(Error::new(Kind::FeatureNotSupported, reason));
        };
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a variable's name"))?;
        let (mut size, mut place) = (0, null_mut());
        // SAFETY: the program is alive and built for the device; the name and the places for the
        // answers outlive the call.
        let status = unsafe {
            let (device, program) = (self.device.0, self.object.0);
            global_pointer(
                device,
                program,
                c_name.as_ptr(),
                &raw mut size,
                &raw mut place,
            )
        };
        match status {
            0 if !place.is_null() => Ok(Some(place)),
            0 | CL_INVALID_ARG_VALUE => Ok(None),
            _ => {
                let what = format!("find variable {name} in the built image");
                Err(refused(&what)(ClError(status)))
            }
        }
    }

    fn binary(&self) -> Option<Vec<u8>> {
        let asked = |question| get_program_info(self.object.0, question).ok();
        let devices: Vec<isize> = asked(CL_PROGRAM_DEVICES)?.into();
        let binaries: Vec<Vec<u8>> = asked(CL_PROGRAM_BINARIES)?.into();
        // The program is of all devices of the context, and built for one.
        let place = devices
            .iter()
            .position(|id| *id == self.device.0 as isize)?;
        let binary = binaries.into_iter().nth(place);
        binary.filter(|binary| !binary.is_empty())
    }

    fn build_log(&self) -> String {
        build_log(&self.object, self.device)
    }

    fn native_owned(&self) -> *mut c_void {
        // SAFETY: the program is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_program(self.object.0) };
        self.object.0
    }

    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let missing = format!("find kernel {} in the built image", named(name));
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a kernel's name"))?;
        let object = create_kernel(self.object.0, &c_name);
        let object = ClKernel::new(object.map_err(|e| refused(&missing)(e.into()))?);
        if self.has_usm {
            let yes: cl_bool = 1;
            for what in CL_KERNEL_EXEC_INFO_INDIRECT_ACCESS_INTEL {
                // SAFETY: the extension gives these questions a cl_bool. A device without one of
                // the kinds of memory refuses, and then needs no such promise.
                let _ = unsafe { object.set_exec_info(what, &raw const yes) };
            }
        }
        Ok(Arc::new(of_program(
            Arc::new(Mutex::new(object)),
            self.device,
        )))
    }
}

/// A kernel on a device that its program is built for.
pub(super) fn of_program(object: Arc<Mutex<ClKernel>>, device: Id) -> OpenClKernel {
    let kernel = object.lock().unwrap_or_else(|e| e.into_inner());
    let required = kernel.get_compile_work_group_size(device.0);
    drop(kernel);
    let required = required
        .ok()
        .and_then(|sizes| <[usize; 3]>::try_from(sizes).ok());
    OpenClKernel {
        object,
        required_group: required.filter(|[x, ..]| *x != 0),
        device,
        task: is_emulator(device.0).then(Mutex::default),
    }
}

/// A kernel; its arguments are set and the command given under the lock, as OpenCL requires.
pub(super) struct OpenClKernel {
    pub object: Arc<Mutex<ClKernel>>,
    required_group: Option<[usize; 3]>,
    device: Id,
    /// On the FPGA emulator the last start of a single work-item that could begin at once. Hardware is one such kernel,
    /// which takes the next start when the one before has ended: programs count on it that what it writes to a pipe
    /// is in order. A start that has to wait for others does not keep those out that need not.
    pub task: Option<Mutex<Option<Arc<OpenClEvent>>>>,
}

fn is_emulator(device: cl_device_id) -> bool {
    (ClDevice::new(device).name()).is_ok_and(|name| emulator::is_named(&name))
}

impl Kernel for OpenClKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn required_group(&self) -> Option<[usize; 3]> {
        self.required_group
    }

    fn native_owned(&self) -> *mut c_void {
        let kernel = self.object.lock().unwrap_or_else(|e| e.into_inner());
        // SAFETY: the kernel is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_kernel(kernel.get()) };
        kernel.get()
    }

    fn query(&self, what: u32) -> Result<u64> {
        let kernel = self.object.lock().unwrap_or_else(|e| e.into_inner());
        let device = self.device.0;
        match what {
            codes::KERNEL_WORK_GROUP_SIZE => kernel.get_work_group_size(device).map(|n| n as u64),
            codes::KERNEL_PREFERRED_MULTIPLE => kernel
                .get_work_group_size_multiple(device)
                .map(|n| n as u64),
            codes::KERNEL_PRIVATE_MEM_SIZE => kernel.get_private_mem_size(device),
            codes::KERNEL_MAX_SUB_GROUP_SIZE => {
                sub_groups(&kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE)
            }
            codes::KERNEL_MAX_NUM_SUB_GROUPS => {
                sub_groups(&kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS)
            }
            codes::KERNEL_COMPILE_NUM_SUB_GROUPS => {
                sub_groups(&kernel, device, CL_KERNEL_COMPILE_NUM_SUB_GROUPS)
            }
            codes::KERNEL_COMPILE_SUB_GROUP_SIZE => {
                sub_groups(&kernel, device, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL)
            }
            codes::KERNEL_NUM_REGISTERS => {
                let reason = "the driver does not tell how many registers a kernel uses";
                return Err(Error::new(Kind::FeatureNotSupported, reason));
            }
            _ => return Err(Error::new(Kind::Invalid, "unknown question about a kernel")),
        }
        .map_err(refused("answer a question about a kernel"))
    }
}

/// An answer about the sub-groups of a kernel in its largest work-group. Where OpenCL 1.2 has no such question:
/// that nothing is asked for, and of the largest size and number what they cannot be more than, or what the emulator has.
fn sub_groups(
    kernel: &ClKernel,
    device: cl_device_id,
    question: cl_uint,
) -> std::result::Result<u64, ClError> {
    let largest = [kernel.get_work_group_size(device)?];
    let group = (size_of_val(&largest), largest.as_ptr().cast());
    let answer = match get_kernel_sub_group_info(kernel.get(), device, question, group.0, group.1) {
        Err(CL_INVALID_OPERATION) => {
            let size = is_emulator(device).then(emulator::sub_group_size).flatten();
            let (largest, size) = (largest[0] as u64, size.map(u64::from));
            return Ok(match question {
                CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => size.unwrap_or(largest).min(largest),
                CL_KERNEL_MAX_NUM_SUB_GROUPS => largest.div_ceil(size.unwrap_or(1)),
                _ => 0,
            });
        }
        answer => answer?,
    };
    // opencl3 knows the type of the standard's answers; an extension's come as bytes.
    if question != CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL {
        return Ok(answer.to_size() as u64);
    }
    let word = answer.to_vec_uchar().try_into();
    Ok(usize::from_ne_bytes(word.map_err(|_| ClError(CL_INVALID_VALUE))?) as u64)
}
