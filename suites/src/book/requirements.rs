//! The chapters of requirements, one a document: what is asked, which cases show it, and how each
//! toolchain stands.

use super::text::{case_link, chip, counted, listed, prose, toolchain_page};
use super::{Chapter, Data};
use crate::catalogue::Document;
use crate::coverage::Covered;

/// The chapter of all requirements, with one below it for each document.
pub fn chapter(data: &Data<'_>) -> Chapter {
    let mut text = "# Requirements\n\n\
        Every normative statement of the five documents, in our own words. `must` is what a toolchain \
        cannot conform without; `should` is expected, with room for reasons; `may` is allowed. A \
        requirement holds when all of its cases pass.\n\n\
        | document | requirements | with cases | without, for a reason | without |\n\
        |---|---:|---:|---:|---:|\n"
        .to_owned();
    for (document, standing) in &data.coverage.documents {
        let all = standing.covered + standing.excused + standing.uncovered;
        text += &format!(
            "| [{}]({}): {} | {all} | {} | {} | {} |\n",
            document.short_name(),
            path(*document),
            document.title(),
            standing.covered,
            standing.excused,
            standing.uncovered,
        );
    }
    Chapter {
        title: "Requirements".to_owned(),
        path: "requirements.md".to_owned(),
        text,
        parts: Document::ALL.map(|one| document(data, one)).into(),
    }
}

fn path(document: Document) -> String {
    format!("requirements/{}.md", document.short_name().to_lowercase())
}

fn document(data: &Data<'_>, document: Document) -> Chapter {
    let title = format!("{}: {}", document.short_name(), document.title());
    let requirements = data.coverage.requirements.iter();
    let of_document: Vec<&Covered<'_>> = requirements
        .filter(|covered| covered.entry.document == document)
        .collect();
    let mut sections: Vec<&str> = Vec::new();
    for covered in &of_document {
        let section = covered.entry.requirement.section.as_str();
        if !sections.contains(&section) {
            sections.push(section);
        }
    }
    let mut text = format!(
        "# {}\n\n{} under {}.\n",
        prose(&title),
        counted(of_document.len(), "requirement"),
        counted(sections.len(), "heading"),
    );
    for section in sections {
        text += &format!("\n## {}\n", prose(section));
        let within = of_document.iter();
        for covered in within.filter(|covered| covered.entry.requirement.section == section) {
            text += &requirement(data, covered);
        }
    }
    Chapter {
        title,
        path: path(document),
        text,
        parts: Vec::new(),
    }
}

fn requirement(data: &Data<'_>, covered: &Covered<'_>) -> String {
    let requirement = &covered.entry.requirement;
    let id = &requirement.id;
    let mut text = format!(
        "\n### {id} {{#{id}}}\n\n{}\n\n*{}* · `{}`\n\n",
        prose(&requirement.statement),
        requirement.strength.word(),
        requirement.role,
    );
    if covered.cases.is_empty() {
        let reason = match (&requirement.no_case, &requirement.not_yet) {
            (Some(reason), _) => format!("No case can show it: {}", prose(reason)),
            (None, Some(reason)) => format!("There is no case yet: {}", prose(reason)),
            (None, None) => "There is no case yet.".to_owned(),
        };
        return text + &reason + "\n";
    }
    let cases = covered.cases.iter().map(|case| case_link(case));
    text += &format!("Shown by {}.\n", listed(cases));
    if !data.judged.is_empty() {
        let standings = data.judged.iter().map(|judged| {
            let name = &judged.toolchain;
            let standing = chip(judged.standing(&covered.entry.requirement, &covered.cases));
            format!("[{name}](../{}) {standing}", toolchain_page(name))
        });
        text += &format!("\n{}\n", standings.collect::<Vec<_>>().join(" · "));
    }
    text
}
