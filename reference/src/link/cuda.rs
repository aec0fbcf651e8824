//! What a link for NVIDIA's GPUs takes of CUDA: its library of mathematics and its assembler.

use std::path::{Path, PathBuf};

use components::{Component, Components, Missing};

use crate::link::LinkError;

/// Where CUDA installations usually lie.
const USUAL: [&str; 4] = [
    "/usr/local/cuda",
    "/opt/cuda",
    "/usr/lib/cuda",
    "/usr/lib/nvidia-cuda-toolkit",
];

/// Variables that name a CUDA installation, which stands in the place of the usual ones.
const VARIABLES: [&str; 2] = ["CUDA_PATH", "CUDA_HOME"];

/// Where things lie in an installation.
const LIBDEVICE: &[&str] = &[
    "nvvm/libdevice/libdevice.10.bc",
    "libdevice/libdevice.10.bc",
];
const PTXAS: &[&str] = &["bin/ptxas"];

/// Where the parts of CUDA are looked for.
pub struct Cuda<'a> {
    /// What `--cuda-path=` says: an empty name is for none at all.
    option: Option<&'a Path>,
    /// The installation that the environment names.
    variable: Option<PathBuf>,
    components: &'a Components,
}

impl<'a> Cuda<'a> {
    /// With the installation that `--cuda-path=` or else the environment names.
    #[must_use]
    pub fn new(option: Option<&'a Path>, components: &'a Components) -> Self {
        let mut named = VARIABLES.into_iter().filter_map(std::env::var_os);
        let variable = named.find(|folder| !folder.is_empty());
        Cuda {
            option,
            variable: variable.map(PathBuf::from),
            components,
        }
    }

    /// The library of mathematics, or what brings it.
    ///
    /// # Errors
    /// When `--cuda-path=` names a folder without it.
    pub fn libdevice(&self) -> Result<Result<PathBuf, Missing>, LinkError> {
        let found = self.find(Component::Libdevice, LIBDEVICE);
        match self.option {
            Some(folder)
                if !folder.as_os_str().is_empty() && within(folder, LIBDEVICE).is_none() =>
            {
                Err(LinkError::Option(format!(
                    "--cuda-path='{}' holds no {}",
                    folder.display(),
                    LIBDEVICE[0]
                )))
            }
            _ => Ok(found),
        }
    }

    /// The assembler, or what brings it.
    ///
    /// # Errors
    /// When there is none.
    pub fn ptxas(&self) -> Result<PathBuf, Missing> {
        self.find(Component::Ptxas, PTXAS)
    }

    /// In what `--cuda-path=` names, among what set-up brought, in what the environment names, or in the
    /// usual places.
    fn find(&self, component: Component, places: &[&str]) -> Result<PathBuf, Missing> {
        if self
            .option
            .is_some_and(|folder| folder.as_os_str().is_empty())
        {
            return Err(Missing { component });
        }
        if let Some(found) = self.option.and_then(|folder| within(folder, places)) {
            return Ok(found);
        }
        // An environment may name an installation that knows no architecture of this year.
        let missing = match self.components.find(component) {
            Ok(found) => return Ok(found.path),
            Err(missing) => missing,
        };
        let others = match (self.option, self.variable.as_deref()) {
            (Some(_), _) => Vec::new(),
            (None, Some(folder)) => vec![folder],
            (None, None) => USUAL.iter().map(Path::new).collect(),
        };
        let mut found = others
            .into_iter()
            .filter_map(|folder| within(folder, places));
        found.next().ok_or(missing)
    }
}

fn within(folder: &Path, places: &[&str]) -> Option<PathBuf> {
    let mut places = places.iter().map(|place| folder.join(place));
    places.find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_names_comes_first_and_an_empty_name_is_for_none() {
        let root = tempfile::tempdir().unwrap();
        let options = components::Options {
            from: root.path().join("tool"),
            home: Some(root.path().join("none")),
            path: Vec::new(),
        };
        let components = Components::discover(&options).unwrap();
        let of = |option, variable: Option<&str>| Cuda {
            option,
            variable: variable.map(|name| root.path().join(name)),
            components: &components,
        };
        let option = root.path().join("option");
        let error = of(Some(&option), None).libdevice().unwrap_err().to_string();
        assert!(error.contains(LIBDEVICE[0]), "{error}");
        for name in ["option", "variable"] {
            for place in [LIBDEVICE[1], PTXAS[0]] {
                let file = root.path().join(name).join(place);
                std::fs::create_dir_all(file.parent().unwrap()).unwrap();
                std::fs::write(file, "").unwrap();
            }
        }
        let found = |cuda: &Cuda<'_>| (cuda.libdevice().unwrap(), cuda.ptxas());
        for (option, name) in [(Some(&*option), "option"), (None, "variable")] {
            let folder = root.path().join(name);
            let expected = (Ok(folder.join(LIBDEVICE[1])), Ok(folder.join(PTXAS[0])));
            assert_eq!(found(&of(option, Some("variable"))), expected);
        }
        let (libdevice, ptxas) = found(&of(Some(Path::new("")), Some("variable")));
        assert!(libdevice.is_err() && ptxas.is_err());
        let (libdevice, _) = found(&of(None, Some("elsewhere")));
        assert_eq!(libdevice.unwrap_err().component, Component::Libdevice);
    }
}
