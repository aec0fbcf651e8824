//! `bench split`: splitting a large device module, against `llvm-extract` once per kernel and
//! against reading and writing the module once.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use components::process::Job;
use components::{Component, Components};

use super::{Contender, Contest};
use crate::failure::Failure;
use crate::places;

/// The sizes that show how time grows.
const KERNELS: [usize; 3] = [250, 500, 1000];
/// Functions that one kernel alone reaches.
const OWN: usize = 8;
/// Functions for each kernel that several may reach: 10,000 functions for 1,000 kernels in all.
const SHARED: usize = 2;
const UNITS: usize = 50;

/// Per kernel and per source against the peers at the largest size, and per kernel at each size.
pub fn contests(folder: &Path) -> Result<Vec<Contest>, Failure> {
    let components = Components::here().map_err(Failure::new)?;
    let program = |component| Ok(components.find(component).map_err(Failure::new)?.path);
    let (assembler, extract, link): (PathBuf, PathBuf, PathBuf) = (
        program(Component::LlvmAs)?,
        program(Component::LlvmExtract)?,
        program(Component::LlvmLink)?,
    );
    let mut contests = Vec::new();
    for kernels in KERNELS {
        let text = folder.join(format!("{kernels}.ll"));
        let module = folder.join(format!("{kernels}.bc"));
        fs::write(&text, module_text(kernels)).map_err(|e| Failure::at(&text, e))?;
        let assemble = Job::new(&assembler).arg(&text).arg("-o").arg(&module);
        assemble.run().map_err(Failure::new)?;
        let copy = Job::new(&link)
            .arg(&module)
            .arg("-o")
            .arg(folder.join("copy.bc"));
        let once = contender("llvm-link: read and write once", vec![copy]);
        let largest = kernels == KERNELS[KERNELS.len() - 1];
        for mode in ["kernel", "source"] {
            let mut peers = vec![once.clone()];
            if largest && mode == "kernel" {
                peers.push(extractions(&extract, &module, folder, kernels));
            }
            if largest || mode == "kernel" {
                contests.push(Contest {
                    name: format!("{kernels} kernels, split per {mode}"),
                    ours: ours(&module, folder, mode),
                    peers,
                    // Once per kernel takes minutes.
                    rounds: if largest && mode == "kernel" { 1 } else { 3 },
                });
            }
        }
    }
    Ok(contests)
}

fn contender(name: &str, jobs: Vec<Job>) -> Contender {
    Contender {
        name: name.to_owned(),
        jobs,
    }
}

fn ours(module: &Path, folder: &Path, mode: &str) -> Contender {
    let job = Job::new(places::staging().join("bin/sycl-post-link"))
        .arg(format!("-split={mode}"))
        .args(["-symbols", "-properties", "-o"])
        .arg(folder.join("split.table"))
        .arg(module);
    contender("sycl-post-link", vec![job])
}

fn extractions(extract: &Path, module: &Path, folder: &Path, kernels: usize) -> Contender {
    let one = |kernel| {
        Job::new(extract)
            .arg("--recursive")
            .arg(format!("--func=kernel_{kernel}"))
            .arg(module)
            .arg("-o")
            .arg(folder.join("extracted.bc"))
    };
    contender(
        "llvm-extract once per kernel",
        (0..kernels).map(one).collect(),
    )
}

/// A module of kernels that each reach a chain of functions of their own and two shared ones.
fn module_text(kernels: usize) -> String {
    let mut text = String::from("target triple = \"spir64-unknown-unknown\"\n");
    let shared = kernels * SHARED;
    // A sequence that looks random and is the same each time.
    let mut state = 1u64;
    let mut pick = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    for i in 0..shared {
        let callees = match i % 3 {
            1 => vec![format!("shared_{}", pick(i))],
            _ => Vec::new(),
        };
        function(&mut text, &format!("shared_{i}"), &callees, i);
    }
    for kernel in 0..kernels {
        for i in 0..OWN {
            let callees = match i + 1 == OWN {
                true => (0..2).map(|_| format!("shared_{}", pick(shared))).collect(),
                false => vec![format!("own_{kernel}_{}", i + 1)],
            };
            function(&mut text, &format!("own_{kernel}_{i}"), &callees, i);
        }
        let _ = writeln!(
            text,
            "define spir_kernel void @kernel_{kernel}(ptr addrspace(1) %out, i32 %a) #{} {{\n  \
             %r = call spir_func i32 @own_{kernel}_0(i32 %a)\n  \
             store i32 %r, ptr addrspace(1) %out\n  ret void\n}}",
            kernel % UNITS
        );
    }
    for unit in 0..UNITS {
        let _ = writeln!(
            text,
            "attributes #{unit} = {{ \"sycl-module-id\"=\"{unit}.cpp\" }}"
        );
    }
    text
}

/// A function of some arithmetic and calls.
fn function(text: &mut String, name: &str, callees: &[String], seed: usize) {
    let _ = writeln!(text, "define spir_func i32 @{name}(i32 %a) {{");
    let mut value = "%a".to_owned();
    for i in 0..12 {
        let _ = writeln!(
            text,
            "  %s{i} = add i32 {value}, {}\n  %x{i} = xor i32 %s{i}, %a",
            seed + i
        );
        value = format!("%x{i}");
    }
    for (i, callee) in callees.iter().enumerate() {
        let _ = writeln!(text, "  %c{i} = call spir_func i32 @{callee}(i32 {value})");
        value = format!("%c{i}");
    }
    let _ = writeln!(text, "  ret i32 {value}\n}}");
}
