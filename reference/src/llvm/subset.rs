//! A module made of some globals of another, at a cost that depends on the part alone.

use inkwell::llvm_sys::core::{
    LLVMDeleteFunction, LLVMDeleteGlobal, LLVMGetFirstUse, LLVMIsAGlobalVariable,
};
use inkwell::module::Module;
use inkwell::values::{AsValueRef as _, GlobalValue};

use super::{LlvmError, read, shim, values};

/// One global that goes into a subset.
#[derive(Debug, Clone, Copy)]
pub struct Member<'ctx> {
    /// The global.
    pub global: GlobalValue<'ctx>,
    /// Whether it comes with its definition, where it has one, or as a declaration.
    pub define: bool,
}

/// A new module in the same context with copies of `members`, in their order, and of the module's
/// named metadata as far as it concerns them. The lists that keep symbols alive ([`is_list`]) stay
/// behind: choosing the members is what keeps them here. Everything that a defined member mentions
/// must be a member itself ([`super::graph::Graph::reach`] yields that).
///
/// # Errors
/// When the body of a member can't be read.
pub fn take<'ctx>(
    module: &Module<'ctx>,
    members: &[Member<'ctx>],
) -> Result<Module<'ctx>, LlvmError> {
    for member in members.iter().filter(|m| m.define) {
        read::materialize(module, member.global)?;
    }
    let globals: Vec<_> = members.iter().map(|m| m.global.as_value_ref()).collect();
    let define: Vec<_> = members.iter().map(|m| u8::from(m.define)).collect();
    // SAFETY: the globals are the module's own, with their bodies; both lists are as long as
    // said; the new module is ours.
    unsafe {
        Ok(Module::new(shim::plumbline_clone_subset(
            module.as_mut_ptr(),
            globals.as_ptr(),
            define.as_ptr(),
            globals.len(),
        )))
    }
}

/// Whether a variable is one of the lists that keep symbols alive, which a subset is without.
#[must_use]
pub fn is_list(name: &str) -> bool {
    matches!(name, "llvm.used" | "llvm.compiler.used")
}

/// Takes globals out of their module, lists that keep symbols alive first. One that something else
/// still mentions stays.
pub fn leave_out<'ctx>(globals: impl IntoIterator<Item = GlobalValue<'ctx>>) {
    let (lists, rest): (Vec<_>, Vec<_>) = globals
        .into_iter()
        .partition(|&global| is_list(&values::name(global)));
    for global in lists.into_iter().chain(rest) {
        let is_function = values::as_function(global).is_some();
        let global = global.as_value_ref();
        // SAFETY: the global is valid, of the kind that its deleter takes, and nothing refers to it
        // or will.
        unsafe {
            match LLVMGetFirstUse(global).is_null() {
                true if is_function => LLVMDeleteFunction(global),
                true if !LLVMIsAGlobalVariable(global).is_null() => LLVMDeleteGlobal(global),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::graph::Graph;
    use crate::llvm::{context, write};

    const TEXT: &str = r#"
        %pair = type { i32, i64 }
        $group = comdat any
        @g = internal global %pair { i32 1, i64 2 }
        @h = global i32 0
        @llvm.used = appending global [2 x ptr] [ptr @a, ptr @b], section "llvm.metadata"
        define spir_kernel void @a() !mark !0 {
          %p = getelementptr %pair, ptr @g, i32 0, i32 1, !names !1
          call void @shared(i1 true)
          ret void
        }
        define spir_kernel void @b() {
          store i32 1, ptr @h
          call void @shared(i1 false)
          ret void
        }
        define linkonce_odr void @shared(i1 %x) comdat($group) {
          br i1 %x, label %then, label %done
        then:
          br label %done
        done:
          %v = phi i32 [ 0, %0 ], [ 1, %then ]
          call void @outside(i32 %v)
          ret void
        }
        declare void @outside(i32)
        !all = !{!2, !3, !4}
        !0 = !{i32 7}
        !1 = !{ptr @a, ptr @b}
        !2 = !{ptr @a, !"kernel"}
        !3 = !{ptr @b, !"kernel"}
        !4 = !{!"text"}
    "#;

    fn subset_of(root: &str) -> String {
        let context = context();
        let whole = read::module(&context, TEXT.as_bytes(), "a.ll").unwrap();
        let lazy = read::module_lazily(&context, &write::bitcode(&whole), "a.ll").unwrap();
        let mut graph = Graph::new(&lazy);
        let root = lazy.get_function(root).unwrap().as_global_value();
        let root = graph.id(root).unwrap();
        let members: Vec<_> = graph
            .reach([root])
            .unwrap()
            .into_iter()
            .filter_map(|id| graph.global(id))
            .map(|global| Member {
                global,
                define: true,
            })
            .collect();
        let part = take(&lazy, &members).unwrap();
        write::verify(&part).unwrap();
        drop(lazy);
        // What is left must stand on its own.
        let again = read::module(&context, &write::bitcode(&part), "again.bc").unwrap();
        assert_eq!(values::globals(&again).len(), values::globals(&part).len());
        write::text(&part)
    }

    #[test]
    fn a_part_holds_what_its_root_reaches_and_no_more() {
        let a = subset_of("a");
        for present in [
            "@a()",
            "@g =",
            "@shared",
            "declare void @outside",
            "!mark",
            "comdat any",
            "!\"text\"",
        ] {
            assert!(a.contains(present), "{present} missing in {a}");
        }
        for absent in ["@b", "@h", "llvm.used"] {
            assert!(!a.contains(absent), "{absent} in {a}");
        }
        let b = subset_of("b");
        assert!(
            b.contains("@h") && !b.contains("@g") && !b.contains("@a"),
            "{b}"
        );
    }

    #[test]
    fn a_member_can_come_as_a_declaration() {
        let context = context();
        let module = read::module(&context, TEXT.as_bytes(), "a.ll").unwrap();
        let member = |name: &str, define| Member {
            global: module.get_function(name).unwrap().as_global_value(),
            define,
        };
        let g = Member {
            global: module.get_global("g").unwrap(),
            define: true,
        };
        let part = take(&module, &[member("a", true), member("shared", false), g]).unwrap();
        write::verify(&part).unwrap();
        assert!(write::text(&part).contains("declare void @shared(i1)"));
    }
}
