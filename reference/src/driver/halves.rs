//! `-Xarch_host`: words for the host's half alone. clang knows what they become, so that it is asked a
//! second time for the words of a compilation without them.

use std::ffi::OsString;

use super::clang_plan::ClangPlan;

const OPTION: &str = "-Xarch_host";

/// The words without those for the host alone; `None` when there are none.
pub(super) fn without_host_words(words: &[OsString]) -> Option<Vec<OsString>> {
    if !words.iter().any(|word| word == OPTION) {
        return None;
    }
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word == OPTION {
            true => drop(rest.next()),
            false => kept.push(word.clone()),
        }
    }
    Some(kept)
}

/// Has device compilations follow `other`, a plan of the same sources.
pub(super) fn follow(plan: &mut ClangPlan, other: ClangPlan) {
    for (compile, other) in plan.compiles.iter_mut().zip(other.compiles) {
        compile.device = other.jobs.into_iter().next().map(|job| job.args);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_host_go_with_their_option() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(Into::into).collect() };
        let given = words("-O2 -Xarch_host -DX=1 -c a.cpp -Xarch_host -w");
        assert_eq!(without_host_words(&given), Some(words("-O2 -c a.cpp")));
        assert_eq!(without_host_words(&words("-O2 a.cpp")), None);
    }
}
