//! Kernels on an NVIDIA GPU through the CUDA driver interface, which is opened when it is asked for.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

use libloading::{Library, Symbol};

/// Memory of the device.
pub type Address = u64;

type Handle = *mut c_void;
type Result<T> = std::result::Result<T, String>;

/// The first GPU, with a context that is current.
pub struct Gpu {
    library: Library,
    /// Its name.
    pub name: String,
}

/// A kernel, in a module that stays loaded.
#[derive(Debug, Clone, Copy)]
pub struct Kernel(Handle);

impl Gpu {
    /// Opens the driver and the first GPU.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open() -> Result<Gpu> {
        // SAFETY: opening the driver's library runs its initialisers, which is what it is for.
        let library = unsafe { Library::new("libcuda.so.1") };
        let library = library.map_err(|e| format!("no CUDA driver: {e}"))?;
        let mut gpu = Gpu {
            library,
            name: String::new(),
        };
        let (mut count, mut device, mut context) = (0, 0, null_mut());
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: the functions have these types in the driver interface; places are ours, and calls
        // come in the order that it asks for.
        unsafe {
            let init: Symbol<'_, unsafe extern "C" fn(c_uint) -> c_int> = gpu.find(b"cuInit")?;
            gpu.check("cuInit", init(0))?;
            let get_count: Symbol<'_, unsafe extern "C" fn(*mut c_int) -> c_int> =
                gpu.find(b"cuDeviceGetCount")?;
            gpu.check("cuDeviceGetCount", get_count(&raw mut count))?;
            if count == 0 {
                return Err("the CUDA driver has no device".to_owned());
            }
            let get: Symbol<'_, unsafe extern "C" fn(*mut c_int, c_int) -> c_int> =
                gpu.find(b"cuDeviceGet")?;
            gpu.check("cuDeviceGet", get(&raw mut device, 0))?;
            let get_name: Symbol<'_, unsafe extern "C" fn(*mut c_char, c_int, c_int) -> c_int> =
                gpu.find(b"cuDeviceGetName")?;
            let status = get_name(name.as_mut_ptr(), 255, device);
            gpu.check("cuDeviceGetName", status)?;
            let retain: Symbol<'_, unsafe extern "C" fn(*mut Handle, c_int) -> c_int> =
                gpu.find(b"cuDevicePrimaryCtxRetain")?;
            let status = retain(&raw mut context, device);
            gpu.check("cuDevicePrimaryCtxRetain", status)?;
            let set: Symbol<'_, unsafe extern "C" fn(Handle) -> c_int> =
                gpu.find(b"cuCtxSetCurrent")?;
            gpu.check("cuCtxSetCurrent", set(context))?;
            gpu.name = CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
        }
        Ok(gpu)
    }

    /// Loads PTX and takes a kernel out of it.
    ///
    /// # Errors
    /// When the driver refuses the PTX, with its log, or finds no such kernel.
    pub fn kernel(&self, ptx: &[u8], name: &str) -> Result<Kernel> {
        const ERROR_LOG_BUFFER: c_int = 5;
        const ERROR_LOG_BUFFER_SIZE: c_int = 6;
        type Load = unsafe extern "C" fn(
            *mut Handle,
            *const c_void,
            c_uint,
            *mut c_int,
            *mut *mut c_void,
        ) -> c_int;
        type GetFunction = unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> c_int;
        let text: Vec<u8> = ptx.iter().copied().take_while(|byte| *byte != 0).collect();
        let text = CString::new(text).map_err(|e| e.to_string())?;
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let mut log = vec![0_u8; 8192];
        let mut options = [ERROR_LOG_BUFFER, ERROR_LOG_BUFFER_SIZE];
        let mut values = [log.as_mut_ptr().cast(), (log.len() - 1) as *mut c_void];
        let (mut module, mut function) = (null_mut(), null_mut());
        // SAFETY: the functions have these types in the driver interface; the text ends in a NUL and
        // the log has the room that the options say.
        unsafe {
            let load: Symbol<'_, Load> = self.find(b"cuModuleLoadDataEx")?;
            let status = load(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            );
            self.check("cuModuleLoadDataEx", status).map_err(|e| {
                let said = CStr::from_bytes_until_nul(&log).unwrap_or_default();
                format!("{e}\n{}", said.to_string_lossy())
            })?;
            let get: Symbol<'_, GetFunction> = self.find(b"cuModuleGetFunction")?;
            let status = get(&raw mut function, module, name.as_ptr());
            self.check("cuModuleGetFunction", status)?;
        }
        Ok(Kernel(function))
    }

    /// Device memory that holds the values; it is never freed.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn upload(&self, values: &[f32]) -> Result<Address> {
        let mut address: Address = 0;
        // SAFETY: the functions have these types in the driver interface; the new memory has the
        // size of the values.
        unsafe {
            let allocate: Symbol<'_, unsafe extern "C" fn(*mut Address, usize) -> c_int> =
                self.find(b"cuMemAlloc_v2")?;
            let status = allocate(&raw mut address, size_of_val(values));
            self.check("cuMemAlloc", status)?;
            let copy: Symbol<'_, unsafe extern "C" fn(Address, *const c_void, usize) -> c_int> =
                self.find(b"cuMemcpyHtoD_v2")?;
            let status = copy(address, values.as_ptr().cast(), size_of_val(values));
            self.check("cuMemcpyHtoD", status)?;
        }
        Ok(address)
    }

    /// Reads values out of memory that [`Gpu::upload`] gave for at least as many.
    ///
    /// # Errors
    /// When the driver refuses, or a kernel before failed.
    pub fn download(&self, from: Address, count: usize) -> Result<Vec<f32>> {
        let mut values = vec![0.0_f32; count];
        let size = size_of_val(values.as_slice());
        // SAFETY: the function has this type in the driver interface; there is room for `size` bytes.
        unsafe {
            let copy: Symbol<'_, unsafe extern "C" fn(*mut c_void, Address, usize) -> c_int> =
                self.find(b"cuMemcpyDtoH_v2")?;
            let status = copy(values.as_mut_ptr().cast(), from, size);
            self.check("cuMemcpyDtoH", status)?;
        }
        Ok(values)
    }

    /// Runs the kernel over `groups` work-groups of `group_size` work-items in one dimension and
    /// waits for its end; each parameter is given as its bytes.
    ///
    /// # Errors
    /// When the driver refuses or the kernel fails.
    pub fn run(
        &self,
        kernel: Kernel,
        groups: u32,
        group_size: u32,
        parameters: &[Vec<u8>],
    ) -> Result<()> {
        type Launch = unsafe extern "C" fn(
            Handle,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            c_uint,
            Handle,
            *const *const c_void,
            *const c_void,
        ) -> c_int;
        let places: Vec<*const c_void> = parameters.iter().map(|p| p.as_ptr().cast()).collect();
        // SAFETY: the functions have these types in the driver interface; the driver copies each
        // parameter in the call, as many bytes as the kernel says: callers give those.
        unsafe {
            let launch: Symbol<'_, Launch> = self.find(b"cuLaunchKernel")?;
            let status = launch(
                kernel.0,
                groups,
                1,
                1,
                group_size,
                1,
                1,
                0,
                null_mut(),
                places.as_ptr(),
                null(),
            );
            self.check("cuLaunchKernel", status)?;
            let wait: Symbol<'_, unsafe extern "C" fn() -> c_int> =
                self.find(b"cuCtxSynchronize")?;
            self.check("cuCtxSynchronize", wait())
        }
    }

    /// # Safety
    /// `F` must be the type of the function.
    unsafe fn find<F>(&self, name: &[u8]) -> Result<Symbol<'_, F>> {
        // SAFETY: as the caller says.
        unsafe { self.library.get(name) }.map_err(|e| e.to_string())
    }

    fn check(&self, call: &str, status: c_int) -> Result<()> {
        match status {
            0 => Ok(()),
            status => Err(format!("{call} returned {status}")),
        }
    }
}
