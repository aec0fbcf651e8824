//! Device code that cannot be the target's: of other pointers, as all targets have 64-bit ones, or of
//! another kind of device. Linked all the same, it would be taken for what it is not.

use inkwell::module::Module;
use offload_formats::device_input::DeviceInput;
use offload_formats::spirv::linkage;
use offload_formats::targets::Kind;

use crate::link::{DeviceTarget, LinkError};
use crate::llvm::read;

/// What pointers of all targets have.
const TARGET_BITS: u32 = 64;

/// Refuses a module that came from `input` and is for GPUs of another kind than the target, or whose
/// pointers are not the target's; an input of `others` that fits is named beside it.
///
/// # Errors
/// When it is such a module.
pub(in crate::link) fn check<'a>(
    module: &Module<'_>,
    input: &DeviceInput,
    target: &DeviceTarget,
    others: impl IntoIterator<Item = &'a DeviceInput>,
) -> Result<(), LinkError> {
    let triple = module.get_triple();
    let triple = triple.as_str().to_string_lossy();
    let maker = of_one_maker(&triple);
    if maker.is_some_and(|maker| target.kind() != Some(maker)) {
        return Err(LinkError::Option(format!(
            "{}: device code for '{triple}' cannot be linked for {target}",
            input.origin
        )));
    }
    let layout = module.get_data_layout();
    let bits = of_layout(&layout.as_str().to_string_lossy()).or_else(|| of_triple(&triple));
    let Some(bits) = bits.filter(|bits| *bits != TARGET_BITS) else {
        return Ok(());
    };
    let fits = |other: &&DeviceInput| {
        let triple = read::triple(&other.bytes);
        triple.and_then(|triple| of_triple(&triple)) == Some(TARGET_BITS)
    };
    Err(error(
        input,
        bits,
        &triple,
        target,
        others.into_iter().find(fits),
    ))
}

/// Refuses a SPIR-V module whose pointers are not the target's.
///
/// # Errors
/// When it is such a module, or none.
pub(in crate::link) fn check_spirv(
    input: &DeviceInput,
    target: &DeviceTarget,
) -> Result<(), LinkError> {
    let bits = linkage::pointer_bits(&input.bytes)
        .map_err(|error| LinkError::Option(format!("{}: {error}", input.origin)))?;
    match bits.filter(|bits| *bits != TARGET_BITS) {
        Some(bits) => Err(error(input, bits, "", target, None)),
        None => Ok(()),
    }
}

fn error(
    input: &DeviceInput,
    bits: u32,
    triple: &str,
    target: &DeviceTarget,
    other: Option<&DeviceInput>,
) -> LinkError {
    let of_triple = match triple {
        "" => String::new(),
        triple => format!(" (of triple '{triple}')"),
    };
    let other = other.map_or_else(String::new, |other| format!(", as in {}", other.origin));
    LinkError::Option(format!(
        "{}: device code with {bits}-bit pointers{of_triple} cannot be linked for {target}, whose \
         pointers have {TARGET_BITS} bits{other}",
        input.origin
    ))
}

/// Whose GPUs device code of a triple is for. All other device code comes under SPIR-V's triples.
fn of_one_maker(triple: &str) -> Option<Kind> {
    match triple.split('-').next()? {
        "nvptx" | "nvptx64" => Some(Kind::Nvidia),
        "amdgcn" => Some(Kind::Amd),
        _ => None,
    }
}

/// What a data layout says of ordinary pointers, if anything.
fn of_layout(layout: &str) -> Option<u32> {
    let mut parts = layout.split('-');
    parts.find_map(|part| {
        let sizes = part
            .strip_prefix("p:")
            .or_else(|| part.strip_prefix("p0:"))?;
        sizes.split(':').next()?.parse().ok()
    })
}

/// What a triple says of them; nothing where it is none, or one that no device compiler has.
fn of_triple(triple: &str) -> Option<u32> {
    match triple.split('-').next()? {
        "spir" | "spirv32" | "nvptx" => Some(32),
        first => ["spir64", "spirv64", "nvptx64", "amdgcn"]
            .iter()
            .any(|known| first.starts_with(known))
            .then_some(64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_and_triples_say_how_wide_pointers_are() {
        assert_eq!(of_layout("e-p:32:32-i64:64"), Some(32));
        assert_eq!(of_layout("e-p1:32:32-p:64:64:64"), Some(64));
        assert_eq!(of_layout("e-i64:64-v16:16"), None);
        assert_eq!(of_triple("spir-unknown-unknown"), Some(32));
        assert_eq!(of_triple("spirv64v1.2-unknown-unknown"), Some(64));
        assert_eq!(of_triple("spir64_gen"), Some(64));
        assert_eq!(of_triple(""), None);
        assert_eq!(of_one_maker("nvptx64-nvidia-cuda"), Some(Kind::Nvidia));
        assert_eq!(of_one_maker("spir64-unknown-unknown"), None);
    }
}
