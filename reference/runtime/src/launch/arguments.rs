//! From a functor's bytes to the arguments of an entry point.

use std::ffi::c_void;
use std::slice;

use offload_formats::demangle::named;
use offload_formats::property_set::{KERNEL_PARAM_OPT, PropertyValue};
use smallvec::SmallVec;

use super::Call;
use crate::error::{Error, Kind, Result};
use crate::memory::{Brought, Memory};
use crate::plugin::Argument;
use crate::registry::{Image, Parameter, ParameterKind};

/// The arguments of an entry point; few need no memory of their own.
pub type Arguments<'a> = SmallVec<[Argument<'a>; 16]>;

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
    omitted: &[bool],
    buffers: &[Brought<'a>],
    constants: Option<(usize, *const c_void)>,
) -> Result<()> {
    refuse_shared_local_memory(call, parameters)?;
    let mut given = Given {
        arguments,
        omitted: omitted.iter(),
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
pub fn check(call: Call<'_>, parameters: &[Parameter], buffers: &[*const Memory]) -> Result<()> {
    for parameter in parameters {
        let bytes = part(call, parameter)?;
        if matches!(
            parameter.kind,
            ParameterKind::Accessor | ParameterKind::Memory
        ) {
            let memory = buffer_of(call, bytes)?;
            if !memory.is_null() && !buffers.contains(&memory) {
                return Err(not_required(call));
            }
        }
    }
    Ok(())
}

/// For each parameter that a functor comes to, whether an image's kernel lacks it.
pub fn omitted(image: &Image, kernel: &str) -> Vec<bool> {
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
        }
        Ok(())
    }
}

fn outside(call: Call<'_>) -> Error {
    let name = named(call.name);
    let reason = format!("the parameters of kernel {name} lie outside its functor");
    Error::new(Kind::KernelArgument, reason)
}

fn not_required(call: Call<'_>) -> Error {
    let name = named(call.name);
    let reason = format!("kernel {name} uses an accessor that its command group does not require");
    Error::new(Kind::KernelArgument, reason)
}

/// The part of the functor that a parameter stands for.
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

/// The buffer of an accessor.
fn buffer_of(call: Call<'_>, bytes: &[u8]) -> Result<*const Memory> {
    Ok((first_word(call, bytes)? & !ACCESSOR_FLAGS) as *const Memory)
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
    let memory = buffer_of(call, bytes)?;
    let allocation = buffers.iter().find(|(handle, _)| *handle == memory);
    match allocation {
        Some((_, allocation)) => Ok(Argument::Memory(allocation)),
        None if memory.is_null() => Ok(Argument::Pointer(std::ptr::null())),
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
