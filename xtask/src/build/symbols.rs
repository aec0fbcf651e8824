//! A library as it is installed: without symbols, which lie in a file beside it that it names, so that
//! programs load little and debuggers find all.

use std::fs;
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;

use super::plugin::modified;
use crate::failure::Failure;
use crate::{places, setup};

/// What the file of symbols ends with.
const DEBUG: &str = "debug";

/// The library `built` without symbols, and the file of its symbols, unless both are newer than it is;
/// only the library itself where no `llvm-objcopy` is there to part them.
pub fn part(built: &Path) -> Result<Vec<PathBuf>, Failure> {
    match setup::require(Component::LlvmObjcopy) {
        Ok(objcopy) => part_with(&objcopy.path, built, &places::target().join("parted")),
        Err(_) => Ok(vec![built.to_owned()]),
    }
}

fn part_with(objcopy: &Path, built: &Path, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let library = folder.join(built.file_name().unwrap_or_default());
    let mut symbols = library.clone().into_os_string();
    symbols.push(".");
    symbols.push(DEBUG);
    let symbols = PathBuf::from(symbols);
    let made = [&library, &symbols].map(|path| modified(path));
    if made.iter().all(|time| time > &modified(built)) {
        return Ok(vec![library, symbols]);
    }
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let part = |word: &str, from: &Path, to: &Path| {
        let job = Job::new(objcopy).arg(word).arg(from).arg(to);
        job.run().map_err(Failure::new)
    };
    // What an earlier build left must not look complete.
    let _ = fs::remove_file(&library);
    part("--only-keep-debug", built, &symbols)?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    let job = Job::new(objcopy).args(["--strip-unneeded", &link]);
    let beside = library.with_extension("new");
    let job = job.arg(built).arg(&beside);
    job.run().map_err(Failure::new)?;
    fs::rename(&beside, &library).map_err(|e| Failure::at(&library, e))?;
    Ok(vec![library, symbols])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_parted_runs_and_names_its_symbols() {
        let objcopy = setup::require(Component::LlvmObjcopy).unwrap();
        let scratch = tempfile::tempdir().unwrap();
        let own = std::env::current_exe().unwrap();
        let parts = part_with(&objcopy.path, &own, scratch.path()).unwrap();
        let [program, symbols] = &parts[..] else {
            panic!("{parts:?}");
        };
        let size = |path: &Path| fs::metadata(path).unwrap().len();
        assert!(size(program) < size(&own) / 2, "{}", size(program));
        let name = symbols.file_name().unwrap().to_str().unwrap();
        assert!(name.ends_with(".debug"));
        let text = fs::read(program).unwrap();
        assert!(
            text.windows(name.len())
                .any(|bytes| bytes == name.as_bytes())
        );
        let ran = Job::new(program).arg("--list").capture(b"").unwrap();
        assert!(String::from_utf8_lossy(&ran.stdout).contains("what_is_parted"));
        // A second time nothing is made.
        let time = modified(program);
        part_with(&objcopy.path, &own, scratch.path()).unwrap();
        assert_eq!(modified(program), time);
    }
}
