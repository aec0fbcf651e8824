//! Finding components: which one was chosen, where it is, and why.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::catalog::{Component, Kind, Source};
use crate::home::{self, Home};
use crate::process::Job;

/// Where to look.
#[derive(Debug, Clone)]
pub struct Options {
    /// The tool or library that asks; decides which index of set-up serves it.
    pub from: PathBuf,
    /// The folder of set-up, instead of the one that follows from `from`.
    pub home: Option<PathBuf>,
    /// The folders that programs are looked up in, in order.
    pub path: Vec<PathBuf>,
}

impl Default for Options {
    /// From the running executable and its environment.
    fn default() -> Self {
        let from = std::env::current_exe().unwrap_or_default();
        let path = std::env::var_os("PATH").unwrap_or_default();
        Options {
            from: from.canonicalize().unwrap_or(from),
            home: std::env::var_os(home::VARIABLE).map(PathBuf::from),
            path: std::env::split_paths(&path).collect(),
        }
    }
}

/// The components of this machine. Making one is cheap: things are looked up when asked for, and
/// no process is started.
#[derive(Debug, Clone)]
pub struct Components {
    home: Home,
    home_reason: String,
    path: Vec<PathBuf>,
    llvm_root: PathBuf,
}

/// A component that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Which one.
    pub component: Component,
    /// Its program, library or file.
    pub path: PathBuf,
    /// The pinned version, for what set-up brought; [`Found::version`] asks the others.
    pub pinned_version: Option<String>,
    /// Why this one was chosen.
    pub why: String,
}

/// A component that is not there; says what brings it, on one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Missing {
    /// Which one.
    pub component: Component,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Missing { component } = self;
        let (name, purpose) = (component.name(), component.purpose());
        write!(f, "{name} is missing ({purpose}); {}", component.remedy())
    }
}

/// A clang installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clang {
    /// The `clang++` driver.
    pub program: PathBuf,
    /// The folder of clang's own headers and libraries (`-resource-dir`).
    pub resource_dir: PathBuf,
    /// Why this one was chosen.
    pub why: String,
}

/// An OpenCL implementation that set-up brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenClRuntime {
    /// The library that holds the implementation; its dependencies lie beside it, so that it
    /// loads with no variable set.
    pub library: PathBuf,
    /// A folder with an ICD file that names the library, for `OCL_ICD_VENDORS`.
    pub vendors: PathBuf,
    /// The program that starts others so that the library can be loaded into them, where it is built for
    /// a newer C library than the machine may have.
    pub starter: Option<PathBuf>,
    /// The version.
    pub version: String,
}

/// The runtime and headers of DPC++.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DpcppRuntime {
    /// The folder of `libsycl.so` and all it needs.
    pub lib: PathBuf,
    /// The folder of `sycl/sycl.hpp`.
    pub include: PathBuf,
    /// The pinned version.
    pub version: String,
}

impl Components {
    /// The components that the running executable uses.
    ///
    /// # Errors
    /// When the index of set-up cannot be read.
    pub fn here() -> std::io::Result<Components> {
        Components::discover(&Options::default())
    }

    /// The components as `options` has them found.
    ///
    /// # Errors
    /// When the index of set-up cannot be read.
    pub fn discover(options: &Options) -> std::io::Result<Components> {
        let (home, home_reason) = match home::locate(options.home.clone(), &options.from) {
            Some((folder, reason)) => {
                let reason = format!("{reason} ({})", folder.display());
                (Home::read(&folder)?, reason)
            }
            None => (Home::default(), String::new()),
        };
        Ok(Components {
            home,
            home_reason,
            path: options.path.clone(),
            llvm_root: PathBuf::from("/usr/lib/llvm-19"),
        })
    }

    /// The folder of set-up that serves, and its index.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Looks one component up.
    ///
    /// # Errors
    /// When it is not there: what brings it.
    pub fn find(&self, component: Component) -> Result<Found, Missing> {
        self.look_up(component).ok_or(Missing { component })
    }

    /// The clang that compiles.
    ///
    /// # Errors
    /// When there is no clang 19.
    pub fn clang(&self) -> Result<Clang, Missing> {
        let found = self.find(Component::Clang)?;
        let missing = Missing {
            component: Component::Clang,
        };
        // `clang++-19` is a link into the installation, which holds the resource folder.
        let real = found.path.canonicalize().map_err(|_| missing.clone())?;
        let resource_dir = real
            .ancestors()
            .nth(2)
            .map(|root| root.join("lib/clang/19"))
            .filter(|folder| folder.is_dir())
            .ok_or(missing)?;
        Ok(Clang {
            program: found.path,
            resource_dir,
            why: found.why,
        })
    }

    /// Intel's OpenCL CPU runtime.
    ///
    /// # Errors
    /// When set-up has not brought it.
    pub fn opencl_cpu(&self) -> Result<OpenClRuntime, Missing> {
        self.opencl_runtime(Component::OpenClCpu)
    }

    /// Intel's FPGA emulator.
    ///
    /// # Errors
    /// When set-up has not brought it.
    pub fn opencl_fpga_emulator(&self) -> Result<OpenClRuntime, Missing> {
        self.opencl_runtime(Component::OpenClFpgaEmulator)
    }

    /// PoCL.
    ///
    /// # Errors
    /// When set-up has not brought it.
    pub fn opencl_pocl(&self) -> Result<OpenClRuntime, Missing> {
        let (folder, _) = self.unpacked(Component::Pocl)?;
        Ok(OpenClRuntime {
            starter: existing(folder.join("bin/with-pocl")),
            ..self.opencl_runtime(Component::Pocl)?
        })
    }

    /// The libraries of the OpenCL implementations that are installed in the system, as the ICD
    /// files in `/etc/OpenCL/vendors` name them.
    #[must_use]
    pub fn system_opencl_libraries(&self) -> Vec<String> {
        let Ok(files) = std::fs::read_dir("/etc/OpenCL/vendors") else {
            return Vec::new();
        };
        let mut paths: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "icd"));
        paths.sort();
        let names = paths.iter().filter_map(|p| std::fs::read_to_string(p).ok());
        names.map(|text| text.trim().to_owned()).collect()
    }

    /// The variables under which Intel's GPU driver runs against a capture device of `product`
    /// (`tgllp`, `icllp`, `skl`): everything is real but the results, which are not computed. What
    /// it records, up to gigabytes, is let go: nothing here reads it.
    ///
    /// # Errors
    /// When the driver is not installed.
    pub fn intel_gpu_capture(&self, product: &str) -> Result<Vec<(String, String)>, Missing> {
        self.find(Component::IntelGpuDriver)?;
        let variables = [
            ("NEOReadDebugKeys", "1"),
            ("SetCommandStreamReceiver", "1"),
            ("ProductFamilyOverride", product),
            ("AUBDumpCaptureFileName", "/dev/null"),
        ];
        Ok(variables.map(|(k, v)| (k.to_owned(), v.to_owned())).into())
    }

    /// The runtime and headers of DPC++.
    ///
    /// # Errors
    /// When set-up has not brought them.
    pub fn dpcpp_runtime(&self) -> Result<DpcppRuntime, Missing> {
        let (folder, version) = self.unpacked(Component::DpcppRuntime)?;
        Ok(DpcppRuntime {
            lib: folder.join("lib"),
            include: folder.join("include"),
            version,
        })
    }

    /// The folder of Intel's `libsycl-*.o` fat objects.
    ///
    /// # Errors
    /// When set-up has not brought them.
    pub fn intel_device_libraries(&self) -> Result<PathBuf, Missing> {
        let (folder, _) = self.unpacked(Component::IntelDeviceLibraries)?;
        Ok(folder.join("lib"))
    }

    fn opencl_runtime(&self, component: Component) -> Result<OpenClRuntime, Missing> {
        let library = self.find(component)?.path;
        let (folder, version) = self.unpacked(component)?;
        Ok(OpenClRuntime {
            library,
            vendors: folder.join("vendors"),
            starter: None,
            version,
        })
    }

    /// The folder and version of a component that set-up unpacked.
    fn unpacked(&self, component: Component) -> Result<(PathBuf, String), Missing> {
        let found = match component.source() {
            Source::Wheels(name)
            | Source::IntelWheels(name)
            | Source::NvidiaWheels(name)
            | Source::OtherSuite(name) => self.home.find(name),
            Source::Apt(_) | Source::Machine(_) => None,
        };
        let found = found.filter(|(folder, _)| folder.is_dir());
        found
            .map(|(folder, version)| (folder, version.to_owned()))
            .ok_or(Missing { component })
    }

    fn look_up(&self, component: Component) -> Option<Found> {
        let found = |path: PathBuf, why: String| Found {
            component,
            path,
            pinned_version: None,
            why,
        };
        match component.row().kind {
            Kind::Program(names) => {
                let (path, why) = self
                    .program(component, names)
                    .or_else(|| self.brought_program(names))?;
                Some(found(path, why))
            }
            Kind::Library(names) => {
                let path = names.iter().find_map(|name| system_library(name))?;
                Some(found(path, "in the system's library folders".to_owned()))
            }
            Kind::LlvmFile(name) => {
                let path = existing(self.llvm_root.join(name))?;
                Some(found(path, "in the LLVM 19 installation".to_owned()))
            }
            Kind::File(name) => self.brought_file(component, name),
            Kind::FileOrProgram(name, names) => self.brought_file(component, name).or_else(|| {
                let (path, why) = self.program(component, names)?;
                Some(found(path, why))
            }),
        }
    }

    /// A file of what set-up unpacked.
    fn brought_file(&self, component: Component, name: &str) -> Option<Found> {
        let (folder, version) = self.unpacked(component).ok()?;
        Some(Found {
            component,
            path: existing(folder.join(name))?,
            pinned_version: Some(version),
            why: self.home_reason.clone(),
        })
    }

    /// The first of `names` in the search path, or else in the LLVM 19 installation, where the
    /// names have no suffix.
    fn program(&self, component: Component, names: &[&str]) -> Option<(PathBuf, String)> {
        for name in names {
            for folder in &self.path {
                let path = folder.join(name);
                if is_executable(&path) && fits(component, &path) {
                    return Some((path, format!("first `{name}` in PATH")));
                }
            }
            let bare = name.strip_suffix("-19").unwrap_or(name);
            let path = self.llvm_root.join("bin").join(bare);
            if is_executable(&path) {
                return Some((path, "in the LLVM 19 installation".to_owned()));
            }
        }
        None
    }
}

impl Components {
    /// The first of `names` that `cargo xtask setup --toolchain` has brought.
    fn brought_program(&self, names: &[&str]) -> Option<(PathBuf, String)> {
        let mut paths = names.iter().filter_map(|name| {
            let (folder, _) = self.home.find(name)?;
            Some(folder.join("bin").join(name))
        });
        let path = paths.find(|path| is_executable(path))?;
        Some((path, self.home_reason.clone()))
    }
}

impl Found {
    /// The pinned version, or what the program says of itself; `None` when it says nothing.
    #[must_use]
    pub fn version(&self) -> Option<String> {
        if self.pinned_version.is_some() {
            return self.pinned_version.clone();
        }
        match self.component.row().kind {
            Kind::Program(_) | Kind::FileOrProgram(..) => {
                let asked = Job::new(&self.path).arg("--version").output(b"").ok()?;
                version_in(&String::from_utf8_lossy(&asked.stdout))
            }
            // A library's full file name ends in its version.
            Kind::Library(_) => {
                let real = self.path.canonicalize().ok()?;
                let name = real.file_name()?.to_str()?;
                Some(name.split_once(".so.")?.1.to_owned())
            }
            Kind::LlvmFile(_) | Kind::File(_) => None,
        }
    }
}

impl OpenClRuntime {
    /// The variables under which another program's OpenCL loader sees this implementation alone.
    #[must_use]
    pub fn env(&self) -> Vec<(OsString, OsString)> {
        vec![("OCL_ICD_VENDORS".into(), self.vendors.clone().into())]
    }
}

impl DpcppRuntime {
    /// The variables under which a program finds this runtime and, through it, `opencl`.
    #[must_use]
    pub fn env(&self, opencl: &OpenClRuntime) -> Vec<(OsString, OsString)> {
        let mut env = opencl.env();
        env.push(("LD_LIBRARY_PATH".into(), self.lib.clone().into()));
        env
    }
}

/// The first word of a program's answer that looks like a version.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','));
    let numbers = words.map(|w| w.strip_prefix('v').unwrap_or(w));
    let mut versions = numbers.filter(|w| w.starts_with(|c: char| c.is_ascii_digit()));
    versions.find(|w| w.contains('.')).map(str::to_owned)
}

/// Whether a program of the right name is the right one: a bare `clang++` must be version 19.
fn fits(component: Component, path: &Path) -> bool {
    if component != Component::Clang {
        return true;
    }
    path.canonicalize().is_ok_and(|real| {
        let root = real.ancestors().nth(2);
        root.is_some_and(|root| root.join("lib/clang/19").is_dir())
    })
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

fn existing(path: PathBuf) -> Option<PathBuf> {
    path.exists().then_some(path)
}

/// A shared library in the folders that the system's loader searches by itself.
fn system_library(name: &str) -> Option<PathBuf> {
    let folders = [
        "/usr/lib/x86_64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/local/lib",
        "/usr/lib64",
        "/usr/lib",
    ];
    let mut paths = folders.iter().map(|folder| Path::new(folder).join(name));
    paths.find(|path| path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::home::Entry;

    fn fake_program(folder: &Path, name: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = folder.join(name);
        std::fs::write(&path, "#!/bin/sh\necho tool version 3.2.1\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn components(path: &Path) -> Components {
        let options = Options {
            from: path.join("tool"),
            home: None,
            path: vec![path.to_owned()],
        };
        Components::discover(&options).unwrap()
    }

    #[test]
    fn a_program_is_found_in_path_and_says_its_version_and_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = fake_program(folder.path(), "ocloc");
        let found = components(folder.path()).find(Component::Ocloc).unwrap();
        assert_eq!(found.path, path);
        assert_eq!(found.why, "first `ocloc` in PATH");
        assert_eq!(found.version().as_deref(), Some("3.2.1"));
    }

    #[test]
    fn a_missing_component_says_what_brings_it_on_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let text = |c| components(folder.path()).find(c).unwrap_err().to_string();
        assert_eq!(
            text(Component::SpirvVal),
            "spirv-val is missing (validating SPIR-V); `cargo xtask setup` brings it (system \
             package spirv-tools)"
        );
        assert!(text(Component::SpirvBackend).ends_with("; `cargo xtask setup` brings it"));
        assert!(text(Component::OpenClCpu).contains("--without intel"));
        assert!(text(Component::Libdevice).contains("--without nvidia"));
        assert!(!text(Component::Aoc).contains("xtask"));
    }

    #[test]
    fn a_clang_that_is_not_19_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        fake_program(folder.path(), "clang++");
        let mut components = components(folder.path());
        components.llvm_root = folder.path().join("none");
        assert!(components.find(Component::Clang).is_err());
    }

    #[test]
    fn what_set_up_brought_is_found_through_its_index() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("components/intel-opencl-cpu-7");
        std::fs::create_dir_all(folder.join("lib")).unwrap();
        let home = Home {
            folder: root.path().join("components"),
            entries: vec![Entry {
                name: "intel-opencl-cpu".to_owned(),
                version: "7".to_owned(),
                folder: "intel-opencl-cpu-7".into(),
            }],
            ..Home::default()
        };
        home.write().unwrap();
        let options = Options {
            from: root.path().join("release/tool"),
            home: None,
            path: Vec::new(),
        };
        let components = Components::discover(&options).unwrap();
        // Listed but not whole: the library is not there yet.
        assert!(components.opencl_cpu().is_err());
        std::fs::write(folder.join("lib/libintelocl.so"), "").unwrap();
        let runtime = components.opencl_cpu().unwrap();
        assert_eq!(runtime.library, folder.join("lib/libintelocl.so"));
        assert_eq!(runtime.version, "7");
    }

    #[test]
    fn a_program_that_the_system_lacks_is_found_where_set_up_brought_it() {
        let root = tempfile::tempdir().unwrap();
        let bin = root.path().join("components/llvm-spirv-19-9/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let home = Home {
            folder: root.path().join("components"),
            entries: vec![Entry {
                name: "llvm-spirv-19".to_owned(),
                version: "9".to_owned(),
                folder: "llvm-spirv-19-9".into(),
            }],
            ..Home::default()
        };
        home.write().unwrap();
        let options = Options {
            from: root.path().join("release/tool"),
            home: None,
            path: Vec::new(),
        };
        let mut components = Components::discover(&options).unwrap();
        components.llvm_root = root.path().join("none");
        let missing = components.find(Component::LlvmSpirv).unwrap_err();
        assert!(missing.to_string().contains("--toolchain llvm-spirv-19"));
        let program = fake_program(&bin, "llvm-spirv-19");
        let found = components.find(Component::LlvmSpirv).unwrap();
        assert_eq!(found.path, program);
    }

    #[test]
    fn versions_are_read_from_what_programs_say() {
        let cases = [
            ("Debian clang version 19.1.7 (3)\n", "19.1.7"),
            ("SPIRV-Tools v2023.1 unknown hash", "2023.1"),
            ("g++ (Debian 12.2.0-14) 12.2.0", "12.2.0-14"),
        ];
        for (text, version) in cases {
            assert_eq!(version_in(text).as_deref(), Some(version));
        }
        assert_eq!(version_in("no answer"), None);
    }
}
