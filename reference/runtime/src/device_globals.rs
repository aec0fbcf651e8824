//! Device globals (`sycl_ext_oneapi_device_global`): variables of the program that have memory on
//! each device of each context.
//!
//! The variable of an image holds a pointer: what it points to is memory of the context, which all
//! images share, and gets the initial value that stands behind the pointer in the first image that is
//! built. A variable of image scope holds the value itself.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use offload_formats::property_set::{DEVICE_GLOBALS, INITIAL_VALUES, PropertySets};

use crate::binary::Binary;
use crate::context::Context;
use crate::device::Device;
use crate::error::{Error, Kind, Result};
use crate::plugin::{self, Program, UsmKind};
use crate::registry::{self, Image};
use crate::select;

/// What an image's variable begins with, in bytes.
const POINTER_SIZE: usize = size_of::<usize>();

/// What integration headers say: the names of objects of the host by their addresses.
static NAMES: Mutex<Option<HashMap<usize, Name>>> = Mutex::new(None);

/// A device global.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Name {
    /// What images call it.
    text: String,
    /// The binary that was made of a source of the program's and has it: another one's is another variable.
    source: Option<Binary>,
}

impl Name {
    fn in_image(text: &str, image: &Image) -> Name {
        Name {
            text: text.to_owned(),
            source: image.binary.filter(|_| image.is_of_source),
        }
    }
}

/// Makes known what the object of the host at an address is called in images.
pub fn announce(object: usize, text: String) {
    let source = Binary::of(object as *const c_void).filter(|_| registry::is_loading_source());
    let name = Name { text, source };
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.get_or_insert_default().insert(object, name);
}

/// What a program says of one that it copies to or from.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    /// Where the object of the host is.
    pub address: usize,
    /// The value that it begins with.
    pub initial: &'a [u8],
    /// Whether it belongs to one image alone.
    pub image_scope: bool,
}

/// The memory of the device globals of a context.
#[derive(Default)]
pub struct Globals(Mutex<HashMap<(usize, Name), usize>>);

impl Globals {
    /// The memory of all of them, for whoever frees it.
    pub fn take(&mut self) -> Vec<*mut c_void> {
        let memory = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        memory
            .drain()
            .map(|(_, place)| place as *mut c_void)
            .collect()
    }

    /// The memory of one on a device, made and initialized where there is none yet.
    fn memory(
        &self,
        driver: &dyn plugin::Context,
        device: &Device,
        name: &Name,
        size: usize,
        initialize: impl FnOnce(*mut c_void) -> Result<()>,
    ) -> Result<*mut c_void> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (device.place, name.clone());
        if let Some(&place) = all.get(&key) {
            return Ok(place as *mut c_void);
        }
        let place = driver.usm_allocate(device.place, UsmKind::Device, size.max(1), 0)?;
        if place.is_null() {
            let reason = format!(
                "no room for the {size} bytes of device global {}",
                name.text
            );
            return Err(Error::new(Kind::MemoryAllocation, reason));
        }
        if let Err(error) = initialize(place) {
            // There is nobody to tell of memory that the driver will not take back.
            let _ = driver.usm_free(place);
            return Err(error);
        }
        all.insert(key, place as usize);
        Ok(place)
    }
}

/// Has the variables of a program that was just built point to their memory.
///
/// # Errors
/// When the driver cannot tell where a variable is, or there is no room.
pub fn place(
    globals: &Globals,
    driver: &dyn plugin::Context,
    device: &Device,
    images: &[Arc<Image>],
    program: &dyn Program,
) -> Result<()> {
    for image in images {
        for variable in variables(&image.content.properties) {
            if variable.image_scope {
                continue;
            }
            let place = program.global(variable.name)?;
            let place = place.ok_or_else(|| {
                let reason = format!("the built image has no variable {}", variable.name);
                Error::new(Kind::Invalid, reason)
            })?;
            let name = Name::in_image(variable.name, image);
            let memory =
                globals.memory(
                    driver,
                    device,
                    &name,
                    variable.size,
                    |memory| match variable.initial_at {
                        Some(offset) => {
                            let from = place.cast::<u8>().wrapping_add(offset).cast();
                            copy(driver, device, memory, from, variable.size)
                        }
                        None => fill(driver, device, memory, variable.size),
                    },
                )?;
            let pointer = memory as usize;
            copy(
                driver,
                device,
                place,
                (&raw const pointer).cast(),
                POINTER_SIZE,
            )?;
        }
    }
    Ok(())
}

/// Whether an image has variables of its own: a second program of it would have others.
pub fn has_own_variables(image: &Image) -> bool {
    let mut variables = variables(&image.content.properties);
    variables.any(|variable| variable.image_scope)
}

/// Where the value of a device global is on a device, for copies.
///
/// # Errors
/// When the image that has one of image scope does not build, or there is no room.
pub fn memory(context: &Context, device: &Device, object: Object<'_>) -> Result<*mut c_void> {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = names
        .as_ref()
        .and_then(|names| names.get(&object.address))
        .cloned();
    drop(names);
    if let Some(name) = name.as_ref().filter(|_| object.image_scope)
        && let Some(place) = in_image(context, device, name)?
    {
        return Ok(place);
    }
    // No kernel has one without a name, or of an image that has lost it; the program may copy to and from it all
    // the same.
    let name = name.unwrap_or_else(|| Name {
        text: format!("at {:#x} of the host", object.address),
        source: None,
    });
    let driver = context.driver.as_ref();
    let size = object.initial.len();
    context
        .globals
        .memory(driver, device, &name, size, |memory| {
            copy(driver, device, memory, object.initial.as_ptr().cast(), size)
        })
}

/// Where a variable of image scope is, in the one image that has it; `None` where none has, for no kernel uses it.
fn in_image(context: &Context, device: &Device, name: &Name) -> Result<Option<*mut c_void>> {
    let all = registry::images();
    let has_it = |image: &&Arc<Image>| {
        let mut variables = variables(&image.content.properties);
        variables.any(|variable| Name::in_image(variable.name, image) == *name)
    };
    let name = &*name.text;
    let mut holders: Vec<(u32, &Arc<Image>)> = all
        .iter()
        .filter(has_it)
        .filter_map(|image| Some((device.driver().accepts(&image.form())?, image)))
        .collect();
    holders.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let mut outcome = Ok(None);
    for (_, image) in holders {
        let linked = select::linked(name, image, device, &all);
        let built = linked.and_then(|linked| context.build(device, &linked, &[]));
        match built {
            Ok(program) => {
                if let Some(place) = program.global(name)? {
                    return Ok(Some(place));
                }
            }
            Err(error) => outcome = Err(error),
        }
    }
    outcome
}

/// A device global as an image describes it.
struct Variable<'a> {
    name: &'a str,
    size: usize,
    image_scope: bool,
    /// Where in the variable its initial value stands; nowhere is all zeros.
    initial_at: Option<usize>,
}

fn variables(properties: &PropertySets) -> impl Iterator<Item = Variable<'_>> {
    let all = properties.set(DEVICE_GLOBALS).into_iter().flatten();
    all.filter_map(|(name, value)| {
        let words = value.as_u32_array()?;
        let [size, image_scope, ..] = *words.as_slice() else {
            return None;
        };
        let initial_at = properties.get(INITIAL_VALUES, name);
        Some(Variable {
            name: name.as_ref(),
            size: size as usize,
            image_scope: image_scope != 0,
            initial_at: initial_at.and_then(|at| at.as_u32()).map(|at| at as usize),
        })
    })
}

/// Copies at once.
fn copy(
    driver: &dyn plugin::Context,
    device: &Device,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Result<()> {
    let queue = driver.create_queue(device.place, true, false)?;
    // SAFETY: both span `size` bytes, and stay until this returns.
    unsafe { queue.usm_copy(to, from, size, &[]) }?.wait()
}

fn fill(driver: &dyn plugin::Context, device: &Device, to: *mut c_void, size: usize) -> Result<()> {
    let queue = driver.create_queue(device.place, true, false)?;
    // SAFETY: the memory spans `size` bytes, and stays until this returns.
    unsafe { queue.usm_fill(to, &[0], size, &[]) }?.wait()
}
