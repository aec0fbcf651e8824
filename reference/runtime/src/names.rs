//! Which kernel a host compiler means by a name.
//!
//! The names of types within a lambda count the lambdas of their function, and host compilers
//! count differently: g++ 12 numbers a function's lambdas in one row, clang those of one signature.
//! So a name that no integration header announces is compared without those numbers, and stands
//! for the one kernel that is then alike, if there is just one.

use std::borrow::Cow;

/// The announced kernel that `name` stands for, or `name` itself.
#[must_use]
pub fn resolve<'a>(name: &'a str, announced: &[&str]) -> Cow<'a, str> {
    if announced.contains(&name) {
        return Cow::Borrowed(name);
    }
    let bare = without_lambda_numbers(name);
    let mut alike = announced
        .iter()
        .filter(|other| without_lambda_numbers(other) == bare);
    match (alike.next(), alike.next()) {
        (Some(only), None) => Cow::Owned((*only).to_owned()),
        _ => Cow::Borrowed(name),
    }
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
