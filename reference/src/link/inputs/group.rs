//! Device code grouped by target.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use offload_formats::container::{Format, identify};
use offload_formats::device_input::DeviceInput;
use offload_formats::offload_binary::OffloadKind;
use offload_formats::targets::{Kind, Target};

use crate::link::inputs::collect::Collected;
use crate::link::{DeviceTarget, LinkError};
use crate::tool::say;

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
    /// SPIR-V modules that are linked where others refer to them.
    pub lazy_spirv: Vec<DeviceInput>,
    /// Images that are ready as they are.
    pub native: Vec<DeviceInput>,
    /// Architectures for which the link has the same code in groups of their own; only a group for
    /// no architecture has such.
    pub covered: Vec<&'static Target>,
    /// Calls of `ocloc` for architectures that no group has code for are made over this group's code.
    pub takes_other_calls: bool,
}

impl LinkGroup {
    /// An empty group.
    pub(in crate::link) fn new(target: DeviceTarget) -> Self {
        LinkGroup {
            target,
            bitcode: Vec::new(),
            lazy: Vec::new(),
            spirv: Vec::new(),
            lazy_spirv: Vec::new(),
            native: Vec::new(),
            covered: Vec::new(),
            takes_other_calls: false,
        }
    }

    /// Where what is linked whole comes from.
    fn files(&self) -> HashSet<(&Path, &[usize])> {
        let inputs = [&self.bitcode, &self.spirv, &self.native];
        let origins = inputs.into_iter().flatten().map(|input| &input.origin);
        origins
            .map(|origin| (origin.file.as_path(), &*origin.numbers))
            .collect()
    }
}

/// The device code of a link.
#[derive(Debug, Clone, Default)]
pub struct Grouped {
    /// What is linked, in the order in which targets first appear.
    pub groups: Vec<LinkGroup>,
    /// What members of archives hold for targets that the link does not have.
    pub left_out: Vec<DeviceInput>,
    /// What belongs to other programming models.
    pub of_other_kinds: Vec<DeviceInput>,
}

/// Groups by target. Objects say which triples the link has; when none holds device code, the
/// members that the host link takes do. Device code of other programming models is left out: it has a
/// link of its own. So is code of no kind beside that of kind `sycl`.
///
/// # Errors
/// When there is nothing but device code of no kind, or an input that has to be linked is of a target
/// that nothing here compiles for.
pub fn group(mut collected: Collected) -> Result<Grouped, LinkError> {
    let mut grouped = Grouped::default();
    let is_code = |input: &DeviceInput| input.triple != FPGA_DEPENDENCIES;
    let is_sycl = |input: &DeviceInput| input.kind == OffloadKind::Sycl;
    let mut linked = collected.whole.iter().chain(&collected.taken);
    let any_sycl = linked.any(|input| is_sycl(input) && is_code(input));
    let is_ours = |input: &DeviceInput| match input.kind {
        OffloadKind::Sycl => true,
        OffloadKind::None => !any_sycl,
        OffloadKind::OpenMp | OffloadKind::Cuda | OffloadKind::Hip => false,
    };
    let whole = std::mem::take(&mut collected.whole).into_iter();
    (collected.whole, grouped.of_other_kinds) = whole.partition(is_ours);
    let taken = std::mem::take(&mut collected.taken).into_iter();
    (collected.taken, grouped.left_out) = taken.partition(is_ours);
    for input in std::mem::take(&mut collected.whole)
        .into_iter()
        .filter(is_code)
    {
        let target = target(&input)?;
        grouped.add(target, input);
    }
    let by_objects = !grouped.groups.is_empty();
    let specific = Specific::of(collected.taken.iter().chain(&collected.lazy));
    for input in std::mem::take(&mut collected.taken)
        .into_iter()
        .filter(is_code)
    {
        if by_objects && !grouped.has_triple(&input) {
            grouped.left_out.push(input);
        } else if !by_objects || !grouped.serve_all(&input, false, &specific) {
            let target = target(&input)?;
            grouped.add(target, input);
        }
    }
    for input in std::mem::take(&mut collected.lazy)
        .into_iter()
        .filter(is_code)
    {
        if grouped.serve_all(&input, true, &specific) {
            continue;
        }
        let target = target(&input).ok();
        let mut groups = grouped.groups.iter_mut();
        match groups.find(|group| Some(&group.target) == target.as_ref()) {
            Some(group) => place(group, input, true),
            // Nothing that is linked can need it.
            None => grouped.left_out.push(input),
        }
    }
    for group in &mut grouped.groups {
        collected.sort(&mut group.bitcode);
    }
    let covered: Vec<_> = grouped
        .groups
        .iter()
        .map(|group| covered(group, &grouped.groups))
        .collect();
    for (group, covered) in grouped.groups.iter_mut().zip(covered) {
        group.covered = covered;
    }
    choose_for_other_calls(&mut grouped.groups);
    Ok(grouped)
}

/// Has every group of code for Intel GPUs of no architecture take the calls for architectures without
/// code of their own, or else the first group of any; that one leaves the others their own.
fn choose_for_other_calls(groups: &mut [LinkGroup]) {
    let is_gpu = |group: &LinkGroup| group.target.kind() == Some(Kind::IntelGpu);
    let specific = |group: &LinkGroup| !group.target.arch.is_empty();
    let mut generic = false;
    let mut known = Vec::new();
    for group in groups.iter_mut().filter(|group| is_gpu(group)) {
        group.takes_other_calls = !specific(group);
        generic |= !specific(group);
        known.extend(group.target.architecture());
    }
    if let Some(first) = groups.iter_mut().find(|group| is_gpu(group) && !generic) {
        first.takes_other_calls = true;
        first.covered = known;
    }
}

/// Warns of device code of other programming models that the link leaves out of what it takes.
pub fn warn_of_other_kinds(inputs: &[DeviceInput]) {
    for input in inputs {
        say(&format!(
            "clang-linker-wrapper: warning: {}: device code of kind '{}' for '{}' is left out: it is \
             linked by the linker wrapper of its own programming model\n",
            input.origin, input.kind, input.triple
        ));
    }
}

/// The architectures of `groups` that have code from every file of `group`, which is for none.
fn covered(group: &LinkGroup, groups: &[LinkGroup]) -> Vec<&'static Target> {
    if !group.target.arch.is_empty() {
        return Vec::new();
    }
    let files = group.files();
    let same = |other: &&LinkGroup| {
        !other.target.arch.is_empty()
            && other.target.kind() == group.target.kind()
            && files.is_subset(&other.files())
    };
    let others = groups.iter().filter(same);
    others
        .filter_map(|other| other.target.architecture())
        .collect()
}

/// The architectures that members of archives have code of their own for.
struct Specific(HashMap<(PathBuf, Vec<usize>), Vec<DeviceTarget>>);

impl Specific {
    fn of<'a>(inputs: impl Iterator<Item = &'a DeviceInput>) -> Self {
        let mut targets: HashMap<_, Vec<_>> = HashMap::new();
        for input in inputs {
            let target = DeviceTarget::new(&input.triple, &input.arch);
            if !target.arch.is_empty() {
                targets.entry(member(input)).or_default().push(target);
            }
        }
        Specific(targets)
    }

    /// Whether the member of `input` is among them for `target`.
    fn has(&self, input: &DeviceInput, target: &DeviceTarget) -> bool {
        let own = self.0.get(&member(input));
        own.is_some_and(|own| own.iter().any(|own| own.is_same(target)))
    }
}

fn member(input: &DeviceInput) -> (PathBuf, Vec<usize>) {
    (input.origin.file.clone(), input.origin.numbers.to_vec())
}

impl Grouped {
    /// Adds what is linked whole.
    fn add(&mut self, target: DeviceTarget, input: DeviceInput) {
        match self.groups.iter_mut().find(|group| group.target == target) {
            Some(group) => place(group, input, false),
            None => {
                let mut group = LinkGroup::new(target);
                place(&mut group, input, false);
                self.groups.push(group);
            }
        }
    }

    /// Adds code that a member of an archive has for no architecture to all architectures of its triple
    /// that the link has, but for those that the member has code of their own for. Whether there are
    /// such architectures.
    fn serve_all(&mut self, input: &DeviceInput, lazy: bool, specific: &Specific) -> bool {
        let target = DeviceTarget::new(&input.triple, &input.arch);
        if input.kind != OffloadKind::Sycl || !target.arch.is_empty() {
            return false;
        }
        let mut has_triple = false;
        let groups = self.groups.iter_mut();
        for group in groups.filter(|group| group.target.triple == target.triple) {
            has_triple = true;
            if !specific.has(input, &group.target) {
                place(group, input.clone(), lazy);
            }
        }
        has_triple
    }

    /// Whether the link has the triple of a SYCL input, however each spells it.
    fn has_triple(&self, input: &DeviceInput) -> bool {
        let first = |triple: &str| triple.split('-').next().map(str::to_owned);
        let mut known = self.groups.iter().map(|group| first(&group.target.triple));
        input.kind == OffloadKind::Sycl && known.any(|known| known == first(&input.triple))
    }
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
        Format::SpirV if lazy => group.lazy_spirv.push(input),
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
