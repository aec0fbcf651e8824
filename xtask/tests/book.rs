//! The book as its readers have it: rendered, and its chapter "A toolchain in 15 minutes" followed word
//! by word. Every block `sh` of that chapter runs as it stands, and of every block `text` after one each
//! line has to be among what it printed, in that order; `…` in a line is any text.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use components::process::Job;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let packager = Path::new("/usr/bin/clang-offload-packager-19");
    let walk = match packager.exists() {
        true => Trial::test("book/walk", || walk().map_err(Failed::from)),
        false => Trial::test("book/walk", || Ok(()))
            .with_kind("skipped: no clang-offload-packager-19, over which the stand-in is written")
            .with_ignored_flag(true),
    };
    let trials = vec![
        walk,
        Trial::test("book/a_walk_that_differs_is_told", || {
            differences().map_err(Failed::from)
        }),
        Trial::test("book/pages", || pages().map_err(Failed::from)),
    ];
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let package = package.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    package.parent().unwrap_or(Path::new(".")).to_owned()
}

/// The task that makes the book finds no link that leads nowhere.
fn pages() -> Result<(), String> {
    let job = Job::new(env!("CARGO_BIN_EXE_xtask")).args(["docs", "--check"]);
    let output = job.dir(root()).output(b"").map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    output.status.success().then_some(()).ok_or(said)
}

/// A block of a chapter: its language, and its text.
type Block = (String, String);

fn blocks(chapter: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in chapter.lines() {
        match (line.strip_prefix("```"), &mut open) {
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(language), None) => open = Some((language.to_owned(), String::new())),
            (None, Some((_, text))) => *text += &format!("{line}\n"),
            (None, None) => (),
        }
    }
    blocks
}

/// Follows the chapter in the repository's root.
fn walk() -> Result<(), String> {
    let chapter = root().join("docs/src/describe.md");
    let chapter = std::fs::read_to_string(&chapter).map_err(|e| e.to_string())?;
    let blocks = blocks(&chapter);
    let started = Instant::now();
    let commands = follow(&blocks, &root())?;
    let minutes = started.elapsed().as_secs_f64() / 60.0;
    match commands {
        5.. if minutes < 15.0 => Ok(()),
        5.. => Err(format!("the machine alone took {minutes:.1} minutes of 15")),
        few => Err(format!("the chapter has {few} commands")),
    }
}

/// The variables by which the suites are told what to run.
const CHOICES: &str = "PLUMBLINE_TOOLCHAIN PLUMBLINE_SELECT PLUMBLINE_SHARD PLUMBLINE_REPORT \
                       PLUMBLINE_PREFIX PLUMBLINE_ROOT";

/// Runs the commands of `blocks`; how many there were.
fn follow(blocks: &[Block], folder: &Path) -> Result<usize, String> {
    let mut commands = 0;
    for (at, (language, text)) in blocks.iter().enumerate() {
        if language != "sh" {
            continue;
        }
        commands += 1;
        let expected = blocks
            .get(at + 1)
            .filter(|(language, _)| language == "text");
        // The test may run under cargo, with a choice of its own for the suites.
        let script = format!("unset {CHOICES}\n{text}");
        let job = Job::new("sh").args(["-e", "-c", &script]).dir(folder);
        let output = job.limit(Duration::from_secs(900)).output(b"");
        let output = output.map_err(|e| e.to_string())?;
        let said = [output.stdout, output.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
        let told = |what: &str| format!("{what}\nafter\n{text}\nwhich printed\n{}", said.concat());
        match expected {
            Some((_, expected)) => {
                if let Some(missing) = missing(expected, &said[0]) {
                    return Err(told(&format!("not in the output: {missing}")));
                }
            }
            None if !output.status.success() => {
                return Err(told(&format!("it ended with {}", output.status)));
            }
            None => (),
        }
    }
    Ok(commands)
}

/// The first line of `expected` that does not come in its turn.
fn missing(expected: &str, said: &str) -> Option<String> {
    let mut lines = said.lines();
    let mut expected = expected.lines().filter(|line| !line.trim().is_empty());
    let missing = expected.find(|line| !lines.any(|other| matches(line, other)));
    missing.map(str::to_owned)
}

/// Whether a line is as the chapter shows it.
fn matches(shown: &str, line: &str) -> bool {
    let mut parts = shown.trim().split('…');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.trim().strip_prefix(first) else {
        return false;
    };
    let mut is_open = false;
    for part in parts {
        is_open = true;
        match (part, rest.find(part)) {
            ("", _) => (),
            (_, Some(at)) => {
                rest = &rest[at + part.len()..];
                is_open = false;
            }
            (_, None) => return false,
        }
    }
    is_open || rest.is_empty()
}

/// A command that fails, and output that is not as shown, end the walk.
fn differences() -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    let walk = |chapter: &str| follow(&blocks(chapter), folder.path());
    let sound = "```sh\necho 1 of 2 in 3.4 s; echo more; echo end\n```\nprints\n```text\n1 of 2 in … s\nend\n```\n";
    let holds = [
        walk(sound) == Ok(1),
        walk(&sound.replace("text\n1", "text\n2")).is_err(),
        walk(&sound.replace("\nend\n", "\nend\nmore\n")).is_err(),
        walk("```sh\nfalse\n```\n").is_err(),
        walk("```yaml\nfalse\n```\n") == Ok(0),
        matches("a … c", "a b c") && matches("a …", "a b c") && !matches("a", "a b"),
        !matches("a … c", "a b c d"),
    ];
    match holds.iter().position(|holds| !holds) {
        None => Ok(()),
        Some(which) => Err(format!("number {which} of the differences is not seen")),
    }
}
