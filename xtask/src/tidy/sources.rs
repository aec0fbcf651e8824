//! The repository's own files, as the invariants see them.

use std::path::Path;

use components::process::Job;

use crate::failure::Failure;

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its path from the repository's root, with forward slashes.
    pub path: String,
    /// Its contents; those of a picture or an object as well as they read as text.
    pub text: String,
}

impl Source {
    /// Whether it is Rust.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is C++ or C.
    pub fn is_cpp(&self) -> bool {
        let endings = [".cpp", ".hpp", ".h", ".c"];
        endings.iter().any(|ending| self.path.ends_with(ending))
    }

    /// Whether all of it serves tests alone.
    pub fn is_test(&self) -> bool {
        self.path.split('/').any(|part| part == "tests") || self.path.ends_with("/tests.rs")
    }

    /// Its lines of code, numbered from 1, up to where its unit tests begin; comments are left out.
    pub fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        let code = lines.take_while(|(_, line)| line.trim() != "#[cfg(test)]");
        let code = code.filter(|(_, line)| !line.trim_start().starts_with("//"));
        code.map(|(i, line)| (i + 1, line))
    }
}

/// Reads every file that git tracks or would track.
pub fn read(root: &Path) -> Result<Vec<Source>, Failure> {
    let job = Job::new("git")
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .dir(root);
    let listed = job.capture(b"").map_err(Failure::new)?.stdout;
    let names = listed.split(|byte| *byte == 0);
    let names = names.filter_map(|name| std::str::from_utf8(name).ok());
    let mut sources = Vec::new();
    for path in names.filter(|name| !name.is_empty()) {
        // A file that was deleted but is still tracked has nothing to say.
        if let Ok(bytes) = std::fs::read(root.join(path)) {
            let path = path.to_owned();
            let text = String::from_utf8_lossy(&bytes).into_owned();
            sources.push(Source { path, text });
        }
    }
    Ok(sources)
}
