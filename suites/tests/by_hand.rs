//! What a shipped toolchain is known to fail, shown by hand: each script of its list prints what it says, with the
//! toolchain's tools alone. `PLUMBLINE_TOOLCHAIN` names the toolchain (`reference` when unset); the scripts of one that
//! is not here are told as skipped.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use suites::layout::Layout;
use suites::toolchain::{Described, ROLES, Toolchain as _};
use suites::{bless, by_hand};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let layout = Layout::here();
    match trials(&layout) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(mistake) => {
            eprintln!("by_hand: error: {mistake}");
            ExitCode::FAILURE
        }
    }
}

fn trials(layout: &Layout) -> Result<Vec<Trial>, String> {
    let under_test = std::env::var("PLUMBLINE_TOOLCHAIN").ok();
    let under_test = under_test.filter(|name| !name.is_empty());
    let under_test = under_test.unwrap_or_else(|| "reference".to_owned());
    let own = Described::load(&under_test, layout)?;
    Ok(of(&own, bless::absent(&own)))
}

/// Those of one toolchain, each script once, unless there is a reason to skip them.
fn of(toolchain: &Described, skipped: Option<String>) -> Vec<Trial> {
    let tools = tools_of(toolchain);
    let env: Vec<(String, String)> = toolchain.env().clone().into_iter().collect();
    let mut seen = BTreeSet::new();
    let mut trials = Vec::new();
    for known in toolchain.deviations() {
        let script = known.by_hand.clone();
        let Some(script) = script.filter(|text| seen.insert(text.clone())) else {
            continue;
        };
        let name = format!("by-hand/{}/{}", toolchain.name(), known.case);
        let (tools, env) = (tools.clone(), env.clone());
        let trial = Trial::test(name, move || {
            let folder = tempfile::tempdir()?;
            by_hand::run(&script, folder.path(), &tools, &env).map_err(Failed::from)
        });
        trials.push(match &skipped {
            None => trial,
            Some(why) => trial
                .with_kind(format!("skipped: {why}"))
                .with_ignored_flag(true),
        });
    }
    trials
}

/// Where the tools of a toolchain are: beside the one that tells its version and, where a description has its own
/// words for a role, beside those.
fn tools_of(toolchain: &Described) -> Vec<PathBuf> {
    let programs = ROLES.iter().filter_map(|role| toolchain.command(role));
    let programs = std::iter::once(toolchain.version()).chain(programs);
    let programs = programs.filter_map(|words| Path::new(words.first()?).parent());
    programs.map(Path::to_owned).collect()
}
