//! The SPIR-V writers. Those outside are filters, bitcode in and SPIR-V out, so a module reaches them
//! through a pipe and no temporary file is needed. Where the LLVM inside has a SPIR-V back end, that is one
//! too ([`super::internal`]).

use std::path::{Path, PathBuf};
use std::str::FromStr;

use components::process::Job;
use components::{Component, Components, Missing};

use super::internal::Internal;
use super::{TranslateError, spirv_words, wrapped_kernels};

/// A SPIR-V version, major and minor.
pub type SpirvVersion = (u8, u8);

/// What the user may ask of a writer (`--llvm-spirv-options=`), in the translator's vocabulary,
/// which is the documents'.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpirvOptions {
    /// No newer version than this is written (`-spirv-max-version=`); where nothing is said, what every
    /// driver takes ([`SpirvOptions::for_module`]).
    pub max_version: Option<SpirvVersion>,
    /// Extensions switched on or off, `+SPV_…` or `-SPV_…` (`-spirv-ext=`).
    pub extensions: Vec<String>,
    /// Options that only the translator has; the back end needs none of them.
    pub translator_only: Vec<String>,
}

/// What every driver takes.
const VERSION: SpirvVersion = (1, 2);

/// An instruction by its built-in function, and the version that it came with. Only devices run it that take
/// that: its kernels need an aspect (`ext_oneapi_tangle`).
const BALLOT: (&[u8], SpirvVersion) = (b"__spirv_GroupNonUniformBallot", (1, 3));

/// An instruction by its built-in function, and the extension that has it, which not every writer knows. Only
/// devices run it that take that: its kernels need aspects (`ext_oneapi_clock_device` and more).
const CLOCK: (&[u8], &str) = (b"__spirv_ReadClockKHR", "+SPV_KHR_shader_clock");

impl SpirvOptions {
    /// Adds options as `--llvm-spirv-options=` carries them, one word each.
    ///
    /// # Errors
    /// When a word is no option of a SPIR-V writer.
    pub fn add<'a>(
        &mut self,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), TranslateError> {
        for word in words {
            let bare = word.trim_start_matches('-');
            if let Some(version) = bare.strip_prefix("spirv-max-version=") {
                let version = parse_version(version);
                self.max_version =
                    Some(version.ok_or_else(|| TranslateError::Option(word.into()))?);
            } else if let Some(list) = bare.strip_prefix("spirv-ext=") {
                self.extensions
                    .extend(list.split(',').filter(|e| !e.is_empty()).map(str::to_owned));
            } else if word.starts_with('-') && bare.starts_with("spirv-") {
                self.translator_only.push(word.to_owned());
            } else {
                return Err(TranslateError::Option(word.to_owned()));
            }
        }
        Ok(())
    }

    /// The options for a module: where nothing is said of the version, what the module has takes the least
    /// that it can, and where nothing is said of an extension, what has it. Its names stand plainly in the
    /// bitcode's string table.
    #[must_use]
    pub fn for_module(mut self, bitcode: &[u8]) -> Self {
        let has = |name: &[u8]| bitcode.windows(name.len()).any(|found| found == name);
        let (ballot, version) = BALLOT;
        if self.max_version.is_none() && has(ballot) {
            self.max_version = Some(version);
        }
        let (clock, extension) = CLOCK;
        if has(clock) {
            // What is said later counts.
            self.extensions.insert(0, extension.to_owned());
        }
        self
    }

    fn version(&self) -> SpirvVersion {
        self.max_version.unwrap_or(VERSION)
    }

    /// The triple by which the back end writes no newer version than asked for.
    pub(super) fn backend_triple(&self) -> String {
        let (major, minor) = self.version();
        format!("spirv64v{major}.{minor}-unknown-unknown")
    }

    /// Extensions that are on anyway, and those that were asked for.
    fn all_extensions(&self) -> impl Iterator<Item = &str> {
        // What takes the first version alone may not know it.
        let assume = (self.version() > (1, 0)).then_some(ASSUME_EXTENSION);
        let asked_for = self.extensions.iter().map(String::as_str);
        [PRINTF_EXTENSION, SHUFFLE_EXTENSION]
            .into_iter()
            .chain(assume)
            .chain(asked_for)
    }

    /// What the back end has to be told to switch on, as its `--spirv-ext=` takes it; everything else is off
    /// there from the start.
    pub(super) fn backend_extensions(&self) -> String {
        let is_off = |wanted: &str| {
            let mut off = self.extensions.iter().filter_map(|e| e.strip_prefix('-'));
            off.any(|name| wanted.strip_prefix('+') == Some(name))
        };
        let wanted: Vec<&str> = self
            .all_extensions()
            .filter(|e| !e.starts_with('-') && !is_off(e))
            .collect();
        match wanted.contains(&"+all") {
            true => "all".to_owned(),
            false => wanted.join(","),
        }
    }
}

fn parse_version(text: &str) -> Option<SpirvVersion> {
    let (major, minor) = text.split_once('.')?;
    let version = (major.parse().ok()?, minor.parse().ok()?);
    ((1, 0)..=(1, 6)).contains(&version).then_some(version)
}

/// The variable that names the writer where no option does.
pub const WRITER_VARIABLE: &str = "PLUMBLINE_SPIRV_WRITER";

/// Which writer the user wants (`--spirv-writer=`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriterChoice {
    /// What [`WRITER_VARIABLE`] says; else the back end where it is, the translator otherwise. Set-up
    /// brings one back end of a known version everywhere, while translators differ from system to
    /// system: what is found makes no difference to what is written.
    #[default]
    Auto,
    /// `llvm-spirv` of the LLVM that this toolchain is built on: the documents' present flow.
    Translator,
    /// `llvm-spirv` of LLVM 22, which reads older bitcode too: what another release of the same flow makes
    /// of the same modules.
    Translator22,
    /// The SPIR-V back end of a newer clang, a program outside.
    Backend,
    /// The SPIR-V back end of the LLVM that this toolchain is built on, within LTO: the documents' long-term
    /// flow. LLVM 19 has none.
    Internal,
}

impl WriterChoice {
    /// Each choice, as options and [`WRITER_VARIABLE`] name it.
    pub const NAMES: [(&'static str, WriterChoice); 5] = [
        ("translator", WriterChoice::Translator),
        ("translator-22", WriterChoice::Translator22),
        ("backend", WriterChoice::Backend),
        ("internal", WriterChoice::Internal),
        ("auto", WriterChoice::Auto),
    ];

    /// The choice, or what the variable says where there is none.
    ///
    /// # Errors
    /// When the variable names no writer.
    pub fn or_of_environment(self) -> Result<Self, String> {
        let named = std::env::var(WRITER_VARIABLE).ok();
        match (self, named.as_deref()) {
            (WriterChoice::Auto, Some(name)) if !name.is_empty() => name
                .parse()
                .map_err(|reason| format!("{WRITER_VARIABLE}: {reason}")),
            (choice, _) => Ok(choice),
        }
    }
}

impl FromStr for WriterChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let named = Self::NAMES.iter().find(|(name, _)| *name == text);
        named.map(|(_, choice)| *choice).ok_or_else(|| {
            let names = Self::NAMES.map(|(name, _)| name).join(", ");
            format!("unknown SPIR-V writer '{text}'; there are {names}")
        })
    }
}

/// What turns LLVM bitcode into SPIR-V.
pub trait SpirvWriter: Send + Sync {
    /// The name by which messages call it.
    fn name(&self) -> &'static str;

    /// The program; none for a writer that is in this one, and does itself what is left to do for a module
    /// ([`super::legalise`]).
    fn program(&self) -> Option<&Path>;

    /// The start of the program: it reads bitcode from its standard input and writes SPIR-V to
    /// its standard output. Without a program of its own, that of LLVM which does the same, for readers.
    fn job(&self, options: &SpirvOptions) -> Job;

    /// Writes SPIR-V for a module; `origin` names it in errors, and `kernels` those in it.
    ///
    /// # Errors
    /// When the program cannot be started or refuses the module.
    fn write(
        &self,
        bitcode: &[u8],
        options: &SpirvOptions,
        origin: &str,
        kernels: &[String],
    ) -> Result<Vec<u8>, TranslateError> {
        let written = self.job(options).capture(bitcode);
        let written =
            written.map_err(|e| TranslateError::writer(self.name(), origin, kernels, &e))?;
        Ok(written.stdout)
    }

    /// Mends what this writer is known to get wrong.
    fn mend(&self, spirv: Vec<u8>) -> Vec<u8> {
        spirv
    }
}

/// The translator of the LLVM that this toolchain is built on, which reads what that writes.
const OF_OWN_LLVM: Component = match cfg!(feature = "llvm22") {
    true => Component::LlvmSpirv22,
    false => Component::LlvmSpirv,
};

/// The writer of the kind that is wanted.
///
/// # Errors
/// When it is not there; for [`WriterChoice::Auto`], when none is.
pub fn find(
    choice: WriterChoice,
    components: &Components,
) -> Result<Box<dyn SpirvWriter>, NoWriter> {
    let translator = |component| -> Result<Box<dyn SpirvWriter>, NoWriter> {
        let program = components.find(component)?.path;
        Ok(Box::new(Translator { program }))
    };
    let backend = || -> Result<Box<dyn SpirvWriter>, NoWriter> {
        let program = components.find(Component::SpirvBackend)?.path;
        let prefix = vec!["clang".to_owned()];
        Ok(Box::new(Backend { program, prefix }))
    };
    match choice {
        WriterChoice::Translator => translator(OF_OWN_LLVM),
        WriterChoice::Translator22 => translator(Component::LlvmSpirv22),
        WriterChoice::Backend => backend(),
        WriterChoice::Internal => Internal::find(),
        WriterChoice::Auto => backend().or_else(|missing| {
            let other = Internal::find().or_else(|_| translator(OF_OWN_LLVM));
            other.map_err(|_| missing)
        }),
    }
}

/// A writer is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWriter {
    /// What brings it would be a component.
    #[error(transparent)]
    Missing(#[from] Missing),
    /// The LLVM that this toolchain is built on has none.
    #[error(
        "the LLVM that this toolchain is built on has no SPIR-V back end, which --spirv-writer=internal \
         asks for; LLVM 22 has it (the feature llvm22)"
    )]
    NotInside,
}

/// Translates one module; `origin` names it in errors, and `kernels` those in it.
///
/// # Errors
/// When the writer cannot be started, refuses the module, or writes no SPIR-V.
pub fn translate(
    writer: &dyn SpirvWriter,
    bitcode: &[u8],
    options: &SpirvOptions,
    origin: &str,
    kernels: &[String],
) -> Result<Vec<u8>, TranslateError> {
    let written = writer.write(bitcode, options, origin, kernels)?;
    let spirv = spirv_words::check(written).map_err(|reason| TranslateError::NotSpirv {
        writer: writer.name(),
        origin: origin.to_owned(),
        reason,
    })?;
    Ok(spirv_words::drop_named_sub_group_sizes(writer.mend(spirv)))
}

/// The translator that the documents name.
#[derive(Debug, Clone)]
pub struct Translator {
    /// The `llvm-spirv` to start.
    pub program: PathBuf,
}

impl SpirvWriter for Translator {
    fn name(&self) -> &'static str {
        "llvm-spirv"
    }

    fn program(&self) -> Option<&Path> {
        Some(&self.program)
    }

    fn job(&self, options: &SpirvOptions) -> Job {
        let (major, minor) = options.version();
        let extensions: Vec<&str> = options.all_extensions().collect();
        let job = Job::new(&self.program)
            .arg(format!("-spirv-max-version={major}.{minor}"))
            .arg(format!("-spirv-ext={}", extensions.join(",")));
        job.args(&options.translator_only).args(["-", "-o", "-"])
    }

    fn mend(&self, spirv: Vec<u8>) -> Vec<u8> {
        wrapped_kernels::unwrap(spirv)
    }
}

/// Always on: formats that a kernel chooses while it runs lie in no certain memory, and the back end takes
/// any format for such a one as soon as the module has a second function.
const PRINTF_EXTENSION: &str = "+SPV_EXT_relaxed_printf_string_address_space";

/// Always on: shuffles of which the headers make parts of sub-groups. A module without any has nothing of
/// it.
const SHUFFLE_EXTENSION: &str = "+SPV_INTEL_subgroups";

/// On but for SPIR-V 1.0: what programs promise of their work-items. A module that promises nothing has
/// nothing of it.
const ASSUME_EXTENSION: &str = "+SPV_KHR_expect_assume";

/// The SPIR-V back end of a clang that has one.
#[derive(Debug, Clone)]
pub struct Backend {
    /// The program.
    pub program: PathBuf,
    /// Words between the program and clang's own arguments (`zig clang`).
    pub prefix: Vec<String>,
}

impl SpirvWriter for Backend {
    fn name(&self) -> &'static str {
        "the SPIR-V back end"
    }

    fn program(&self) -> Option<&Path> {
        Some(&self.program)
    }

    fn job(&self, options: &SpirvOptions) -> Job {
        Job::new(&self.program)
            .args(&self.prefix)
            .arg(format!("--target={}", options.backend_triple()))
            .arg("-Wno-override-module")
            .arg("-mllvm")
            .arg(format!("--spirv-ext={}", options.backend_extensions()))
            .args(["-c", "-x", "ir", "-", "-o", "-"])
    }

    fn mend(&self, spirv: Vec<u8>) -> Vec<u8> {
        spirv_words::mend_back_end(spirv)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<SpirvOptions, TranslateError> {
        let mut options = SpirvOptions::default();
        options.add(words.iter().copied()).map(|()| options)
    }

    #[test]
    fn translator_options_reach_each_writer_in_its_own_words() {
        let options = options(&[
            "-spirv-max-version=1.4",
            "-spirv-ext=-all,+SPV_KHR_bit_instructions",
            "-spirv-debug-info-version=ocl-100",
        ])
        .unwrap();
        let translator = Translator {
            program: "llvm-spirv".into(),
        };
        assert_eq!(
            translator.job(&options).to_string(),
            r#""llvm-spirv" "-spirv-max-version=1.4" "-spirv-ext=+SPV_EXT_relaxed_printf_string_address_space,+SPV_INTEL_subgroups,+SPV_KHR_expect_assume,-all,+SPV_KHR_bit_instructions" "-spirv-debug-info-version=ocl-100" "-" "-o" "-""#
        );
        let backend = Backend {
            program: "zig".into(),
            prefix: vec!["clang".into()],
        };
        assert_eq!(
            backend.job(&options).to_string(),
            r#""zig" "clang" "--target=spirv64v1.4-unknown-unknown" "-Wno-override-module" "-mllvm" "--spirv-ext=+SPV_EXT_relaxed_printf_string_address_space,+SPV_INTEL_subgroups,+SPV_KHR_expect_assume,+SPV_KHR_bit_instructions" "-c" "-x" "ir" "-" "-o" "-""#
        );
    }

    #[test]
    fn what_is_on_anyway_can_be_switched_off_and_is_off_in_the_first_version() {
        let on = |words: &[&str]| options(words).unwrap().backend_extensions();
        assert!(on(&[]).contains("expect_assume"));
        assert!(!on(&["-spirv-max-version=1.0"]).contains("expect_assume"));
        let off = on(&["-spirv-ext=-SPV_KHR_expect_assume"]);
        assert_eq!(
            off,
            "+SPV_EXT_relaxed_printf_string_address_space,+SPV_INTEL_subgroups"
        );
    }

    #[test]
    fn what_came_later_takes_a_later_version_unless_the_user_says_which() {
        let module = b"BC_Z29__spirv_GroupNonUniformBallotjb";
        let version = |words: &[&str], module| options(words).unwrap().for_module(module).version();
        assert_eq!(version(&[], b"BC"), (1, 2));
        assert_eq!(version(&[], module), (1, 3));
        assert_eq!(version(&["-spirv-max-version=1.1"], module), (1, 1));
    }

    #[test]
    fn what_an_extension_has_takes_it_unless_the_user_switches_it_off() {
        let extensions = |words: &[&str], module: &[u8]| {
            let options = options(words).unwrap().for_module(module);
            options.backend_extensions()
        };
        let module = b"BC_Z20__spirv_ReadClockKHRi";
        assert!(!extensions(&[], b"BC").contains("shader_clock"));
        assert!(extensions(&[], module).contains("+SPV_KHR_shader_clock"));
        let off = extensions(&["-spirv-ext=-SPV_KHR_shader_clock"], module);
        assert!(!off.contains("shader_clock"), "{off}");
    }

    #[test]
    fn words_that_no_writer_has_are_refused() {
        for word in ["-spirv-max-version=9.9", "-o", "spirv-ext"] {
            assert!(
                matches!(options(&[word]), Err(TranslateError::Option(w)) if w == word),
                "{word}"
            );
        }
    }

    #[test]
    fn a_program_that_writes_something_else_is_found_out() {
        struct Echo;
        impl SpirvWriter for Echo {
            fn name(&self) -> &'static str {
                "cat"
            }
            fn program(&self) -> Option<&Path> {
                Some(Path::new("cat"))
            }
            fn job(&self, _: &SpirvOptions) -> Job {
                Job::new("cat")
            }
        }
        let options = SpirvOptions::default();
        let error = translate(&Echo, b"BC\xC0\xDE....", &options, "k.bc", &[]);
        assert_eq!(
            error.unwrap_err().to_string(),
            "cat wrote no SPIR-V for k.bc: it does not begin with the SPIR-V magic number"
        );
    }
}
