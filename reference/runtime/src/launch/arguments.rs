//! From a functor's bytes to the arguments of an entry point.

use std::ffi::c_void;
use std::slice;

use offload_formats::demangle::named;
use offload_formats::property_set::{KERNEL_PARAM_OPT, PropertyValue};
use smallvec::SmallVec;

use super::Call;
use crate::error::{Error, Kind, Result};
use crate::memory::{Brought, Memory, Required};
use crate::plugin::Argument;
use crate::registry::{Image, Parameter, ParameterKind};

/// The arguments of an entry point; few need no memory of their own.
pub type Arguments<'a> = SmallVec<[Argument<'a>; 16]>;

/// What can be said beforehand of how a functor becomes the arguments of its kernel.
#[derive(Default)]
pub struct Plan {
    /// For each parameter that the functor comes to, whether the image's kernel lacks it; those behind the last are
    /// there.
    omitted: Vec<bool>,
    /// The parts that the kernel takes, of a functor that is values and pointers alone. Most are such, and each
    /// start should do little for them.
    plain: Option<Vec<Parameter>>,
}

impl Plan {
    /// For the kernel of the image, whose functor has these parts.
    #[must_use]
    pub fn of(image: &Image, kernel: &str, parameters: &[Parameter]) -> Plan {
        let omitted = omitted(image, kernel);
        let is_plain = |parameter: &Parameter| {
            matches!(
                parameter.kind,
                ParameterKind::Value | ParameterKind::Pointer
            )
        };
        let is_taken = |at: usize| omitted.get(at) != Some(&true);
        let plain = parameters.iter().all(is_plain).then(|| {
            let taken = parameters.iter().enumerate();
            let taken = taken.filter(|(at, _)| is_taken(*at));
            taken.map(|(_, parameter)| *parameter).collect()
        });
        Plan { omitted, plain }
    }

    /// Whether the functor is values and pointers alone.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.plain.is_some()
    }
}

/// Adds the arguments for a functor, without those for parameters that the entry point lacks. `buffers` are
/// those that the command group required, `constants` the place in the functor of the pointer to emulated
/// specialization constants, and where they are.
///
/// # Errors
/// When the functor is not what the kernel takes or uses a buffer that was not required.
pub fn add<'a>(
    arguments: &mut Arguments<'a>,
    call: Call<'a>,
    parameters: &[Parameter],
    plan: &Plan,
    buffers: &[Brought<'a>],
    constants: Option<(usize, *const c_void)>,
) -> Result<()> {
    if let (Some(parts), None) = (&plan.plain, constants) {
        for parameter in parts {
            let bytes = part(call, parameter)?;
            arguments.push(match parameter.kind {
                ParameterKind::Pointer => {
                    Argument::Pointer(first_word(call, bytes)? as *const c_void)
                }
                _ => Argument::Value(bytes),
            });
        }
        return Ok(());
    }
    refuse_shared_local_memory(call, parameters)?;
    let mut given = Given {
        arguments,
        omitted: plan.omitted.iter(),
    };
    for parameter in parameters {
        given.add(call, parameter, buffers, constants)?;
    }
    Ok(())
}

/// Fails where [`add`] would.
///
/// # Errors
/// As [`add`].
pub fn check(call: Call<'_>, parameters: &[Parameter], buffers: &[Required]) -> Result<()> {
    for parameter in parameters {
        let bytes = part(call, parameter)?;
        if parameter.kind == ParameterKind::Scratch {
            return Err(without_scratch(call));
        }
        if matches!(
            parameter.kind,
            ParameterKind::Accessor | ParameterKind::Memory
        ) {
            let buffer = buffer_of(call, bytes)?;
            if !buffer.memory.is_null() && !buffers.iter().any(|each| buffer.is_of(each)) {
                return Err(not_required(call));
            }
        }
    }
    Ok(())
}

/// For each parameter that a functor comes to, whether an image's kernel lacks it.
fn omitted(image: &Image, kernel: &str) -> Vec<bool> {
    let properties = &image.content.properties;
    let property = properties.get(KERNEL_PARAM_OPT, kernel);
    property.map(PropertyValue::as_bits).unwrap_or_default()
}

/// Arguments so far.
struct Given<'a, 'b> {
    arguments: &'b mut Arguments<'a>,
    /// Whether the parameters that come next are left out; those behind the last are there.
    omitted: slice::Iter<'b, bool>,
}

impl<'a> Given<'a, '_> {
    /// The argument for the next parameter, if there is one.
    fn push(&mut self, argument: Argument<'a>) {
        if self.omitted.next() != Some(&true) {
            self.arguments.push(argument);
        }
    }

    /// Adds the entry point's parameters for one part of the functor (ARCHITECTURE.md, "Headers to
    /// front end").
    fn add(
        &mut self,
        call: Call<'a>,
        parameter: &Parameter,
        buffers: &[Brought<'a>],
        constants: Option<(usize, *const c_void)>,
    ) -> Result<()> {
        let bytes = part(call, parameter)?;
        let word = || first_word(call, bytes);
        let wrong = || outside(call);
        match parameter.kind {
            ParameterKind::Value => self.push(Argument::Value(bytes)),
            ParameterKind::Pointer => {
                let pointer = match constants {
                    Some((offset, constants)) if offset == parameter.offset => constants,
                    _ => word()? as *const c_void,
                };
                self.push(Argument::Pointer(pointer));
            }
            ParameterKind::LocalAccessor => {
                let (word, range) = (word()?, bytes.get(8..32).ok_or_else(wrong)?);
                self.push(local_argument(word));
                self.push(Argument::Value(range));
            }
            ParameterKind::LocalMemory => {
                let word = word()?;
                self.push(local_argument(word));
            }
            ParameterKind::Accessor => {
                let ranges = bytes.get(8..80).ok_or_else(wrong)?;
                let buffer = buffer_argument(call, bytes, buffers)?;
                self.push(buffer);
                for range in ranges.chunks(24) {
                    self.push(Argument::Value(range));
                }
            }
            ParameterKind::Memory => {
                let buffer = buffer_argument(call, bytes, buffers)?;
                self.push(buffer);
            }
            ParameterKind::Scratch => return Err(without_scratch(call)),
        }
        Ok(())
    }
}

fn outside(call: Call<'_>) -> Error {
    let name = named(call.name);
    let reason = format!("the parameters of kernel {name} lie outside its functor");
    Error::new(Kind::KernelArgument, reason)
}

fn without_scratch(call: Call<'_>) -> Error {
    let name = named(call.name);
    let reason = format!(
        "kernel {name} asks for scratch memory of its work-group, and its start has no \
         work_group_scratch_size"
    );
    Error::new(Kind::MemoryAllocation, reason)
}

fn not_required(call: Call<'_>) -> Error {
    let name = named(call.name);
    let reason = format!("kernel {name} uses an accessor that its command group does not require");
    Error::new(Kind::KernelArgument, reason)
}

/// The part of the functor that a parameter stands for.
#[inline]
fn part<'a>(call: Call<'a>, parameter: &Parameter) -> Result<&'a [u8]> {
    let end = parameter.offset.checked_add(parameter.size);
    let bytes = end.and_then(|end| call.functor.get(parameter.offset..end));
    bytes.ok_or_else(|| outside(call))
}

/// Bits of an accessor's word that its object on the host keeps for itself
/// (`include/sycl/detail/element_access.hpp`).
const ACCESSOR_FLAGS: usize = align_of::<Memory>() - 1;
/// The place in a local accessor's word of the number that tells such accessors apart
/// (`include/sycl/local_accessor.hpp`).
const LOCAL_SERIAL_PLACE: u32 = 40;

/// The flag of an accessor that was made without a command group.
const PLACEHOLDER_FLAG: usize = 1;

/// What an accessor says of its buffer.
struct Accessed {
    /// Null for an accessor that was made of nothing.
    memory: *const Memory,
    is_placeholder: bool,
}

impl Accessed {
    /// Whether a command that requires a buffer so may use the accessor: for a placeholder it was told so.
    fn is_of(&self, (memory, access): &Required) -> bool {
        self.memory == *memory && (!self.is_placeholder || access.is_of_placeholder())
    }
}

/// The buffer of an accessor.
fn buffer_of(call: Call<'_>, bytes: &[u8]) -> Result<Accessed> {
    let word = first_word(call, bytes)?;
    Ok(Accessed {
        memory: (word & !ACCESSOR_FLAGS) as *const Memory,
        is_placeholder: word & PLACEHOLDER_FLAG != 0,
    })
}

fn first_word(call: Call<'_>, bytes: &[u8]) -> Result<usize> {
    let first = bytes.get(..8).and_then(|word| word.try_into().ok());
    first.map(usize::from_ne_bytes).ok_or_else(|| outside(call))
}

/// Refuses a functor that holds one local accessor several times: SYCL 2020, section 4.5.2, has copies
/// stand for the same memory, and each parameter of an entry point gets memory of its own.
fn refuse_shared_local_memory(call: Call<'_>, parameters: &[Parameter]) -> Result<()> {
    let mut seen = Vec::new();
    let is_local = |kind| {
        matches!(
            kind,
            ParameterKind::LocalAccessor | ParameterKind::LocalMemory
        )
    };
    for parameter in parameters.iter().filter(|p| is_local(p.kind)) {
        let serial = first_word(call, part(call, parameter)?)? >> LOCAL_SERIAL_PLACE;
        if serial != 0 && seen.contains(&serial) {
            let name = named(call.name);
            let reason =
                format!("kernel {name} holds one local accessor twice, which cannot be passed");
            return Err(Error::new(Kind::FeatureNotSupported, reason));
        }
        seen.push(serial);
    }
    Ok(())
}

/// The local memory that the word of a local accessor on the host asks for.
fn local_argument(word: usize) -> Argument<'static> {
    Argument::Local(word & ((1 << LOCAL_SERIAL_PLACE) - 1))
}

/// The memory of an accessor.
fn buffer_argument<'a>(
    call: Call<'_>,
    bytes: &[u8],
    buffers: &[Brought<'a>],
) -> Result<Argument<'a>> {
    let buffer = buffer_of(call, bytes)?;
    match buffers.iter().find(|(required, _)| buffer.is_of(required)) {
        Some((_, allocation)) => Ok(Argument::Memory(allocation)),
        None if buffer.memory.is_null() => Ok(Argument::Pointer(std::ptr::null())),
        None => Err(not_required(call)),
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
            let omitted = omitted(&image, kernel);
            let mut arguments = Arguments::new();
            let mut given = Given {
                arguments: &mut arguments,
                omitted: omitted.iter(),
            };
            (0..count).for_each(|number| given.push(Argument::Local(number)));
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
