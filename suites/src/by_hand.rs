//! What a toolchain is known to fail, shown without this harness: shell scripts that its team can paste, with
//! what is asked for and what is printed instead in their comments.
//!
//! A script begins with a comment that says what a document asks for. `# prints: TEXT` is a piece of what its
//! commands write, `# does not print: TEXT` is one of nothing that they write, so that a script can be held to
//! what it says. They find the toolchain's tools by their names, and everything else on the machine. What several
//! do alike stands in a file of its own: `# include: NAME` is a line in the place of the file of that name beside them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use components::process::Job;

/// How long a script may take.
const LIMIT: Duration = Duration::from_secs(240);

/// A script as it is pasted: with what it includes.
///
/// # Errors
/// Names the file that cannot be read, and why.
pub fn text_of(place: &Path) -> Result<String, String> {
    let read = |place: &Path| {
        let text = std::fs::read_to_string(place);
        text.map_err(|e| format!("{}: {e}", place.display()))
    };
    let text = read(place)?;
    let lines = text.split_inclusive('\n');
    let lines = lines.map(|line| match line.trim_end().strip_prefix("# include: ") {
        Some(name) => read(&place.with_file_name(name)),
        None => Ok(line.to_owned()),
    });
    lines.collect()
}

/// What a script says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script<'a> {
    /// What a document asks for.
    pub asks: String,
    /// Pieces of what it prints.
    pub prints: Vec<&'a str>,
    /// What it prints nothing of.
    pub lacks: Vec<&'a str>,
}

impl<'a> Script<'a> {
    /// Reads the comments of a script.
    ///
    /// # Errors
    /// When it does not say what is asked for, or nothing of what is printed, or says either in another form.
    pub fn read(text: &'a str) -> Result<Self, String> {
        const PRINTS: &str = "prints: ";
        const LACKS: &str = "does not print: ";
        let comments = |line: &'a str| line.strip_prefix("# ");
        let is_said = |line: &&str| line.starts_with(PRINTS) || line.starts_with(LACKS);
        let asks = text.lines().map_while(comments);
        let asks: Vec<&str> = asks.take_while(|line| !is_said(line)).collect();
        let said = |begin: &str| -> Vec<&'a str> {
            let lines = text.lines().filter_map(comments);
            lines.filter_map(|line| line.strip_prefix(begin)).collect()
        };
        let is_alike = |line: &&str| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let begins = [PRINTS, LACKS].map(|begin| words.starts_with(begin.trim()));
            let exact = line.strip_prefix("# ").filter(is_said);
            let exact = exact.filter(|said| said.trim_end() == *said);
            line.starts_with('#') && begins.contains(&true) && exact.is_none()
        };
        if let Some(line) = text.lines().find(is_alike) {
            return Err(format!(
                "'{line}' is neither '# {PRINTS}TEXT' nor '# {LACKS}TEXT'"
            ));
        }
        let script = Script {
            asks: asks.join(" "),
            prints: said("prints: "),
            lacks: said("does not print: "),
        };
        match (script.asks.is_empty(), script.prints.is_empty()) {
            (true, _) => Err("its first line is no comment that says what is asked for".to_owned()),
            (_, true) => Err("no comment begins with 'prints: '".to_owned()),
            (false, false) => Ok(script),
        }
    }

    /// What of `output` is not as the script says.
    #[must_use]
    pub fn wrong(&self, output: &str) -> Vec<String> {
        let missing = self.prints.iter().filter(|text| !output.contains(**text));
        let missing = missing.map(|text| format!("does not print: {text}"));
        let present = self.lacks.iter().filter(|text| output.contains(**text));
        missing
            .chain(present.map(|text| format!("prints: {text}")))
            .collect()
    }
}

/// Runs a script in `folder`, with the variables of `env` and the programs in `tools` before the system's, and
/// holds what it prints to what it says.
///
/// # Errors
/// With what does not hold, and all that was printed.
pub fn run(
    text: &str,
    folder: &Path,
    tools: &[PathBuf],
    env: &[(String, String)],
) -> Result<(), String> {
    let script = Script::read(text)?;
    // Both of its outputs are one. A shell's own messages begin with its name, which is not the script.
    let mut job = Job::new("/bin/sh").args(["-c", "exec 2>&1; eval \"$1\"", "sh", text]);
    for (name, value) in env {
        job = job.env(name, value);
    }
    let system = ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from);
    let path = std::env::join_paths(tools.iter().chain(&system)).map_err(|e| e.to_string())?;
    let job = job.env("PATH", path).env("LC_ALL", "C").limit(LIMIT);
    let output = job.dir(folder).output(b"").map_err(|e| e.to_string())?;
    let output = String::from_utf8_lossy(&output.stdout);
    match script.wrong(&output) {
        wrong if wrong.is_empty() => Ok(()),
        wrong => Err(format!(
            "{}\nall that it prints:\n{output}",
            wrong.join("\n")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_scripts_do_alike_is_said_once() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place("a.sh"), "# Why.\n# include: b.sh\nlast\n").unwrap();
        let said = text_of(&place("a.sh")).unwrap_err();
        assert!(said.contains("b.sh: No such file"), "{said}");
        std::fs::write(place("b.sh"), "first\n").unwrap();
        assert_eq!(text_of(&place("a.sh")).unwrap(), "# Why.\nfirst\nlast\n");
    }

    const TEXT: &str = "# An echo is asked\n# for.\necho one; echo two >&2\n# prints: two\n# does not print: three\n";

    #[test]
    fn a_script_says_what_is_asked_for_and_what_is_printed() {
        let script = Script::read(TEXT).unwrap();
        assert_eq!(script.asks, "An echo is asked for.");
        assert_eq!((script.prints, script.lacks), (vec!["two"], vec!["three"]));
        assert!(Script::read("echo one\n# prints: one\n").is_err());
        assert!(Script::read("# Why.\necho one\n").is_err());
    }

    #[test]
    fn it_is_held_to_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let run = |text: &str| run(text, folder.path(), &[], &[]);
        assert_eq!(run(TEXT), Ok(()));
        let said = run(&TEXT.replace("echo one", "echo three")).unwrap_err();
        assert!(said.starts_with("prints: three\n"), "{said}");
        let said = run(&TEXT.replace("echo two", "echo 2")).unwrap_err();
        assert!(said.starts_with("does not print: two\n"), "{said}");
        // What is not found is no reason to take the script's own words for what it prints.
        let said = run("# Why.\nno-such-program\n# prints: such a word\n").unwrap_err();
        assert!(said.starts_with("does not print: such a word\n"), "{said}");
        for odd in ["#prints: one", "# Prints: one", "# prints:", "# prints: "] {
            let why = run(&format!("# Why.\necho one\n# prints: one\n{odd}\n")).unwrap_err();
            assert!(why.contains("is neither"), "{odd}: {why}");
        }
        assert!(run("# prints: one\necho one\n").is_err());
        // A program that crashes is told of by the script's own words.
        assert_eq!(
            run("# Why.\nsh -c 'kill -11 $$' || echo \"ends with $?\"\n# prints: ends with 139\n"),
            Ok(())
        );
    }
}
