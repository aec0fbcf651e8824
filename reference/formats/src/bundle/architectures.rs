//! The architectures that triples begin with, by all names that LLVM has for them, and those of DPC++.

/// Names that stand for themselves.
const NAMES: &[&str] = &[
    // Hosts.
    "aarch64",
    "aarch64_32",
    "aarch64_be",
    "amd64",
    "arc",
    "arm64",
    "arm64_32",
    "arm64e",
    "arm64ec",
    "avr",
    "csky",
    "hexagon",
    "i386",
    "i486",
    "i586",
    "i686",
    "i786",
    "i886",
    "i986",
    "kalimba",
    "lanai",
    "loongarch32",
    "loongarch64",
    "m68k",
    "msp430",
    "powerpc",
    "powerpc64",
    "powerpc64le",
    "powerpcle",
    "powerpcspe",
    "ppc",
    "ppc32",
    "ppc32le",
    "ppc64",
    "ppc64le",
    "ppcle",
    "ppu",
    "riscv32",
    "riscv64",
    "s390x",
    "shave",
    "sparc",
    "sparc64",
    "sparcel",
    "sparcv9",
    "systemz",
    "tce",
    "tcele",
    "ve",
    "wasm32",
    "wasm64",
    "x86_64",
    "x86_64h",
    "xcore",
    "xtensa",
    "xscale",
    "xscaleeb",
    // Devices.
    "amdgcn",
    "amdil",
    "amdil64",
    "dxil",
    "hsail",
    "hsail64",
    "nvptx",
    "nvptx64",
    "r600",
    "renderscript32",
    "renderscript64",
    "spir",
    "spir64",
    // DPC++'s targets and FPGA files.
    "fpga_aoco",
    "fpga_aocr",
    "fpga_aocr_emu",
    "fpga_aocx",
    "fpga_aocx_emu",
    "fpga_dep",
    "native_cpu",
    "spir64_fpga",
    "spir64_gen",
    "spir64_x86_64",
];

/// What stands before the version, byte order or variant in names of other architectures.
const FAMILIES: &[(&str, &[&str])] = &[
    ("arm", &["", "eb", "v"]),
    ("thumb", &["", "eb", "v"]),
    ("bpf", &["", "_le", "_be", "el", "eb"]),
    (
        "mips",
        &["", "eb", "el", "allegrex", "r6", "isa", "n32", "64"],
    ),
    ("dxilv", &["1."]),
    ("spirv", &["", "1.", "32", "64"]),
];

/// Whether a triple can begin so.
pub(super) fn is_known(name: &str) -> bool {
    let in_family = |(family, variants): &(&str, &[&str])| {
        let Some(variant) = name.strip_prefix(family) else {
            return false;
        };
        variants.iter().any(|known| match *known {
            "" => variant.is_empty(),
            known => variant.starts_with(known),
        })
    };
    NAMES.contains(&name) || FAMILIES.iter().any(in_family)
}
