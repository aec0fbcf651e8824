//! The files of an installed toolchain, found from where its tools lie (ARCHITECTURE.md,
//! "Installed layout").

use std::path::{Path, PathBuf};

/// The root of an installed toolchain, or of the staging tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    prefix: PathBuf,
}

impl Layout {
    /// The toolchain that the running tool belongs to.
    ///
    /// # Errors
    /// When the system does not say where the tool lies.
    pub fn here() -> std::io::Result<Layout> {
        let tool = std::env::current_exe()?.canonicalize()?;
        Ok(Layout::of_tool(&tool))
    }

    /// The toolchain that the tool at `tool` belongs to: the folder above `bin`, or, for a tool in
    /// a build folder, the staging tree `plumbline` that lies beside one of the folders above it.
    #[must_use]
    pub fn of_tool(tool: &Path) -> Layout {
        let folder = tool.parent().unwrap_or(Path::new("."));
        let above = folder.parent().unwrap_or(folder);
        let staged = tool
            .ancestors()
            .skip(2)
            .take(3)
            .map(|folder| folder.join("plumbline"))
            .find(|staging| staging.join("include/sycl").is_dir());
        let prefix = match staged {
            Some(staging) if folder.file_name() != Some("bin".as_ref()) => staging,
            _ => above.to_owned(),
        };
        Layout { prefix }
    }

    /// The folder of the tools.
    #[must_use]
    pub fn tools(&self) -> PathBuf {
        self.prefix.join("bin")
    }

    /// The folder of the SYCL headers.
    #[must_use]
    pub fn include(&self) -> PathBuf {
        self.prefix.join("include")
    }

    /// The folder of the runtime library.
    #[must_use]
    pub fn lib(&self) -> PathBuf {
        self.prefix.join("lib")
    }

    /// The plugin that device compilations load into clang.
    #[must_use]
    pub fn clang_plugin(&self) -> PathBuf {
        self.prefix.join("lib/plumbline/clang-plugin.so")
    }

    /// The folder of the headers that device compilations read in place of the system's.
    #[must_use]
    pub fn device_include(&self) -> PathBuf {
        self.prefix.join("lib/plumbline/device-include")
    }

    /// The library that reads bitcode for tools that are not linked with LLVM.
    #[must_use]
    pub fn bitcode_reader(&self) -> PathBuf {
        self.prefix.join("lib/plumbline/bitcode.so")
    }

    /// The folder of the device libraries.
    #[must_use]
    pub fn device_libraries(&self) -> PathBuf {
        self.prefix.join("lib/plumbline/devicelib")
    }

    /// The default description of what each device supports.
    #[must_use]
    pub fn device_config(&self) -> PathBuf {
        self.prefix.join("share/plumbline/device-config.yaml")
    }
}

/// A tool of this toolchain: beside the running one.
#[must_use]
pub fn own_tool(name: &str) -> PathBuf {
    let beside = std::env::current_exe()
        .ok()
        .map(|tool| tool.with_file_name(name));
    beside
        .filter(|path| path.is_file())
        .or_else(|| Layout::here().ok().map(|layout| layout.tools().join(name)))
        .unwrap_or_else(|| name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_tool_lies_in_its_toolchain() {
        let layout = Layout::of_tool(Path::new("/opt/p/bin/sycl-clang++"));
        assert_eq!(layout.include(), Path::new("/opt/p/include"));
        assert_eq!(layout.tools(), Path::new("/opt/p/bin"));
    }

    #[test]
    fn a_built_tool_and_a_test_use_the_staging_tree() {
        let root = tempfile::tempdir().unwrap();
        let staging = root.path().join("plumbline");
        std::fs::create_dir_all(staging.join("include/sycl")).unwrap();
        for tool in ["release/sycl-clang++", "release/deps/driver-1"] {
            let layout = Layout::of_tool(&root.path().join(tool));
            assert_eq!(layout.lib(), staging.join("lib"), "{tool}");
        }
        let staged = Layout::of_tool(&staging.join("bin/sycl-clang++"));
        assert_eq!(staged.lib(), staging.join("lib"));
    }
}
