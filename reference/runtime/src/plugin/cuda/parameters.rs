//! A kernel's parameters as PTX entry points of this toolchain take them: memory by its address,
//! local memory by its offset in what the launch asks for, everything else as its bytes; the space
//! comes behind them (ARCHITECTURE.md, "Headers to front end").

use std::ffi::c_void;
use std::ptr::null;

use smallvec::SmallVec;

use crate::error::Result;
use crate::plugin::{Allocation, Argument};

/// What local memory is aligned to: the longest vector of SYCL's.
const LOCAL_ALIGNMENT: usize = 128;

/// Where values stand.
pub(super) type Places = SmallVec<[*mut c_void; 16]>;

/// The parameters of a launch, of whose arguments pointers and bytes stay where they are.
pub(super) struct Parameters<'a> {
    arguments: &'a [Argument<'a>],
    /// What stands in no argument: addresses of memory, and offsets of local memory.
    words: SmallVec<[u64; 8]>,
    /// Local memory of a work-group in bytes.
    pub local_size: usize,
}

impl<'a> Parameters<'a> {
    /// Those of the arguments, which have to be [placed](Parameters::place).
    pub fn of(arguments: &'a [Argument<'a>]) -> Self {
        Parameters {
            arguments,
            words: SmallVec::new(),
            local_size: 0,
        }
    }

    /// Finds out what stands in no argument.
    ///
    /// # Errors
    /// When `address` knows none for an allocation.
    pub fn place(&mut self, address: impl Fn(&dyn Allocation) -> Result<u64>) -> Result<()> {
        for argument in self.arguments {
            match argument {
                Argument::Memory(memory) => self.words.push(address(memory.as_ref())?),
                Argument::Local(size) => {
                    let offset = self.local_size.next_multiple_of(LOCAL_ALIGNMENT);
                    self.local_size = offset.saturating_add((*size).max(1));
                    self.words.push(offset as u64);
                }
                Argument::Pointer(_) | Argument::Value(_) | Argument::Kept => {}
            }
        }
        Ok(())
    }

    /// Adds where each value stands, for calls, which only read there. The parameters must stay where they are.
    pub fn places(&self, places: &mut Places) {
        let mut words = self.words.iter();
        for argument in self.arguments {
            let place: *const c_void = match argument {
                Argument::Memory(_) | Argument::Local(_) => {
                    words.next().map_or(null(), std::ptr::from_ref).cast()
                }
                Argument::Pointer(pointer) => std::ptr::from_ref(pointer).cast(),
                Argument::Value(bytes) => bytes.as_ptr().cast(),
                // Only kernels that a program made itself have such, and there are none here.
                Argument::Kept => null(),
            };
            places.push(place.cast_mut());
        }
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
        let memory: Arc<dyn Allocation> = Arc::new(At(0x1234_5678_9abc));
        let arguments = [
            Argument::Memory(&memory),
            Argument::Value(&range),
            Argument::Local(100),
            Argument::Pointer(0x77 as *const c_void),
            Argument::Local(0),
            Argument::Value(&[3]),
        ];
        let address =
            |memory: &dyn Allocation| Ok(crate::plugin::downcast::<At>(memory.as_any())?.0);
        let mut parameters = Parameters::of(&arguments);
        parameters.place(address).unwrap();
        assert_eq!(parameters.local_size, 129);
        let mut places = Places::new();
        parameters.places(&mut places);
        assert_eq!(places.len(), arguments.len());
        let word = |place: usize| {
            // SAFETY: a word stands there as long as arguments and parameters do.
            unsafe { places[place].cast::<u64>().read_unaligned() }
        };
        assert_eq!([0, 2, 3, 4].map(word), [0x1234_5678_9abc, 0, 0x77, 128]);
        let (first, second) = match (&arguments[1], &arguments[5]) {
            (Argument::Value(first), Argument::Value(second)) => (first.as_ptr(), second.as_ptr()),
            _ => unreachable!("the test has them there"),
        };
        assert_eq!(
            [1, 5].map(|place| places[place].cast_const()),
            [first.cast(), second.cast()]
        );
    }

    #[test]
    fn a_kernel_without_local_memory_asks_for_none() {
        let mut none = Parameters::of(&[]);
        none.place(|_| Ok(0)).unwrap();
        assert_eq!(none.local_size, 0);
    }
}
