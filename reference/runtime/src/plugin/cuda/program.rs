//! CUDA modules and kernels.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};

use cuda_driver_sys as sys;
use offload_formats::demangle::named;
use offload_formats::{cubin, ptx};

use super::device::Limits;
use super::driver::{Api, Module, Primary, done, end_if_assertion_failed, filled};
use super::jit_options;
use crate::abi::codes;
use crate::error::{Error, Kind, Result};
use crate::plugin::{BuildInput, Kernel, Part, Program};

/// Room for what the driver's compiler has to say.
const LOG_SIZE: usize = 16 * 1024;

/// A loaded module.
pub(super) struct CudaProgram {
    module: Arc<Module>,
    limits: Limits,
    required_groups: RequiredGroups,
}

/// The work-group sizes that kernels require, by their names, in the device's order.
type RequiredGroups = HashMap<String, [usize; 3]>;

impl CudaProgram {
    /// Loads PTX, which the driver compiles, or a binary.
    pub fn build(
        primary: &Arc<Primary>,
        limits: Limits,
        input: &BuildInput<'_>,
    ) -> Result<CudaProgram> {
        let _entered = primary.enter()?;
        let module = match input.parts {
            [] => return Err(Error::new(Kind::Build, "no image to load")),
            [only] => load(primary.api(), &ending_in_nul(only.bytes), only.options)?,
            parts => Link::of(primary.api(), parts)?.load()?,
        };
        Ok(CudaProgram {
            // SAFETY: the driver has just made it, and nobody else has it.
            module: Arc::new(unsafe { Module::of(primary, module) }),
            limits,
            required_groups: required_groups(input.parts[0].bytes),
        })
    }
}

/// Loads PTX that ends in a NUL, or a binary, in the context that is current.
fn load(api: Api, image: &[u8], words: &str) -> Result<sys::CUmodule> {
    let mut log = Log::new(words)?;
    let mut module = null_mut();
    // SAFETY: the image ends in a NUL or is a binary that says how long it is, and the log has the room
    // that the options say; both outlive the call.
    let result = unsafe {
        (api.module_load_data_ex)(
            &raw mut module,
            image.as_ptr().cast(),
            log.options.len() as u32,
            log.options.as_mut_ptr(),
            log.values.as_mut_ptr(),
        )
    };
    log.checked(api, "load the device image", result)?;
    Ok(module)
}

/// Several images that the driver links into one.
struct Link {
    api: Api,
    state: sys::CUlinkState,
    /// The driver writes there until the link ends.
    log: Log,
}

impl Link {
    /// A link of images, in the context that is current.
    fn of(api: Api, parts: &[Part<'_>]) -> Result<Link> {
        const WHAT: &str = "link the device images";
        // What the driver compiles is the linked image: the first part, the kernel's own, says how.
        let mut log = Log::new(parts.first().map_or("", |part| part.options))?;
        let mut state = null_mut();
        // SAFETY: the log has the room that the options say, and stays as long as the link.
        let result = unsafe {
            (api.link_create)(
                log.options.len() as u32,
                log.options.as_mut_ptr(),
                log.values.as_mut_ptr(),
                &raw mut state,
            )
        };
        log.checked(api, WHAT, result)?;
        let link = Link { api, state, log };
        for part in parts {
            let image = ending_in_nul(part.bytes);
            let kind = match part.bytes.starts_with(b"\x7fELF") {
                true => sys::CU_JIT_INPUT_CUBIN,
                false => sys::CU_JIT_INPUT_PTX,
            };
            // SAFETY: the link is alive, the image spans its bytes for the length of the call, and
            // there are no options.
            let result = unsafe {
                (api.link_add_data)(
                    link.state,
                    kind,
                    image.as_ptr().cast_mut().cast(),
                    image.len(),
                    c"image".as_ptr(),
                    0,
                    null_mut(),
                    null_mut(),
                )
            };
            link.log.checked(api, WHAT, result)?;
        }
        Ok(link)
    }

    /// Loads what the images become.
    fn load(self) -> Result<sys::CUmodule> {
        let (mut binary, mut size) = (null_mut(), 0);
        // SAFETY: the link is alive, and there are places for what it gives.
        let result =
            unsafe { (self.api.link_complete)(self.state, &raw mut binary, &raw mut size) };
        self.log
            .checked(self.api, "link the device images", result)?;
        // SAFETY: the driver gave the binary with its size, and keeps it as long as the link is alive.
        let binary = unsafe { std::slice::from_raw_parts(binary.cast::<u8>(), size) };
        // It is compiled already: options have nothing left to say.
        load(self.api, binary, "")
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // SAFETY: the link is alive and this its owner. There is nobody to tell of a refusal.
        let _ = unsafe { (self.api.link_destroy)(self.state) };
    }
}

/// What the driver's compiler is told, and what it has to say.
struct Log {
    text: Vec<u8>,
    options: Vec<sys::CUjit_option>,
    /// The value of each option, one of which points to the text. A link reads them as long as it is
    /// alive, wherever its log goes.
    values: Vec<*mut c_void>,
}

impl Log {
    /// A log with room, and the options that `words` ask for.
    ///
    /// # Errors
    /// At a word that the driver has nothing for.
    fn new(words: &str) -> Result<Log> {
        let mut text = vec![0_u8; LOG_SIZE];
        let mut asked = jit_options::read(words)?;
        asked.extend([
            (sys::CU_JIT_ERROR_LOG_BUFFER, text.as_mut_ptr().cast()),
            // A number in the place of a pointer, as the interface has it; the last byte stays 0.
            (
                sys::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                (LOG_SIZE - 1) as *mut c_void,
            ),
        ]);
        let (options, values) = asked.into_iter().unzip();
        Ok(Log {
            text,
            options,
            values,
        })
    }

    /// Fails with what the driver said when it refused `what`.
    fn checked(&self, api: Api, what: &str, result: sys::CUresult) -> Result<()> {
        if result == sys::CUDA_SUCCESS {
            return Ok(());
        }
        end_if_assertion_failed(result);
        let said = CStr::from_bytes_until_nul(&self.text).unwrap_or_default();
        Err(Error::new(
            Kind::Build,
            format!(
                "the driver does not {what}: {}\nbuild log:\n{}",
                api.described(result),
                said.to_string_lossy().trim()
            ),
        ))
    }
}

/// What PTX and machine code say; the driver itself tells only the number of work-items. Of other
/// binaries nothing is known, and the driver refuses a launch with another size.
fn required_groups(image: &[u8]) -> RequiredGroups {
    let kernels = match cubin::is_cubin(image) {
        true => cubin::kernels(image),
        false => ptx::kernels(image),
    };
    let kernels = kernels.unwrap_or_default();
    let required = kernels.into_iter().filter_map(|kernel| {
        let mut sizes = kernel.work_group_size.iter().map(|size| *size as usize);
        let x = sizes.next()?;
        let mut next = || sizes.next().unwrap_or(1);
        Some((kernel.name, [x, next(), next()]))
    });
    required.collect()
}

/// The driver reads PTX up to a NUL.
fn ending_in_nul(image: &[u8]) -> Cow<'_, [u8]> {
    match image.last() {
        Some(0) => Cow::Borrowed(image),
        _ => Cow::Owned([image, &[0]].concat()),
    }
}

impl Program for CudaProgram {
    fn global(&self, name: &str) -> Result<Option<*mut c_void>> {
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a variable's name"))?;
        let (primary, module) = (self.module.primary(), self.module.handle());
        let api = primary.api();
        let _entered = primary.enter()?;
        let mut place = 0;
        // SAFETY: the module is alive; name and place outlive the call, and nobody asks for the size.
        let result =
            unsafe { (api.module_get_global)(&raw mut place, null_mut(), module, c_name.as_ptr()) };
        if result == sys::CUDA_ERROR_NOT_FOUND {
            return Ok(None);
        }
        done(
            api,
            &format!("find variable {name} in the built image"),
            result,
        )?;
        Ok(Some(place as *mut c_void))
    }

    fn native_owned(&self) -> *mut c_void {
        self.module.handle()
    }

    fn kernel(&self, name: &str) -> Result<Arc<dyn Kernel>> {
        let c_name =
            CString::new(name).map_err(|_| Error::new(Kind::Invalid, "a kernel's name"))?;
        let (primary, module) = (self.module.primary(), self.module.handle());
        let api = primary.api();
        let _entered = primary.enter()?;
        let missing = format!("find kernel {} in the built image", named(name));
        let function = filled(api, &missing, null_mut(), |function| {
            // SAFETY: the module is alive; the name outlives the call.
            unsafe { (api.module_get_function)(function, module, c_name.as_ptr()) }
        })?;
        let number = |which: c_int| {
            let number = filled(api, "tell a kernel's properties", 0, |number| {
                // SAFETY: a kernel of the module, and a place for the number.
                unsafe { (api.func_get_attribute)(number, which, function) }
            });
            Ok::<u32, Error>(number?.unsigned_abs())
        };
        Ok(Arc::new(CudaKernel {
            function,
            required_group: self.required_groups.get(name).copied(),
            static_local: number(sys::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? as usize,
            allowed_local: Mutex::default(),
            max_group_size: number(sys::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            private_size: number(sys::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            registers: number(sys::CU_FUNC_ATTRIBUTE_NUM_REGS)?,
            limits: self.limits,
            module: Arc::clone(&self.module),
        }))
    }
}

/// A kernel.
pub(super) struct CudaKernel {
    function: sys::CUfunction,
    /// The most work-items of a work-group.
    pub max_group_size: u32,
    /// What bounds its launches.
    pub limits: Limits,
    /// The work-group size that the kernel requires, in the device's order.
    pub required_group: Option<[usize; 3]>,
    /// Local memory that the kernel has without asking.
    pub static_local: usize,
    /// The most local memory that a launch has asked for beyond what needs no asking.
    pub allowed_local: Mutex<usize>,
    private_size: u32,
    registers: u32,
    /// Holds the function.
    pub module: Arc<Module>,
}

// SAFETY: the driver's objects may be used from any thread.
unsafe impl Send for CudaKernel {}
// SAFETY: as above.
unsafe impl Sync for CudaKernel {}

impl CudaKernel {
    /// For calls.
    pub fn function(&self) -> sys::CUfunction {
        self.function
    }
}

impl Kernel for CudaKernel {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn required_group(&self) -> Option<[usize; 3]> {
        self.required_group
    }

    fn native_owned(&self) -> *mut c_void {
        self.function
    }

    fn query(&self, what: u32) -> Result<u64> {
        let answer = match what {
            codes::KERNEL_WORK_GROUP_SIZE => self.max_group_size,
            codes::KERNEL_PREFERRED_MULTIPLE => self.limits.warp,
            codes::KERNEL_PRIVATE_MEM_SIZE => self.private_size,
            codes::KERNEL_NUM_REGISTERS => self.registers,
            codes::KERNEL_MAX_SUB_GROUP_SIZE => self.limits.warp,
            codes::KERNEL_MAX_NUM_SUB_GROUPS => self.max_group_size.div_ceil(self.limits.warp),
            // PTX says nothing of sub-groups: each is a warp.
            codes::KERNEL_COMPILE_SUB_GROUP_SIZE | codes::KERNEL_COMPILE_NUM_SUB_GROUPS => 0,
            _ => return Err(Error::new(Kind::Invalid, "unknown question about a kernel")),
        };
        Ok(answer.into())
    }
}

#[cfg(test)]
mod tests {
    use super::{ending_in_nul, required_groups};

    #[test]
    fn ptx_says_which_work_group_sizes_its_kernels_require() {
        let ptx = b".entry a() .reqntid 8, 4 { ret; }\n.entry b() { ret; }\n\0";
        let required = required_groups(ptx);
        assert_eq!(required.get("a"), Some(&[8, 4, 1]));
        assert_eq!(required.get("b"), None);
        assert!(required_groups(b"\x7fELF\xff").is_empty());
    }

    #[test]
    fn an_image_ends_in_one_nul() {
        assert_eq!(ending_in_nul(b"ptx")[..], *b"ptx\0");
        assert_eq!(ending_in_nul(b"ptx\0")[..], *b"ptx\0");
        assert_eq!(ending_in_nul(b"")[..], *b"\0");
    }
}
