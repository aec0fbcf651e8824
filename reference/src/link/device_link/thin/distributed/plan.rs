//! The files of a distributed link: where they are, and what stands in those that this tool reads again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use offload_formats::Bytes;
use offload_formats::container::map_file;
use offload_formats::device_input::{DeviceInput, Origin};
use offload_formats::offload_binary::ImageKind;
use offload_formats::targets;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::link::cache::parts_of_this_tool;
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::shared_libraries::SharedLibraries;
use crate::link::tools::Tools;
use crate::link::trace::{self, with_suffix};
use crate::link::wishes::Wishes;
use crate::link::{DeviceTarget, LinkError};
use crate::store::{Key, KeyParts};

/// The version of the form of these files.
const VERSION: u32 = 3;

/// What made a plan: another version may make other files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MadeBy {
    version: u32,
    tool: String,
}

impl MadeBy {
    pub(super) fn this_tool() -> Self {
        MadeBy {
            version: VERSION,
            tool: tool(),
        }
    }
}

/// What the images of one unit are made of, as its `N.json` has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct UnitPlan {
    #[serde(flatten)]
    pub(super) by: MadeBy,
    pub(super) triple: String,
    pub(super) arch: String,
    /// Architectures that have device code of their own in the link.
    pub(super) covered: Vec<String>,
    pub(super) takes_other_calls: bool,
    /// The wrapper's words, as far as images depend on them.
    pub(super) words: Vec<String>,
    /// What messages call the module.
    pub(super) label: String,
    /// The number of the unit.
    pub(super) number: usize,
    /// What the tools are that make its images, as far as they are where the index is made.
    pub(super) tools: String,
    /// The units that its images can have something of, itself among them, in the order of the link.
    pub(super) near: Vec<Unit>,
    /// What is linked by need, whole, and for messages alone.
    pub(super) lazy: Vec<File>,
    pub(super) whole: Vec<File>,
    pub(super) spirv: Vec<File>,
    /// How many of what is linked by need, the first of it, the host's linker left out.
    pub(super) left_out: usize,
    /// Shared libraries with device code, which images may leave symbols to.
    pub(super) shared: Vec<File>,
    /// Files that options name and images are made with.
    pub(super) named: Vec<File>,
    /// Symbols that units define and that this one does not import.
    pub(super) not_imported: BTreeSet<String>,
}

/// A unit that a plan names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Unit {
    pub(super) number: usize,
    /// Its own, as the index's step wrote it.
    pub(super) file: File,
    /// The hash of its bytes where they come from.
    pub(super) digest: String,
    /// The hash of all that its optimized form is made of.
    pub(super) made_of: String,
    /// Images are made of it.
    pub(super) has_images: bool,
}

/// A file that a plan names.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct File {
    pub(super) file: String,
    /// Where its bytes come from.
    pub(super) origin: String,
    /// Their hash.
    pub(super) digest: String,
}

impl File {
    /// One with these contents.
    pub(super) fn of(file: String, origin: String, bytes: &[u8]) -> Self {
        let digest = Key::of(bytes).to_string();
        File {
            file,
            origin,
            digest,
        }
    }

    /// One that no step wrote.
    ///
    /// # Errors
    /// When it cannot be read, or its name is no text.
    pub(super) fn at(path: &Path) -> Result<Self, LinkError> {
        let name = text(path)?;
        Ok(File::of(name.clone(), name, &read(path)?))
    }

    /// What is in it.
    ///
    /// # Errors
    /// When it cannot be read, or is not what the plan was made for.
    pub(super) fn read(&self) -> Result<Bytes, LinkError> {
        let bytes = read(Path::new(&self.file))?;
        match Key::of(&bytes).to_string() == self.digest {
            true => Ok(bytes),
            false => Err(LinkError::Option(format!(
                "'{}': it changed since; run --thinlto-index-only again",
                self.file
            ))),
        }
    }
}

/// The hash of all that a unit's optimized form is made of.
pub(super) fn made_of(imports: &[File], index: &File) -> String {
    let parts = parts_of_this_tool().text("optimized");
    let files = imports.iter().chain([index]);
    let parts = files.fold(parts, |parts, file| parts.text(&file.digest));
    parts.key().to_string()
}

/// What such a form is sealed with.
pub(super) fn seal_of(made_of: &str) -> Key {
    Key::of(made_of.as_bytes())
}

/// The shared libraries of a link that have device code.
///
/// # Errors
/// When one cannot be read.
pub(super) fn shared_files(shared: &SharedLibraries) -> Result<Vec<File>, LinkError> {
    let files = shared.with_images().into_iter();
    files.map(File::at).collect()
}

/// The name of the first file that one list has and the other has not, or not in its place.
pub(super) fn first_change<'f>(
    planned: &'f [File],
    now: impl IntoIterator<Item = (&'f str, &'f str)>,
) -> Option<&'f str> {
    let mut now = now.into_iter();
    for file in planned {
        match now.next() {
            Some((_, digest)) if digest == file.digest => {}
            _ => return Some(&file.origin),
        }
    }
    now.next().map(|(origin, _)| origin)
}

/// A path as text, which the files of such a link are.
pub(super) fn text(path: &Path) -> Result<String, LinkError> {
    let text = path.to_str().filter(|text| !text.contains('\n'));
    text.map(str::to_owned).ok_or_else(|| {
        LinkError::Option(format!(
            "--thinlto-index-only: '{}' cannot be named in a list of commands",
            path.display()
        ))
    })
}

impl UnitPlan {
    /// What all units of a group have in common.
    pub(super) fn new(group: &LinkGroup, words: &[String]) -> Self {
        let covered = group.covered.iter().map(|target| target.name.to_owned());
        UnitPlan {
            by: MadeBy::this_tool(),
            triple: group.target.triple.clone(),
            arch: group.target.arch.clone(),
            covered: covered.collect(),
            takes_other_calls: group.takes_other_calls,
            words: words.to_vec(),
            label: String::new(),
            number: 0,
            tools: String::new(),
            near: Vec::new(),
            lazy: Vec::new(),
            whole: Vec::new(),
            spirv: Vec::new(),
            left_out: 0,
            shared: Vec::new(),
            named: Vec::new(),
            not_imported: BTreeSet::new(),
        }
    }

    /// The plan beside a unit, with its key.
    ///
    /// # Errors
    /// When it cannot be read, or is another version's.
    pub(super) fn read(unit: &Path) -> Result<(Self, Key), LinkError> {
        read_plan(&plan_of(unit), |plan: &UnitPlan| &plan.by)
    }

    pub(super) fn target(&self) -> DeviceTarget {
        DeviceTarget::new(&self.triple, &self.arch)
    }

    /// The group of the unit, with nothing in it but SPIR-V.
    pub(super) fn group(&self) -> Result<LinkGroup, LinkError> {
        let mut group = LinkGroup::new(self.target());
        let covered = self.covered.iter();
        group.covered = covered.filter_map(|name| targets::find(name)).collect();
        group.takes_other_calls = self.takes_other_calls;
        group.spirv = self.inputs(&self.spirv, ImageKind::SpirV)?;
        Ok(group)
    }

    /// Files as inputs of the link.
    pub(super) fn inputs(
        &self,
        files: &[File],
        kind: ImageKind,
    ) -> Result<Vec<DeviceInput>, LinkError> {
        let input = |file: &File| self.input(file, kind);
        files.iter().map(input).collect()
    }

    /// The units as inputs of the link.
    pub(super) fn units(&self) -> Result<Vec<DeviceInput>, LinkError> {
        let input = |unit: &Unit| self.input(&unit.file, ImageKind::Bitcode);
        self.near.iter().map(input).collect()
    }

    fn input(&self, file: &File, kind: ImageKind) -> Result<DeviceInput, LinkError> {
        let (bytes, origin) = (file.read()?, Origin::file(&file.origin));
        Ok(self.target().input(bytes, kind, origin))
    }

    /// Whether the plan is for these words.
    pub(super) fn is_for(&self, words: &[String]) -> bool {
        self.words == words
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, LinkError> {
        json(self)
    }
}

/// A plan, with its key.
///
/// # Errors
/// When it cannot be read, or is another version's.
pub(super) fn read_plan<P: DeserializeOwned>(
    path: &Path,
    by: impl Fn(&P) -> &MadeBy,
) -> Result<(P, Key), LinkError> {
    let bytes = read(path)?;
    let malformed = |reason: String| LinkError::Option(format!("'{}': {reason}", path.display()));
    let plan: P =
        serde_json::from_slice(&bytes).map_err(|e| malformed(format!("no plan of a unit: {e}")))?;
    if *by(&plan) != MadeBy::this_tool() {
        let reason = "it is of another version of this tool; run --thinlto-index-only again";
        return Err(malformed(reason.to_owned()));
    }
    Ok((plan, Key::of(&bytes)))
}

/// A value as the JSON of a file.
pub(super) fn json(value: &impl Serialize) -> Result<Vec<u8>, LinkError> {
    let text = serde_json::to_string_pretty(value);
    let text = text.map_err(|e| LinkError::Option(e.to_string()))?;
    Ok((text + "\n").into_bytes())
}

/// One start of a program, with what it reads and writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Command {
    pub(super) description: String,
    pub(super) command: Vec<String>,
    pub(super) inputs: Vec<String>,
    pub(super) outputs: Vec<String>,
}

/// The version of this tool, as plans name it.
fn tool() -> String {
    parts_of_this_tool().key().to_string()
}

/// What the tools are that make a group's images. Those that are not here are left to who runs them.
pub(super) fn versions(group: &LinkGroup, wishes: &Wishes, tools: &Tools<'_>) -> String {
    let parts = KeyParts::default();
    let parts = tools.versions(&group.target, &wishes.variants, parts);
    parts.map_or_else(|_| String::new(), |parts| parts.key().to_string())
}

/// The name of a unit's file, under which LLVM knows the unit.
pub(super) fn name_of(number: usize) -> String {
    format!("{number:05}.bc")
}

/// The file of a unit.
pub(super) fn unit_of(folder: &Path, number: usize) -> PathBuf {
    folder.join(name_of(number))
}

/// What stands beside a unit.
pub(super) fn plan_of(unit: &Path) -> PathBuf {
    unit.with_extension("json")
}

/// What its first command reads.
pub(super) fn optimize_plan_of(unit: &Path) -> PathBuf {
    unit.with_extension("opt.json")
}

/// Its index.
pub(super) fn index_of(unit: &Path) -> PathBuf {
    with_suffix(unit, "thinlto.bc")
}

/// The list of what it imports from.
pub(super) fn imports_of(unit: &Path) -> PathBuf {
    with_suffix(unit, "imports")
}

/// What LLVM's link made of it.
pub(super) fn optimized_of(unit: &Path) -> PathBuf {
    with_suffix(unit, "opt.bc")
}

/// Its images.
pub(super) fn images_of(unit: &Path) -> PathBuf {
    with_suffix(unit, "images")
}

/// A whole file.
pub(super) fn read(path: &Path) -> Result<Bytes, LinkError> {
    map_file(path).map_err(|reason| LinkError::Read {
        path: path.to_owned(),
        reason,
    })
}

/// Writes a file, unless it has these contents already.
pub(super) fn write_changed(path: &Path, bytes: &[u8]) -> Result<(), LinkError> {
    if std::fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    trace::write(path, bytes)
}
