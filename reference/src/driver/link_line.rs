//! The link step: `clang-linker-wrapper` around the host link that clang planned, with what the
//! command line says about device code (MODEL "Clang Linker Wrapper"), and the device-only link of
//! `--sycl-link` (OFF "Linking of device objects").

use std::ffi::OsString;

use components::process::Job;
use offload_formats::targets::{Kind, Target};

use super::clang_plan::value_of;
use super::device_target::DeviceTargets;
use super::options::Options;
use super::plan::{Action, Node};
use super::target_words::TargetWords;
use super::warnings::warning_options;
use crate::frontend::diagnostics::{Treatment, Warning, treatment};
use crate::layout::Layout;

/// The words after `clang-linker-wrapper` for a host link.
#[must_use]
pub fn wrapper_words(
    options: &Options,
    targets: &DeviceTargets,
    layout: &Layout,
    host_triple: &str,
    linker: &Job,
) -> Vec<OsString> {
    let mut words = Words::default();
    words.value("--host-triple=", host_triple);
    words.value("--linker-path=", linker.program.as_os_str());
    device_words(&mut words, options, layout);
    aot_words(&mut words, options, targets);
    let jit = targets.compiled.iter().filter(|t| t.kind == Kind::Jit);
    let for_jit = jit.flat_map(|target| words_for(&options.backend, target));
    words.joined("--sycl-backend-compile-options=", for_jit);
    let all = targets.compiled.iter();
    let for_linker = all.flat_map(|target| words_for(&options.linker, target));
    words.joined("--sycl-target-link-options=", for_linker);
    let named = !options.targets.is_empty() || !options.offload_arch.is_empty();
    let asked = named || options.fpga;
    if asked {
        let names: Vec<&str> = targets.compiled.iter().map(|target| target.name).collect();
        words.value("--sycl-expected-targets=", names.join(","));
    }
    if let Some(archive) = options.fpga_link {
        words.value("--fpga-link-type=", archive.name());
    }
    if let Some(jobs) = options.link_jobs {
        words.value("--parallel-link-sycl=", jobs.to_string());
    }
    if let Some(file) = &options.device_config {
        words.value("--sycl-device-config-file=", file.as_os_str());
    }
    let cuda_path = options.clang.iter().rev().find_map(|word| {
        let folder = word.to_str()?.strip_prefix("--cuda-path=")?;
        Some(folder.to_owned())
    });
    if let Some(folder) = cuda_path {
        words.value("--cuda-path=", folder);
    }
    if asked {
        match treatment(&warning_options(&options.clang), Warning::Target) {
            Treatment::Silent => words.value("--sycl-target-warning=", "silent"),
            Treatment::Error => words.value("--sycl-target-warning=", "error"),
            Treatment::Warn => {}
        }
    }
    let flags = [
        (options.thin_lto, "--sycl-thin-lto"),
        (options.compress, "--compress"),
        (options.save_temps.is_some(), "--save-temps"),
        (options.verbose, "--wrapper-verbose"),
    ];
    words.0.extend(
        flags
            .iter()
            .filter(|(given, _)| *given)
            .map(|(_, flag)| flag.into()),
    );
    words.0.push("--".into());
    words.0.extend(linker.args.iter().cloned());
    words.0
}

/// The link of `--sycl-link`.
///
/// # Errors
/// When no device triple is given.
pub fn sycl_link(options: &Options) -> Result<Node, &'static str> {
    let given = options.clang.iter().rev().find_map(|word| {
        let triple = word.to_str()?.strip_prefix("--target=")?;
        Some(OsString::from(triple))
    });
    let given = given.or_else(|| value_of(&options.clang, "-target").map(OsString::from));
    let Some(triple) = given else {
        return Err("'--sycl-link' needs a device triple: '--target=<triple>'");
    };
    let mut line = Words::default();
    line.value("-triple=", triple);
    line.0.extend(linker_values(&options.clang));
    line.0.extend(options.inputs.iter().map(OsString::from));
    line.0.push("-o".into());
    line.0.push(match &options.output {
        Some(path) => path.into(),
        None => "a.out".into(),
    });
    Ok(Node::step(Action::SyclLinker(line.0), "device link", 0))
}

/// The options of the device link that do not depend on a target.
fn device_words(words: &mut Words, options: &Options, layout: &Layout) {
    let files: Vec<_> = options.device_libraries.files().collect();
    if !files.is_empty() {
        words.value("--sycl-device-libraries=", files.join(","));
        let folder = layout.device_libraries();
        words.value("--sycl-device-library-location=", folder);
    }
    // With ThinLTO each source has been split already.
    let split = options.split.filter(|_| !options.thin_lto);
    let split = split.map(|split| split.post_link_value());
    let split = split.map(|value| format!("-split={value}"));
    let post_link = split.into_iter().chain(options.post_link.iter().cloned());
    words.joined("--sycl-post-link-options=", post_link);
    words.joined("--llvm-spirv-options=", options.spirv.iter().cloned());
    if let Some(writer) = &options.spirv_writer {
        words.value("--spirv-writer=", writer);
    }
}

/// The options of the offline compilers: a `--gen-tool-arg` an architecture, each a call of its
/// own.
fn aot_words(words: &mut Words, options: &Options, targets: &DeviceTargets) {
    let is_cpu = |target: &&&Target| target.kind == Kind::Cpu;
    let several_cpus = targets.compiled.iter().filter(is_cpu).count() > 1;
    for target in &targets.compiled {
        let given = words_for(&options.backend, target);
        match target.kind {
            Kind::IntelGpu => {
                let device = (!target.device.is_empty()).then_some(["-device", target.device]);
                let device = device.into_iter().flatten().map(str::to_owned);
                words.joined("--gen-tool-arg=", device.chain(given));
            }
            // Each has code of its own, whose architecture the link knows.
            Kind::Cpu if several_cpus => {
                let given: Vec<String> = given.collect();
                let named = (!given.is_empty()).then(|| target.name.to_owned());
                words.joined("--cpu-tool-arg=", named.into_iter().chain(given));
            }
            Kind::Cpu => {
                let march =
                    (!target.device.is_empty()).then(|| format!("--march={}", target.device));
                words.joined("--cpu-tool-arg=", march.into_iter().chain(given));
            }
            Kind::Fpga => words.joined("--fpga-tool-arg=", given),
            Kind::Jit | Kind::Nvidia | Kind::Amd => {}
        }
    }
}

/// All words given for `target`.
fn words_for<'a>(
    given: &'a [TargetWords],
    target: &'a Target,
) -> impl Iterator<Item = String> + 'a {
    given
        .iter()
        .filter(|words| words.is_for(target))
        .flat_map(|words| words.words.iter().cloned())
}

/// What `-Xlinker` and `-Wl,` name, in order.
pub(super) fn linker_values(clang: &[OsString]) -> Vec<OsString> {
    let mut values = Vec::new();
    let mut rest = clang.iter();
    while let Some(word) = rest.next() {
        if word == "-Xlinker" {
            values.extend(rest.next().cloned());
        } else if let Some(list) = word.to_str().and_then(|text| text.strip_prefix("-Wl,")) {
            values.extend(list.split(',').map(OsString::from));
        }
    }
    values
}

/// A command line in the making.
#[derive(Default)]
struct Words(Vec<OsString>);

impl Words {
    /// One option with its value in the same word.
    fn value(&mut self, option: &str, value: impl Into<OsString>) {
        let mut word = OsString::from(option);
        word.push(value.into());
        self.0.push(word);
    }

    /// One option whose value is a list of words, quoted where they need it; nothing when empty.
    fn joined(&mut self, option: &str, words: impl Iterator<Item = String>) {
        let words: Vec<String> = words.map(|word| shell_word(&word)).collect();
        if !words.is_empty() {
            self.value(option, words.join(" "));
        }
    }
}

/// A word as a shell reads it back.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn line(words: &[&str]) -> Vec<String> {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        let options = Options::parse(&words).unwrap();
        let targets = DeviceTargets::of(&options).unwrap();
        let layout = Layout::of_tool(Path::new("/p/bin/sycl-clang++"));
        let linker = Job::new("/usr/bin/ld").args(["-o", "out", "a.o"]);
        let made = wrapper_words(&options, &targets, &layout, "x86_64-linux", &linker);
        made.into_iter()
            .map(|word| word.into_string().unwrap())
            .collect()
    }

    #[test]
    fn the_document_s_example_gives_a_call_an_architecture() {
        let made = line(&[
            "-fsycl",
            "-fsycl-targets=spir64_gen,intel_gpu_skl",
            "-Xsycl-target-backend=spir64_gen",
            "-device pvc -options -extraopt_pvc",
            "-Xsycl-target-backend=intel_gpu_skl",
            "-options -extraopt_skl",
            "a.o",
        ]);
        let calls: Vec<_> = made
            .iter()
            .filter(|w| w.starts_with("--gen-tool-arg"))
            .collect();
        assert_eq!(
            calls,
            [
                "--gen-tool-arg=-device pvc -options -extraopt_pvc",
                "--gen-tool-arg=-device skl -options -extraopt_skl"
            ]
        );
    }

    #[test]
    fn the_host_link_follows_the_wrapper_s_options() {
        let made = line(&["-fsycl", "-fsycl-device-code-split=per_kernel", "a.o"]);
        assert_eq!(made[0], "--host-triple=x86_64-linux");
        assert_eq!(made[1], "--linker-path=/usr/bin/ld");
        assert!(made[2].starts_with("--sycl-device-libraries=libsycl-crt.bc,"));
        assert_eq!(
            made[3],
            "--sycl-device-library-location=/p/lib/plumbline/devicelib"
        );
        assert_eq!(made[4], "--sycl-post-link-options=-split=kernel");
        assert_eq!(made[5..], ["--", "-o", "out", "a.o"]);
        let none = line(&["-fsycl", "-fno-sycl-device-lib=all", "a.o"]);
        assert!(!none.iter().any(|word| word.contains("device-librar")));
    }

    #[test]
    fn words_with_blanks_stay_one_word() {
        let made = line(&[
            "-fsycl",
            "-fsycl-targets=spir64_x86_64",
            "-Xs",
            "--bo='-a -b'",
            "a.o",
        ]);
        assert!(
            made.contains(&"--cpu-tool-arg='--bo=-a -b'".to_owned()),
            "{made:?}"
        );
    }

    #[test]
    fn the_wrapper_learns_the_targets_that_were_asked_for() {
        let expected = |words: &[&str]| -> Vec<String> {
            let made = line(&[&["-fsycl", "a.o"], words].concat());
            let about = |word: &String| word.contains("expected") || word.contains("warning");
            made.into_iter().filter(about).collect()
        };
        assert!(expected(&[]).is_empty());
        let fpga = "--sycl-expected-targets=spir64_fpga";
        assert_eq!(expected(&["-fintelfpga"]), [fpga]);
        assert_eq!(expected(&["-fsycl-targets=spir64_fpga"]), [fpga]);
        let silent = expected(&["-fintelfpga", "-Wno-sycl-target"]);
        assert_eq!(silent, [fpga, "--sycl-target-warning=silent"]);
    }

    #[test]
    fn sycl_link_calls_the_device_linker() {
        let words = [
            "--target=spir64",
            "--sycl-link",
            "a.bc",
            "-Xlinker",
            "-v",
            "-o",
            "x",
        ];
        let options = Options::parse(&words.map(OsString::from)).unwrap();
        let node = sycl_link(&options).unwrap();
        assert_eq!(
            node.print(Path::new("/p/bin")),
            " \"/p/bin/clang-sycl-linker\" \"-triple=spir64\" \"-v\" \"a.bc\" \"-o\" \"x\"\n"
        );
    }
}
