//! Starting kernels: from a functor's bytes to the parameters of an entry point.

mod arguments;
mod constants;
mod known;
mod larger;

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::Arc;

use offload_formats::demangle::named;
use offload_formats::property_set::{KERNEL_FUNCTORS, PropertyValue};
use smallvec::SmallVec;

use self::arguments::Arguments;
pub use self::arguments::Plan;
use self::constants::emulated_constants;
pub use self::constants::{spec_constant, spec_values};
pub use self::known::{Asked, Chosen, Known, Recent, Which};
pub use self::larger::Larger;
use crate::abi::codes;
use crate::error::{Error, Kind, Result};
use crate::event::Event;
use crate::imports::Linked;
use crate::memory::{Brought, Required};
use crate::plugin::work_groups;
use crate::plugin::{self, Space};
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

/// What a kernel is started with, whoever has it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// Name of the entry point.
    pub name: &'a str,
    /// The functor, byte for byte.
    pub functor: &'a [u8],
    /// How many work-items, and how grouped.
    pub space: &'a Space,
}

/// The start of a kernel that the queue has started before, with no values of specialization constants.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// What the queue knows of it.
    pub chosen: &'a Arc<Chosen>,
    /// The code that starts it, and where the name stands that it gave.
    pub asked: Asked,
    /// What it is started with.
    pub call: Call<'a>,
}

impl Start<'_> {
    /// It, to keep until it begins.
    #[must_use]
    pub fn into_launch(self) -> Launch {
        let Start {
            chosen,
            asked,
            call,
        } = self;
        Launch {
            name: Arc::clone(&chosen.name),
            asked,
            asked_name: None,
            known: Some(Arc::clone(chosen)),
            functor: call.functor.into(),
            space: *call.space,
            spec_constants: Vec::new(),
            spec_constant_pointer: None,
            bundle: None,
        }
    }
}

impl Launch {
    fn call(&self) -> Call<'_> {
        Call {
            name: &self.name,
            functor: &self.functor,
            space: &self.space,
        }
    }
}

/// Fails where [`start`] would because of what is known already: there is no image that builds, or the
/// functor is not what the kernel takes.
///
/// # Errors
/// As [`start`].
pub fn check(queue: &Queue, launch: &Launch, buffers: &[Required]) -> Result<()> {
    let chosen = chosen(queue, launch)?;
    let Chosen { info, kernel, .. } = &**chosen;
    let required = required_space(launch.call(), chosen.required_group)?;
    let space = required.as_ref().unwrap_or(&launch.space);
    // The driver would say so when the command begins, to nobody who could try another way.
    let why = (space.local).and_then(|_| why_not_in_groups(kernel.as_ref(), space));
    if let Some(why) = why
        && larger::of(queue, &chosen, space).is_none()
    {
        return Err(not_startable(launch.call(), &why));
    }
    arguments::check(launch.call(), &info.parameters, buffers)
}

/// Starts the kernel on the queue's device. `buffers` are those that the command group required.
///
/// # Errors
/// When no image serves the kernel, none of those that could builds, or the driver refuses.
pub fn start(
    queue: &Queue,
    launch: &Launch,
    buffers: &[Brought<'_>],
    after: plugin::After<'_>,
) -> Result<plugin::Started> {
    let chosen = chosen(queue, launch)?;
    let constants = emulated_constants(queue, launch, &chosen.image)?;
    let pointer = launch.spec_constant_pointer.zip(constants.as_ref());
    let pointer = pointer.map(|(offset, constants)| (offset, constants.pointer.cast_const()));
    let started = start_chosen(queue, &chosen, launch.call(), buffers, pointer, after)?;
    if constants.is_some() {
        // The values live only as long as this function; native constants take no such wait.
        Event::of_started(&queue.context, &queue.driver, started.clone()).wait()?;
    }
    Ok(started)
}

/// [`start`] for a kernel that the queue has started before.
///
/// # Errors
/// When the functor is not what the kernel takes, or the driver refuses.
pub fn start_known(
    queue: &Queue,
    chosen: &Chosen,
    call: Call<'_>,
    buffers: &[Brought<'_>],
    after: plugin::After<'_>,
) -> Result<plugin::Started> {
    // Of a plain functor there is only its size to check.
    let is_plain = chosen.plan.is_plain() && call.functor.len() == chosen.info.functor_size;
    if !is_plain {
        check_call(call, &chosen.info)?;
    }
    check_space(call)?;
    trace_start(chosen);
    start_chosen(queue, chosen, call, buffers, None, after)
}

/// Starts the kernel that a launch comes to. `constants` are where the functor has the pointer to emulated
/// constants, and what they are.
fn start_chosen(
    queue: &Queue,
    chosen: &Chosen,
    call: Call<'_>,
    buffers: &[Brought<'_>],
    constants: Option<(usize, *const c_void)>,
    after: plugin::After<'_>,
) -> Result<plugin::Started> {
    let Chosen {
        info, plan, kernel, ..
    } = chosen;
    // Made where they stay: they are long.
    let mut arguments = Arguments::new();
    arguments::add(
        &mut arguments,
        call,
        &info.parameters,
        plan,
        buffers,
        constants,
    )?;
    let required = required_space(call, chosen.required_group)?;
    let space = required.as_ref().unwrap_or(call.space);
    let started = queue
        .driver
        .start(kernel.as_ref(), &arguments, space, after);
    match &started {
        Err(error) if error.kind == Kind::NdRange => {
            if let Some(larger) = larger::of(queue, chosen, space) {
                return start_chosen(queue, &larger, call, buffers, constants, after);
            }
            let why = why_not_in_groups(kernel.as_ref(), space).map(|why| format!("{why}: "));
            let told = not_startable(call, &(why.unwrap_or_default() + &error.reason));
            Err(told.by_opencl(error.opencl))
        }
        _ => started,
    }
}

/// What is wrong with the work-groups of a space that a driver refused for them, where that can be told: many
/// drivers give a number alone.
fn why_not_in_groups(kernel: &dyn plugin::Kernel, space: &Space) -> Option<String> {
    match (&space.local, kernel.required_group()) {
        (None, Some(required)) => Some(work_groups::uneven(space, required)),
        (Some(local), _) => {
            let most = kernel.query(codes::KERNEL_WORK_GROUP_SIZE).ok();
            work_groups::refusal(space, local, most)
        }
        (None, None) => None,
    }
}

/// The kernel of a launch, from the best image that builds.
fn chosen<'a>(queue: &Queue, launch: &'a Launch) -> Result<Cow<'a, Arc<Chosen>>> {
    // What a program sets or chooses for one launch may make it another kernel.
    let by_name_alone = launch.bundle.is_none() && launch.spec_constants.is_empty();
    let known = launch.known.as_ref();
    let chosen = match known.filter(|known| by_name_alone && known.holds()) {
        Some(known) => {
            check_call(launch.call(), &known.info)?;
            Cow::Borrowed(known)
        }
        None => {
            let changes = registry::changes();
            let info = kernel_info(launch)?;
            let images = images_for(queue, launch)?;
            let (image, kernel) = first_that_builds(queue, launch, &info, &images)?;
            let plan = Plan::of(&image, &launch.name, &info.parameters);
            let chosen = Arc::new(Chosen {
                changes,
                asked: launch.asked_name.clone().unwrap_or_default(),
                name: Arc::clone(&launch.name),
                info,
                plan,
                origin: launch.asked.origin,
                image,
                required_group: kernel.required_group(),
                kernel,
                larger: Larger::default(),
            });
            if by_name_alone && launch.asked_name.is_some() {
                queue.kernels.remember(launch.asked, &chosen);
            }
            Cow::Owned(chosen)
        }
    };
    check_space(launch.call())?;
    trace_start(&chosen);
    Ok(chosen)
}

fn trace_start(chosen: &Chosen) {
    trace(|| {
        let Image { id, content, .. } = chosen.image.as_ref();
        let (name, target) = (&chosen.name, &content.target);
        format!("kernel {name} from image {id} ({target})")
    });
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

/// The space that the kernel is started over, if it is another for the groups that the kernel requires.
#[inline]
fn required_space(call: Call<'_>, required: Option<[usize; 3]>) -> Result<Option<Space>> {
    let space = required.map(|required| work_groups::with_required(call.space, required));
    let space = space.transpose();
    space.map_err(|error| not_startable(call, &error.reason))
}

fn not_startable(call: Call<'_>, why: &str) -> Error {
    let reason = format!("kernel {} cannot be started: {why}", named(call.name));
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
    check_call(launch.call(), &info)?;
    Ok(info)
}

/// Fails where the call is none of this kernel.
fn check_call(call: Call<'_>, info: &KernelInfo) -> Result<()> {
    if info.functor_size != call.functor.len() {
        return Err(Error::new(
            Kind::KernelArgument,
            format!(
                "kernel {} has a functor of {} bytes on the device and {} bytes on the host ({})",
                named(call.name),
                info.functor_size,
                call.functor.len(),
                crate::names::CAPTURES
            ),
        ));
    }
    let is_local = |parameter: &Parameter| parameter.kind == ParameterKind::LocalAccessor;
    if call.space.local.is_none() && info.parameters.iter().any(is_local) {
        let name = named(call.name);
        let reason = format!("kernel {name} has a local accessor: start it over an nd_range");
        return Err(Error::new(Kind::KernelArgument, reason));
    }
    Ok(())
}

/// Fails where no device could have the space, whatever the kernel requires of its own.
#[inline]
fn check_space(call: Call<'_>) -> Result<()> {
    let global = &call.space.global;
    let all = global
        .iter()
        .try_fold(1_usize, |all, size| all.checked_mul(*size));
    match all.is_none() && !global.contains(&0) {
        true => Err(not_startable(call, "its work-items cannot be counted")),
        false => Ok(()),
    }
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
            .kernel(queue.device, linked, &launch.name, &values, "")
        {
            Ok(kernel) => return Ok((Arc::clone(image), kernel)),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(Kind::KernelNotSupported, "no image to build")))
}
