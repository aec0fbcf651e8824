//! What the loaded program and its libraries have registered: device images, and the kernels that
//! integration headers describe.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, RwLock};

use offload_formats::registration::{self, Binaries, ImageFormat, RegisteredImage};
use offload_formats::unit_name;

use crate::binary::Binary;
use crate::error::{Error, Kind, Result};
use crate::names;
use crate::trace::{say, trace};

/// A registered image. The number tells images apart for as long as the process runs.
#[derive(Debug)]
pub struct Image {
    /// Never used twice.
    pub id: u64,
    /// What the descriptor said.
    pub content: RegisteredImage,
    /// The binary that registered it.
    pub binary: Option<Binary>,
    /// What the code is.
    format: OnceLock<ImageFormat>,
    /// The code of a compressed image, once it is wanted.
    decompressed: OnceLock<std::result::Result<Vec<u8>, String>>,
}

impl Image {
    /// What the code is, seen through compression. It stays `Compressed` when it cannot be read.
    pub fn format(&self) -> ImageFormat {
        *self.format.get_or_init(|| match self.content.format {
            ImageFormat::Compressed => {
                registration::format_inside(self.content.bytes).unwrap_or(ImageFormat::Compressed)
            }
            format => format,
        })
    }

    /// The code. That of a compressed image is taken apart when it is first asked for.
    ///
    /// # Errors
    /// `Build` when it cannot be decompressed.
    pub fn code(&self) -> Result<&[u8]> {
        if self.content.format != ImageFormat::Compressed {
            return Ok(self.content.bytes);
        }
        let code = self.decompressed.get_or_init(|| {
            registration::decompress(self.content.bytes).map_err(|e| e.to_string())
        });
        match code {
            Ok(code) => Ok(code),
            Err(reason) => Err(Error::new(
                Kind::Build,
                format!(
                    "a compressed image for {} cannot be read: {reason}",
                    self.content.target
                ),
            )),
        }
    }
}

/// How a parameter of an entry point is made from the functor's bytes, with the numbers of
/// `plsycl_parameter_kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// A `global_memory` within the functor.
    Accessor,
    /// A `local_memory` within the functor.
    LocalAccessor,
    /// A USM pointer.
    Pointer,
    /// Bytes as they are.
    Value,
}

/// One part of a kernel functor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// What it is.
    pub kind: ParameterKind,
    /// Its size in bytes.
    pub size: usize,
    /// Where it stands in the functor, in bytes.
    pub offset: usize,
}

/// What an integration header says of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelInfo {
    /// The functor's size in bytes.
    pub functor_size: usize,
    /// Its parts, in the order of the entry point's parameters.
    pub parameters: Vec<Parameter>,
}

/// What a binary says of a kernel.
struct Announced {
    binary: Option<Binary>,
    info: Arc<KernelInfo>,
}

#[derive(Default)]
struct Registry {
    /// Images by the descriptor that brought them.
    images: Vec<(usize, Arc<Image>)>,
    /// What is known of each kernel, the latest last.
    kernels: HashMap<String, Vec<Announced>>,
}

/// The variable that names targets, separated by commas, whose images the program runs without: as
/// if the link had made none.
const LEAVE_OUT: &str = "PLUMBLINE_LEAVE_OUT";

static LEFT_OUT: LazyLock<Vec<String>> = LazyLock::new(|| {
    let list = std::env::var(LEAVE_OUT).unwrap_or_default();
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
});

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);
static NEXT_ID: AtomicU64 = AtomicU64::new(1);

fn write() -> std::sync::RwLockWriteGuard<'static, Registry> {
    REGISTRY.write().unwrap_or_else(|e| e.into_inner())
}

fn read() -> std::sync::RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(|e| e.into_inner())
}

/// Takes the images of a program or library that is being loaded. A descriptor that cannot be read
/// is reported on standard error: its constructor has nobody to tell.
///
/// # Safety
/// `descriptor` must be null or a descriptor whose memory stays in place until it is unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sycl_register_lib(descriptor: *const c_void) {
    let binaries = descriptor.cast::<Binaries>();
    // SAFETY: the caller gives a descriptor that stays in place.
    match unsafe { registration::read(binaries) } {
        Ok(images) => add_images(descriptor as usize, images),
        Err(error) => say(&format!("plumbline: device images not registered: {error}")),
    }
}

/// Forgets the images of a program or library that is being unloaded.
#[unsafe(no_mangle)]
pub extern "C" fn __sycl_unregister_lib(descriptor: *const c_void) {
    write()
        .images
        .retain(|(owner, _)| *owner != descriptor as usize);
}

/// Adds the images that a descriptor brought.
pub fn add_images(owner: usize, images: Vec<RegisteredImage>) {
    let binary = Binary::of(owner as *const c_void);
    let mut registry = write();
    for content in images {
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        if LEFT_OUT.contains(&content.target) {
            trace(|| format!("image {id}: {}, left out by {LEAVE_OUT}", content.target));
            continue;
        }
        trace(|| {
            format!(
                "image {id}: {}, kernels: {}",
                content.target,
                content.entries.join(", ")
            )
        });
        registry.images.push((
            owner,
            Arc::new(Image {
                id,
                content,
                binary,
                format: OnceLock::new(),
                decompressed: OnceLock::new(),
            }),
        ));
    }
}

/// Takes what an integration header of a binary says; the same kernel may come from several of its
/// translation units, and binaries may have kernels of one name that differ.
pub fn add_kernel(name: String, info: KernelInfo, binary: Option<Binary>) {
    let mut registry = write();
    let known = registry.kernels.entry(name).or_default();
    known.retain(|other| other.binary != binary);
    known.push(Announced {
        binary,
        info: Arc::new(info),
    });
}

/// The names of all kernels that integration headers describe.
#[must_use]
pub fn kernel_names() -> Vec<String> {
    let mut names: Vec<String> = read().kernels.keys().cloned().collect();
    names.sort_unstable();
    names
}

/// Whether an integration header describes a kernel of the name.
#[must_use]
pub fn is_kernel(name: &str) -> bool {
    read().kernels.contains_key(name)
}

/// All images.
#[must_use]
pub fn images() -> Vec<Arc<Image>> {
    read()
        .images
        .iter()
        .map(|(_, image)| Arc::clone(image))
        .collect()
}

/// What is known of the functor of a kernel that code at `origin` starts.
#[must_use]
pub fn kernel_info(name: &str, origin: Origin) -> Option<Arc<KernelInfo>> {
    let registry = read();
    let known = registry.kernels.get(name)?;
    let own = match known.as_slice() {
        [_] => None,
        _ => origin.binary(),
    };
    let of_own = known
        .iter()
        .find(|each| own.is_some() && each.binary == own);
    Some(Arc::clone(&of_own.or_else(|| known.last())?.info))
}

/// The code that starts a kernel: an address in its binary, or null where that is not known.
#[derive(Debug, Clone, Copy)]
pub struct Origin(pub *const c_void);

// SAFETY: nothing is ever read there.
unsafe impl Send for Origin {}

impl Origin {
    /// Not known.
    pub const UNKNOWN: Origin = Origin(std::ptr::null());

    /// The binary that the code is in.
    #[must_use]
    pub fn binary(self) -> Option<Binary> {
        Binary::of(self.0)
    }
}

/// The kernel that the program means by `name`: host compilers number lambdas differently.
#[must_use]
pub fn kernel_name(name: &str) -> Cow<'_, str> {
    let registry = read();
    for known in [name, unit_name::split(name).0] {
        if registry.kernels.contains_key(known) {
            return Cow::Borrowed(known);
        }
    }
    let announced: Vec<&str> = registry.kernels.keys().map(String::as_str).collect();
    names::resolve(name, &announced)
}
