//! What every tool shares: exit statuses, the one way a failure is printed, outputs that appear
//! whole or not at all.

use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use offload_formats::{Bytes, container};

use crate::response;
use crate::temporary::{self, Temporary};

/// How a tool fails. The exit status is 1 for an error in the input or a failed job, and 2 for a
/// wrong command line.
#[derive(Debug)]
pub enum Failure {
    /// The command line is wrong; the text says how.
    Usage(String),
    /// An input is bad or a job failed; the text carries file, place and reason.
    Job(String),
    /// A job failed and has already said why on standard error (a compiler's own diagnostics).
    Reported,
}

impl Failure {
    /// A failed job, from any error that displays with its own context.
    pub fn job(error: impl fmt::Display) -> Self {
        Failure::Job(error.to_string())
    }

    /// A wrong command line.
    pub fn usage(error: impl fmt::Display) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// Runs a tool's body and turns its outcome into an exit status; failures go to standard error as
/// `TOOL: error: REASON`.
pub fn run(tool: &str, body: impl FnOnce() -> Result<(), Failure>) -> ExitCode {
    let outcome = body();
    if outcome.is_err() {
        temporary::wait_for_the_end();
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Usage(reason)) => {
            say(&format!("{tool}: error: {reason}\n"));
            ExitCode::from(2)
        }
        Err(Failure::Job(reason)) => {
            say(&format!("{tool}: error: {reason}\n"));
            ExitCode::from(1)
        }
        Err(Failure::Reported) => ExitCode::from(1),
    }
}

/// Runs a tool that reads its command line with `clap`: its body, or, when the line asks for help or
/// the version or is wrong, what `clap` has to say. Help that cannot be written is a failure. `parse`
/// takes the words of the line, the tool's own name first, with those of response files in their place.
pub fn main<L>(
    tool: &str,
    parse: impl FnOnce(Vec<OsString>) -> Result<L, clap::Error>,
    body: impl FnOnce(L) -> Result<(), Failure>,
) -> ExitCode {
    let words = match response::expand_own(std::env::args_os().collect()) {
        Ok(words) => words,
        Err(error) => return run(tool, || Err(Failure::usage(error))),
    };
    let error = match parse(words) {
        Ok(line) => return run(tool, || body(line)),
        Err(error) => error,
    };
    if error.exit_code() != 0 {
        // A build log holds the messages of many tools.
        say(&format!("{tool}: "));
    }
    let written = error.print().and_then(|()| std::io::stdout().flush());
    match (written, error.exit_code()) {
        (Ok(()), 0) => ExitCode::SUCCESS,
        // A reader that has seen enough, as `head` has, is no failure.
        (Err(reason), 0) if reason.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        (Err(reason), 0) => run(tool, || {
            Err(Failure::Job(format!("cannot write '-': {reason}")))
        }),
        _ => ExitCode::from(2),
    }
}

/// Writes to standard error. Where nobody reads that any more, the work goes on all the same.
pub fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The contents of an input, mapped into memory. `-` is standard input.
///
/// # Errors
/// Names the path and the reason.
pub fn read_input(path: &Path) -> Result<Bytes, Failure> {
    let fail = |e: std::io::Error| Failure::Job(format!("cannot read '{}': {e}", path.display()));
    if path != Path::new("-") {
        return container::map_file(path).map_err(fail);
    }
    let mut bytes = Vec::new();
    std::io::stdin()
        .lock()
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    Ok(Bytes::from(bytes))
}

/// The words of a command line in LLVM's manner, where long options begin with one dash or two, with
/// two dashes: `-split=kernel` becomes `--split=kernel`. Options of one letter stay.
pub fn double_dashed<W: Into<OsString>>(
    words: impl IntoIterator<Item = W>,
) -> impl Iterator<Item = OsString> {
    words.into_iter().map(Into::into).map(|word| {
        let bytes = word.as_encoded_bytes();
        let long = matches!(bytes, [b'-', first, second, ..] if *first != b'-' && *second != b'=');
        match long {
            true => {
                let mut dashed = OsString::from("-");
                dashed.push(&word);
                dashed
            }
            false => word,
        }
    })
}

/// Writes a whole file: beside its final place first, renamed when complete; where the folder takes no
/// new file, over the one that is there, from complete contents. `-` is standard output.
///
/// # Errors
/// Names the path and the reason; nothing is left behind then.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    write_whole_with(path, |file| file.write_all(bytes))
}

/// Like [`write_whole`], for contents produced piece by piece.
///
/// # Errors
/// Names the path and the reason; nothing is left behind then.
pub fn write_whole_with(
    path: &Path,
    fill: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let fail = |e: std::io::Error| Failure::Job(format!("cannot write '{}': {e}", path.display()));
    match path == Path::new("-") {
        true => {
            let mut out = std::io::stdout().lock();
            // What stays in the buffer would be lost without a word.
            fill(&mut out).and_then(|()| out.flush()).map_err(fail)
        }
        false => write_file(path, |file| fill(file)),
    }
}

/// Like [`write_whole_with`], for contents that have to go to a file.
///
/// # Errors
/// Names the path and the reason; nothing is left behind then.
pub fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut std::fs::File) -> std::io::Result<()>,
) -> Result<(), Failure> {
    let fail = |e: std::io::Error| Failure::Job(format!("cannot write '{}': {e}", path.display()));
    if !can_be_renamed(path) {
        let mut file = std::fs::File::options()
            .write(true)
            .truncate(true)
            .open(path)
            .map_err(fail)?;
        return fill(&mut file).map_err(fail);
    }
    let beside = tempfile::Builder::new()
        .prefix(".plumbline-")
        .permissions(default_permissions())
        .tempfile_in(folder_of(path));
    let mut file = match beside {
        Ok(file) => file,
        Err(_) if can_only_be_written_over(path) => {
            let mut whole = tempfile::tempfile().map_err(fail)?;
            fill(&mut whole).map_err(fail)?;
            return write_over(path, &mut whole);
        }
        // Without the temporary name, which means nothing to the user.
        Err(e) => {
            check_output(path)?;
            return Err(fail(e.kind().into()));
        }
    };
    let _unless_it_ends = Temporary::at(file.path());
    fill(file.as_file_mut()).map_err(fail)?;
    file.persist(path).map_err(|e| fail(e.error))?;
    Ok(())
}

/// Whether an output is a file that takes new contents in a folder that takes no new file, so that
/// nothing can be renamed to it.
#[must_use]
pub fn can_only_be_written_over(output: &Path) -> bool {
    let is_file = std::fs::symlink_metadata(output).is_ok_and(|metadata| metadata.is_file());
    let takes_contents = || std::fs::File::options().write(true).open(output).is_ok();
    is_file && new_files_refused(folder_of(output)).is_some() && takes_contents()
}

/// Gives a file the contents of another one, which are complete, where nothing can be renamed to it.
/// What it grows by is written first: when there is no room for it, the file stays as it was.
///
/// # Errors
/// Names the path and the reason, and says so when the file is no longer what it was.
pub fn write_over(path: &Path, whole: &mut std::fs::File) -> Result<(), Failure> {
    let fail = |e: std::io::Error| Failure::Job(format!("cannot write '{}': {e}", path.display()));
    let mut file = std::fs::File::options()
        .write(true)
        .open(path)
        .map_err(fail)?;
    let before = file.metadata().map_err(fail)?.len();
    let length = whole.metadata().map_err(fail)?.len();
    if let Err(error) = copy_from(whole, &mut file, before, length) {
        let _ = file.set_len(before);
        return Err(fail(error));
    }
    let rest = copy_from(whole, &mut file, 0, length.min(before));
    rest.and_then(|()| file.set_len(length)).map_err(|e| {
        let path = path.display();
        Failure::Job(format!(
            "cannot write '{path}', which is not whole now: {e}"
        ))
    })
}

/// Copies what stands between two places of a file to the same places of another.
fn copy_from(
    from: &mut std::fs::File,
    to: &mut std::fs::File,
    start: u64,
    end: u64,
) -> std::io::Result<()> {
    use std::io::{Seek as _, SeekFrom};
    if start < end {
        from.seek(SeekFrom::Start(start))?;
        to.seek(SeekFrom::Start(start))?;
        std::io::copy(&mut from.take(end - start), to)?;
        to.sync_data()?;
    }
    Ok(())
}

/// Whether an output may be replaced by another file. A device, a pipe and a link are written in
/// place (`-o /dev/null` must leave the device what it is), and so is what has no name of its own.
#[must_use]
pub fn can_be_renamed(output: &Path) -> bool {
    let regular = match std::fs::symlink_metadata(output) {
        Ok(metadata) => metadata.is_file(),
        Err(_) => true,
    };
    regular && output.file_name().is_some()
}

/// Whether an output is a link to a file, in a folder that takes new files. Linkers put a program in
/// the link's place, rather than through it.
#[must_use]
pub fn is_link_to_file(output: &Path) -> bool {
    let is_link = std::fs::symlink_metadata(output).is_ok_and(|metadata| metadata.is_symlink());
    is_link && output.is_file() && new_files_refused(folder_of(output)).is_none()
}

/// Says whether `output` could be written, before any work is done for it. It must not be a folder,
/// and its own folder must take new files, unless it is there and takes new contents.
///
/// # Errors
/// Names the path and the reason.
pub fn check_output(output: &Path) -> Result<(), Failure> {
    let fail = |reason: String| {
        Err(Failure::Job(format!(
            "cannot write '{}': {reason}",
            output.display()
        )))
    };
    if output == Path::new("-") {
        return Ok(());
    }
    if output.is_dir() {
        return fail("it is a folder".to_owned());
    }
    if !can_be_renamed(output) {
        return Ok(());
    }
    let folder = folder_of(output);
    match new_files_refused(folder) {
        Some(reason) if !can_only_be_written_over(output) => {
            fail(format!("'{}': {reason}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Why a folder takes no new files, if it does not.
fn new_files_refused(folder: &Path) -> Option<std::io::Error> {
    match std::fs::metadata(folder) {
        // It has no name, so that nothing of it is ever seen.
        Ok(metadata) if metadata.is_dir() => tempfile::tempfile_in(folder).err(),
        Ok(_) => Some(std::io::ErrorKind::NotADirectory.into()),
        Err(reason) => Some(reason),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Read and write for all, less the umask: what a compiler's output has.
fn default_permissions() -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::Permissions::from_mode(0o666)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_output_that_cannot_be_written_is_named_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "").unwrap();
        let entries = || std::fs::read_dir(folder.path()).unwrap().count();
        for good in [file.clone(), folder.path().join("new"), "-".into()] {
            check_output(&good).unwrap();
        }
        assert_eq!(entries(), 1, "a check leaves nothing behind");
        for bad in [
            folder.path().to_owned(),
            folder.path().join("missing/out"),
            file.join("out"),
            file.join("deeper/out"),
        ] {
            let Err(Failure::Job(reason)) = check_output(&bad) else {
                panic!("{}", bad.display());
            };
            let begins = format!("cannot write '{}': ", bad.display());
            assert!(reason.starts_with(&begins), "{reason}");
        }
    }

    #[test]
    fn a_file_is_written_over_from_its_new_end_to_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let (path, new) = (folder.path().join("file"), folder.path().join("new"));
        for (before, after) in [
            ("short", "much longer"),
            ("much longer", "short"),
            ("", "x"),
        ] {
            std::fs::write(&path, before).unwrap();
            std::fs::write(&new, after).unwrap();
            write_over(&path, &mut std::fs::File::open(&new).unwrap()).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), after);
        }
        let Err(Failure::Job(reason)) = write_over(
            Path::new("/dev/full"),
            &mut std::fs::File::open(&new).unwrap(),
        ) else {
            panic!("nothing fits there");
        };
        assert!(reason.starts_with("cannot write '/dev/full': "), "{reason}");
    }

    #[test]
    fn what_is_no_regular_file_is_written_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        std::fs::write(&target, "longer than what comes").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        write_whole(&link, b"short").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"short");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert!(!can_be_renamed(Path::new("/dev/null")));
    }
}
