//! Functions of OpenCL's over a number and an integer, in kernels that require sub-groups of more than 16
//! work-items. Intel's compiler for processors (to release 2026.2) computes them for all work-items of a sub-group at
//! once, by the function of its library for vectors of that length; there is none beyond 16, and no such kernel is
//! built ("Symbols not found: `_Z5ldexpDv32_dDv32_iS_`"). Divisions of complex numbers use them. All others it cuts
//! into parts, so these are what they mean in terms of those.

use inkwell::module::Module;
use inkwell::types::{BasicTypeEnum, FunctionType};
use inkwell::values::{CallSiteValue, FunctionValue};

use super::{Functions, Replacement};
use crate::frontend::features::SUB_GROUP_SIZE;
use crate::llvm::{LlvmError, calls, demangle, metadata, subset, values};

/// The longest vectors that the compiler's library has such functions for.
const LONGEST: u32 = 16;

/// Has plain functions called instead, where a kernel requires sub-groups that are longer.
///
/// # Errors
/// When LLVM does not take the functions, which would be a mistake of this stage.
pub(super) fn mend(module: &Module<'_>) -> Result<(), LlvmError> {
    if !values::defined_functions(module).any(is_in_long_ones) {
        return Ok(());
    }
    let mut functions = Functions::default();
    let mut redirected = Vec::new();
    for function in module.get_functions() {
        if function.count_basic_blocks() > 0 {
            continue;
        }
        let name = demangle::function_name(&values::function_name(function));
        let Some(operation) = Operation::of(&name) else {
            continue;
        };
        if let Some(replacement) = replacement(operation, function.get_type(), &mut functions) {
            redirected.push((function, functions.add(replacement)));
        }
    }
    functions.join(module)?;
    for (function, symbol) in redirected {
        let Some(plain) = module.get_function(&symbol) else {
            continue;
        };
        for call in calls::of(function) {
            calls::redirect(call, plain);
            if let Ok(call) = CallSiteValue::try_from(call) {
                call.set_call_convention(plain.get_call_conventions());
            }
        }
        subset::leave_out([function.as_global_value()]);
    }
    Ok(())
}

fn is_in_long_ones(function: FunctionValue<'_>) -> bool {
    let required = metadata::of_global(function.as_global_value(), SUB_GROUP_SIZE);
    let sizes = required.and_then(metadata::Node::u32s).unwrap_or_default();
    // The named sizes are the device's own, which are not that long.
    sizes.iter().any(|size| *size > LONGEST && *size <= 1024)
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Ilogb,
    Ldexp,
    Pown,
    Rootn,
}

impl Operation {
    /// By the name of OpenCL C's function, or of SPIR-V's instruction.
    fn of(name: &str) -> Option<Operation> {
        match name.strip_prefix("__spirv_ocl_").unwrap_or(name) {
            "ilogb" => Some(Operation::Ilogb),
            "ldexp" => Some(Operation::Ldexp),
            "pown" => Some(Operation::Pown),
            "rootn" => Some(Operation::Rootn),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Operation::Ilogb => "ilogb",
            Operation::Ldexp => "ldexp",
            Operation::Pown => "pown",
            Operation::Rootn => "rootn",
        }
    }

    /// The parameters of the function for numbers of a type.
    fn parameters(self, number: &str, integer: &str) -> String {
        match self {
            Operation::Ilogb => format!("{number} %x"),
            _ => format!("{number} %x, {integer} %n"),
        }
    }
}

/// A type of numbers, as IEEE 754 has it.
#[derive(Debug, Clone, Copy)]
struct Format {
    /// In IR.
    ty: &'static str,
    /// In names of intrinsic functions, and in mangled ones.
    short: &'static str,
    mangled: &'static str,
    /// Bits of a number, and those of its fraction.
    width: u32,
    fraction: u32,
    /// What the exponent of 1 is kept as.
    bias: i64,
}

const SINGLE: Format = Format {
    ty: "float",
    short: "f32",
    mangled: "f",
    width: 32,
    fraction: 23,
    bias: 127,
};

const DOUBLE: Format = Format {
    ty: "double",
    short: "f64",
    mangled: "d",
    width: 64,
    fraction: 52,
    bias: 1023,
};

impl Format {
    fn of(ty: &str) -> Option<Format> {
        [SINGLE, DOUBLE].into_iter().find(|known| known.ty == ty)
    }

    /// A power of two that is a normal number, as IR writes both types.
    fn power(self, exponent: i64) -> String {
        let bits = u64::try_from(exponent + DOUBLE.bias).unwrap_or(0) << DOUBLE.fraction;
        format!("0x{bits:016X}")
    }

    fn infinity(self) -> u64 {
        let exponents = (1_u64 << (self.width - 1 - self.fraction)) - 1;
        exponents << self.fraction
    }
}

/// The function for a type, with those that it calls among the functions; none for types that there are none of.
fn replacement(
    operation: Operation,
    ty: FunctionType<'_>,
    functions: &mut Functions,
) -> Option<Replacement> {
    let types = ty.get_param_types();
    let number = BasicTypeEnum::try_from(*types.first()?).ok()?;
    let integers = match number {
        BasicTypeEnum::VectorType(vector) => format!("<{} x i32>", vector.get_size()),
        _ => "i32".to_owned(),
    };
    let others = types
        .iter()
        .skip(1)
        .map(|ty| ty.print_to_string().to_string());
    let expected = match operation {
        Operation::Ilogb => Vec::new(),
        _ => vec![integers],
    };
    if !others.eq(expected) {
        return None;
    }
    let scalar = match number {
        BasicTypeEnum::VectorType(vector) => vector.get_element_type(),
        scalar => scalar,
    };
    let scalar = scalar.print_to_string().to_string();
    let of_scalar = match Format::of(&scalar) {
        Some(format) => of_numbers(operation, format),
        None if scalar == "half" => {
            functions.add(of_numbers(operation, SINGLE));
            of_halves(operation)
        }
        None => return None,
    };
    let BasicTypeEnum::VectorType(vector) = number else {
        return Some(of_scalar);
    };
    let callee = functions.add(of_scalar);
    Some(of_vectors(operation, &callee, &scalar, vector.get_size()))
}

fn of_numbers(operation: Operation, format: Format) -> Replacement {
    let Format {
        ty, short, mangled, ..
    } = format;
    let symbol = format!("plumbline.{}.{short}", operation.name());
    let parameters = operation.parameters(ty, "i32");
    let (result, body, declarations) = match operation {
        Operation::Ilogb => ("i32", ilogb(format), vec![counted_zeros(format)]),
        Operation::Ldexp => (ty, ldexp(format), Vec::new()),
        Operation::Pown => (
            ty,
            pown(format),
            vec![declared("pow", ty, &mangled.repeat(2))],
        ),
        Operation::Rootn => {
            let fma = format!("declare {ty} @llvm.fma.{short}({ty}, {ty}, {ty})");
            let sign = format!("declare {ty} @llvm.copysign.{short}({ty}, {ty})");
            let magnitude = format!("declare {ty} @llvm.fabs.{short}({ty})");
            let power = declared("pow", ty, &mangled.repeat(2));
            let logarithm = declared("log", ty, mangled);
            (
                ty,
                rootn(format),
                vec![fma, sign, magnitude, power, logarithm],
            )
        }
    };
    let text = format!("define {result} @{symbol}({parameters}) {{\n{body}  ret {result} %r\n}}\n");
    Replacement {
        declarations,
        ..Replacement::defined(symbol, text)
    }
}

/// A function of OpenCL C's over numbers.
fn declared(name: &str, ty: &str, mangled: &str) -> String {
    let parameters = vec![ty; mangled.len()].join(", ");
    format!(
        "declare {ty} @_Z{}{name}{mangled}({parameters})",
        name.len()
    )
}

fn counted_zeros(format: Format) -> String {
    let width = format.width;
    format!("declare i{width} @llvm.ctlz.i{width}(i{width}, i1)")
}

/// The exponent; of 0 and NaN the least number, of infinity the greatest.
fn ilogb(format: Format) -> String {
    let Format {
        ty,
        width,
        fraction,
        bias,
        ..
    } = format;
    let (magnitude, infinity) = ((1_u64 << (width - 1)) - 1, format.infinity());
    // A number without an exponent of its own is so many times the smallest.
    let of_last_bit = i64::from(width) - 1 - (bias - 1 + i64::from(fraction));
    format!(
        "  %bits = bitcast {ty} %x to i{width}\n\
         \x20 %magnitude = and i{width} %bits, {magnitude}\n\
         \x20 %kept = lshr i{width} %magnitude, {fraction}\n\
         \x20 %normal = sub i{width} %kept, {bias}\n\
         \x20 %zeros = call i{width} @llvm.ctlz.i{width}(i{width} %magnitude, i1 false)\n\
         \x20 %small = sub i{width} {of_last_bit}, %zeros\n\
         \x20 %is.small = icmp eq i{width} %kept, 0\n\
         \x20 %wide = select i1 %is.small, i{width} %small, i{width} %normal\n\
         \x20 %exponent = {narrow}\n\
         \x20 %is.infinite = icmp eq i{width} %magnitude, {infinity}\n\
         \x20 %finite = select i1 %is.infinite, i32 2147483647, i32 %exponent\n\
         \x20 %is.nan = icmp ugt i{width} %magnitude, {infinity}\n\
         \x20 %is.zero = icmp eq i{width} %magnitude, 0\n\
         \x20 %none = or i1 %is.nan, %is.zero\n\
         \x20 %r = select i1 %none, i32 -2147483648, i32 %finite\n",
        narrow = match width {
            32 => "add i32 %wide, 0",
            _ => "trunc i64 %wide to i32",
        },
    )
}

/// The number times a power of two: by steps of which only the last may round.
fn ldexp(format: Format) -> String {
    let Format {
        ty,
        width,
        fraction,
        bias,
        ..
    } = format;
    let least = 1 - bias;
    // So little that all digits stay.
    let down = least + i64::from(fraction) + 1;
    let mut text = String::new();
    let steps = [("sgt", bias, bias), ("slt", least, down)];
    let steps = [steps[0], steps[0], steps[1], steps[1]];
    let (mut number, mut left) = ("%x".to_owned(), "%n".to_owned());
    for (step, (beyond, limit, by)) in steps.into_iter().enumerate() {
        text += &format!(
            "  %far.{step} = icmp {beyond} i32 {left}, {limit}\n\
             \x20 %by.{step} = select i1 %far.{step}, {ty} {power}, {ty} 1.0\n\
             \x20 %x.{step} = fmul {ty} {number}, %by.{step}\n\
             \x20 %less.{step} = sub i32 {left}, {by}\n\
             \x20 %n.{step} = select i1 %far.{step}, i32 %less.{step}, i32 {left}\n",
            power = format.power(by),
        );
        (number, left) = (format!("%x.{step}"), format!("%n.{step}"));
    }
    text + &format!(
        "  %is.high = icmp sgt i32 {left}, {bias}\n\
         \x20 %high = select i1 %is.high, i32 {bias}, i32 {left}\n\
         \x20 %is.low = icmp slt i32 %high, {least}\n\
         \x20 %last = select i1 %is.low, i32 {least}, i32 %high\n\
         \x20 %kept = add i32 %last, {bias}\n\
         \x20 %kept.bits = {widened}\n\
         \x20 %bits = shl i{width} %kept.bits, {fraction}\n\
         \x20 %power = bitcast i{width} %bits to {ty}\n\
         \x20 %r = fmul {ty} {number}, %power\n",
        widened = match width {
            32 => "add i32 %kept, 0",
            _ => "zext i32 %kept to i64",
        },
    )
}

/// The power of an integer. A `float` holds one beyond its digits in two parts.
fn pown(format: Format) -> String {
    let Format { ty, mangled, .. } = format;
    let power = format!("{ty} @_Z3pow{}", mangled.repeat(2));
    if ty == DOUBLE.ty {
        return format!(
            "  %y = sitofp i32 %n to {ty}\n\
             \x20 %r = call {power}({ty} %x, {ty} %y)\n"
        );
    }
    format!(
        "entry:\n\
         \x20 %quotient = sdiv i32 %n, 4096\n\
         \x20 %most = mul i32 %quotient, 4096\n\
         \x20 %rest = sub i32 %n, %most\n\
         \x20 %up = add i32 %n, 16777216\n\
         \x20 %is.long = icmp ugt i32 %up, 33554432\n\
         \x20 %first = select i1 %is.long, i32 %most, i32 %n\n\
         \x20 %y = sitofp i32 %first to {ty}\n\
         \x20 %short = call {power}({ty} %x, {ty} %y)\n\
         \x20 br i1 %is.long, label %long, label %end\n\
         long:\n\
         \x20 %z = sitofp i32 %rest to {ty}\n\
         \x20 %second = call {power}({ty} %x, {ty} %z)\n\
         \x20 %product = fmul {ty} %short, %second\n\
         \x20 br label %end\n\
         end:\n\
         \x20 %r = phi {ty} [ %short, %entry ], [ %product, %long ]\n"
    )
}

/// The root: the power of 1/n, with what rounding took from that.
fn rootn(format: Format) -> String {
    let Format {
        ty, short, mangled, ..
    } = format;
    let (infinity, nan) = ("0x7FF0000000000000", "0x7FF8000000000000");
    format!(
        "  %y = sitofp i32 %n to {ty}\n\
         \x20 %part = fdiv {ty} 1.0, %y\n\
         \x20 %magnitude = call {ty} @llvm.fabs.{short}({ty} %x)\n\
         \x20 %near = call {ty} @_Z3pow{mangled}{mangled}({ty} %magnitude, {ty} %part)\n\
         \x20 %opposite = fneg {ty} %part\n\
         \x20 %left = call {ty} @llvm.fma.{short}({ty} %opposite, {ty} %y, {ty} 1.0)\n\
         \x20 %left.part = fdiv {ty} %left, %y\n\
         \x20 %logarithm = call {ty} @_Z3log{mangled}({ty} %magnitude)\n\
         \x20 %more = fmul {ty} %left.part, %logarithm\n\
         \x20 %better = call {ty} @llvm.fma.{short}({ty} %near, {ty} %more, {ty} %near)\n\
         \x20 %is.zero = fcmp oeq {ty} %magnitude, 0.0\n\
         \x20 %is.infinite = fcmp oeq {ty} %magnitude, {infinity}\n\
         \x20 %is.beyond = fcmp oeq {ty} %near, {infinity}\n\
         \x20 %is.out = or i1 %is.infinite, %is.beyond\n\
         \x20 %is.exact = or i1 %is.zero, %is.out\n\
         \x20 %root = select i1 %is.exact, {ty} %near, {ty} %better\n\
         \x20 %signed = call {ty} @llvm.copysign.{short}({ty} %root, {ty} %x)\n\
         \x20 %is.below = fcmp olt {ty} %x, 0.0\n\
         \x20 %positive = select i1 %is.below, {ty} {nan}, {ty} %root\n\
         \x20 %last = and i32 %n, 1\n\
         \x20 %is.even = icmp eq i32 %last, 0\n\
         \x20 %some = select i1 %is.even, {ty} %positive, {ty} %signed\n\
         \x20 %is.none = icmp eq i32 %n, 0\n\
         \x20 %r = select i1 %is.none, {ty} {nan}, {ty} %some\n"
    )
}

/// Computed as `float`, which holds every result before it is rounded.
fn of_halves(operation: Operation) -> Replacement {
    let name = operation.name();
    let symbol = format!("plumbline.{name}.f16");
    let parameters = operation.parameters("half", "i32");
    let wide = operation.parameters("float", "i32").replace("%x", "%wide");
    let text = match operation {
        Operation::Ilogb => format!(
            "define i32 @{symbol}({parameters}) {{\n  %wide = fpext half %x to float\n\
             \x20 %r = call i32 @plumbline.{name}.f32({wide})\n  ret i32 %r\n}}\n"
        ),
        _ => format!(
            "define half @{symbol}({parameters}) {{\n  %wide = fpext half %x to float\n\
             \x20 %y = call float @plumbline.{name}.f32({wide})\n\
             \x20 %r = fptrunc float %y to half\n  ret half %r\n}}\n"
        ),
    };
    Replacement::defined(symbol, text)
}

/// Element by element.
fn of_vectors(operation: Operation, callee: &str, scalar: &str, size: u32) -> Replacement {
    let symbol = format!("{callee}.v{size}");
    let (numbers, integers) = (format!("<{size} x {scalar}>"), format!("<{size} x i32>"));
    let (results, result) = match operation {
        Operation::Ilogb => (integers.as_str(), "i32"),
        _ => (numbers.as_str(), scalar),
    };
    let parameters = operation.parameters(&numbers, &integers);
    let mut text = format!("define {results} @{symbol}({parameters}) {{\n");
    let mut all = "poison".to_owned();
    for place in 0..size {
        text += &format!("  %x.{place} = extractelement {numbers} %x, i32 {place}\n");
        let mut arguments = format!("{scalar} %x.{place}");
        if operation != Operation::Ilogb {
            text += &format!("  %n.{place} = extractelement {integers} %n, i32 {place}\n");
            arguments += &format!(", i32 %n.{place}");
        }
        text += &format!(
            "  %r.{place} = call {result} @{callee}({arguments})\n\
             \x20 %all.{place} = insertelement {results} {all}, {result} %r.{place}, i32 {place}\n"
        );
        all = format!("%all.{place}");
    }
    text += &format!("  ret {results} {all}\n}}\n");
    Replacement::defined(symbol, text)
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    fn kernel(size: u32, declaration: &str, call: &str) -> String {
        legal(&format!(
            "declare {declaration}\n\
             define spir_kernel void @k(ptr addrspace(1) %p, double %x, float %f, half %h, \
             <2 x float> %v, <2 x i32> %w, i32 %n) !intel_reqd_sub_group_size !0 {{\n\
               %r = call {call}\n  ret void\n}}\n\
             !0 = !{{i32 {size}}}\n"
        ))
    }

    #[test]
    fn functions_of_a_number_and_an_integer_are_plain_where_sub_groups_are_long() {
        for (declaration, call, plain) in [
            (
                "double @_Z17__spirv_ocl_ldexpdi(double, i32)",
                "double @_Z17__spirv_ocl_ldexpdi(double %x, i32 %n)",
                "double @plumbline.ldexp.f64(double %x, i32 %n)",
            ),
            (
                "i32 @_Z5ilogbf(float)",
                "i32 @_Z5ilogbf(float %f)",
                "i32 @plumbline.ilogb.f32(float %f)",
            ),
            (
                "half @_Z16__spirv_ocl_pownDhi(half, i32)",
                "half @_Z16__spirv_ocl_pownDhi(half %h, i32 %n)",
                "half @plumbline.pown.f16(half %h, i32 %n)",
            ),
            (
                "<2 x float> @_Z17__spirv_ocl_rootnDv2_fDv2_i(<2 x float>, <2 x i32>)",
                "<2 x float> @_Z17__spirv_ocl_rootnDv2_fDv2_i(<2 x float> %v, <2 x i32> %w)",
                "<2 x float> @plumbline.rootn.f32.v2(<2 x float> %v, <2 x i32> %w)",
            ),
        ] {
            let long = kernel(32, declaration, call);
            assert!(long.contains(&format!("call {plain}")), "{long}");
            assert!(!long.contains(declaration), "{long}");
            let short = kernel(16, declaration, call);
            assert!(short.contains(&format!("call {call}")), "{short}");
        }
    }

    #[test]
    fn other_functions_stay() {
        let after = kernel(
            64,
            "double @_Z3powdd(double, double)",
            "double @_Z3powdd(double %x, double %x)",
        );
        assert!(after.contains("call double @_Z3powdd("), "{after}");
    }
}
