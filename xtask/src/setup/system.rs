//! System packages: installed through apt where this user may, asked for with one command
//! otherwise.

use std::collections::BTreeSet;
use std::path::Path;

use components::catalog::Source;
use components::process::Job;
use components::{Component, Components, Options};

use crate::failure::{Failure, Outcome};

/// The package that brings pip.
const PIP_PACKAGE: &str = "python3-pip";

/// Whether every required system component is there.
pub fn is_complete() -> Result<bool, Failure> {
    Ok(missing(&system_components()?, true).is_empty())
}

/// Installs the packages of the system components that are missing, and pip when `downloads` are to
/// come; whether there were any. `folder` is where set-up works, and tells the first run from later
/// ones.
pub fn install(folder: &Path, downloads: bool) -> Result<bool, Failure> {
    let components = system_components()?;
    let required = missing(&components, true);
    let optional = missing(&components, false);
    let mut wanted = packages(&required);
    if downloads && pip().is_err() {
        wanted.push(PIP_PACKAGE);
    }
    if wanted.is_empty() && optional.is_empty() {
        return Ok(false);
    }
    let first_run = !folder.join(components::home::INDEX).exists();
    if first_run && !wanted.is_empty() && may_install().is_some() {
        refresh();
    }
    let extra = packages(&optional);
    let known = known(&extra);
    let extra: Vec<&str> = extra
        .into_iter()
        .filter(|name| known.contains(*name))
        .collect();
    wanted.extend(welcome(extra));
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return Ok(false);
    }
    apt_install(&wanted)?;
    let still = missing(&system_components()?, true);
    match still.first() {
        Some(component) => Err(Failure::new(format!(
            "{} is still missing after installing {}",
            component.name(),
            wanted.join(" ")
        ))),
        None => Ok(true),
    }
}

/// How to call pip.
pub fn pip() -> Result<Job, Failure> {
    let ways = [
        Job::new("python3").args(["-m", "pip"]),
        Job::new("pip3"),
        Job::new("pip"),
    ];
    let mut ways = ways.into_iter();
    let way = ways.find(|job| job.clone().arg("--version").capture(b"").is_ok());
    way.ok_or_else(|| Failure::new(format!("pip is missing (system package {PIP_PACKAGE})")))
}

/// Components as a first run sees them: with no folder of set-up.
fn system_components() -> Result<Components, Failure> {
    let options = Options {
        from: "/".into(),
        home: None,
        ..Options::default()
    };
    Components::discover(&options).map_err(Failure::new)
}

fn missing(components: &Components, required: bool) -> Vec<Component> {
    Component::all()
        .filter(|c| matches!(c.source(), Source::Apt(_)))
        .filter(|c| c.is_required() == required && components.find(*c).is_err())
        .collect()
}

/// For each component, the first of its package names that apt knows, or simply the first.
fn packages(missing: &[Component]) -> Vec<&'static str> {
    let choices = || {
        missing
            .iter()
            .filter_map(|component| match component.source() {
                Source::Apt(names) => Some(names),
                _ => None,
            })
    };
    let undecided = choices().filter(|names| names.len() > 1);
    let known = known(&undecided.flatten().copied().collect::<Vec<_>>());
    let chosen = choices().filter_map(|names| {
        let first_known = names.iter().find(|name| known.contains(**name));
        first_known.or(names.first()).copied()
    });
    chosen.collect()
}

/// Those of the packages that apt knows. It is asked once for all: each time it reads all of its lists.
fn known(packages: &[&str]) -> BTreeSet<String> {
    if packages.is_empty() {
        return BTreeSet::new();
    }
    let job = Job::new("apt-cache").args(["show", "--no-all-versions"]);
    // It fails when it does not know one of them, and tells of the others all the same.
    let answer = job.args(packages.iter().copied()).output(b"");
    let said = answer.map(|answer| answer.stdout).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    let names = said
        .lines()
        .filter_map(|line| line.strip_prefix("Package: "));
    names.map(|name| name.trim().to_owned()).collect()
}

/// Those of the packages that can be installed together beside all that is installed, the first before
/// the later ones: what only some need never takes another package's place.
fn welcome(packages: Vec<&str>) -> Vec<&str> {
    let are_welcome = |packages: &[&str]| {
        let plan = [
            "install",
            "--simulate",
            "--no-remove",
            "--no-install-recommends",
        ];
        let job = Job::new("apt-get").args(plan);
        job.args(packages.iter().copied()).capture(b"").is_ok()
    };
    if packages.is_empty() || are_welcome(&packages) {
        return packages;
    }
    let mut together = Vec::new();
    for package in packages {
        together.push(package);
        if !are_welcome(&together) {
            together.pop();
        }
    }
    together
}

/// What goes in front of an apt command, when this user may install at all.
fn may_install() -> Option<Vec<&'static str>> {
    if Job::new("apt-get").arg("--version").capture(b"").is_err() {
        return None;
    }
    if rustix::process::geteuid().is_root() {
        return Some(Vec::new());
    }
    let sudo = ["sudo", "--non-interactive"];
    let asked = Job::new(sudo[0]).args([sudo[1], "true"]).capture(b"");
    asked.is_ok().then(|| sudo.to_vec())
}

fn apt(arguments: &[&str]) -> Option<Job> {
    let mut words = may_install()?;
    words.extend([
        "env",
        "DEBIAN_FRONTEND=noninteractive",
        "apt-get",
        "--quiet",
    ]);
    words.extend(arguments);
    let (program, rest) = words.split_first()?;
    Some(Job::new(program).args(rest.iter().copied()))
}

/// Reads the package lists anew. That the network is gone shows when a package is not to be had.
fn refresh() {
    if let Some(job) = apt(&["update"]) {
        let spinner = crate::progress::spinner("set-up: reading the package lists".to_owned());
        let _ = job.capture(b"");
        spinner.finish_and_clear();
    }
}

fn apt_install(packages: &[&str]) -> Outcome {
    let list = packages.join(" ");
    let Some(job) = apt(&["install", "--yes", "--no-remove", "--no-install-recommends"]) else {
        return Err(Failure::new(format!(
            "system packages are missing; run this, then try again:\n    sudo apt-get install {list}"
        )));
    };
    let spinner = crate::progress::spinner(format!("set-up: installing {list}"));
    let done = job.args(packages.iter().copied()).capture(b"");
    spinner.finish_and_clear();
    done.map(drop).map_err(|error| {
        use components::process::JobError;
        let said = match &error {
            JobError::Failed {
                output: Some(o), ..
            } => String::from_utf8_lossy(&o.stderr),
            other => other.to_string().into(),
        };
        Failure::new(format!(
            "apt-get could not install {list}:\n{}",
            said.trim_end()
        ))
    })
}
