//! Target architectures: the names that `-fsycl-targets`, `-fsycl-fixed-targets`, the device
//! configuration file and `sycl-aspect-filter -target` share, with their aliases (FEAT, "AOT target
//! identification"). Intel, NVIDIA and AMD names are those of DPC++'s
//! `sycl_ext_oneapi_device_architecture`; a version number may leave out a last part that is 0.

/// The first number of the aspects that stand for target architectures. It lies far above the
/// feature aspects, so that either list can grow.
const FIRST_ASPECT: u32 = 1000;

/// What kind of compiler and image a target takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// SPIR-V that the device runtime compiles when the program runs.
    Jit,
    /// An Intel GPU, compiled ahead of time by `ocloc`.
    IntelGpu,
    /// An x86-64 CPU, compiled ahead of time by `opencl-aot`.
    Cpu,
    /// An FPGA, compiled ahead of time by `aoc` or for its emulator.
    Fpga,
    /// An NVIDIA GPU, through PTX.
    Nvidia,
    /// An AMD GPU.
    Amd,
}

/// One target architecture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The name it is known by.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// What compiles for it.
    pub kind: Kind,
    /// The name that the compiler of its kind has for it (`ocloc -device`, `opencl-aot`'s
    /// `-march`, `sm_`, `gfx`); empty for a generic target.
    pub device: &'static str,
    /// A line for people.
    pub description: &'static str,
}

impl Target {
    /// The number of the aspect that stands for this architecture, as the "fixed_target" property
    /// lists it.
    #[must_use]
    pub fn aspect(&self) -> u32 {
        TARGETS
            .iter()
            .position(|target| target.name == self.name)
            .and_then(|index| u32::try_from(index).ok())
            .map_or(FIRST_ASPECT, |index| FIRST_ASPECT + index)
    }

    /// The triple of the device compilation.
    #[must_use]
    pub fn triple(&self) -> &'static str {
        match self.kind {
            Kind::Jit => "spir64-unknown-unknown",
            Kind::IntelGpu => "spir64_gen-unknown-unknown",
            Kind::Cpu => "spir64_x86_64-unknown-unknown",
            Kind::Fpga => "spir64_fpga-unknown-unknown",
            Kind::Nvidia => "nvptx64-nvidia-cuda",
            Kind::Amd => "amdgcn-amd-amdhsa",
        }
    }
}

/// The target of a name or alias.
#[must_use]
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS
        .iter()
        .find(|target| target.name == name || target.aliases.contains(&name))
}

/// The target of `kind` that `name` stands for: a name or an alias of it with the vendor or without, or
/// the name that its compiler has for it, with `-`, `_` or `.` between the parts, as others' packagers
/// write them (`bmg_g21`, `acm-g10`, `12.60.7`).
#[must_use]
pub fn architecture(kind: Kind, name: &str) -> Option<&'static Target> {
    if name.is_empty() {
        return None;
    }
    let plain = |name: &str| name.replace(['_', '.'], "-");
    let wanted = plain(name);
    let vendor = match kind {
        Kind::IntelGpu => "intel_gpu_",
        Kind::Nvidia => "nvidia_gpu_",
        Kind::Amd => "amd_gpu_",
        Kind::Cpu => "x86_64_",
        Kind::Jit | Kind::Fpga => "",
    };
    let is_meant = |known: &str| {
        plain(known) == wanted || known.strip_prefix(vendor).map(plain).as_ref() == Some(&wanted)
    };
    let mut of_kind = TARGETS.iter().filter(|target| target.kind == kind);
    let named = of_kind.find(|target| {
        let mut names = target.aliases.iter().chain([&target.name, &target.device]);
        names.any(|known| !known.is_empty() && is_meant(known))
    });
    named.or_else(|| {
        let mut processors = PROCESSORS.iter().filter(|_| kind == Kind::Cpu);
        let found = processors.find(|(_, names)| names.contains(&wanted.as_str()));
        found.and_then(|(target, _)| find(target))
    })
}

/// The target that an aspect number stands for.
#[must_use]
pub fn by_aspect(aspect: u32) -> Option<&'static Target> {
    TARGETS.get(aspect.checked_sub(FIRST_ASPECT)? as usize)
}

/// Every target, in the order of their aspects.
#[must_use]
pub fn all() -> &'static [Target] {
    TARGETS
}

/// A target name that nobody knows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown target '{name}'; known targets: {}", known_names())]
pub struct UnknownTarget {
    /// The name as given.
    pub name: String,
}

/// The targets of a comma-separated list, in its order, each once.
///
/// # Errors
/// The first name that is unknown; the message lists the known ones.
pub fn parse_list(list: &str) -> Result<Vec<&'static Target>, UnknownTarget> {
    let mut targets: Vec<&'static Target> = Vec::new();
    for name in list.split(',').map(str::trim) {
        let target = find(name).ok_or_else(|| UnknownTarget { name: name.into() })?;
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    Ok(targets)
}

/// All names and aliases, separated by commas.
#[must_use]
pub fn known_names() -> String {
    let names = |target: &'static Target| {
        std::iter::once(target.name).chain(target.aliases.iter().copied())
    };
    TARGETS
        .iter()
        .flat_map(names)
        .collect::<Vec<_>>()
        .join(", ")
}

const fn generic(
    name: &'static str,
    aliases: &'static [&'static str],
    kind: Kind,
    device: &'static str,
    description: &'static str,
) -> Target {
    Target {
        name,
        aliases,
        kind,
        device,
        description,
    }
}

const fn intel_gpu(
    name: &'static str,
    aliases: &'static [&'static str],
    device: &'static str,
    description: &'static str,
) -> Target {
    generic(name, aliases, Kind::IntelGpu, device, description)
}

const fn nvidia(name: &'static str, device: &'static str, description: &'static str) -> Target {
    generic(name, &[], Kind::Nvidia, device, description)
}

const fn amd(name: &'static str, device: &'static str) -> Target {
    generic(name, &[], Kind::Amd, device, "AMD GPU")
}

/// Append only: a target's place is its aspect number.
#[rustfmt::skip]
static TARGETS: &[Target] = &[
    generic("spir64", &["spir64-unknown-unknown", "spirv64", "spirv64-unknown-unknown"], Kind::Jit, "", "Generic 64-bit SPIR-V"),
    generic("spir64_gen", &["intel_gpu", "spir64_gen-unknown-unknown"], Kind::IntelGpu, "", "Generic Intel graphics"),
    generic("spir64_x86_64", &["x86_64", "spir64_x86_64-unknown-unknown"], Kind::Cpu, "", "Generic 64-bit x86"),
    generic("spir64_fpga", &["spir64_fpga-unknown-unknown"], Kind::Fpga, "", "Generic FPGA"),
    generic("ptx64", &["nvptx64", "nvptx64-nvidia-cuda"], Kind::Nvidia, "", "Generic 64-bit PTX"),
    generic("amdgcn", &["amdgcn-amd-amdhsa"], Kind::Amd, "", "Generic AMD GPU"),
    generic("x86_64_sse42", &[], Kind::Cpu, "sse42", "64-bit x86 with SSE 4.2"),
    generic("x86_64_avx", &[], Kind::Cpu, "avx", "64-bit x86 with AVX"),
    generic("x86_64_avx2", &[], Kind::Cpu, "avx2", "64-bit x86 with AVX2"),
    generic("x86_64_avx512", &[], Kind::Cpu, "avx512", "64-bit x86 with AVX-512"),
    intel_gpu("intel_gpu_bdw", &["intel_gpu_8_0_0", "intel_gpu_8_0"], "bdw", "Intel Broadwell graphics"),
    intel_gpu("intel_gpu_skl", &["intel_gpu_9_0_9"], "skl", "Intel Skylake graphics"),
    intel_gpu("intel_gpu_kbl", &["intel_gpu_9_1_9"], "kbl", "Intel Kaby Lake graphics"),
    intel_gpu("intel_gpu_cfl", &["intel_gpu_9_2_9"], "cfl", "Intel Coffee Lake graphics"),
    intel_gpu("intel_gpu_apl", &["intel_gpu_bxt", "intel_gpu_9_3_0", "intel_gpu_9_3"], "apl", "Intel Apollo Lake graphics"),
    intel_gpu("intel_gpu_glk", &["intel_gpu_9_4_0", "intel_gpu_9_4"], "glk", "Intel Gemini Lake graphics"),
    intel_gpu("intel_gpu_whl", &["intel_gpu_9_5_0", "intel_gpu_9_5"], "whl", "Intel Whiskey Lake graphics"),
    intel_gpu("intel_gpu_aml", &["intel_gpu_9_6_0", "intel_gpu_9_6"], "aml", "Intel Amber Lake graphics"),
    intel_gpu("intel_gpu_cml", &["intel_gpu_9_7_0", "intel_gpu_9_7"], "cml", "Intel Comet Lake graphics"),
    intel_gpu("intel_gpu_icllp", &["intel_gpu_icl", "intel_gpu_11_0_0", "intel_gpu_11_0"], "icllp", "Intel Ice Lake graphics"),
    intel_gpu("intel_gpu_lkf", &["intel_gpu_11_1_0", "intel_gpu_11_1"], "lkf", "Intel Lakefield graphics"),
    intel_gpu("intel_gpu_ehl", &["intel_gpu_jsl", "intel_gpu_11_2_0", "intel_gpu_11_2"], "ehl", "Intel Elkhart Lake graphics"),
    intel_gpu("intel_gpu_tgllp", &["intel_gpu_tgl", "intel_gpu_12_0_0", "intel_gpu_12_0", "intel_gpu_12"], "tgllp", "Intel Tiger Lake graphics"),
    intel_gpu("intel_gpu_rkl", &["intel_gpu_12_1_0", "intel_gpu_12_1"], "rkl", "Intel Rocket Lake graphics"),
    intel_gpu("intel_gpu_adl_s", &["intel_gpu_rpl_s", "intel_gpu_12_2_0", "intel_gpu_12_2"], "adl-s", "Intel Alder Lake S graphics"),
    intel_gpu("intel_gpu_adl_p", &["intel_gpu_12_3_0", "intel_gpu_12_3"], "adl-p", "Intel Alder Lake P graphics"),
    intel_gpu("intel_gpu_adl_n", &["intel_gpu_12_4_0", "intel_gpu_12_4"], "adl-n", "Intel Alder Lake N graphics"),
    intel_gpu("intel_gpu_dg1", &["intel_gpu_12_10_0", "intel_gpu_12_10"], "dg1", "Intel DG1 graphics"),
    intel_gpu("intel_gpu_acm_g10", &["intel_gpu_dg2_g10", "intel_gpu_12_55_8", "intel_gpu_dg2"], "acm-g10", "Intel Alchemist G10 graphics"),
    intel_gpu("intel_gpu_acm_g11", &["intel_gpu_dg2_g11", "intel_gpu_12_56_5"], "acm-g11", "Intel Alchemist G11 graphics"),
    intel_gpu("intel_gpu_acm_g12", &["intel_gpu_dg2_g12", "intel_gpu_12_57_0", "intel_gpu_12_57"], "acm-g12", "Intel Alchemist G12 graphics"),
    intel_gpu("intel_gpu_pvc", &["intel_gpu_12_60_7"], "pvc", "Intel Ponte Vecchio graphics"),
    intel_gpu("intel_gpu_pvc_vg", &["intel_gpu_12_61_7"], "pvc-vg", "Intel Ponte Vecchio VG graphics"),
    intel_gpu("intel_gpu_mtl_u", &["intel_gpu_mtl_s", "intel_gpu_arl_u", "intel_gpu_arl_s", "intel_gpu_12_70_4"], "mtl-u", "Intel Meteor Lake U graphics"),
    intel_gpu("intel_gpu_mtl_h", &["intel_gpu_12_71_4"], "mtl-h", "Intel Meteor Lake H graphics"),
    intel_gpu("intel_gpu_arl_h", &["intel_gpu_12_74_4"], "arl-h", "Intel Arrow Lake H graphics"),
    intel_gpu("intel_gpu_bmg_g21", &["intel_gpu_20_1_4"], "bmg-g21", "Intel Battlemage G21 graphics"),
    intel_gpu("intel_gpu_bmg_g31", &["intel_gpu_20_2_0", "intel_gpu_20_2"], "bmg-g31", "Intel Battlemage G31 graphics"),
    intel_gpu("intel_gpu_lnl_m", &["intel_gpu_20_4_4"], "lnl-m", "Intel Lunar Lake graphics"),
    intel_gpu("intel_gpu_ptl_h", &["intel_gpu_30_0_4"], "ptl-h", "Intel Panther Lake H graphics"),
    intel_gpu("intel_gpu_ptl_u", &["intel_gpu_30_1_1"], "ptl-u", "Intel Panther Lake U graphics"),
    intel_gpu("intel_gpu_wcl", &["intel_gpu_30_3_0", "intel_gpu_30_3"], "wcl", "Intel Wildcat Lake graphics"),
    intel_gpu("intel_gpu_nvl_s", &["intel_gpu_nvl_hx", "intel_gpu_nvl_ul", "intel_gpu_30_4_0", "intel_gpu_30_4"], "nvl-s", "Intel Nova Lake S graphics"),
    intel_gpu("intel_gpu_nvl_u", &["intel_gpu_nvl_h", "intel_gpu_30_5_0", "intel_gpu_30_5"], "nvl-u", "Intel Nova Lake U graphics"),
    intel_gpu("intel_gpu_nvl_p", &["intel_gpu_35_10_0", "intel_gpu_35_10"], "nvl-p", "Intel Nova Lake P graphics"),
    intel_gpu("intel_gpu_cri", &["intel_gpu_35_11_0", "intel_gpu_35_11"], "cri", "Intel Crescent Island graphics"),
    nvidia("nvidia_gpu_sm_50", "sm_50", "NVIDIA Maxwell (compute capability 5.0)"),
    nvidia("nvidia_gpu_sm_52", "sm_52", "NVIDIA Maxwell (compute capability 5.2)"),
    nvidia("nvidia_gpu_sm_53", "sm_53", "NVIDIA Maxwell (compute capability 5.3)"),
    nvidia("nvidia_gpu_sm_60", "sm_60", "NVIDIA Pascal (compute capability 6.0)"),
    nvidia("nvidia_gpu_sm_61", "sm_61", "NVIDIA Pascal (compute capability 6.1)"),
    nvidia("nvidia_gpu_sm_62", "sm_62", "NVIDIA Pascal (compute capability 6.2)"),
    nvidia("nvidia_gpu_sm_70", "sm_70", "NVIDIA Volta (compute capability 7.0)"),
    nvidia("nvidia_gpu_sm_72", "sm_72", "NVIDIA Volta (compute capability 7.2)"),
    nvidia("nvidia_gpu_sm_75", "sm_75", "NVIDIA Turing (compute capability 7.5)"),
    nvidia("nvidia_gpu_sm_80", "sm_80", "NVIDIA Ampere (compute capability 8.0)"),
    nvidia("nvidia_gpu_sm_86", "sm_86", "NVIDIA Ampere (compute capability 8.6)"),
    nvidia("nvidia_gpu_sm_87", "sm_87", "NVIDIA Ampere (compute capability 8.7)"),
    nvidia("nvidia_gpu_sm_89", "sm_89", "NVIDIA Ada Lovelace (compute capability 8.9)"),
    nvidia("nvidia_gpu_sm_90", "sm_90", "NVIDIA Hopper (compute capability 9.0)"),
    nvidia("nvidia_gpu_sm_90a", "sm_90a", "NVIDIA Hopper (compute capability 9.0a)"),
    amd("amd_gpu_gfx700", "gfx700"),
    amd("amd_gpu_gfx701", "gfx701"),
    amd("amd_gpu_gfx702", "gfx702"),
    amd("amd_gpu_gfx703", "gfx703"),
    amd("amd_gpu_gfx704", "gfx704"),
    amd("amd_gpu_gfx705", "gfx705"),
    amd("amd_gpu_gfx801", "gfx801"),
    amd("amd_gpu_gfx802", "gfx802"),
    amd("amd_gpu_gfx803", "gfx803"),
    amd("amd_gpu_gfx805", "gfx805"),
    amd("amd_gpu_gfx810", "gfx810"),
    amd("amd_gpu_gfx900", "gfx900"),
    amd("amd_gpu_gfx902", "gfx902"),
    amd("amd_gpu_gfx904", "gfx904"),
    amd("amd_gpu_gfx906", "gfx906"),
    amd("amd_gpu_gfx908", "gfx908"),
    amd("amd_gpu_gfx909", "gfx909"),
    amd("amd_gpu_gfx90a", "gfx90a"),
    amd("amd_gpu_gfx90c", "gfx90c"),
    amd("amd_gpu_gfx940", "gfx940"),
    amd("amd_gpu_gfx941", "gfx941"),
    amd("amd_gpu_gfx942", "gfx942"),
    amd("amd_gpu_gfx1010", "gfx1010"),
    amd("amd_gpu_gfx1011", "gfx1011"),
    amd("amd_gpu_gfx1012", "gfx1012"),
    amd("amd_gpu_gfx1013", "gfx1013"),
    amd("amd_gpu_gfx1030", "gfx1030"),
    amd("amd_gpu_gfx1031", "gfx1031"),
    amd("amd_gpu_gfx1032", "gfx1032"),
    amd("amd_gpu_gfx1033", "gfx1033"),
    amd("amd_gpu_gfx1034", "gfx1034"),
    amd("amd_gpu_gfx1035", "gfx1035"),
    amd("amd_gpu_gfx1036", "gfx1036"),
    amd("amd_gpu_gfx1100", "gfx1100"),
    amd("amd_gpu_gfx1101", "gfx1101"),
    amd("amd_gpu_gfx1102", "gfx1102"),
    amd("amd_gpu_gfx1103", "gfx1103"),
    amd("amd_gpu_gfx1150", "gfx1150"),
    amd("amd_gpu_gfx1151", "gfx1151"),
    amd("amd_gpu_gfx1200", "gfx1200"),
    amd("amd_gpu_gfx1201", "gfx1201"),
];

/// Processors by the names that compilers have for them, each under the instruction set that it is
/// compiled for.
static PROCESSORS: &[(&str, &[&str])] = &[
    ("x86_64_sse42", &["corei7", "westmere"]),
    ("x86_64_avx", &["corei7-avx", "sandybridge", "ivybridge"]),
    (
        "x86_64_avx2",
        &[
            "core-avx2",
            "haswell",
            "broadwell",
            "skylake",
            "coffeelake",
            "alderlake",
        ],
    ),
    (
        "x86_64_avx512",
        &[
            "skylake-avx512",
            "skx",
            "cascadelake",
            "icelake-client",
            "icelake-server",
            "icelakeclient",
            "icelakeserver",
            "sapphirerapids",
            "graniterapids",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_name_stands_for_two_targets() {
        let mut seen = HashSet::new();
        for target in all() {
            for name in std::iter::once(&target.name).chain(target.aliases) {
                assert!(seen.insert(*name), "{name} twice");
            }
            assert_eq!(by_aspect(target.aspect()), Some(target));
        }
    }

    #[test]
    fn architectures_are_known_as_others_spell_them() {
        let name = |kind, name| architecture(kind, name).map(|target| target.name);
        for (spelled, known) in [
            ("bmg_g21", "intel_gpu_bmg_g21"),
            ("acm-g10", "intel_gpu_acm_g10"),
            ("dg2_g10", "intel_gpu_acm_g10"),
            ("adl_s", "intel_gpu_adl_s"),
            ("12.60.7", "intel_gpu_pvc"),
            ("intel_gpu_tgl", "intel_gpu_tgllp"),
            ("spir64_gen", "spir64_gen"),
        ] {
            assert_eq!(name(Kind::IntelGpu, spelled), Some(known), "{spelled}");
        }
        assert_eq!(name(Kind::Nvidia, "sm_52"), Some("nvidia_gpu_sm_52"));
        assert_eq!(name(Kind::Cpu, "graniterapids"), Some("x86_64_avx512"));
        assert_eq!(name(Kind::Cpu, "core-avx2"), Some("x86_64_avx2"));
        assert_eq!(name(Kind::Cpu, "skylake_avx512"), Some("x86_64_avx512"));
        assert_eq!(name(Kind::IntelGpu, "sm_52"), None);
        assert_eq!(name(Kind::IntelGpu, ""), None);
    }

    #[test]
    fn the_document_s_names_are_known() {
        for name in [
            "intel_gpu",
            "ptx64",
            "spir64",
            "x86_64",
            "intel_gpu_12_0",
            "intel_gpu_12",
            "intel_gpu_11_1",
            "intel_gpu_icl",
            "x86_64_avx512",
        ] {
            assert!(find(name).is_some(), "{name}");
        }
        assert_eq!(find("intel_gpu_tgl"), find("intel_gpu_12_0"));
    }

    #[test]
    fn a_list_names_each_target_once_and_an_unknown_one_is_an_error() {
        let list = parse_list("intel_gpu_tgl,intel_gpu_12_0,spir64").unwrap();
        assert_eq!(list.len(), 2);
        let message = parse_list("spir64,intel_gpu_xyz").unwrap_err().to_string();
        assert!(
            message.starts_with("unknown target 'intel_gpu_xyz'"),
            "{message}"
        );
        assert!(message.contains("intel_gpu_tgllp"), "{message}");
    }
}
