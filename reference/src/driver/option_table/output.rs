//! What the driver prints and keeps.

use super::super::phases::PlanForm;
use super::super::save_temps::SaveTemps;
use super::{Shape, Spec, option};

/// The options of this theme.
pub(super) static OPTIONS: &[Spec] = &[
    option!(
        "--driver-timing",
        Flag,
        "",
        "Print the time of each step to standard error",
        |o, _, _| {
            o.timing = true;
            Ok(())
        }
    ),
    option!(
        "-###",
        Flag,
        "",
        "Print the steps and run none of them",
        |o, _, _| {
            o.print_only = true;
            Ok(())
        }
    ),
    option!(
        "-save-temps",
        Flag,
        "",
        "Keep what each step writes, in the current folder",
        SaveTemps::keep
    ),
    option!(
        "-save-temps=",
        Joined,
        "<where>",
        "Keep it in the current folder (cwd) or beside the output (obj)",
        SaveTemps::keep
    ),
    option!(
        "--save-temps",
        Flag,
        "",
        "The same as -save-temps",
        SaveTemps::keep
    ),
    option!(
        "--save-temps=",
        Joined,
        "<where>",
        "The same as -save-temps=",
        SaveTemps::keep
    ),
    option!(
        "-ccc-print-phases",
        Flag,
        "",
        "Print what is made of what and run nothing",
        |o, _, _| {
            o.print_form = Some(PlanForm::Phases);
            Ok(())
        }
    ),
    option!(
        "-ccc-print-bindings",
        Flag,
        "",
        "Print which tool reads and writes which files and run nothing",
        |o, _, _| {
            o.print_form = Some(PlanForm::Bindings);
            Ok(())
        }
    ),
];
