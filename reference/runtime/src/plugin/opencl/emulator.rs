//! Intel's FPGA emulator on processors newer than it knows.
//!
//! Its compiler dates from 2023. It takes some newer processors for more than it can generate code
//! for, and ends the process over a kernel ("cannot select") or computes wrong values in silence. A
//! variable tells it which instruction set to compile for; it is read each time a context is made.
//! Intel's CPU runtime reads the same variable and has no such need, and the environment is not the
//! runtime's to change while the program's threads read it. So the emulator alone gets an answer: its
//! reference to `getenv` is led to a function of this module.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::slice;

use components::emulator;
use libc::dl_phdr_info;
use object::NativeEndian;
use object::elf::{self, Dyn64, DynamicTag, ProgramType, Rela64, Sym64};

/// The variable, read by the emulator and by Intel's CPU runtime. An image that `opencl-aot` makes for
/// the emulator is compiled for the same instruction set.
const INSTRUCTION_SET_VARIABLE: &CStr = c"CL_CONFIG_CPU_TARGET_ARCH";

/// How the emulator's devices call themselves.
pub(super) fn is_named(device: &str) -> bool {
    device.contains("Emulation")
}

/// How the names of the emulator's library begin.
const LIBRARY: &[u8] = b"libintelocl_emu.so";

/// Has the emulator compile for an instruction set that its compiler knows, unless the user names
/// one. To be called when its library is loaded, whoever loaded it, and before it makes a context;
/// does nothing where it is not there.
pub(super) fn settle(this_library: Option<&Path>) {
    if redirect(is_emulator, c"getenv", answer as *const () as usize) {
        // The emulator stays loaded until the process ends, and calls this library from now on.
        keep_loaded(this_library);
    }
}

fn is_emulator(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next();
    name.is_some_and(|name| name.starts_with(LIBRARY))
}

/// `getenv` as the emulator sees it.
extern "C" fn answer(name: *const c_char) -> *mut c_char {
    // SAFETY: whoever calls `getenv` hands a C string over.
    let (set, name) = unsafe { (libc::getenv(name), CStr::from_ptr(name)) };
    match set.is_null() && name == INSTRUCTION_SET_VARIABLE {
        // The caller only reads it, as the standard has it.
        true => emulator::INSTRUCTION_SET.as_ptr().cast_mut(),
        false => set,
    }
}

/// How many work-items its sub-groups have, of which its OpenCL says nothing: as many as a register of the
/// instruction set that it compiles for has integers. `None` for a set that is not known here.
pub(super) fn sub_group_size() -> Option<u32> {
    let set = answer(INSTRUCTION_SET_VARIABLE.as_ptr());
    // SAFETY: what `answer` gives is null or a C string that nobody writes.
    let set = (!set.is_null()).then(|| unsafe { CStr::from_ptr(set) })?;
    match set.to_bytes() {
        b"corei7" | b"corei7-avx" => Some(4),
        b"core-avx2" => Some(8),
        b"skx" | b"icelake-server" | b"sapphirerapids" => Some(16),
        _ => None,
    }
}

fn keep_loaded(this_library: Option<&Path>) {
    let path =
        this_library.and_then(|path| std::ffi::CString::new(path.as_os_str().as_bytes()).ok());
    if let Some(path) = path {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE;
        // SAFETY: the library is loaded already; it is marked as one that stays.
        unsafe { libc::dlopen(path.as_ptr(), flags) };
    }
}

/// What [`redirect`] looks for.
struct Wanted<'a> {
    is_wanted: fn(&[u8]) -> bool,
    symbol: &'a CStr,
    address: usize,
    found: bool,
}

/// Has the loaded objects whose paths are wanted call another function in place of the one that they
/// import as `symbol`. Says whether any does.
fn redirect(is_wanted: fn(&[u8]) -> bool, symbol: &CStr, address: usize) -> bool {
    let mut wanted = Wanted {
        is_wanted,
        symbol,
        address,
        found: false,
    };
    // SAFETY: `each` takes what is handed to it as what it is, while `wanted` is borrowed by nobody
    // else.
    unsafe { libc::dl_iterate_phdr(Some(each), (&raw mut wanted).cast()) };
    wanted.found
}

unsafe extern "C" fn each(info: *mut dl_phdr_info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: the loader hands over an object that stays loaded for the length of the call, and the
    // value that `redirect` gave it.
    let (info, wanted) = unsafe { (&*info, &mut *data.cast::<Wanted<'_>>()) };
    // SAFETY: the loader's name of an object is a C string.
    let name = (!info.dlpi_name.is_null()).then(|| unsafe { CStr::from_ptr(info.dlpi_name) });
    if (wanted.is_wanted)(name.unwrap_or_default().to_bytes()) {
        if let Some(object) = Loaded::of(info) {
            wanted.found |= object.redirect(wanted.symbol, wanted.address);
        }
    }
    0
}

/// A loaded object, as its dynamic section describes it.
struct Loaded<'a> {
    base: usize,
    symbols: usize,
    strings: usize,
    relocations: [&'a [Rela64<NativeEndian>]; 2],
    /// What is read-only once the loader has done its work: begin and length.
    sealed: Option<(usize, usize)>,
}

impl<'a> Loaded<'a> {
    fn of(info: &'a dl_phdr_info) -> Option<Self> {
        // SAFETY: the loader's table of the object's segments.
        let segments = unsafe { slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
        let base = usize::try_from(info.dlpi_addr).ok()?;
        let segment = |kind: ProgramType| {
            let found = segments.iter().find(|segment| segment.p_type == kind.0)?;
            let (at, size) = (
                found.p_vaddr.try_into().ok()?,
                found.p_memsz.try_into().ok()?,
            );
            Some((base.wrapping_add(at), size))
        };
        let (at, size): (usize, usize) = segment(elf::PT_DYNAMIC)?;
        // SAFETY: the object's dynamic section, which is in memory as long as the object is.
        let entries = unsafe {
            let entries = at as *const Dyn64<NativeEndian>;
            slice::from_raw_parts(entries, size / size_of::<Dyn64<NativeEndian>>())
        };
        let value = |tag: DynamicTag| {
            let entry = entries
                .iter()
                .find(|entry| entry.d_tag.get(NativeEndian) == tag)?;
            usize::try_from(entry.d_val.get(NativeEndian)).ok()
        };
        let table = |tag, size| -> &'a [Rela64<NativeEndian>] {
            let (Some(at), Some(size)) = (value(tag), value(size)) else {
                return &[];
            };
            // SAFETY: the loader has made addresses of what the section says of the tables.
            unsafe {
                slice::from_raw_parts(
                    at as *const Rela64<NativeEndian>,
                    size / size_of::<Rela64<NativeEndian>>(),
                )
            }
        };
        Some(Loaded {
            base,
            symbols: value(elf::DT_SYMTAB)?,
            strings: value(elf::DT_STRTAB)?,
            relocations: [
                table(elf::DT_JMPREL, elf::DT_PLTRELSZ),
                table(elf::DT_RELA, elf::DT_RELASZ),
            ],
            sealed: segment(elf::PT_GNU_RELRO),
        })
    }

    /// Writes `address` wherever the object keeps that of `symbol`. Says whether it does anywhere.
    fn redirect(&self, symbol: &CStr, address: usize) -> bool {
        let all = self.relocations.iter().flat_map(|table| table.iter());
        let places = all.filter(|entry| {
            let kind = entry.r_type(NativeEndian, false);
            let is_address = matches!(kind, elf::R_X86_64_JUMP_SLOT | elf::R_X86_64_GLOB_DAT);
            is_address && self.symbol(entry.r_sym(NativeEndian, false)) == symbol
        });
        let mut found = false;
        for place in places {
            let offset = usize::try_from(place.r_offset.get(NativeEndian)).unwrap_or_default();
            found |= self.write(self.base.wrapping_add(offset), address);
        }
        found
    }

    fn symbol(&self, number: u32) -> &'a CStr {
        let table = self.symbols as *const Sym64<NativeEndian>;
        // SAFETY: a relocation of the object names a symbol of its table, whose name is a C string in
        // its strings.
        unsafe {
            let name = (*table.add(number as usize)).st_name.get(NativeEndian);
            CStr::from_ptr((self.strings as *const c_char).add(name as usize))
        }
    }

    /// Whether the word could be written.
    fn write(&self, place: usize, address: usize) -> bool {
        let sealed = self
            .sealed
            .filter(|(at, size)| (*at..at + size).contains(&place));
        let seal = |protection| {
            let Some((at, size)) = sealed else {
                return true;
            };
            // SAFETY: `sysconf` only answers.
            let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
            let page = usize::try_from(page).unwrap_or(4096);
            let begin = at / page * page;
            let length = (at + size) / page * page - begin;
            // SAFETY: the pages of the object that the loader made read-only itself; no code is in
            // them.
            unsafe { libc::mprotect(begin as *mut c_void, length, protection) == 0 }
        };
        if !seal(libc::PROT_READ | libc::PROT_WRITE) {
            return false;
        }
        // SAFETY: the object's word for the address of the function that it imports, which is aligned;
        // both functions have one type, and who reads it meanwhile sees one of them.
        unsafe {
            std::sync::atomic::AtomicUsize::from_ptr(place as *mut usize)
                .store(address, std::sync::atomic::Ordering::Release);
        }
        seal(libc::PROT_READ);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    extern "C" fn forty_two() -> libc::pid_t {
        42
    }

    #[test]
    fn an_object_calls_the_function_that_it_is_led_to() {
        // This program itself, which has no name in the loader's list.
        let this_program = <[u8]>::is_empty;
        assert!(!redirect(this_program, c"no such function", 0));
        let address = forty_two as *const () as usize;
        assert!(redirect(this_program, c"getppid", address));
        // SAFETY: it only answers.
        assert_eq!(unsafe { libc::getppid() }, 42);
    }

    #[test]
    fn the_user_s_instruction_set_goes_before_the_chosen_one() {
        let asked = |name: &CStr| {
            let said = answer(name.as_ptr());
            // SAFETY: what `getenv` gives is null or a C string.
            (!said.is_null()).then(|| unsafe { CStr::from_ptr(said) }.to_owned())
        };
        if std::env::var_os("CL_CONFIG_CPU_TARGET_ARCH").is_none() {
            assert_eq!(asked(INSTRUCTION_SET_VARIABLE).as_deref(), Some(c"corei7"));
        }
        assert_eq!(asked(c"PLUMBLINE_NO_SUCH_VARIABLE"), None);
        assert!(asked(c"PATH").is_some());
    }

    #[test]
    fn the_chosen_instruction_set_is_one_whose_sub_groups_are_known() {
        if std::env::var_os("CL_CONFIG_CPU_TARGET_ARCH").is_none() {
            assert_eq!(sub_group_size(), Some(4));
        }
    }

    #[test]
    fn only_the_emulator_s_library_is_meant() {
        assert!(is_emulator(b"/a/lib/libintelocl_emu.so.2023.16.12.0"));
        assert!(!is_emulator(b"/a/libintelocl_emu.so/libintelocl.so"));
    }
}
