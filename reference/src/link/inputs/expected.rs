//! Targets that a command line names and no input has code for: the link has nothing for them, and
//! the user should know.

use offload_formats::targets::Target;

use crate::frontend::diagnostics::{Treatment, Warning};
use crate::link::LinkError;
use crate::link::inputs::group::LinkGroup;
use crate::tool::say;

/// Warns of the targets in `expected` that nothing is linked for. A program without device code is
/// none of this: it may well be built with the options of one that has some.
///
/// # Errors
/// The warnings, where the command line wants them to be errors.
pub fn warn(
    expected: &[&Target],
    groups: &[LinkGroup],
    treatment: Treatment,
) -> Result<(), LinkError> {
    let found: Vec<&str> = groups.iter().map(|g| name(&g.target.triple)).collect();
    let has = |wanted: &Target| groups.iter().any(|g| g.target.kind() == Some(wanted.kind));
    let missing = expected.iter().filter(|wanted| !has(wanted));
    let texts = missing.filter_map(|missing| text(missing.name, &found));
    let as_error = treatment == Treatment::Error;
    let texts = texts.map(|text| format!("{text}{}", Warning::Target.mark(as_error)));
    match treatment {
        Treatment::Silent => {}
        Treatment::Warn => {
            texts.for_each(|text| say(&format!("clang-linker-wrapper: warning: {text}\n")));
        }
        Treatment::Error => {
            let texts: Vec<String> = texts.collect();
            if !texts.is_empty() {
                return Err(LinkError::Option(texts.join("\n")));
            }
        }
    }
    Ok(())
}

fn text(missing: &str, found: &[&str]) -> Option<String> {
    let mut names: Vec<String> = found.iter().map(|name| format!("'{name}'")).collect();
    names.dedup();
    (!names.is_empty()).then(|| {
        format!(
            "no linked file has device code for '{missing}', which the targets of the link name; \
             found targets: {}",
            names.join(", ")
        )
    })
}

/// A target's short name: the first part of its triple.
fn name(triple: &str) -> &str {
    triple.split('-').next().unwrap_or(triple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_target_is_named_with_those_found() {
        let said = text("spir64_gen", &["spir64", "spir64", "nvptx64"]).unwrap();
        assert!(said.contains("'spir64_gen'"), "{said}");
        assert!(
            said.contains("found targets: 'spir64', 'nvptx64'"),
            "{said}"
        );
        assert_eq!(text("spir64_gen", &[]), None);
    }
}
