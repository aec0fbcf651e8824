//! The link of SPIR-V modules that refer to one another (`MODEL`, "Device Linking"): such modules of
//! one target become one, in which nothing stays open that the device compiler does not bring. A
//! module that refers to no other stays by itself.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;

use components::process::{Job, JobError};
use offload_formats::device_input::DeviceInput;
use offload_formats::spirv::linkage::{self, Linkage};
use offload_formats::spirv::reach;
use offload_formats::{Bytes, Malformed, spirv};

use crate::link::device_link::widths;
use crate::link::error::UndefinedSymbol;
use crate::link::images::maker::ImageMaker;
use crate::link::inputs::group::LinkGroup;
use crate::link::inputs::shared_libraries::{SharedLibraries, Undefined};
use crate::link::tools::{ASSERT_FAIL, Tools};
use crate::link::{DeviceTarget, LinkError};
use crate::llvm::{demangle, read};
use crate::temporary::Temporary;
use crate::translate::builtins;

/// SPIR-V modules that become one.
pub(in crate::link) struct Part<'a> {
    /// The place of the first among the target's modules.
    index: usize,
    modules: Vec<Module<'a>>,
}

/// A SPIR-V module with its symbols.
struct Module<'a> {
    input: &'a DeviceInput,
    /// What others have to define.
    imports: Vec<String>,
    /// What it defines for others.
    definitions: Vec<String>,
    /// What others may define alike.
    alike: Vec<String>,
}

/// The parts that the SPIR-V modules of a target make, in the order of their first modules.
///
/// # Errors
/// When a module is malformed, refers to what no other defines and no shared library exports, or
/// defines what another in the same part does.
pub(in crate::link) fn parts<'a>(
    group: &'a LinkGroup,
    tools: &Tools<'_>,
    shared: &SharedLibraries,
) -> Result<Vec<Part<'a>>, LinkError> {
    let brings_assert = tools.compiler_brings_assert(&group.target);
    let read = |input| {
        widths::check_spirv(input, &group.target)?;
        Module::read(input, brings_assert)
    };
    let mut modules: Vec<Module<'a>> = group.spirv.iter().map(read).collect::<Result<_, _>>()?;
    let whole = modules.len();
    if modules.iter().any(|module| !module.imports.is_empty()) {
        let lazy: Result<Vec<_>, LinkError> = group.lazy_spirv.iter().map(read).collect();
        modules.extend(lazy?);
    }
    let places = places(&modules, whole, |module, symbol| {
        let Undefined::Missing(why) = shared.undefined(symbol, &group.target) else {
            return None;
        };
        let why = why.unwrap_or_default();
        Some(unresolved(module, symbol, group, tools) + &why)
    });
    let places = places.map_err(|symbols| LinkError::Undefined {
        target: group.target.to_string(),
        symbols: symbols
            .into_iter()
            .map(|symbol| UndefinedSymbol {
                symbol,
                said: String::new(),
                has_kernel: false,
            })
            .collect(),
        hints: shared.hint(&group.target).into_iter().collect(),
    })?;
    let mut parts: Vec<Part<'a>> = Vec::new();
    for (index, (module, place)) in modules.into_iter().zip(places).enumerate() {
        let Some(place) = place else { continue };
        match parts.iter_mut().find(|part| part.index == place) {
            Some(part) => part.modules.push(module),
            None => parts.push(Part {
                index,
                modules: vec![module],
            }),
        }
    }
    parts
        .iter()
        .try_for_each(|part| part.refuse_duplicates(&group.target))?;
    Ok(parts)
}

/// To which part each module belongs, by the number of the part's first module; `None` for those
/// behind the first `whole` that none needs. What is not defined comes as an error, each as `say`
/// puts it unless it may stay open.
fn places(
    modules: &[Module<'_>],
    whole: usize,
    say: impl Fn(&Module<'_>, &str) -> Option<String>,
) -> Result<Vec<Option<usize>>, Vec<String>> {
    let definers = definers(modules, whole);
    let mut places: Vec<Option<usize>> = (0..modules.len())
        .map(|index| (index < whole).then_some(index))
        .collect();
    let mut missing = Vec::new();
    let mut waiting: Vec<usize> = (0..whole).rev().collect();
    while let Some(index) = waiting.pop() {
        let module = &modules[index];
        for symbol in &module.imports {
            let Some(definers) = definers.get(symbol.as_str()) else {
                missing.extend(say(module, symbol));
                continue;
            };
            for &definer in definers {
                if places[definer].is_none() {
                    places[definer] = Some(definer);
                    waiting.push(definer);
                }
                let both = [places[index], places[definer]];
                let first = both.into_iter().min().flatten();
                for place in &mut places {
                    if place.is_some() && both.contains(place) {
                        *place = first;
                    }
                }
            }
        }
    }
    match missing.is_empty() {
        true => Ok(places),
        false => Err(missing),
    }
}

/// Which modules define each symbol: all of the first `whole` that do so for good, so that several
/// are found out, or else the first that does in any way.
fn definers<'a>(modules: &'a [Module<'_>], whole: usize) -> HashMap<&'a str, Vec<usize>> {
    let mut definers: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, module) in modules.iter().enumerate().take(whole) {
        for symbol in &module.definitions {
            definers.entry(symbol).or_default().push(index);
        }
    }
    for (index, module) in modules.iter().enumerate() {
        for symbol in module.definitions.iter().chain(&module.alike) {
            definers.entry(symbol).or_insert_with(|| vec![index]);
        }
    }
    definers
}

/// A symbol that no SPIR-V module defines, as a line of the error.
fn unresolved(module: &Module<'_>, symbol: &str, group: &LinkGroup, tools: &Tools<'_>) -> String {
    let (symbol_text, origin) = (demangle::named(symbol), &module.input.origin);
    // What a module without kernels refers to is needed by those of others.
    let kernel = reach::kernel_that_needs(&module.input.bytes, symbol).unwrap_or_default();
    let kernel = kernel.map_or_else(String::new, |kernel| {
        format!(", needed by kernel '{}'", demangle::demangled(&kernel))
    });
    let line = format!("{symbol_text}{kernel}, referred to in {origin}");
    let libraries = tools.device_libraries(&group.target).unwrap_or_default();
    let bitcode = group.bitcode.iter().chain(&group.lazy);
    let mut bitcode = bitcode.chain(&libraries.whole).chain(&libraries.lazy);
    let defines = |input: &&DeviceInput| {
        let symbols = read::definitions(&input.bytes).unwrap_or_default();
        symbols.iter().any(|known| known == symbol)
    };
    match bitcode.find(defines) {
        Some(definer) => format!(
            "{line}; {} defines it in bitcode, with which SPIR-V is not linked",
            definer.origin
        ),
        None => line,
    }
}

impl<'a> Module<'a> {
    fn read(input: &'a DeviceInput, brings_assert: bool) -> Result<Self, LinkError> {
        let mut module = Module {
            input,
            imports: Vec::new(),
            definitions: Vec::new(),
            alike: Vec::new(),
        };
        spirv::check::check(&input.bytes).map_err(|e| malformed(input, &e))?;
        let symbols = linkage::symbols(&input.bytes).map_err(|e| malformed(input, &e))?;
        for symbol in symbols {
            let list = match symbol.linkage {
                Linkage::Export => &mut module.definitions,
                Linkage::LinkOnce => &mut module.alike,
                Linkage::Import if is_left_open(&symbol.name, brings_assert) => continue,
                Linkage::Import => &mut module.imports,
            };
            list.push(symbol.name);
        }
        Ok(module)
    }
}

/// Whether a module may refer to `symbol` in an image: the device compiler defines it.
fn is_left_open(symbol: &str, brings_assert: bool) -> bool {
    builtins::is_builtin(symbol, false) || brings_assert && symbol == ASSERT_FAIL
}

/// The names of a module's kernels.
pub(in crate::link) fn kernels(input: &DeviceInput) -> Result<Vec<String>, LinkError> {
    let kernels = spirv::kernels(&input.bytes).map_err(|e| malformed(input, &e))?;
    Ok(kernels.into_iter().map(|kernel| kernel.name).collect())
}

fn malformed(input: &DeviceInput, error: &Malformed) -> LinkError {
    LinkError::Option(format!("{}: {error}", input.origin))
}

/// A start of the linker over files. What the device compiler brings may stay open, and what may be
/// looked up in an image by its name goes on to be exported.
pub(in crate::link) fn job(
    tools: &Tools<'_>,
    target: &DeviceTarget,
    inputs: impl IntoIterator<Item = impl Into<OsString>>,
    output: &Path,
) -> Result<Job, LinkError> {
    let job = Job::new(tools.spirv_linker(target)?);
    let job = job.args(["--allow-partial-linkage", "--create-library"]);
    Ok(job.args(inputs).arg("-o").arg(output))
}

impl<'a> Part<'a> {
    /// Whether it has more modules than one.
    pub(in crate::link) fn is_joined(&self) -> bool {
        self.modules.len() > 1
    }

    /// What messages and kept files call it, behind the target's name.
    pub(in crate::link) fn name(&self) -> String {
        format!("spirv{}", self.index)
    }

    /// Its modules.
    pub(in crate::link) fn inputs(&self) -> impl Iterator<Item = &'a DeviceInput> + Clone {
        self.modules.iter().map(|module| module.input)
    }

    /// Fails when two modules define one symbol or one kernel.
    fn refuse_duplicates(&self, target: &DeviceTarget) -> Result<(), LinkError> {
        if !self.is_joined() {
            return Ok(());
        }
        let mut definers: HashMap<String, &DeviceInput> = HashMap::new();
        for Module {
            input, definitions, ..
        } in &self.modules
        {
            let mut names = kernels(input)?;
            names.extend_from_slice(definitions);
            for name in names {
                match definers.insert(name.clone(), input) {
                    // Kernels may be exported besides.
                    Some(first) if !std::ptr::eq(first, *input) => {
                        return Err(LinkError::Duplicate {
                            symbol: demangle::named(&name),
                            target: target.to_string(),
                            first: first.origin.to_string(),
                            second: input.origin.to_string(),
                        });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The module that the part becomes; kept as `name` when several are linked.
    ///
    /// # Errors
    /// When the linker is missing or refuses the modules.
    pub(in crate::link) fn link(
        &self,
        maker: &ImageMaker<'_>,
        name: &str,
    ) -> Result<Bytes, LinkError> {
        let (tools, target, trace) = (maker.tools, maker.target, maker.trace);
        if let [module] = self.modules.as_slice() {
            return Ok(module.input.bytes.clone());
        }
        let folder = Temporary::folder("plumbline-spirv-");
        let folder = folder.map_err(|e| self.refused(target, e.to_string(), ""))?;
        let mut names = Vec::new();
        for (number, bytes) in self.prepared()?.into_iter().enumerate() {
            let file = format!("module{number}.spv");
            let written = std::fs::write(folder.path().join(&file), bytes);
            written.map_err(|e| self.refused(target, e.to_string(), ""))?;
            names.push(file);
        }
        let linked = Path::new("linked.spv");
        let job = job(tools, target, names, linked)?;
        trace.job(&job);
        match job.dir(folder.path()).capture(b"") {
            Ok(_) => {}
            Err(JobError::Failed {
                program,
                status,
                output: Some(output),
                ..
            }) => {
                let reason = format!("'{}' failed ({status})", program.display());
                let said = [output.stdout, output.stderr].concat();
                let said = String::from_utf8_lossy(&said);
                return Err(self.refused(target, reason, said.trim_end()));
            }
            Err(error) => return Err(error.into()),
        }
        let linked = std::fs::read(folder.path().join(linked))
            .map_err(|e| self.refused(target, format!("nothing was written ({e})"), ""))?;
        self.check(maker, &linked)?;
        trace.keep(&format!("{name}.spv"), &linked)?;
        Ok(Bytes::from(linked))
    }

    /// The modules as the linker takes them: in the newest version of all, and each symbol that
    /// several define alike is exported by the first of them only.
    fn prepared(&self) -> Result<Vec<Vec<u8>>, LinkError> {
        let mut version = 0;
        for input in self.inputs() {
            let own = linkage::version(&input.bytes).map_err(|e| malformed(input, &e))?;
            version = version.max(own);
        }
        let strong = self.modules.iter().flat_map(|module| &module.definitions);
        let mut exported: std::collections::HashSet<String> = strong.cloned().collect();
        let prepared = self.inputs().map(|input| {
            let first = |symbol: &str| exported.insert(symbol.to_owned());
            linkage::for_link(&input.bytes, version, first).map_err(|e| malformed(input, &e))
        });
        prepared.collect()
    }

    /// Holds the linker to its word.
    fn check(&self, maker: &ImageMaker<'_>, linked: &[u8]) -> Result<(), LinkError> {
        let target = maker.target;
        let brings_assert = maker.tools.compiler_brings_assert(target);
        let symbols = linkage::symbols(linked);
        let symbols = symbols.map_err(|e| self.refused(target, e.to_string(), ""))?;
        let open = symbols.iter().find(|symbol| {
            symbol.linkage == Linkage::Import
                && !is_left_open(&symbol.name, brings_assert)
                && maker.shared.undefined(&symbol.name, target) != Undefined::Import
        });
        match open {
            Some(symbol) => {
                let reason = format!("{} stays undefined", demangle::named(&symbol.name));
                Err(self.refused(target, reason, ""))
            }
            None => Ok(()),
        }
    }

    fn refused(&self, target: &DeviceTarget, reason: String, said: &str) -> LinkError {
        LinkError::SpirvLink {
            target: target.to_string(),
            modules: self
                .inputs()
                .map(|input| input.origin.to_string())
                .collect(),
            reason,
            said: match said {
                "" => String::new(),
                said => format!("\n{said}"),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use offload_formats::device_input::Origin;
    use offload_formats::offload_binary::ImageKind;

    use super::*;

    fn input(name: &str) -> DeviceInput {
        DeviceTarget::new("spir64", "").input(Bytes::new(), ImageKind::SpirV, Origin::file(name))
    }

    fn module<'a>(input: &'a DeviceInput, imports: &[&str], definitions: &[&str]) -> Module<'a> {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Module {
            input,
            imports: owned(imports),
            definitions: owned(definitions),
            alike: Vec::new(),
        }
    }

    #[test]
    fn modules_that_refer_to_one_another_share_a_place() {
        let input = input("x");
        let modules = [
            module(&input, &["c"], &[]),
            module(&input, &[], &["lonely"]),
            module(&input, &["d"], &["b"]),
            module(&input, &["b"], &["c"]),
            module(&input, &[], &["not needed"]),
            module(&input, &["e"], &["d"]),
            module(&input, &[], &["e"]),
        ];
        let name = |_: &Module<'_>, symbol: &str| Some(symbol.to_owned());
        let expected = [Some(0), Some(1), Some(0), Some(0), None, Some(0), Some(0)];
        assert_eq!(places(&modules, 4, name).unwrap(), expected);
        // Of a symbol that is defined twice no definition is overlooked; one in an archive is no
        // second one.
        let twice = [
            module(&input, &["f"], &[]),
            module(&input, &[], &["f"]),
            module(&input, &[], &["f"]),
        ];
        assert_eq!(places(&twice, 3, name).unwrap(), [Some(0); 3]);
        assert_eq!(places(&twice, 2, name).unwrap(), [Some(0), Some(0), None]);
        let open = [
            module(&input, &["x", "b"], &[]),
            module(&input, &["y"], &["b"]),
        ];
        assert_eq!(places(&open, 2, name).unwrap_err(), ["x", "y"]);
    }
}
