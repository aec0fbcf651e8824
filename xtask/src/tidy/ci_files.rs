//! That CI systems take the files that are ready for them in `ci/`.

use std::fs;

use components::Component;
use components::process::Job;
use offload_formats::yaml;

use super::passed;
use crate::failure::{Failure, Outcome};
use crate::{places, setup};

/// Has actionlint read the workflow, and holds GitLab's file to GitLab's own schema.
pub fn check() -> Outcome {
    let program = setup::require(Component::Actionlint)?.path;
    let job = Job::new(program)
        .args(["-config-file", "ci/actionlint.yaml"])
        .arg("ci/github-actions.yaml")
        .dir(places::root());
    passed(job.run(), "see above")?;
    gitlab()
}

fn gitlab() -> Outcome {
    let path = setup::require(Component::GitLabSchema)?.path;
    let text = fs::read_to_string(&path).map_err(|e| Failure::at(&path, e))?;
    let schema = serde_json::from_str(&text).map_err(|e| Failure::at(&path, e))?;
    let file = places::root().join("ci/gitlab-ci.yaml");
    let written = yaml::from_file(&file).map_err(Failure::new)?;
    let breaches = breaches(&schema, &written).map_err(|reason| Failure::at(&path, reason))?;
    for breach in &breaches {
        eprintln!("ci/gitlab-ci.yaml: {breach}");
    }
    match breaches.is_empty() {
        true => Ok(()),
        false => Err(Failure::Reported),
    }
}

/// What of `written` the schema does not allow, each with its place.
fn breaches(
    schema: &serde_json::Value,
    written: &serde_json::Value,
) -> Result<Vec<String>, String> {
    let validator = jsonschema::validator_for(schema).map_err(|e| e.to_string())?;
    let errors = validator.iter_errors(written);
    let told = errors.map(|error| format!("{}: {error}", error.instance_path()));
    Ok(told.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breach_is_told_with_its_place() {
        let schema = serde_json::json!({"properties": {"stages": {"type": "array"}}});
        let written = serde_json::json!({"stages": 1});
        let told = breaches(&schema, &written).unwrap();
        assert_eq!(told, ["/stages: 1 is not of type \"array\""]);
    }
}
