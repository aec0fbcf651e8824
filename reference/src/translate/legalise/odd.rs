//! Intrinsic functions of integers whose widths OpenCL lacks, in plain arithmetic of the same widths,
//! which [`super::widths`] takes from there.

use inkwell::types::BasicTypeEnum;

use super::Replacement;
use super::numbers::Integer;
use crate::llvm::widths::{WIDEST, is_odd};

/// The widest integer of OpenCL.
const WORD: u32 = 64;

/// An integer too wide for OpenCL.
pub(super) fn wide(ty: BasicTypeEnum<'_>) -> Option<Integer> {
    let BasicTypeEnum::IntType(scalar) = ty else {
        return None;
    };
    let width = scalar.get_bit_width();
    (WORD + 1..=WIDEST)
        .contains(&width)
        .then_some(Integer { width, lanes: None })
}

/// What is called instead of the intrinsic function `llvm.<plain>`, whose first parameter is a `ty`.
pub(super) fn replacement(symbol: &str, plain: &str, ty: BasicTypeEnum<'_>) -> Option<Replacement> {
    let BasicTypeEnum::IntType(scalar) = ty else {
        return None;
    };
    let width = scalar.get_bit_width();
    if !is_odd(width) || width > WIDEST {
        return None;
    }
    let word = width.next_power_of_two().max(8);
    let spare = word - width;
    let (family, _) = plain.rsplit_once('.')?;
    let (parameters, body, callee) = match family {
        "umin" | "umax" | "smin" | "smax" => {
            let predicate = match family {
                "umin" => "ult",
                "umax" => "ugt",
                "smin" => "slt",
                _ => "sgt",
            };
            let body = format!(
                "%first = icmp {predicate} {{t}} %x, %y\n\
                 %r = select i1 %first, {{t}} %x, {{t}} %y\n"
            );
            ("{t} %x, {t} %y", body, None)
        }
        "abs" => {
            let body = "%less = icmp slt {t} %x, 0\n%other = sub {t} 0, %x\n\
                        %r = select i1 %less, {t} %other, {t} %x\n";
            ("{t} %x, i1 %any", body.to_owned(), None)
        }
        "uadd.sat" => {
            let body = "%sum = add {t} %x, %y\n%over = icmp ult {t} %sum, %x\n\
                        %r = select i1 %over, {t} -1, {t} %sum\n";
            ("{t} %x, {t} %y", body.to_owned(), None)
        }
        "usub.sat" => {
            let body = "%rest = sub {t} %x, %y\n%under = icmp ult {t} %x, %y\n\
                        %r = select i1 %under, {t} 0, {t} %rest\n";
            ("{t} %x, {t} %y", body.to_owned(), None)
        }
        "fshl" | "fshr" => {
            let (there, back) = match family {
                "fshl" => ("%x", "%y"),
                _ => ("%y", "%x"),
            };
            let (move_there, move_back) = match family {
                "fshl" => ("shl", "lshr"),
                _ => ("lshr", "shl"),
            };
            let body = format!(
                "%by = urem {{t}} %n, {width}\n%none = icmp eq {{t}} %by, 0\n\
                 %rest = sub {{t}} {width}, %by\n%a = {move_there} {{t}} {there}, %by\n\
                 %b = {move_back} {{t}} {back}, %rest\n%both = or {{t}} %a, %b\n\
                 %r = select i1 %none, {{t}} {there}, {{t}} %both\n"
            );
            ("{t} %x, {t} %y, {t} %n", body, None)
        }
        // OpenCL counts the bits of its own integers.
        "ctpop" if width <= WORD => {
            let body = "%wide = zext {t} %x to {w}\n%n = call {w} @llvm.ctpop.{w}({w} %wide)\n\
                        %r = trunc {w} %n to {t}\n";
            (
                "{t} %x",
                body.to_owned(),
                Some("declare {w} @llvm.ctpop.{w}({w})"),
            )
        }
        "ctlz" if width <= WORD => {
            let body = format!(
                "%wide = zext {{t}} %x to {{w}}\n\
                 %all = call {{w}} @llvm.ctlz.{{w}}({{w}} %wide, i1 false)\n\
                 %n = sub {{w}} %all, {spare}\n%r = trunc {{w}} %n to {{t}}\n"
            );
            let callee = "declare {w} @llvm.ctlz.{w}({w}, i1)";
            ("{t} %x, i1 %any", body, Some(callee))
        }
        "cttz" if width <= WORD => {
            let end = 1_u64 << width;
            let body = format!(
                "%wide = zext {{t}} %x to {{w}}\n%ended = or {{w}} %wide, {end}\n\
                 %n = call {{w}} @llvm.cttz.{{w}}({{w}} %ended, i1 false)\n\
                 %r = trunc {{w}} %n to {{t}}\n"
            );
            let callee = "declare {w} @llvm.cttz.{w}({w}, i1)";
            ("{t} %x, i1 %any", body, Some(callee))
        }
        _ => return None,
    };
    let filled = |text: &str| {
        text.replace("{t}", &format!("i{width}"))
            .replace("{w}", &format!("i{word}"))
    };
    let text = filled(&format!(
        "define {{t}} @{symbol}({parameters}) {{\n{body}ret {{t}} %r\n}}\n"
    ));
    Some(Replacement {
        declarations: callee.map(filled).into_iter().collect(),
        ..Replacement::defined(symbol.to_owned(), text)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn no_intrinsic_of_such_a_width_is_left() {
        let two = ["umin", "umax", "smin", "smax", "uadd.sat", "usub.sat"];
        let one = ["bitreverse", "ctpop"];
        let flagged = ["abs", "ctlz", "cttz"];
        let three = ["fshl", "fshr"];
        let kinds = [
            (&two[..], "i40, i40", "i40 %a, i40 3"),
            (&one[..], "i40", "i40 %a"),
            (&flagged[..], "i40, i1", "i40 %a, i1 false"),
            (&three[..], "i40, i40, i40", "i40 %a, i40 5, i40 %a"),
            (&["bswap"][..], "i40", "i40 %a"),
        ];
        for (names, parameters, arguments) in kinds {
            for name in names {
                // LLVM swaps bytes of whole pairs only.
                let width = if *name == "bswap" { "i48" } else { "i40" };
                let text = format!(
                    "declare i40 @llvm.{name}.i40({parameters})\n\
                     define i64 @f(i64 %x) {{\n\
                       %a = trunc i64 %x to i40\n\
                       %b = call i40 @llvm.{name}.i40({arguments})\n\
                       %r = zext i40 %b to i64\n\
                       ret i64 %r\n}}\n"
                );
                let after = legal(&text.replace("i40", width));
                assert!(!after.contains(&format!(" {width} ")), "{after}");
                assert!(!after.contains(&format!("@llvm.{name}.{width}")), "{after}");
            }
        }
    }

    #[test]
    fn mixed_signs_overflow_in_one_bit_more() {
        for width in [9, 33, 65] {
            for operation in ["sadd", "ssub", "smul"] {
                if (width, operation) == (65, "smul") {
                    continue; // Refused: four words.
                }
                let after = legal(&format!(
                    "declare {{ i{width}, i1 }} @llvm.{operation}.with.overflow.i{width}(i{width}, i{width})\n\
                     define i1 @f(i8 %x, i8 %y) {{\n\
                       %a = sext i8 %x to i{width}\n\
                       %b = zext i8 %y to i{width}\n\
                       %c = call {{ i{width}, i1 }} @llvm.{operation}.with.overflow.i{width}(i{width} %a, i{width} %b)\n\
                       %r = extractvalue {{ i{width}, i1 }} %c, 1\n\
                       ret i1 %r\n}}\n"
                ));
                assert!(!after.contains(&format!("i{width} ")), "{after}");
                assert!(!after.contains("call { i"), "{after}");
            }
        }
    }
}
