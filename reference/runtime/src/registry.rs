//! What the loaded program and its libraries have registered: device images, and the kernels that
//! integration headers describe.

use std::cell::Cell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, OnceLock, RwLock};

use offload_formats::demangle::named;
use offload_formats::property_set::{DEVICE_REQUIREMENTS, PropertyValue};
use offload_formats::registration::{self, Binaries, ImageFormat, RegisteredImage};
use offload_formats::{cubin, kernel_functor, unit_name};
use rustc_hash::FxHashMap;

use crate::binary::Binary;
use crate::error::{Error, Kind, Result};
use crate::names;
use crate::plugin::Form;
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
    /// Whether that was made of a source of the program's: no bundle of the program's own kernels has it.
    pub is_of_source: bool,
    /// What the code is, and whether it is machine code of an NVIDIA GPU.
    format: OnceLock<(ImageFormat, bool)>,
    /// The code of a compressed image, once it is wanted.
    decompressed: OnceLock<std::result::Result<Vec<u8>, String>>,
}

impl Image {
    /// An image of no binary, without code.
    #[cfg(test)]
    pub fn for_tests(id: u64, properties: offload_formats::property_set::PropertySets) -> Image {
        Image {
            id,
            content: RegisteredImage {
                format: ImageFormat::SpirV,
                target: "spir64".to_owned(),
                compile_options: String::new(),
                link_options: String::new(),
                bytes: &[],
                entries: Vec::new(),
                properties,
            },
            binary: None,
            is_of_source: false,
            format: OnceLock::new(),
            decompressed: OnceLock::new(),
        }
    }

    /// What the code is, seen through compression. It stays `Compressed` when it cannot be read.
    pub fn format(&self) -> ImageFormat {
        self.seen().0
    }

    fn seen(&self) -> (ImageFormat, bool) {
        *self.format.get_or_init(|| {
            let bytes = self.content.bytes;
            if self.content.format != ImageFormat::Compressed {
                return (self.content.format, cubin::is_cubin(bytes));
            }
            match registration::head_inside(bytes) {
                Some(head) => (registration::format_of(&head), cubin::is_cubin(&head)),
                None => (ImageFormat::Compressed, false),
            }
        })
    }

    /// What devices have to know of it to take it.
    pub fn form(&self) -> Form<'_> {
        let (format, is_machine_code) = self.seen();
        let properties = &self.content.properties;
        let architecture = properties.get(DEVICE_REQUIREMENTS, "compile_target");
        let architecture = architecture.and_then(PropertyValue::as_bytes);
        Form {
            format,
            target: &self.content.target,
            architecture: architecture.and_then(|name| std::str::from_utf8(name).ok()),
            is_machine_code,
        }
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
    /// The word of a `global_memory`, of which the entry point takes the pointer alone.
    Memory,
    /// The word of a `local_memory`, likewise.
    LocalMemory,
    /// There is none: the kernel asks for memory whose size its start says
    /// (`sycl_ext_oneapi_work_group_scratch_memory`), and this start says none.
    Scratch,
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
    /// What it was made of, as its image says too.
    pub functor: String,
    /// The functor's size in bytes.
    pub functor_size: usize,
    /// Its parts, in the order of the entry point's parameters.
    pub parameters: Vec<Parameter>,
}

impl KernelInfo {
    /// Where the source has the functor.
    fn place(&self) -> Option<&str> {
        kernel_functor::place(&self.functor)
    }
}

/// What a binary says of a kernel.
struct Announced {
    binary: Option<Binary>,
    /// As of [`Image`].
    is_of_source: bool,
    info: Arc<KernelInfo>,
}

#[derive(Default)]
struct Registry {
    /// Images by the descriptor that brought them.
    images: Vec<(usize, Arc<Image>)>,
    /// What is known of each kernel, the latest last.
    kernels: FxHashMap<String, Vec<Announced>>,
    /// Their names by what is left of them without what host compilers write differently.
    bare: HashMap<String, BTreeSet<String>>,
    /// The kernels that host compilers with names of their own start, by the same.
    enrolled: HashMap<String, HashSet<HostKernel>>,
}

/// A kernel as a host compiler with names of its own knows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HostKernel {
    /// The binary that starts it.
    pub binary: Option<Binary>,
    /// The compiler's name for it, as an entry point's.
    pub name: String,
    /// The tag of the unit that names it.
    pub unit: String,
    /// The functor's size in bytes.
    pub functor_size: usize,
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

/// How often the registry may have changed.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// A number that is another one whenever what is registered has changed: what was found out of the
/// registry before holds as long as it is the same.
#[must_use]
pub fn changes() -> u64 {
    CHANGES.load(Ordering::Acquire)
}

fn write() -> std::sync::RwLockWriteGuard<'static, Registry> {
    let registry = REGISTRY.write().unwrap_or_else(|e| e.into_inner());
    // While nobody reads: who sees the new number reads what changed, and who read before has the old one.
    CHANGES.fetch_add(1, Ordering::AcqRel);
    registry
}

fn read() -> std::sync::RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(|e| e.into_inner())
}

/// Takes the images of a program or library that is being loaded: a descriptor or, from upstream's
/// wrapper, OffloadBinaries and their size. What cannot be read is reported on standard error: its
/// constructor has nobody to tell.
///
/// # Safety
/// `descriptor` must be null, a descriptor, or the first of `size` bytes that begin with an
/// OffloadBinary; its memory stays in place until it is unregistered.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sycl_register_lib(descriptor: *const c_void, size: usize) {
    // SAFETY: the caller gives one of the two, which stays in place; those that give a descriptor say
    // nothing in the place of the size, which is not looked at then.
    let images = unsafe {
        match registration::is_offload_binary(descriptor) {
            true => registration::read_offload_binaries(descriptor.cast(), size),
            false => registration::read(descriptor.cast::<Binaries>()),
        }
    };
    match images {
        Ok(images) => add_images(descriptor as usize, images),
        Err(error) => say(&format!("plumbline: device images not registered: {error}")),
    }
}

/// Forgets the images of a program or library that is being unloaded.
#[unsafe(no_mangle)]
pub extern "C" fn __sycl_unregister_lib(descriptor: *const c_void) {
    let mut registry = write();
    registry
        .images
        .retain(|(owner, _)| *owner != descriptor as usize);
    // Another binary may come to lie where this one was.
    if let binary @ Some(_) = Binary::of(descriptor) {
        registry.enrolled.retain(|_, kernels| {
            kernels.retain(|kernel| kernel.binary != binary);
            true
        });
        registry.kernels.retain(|_, known| {
            known.retain(|announced| announced.binary != binary);
            !known.is_empty()
        });
    }
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
                is_of_source: is_loading_source(),
                format: OnceLock::new(),
                decompressed: OnceLock::new(),
            }),
        ));
    }
}

/// Takes what an integration header of a binary says; the same kernel may come from several of its
/// translation units, and binaries may have kernels of one name that differ.
pub fn add_kernel(name: String, info: KernelInfo, binary: Option<Binary>) {
    let bare = names::bare(unit_name::split(&name).0);
    let mut registry = write();
    registry.bare.entry(bare).or_default().insert(name.clone());
    let known = registry.kernels.entry(name).or_default();
    known.retain(|other| other.binary != binary);
    known.push(Announced {
        binary,
        is_of_source: is_loading_source(),
        info: Arc::new(info),
    });
}

/// The names of all kernels of the program that integration headers describe.
#[must_use]
pub fn kernel_names() -> Vec<String> {
    let registry = read();
    let kernels = registry.kernels.iter();
    let own = kernels.filter(|(_, known)| known.iter().any(|each| !each.is_of_source));
    let mut names: Vec<String> = own.map(|(name, _)| name.clone()).collect();
    names.sort_unstable();
    names
}

thread_local! {
    static LOADING_SOURCE: Cell<bool> = const { Cell::new(false) };
}

/// Whether what registers now belongs to a binary that was made of a source of the program's.
#[must_use]
pub fn is_loading_source() -> bool {
    LOADING_SOURCE.get()
}

/// Runs what loads a binary that was made of a source of the program's: what registers meanwhile on
/// this thread belongs to that.
pub fn of_source<Loaded>(load: impl FnOnce() -> Loaded) -> Loaded {
    let before = LOADING_SOURCE.replace(true);
    let loaded = load();
    LOADING_SOURCE.set(before);
    loaded
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

/// The image with this number, as long as the binary that brought it is loaded.
#[must_use]
pub fn image(id: u64) -> Option<Arc<Image>> {
    let registry = read();
    let mut images = registry.images.iter().map(|(_, image)| image);
    images.find(|image| image.id == id).cloned()
}

/// Whether the binary that brought the image is still loaded.
#[must_use]
pub fn is_registered(image: u64) -> bool {
    read().images.iter().any(|(_, known)| known.id == image)
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
// SAFETY: as above.
unsafe impl Sync for Origin {}

impl Origin {
    /// Not known.
    pub const UNKNOWN: Origin = Origin(std::ptr::null());

    /// The binary that the code is in.
    #[must_use]
    pub fn binary(self) -> Option<Binary> {
        Binary::of(self.0)
    }
}

/// Takes a kernel that a binary starts under a name that its host compiler made.
pub fn enroll(kernel: HostKernel) {
    let bare = names::bare(&kernel.name);
    let mut registry = write();
    registry.enrolled.entry(bare).or_default().insert(kernel);
}

/// The announced kernel that a binary means by a name of its host compiler's.
///
/// # Errors
/// `KernelNotSupported` when that cannot be told for certain.
pub fn meant(kernel: &HostKernel) -> Result<String> {
    let registry = read();
    let bare = names::bare(&kernel.name);
    let of_binary = |name: &String| {
        let known = registry.kernels.get(name)?.iter();
        let info = &known.rev().find(|each| each.binary == kernel.binary)?.info;
        Some((name.clone(), Arc::clone(info)))
    };
    let mut bares = names::device_bares(&bare).into_iter();
    let announced: Vec<(String, Arc<KernelInfo>)> = bares
        .find_map(|bare| registry.bare.get(&bare))
        .into_iter()
        .flatten()
        .filter_map(of_binary)
        .collect();
    // A name is a unit's own or one that all units share, and then any unit's copy of a function may
    // have enrolled it.
    let unit_of = |name: &str| unit_name::split(name).1.to_owned();
    let own_of = |unit: &str| match announced.iter().any(|(name, _)| unit_of(name) == unit) {
        true => unit.to_owned(),
        false => String::new(),
    };
    let unit = own_of(&kernel.unit);
    let device: Vec<_> = announced
        .iter()
        .filter(|(name, _)| unit_of(name) == unit)
        .collect();
    let of_device: Vec<_> = device
        .iter()
        .map(|(name, info)| names::Named {
            name: unit_name::split(name).0,
            functor_size: info.functor_size,
        })
        .collect();
    let enrolled = registry.enrolled.get(&bare).into_iter().flatten();
    let of_host: Vec<_> = enrolled
        .filter(|other| other.binary == kernel.binary && own_of(&other.unit) == unit)
        .map(|other| names::Named {
            name: &other.name,
            functor_size: other.functor_size,
        })
        .collect();
    let found = names::meant(&kernel.name, &of_host, &of_device);
    match found.map(|at| device.get(at)) {
        Ok(Some((name, _))) => Ok(name.clone()),
        Ok(None) => Err(not_told(kernel, names::Unclear::None, &[])),
        Err(why) => Err(not_told(kernel, why, &device)),
    }
}

fn not_told(
    kernel: &HostKernel,
    why: names::Unclear,
    device: &[&(String, Arc<KernelInfo>)],
) -> Error {
    let places = device.iter().filter_map(|(_, info)| info.place());
    let places: BTreeSet<&str> = places.collect();
    let places: Vec<&str> = places.into_iter().collect();
    let at = match places.is_empty() {
        true => String::new(),
        false => format!(" (at {})", places.join(", ")),
    };
    Error::new(
        Kind::KernelNotSupported,
        format!(
            "kernel {}{at} cannot be found by the name that the host compiler gives it: {why}; \
             declare 'class NAME;' at namespace scope and start the kernel as single_task<NAME>(…) \
             or parallel_for<NAME>(…)",
            named(&kernel.name),
        ),
    )
}

/// The kernel that the program means by `name`, which may be its unit's or one that all units share.
#[must_use]
pub fn kernel_name(name: &str) -> &str {
    let registry = read();
    if registry.kernels.contains_key(name) {
        return name;
    }
    let (base, _) = unit_name::split(name);
    match registry.kernels.contains_key(base) {
        true => base,
        false => name,
    }
}
