//! Speed of the propagation pass over generated modules of long call chains and cycles, next to
//! LLVM's own `globaldce` and verifier over the same module in the same run. Prints a table and, as
//! its last line, JSON.

use std::fmt::Write as _;
use std::time::Instant;

use reference::frontend::aspects;
use reference::llvm::{self, passes, read, write};

/// Functions of the modules; each has 50 instructions.
const SIZES: [usize; 3] = [25_000, 50_000, 100_000];
const INSTRUCTIONS: usize = 50;
const ROUNDS: usize = 3;

fn main() {
    let mut lines = Vec::new();
    println!("functions instructions propagate_s globaldce_s verify_s to_globaldce to_verify");
    for functions in SIZES {
        let bitcode = bitcode(functions);
        let (mut own, mut dce, mut verifier) = (f64::MAX, f64::MAX, f64::MAX);
        for _ in 0..ROUNDS {
            // Each pass gets a module of its own, so that none profits from another's work.
            own = own.min(timed(&bitcode, |m| {
                drop(aspects::propagate(m).expect("few aspects"))
            }));
            dce = dce.min(timed(&bitcode, |m| {
                passes::run(m, "globaldce").expect("a pass of LLVM's")
            }));
            verifier = verifier.min(timed(&bitcode, |m| {
                write::verify(m).expect("a valid module")
            }));
        }
        let instructions = functions * INSTRUCTIONS;
        println!(
            "{functions} {instructions} {own:.3} {dce:.3} {verifier:.3} {:.2} {:.2}",
            own / dce,
            own / verifier
        );
        lines.push(format!(
            "{{\"functions\":{functions},\"instructions\":{instructions},\"propagate_s\":{own:.4},\
             \"globaldce_s\":{dce:.4},\"verify_s\":{verifier:.4}}}"
        ));
    }
    println!("[{}]", lines.join(","));
}

/// Bitcode reads back much faster than text.
fn bitcode(functions: usize) -> Vec<u8> {
    let context = llvm::context();
    let text = module_text(functions);
    write::bitcode(&read::module(&context, text.as_bytes(), "generated").expect("generated IR"))
}

fn timed(bitcode: &[u8], work: impl FnOnce(&inkwell::module::Module<'_>)) -> f64 {
    let context = llvm::context();
    let module = read::module(&context, bitcode, "generated").expect("generated IR");
    let start = Instant::now();
    work(&module);
    start.elapsed().as_secs_f64()
}

/// Every function calls the next one; every hundredth closes a cycle of a hundred, every
/// thousandth uses `double`.
fn module_text(functions: usize) -> String {
    let mut text = String::from("target triple = \"spir64-unknown-unknown\"\n");
    for id in 0..functions {
        let kind = if id % 500 == 0 {
            "spir_kernel"
        } else {
            "spir_func"
        };
        let _ = writeln!(text, "define {kind} void @f{id}(ptr %p, i32 %x) {{");
        for step in 0..(INSTRUCTIONS - 5) / 3 {
            let from = if step == 0 {
                "%x".to_owned()
            } else {
                format!("%c{}", step - 1)
            };
            let _ = writeln!(
                text,
                "  %a{step} = getelementptr {{ i32, float }}, ptr %p, i32 {from}\n  \
                 %b{step} = load i32, ptr %a{step}\n  %c{step} = add i32 %b{step}, {from}"
            );
        }
        if id % 1000 == 999 {
            let _ = writeln!(text, "  %d = fadd double 1.0, 2.0");
        }
        let last = (INSTRUCTIONS - 5) / 3 - 1;
        let _ = writeln!(text, "  store i32 %c{last}, ptr %p");
        for callee in [id + 1, if id % 100 == 99 { id - 99 } else { id }] {
            if callee < functions && callee != id {
                let _ = writeln!(text, "  call spir_func void @f{callee}(ptr %p, i32 %x)");
            }
        }
        text.push_str("  ret void\n}\n");
    }
    text
}
