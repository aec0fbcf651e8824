//! The intermediate binaries of FPGA compilations that archives may carry (`MODEL`, "spir64_fpga
//! support"): what each is, where it goes, and the archives that `-fsycl-link` makes.

use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;
use offload_formats::Bytes;
use offload_formats::container::{self, Format, embed};
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary;
use offload_formats::targets::Kind;

use super::collect::Collected;
use super::group::LinkGroup;
use super::images::ImageMaker;
use super::linker_line::LinkerLine;
use super::tools::Tools;
use super::trace::Trace;
use super::{DeviceTarget, FpgaLinkType, LinkError, WrapperOptions, ready, sycl_link};
use crate::aot::{AotRequest, FpgaTool, fpga_tool, is_for_hardware};

use crate::temporary::Temporary;
use crate::tool::say;
use crate::wrap::{self, DeviceImage, HostTarget};

/// The first parts of the triples under which these binaries are packaged.
const AOCO: &str = "fpga_aoco";
const AOCR: &str = "fpga_aocr";
const AOCX: &str = "fpga_aocx";
const DEPENDENCIES: &str = "fpga_dep";

/// The member of an archive of `-fsycl-link` that carries the FPGA binaries.
const DEVICE_MEMBER: &str = "fpga-device.o";

/// The FPGA binaries among the inputs of a link.
#[derive(Debug, Clone, Default)]
pub struct FpgaInputs {
    /// Objects: a library for `aoc`.
    pub aoco: Vec<DeviceInput>,
    /// What `-fsycl-link=early` stops at: `aoc` finishes it.
    pub aocr: Vec<DeviceInput>,
    /// Finished images.
    pub aocx: Vec<DeviceInput>,
    /// Files that say which sources each object depends on, for `aoc`.
    pub dependencies: Vec<DeviceInput>,
}

impl FpgaInputs {
    /// Takes the FPGA binaries out of `collected`, whether or not the host link takes the members
    /// that hold them.
    #[must_use]
    pub fn take(collected: &mut Collected) -> Self {
        let mut taken = FpgaInputs::default();
        let lists = [
            &mut collected.whole,
            &mut collected.taken,
            &mut collected.lazy,
        ];
        for list in lists {
            let (fpga, other): (Vec<_>, Vec<_>) = list
                .drain(..)
                .partition(|input| taken.place_of(input).is_some());
            *list = other;
            for input in fpga {
                if let Some(place) = taken.place_of(&input) {
                    place.push(input);
                }
            }
        }
        taken
    }

    fn place_of(&mut self, input: &DeviceInput) -> Option<&mut Vec<DeviceInput>> {
        match input.triple.split('-').next()? {
            AOCO => Some(&mut self.aoco),
            AOCR => Some(&mut self.aocr),
            AOCX => Some(&mut self.aocx),
            DEPENDENCIES => Some(&mut self.dependencies),
            _ => None,
        }
    }

    /// Gives back what archives hold for FPGA when the link is for other targets: such archives may
    /// serve other programs too (`MODEL`, "spir64_fpga support"). What an input itself holds counts.
    #[must_use]
    pub fn give_back_unexpected(
        &mut self,
        groups: &[LinkGroup],
        options: &WrapperOptions,
    ) -> Vec<DeviceInput> {
        let is_fpga = |kind: Option<Kind>| kind == Some(Kind::Fpga);
        let mut all = self.aoco.iter().chain(&self.aocr).chain(&self.aocx);
        let expected = groups.iter().any(|group| is_fpga(group.target.kind()))
            || !options.fpga_tool_arg.is_empty()
            || options.fpga_link_type.is_some()
            || options
                .sycl_expected_targets
                .iter()
                .any(|target| is_fpga(Some(target.kind)))
            || all.any(|input| input.origin.members.is_empty());
        let mut given_back = Vec::new();
        if !expected {
            for list in [&mut self.aoco, &mut self.aocr, &mut self.aocx] {
                given_back.append(list);
            }
        }
        given_back
    }

    /// Whether there is nothing that would become an image by itself.
    #[must_use]
    pub fn has_no_images(&self) -> bool {
        self.aocr.is_empty() && self.aocx.is_empty()
    }

    /// Further options for `aoc` beside the user's, and the files that they name.
    #[must_use]
    pub fn side_files(&self, given: &[String]) -> (Vec<String>, Vec<(String, Bytes)>) {
        let mut options = Vec::new();
        let mut files = match is_for_hardware(given) {
            true => numbered(&self.dependencies, "dependencies", "d"),
            false => Vec::new(),
        };
        if !files.is_empty() {
            options.push(format!("-dep-files={}", names(&files).join(",")));
        }
        let libraries = numbered(&self.aoco, "library", "aoco");
        if !libraries.is_empty() {
            options.push("-library-list=libraries.txt".to_owned());
            let list = names(&libraries).join("\n") + "\n";
            files.push(("libraries.txt".to_owned(), Bytes::from(list)));
            files.extend(libraries);
        }
        (options, files)
    }

    /// The images of finished and half-finished FPGA binaries.
    ///
    /// # Errors
    /// When `aoc` is missing or fails.
    pub fn images(&self, maker: &ImageMaker<'_>) -> Result<Vec<DeviceImage>, LinkError> {
        let finished = self
            .aocx
            .iter()
            .map(|input| ready::native_image(maker, input));
        let mut images: Vec<DeviceImage> = finished.collect::<Result<_, _>>()?;
        for input in &self.aocr {
            let tool = maker.tools.aoc(maker.target)?;
            let request = AotRequest {
                tool: &tool,
                code: &input.bytes,
                input: "module.aocr",
                files: &[],
                options: &maker.tools.fpga_options(),
                origin: &input.origin.to_string(),
                kernels: &ready::entries(input),
            };
            maker.trace.job(&request.job());
            let mut image = ready::native_image(maker, input)?;
            image.bytes = request.compile()?;
            images.push(image);
        }
        Ok(images)
    }
}

fn numbered(inputs: &[DeviceInput], stem: &str, extension: &str) -> Vec<(String, Bytes)> {
    let named = |(number, input): (usize, &DeviceInput)| {
        (format!("{stem}{number}.{extension}"), input.bytes.clone())
    };
    inputs.iter().enumerate().map(named).collect()
}

fn names(files: &[(String, Bytes)]) -> Vec<String> {
    files.iter().map(|(name, _)| name.clone()).collect()
}

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

/// Makes the archive of `-fsycl-link`: the host objects without their device code, and an object
/// that carries the FPGA binaries.
///
/// # Errors
/// When a tool is missing or fails, or the archive cannot be written.
pub fn write_archive(
    kind: FpgaLinkType,
    images: Vec<DeviceImage>,
    line: &LinkerLine,
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
    let empty = wrap::empty_object(&HostTarget::default())?;
    let object = embed(&Bytes::from(empty), &binary)
        .map_err(|e| LinkError::Write(format!("cannot embed the FPGA binaries: {e}")))?;
    let folder = Temporary::folder("plumbline-fpga-")
        .map_err(|e| LinkError::Write(format!("cannot write the members of the archive: {e}")))?;
    let device = folder.path().join(DEVICE_MEMBER);
    super::trace::write(&device, &object)?;
    let mut members = stripped_objects(line, folder.path(), tools, trace)?;
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
    super::trace::write(&line.output, &bytes)
}

/// What [`write_archive`] starts, for a link that is only printed; the member with the FPGA binaries
/// is made without an outside tool.
///
/// # Errors
/// When a tool is missing, or an input cannot be read.
pub fn archive_jobs(line: &LinkerLine, tools: &Tools<'_>) -> Result<Vec<Job>, LinkError> {
    let (mut jobs, mut members) = (Vec::new(), Vec::new());
    for input in &line.inputs {
        for (name, _) in host_objects(&input.path)? {
            let member = format!("{}-{name}", members.len());
            let objcopy = tools.helper(Component::LlvmObjcopy)?;
            jobs.push(without_device_code(
                objcopy,
                Path::new(&name),
                Path::new(&member),
            ));
            members.push(member);
        }
    }
    members.push(DEVICE_MEMBER.to_owned());
    let ar = tools.helper(Component::LlvmAr)?;
    jobs.push(Job::new(ar).arg("rcs").arg(&line.output).args(members));
    Ok(jobs)
}

fn without_device_code(objcopy: PathBuf, fat: &Path, member: &Path) -> Job {
    Job::new(objcopy)
        .arg(format!(
            "--remove-section={}",
            container::OFFLOADING_SECTION
        ))
        .args([fat, member])
}

/// Copies of the line's host objects that come with device code, without it.
fn stripped_objects(
    line: &LinkerLine,
    folder: &Path,
    tools: &Tools<'_>,
    trace: &Trace,
) -> Result<Vec<PathBuf>, LinkError> {
    let mut members = Vec::new();
    for input in &line.inputs {
        for (name, bytes) in host_objects(&input.path)? {
            let fat = folder.join(format!("{}-fat-{name}", members.len()));
            let member = folder.join(format!("{}-{name}", members.len()));
            super::trace::write(&fat, &bytes)?;
            let objcopy = tools.helper(Component::LlvmObjcopy)?;
            let job = without_device_code(objcopy, &fat, &member);
            trace.job(&job);
            job.run()?;
            members.push(member);
        }
    }
    Ok(members)
}

/// The host objects in an input, by name, when device code comes with them: the input itself, or
/// the members of an archive.
fn host_objects(path: &Path) -> Result<Vec<(String, Bytes)>, LinkError> {
    let bytes = container::map_file(path).map_err(|reason| LinkError::Read {
        path: path.to_owned(),
        reason,
    })?;
    let file_name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    match container::identify(&bytes) {
        Format::Elf if is_fat(&bytes) => Ok(vec![(file_name(path), bytes)]),
        Format::Archive => {
            let members = container::members(&bytes, &Origin::file(path))?;
            if !members.iter().any(|member| is_fat(&member.bytes)) {
                return Ok(Vec::new());
            }
            let named = members.into_iter().filter_map(|member| {
                let name = file_name(Path::new(member.origin.members.last()?));
                (name != DEVICE_MEMBER).then_some((name, member.bytes))
            });
            Ok(named.collect())
        }
        _ => Ok(Vec::new()),
    }
}

fn is_fat(object: &[u8]) -> bool {
    container::sections(object).is_ok_and(|s| s.iter().any(|s| s.is_offloading))
}

#[cfg(test)]
mod tests {
    use offload_formats::offload_binary::ImageKind;

    use super::*;

    fn input(triple: &str, text: &'static str) -> DeviceInput {
        let bytes = Bytes::from_static(text.as_bytes());
        DeviceTarget::new(triple, "").input(bytes, ImageKind::Object, Origin::file("x.a"))
    }

    #[test]
    fn fpga_binaries_leave_the_device_link_and_name_their_files_to_aoc() {
        let mut collected = Collected::default();
        collected.whole.push(input("spir64-unknown-unknown", "bc"));
        collected.whole.push(input("fpga_aocx-intel-unknown", "x"));
        collected.lazy.push(input("fpga_aoco-intel-unknown", "o"));
        collected.lazy.push(input("fpga_dep-intel-unknown", "d"));
        let fpga = FpgaInputs::take(&mut collected);
        assert_eq!((collected.whole.len(), collected.lazy.len()), (1, 0));
        assert_eq!((fpga.aocx.len(), fpga.aocr.len()), (1, 0));
        let (options, _) = fpga.side_files(&["-simulation".to_owned()]);
        assert_eq!(options, ["-library-list=libraries.txt"]);
        let (options, files) = fpga.side_files(&["-hardware".to_owned()]);
        assert_eq!(
            options,
            ["-dep-files=dependencies0.d", "-library-list=libraries.txt"]
        );
        let list = files.iter().find(|(name, _)| name == "libraries.txt");
        assert_eq!(list.unwrap().1, "library0.aoco\n");
    }
}
