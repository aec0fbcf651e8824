//! Level Zero's modules and kernels.

use std::any::Any;
use std::ffi::{CString, c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};

use level_zero_sys as sys;
use offload_formats::demangle::named;
use offload_formats::registration::ImageFormat;

use super::driver::{self, Api, BuildLog, Id, Module, described, filled, refusal};
use crate::abi::codes;
use crate::error::{Error, Kind, Result};
use crate::plugin::{BuildInput, Kernel, Program, SpecValue};

/// A built module.
pub(super) struct LevelZeroProgram {
    module: Arc<Module>,
    /// The most work-items of a work-group on its device.
    max_group_size: u32,
}

/// The values of specialization constants as the interface takes them: lists of the same length.
struct Constants {
    ids: Vec<u32>,
    values: Vec<*const c_void>,
}

impl Constants {
    fn of(values: &[SpecValue]) -> Constants {
        Constants {
            ids: values.iter().map(|value| value.id).collect(),
            values: values.iter().map(|v| v.bytes.as_ptr().cast()).collect(),
        }
    }

    /// Points into the lists, which must stay as they are.
    fn raw(&mut self) -> sys::ze_module_constants_t {
        sys::ze_module_constants_t {
            num_constants: self.ids.len() as u32,
            constant_ids: self.ids.as_ptr(),
            constant_values: self.values.as_mut_ptr(),
        }
    }
}

impl LevelZeroProgram {
    pub fn build(
        context: &Arc<driver::Context>,
        device: Id,
        input: &BuildInput<'_>,
    ) -> Result<LevelZeroProgram> {
        let api = context.api();
        let parts = input.parts;
        let first = parts
            .first()
            .ok_or_else(|| Error::new(Kind::Build, "no image to build"))?;
        let options: Vec<CString> = parts
            .iter()
            .map(|part| CString::new(part.options))
            .collect::<Result<_, _>>()
            .map_err(|_| Error::new(Kind::Build, "build options with a NUL character"))?;
        // Several modules stand in lists.
        let sizes: Vec<usize> = parts.iter().map(|part| part.bytes.len()).collect();
        let modules: Vec<*const u8> = parts.iter().map(|part| part.bytes.as_ptr()).collect();
        let flags: Vec<*const c_char> = options.iter().map(|options| options.as_ptr()).collect();
        let values = parts.iter().map(|part| Constants::of(part.spec_values));
        let mut values: Vec<Constants> = values.collect();
        let values: Vec<sys::ze_module_constants_t> =
            values.iter_mut().map(Constants::raw).collect();
        let constants: Vec<*const sys::ze_module_constants_t> =
            values.iter().map(std::ptr::from_ref).collect();
        let several = sys::ze_module_program_exp_desc_t {
            count: parts.len() as u32,
            input_sizes: sizes.as_ptr(),
            input_modules: modules.as_ptr(),
            build_flags: flags.as_ptr(),
            constants: constants.as_ptr(),
            ..Default::default()
        };
        let mut description = sys::ze_module_desc_t {
            format: match input.format {
                ImageFormat::SpirV => sys::ZE_MODULE_FORMAT_IL_SPIRV,
                _ => sys::ZE_MODULE_FORMAT_NATIVE,
            },
            build_flags: flags[0],
            ..Default::default()
        };
        if parts.len() == 1 {
            description.input_size = first.bytes.len();
            description.input_module = first.bytes.as_ptr();
            if !first.spec_values.is_empty() {
                description.constants = constants[0];
            }
        } else {
            description.next = (&raw const several).cast();
        }
        let (mut module, mut log) = (null_mut(), null_mut());
        // SAFETY: context and device are alive and belong together; all that the description points
        // to outlives the call.
        let result = unsafe {
            let (module, log) = (&raw mut module, &raw mut log);
            (api.module_create)(
                context.handle(),
                device.0,
                &raw const description,
                module,
                log,
            )
        };
        // SAFETY: a log that the driver has just made, when it made one; nobody else has it.
        let log = (!log.is_null()).then(|| unsafe { BuildLog::of(api, log, ()) });
        if result != sys::ZE_RESULT_SUCCESS {
            return Err(failed_build(first.options, result, log));
        }
        Ok(LevelZeroProgram {
            // SAFETY: the driver has just made it, and nobody else has it.
            module: Arc::new(unsafe { Module::of(api, module, Arc::clone(context)) }),
            max_group_size: max_group_size(api, device)?,
        })
    }
}

fn max_group_size(api: Api, device: Id) -> Result<u32> {
    let properties = filled(
        "tell a device's properties",
        sys::ze_device_compute_properties_t::default(),
        // SAFETY: a device of the loader, and a structure with its mark.
        |place| unsafe { (api.device_get_compute_properties)(device.0, place) },
    )?;
    Ok(properties.max_total_group_size)
}

/// A failed build with its log.
fn failed_build(options: &str, result: sys::ze_result_t, log: Option<BuildLog>) -> Error {
    let log = log.map(|log| text(&log)).unwrap_or_default();
    Error::new(
        Kind::Build,
        format!(
            "the device image does not build with options '{options}': {}\nbuild log:\n{log}",
            described(result)
        ),
    )
}

/// What a log says.
fn text(log: &BuildLog) -> String {
    let read = log.api().module_build_log_get_string;
    let mut size = 0;
    // SAFETY: the log is alive; with no room only the size is written.
    if unsafe { read(log.handle(), &raw mut size, null_mut()) } != sys::ZE_RESULT_SUCCESS {
        return String::new();
    }
    let mut bytes = vec![0_u8; size];
    // SAFETY: the log is alive, and there is room for `size` characters.
    let result = unsafe { read(log.handle(), &raw mut size, bytes.as_mut_ptr().cast()) };
    if result != sys::ZE_RESULT_SUCCESS {
        return String::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    text.trim_matches(|c: char| c == '\0' || c.is_whitespace())
        .to_owned()
}

impl Program for LevelZeroProgram {
    fn global(&self, name: &str) -> Result<Option<*mut c_void>> {
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a variable's name"))?;
        let (api, module) = (self.module.api(), self.module.handle());
        let (get, mut place) = (api.module_get_global_pointer, null_mut());
        // SAFETY: the module is alive; name and place outlive the call, and nobody asks for the size.
        match unsafe { get(module, c_name.as_ptr(), null_mut(), &raw mut place) } {
            sys::ZE_RESULT_SUCCESS => Ok(Some(place)),
            sys::ZE_RESULT_ERROR_INVALID_GLOBAL_NAME => Ok(None),
            result => Err(refusal(
                &format!("find variable {name} in the built image"),
                result,
            )),
        }
    }

    fn binary(&self) -> Option<Vec<u8>> {
        let (api, module) = (self.module.api(), self.module.handle());
        let read = api.module_get_native_binary;
        let mut size = 0;
        // SAFETY: the module is alive; with no room only the size is written.
        let result = unsafe { read(module, &raw mut size, null_mut()) };
        if result != sys::ZE_RESULT_SUCCESS || size == 0 {
            return None;
        }
        let mut binary = vec![0; size];
        // SAFETY: the module is alive, and there is room for `size` bytes.
        let result = unsafe { read(module, &raw mut size, binary.as_mut_ptr()) };
        (result == sys::ZE_RESULT_SUCCESS).then_some(binary)
    }

    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a kernel's name"))?;
        let description = sys::ze_kernel_desc_t {
            kernel_name: c_name.as_ptr(),
            ..Default::default()
        };
        let (api, module) = (self.module.api(), self.module.handle());
        let missing = format!("find kernel {} in the built image", named(name));
        let object = filled(&missing, null_mut(), |object| {
            // SAFETY: the module is alive; the name outlives the call.
            unsafe { (api.kernel_create)(module, &raw const description, object) }
        })?;
        // SAFETY: the driver has just made it, and nobody else has it.
        let object = unsafe { driver::Kernel::of(api, object, Arc::clone(&self.module)) };
        let properties = filled(
            "tell a kernel's properties",
            sys::ze_kernel_properties_t::default(),
            // SAFETY: the kernel is alive, the structure has its mark.
            |place| unsafe { (api.kernel_get_properties)(object.handle(), place) },
        )?;
        let everything = sys::ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST
            | sys::ZE_KERNEL_INDIRECT_ACCESS_FLAG_DEVICE
            | sys::ZE_KERNEL_INDIRECT_ACCESS_FLAG_SHARED;
        // Kernels may reach USM that no argument names, through pointers in memory.
        // SAFETY: the kernel is alive. A device without one of the kinds of memory refuses, and
        // then needs no such promise.
        let _ = unsafe { (api.kernel_set_indirect_access)(object.handle(), everything) };
        Ok(Arc::new(LevelZeroKernel {
            object: Mutex::new(Arc::new(object)),
            properties,
            max_group_size: self.max_group_size,
        }))
    }
}

/// A kernel; its arguments are set and the command given under the lock, as the interface requires.
pub(super) struct LevelZeroKernel {
    pub object: Mutex<Arc<driver::Kernel>>,
    properties: sys::ze_kernel_properties_t,
    max_group_size: u32,
}

// SAFETY: the properties hold no pointer but the one to further structures, which is null.
unsafe impl Send for LevelZeroKernel {}
// SAFETY: as above.
unsafe impl Sync for LevelZeroKernel {}

impl Kernel for LevelZeroKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn required_group(&self) -> Option<[usize; 3]> {
        let sizes = [
            self.properties.required_group_size_x,
            self.properties.required_group_size_y,
            self.properties.required_group_size_z,
        ];
        (sizes[0] != 0).then(|| sizes.map(|size| size.max(1) as usize))
    }

    fn query(&self, what: u32) -> Result<u64> {
        let answer = match what {
            codes::KERNEL_WORK_GROUP_SIZE => self.max_group_size,
            codes::KERNEL_PREFERRED_MULTIPLE => self.properties.max_subgroup_size,
            codes::KERNEL_PRIVATE_MEM_SIZE => self.properties.private_mem_size,
            codes::KERNEL_MAX_SUB_GROUP_SIZE => self.properties.max_subgroup_size,
            codes::KERNEL_MAX_NUM_SUB_GROUPS => self.properties.max_num_subgroups,
            codes::KERNEL_COMPILE_SUB_GROUP_SIZE => self.properties.required_subgroup_size,
            codes::KERNEL_COMPILE_NUM_SUB_GROUPS => self.properties.required_num_sub_groups,
            codes::KERNEL_NUM_REGISTERS => {
                let reason = "the driver does not tell how many registers a kernel uses";
                return Err(Error::new(Kind::FeatureNotSupported, reason));
            }
            _ => return Err(Error::new(Kind::Invalid, "unknown question about a kernel")),
        };
        Ok(answer.into())
    }
}

/// A kernel's argument as bytes, when there are any: null for a null pointer and for local memory.
pub(super) fn argument_place(bytes: Option<&[u8]>) -> *const c_void {
    bytes.map_or(null(), |bytes| bytes.as_ptr().cast())
}
