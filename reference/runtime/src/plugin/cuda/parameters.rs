//! A kernel's parameters as PTX entry points of this toolchain take them: memory by its address,
//! local memory by its offset in what the launch asks for, everything else as its bytes, the space
//! last (ARCHITECTURE.md, "Headers to front end").

use std::ffi::c_void;

use crate::error::Result;
use crate::plugin::{Allocation, Argument};

/// What local memory is aligned to: the longest vector of SYCL's.
const LOCAL_ALIGNMENT: usize = 128;

/// The parameters of a launch.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parameters {
    /// The bytes of each.
    values: Vec<Vec<u8>>,
    /// Local memory of a work-group in bytes.
    pub local_size: usize,
}

impl Parameters {
    /// Puts the arguments into the kernel's form.
    ///
    /// # Errors
    /// When `address` knows none for an allocation.
    pub fn of(
        arguments: &[Argument],
        address: impl Fn(&dyn Allocation) -> Result<u64>,
    ) -> Result<Parameters> {
        let mut values = Vec::with_capacity(arguments.len());
        let mut local_size = 0_usize;
        for argument in arguments {
            values.push(match argument {
                Argument::Memory(memory) => address(memory.as_ref())?.to_ne_bytes().to_vec(),
                Argument::Pointer(pointer) => (*pointer as u64).to_ne_bytes().to_vec(),
                Argument::Local(size) => {
                    let offset = local_size.next_multiple_of(LOCAL_ALIGNMENT);
                    local_size = offset.saturating_add((*size).max(1));
                    (offset as u64).to_ne_bytes().to_vec()
                }
                Argument::Value(bytes) => bytes.to_vec(),
                // Only kernels that a program made itself have such, and there are none here.
                Argument::Kept => Vec::new(),
            });
        }
        Ok(Parameters { values, local_size })
    }

    /// Where each value stands, for one call, and last what the kernel is told of its space.
    pub fn places(&mut self, told: &mut [u64]) -> Vec<*mut c_void> {
        let values = self.values.iter_mut().map(|v| v.as_mut_ptr().cast());
        values.chain([told.as_mut_ptr().cast()]).collect()
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
        let mut parameters = Parameters::of(&arguments, address).unwrap();
        let word = |n: u64| n.to_ne_bytes().to_vec();
        let expected = [
            word(0x1234_5678_9abc),
            range,
            word(0),
            word(0x77),
            word(128),
            vec![3],
        ];
        assert_eq!(parameters.values, expected);
        assert_eq!(parameters.local_size, 129);
        let mut told = [1, 2, 3];
        let places = parameters.places(&mut told);
        assert_eq!(places.len(), arguments.len() + 1);
        assert_eq!(places.last().copied(), Some(told.as_mut_ptr().cast()));
    }

    #[test]
    fn a_kernel_without_local_memory_asks_for_none() {
        let none = Parameters::of(&[], |_| Ok(0)).unwrap();
        assert_eq!(none.local_size, 0);
    }
}
