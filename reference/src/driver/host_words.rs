//! The words of a command line for clang that mean the same to every compiler of the g++ family
//! (`-fsycl-host-compiler=`): what no such compiler knows would end its compilation.

use std::ffi::OsString;

use super::clang_words::CLANG_SEPARATE;

/// Options whose value is part of them or the next word.
const WITH_VALUE: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
];

/// Beginnings of options without a separate value.
const PREFIXES: &[&str] = &[
    "-std=",
    "--std=",
    "-O",
    "-ggdb",
    "-gdwarf",
    "-gz",
    "-fvisibility",
    "-fopenmp",
    "-m",
    "-fsanitize",
    "-fno-sanitize",
    "-fstack-protector",
    "-fno-stack-protector",
    "-fcf-protection",
    "-ffp-contract=",
    "-ftemplate-depth=",
    "-fconstexpr-depth=",
    "-ftls-model=",
    "-fpack-struct=",
    "-falign-functions",
    "-fpatchable-function-entry=",
    "-ftrivial-auto-var-init=",
    "-fmacro-prefix-map=",
    "-fdebug-prefix-map=",
    "-ffile-prefix-map=",
    "-fmessage-length=",
    "-fdiagnostics-color",
    "-nostdinc",
    "-Wa,",
    "-Wp,-D",
    "-Wp,-U",
];

/// Whole options.
const WHOLE: &[&str] = &[
    "-w",
    "-W",
    "-g",
    "-g0",
    "-g1",
    "-g2",
    "-g3",
    "-gsplit-dwarf",
    "-gstrict-dwarf",
    "-gno-strict-dwarf",
    "-gcolumn-info",
    "-gno-column-info",
    "-ansi",
    "-pedantic",
    "-pedantic-errors",
    "-pthread",
    "-pipe",
    "-undef",
    "-trigraphs",
];

/// Names of switches, with or without `no-` after the `-f`.
const SWITCHES: &str = "\
    PIC pic PIE pie rtti exceptions fast-math strict-aliasing omit-frame-pointer wrapv builtin \
    function-sections data-sections permissive signed-char unsigned-char short-enums short-wchar \
    common unroll-loops inline-functions inline math-errno plt semantic-interposition \
    threadsafe-statics asynchronous-unwind-tables unwind-tables \
    stack-clash-protection delete-null-pointer-checks sized-deallocation aligned-new char8_t \
    associative-math finite-math-only signed-zeros reciprocal-math trapping-math rounding-math \
    unsafe-math-optimizations access-control operator-names ms-extensions gnu-keywords verbose-asm \
    strict-enums tree-vectorize jump-tables zero-initialized-in-bss elide-constructors \
    optimize-sibling-calls use-cxa-atexit instrument-functions keep-inline-functions \
    dollars-in-identifiers ident merge-all-constants show-column freestanding";

/// Warnings of g++ for C++, less `-W` and what a `=` says of them.
const WARNINGS: &str = "\
    abi-tag address address-of-packed-member aggregate-return aggressive-loop-optimizations \
    aligned-new all alloc-zero alloca alloca-larger-than arith-conversion array-bounds \
    array-compare array-parameter attribute-alias attribute-warning attributes bool-compare \
    bool-operation builtin-declaration-mismatch builtin-macro-redefined c++0x-compat c++11-compat \
    c++11-extensions c++14-compat c++14-extensions c++17-compat c++17-extensions c++1z-compat \
    c++20-compat c++20-extensions c++23-extensions c++2a-compat cannot-profile cast-align \
    cast-function-type cast-qual catch-value char-subscripts class-conversion class-memaccess \
    clobbered comma-subscript comment comments conditionally-supported conversion conversion-null \
    coverage-mismatch cpp ctad-maybe-unsupported ctor-dtor-privacy dangling-else dangling-pointer \
    date-time delete-incomplete delete-non-virtual-dtor deprecated deprecated-copy \
    deprecated-copy-dtor deprecated-declarations deprecated-enum-enum-conversion \
    deprecated-enum-float-conversion disabled-optimization div-by-zero double-promotion \
    duplicated-branches duplicated-cond effc++ empty-body endif-labels enum-compare \
    enum-conversion error exceptions expansion-to-defined extra extra-semi fatal-errors \
    float-conversion float-equal format format-contains-nul format-diag format-extra-args \
    format-nonliteral format-overflow format-security format-signedness format-truncation \
    format-y2k format-zero-length frame-address frame-larger-than free-nonheap-object \
    if-not-aligned ignored-attributes ignored-qualifiers implicit-fallthrough inaccessible-base \
    infinite-recursion inherited-variadic-ctor init-list-lifetime init-self inline \
    int-in-bool-context int-to-pointer-cast interference-size invalid-imported-macros \
    invalid-memory-model invalid-offsetof invalid-pch larger-than literal-suffix \
    logical-not-parentheses logical-op long-long main maybe-uninitialized memset-elt-size \
    memset-transposed-args misleading-indentation mismatched-dealloc mismatched-new-delete \
    mismatched-tags missing-attributes missing-braces missing-declarations \
    missing-field-initializers missing-format-attribute missing-include-dirs missing-noreturn \
    missing-profile missing-requires missing-template-keyword multichar multiple-inheritance \
    multistatement-macros namespaces narrowing noexcept noexcept-type non-template-friend \
    non-virtual-dtor nonnull nonnull-compare normalized null-dereference odr old-style-cast \
    openmp-simd overflow overlength-strings overloaded-virtual packed packed-bitfield-compat \
    packed-not-aligned padded parentheses pedantic pessimizing-move placement-new pmf-conversions \
    pointer-arith pointer-compare pragmas prio-ctor-dtor psabi range-loop-construct \
    redundant-decls redundant-move redundant-tags register reorder restrict return-local-addr \
    return-type scalar-storage-order sequence-point shadow shadow-compatible-local shadow-local \
    shift-count-negative shift-count-overflow shift-negative-value shift-overflow sign-compare \
    sign-conversion sign-promo sized-deallocation sizeof-array-argument sizeof-array-div \
    sizeof-pointer-div sizeof-pointer-memaccess stack-protector stack-usage strict-aliasing \
    strict-null-sentinel strict-overflow string-compare stringop-overflow stringop-overread \
    stringop-truncation subobject-linkage suggest-attribute suggest-final-methods \
    suggest-final-types suggest-override switch switch-bool switch-default switch-enum \
    switch-outside-range switch-unreachable system-headers tautological-compare templates \
    terminate trampolines trigraphs type-limits undef uninitialized unknown-pragmas \
    unreachable-code unsafe-loop-optimizations unused unused-but-set-parameter \
    unused-but-set-variable unused-const-variable unused-function unused-label \
    unused-local-typedefs unused-macros unused-parameter unused-result unused-value \
    unused-variable use-after-free useless-cast varargs variadic-macros vexing-parse \
    virtual-inheritance virtual-move-assign vla vla-larger-than vla-parameter volatile \
    volatile-register-var write-strings zero-as-null-pointer-constant zero-length-bounds";

/// The words among clang's that every compiler takes.
pub(super) fn common(clang: &[OsString]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut rest = clang.iter();
    while let Some(word) = rest.next() {
        let text = word.to_string_lossy();
        let text = text.as_ref();
        if WITH_VALUE.contains(&text) {
            words.push(word.clone());
            words.extend(rest.next().cloned());
        } else if CLANG_SEPARATE.contains(&text) || text == "-o" {
            rest.next();
        } else if text == "-gline-tables-only" {
            words.push("-g1".into());
        } else if is_common(text) {
            words.push(word.clone());
        }
    }
    words
}

/// Whether every compiler takes the word.
pub(super) fn is_common(text: &str) -> bool {
    let begins = |prefix: &&str| text.starts_with(prefix);
    WHOLE.contains(&text)
        || PREFIXES.iter().any(begins)
        || WITH_VALUE.iter().any(begins)
        || is_warning(text)
        || is_switch(text)
}

/// `-Wname`, `-Wno-name`, `-Werror=name`, `-Wname=level`.
fn is_warning(text: &str) -> bool {
    let Some(name) = text.strip_prefix("-W") else {
        return false;
    };
    let name = name.strip_prefix("no-").unwrap_or(name);
    let name = name.strip_prefix("error=").unwrap_or(name);
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    WARNINGS.split_whitespace().any(|known| known == name)
}

fn is_switch(text: &str) -> bool {
    let Some(name) = text.strip_prefix("-f") else {
        return false;
    };
    let name = name.strip_prefix("no-").unwrap_or(name);
    SWITCHES.split_whitespace().any(|known| known == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(Into::into).collect()
    }

    #[test]
    fn only_words_that_every_compiler_knows_go_over() {
        let given = "-O2 -Xclang -foo -DX=1 -I inc -Weverything -std=c++20 a.cpp -o out -lm -fPIC -target x \
             -Wno-sycl-target -Wl,-s -Werror=thread-safety -fcolor-diagnostics -fvectorize";
        assert_eq!(
            common(&words(given)),
            words("-O2 -DX=1 -I inc -std=c++20 -fPIC")
        );
    }

    #[test]
    fn warnings_and_code_generation_go_over() {
        let given = "-Wall -Wextra -Werror -W -Wno-unused-parameter -Werror=shadow -Wno-error=format \
             -Wformat=2 -Wlogical-op -pedantic -ggdb3 -fno-plt -fsigned-char -Wp,-D_FORTIFY_SOURCE=2";
        assert_eq!(common(&words(given)), words(given));
        assert_eq!(common(&words("-gline-tables-only")), words("-g1"));
    }

    /// The link is planned for clang's profiles, whose library knows nothing of g++'s.
    #[test]
    fn profiles_of_the_host_half_stay_clangs_own() {
        let given = "--coverage -fprofile-arcs -ftest-coverage";
        assert!(common(&words(given)).is_empty());
    }
}
