//! OpenCL objects that a program made itself.

use std::ffi::{CStr, CString, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, Mutex};

use cl3::context::{CL_CONTEXT_DEVICES, get_context_info, retain_context};
use cl3::info_type::InfoType;
use cl3::kernel::{get_kernel_data, get_kernel_info};
use cl3::memory::get_mem_object_info;
use cl3::program::get_program_build_info;
use opencl3::command_queue::{
    CL_QUEUE_CONTEXT, CL_QUEUE_DEVICE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
    CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_PROPERTIES, CommandQueue, get_command_queue_info,
};
use opencl3::context::Context as ClContext;
use opencl3::error_codes::CL_INVALID_KERNEL_NAME;
use opencl3::event::{CL_EVENT_CONTEXT, Event as ClEvent, get_event_info, retain_event};
use opencl3::kernel::{
    CL_KERNEL_ATTRIBUTES, CL_KERNEL_CONTEXT, CL_KERNEL_FUNCTION_NAME, CL_KERNEL_NUM_ARGS,
    CL_KERNEL_PROGRAM, Kernel as ClKernel, create_kernel, retain_kernel,
};
use opencl3::memory::{
    Buffer, CL_MEM_CONTEXT, CL_MEM_OBJECT_BUFFER, CL_MEM_SIZE, CL_MEM_TYPE, retain_mem_object,
};
use opencl3::program::{
    CL_PROGRAM_BINARY_TYPE, CL_PROGRAM_CONTEXT, CL_PROGRAM_DEVICES, build_program, compile_program,
    get_program_info, link_program, retain_program,
};
use opencl3::types::{cl_command_queue_properties, cl_device_id, cl_int};

use super::context::{OpenClAllocation, OpenClContext};
use super::device::{Id, OpenClDevice};
use super::image::OpenClImage;
use super::program::{
    Object, OpenClKernel, build_log, built_from_source, failed_build, of_program,
};
use super::queue::{OpenClEvent, OpenClQueue};
use super::refused;
use super::shelf::Shelf;
use super::times::Clock;
use crate::bundle::State;
use crate::error::{Error, Kind, Result};
use crate::plugin::devices::Devices;
use crate::plugin::foreign::{Adopt, ForeignImage, ForeignKernel, ForeignProgram, ForeignQueue};
use crate::plugin::sources::Source;
use crate::plugin::{Allocation, Event, Kernel};

// What a program is for a device (`CL_PROGRAM_BINARY_TYPE`).
const NOTHING_BUILT: u32 = 0;
const EXECUTABLE: u32 = 4;

/// The driver's answer about an object of the program's.
pub(super) fn told(answer: std::result::Result<InfoType, cl_int>) -> Result<InfoType> {
    answer.map_err(|error| refused("tell what an object is")(error.into()))
}

pub(super) fn invalid(reason: &str) -> Error {
    Error::new(Kind::Invalid, reason)
}

/// A context of the program's, with the places of its devices among `all`; `None` where it has
/// devices of another platform.
///
/// # Safety
/// `native` must be a live OpenCL context.
pub(super) unsafe fn context(
    native: *mut c_void,
    all: &Devices<OpenClDevice>,
) -> Result<Option<(ClContext, Vec<usize>)>> {
    let devices = told(get_context_info(native, CL_CONTEXT_DEVICES))?.to_vec_intptr();
    let Some(places) = places(&devices, all) else {
        return Ok(None);
    };
    // SAFETY: as the caller says.
    unsafe { retain_context(native) }.map_err(|error| refused("keep a context")(error.into()))?;
    let ids: Vec<cl_device_id> = devices.iter().map(|id| *id as cl_device_id).collect();
    Ok(Some((ClContext::new(native, &ids), places)))
}

/// Where devices stand among `all`; `None` when one does not.
fn places(devices: &[isize], all: &Devices<OpenClDevice>) -> Option<Vec<usize>> {
    let place = |device: &isize| all.place(|each| each.id().0 as isize == *device);
    devices.iter().map(place).collect()
}

impl OpenClContext {
    fn own(&self, context: InfoType) -> Result<()> {
        if context.to_ptr() as *mut c_void == self.object().get() {
            return Ok(());
        }
        Err(invalid("the driver's object is of another context"))
    }

    fn places(&self, devices: InfoType) -> Result<Vec<usize>> {
        places(&devices.to_vec_intptr(), self.devices())
            .ok_or_else(|| invalid("the driver's object is for devices of another platform"))
    }
}

impl Adopt for OpenClContext {
    unsafe fn adopt_queue(&self, native: *mut c_void) -> Result<ForeignQueue> {
        self.own(told(get_command_queue_info(native, CL_QUEUE_CONTEXT))?)?;
        let device = told(get_command_queue_info(native, CL_QUEUE_DEVICE))?.to_ptr();
        let place = places(&[device], self.devices());
        let place = place.and_then(|places| places.first().copied());
        let place =
            place.ok_or_else(|| invalid("the queue's device is none that the program sees"))?;
        let properties = told(get_command_queue_info(native, CL_QUEUE_PROPERTIES))?;
        let properties: cl_command_queue_properties = properties.to_ulong();
        let queue = CommandQueue::new(native, 0);
        let device = self.devices().at(place)?;
        let borrowed = Shelf::adopt(self.shelf(), device.id(), properties, queue);
        let in_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0;
        let profiling = properties & CL_QUEUE_PROFILING_ENABLE != 0;
        let clock = match profiling {
            true => Clock::of(device),
            false => None,
        };
        let usm = self.extensions().usm;
        Ok(ForeignQueue {
            queue: Arc::new(OpenClQueue::new(borrowed, in_order, clock, usm)),
            device: place,
            in_order,
            profiling,
        })
    }

    unsafe fn adopt_memory(&self, native: *mut c_void) -> Result<(Arc<dyn Allocation>, usize)> {
        self.own(told(get_mem_object_info(native, CL_MEM_CONTEXT))?)?;
        if told(get_mem_object_info(native, CL_MEM_TYPE))?.to_uint() != CL_MEM_OBJECT_BUFFER {
            return Err(invalid("the driver's memory is no buffer"));
        }
        let size = told(get_mem_object_info(native, CL_MEM_SIZE))?.to_size();
        // SAFETY: as the caller says; the buffer takes the reference over.
        let buffer = unsafe {
            retain_mem_object(native).map_err(|e| refused("keep a buffer")(e.into()))?;
            Buffer::<u8>::new(native)
        };
        Ok((Arc::new(OpenClAllocation { buffer }), size))
    }

    unsafe fn adopt_image(
        &self,
        native: *mut c_void,
        device: usize,
    ) -> Result<Arc<dyn ForeignImage>> {
        self.own(told(get_mem_object_info(native, CL_MEM_CONTEXT))?)?;
        let queue = self.queue(device, true, false)?;
        // SAFETY: as the caller says.
        Ok(Arc::new(unsafe { OpenClImage::adopt(native, queue) }?))
    }

    unsafe fn adopt_events(&self, natives: &[*mut c_void]) -> Result<Arc<dyn Event>> {
        let mut objects = Vec::with_capacity(natives.len());
        for native in natives {
            self.own(told(get_event_info(*native, CL_EVENT_CONTEXT))?)?;
            // SAFETY: as the caller says; the event takes the reference over.
            unsafe { retain_event(*native) }.map_err(|e| refused("keep an event")(e.into()))?;
            objects.push(ClEvent::new(*native));
        }
        let event = OpenClEvent::of_several(objects);
        let event = event.ok_or_else(|| invalid("an event is made of at least one"))?;
        Ok(Arc::new(event))
    }

    unsafe fn adopt_program(&self, native: *mut c_void) -> Result<Arc<dyn ForeignProgram>> {
        self.own(told(get_program_info(native, CL_PROGRAM_CONTEXT))?)?;
        let places = self.places(told(get_program_info(native, CL_PROGRAM_DEVICES))?)?;
        // SAFETY: as the caller says; the object takes the reference over.
        let object = unsafe {
            retain_program(native).map_err(|e| refused("keep a program")(e.into()))?;
            Object(native)
        };
        Ok(Arc::new(OpenClForeignProgram {
            object,
            places,
            all: Arc::clone(self.devices()),
            context: Arc::clone(self.object()),
        }))
    }

    fn program_from_source(
        &self,
        devices: &[usize],
        source: &Source<'_>,
    ) -> Result<Arc<dyn ForeignProgram>> {
        let ids = devices
            .iter()
            .map(|place| Ok(self.devices().at(*place)?.id()));
        let ids: Vec<Id> = ids.collect::<Result<_>>()?;
        let extensions = self.extensions();
        let object = built_from_source(self.object(), &ids, source, extensions.create_with_il)?;
        Ok(Arc::new(OpenClForeignProgram {
            object,
            places: devices.to_vec(),
            all: Arc::clone(self.devices()),
            context: Arc::clone(self.object()),
        }))
    }

    unsafe fn adopt_kernel(&self, native: *mut c_void) -> Result<Arc<dyn ForeignKernel>> {
        self.own(told(get_kernel_info(native, CL_KERNEL_CONTEXT))?)?;
        let program = told(get_kernel_info(native, CL_KERNEL_PROGRAM))?.to_ptr() as *mut c_void;
        // SAFETY: the kernel keeps its program.
        let program = unsafe { self.adopt_program(program) }?;
        // SAFETY: as the caller says; the object takes the reference over.
        let object = unsafe {
            retain_kernel(native).map_err(|e| refused("keep a kernel")(e.into()))?;
            ClKernel::new(native)
        };
        Ok(Arc::new(OpenClForeignKernel {
            object: Arc::new(Mutex::new(object)),
            program,
            all: Arc::clone(self.devices()),
        }))
    }
}

/// An OpenCL program of the program's.
struct OpenClForeignProgram {
    object: Object,
    places: Vec<usize>,
    /// All devices of the platform.
    all: Arc<Devices<OpenClDevice>>,
    context: Arc<ClContext>,
}

impl OpenClForeignProgram {
    /// How far it is for a device.
    fn state(&self, device: Id) -> Result<State> {
        let answer = get_program_build_info(self.object.0, device.0, CL_PROGRAM_BINARY_TYPE);
        Ok(match told(answer)?.to_uint() {
            NOTHING_BUILT => State::Input,
            EXECUTABLE => State::Executable,
            _ => State::Object,
        })
    }

    fn with(&self, object: Object, places: &[usize]) -> Arc<dyn ForeignProgram> {
        Arc::new(OpenClForeignProgram {
            object,
            places: places.to_vec(),
            all: Arc::clone(&self.all),
            context: Arc::clone(&self.context),
        })
    }

    /// One more reference to it.
    fn again(&self) -> Object {
        Object(self.native_owned())
    }
}

impl ForeignProgram for OpenClForeignProgram {
    fn devices(&self) -> &[usize] {
        &self.places
    }

    fn advanced(&self, devices: &[usize], to: State) -> Result<Arc<dyn ForeignProgram>> {
        let ids = devices.iter().map(|place| Ok(self.all.at(*place)?.id()));
        let ids: Vec<Id> = ids.collect::<Result<_>>()?;
        let Some(first) = ids.first() else {
            return Err(invalid("a program needs a device"));
        };
        let states = ids.iter().map(|id| self.state(*id));
        let states = states.collect::<Result<Vec<State>>>()?;
        let now = states.into_iter().min().unwrap_or(State::Input);
        let raw: Vec<cl_device_id> = ids.iter().map(|id| id.0).collect();
        let program = self.object.0;
        let failed = |error| failed_build(&self.object, *first, "", error);
        let object = match (now, to) {
            _ if now == to => self.again(),
            (State::Input, State::Object) => {
                compile_program(program, &raw, c"", &[], &[], None, null_mut()).map_err(failed)?;
                self.again()
            }
            (State::Input, State::Executable) => {
                build_program(program, &raw, c"", None, null_mut()).map_err(failed)?;
                self.again()
            }
            (State::Object, State::Executable) => {
                let context = self.context.get();
                // SAFETY: the devices are of the context, and so is the program.
                let linked =
                    unsafe { link_program(context, &raw, c"", &[program], None, null_mut()) };
                Object(linked.map_err(failed)?)
            }
            _ => return Err(invalid("the driver's program is past the bundle's state")),
        };
        Ok(self.with(object, devices))
    }

    fn kernel(&self, name: &str) -> Result<Option<Arc<dyn ForeignKernel>>> {
        // No kernel has a name with a NUL in it.
        let Ok(name) = CString::new(name) else {
            return Ok(None);
        };
        let object = match create_kernel(self.object.0, &name) {
            Ok(object) => ClKernel::new(object),
            Err(CL_INVALID_KERNEL_NAME) => return Ok(None),
            Err(error) => return Err(refused("find a kernel of a program")(error.into())),
        };
        Ok(Some(Arc::new(OpenClForeignKernel {
            object: Arc::new(Mutex::new(object)),
            program: self.with(self.again(), &self.places),
            all: Arc::clone(&self.all),
        })))
    }

    fn log(&self) -> String {
        let of_device = |place: &usize| {
            let device = self.all.at(*place).ok()?.id();
            Some(build_log(&self.object, device))
        };
        let logs: Vec<String> = self.places.iter().filter_map(of_device).collect();
        logs.join("\n")
    }

    fn native_owned(&self) -> *mut c_void {
        // SAFETY: the program is alive. A driver that refuses has nothing to count.
        let _ = unsafe { retain_program(self.object.0) };
        self.object.0
    }
}

/// An OpenCL kernel of the program's.
struct OpenClForeignKernel {
    object: Arc<Mutex<ClKernel>>,
    program: Arc<dyn ForeignProgram>,
    /// All devices of the platform.
    all: Arc<Devices<OpenClDevice>>,
}

impl OpenClForeignKernel {
    fn text(&self, question: u32) -> String {
        let kernel = self.object.lock().unwrap_or_else(|e| e.into_inner());
        let bytes = get_kernel_data(kernel.get(), question).unwrap_or_default();
        let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
        text.to_string_lossy().into_owned()
    }
}

impl ForeignKernel for OpenClForeignKernel {
    fn on(&self, device: usize) -> Result<Arc<dyn Kernel>> {
        let device = self.all.at(device)?.id();
        Ok(Arc::new(of_program(Arc::clone(&self.object), device)) as Arc<OpenClKernel>)
    }

    fn program(&self) -> Result<Arc<dyn ForeignProgram>> {
        Ok(Arc::clone(&self.program))
    }

    fn name(&self) -> String {
        self.text(CL_KERNEL_FUNCTION_NAME)
    }

    fn attributes(&self) -> String {
        self.text(CL_KERNEL_ATTRIBUTES)
    }

    fn argument_count(&self) -> u32 {
        let kernel = self.object.lock().unwrap_or_else(|e| e.into_inner());
        let count = get_kernel_info(kernel.get(), CL_KERNEL_NUM_ARGS);
        count.map_or(0, |count| count.to_uint())
    }
}
