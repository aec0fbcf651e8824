//! `--help`.

use super::hints;
use super::option_table::{OPTIONS, Shape};

/// What the driver knows itself; clang's own options are described by clang.
pub(super) fn text() -> String {
    let mut text = String::from(
        "usage: sycl-clang++ [options] file...\n\nOptions of this driver; all others go to clang \
         unchanged (clang++ --help lists them):\n",
    );
    for option in OPTIONS {
        let spelling = match option.shape {
            Shape::Flag => option.name.to_owned(),
            Shape::Joined => format!("{}{}", option.name, option.value),
            Shape::Separate => format!("{} {}", option.name, option.value),
            Shape::ForTarget => format!("{}[=<T>] {}", option.name, option.value),
        };
        text.push_str(&format!("  {spelling:<42} {}\n", option.help));
    }
    text.push_str(&hints::help());
    text
}
