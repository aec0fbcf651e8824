//! The structures of a descriptor as they lie in memory, and their numbers.

use std::ffi::{c_char, c_void};

/// The function that takes a descriptor when a program or library is loaded.
pub const REGISTER_FUNCTION: &str = "__sycl_register_lib";
/// The function that takes the same descriptor back when it is unloaded.
pub const UNREGISTER_FUNCTION: &str = "__sycl_unregister_lib";
/// The section of a wrapped object, and of programs linked with it, that says for each image where it
/// stands: address and size, 64 bits each. DPC++'s wrapper writes it for tools that take images out of
/// programs.
pub const IMAGES_SECTION: &str = ".tgtimg";

/// Version of [`Binaries`].
pub const BINARIES_VERSION: u16 = 1;
/// Version of [`Image`]; versions 1 and 2 are laid out as [`ImageWithManifest`].
pub const IMAGE_VERSION: u16 = 3;
/// The offload kind that an image carries: always SYCL.
pub const IMAGE_KIND_SYCL: u8 = 4;
/// Version of [`Entry`].
pub const ENTRY_VERSION: u16 = 1;
/// The offload kind that an entry carries: SYCL, as in OffloadBinary.
pub const ENTRY_KIND_SYCL: u16 = 8;
/// Type of a property whose value is a number held in [`Property::size`].
pub const PROPERTY_U32: u32 = 1;
/// Type of a property whose value is bytes behind an 8-byte length in bits.
pub const PROPERTY_BYTES: u32 = 2;

/// Target strings of images.
pub mod target {
    /// SPIR-V for any 64-bit device.
    pub const SPIR64: &str = "spir64";
    /// Compiled ahead of time for x86-64 CPUs.
    pub const SPIR64_X86_64: &str = "spir64_x86_64";
    /// Compiled ahead of time for Intel GPUs.
    pub const SPIR64_GEN: &str = "spir64_gen";
    /// Compiled ahead of time for FPGAs.
    pub const SPIR64_FPGA: &str = "spir64_fpga";
    /// PTX or a binary for NVIDIA GPUs.
    pub const NVPTX64: &str = "nvptx64";
    /// A binary for AMD GPUs.
    pub const AMDGCN: &str = "amdgcn";
}

/// What the bytes of an image are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ImageFormat {
    /// Not said.
    None,
    /// Code of one device.
    Native,
    /// SPIR-V.
    SpirV,
    /// LLVM bitcode.
    Bitcode,
    /// Compressed with zstd; what it holds is said by the first bytes after decompression.
    Compressed,
}

impl ImageFormat {
    /// The number in the descriptor.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The format of a number, where it is one.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        use ImageFormat::{Bitcode, Compressed, Native, None as Unsaid, SpirV};
        [Unsaid, Native, SpirV, Bitcode, Compressed]
            .into_iter()
            .find(|format| format.number() == number)
    }
}

/// All images of one program or library.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Binaries {
    /// [`BINARIES_VERSION`].
    pub version: u16,
    /// How many images there are.
    pub count: u16,
    /// The first image.
    pub images: *const Image,
    /// Not used by SYCL; null.
    pub host_entries_begin: *const c_void,
    /// Not used by SYCL; null.
    pub host_entries_end: *const c_void,
}

/// What an image of any version begins with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageHead {
    /// [`IMAGE_VERSION`], or an older one.
    pub version: u16,
    /// [`IMAGE_KIND_SYCL`].
    pub kind: u8,
    /// The number of an [`ImageFormat`].
    pub format: u8,
    /// One of the [`target`] strings.
    pub target: *const c_char,
    /// Options for compiling the image at run time.
    pub compile_options: *const c_char,
    /// Options for linking the image at run time.
    pub link_options: *const c_char,
}

/// What an image of any version ends with.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageTail {
    /// The first byte of the image.
    pub begin: *const u8,
    /// Past its last byte.
    pub end: *const u8,
    /// The first entry: an [`Entry`], or an [`OldEntry`].
    pub entries_begin: *const Entry,
    /// Past the last entry.
    pub entries_end: *const Entry,
    /// The first property set.
    pub property_sets_begin: *const PropertySet,
    /// Past the last property set.
    pub property_sets_end: *const PropertySet,
}

/// An image, version 3.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Image {
    /// Fields that every version begins with.
    pub head: ImageHead,
    /// Fields that every version ends with.
    pub tail: ImageTail,
}

/// An image, versions 1 and 2: two pointers to a manifest stand in the middle.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageWithManifest {
    /// Fields that every version begins with.
    pub head: ImageHead,
    /// Not used; null.
    pub manifest_begin: *const c_char,
    /// Not used; null.
    pub manifest_end: *const c_char,
    /// Fields that every version ends with.
    pub tail: ImageTail,
}

/// An entry point of an image.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Zero: tells this layout from [`OldEntry`] together with the next fields.
    pub reserved: u64,
    /// [`ENTRY_VERSION`].
    pub version: u16,
    /// [`ENTRY_KIND_SYCL`].
    pub kind: u16,
    /// Zero.
    pub flags: u32,
    /// Null.
    pub address: *const c_void,
    /// Name of the kernel.
    pub name: *const c_char,
    /// Zero.
    pub size: u64,
    /// Zero.
    pub data: u64,
    /// Null.
    pub aux_address: *const c_void,
}

/// An entry point as producers before LLVM 21 lay it out.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct OldEntry {
    /// Null.
    pub address: *const c_void,
    /// Name of the kernel.
    pub name: *const c_char,
    /// Zero.
    pub size: u64,
    /// Zero.
    pub flags: i32,
    /// Zero.
    pub reserved: i32,
}

/// A named array of properties.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PropertySet {
    /// Name of the set.
    pub name: *const c_char,
    /// The first property.
    pub begin: *const Property,
    /// Past the last property.
    pub end: *const Property,
}

/// A named value.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Property {
    /// Name of the property.
    pub name: *const c_char,
    /// The bytes of a [`PROPERTY_BYTES`] value; null for a number.
    pub value: *const c_void,
    /// [`PROPERTY_U32`] or [`PROPERTY_BYTES`].
    pub kind: u32,
    /// Bytes at `value`, length included; or the number itself.
    pub size: u64,
}
