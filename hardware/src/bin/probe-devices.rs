//! `probe-devices BACKEND MODE` writes the devices of one back end as JSON; `probe-devices` alone
//! finds all devices of this machine and lists them, with `--json` for programs.

use std::process::ExitCode;

use components::Components;
use hardware::{Backend, Mode, discover, probe::probe};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] => all(false),
        ["--json"] => all(true),
        [backend, mode] => one(backend, mode),
        _ => Err("usage: probe-devices [--json | BACKEND MODE]".to_owned()),
    };
    match outcome {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn one(backend: &str, mode: &str) -> Result<String, String> {
    let backend = Backend::ALL.into_iter().find(|b| b.word() == backend);
    let mode = Mode::ALL.into_iter().find(|m| m.word() == mode);
    let (Some(backend), Some(mode)) = (backend, mode) else {
        return Err("no such back end or mode".to_owned());
    };
    serde_json::to_string(&probe(backend, mode)?).map_err(|e| e.to_string())
}

fn all(json: bool) -> Result<String, String> {
    let text = |e: std::io::Error| e.to_string();
    let components = Components::here().map_err(text)?;
    let program = std::env::current_exe().map_err(text)?;
    let found = discover(&components, &program).map_err(text)?;
    if json {
        return serde_json::to_string_pretty(&found.devices).map_err(|e| e.to_string());
    }
    let devices = found
        .devices
        .iter()
        .map(|d| format!("{}: {d}", d.setting()));
    let without = found.without.iter();
    let without = without.map(|(way, reason)| format!("{way}: none ({reason})"));
    Ok(devices.chain(without).collect::<Vec<_>>().join("\n"))
}
