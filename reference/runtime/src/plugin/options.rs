//! The table of OPT, "Requirements": how each interface spells the options of the front end.

use super::{Backend, DeviceType};
use crate::error::{Error, Kind, Result};

impl Backend {
    /// The interface's own spelling of a front-end option (OPT, "Changes to the plugin"): empty when
    /// there is none to give, also for an option that it has never heard of.
    ///
    /// # Errors
    /// When the option is empty.
    pub fn option(self, frontend_option: &str) -> Result<&'static str> {
        match (self, frontend_option) {
            (_, "") => Err(Error::new(
                Kind::Invalid,
                format!(
                    "the front-end option to translate for {} is empty",
                    self.title()
                ),
            )),
            (Backend::LevelZero, "-ftarget-compile-fast") => {
                Ok("-igc_opts 'PartitionUnit=1,SubroutineThreshold=50000'")
            }
            (Backend::LevelZero, "-ftarget-register-alloc-mode=pvc:auto") => {
                Ok("-ze-intel-enable-auto-large-GRF-mode")
            }
            (Backend::LevelZero, "-ftarget-register-alloc-mode=pvc:large") => {
                Ok("-ze-opt-large-register-file")
            }
            (Backend::LevelZero, "-ftarget-register-alloc-mode=pvc:small") => {
                Ok("-ze-intel-128-GRF-per-thread")
            }
            (Backend::OpenCl, "-ftarget-register-alloc-mode=pvc:auto") => {
                Ok("-cl-intel-enable-auto-large-GRF-mode")
            }
            (Backend::OpenCl, "-ftarget-register-alloc-mode=pvc:large") => {
                Ok("-cl-intel-256-GRF-per-thread")
            }
            (Backend::OpenCl, "-ftarget-register-alloc-mode=pvc:small") => {
                Ok("-cl-intel-128-GRF-per-thread")
            }
            (Backend::OpenCl, "-O0") => Ok("-cl-opt-disable"),
            (Backend::LevelZero, "-O0") => Ok("-ze-opt-disable"),
            (Backend::LevelZero, "-O1" | "-O2" | "-O3") => Ok("-ze-opt-level=2"),
            _ => Ok(""),
        }
    }

    /// The option by which the compiler of a kind of device tells where an image's variables are: that of
    /// GPUs forgets some without it.
    #[must_use]
    pub fn option_for_variables(self, kind: DeviceType) -> &'static str {
        match (self, kind) {
            (Backend::LevelZero, _) => "-ze-take-global-address",
            (Backend::OpenCl, DeviceType::Gpu) => "-cl-take-global-address",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Backend, DeviceType};

    #[test]
    fn options_follow_the_table_of_opt() {
        let answers = |backend: Backend| {
            ["-O0", "-O1", "-O2", "-O3", "-fanything"].map(|asked| backend.option(asked).unwrap())
        };
        assert_eq!(
            answers(Backend::OpenCl),
            ["-cl-opt-disable", "", "", "", ""]
        );
        let level = "-ze-opt-level=2";
        assert_eq!(
            answers(Backend::LevelZero),
            ["-ze-opt-disable", level, level, level, ""]
        );
        assert_eq!(answers(Backend::Cuda), [""; 5]);
    }

    #[test]
    fn only_compilers_of_gpus_are_told_that_the_host_reaches_variables() {
        let told = Backend::ALL.map(|backend| {
            [DeviceType::Gpu, DeviceType::Cpu].map(|kind| backend.option_for_variables(kind))
        });
        let level_zero = "-ze-take-global-address";
        assert!(told.contains(&["-cl-take-global-address", ""]));
        assert!(told.contains(&[level_zero, level_zero]) && told.contains(&["", ""]));
    }

    #[test]
    fn an_empty_option_is_an_invalid_value() {
        for backend in Backend::ALL {
            let error = backend.option("").unwrap_err();
            assert_eq!(error.kind, crate::error::Kind::Invalid);
        }
    }
}
