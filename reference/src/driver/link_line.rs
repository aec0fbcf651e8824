//! The link step: `clang-linker-wrapper` around the host link that clang planned, with what the
//! command line says about device code (MODEL "Clang Linker Wrapper"), and the device-only link of
//! `--sycl-link` (OFF "Linking of device objects").

use std::ffi::OsString;

use components::process::Job;
use offload_formats::targets::{Kind, Target};

use super::clang_plan::{ClangPlan, value_of};
use super::device_target::{DeviceTargets, architecture_word};
use super::options::Options;
use super::plan::{Action, Node};
use super::target_words::{TargetWords, words_for};
use super::warnings::warning_options;
use crate::aot;
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
    device_words(&mut words, options, targets, layout);
    aot_words(&mut words, options, targets);
    run_time_words(&mut words, options, targets);
    let named = !options.targets.is_empty() || !options.offload_arch.is_empty();
    let asked = named || options.fpga;
    if asked {
        let names: Vec<&str> = targets.compiled.iter().map(|target| target.name).collect();
        words.value("--sycl-expected-targets=", names.join(","));
    }
    if let Some(target) = &options.force_target {
        words.value("--sycl-force-target=", target);
    }
    if let Some(folder) = &options.dump_device_code {
        words.value("--sycl-dump-device-code=", folder.as_os_str());
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
    for word in &options.ptxas {
        words.value("--ptxas-arg=", word);
    }
    if asked {
        match treatment(&warning_options(&options.clang), Warning::Target) {
            Treatment::Silent => words.value("--sycl-target-warning=", "silent"),
            Treatment::Error => words.value("--sycl-target-warning=", "error"),
            Treatment::Warn => {}
        }
    }
    if options.thin_lto {
        let given = options.thin_lto_words.iter();
        words.0.extend(given.map(OsString::from));
    }
    if let Some(level) = options.compression_level {
        words.0.push(format!("--compression-level={level}").into());
    }
    let flags = [
        (options.thin_lto, "--sycl-thin-lto"),
        (
            options.image_dependencies,
            "--sycl-allow-device-image-dependencies",
        ),
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

/// `-fsycl-link` makes archives of FPGA binaries alone. What objects hold, the link will find out.
///
/// # Errors
/// When the command compiles for another target, or names one.
pub(super) fn check_fpga_archive(
    options: &Options,
    targets: &DeviceTargets,
    host: &ClangPlan,
) -> Result<(), String> {
    let named = !options.targets.is_empty() || !options.offload_arch.is_empty();
    if options.fpga_link.is_none() || !named && host.compiles.is_empty() {
        return Ok(());
    }
    match targets.compiled.iter().find(|t| t.kind != Kind::Fpga) {
        Some(other) => Err(format!(
            "'-fsycl-link' makes an archive of FPGA binaries and of nothing else: it cannot be used \
             with target '{}'; '-fintelfpga' or '-fsycl-targets=spir64_fpga' compiles for FPGA",
            other.name
        )),
        None => Ok(()),
    }
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
fn device_words(words: &mut Words, options: &Options, targets: &DeviceTargets, layout: &Layout) {
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
    let mut post_link: Vec<String> = split.into_iter().collect();
    let mut spirv = Vec::new();
    let shared = [
        (&options.post_link, &mut post_link, "--device-post-link="),
        (&options.spirv, &mut spirv, "--device-spirv-writer="),
    ];
    let mut of_one_target = Vec::new();
    for (given, of_all, option) in shared {
        match targets.compiled.as_slice() {
            [target] => of_all.extend(words_for(given, target)),
            several => {
                let for_all = given.iter().filter(|words| words.target.is_none());
                of_all.extend(for_all.flat_map(|words| words.words.iter().cloned()));
                let named = given.iter().filter(|words| words.target.is_some());
                let named: Vec<TargetWords> = named.cloned().collect();
                of_one_target.extend(several.iter().map(|target| {
                    let own: Vec<String> = words_for(&named, target).collect();
                    (option, *target, own)
                }));
            }
        }
    }
    words.joined("--sycl-post-link-options=", post_link.into_iter());
    words.joined("--llvm-spirv-options=", spirv.into_iter());
    for (option, target, own) in of_one_target {
        words.of_target(option, target, own.into_iter());
    }
    if let Some(writer) = &options.spirv_writer {
        words.value("--spirv-writer=", writer);
    }
}

/// The options of the offline compilers: a `--gen-tool-arg` an architecture, each a call of its
/// own. What is for a target's linker is theirs too: they link what they compile.
fn aot_words(words: &mut Words, options: &Options, targets: &DeviceTargets) {
    let is_cpu = |target: &&&Target| target.kind == Kind::Cpu;
    let several_cpus = targets.compiled.iter().filter(is_cpu).count() > 1;
    for target in &targets.compiled {
        let given = words_for(&options.backend, target).chain(words_for(&options.linker, target));
        let given: Vec<String> = given.collect();
        let implied = options
            .implied
            .build_options(&options.clang, target, &given);
        let given = aot::with_build_options(target.kind, given, &implied);
        match target.kind {
            Kind::IntelGpu => {
                let device = (!target.device.is_empty()).then_some(["-device", target.device]);
                let device = device.into_iter().flatten().map(str::to_owned);
                words.joined("--gen-tool-arg=", device.chain(given));
            }
            // Each has code of its own, whose architecture the link knows.
            Kind::Cpu if several_cpus => {
                let named = (!given.is_empty()).then(|| target.name.to_owned());
                words.joined("--cpu-tool-arg=", named.into_iter().chain(given));
            }
            Kind::Cpu => {
                let march =
                    (!target.device.is_empty()).then(|| format!("--march={}", target.device));
                words.joined("--cpu-tool-arg=", march.into_iter().chain(given));
            }
            Kind::Fpga => {
                let reuse = options.reuse_exe.iter();
                let reuse = reuse.map(|program| format!("-reuse-exe={program}"));
                words.joined("--fpga-tool-arg=", given.into_iter().chain(reuse));
            }
            Kind::Jit | Kind::Nvidia | Kind::Amd => {}
        }
    }
}

/// The options of what is compiled and linked when the program runs: SPIR-V for any device, and PTX.
fn run_time_words(words: &mut Words, options: &Options, targets: &DeviceTargets) {
    for target in &targets.compiled {
        let given: Vec<String> = words_for(&options.backend, target).collect();
        let linker = words_for(&options.linker, target);
        match target.kind {
            Kind::Jit => {
                let implied = options
                    .implied
                    .build_options(&options.clang, target, &given);
                let implied = implied.into_iter().map(str::to_owned);
                words.joined(
                    "--sycl-backend-compile-options=",
                    given.into_iter().chain(implied),
                );
                words.joined("--sycl-target-link-options=", linker);
            }
            Kind::Nvidia => {
                let given = given
                    .into_iter()
                    .filter(|word| architecture_word(word).is_none());
                words.of_target("--device-compiler=", target, given);
                words.of_target("--device-linker=", target, linker);
            }
            _ => {}
        }
    }
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

impl Words {
    /// The same for one target, by its triple and architecture.
    fn of_target(&mut self, option: &str, target: &Target, words: impl Iterator<Item = String>) {
        let arch = match target.device {
            "" => String::new(),
            device => format!("-{device}"),
        };
        let option = format!("{option}sycl:{}{arch}=", target.triple());
        self.joined(&option, words);
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
    fn each_target_s_linker_gets_its_own_words() {
        let made = line(&[
            "-fsycl",
            "-fsycl-targets=spir64,nvptx64-nvidia-cuda,intel_gpu_skl",
            "-Xsycl-target-linker=spir64",
            "-for-jit",
            "-Xsycl-target-linker=nvptx64-nvidia-cuda",
            "-maxrregcount=32",
            "-Xsycl-target-linker=intel_gpu_skl",
            "-for-skl",
            "-Xsycl-target-backend=nvptx64-nvidia-cuda",
            "--offload-arch=sm_86 -O1",
            "a.o",
        ]);
        for word in [
            "--sycl-target-link-options=-for-jit",
            "--device-linker=sycl:nvptx64-nvidia-cuda-sm_86=-maxrregcount=32",
            "--device-compiler=sycl:nvptx64-nvidia-cuda-sm_86=-O1",
            "--gen-tool-arg=-device skl -for-skl",
            "--sycl-expected-targets=spir64,nvidia_gpu_sm_86,intel_gpu_skl",
        ] {
            assert!(made.contains(&word.to_owned()), "{word}: {made:?}");
        }
    }

    #[test]
    fn what_the_compiler_was_told_is_implied_for_device_compilers() {
        let made = line(&[
            "-fsycl",
            "-g",
            "-ftarget-compile-fast",
            "-fsycl-targets=spir64,spir64_x86_64,intel_gpu_skl",
            "-Xsycl-target-backend=intel_gpu_skl",
            "-options -cl-mad-enable -q",
            "a.o",
        ]);
        for word in [
            "--sycl-backend-compile-options=-g -ftarget-compile-fast",
            "--cpu-tool-arg=--bo=-g",
            "--gen-tool-arg=-device skl -options '-g -igc_opts '\\''PartitionUnit=1,SubroutineThreshold=50000'\\'' -cl-mad-enable' -q",
        ] {
            assert!(made.contains(&word.to_owned()), "{word}: {made:?}");
        }
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
