//! Starting kernels: from a functor's bytes to the parameters of an entry point.

mod known;

use std::sync::Arc;

use offload_formats::demangle::named;
use offload_formats::property_set::{
    KERNEL_CONSTANTS, KERNEL_FUNCTORS, PropertySets, PropertyValue, SPECIALIZATION_CONSTANTS,
    SPECIALIZATION_CONSTANTS_DEFAULTS,
};
use offload_formats::registration::ImageFormat;
use offload_formats::unit_name;
use smallvec::SmallVec;

use self::known::Chosen;
pub use self::known::{Asked, Known};
use crate::error::{Error, Kind, Result};
use crate::imports::Linked;
use crate::memory::Memory;
use crate::names::without_linkage;
use crate::plugin::work_groups;
use crate::plugin::{self, Allocation, Argument, Space, SpecValue, UsmKind};
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
    let Chosen { info, kernel, .. } = &*chosen;
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
        kernel,
        ..
    } = &*chosen;
    let constants = emulated_constants(queue, launch, image)?;
    let mut arguments = Arguments::new();
    refuse_shared_local_memory(launch, &info.parameters)?;
    for parameter in &info.parameters {
        add_argument(&mut arguments, launch, parameter, buffers, &constants)?;
    }
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
fn chosen(queue: &Queue, launch: &Launch) -> Result<Arc<Chosen>> {
    // What a program sets or chooses for one launch may make it another kernel.
    let by_name_alone = launch.bundle.is_none() && launch.spec_constants.is_empty();
    let known = launch.known.as_ref();
    let chosen = match known.filter(|known| by_name_alone && known.holds()) {
        Some(known) => {
            check_launch(launch, &known.info)?;
            Arc::clone(known)
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
                image,
                kernel,
            });
            if by_name_alone && launch.asked_name.is_some() {
                queue.kernels.remember(launch.asked, &chosen);
            }
            chosen
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

/// The values that the program set, by the numbers that a SPIR-V image gives its constants.
#[must_use]
pub fn spec_values(image: &Image, kernel: &str, set: &[(String, Vec<u8>)]) -> Vec<SpecValue> {
    if image.format() != ImageFormat::SpirV {
        return Vec::new();
    }
    let properties = &image.content.properties;
    let values = set.iter().flat_map(|(name, bytes)| {
        spec_records(properties, kernel, name)
            .into_iter()
            .filter_map(move |record| {
                let end = record.offset.checked_add(record.size)?;
                Some(SpecValue {
                    id: record.id?,
                    bytes: bytes.get(record.offset..end)?.to_vec(),
                })
            })
    });
    values.collect()
}

/// One scalar of a specialization constant, or padding.
struct SpecRecord {
    /// The number of the scalar in SPIR-V; `None` for padding.
    id: Option<u32>,
    /// Where it stands in the constant.
    offset: usize,
    /// Bytes.
    size: usize,
}

/// The names of an image's constants, without those of which the image says that the kernel does not
/// read them.
fn read_by<'k>(properties: &'k PropertySets, kernel: &str) -> Vec<&'k str> {
    let all = properties.set(SPECIALIZATION_CONSTANTS);
    let all = all.into_iter().flatten().map(|(key, _)| key.as_ref());
    let listed = properties.get(KERNEL_CONSTANTS, kernel);
    match listed.and_then(|names| std::str::from_utf8(names.as_bytes()?).ok()) {
        Some(names) => all.filter(|key| names.lines().any(|n| n == *key)).collect(),
        None => all.collect(),
    }
}

/// Which of a kernel's constants a program means by `name`: that of the translation unit whose tag
/// the name carries, or else the one that all units share, or else the only one that is called so:
/// of a kernel that units share, one unit's copy stays.
fn meant<'k>(keys: &[&'k str], name: &str) -> Option<&'k str> {
    let (base, _) = unit_name::split(name);
    let base = without_linkage(base);
    let [own, shared] = [without_linkage(name), base.clone()].map(|wanted| {
        let mut keys = keys.iter().copied();
        keys.find(|key| without_linkage(key) == wanted)
    });
    own.or(shared).or_else(|| {
        let is_alike = |key: &&&str| without_linkage(unit_name::split(key).0) == base;
        let mut alike = keys.iter().filter(is_alike);
        alike.next().copied().filter(|_| alike.next().is_none())
    })
}

/// Whether the image has the constant that `name` means (any, without a name), and then whether it has it as one of SPIR-V.
#[must_use]
pub fn spec_constant(image: &Image, name: Option<&str>) -> Option<bool> {
    let properties = &image.content.properties;
    let all = properties.set(SPECIALIZATION_CONSTANTS);
    let keys: Vec<&str> = all
        .into_iter()
        .flatten()
        .map(|(key, _)| key.as_ref())
        .collect();
    let found = match name {
        Some(name) => meant(&keys, name),
        None => keys.first().copied(),
    };
    found.map(|_| image.format() == ImageFormat::SpirV)
}

/// The records of the constant that `name` means in a kernel, from the image's property set.
fn spec_records(properties: &PropertySets, kernel: &str, name: &str) -> Vec<SpecRecord> {
    let key = meant(&read_by(properties, kernel), name);
    let property = key.and_then(|key| properties.get(SPECIALIZATION_CONSTANTS, key));
    property.map_or_else(Vec::new, records_in)
}

/// The records that a property holds: three 32-bit numbers each.
fn records_in(property: &PropertyValue) -> Vec<SpecRecord> {
    let words = property.as_u32_array().unwrap_or_default();
    let records = words.chunks_exact(3).map(|record| SpecRecord {
        id: (record[0] != u32::MAX).then_some(record[0]),
        offset: record[1] as usize,
        size: record[2] as usize,
    });
    records.collect()
}

/// The buffer of an image's emulated constants: their defaults, with the values that were `set` for
/// the kernel.
/// The constants lie one behind the other in the order of the property set, each as long as its
/// records with the padding are. `None` when the image has no constants.
fn emulated_values(
    properties: &PropertySets,
    kernel: &str,
    set: &[(String, Vec<u8>)],
) -> Option<Vec<u8>> {
    let defaults = properties.get(SPECIALIZATION_CONSTANTS_DEFAULTS, "all")?;
    let mut values = defaults.as_bytes()?.to_vec();
    let constants = properties
        .set(SPECIALIZATION_CONSTANTS)
        .into_iter()
        .flatten();
    let keys = read_by(properties, kernel);
    let mut start = 0usize;
    for (key, property) in constants {
        let ends = records_in(property)
            .into_iter()
            .map(|record| record.offset.saturating_add(record.size));
        let end = start.saturating_add(ends.max().unwrap_or(0));
        let value = set
            .iter()
            .find(|(name, _)| meant(&keys, name) == Some(key.as_ref()));
        if let Some((_, bytes)) = value
            && let Some(place) = values.get_mut(start..end)
            && let Some(place) = place.get_mut(..bytes.len())
        {
            place.copy_from_slice(bytes);
        }
        start = end;
    }
    Some(values)
}

/// Device memory that holds the values of emulated constants while a command runs.
struct Constants<'a> {
    queue: &'a Queue,
    pointer: *mut std::ffi::c_void,
}

impl Drop for Constants<'_> {
    fn drop(&mut self) {
        // Nothing can be done about memory that the driver will not take back.
        let _ = self.queue.context.driver.usm_free(self.pointer);
    }
}

/// The defaults of an image's emulated constants with what the program set, on the device; `None`
/// when the kernel takes none or the image has them as SPIR-V constants.
fn emulated_constants<'a>(
    queue: &'a Queue,
    launch: &Launch,
    image: &Image,
) -> Result<Option<Constants<'a>>> {
    let native = image.format() == ImageFormat::SpirV;
    if native || launch.spec_constant_pointer.is_none() {
        return Ok(None);
    }
    let properties = &image.content.properties;
    let Some(values) = emulated_values(properties, &launch.name, &launch.spec_constants) else {
        return Ok(None);
    };
    let context = &queue.context.driver;
    let size = values.len().max(1);
    let pointer = context.usm_allocate(queue.device.place, UsmKind::Shared, size, 0)?;
    if pointer.is_null() {
        return Err(Error::new(
            Kind::MemoryAllocation,
            "no room for the specialization constants",
        ));
    }
    // SAFETY: the allocation spans `size` bytes, reachable from the host, and is not used yet.
    unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), pointer.cast(), values.len()) };
    Ok(Some(Constants { queue, pointer }))
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
    use super::*;

    #[test]
    fn set_values_lie_where_the_image_has_each_emulated_constant() {
        const PADDING: u32 = u32::MAX;
        let mut properties = PropertySets::new();
        // A char and the gap behind it, three floats, and an int, in the order of their names.
        for (name, records) in [
            ("_ZTS4nameIL_Z4flagEE", &[0, 0, 1, PADDING, 1, 3][..]),
            ("_ZTS4nameIL_Z4rowsEE", &[1, 0, 4, 2, 4, 4, 3, 8, 4]),
            ("_ZTS4nameIL_Z5scaleEE", &[4, 0, 4]),
        ] {
            let records = PropertyValue::u32_array(records);
            properties.insert(SPECIALIZATION_CONSTANTS, name, records);
        }
        let defaults = PropertyValue::Bytes(vec![7; 20]);
        properties.insert(SPECIALIZATION_CONSTANTS_DEFAULTS, "all", defaults);

        let set = |constants: &[(&str, &[u8])]| {
            let owned = |(name, value): &(&str, &[u8])| ((*name).to_owned(), value.to_vec());
            let constants: Vec<_> = constants.iter().map(owned).collect();
            emulated_values(&properties, "kernel", &constants).unwrap()
        };
        assert_eq!(set(&[]), [7; 20]);
        let mut expected = [7; 20];
        expected[16..].fill(1);
        let scale: (&str, &[u8]) = ("_ZTS4nameIL_ZL5scaleEE", &[1; 4]);
        assert_eq!(set(&[scale]), expected);
        expected[4..16].fill(2);
        let rows: (&str, &[u8]) = ("_ZTS4nameIL_Z4rowsEE", &[2; 12]);
        assert_eq!(set(&[scale, rows]), expected);
        // A value that is longer than the constant, and one that the image does not use.
        let wrong: [(&str, &[u8]); 2] = [("_ZTS4nameIL_Z5scaleEE", &[3; 5]), ("other", &[3])];
        assert_eq!(set(&wrong), [7; 20]);
    }

    #[test]
    fn a_unit_means_its_own_constant_or_that_of_all() {
        let [one, other] = [1, 2].map(|unit| format!("_ZTS1a{}", unit_name::tag(unit)));
        assert_eq!(meant(&["_ZTS1a", "_ZTS1b"], &one), Some("_ZTS1a"));
        assert_eq!(meant(&["_ZTS1b"], &one), None);
        let own: Vec<&str> = vec!["_ZTS1a", &one, &other];
        assert_eq!(meant(&own, &other), Some(other.as_str()));
        assert_eq!(meant(&own[1..], "_ZTS1a"), None);
    }

    #[test]
    fn a_unit_means_the_constant_of_the_copy_that_stayed_of_a_kernel() {
        let [one, other] = [1, 2].map(|unit| format!("_ZTSL1a{}", unit_name::tag(unit)));
        assert_eq!(meant(&["_ZTS1b", &one], &other), Some(one.as_str()));
        // Both units have kernels of their own beside the one that they share.
        let mut properties = PropertySets::new();
        for (name, id) in [(&one, 0), (&other, 1)] {
            let records = PropertyValue::u32_array(&[id, 0, 1]);
            properties.insert(SPECIALIZATION_CONSTANTS, name, records);
        }
        let defaults = PropertyValue::Bytes(vec![7, 7]);
        properties.insert(SPECIALIZATION_CONSTANTS_DEFAULTS, "all", defaults);
        for (kernel, names) in [("both", format!("{one}\n{other}")), ("shared", one.clone())] {
            let names = PropertyValue::Bytes(names.into_bytes());
            properties.insert(KERNEL_CONSTANTS, kernel, names);
        }
        let id = |kernel: &str, name: &str| {
            let records = spec_records(&properties, kernel, name);
            records.iter().find_map(|record| record.id)
        };
        assert_eq!(id("shared", &other), Some(0));
        assert_eq!(id("both", &other), Some(1));
        let set = [(other.clone(), vec![1])];
        let values = |kernel: &str| emulated_values(&properties, kernel, &set);
        assert_eq!(values("shared"), Some(vec![1, 7]));
        assert_eq!(values("both"), Some(vec![7, 1]));
    }
}
