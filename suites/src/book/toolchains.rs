//! The chapters of the shipped toolchains: what each is, what it cannot show, and where it departs from
//! the documents.

use std::collections::BTreeSet;

use super::tables::counts;
use super::text::{
    case_link, chip, code, counted, date, listed, prose, requirement_link, toolchain_page,
};
use super::{Chapter, Data};
use crate::catalogue::Strength;
use crate::deviation::{Deviation, Link};
use crate::matrix::{Judged, Standing};
use crate::toolchain::{Described, ROLES, Toolchain as _};
use crate::verdict::Verdict;

/// The chapter of all toolchains, with one below it for each.
pub fn chapter(data: &Data<'_>) -> Chapter {
    let mut text = "# Toolchains\n\n\
        Each is described by a file in `suites/toolchains/`, and judged by \
        `cargo xtask test --toolchain NAME`.\n\n\
        | toolchain | version | judged on | what it is |\n|---|---|---|---|\n"
        .to_owned();
    for (toolchain, _) in &data.toolchains {
        let name = toolchain.name();
        let judged = judged(data, name);
        text += &format!(
            "| [{name}]({}) | {} | {} | {} |\n",
            toolchain_page(name),
            prose(judged.and_then(|j| j.version.as_deref()).unwrap_or("–")),
            judged.map_or_else(|| "not yet".to_owned(), date),
            prose(toolchain.about()),
        );
    }
    let roles = listed(ROLES.iter().map(|role| format!("`{role}`")));
    text += &format!(
        "\n## Roles\n\nThe documents' tools, by which a description names its own: {roles}. The last two \
         have no program: headers belong to `sycl-clang++`, and the runtime to what it builds.\n"
    );
    if !data.stand_ins.is_empty() {
        text += "\n## Stand-ins\n\nNobody's toolchains: the suites try themselves on these.\n\n";
        for stand_in in &data.stand_ins {
            text += &format!("- `{}`: {}\n", stand_in.name(), prose(stand_in.about()));
        }
    }
    let parts = data.toolchains.iter();
    Chapter {
        title: "Toolchains".to_owned(),
        path: "toolchains.md".to_owned(),
        text,
        parts: parts
            .map(|(one, text)| toolchain(data, one, text))
            .collect(),
    }
}

fn judged<'a>(data: &'a Data<'_>, name: &str) -> Option<&'a Judged> {
    data.judged.iter().find(|judged| judged.toolchain == name)
}

fn toolchain(data: &Data<'_>, toolchain: &Described, description: &str) -> Chapter {
    let name = toolchain.name();
    let mut text = format!("# {name}\n\n{}\n\n", prose(toolchain.about()));
    text += &match judged(data, name) {
        Some(judged) => run(data, judged),
        None => "It has not been judged yet.\n".to_owned(),
    };
    text += "\n## Roles\n\n";
    // Headers and the library of the runtime have no command of their own.
    let tools = || {
        ROLES
            .iter()
            .filter(|role| !["headers", "runtime"].contains(role))
    };
    let (plays, lacks): (Vec<&str>, Vec<&str>) =
        tools().partition(|role| toolchain.command(role).is_some());
    let quoted = |roles: &[&str]| listed(roles.iter().map(|role| format!("`{role}`")));
    text += &format!("It plays {}.\n", quoted(&plays));
    if !lacks.is_empty() {
        text += &format!(
            "\nNot played, so that their cases are skipped: {}.\n",
            quoted(&lacks)
        );
    }
    if !toolchain.borrows().is_empty() {
        text += &format!(
            "\nBorrowed from the reference, so that nothing is said of what documents ask of them: {}.\n",
            listed(toolchain.borrows().iter().map(|role| format!("`{role}`")))
        );
    }
    text += &unobservable(toolchain);
    text += &deviations(data, toolchain);
    text += "\n## Its description\n\n<details>\n<summary>";
    text += &format!("suites/toolchains/{name}.yaml</summary>\n\n");
    text += &code("yaml", description);
    text += "\n</details>\n";
    Chapter {
        title: name.to_owned(),
        path: toolchain_page(name),
        text,
        parts: Vec::new(),
    }
}

/// What its last run came to, and what that run does not know.
fn run(data: &Data<'_>, judged: &Judged) -> String {
    let mut text = format!("Judged on {}", judged.date);
    if let Some(version) = &judged.version {
        text += &format!(", as \"{}\"", prose(version));
    }
    text += ".\n\n";
    let missing = data.library.cases.iter();
    let missing = missing.filter(|case| judged.case(&case.name) == Standing::NotJudged);
    match missing.count() {
        0 => (),
        missing => {
            let all = data.library.cases.len();
            text += &format!(
                "The run knows nothing of {missing} of the {all} cases that there are.\n\n"
            );
        }
    }
    text += "| requirements |";
    let all = counts(data, judged, None);
    let shown: Vec<Standing> = Standing::all();
    let shown: Vec<&Standing> = shown.iter().filter(|one| all.contains_key(one)).collect();
    for standing in &shown {
        text += &format!(" {} |", chip(**standing));
    }
    text += &format!("\n|---|{}\n", "---:|".repeat(shown.len()));
    let kinds = [
        ("all", None),
        ("must", Some(Strength::Must)),
        ("should", Some(Strength::Should)),
        ("may", Some(Strength::May)),
    ];
    for (name, strength) in kinds {
        let counts = counts(data, judged, strength);
        text += &format!("| {name} |");
        for standing in &shown {
            text += &format!(" {} |", counts.get(*standing).copied().unwrap_or(0));
        }
        text.push('\n');
    }
    let failed = |verdict: &Verdict| *verdict == Verdict::Failed;
    let failed = judged.cases.iter().filter(|(_, verdict)| failed(verdict));
    let failed: Vec<String> = failed.map(|(case, _)| case_link(case)).collect();
    if !failed.is_empty() {
        text += &format!("\nFailed, and not known to: {}.\n", listed(failed));
    }
    text
}

fn unobservable(toolchain: &Described) -> String {
    if toolchain.unobservable().is_empty() {
        return String::new();
    }
    let mut text = "\n## What it cannot show\n\n".to_owned();
    let mut reasons: Vec<&str> = Vec::new();
    for reason in toolchain.unobservable().values() {
        if !reasons.contains(&reason.as_str()) {
            reasons.push(reason);
        }
    }
    for reason in reasons {
        let names = toolchain.unobservable().iter();
        let names = names.filter(|(_, other)| *other == reason);
        let names = names.map(|(name, _)| format!("`{name}`"));
        text += &format!("- {}: {}\n", listed(names), prose(reason));
    }
    text
}

/// Deviations, those of one reason together.
fn deviations(data: &Data<'_>, toolchain: &Described) -> String {
    let deviations = toolchain.deviations();
    let mut text = "\n## Where it departs from the documents\n\n".to_owned();
    if deviations.is_empty() {
        return text + "Nowhere that is known.\n";
    }
    let mut reasons: Vec<&str> = Vec::new();
    for deviation in deviations {
        if !reasons.contains(&deviation.reason.as_str()) {
            reasons.push(&deviation.reason);
        }
    }
    text += &format!(
        "{}, seen in {}. One that begins to pass fails the run.\n",
        counted(reasons.len(), "known deviation"),
        counted(deviations.len(), "case"),
    );
    for (number, reason) in reasons.iter().enumerate() {
        let same: Vec<&Deviation> = deviations
            .iter()
            .filter(|one| one.reason == **reason)
            .collect();
        text += &format!("\n{}. {}\n", number + 1, prose(reason));
        let cases = same.iter().map(|one| case_link(&one.case));
        text += &format!("\n   Seen in {}", listed(cases));
        let of_case =
            |one: &Deviation| data.library.cases.iter().find(|case| case.name == one.case);
        let broken = |one: &&Deviation| {
            let case = of_case(one).filter(|case| case.body.beyond.is_none());
            let cited = case.map_or_else(Vec::new, |case| case.body.requirements.clone());
            one.breaks.clone().unwrap_or(cited)
        };
        let broken = same.iter().flat_map(broken);
        let broken: BTreeSet<String> = broken.filter(|id| is_asked(data, toolchain, id)).collect();
        if !broken.is_empty() {
            let broken = broken.iter().map(|id| requirement_link(id));
            text += &format!("; it concerns {}", listed(broken));
        }
        let links: BTreeSet<&Link> = same.iter().map(|one| &one.link).collect();
        for link in links {
            text += &match link {
                Link::Address(address) => format!("; told at <{address}>"),
                Link::Section(document, heading) => {
                    format!(
                        "; it departs from {}, \"{}\"",
                        document.short_name(),
                        prose(heading)
                    )
                }
            };
        }
        let writers: BTreeSet<&str> = same
            .iter()
            .filter_map(|one| one.spirv_writer.as_deref())
            .collect();
        for writer in writers {
            text += &format!("; with the SPIR-V writer `{writer}` alone");
        }
        text += ".\n";
        let scripts: BTreeSet<&str> = same.iter().filter_map(|o| o.by_hand.as_deref()).collect();
        for script in scripts {
            // Below the number, as deep as its text stands.
            let shown = format!(
                "\n<details>\n<summary>by hand, with its tools alone</summary>\n\n{}\n</details>\n",
                code("sh", script)
            );
            for line in shown.lines() {
                text += &match line.is_empty() {
                    true => "\n".to_owned(),
                    false => format!("   {line}\n"),
                };
            }
        }
    }
    text
}

/// Whether a document asks it of the toolchain: what is left open is not, nor what is borrowed.
fn is_asked(data: &Data<'_>, toolchain: &Described, id: &str) -> bool {
    let entry = data.library.catalogue.entries.get(id);
    entry.is_some_and(|entry| {
        let requirement = &entry.requirement;
        requirement.strength != Strength::May && !toolchain.borrows().contains(&requirement.role)
    })
}
