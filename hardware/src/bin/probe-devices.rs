//! `probe-devices BACKEND MODE` writes the devices of one back end as JSON, as this process finds them;
//! `probe-devices SETTING` looks for the devices that cases call so (`level-zero-capture`) in a process
//! with the environment that they need, lists them, and fails with the reason where there is none;
//! `probe-devices` alone finds all devices of this machine and lists them, with `--json` for programs.

use std::path::PathBuf;
use std::process::ExitCode;

use components::Components;
use hardware::{Backend, Device, Mode, discover, find, probe::probe};

const USAGE: &str = "usage: probe-devices [--json | SETTING | BACKEND MODE]";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        [] => all(false),
        ["--json"] => all(true),
        [option] if option.starts_with('-') => Err(USAGE.to_owned()),
        [setting] => called(setting),
        [backend, mode] => one(backend, mode),
        _ => Err(USAGE.to_owned()),
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

/// The components, and this program.
fn surroundings() -> std::io::Result<(Components, PathBuf)> {
    Ok((Components::here()?, std::env::current_exe()?))
}

fn called(setting: &str) -> Result<String, String> {
    let (components, program) = surroundings().map_err(|e| e.to_string())?;
    let devices = find(&components, &program, setting)?;
    Ok(devices.iter().map(line).collect::<Vec<_>>().join("\n"))
}

fn line(device: &Device) -> String {
    format!("{}: {device}", device.setting())
}

fn all(json: bool) -> Result<String, String> {
    let text = |e: std::io::Error| e.to_string();
    let (components, program) = surroundings().map_err(text)?;
    let found = discover(&components, &program).map_err(text)?;
    if json {
        return serde_json::to_string_pretty(&found.devices).map_err(|e| e.to_string());
    }
    let devices = found.devices.iter().map(line);
    let without = found.without.iter();
    let without = without.map(|(way, reason)| format!("{way}: none ({reason})"));
    Ok(devices.chain(without).collect::<Vec<_>>().join("\n"))
}
