//! What a precompiled header was made of: as long as all of that is as it was, so is the header.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::words::Compile;
use crate::driver::asked;
use crate::driver::dependency_list::DependencyList;

/// What the list of a precompiled header begins with; the number counts its forms.
const FIRST: &str = "plumbline-pch 2";

/// The line that a whole list ends with.
const LAST: &str = "end\n";

/// How much older than its reading a file must be for a change to show in its time.
const SETTLED: Duration = Duration::from_millis(20);

/// A precompiled header's size, and the files that it was made of. Of one that clang cannot make the size
/// is 0, and the file that it begins with stands for all.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Inputs {
    size: u64,
    files: Vec<Version>,
    /// Places of headers that texts ask for, and whether they were there.
    asked: Vec<(PathBuf, bool)>,
}

/// A file as it was.
#[derive(Debug, PartialEq, Eq)]
struct Version {
    path: PathBuf,
    size: u64,
    /// Nanoseconds since 1970.
    time: u128,
}

impl Version {
    fn of(path: &Path) -> Option<Self> {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        let time = data.modified().ok()?;
        let time = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        Some(Version {
            path: path.to_owned(),
            size: data.len(),
            time: time.as_nanos(),
        })
    }
}

impl Inputs {
    /// What a header that clang began to precompile at `start` was made of, by the list of dependencies that
    /// it wrote. None when that cannot be told for certain: a file may have changed since it was read.
    pub(super) fn of(
        pch: &Path,
        dependencies: &Path,
        folders: &[&Path],
        start: SystemTime,
    ) -> Option<Self> {
        let text = fs::read(dependencies).ok()?;
        let list = DependencyList::read(&text);
        let read: Vec<PathBuf> = list.first_files().collect();
        let folders: Vec<PathBuf> = folders.iter().map(|folder| folder.to_path_buf()).collect();
        let asked = asked::asked(&read, |_| true, &folders)?.into_iter();
        let asked = asked.map(|path| {
            let is_there = path.exists();
            (path, is_there)
        });
        let asked: Vec<_> = asked.collect();
        let files = read.iter().map(|path| Version::of(path));
        let files: Vec<_> = files.collect::<Option<_>>()?;
        let is_plain = |path: &Path| path.to_str().is_some_and(|path| !path.contains('\n'));
        let start = start.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        let is_settled = |file: &Version| file.time + SETTLED.as_nanos() < start.as_nanos();
        let all_are = files
            .iter()
            .all(|file| is_plain(&file.path) && is_settled(file))
            && asked.iter().all(|(path, _)| is_plain(path));
        (all_are && !files.is_empty()).then_some(Inputs {
            size: fs::metadata(pch).ok()?.len(),
            files,
            asked,
        })
    }

    /// Reads what [`Inputs::write`] wrote.
    pub(super) fn read(list: &Path) -> Option<Self> {
        Self::parse(&fs::read_to_string(list).ok()?)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.strip_suffix(LAST)?.split_terminator('\n');
        let size = lines.next()?.strip_prefix(FIRST)?.trim().parse().ok()?;
        let (mut files, mut asked) = (Vec::new(), Vec::new());
        for line in lines {
            if let Some(path) = line.strip_prefix("there ") {
                asked.push((path.into(), true));
            } else if let Some(path) = line.strip_prefix("not there ") {
                asked.push((path.into(), false));
            } else {
                let mut parts = line.splitn(3, ' ');
                files.push(Version {
                    size: parts.next()?.parse().ok()?,
                    time: parts.next()?.parse().ok()?,
                    path: parts.next()?.into(),
                });
            }
        }
        Some(Inputs { size, files, asked })
    }

    fn text(&self) -> String {
        let mut text = format!("{FIRST} {}\n", self.size);
        for file in &self.files {
            let path = file.path.display();
            text.push_str(&format!("{} {} {path}\n", file.size, file.time));
        }
        for (path, is_there) in &self.asked {
            let not = if *is_there { "" } else { "not " };
            text.push_str(&format!("{not}there {}\n", path.display()));
        }
        text.push_str(LAST);
        text
    }

    /// Those of a header that clang cannot precompile.
    pub(super) fn of_none(header: &Path) -> Option<Self> {
        let files = vec![Version::of(header)?];
        Some(Inputs {
            size: 0,
            files,
            asked: Vec::new(),
        })
    }

    /// Whether the header could not be precompiled.
    pub(super) fn is_none(&self) -> bool {
        self.size == 0
    }

    /// Writes the list by way of another name.
    pub(super) fn write(&self, list: &Path, new: &Path) -> io::Result<()> {
        fs::write(new, self.text())?;
        fs::rename(new, list)
    }

    /// Whether all that the header was made of is as it was, and the precompiled header too, where there is one.
    pub(super) fn hold(&self, pch: &Path) -> bool {
        let is_whole = |data: fs::Metadata| data.is_file() && data.len() == self.size;
        let same = |file: &Version| Version::of(&file.path).as_ref() == Some(file);
        (self.is_none() || fs::metadata(pch).is_ok_and(is_whole))
            && self.files.iter().all(same)
            && self
                .asked
                .iter()
                .all(|(path, is_there)| path.exists() == *is_there)
    }

    /// Fails where a folder of the user's has a header of the same name as one that was precompiled, or
    /// that comes before it in the source: which of the two is meant depends on the text.
    pub(super) fn check_shadows(
        &self,
        compile: &Compile<'_>,
        included: &[String],
    ) -> Result<(), String> {
        let folders = compile.folders();
        let own = compile.user_folders();
        if own.is_empty() {
            return Ok(());
        }
        let names = self.files.iter().filter_map(|file| {
            // The innermost of the folders is the one that the header was found in.
            let holds = folders
                .iter()
                .filter_map(|folder| file.path.strip_prefix(folder).ok());
            holds.min_by_key(|name| name.as_os_str().len())
        });
        let names: Vec<&Path> = names.chain(included.iter().map(Path::new)).collect();
        for folder in own {
            if let Some(name) = names.iter().find(|name| folder.join(name).exists()) {
                let (folder, name) = (folder.display(), name.display());
                return Err(format!("'{folder}' has a header '{name}' of its own"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_reads_back_and_damaged_ones_do_not() {
        let inputs = Inputs {
            size: 7,
            files: vec![Version {
                path: "/a folder/b".into(),
                size: 3,
                time: 5,
            }],
            asked: vec![("/x".into(), false), ("/y z".into(), true)],
        };
        let text = inputs.text();
        assert_eq!(Inputs::parse(&text), Some(inputs));
        for end in 0..text.len() {
            assert_eq!(Inputs::parse(&text[..end]), None, "{end}");
        }
        for text in [
            "",
            "\n",
            "plumbline-pch 1 7\nend\n",
            "plumbline-pch 2 7\nx y z\nend\n",
        ] {
            assert_eq!(Inputs::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_header_that_is_asked_for_ends_it_when_it_comes_or_goes() {
        let scratch = tempfile::tempdir().unwrap();
        let (pch, more) = (scratch.path().join("h.pch"), scratch.path().join("more.h"));
        fs::write(&pch, "precompiled").unwrap();
        for is_there in [false, true] {
            let inputs = Inputs {
                size: 11,
                files: Vec::new(),
                asked: vec![(more.clone(), is_there)],
            };
            let _ = fs::remove_file(&more);
            assert_eq!(inputs.hold(&pch), !is_there);
            fs::write(&more, "").unwrap();
            assert_eq!(inputs.hold(&pch), is_there);
        }
    }

    #[test]
    fn a_change_of_an_input_ends_it() {
        let scratch = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = scratch.path().join(name);
            fs::write(&path, text).unwrap();
            path
        };
        let (pch, header) = (file("h.pch", "precompiled"), file("h.hpp", "int a;"));
        let list = file("h.d", &format!("h.pch: {}\n", header.display()));
        std::thread::sleep(SETTLED * 2);
        let start = SystemTime::now();
        let inputs = Inputs::of(&pch, &list, &[], start).unwrap();
        assert!(inputs.hold(&pch));
        fs::write(&header, "int b;").unwrap();
        assert!(!inputs.hold(&pch), "of the same size");
        assert_eq!(Inputs::of(&pch, &list, &[], start), None, "changed since");
        fs::remove_file(&header).unwrap();
        assert!(!inputs.hold(&pch));
        assert_eq!(Inputs::of(&pch, &list, &[], SystemTime::now()), None);
    }

    #[test]
    fn a_precompiled_header_cut_short_is_none() {
        let scratch = tempfile::tempdir().unwrap();
        let pch = scratch.path().join("h.pch");
        fs::write(&pch, "precompiled").unwrap();
        let inputs = Inputs {
            size: 11,
            files: Vec::new(),
            asked: Vec::new(),
        };
        assert!(inputs.hold(&pch));
        fs::write(&pch, "pre").unwrap();
        assert!(!inputs.hold(&pch));
    }
}
