//! Options of DPC++'s driver that ask for what this toolchain cannot do, and must not pretend to.

/// An option by its beginning, whether more of the word may follow, and why it is refused.
struct Refused {
    begin: &'static str,
    whole: bool,
    because: &'static str,
}

const fn word(begin: &'static str, because: &'static str) -> Refused {
    Refused {
        begin,
        whole: true,
        because,
    }
}

const fn beginning(begin: &'static str, because: &'static str) -> Refused {
    Refused {
        begin,
        whole: false,
        because,
    }
}

const OBJECTS: &str = "objects hold LLVM bitcode, and the link writes SPIR-V or PTX, which \
                       '-fsycl-dump-device-code=' and '-save-temps' keep";
const ACCURACY: &str = "mathematical functions on devices are as accurate as SYCL asks, and no more \
                        is promised";
const BINARIES: &str = "this toolchain writes no SYCLBIN files; '-fsycl-device-only' writes device code \
                        as an offload binary";
const LIBRARIES: &str = "none of Intel's libraries come with this toolchain; '-I', '-L' and '-l' name the folders and \
                         libraries of one that is there";
const ALGORITHMS: &str = "algorithms of the C++ library run on the host";

static TABLE: &[Refused] = &[
    word("-fsycl-device-obj=spirv", OBJECTS),
    word("-fsycl-device-obj=asm", OBJECTS),
    word("-fno-sycl-use-bitcode", OBJECTS),
    word(
        "-fsycl-fp64-conv-emu",
        "device code that converts from or to double needs the aspect fp64 all the same",
    ),
    beginning(
        "-fsycl-link-targets=",
        "DPC++ has it no more; link the objects themselves, with '-fsycl-targets='",
    ),
    beginning(
        "-fsycl-add-targets=",
        "DPC++ has it no more; clang-offload-packager packages device code that is there already",
    ),
    word("-fsyclbin", BINARIES),
    beginning("-fsyclbin=", BINARIES),
    word("-fsycl-pstl-offload", ALGORITHMS),
    beginning("-fsycl-pstl-offload=", ALGORITHMS),
    word(
        "-fsycl-cuda-compatibility",
        "sources in CUDA's language are not compiled as SYCL",
    ),
    beginning("-qmkl", LIBRARIES),
    beginning("-qdaal", LIBRARIES),
    beginning("-qipp", LIBRARIES),
    beginning("-qtbb", LIBRARIES),
    beginning("-qdpl", LIBRARIES),
    beginning("-ffp-accuracy=high", ACCURACY),
    beginning("-ffp-accuracy=medium", ACCURACY),
    beginning("-ffp-accuracy=cuda", ACCURACY),
    beginning("-ffp-accuracy=0", ACCURACY),
    beginning("-ffp-accuracy=1", ACCURACY),
    beginning("-ffp-accuracy=2", ACCURACY),
    beginning("-ffp-accuracy=3", ACCURACY),
];

/// Why `text` is refused, when it is such an option.
pub(in super::super) fn reason(text: &str) -> Option<&'static str> {
    let fits = |refused: &&Refused| match refused.whole {
        true => text == refused.begin,
        false => text.starts_with(refused.begin),
    };
    TABLE.iter().find(fits).map(|refused| refused.because)
}
