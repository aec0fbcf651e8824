//! Built programs, kept from one start of a program to the next.
//!
//! What a driver's compiler makes of an image is the same each time for the same image, options,
//! constants, device and driver: [`Key`] is a hash of all of these. [`Folder`] keeps what was made in
//! files, one a program, which processes share. Nothing depends on it: a folder that cannot be read
//! or written, a file that is damaged, a binary that the driver refuses, each leads to a build. So it is with
//! the libraries that the compiler makes of sources ([`Kept`]), for which it keeps headers there too.
//!
//! `PLUMBLINE_CACHE_DIR` names the folder, else it is `plumbline` in the user's folder for caches
//! (XDG Base Directory Specification). `PLUMBLINE_CACHE` is `off`, or the most that the folder should
//! hold, in MiB.

mod folder;
mod key;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use offload_formats::registration::ImageFormat;

use self::folder::Folder;
use self::key::Key;
use crate::device::Device;
use crate::error::Result;
use crate::plugin::{BuildInput, Context, Part, Program};
use crate::trace::trace;

/// The variable that names the folder.
const DIRECTORY: &str = "PLUMBLINE_CACHE_DIR";
/// The variable that says how much it may hold.
const SIZE: &str = "PLUMBLINE_CACHE";
/// The most that the folder holds where nobody says so.
const DEFAULT_MIB: u64 = 1024;

/// The process's folder; `None` where programs are not kept.
static FOLDER: LazyLock<Option<Folder>> = LazyLock::new(|| folder(|name| std::env::var_os(name)));

/// The folder that variables say.
fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<Folder> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty());
    let most = match set(SIZE) {
        None => DEFAULT_MIB,
        Some(text) => size(&text.to_string_lossy()).unwrap_or_else(|| {
            trace(|| {
                format!(
                    "{SIZE} is 'off' or a number of MiB, not {}",
                    text.to_string_lossy()
                )
            });
            DEFAULT_MIB
        }),
    };
    if most == 0 {
        return None;
    }
    let absolute = |path: PathBuf| path.is_absolute().then_some(path);
    let caches = || set("XDG_CACHE_HOME").map(PathBuf::from).and_then(absolute);
    let home = || Some(absolute(set("HOME")?.into())?.join(".cache"));
    let path = match set(DIRECTORY) {
        Some(named) => named.into(),
        None => caches().or_else(home)?.join("plumbline"),
    };
    Some(Folder::new(path, most.saturating_mul(1 << 20)))
}

/// The MiB that a setting asks for: 0 is none.
fn size(setting: &str) -> Option<u64> {
    match setting {
        "off" => Some(0),
        number => number.parse().ok(),
    }
}

/// Builds an image, or loads what an earlier process built of it.
///
/// # Errors
/// When the image does not build.
pub fn build(
    context: &dyn Context,
    device: &Device,
    input: &BuildInput<'_>,
) -> Result<Arc<dyn Program>> {
    let anew = || context.build(device.place, input);
    let kept = FOLDER.as_ref().filter(|_| context.is_worth_keeping(input));
    let Some(folder) = kept else { return anew() };
    let key = Key::of(device, input);
    let place = || folder.place(&key).display().to_string();
    match folder.read(&key) {
        Ok(None) => {}
        Ok(Some(binary)) => match load(context, device, input, &binary) {
            Ok(program) => {
                trace(|| format!("the cache has the program: {}", place()));
                return Ok(program);
            }
            Err(error) => trace(|| format!("the driver refuses a program of the cache: {error}")),
        },
        Err(reason) => trace(|| format!("the cache is of no help: {reason}")),
    }
    let program = anew()?;
    if let Some(binary) = program.binary() {
        match folder.write(&key, &binary) {
            Ok(()) => trace(|| format!("the cache keeps the program: {}", place())),
            Err(reason) => trace(|| format!("the cache cannot keep the program: {reason}")),
        }
    }
    Ok(program)
}

/// Where the compiler may keep precompiled headers for sources of programs, within the folder; it bounds
/// them itself, so that there is none where the folder may hold less than usual.
pub fn headers() -> Option<PathBuf> {
    let folder = FOLDER.as_ref()?;
    let path = std::path::absolute(folder.path().join("headers")).ok()?;
    (folder.most() >= DEFAULT_MIB << 20).then_some(path)
}

/// A place of the cache for what some texts decide.
pub struct Kept {
    folder: &'static Folder,
    key: Key,
}

impl Kept {
    /// The place; `None` where nothing is kept.
    pub fn of(texts: &[String]) -> Option<Kept> {
        let folder = FOLDER.as_ref()?;
        let key = Key::of_texts(texts);
        Some(Kept { folder, key })
    }

    /// What is kept there.
    pub fn read(&self) -> Option<Vec<u8>> {
        self.folder.read(&self.key).unwrap_or_else(|reason| {
            trace(|| format!("the cache is of no help: {reason}"));
            None
        })
    }

    /// Keeps something there, where that can be.
    pub fn write(&self, bytes: &[u8]) {
        if let Err(reason) = self.folder.write(&self.key, bytes) {
            trace(|| format!("the cache cannot keep a library: {reason}"));
        }
    }
}

/// Loads the binary that was made of `input`.
fn load(
    context: &dyn Context,
    device: &Device,
    input: &BuildInput<'_>,
    binary: &[u8],
) -> Result<Arc<dyn Program>> {
    // Drivers link several parts with no options.
    let options = match input.parts {
        [only] => only.options,
        _ => "",
    };
    let whole = Part {
        bytes: binary,
        options,
        spec_values: &[],
    };
    let input = BuildInput {
        format: ImageFormat::Native,
        parts: &[whole],
    };
    context.build(device.place, &input)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_say_where_programs_are_kept() {
        let path = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(known, _)| *known == name);
            let found = folder(|name| value(name).map(|(_, value)| OsString::from(value)));
            found.map(|folder| folder.path().display().to_string())
        };
        let is = |text: &str| Some(text.to_owned());
        let home = ("HOME", "/home/me");
        assert_eq!(path(&[]), None);
        assert_eq!(path(&[home]), is("/home/me/.cache/plumbline"));
        let xdg = ("XDG_CACHE_HOME", "/caches");
        assert_eq!(path(&[home, xdg]), is("/caches/plumbline"));
        // As the specification has it, a relative one does not count.
        let relative = ("XDG_CACHE_HOME", "caches");
        assert_eq!(path(&[home, relative]), is("/home/me/.cache/plumbline"));
        let own = (DIRECTORY, "own");
        assert_eq!(path(&[home, xdg, own]), is("own"));
        assert_eq!(path(&[own, (SIZE, "off")]), None);
        assert_eq!(path(&[own, (SIZE, "0")]), None);
        assert_eq!(path(&[own, (SIZE, "16")]), is("own"));
        assert_eq!(path(&[own, (SIZE, "much")]), is("own"));
        assert_eq!(
            path(&[home, (DIRECTORY, "")]),
            is("/home/me/.cache/plumbline")
        );
    }
}
