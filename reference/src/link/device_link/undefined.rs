//! Symbols that a device link leaves undefined: which are the device compiler's own, and, for the
//! others, who needs them.

use inkwell::module::Module;
use inkwell::values::GlobalValue;
use offload_formats::device_input::DeviceInput;
use offload_formats::spirv::linkage::{self, Linkage};
use offload_formats::targets::Kind;

use crate::link::LinkError;
use crate::link::device_link::libdevice;
use crate::link::device_link::whole::DeviceLink;
use crate::link::error::UndefinedSymbol;
use crate::link::fpga::Libraries;
use crate::link::inputs::shared_libraries::Undefined;
use crate::link::tools::ASSERT_FAIL;
use crate::llvm::graph::Graph;
use crate::llvm::{self, demangle, read, values, weak};
use crate::translate::builtins;

/// What a module refers to and neither defines nor gets from the device compiler, but for what it may
/// lack.
fn lacking<'ctx>(
    link: &DeviceLink<'_>,
    linked: &Module<'ctx>,
) -> impl Iterator<Item = (GlobalValue<'ctx>, String)> {
    let nvidia = link.target.kind() == Some(Kind::Nvidia);
    let named = values::globals(linked)
        .into_iter()
        .map(|global| (global, values::name(global)));
    named.filter(move |(global, symbol)| {
        let is_known = symbol.starts_with("llvm.")
            || builtins::is_builtin(symbol, nvidia)
            || link.brings_assert && symbol == ASSERT_FAIL;
        let is_weak = global.get_linkage() == inkwell::module::Linkage::ExternalWeak;
        values::is_declaration(*global) && !is_known && !is_weak
    })
}

/// Whether a module that [`refuse`] takes leaves something to other binaries' images.
pub(in crate::link) fn is_open(link: &DeviceLink<'_>, linked: &Module<'_>) -> bool {
    lacking(link, linked).next().is_some()
}

/// Fails when `linked` refers to symbols that neither an input nor the device compiler defines, and no
/// image of a shared library will.
pub(in crate::link) fn refuse(link: &DeviceLink<'_>, linked: &Module<'_>) -> Result<(), LinkError> {
    let nvidia = link.target.kind() == Some(Kind::Nvidia);
    let mut undefined: Vec<(String, Option<String>)> = Vec::new();
    for (global, symbol) in lacking(link, linked) {
        let found = match values::as_function(global) {
            Some(_)
                if link.aoco == Libraries::Linked && builtins::may_be_imported(&symbol, nvidia) =>
            {
                continue;
            }
            Some(_) => link.shared.undefined(&symbol, link.target),
            None => Undefined::Missing(None),
        };
        if let Undefined::Missing(of_libraries) = found {
            undefined.push((symbol, of_libraries));
        }
    }
    if undefined.is_empty() {
        return Ok(());
    }
    let mut graph = Graph::new(linked);
    let mut symbols = Vec::with_capacity(undefined.len());
    for (symbol, of_libraries) in &undefined {
        let kernel = kernel_of(&mut graph, symbol)?;
        let has_kernel = kernel.is_some();
        let kernel = match kernel {
            Some(kernel) => format!("needed by kernel '{}'", demangle::demangled(&kernel)),
            None => "needed by no kernel".to_owned(),
        };
        let place = match referrer(link, symbol) {
            Some((input, unit)) => format!(", referred to in {}{unit}", input.origin),
            None => String::new(),
        };
        let why = in_spirv(link, symbol).or_else(|| of_libraries.clone());
        let why = why.unwrap_or_default();
        symbols.push(UndefinedSymbol {
            symbol: demangle::named(symbol),
            said: format!(", {kernel}{place}{why}"),
            has_kernel,
        });
    }
    let mut hints = Vec::new();
    if nvidia
        && undefined
            .iter()
            .any(|(s, _)| s.starts_with(libdevice::PREFIX))
    {
        hints.extend(link.libdevice.map(|missing| {
            format!("  ({missing}; --cuda-path= names a CUDA installation that has it)")
        }));
    }
    if link.aoco == Libraries::Unused {
        let hint = "  (the AOCO libraries of the link are for aoc alone, which -hardware or -simulation \
                    asks for; for the emulator, a library needs device code for spir64_fpga)";
        hints.push(hint.to_owned());
    }
    hints.extend(link.shared.hint(link.target));
    Err(LinkError::Undefined {
        target: link.target.to_string(),
        symbols,
        hints,
    })
}

/// What is told of several failures of one target's links: all that is undefined, each symbol once and with a
/// kernel if any of them knows one, if the first of them is that, else the first.
pub(in crate::link) fn united(failures: Vec<LinkError>) -> Option<LinkError> {
    let mut failures = failures.into_iter();
    let mut first = failures.next()?;
    if let LinkError::Undefined { symbols, .. } = &mut first {
        for failure in failures {
            let LinkError::Undefined { symbols: more, .. } = failure else {
                continue;
            };
            for one in more {
                match symbols.iter_mut().find(|known| known.symbol == one.symbol) {
                    Some(known) if one.has_kernel && !known.has_kernel => *known = one,
                    Some(_) => {}
                    None => symbols.push(one),
                }
            }
        }
    }
    Some(first)
}

/// Settles references that need no definition: a function that a shared library exports is left to its
/// image, and all else is null. `names` are those that the inputs had.
pub(in crate::link) fn resolve_weak(link: &DeviceLink<'_>, linked: &Module<'_>, names: &[String]) {
    let found = names.iter().filter_map(|name| linked.get_function(name));
    found
        .filter(|function| !values::is_declaration(function.as_global_value()))
        .for_each(weak::set_present);
    for global in weak::undefined(linked) {
        let is_function = values::as_function(global).is_some();
        match is_function && link.shared.exports(&values::name(global), link.target) {
            true => global.set_linkage(inkwell::module::Linkage::External),
            false => weak::set_null(global),
        }
    }
}

/// Which SPIR-V module defines `symbol`, where one does.
fn in_spirv(link: &DeviceLink<'_>, symbol: &str) -> Option<String> {
    let definer = link.spirv.iter().find(|input| {
        let symbols = linkage::symbols(&input.bytes).unwrap_or_default();
        let mut symbols = symbols.iter();
        symbols.any(|known| known.name == symbol && known.linkage != Linkage::Import)
    })?;
    let origin = &definer.origin;
    Some(format!(
        "; {origin} defines it in SPIR-V, with which bitcode is not linked"
    ))
}

/// The first kernel that reaches `symbol`.
fn kernel_of(graph: &mut Graph<'_, '_>, symbol: &str) -> Result<Option<String>, LinkError> {
    let globals: Vec<_> = graph.globals().collect();
    let wanted = globals
        .iter()
        .find(|(_, global)| values::name(*global) == symbol);
    let Some((wanted, _)) = wanted else {
        return Ok(None);
    };
    for (id, global) in &globals {
        let kernel = values::as_function(*global).is_some_and(|function| {
            let convention = function.get_call_conventions();
            [values::SPIR_KERNEL, values::PTX_KERNEL].contains(&convention)
        });
        if kernel && graph.reach([*id])?.contains(wanted) {
            return Ok(Some(values::name(*global)));
        }
    }
    Ok(None)
}

/// The first input that refers to `symbol`, and what is said of the unit that it was made of.
fn referrer<'a>(link: &DeviceLink<'a>, symbol: &str) -> Option<(&'a DeviceInput, String)> {
    let context = llvm::context();
    let inputs = link.whole.iter().chain(link.imported).chain(&link.lazy);
    inputs.copied().find_map(|input| {
        let module = read::module(&context, &input.bytes, "").ok()?;
        let mut globals = values::globals(&module).into_iter();
        let refers = |global| values::is_declaration(global) && values::name(global) == symbol;
        globals.any(refers).then(|| {
            let unit = values::source_file(&module);
            let unit = unit.map_or_else(String::new, |unit| format!(" (of '{unit}')"));
            (input, unit)
        })
    })
}
