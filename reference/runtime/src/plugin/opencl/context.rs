//! OpenCL contexts: queues, programs and memory of some devices of one platform.

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use cl3::context::retain_context;
use offload_formats::registration::ImageFormat;
use opencl3::command_queue::{
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, CommandQueue,
};
use opencl3::context::Context as ClContext;
use opencl3::memory::{
    Buffer, CL_BUFFER_CREATE_TYPE_REGION, CL_MEM_READ_WRITE, ClMem as _, cl_buffer_region,
    create_sub_buffer, retain_mem_object,
};
use opencl3::types::{cl_device_id, cl_uint};

use super::device::{Id, OpenClDevice};
use super::extension::{Extensions, Usm};
use super::program::OpenClProgram;
use super::queue::OpenClQueue;
use super::refused;
use super::shelf::Shelf;
use super::times::Clock;
use crate::error::{Error, Kind, Result};
use crate::plugin::devices::Devices;
use crate::plugin::{Allocation, BuildInput, Context, Program, Queue, UsmKind};

// Questions and answers of cl_intel_unified_shared_memory.
const CL_MEM_ALLOC_TYPE_INTEL: cl_uint = 0x419A;
const CL_MEM_ALLOC_DEVICE_INTEL: cl_uint = 0x419D;
const CL_MEM_TYPE_HOST_INTEL: cl_uint = 0x4197;
const CL_MEM_TYPE_DEVICE_INTEL: cl_uint = 0x4198;
const CL_MEM_TYPE_SHARED_INTEL: cl_uint = 0x4199;

/// An OpenCL context.
pub(super) struct OpenClContext {
    object: Arc<ClContext>,
    /// All devices of the platform, of which the context holds some.
    devices: Arc<Devices<OpenClDevice>>,
    extensions: Extensions,
    /// Queues that the program has let go.
    shelf: Arc<Shelf>,
}

impl OpenClContext {
    /// A context over devices and the parts that they have by now: OpenCL lets no context have more
    /// devices later.
    pub fn create(
        all: &Arc<Devices<OpenClDevice>>,
        chosen: &[usize],
        extensions: Extensions,
    ) -> Result<OpenClContext> {
        let mut places = chosen.to_vec();
        let devices = all.all();
        // A part stands behind what it is a part of.
        for (place, device) in devices.iter().enumerate() {
            let is_of_chosen = device.whole().is_some_and(|whole| places.contains(&whole));
            if is_of_chosen && !places.contains(&place) {
                places.push(place);
            }
        }
        let ids = places.iter().map(|place| Ok(all.at(*place)?.id().0));
        let ids: Vec<cl_device_id> = ids.collect::<Result<_>>()?;
        let object = ClContext::from_devices(&ids, &[], None, null_mut())
            .map_err(refused("create a context"))?;
        Ok(OpenClContext::of_object(object, all, extensions))
    }

    /// A context over some of the platform's devices, `all`.
    pub fn of_object(
        object: ClContext,
        all: &Arc<Devices<OpenClDevice>>,
        extensions: Extensions,
    ) -> OpenClContext {
        OpenClContext {
            object: Arc::new(object),
            devices: Arc::clone(all),
            extensions,
            shelf: Arc::default(),
        }
    }

    pub fn object(&self) -> &Arc<ClContext> {
        &self.object
    }

    /// All devices of the platform.
    pub fn devices(&self) -> &Arc<Devices<OpenClDevice>> {
        &self.devices
    }

    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    pub fn shelf(&self) -> &Arc<Shelf> {
        &self.shelf
    }

    fn id(&self, device: usize) -> Result<Id> {
        Ok(self.devices.at(device)?.id())
    }

    fn usm(&self) -> Result<&Usm> {
        self.extensions.usm.as_ref().ok_or_else(|| {
            Error::new(
                Kind::FeatureNotSupported,
                "the platform has no unified shared memory (cl_intel_unified_shared_memory)",
            )
        })
    }
}

impl Context for OpenClContext {
    fn reaches(&self, device: usize) -> bool {
        let device = self.devices.at(device);
        device.is_ok_and(|device| self.object.devices().contains(&device.id().0))
    }

    fn create_queue(
        &self,
        device: usize,
        in_order: bool,
        profiling: bool,
    ) -> Result<Arc<dyn Queue>> {
        Ok(Arc::new(self.queue(device, in_order, profiling)?))
    }

    fn build(&self, device: usize, input: &BuildInput<'_>) -> Result<Arc<dyn Program>> {
        let device = self.id(device)?;
        let program = OpenClProgram::build(&self.object, device, input, &self.extensions)?;
        Ok(Arc::new(program))
    }

    fn is_worth_keeping(&self, input: &BuildInput<'_>) -> bool {
        input.format == ImageFormat::SpirV
    }

    fn allocate(&self, size: usize) -> Result<Arc<dyn Allocation>> {
        // SAFETY: no host memory is involved.
        let buffer = unsafe { Buffer::create(&self.object, CL_MEM_READ_WRITE, size, null_mut()) }
            .map_err(refused("allocate a buffer"))?;
        Ok(Arc::new(OpenClAllocation { buffer }))
    }

    fn usm_allocate(
        &self,
        device: usize,
        kind: UsmKind,
        size: usize,
        alignment: usize,
    ) -> Result<*mut c_void> {
        let usm = self.usm()?;
        let device = self.id(device)?;
        let context = self.object.get();
        let Ok(alignment) = cl_uint::try_from(alignment) else {
            return Ok(null_mut());
        };
        let properties = std::ptr::null();
        let mut status = 0;
        let _list = usm.list.change();
        // SAFETY: context and device are alive and belong together; no properties are given.
        let pointer = unsafe {
            match kind {
                UsmKind::Host => {
                    (usm.alloc_host)(context, properties, size, alignment, &raw mut status)
                }
                UsmKind::Device => (usm.alloc_device)(
                    context,
                    device.0,
                    properties,
                    size,
                    alignment,
                    &raw mut status,
                ),
                UsmKind::Shared => (usm.alloc_shared)(
                    context,
                    device.0,
                    properties,
                    size,
                    alignment,
                    &raw mut status,
                ),
            }
        };
        // A full or too small memory is a null pointer (SYCL 2020), anything else an error.
        const NO_ROOM: [i32; 4] = [
            opencl3::error_codes::CL_OUT_OF_RESOURCES,
            opencl3::error_codes::CL_OUT_OF_HOST_MEMORY,
            opencl3::error_codes::CL_MEM_OBJECT_ALLOCATION_FAILURE,
            opencl3::error_codes::CL_INVALID_BUFFER_SIZE,
        ];
        if status == 0 || NO_ROOM.contains(&status) {
            return Ok(pointer);
        }
        Err(refused("allocate unified shared memory")(status.into()))
    }

    fn usm_free(&self, pointer: *mut c_void) -> Result<()> {
        let usm = self.usm()?;
        let _list = usm.list.change();
        // SAFETY: the driver checks that the pointer is an allocation of the context.
        let status = unsafe { (usm.free)(self.object.get(), pointer) };
        if status == 0 {
            return Ok(());
        }
        Err(refused("free unified shared memory")(status.into()))
    }

    fn usm_query(&self, pointer: *const c_void) -> Option<(UsmKind, Option<usize>)> {
        let kind: cl_uint = self.alloc_info(pointer, CL_MEM_ALLOC_TYPE_INTEL)?;
        let kind = match kind {
            CL_MEM_TYPE_HOST_INTEL => UsmKind::Host,
            CL_MEM_TYPE_DEVICE_INTEL => UsmKind::Device,
            CL_MEM_TYPE_SHARED_INTEL => UsmKind::Shared,
            _ => return None,
        };
        let device: Option<usize> = self.alloc_info(pointer, CL_MEM_ALLOC_DEVICE_INTEL);
        let place = self
            .devices
            .place(|each| Some(each.id().0 as usize) == device);
        Some((kind, place))
    }

    fn native(&self) -> *mut c_void {
        self.object.get()
    }

    fn retain_native(&self) {
        // SAFETY: the context is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_context(self.object.get()) };
    }
}

impl OpenClContext {
    /// A queue of a device.
    ///
    /// # Errors
    /// When the driver refuses.
    pub(super) fn queue(
        &self,
        device: usize,
        in_order: bool,
        profiling: bool,
    ) -> Result<OpenClQueue> {
        let clock = match profiling {
            true => Clock::of(self.devices.at(device)?),
            false => None,
        };
        let device = self.id(device)?;
        let mut properties = 0;
        if !in_order {
            properties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
        }
        if profiling {
            properties |= CL_QUEUE_PROFILING_ENABLE;
        }
        let queue = Shelf::borrow(&self.shelf, device, properties, || {
            // A device older than OpenCL 2.0 knows the older function only.
            // SAFETY: the device is one of the context.
            let created = unsafe {
                CommandQueue::create_with_properties(&self.object, device.0, properties, 0).or_else(
                    |_| {
                        #[allow(deprecated, reason = "what OpenCL 1.2 devices offer")]
                        CommandQueue::create(&self.object, device.0, properties)
                    },
                )
            };
            created.map_err(refused("create a queue"))
        })?;
        Ok(OpenClQueue::new(
            queue,
            in_order,
            clock,
            self.extensions.usm,
        ))
    }

    /// A number that the driver knows of an allocation.
    fn alloc_info<T: Default>(&self, pointer: *const c_void, question: cl_uint) -> Option<T> {
        let usm = self.extensions.usm.as_ref()?;
        let mut answer = T::default();
        let _list = usm.list.read();
        // SAFETY: the answer has room for a `T`; any pointer may be asked about.
        let status = unsafe {
            (usm.info)(
                self.object.get(),
                pointer,
                question,
                size_of::<T>(),
                (&raw mut answer).cast(),
                null_mut(),
            )
        };
        (status == 0).then_some(answer)
    }
}

/// An OpenCL buffer.
pub(super) struct OpenClAllocation {
    pub buffer: Buffer<u8>,
}

impl Allocation for OpenClAllocation {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn native(&self) -> *mut c_void {
        self.buffer.get()
    }

    fn retain_native(&self) {
        // SAFETY: the buffer is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_mem_object(self.buffer.get()) };
    }

    fn part(&self, origin: usize, size: usize) -> Result<Arc<dyn Allocation>> {
        // What a program made a buffer of may be a part itself, and parts have none.
        let whole = self.buffer.associated_memobject().ok();
        let (whole, before) = match whole.filter(|whole| !whole.is_null()) {
            Some(whole) => (
                whole,
                self.buffer
                    .offset()
                    .map_err(refused("tell where a part begins"))?,
            ),
            None => (self.buffer.get(), 0),
        };
        let region = cl_buffer_region {
            origin: before.saturating_add(origin),
            size: size.saturating_sub(origin),
        };
        // SAFETY: the memory is alive, and the region outlives the call, in which the driver checks that it lies
        // within. Without flags the part may be used as the whole.
        let part = unsafe {
            let region = (&raw const region).cast();
            create_sub_buffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, region)
        };
        let part = part.map_err(|status| refused("make a part of a buffer")(status.into()))?;
        Ok(Arc::new(OpenClAllocation {
            buffer: Buffer::new(part),
        }))
    }

    fn outlives_its_owner(&self) -> bool {
        true
    }
}
