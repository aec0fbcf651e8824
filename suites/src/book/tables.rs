//! The matrix: requirements as rows, toolchains as columns.

use std::collections::BTreeMap;

use super::text::{chip, date, requirement_place, sign, toolchain_page};
use super::{Chapter, Data};
use crate::catalogue::{Document, Strength};
use crate::matrix::{Judged, Standing};

/// How many requirements stand how.
pub type Counts = BTreeMap<Standing, usize>;

/// The requirements that `judged` is held to, counted; with `strength`, those that are as binding.
pub fn counts(data: &Data<'_>, judged: &Judged, strength: Option<Strength>) -> Counts {
    let mut counts = Counts::new();
    for covered in &data.coverage.requirements {
        if strength.is_none_or(|only| covered.entry.requirement.strength == only) {
            *counts
                .entry(judged.standing(&covered.entry.requirement, &covered.cases))
                .or_default() += 1;
        }
    }
    counts
}

/// The chapter with the tables of all toolchains.
pub fn matrix(data: &Data<'_>) -> Chapter {
    let mut text = "# The matrix\n\n".to_owned();
    text += match data.judged.is_empty() {
        true => {
            "No toolchain has been judged yet: `cargo xtask matrix REPORT.json …` keeps verdicts.\n"
        }
        false => {
            "Requirements by verdict, for each toolchain as it was on the day that its column names. \
             A requirement holds when all of its cases passed; otherwise it is as bad as the worst of \
             them. What a run could not know, because cases of the requirement came later or were left \
             out, is *not judged*.\n\n"
        }
    };
    if !data.judged.is_empty() {
        text += &runs(data);
        for document in Document::ALL {
            text += &format!("\n## {}\n\n", document.short_name());
            text += &rows(data, document);
        }
    }
    Chapter {
        title: "The matrix".to_owned(),
        path: "matrix.md".to_owned(),
        text,
        parts: Vec::new(),
    }
}

/// A row for each run: when, what, and how many requirements stand how.
fn runs(data: &Data<'_>) -> String {
    let all: Vec<(&Judged, Counts)> = data
        .judged
        .iter()
        .map(|judged| (judged, counts(data, judged, None)))
        .collect();
    let present = |standing: &Standing| all.iter().any(|(_, of)| of.contains_key(standing));
    let shown: Vec<Standing> = Standing::all().into_iter().filter(present).collect();
    let mut text = "| toolchain | judged on |".to_owned();
    for standing in &shown {
        text += &format!(" {} |", chip(*standing));
    }
    text += "\n|---|---|";
    text += &"---:|".repeat(shown.len());
    text.push('\n');
    for (judged, counts) in &all {
        let name = &judged.toolchain;
        text += &format!("| [{name}]({}) | {} |", toolchain_page(name), date(judged));
        for standing in &shown {
            text += &format!(" {} |", counts.get(standing).copied().unwrap_or(0));
        }
        text.push('\n');
    }
    text
}

fn rows(data: &Data<'_>, document: Document) -> String {
    let mut text = "| requirement | strength | role |".to_owned();
    for judged in &data.judged {
        text += &format!(" {} |", judged.toolchain);
    }
    text += "\n|---|---|---|";
    text += &":---:|".repeat(data.judged.len());
    text.push('\n');
    let requirements = data.coverage.requirements.iter();
    for covered in requirements.filter(|covered| covered.entry.document == document) {
        let requirement = &covered.entry.requirement;
        let id = &requirement.id;
        text += &format!(
            "| [{id}]({}) | {} | {} |",
            requirement_place(id),
            requirement.strength.word(),
            requirement.role
        );
        for judged in &data.judged {
            text += &format!(
                " {} |",
                sign(judged.standing(&covered.entry.requirement, &covered.cases))
            );
        }
        text.push('\n');
    }
    text
}
