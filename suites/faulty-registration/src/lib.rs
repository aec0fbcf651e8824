//! Preloaded into built programs: takes the images that they register, changes them, and hands them on to
//! the runtime. A case has images say what no compiler here would write ([`required`]); and a faulty tree takes
//! something from them as its fault says: so a runtime looks that does not heed a part of what it is given.
//!
//! The descriptor is changed where it stands, as the runtime knows a binary by its place.

mod required;

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;

use offload_formats::registration::{
    BINARIES_VERSION, Binaries, IMAGE_VERSION, Image, PROPERTY_U32, Property, PropertySet,
};
use suites::fault::registration::{REQUIRED, RegistrationEdit, VARIABLE};
use suites::fault::tree::Plan;

/// The function of the runtime that takes a descriptor.
type Register = unsafe extern "C" fn(*mut Binaries);

/// Takes a descriptor as the runtime does, and hands it on.
///
/// # Safety
/// As for the runtime: `binaries` points to a descriptor that stays in place.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sycl_register_lib(binaries: *mut Binaries) {
    if let Some(file) = std::env::var_os(REQUIRED).map(PathBuf::from) {
        // SAFETY: the caller gives a descriptor.
        if let Err(reason) = unsafe { required::put_into(&file, binaries) } {
            eprintln!("registration: error: {reason}");
            std::process::exit(1);
        }
    }
    if let Some(root) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        // SAFETY: the caller gives a descriptor.
        let edited = unsafe { edit(&root, binaries) };
        if let Err(reason) = edited {
            eprintln!("faulty: error: {reason}");
            // The run of the faults reads the note; nobody else has to.
            let _ = Plan::note_break(&root, &reason);
        }
    }
    // SAFETY: the name is a C string; the answer is null or the next function of this name.
    let next = unsafe { libc::dlsym(libc::RTLD_NEXT, c"__sycl_register_lib".as_ptr()) };
    if next.is_null() {
        eprintln!("faulty: error: there is no runtime behind");
        return;
    }
    // SAFETY: a function of this name has this type, in every runtime.
    let next: Register = unsafe { std::mem::transmute::<*mut c_void, Register>(next) };
    // SAFETY: the caller gives what the runtime takes.
    unsafe { next(binaries) };
}

/// # Safety
/// `binaries` points to a descriptor that stays in place.
unsafe fn edit(root: &std::path::Path, binaries: *mut Binaries) -> Result<(), String> {
    let (plan, on) = Plan::read(root)?;
    let (Some(edit), true) = (&plan.fault.edits.registers, on) else {
        return Ok(());
    };
    // SAFETY: the caller gives a descriptor.
    let Some(images) = (unsafe { images_of(binaries) })? else {
        return Ok(());
    };
    // SAFETY: everything that the images point to stays in place with the descriptor.
    let (images, bites) = unsafe { edited(edit, images.to_vec()) }?;
    if !bites {
        return Ok(());
    }
    Plan::note_bite(root, "registered")?;
    // SAFETY: the caller gives a descriptor that nobody else reads before it is handed on.
    unsafe { replace(binaries, images) }
}

/// The images of a descriptor; none where it is of another kind or has none.
///
/// # Safety
/// `binaries` points to a descriptor that stays in place.
unsafe fn images_of(binaries: *mut Binaries) -> Result<Option<Vec<Image>>, String> {
    // SAFETY: the caller gives a descriptor.
    let descriptor = unsafe { *binaries };
    if descriptor.version != BINARIES_VERSION || descriptor.count == 0 {
        return Ok(None);
    }
    // SAFETY: the descriptor says how many images there are; each is looked at by its version first.
    let images = unsafe { std::slice::from_raw_parts(descriptor.images, descriptor.count.into()) };
    if images
        .iter()
        .any(|image| image.head.version != IMAGE_VERSION)
    {
        return Err("images of another version than this toolchain's".to_owned());
    }
    Ok(Some(images.to_vec()))
}

/// Gives a descriptor other images.
///
/// # Safety
/// `binaries` points to a descriptor that stays in place and that nobody reads meanwhile.
unsafe fn replace(binaries: *mut Binaries, images: Vec<Image>) -> Result<(), String> {
    // SAFETY: the caller gives a descriptor.
    let mut descriptor = unsafe { *binaries };
    descriptor.count = u16::try_from(images.len()).map_err(|e| e.to_string())?;
    descriptor.images = Vec::leak(images).as_ptr();
    // SAFETY: as the caller says.
    unsafe { put(binaries, descriptor) }
}

/// Writes over a descriptor, which may lie in pages that are read-only by now.
///
/// # Safety
/// `place` points to a descriptor that nobody else uses meanwhile.
unsafe fn put(place: *mut Binaries, descriptor: Binaries) -> Result<(), String> {
    // SAFETY: a question that touches no memory.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).map_err(|e| e.to_string())?;
    let begin = place as usize / page * page;
    let length = place as usize + size_of::<Binaries>() - begin;
    // SAFETY: these pages are mapped: the descriptor lies in them; what else does stays readable.
    let made = unsafe {
        libc::mprotect(
            begin as *mut c_void,
            length,
            libc::PROT_READ | libc::PROT_WRITE,
        )
    };
    if made != 0 {
        return Err(format!("mprotect: {}", std::io::Error::last_os_error()));
    }
    // SAFETY: the pages are writable now, and the place is a descriptor's.
    unsafe { place.write(descriptor) };
    Ok(())
}

/// The changed images, and whether any did change.
///
/// # Safety
/// What the images point to is valid and stays in place.
unsafe fn edited(
    edit: &RegistrationEdit,
    images: Vec<Image>,
) -> Result<(Vec<Image>, bool), String> {
    let before = images.len();
    let mut images = match edit.images {
        Some(change) => change.apply(images),
        None => images,
    };
    let mut bites = images.len() != before || (edit.images.is_some() && before > 1);
    if let Some(target) = &edit.drop_target {
        let pattern = target.whole()?;
        let count = images.len();
        // SAFETY: the target of an image is a C string.
        images.retain(|image| !pattern.is_match(&unsafe { text(image.head.target) }));
        bites |= images.len() != count;
    }
    for image in &mut images {
        if let Some(target) = &edit.target {
            // SAFETY: the target of an image is a C string.
            bites |= unsafe { text(image.head.target) } != *target;
            image.head.target = leaked(target)?;
        }
        if edit.drop_compile_options {
            // SAFETY: the options of an image are a C string, or null.
            bites |= !unsafe { text(image.head.compile_options) }.is_empty();
            image.head.compile_options = leaked("")?;
        }
        // SAFETY: the image's property sets are valid.
        bites |= unsafe { edit_properties(edit, image) }?;
    }
    Ok((images, bites))
}

/// # Safety
/// The image's property sets are valid and stay in place.
unsafe fn edit_properties(edit: &RegistrationEdit, image: &mut Image) -> Result<bool, String> {
    let dropped = edit
        .drop_property
        .as_ref()
        .map(|pattern| pattern.whole())
        .transpose()?;
    let number = edit.set_number.as_ref();
    let number = number
        .map(|set| Ok::<_, String>((set.property.whole()?, set.to)))
        .transpose()?;
    let (begin, end) = (image.tail.property_sets_begin, image.tail.property_sets_end);
    let mut bites = false;
    let mut sets: Vec<PropertySet> = Vec::new();
    // SAFETY: the caller gives valid sets.
    for set in unsafe { span(begin, end) } {
        // SAFETY: the name of a set is a C string, its properties a span.
        let (set_name, properties) = unsafe { (text(set.name), span(set.begin, set.end)) };
        let mut kept: Vec<Property> = Vec::new();
        for property in properties {
            // SAFETY: the name of a property is a C string.
            let name = format!("{set_name}/{}", unsafe { text(property.name) });
            if dropped
                .as_ref()
                .is_some_and(|pattern| pattern.is_match(&name))
            {
                bites = true;
                continue;
            }
            let mut property = *property;
            if let Some((pattern, to)) = &number {
                if property.kind == PROPERTY_U32 && pattern.is_match(&name) {
                    bites |= property.size != u64::from(*to);
                    property.size = u64::from(*to);
                }
            }
            kept.push(property);
        }
        let range = Vec::leak(kept).as_ptr_range();
        sets.push(PropertySet {
            name: set.name,
            begin: range.start,
            end: range.end,
        });
    }
    if bites {
        let range = Vec::leak(sets).as_ptr_range();
        image.tail.property_sets_begin = range.start;
        image.tail.property_sets_end = range.end;
    }
    Ok(bites)
}

/// The items between two pointers; none between null pointers.
///
/// # Safety
/// The pointers span items of `T` that stay in place.
unsafe fn span<T>(begin: *const T, end: *const T) -> &'static [T] {
    if begin.is_null() {
        return &[];
    }
    let count = (end as usize).saturating_sub(begin as usize) / size_of::<T>();
    // SAFETY: the caller vouches for the span.
    unsafe { std::slice::from_raw_parts(begin, count) }
}

/// # Safety
/// `pointer` is null or a C string.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the caller gives a C string.
    unsafe { CStr::from_ptr(pointer) }
        .to_string_lossy()
        .into_owned()
}

fn leaked(text: &str) -> Result<*const c_char, String> {
    let text = CString::new(text).map_err(|e| e.to_string())?;
    Ok(text.into_raw())
}
