//! Keeps the programs of a case to its own folder: what they write elsewhere, or take away there, would
//! change the verdicts of other cases. Linux's Landlock does it, where the kernel has it; elsewhere they
//! are trusted.

use std::path::PathBuf;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, path_beneath_rules,
};

/// What processes are told and asked, and the devices that any program has.
const EVERYWHERE: [&str; 8] = [
    "/proc",
    "/dev/full",
    "/dev/null",
    "/dev/ptmx",
    "/dev/random",
    "/dev/tty",
    "/dev/urandom",
    "/dev/zero",
];

/// What names of devices that compute begin with: GPUs of any maker by Linux's own interface, NVIDIA's,
/// AMD's, those of Windows, other accelerators, and FPGAs.
const COMPUTING: [&str; 7] = ["dri", "nvidia", "kfd", "dxg", "accel", "dfl-", "intel-fpga"];

/// The places outside its folder where a case may write: no files are left there.
#[must_use]
pub fn devices() -> Vec<PathBuf> {
    let nodes = std::fs::read_dir("/dev").into_iter().flatten().flatten();
    let nodes = nodes.filter(|node| {
        let name = node.file_name();
        let name = name.to_string_lossy();
        COMPUTING.iter().any(|begin| name.starts_with(begin))
    });
    let everywhere = EVERYWHERE.into_iter().map(PathBuf::from);
    everywhere.chain(nodes.map(|node| node.path())).collect()
}

/// Does `work` on a thread of its own, which may write, make and remove files below `folders` only, and
/// so may the processes that it starts. What is not there is left out; a file stands for itself.
///
/// # Errors
/// When the kernel refuses rules that it says it has.
pub fn within<T: Send>(
    folders: &[PathBuf],
    work: impl FnOnce() -> T + Send,
) -> Result<T, RulesetError> {
    let confined = || -> Result<T, RulesetError> {
        confine(folders)?;
        Ok(work())
    };
    std::thread::scope(|scope| match scope.spawn(confined).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

/// Whether the kernel holds anyone to such rules.
#[must_use]
pub fn is_enforced() -> bool {
    let status = std::thread::spawn(|| confine(&[])).join();
    matches!(status, Ok(Ok(status)) if status != RulesetStatus::NotEnforced)
}

/// Confines this thread.
fn confine(folders: &[PathBuf]) -> Result<RulesetStatus, RulesetError> {
    let writes = AccessFs::from_write(ABI::V3);
    // The first release of Landlock lets nobody move files between folders, not even between two that
    // may be written: nothing is confined there.
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::SoftRequirement)
        .handle_access(AccessFs::Refer)?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(writes)?
        .create()?;
    let rules = path_beneath_rules(folders, writes);
    let status = ruleset.add_rules(rules)?.restrict_self()?;
    Ok(status.ruleset)
}
