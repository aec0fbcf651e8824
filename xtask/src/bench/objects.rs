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

/// What a source of the program has in its names instead of a number.
const PLACEHOLDER: &str = "unit_00000";

/// The data layout of x86-64, without which upstream's wrapper refuses a module.
const HOST_LAYOUT: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

/// The objects of a program with `size` sources beside its main one, in `folder`. One source is
/// compiled; the others are what would come out of it with another number in all names.
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
    let unit = compile("unit.cpp")?;
    let unit = fs::read(&unit).map_err(|e| Failure::at(&unit, e))?;
    for number in 0..size {
        let object = folder.join(format!("unit-{number}.o"));
        let bytes = replaced(&unit, PLACEHOLDER, &format!("unit_{number:05}"));
        fs::write(&object, bytes).map_err(|e| Failure::at(&object, e))?;
        objects.push(object);
    }
    Ok(objects)
}

/// `bytes` with another name of the same length in place of `from`: nothing in them moves.
fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while let Some(name) = bytes.get_mut(at..at + from.len()) {
        if name == from.as_bytes() {
            name.copy_from_slice(to.as_bytes());
        }
        at += 1;
    }
    bytes
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
    let object = folder.join(format!("{kind}-{number}.o"));
    if object.is_file() {
        return Ok(object);
    }
    let stem = folder.join(format!("{kind}-{number}"));
    let (ir, image) = (stem.with_extension("ll"), stem.with_extension("img"));
    let code = match kind {
        "sycl" => format!("target triple = \"spir64-unknown-unknown\"\n{code}"),
        // The host's own architecture has neither the calling convention nor the address space.
        _ => format!("{HOST_LAYOUT}target triple = \"{triple}\"\n{code}")
            .replace("spir_kernel ", "")
            .replace(" addrspace(1)", ""),
    };
    fs::write(&ir, code).map_err(|e| Failure::at(&ir, e))?;
    let bitcode = stem.with_extension("bc");
    let run = |job: Job| job.capture(b"").map_err(Failure::new);
    run(Job::new(setup::require(Component::LlvmAs)?.path)
        .arg(&ir)
        .arg("-o")
        .arg(&bitcode))?;
    let packager = places::staging().join("bin/clang-offload-packager");
    let described = format!(
        "--image=file={},triple={triple},kind={kind}",
        bitcode.display()
    );
    run(Job::new(packager).arg("-o").arg(&image).arg(described))?;
    let source = stem.with_extension("s");
    fs::write(&source, host_half(number, &image)).map_err(|e| Failure::at(&source, e))?;
    let assembler = setup::require(Component::Linker)?.path.with_file_name("as");
    run(Job::new(assembler).arg(&source).arg("-o").arg(&object))?;
    Ok(object)
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
        let bytes = replaced(
            b"unit_00000unit_0000\0unit_00000",
            PLACEHOLDER,
            "unit_00042",
        );
        assert_eq!(bytes, b"unit_00042unit_0000\0unit_00042");
    }
}
