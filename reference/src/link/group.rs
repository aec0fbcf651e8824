//! Device code grouped by target.

use offload_formats::container::{Format, identify};
use offload_formats::device_input::DeviceInput;
use offload_formats::offload_binary::OffloadKind;
use offload_formats::targets::Kind;

use super::collect::Collected;
use super::{DeviceTarget, LinkError};

/// The triple under which `-fintelfpga` packages a unit's list of dependencies beside its device
/// code (`MODEL`, "spir64_fpga support"). It is no device code; only `aoc` has a use for it.
pub const FPGA_DEPENDENCIES: &str = "fpga_dep";

/// All device code of one target, in the order in which the inputs name it.
#[derive(Debug, Clone)]
pub struct LinkGroup {
    /// The target.
    pub target: DeviceTarget,
    /// Bitcode that is linked whole.
    pub bitcode: Vec<DeviceInput>,
    /// Bitcode that is linked as far as it is needed.
    pub lazy: Vec<DeviceInput>,
    /// SPIR-V modules.
    pub spirv: Vec<DeviceInput>,
    /// Images that are ready as they are.
    pub native: Vec<DeviceInput>,
}

impl LinkGroup {
    fn new(target: DeviceTarget) -> Self {
        LinkGroup {
            target,
            bitcode: Vec::new(),
            lazy: Vec::new(),
            spirv: Vec::new(),
            native: Vec::new(),
        }
    }
}

/// Groups by target, in the order in which targets first appear.
///
/// # Errors
/// When an input is of another programming model or of a target that nothing here compiles for.
pub fn group(collected: Collected) -> Result<Vec<LinkGroup>, LinkError> {
    let mut groups: Vec<LinkGroup> = Vec::new();
    let whole = collected.whole.into_iter().map(|input| (input, false));
    let lazy = collected.lazy.into_iter().map(|input| (input, true));
    let inputs = whole.chain(lazy);
    for (input, lazy) in inputs.filter(|(input, _)| input.triple != FPGA_DEPENDENCIES) {
        let target = target(&input)?;
        let known = groups.iter().position(|group| group.target == target);
        if lazy && known.is_none() {
            // Nothing that is linked for this target can need it.
            continue;
        }
        let index = known.unwrap_or_else(|| {
            groups.push(LinkGroup::new(target));
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(index) {
            place(group, input, lazy);
        }
    }
    Ok(groups)
}

/// Adds an empty group for `target` unless one of its kind is there.
pub fn ensure(groups: &mut Vec<LinkGroup>, target: DeviceTarget) {
    if !groups
        .iter()
        .any(|group| group.target.kind() == target.kind())
    {
        groups.push(LinkGroup::new(target));
    }
}

fn place(group: &mut LinkGroup, input: DeviceInput, lazy: bool) {
    match identify(&input.bytes) {
        Format::Bitcode if lazy => group.lazy.push(input),
        Format::Bitcode => group.bitcode.push(input),
        Format::SpirV => group.spirv.push(input),
        _ => group.native.push(input),
    }
}

fn target(input: &DeviceInput) -> Result<DeviceTarget, LinkError> {
    let foreign = |reason| LinkError::Foreign {
        origin: Box::new(input.origin.clone()),
        kind: input.kind.to_string(),
        triple: input.triple.clone(),
        reason,
    };
    if input.kind != OffloadKind::Sycl {
        return Err(foreign("only device code of kind 'sycl' is"));
    }
    let target = DeviceTarget::new(&input.triple, &input.arch);
    match target.kind() {
        Some(Kind::Amd) if matches!(identify(&input.bytes), Format::Bitcode | Format::SpirV) => {
            Err(foreign(
                "there is no device link and no image for AMD's GPUs",
            ))
        }
        Some(_) => Ok(target),
        None => Err(foreign("no compiler for this target is known")),
    }
}
