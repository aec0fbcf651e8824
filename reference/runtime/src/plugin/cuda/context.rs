//! CUDA contexts: queues, modules and memory of one device.

use std::any::Any;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cuda_driver_sys as sys;

use super::device::Limits;
use super::driver::{Api, Primary, Stream, done, filled};
use super::program::CudaProgram;
use super::queue::CudaQueue;
use crate::error::{Error, Kind, Result};
use crate::plugin::usm::{Usm, UsmTable};
use crate::plugin::{Allocation, BuildInput, Context, Program, Queue, UsmKind};

/// A CUDA context.
pub(super) struct CudaContext {
    primary: Arc<Primary>,
    limits: Limits,
    usm: UsmTable,
}

impl CudaContext {
    pub fn create(api: Api, device: sys::CUdevice, limits: Limits) -> Result<CudaContext> {
        Ok(CudaContext {
            primary: Arc::new(Primary::of(api, device)?),
            limits,
            usm: UsmTable::default(),
        })
    }

    /// The driver's context.
    pub fn primary(&self) -> &Arc<Primary> {
        &self.primary
    }
}

/// Memory of a kind, by the address that host and device have for it.
fn memory(primary: &Primary, kind: UsmKind, size: usize) -> Result<u64> {
    let api = primary.api();
    let _entered = primary.enter()?;
    const WHAT: &str = "allocate memory";
    match kind {
        UsmKind::Host => {
            let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
            let pointer = filled(api, WHAT, null_mut(), |place| {
                // SAFETY: the context is current, and there is a place for the pointer.
                unsafe { (api.mem_host_alloc)(place, size, flags) }
            })?;
            Ok(pointer as u64)
        }
        UsmKind::Device => filled(api, WHAT, 0, |place| {
            // SAFETY: as above.
            unsafe { (api.mem_alloc)(place, size) }
        }),
        UsmKind::Shared => filled(api, WHAT, 0, |place| {
            // SAFETY: as above.
            unsafe { (api.mem_alloc_managed)(place, size, sys::CU_MEM_ATTACH_GLOBAL) }
        }),
    }
}

/// Frees memory that [`memory`] gave.
///
/// # Safety
/// It is of that kind, and no command uses it any more.
unsafe fn free(primary: &Primary, kind: UsmKind, address: u64) -> Result<()> {
    let api = primary.api();
    let _entered = primary.enter()?;
    let result = match kind {
        // SAFETY: as the caller says.
        UsmKind::Host => unsafe { (api.mem_free_host)(address as *mut c_void) },
        // SAFETY: as the caller says.
        UsmKind::Device | UsmKind::Shared => unsafe { (api.mem_free)(address) },
    };
    done(api, "free memory", result)
}

impl Context for CudaContext {
    fn create_queue(
        &self,
        _device: usize,
        _in_order: bool,
        profiling: bool,
    ) -> Result<Arc<dyn Queue>> {
        let _entered = self.primary.enter()?;
        let stream = Stream::make(&self.primary)?;
        Ok(Arc::new(CudaQueue::create(stream, profiling)?))
    }

    fn build(&self, _device: usize, input: &BuildInput<'_>) -> Result<Arc<dyn Program>> {
        let program = CudaProgram::build(&self.primary, self.limits, input)?;
        Ok(Arc::new(program))
    }

    fn allocate(&self, size: usize) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(CudaAllocation {
            address: memory(&self.primary, UsmKind::Device, size)?,
            owner: Some(Arc::clone(&self.primary)),
        }))
    }

    fn usm_allocate(
        &self,
        device: usize,
        kind: UsmKind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        let address = match memory(&self.primary, kind, size) {
            Ok(address) => address,
            // A full or too small memory is a null pointer (SYCL 2020), anything else an error.
            Err(error) if error.kind == Kind::MemoryAllocation => return Ok(null_mut()),
            Err(error) => return Err(error),
        };
        // The driver aligns as it likes, to 256 bytes at least: no more is a null pointer as well.
        if alignment > 1 && address % alignment as u64 != 0 {
            // SAFETY: just allocated, and nobody else has it.
            unsafe { free(&self.primary, kind, address) }?;
            return Ok(null_mut());
        }
        let device = (kind != UsmKind::Host).then_some(device);
        let pointer = address as *mut c_void;
        self.usm.add(pointer, Usm { size, kind, device });
        Ok(pointer)
    }

    fn usm_free(&self, pointer: *mut c_void) -> Result<()> {
        let entered = self.primary.enter()?;
        let usm = self.usm.remove(pointer).ok_or_else(|| {
            Error::new(Kind::Invalid, "the pointer is no allocation of the context")
        })?;
        let api = self.primary.api();
        // SAFETY: the context is current.
        let result = unsafe { (api.ctx_synchronize)() };
        // A failed assertion ends the program; the failure of a command belongs to its event.
        let _ = done(api, "wait for the device", result);
        drop(entered);
        // SAFETY: the table had it, and all commands are done.
        unsafe { free(&self.primary, usm.kind, pointer as u64) }
    }

    fn usm_query(&self, pointer: *const c_void) -> Option<(UsmKind, Option<usize>)> {
        let usm = self.usm.find(pointer)?;
        Some((usm.kind, usm.device))
    }

    fn native(&self) -> *mut c_void {
        self.primary.handle()
    }
}

/// A buffer in CUDA's memory.
pub(super) struct CudaAllocation {
    /// Where it is.
    pub address: sys::CUdeviceptr,
    /// Where it was allocated; a part of another one was not.
    owner: Option<Arc<Primary>>,
}

impl Drop for CudaAllocation {
    fn drop(&mut self) {
        let Some(primary) = &self.owner else { return };
        // SAFETY: it is kept until commands that use it are done. There is nobody to tell of a refusal.
        let _ = unsafe { free(primary, UsmKind::Device, self.address) };
    }
}

impl Allocation for CudaAllocation {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn native(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.address as usize)
    }

    fn part(&self, origin: usize, _size: usize) -> Result<Arc<dyn Allocation>> {
        Ok(Arc::new(CudaAllocation {
            address: self.address + origin as u64,
            owner: None,
        }))
    }
}
