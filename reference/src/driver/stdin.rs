//! A source on standard input, which device and host compilation both have to read: it becomes a
//! file that shows as `<stdin>` in what compilers say.

use std::ffi::OsString;
use std::path::Path;

use super::clang_plan::HostCompile;
use crate::tool::{Failure, read_input, write_whole};

/// A file that the source includes by a name in quotes lies where the command runs.
const FOLDER: [&str; 2] = ["-iquote", "."];

/// Makes `compile` read a file in `folder` where it would read standard input.
pub(super) fn spool(compile: &mut HostCompile, folder: &Path) -> Result<(), Failure> {
    let standard_input = Path::new("-");
    if compile.source() != standard_input {
        return Ok(());
    }
    let path = folder.join("stdin.cpp");
    let mut text = b"# 1 \"<stdin>\"\n".to_vec();
    text.extend_from_slice(&read_input(standard_input)?);
    write_whole(&path, &text)?;
    compile.insert(FOLDER.map(OsString::from));
    if let Some(source) = compile.jobs.first_mut().and_then(|job| job.args.last_mut()) {
        *source = path.into_os_string();
    }
    compile.spooled = true;
    Ok(())
}

/// The words that another compiler needs for such a source.
pub(super) fn folder_words(compile: &HostCompile) -> &'static [&'static str] {
    if compile.spooled { &FOLDER } else { &[] }
}
