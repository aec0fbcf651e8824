//! What can go wrong with a file: text, tables, LLVM IR as text and as bitcode, OffloadBinaries, and
//! objects that carry them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use components::process::Job;
use object::{Object as _, ObjectSection as _};
use offload_formats::offload_binary;
use serde::{Deserialize, Serialize};

use super::list::ListEdit;
use super::{Pattern, Substitution, substituted};

/// The tools that look into files, by their names in `tools.yaml`.
pub const TOOLS: [&str; 3] = ["llvm-dis", "llvm-as", "llvm-objcopy"];

/// Changes of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FileEdit {
    /// Which files: matches their whole names. For inputs it matches words, of which the first group,
    /// if there is one, is the file.
    pub file: Pattern,
    /// What is put in the place of parts of its text; of each image's, where it holds several. What
    /// an image says of itself is edited as `key=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replace: Vec<Substitution>,
    /// What is put in the place of parts of its sections' names, where it is an object.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Substitution>,
    /// What happens to its rows, where it is a table, or to its images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<ListEdit>,
    /// What happens to its lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<ListEdit>,
}

/// The section of objects that holds OffloadBinaries.
const SECTION: &str = ".llvm.offloading";

impl FileEdit {
    pub(super) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        let parts = self.replace.iter().chain(&self.sections);
        let parts = parts.map(|change| &change.pattern);
        std::iter::once(&self.file).chain(parts)
    }

    /// The wrong bytes in the place of the right ones; `tools` has the programs of [`TOOLS`], and
    /// `folder` takes what they need.
    ///
    /// # Errors
    /// When the bytes are not what they seem to be, or a tool fails.
    pub fn apply(
        &self,
        bytes: &[u8],
        tools: &BTreeMap<String, PathBuf>,
        folder: &Path,
    ) -> Result<Vec<u8>, String> {
        let bench = Bench { tools, folder };
        match bytes {
            [0x10, 0xff, 0x10, 0xad, ..] => self.images(bytes, &bench),
            [b'B', b'C', 0xc0, 0xde, ..] => {
                let text = bench.through("llvm-dis", &[], bytes)?;
                bench.through("llvm-as", &[], self.text(&text)?.as_bytes())
            }
            [0x7f, b'E', b'L', b'F', ..] => {
                let bytes = bench.with_names(bytes, &self.sections)?;
                let Some(section) = bench.section(&bytes)? else {
                    return Ok(bytes);
                };
                bench.with_section(&bytes, &self.images(&section, &bench)?)
            }
            _ => self.text(bytes).map(String::into_bytes),
        }
    }

    fn images(&self, bytes: &[u8], bench: &Bench<'_>) -> Result<Vec<u8>, String> {
        let found = offload_binary::read(&bytes.to_owned().into()).map_err(|e| e.to_string())?;
        let mut images: Vec<_> = found.into_iter().map(|found| found.image).collect();
        // Lists are those of this file, not of what it holds.
        let within = FileEdit {
            sections: Vec::new(),
            entries: None,
            lines: None,
            ..self.clone()
        };
        for image in &mut images {
            if self.replace.is_empty() {
                break;
            }
            image.image = within
                .apply(&image.image, bench.tools, bench.folder)?
                .into();
            let strings = image.strings.iter().map(|(key, value)| {
                let pair = substituted(&format!("{key}={value}"), &self.replace)?;
                let (key, value) = pair.split_once('=').unwrap_or((&pair, ""));
                Ok((key.to_owned(), value.to_owned()))
            });
            image.strings = strings.collect::<Result<_, String>>()?;
        }
        if let Some(edit) = self.entries {
            images = edit.apply(images);
        }
        Ok(offload_binary::write(&images))
    }

    fn text(&self, bytes: &[u8]) -> Result<String, String> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            // A binary of no form that is known here.
            return Err("is neither text nor of a form that faults can edit".to_owned());
        };
        let listed = |edit: ListEdit, heads: usize| {
            let lines: Vec<&str> = text.lines().collect();
            let (heads, rows) = lines.split_at(heads.min(lines.len()));
            let rows = edit.apply(rows.to_owned());
            let lines = heads.iter().chain(&rows);
            lines.map(|line| format!("{line}\n")).collect::<String>()
        };
        let text = match (self.entries, self.lines) {
            (Some(edit), _) => listed(edit, 1),
            (None, Some(edit)) => listed(edit, 0),
            (None, None) => text.to_owned(),
        };
        substituted(&text, &self.replace)
    }
}

/// Tools, and a folder for what they need.
struct Bench<'a> {
    tools: &'a BTreeMap<String, PathBuf>,
    folder: &'a Path,
}

impl Bench<'_> {
    fn job(&self, tool: &str) -> Result<Job, String> {
        let program = self.tools.get(tool);
        program
            .map(Job::new)
            .ok_or_else(|| format!("{tool} is not there"))
    }

    /// What a tool makes of its standard input.
    fn through(&self, tool: &str, words: &[&str], bytes: &[u8]) -> Result<Vec<u8>, String> {
        let job = self.job(tool)?.args(words).args(["-", "-o", "-"]);
        let output = job.capture(bytes).map_err(|e| e.to_string())?;
        Ok(output.stdout)
    }

    /// The section that holds images, where an object has one.
    fn section(&self, object: &[u8]) -> Result<Option<Vec<u8>>, String> {
        let (file, section) = (self.folder.join("whole"), self.folder.join("section"));
        std::fs::write(&file, object).map_err(|e| e.to_string())?;
        let dump = format!("--dump-section={SECTION}={}", section.display());
        let job = self
            .job("llvm-objcopy")?
            .arg(dump)
            .arg(&file)
            .arg("/dev/null");
        match job.output(b"").map_err(|e| e.to_string())?.status.success() {
            true => std::fs::read(&section).map(Some).map_err(|e| e.to_string()),
            false => Ok(None),
        }
    }

    /// The object with sections of other names.
    fn with_names(&self, object: &[u8], changes: &[Substitution]) -> Result<Vec<u8>, String> {
        let read = object::File::parse(object).map_err(|e| e.to_string())?;
        let mut renamed = Vec::new();
        for section in read.sections() {
            let name = section.name().map_err(|e| e.to_string())?;
            let other = substituted(name, changes)?;
            if other != name {
                renamed.push(format!("--rename-section={name}={other}"));
            }
        }
        if renamed.is_empty() {
            return Ok(object.to_owned());
        }
        let file = self.folder.join("whole");
        std::fs::write(&file, object).map_err(|e| e.to_string())?;
        let job = self.job("llvm-objcopy")?.args(renamed).arg(&file);
        job.capture(b"").map_err(|e| e.to_string())?;
        std::fs::read(&file).map_err(|e| e.to_string())
    }

    fn with_section(&self, object: &[u8], bytes: &[u8]) -> Result<Vec<u8>, String> {
        let (file, section) = (self.folder.join("whole"), self.folder.join("section"));
        let write =
            |file: &Path, bytes: &[u8]| std::fs::write(file, bytes).map_err(|e| e.to_string());
        write(&file, object)?;
        write(&section, bytes)?;
        let update = format!("--update-section={SECTION}={}", section.display());
        let job = self.job("llvm-objcopy")?.arg(update).arg(&file);
        job.capture(b"").map_err(|e| e.to_string())?;
        std::fs::read(&file).map_err(|e| e.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use offload_formats::offload_binary::{ImageKind, OffloadImage, OffloadKind};

    fn edit(text: &str) -> FileEdit {
        let file = Path::new("x");
        offload_formats::yaml::from_str(&format!("file: x\n{text}"), file).unwrap()
    }

    #[test]
    fn tables_and_texts_are_edited() {
        let apply = |edits: &str, text: &str| {
            let bytes = edit(edits).apply(text.as_bytes(), &BTreeMap::new(), Path::new("."));
            String::from_utf8(bytes.unwrap()).unwrap()
        };
        assert_eq!(apply("entries: keep-last", "[Code]\na\nb\n"), "[Code]\nb\n");
        assert_eq!(apply("lines: drop-last", "a\nb\n"), "a\n");
        let replace = "replace: [{pattern: '^(\\w)=1$', with: '$1=2'}]";
        assert_eq!(apply(replace, "a=1\nb=12\n"), "a=2\nb=12\n");
    }

    #[test]
    fn images_are_edited_within_their_file() {
        let image = |arch: &str| OffloadImage {
            image_kind: ImageKind::Object,
            offload_kind: OffloadKind::Sycl,
            flags: 0,
            strings: [
                ("triple".to_owned(), "spir64".to_owned()),
                ("arch".to_owned(), arch.to_owned()),
            ]
            .into_iter()
            .collect(),
            image: b"text".to_vec().into(),
        };
        let bytes = offload_binary::write(&[image("a"), image("b")]);
        let edits = edit("entries: keep-last\nreplace: [{pattern: '^arch=b$', with: arch=c}]");
        let edited = edits
            .apply(&bytes, &BTreeMap::new(), Path::new("."))
            .unwrap();
        let found = offload_binary::read(&edited.into()).unwrap();
        let arches: Vec<&str> = found.iter().map(|found| found.image.arch()).collect();
        assert_eq!(arches, ["c"]);
    }
}
