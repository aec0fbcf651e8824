//! Arithmetic: what C++ compilers make of idioms and builtins, in instructions that OpenCL's SPIR-V
//! has. Some of the intrinsic functions become instructions of graphics, others none at all.

use inkwell::types::{BasicTypeEnum, FunctionType};
use inkwell::values::{BasicValueEnum, InstructionValue};

use super::{Replacement, odd};

/// The widest integer of OpenCL.
const WIDEST: u32 = 64;

/// The longest vector of OpenCL.
const LONGEST: u32 = 16;

/// What is called instead of the intrinsic function `name` of the type `ty`; none when writers take
/// it as it is.
pub(super) fn replacement(name: &str, ty: FunctionType<'_>) -> Option<Replacement> {
    let plain = name.strip_prefix("llvm.")?;
    let symbol = format!("plumbline.{plain}");
    let first = ty.get_param_types().first().copied();
    let first = first.and_then(|ty| BasicTypeEnum::try_from(ty).ok());
    if plain == "get.rounding" {
        // To the nearest, the one that OpenCL has.
        let text = format!("define i32 @{symbol}() {{\n  ret i32 1\n}}\n");
        return Some(Replacement::defined(symbol, text));
    }
    let ty = first?;
    if let Some(operation) = overflowing(plain) {
        let text = checked(
            &symbol,
            operation,
            Integer::of(ty).or_else(|| odd::wide(ty))?,
        )?;
        return Some(Replacement::defined(symbol, text));
    }
    if let Some(odd) = odd::replacement(&symbol, plain, ty) {
        return Some(odd);
    }
    match plain.split('.').next()? {
        "bitreverse" => Some(reversed_bits(symbol, Integer::of(ty)?)),
        "bswap" => reversed_bytes(symbol, Integer::of(ty)?),
        "canonicalize" => canonical(symbol, ty),
        "fmuladd" => multiplied_and_added(plain),
        "ptrmask" => masked_pointer(symbol, plain),
        _ => library(symbol, plain),
    }
}

/// An integer, or a vector of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integer {
    pub width: u32,
    pub lanes: Option<u32>,
}

impl Integer {
    /// None for another type, and for integers that OpenCL has no room for.
    fn of(ty: BasicTypeEnum<'_>) -> Option<Self> {
        let (scalar, lanes) = match ty {
            BasicTypeEnum::IntType(scalar) => (scalar, None),
            BasicTypeEnum::VectorType(vector) => match vector.get_element_type() {
                BasicTypeEnum::IntType(scalar) => (scalar, Some(vector.get_size())),
                _ => return None,
            },
            _ => return None,
        };
        let width = scalar.get_bit_width();
        let known = width <= WIDEST && lanes.is_none_or(|lanes| lanes <= LONGEST);
        known.then_some(Integer { width, lanes })
    }

    fn text(self) -> String {
        of_lanes(&format!("i{}", self.width), self.lanes)
    }

    fn with_width(self, width: u32) -> Self {
        Integer { width, ..self }
    }

    /// A constant of which all parts are `value`.
    fn constant(self, value: u64) -> String {
        match self.lanes {
            None => value.to_string(),
            Some(lanes) => splat(&format!("i{}", self.width), &value.to_string(), lanes),
        }
    }
}

fn of_lanes(scalar: &str, lanes: Option<u32>) -> String {
    match lanes {
        None => scalar.to_owned(),
        Some(lanes) => format!("<{lanes} x {scalar}>"),
    }
}

fn splat(scalar: &str, value: &str, lanes: u32) -> String {
    let parts: Vec<String> = (0..lanes).map(|_| format!("{scalar} {value}")).collect();
    format!("<{}>", parts.join(", "))
}

/// Neighbours change places, then pairs of them, and so on; a width between two powers of two is
/// what is left at the top of the next.
fn reversed_bits(symbol: String, own: Integer) -> Replacement {
    let wide = own.with_width(own.width.next_power_of_two().max(8));
    let (ty, wide_ty) = (own.text(), wide.text());
    let mut text = format!("define {ty} @{symbol}({ty} %x) {{\n");
    let mut value = "%x".to_owned();
    if wide.width != own.width {
        text += &format!("  %wide = zext {ty} %x to {wide_ty}\n");
        value = "%wide".to_owned();
    }
    let mut step = 1;
    while step < wide.width {
        let all = u64::MAX >> (WIDEST - wide.width);
        // In groups of `step` bits, every other one.
        let mask = wide.constant(all / ((1 << step) + 1));
        let by = wide.constant(step.into());
        text += &format!(
            "  %down{step} = lshr {wide_ty} {value}, {by}\n\
             \x20 %high{step} = and {wide_ty} %down{step}, {mask}\n\
             \x20 %low{step} = and {wide_ty} {value}, {mask}\n\
             \x20 %up{step} = shl {wide_ty} %low{step}, {by}\n\
             \x20 %r{step} = or {wide_ty} %high{step}, %up{step}\n"
        );
        value = format!("%r{step}");
        step *= 2;
    }
    if wide.width != own.width {
        let by = wide.constant((wide.width - own.width).into());
        text += &format!(
            "  %top = lshr {wide_ty} {value}, {by}\n  %own = trunc {wide_ty} %top to {ty}\n"
        );
        value = "%own".to_owned();
    }
    text += &format!("  ret {ty} {value}\n}}\n");
    Replacement::defined(symbol, text)
}

/// Writers know the widths that C++ has, and take others for the next of these.
fn reversed_bytes(symbol: String, own: Integer) -> Option<Replacement> {
    if own.width.is_power_of_two() || own.lanes.is_some() {
        return None;
    }
    let (ty, by) = (own.text(), WIDEST - own.width);
    let text = format!(
        "define {ty} @{symbol}({ty} %x) {{\n\
         \x20 %wide = zext {ty} %x to i64\n\
         \x20 %reversed = call i64 @llvm.bswap.i64(i64 %wide)\n\
         \x20 %top = lshr i64 %reversed, {by}\n\
         \x20 %own = trunc i64 %top to {ty}\n\
         \x20 ret {ty} %own\n}}\n"
    );
    Some(Replacement {
        declarations: vec!["declare i64 @llvm.bswap.i64(i64)".to_owned()],
        ..Replacement::defined(symbol, text)
    })
}

/// The operation of an intrinsic function that says whether it overflows.
fn overflowing(plain: &str) -> Option<&str> {
    let (operation, _) = plain.split_once(".with.overflow.")?;
    Some(operation)
}

/// A function that gives a result and whether it is wrong.
fn checked(symbol: &str, operation: &str, ty: Integer) -> Option<String> {
    // Vectors come from no source, nor do products of more than two words.
    let Integer { width, .. } = ty;
    if ty.lanes.is_some() || operation.ends_with("mul") && width > WIDEST {
        return None;
    }
    let body = match operation {
        "uadd" => "%r = add {t} %x, %y\n%o = icmp ult {t} %r, %x\n",
        "usub" => "%r = sub {t} %x, %y\n%o = icmp ult {t} %x, %y\n",
        "sadd" => {
            "%r = add {t} %x, %y\n%p = xor {t} %x, %r\n%q = xor {t} %y, %r\n\
             %s = and {t} %p, %q\n%o = icmp slt {t} %s, 0\n"
        }
        "ssub" => {
            "%r = sub {t} %x, %y\n%p = xor {t} %x, %r\n%q = xor {t} %x, %y\n\
             %s = and {t} %p, %q\n%o = icmp slt {t} %s, 0\n"
        }
        "umul" if width < WIDEST => {
            "%xw = zext {t} %x to {w}\n%yw = zext {t} %y to {w}\n%p = mul {w} %xw, %yw\n\
             %r = trunc {w} %p to {t}\n%h = lshr {w} %p, {width}\n%o = icmp ne {w} %h, 0\n"
        }
        "smul" if width < WIDEST => {
            "%xw = sext {t} %x to {w}\n%yw = sext {t} %y to {w}\n%p = mul {w} %xw, %yw\n\
             %r = trunc {w} %p to {t}\n%b = sext {t} %r to {w}\n%o = icmp ne {w} %p, %b\n"
        }
        "umul" => return Some(framed(symbol, ty, &format!("{HIGH_HALF}{UNSIGNED_64}"))),
        "smul" => return Some(framed(symbol, ty, &format!("{HIGH_HALF}{SIGNED_64}"))),
        _ => return None,
    };
    let wide = ty.with_width(2 * width.max(16)).text();
    let body = body
        .replace("{t}", &ty.text())
        .replace("{w}", &wide)
        .replace("{width}", &width.to_string());
    Some(framed(symbol, ty, &body))
}

/// The high half of the product of 64-bit numbers, from products of their halves.
const HIGH_HALF: &str = "\
    %x0 = and i64 %x, 4294967295\n%x1 = lshr i64 %x, 32\n\
    %y0 = and i64 %y, 4294967295\n%y1 = lshr i64 %y, 32\n\
    %p00 = mul i64 %x0, %y0\n%p01 = mul i64 %x0, %y1\n\
    %p10 = mul i64 %x1, %y0\n%p11 = mul i64 %x1, %y1\n\
    %c0 = lshr i64 %p00, 32\n%c1 = and i64 %p01, 4294967295\n%c2 = and i64 %p10, 4294967295\n\
    %m0 = add i64 %c0, %c1\n%m1 = add i64 %m0, %c2\n%carry = lshr i64 %m1, 32\n\
    %u1 = lshr i64 %p01, 32\n%u2 = lshr i64 %p10, 32\n\
    %h0 = add i64 %p11, %u1\n%h1 = add i64 %h0, %u2\n%high = add i64 %h1, %carry\n\
    %r = mul i64 %x, %y\n";

const UNSIGNED_64: &str = "%o = icmp ne i64 %high, 0\n";

/// A negative factor was taken for one that is 2 to the 64th too great.
const SIGNED_64: &str = "\
    %xs = ashr i64 %x, 63\n%ys = ashr i64 %y, 63\n\
    %ym = and i64 %xs, %y\n%xm = and i64 %ys, %x\n\
    %h2 = sub i64 %high, %ym\n%h3 = sub i64 %h2, %xm\n\
    %rs = ashr i64 %r, 63\n%o = icmp ne i64 %h3, %rs\n";

/// A function of `%x` and `%y` whose body gives the result `%r`, and `%o` when it is wrong.
fn framed(symbol: &str, ty: Integer, body: &str) -> String {
    let ty = ty.text();
    format!(
        "define {{ {ty}, i1 }} @{symbol}({ty} %x, {ty} %y) {{\n{body}\
         %part = insertvalue {{ {ty}, i1 }} poison, {ty} %r, 0\n\
         %both = insertvalue {{ {ty}, i1 }} %part, i1 %o, 1\n\
         ret {{ {ty}, i1 }} %both\n}}\n"
    )
}

/// What LLVM says that it is the same as.
fn canonical(symbol: String, ty: BasicTypeEnum<'_>) -> Option<Replacement> {
    let one = match ty {
        BasicTypeEnum::VectorType(vector) if vector.get_size() <= LONGEST => {
            let scalar = vector.get_element_type().print_to_string().to_string();
            splat(&scalar, "1.0", vector.get_size())
        }
        BasicTypeEnum::FloatType(_) => "1.0".to_owned(),
        _ => return None,
    };
    let ty = ty.print_to_string().to_string();
    let text = format!(
        "define {ty} @{symbol}({ty} %x) {{\n\
         \x20 %r = fmul {ty} %x, {one}\n  ret {ty} %r\n}}\n"
    );
    Some(Replacement::defined(symbol, text))
}

/// The pointer, as far before itself as the mask takes away.
fn masked_pointer(symbol: String, plain: &str) -> Option<Replacement> {
    let mut parts = plain.split('.').skip(1);
    let (space, size) = (parts.next()?.strip_prefix('p')?, parts.next()?);
    let space: u32 = space.parse().ok()?;
    let ty = format!("ptr addrspace({space})");
    let text = format!(
        "define {ty} @{symbol}({ty} %p, {size} %mask) {{\n\
         \x20 %address = ptrtoint {ty} %p to {size}\n\
         \x20 %kept = and {size} %address, %mask\n\
         \x20 %away = sub {size} %kept, %address\n\
         \x20 %r = getelementptr i8, {ty} %p, {size} %away\n\
         \x20 ret {ty} %r\n}}\n"
    );
    Some(Replacement::defined(symbol, text))
}

/// Functions of the C library, by those of OpenCL C, which SPIR-V writers know by their names there,
/// or by one that writers do take.
fn library(symbol: String, plain: &str) -> Option<Replacement> {
    let mut parts = plain.split('.');
    let function = parts.next()?;
    let types: Vec<&str> = parts.collect();
    let (declaration, text) = match (function, &*types) {
        ("exp10", [float]) => {
            let (ty, mangled) = floating(float)?;
            let call = format!("{ty} @_Z5exp10{mangled}({ty}");
            (
                format!("declare {call})"),
                format!(
                    "define {ty} @{symbol}({ty} %x) {{\n\
                     \x20 %r = call {call} %x)\n  ret {ty} %r\n}}\n"
                ),
            )
        }
        ("ldexp", [float, "i32"]) => {
            let (ty, mangled) = floating(float)?;
            let callee = format!("{ty} @_Z5ldexp{mangled}i");
            (
                format!("declare {callee}({ty}, i32)"),
                format!(
                    "define {ty} @{symbol}({ty} %x, i32 %n) {{\n\
                     \x20 %r = call {callee}({ty} %x, i32 %n)\n  ret {ty} %r\n}}\n"
                ),
            )
        }
        // The back end ends over a result of which the exponent is not used (LLVM 22).
        ("frexp", [float, "i32"]) => {
            let (ty, mangled) = floating(float)?;
            let call = format!("{ty} @_Z5frexp{mangled}Pi({ty}");
            (
                format!("declare {call}, ptr)"),
                format!(
                    "define {{ {ty}, i32 }} @{symbol}({ty} %x) {{\n\
                     \x20 %place = alloca i32\n\
                     \x20 %size = call {call} %x, ptr %place)\n\
                     \x20 %exponent = load i32, ptr %place\n\
                     \x20 %first = insertvalue {{ {ty}, i32 }} poison, {ty} %size, 0\n\
                     \x20 %r = insertvalue {{ {ty}, i32 }} %first, i32 %exponent, 1\n\
                     \x20 ret {{ {ty}, i32 }} %r\n}}\n"
                ),
            )
        }
        ("lrint" | "llrint", [integer, float]) => {
            let (ty, _) = floating(float)?;
            let call = format!("{ty} @llvm.rint.{float}({ty}");
            (
                format!("declare {call})"),
                format!(
                    "define {integer} @{symbol}({ty} %x) {{\n\
                     \x20 %whole = call {call} %x)\n\
                     \x20 %r = fptosi {ty} %whole to {integer}\n  ret {integer} %r\n}}\n"
                ),
            )
        }
        _ => return None,
    };
    Some(Replacement {
        declarations: vec![declaration],
        ..Replacement::defined(symbol, text)
    })
}

/// OpenCL's `mad`, which is as free to round once or twice as the intrinsic function is. Left alone the
/// back end writes the `fma` that rounds once, which costs what a device without it computes instead.
fn multiplied_and_added(plain: &str) -> Option<Replacement> {
    let ty = plain.strip_prefix("fmuladd.")?;
    let (lanes, scalar) = match ty.strip_prefix('v').and_then(|ty| ty.split_once('f')) {
        Some((lanes, width)) => (Some(lanes.parse().ok()?), format!("f{width}")),
        None => (None, ty.to_owned()),
    };
    let (_, mangled) = floating(&scalar)?;
    let parameters = match lanes {
        None => mangled.repeat(3),
        Some(lanes @ (2 | 3 | 4 | 8 | 16)) => format!("Dv{lanes}_{mangled}S_S_"),
        Some::<u32>(_) => return None,
    };
    Some(Replacement::declared(format!(
        "_Z15__spirv_ocl_mad{parameters}"
    )))
}

/// The product and the sum one by one, where what is added is zero: the first of a sum of products. Of what
/// rounds once Intel's compiler for processors makes one masked instruction with such a sum, and the load of
/// a factor that stands under a condition happens for all work-items (release 2026.2, AVX-512): it may be of
/// memory that is not there.
pub(super) fn product(
    name: &str,
    ty: FunctionType<'_>,
    call: InstructionValue<'_>,
) -> Option<Replacement> {
    let plain = name.strip_prefix("llvm.fmuladd.")?;
    let is_zero = match call.get_operand(2)?.value()? {
        BasicValueEnum::FloatValue(value) => {
            let ty = value.get_type();
            value == ty.const_zero() || value == ty.const_float(-0.0)
        }
        BasicValueEnum::VectorValue(value) => value.is_null(),
        _ => false,
    };
    let ty = ty.get_return_type()?.print_to_string().to_string();
    let symbol = format!("plumbline.product.{plain}");
    let text = format!(
        "define {ty} @{symbol}({ty} %x, {ty} %y, {ty} %zero) {{\n\
         \x20 %product = fmul {ty} %x, %y\n\
         \x20 %sum = fadd {ty} %product, %zero\n  ret {ty} %sum\n}}\n"
    );
    is_zero.then(|| Replacement::defined(symbol, text))
}

/// The type of a floating-point number in IR and in mangled names, by its name in those of intrinsic
/// functions.
fn floating(name: &str) -> Option<(&'static str, &'static str)> {
    match name {
        "f16" => Some(("half", "Dh")),
        "f32" => Some(("float", "f")),
        "f64" => Some(("double", "d")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    /// The module after the stage, of a function that calls one of the type `signature`.
    fn called(name: &str, result: &str, parameters: &str, arguments: &str) -> String {
        let after = legal(&format!(
            "declare {result} @llvm.{name}({parameters})\n\
             define {result} @f({parameters}) {{\n\
               %r = call {result} @llvm.{name}({arguments})\n\
               ret {result} %r\n}}\n"
        ));
        assert!(!after.contains(&format!("@llvm.{name}(")), "{after}");
        assert!(
            after.contains(&format!("@plumbline.{name}({arguments})")),
            "{after}"
        );
        after
    }

    #[test]
    fn bits_of_every_width_are_reversed() {
        for (name, ty) in [
            ("i8", "i8"),
            ("i32", "i32"),
            ("i64", "i64"),
            ("v4i16", "<4 x i16>"),
        ] {
            called(&format!("bitreverse.{name}"), ty, ty, &format!("{ty} %0"));
        }
        let after = called("bitreverse.i64", "i64", "i64", "i64 %0");
        for mask in ["6148914691236517205", "1085102592571150095", "4294967295"] {
            assert!(after.contains(mask), "{mask} {after}");
        }
    }

    #[test]
    fn arithmetic_that_overflows_is_plain() {
        for operation in ["uadd", "usub", "umul", "sadd", "ssub", "smul"] {
            for width in [8, 16, 32, 64] {
                let after = called(
                    &format!("{operation}.with.overflow.i{width}"),
                    &format!("{{ i{width}, i1 }}"),
                    &format!("i{width}, i{width}"),
                    &format!("i{width} %0, i{width} %1"),
                );
                assert!(!after.contains("llvm."), "{after}");
            }
        }
    }

    #[test]
    fn writers_get_no_function_that_they_lack() {
        called(
            "canonicalize.v2f32",
            "<2 x float>",
            "<2 x float>",
            "<2 x float> %0",
        );
        called("canonicalize.f64", "double", "double", "double %0");
        let generic = "ptr addrspace(4)";
        let arguments = format!("{generic} %0, i64 %1");
        called(
            "ptrmask.p4.i64",
            generic,
            &format!("{generic}, i64"),
            &arguments,
        );
        called("get.rounding", "i32", "", "");
        let after = called("ldexp.f32.i32", "float", "float, i32", "float %0, i32 %1");
        assert!(after.contains("call float @_Z5ldexpfi("), "{after}");
        for (name, ty, mangled) in [
            ("f16", "half", "Dh"),
            ("f32", "float", "f"),
            ("f64", "double", "d"),
        ] {
            let (results, argument) = (format!("{{ {ty}, i32 }}"), format!("{ty} %0"));
            let after = called(&format!("frexp.{name}.i32"), &results, ty, &argument);
            let call = format!("call {ty} @_Z5frexp{mangled}Pi({ty}");
            assert!(after.contains(&call), "{after}");
        }
        let after = called("exp10.f64", "double", "double", "double %0");
        assert!(after.contains("call double @_Z5exp10d("), "{after}");
        let after = called("lrint.i64.f32", "i64", "float", "float %0");
        assert!(after.contains("call float @llvm.rint.f32("), "{after}");
    }

    #[test]
    fn a_sum_of_a_product_may_round_as_the_device_likes() {
        for (name, ty, callee) in [
            ("f32", "float", "fff"),
            ("f16", "half", "DhDhDh"),
            ("v4f64", "<4 x double>", "Dv4_dS_S_"),
        ] {
            let after = legal(&format!(
                "declare {ty} @llvm.fmuladd.{name}({ty}, {ty}, {ty})\n\
                 define {ty} @f({ty} %x) {{\n\
                   %r = call {ty} @llvm.fmuladd.{name}({ty} %x, {ty} %x, {ty} %x)\n\
                   ret {ty} %r\n}}\n"
            ));
            let call = format!("call {ty} @_Z15__spirv_ocl_mad{callee}({ty} %x");
            assert!(after.contains(&call), "{after}");
            assert!(!after.contains("llvm.fmuladd"), "{after}");
        }
    }

    #[test]
    fn a_sum_of_products_begins_with_a_product() {
        let of = |zero: &str| {
            legal(&format!(
                "declare double @llvm.fmuladd.f64(double, double, double)\n\
                 define double @f(double %x) {{\n\
                   %r = call double @llvm.fmuladd.f64(double %x, double %x, double {zero})\n\
                   ret double %r\n}}\n"
            ))
        };
        for zero in ["0.0", "-0.0"] {
            let after = of(zero);
            assert!(
                after.contains("call double @plumbline.product.f64("),
                "{after}"
            );
            assert!(after.contains("fmul double %x, %y"), "{after}");
        }
        for other in ["1.0", "undef", "poison", "%x"] {
            assert!(of(other).contains("@_Z15__spirv_ocl_madddd("), "{other}");
        }
    }

    #[test]
    fn what_writers_know_they_get() {
        let after = legal(
            "declare i32 @llvm.bswap.i32(i32)\n\
             define i32 @f(i32 %x) {\n\
               %r = call i32 @llvm.bswap.i32(i32 %x)\n\
               ret i32 %r\n}\n",
        );
        assert!(after.contains("call i32 @llvm.bswap.i32("), "{after}");
    }
}
