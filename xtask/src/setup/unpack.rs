//! Unpacking wheels into a component's folder, which appears whole or not at all.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use components::home::{Entry, Home};
use indicatif::ProgressBar;
use zip::ZipArchive;

use super::pins::Bundle;
use crate::failure::{Failure, Outcome};

/// The FPGA emulator shows its platform only with this file beside it, of this content.
const EMULATOR_CONFIGURATION: (&str, &str) = ("cl.fpga_emu.cfg", "CL_CONFIG_DEVICES = fpga-emu\n");

/// How many bytes the bundles will have when unpacked.
pub fn unpacked_size(bundles: &[&Bundle], downloads: &Path) -> Result<u64, Failure> {
    let mut size = 0;
    for bundle in bundles {
        for wheel in bundle.wheels {
            let path = downloads.join(wheel.file);
            let mut archive = open(&path)?;
            for i in 0..archive.len() {
                let member = archive.by_index_raw(i).map_err(|e| Failure::at(&path, e))?;
                if place(member.name()).is_some_and(bundle.keeps) {
                    size += member.size();
                }
            }
        }
    }
    Ok(size)
}

/// Unpacks one bundle into its folder below `home`.
pub fn bundle(
    bundle: &Bundle,
    downloads: &Path,
    home: &Path,
    progress: &ProgressBar,
) -> Result<Entry, Failure> {
    let name = PathBuf::from(format!("{}-{}", bundle.name, bundle.version));
    let folder = home.join(&name);
    let partial = home.join(format!(".{}.partial", name.display()));
    for stale in [&partial, &folder] {
        if stale.exists() {
            fs::remove_dir_all(stale).map_err(|e| Failure::at(stale, e))?;
        }
    }
    for wheel in bundle.wheels {
        let path = downloads.join(wheel.file);
        wheel_into(&path, bundle.keeps, &partial, progress)?;
    }
    finish(bundle, &partial, &folder)?;
    fs::rename(&partial, &folder).map_err(|e| Failure::at(&folder, e))?;
    Ok(Entry {
        name: bundle.name.to_owned(),
        version: bundle.version.to_owned(),
        folder: name,
    })
}

/// Puts right the one thing that depends on where the folder of set-up lies: the ICD files name
/// their libraries by absolute paths, which are wrong once the folder was moved.
pub fn settle(home: &Home) -> Outcome {
    for bundle in super::pins::BUNDLES {
        let place = home.find(bundle.name).map(|(folder, _)| folder);
        let place = place.filter(|folder| folder.is_dir());
        if let (Some(folder), Some(library)) = (place, bundle.opencl_library) {
            settle_icd(&icd_file(bundle, &folder), &icd_text(library, &folder))?;
        }
    }
    Ok(())
}

fn settle_icd(icd: &Path, text: &str) -> Outcome {
    if fs::read_to_string(icd).is_ok_and(|said| said == text) {
        return Ok(());
    }
    fs::write(icd, text).map_err(|e| Failure::at(icd, e))
}

fn open(path: &Path) -> Result<ZipArchive<File>, Failure> {
    let file = File::open(path).map_err(|e| Failure::at(path, e))?;
    ZipArchive::new(file).map_err(|e| Failure::at(path, e))
}

/// Where a member of a wheel lies in the bundle's folder: files of the data tree lose the tree's
/// name, and of what installers read only licences are kept.
fn place(member: &str) -> Option<&str> {
    let (top, rest) = member.split_once('/')?;
    if top.ends_with(".dist-info") {
        return Some(rest).filter(|rest| rest.starts_with("licenses/"));
    }
    if top.ends_with(".data") {
        return rest.strip_prefix("data/");
    }
    Some(member)
}

fn wheel_into(
    path: &Path,
    keeps: fn(&str) -> bool,
    folder: &Path,
    progress: &ProgressBar,
) -> Outcome {
    let fail = |e: zip::result::ZipError| Failure::at(path, e);
    let mut archive = open(path)?;
    // Wheels hold no links: a library stands in them once for each of its names. Equal contents
    // become one file again.
    let mut seen: HashMap<(u32, u64), PathBuf> = HashMap::new();
    for i in 0..archive.len() {
        let mut member = archive.by_index(i).map_err(fail)?;
        let name = member.enclosed_name().filter(|_| member.is_file());
        let Some(name) = name.as_deref().and_then(Path::to_str) else {
            continue;
        };
        let Some(place) = place(name).filter(|place| keeps(place)) else {
            continue;
        };
        let out = folder.join(place);
        let parent = out.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|e| Failure::at(parent, e))?;
        let key = (member.crc32(), member.size());
        if let Some(same) = seen.get(&key).filter(|_| key.1 > 0) {
            fs::hard_link(same, &out).map_err(|e| Failure::at(&out, e))?;
            progress.inc(key.1);
            continue;
        }
        let mode = member.unix_mode().unwrap_or(0o644) | 0o644;
        write(&mut member, &out, mode, progress).map_err(|e| Failure::at(&out, e))?;
        seen.insert(key, out);
    }
    Ok(())
}

fn write(
    member: &mut impl std::io::Read,
    out: &Path,
    mode: u32,
    progress: &ProgressBar,
) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut file = File::create(out)?;
    super::pieces(member, |piece| {
        progress.inc(piece.len() as u64);
        file.write_all(piece)
    })?;
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// Writes what the wheels lack; `partial` becomes `folder`.
fn finish(bundle: &Bundle, partial: &Path, folder: &Path) -> Outcome {
    let Some(library) = bundle.opencl_library else {
        return Ok(());
    };
    let lib = partial.join("lib");
    if !lib.join(library).exists() {
        // The emulator comes under its full version only.
        let full = newest(&lib, library)?;
        fs::hard_link(&full, lib.join(library)).map_err(|e| Failure::at(&full, e))?;
        let (name, text) = EMULATOR_CONFIGURATION;
        fs::write(lib.join(name), text).map_err(|e| Failure::at(&lib, e))?;
    }
    let icd = icd_file(bundle, partial);
    let vendors = partial.join("vendors");
    fs::create_dir_all(&vendors).map_err(|e| Failure::at(&vendors, e))?;
    fs::write(&icd, icd_text(library, folder)).map_err(|e| Failure::at(&icd, e))
}

fn icd_file(bundle: &Bundle, folder: &Path) -> PathBuf {
    folder.join("vendors").join(format!("{}.icd", bundle.name))
}

fn icd_text(library: &str, folder: &Path) -> String {
    format!("{}\n", folder.join("lib").join(library).display())
}

/// The file in `folder` whose name is `library`, a dot, and a version.
fn newest(folder: &Path, library: &str) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder).map_err(|e| Failure::at(folder, e))?;
    let names = entries.flatten().map(|entry| entry.path());
    let versioned = names.filter(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&format!("{library}.")))
    });
    let missing = || Failure::at(folder, format_args!("the wheels hold no {library}"));
    versioned.max().ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt as _;

    fn sample() -> Bundle {
        Bundle {
            name: "sample",
            version: "1",
            licence: super::super::pins::Licence::Free,
            wheels: &[],
            keeps: |path| path.starts_with("lib/"),
            opencl_library: Some("libx.so"),
        }
    }

    fn sample_wheel(path: &Path) {
        let mut wheel = zip::ZipWriter::new(File::create(path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        for (name, text) in [
            ("x-1.data/data/lib/libx.so", "body"),
            ("x-1.data/data/lib/libx.so.1", "body"),
            ("x-1.data/data/bin/tool", "tool"),
            ("x-1.dist-info/RECORD", "record"),
        ] {
            wheel.start_file(name, options).unwrap();
            wheel.write_all(text.as_bytes()).unwrap();
        }
        wheel.finish().unwrap();
    }

    #[test]
    fn only_kept_files_come_and_equal_ones_share_their_contents() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("x.whl");
        sample_wheel(&path);
        let out = root.path().join("out");
        let progress = ProgressBar::hidden();
        wheel_into(&path, sample().keeps, &out, &progress).unwrap();
        let inode = |name: &str| fs::metadata(out.join(name)).unwrap().ino();
        assert_eq!(inode("lib/libx.so"), inode("lib/libx.so.1"));
        assert!(!out.join("bin").exists() && !out.join("RECORD").exists());
    }

    #[test]
    fn an_icd_file_names_the_library_and_follows_a_move() {
        let root = tempfile::tempdir().unwrap();
        let (partial, folder) = (root.path().join("partial"), root.path().join("x-1"));
        fs::create_dir_all(partial.join("lib")).unwrap();
        fs::write(partial.join("lib/libx.so.1.2"), "").unwrap();
        finish(&sample(), &partial, &folder).unwrap();
        fs::rename(&partial, &folder).unwrap();
        let named = |folder: &Path| {
            let text = fs::read_to_string(icd_file(&sample(), folder)).unwrap();
            Path::new(text.trim()).exists()
        };
        assert!(named(&folder));
        let moved = root.path().join("moved");
        fs::rename(&folder, &moved).unwrap();
        assert!(!named(&moved));
        let text = icd_text("libx.so", &moved);
        settle_icd(&icd_file(&sample(), &moved), &text).unwrap();
        assert!(named(&moved));
    }
}
