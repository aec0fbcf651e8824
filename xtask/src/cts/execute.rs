//! One test program of SYCL-CTS: every test case that it lists, run and told.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use components::process::{Job, JobError};

use super::catch::{self, Ended, Outcome};
use crate::failure::Failure;
use crate::places;

/// How programs are run.
pub struct Manner {
    /// What `PLUMBLINE_DEVICE` says.
    pub device: String,
    /// How long one start may take.
    pub limit: Duration,
}

/// Runs every test case of `program`. One that ends the program or runs past the limit fails, and
/// those after it are run by another start: each listed case is in the result, once.
///
/// # Errors
/// When the program does not start or does not list its cases, or files cannot be written.
pub fn run(program: &Path, manner: &Manner) -> Result<Vec<Ended>, Failure> {
    let folder = tempfile::tempdir().map_err(Failure::new)?;
    let listing = start(program, manner).args(["--list-tests", "--reporter", "xml"]);
    let listing = listing.output(b"").map_err(Failure::new)?;
    let mut left = catch::names(&String::from_utf8_lossy(&listing.stdout));
    if left.is_empty() {
        let said = String::from_utf8_lossy(&listing.stderr).into_owned();
        return Err(Failure::at(program, format!("lists no test case\n{said}")));
    }
    let mut all = Vec::new();
    let mut is_first = true;
    while !left.is_empty() {
        let (wanted, report) = (folder.path().join("wanted"), folder.path().join("report"));
        // The report of the start before must not pass for this one's.
        let _ = fs::remove_file(&report);
        let mut job = start(program, manner).args(["--order", "decl"]);
        job = job
            .arg("--reporter")
            .arg(format!("xml::out={}", report.display()));
        if !is_first {
            fs::write(&wanted, patterns(&left)).map_err(|e| Failure::at(&wanted, e))?;
            job = job.arg("--input-file").arg(&wanted);
        }
        is_first = false;
        let end = ending(&job)?;
        let text = fs::read(&report).unwrap_or_default();
        let ended = catch::ended(&String::from_utf8_lossy(&text));
        let seen: BTreeSet<&str> = ended.iter().map(|case| case.name.as_str()).collect();
        left.retain(|name| !seen.contains(name.as_str()));
        all.extend(ended);
        if !left.is_empty() {
            // Cases run in the order of the list, so that this one was at work.
            all.push(Ended {
                name: left.remove(0),
                outcome: Outcome::Failed(end),
                seconds: 0.0,
            });
        }
    }
    Ok(all)
}

fn start(program: &Path, manner: &Manner) -> Job {
    Job::new(program)
        .args(["--device", ".*"])
        .env("PLUMBLINE_DEVICE", &manner.device)
        // Each build is one of this toolchain.
        .env("PLUMBLINE_CACHE", "off")
        .env(components::home::VARIABLE, places::components())
        .limit(manner.limit)
}

/// Runs it, and says in words how it ended.
fn ending(job: &Job) -> Result<String, Failure> {
    let (ended, output) = match job.output(b"") {
        Ok(output) => (
            format!("the program ended with {}", output.status),
            Some(output),
        ),
        Err(JobError::TimedOut { limit, output, .. }) => {
            let seconds = limit.as_secs();
            (
                format!("the program ran past its limit of {seconds} s"),
                output,
            )
        }
        Err(JobError::Flooded { output, .. }) => {
            ("the program wrote without end".to_owned(), output)
        }
        Err(other) => return Err(Failure::new(other)),
    };
    let said = output.map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    let said = said.unwrap_or_default();
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    Ok(last.map_or_else(|| ended.clone(), |last| format!("{ended}: {last}")))
}

/// A file of names for Catch2, which has its own meaning for quotes, backslashes and asterisks.
fn patterns(names: &[String]) -> String {
    let quoted = names.iter().map(|name| {
        let escaped = name
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('*', "\\*");
        format!("\"{escaped}\"\n")
    });
    quoted.collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// A stand-in of a test program with three cases, of which the second ends it.
    const DIES: &str = r#"#!/bin/sh
list='<TestCase><Name>a</Name></TestCase><TestCase><Name>b</Name></TestCase>'
list="$list<TestCase><Name>c \"q\"</Name></TestCase>"
for word; do
  case $word in
    --list-tests) echo "<MatchingTests>$list</MatchingTests>"; exit;;
    xml::out=*) out=${word#xml::out=};;
    */wanted) wanted=$word;;
  esac
done
ok='<OverallResult success="true" durationInSeconds="0"/></TestCase>'
if [ -z "$wanted" ]; then
  echo "<Catch2TestRun><TestCase name=\"a\">$ok<TestCase name=\"b\">" >"$out"
  echo "no memory" >&2
  kill -SEGV $$
fi
[ "$(cat "$wanted")" = '"c \"q\""' ] || exit 9
echo "<Catch2TestRun><TestCase name='c \"q\"'>$ok</Catch2TestRun>" >"$out"
"#;

    fn program(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("test_x");
        fs::write(&file, text).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        folder
    }

    fn manner(limit: Duration) -> Manner {
        Manner {
            device: "opencl:cpu".to_owned(),
            limit,
        }
    }

    #[test]
    fn cases_after_one_that_dies_are_run_all_the_same() {
        let folder = program(DIES);
        let cases = run(
            &folder.path().join("test_x"),
            &manner(Duration::from_secs(60)),
        )
        .unwrap();
        let [first, second, third] = &cases[..] else {
            panic!("{cases:?}")
        };
        assert_eq!(
            (first.name.as_str(), &first.outcome),
            ("a", &Outcome::Passed)
        );
        let Outcome::Failed(reason) = &second.outcome else {
            panic!("{second:?}")
        };
        assert!(
            reason.contains("signal: 11") && reason.ends_with("no memory"),
            "{reason}"
        );
        assert_eq!(
            (third.name.as_str(), &third.outcome),
            ("c \"q\"", &Outcome::Passed)
        );
    }

    #[test]
    fn a_program_past_its_limit_fails_its_case() {
        let hangs = "#!/bin/sh\ncase \"$*\" in *--list-tests*) \
                     echo '<M><Name>a</Name></M>';; *) sleep 60;; esac\n";
        let folder = program(hangs);
        let cases = run(
            &folder.path().join("test_x"),
            &manner(Duration::from_secs(1)),
        )
        .unwrap();
        let Outcome::Failed(reason) = &cases[0].outcome else {
            panic!("{cases:?}")
        };
        assert!(reason.contains("limit of 1 s"), "{reason}");
    }

    #[test]
    fn a_program_that_lists_nothing_is_told() {
        let folder = program("#!/bin/sh\necho 'cannot load' >&2\nexit 127\n");
        let wrong = run(
            &folder.path().join("test_x"),
            &manner(Duration::from_secs(9)),
        );
        assert!(wrong.unwrap_err().to_string().contains("cannot load"));
    }
}
