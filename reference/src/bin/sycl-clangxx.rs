//! The compiler driver `sycl-clang++`; see [`reference::driver`]. Cargo takes no `+` in a name, so the
//! installed layout gives the tool its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    reference::driver::main(std::env::args_os().skip(1).collect())
}
