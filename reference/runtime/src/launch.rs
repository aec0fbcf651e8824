//! Starting kernels: from a functor's bytes to the parameters of an entry point.

mod constants;
mod known;

use std::borrow::Cow;
use std::sync::Arc;

use offload_formats::demangle::named;
use offload_formats::property_set::{KERNEL_FUNCTORS, KERNEL_PARAM_OPT, PropertyValue};
use smallvec::SmallVec;

use self::constants::{Constants, emulated_constants};
pub use self::constants::{spec_constant, spec_values};
pub use self::known::{Asked, Chosen, Known};
use crate::error::{Error, Kind, Result};
use crate::imports::Linked;
use crate::memory::Memory;
use crate::plugin::work_groups;
use crate::plugin::{self, Allocation, Argument, Space};
use crate::queue::Queue;
use crate::registry::{self, Image, KernelInfo, Parameter, ParameterKind};
use crate::select;
use crate::trace::trace;

/// A kernel to start.
pub struct Launch {
    /// Name of the entry point.
    pub name: Arc<str>,
    /// The code that starts it, and where the name stands that it gave.
    pub asked: Asked,
    /// The name that it gave, where the queue did not know the kernel yet.
    pub asked_name: Option<String>,
    /// What the queue knew of the kernel when the command was described.
    pub known: Option<Arc<Chosen>>,
    /// The functor, byte for byte.
    pub functor: Functor,
    /// How many work-items, and how grouped.
    pub space: Space,
    /// Values that the program set for specialization constants, by name.
    pub spec_constants: Vec<(String, Vec<u8>)>,
    /// Where in the functor the pointer to emulated constants stands.
    pub spec_constant_pointer: Option<usize>,
    /// The images of the kernel bundle that the command uses, by their numbers.
    pub bundle: Option<Vec<u64>>,
}

/// The bytes of a functor; few need no memory of their own.
pub type Functor = SmallVec<[u8; 128]>;

/// Fails where [`start`] would because of what is known already: there is no image that builds, or the
/// functor is not what the kernel takes.
///
/// # Errors
/// As [`start`].
pub fn check(queue: &Queue, launch: &Launch, buffers: &[*const Memory]) -> Result<()> {
    let chosen = chosen(queue, launch)?;
    let Chosen { info, kernel, .. } = &**chosen;
    space_for(launch, kernel.as_ref())?;
    for parameter in &info.parameters {
        let bytes = part(launch, parameter)?;
        if matches!(
            parameter.kind,
            ParameterKind::Accessor | ParameterKind::Memory
        ) {
            let memory = buffer_of(launch, bytes)?;
            if !memory.is_null() && !buffers.contains(&memory) {
                return Err(not_required(launch));
            }
        }
    }
    Ok(())
}

/// Starts the kernel on the queue's device. `buffers` are those that the command group required.
///
/// # Errors
/// When no image serves the kernel, none of those that could builds, or the driver refuses.
pub fn start(
    queue: &Queue,
    launch: &Launch,
    buffers: &[(*const Memory, Arc<dyn Allocation>)],
    after: plugin::After<'_>,
) -> Result<Arc<dyn plugin::Event>> {
    let chosen = chosen(queue, launch)?;
    let Chosen {
        info,
        image,
        omitted,
        kernel,
        ..
    } = &**chosen;
    let constants = emulated_constants(queue, launch, image)?;
    let mut arguments = Arguments::new();
    refuse_shared_local_memory(launch, &info.parameters)?;
    for parameter in &info.parameters {
        add_argument(&mut arguments, launch, parameter, buffers, &constants)?;
    }
    leave_out(&mut arguments, omitted);
    let space = space_for(launch, kernel.as_ref())?;
    let started = queue
        .driver
        .start(kernel.as_ref(), &arguments, &space, after);
    let event = started.map_err(|error| match kernel.required_group() {
        Some(required) if space.local.is_none() && error.kind == Kind::NdRange => {
            let why = work_groups::uneven(&space, required);
            not_startable(launch, &format!("{why}: {}", error.reason))
        }
        _ => error,
    })?;
    if constants.is_some() {
        // The values live only as long as this function; native constants take no such wait.
        event.wait()?;
    }
    Ok(event)
}

/// The kernel of a launch, from the best image that builds.
fn chosen<'a>(queue: &Queue, launch: &'a Launch) -> Result<Cow<'a, Arc<Chosen>>> {
    // What a program sets or chooses for one launch may make it another kernel.
    let by_name_alone = launch.bundle.is_none() && launch.spec_constants.is_empty();
    let known = launch.known.as_ref();
    let chosen = match known.filter(|known| by_name_alone && known.holds()) {
        Some(known) => {
            check_launch(launch, &known.info)?;
            Cow::Borrowed(known)
        }
        None => {
            let changes = registry::changes();
            let info = kernel_info(launch)?;
            let images = images_for(queue, launch)?;
            let (image, kernel) = first_that_builds(queue, launch, &info, &images)?;
            let chosen = Arc::new(Chosen {
                changes,
                asked: launch.asked_name.clone().unwrap_or_default(),
                name: Arc::clone(&launch.name),
                info,
                omitted: omitted(&image, &launch.name),
                image,
                kernel,
            });
            if by_name_alone && launch.asked_name.is_some() {
                queue.kernels.remember(launch.asked, &chosen);
            }
            Cow::Owned(chosen)
        }
    };
    trace(|| {
        let Image { id, content, .. } = chosen.image.as_ref();
        format!(
            "kernel {} from image {id} ({})",
            launch.name, content.target
        )
    });
    Ok(chosen)
}

/// The images that can serve the launch, best first.
fn images_for(queue: &Queue, launch: &Launch) -> Result<Vec<Linked>> {
    let mut images = select::images_for(&launch.name, launch.asked.origin, queue.device)?;
    if let Some(bundle) = &launch.bundle {
        images.retain(|linked| {
            let image = linked.image();
            let mut of_bundle = bundle.iter();
            of_bundle.any(|id| *id == image.id || crate::bundle::stands_in(image, *id))
        });
        if images.is_empty() {
            let name = named(&launch.name);
            let reason = format!("no image of the kernel bundle holds kernel {name}");
            return Err(Error::new(Kind::KernelNotSupported, reason));
        }
    }
    Ok(images)
}

/// The space that the kernel is started over, in the groups that it requires.
fn space_for(launch: &Launch, kernel: &dyn plugin::Kernel) -> Result<Space> {
    let Some(required) = kernel.required_group() else {
        return Ok(launch.space);
    };
    work_groups::with_required(&launch.space, required)
        .map_err(|error| not_startable(launch, &error.reason))
}

fn not_startable(launch: &Launch, why: &str) -> Error {
    let reason = format!("kernel {} cannot be started: {why}", named(&launch.name));
    Error::new(Kind::NdRange, reason)
}

fn kernel_info(launch: &Launch) -> Result<Arc<KernelInfo>> {
    let info = registry::kernel_info(&launch.name, launch.asked.origin).ok_or_else(|| {
        Error::new(
            Kind::KernelNotSupported,
            format!(
                "nothing is known of kernel {}: the host compilation of its translation unit \
                 saw no integration header",
                named(&launch.name)
            ),
        )
    })?;
    check_launch(launch, &info)?;
    Ok(info)
}

/// Fails where the launch is none of this kernel.
fn check_launch(launch: &Launch, info: &KernelInfo) -> Result<()> {
    if info.functor_size != launch.functor.len() {
        return Err(Error::new(
            Kind::KernelArgument,
            format!(
                "kernel {} has a functor of {} bytes on the device and {} bytes on the host ({})",
                named(&launch.name),
                info.functor_size,
                launch.functor.len(),
                crate::names::CAPTURES
            ),
        ));
    }
    let is_local = |parameter: &Parameter| parameter.kind == ParameterKind::LocalAccessor;
    if launch.space.local.is_none() && info.parameters.iter().any(is_local) {
        let name = named(&launch.name);
        let reason = format!("kernel {name} has a local accessor: start it over an nd_range");
        return Err(Error::new(Kind::KernelArgument, reason));
    }
    Ok(())
}

/// Fails where the image's kernel was made of another functor than the one that the program's host half
/// knows; an image that says nothing of its kernels is taken as it is.
fn check_functor(launch: &Launch, info: &KernelInfo, image: &Image) -> Result<()> {
    let properties = &image.content.properties;
    let known = properties.get(KERNEL_FUNCTORS, &launch.name);
    let Some(of_image) = known.and_then(PropertyValue::as_bytes) else {
        return Ok(());
    };
    if of_image == info.functor.as_bytes() {
        return Ok(());
    }
    Err(Error::new(
        Kind::KernelArgument,
        format!(
            "kernel {} is another one in the device image than in the host's half of the program: \
             it is made of '{}' there and of '{}' here",
            named(&launch.name),
            String::from_utf8_lossy(of_image),
            info.functor
        ),
    ))
}

/// The kernel from the best image that builds: one that was compiled ahead of time for another
/// device of the same family is passed over.
fn first_that_builds(
    queue: &Queue,
    launch: &Launch,
    info: &KernelInfo,
    images: &[Linked],
) -> Result<(Arc<Image>, Arc<dyn plugin::Kernel>)> {
    let mut failure = None;
    for linked in images {
        let image = linked.image();
        check_functor(launch, info, image)?;
        let parts = linked.parts().iter();
        let values: Vec<_> = parts
            .map(|part| spec_values(part, &launch.name, &launch.spec_constants))
            .collect();
        match queue
            .context
            .kernel(queue.device, linked, &launch.name, &values)
        {
            Ok(kernel) => return Ok((Arc::clone(image), kernel)),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(Kind::KernelNotSupported, "no image to build")))
}

/// Which parameters the compiler left out of an image's kernel.
fn omitted(image: &Image, kernel: &str) -> Vec<bool> {
    let properties = &image.content.properties;
    let property = properties.get(KERNEL_PARAM_OPT, kernel);
    property.map(PropertyValue::as_bits).unwrap_or_default()
}

fn outside(launch: &Launch) -> Error {
    let name = named(&launch.name);
    let reason = format!("the parameters of kernel {name} lie outside its functor");
    Error::new(Kind::KernelArgument, reason)
}

fn not_required(launch: &Launch) -> Error {
    let name = named(&launch.name);
    let reason = format!("kernel {name} uses an accessor that its command group does not require");
    Error::new(Kind::KernelArgument, reason)
}

/// The part of the functor that a parameter stands for.
fn part<'a>(launch: &'a Launch, parameter: &Parameter) -> Result<&'a [u8]> {
    let end = parameter.offset.checked_add(parameter.size);
    let bytes = end.and_then(|end| launch.functor.get(parameter.offset..end));
    bytes.ok_or_else(|| outside(launch))
}

/// Bits of an accessor's word that its object on the host keeps for itself
/// (`include/sycl/detail/element_access.hpp`).
const ACCESSOR_FLAGS: usize = align_of::<Memory>() - 1;
/// The place in a local accessor's word of the number that tells such accessors apart
/// (`include/sycl/local_accessor.hpp`).
const LOCAL_SERIAL_PLACE: u32 = 40;

/// The buffer of an accessor.
fn buffer_of(launch: &Launch, bytes: &[u8]) -> Result<*const Memory> {
    Ok((first_word(launch, bytes)? & !ACCESSOR_FLAGS) as *const Memory)
}

fn first_word(launch: &Launch, bytes: &[u8]) -> Result<usize> {
    let first = bytes.get(..8).and_then(|word| word.try_into().ok());
    first
        .map(usize::from_ne_bytes)
        .ok_or_else(|| outside(launch))
}

/// The arguments of an entry point; few need no memory of their own.
type Arguments = SmallVec<[Argument; 8]>;

/// Adds the entry point's parameters for one part of the functor (ARCHITECTURE.md, "Headers to front
/// end").
fn add_argument(
    arguments: &mut Arguments,
    launch: &Launch,
    parameter: &Parameter,
    buffers: &[(*const Memory, Arc<dyn Allocation>)],
    constants: &Option<Constants<'_>>,
) -> Result<()> {
    let bytes = part(launch, parameter)?;
    let word = || first_word(launch, bytes);
    let wrong = || outside(launch);
    let value = |bytes: &[u8]| Argument::Value(bytes.into());
    match parameter.kind {
        ParameterKind::Value => arguments.push(value(bytes)),
        ParameterKind::Pointer => {
            let is_constants = launch.spec_constant_pointer == Some(parameter.offset);
            let pointer = match constants {
                Some(constants) if is_constants => constants.pointer.cast_const(),
                _ => word()? as *const std::ffi::c_void,
            };
            arguments.push(Argument::Pointer(pointer));
        }
        ParameterKind::LocalAccessor => {
            let range = bytes.get(8..32).ok_or_else(wrong)?;
            arguments.extend([local_argument(word()?), value(range)]);
        }
        ParameterKind::LocalMemory => arguments.push(local_argument(word()?)),
        ParameterKind::Accessor => {
            let ranges = bytes.get(8..80).ok_or_else(wrong)?;
            arguments.push(buffer_argument(launch, bytes, buffers)?);
            arguments.extend(ranges.chunks(24).map(value));
        }
        ParameterKind::Memory => arguments.push(buffer_argument(launch, bytes, buffers)?),
    }
    Ok(())
}

/// Leaves out the arguments for parameters that the kernel lacks.
fn leave_out(arguments: &mut Arguments, omitted: &[bool]) {
    let mut omitted = omitted.iter();
    arguments.retain(|_| omitted.next() != Some(&true));
}

/// Refuses a functor that holds one local accessor several times: SYCL 2020, section 4.5.2, has copies
/// stand for the same memory, and each parameter of an entry point gets memory of its own.
fn refuse_shared_local_memory(launch: &Launch, parameters: &[Parameter]) -> Result<()> {
    let mut seen = Vec::new();
    let is_local = |kind| {
        matches!(
            kind,
            ParameterKind::LocalAccessor | ParameterKind::LocalMemory
        )
    };
    for parameter in parameters.iter().filter(|p| is_local(p.kind)) {
        let serial = first_word(launch, part(launch, parameter)?)? >> LOCAL_SERIAL_PLACE;
        if serial != 0 && seen.contains(&serial) {
            let name = named(&launch.name);
            let reason =
                format!("kernel {name} holds one local accessor twice, which cannot be passed");
            return Err(Error::new(Kind::FeatureNotSupported, reason));
        }
        seen.push(serial);
    }
    Ok(())
}

/// The local memory that the word of a local accessor on the host asks for.
fn local_argument(word: usize) -> Argument {
    Argument::Local(word & ((1 << LOCAL_SERIAL_PLACE) - 1))
}

/// The memory of an accessor.
fn buffer_argument(
    launch: &Launch,
    bytes: &[u8],
    buffers: &[(*const Memory, Arc<dyn Allocation>)],
) -> Result<Argument> {
    let memory = buffer_of(launch, bytes)?;
    let allocation = buffers.iter().find(|(handle, _)| *handle == memory);
    match allocation {
        Some((_, allocation)) => Ok(Argument::Memory(Arc::clone(allocation))),
        None if memory.is_null() => Ok(Argument::Pointer(std::ptr::null())),
        None => Err(not_required(launch)),
    }
}

#[cfg(test)]
mod tests {
    use offload_formats::property_set::PropertySets;

    use super::*;

    #[test]
    fn arguments_of_parameters_that_a_kernel_lacks_are_left_out() {
        let mut properties = PropertySets::new();
        let flags = [true, false, false, true];
        properties.insert(KERNEL_PARAM_OPT, "thin", PropertyValue::bits(&flags));
        let image = Image::for_tests(1, properties);
        let left = |kernel: &str, count: usize| -> Vec<usize> {
            let mut arguments: Arguments = (0..count).map(Argument::Local).collect();
            leave_out(&mut arguments, &omitted(&image, kernel));
            let sizes = arguments.iter().map(|argument| match argument {
                Argument::Local(size) => *size,
                _ => usize::MAX,
            });
            sizes.collect()
        };
        assert_eq!(left("thin", 6), [1, 2, 4, 5]);
        assert_eq!(left("thin", 2), [1]);
        assert_eq!(left("whole", 3), [0, 1, 2]);
    }
}
