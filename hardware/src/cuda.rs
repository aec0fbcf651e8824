//! Kernels on an NVIDIA GPU through the CUDA driver interface, without this project's runtime.

use std::ffi::{CStr, CString, c_char};
use std::ptr::null_mut;

use cuda_driver_sys::{
    CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CUDA_SUCCESS, CUdevice,
    CUdeviceptr, CUfunction, CUresult, CudaDriver,
};

type Result<T> = std::result::Result<T, String>;

/// The driver and its devices.
pub struct Driver {
    api: CudaDriver,
    /// How many devices it has.
    pub count: i32,
}

impl Driver {
    /// Opens the driver.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open() -> Result<Driver> {
        let api = CudaDriver::load().map_err(|e| format!("no CUDA driver: {e}"))?;
        let mut driver = Driver { api, count: 0 };
        // SAFETY: the first calls, in the order that the interface asks for; the place is ours.
        unsafe {
            driver.check("cuInit", (driver.api.init)(0))?;
            let result = (driver.api.device_get_count)(&raw mut driver.count);
            driver.check("cuDeviceGetCount", result)?;
        }
        Ok(driver)
    }

    /// The version of the interface, as people write it.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn version(&self) -> Result<String> {
        let mut version = 0;
        // SAFETY: the place is ours.
        let result = unsafe { (self.api.driver_get_version)(&raw mut version) };
        self.check("cuDriverGetVersion", result)?;
        Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
    }

    /// The device of a number below [`Driver::count`].
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn device(&self, ordinal: i32) -> Result<CUdevice> {
        let mut device = 0;
        // SAFETY: the place is ours.
        let result = unsafe { (self.api.device_get)(&raw mut device, ordinal) };
        self.check("cuDeviceGet", result)?;
        Ok(device)
    }

    /// A device's name.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn name(&self, device: CUdevice) -> Result<String> {
        let mut name: [c_char; 256] = [0; 256];
        // SAFETY: there is room for as many characters, of which the last stays 0.
        let result = unsafe { (self.api.device_get_name)(name.as_mut_ptr(), 255, device) };
        self.check("cuDeviceGetName", result)?;
        // SAFETY: the text ends in a 0.
        let name = unsafe { CStr::from_ptr(name.as_ptr()) };
        Ok(name.to_string_lossy().trim().to_owned())
    }

    /// A number of a device, by a `CU_DEVICE_ATTRIBUTE_*`.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn attribute(&self, device: CUdevice, which: i32) -> Result<u32> {
        let mut number = 0;
        // SAFETY: the place is ours.
        let result = unsafe { (self.api.device_get_attribute)(&raw mut number, which, device) };
        self.check("cuDeviceGetAttribute", result)?;
        Ok(number.unsigned_abs())
    }

    fn check(&self, call: &str, result: CUresult) -> Result<()> {
        match result {
            CUDA_SUCCESS => Ok(()),
            _ => Err(format!("{call}: {}", self.api.described(result))),
        }
    }
}

/// The first GPU, with a context that is current.
pub struct Gpu {
    driver: Driver,
    /// Its name.
    pub name: String,
}

/// A kernel, in a module that stays loaded.
#[derive(Debug, Clone, Copy)]
pub struct Kernel(CUfunction);

impl Gpu {
    /// Opens the driver and the first GPU.
    ///
    /// # Errors
    /// Why there is none.
    pub fn open() -> Result<Gpu> {
        let driver = Driver::open()?;
        if driver.count == 0 {
            return Err("the CUDA driver has no device".to_owned());
        }
        let device = driver.device(0)?;
        let mut context = null_mut();
        // SAFETY: the device is the driver's, and the place is ours.
        unsafe {
            let result = (driver.api.device_primary_ctx_retain)(&raw mut context, device);
            driver.check("cuDevicePrimaryCtxRetain", result)?;
            driver.check("cuCtxPushCurrent", (driver.api.ctx_push_current)(context))?;
        }
        Ok(Gpu {
            name: driver.name(device)?,
            driver,
        })
    }

    /// Loads PTX and takes a kernel out of it.
    ///
    /// # Errors
    /// When the driver refuses the PTX, with its log, or finds no such kernel.
    pub fn kernel(&self, ptx: &[u8], name: &str) -> Result<Kernel> {
        let text: Vec<u8> = ptx.iter().copied().take_while(|byte| *byte != 0).collect();
        let text = CString::new(text).map_err(|e| e.to_string())?;
        let name = CString::new(name).map_err(|e| e.to_string())?;
        let mut log = vec![0_u8; 8192];
        let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
        let mut values = [log.as_mut_ptr().cast(), (log.len() - 1) as *mut _];
        let (mut module, mut function) = (null_mut(), null_mut());
        let api = &self.driver.api;
        // SAFETY: the text ends in a NUL and the log has the room that the options say.
        unsafe {
            let result = (api.module_load_data_ex)(
                &raw mut module,
                text.as_ptr().cast(),
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            );
            self.driver
                .check("cuModuleLoadDataEx", result)
                .map_err(|e| {
                    let said = CStr::from_bytes_until_nul(&log).unwrap_or_default();
                    format!("{e}\n{}", said.to_string_lossy())
                })?;
            let result = (api.module_get_function)(&raw mut function, module, name.as_ptr());
            self.driver.check("cuModuleGetFunction", result)?;
        }
        Ok(Kernel(function))
    }

    /// Device memory that holds the values; it is never freed.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn upload(&self, values: &[f32]) -> Result<CUdeviceptr> {
        let mut address: CUdeviceptr = 0;
        let size = size_of_val(values);
        let api = &self.driver.api;
        // SAFETY: the new memory has the size of the values, which the wait lets live long enough.
        unsafe {
            let result = (api.mem_alloc)(&raw mut address, size);
            self.driver.check("cuMemAlloc", result)?;
            let values = values.as_ptr().cast();
            let result = (api.memcpy_host_to_device_async)(address, values, size, null_mut());
            self.driver.check("cuMemcpyHtoDAsync", result)?;
        }
        self.wait()?;
        Ok(address)
    }

    /// Reads values out of memory that [`Gpu::upload`] gave for at least as many.
    ///
    /// # Errors
    /// When the driver refuses, or a kernel before failed.
    pub fn download(&self, from: CUdeviceptr, count: usize) -> Result<Vec<f32>> {
        let mut values = vec![0.0_f32; count];
        let size = size_of_val(values.as_slice());
        let copy = self.driver.api.memcpy_device_to_host_async;
        // SAFETY: there is room for `size` bytes, which the wait lets live long enough.
        let result = unsafe { copy(values.as_mut_ptr().cast(), from, size, null_mut()) };
        self.driver.check("cuMemcpyDtoHAsync", result)?;
        self.wait()?;
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
        parameters: &mut [Vec<u8>],
    ) -> Result<()> {
        let mut places: Vec<_> = parameters
            .iter_mut()
            .map(|p| p.as_mut_ptr().cast())
            .collect();
        let (places, none) = (places.as_mut_ptr(), null_mut());
        let launch = self.driver.api.launch_kernel;
        // SAFETY: the driver copies each parameter in the call, as many bytes as the kernel says:
        // callers give those.
        let result = unsafe {
            let stream = null_mut();
            launch(
                kernel.0, groups, 1, 1, group_size, 1, 1, 0, stream, places, none,
            )
        };
        self.driver.check("cuLaunchKernel", result)?;
        self.wait()
    }

    fn wait(&self) -> Result<()> {
        // SAFETY: the context is current.
        let result = unsafe { (self.driver.api.ctx_synchronize)() };
        self.driver.check("cuCtxSynchronize", result)
    }
}
