//! `setup`: brings every outside component into place. What is there already is left alone, so
//! that a second run does nothing and needs no network.

mod archive;
mod download;
mod pins;
mod stubs;
mod system;
mod unpack;

use std::fs::File;
use std::path::Path;

use components::home::{Entry, Home};
use components::process::Job;
use components::{Component, Components};
use rayon::prelude::*;
use suites::layout::Layout;
use suites::toolchain::Described;

use crate::failure::{Failure, Outcome};
use crate::places;
use pins::{Bundle, Licence};

/// What to leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Without {
    /// The packages under Intel's End User License Agreement.
    Intel,
    /// The packages under NVIDIA's End User License Agreement.
    Nvidia,
}

pub use archive::Toolchain;

/// Brings everything into place and says so; with `toolchain`, that alone.
pub fn run(without: &[Without], toolchain: Option<Toolchain>) -> Outcome {
    let folder = places::components();
    if let Some(toolchain) = toolchain {
        let _lock = lock(&folder)?;
        let mut home = read(&folder)?;
        return match toolchain {
            Toolchain::Dpcpp => bring_dpcpp(&mut home),
            Toolchain::Clang22 => {
                bring(&mut home)?;
                archive::bring(Toolchain::Llvm23, &mut home)?;
                tell(toolchain)
            }
            Toolchain::Llvm19 => {
                system::install(&folder, false)?;
                tell(toolchain)
            }
            _ => archive::bring(toolchain, &mut home),
        };
    }
    let _lock = lock(&folder)?;
    let mut home = read(&folder)?;
    home.without_intel = without.contains(&Without::Intel);
    home.without_nvidia = without.contains(&Without::Nvidia);
    unpack::settle(&home)?;
    let mut changed = system::install(&folder, !pending(&home).is_empty())?;
    changed |= bring(&mut home)?;
    changed |= stubs::bring(&home)?;
    if !changed {
        eprintln!("set-up: everything is in place ({})", folder.display());
    }
    Ok(())
}

/// What there is of DPC++ is among what plain set-up brings; says where it is, with its version.
fn bring_dpcpp(home: &mut Home) -> Outcome {
    home.without_intel = false;
    bring(home)?;
    let runtime = discovered()?.dpcpp_runtime().map_err(Failure::new)?;
    let (place, version) = (runtime.lib.display(), runtime.version);
    eprintln!("set-up: DPC++ {version} is in place ({place}); plain set-up brings it");
    Ok(())
}

/// Says which version of a toolchain is there that plain set-up brings.
fn tell(toolchain: Toolchain) -> Outcome {
    let name = toolchain.name();
    let described = Described::load(name, &Layout::of(&places::root())).map_err(Failure::new)?;
    if let Some(absent) = described.absent_tool() {
        return Err(Failure::new(absent));
    }
    let [program, words @ ..] = described.version() else {
        return Err(Failure::new(format!("toolchain '{name}' tells no version")));
    };
    let answer = Job::new(program).args(words).capture(b"");
    let answer = answer.map_err(Failure::new)?.stdout;
    let version = String::from_utf8_lossy(&answer);
    let version = version.lines().next().unwrap_or_default().trim();
    eprintln!("set-up: {name} is in place ({version}); plain set-up brings it");
    Ok(())
}

/// Brings into place what other tasks need; silent when there is nothing to do.
pub fn ensure() -> Outcome {
    let folder = places::components();
    let home = read(&folder)?;
    unpack::settle(&home)?;
    if system::is_complete()? && pending(&home).is_empty() {
        return Ok(());
    }
    let _lock = lock(&folder)?;
    // Another set-up may have done the work while this one waited.
    let mut home = read(&folder)?;
    system::install(&folder, !pending(&home).is_empty())?;
    bring(&mut home)?;
    stubs::bring(&home).map(drop)
}

/// The components as tools of this build folder see them.
pub fn discovered() -> Result<Components, Failure> {
    let options = components::Options {
        home: Some(places::components()),
        ..components::Options::default()
    };
    let folder = places::components();
    Components::discover(&options).map_err(|e| Failure::at(&folder, e))
}

/// One component, or the failure that says what brings it.
pub fn require(component: Component) -> Result<components::Found, Failure> {
    discovered()?.find(component).map_err(Failure::new)
}

fn read(folder: &Path) -> Result<Home, Failure> {
    Home::read(folder).map_err(|e| Failure::at(&folder.join(components::home::INDEX), e))
}

/// The bundles that are wanted and not complete.
fn pending(home: &Home) -> Vec<&'static Bundle> {
    let wanted = pins::BUNDLES.iter().filter(|bundle| match bundle.licence {
        Licence::Free => true,
        Licence::Intel => !home.without_intel,
        Licence::Nvidia => !home.without_nvidia,
    });
    wanted.filter(|bundle| !is_in_place(home, bundle)).collect()
}

fn is_in_place(home: &Home, bundle: &Bundle) -> bool {
    home.find(bundle.name)
        .is_some_and(|(folder, version)| version == bundle.version && folder.is_dir())
}

/// Downloads and unpacks what is pending; whether there was anything.
fn bring(home: &mut Home) -> Result<bool, Failure> {
    let pending = pending(home);
    if pending.is_empty() {
        // What is left out is remembered even when nothing else changes.
        home.write().map_err(|e| Failure::at(&home.folder, e))?;
        return Ok(false);
    }
    let comes_under = |licence| pending.iter().any(|bundle| bundle.licence == licence);
    if comes_under(Licence::Intel) {
        eprintln!(
            "set-up: Intel's runtimes come under Intel's End User License Agreement for Developer \
             Tools; each lies with its licence. `cargo xtask setup --without intel` leaves them out."
        );
    }
    if comes_under(Licence::Nvidia) {
        eprintln!(
            "set-up: NVIDIA's libdevice and ptxas come under the End User License Agreement of its CUDA \
             Toolkit, which lies beside them. `cargo xtask setup --without nvidia` leaves them out."
        );
    }
    let downloads = home.folder.join("downloads");
    download::wheels(&pending, &downloads)?;
    let progress = crate::progress::bytes(unpack::unpacked_size(&pending, &downloads)?);
    progress.set_message("unpacking");
    let folder = home.folder.clone();
    let done: Result<Vec<Entry>, Failure> = pending
        .par_iter()
        .map(|bundle| unpack::bundle(bundle, &downloads, &folder, &progress))
        .collect();
    progress.finish_and_clear();
    for entry in done? {
        home.entries.retain(|other| other.name != entry.name);
        eprintln!("set-up: {} {}", entry.name, entry.version);
        home.entries.push(entry);
    }
    home.entries.sort_by(|a, b| a.name.cmp(&b.name));
    home.write().map_err(|e| Failure::at(&home.folder, e))?;
    std::fs::remove_dir_all(&downloads).map_err(|e| Failure::at(&downloads, e))?;
    Ok(true)
}

/// Reads to the end, piece by piece.
fn pieces(
    from: &mut impl std::io::Read,
    mut each: impl FnMut(&[u8]) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            n => each(&buffer[..n])?,
        }
    }
}

/// Holds off other set-ups in the same folder until the result is dropped.
fn lock(folder: &Path) -> Result<File, Failure> {
    let fail = |e: std::io::Error| Failure::at(folder, e);
    std::fs::create_dir_all(folder).map_err(fail)?;
    let file = File::create(folder.join(".lock")).map_err(fail)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|e| fail(e.into()))?;
    Ok(file)
}
