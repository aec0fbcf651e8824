//! Fat objects for the bench of the link: sources of a program as the driver compiles them, and the
//! smallest ones that there are, which another toolchain can link too.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;
use rayon::prelude::*;

use super::driver::driver;
use crate::failure::Failure;
use crate::{places, setup};

/// What the source that stands for many is called, and has in its names.
const PLACEHOLDER: &str = "unit_00000";

/// The data layout of x86-64, without which upstream's wrapper refuses a module.
const HOST_LAYOUT: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

/// The objects of a program with `size` sources beside its main one, in `folder`. One source is
/// compiled; the others are what would come out of it with another number in all names, the source's
/// own among them, by which device code is split.
pub fn units(folder: &Path, size: usize) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let compile = |name: &str| -> Result<PathBuf, Failure> {
        let source = places::root().join("fixtures/link").join(name);
        let object = folder.join(name).with_extension("o");
        let job = driver(folder).args(["-O2", "-c"]).arg(source);
        let job = job.arg("-o").arg(&object);
        job.capture(b"").map_err(Failure::new)?;
        Ok(object)
    };
    let mut objects = vec![compile("unit-main.cpp")?];
    let unit = compile(&format!("{PLACEHOLDER}.cpp"))?;
    let template = Template::of(&fs::read(&unit).map_err(|e| Failure::at(&unit, e))?);
    let others = (0..size).into_par_iter().map(|number| {
        let object = folder.join(format!("unit-{number}.o"));
        let bytes = template.with(&format!("unit_{number:05}"));
        fs::write(&object, bytes).map_err(|e| Failure::at(&object, e))?;
        Ok(object)
    });
    objects.extend(others.collect::<Result<Vec<_>, Failure>>()?);
    Ok(objects)
}

/// An object in which another name of the same length can take the placeholder's places, so that
/// nothing moves.
struct Template {
    /// The object's bits, the lowest of a byte first.
    bits: Vec<bool>,
    /// Where the placeholder begins, and how its characters are written there.
    places: Vec<(usize, Characters)>,
}

/// How the characters of a name are written.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Characters {
    /// A byte each.
    Bytes,
    /// As numbers of LLVM's bitstreams with six bits a chunk, at any bit: the strings of attributes.
    Chunks,
}

impl Characters {
    fn bits(self, name: &str) -> Vec<bool> {
        let of = |value: u16, count: u16| (0..count).map(move |bit| value >> bit & 1 == 1);
        name.bytes()
            .map(u16::from)
            .flat_map(|character| match self {
                Characters::Bytes => of(character, 8),
                // Five bits, the sign that there are more, and the rest.
                Characters::Chunks => of(character & 31 | 32 | character >> 5 << 6, 12),
            })
            .collect()
    }
}

impl Template {
    fn of(object: &[u8]) -> Template {
        let bits: Vec<bool> = object
            .iter()
            .flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1))
            .collect();
        let found = |characters: Characters, step: usize| {
            let pattern = characters.bits(PLACEHOLDER);
            let starts = (0..bits.len()).step_by(step);
            let starts = starts.filter(|&at| bits[at..].starts_with(&pattern));
            starts.map(|at| (at, characters)).collect::<Vec<_>>()
        };
        let mut places = found(Characters::Bytes, 8);
        places.extend(found(Characters::Chunks, 1));
        Template { bits, places }
    }

    /// The object with `name` in place of the placeholder.
    fn with(&self, name: &str) -> Vec<u8> {
        let mut bits = self.bits.clone();
        for &(at, characters) in &self.places {
            let name = characters.bits(name);
            if let Some(place) = bits.get_mut(at..at + name.len()) {
                place.copy_from_slice(&name);
            }
        }
        let byte = |bits: &[bool]| bits.iter().rfold(0, |byte, &bit| byte << 1 | u8::from(bit));
        bits.chunks(8).map(byte).collect()
    }
}

/// An object that defines what wrapped images of either kind call.
pub fn stubs(folder: &Path) -> Result<PathBuf, Failure> {
    let text = "void __sycl_register_lib(void *d) { (void)d; }\n\
                void __sycl_unregister_lib(void *d) { (void)d; }\n";
    compile(folder, "stubs", text)
}

fn compile(folder: &Path, name: &str, text: &str) -> Result<PathBuf, Failure> {
    let source = folder.join(format!("{name}.c"));
    fs::write(&source, text).map_err(|e| Failure::at(&source, e))?;
    let object = source.with_extension("o");
    let clang = setup::require(Component::Clang)?.path;
    let job = Job::new(clang).args(["-x", "c", "-fPIC", "-c"]);
    let job = job.arg(&source).arg("-o").arg(&object);
    job.capture(b"").map_err(Failure::new)?;
    Ok(object)
}

/// Fat objects with a kernel each, and the objects that they need.
pub fn fat_objects(
    folder: &Path,
    size: usize,
    kind: &str,
    triple: &str,
) -> Result<Vec<PathBuf>, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    compile(folder, "host", "int host_only;\n")?;
    let objects: Result<Vec<PathBuf>, Failure> = (0..size)
        .into_par_iter()
        .map(|number| fat_object(folder, number, kind, triple, &kernel(number)))
        .collect();
    let mut objects = objects?;
    objects.push(stubs(folder)?);
    Ok(objects)
}

/// A host object of its own that carries `code`, compiled for `triple`.
pub fn fat_object(
    folder: &Path,
    number: usize,
    kind: &str,
    triple: &str,
    code: &str,
) -> Result<PathBuf, Failure> {
    let stem = folder.join(format!("{kind}-{number}"));
    let ir = stem.with_extension("ll");
    let code = match kind {
        "sycl" => format!("target triple = \"spir64-unknown-unknown\"\n{code}"),
        // The host's own architecture has neither the calling convention nor the address space.
        _ => format!("{HOST_LAYOUT}target triple = \"{triple}\"\n{code}")
            .replace("spir_kernel ", "")
            .replace(" addrspace(1)", ""),
    };
    fs::write(&ir, code).map_err(|e| Failure::at(&ir, e))?;
    let bitcode = stem.with_extension("bc");
    Job::new(setup::require(Component::LlvmAs)?.path)
        .arg(&ir)
        .arg("-o")
        .arg(&bitcode)
        .capture(b"")
        .map_err(Failure::new)?;
    of_bitcode(&stem, number, (kind, triple), &bitcode)
}

/// The same of a file of bitcode; `stem` is what the object and what it is made of are named by.
pub fn of_bitcode(
    stem: &Path,
    number: usize,
    target: (&str, &str),
    bitcode: &Path,
) -> Result<PathBuf, Failure> {
    let (jobs, object) = embed(stem, number, target, bitcode)?;
    for job in jobs {
        job.capture(b"").map_err(Failure::new)?;
    }
    Ok(object)
}

/// What makes such an object, one after the other, and the object.
pub fn embed(
    stem: &Path,
    number: usize,
    (kind, triple): (&str, &str),
    bitcode: &Path,
) -> Result<(Vec<Job>, PathBuf), Failure> {
    let with = |extension: &str| {
        let mut name = stem.as_os_str().to_owned();
        name.push(extension);
        PathBuf::from(name)
    };
    let (image, source, object) = (with(".img"), with(".s"), with(".o"));
    let packager = places::staging().join("bin/clang-offload-packager");
    let described = format!(
        "--image=file={},triple={triple},kind={kind}",
        bitcode.display()
    );
    fs::write(&source, host_half(number, &image)).map_err(|e| Failure::at(&source, e))?;
    let assembler = setup::require(Component::Linker)?.path.with_file_name("as");
    let jobs = vec![
        Job::new(packager).arg("-o").arg(&image).arg(described),
        Job::new(assembler).arg(&source).arg("-o").arg(&object),
    ];
    Ok((jobs, object))
}

/// A host function with an image beside it, as clang embeds one. The assembler makes a thousand
/// such objects in the time that clang takes for a hundred.
fn host_half(number: usize, image: &Path) -> String {
    format!(
        ".text\n.globl host_{number}\nhost_{number}:\n  movl ${number}, %eax\n  ret\n\
         .section .llvm.offloading,\"e\",@0x6fff4c0b\n.p2align 3\n.incbin \"{}\"\n\
         .section .note.GNU-stack,\"\",@progbits\n",
        image.display()
    )
}

/// A kernel with a loop over its argument.
pub fn kernel(number: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write!(
        text,
        "define spir_kernel void @bench_kernel_{number}(ptr addrspace(1) %p, i32 %n) {{\n\
         entry:\n  br label %loop\n\
         loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n\
         \x20 %at = getelementptr i32, ptr addrspace(1) %p, i32 %i\n\
         \x20 %old = load i32, ptr addrspace(1) %at\n\
         \x20 %new = mul i32 %old, {}\n\
         \x20 store i32 %new, ptr addrspace(1) %at\n\
         \x20 %next = add i32 %i, 1\n\
         \x20 %more = icmp ult i32 %next, %n\n\
         \x20 br i1 %more, label %loop, label %done\n\
         done:\n  ret void\n}}\n",
        number + 3
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_wherever_they_stand() {
        let template = Template::of(b"unit_00000unit_0000\0unit_00000");
        assert_eq!(
            template.with("unit_00042"),
            b"unit_00042unit_0000\0unit_00042"
        );
    }

    #[test]
    fn names_in_chunks_of_six_bits_are_replaced_at_any_bit() {
        let around = |name: &str| {
            let mut bits = vec![true; 3];
            bits.extend(Characters::Chunks.bits(name));
            bits.resize(bits.len().next_multiple_of(8), true);
            let places = Vec::new();
            Template { bits, places }.with("")
        };
        // 'u' is 3 * 32 + 21.
        assert_eq!(around("u")[0] >> 3, 21);
        let template = Template::of(&around(PLACEHOLDER));
        assert_eq!(template.places, [(3, Characters::Chunks)]);
        assert_eq!(template.with("unit_00042"), around("unit_00042"));
    }
}
