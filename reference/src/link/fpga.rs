//! The intermediate binaries of FPGA compilations that archives may carry (`MODEL`, "spir64_fpga
//! support"): what each is and where it goes.

mod archive;

pub use archive::{archive_jobs, check_groups, write_archive};

use std::collections::HashSet;

use offload_formats::Bytes;
use offload_formats::device_input::DeviceInput;
use offload_formats::targets::Kind;

use crate::aot::{AotRequest, FpgaTool, fpga_tool, is_for_hardware};
use crate::link::LinkError;
use crate::link::images::maker::ImageMaker;
use crate::link::images::ready;
use crate::link::inputs::collect::Collected;
use crate::link::inputs::group::LinkGroup;
use crate::wrap::DeviceImage;

/// The first parts of the triples under which these binaries are packaged.
const AOCO: &str = "fpga_aoco";
const AOCR: &str = "fpga_aocr";
const AOCX: &str = "fpga_aocx";
const DEPENDENCIES: &str = "fpga_dep";

/// What becomes of AOCO binaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Libraries {
    /// There are none.
    None,
    /// `aoc` links them: it has functions that no device code of the link defines.
    Linked,
    /// The link is for the emulator, whose compiler takes no libraries.
    Unused,
}

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
    /// serve other programs too (`MODEL`, "spir64_fpga support"). What an input itself holds counts, and
    /// whether the line names FPGAs.
    #[must_use]
    pub fn give_back_unexpected(&mut self, groups: &[LinkGroup], named: bool) -> Vec<DeviceInput> {
        let is_fpga = |kind: Option<Kind>| kind == Some(Kind::Fpga);
        let mut all = self.aoco.iter().chain(&self.aocr).chain(&self.aocx);
        let expected = groups.iter().any(|group| is_fpga(group.target.kind()))
            || named
            || all.any(|input| input.origin.members.is_empty());
        let mut given_back = Vec::new();
        if !expected {
            for list in [&mut self.aoco, &mut self.aocr, &mut self.aocx] {
                given_back.append(list);
            }
        }
        given_back
    }

    /// Leaves out of `groups` the functions that `aoc` gets compiled: device code for FPGA that stands
    /// beside an AOCO binary of the same file or member, unless it has kernels. The emulator, which
    /// takes no such binaries, links that code.
    ///
    /// # Errors
    /// When such device code cannot be read.
    pub fn leave_out_compiled(
        &self,
        groups: &mut [LinkGroup],
        options: &[String],
    ) -> Result<Vec<DeviceInput>, LinkError> {
        let mut left_out = Vec::new();
        if self.libraries(options) != Libraries::Linked {
            return Ok(left_out);
        }
        let place = |input: &DeviceInput| (input.origin.file.clone(), input.origin.numbers.clone());
        let compiled: HashSet<_> = self.aoco.iter().map(place).collect();
        let fpga = |group: &&mut LinkGroup| group.target.kind() == Some(Kind::Fpga);
        for group in groups.iter_mut().filter(fpga) {
            let lists = [
                &mut group.bitcode,
                &mut group.lazy,
                &mut group.spirv,
                &mut group.lazy_spirv,
            ];
            for list in lists {
                for input in std::mem::take(list) {
                    match compiled.contains(&place(&input)) && !ready::has_kernels(&input)? {
                        true => left_out.push(input),
                        false => list.push(input),
                    }
                }
            }
        }
        Ok(left_out)
    }

    /// What becomes of AOCO binaries in a link whose FPGA compiler has these options.
    #[must_use]
    pub fn libraries(&self, options: &[String]) -> Libraries {
        match fpga_tool(options) {
            _ if self.aoco.is_empty() => Libraries::None,
            FpgaTool::Aoc => Libraries::Linked,
            FpgaTool::Emulator => Libraries::Unused,
        }
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
            let given = maker.tools.fpga_options();
            let (more, files) = self.side_files(&given);
            let request = AotRequest {
                tool: &tool,
                code: &input.bytes,
                input: "module.aocr",
                files: &files,
                options: &[given, more].concat(),
                origin: &input.origin.to_string(),
                kernels: &ready::entries(input),
            };
            maker.trace.job(&request.job());
            let mut image = ready::native_image(maker, input)?;
            image.bytes = request.compile()?.into();
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

#[cfg(test)]
mod tests {
    use offload_formats::device_input::Origin;
    use offload_formats::offload_binary::ImageKind;

    use super::super::DeviceTarget;
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
