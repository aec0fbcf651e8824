//! `build`: the toolchain in its installed layout (ARCHITECTURE.md), staged in `target/plumbline`.
//! What has not changed is not made again.

mod devicelib;
mod packages;
mod plugin;
mod symbols;
pub(crate) mod tree;

use std::path::Path;

use components::home::Home;

use crate::failure::{Failure, Outcome};
use crate::{cargo, places, setup};

/// Builds everything and stages it.
pub fn run() -> Outcome {
    setup::ensure()?;
    cargo::build(&[])?;
    lay_out(&places::staging())
}

/// Builds what the suites judge other toolchains with: the inspector, its reader of bitcode, what looks for
/// devices, and what runs cases and makes tools faulty.
pub fn judges() -> Outcome {
    setup::ensure()?;
    cargo::build(&[
        "--lib",
        "--bin=offload-inspect",
        "--bin=probe-devices",
        "--bin=suites",
        "--bin=supervise",
        "--bin=faulty",
    ])
}

/// A tool's name in the installed layout: cargo takes no `+` in the name of a program.
fn installed_name(tool: &str) -> String {
    tool.replace("clangxx", "clang++")
}

/// Puts what was built into `prefix`.
pub fn lay_out(prefix: &Path) -> Outcome {
    let release = places::release();
    let reference = places::root().join("reference");
    for tool in cargo::tools()? {
        tree::copy(
            &release.join(&tool),
            &prefix.join("bin").join(installed_name(&tool)),
        )?;
    }
    for part in symbols::part(&release.join("libplumbline_sycl.so"))? {
        let name = part.file_name().unwrap_or_default();
        tree::copy(&part, &prefix.join("lib").join(name))?;
    }
    // The name by which what upstream's clang links asks for its runtime.
    tree::link("libplumbline_sycl.so", &prefix.join("lib/libLLVMSYCL.so"))?;
    // That by which others' CMake modules look for DPC++'s.
    tree::link("libplumbline_sycl.so", &prefix.join("lib/libsycl.so"))?;
    let reader = release.join("libplumbline_bitcode.so");
    tree::copy(&reader, &prefix.join("lib/plumbline/bitcode.so"))?;
    let plugin = plugin::build(&reference.join("clang-plugin"))?;
    tree::copy(&plugin, &prefix.join("lib/plumbline/clang-plugin.so"))?;
    let libraries = devicelib::build(&reference.join("devicelib"))?;
    tree::mirror(&libraries, &prefix.join("lib/plumbline/devicelib"))?;
    tree::mirror(&reference.join("include"), &prefix.join("include"))?;
    let headers = "device-include";
    tree::mirror(
        &reference.join(headers),
        &prefix.join("lib/plumbline").join(headers),
    )?;
    packages::lay_out(&reference.join("packages"), prefix)?;
    let share = prefix.join("share/plumbline");
    let config = "device-config.yaml";
    tree::copy(&reference.join("formats").join(config), &share.join(config))?;
    let home = places::components();
    let home = Home::read(&home).map_err(|e| Failure::at(&home, e))?;
    let home = home.absolute(&share);
    home.write().map_err(|e| Failure::at(&share, e))
}
