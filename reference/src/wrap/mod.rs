//! Device images wrapped into a host object that registers them with the runtime when the program
//! or shared library that holds it is loaded, and takes them back when it is unloaded.
//!
//! The object comes out of LLVM's own code generation for the host: no compiler is started.

mod ahead;
mod host;
mod image;
mod module;

pub use ahead::WrapAhead;
pub use host::{HostTarget, WrapError};
pub use image::DeviceImage;

use inkwell::context::Context;
use inkwell::targets::TargetMachine;

/// The wrapped images: the module's text is for readers, the object for the host linker.
#[derive(Debug, Clone)]
pub struct Wrapped {
    /// The wrapping module as textual IR, when asked for.
    pub text: Option<String>,
    /// The relocatable host object.
    pub object: Vec<u8>,
}

/// Wraps `images`, in that order, for `host`.
///
/// # Errors
/// When LLVM has no code generation for the host, or a string of an image holds a NUL.
pub fn wrap(images: &[DeviceImage], host: &HostTarget, text: bool) -> Result<Wrapped, WrapError> {
    wrap_on(&host.machine()?, images, host, text)
}

fn wrap_on(
    machine: &TargetMachine,
    images: &[DeviceImage],
    host: &HostTarget,
    text: bool,
) -> Result<Wrapped, WrapError> {
    let context = Context::create();
    let module = module::build(&context, images, host, machine)?;
    let text = text.then(|| module.print_to_string().to_string());
    let object = host::emit(&module, machine)?;
    Ok(Wrapped { text, object })
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
