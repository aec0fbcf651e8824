//! Which kernel a host compiler means by a name.
//!
//! The names of types within a lambda count the lambdas of their function, and host compilers
//! count differently: g++ 12 numbers a function's lambdas in one row, clang those of one signature.
//! So a name that no integration header announces is compared without those numbers (and without
//! marks of internal linkage, which differ too), and stands
//! for the one kernel that is then alike, if there is just one.
//!
//! A name also carries the tag of the translation unit that it stands in, where that has kernels of
//! its own: it means one of those, or one that all units share.

use std::borrow::Cow;

use offload_formats::unit_name;

/// The announced kernel that `name` stands for, or `name` itself.
#[must_use]
pub fn resolve<'a>(name: &'a str, announced: &[&str]) -> Cow<'a, str> {
    let (base, tag) = unit_name::split(name);
    for known in [name, base] {
        if announced.contains(&known) {
            return Cow::Borrowed(known);
        }
    }
    let wanted = bare(base);
    let mut alike = announced.iter().filter(|other| {
        let (base, of) = unit_name::split(other);
        (of.is_empty() || of == tag) && bare(base) == wanted
    });
    match (alike.next(), alike.next()) {
        (Some(only), None) => Cow::Owned((*only).to_owned()),
        _ => Cow::Borrowed(name),
    }
}

/// A name without what host compilers write differently.
fn bare(name: &str) -> String {
    without_lambda_numbers(&without_linkage(name))
}

/// A name without the mark of internal linkage (an `L` before a source name in the Itanium C++ ABI),
/// on which the compilers of the host and of the device may disagree.
pub fn without_linkage(name: &str) -> String {
    let next = name.chars().skip(1).chain(['\0']);
    let pairs = name.chars().zip(next);
    let kept = pairs.filter(|(c, next)| !(*c == 'L' && next.is_ascii_digit()));
    kept.map(|(c, _)| c).collect()
}

/// An Itanium-mangled name with the `NUMBER` of every closing `E NUMBER _` left out.
fn without_lambda_numbers(name: &str) -> String {
    let mut bare = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('E') {
        let (before, after) = rest.split_at(at + 1);
        bare.push_str(before);
        let unnumbered = after.trim_start_matches(|c: char| c.is_ascii_digit());
        rest = if unnumbered.starts_with('_') {
            unnumbered
        } else {
            after
        };
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLANG: &str = "_ZTSZZ4mainENKUlRN4sycl7handlerEE_clES1_E9sort_rows";
    const GCC: &str = "_ZTSZZ4mainENKUlRN4sycl7handlerEE0_clES1_E9sort_rows";

    #[test]
    fn a_name_with_another_lambda_number_is_found() {
        assert_eq!(resolve(GCC, &["_ZTS5other", CLANG]), CLANG);
        assert_eq!(resolve(CLANG, &[GCC, CLANG]), CLANG);
    }

    #[test]
    fn a_unit_finds_its_own_kernels_and_those_of_all() {
        let [one, other] = [1, 2].map(|unit| format!("{CLANG}{}", unit_name::tag(unit)));
        let of_gcc = format!("{GCC}{}", unit_name::tag(2));
        assert_eq!(resolve(&other, &[&one, &other]), other);
        assert_eq!(resolve(&of_gcc, &[&one, &other]), other);
        assert_eq!(resolve(&other, &[&one, CLANG]), CLANG);
        assert_eq!(resolve(CLANG, &[&one]), CLANG);
    }

    #[test]
    fn the_mark_of_internal_linkage_makes_no_difference() {
        let clang = "_ZTS5NamedIL_ZN12_GLOBAL__N_16hiddenEEE";
        let gcc = "_ZTS5NamedIL_ZN12_GLOBAL__N_1L6hiddenEEE";
        assert_eq!(resolve(gcc, &[clang, "_ZTS5other"]), clang);
        let device = "_ZTS4nameIL_Z8coeff_idEE";
        assert_eq!(without_linkage("_ZTS4nameIL_ZL8coeff_idEE"), device);
        assert_eq!(without_linkage(device), device);
        assert_eq!(without_linkage(gcc), clang);
    }

    #[test]
    fn nothing_is_guessed_among_several() {
        let second = CLANG.replace("EE_", "EE1_");
        assert_eq!(resolve(GCC, &[CLANG, &second]), GCC);
        assert_eq!(resolve("_ZTS3foo", &["_ZTS3bar"]), "_ZTS3foo");
    }

    #[test]
    fn only_lambda_numbers_are_left_out() {
        assert_eq!(
            without_lambda_numbers("_ZTSZ4mainEUlvE12_"),
            "_ZTSZ4mainEUlvE_"
        );
        assert_eq!(without_lambda_numbers("_ZTSN1a1bE10K"), "_ZTSN1a1bE10K");
    }
}
