//! What a device says of itself.

/// What a sub-buffer's first byte has to be a multiple of, in bits, where the driver asks for nothing:
/// the widest vector of OpenCL's, `long16`, which is the least that OpenCL has any device ask for
/// (OpenCL API specification, `CL_DEVICE_MEM_BASE_ADDR_ALIGN`). Programs that are right on one device
/// are right on the others then.
pub const MEM_BASE_ADDR_ALIGN: u64 = 1024;

/// What a device says of itself. Sizes in bytes; work-item sizes in SYCL's dimension order would
/// depend on the number of dimensions, so they stand in the device's own.
#[derive(Debug, Clone, Default)]
pub struct DeviceFacts {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The version of the interface that it implements.
    pub version: String,
    /// The version of its driver.
    pub driver_version: String,
    /// The version of OpenCL's C that its driver compiles; empty where it is no device of OpenCL.
    pub opencl_c_version: String,
    /// Extensions, separated by blanks.
    pub extensions: String,
    /// Numbers by their code in the C interface (`PLSYCL_DEVICE_*`).
    pub numbers: Vec<(u32, Vec<u64>)>,
    /// Aspects that the device has, as numbers of `sycl::aspect`.
    pub aspects: Vec<u32>,
    /// Sub-group sizes that kernels may require.
    pub sub_group_sizes: Vec<u32>,
    /// The most work-items of a work-group.
    pub max_work_group_size: u64,
    /// What tells the device from others whichever interface shows it, where its driver says.
    pub uuid: Option<[u8; 16]>,
    /// Its place on the PCI bus, where its driver says: `0000:03:00.0`.
    pub pci_address: String,
}

impl DeviceFacts {
    /// Whether the device has the extension.
    #[must_use]
    pub fn has_extension(&self, name: &str) -> bool {
        self.extensions.split_whitespace().any(|e| e == name)
    }

    /// The first number of a code in the C interface; `None` where the interface has no answer.
    #[must_use]
    pub fn number(&self, code: u32) -> Option<u64> {
        let mut numbers = self.numbers.iter();
        let (_, values) = numbers.find(|(known, _)| *known == code)?;
        values.first().copied()
    }

    /// Whether both describe one device, as two interfaces show it.
    #[must_use]
    pub fn is_same_device(&self, other: &DeviceFacts) -> bool {
        match (self.uuid, other.uuid) {
            (Some(own), Some(others)) => own == others,
            _ => self.vendor == other.vendor && self.name == other.name,
        }
    }
}

/// All scopes that SYCL has, as bits: of atomic operations, for which a work-item is none, and of
/// fences.
pub const ATOMIC_SCOPES: [u64; 2] = [0b1_1110, 0b1_1111];

/// What a device can do in the memory of another (`sycl_ext_oneapi_peer_access`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Peer {
    /// Read and write it.
    pub access: bool,
    /// Atomic operations on it.
    pub atomics: bool,
}
