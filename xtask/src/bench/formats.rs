//! The `formats` bench: packaging and extraction against upstream's tools.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;

use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::{places, setup};

const MIB: usize = 1 << 20;
const IMAGES: usize = 8;
const IMAGE_SIZE: usize = 32 * MIB;
const FAT_SIZE: usize = 512 * MIB;
const MEMBERS: usize = 1000;
const ROUNDS: usize = 5;
/// What our tools may hold, in MiB: more than the 16 MiB of the archive, whose members are all
/// looked into, and less than a single one of the large images.
const MOST_MEMORY: f64 = 24.0;

/// Prepares images, an archive and a fat executable in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let tools = Tools::find()?;
    Ok(vec![
        package(&tools, folder)?,
        archive(&tools, folder)?,
        executable(&tools, folder)?,
        look(&tools, folder),
    ])
}

/// The aims: at most half of the peer's time, and memory that does not grow with the images.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let mut findings = Vec::new();
    for Measured { contest, figures } in measured {
        let [ours, peer] = &figures[..] else {
            continue;
        };
        let mut tell = |what: &str, value, at_most| {
            let what = format!("{what}: {}", contest.name);
            findings.push(Finding::plain(what, value, Some(at_most)));
        };
        tell("time", peer.ours_to_this, 0.5);
        if let (Some(ours), Some(peer)) = (ours.peak_mib, peer.peak_mib) {
            tell("memory", ours / peer, 0.5);
            tell("peak in MiB", ours, MOST_MEMORY);
        }
    }
    Ok(findings)
}

/// Who competes, and who prepares.
struct Tools {
    packager: PathBuf,
    inspect: PathBuf,
    upstream_packager: PathBuf,
    objdump: PathBuf,
    objcopy: PathBuf,
    ar: PathBuf,
    clang: PathBuf,
}

impl Tools {
    fn find() -> Result<Self, Failure> {
        let components = setup::discovered()?;
        let find = |component| match components.find(component) {
            Ok(found) => Ok(found.path),
            Err(missing) => Err(Failure::new(missing)),
        };
        let bin = places::staging().join("bin");
        Ok(Tools {
            packager: bin.join("clang-offload-packager"),
            inspect: bin.join("offload-inspect"),
            upstream_packager: find(Component::UpstreamPackager)?,
            objdump: find(Component::LlvmObjdump)?,
            objcopy: find(Component::LlvmObjcopy)?,
            ar: find(Component::LlvmAr)?,
            clang: find(Component::Clang)?,
        })
    }

    /// The two packagers at the same work.
    fn packagers(&self, name: &str, job: impl Fn(&Path) -> Job) -> Contest {
        let contender = |name: &str, program: &Path| Contender {
            name: name.to_owned(),
            steps: vec![vec![job(program)]],
        };
        Contest {
            name: name.to_owned(),
            ours: contender("ours", &self.packager),
            peers: vec![contender(
                "clang-offload-packager-19",
                &self.upstream_packager,
            )],
            rounds: ROUNDS,
        }
    }
}

fn package(tools: &Tools, folder: &Path) -> Result<Contest, Failure> {
    let mut images = Vec::new();
    for index in 0..IMAGES {
        let image = folder.join(format!("image-{index}.o"));
        write_noise(&image, IMAGE_SIZE)?;
        images.push(format!("--image={}", image_argument(&image, index)));
    }
    let out = folder.join("packaged.bin");
    Ok(tools.packagers("package 8 images of 32 MiB", |program| {
        Job::new(program).arg("-o").arg(&out).args(&images)
    }))
}

fn archive(tools: &Tools, folder: &Path) -> Result<Contest, Failure> {
    let image = folder.join("member-image.o");
    write_noise(&image, 16 << 10)?;
    let fat = fat_object(tools, folder, &image)?;
    let bytes = fs::read(&fat).map_err(|e| Failure::at(&fat, e))?;
    let archive = folder.join("members.a");
    let mut job = Job::new(&tools.ar).arg("rcsD").arg(&archive);
    for index in 0..MEMBERS {
        let member = folder.join(format!("member-{index}.o"));
        fs::write(&member, &bytes).map_err(|e| Failure::at(&member, e))?;
        job = job.arg(member);
    }
    if archive.exists() {
        fs::remove_file(&archive).map_err(|e| Failure::at(&archive, e))?;
    }
    job.run().map_err(Failure::new)?;
    let out = folder.join("extracted.a");
    let filter = format!("--image=file={},kind=openmp", out.display());
    Ok(
        tools.packagers("extract from an archive of 1000 members", |program| {
            Job::new(program)
                .arg(&archive)
                .arg("--archive")
                .arg(&filter)
        }),
    )
}

fn executable(tools: &Tools, folder: &Path) -> Result<Contest, Failure> {
    let image = folder.join("large.o");
    write_noise(&image, FAT_SIZE)?;
    let packaged = packaged(tools, folder, &image)?;
    let plain = folder.join("plain");
    let source = folder.join("main.c");
    fs::write(&source, "int main(void) { return 0; }\n").map_err(|e| Failure::at(&source, e))?;
    let compile = Job::new(&tools.clang)
        .args(["-x", "c"])
        .arg(&source)
        .arg("-o")
        .arg(&plain);
    compile.run().map_err(Failure::new)?;
    let section = format!("--add-section=.llvm.offloading={}", packaged.display());
    let kind = "--set-section-type=.llvm.offloading=0x6fff4c0b";
    let embed = Job::new(&tools.objcopy)
        .arg(section)
        .arg(kind)
        .arg(plain)
        .arg(fat_executable(folder));
    embed.run().map_err(Failure::new)?;
    let out = folder.join("extracted.o");
    let filter = format!("--image=file={},kind=openmp", out.display());
    Ok(
        tools.packagers("extract from a fat executable of 512 MiB", |program| {
            Job::new(program).arg(fat_executable(folder)).arg(&filter)
        }),
    )
}

fn fat_executable(folder: &Path) -> PathBuf {
    folder.join("fat")
}

/// What is in the fat executable, without taking it out.
fn look(tools: &Tools, folder: &Path) -> Contest {
    let contender = |name: &str, job: Job| Contender {
        name: name.to_owned(),
        steps: vec![vec![job.arg(fat_executable(folder))]],
    };
    Contest {
        name: "look into a fat executable of 512 MiB".to_owned(),
        ours: contender("offload-inspect", Job::new(&tools.inspect)),
        peers: vec![contender(
            "llvm-objdump-19 --offloading",
            Job::new(&tools.objdump).arg("--offloading"),
        )],
        rounds: ROUNDS,
    }
}

fn image_argument(image: &Path, index: usize) -> String {
    let image = image.display();
    format!("file={image},triple=amdgcn-amd-amdhsa,arch=gfx90{index},kind=openmp")
}

fn packaged(tools: &Tools, folder: &Path, image: &Path) -> Result<PathBuf, Failure> {
    let packaged = folder.join("one.bin");
    let argument = format!("--image={}", image_argument(image, 6));
    let job = Job::new(&tools.upstream_packager)
        .arg("-o")
        .arg(&packaged)
        .arg(argument);
    job.run().map_err(Failure::new)?;
    Ok(packaged)
}

fn fat_object(tools: &Tools, folder: &Path, image: &Path) -> Result<PathBuf, Failure> {
    let packaged = packaged(tools, folder, image)?;
    let source = folder.join("member.c");
    let object = folder.join("member.o");
    fs::write(&source, "static int f(void) { return 0; }\n")
        .map_err(|e| Failure::at(&source, e))?;
    let embed = format!("-fembed-offload-object={}", packaged.display());
    let job = Job::new(&tools.clang)
        .args(["-x", "c", "-c", "-w", "-Xclang"])
        .arg(embed);
    job.arg(source)
        .arg("-o")
        .arg(&object)
        .run()
        .map_err(Failure::new)?;
    Ok(object)
}

/// A file of that many bytes that does not compress; kept when it is there.
fn write_noise(path: &Path, size: usize) -> Result<(), Failure> {
    if fs::metadata(path).is_ok_and(|known| known.len() == size as u64) {
        return Ok(());
    }
    let fail = |e| Failure::at(path, e);
    let mut out = BufWriter::new(File::create(path).map_err(fail)?);
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..size / 8 {
        // Xorshift: the same bytes in every run.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        out.write_all(&state.to_le_bytes()).map_err(fail)?;
    }
    out.flush().map_err(fail)
}
