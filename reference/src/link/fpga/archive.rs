//! The archives that `-fsycl-link` makes (`MODEL`, "spir64_fpga support"): the host objects of the
//! line without their device code, and an object that carries the FPGA binaries.

use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;
use offload_formats::Bytes;
use offload_formats::bundle;
use offload_formats::container::{self, Format, embed};
use offload_formats::device_input::Origin;
use offload_formats::offload_binary;
use offload_formats::targets::Kind;

use crate::aot::{FpgaTool, fpga_tool};
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::{collect, host_object};
use crate::link::line::linker_line::LinkerLine;
use crate::link::tools::Tools;
use crate::link::trace::{self, Trace};
use crate::link::{DeviceTarget, FpgaLinkType, LinkError, sycl_link};
use crate::temporary::Temporary;
use crate::tool::say;
use crate::wrap::{self, DeviceImage, HostTarget};

/// The member of an archive of `-fsycl-link` that carries the FPGA binaries.
const DEVICE_MEMBER: &str = "fpga-device.o";

/// Objects that every link to a program has, without being asked: they are for the link that takes
/// the archive.
const START_FILES: &[&str] = &["crt", "Scrt", "gcrt", "grcrt", "rcrt", "Mcrt"];

/// Whether the archive of `-fsycl-link` can hold what is linked: device code for FPGA and no other,
/// which the archive has no place for.
///
/// # Errors
/// When there is no device code for FPGA, or some for another target.
pub fn check_groups(groups: &[LinkGroup]) -> Result<(), LinkError> {
    let archive = "'-fsycl-link' makes an archive of FPGA binaries";
    let other = groups
        .iter()
        .find(|group| group.target.kind() != Some(Kind::Fpga));
    match other {
        Some(group) => Err(LinkError::Option(format!(
            "{archive}: the device code for {} has no place in it; compile for spir64_fpga alone",
            group.target
        ))),
        None if groups.is_empty() => Err(LinkError::Option(format!(
            "{archive}, and no input has device code for spir64_fpga"
        ))),
        None => Ok(()),
    }
}

/// What the archive of `-fsycl-link` holds. The emulator's compiler knows no half-finished form: its
/// images are finished at once, and a later link takes them as they are.
fn stage(kind: FpgaLinkType, tools: &Tools<'_>) -> FpgaLinkType {
    if kind == FpgaLinkType::Early && fpga_tool(&tools.fpga_options()) == FpgaTool::Emulator {
        say(
            "clang-linker-wrapper: remark: the FPGA emulator has no early images; the archive holds \
             finished ones\n",
        );
        return FpgaLinkType::Image;
    }
    kind
}

/// Makes the archive of `-fsycl-link` for the machine `host`.
///
/// # Errors
/// When a tool is missing or fails, an input cannot go into an archive, or the archive cannot be
/// written.
pub fn write_archive(
    kind: FpgaLinkType,
    images: Vec<DeviceImage>,
    (line, host): (&LinkerLine, &HostTarget),
    tools: &Tools<'_>,
    trace: &Trace,
) -> Result<(), LinkError> {
    let target = DeviceTarget::new(
        match stage(kind, tools) {
            FpgaLinkType::Early => "fpga_aocr-intel-unknown",
            FpgaLinkType::Image => "fpga_aocx-intel-unknown",
        },
        "",
    );
    let images: Result<Vec<_>, LinkError> = images
        .into_iter()
        .map(|image| sycl_link::offload_image(image, &target))
        .collect();
    let binary = Bytes::from(offload_binary::write(&images?));
    let empty = wrap::empty_object(host)?;
    let object = embed(&Bytes::from(empty), &binary)
        .map_err(|e| LinkError::Write(format!("cannot embed the FPGA binaries: {e}")))?;
    let folder = Temporary::folder("plumbline-fpga-")
        .map_err(|e| LinkError::Write(format!("cannot write the members of the archive: {e}")))?;
    let device = folder.path().join(DEVICE_MEMBER);
    trace::write(&device, &object)?;
    let mut members = write_host_objects(line, folder.path(), tools, trace)?;
    members.push(device);
    let archive = folder.path().join("archive.a");
    let ar = tools.helper(Component::LlvmAr)?;
    let job = Job::new(ar).arg("rcs").arg(&archive).args(members);
    trace.job(&job);
    job.run()?;
    let bytes = container::map_file(&archive).map_err(|reason| LinkError::Read {
        path: archive,
        reason,
    })?;
    trace::write(&line.output, &bytes)
}

/// What [`write_archive`] starts, for a link that is only printed; the member with the FPGA binaries
/// is made without an outside tool.
///
/// # Errors
/// When a tool is missing, or an input cannot be read or go into an archive.
pub fn archive_jobs(line: &LinkerLine, tools: &Tools<'_>) -> Result<Vec<Job>, LinkError> {
    let (mut jobs, mut members) = (Vec::new(), Vec::new());
    for object in host_objects(line)? {
        let member = format!("{}-{}", members.len(), object.name);
        if !object.device_sections.is_empty() {
            let objcopy = tools.helper(Component::LlvmObjcopy)?;
            let (fat, member) = (Path::new(&object.name), Path::new(&member));
            jobs.push(object.without_device_code(objcopy, fat, member));
        }
        members.push(member);
    }
    members.push(DEVICE_MEMBER.to_owned());
    let ar = tools.helper(Component::LlvmAr)?;
    jobs.push(Job::new(ar).arg("rcs").arg(&line.output).args(members));
    Ok(jobs)
}

/// Writes copies of the line's host objects, without their device code.
fn write_host_objects(
    line: &LinkerLine,
    folder: &Path,
    tools: &Tools<'_>,
    trace: &Trace,
) -> Result<Vec<PathBuf>, LinkError> {
    let mut members = Vec::new();
    for object in host_objects(line)? {
        let member = folder.join(format!("{}-{}", members.len(), object.name));
        if object.device_sections.is_empty() {
            trace::write(&member, &object.bytes)?;
        } else {
            let fat = folder.join(format!("{}-fat-{}", members.len(), object.name));
            trace::write(&fat, &object.bytes)?;
            let objcopy = tools.helper(Component::LlvmObjcopy)?;
            let job = object.without_device_code(objcopy, &fat, &member);
            trace.job(&job);
            job.run()?;
        }
        members.push(member);
    }
    Ok(members)
}

/// A host object that goes into the archive.
struct HostObject {
    name: String,
    bytes: Bytes,
    /// The sections that hold its device code, or mark it as the host's part of a bundle.
    device_sections: Vec<String>,
}

impl HostObject {
    fn without_device_code(&self, objcopy: PathBuf, fat: &Path, member: &Path) -> Job {
        let sections = self.device_sections.iter();
        Job::new(objcopy)
            .args(sections.map(|name| format!("--remove-section={name}")))
            .args([fat, member])
    }
}

/// The host objects of the line: objects and host bitcode that it names, but for those that begin and
/// end every program, and the members of archives that hold device code. Other archives, and shared
/// libraries, are for the link that takes the archive.
fn host_objects(line: &LinkerLine) -> Result<Vec<HostObject>, LinkError> {
    let mut objects = Vec::new();
    for input in &line.inputs {
        let bytes = container::map_file(&input.path).map_err(|reason| LinkError::Read {
            path: input.path.clone(),
            reason,
        })?;
        let name = file_name(&input.path);
        if !is_start_file(&name) {
            add(name, bytes, &Origin::file(&input.path), &mut objects)?;
        }
    }
    Ok(objects)
}

/// Adds what the host links of a file that stands at `origin`.
fn add(
    name: String,
    bytes: Bytes,
    origin: &Origin,
    objects: &mut Vec<HostObject>,
) -> Result<(), LinkError> {
    match container::identify(&bytes) {
        Format::Elf | Format::Coff if is_relocatable(&bytes) => {
            let device_sections = device_sections(&bytes, origin)?;
            objects.push(HostObject {
                name,
                bytes,
                device_sections,
            });
        }
        Format::Bundle => {
            let parts = bundle::read(&bytes).map_err(|error| container::at(origin, error))?;
            let host = parts.into_iter().find(|part| part.target.is_host());
            if let Some(host) = host.filter(|part| !part.bytes.is_empty()) {
                add(name, host.bytes, &origin.at(host.offset), objects)?;
            }
        }
        Format::Bitcode if host_object::is_host_bitcode(&bytes) => {
            if !collect::extract_bytes(&bytes, origin)?.is_empty() {
                return Err(LinkError::Option(format!(
                    "{origin}: host bitcode that embeds device code cannot go into an archive of \
                     '-fsycl-link', where a later link would find that code again; compile it to an \
                     object, without -flto"
                )));
            }
            objects.push(HostObject {
                name,
                bytes,
                device_sections: Vec::new(),
            });
        }
        Format::Archive => {
            if collect::extract_bytes(&bytes, origin)?.is_empty() {
                return Ok(());
            }
            for member in container::members(&bytes, origin)? {
                let name = file_name(Path::new(&member.name));
                if name != DEVICE_MEMBER {
                    add(name, member.bytes, &member.origin, objects)?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// The names of the sections that hold device code in either format, or say that an object is a
/// bundle, each once.
fn device_sections(object: &[u8], origin: &Origin) -> Result<Vec<String>, LinkError> {
    let mut names: Vec<String> = Vec::new();
    let sections = container::sections(object).map_err(|error| container::at(origin, error))?;
    for section in sections {
        let is_device = section.is_offloading || section.name.starts_with(bundle::MAGIC);
        if is_device && !names.iter().any(|name| *name == section.name) {
            names.push(section.name.into_owned());
        }
    }
    Ok(names)
}

fn is_relocatable(object: &[u8]) -> bool {
    let kind = object::File::parse(object).map(|file| object::Object::kind(&file));
    kind.is_ok_and(|kind| kind == object::ObjectKind::Relocatable)
}

/// Whether a file of this name is one that drivers put at the ends of each program's line
/// (`Scrt1.o`, `crti.o`, `crtbeginS.o`).
fn is_start_file(name: &str) -> bool {
    let Some(stem) = name.strip_suffix(".o") else {
        return false;
    };
    let mut rests = START_FILES
        .iter()
        .filter_map(|start| stem.strip_prefix(start));
    let known = |rest: &str| {
        matches!(rest, "0" | "1" | "2" | "i" | "n")
            || rest.starts_with("begin")
            || rest.starts_with("end")
            || rest == "fastmath"
    };
    rests.any(known)
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_and_ends_programs_is_told_from_their_objects() {
        for name in [
            "Scrt1.o",
            "crti.o",
            "crtn.o",
            "crtbeginS.o",
            "crtendT.o",
            "crtfastmath.o",
        ] {
            assert!(is_start_file(name), "{name}");
        }
        for name in ["crt.o", "crtx.o", "main.o", "crti.a", "mycrt1.o"] {
            assert!(!is_start_file(name), "{name}");
        }
    }
}
