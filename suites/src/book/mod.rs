//! The book: hand-written chapters (`docs/src/`), and chapters made of the catalogue, the cases, the
//! toolchains' descriptions and what those came to (`docs/matrix/`).
//!
//! A book is markdown that mdbook renders. Everything in it comes from here, so that its links can be
//! checked without mdbook.

mod cases;
mod include;
pub mod links;
mod requirements;
mod tables;
mod text;
mod toolchains;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::coverage::Coverage;
use crate::layout::{Layout, files_under};
use crate::library::Library;
use crate::matrix::Judged;
use crate::toolchain::{Described, Toolchain as _};

/// The page that lists all others, as mdbook wants it.
const SUMMARY: &str = "SUMMARY.md";

/// A book.
#[derive(Debug, Clone, Default)]
pub struct Book {
    /// Its pages as markdown, by their paths.
    pub pages: BTreeMap<String, String>,
    /// Files that it shows, such as pictures: the path in the book, and where the file lies.
    pub files: BTreeMap<String, PathBuf>,
}

/// What generated chapters are made of.
struct Data<'a> {
    library: &'a Library,
    coverage: Coverage<'a>,
    /// The toolchains that are somebody's, and the texts of their descriptions.
    toolchains: Vec<(Described, String)>,
    stand_ins: Vec<Described>,
    judged: Vec<Judged>,
}

/// A generated chapter.
struct Chapter {
    title: String,
    path: String,
    text: String,
    /// The chapters below it.
    parts: Vec<Chapter>,
}

impl Book {
    /// Makes the book of a checkout.
    ///
    /// # Errors
    /// Names what cannot be read, and what is there of a toolchain that nothing describes.
    pub fn of(layout: &Layout, library: &Library) -> Result<Self, String> {
        let mut book = Book::default();
        let written = layout.docs.join("src");
        for file in files_under(&written)? {
            let text = include::expanded(&file)?;
            book.pages.insert(path_in(&written, &file), text);
        }
        let images = layout.docs.join("images");
        for file in files_under(&images)? {
            let path = format!("images/{}", path_in(&images, &file));
            book.files.insert(path, file);
        }
        let data = Data::read(layout, library)?;
        let chapters = [
            tables::matrix(&data),
            requirements::chapter(&data),
            toolchains::chapter(&data),
            cases::chapter(&data, layout)?,
        ];
        let summary = book.pages.entry(SUMMARY.to_owned()).or_default();
        summary.push_str("\n# What is asked, and what toolchains do\n\n");
        for chapter in chapters {
            book.take(chapter, 0);
        }
        Ok(book)
    }

    /// Lists a chapter and takes its page in.
    fn take(&mut self, chapter: Chapter, depth: usize) {
        let line = format!(
            "{}- [{}]({})\n",
            "  ".repeat(depth),
            chapter.title,
            chapter.path
        );
        self.pages
            .entry(SUMMARY.to_owned())
            .or_default()
            .push_str(&line);
        self.pages.insert(chapter.path, chapter.text);
        for part in chapter.parts {
            self.take(part, depth + 1);
        }
    }

    /// Links that lead nowhere, and pages that are not listed, which mdbook would leave out.
    #[must_use]
    pub fn mistakes(&self) -> Vec<String> {
        let pages = self.pages.iter();
        let mut pages: BTreeMap<String, links::Page> = pages
            .map(|(path, text)| (path.clone(), links::Page::of_markdown(text)))
            .collect();
        let listed: BTreeSet<&str> = pages.get(SUMMARY).map_or_else(BTreeSet::new, |summary| {
            summary.links.iter().map(String::as_str).collect()
        });
        let unlisted = self.pages.keys().map(String::as_str);
        let unlisted = unlisted.filter(|path| *path != SUMMARY && !listed.contains(path));
        let mut mistakes: Vec<String> = unlisted
            .map(|path| format!("{path}: {SUMMARY} does not list it"))
            .collect();
        for path in self.files.keys() {
            pages.insert(path.clone(), links::Page::default());
        }
        mistakes.extend(links::dangling(&pages));
        mistakes
    }

    /// Writes pages and files into `folder`, which holds nothing else afterwards.
    ///
    /// # Errors
    /// Names the file that cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let fail = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        if folder.exists() {
            std::fs::remove_dir_all(folder).map_err(|e| fail(folder, e))?;
        }
        let place = |path: &str| {
            let file = folder.join(path);
            let parent = file.parent().unwrap_or(folder);
            std::fs::create_dir_all(parent).map_err(|e| fail(parent, e))?;
            Ok::<PathBuf, String>(file)
        };
        for (path, text) in &self.pages {
            let file = place(path)?;
            std::fs::write(&file, text).map_err(|e| fail(&file, e))?;
        }
        for (path, from) in &self.files {
            std::fs::copy(from, place(path)?).map_err(|e| fail(from, e))?;
        }
        Ok(())
    }
}

impl<'a> Data<'a> {
    fn read(layout: &Layout, library: &'a Library) -> Result<Self, String> {
        let (mut toolchains, mut stand_ins) = (Vec::new(), Vec::new());
        for file in layout.descriptions()? {
            let described = Described::load(&file.to_string_lossy(), layout)?;
            if described.is_stand_in() {
                stand_ins.push(described);
                continue;
            }
            let text =
                std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            toolchains.push((described, text));
        }
        let judged = Judged::read_all(&layout.docs.join("matrix"))?;
        let strange = judged.iter().find(|judged| {
            let name = judged.toolchain.as_str();
            !toolchains.iter().any(|(known, _)| known.name() == name)
        });
        if let Some(strange) = strange {
            let name = &strange.toolchain;
            return Err(format!(
                "docs/matrix/{name}.json: no toolchain '{name}' is described"
            ));
        }
        Ok(Data {
            library,
            coverage: Coverage::of(library),
            toolchains,
            stand_ins,
            judged,
        })
    }
}

/// A file's path below `folder`, with forward slashes.
fn path_in(folder: &Path, file: &Path) -> String {
    let path = file.strip_prefix(folder).unwrap_or(file);
    let parts = path.iter().map(|part| part.to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_link_of_the_book_leads_somewhere() {
        let layout = Layout::here();
        let library = Library::load(&layout).unwrap();
        let book = Book::of(&layout, &library).unwrap();
        let mistakes = book.mistakes();
        assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
        for document in crate::catalogue::Document::ALL {
            let path = format!("requirements/{}.md", document.short_name().to_lowercase());
            assert!(book.pages.contains_key(&path), "{path}");
        }
        for (path, file) in &book.files {
            let size = std::fs::metadata(file).unwrap().len();
            assert!(
                size < 150_000,
                "{path}: {size} bytes, of which the README loads each"
            );
        }
        let first = library.catalogue.entries.keys().next().unwrap();
        let ids = book
            .pages
            .values()
            .map(|text| links::Page::of_markdown(text).ids);
        assert!(ids.flatten().any(|id| id == *first));
    }

    #[test]
    fn a_page_that_is_not_listed_and_a_link_to_nothing_are_told() {
        let mut book = Book::default();
        let pages = [
            (SUMMARY, "# S\n\n- [a](a.md)\n"),
            (
                "a.md",
                "# A\n\n[b](b.md#there) [b](b.md#not-there) ![](images/x.png)\n",
            ),
            ("b.md", "# B\n\n## There\n"),
        ];
        for (path, text) in pages {
            book.pages.insert(path.to_owned(), text.to_owned());
        }
        let expected = [
            "b.md: SUMMARY.md does not list it",
            "a.md: the link to b.md#not-there leads nowhere",
            "a.md: the link to images/x.png leads nowhere",
        ];
        assert_eq!(book.mistakes(), expected);
    }

    #[test]
    fn verdicts_of_a_toolchain_that_nobody_describes_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let layout = Layout {
            docs: root.path().to_owned(),
            ..Layout::here()
        };
        let judged = Judged {
            toolchain: "nobody".to_owned(),
            version: None,
            date: "2026-01-01".to_owned(),
            borrows: Vec::new(),
            cases: BTreeMap::new(),
            breaks: BTreeMap::new(),
        };
        judged.write(&root.path().join("matrix")).unwrap();
        let library = Library::load(&layout).unwrap();
        let mistake = Book::of(&layout, &library).unwrap_err();
        assert!(mistake.contains("no toolchain 'nobody'"), "{mistake}");
    }

    #[test]
    fn a_book_is_written_whole_and_nothing_of_an_earlier_one_stays() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("x.png"), root.path().join("src"));
        std::fs::write(&from, "picture").unwrap();
        std::fs::create_dir(&to).unwrap();
        std::fs::write(to.join("old.md"), "").unwrap();
        let mut book = Book::default();
        book.pages.insert("a/b.md".to_owned(), "# B\n".to_owned());
        book.files.insert("images/x.png".to_owned(), from);
        book.write(&to).unwrap();
        let files = files_under(&to).unwrap();
        let files: Vec<String> = files.iter().map(|file| path_in(&to, file)).collect();
        assert_eq!(files, ["a/b.md", "images/x.png"]);
    }
}
