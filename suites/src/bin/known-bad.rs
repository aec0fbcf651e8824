//! A stub that plays every role of a toolchain badly, so that tests can show that the suites fail
//! it: `known-bad yes|no|crash ROLE ARGUMENTS…`. It implements nothing, and says so.

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let role = words.get(1).map_or("no role", String::as_str);
    match words.first().map(String::as_str) {
        Some("yes") => {
            println!("known-bad stub: {role}: done");
            leave_outputs(&words);
            ExitCode::SUCCESS
        }
        Some("no") => {
            eprintln!("known-bad stub: {role}: error: no");
            ExitCode::from(1)
        }
        _ => {
            eprintln!("known-bad stub: {role}: crashes");
            std::process::abort()
        }
    }
}

/// Every file that `-o` names becomes a program that says it passed and means nothing.
fn leave_outputs(words: &[String]) {
    use std::os::unix::fs::PermissionsExt;
    for pair in words.windows(2) {
        if let [option, file] = pair {
            if option == "-o" {
                // Whether the file comes to be does not matter: no case may pass either way.
                let _ = std::fs::write(file, "#!/bin/sh\necho PASSED\n");
                let _ = std::fs::set_permissions(file, PermissionsExt::from_mode(0o755));
            }
        }
    }
}
