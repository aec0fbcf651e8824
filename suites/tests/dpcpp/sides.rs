//! The two sides: each compiles the kernels, submits them, and is asked what its images require.

use std::collections::BTreeMap;
use std::path::PathBuf;

use components::Components;
use components::process::Job;
use serde_json::Value;
use suites::layout::Layout;
use suites::toolchain::{Described, Toolchain as _};
use suites::tools::{Tools, pinned};

use super::{Facts, Shown, syclbin};

/// What the toolchain under test makes of the kernels.
pub fn toolchain(layout: &Layout, tools: &Tools) -> Result<BTreeMap<String, Shown>, String> {
    let name = std::env::var("PLUMBLINE_TOOLCHAIN").unwrap_or_else(|_| "reference".to_owned());
    let toolchain = Described::load(&name, layout)?;
    let work = folder(layout, "toolchain")?;
    let program = work.join("program");
    let words = toolchain.command("sycl-clang++").unwrap_or_default();
    let [compiler, rest @ ..] = words else {
        return Err(format!("toolchain '{name}' has no compiler"));
    };
    let environment = |job: Job| {
        let own = toolchain.env().iter();
        let device = toolchain.setting("opencl-cpu").into_iter().flatten();
        own.chain(device).fold(job, |job, (k, v)| job.env(k, v))
    };
    let compile = Job::new(compiler)
        .args(rest)
        .args(["-fsycl", "-O2", "-fsycl-device-code-split=per_kernel"])
        .arg(layout.fixtures.join("dpcpp/program.cpp"))
        .arg("-o")
        .arg(&program);
    said(environment(pinned(compile, &work)))?;
    let launches = said(environment(pinned(Job::new(&program), &work)))?;
    let inspect = Job::new(tool(tools, "inspect")?)
        .arg("--json")
        .arg(&program);
    let report = said(pinned(inspect, &work))?;
    let report = serde_json::from_str(&report).map_err(|e| e.to_string())?;
    shown(&launches, &requirements(&report))
}

/// What DPC++'s run-time compiler makes of them.
pub fn dpcpp(layout: &Layout, tools: &Tools) -> Result<BTreeMap<String, Shown>, String> {
    let components = Components::here().map_err(|e| e.to_string())?;
    let runtime = components.dpcpp_runtime().map_err(|e| e.to_string())?;
    let opencl = components.opencl_cpu().map_err(|e| e.to_string())?;
    let work = folder(layout, "dpcpp")?;
    let (program, output) = (work.join("judge"), work.join("kernels.syclbin"));
    let compile = Job::new(tool(tools, "host-clang++")?)
        .args(["-std=c++17", "-Wno-unknown-attributes", "-isystem"])
        .arg(&runtime.include)
        .arg(layout.fixtures.join("dpcpp/judge.cpp"))
        .arg("-L")
        .arg(&runtime.lib)
        .args(["-l:libsycl.so.9", "-o"])
        .arg(&program);
    said(pinned(compile, &work))?;
    let run = Job::new(&program)
        .arg(layout.fixtures.join("dpcpp/kernels.inc"))
        .arg(&output);
    let run = runtime
        .env(&opencl)
        .into_iter()
        .fold(pinned(run, &work), |job, (k, v)| job.env(k, v));
    let launches = said(run.env("ONEAPI_DEVICE_SELECTOR", "opencl:cpu"))?;
    let file = std::fs::read(&output).map_err(|e| format!("{}: {e}", output.display()))?;
    shown(&launches, &syclbin::facts(&file)?)
}

/// The lines `NAME launched` and `NAME refused: why`, with what the images say.
fn shown(
    launches: &str,
    facts: &BTreeMap<String, Facts>,
) -> Result<BTreeMap<String, Shown>, String> {
    let one = |line: &str| {
        let (kernel, outcome) = line.split_once(' ')?;
        let launched = match outcome.split(':').next()? {
            "launched" => true,
            "refused" => false,
            _ => return None,
        };
        let facts = facts.get(kernel).cloned();
        Some((kernel.to_owned(), Shown { launched, facts }))
    };
    let lines = launches.lines();
    lines
        .map(|line| one(line).ok_or_else(|| format!("not understood: {line}")))
        .collect()
}

/// The requirements of each kernel in a report of `offload-inspect --json` over one program.
fn requirements(report: &Value) -> BTreeMap<String, Facts> {
    let images = report.pointer("/0/images").and_then(Value::as_array);
    let mut all = BTreeMap::new();
    for image in images.into_iter().flatten() {
        let set = image.pointer("/registered/properties/SYCL~1device requirements");
        let list = |name: &str| {
            let values = set.and_then(|set| set.get(name)).and_then(Value::as_array);
            values.cloned().unwrap_or_default()
        };
        let numbers = |name: &str| list(name).iter().filter_map(Value::as_u64).collect();
        let names = list("aspect");
        let work_group: Vec<u64> = numbers("reqd_work_group_size");
        let facts = Facts {
            aspects: names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            // The number of dimensions comes first.
            work_group_size: work_group.into_iter().skip(1).collect(),
            sub_group_size: numbers("reqd_sub_group_size"),
        };
        let kernels = image.get("kernels").and_then(Value::as_array);
        for kernel in kernels.into_iter().flatten() {
            if let Some(name) = kernel.get("demangled").and_then(Value::as_str) {
                all.insert(name.to_owned(), facts.clone());
            }
        }
    }
    all
}

fn tool(tools: &Tools, name: &str) -> Result<PathBuf, String> {
    tools
        .program(name)
        .ok_or_else(|| format!("suites/tools.yaml names no {name}"))?
        .clone()
}

/// A new folder for one side's files.
fn folder(layout: &Layout, side: &str) -> Result<PathBuf, String> {
    let folder = layout.work.join("dpcpp").join(side);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    Ok(folder)
}

/// What a job writes on standard output, when it succeeds.
fn said(job: Job) -> Result<String, String> {
    let output = job.output(b"").map_err(|e| e.to_string())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match output.status.success() {
        true => Ok(text(&output.stdout)),
        false => Err(format!(
            "{}{}\nto repeat: {job}",
            text(&output.stdout),
            text(&output.stderr)
        )),
    }
}
