//! A kernel's parameters as PTX entry points of this toolchain take them: memory by its address,
//! local memory by its offset in what the launch asks for, everything else as its bytes, the space
//! last (ARCHITECTURE.md, "Headers to front end").

use std::ffi::c_void;

use smallvec::SmallVec;

use crate::error::Result;
use crate::plugin::{Allocation, Argument};

/// What local memory is aligned to: the longest vector of SYCL's.
const LOCAL_ALIGNMENT: usize = 128;

/// The parameters of a launch, of whose arguments bytes stay where they are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parameters<'a> {
    values: SmallVec<[Value<'a>; 16]>,
    /// Local memory of a work-group in bytes.
    pub local_size: usize,
}

/// The bytes of a parameter.
#[derive(Debug, PartialEq, Eq)]
enum Value<'a> {
    Word(u64),
    Bytes(&'a [u8]),
}

impl<'a> Parameters<'a> {
    /// Puts the arguments into the kernel's form.
    ///
    /// # Errors
    /// When `address` knows none for an allocation.
    pub fn of(
        arguments: &'a [Argument],
        address: impl Fn(&dyn Allocation) -> Result<u64>,
    ) -> Result<Self> {
        let mut values = SmallVec::with_capacity(arguments.len());
        let mut local_size = 0_usize;
        for argument in arguments {
            values.push(match argument {
                Argument::Memory(memory) => Value::Word(address(memory.as_ref())?),
                Argument::Pointer(pointer) => Value::Word(*pointer as u64),
                Argument::Local(size) => {
                    let offset = local_size.next_multiple_of(LOCAL_ALIGNMENT);
                    local_size = offset.saturating_add((*size).max(1));
                    Value::Word(offset as u64)
                }
                Argument::Value(bytes) => Value::Bytes(bytes),
                // Only kernels that a program made itself have such, and there are none here.
                Argument::Kept => Value::Bytes(&[]),
            });
        }
        Ok(Parameters { values, local_size })
    }

    /// Where each value stands, for one call, which only reads there, and last what the kernel is told of
    /// its space.
    pub fn places(&self, told: &[u64]) -> SmallVec<[*mut c_void; 16]> {
        let place = |value: &Value<'_>| match value {
            Value::Word(word) => std::ptr::from_ref(word).cast_mut().cast(),
            Value::Bytes(bytes) => bytes.as_ptr().cast_mut().cast(),
        };
        let mut places = SmallVec::with_capacity(self.values.len() + 1);
        places.extend(self.values.iter().map(place));
        places.push(told.as_ptr().cast_mut().cast());
        places
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::sync::Arc;

    use super::*;

    struct At(u64);

    impl Allocation for At {
        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn each_argument_becomes_the_bytes_of_its_parameter() {
        let range = [5_u64, 6, 7].map(u64::to_ne_bytes).concat();
        let arguments = [
            Argument::Memory(Arc::new(At(0x1234_5678_9abc))),
            Argument::Value(range.clone().into()),
            Argument::Local(100),
            Argument::Pointer(0x77 as *const c_void),
            Argument::Local(0),
            Argument::Value(vec![3].into()),
        ];
        let address =
            |memory: &dyn Allocation| Ok(crate::plugin::downcast::<At>(memory.as_any())?.0);
        let parameters = Parameters::of(&arguments, address).unwrap();
        let expected = [
            Value::Word(0x1234_5678_9abc),
            Value::Bytes(&range),
            Value::Word(0),
            Value::Word(0x77),
            Value::Word(128),
            Value::Bytes(&[3]),
        ];
        assert_eq!(parameters.values.as_slice(), expected);
        assert_eq!(parameters.local_size, 129);
        let told = [1, 2, 3];
        let places = parameters.places(&told);
        assert_eq!(places.len(), arguments.len() + 1);
        let last = told.as_ptr().cast_mut().cast();
        assert_eq!(places.last().copied(), Some(last));
    }

    #[test]
    fn a_kernel_without_local_memory_asks_for_none() {
        let none = Parameters::of(&[], |_| Ok(0)).unwrap();
        assert_eq!(none.local_size, 0);
    }
}
