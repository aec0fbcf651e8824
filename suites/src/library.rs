//! Everything that the harness has, found by looking: requirements, cases, goldens; and held against
//! each other, so that nothing dangles.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::case::Case;
use crate::catalogue::{Catalogue, Strength};
use crate::deviation::{self, Deviation, Link};
use crate::layout::{Layout, files_under};
use crate::placeholder::{Piece, pieces};
use crate::run::PATHS;
use crate::toolchain::{self, Described, ROLES, Toolchain};
use crate::tools::Tools;

/// The requirements and the cases.
#[derive(Debug, Clone, Default)]
pub struct Library {
    /// The requirements.
    pub catalogue: Catalogue,
    /// The cases, in the order of their names.
    pub cases: Vec<Case>,
}

impl Library {
    /// Reads everything.
    ///
    /// # Errors
    /// Every mistake found, each with its file.
    pub fn load(layout: &Layout) -> Result<Self, Vec<String>> {
        let mut mistakes = Vec::new();
        let catalogue = Catalogue::load(&layout.spec).unwrap_or_else(|found| {
            mistakes.extend(found);
            Catalogue::default()
        });
        let (cases, found) = load_cases(&layout.cases);
        mistakes.extend(found);
        match mistakes.is_empty() {
            true => Ok(Library { catalogue, cases }),
            false => Err(mistakes),
        }
    }

    /// What dangles: citations of requirements that are none, placeholders, needs and inputs that
    /// nobody knows, golden files that no case names.
    #[must_use]
    pub fn dangling(&self, layout: &Layout, tools: &Tools) -> Vec<String> {
        let mut mistakes = Vec::new();
        for case in &self.cases {
            let file = case.file.display();
            let known = |id: &&String| !self.catalogue.entries.contains_key(*id);
            for id in case.body.requirements.iter().filter(known) {
                mistakes.push(format!(
                    "{file}: no requirement {id} in {}",
                    layout.spec.display()
                ));
            }
            let needs = case.body.needs.iter();
            for name in needs.filter(|name| !tools.knows_need(name)) {
                mistakes.push(format!("{file}: no component or device '{name}'"));
            }
            let settings = case.body.steps.iter().filter_map(|step| step.with.as_ref());
            for name in settings.filter(|name| !tools.knows_setting(name)) {
                mistakes.push(format!("{file}: no setting '{name}'"));
            }
            for name in placeholders(case).filter(|name| !is_known(name, tools)) {
                mistakes.push(format!("{file}: no placeholder '%{name}'"));
            }
        }
        let told = |file: PathBuf| {
            let within = file.strip_prefix(&layout.golden).unwrap_or(&file);
            format!("golden/{}: no case names it", within.display())
        };
        match self.orphans(&layout.golden) {
            Ok(orphans) => mistakes.extend(orphans.into_iter().map(told)),
            Err(mistake) => mistakes.push(mistake),
        }
        mistakes
    }

    /// Deviations that name no case, or accuse a toolchain of nothing that a document asks of it.
    #[must_use]
    pub fn stale_deviations(&self, toolchain: &dyn Toolchain) -> Vec<String> {
        let case = |name: &str| self.cases.iter().find(|case| case.name == name);
        let list = format!("toolchain '{}'", toolchain.name());
        let is_case = |name: &str| case(name).is_some();
        let mut mistakes = deviation::stale(toolchain.deviations(), is_case, &list);
        for known in toolchain.deviations() {
            let wrong = case(&known.case).and_then(|case| self.baseless(known, case, toolchain));
            mistakes
                .extend(wrong.map(|wrong| format!("{list}: deviation {}: {wrong}", known.case)));
        }
        mistakes
    }

    /// Why a deviation accuses `toolchain` of nothing that a document asks of it, if so.
    fn baseless(
        &self,
        known: &Deviation,
        case: &Case,
        toolchain: &dyn Toolchain,
    ) -> Option<String> {
        if let Link::Section(document, section) = &known.link
            && !self.catalogue.has_section(*document, section)
        {
            return Some(format!("no requirement stands in {}", known.link));
        }
        let cited = &case.body.requirements;
        let breaks = known.breaks.iter().flatten();
        if let Some(id) = breaks.clone().find(|id| !cited.contains(id)) {
            return Some(format!("the case does not cite {id}, which it is to break"));
        }
        if case.body.beyond.is_some() && known.breaks.is_some() {
            return Some("a case that goes beyond the documents breaks none of them".to_owned());
        }
        if case.body.beyond.is_some() {
            let answers = toolchain.answers_beyond() || known.crashes;
            let beyond = "the case goes beyond the documents, from which nothing deviates by it";
            return (!answers).then(|| beyond.to_owned());
        }
        let entries = &self.catalogue.entries;
        let asked = |id: &&String| {
            entries.get(*id).is_some_and(|entry| {
                let requirement = &entry.requirement;
                let is_own = !toolchain.borrows().contains(&requirement.role);
                is_own && requirement.strength != Strength::May
            })
        };
        if let Some(id) = breaks.clone().find(|id| !asked(id)) {
            return Some(format!(
                "{id} is left open, or what it is about is borrowed"
            ));
        }
        let mut broken = known.breaks.as_ref().unwrap_or(cited).iter();
        let nothing = "all that it breaks is left open, or what that is about is borrowed";
        (!broken.any(|id| asked(&id))).then(|| nothing.to_owned())
    }

    /// What a description calls not observable and that nobody knows: no role, setting, need, case
    /// or requirement.
    #[must_use]
    pub fn stale_hidings(&self, toolchain: &Described, tools: &Tools) -> Vec<String> {
        let is_case = |hidden: &str| {
            let mut cases = self.cases.iter();
            cases.any(|case| toolchain::names(hidden, &case.name))
        };
        let is_asked = |name: &str| tools.knows_setting(name) || tools.knows_need(name);
        let requirements = || self.catalogue.entries.keys();
        let is_cited = |hidden: &str| requirements().any(|id| toolchain::names(hidden, id));
        let known =
            |name: &str| ROLES.contains(&name) || is_asked(name) || is_case(name) || is_cited(name);
        let names = toolchain.unobservable().keys();
        names
            .filter(|name| !known(name))
            .map(|name| {
                let toolchain = toolchain.name();
                format!("toolchain '{toolchain}': cannot-show names nothing known: {name}")
            })
            .collect()
    }

    /// Capabilities that a description speaks of and no case can need, and components that nobody knows.
    #[must_use]
    pub fn stale_reliances(&self, toolchain: &Described, tools: &Tools) -> Vec<String> {
        let name = toolchain.name();
        let mut mistakes = Vec::new();
        for (capability, components) in toolchain.relied_on() {
            if !tools.is_capability(capability) && !ROLES.contains(&capability.as_str()) {
                mistakes.push(format!(
                    "toolchain '{name}': no capability or role '{capability}'"
                ));
            }
            let unknown = components.iter().filter(|c| !tools.knows_component(c));
            mistakes.extend(unknown.map(|c| format!("toolchain '{name}': no component '{c}'")));
        }
        mistakes
    }

    /// Programs that a description puts in the place of judges that are none.
    #[must_use]
    pub fn stale_judges(&self, toolchain: &Described, tools: &Tools) -> Vec<String> {
        let names = toolchain.judges().keys();
        names
            .filter(|name| tools.program(name).is_none())
            .map(|name| format!("toolchain '{}': no judge '{name}'", toolchain.name()))
            .collect()
    }

    /// Golden files that no case names.
    ///
    /// # Errors
    /// Names the folder that cannot be read.
    pub fn orphans(&self, golden: &Path) -> Result<Vec<PathBuf>, String> {
        let named: BTreeSet<String> = self.cases.iter().flat_map(Case::goldens).collect();
        // The first folder is the toolchain's.
        let within = |file: &Path| {
            let within = file.strip_prefix(golden).ok()?;
            Some(within.iter().skip(1).collect::<PathBuf>())
        };
        let is_named = |file: &Path| {
            within(file).is_some_and(|name| named.contains(name.to_string_lossy().as_ref()))
        };
        let files = files_under(golden)?.into_iter();
        // Others wait for their review, or are tests of these.
        let files = files.filter(|file| file.extension().is_some_and(|e| e == "snap"));
        Ok(files.filter(|file| !is_named(file)).collect())
    }
}

/// The cases under `root`, and what is wrong with the others.
fn load_cases(root: &Path) -> (Vec<Case>, Vec<String>) {
    let files = match files_under(root) {
        Ok(files) => files,
        Err(error) => return (Vec::new(), vec![error]),
    };
    // A folder with a `case.yaml` is one case; whatever else lies in it is its input.
    let folders: Vec<&Path> = files
        .iter()
        .filter(|file| file.ends_with("case.yaml"))
        .filter_map(|file| file.parent())
        .collect();
    let is_case = |file: &Path| {
        file.ends_with("case.yaml")
            || (file.extension().is_some_and(|e| e == "yaml")
                && !folders.iter().any(|folder| file.starts_with(folder)))
    };
    let mut cases = Vec::new();
    let mut mistakes = Vec::new();
    for file in files.iter().filter(|file| is_case(file)) {
        match Case::load(file, root) {
            Ok(case) => cases.push(case),
            Err(mistake) => mistakes.push(mistake),
        }
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    (cases, mistakes)
}

/// Every placeholder that a case names, in commands, variables and file names; a percent sign with
/// no name after it shows as an empty name.
fn placeholders(case: &Case) -> impl Iterator<Item = String> {
    let texts = case.body.steps.iter().flat_map(|step| {
        let files = step.files.iter();
        let files = files.flat_map(|(name, file)| std::iter::once(name).chain(&file.same_as));
        std::iter::once(&step.run)
            .chain(step.env.values())
            .chain(files)
    });
    texts.flat_map(|text| match pieces(text) {
        Ok(pieces) => pieces
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Name(name) => Some(name),
                Piece::Text(_) => None,
            })
            .collect(),
        Err(_) => vec![String::new()],
    })
}

fn is_known(name: &str, tools: &Tools) -> bool {
    PATHS.contains(&name)
        || ROLES.contains(&name)
        || tools.program(name).is_some()
        || tools.knows_need(name)
}
