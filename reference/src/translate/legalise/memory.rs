//! Copies and fills: SPIR-V copies memory only where source and target do not overlap, and never zero
//! bytes of it.

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::values::{CallSiteValue, InstructionValue};

use super::overlapping::Copy;
use super::{Action, Replacement};

/// OpenCL's address spaces, as names of intrinsic functions have them.
const CONSTANT: &str = "p2";
pub(super) const GENERIC: &str = "p4";

/// What becomes of a call of the intrinsic function `name`, when it is one over memory.
pub(super) fn action(name: &str, call: InstructionValue<'_>) -> Action {
    let Some(name) = name.strip_prefix("llvm.") else {
        return Action::Keep;
    };
    if name.starts_with("prefetch.") {
        return Action::Erase;
    }
    let Some((family, types)) = [
        "memmove.",
        "memcpy.inline.",
        "memset.inline.",
        "memcpy.",
        "memset.",
    ]
    .iter()
    .find_map(|family| Some((*family, name.strip_prefix(family)?))) else {
        return Action::Keep;
    };
    let size = integer(call, 2);
    match family {
        _ if size == Some(0) => Action::Erase,
        "memcpy.inline." => Action::Call(Replacement::declared(format!("llvm.memcpy.{types}"))),
        "memset.inline." => Action::Call(Replacement::declared(format!("llvm.memset.{types}"))),
        "memmove." => moved(types, call, size).map_or(Action::Keep, Action::Call),
        "memset." if is_long(call, size) => {
            filled(types, integer(call, 3) != Some(0)).map_or(Action::Keep, Action::Call)
        }
        _ => Action::Keep,
    }
}

/// The constant that stands as an argument.
pub(super) fn integer(call: InstructionValue<'_>, argument: u32) -> Option<u64> {
    let value = call.get_operand(argument)?.value()?;
    value.into_int_value().get_zero_extended_constant()
}

/// The alignment that a call promises for an argument.
pub(super) fn alignment(call: InstructionValue<'_>, argument: u32) -> u64 {
    let kind = Attribute::get_named_enum_kind_id("align");
    let call = CallSiteValue::try_from(call).ok();
    let found = call.and_then(|call| call.get_enum_attribute(AttributeLoc::Param(argument), kind));
    found.map_or(1, |align| align.get_enum_value().max(1))
}

/// What is called instead of `llvm.memmove.<types>`.
fn moved(types: &str, call: InstructionValue<'_>, size: Option<u64>) -> Option<Replacement> {
    let mut parts = types.split('.');
    let (to, from, size_type) = (parts.next()?, parts.next()?, parts.next()?);
    if !may_overlap(to, from) {
        return Some(Replacement::declared(format!("llvm.memcpy.{types}")));
    }
    Some(
        Copy {
            to,
            from,
            size_type,
            alignment: alignment(call, 0).min(alignment(call, 1)),
            volatile: integer(call, 3) != Some(0),
        }
        .function(size),
    )
}

/// So many bytes of a value other than 0 are no constant: SPIR-V names each, and not any number of them.
const MOST_NAMED: u64 = 4096;

/// Whether a call fills more than can be copied from a constant.
fn is_long(call: InstructionValue<'_>, size: Option<u64>) -> bool {
    integer(call, 1).is_some_and(|value| value != 0) && size.is_some_and(|size| size > MOST_NAMED)
}

/// What is called instead of `llvm.memset.<types>` for a fill that is not empty.
fn filled(types: &str, is_volatile: bool) -> Option<Replacement> {
    let (to, size) = types.split_once('.')?;
    let space = to.strip_prefix('p')?;
    let volatile = if is_volatile { "volatile " } else { "" };
    let symbol = format!("plumbline.memset.{types}.{}", volatile.trim_end());
    let symbol = symbol.trim_end_matches('.');
    let definition = format!(
        "define void @{symbol}(ptr addrspace({space}) %to, i8 %value, {size} %size, i1 %v) {{\n\
         entry:\n  br label %each\n\
         each:\n\
         \x20 %i = phi {size} [ 0, %entry ], [ %next, %each ]\n\
         \x20 %place = getelementptr inbounds i8, ptr addrspace({space}) %to, {size} %i\n\
         \x20 store {volatile}i8 %value, ptr addrspace({space}) %place, align 1\n\
         \x20 %next = add nuw {size} %i, 1\n\
         \x20 %is_more = icmp ult {size} %next, %size\n\
         \x20 br i1 %is_more, label %each, label %end\n\
         end:\n  ret void\n}}\n"
    );
    Some(Replacement::defined(symbol.to_owned(), definition))
}

/// Whether memory of two address spaces can be the same. Nothing is written to constant memory.
fn may_overlap(to: &str, from: &str) -> bool {
    to == from || [to, from].contains(&GENERIC) && ![to, from].contains(&CONSTANT)
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    fn moved(types: &str, parameters: &str, arguments: &str) -> String {
        legal(&format!(
            "declare void @llvm.memmove.{types}({parameters}, i1 immarg)\n\
             define void @f({parameters}) {{\n\
               call void @llvm.memmove.{types}({arguments})\n\
               ret void\n}}\n"
        ))
    }

    #[test]
    fn a_short_copy_is_loaded_before_it_is_stored() {
        let after = moved(
            "p1.p1.i64",
            "ptr addrspace(1), ptr addrspace(1), i64",
            "ptr addrspace(1) align 4 %0, ptr addrspace(1) align 8 %1, i64 11, i1 false",
        );
        assert!(!after.contains("llvm.memmove"), "{after}");
        let places: Vec<&str> = after
            .lines()
            .filter_map(|line| {
                line.split_whitespace()
                    .find(|w| ["load", "store"].contains(w))
            })
            .collect();
        assert_eq!(places, [["load"; 4], ["store"; 4]].concat());
        assert!(
            after.contains("load i32, ptr addrspace(1) %f0, align 4"),
            "{after}"
        );
        assert!(after.contains("i64 8\n  %v2 = load i16"), "{after}");
        assert!(after.contains("i64 10\n  %v3 = load i8"), "{after}");
    }

    #[test]
    fn a_long_copy_goes_both_ways() {
        let generic = moved(
            "p4.p1.i32",
            "ptr addrspace(4), ptr addrspace(1), i32",
            "ptr addrspace(4) align 4 %0, ptr addrspace(1) align 4 %1, i32 %2, i1 true",
        );
        assert!(
            generic.contains("addrspacecast ptr addrspace(1) %from to ptr addrspace(4)"),
            "{generic}"
        );
        assert_eq!(generic.matches("load volatile i32").count(), 2, "{generic}");
        assert_eq!(generic.matches("store volatile i8").count(), 2, "{generic}");
        let bytes = moved(
            "p0.p0.i64",
            "ptr, ptr, i64",
            "ptr %0, ptr %1, i64 100, i1 false",
        );
        assert_eq!(bytes.matches("load i8").count(), 4, "{bytes}");
    }

    #[test]
    fn places_that_cannot_overlap_are_copied() {
        for (to, from) in [(1, 3), (0, 1), (4, 2), (3, 0)] {
            let after = moved(
                &format!("p{to}.p{from}.i64"),
                &format!("ptr addrspace({to}), ptr addrspace({from}), i64"),
                &format!(
                    "ptr addrspace({to}) align 2 %0, ptr addrspace({from}) %1, i64 %2, i1 false"
                ),
            );
            assert!(
                after.contains(&format!("call void @llvm.memcpy.p{to}.p{from}.i64(")),
                "{after}"
            );
            assert!(!after.contains("memmove"), "{after}");
        }
    }

    #[test]
    fn long_fills_with_another_value_than_0_are_loops() {
        let after = legal(
            "declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)\n\
             define void @f(ptr addrspace(1) %p) {\n\
               call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 -1, i64 4097, i1 false)\n\
               call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 -1, i64 4096, i1 false)\n\
               call void @llvm.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 0, i64 100000, i1 false)\n\
               call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 -1, i64 4098, i1 true)\n\
               ret void\n}\n",
        );
        assert_eq!(after.matches("store volatile i8").count(), 1, "{after}");
        assert!(
            after.contains("call void @plumbline.memset.p1.i64(ptr addrspace(1) align 8 %p, i8 -1, i64 4097, i1 false)"),
            "{after}"
        );
        assert!(after.contains("constant [4096 x i8]"), "{after}");
        assert!(
            after.contains("constant [100000 x i8] zeroinitializer"),
            "{after}"
        );
    }

    #[test]
    fn nothing_is_made_of_copies_of_nothing() {
        let after = legal(
            "declare void @llvm.memset.p1.i64(ptr addrspace(1), i8, i64, i1)\n\
             declare void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1), ptr addrspace(1), i64, i1)\n\
             declare void @llvm.prefetch.p1(ptr addrspace(1), i32, i32, i32)\n\
             define void @f(ptr addrspace(1) %p) {\n\
               call void @llvm.memset.p1.i64(ptr addrspace(1) %p, i8 3, i64 0, i1 false)\n\
               call void @llvm.prefetch.p1(ptr addrspace(1) %p, i32 0, i32 3, i32 1)\n\
               call void @llvm.memcpy.inline.p1.p1.i64(ptr addrspace(1) %p, ptr addrspace(1) %p, i64 4, i1 false)\n\
               ret void\n}\n",
        );
        assert_eq!(after.matches("call void").count(), 1, "{after}");
        assert!(
            after.contains("call void @llvm.memcpy.p1.p1.i64("),
            "{after}"
        );
    }
}
