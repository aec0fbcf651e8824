//! Which device libraries a link takes in (`-fno-sycl-device-lib=`, MODEL "Device Linking").

use super::options::{Note, OptionsError};

/// A choice of device libraries, by the groups that `-fno-sycl-device-lib=` names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceLibraries {
    chosen: [bool; GROUPS.len()],
}

/// A group of device libraries: its name on the command line and its files.
struct Group {
    name: &'static str,
    files: &'static [&'static str],
}

/// What there is to choose from. The order is the order on the wrapper's command line.
const GROUPS: [Group; 8] = [
    Group {
        name: "libc",
        files: &["libsycl-crt.bc", crate::link::ASSERT_FALLBACK],
    },
    Group {
        name: "libm-fp32",
        files: &["libsycl-cmath.bc", "libsycl-complex.bc"],
    },
    Group {
        name: "libm-fp64",
        files: &["libsycl-cmath-fp64.bc", "libsycl-complex-fp64.bc"],
    },
    Group {
        name: "libm-bfloat16",
        files: &["libsycl-bfloat16.bc"],
    },
    // DPC++'s own, for which there are no files here.
    without_files("libimf-fp32"),
    without_files("libimf-fp64"),
    without_files("libimf-bf16"),
    without_files("internal"),
];

const fn without_files(name: &'static str) -> Group {
    Group { name, files: &[] }
}

impl Default for DeviceLibraries {
    fn default() -> Self {
        DeviceLibraries {
            chosen: [true; GROUPS.len()],
        }
    }
}

impl DeviceLibraries {
    /// Drops the groups of a comma-separated list.
    ///
    /// # Errors
    /// A name that is no group.
    pub fn leave_out(&mut self, list: &str) -> Result<(), OptionsError> {
        self.set("-fno-sycl-device-lib=", list, false)
    }

    /// Takes the groups of a comma-separated list in again.
    ///
    /// # Errors
    /// A name that is no group.
    pub fn take_in(&mut self, list: &str) -> Result<(), OptionsError> {
        self.set("-fsycl-device-lib=", list, true)
    }

    /// What is to be said of the libraries of a list that there are no files of.
    pub fn notes<'a>(option: &'a str, list: &'a str) -> impl Iterator<Item = Note> + 'a {
        let empty = |name: &&str| {
            let mut groups = GROUPS.iter();
            groups.any(|group| group.name == *name && group.files.is_empty())
        };
        list.split(',')
            .filter(empty)
            .map(move |name| Note::WithoutEffect {
                word: format!("{option}{name}"),
                because: "it is a library of DPC++'s that there is not here",
            })
    }

    /// The files of the chosen groups.
    pub fn files(&self) -> impl Iterator<Item = &'static str> {
        GROUPS
            .iter()
            .zip(self.chosen)
            .filter(|(_, chosen)| *chosen)
            .flat_map(|(group, _)| group.files.iter().copied())
    }

    fn set(&mut self, option: &'static str, list: &str, to: bool) -> Result<(), OptionsError> {
        for name in list.split(',').filter(|name| !name.is_empty()) {
            let mut known = name == "all";
            for (group, chosen) in GROUPS.iter().zip(&mut self.chosen) {
                if name == "all" || name == group.name {
                    *chosen = to;
                    known = true;
                }
            }
            if !known {
                let expected = "libc, libm-fp32, libm-fp64, libm-bfloat16, libimf-fp32, \
                                libimf-fp64, libimf-bf16, internal or all";
                return Err(OptionsError::value(option, name, expected));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_go_and_come_back() {
        let mut libraries = DeviceLibraries::default();
        libraries.leave_out("all").unwrap();
        assert_eq!(libraries.files().count(), 0);
        libraries.take_in("libc,libm-fp64").unwrap();
        assert_eq!(
            libraries.files().collect::<Vec<_>>(),
            [
                "libsycl-crt.bc",
                "libsycl-fallback-cassert.bc",
                "libsycl-cmath-fp64.bc",
                "libsycl-complex-fp64.bc"
            ]
        );
        libraries.leave_out("libc,libimf-fp32,internal").unwrap();
        assert_eq!(libraries.files().count(), 2);
        assert!(libraries.leave_out("libfoo").is_err());
    }
}
