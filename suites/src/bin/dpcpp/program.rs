//! Starts a program that was built: with `SYCL_UR_TRACE` on, what DPC++'s runtime tells of its calls is
//! put as cases ask for it (`opencl-cpu-traced` of `suites/tools.yaml`).

use std::io::{Read as _, Write as _};
use std::os::unix::process::ExitStatusExt as _;

use components::process::Job;
use regex::Regex;

/// The variable that turns the trace on.
const TRACE: &str = "SYCL_UR_TRACE";

/// Runs `words`, and gives its exit status.
///
/// # Errors
/// When it does not start.
pub fn run(words: &[String]) -> Result<u8, String> {
    let (program, arguments) = words.split_first().ok_or("a program is needed")?;
    let mut stdin = Vec::new();
    let read = std::io::stdin().read_to_end(&mut stdin);
    read.map_err(|e| e.to_string())?;
    let job = Job::new(program).args(arguments);
    let output = job.output(&stdin).map_err(|e| e.to_string())?;
    let mut stdout = output.stdout;
    let mut stderr = output.stderr;
    if std::env::var_os(TRACE).is_some() {
        let (own, told) = parted(&String::from_utf8_lossy(&stdout))?;
        stdout = own.into_bytes();
        stderr.extend(told.into_bytes());
    }
    let written = std::io::stdout().write_all(&stdout);
    written
        .and_then(|()| std::io::stderr().write_all(&stderr))
        .map_err(|e| e.to_string())?;
    let signal = output.status.signal().map(|signal| 128 + signal);
    let status = output.status.code().or(signal).unwrap_or(1);
    Ok(u8::try_from(status).unwrap_or(1))
}

/// What the program wrote itself, and the builds that its trace tells of.
fn parted(text: &str) -> Result<(String, String), String> {
    let regex = |text| Regex::new(text).map_err(|e| e.to_string());
    let call = regex(r"^   (?:--->|<---) ur[A-Z]")?;
    let build = regex(r"<--- urProgramBuild\(.*\.pOptions = (?:\S+ \((.*)\)|nullptr)\) -> ")?;
    let (mut own, mut told) = (String::new(), String::new());
    for line in text.split_inclusive('\n') {
        if let Some(found) = build.captures(line) {
            let options = found.get(1).map_or("", |options| options.as_str());
            told.push_str(&format!("build image with options '{options}'\n"));
        } else if !call.is_match(line) {
            own.push_str(line);
        }
    }
    Ok((own, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_are_told_and_the_rest_is_the_programs_own() {
        let build = |options: &str| {
            format!(
                "   ---> urProgramBuild\n   <--- urProgramBuild(.hContext = 0x1, .hProgram = 0x2, \
                 .pOptions = {options}) -> UR_RESULT_SUCCESS;\n"
            )
        };
        let text = format!("{}42\n{}", build("0x3 (-cl-opt-disable)"), build("0x3 ()"));
        let (own, told) = parted(&text).unwrap();
        assert_eq!(own, "42\n");
        let builds = "build image with options '-cl-opt-disable'\nbuild image with options ''\n";
        assert_eq!(told, builds);
    }
}
