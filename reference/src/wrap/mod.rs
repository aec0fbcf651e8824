//! Device images wrapped into a host object that registers them with the runtime when the program
//! or shared library that holds it is loaded, and takes them back when it is unloaded.
//!
//! The object comes out of LLVM's own code generation for the host: no compiler is started.

mod ahead;
mod fill;
mod host;
mod image;
mod module;

pub use ahead::WrapAhead;
pub use host::{HostTarget, WrapError};
pub use image::DeviceImage;

use std::path::Path;

use inkwell::context::Context;
use inkwell::targets::TargetMachine;

use module::Contents;

/// Wraps `images`, in that order, into an object for `host` at `to`. The module's text, which is for
/// readers, comes back when it is asked for.
///
/// # Errors
/// When LLVM has no code generation for the host, a string of an image holds a NUL, or the object cannot
/// be written.
pub fn wrap(
    images: Vec<DeviceImage>,
    host: &HostTarget,
    text: bool,
    to: &Path,
) -> Result<Option<String>, WrapError> {
    wrap_on(&host.machine()?, images, host, text, to)
}

fn wrap_on(
    machine: &TargetMachine,
    images: Vec<DeviceImage>,
    host: &HostTarget,
    text: bool,
    to: &Path,
) -> Result<Option<String>, WrapError> {
    let context = Context::create();
    // COFF has sums of what stands in sections.
    if text || !host.is_elf() {
        let (module, _) = module::build(&context, &images, (host, machine), Contents::There)?;
        host::emit_to(&module, machine, to)?;
        return Ok(text.then(|| module.print_to_string().to_string()));
    }
    // LLVM would hold all bytes several times over: they are put into the finished object.
    let (module, symbols) = module::build(&context, &images, (host, machine), Contents::Zeros)?;
    host::emit_to(&module, machine, to)?;
    fill::fill(to, &symbols, images)?;
    Ok(None)
}

/// Has LLVM do what it does when it is first used.
fn set_up(machine: &TargetMachine, host: &HostTarget) {
    let context = Context::create();
    if let Ok((module, _)) = module::build(&context, &[], (host, machine), Contents::Zeros) {
        // What goes wrong now goes wrong again where it counts.
        let _ = host::emit(&module, machine);
    }
}

/// A relocatable host object with nothing in it.
///
/// # Errors
/// When LLVM has no code generation for the host.
pub fn empty_object(host: &HostTarget) -> Result<Vec<u8>, WrapError> {
    let context = Context::create();
    let machine = host.machine()?;
    let module = context.create_module("empty");
    module.set_triple(&inkwell::targets::TargetTriple::create(&host.triple));
    host::emit(&module, &machine)
}
