//! DPC++ as a peer: the same sources through its run-time compiler and with its headers, on its runtime
//! (`suites/src/bin/dpcpp`).

use std::path::{Path, PathBuf};

use components::process::Job;
use components::{Components, DpcppRuntime, OpenClRuntime};

use super::own_measure;
use crate::cargo;
use crate::failure::Failure;
use crate::places;

/// DPC++'s packages with the OpenCL that both sides run over.
pub struct DpcPp {
    runtime: DpcppRuntime,
    opencl: OpenClRuntime,
}

impl DpcPp {
    /// What set-up has brought; else why there is no such peer.
    pub fn here() -> Result<DpcPp, Failure> {
        let components = Components::here().map_err(Failure::new)?;
        Ok(DpcPp {
            runtime: components.dpcpp_runtime().map_err(Failure::new)?,
            opencl: components.opencl_cpu().map_err(Failure::new)?,
        })
    }

    /// Its release.
    pub fn version(&self) -> &str {
        &self.runtime.version
    }

    /// Compiles a program of the fixtures, both halves optimized as ours are.
    pub fn compile(&self, folder: &Path, name: &str) -> Result<PathBuf, Failure> {
        std::fs::create_dir_all(folder).map_err(|e| Failure::at(folder, e))?;
        cargo::build(&["--bin=dpcpp"])?;
        let program = folder.join(name);
        let compile = Job::new(places::release().join("dpcpp"))
            .args(["sycl-clang++", "-fsycl", "-std=c++20", "-O2", "-w"])
            .arg(own_measure::source(name))
            .arg("-o")
            .arg(&program)
            .env(components::home::VARIABLE, places::components());
        compile.run().map_err(Failure::new)?;
        Ok(program)
    }

    /// A start of such a program on the CPU.
    pub fn start(&self, program: &Path) -> Job {
        let job = Job::new(program).env("ONEAPI_DEVICE_SELECTOR", "opencl:cpu");
        let variables = self.runtime.env(&self.opencl);
        variables
            .into_iter()
            .fold(job, |job, (name, value)| job.env(name, value))
    }

    /// A start of a program that calls the same OpenCL itself.
    pub fn start_plain(&self, program: &Path) -> Job {
        let job = Job::new(program);
        let variables = self.runtime.env(&self.opencl);
        variables
            .into_iter()
            .fold(job, |job, (name, value)| job.env(name, value))
    }
}
