//! What of a case can be run here for a toolchain, and why the rest cannot.

use std::collections::BTreeSet;
use std::path::Path;

use crate::case::{Case, Step};
use crate::evidence::LeftOut;
use crate::run::Runner;
use crate::toolchain::ROLES;
use crate::tools;
use crate::verdict::Verdict;

/// Why a case is not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// [`Verdict::Skipped`], or [`Verdict::NotObservable`] where the toolchain's description says
    /// that it has no way to show the thing.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
}

impl Obstacle {
    fn skipped(reason: String) -> Self {
        let verdict = Verdict::Skipped;
        Obstacle { verdict, reason }
    }

    fn not_observable(reason: &str) -> Self {
        let (verdict, reason) = (Verdict::NotObservable, reason.to_owned());
        Obstacle { verdict, reason }
    }
}

impl Runner<'_> {
    /// The part of a case that is run: without steps that the toolchain does not answer for, and without
    /// those whose device is not here, as long as a step for another device stays. What is left out for
    /// its setting is told, a setting each. Where none would stay, all of them do, and are the case's obstacle:
    /// so it is, too, where one setting of a device is here and another is not, as what is asked of that device
    /// may be in steps of either.
    pub(crate) fn part_of(&self, case: &Case) -> (Case, Vec<LeftOut>) {
        let mut part = case.clone();
        let answers = self.toolchain.answers_beyond() || case.body.beyond.is_some();
        let steps = &mut part.body.steps;
        steps.retain(|step| answers || step.beyond.is_none());
        let mut left_out: Vec<LeftOut> = Vec::new();
        for step in steps.iter() {
            let Some((setting, reason)) = self.step_without_setting(step) else {
                continue;
            };
            match left_out.iter_mut().find(|other| other.setting == setting) {
                Some(other) => other.steps.push(step.run.clone()),
                None => left_out.push(LeftOut {
                    setting: setting.to_owned(),
                    steps: vec![step.run.clone()],
                    reason,
                }),
            }
        }
        let is_left_out = |step: &Step| {
            let mut settings = left_out.iter().map(|other| &other.setting);
            settings.any(|setting| Some(setting) == step.with.as_ref())
        };
        let device = |setting| self.tools.device_of(setting).unwrap_or(setting);
        let staying = steps.iter().filter(|step| !is_left_out(step));
        let staying = staying.filter_map(|step| step.with.as_deref());
        let staying: BTreeSet<&str> = staying.map(device).collect();
        let mut gone = left_out.iter().map(|other| device(&other.setting));
        if staying.is_empty() || gone.any(|device| staying.contains(device)) {
            return (part, Vec::new());
        }
        steps.retain(|step| !is_left_out(step));
        (part, left_out)
    }

    /// A step's setting, and why it is not here, where it is not.
    fn step_without_setting<'s>(&self, step: &'s Step) -> Option<(&'s str, String)> {
        let setting = step.with.as_deref()?;
        let hidden = self.toolchain.cannot_show(setting).map(str::to_owned);
        let reason = hidden.or_else(|| self.lacks_setting(setting))?;
        Some((setting, reason))
    }

    /// Why the case cannot be run here, if so: something that it needs or names is not there, or the
    /// toolchain cannot show it.
    #[must_use]
    pub fn obstacle(&self, case: &Case) -> Option<Obstacle> {
        let (part, left_out) = self.part_of(case);
        self.obstacle_to(&part, &left_out)
    }

    fn obstacle_to(&self, case: &Case, left_out: &[LeftOut]) -> Option<Obstacle> {
        let steps = &case.body.steps;
        let is_of_others = |need: &&String| {
            let mut devices = left_out.iter().map(|l| self.tools.device_of(&l.setting));
            devices.any(|device| device == Some(need.as_str()))
        };
        let needs = case.body.needs.iter().filter(|need| !is_of_others(need));
        let names = std::iter::once(case.name.clone())
            .chain(self.includes_sycl(case).then(|| "headers".to_owned()))
            .chain(case.body.requirements.iter().cloned())
            .chain(needs.cloned())
            .chain(steps.iter().filter_map(|step| step.with.clone()))
            .chain(steps.iter().flat_map(names_in));
        let mut hidden =
            names.filter_map(|name| self.toolchain.cannot_show(&name).map(str::to_owned));
        let hidden = hidden.next();
        let hidden = hidden.or_else(|| self.toolchain.hides(case).map(str::to_owned));
        if let Some(reason) = hidden {
            return Some(Obstacle::not_observable(&reason));
        }
        let without = self.without_set(case).or_else(|| self.missing(case));
        without.map(Obstacle::skipped)
    }

    /// Whether golden files of the toolchain hold it to `case`, be that ever so far beyond the documents:
    /// they are its own word.
    #[must_use]
    pub fn is_held_by_goldens(&self, case: &Case) -> bool {
        case.is_of_goldens() && self.goldens().is_some()
    }

    /// Whether a source of a case, written in it or named in its commands, includes SYCL's headers.
    fn includes_sycl(&self, case: &Case) -> bool {
        let includes = |text: &str| text.contains("<sycl/");
        let within = |text: &str| {
            let place = |name: &str, folder: &Path| {
                let rest = text.strip_prefix(name)?;
                Some(folder.join(rest.trim_start_matches('/')))
            };
            let file = place("%{fixtures}", &self.layout.fixtures);
            let file = file.or_else(|| place("%s/", case.folder()));
            file.is_some_and(|file| std::fs::read_to_string(file).is_ok_and(|text| includes(&text)))
        };
        let steps = case.body.steps.iter();
        let mut words = steps.flat_map(|step| step.run.split_whitespace());
        case.body.inputs.values().any(|text| includes(text)) || words.any(within)
    }

    /// Why a case that golden files hold cannot show anything, if so.
    fn without_set(&self, case: &Case) -> Option<String> {
        let name = self.toolchain.name();
        let missing = case.is_of_goldens() && !self.is_held_by_goldens(case);
        missing.then(|| format!("toolchain '{name}' has no golden files"))
    }

    /// What a case needs or names and is not there.
    fn missing(&self, case: &Case) -> Option<String> {
        let settings = || case.body.steps.iter().filter_map(|step| step.with.as_ref());
        let mut needs = case.body.needs.iter();
        let missing = needs.find_map(|name| self.lacks_need(name));
        let without = || settings().find_map(|name| self.lacks_setting(name));
        let programs = || {
            let uses_filecheck = case.body.steps.iter().flat_map(Step::texts);
            uses_filecheck
                .filter(|text| text.filecheck.is_some())
                .map(|_| "FileCheck".to_owned())
                .chain(case.body.steps.iter().flat_map(names_in))
        };
        missing
            .or_else(without)
            .or_else(|| programs().find_map(|name| self.lacks(&name)))
    }

    /// Why a step's setting is not here, if so: the device of that name, or the toolchain's words for it.
    fn lacks_setting(&self, name: &str) -> Option<String> {
        let missing = self.lacks_need(name);
        let is_offered = self.toolchain.setting(name).is_some();
        let toolchain = self.toolchain.name();
        let unoffered = || format!("toolchain '{toolchain}' offers no '{name}'");
        missing.or_else(|| (!is_offered).then(unoffered))
    }

    /// Why what a case needs of the machine or of the toolchain is not there, if so.
    fn lacks_need(&self, name: &str) -> Option<String> {
        match self.tools.need(name) {
            Some(found) => found.as_ref().err().cloned(),
            None => self
                .tools
                .lacks_all(self.toolchain.relies_on(name))
                .or_else(|| tools::refusal(self.toolchain.tries(name))),
        }
    }

    /// Why the program called `name` is not there, if so.
    fn lacks(&self, name: &str) -> Option<String> {
        if ROLES.contains(&name) {
            return match self.toolchain.command(name) {
                Some(_) => self.tools.lacks_all(self.toolchain.relies_on(name)),
                None => Some(format!(
                    "toolchain '{}' has no {name}",
                    self.toolchain.name()
                )),
            };
        }
        match self.toolchain.judge(name) {
            Some(_) => None,
            None => self.tools.program(name)?.as_ref().err().cloned(),
        }
    }
}

/// The names of the placeholders in a step's command, and in the variables that it has.
pub(crate) fn names_in(step: &Step) -> Vec<String> {
    use crate::placeholder::{Piece, pieces};
    std::iter::once(&step.run)
        .chain(step.env.values())
        .flat_map(|text| pieces(text).unwrap_or_default())
        .filter_map(|piece| match piece {
            Piece::Name(name) => Some(name),
            Piece::Text(_) => None,
        })
        .collect()
}
