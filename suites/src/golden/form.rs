//! What kinds of text golden files hold, and what of each is a machine's or a version's: the one list
//! of what is written otherwise before a text is compared. The exported runner reads the same list.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::OnceLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

/// What kind of text a golden file holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Any text, compared as it is.
    #[default]
    Text,
    /// Command lines as `-###` and dry runs print them: a line a word.
    Plan,
    /// An integration header.
    Header,
    /// LLVM IR as text.
    Module,
    /// A report on the device images of a file, as text or as JSON.
    Report,
}

/// A thing that is written otherwise, and why.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Rule {
    /// What would leak, or be hard to read, without it.
    #[serde(skip)]
    pub against: &'static str,
    /// A regular expression.
    pub find: &'static str,
    /// What takes its place; `$1` is a group.
    pub put: &'static str,
    /// A text, and what the rule alone makes of it.
    #[serde(skip)]
    pub example: [&'static str; 2],
}

impl Form {
    /// All of them.
    pub const ALL: [Form; 5] = [
        Form::Text,
        Form::Plan,
        Form::Header,
        Form::Module,
        Form::Report,
    ];

    /// The rules for texts of this kind, in their order.
    #[must_use]
    pub fn rules(self) -> &'static [Rule] {
        match self {
            Form::Text => &[],
            Form::Plan => PLAN,
            Form::Header => HEADER,
            Form::Module => MODULE,
            Form::Report => REPORT,
        }
    }

    /// The text as golden files hold it.
    #[must_use]
    pub fn normalised(self, text: &str) -> String {
        static EXPRESSIONS: OnceLock<BTreeMap<Form, Vec<(Regex, &str)>>> = OnceLock::new();
        let expressions = EXPRESSIONS.get_or_init(|| {
            let read = |rule: &Rule| Regex::new(rule.find).ok().map(|find| (find, rule.put));
            let of = |form: Form| (form, form.rules().iter().filter_map(read).collect());
            Form::ALL.map(of).into()
        });
        let rules = expressions.get(&self).into_iter().flatten();
        rules.fold(text.to_owned(), |text, (find, put)| {
            match find.replace_all(&text, *put) {
                Cow::Borrowed(_) => text,
                Cow::Owned(changed) => changed,
            }
        })
    }
}

/// Each command begins a line with its program; its words follow, indented, a line each.
const PLAN: &[Rule] = &[
    Rule {
        against: "versions and places in what clang says of itself above a plan",
        find: r"(?m)^(?:[^\n\x22]*clang version .*|Target: .*|Thread model: .*|InstalledDir: .*|Build config: .*| \(in-process\))\n",
        put: "",
        example: [
            "Debian clang version 19.1.7 (3~deb12u1)\nTarget: t\n \"ld\"\n",
            " \"ld\"\n",
        ],
    },
    Rule {
        against: "which of the two writers of SPIR-V the machine has",
        find: r#"(?m)^ ?"(?:[^"\n]*/)?(?:zig" "clang|llvm-spirv[^"/\n]*)" .*$"#,
        put: "\"spirv-writer\"",
        example: [
            " \"/c/ziglang-1/zig\" \"clang\" \"-c\"\n\"/usr/bin/llvm-spirv-19\" \"a\"\n",
            "\"spirv-writer\"\n\"spirv-writer\"\n",
        ],
    },
    Rule {
        against: "the program that a wheel has clang in",
        find: r#"(?m)^ ?"(?:[^"\n]*/)?zig" "-cc1""#,
        put: "\"clang\" \"-cc1\"",
        example: [
            " \"/c/ziglang-1/zig\" \"-cc1\" \"-O2\"\n",
            "\"clang\" \"-cc1\" \"-O2\"\n",
        ],
    },
    Rule {
        against: "the places, version suffixes and host's prefixes of programs",
        find: r#"(?m)^ ?"(?:[^"\n]*/)?(?:(?:x86_64|aarch64)-linux-gnu-)?([^"/\n]+?)(?:-\d+)?"( |$)"#,
        put: "$1$2",
        example: [
            " \"/usr/lib/llvm-19/bin/clang-19\" \"-cc1\"\n",
            "clang \"-cc1\"\n",
        ],
    },
    Rule {
        against: "lines too long to be read",
        find: r#"(?m)^([^\s"]+) ""#,
        put: "$1\n    \"",
        example: ["clang \"-cc1\" \"-O2\"\n", "clang\n    \"-cc1\" \"-O2\"\n"],
    },
    Rule {
        against: "lines too long to be read",
        find: r#"" ""#,
        put: "\"\n    \"",
        example: [
            "    \"-a\" \"\" \"b c\"\n",
            "    \"-a\"\n    \"\"\n    \"b c\"\n",
        ],
    },
    Rule {
        against: "what clang's driver says to every compilation here: its own words differ by release, distribution and processor",
        find: concat!(
            r#"\n    "(?:-disable-free|-clear-ast-before-backend|-disable-llvm-verifier|-discard-value-names"#,
            r"|-pic-is-pie|-mframe-pointer=[^\x22\n]*|-fmath-errno|-ffp-contract=on|-fno-rounding-math",
            r"|-mconstructor-aliases|-funwind-tables=\d|-debugger-tuning=[a-z]+|-dwarf-version=\d",
            r"|-f(?:debug|coverage)-compilation-dir=[^\x22\n]*|-fcoverage-prefix-map=[^\x22\n]*",
            r"|-fdeprecated-macro|-fgnuc-version=[^\x22\n]*|-fskip-odr-check-in-gmf|-fcxx-exceptions",
            r"|-fexceptions|-faddrsig|-vectorize-loops|-vectorize-slp|-fcf-protection=[a-z]+",
            r"|-fcolor-diagnostics|-fmessage-length=\d+|-fansi-escape-codes",
            r#"|-D__GCC_HAVE_DWARF2_CFI_ASM=1|-fdwarf2-cfi-asm)""#
        ),
        put: "",
        example: [
            "clang\n    \"-disable-free\"\n    \"-fsycl-is-host\"\n    \"-fgnuc-version=4.2.1\"\n",
            "clang\n    \"-fsycl-is-host\"\n",
        ],
    },
    Rule {
        against: "the same, where the word has a value: folders of headers, processors, numbers",
        find: concat!(
            r#"\n    "(?:-internal-isystem|-internal-externc-isystem|-idirafter|-resource-dir"#,
            r"|-target-cpu|-aux-target-cpu|-tune-cpu",
            r"|-target-feature|-target-linker-version|-stack-protector|-mrelocation-model|-pic-level",
            r#"|-dumpdir|-main-file-name|-source-date-epoch|-ferror-limit|-mllvm)"\n    "[^"\n]*""#
        ),
        put: "",
        example: [
            "clang\n    \"-internal-isystem\"\n    \"/usr/include/c++/12\"\n    \"-x\"\n    \"c++\"\n",
            "clang\n    \"-x\"\n    \"c++\"\n",
        ],
    },
    Rule {
        against: "what clang says to every host link here: start files, folders and libraries of the system's compiler",
        find: concat!(
            r#"\n    "(?:--hash-style=[a-z]+|--build-id|--eh-frame-hdr|-pie|-z|now|relro|--as-needed"#,
            r"|--no-as-needed|/[^\x22\n]*/(?:[Sg]?crt1|crti|crtn|crtbegin[ST]?|crtend[ST]?)\.o",
            r#"|-L/[^"\n]*|-lstdc\+\+|-lm|-lgcc_s|-lgcc|-lc)""#
        ),
        put: "",
        example: [
            "ld\n    \"--build-id\"\n    \"/usr/lib/Scrt1.o\"\n    \"-L/usr/lib\"\n    \"a.o\"\n    \"-lgcc_s\"\n",
            "ld\n    \"a.o\"\n",
        ],
    },
    Rule {
        against: "the same, where the word has a value",
        find: r#"\n    "(?:-dynamic-linker|-m)"\n    "[^"\n]*""#,
        put: "",
        example: [
            "ld\n    \"-m\"\n    \"elf_x86_64\"\n    \"a.o\"\n",
            "ld\n    \"a.o\"\n",
        ],
    },
    Rule {
        against: "the place of the host linker",
        find: r#"--linker-path=[^"\n]*/(?:(?:x86_64|aarch64)-linux-gnu-)?"#,
        put: "--linker-path=",
        example: [
            "\"--linker-path=/usr/bin/x86_64-linux-gnu-ld\"",
            "\"--linker-path=ld\"",
        ],
    },
    Rule {
        against: "the host",
        find: r"\b(?:x86_64|aarch64)-(?:[a-z]+-)?linux-gnu\b",
        put: "HOST",
        example: ["\"x86_64-pc-linux-gnu\"", "\"HOST\""],
    },
    Rule {
        against: "numbers in the names of temporary files",
        find: r"sycl-clang-[0-9a-f]+-",
        put: "sycl-clang-N-",
        example: [
            "/sycl-clang-a0f4842520bae7a2-test.o",
            "/sycl-clang-N-test.o",
        ],
    },
    Rule {
        against: "the same, as clang's own driver and tools name them",
        find: r"(/\.tmp/[\w.-]+-)[0-9a-f]{6}\b",
        put: "${1}N",
        example: ["%t/.tmp/test-1c4ff4.bc", "%t/.tmp/test-N.bc"],
    },
];

const HEADER: &[Rule] = &[Rule {
    against: "the hash of a unit's device code, which headers of the system are part of",
    find: "__unit_[0-9a-f]{16}",
    put: "__unit_N",
    example: ["_ZTS1K__unit_0123456789abcdef", "_ZTS1K__unit_N"],
}];

const MODULE: &[Rule] = &[
    Rule {
        against: "places, and the layout of data, which LLVM extends from release to release",
        find: r"(?m)^(?:; ModuleID = .*|source_filename = .*|target datalayout = .*)\n",
        put: "",
        example: [
            "; ModuleID = 'a'\ntarget datalayout = \"e-G1\"\ntarget triple = \"t\"\n",
            "target triple = \"t\"\n",
        ],
    },
    Rule {
        against: "the host",
        find: r"\b(?:x86_64|aarch64)-(?:[a-z]+-)?linux-gnu\b",
        put: "HOST",
        example: ["triple = \"x86_64-pc-linux-gnu\"", "triple = \"HOST\""],
    },
    Rule {
        against: "what a writer of SPIR-V makes of a module: its words, and how many they are",
        find: r#"\[\d+ x i8\] c"\\03\\02#\\07[^"]*""#,
        put: "[N x i8] c\"(SPIR-V)\"",
        example: [
            "@i = constant [8 x i8] c\"\\03\\02#\\07\\00\\02\\01\\00\"",
            "@i = constant [N x i8] c\"(SPIR-V)\"",
        ],
    },
    Rule {
        against: "what images are within an OffloadBinary: sizes, offsets, and what a writer of SPIR-V makes",
        find: r#"\[\d+ x i8\] c"\\10\\FF\\10\\AD[^"]*""#,
        put: "[N x i8] c\"(OffloadBinary)\"",
        example: [
            "@b = constant [8 x i8] c\"\\10\\FF\\10\\AD\\02\\00\\00\\00\"",
            "@b = constant [N x i8] c\"(OffloadBinary)\"",
        ],
    },
    Rule {
        against: "the size of an OffloadBinary that is registered whole",
        find: r"(ptr @\.sycl_offloading\.binary, i64) \d+",
        put: "$1 N",
        example: [
            "(ptr @.sycl_offloading.binary, i64 672)",
            "(ptr @.sycl_offloading.binary, i64 N)",
        ],
    },
    Rule {
        against: "the size of an image",
        find: r"(ptr @\.sycl_offloading\.image(?:\.\d+)?(?: to i64\))?, i64) \d+",
        put: "$1 N",
        example: [
            "(i8, ptr @.sycl_offloading.image.1, i64 268)",
            "(i8, ptr @.sycl_offloading.image.1, i64 N)",
        ],
    },
];

const REPORT: &[Rule] = &[
    Rule {
        against: "sizes of what compilers write",
        find: r"\b\d+ bytes",
        put: "N bytes",
        example: [
            "image 0: sycl spir64, spirv, 268 bytes",
            "image 0: sycl spir64, spirv, N bytes",
        ],
    },
    Rule {
        against: "places behind what compilers write",
        find: r"\boffset 0x[0-9a-f]+",
        put: "offset N",
        example: [
            "  registered by the program, offset 0x2010",
            "  registered by the program, offset N",
        ],
    },
    Rule {
        against: "the same as JSON has them",
        find: r#""(size|offset|compressed_size)": \d+"#,
        put: "\"$1\": \"N\"",
        example: ["    \"size\": 1412,", "    \"size\": \"N\","],
    },
    HEADER[0],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_does_what_its_example_says() {
        for rule in Form::ALL.into_iter().flat_map(Form::rules) {
            let [before, after] = rule.example;
            assert_ne!(before, after, "{}", rule.against);
            let find = Regex::new(rule.find).unwrap();
            assert_eq!(
                find.replace_all(before, rule.put),
                after,
                "{}",
                rule.against
            );
        }
    }

    #[test]
    fn a_golden_text_is_normalised_already() {
        for form in Form::ALL {
            for rule in form.rules() {
                let once = form.normalised(rule.example[0]);
                assert_eq!(form.normalised(&once), once, "{}", rule.against);
            }
        }
    }

    const HERE: &str = "Debian clang version 19.1.7 (3~deb12u1)\nTarget: x86_64-pc-linux-gnu\n \
        \"/usr/lib/llvm-19/bin/clang\" \"-cc1\" \"-triple\" \"x86_64-pc-linux-gnu\" \"-target-cpu\" \
        \"x86-64\" \"-internal-isystem\" \"/usr/lib/gcc/x86_64-linux-gnu/12/include\" \"-O0\" \
        \"-D\" \"X=a b\" \"-o\" \"%t/.tmp/sycl-clang-0a1b-a.o\"\n \
        \"%{plumbline}/bin/clang-linker-wrapper\" \"--linker-path=/usr/bin/ld\" \"--\" \"-m\" \
        \"elf_x86_64\" \"-L%{plumbline}/lib\" \"-L/usr/lib/gcc/x86_64-linux-gnu/12\" \"-lc\"\n";
    const ELSEWHERE: &str = " \
        \"/opt/clang/bin/clang-19\" \"-cc1\" \"-triple\" \"aarch64-unknown-linux-gnu\" \
        \"-target-cpu\" \"generic\" \"-target-feature\" \"+v8a\" \"-O0\" \
        \"-D\" \"X=a b\" \"-o\" \"%t/.tmp/sycl-clang-ffff-a.o\"\n \
        \"%{plumbline}/bin/clang-linker-wrapper\" \"--linker-path=/bin/ld\" \"--\" \"-m\" \
        \"aarch64linux\" \"-L%{plumbline}/lib\" \"-L/usr/lib/gcc/aarch64-linux-gnu/14\" \
        \"-lgcc_s\" \"-lc\"\n";

    #[test]
    fn a_plan_is_the_same_on_another_machine_and_differs_by_one_word_of_ours() {
        let plan = |text: &str| Form::Plan.normalised(text);
        assert_eq!(plan(HERE), plan(ELSEWHERE));
        let expected = "clang\n    \"-cc1\"\n    \"-triple\"\n    \"HOST\"\n    \"-O0\"\n    \"-D\"\n    \
            \"X=a b\"\n    \"-o\"\n    \"%t/.tmp/sycl-clang-N-a.o\"\nclang-linker-wrapper\n    \
            \"--linker-path=ld\"\n    \"--\"\n    \"-L%{plumbline}/lib\"\n";
        assert_eq!(plan(HERE), expected);
        assert_ne!(plan(HERE), plan(&HERE.replace("-O0", "-O2")));
    }
}
