//! The link of many fat objects: what the wrapper costs on top of the outside tools it starts,
//! ahead-of-time compilation with one job and with all cores, and upstream's wrapper.
//!
//! Upstream's wrapper knows no SYCL: it links the same host objects with OpenMP device code of the
//! same size, for the host's own architecture.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use components::Component;
use components::process::Job;
use rayon::prelude::*;

use super::{Contender, Contest, Finding, Measured};
use crate::failure::Failure;
use crate::{places, setup};

/// Programs of so many objects.
const SIZES: [usize; 3] = [1, 50, 500];

/// The data layout of x86-64, without which upstream's wrapper refuses a module.
const HOST_LAYOUT: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\n";

/// What the wrapper asks of the SPIR-V writer.
const EXTENSION: &str = "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space";

/// Kernels of the module that is compiled ahead of time, one module each.
const AOT_KERNELS: usize = 64;

/// Peers by whose names findings tell contests apart.
const UPSTREAM: &str = "clang-linker-wrapper-19";
const ONE_JOB: &str = "one job";

/// The contests, over objects made in `folder`.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let mut contests = Vec::new();
    for size in SIZES {
        contests.push(overhead(&folder.join(size.to_string()), size)?);
    }
    contests.push(super::driver::link_contest(&folder.join("program"))?);
    let largest = folder.join(SIZES[SIZES.len() - 1].to_string());
    contests.push(ahead_of_time(&folder.join("aot"))?);
    contests.extend(upstream(&largest, SIZES[SIZES.len() - 1])?);
    Ok(contests)
}

/// The aims: little more time than the outside tools take, and no more than upstream's wrapper. How
/// far the offline compilers scale is the machine's matter: no aim, only the ratio.
pub fn findings(_: &Path, measured: &[Measured]) -> Result<Vec<Finding>, Failure> {
    let findings = measured.iter().filter_map(|Measured { contest, figures }| {
        let [ours, peer] = &figures[..] else {
            return None;
        };
        let against = &contest.peers.first()?.name;
        Some(Finding {
            what: format!("time: {}", contest.name),
            value: ours.seconds / peer.seconds,
            at_most: match &**against {
                UPSTREAM => Some(1.0),
                ONE_JOB => None,
                _ => Some(1.1),
            },
        })
    });
    Ok(findings.collect())
}

/// The wrapper against the tools that it starts, alone: the SPIR-V writer over the linked module,
/// and the host linker over the same objects and the same wrapped images. What the wrapper does
/// itself, the device link, the post-link stage and the wrapper object, is on its side only.
fn overhead(folder: &Path, size: usize) -> Result<Contest, Failure> {
    let objects = fat_objects(folder, size, "sycl", "spir64-unknown-unknown")?;
    let ours = wrapper(folder, &objects, "ours.out");
    let mut kept = ours.clone();
    kept.args.insert(0, "--save-temps".into());
    kept.capture(b"").map_err(Failure::new)?;
    let stem = |suffix: &str| folder.join(format!("ours.out.{suffix}"));
    let backend = setup::require(Component::SpirvBackend)?.path;
    let mut outside: Vec<Job> = Vec::new();
    for module in (0..).map(|n| stem(&format!("spir64-unknown-unknown_{n}.bc"))) {
        if !module.is_file() {
            break;
        }
        let job = Job::new(&backend).args(["clang", "--target=spirv64v1.2-unknown-unknown"]);
        let job = job.args([
            "-Wno-override-module",
            "-mllvm",
            EXTENSION,
            "-c",
            "-x",
            "ir",
        ]);
        outside.push(job.arg(module).arg("-o").arg(folder.join("outside.spv")));
    }
    let mut words = link_words(folder, &objects, "outside.out");
    words.push(stem("wrapper.o").into());
    outside.push(Job::new(linker()).args(words));
    Ok(Contest {
        name: format!("{size} fat objects, just in time"),
        ours: contender("clang-linker-wrapper", ours),
        peers: vec![Contender {
            name: "the outside tools alone".to_owned(),
            jobs: outside,
        }],
        rounds: 5,
    })
}

/// Modules compiled for a GPU with one job, against all cores.
fn ahead_of_time(folder: &Path) -> Result<Contest, Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
    let kernels: String = (0..AOT_KERNELS).map(kernel).collect();
    let objects = vec![
        fat_object(folder, 0, "sycl", "spir64_gen-unknown-unknown", &kernels)?,
        stubs(folder)?,
    ];
    let with_jobs = |words: &[&str]| {
        let mut job = wrapper(folder, &objects, "aot.out");
        let own = [
            "--gen-tool-arg=-device tgllp",
            "--sycl-post-link-options=-split=kernel",
        ];
        let words = own.iter().chain(words).map(std::ffi::OsString::from);
        job.args.splice(0..0, words);
        job
    };
    Ok(Contest {
        name: format!("{AOT_KERNELS} modules for a GPU, all cores"),
        ours: contender("as many jobs as cores", with_jobs(&[])),
        peers: vec![contender(ONE_JOB, with_jobs(&["--wrapper-jobs=1"]))],
        rounds: 1,
    })
}

/// Upstream's wrapper: no device code, and as many fat objects of a kind that it knows.
fn upstream(folder: &Path, size: usize) -> Result<Vec<Contest>, Failure> {
    let Ok(upstream) = setup::require(Component::UpstreamLinkerWrapper) else {
        return Ok(Vec::new());
    };
    let plain = vec![folder.join("host.o"), stubs(folder)?];
    let sycl = fat_objects(folder, size, "sycl", "spir64-unknown-unknown")?;
    let theirs = fat_objects(
        &folder.join("openmp"),
        size,
        "openmp",
        "x86_64-unknown-linux-gnu",
    )?;
    let start = |objects: &[PathBuf], output: &str| {
        let job = Job::new(&upstream.path).arg("--host-triple=x86_64-unknown-linux-gnu");
        let job = job.arg(format!("--linker-path={}", linker().display()));
        // Upstream 19 hands everything that it does not know to the linker; a separator ends its line.
        job.args(link_words(folder, objects, output))
    };
    let contest = |name: String, ours: &[PathBuf], peer: &[PathBuf]| Contest {
        name,
        ours: contender("clang-linker-wrapper", wrapper(folder, ours, "a.out")),
        peers: vec![contender(UPSTREAM, start(peer, "b.out"))],
        rounds: 5,
    };
    Ok(vec![
        contest("no device code".to_owned(), &plain, &plain),
        contest(
            format!("{size} fat objects, SYCL against OpenMP"),
            &sycl,
            &theirs,
        ),
    ])
}

fn contender(name: &str, job: Job) -> Contender {
    Contender {
        name: name.to_owned(),
        jobs: vec![job],
    }
}

fn linker() -> PathBuf {
    setup::require(Component::Linker).map_or_else(|_| "ld".into(), |found| found.path)
}

fn wrapper(folder: &Path, objects: &[PathBuf], output: &str) -> Job {
    Job::new(places::staging().join("bin/clang-linker-wrapper"))
        .env(components::home::VARIABLE, places::components())
        .arg(format!("--linker-path={}", linker().display()))
        .arg("--")
        .args(link_words(folder, objects, output))
}

/// A line that links shared libraries with undefined symbols: no C library takes part.
fn link_words(folder: &Path, objects: &[PathBuf], output: &str) -> Vec<std::ffi::OsString> {
    let mut words: Vec<std::ffi::OsString> = vec!["-shared".into(), "-o".into()];
    words.push(folder.join(output).into());
    words.extend(objects.iter().map(Into::into));
    words
}

/// An object that defines what wrapped images of either kind call.
fn stubs(folder: &Path) -> Result<PathBuf, Failure> {
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
fn fat_objects(
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
fn fat_object(
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
    let assembler = linker().with_file_name("as");
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
fn kernel(number: usize) -> String {
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
