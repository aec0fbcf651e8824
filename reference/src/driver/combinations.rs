//! Which options of a command line go together, and what several of them mean at once.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::clang_words::without_values;
use super::options::{CodeSplit, Note, Options, OptionsError, Phase, Side};
use super::runtime_library;

impl Options {
    /// Whether the command only shows what it would do.
    #[must_use]
    pub fn only_prints(&self) -> bool {
        self.print_only || self.print_form.is_some()
    }

    /// What follows from options about the halves: FPGA and device code alone need no `-fsycl`, and
    /// with it clang's own options say which half is asked for.
    pub(super) fn settle_sides(&mut self) {
        self.sycl |= self.fpga || self.side == Side::Device;
        if !self.sycl {
            return;
        }
        if let Some(side) = self.offload_side {
            self.side = side;
            self.clang.retain(|word| !is_about_halves(word));
        }
        self.drop_sanitizers();
    }

    /// Says with which words of ThinLTO nothing is done.
    pub(super) fn note_thin(&mut self) {
        let note = |word: String, because| Note::WithoutEffect { word, because };
        let compiles_none =
            self.side == Side::Host || matches!(self.phase, Phase::Preprocess | Phase::Syntax);
        if self.thin_lto && compiles_none && self.phase != Phase::Link {
            let because = "no device code is compiled, and nothing is linked";
            let word = "-foffload-lto=thin".to_owned();
            self.notes.push(note(word, because));
        }
        let unused = self.thin_lto_words.iter().filter(|_| !self.thin_lto);
        let unused = unused.map(|word| format!("-Xsycl-target-linker {word}"));
        let because = "it is for links with -foffload-lto=thin";
        let notes: Vec<Note> = unused.map(|word| note(word, because)).collect();
        self.notes.extend(notes);
    }

    /// Device code cannot be instrumented: with the words for it, it would only look so.
    fn drop_sanitizers(&mut self) {
        let mut dropped = Vec::new();
        let mut keep = |word: &str| {
            let sanitizes = word.starts_with("-fsanitize");
            if sanitizes {
                dropped.push(word.to_owned());
            }
            !sanitizes
        };
        self.device_words
            .retain(|word| word.to_str().is_none_or(&mut keep));
        for given in &mut self.frontend {
            given.words.retain(|word| keep(word));
        }
        let notes = dropped.into_iter().map(|word| {
            Note::Warning(format!(
                "'{word}' is not used: there are no sanitizers for device code"
            ))
        });
        self.notes.extend(notes);
    }

    /// Whether the link has words that name something to link, be it not as an input.
    #[must_use]
    pub fn links_words(&self) -> bool {
        let is_input = |word: &OsString| {
            let word = word.to_string_lossy();
            word == "-Xlinker" || word.starts_with("-l") || word.starts_with("-Wl,")
        };
        self.phase == Phase::Link && self.clang.iter().any(is_input)
    }

    /// Whether the link ends with the SYCL runtime library: not when it stays unfinished, nor
    /// without the standard libraries, unless the line names it as DPC++'s.
    #[must_use]
    pub fn links_runtime(&self) -> bool {
        let is_wanted = self.link_runtime && !self.has_word(&["-nostdlib", "-nodefaultlibs"]);
        self.names_runtime() || is_wanted && self.links_whole()
    }

    /// Whether a link that is finished names the SYCL runtime library as DPC++'s, which it may without SYCL.
    #[must_use]
    pub fn names_runtime(&self) -> bool {
        self.links_whole() && runtime_library::is_named(&self.clang)
    }

    fn links_whole(&self) -> bool {
        self.phase == Phase::Link && !self.has_word(&["-r"])
    }

    fn has_word(&self, words: &[&str]) -> bool {
        words
            .iter()
            .any(|known| self.clang.iter().any(|w| w == known))
    }

    /// The runtime library is a shared one, which no static program can load. What a linker gets by
    /// `-Xlinker` says only how it finds the libraries that follow.
    fn check_static(&self) -> Result<(), OptionsError> {
        let names = ["-static", "--static", "-static-pie"];
        let given = names
            .into_iter()
            .find(|name| without_values(&self.clang).any(|word| word == name));
        match given {
            Some(name) if self.sycl && self.side != Side::Device && self.links_runtime() => {
                Err(OptionsError::StaticRuntime(name))
            }
            _ => Ok(()),
        }
    }

    /// OpenMP's device code is another than SYCL's, for which no compiler here is.
    fn check_openmp(&self) -> Result<(), OptionsError> {
        let names = |word: &&OsString| word.as_encoded_bytes().starts_with(b"-fopenmp-targets=");
        match self.clang.iter().find(names) {
            Some(word) if self.sycl => Err(OptionsError::Refused {
                word: word.to_string_lossy().into_owned(),
                because: "OpenMP's own offloading is not compiled beside SYCL; '-fopenmp' has OpenMP run on the host",
            }),
            _ => Ok(()),
        }
    }

    /// Device code goes into objects only, unless clang itself writes the host's half.
    fn check_fat_form(&self) -> Result<(), OptionsError> {
        if !self.sycl || self.side != Side::Both {
            return Ok(());
        }
        let form = match self.phase {
            Phase::Assembly => "-S",
            Phase::Object if self.clang.iter().any(|word| word == "-emit-llvm") => "-emit-llvm",
            _ => return Ok(()),
        };
        if !self.new_driver {
            return Err(OptionsError::Conflict("--no-offload-new-driver", form));
        }
        match self.host_compiler {
            Some(_) => Err(OptionsError::NoDeviceCode(form)),
            None => Ok(()),
        }
    }

    /// Holds the command line to what has to stand together, and what must not.
    pub(super) fn check(&self) -> Result<(), OptionsError> {
        let needs_sycl = [
            (!self.targets.is_empty(), "-fsycl-targets="),
            (!self.fixed_targets.is_empty(), "-fsycl-fixed-targets="),
            (self.fpga_link.is_some(), "-fsycl-link"),
            (self.host_compiler.is_some(), "-fsycl-host-compiler="),
            (self.split.is_some(), "-fsycl-device-code-split"),
            (self.thin_lto, "-foffload-lto=thin"),
        ];
        for (given, option) in needs_sycl {
            if given && !self.sycl {
                return Err(OptionsError::Needs {
                    option,
                    with: "-fsycl",
                });
            }
        }
        if !self.host_compiler_options.is_empty() && self.host_compiler.is_none() {
            return Err(OptionsError::Needs {
                option: "-fsycl-host-compiler-options=",
                with: "-fsycl-host-compiler=",
            });
        }
        if !self.targets.is_empty() && self.fpga {
            return Err(OptionsError::Conflict("-fsycl-targets=", "-fintelfpga"));
        }
        if self.thin_lto && !self.new_driver {
            let old = "--no-offload-new-driver";
            return Err(OptionsError::Conflict("-foffload-lto=thin", old));
        }
        if self.thin_lto && self.split == Some(CodeSplit::Off) {
            let off = "-fsycl-device-code-split=off";
            return Err(OptionsError::Conflict("-foffload-lto=thin", off));
        }
        let one_file_each = matches!(self.phase, Phase::Assembly | Phase::Object);
        let compiled = self.inputs.iter().filter(|input| !is_for_linking(input));
        if one_file_each && self.output.is_some() && compiled.count() > 1 {
            return Err(OptionsError::SeveralOutputs);
        }
        self.check_openmp()?;
        self.check_static()?;
        self.check_precompiled()?;
        self.check_fat_form()
    }

    /// clang precompiles headers for its own host compilations.
    fn check_precompiled(&self) -> Result<(), OptionsError> {
        let headers = "-x c++-header";
        if !self.sycl || !self.has_only_headers() {
            return Ok(());
        }
        match (self.side, &self.host_compiler) {
            (Side::Device, _) => Err(OptionsError::Conflict("-fsycl-device-only", headers)),
            (_, Some(_)) => Err(OptionsError::Conflict("-fsycl-host-compiler=", headers)),
            _ => Ok(()),
        }
    }
}

fn is_about_halves(word: &OsStr) -> bool {
    ["device-only", "host-only", "host-device"]
        .iter()
        .any(|half| word.to_str().and_then(|w| w.strip_prefix("--offload-")) == Some(half))
}

/// Whether a file is for the linker by its name: a command that only compiles has no use for it, and
/// clang says so.
fn is_for_linking(input: &Path) -> bool {
    let extension = input.extension().and_then(OsStr::to_str);
    extension.is_some_and(|extension| ["o", "obj", "a", "lib", "so"].contains(&extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, OptionsError> {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Options::parse(&words)
    }

    #[test]
    fn what_does_not_stand_together_is_named() {
        for (line, said) in [
            (
                "-fsycl-targets=spir64 a.cpp",
                "in conjunction with '-fsycl'",
            ),
            ("-c a.cpp b.cpp -o x.o", "multiple output files"),
            ("-fsycl -fsycl-device-only h.hpp", "-x c++-header"),
            ("-fsycl -fsycl-host-compiler=g++ h.hpp", "-x c++-header"),
        ] {
            let reason = parse(line).unwrap_err().to_string();
            assert!(reason.contains(said), "{line}: {reason}");
        }
    }

    #[test]
    fn options_about_halves_bring_and_need_sycl() {
        for line in ["-fsycl-device-only a.cpp", "-fintelfpga a.cpp"] {
            assert!(parse(line).unwrap().sycl, "{line}");
        }
        let options = parse("-fsycl --offload-device-only -c a.cpp").unwrap();
        assert_eq!(options.side, Side::Device);
        assert_eq!(options.clang, ["-c", "a.cpp"]);
        let options = parse("--offload-host-only -c a.cpp").unwrap();
        assert_eq!((options.sycl, options.side), (false, Side::Both));
        assert!(options.clang.contains(&"--offload-host-only".into()));
    }

    #[test]
    fn sanitizers_of_device_code_are_dropped_with_a_word() {
        let line = "-fsycl -Xarch_device -fsanitize=address -Xarch_device -DX a.cpp";
        let options = parse(line).unwrap();
        assert_eq!(options.device_words, ["-DX"]);
        assert_eq!(options.notes.len(), 1);
    }

    #[test]
    fn what_only_a_link_would_use_is_no_second_output() {
        assert!(parse("-fsycl -c a.cpp b.o libc.a -o x.o").is_ok());
    }

    #[test]
    fn a_static_program_has_no_runtime() {
        for line in ["-fsycl -static a.cpp", "-fsycl a.o -static-pie"] {
            let reason = parse(line).unwrap_err().to_string();
            assert!(reason.contains("libplumbline_sycl"), "{line}: {reason}");
        }
        for line in [
            "-static a.cpp",
            "-fsycl -static -c a.cpp",
            "-fsycl -nolibsycl -static a.cpp",
            "-fsycl -static-libgcc a.cpp",
            "-fsycl -Xlinker -static -lmine -Xlinker -Bdynamic a.cpp",
        ] {
            assert!(parse(line).is_ok(), "{line}");
        }
    }

    #[test]
    fn device_code_has_no_place_in_text() {
        for line in [
            "-fsycl --no-offload-new-driver -S a.cpp",
            "-fsycl --no-offload-new-driver -c -emit-llvm a.cpp",
            "-fsycl -fsycl-host-compiler=g++ -S a.cpp",
        ] {
            let reason = parse(line).unwrap_err().to_string();
            assert!(reason.contains("together"), "{line}: {reason}");
        }
        assert!(parse("-fsycl -S a.cpp").is_ok());
        assert!(parse("-fsycl --no-offload-new-driver -fsycl-device-only -S a.cpp").is_ok());
    }
}
