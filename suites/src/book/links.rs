//! Links of a book: those of its markdown, which need no mdbook, and those of the pages that mdbook
//! made of it. A link to a page has to have that page, and a link to a part of it that part.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::layout::files_under;

/// What a page links to, and what of it can be linked to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its links as they are written.
    pub links: Vec<String>,
    /// The ids of its parts.
    pub ids: BTreeSet<String>,
}

impl Page {
    /// Reads markdown as mdbook does.
    #[must_use]
    pub fn of_markdown(text: &str) -> Self {
        let mut page = Page::default();
        // The explicit id and the words of the heading that is being read.
        let mut heading: Option<(Option<String>, String)> = None;
        let options = Options::ENABLE_HEADING_ATTRIBUTES | Options::ENABLE_TABLES;
        for event in Parser::new_ext(text, options) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { id, .. }) => {
                    heading = Some((id.map(|id| id.into_string()), String::new()));
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some((_, heading)) = &mut heading {
                        heading.push_str(&words);
                    }
                }
                Event::End(TagEnd::Heading(_)) => {
                    if let Some((id, words)) = heading.take() {
                        page.add_id(id.unwrap_or_else(|| slug(&words)));
                    }
                }
                _ => (),
            }
        }
        page
    }

    /// Ids that come again get a number.
    fn add_id(&mut self, id: String) {
        let mut numbered = (1..).map(|number| format!("{id}-{number}"));
        let free = match self.ids.contains(&id) {
            true => numbered.find(|id| !self.ids.contains(id)),
            false => Some(id.clone()),
        };
        self.ids.extend(free);
    }

    /// Reads a page that mdbook wrote.
    fn of_html(text: &str, links: &Regex, ids: &Regex) -> Self {
        let plain = |text: &str| text.replace("&amp;", "&");
        let found = |regex: &Regex| {
            let found = regex.captures_iter(text).filter_map(|found| found.get(1));
            found.map(|m| plain(m.as_str())).collect::<Vec<_>>()
        };
        Page {
            links: found(links),
            ids: found(ids).into_iter().collect(),
        }
    }
}

/// The id that mdbook gives a heading.
fn slug(words: &str) -> String {
    let kept = words.trim().chars().filter_map(|c| match c {
        _ if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
        _ if c.is_whitespace() => Some('-'),
        _ => None,
    });
    kept.collect()
}

/// The links that lead nowhere, each with its page. Links out of the book are not looked at.
#[must_use]
pub fn dangling(pages: &BTreeMap<String, Page>) -> Vec<String> {
    let mut mistakes = Vec::new();
    for (path, page) in pages {
        let mut told = BTreeSet::new();
        for link in &page.links {
            let leaves =
                link.contains("://") || link.starts_with("mailto:") || link.starts_with("data:");
            if !leaves && !leads(pages, path, link) && told.insert(link) {
                mistakes.push(format!("{path}: the link to {link} leads nowhere"));
            }
        }
    }
    mistakes
}

fn leads(pages: &BTreeMap<String, Page>, from: &str, link: &str) -> bool {
    let (path, part) = match link.split_once('#') {
        Some((path, part)) => (path, Some(part)),
        None => (link, None),
    };
    let target = match path.split('?').next() {
        None | Some("") => Some(from.to_owned()),
        Some(path) => resolved(from, path),
    };
    let page = target.and_then(|target| pages.get(&target));
    page.is_some_and(|page| part.is_none_or(|part| part.is_empty() || page.ids.contains(part)))
}

/// A relative link's target from the book's root; none outside of it.
fn resolved(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => (),
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// The links that lead nowhere within a folder of pages that mdbook made.
///
/// # Errors
/// Names what cannot be read.
pub fn dangling_in(folder: &Path) -> Result<Vec<String>, String> {
    let regex = |text: &str| Regex::new(text).map_err(|e| e.to_string());
    let links = regex(r#"<[a-z]+\s[^>]*?\b(?:href|src)="([^"]*)""#)?;
    let ids = regex(r#"<[a-z][a-z0-9-]*\s[^>]*?\b(?:id|name)="([^"]*)""#)?;
    let mut pages = BTreeMap::new();
    for file in files_under(folder)? {
        let path = super::path_in(folder, &file);
        // The page for addresses that lead nowhere is served from any of them.
        let is_page = path.ends_with(".html") && path != "404.html";
        let page = match is_page {
            true => {
                let text = std::fs::read_to_string(&file)
                    .map_err(|e| format!("{}: {e}", file.display()))?;
                Page::of_html(&text, &links, &ids)
            }
            false => Page::default(),
        };
        pages.insert(path, page);
    }
    Ok(dangling(&pages))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_ids_are_read_as_mdbook_makes_them() {
        let text = "# What `it` is: A_b-c!\n\n## X {#Own-001}\n\n## x\n## x\n\n\
                    [a](b.md#c) ![p](i/p.png) `[no](no.md)`\n\n| a |\n|---|\n| [t](t.md) |\n";
        let page = Page::of_markdown(text);
        let ids: Vec<&str> = page.ids.iter().map(String::as_str).collect();
        assert_eq!(ids, ["Own-001", "what-it-is-a_b-c", "x", "x-1"]);
        assert_eq!(page.links, ["b.md#c", "i/p.png", "t.md"]);
    }

    #[test]
    fn pages_that_mdbook_made_are_held_to_their_links() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("d")).unwrap();
        write("x.css", "");
        write("404.html", r#"<a href="/nowhere.html">"#);
        write(
            "d/a.html",
            r##"<link rel="s" href="../x.css"><h1 id="top"><a class="h" href="#top">A</a></h1>
                <a href="../b.html#there">b</a> <a href="https://example.org/x">c</a>
                <a href="../b.html#gone">b</a> <img src="p.png"> <a href="../../out.html">o</a>"##,
        );
        write("b.html", r#"<h2 class="x" id="there"></h2>"#);
        let expected = ["../b.html#gone", "p.png", "../../out.html"]
            .map(|link| format!("d/a.html: the link to {link} leads nowhere"));
        assert_eq!(dangling_in(folder.path()).unwrap(), expected);
    }
}
