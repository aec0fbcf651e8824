//! Keeps the programs of a case to its own folder: what they write elsewhere, or take away there, would
//! change the verdicts of other cases. Linux's Landlock does it, where the kernel has it; elsewhere they
//! are trusted.

use std::path::PathBuf;

use landlock::{
    ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, path_beneath_rules,
};

/// The parts of the system where devices are, and what processes are told and asked.
pub const DEVICES: [&str; 2] = ["/dev", "/proc"];

/// Does `work` on a thread of its own, which may write, make and remove files below `folders` only, and
/// so may the processes that it starts. A folder that is not there is left out.
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
