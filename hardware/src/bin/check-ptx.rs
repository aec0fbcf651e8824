//! `check-ptx FILE.ptx [KERNEL=BITS]…` runs the kernels of `fixtures/programs/vector-add.cpp` and
//! `roots.cpp`, as far as FILE holds them, on the first NVIDIA GPU and checks what they compute. It needs
//! nothing but FILE and the CUDA driver. BITS are what the image's property `SYCL/kernel param opt` says of a
//! kernel: a digit for each parameter that its functor comes to, 1 where the kernel lacks it. Exit status: 0
//! every value is right, 1 one is not or something failed, 77 there is no GPU.

use std::process::ExitCode;

use hardware::cuda::Gpu;

const SKIPPED: u8 = 77;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let Some(file) = words.next() else {
        eprintln!("usage: check-ptx FILE.ptx [KERNEL=BITS]...");
        return ExitCode::from(2);
    };
    let omitted: Vec<String> = words
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let ptx = match std::fs::read(&file) {
        Ok(ptx) => ptx,
        Err(error) => {
            eprintln!("error: cannot read '{}': {error}", file.to_string_lossy());
            return ExitCode::FAILURE;
        }
    };
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(reason) => {
            println!("SKIPPED: {reason}");
            return ExitCode::from(SKIPPED);
        }
    };
    println!("device: {}", gpu.name);
    match check(&gpu, &ptx, &omitted) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            println!("WRONG: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn check(gpu: &Gpu, ptx: &[u8], omitted: &[String]) -> Result<(), String> {
    let text = String::from_utf8_lossy(ptx);
    let entries = text.lines().filter_map(|line| {
        let (_, name) = line.split_once(".entry ")?;
        Some(name.trim_end_matches(['(', ' ']).to_owned())
    });
    let mut checked = 0;
    for name in entries {
        let bits = omitted
            .iter()
            .find_map(|word| word.strip_prefix(&name)?.strip_prefix('='));
        let bits = bits.unwrap_or_default();
        let values = if name.contains("vector_add") {
            vector_add(gpu, ptx, &name, bits)?
        } else if name.contains("roots") {
            roots(gpu, ptx, &name, bits)?
        } else {
            return Err(format!("kernel '{name}' is none of the fixtures'"));
        };
        println!("PASSED: {name}: {values} values are right");
        checked += 1;
    }
    match checked {
        0 => Err("the file holds no kernel".to_owned()),
        _ => Ok(()),
    }
}

/// `sum[i] = a[i] + b[i]` through accessors, each a pointer and three ranges.
fn vector_add(gpu: &Gpu, ptx: &[u8], name: &str, omitted: &str) -> Result<usize, String> {
    const COUNT: usize = 1 << 16;
    let kernel = gpu.kernel(ptx, name)?;
    let a: Vec<f32> = (0..COUNT).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..COUNT).map(|i| (2 * i + 1) as f32).collect();
    let sum = gpu.upload(&vec![-1.0; COUNT])?;
    let mut parameters = Vec::new();
    for memory in [sum, gpu.upload(&a)?, gpu.upload(&b)?] {
        parameters.push(memory.to_le_bytes().to_vec());
        for first in [COUNT, COUNT, 0] {
            let range = [first as u64, 0, 0];
            parameters.push(range.iter().flat_map(|size| size.to_le_bytes()).collect());
        }
    }
    let mut parameters = with_space(parameters, omitted, COUNT, COUNT / 256);
    gpu.run(kernel, (COUNT / 256) as u32, 256, &mut parameters)?;
    compare(&gpu.download(sum, COUNT)?, |i| (3 * i + 1) as f32)
}

/// `data[i] = sqrt(data[i])`, and what tells work-item and work-group.
fn roots(gpu: &Gpu, ptx: &[u8], name: &str, omitted: &str) -> Result<usize, String> {
    const COUNT: usize = 4096;
    const GROUP: usize = 64;
    let kernel = gpu.kernel(ptx, name)?;
    let squares: Vec<f32> = (0..COUNT).map(|i| (i * i) as f32).collect();
    let data = gpu.upload(&squares)?;
    let parameters = vec![data.to_le_bytes().to_vec()];
    let mut parameters = with_space(parameters, omitted, COUNT, COUNT / GROUP);
    gpu.run(
        kernel,
        (COUNT / GROUP) as u32,
        GROUP as u32,
        &mut parameters,
    )?;
    compare(&gpu.download(data, COUNT)?, |i| {
        (i + i % GROUP + 100 * (i / GROUP)) as f32
    })
}

/// The parameters that the kernel has, and what a launch tells it of so many work-items in so many work-groups:
/// range, offset, number of groups, first group and first item, in three dimensions each.
fn with_space(all: Vec<Vec<u8>>, omitted: &str, items: usize, groups: usize) -> Vec<Vec<u8>> {
    let bits = omitted.bytes().chain(std::iter::repeat(b'0'));
    let kept = all.into_iter().zip(bits).filter(|(_, bit)| *bit != b'1');
    let words = [items, 1, 1, 0, 0, 0, groups, 1, 1, 0, 0, 0, 0, 0, 0];
    let space = words
        .into_iter()
        .flat_map(|word| (word as u64).to_le_bytes());
    kept.map(|(parameter, _)| parameter)
        .chain([space.collect()])
        .collect()
}

fn compare(values: &[f32], expected: impl Fn(usize) -> f32) -> Result<usize, String> {
    for (i, value) in values.iter().enumerate() {
        if *value != expected(i) {
            return Err(format!("element {i} is {value}, not {}", expected(i)));
        }
    }
    Ok(values.len())
}
