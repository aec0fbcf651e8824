//! The one place that says which differences between runs mean nothing: line ends, and the folders
//! of this checkout and this run. Everything else is compared as it is.

use std::path::Path;

/// What stands for what in the texts of one run.
#[derive(Debug, Clone, Default)]
pub struct Normaliser {
    /// Paths and the placeholders that replace them, longest path first.
    paths: Vec<(String, String)>,
}

impl Normaliser {
    /// A normaliser that writes each path as the placeholder beside it.
    #[must_use]
    pub fn new<'a>(paths: impl IntoIterator<Item = (&'a Path, &'a str)>) -> Self {
        let mut paths: Vec<(String, String)> = paths
            .into_iter()
            .flat_map(|(path, name)| {
                // Tools find themselves where links lead.
                let real = path.canonicalize().ok().filter(|real| real != path);
                let paths = std::iter::once(path.to_owned()).chain(real);
                paths.map(|path| (path.to_string_lossy().into_owned(), name.to_owned()))
            })
            .collect();
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        Normaliser { paths }
    }

    /// The text as cases see it.
    #[must_use]
    pub fn text(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        self.paths
            .iter()
            .fold(text, |text, (path, name)| text.replace(path, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_by_its_links_and_by_its_own_name() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let normaliser = Normaliser::new([(link.as_path(), "%w")]);
        let text = format!(
            "{} {}",
            link.display(),
            real.canonicalize().unwrap().display()
        );
        assert_eq!(normaliser.text(text.as_bytes()), "%w %w");
    }

    #[test]
    fn the_longest_path_wins() {
        let normaliser = Normaliser::new([(Path::new("/w"), "%w"), (Path::new("/w/t"), "%t")]);
        assert_eq!(
            normaliser.text(b"/w/t/a.o /w/b\r\n/x\n"),
            "%t/a.o %w/b\n/x\n"
        );
    }
}
