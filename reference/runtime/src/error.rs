//! How the runtime fails: a kind that becomes `sycl::errc`, and a reason.

use std::fmt;

/// Kinds of failure, with the numbers of `sycl::errc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    /// Anything that has no kind of its own.
    Runtime = 1,
    /// A wrong division of the iteration space.
    NdRange = 4,
    /// An argument that does not fit the kernel.
    KernelArgument = 6,
    /// A device image does not build.
    Build = 7,
    /// A value that the operation cannot take.
    Invalid = 8,
    /// No room.
    MemoryAllocation = 9,
    /// Timing of a queue that does not measure.
    Profiling = 11,
    /// The device cannot do what was asked.
    FeatureNotSupported = 12,
    /// The device cannot run the kernel.
    KernelNotSupported = 13,
    /// Objects of different backends were mixed.
    BackendMismatch = 14,
}

/// A failure of the runtime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// Of which kind.
    pub kind: Kind,
    /// Why, in words that name the object.
    pub reason: String,
    /// OpenCL's number of the failure; 0 where it is none of OpenCL's.
    pub opencl: i32,
}

impl Error {
    /// A failure of `kind` because of `reason`.
    pub fn new(kind: Kind, reason: impl Into<String>) -> Self {
        Error {
            kind,
            reason: reason.into(),
            opencl: 0,
        }
    }

    /// The same failure, which OpenCL tells by `number`.
    #[must_use]
    pub fn by_opencl(self, number: i32) -> Self {
        let opencl = number;
        Error { opencl, ..self }
    }

    /// Memory of another device that a device cannot reach.
    #[must_use]
    pub fn no_way_to_peer() -> Self {
        let reason = "the device has no way to the other one's memory";
        Error::new(Kind::FeatureNotSupported, reason)
    }

    /// Access to another device's memory that is given, or taken, already.
    #[must_use]
    pub fn peer_is(given: bool) -> Self {
        let now = if given { "already" } else { "not" };
        let reason = format!("the device may {now} reach the other one's memory");
        Error::new(Kind::Invalid, reason)
    }

    /// A question for a command's times that were not measured.
    #[must_use]
    pub fn not_measured() -> Self {
        Error::new(
            Kind::Invalid,
            "no profiling information: the queue must have enable_profiling and the command must \
             be complete",
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Error {}

/// An error's words and, behind colons, those of what caused it.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let errors = std::iter::successors(Some(error), |error| error.source());
    let words: Vec<String> = errors.map(ToString::to_string).collect();
    words.join(": ")
}

/// What the runtime's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
