//! The chapters of cases, one a suite: each case's text, and how each toolchain came out.

use super::text::{
    case_place, chip, code, counted, listed, prose, requirement_link, toolchain_page,
};
use super::{Chapter, Data, path_in};
use crate::case::Case;
use crate::layout::{Layout, files_under};

/// The chapter of all cases, with one below it for each suite.
pub fn chapter(data: &Data<'_>, layout: &Layout) -> Result<Chapter, String> {
    let mut text = "# Cases\n\n\
        [How to write a case](case.md) explains what stands in them.\n\n\
        | suite | cases | beyond the documents |\n|---|---:|---:|\n"
        .to_owned();
    let mut suites: Vec<&str> = data.library.cases.iter().map(Case::suite).collect();
    suites.dedup();
    let mut parts = Vec::new();
    for suite in suites {
        let of_suite: Vec<&Case> = data
            .library
            .cases
            .iter()
            .filter(|case| case.suite() == suite)
            .collect();
        let beyond = of_suite.iter().filter(|case| case.body.beyond.is_some());
        text += &format!(
            "| [{suite}](cases/{suite}.md) | {} | {} |\n",
            of_suite.len(),
            beyond.count()
        );
        let mut page = format!("# {suite}\n\n{}.\n", counted(of_suite.len(), "case"));
        for case in of_suite {
            page += &one(data, case, layout)?;
        }
        parts.push(Chapter {
            title: suite.to_owned(),
            path: format!("cases/{suite}.md"),
            text: page,
            parts: Vec::new(),
        });
    }
    Ok(Chapter {
        title: "Cases".to_owned(),
        path: "cases.md".to_owned(),
        text,
        parts,
    })
}

fn one(data: &Data<'_>, case: &Case, layout: &Layout) -> Result<String, String> {
    let place = case_place(&case.name);
    let id = place.split('#').nth(1).unwrap_or_default();
    let ids = case.body.requirements.iter().map(|id| requirement_link(id));
    let mut text = format!(
        "\n## {} {{#{id}}}\n\n{}\n\n",
        prose(&case.name),
        prose(&case.body.about)
    );
    text += &match &case.body.beyond {
        Some(reason) => format!(
            "It asks for more than the documents do, near to {}: {}\n",
            listed(ids),
            prose(reason)
        ),
        None => format!("It shows {}.\n", listed(ids)),
    };
    if !data.judged.is_empty() {
        let standings = data.judged.iter().map(|judged| {
            let name = &judged.toolchain;
            let standing = chip(judged.case(&case.name));
            format!("[{name}](../{}) {standing}", toolchain_page(name))
        });
        text += &format!("\n{}\n", standings.collect::<Vec<_>>().join(" · "));
    }
    let root = layout.cases.parent().unwrap_or(&layout.cases);
    let shown =
        std::fs::read_to_string(&case.file).map_err(|e| format!("{}: {e}", case.file.display()))?;
    let file = format!("suites/{}", path_in(root, &case.file));
    text += &format!("\n<details>\n<summary>{file}</summary>\n\n");
    text += &code("yaml", &shown);
    text += "\n</details>\n";
    if case.file.ends_with("case.yaml") {
        let folder = case.file.parent().unwrap_or(&layout.cases);
        let beside = files_under(folder)?;
        let beside = beside.iter().filter(|file| **file != case.file);
        let beside: Vec<String> = beside
            .map(|file| format!("`{}`", path_in(folder, file)))
            .collect();
        if !beside.is_empty() {
            text += &format!("\nBeside it lie {}.\n", listed(beside));
        }
    }
    Ok(text)
}
