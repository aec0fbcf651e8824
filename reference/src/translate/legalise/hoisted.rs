//! What kernels read before their work-items wait for one another and use behind that. Where all work-items of a group
//! have it in common, Intel's compilers for processors and for the FPGA emulator (2023 to 2026) read it where the kernel
//! begins: not under the condition that says whether it may be read at all and, on the emulator, not behind what was
//! written there. So they do with what is computed from it by instructions, and not with what a function of OpenCL's
//! gives; such a one has what is used behind a barrier pass by. What a work-item computes of its own from such a value
//! they compute behind the barrier, where it is used, so that the value passes by as well. Of a choice between values by the way that control takes
//! those compilers make a computed one, so what is read for such a choice passes by as well.

use std::collections::HashSet;
use std::ffi::CStr;

use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::types::{BasicType, BasicTypeEnum, IntType, VectorType};
use inkwell::values::{
    AnyValue as _, BasicValue as _, BasicValueEnum, FunctionValue, InstructionOpcode,
    InstructionValue,
};
use inkwell::{AddressSpace, IntPredicate};

use super::negations;
use super::places::{Flow, Places, Use};
use super::waiting::Waiting;
use crate::llvm::{calls, values};

/// Has what was read before a barrier come from a function where it is used behind it.
///
/// # Errors
/// When LLVM does not take an instruction, which would be a mistake of this stage.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let waiting = Waiting::of(module);
    let builder = module.get_context().create_builder();
    for function in values::defined_functions(module) {
        if !waiting.functions.contains(&function) || !waiting.reached.contains(&function) {
            continue;
        }
        let flow = Flow::of(function);
        let places = Places::of(&flow, &waiting);
        let mut read = Read::by(&flow, &places);
        mend_mixed(module, &builder, function, &read, &places)?;
        for value in values::instructions(function) {
            // What it is computed from may come from a function by now.
            if !read.has(value) {
                continue;
            }
            let uses: Vec<Use<'_>> = uses(value)
                .filter(|each| read.deciding.contains(&value) || crosses(&places, value, each))
                .collect();
            replace(module, &builder, value, uses)?;
        }
    }
    Ok(())
}

/// Has what each work-item computes of its own, from what was read for all, and uses behind a barrier, be computed from
/// what comes from a function: compilers take such computing apart.
fn mend_mixed<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    read: &Read<'ctx>,
    places: &Places<'ctx>,
) -> Result<(), BuilderError> {
    let computed = read.own.iter().copied().filter(|own| computes(*own));
    let mut open: Vec<InstructionValue<'_>> = computed
        .filter(|own| uses(*own).any(|each| crosses(places, *own, &each)))
        .collect();
    let mut crossing: HashSet<InstructionValue<'_>> = open.iter().copied().collect();
    while let Some(each) = open.pop() {
        let from = operands(each).into_iter();
        let from = from.filter(|from| read.own.contains(from) && computes(*from));
        open.extend(from.filter(|from| crossing.insert(*from)));
    }
    for value in values::instructions(function) {
        if !read.given.contains(&value) {
            continue;
        }
        let uses: Vec<Use<'_>> = uses(value)
            .filter(|each| crossing.contains(&each.user))
            .collect();
        replace(module, builder, value, uses)?;
    }
    Ok(())
}

/// Has uses of a value take it from a function.
fn replace<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    value: InstructionValue<'ctx>,
    uses: Vec<Use<'ctx>>,
) -> Result<(), BuilderError> {
    let Some(behind) = value.get_next_instruction().filter(|_| !uses.is_empty()) else {
        return Ok(());
    };
    builder.position_before(&behind_phis(behind));
    if let Some(passed) = pass_by(module, builder, value)? {
        for each in uses {
            each.user.set_operand(each.operand, passed);
        }
    }
    Ok(())
}

/// Whether a value is used behind a place where work-items wait, or put before one into memory of the work-item's own,
/// which compilers have in registers.
fn crosses<'ctx>(places: &Places<'ctx>, value: InstructionValue<'ctx>, each: &Use<'ctx>) -> bool {
    let is_put_away = || is_put_away(each) && places.waits_behind(each.user);
    places.is_behind(value, each) || (places.is_optimized && is_put_away())
}

fn is_put_away(each: &Use<'_>) -> bool {
    let to = || each.user.get_operand(1)?.value();
    each.user.get_opcode() == InstructionOpcode::Store
        && each.operand == 0
        && to().is_some_and(|to| {
            let space = to.get_type().into_pointer_type().get_address_space();
            space == AddressSpace::default()
        })
}

/// The uses of an instruction's value.
fn uses<'ctx>(value: InstructionValue<'ctx>) -> impl Iterator<Item = Use<'ctx>> {
    let users: HashSet<InstructionValue<'_>> = values::users(value).collect();
    users.into_iter().flat_map(move |user| {
        let operands = values::operands(user).filter(move |(_, operand)| *operand == value);
        operands.map(move |(operand, _)| Use { user, operand })
    })
}

fn behind_phis(mut instruction: InstructionValue<'_>) -> InstructionValue<'_> {
    while instruction.get_opcode() == InstructionOpcode::Phi {
        match instruction.get_next_instruction() {
            Some(next) => instruction = next,
            None => break,
        }
    }
    instruction
}

/// What a function's instructions give that all work-items of a group may have in common, and that comes from memory
/// which others may have written.
struct Read<'ctx> {
    given: HashSet<InstructionValue<'ctx>>,
    /// What each work-item has of its own.
    own: HashSet<InstructionValue<'ctx>>,
    /// What is read for a choice between values by where control goes: compilers compute with it.
    deciding: HashSet<InstructionValue<'ctx>>,
}

impl<'ctx> Read<'ctx> {
    fn by(flow: &Flow<'ctx>, places: &Places<'ctx>) -> Read<'ctx> {
        let (mut given, mut own) = (HashSet::new(), HashSet::new());
        // Addresses of variables of the work-item's own, in each of which may be what all have.
        let mut variables = HashSet::new();
        loop {
            let before = (given.len(), own.len(), variables.len());
            for each in flow
                .blocks
                .iter()
                .flat_map(|block| block.get_instructions())
            {
                let operands = operands(each);
                let is_in_variable = operands.iter().any(|o| variables.contains(o));
                if operands.iter().any(|o| own.contains(o)) {
                    own.insert(each);
                    given.remove(&each);
                    variables.remove(&each);
                } else if places.is_optimized && leads_into_variable(each, is_in_variable) {
                    variables.insert(each);
                } else if is_in_variable && each.get_opcode() == InstructionOpcode::Load {
                    // Compilers may know what was put there.
                } else if gives_each_its_own(each) || is_in_variable {
                    own.insert(each);
                    given.remove(&each);
                } else if reads(each)
                    || (computes(each) && operands.iter().any(|o| given.contains(o)))
                {
                    given.insert(each);
                }
            }
            if before == (given.len(), own.len(), variables.len()) {
                break;
            }
        }
        let chooses = |block: usize| {
            let phis = flow.blocks[block].get_instructions();
            let mut phis = phis.take_while(|each| each.get_opcode() == InstructionOpcode::Phi);
            phis.any(|phi| !own.contains(&phi))
        };
        let mut open: Vec<InstructionValue<'_>> = Vec::new();
        for (block, ends) in flow.blocks.iter().map(|b| b.get_terminator()).enumerate() {
            let decides = |ends: &InstructionValue<'ctx>| {
                given.contains(ends)
                    && places.waits.iter().any(|wait| wait.before[block])
                    && flow.decided_by(block).any(chooses)
            };
            open.extend(ends.filter(decides));
        }
        let mut seen: HashSet<_> = open.iter().copied().collect();
        let mut deciding = HashSet::new();
        while let Some(each) = open.pop() {
            if reads(each) {
                deciding.insert(each);
            } else {
                let from = operands(each)
                    .into_iter()
                    .filter(|from| given.contains(from));
                open.extend(from.filter(|from| seen.insert(*from)));
            }
        }
        Read {
            given,
            own,
            deciding,
        }
    }

    /// Whether an instruction gives such, of what it is computed from by now.
    fn has(&mut self, value: InstructionValue<'ctx>) -> bool {
        let from_read = || {
            operands(value)
                .iter()
                .any(|operand| self.given.contains(operand))
        };
        let is_read = self.given.contains(&value) && (reads(value) || from_read());
        if !is_read {
            self.given.remove(&value);
        }
        is_read
    }
}

fn operands<'ctx>(instruction: InstructionValue<'ctx>) -> Vec<InstructionValue<'ctx>> {
    let operands = values::operands(instruction);
    operands.map(|(_, operand)| operand).collect()
}

/// Whether it is a variable, or a place in one where its operand is.
fn leads_into_variable(instruction: InstructionValue<'_>, operand_does: bool) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Alloca => true,
        InstructionOpcode::GetElementPtr
        | InstructionOpcode::AddrSpaceCast
        | InstructionOpcode::Phi
        | InstructionOpcode::Select => operand_does,
        _ => false,
    }
}

/// Whether it gives each work-item another value than the others, whatever it is given.
fn gives_each_its_own(instruction: InstructionValue<'_>) -> bool {
    let told = |name: &str| {
        [
            "LocalInvocation",
            "GlobalInvocation",
            "get_local_id",
            "get_global_id",
            "local_linear_id",
            "global_linear_id",
        ]
        .iter()
        .any(|part| name.contains(part))
    };
    match instruction.get_opcode() {
        InstructionOpcode::Alloca
        | InstructionOpcode::AtomicRMW
        | InstructionOpcode::AtomicCmpXchg => true,
        InstructionOpcode::Load => builtin_variable(instruction).is_some_and(|name| told(&name)),
        InstructionOpcode::Call => {
            let callee = calls::callee(instruction);
            let builtin = callee.filter(|callee| callee.count_basic_blocks() == 0);
            builtin.is_some_and(|callee| told(&values::function_name(callee)))
        }
        _ => false,
    }
}

/// The name of the variable of SPIR-V's own that is read.
fn builtin_variable(load: InstructionValue<'_>) -> Option<String> {
    let mut pointer = load.get_operand(0)?.value()?;
    while let Some(within) = pointer.as_instruction_value() {
        match within.get_opcode() {
            InstructionOpcode::GetElementPtr
            | InstructionOpcode::AddrSpaceCast
            | InstructionOpcode::BitCast => pointer = within.get_operand(0)?.value()?,
            _ => return None,
        }
    }
    let BasicValueEnum::PointerValue(variable) = pointer else {
        return None;
    };
    let name = variable.get_name().to_string_lossy().into_owned();
    name.starts_with("__spirv_BuiltIn").then_some(name)
}

/// Whether it reads memory that others may write, or may do so, as a function that is called does.
fn reads(instruction: InstructionValue<'_>) -> bool {
    match instruction.get_opcode() {
        InstructionOpcode::Load => {
            let pointer = instruction.get_operand(0).and_then(|found| found.value());
            let space =
                pointer.map(|pointer| pointer.get_type().into_pointer_type().get_address_space());
            space != Some(AddressSpace::default()) && builtin_variable(instruction).is_none()
        }
        InstructionOpcode::Call => {
            let callee = calls::callee(instruction);
            callee.is_some_and(|callee| callee.count_basic_blocks() > 0)
        }
        _ => false,
    }
}

/// Whether what it gives is computed from its operands alone.
fn computes(instruction: InstructionValue<'_>) -> bool {
    !matches!(
        instruction.get_opcode(),
        InstructionOpcode::Call | InstructionOpcode::Load | InstructionOpcode::Store
    )
}

/// The value, from a function that gives what it is given: it adds nothing. Nothing for what has no type of such.
fn pass_by<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    value: InstructionValue<'ctx>,
) -> Result<Option<BasicValueEnum<'ctx>>, BuilderError> {
    // Nor of any that inkwell knows.
    let value = values::is_plain(value).then(|| value.as_any_value_enum());
    let Some(Ok(value)) = value.map(BasicValueEnum::try_from) else {
        return Ok(None);
    };
    let context = module.get_context();
    let ty = value.get_type();
    Ok(Some(match value {
        BasicValueEnum::IntValue(truth) if truth.get_type().get_bit_width() == 1 => {
            // No wider numbers of one bit: LLVM 22's back end writes no valid SPIR-V of those that were cut off.
            let wide = context.i32_type();
            let (yes, no) = (wide.const_int(6, false), wide.const_int(1, false));
            let own = builder.build_select(truth, yes, no, "")?;
            let same = given_back(module, builder, own)?.into_int_value();
            builder
                .build_int_compare(IntPredicate::EQ, same, yes, "")?
                .into()
        }
        BasicValueEnum::VectorValue(truths) if is_of_truths(ty) => {
            let lanes = truths.get_type().get_size();
            if !LANES.contains(&lanes) {
                return Ok(None);
            }
            let wide = context.i32_type();
            let all = |number| {
                VectorType::const_vector(&vec![wide.const_int(number, false); lanes as usize])
            };
            let own = builder.build_select(truths, all(6), all(1), "")?;
            let same = given_back(module, builder, own)?.into_vector_value();
            builder
                .build_int_compare(IntPredicate::EQ, same, all(6), "")?
                .into()
        }
        BasicValueEnum::PointerValue(pointer) => {
            let own = builder.build_ptr_to_int(pointer, context.i64_type(), "")?;
            let same = given_back(module, builder, own.into())?.into_int_value();
            builder
                .build_int_to_ptr(same, pointer.get_type(), "")?
                .into()
        }
        value => {
            let Some(bits) = bits(ty) else {
                return Ok(None);
            };
            let own = builder.build_bit_cast(value, bits, "")?;
            let same = given_back(module, builder, own)?;
            builder.build_bit_cast(same, ty, "")?
        }
    }))
}

/// How many numbers OpenCL's vectors have.
const LANES: [u32; 5] = [2, 3, 4, 8, 16];

fn is_of_truths(ty: BasicTypeEnum<'_>) -> bool {
    let BasicTypeEnum::VectorType(vector) = ty else {
        return false;
    };
    let element = vector.get_element_type();
    element.is_int_type() && element.into_int_type().get_bit_width() == 1
}

/// The integers of OpenCL, or vectors of such, in which the bits of a type are.
fn bits(ty: BasicTypeEnum<'_>) -> Option<BasicTypeEnum<'_>> {
    match ty {
        BasicTypeEnum::VectorType(vector) => {
            let lanes = vector.get_size();
            let element = bits_of_one(vector.get_element_type())?;
            LANES
                .contains(&lanes)
                .then(|| element.vec_type(lanes).into())
        }
        ty => bits_of_one(ty).map(Into::into),
    }
}

fn bits_of_one(ty: BasicTypeEnum<'_>) -> Option<IntType<'_>> {
    match ty {
        BasicTypeEnum::IntType(own) => {
            let is_known = [8, 16, 32, 64].contains(&own.get_bit_width());
            is_known.then_some(own)
        }
        BasicTypeEnum::FloatType(number) if number.get_bit_width() == 16 => {
            Some(number.get_context().i16_type())
        }
        BasicTypeEnum::FloatType(number) => negations::bits_of_number(number),
        _ => None,
    }
}

/// OpenCL's `add_sat` of unsigned integers, by the name that no function of a program's has. The emulator's compiler
/// knows what `rotate` by nothing gives, where it makes kernels for one work-item at a time.
const NEUTRAL: &str = "_Z21__spirv_ocl_u_add_sat";

/// What that function is called for integers of 32 and 64 bits.
pub(super) const NEUTRAL_NAMES: [&CStr; 2] = [
    c"_Z21__spirv_ocl_u_add_satjj",
    c"_Z21__spirv_ocl_u_add_satmm",
];

/// Integers to which that function adds nothing.
fn given_back<'ctx>(
    module: &Module<'ctx>,
    builder: &Builder<'ctx>,
    bits: BasicValueEnum<'ctx>,
) -> Result<BasicValueEnum<'ctx>, BuilderError> {
    let ty = bits.get_type();
    let (element, lanes) = match ty {
        BasicTypeEnum::VectorType(vector) => (vector.get_element_type(), vector.get_size()),
        other => (other, 1),
    };
    let code = match element.into_int_type().get_bit_width() {
        8 => "h",
        16 => "t",
        32 => "j",
        _ => "m",
    };
    let symbol = match lanes {
        1 => format!("{NEUTRAL}{code}{code}"),
        lanes => format!("{NEUTRAL}Dv{lanes}_{code}S_"),
    };
    let add = module.get_function(&symbol).unwrap_or_else(|| {
        module.add_function(&symbol, ty.fn_type(&[ty.into(), ty.into()], false), None)
    });
    let none = ty.const_zero();
    let call = builder.build_call(add, &[bits.into(), none.into()], "")?;
    Ok(call.try_as_basic_value().basic().unwrap_or(bits))
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    const BARRIER: &str = "declare void @_Z22__spirv_ControlBarrieriii(i32, i32, i32)\n\
                           declare i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32)\n\
                           declare i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32)\n";
    const WAIT: &str = "call void @_Z22__spirv_ControlBarrieriii(i32 2, i32 2, i32 912)\n";

    #[test]
    fn what_is_used_behind_a_barrier_comes_from_a_function() {
        let after = legal(&format!(
            "{BARRIER}define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {{\n\
             entry:\n  %g = call i64 @_Z26__spirv_BuiltInWorkgroupIdi(i32 0)\n\
               %a = getelementptr i32, ptr addrspace(1) %p, i64 %g\n\
               %x = load i32, ptr addrspace(1) %a\n\
               %y = add i32 %x, %n\n\
               %q = load ptr addrspace(1), ptr addrspace(1) %a\n\
               %v = load <3 x float>, ptr addrspace(1) %a\n\
               %t = icmp eq i32 %x, 7\n\
               store i32 %y, ptr addrspace(1) %p\n\
               {WAIT}\
               br i1 %t, label %then, label %end\n\
             then:\n  store i32 %y, ptr addrspace(1) %q\n\
               store <3 x float> %v, ptr addrspace(1) %q\n  br label %end\n\
             end:\n  %r = phi i32 [ %n, %entry ], [ %y, %then ]\n\
               store i32 %r, ptr addrspace(1) %a\n  ret void\n}}\n"
        ));
        // Before the barrier it is what it was.
        assert!(
            after.contains("store i32 %y, ptr addrspace(1) %p"),
            "{after}"
        );
        assert!(
            !after.contains("store i32 %y, ptr addrspace(1) %q"),
            "{after}"
        );
        assert!(!after.contains("br i1 %t,"), "{after}");
        assert!(!after.contains("[ %y, %then ]"), "{after}");
        for call in [
            "= call i32 @_Z21__spirv_ocl_u_add_satjj(i32 %y, i32 0)",
            "= call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %",
            "= call <3 x i32> @_Z21__spirv_ocl_u_add_satDv3_jS_(<3 x i32> %",
        ] {
            assert!(after.contains(call), "{call}: {after}");
        }
        // The number itself, the place that is no other's, and what no memory gives stay.
        assert_eq!(
            after
                .matches("call i32 @_Z21__spirv_ocl_u_add_satjj")
                .count(),
            2,
            "{after}"
        );
        assert!(after.contains("select i1 %t, i32 6, i32 1"), "{after}");
        assert!(
            after.contains("store i32 %r, ptr addrspace(1) %a"),
            "{after}"
        );
    }

    #[test]
    fn what_work_items_compute_of_their_own_is_computed_from_what_comes_from_a_function() {
        let after = legal(&format!(
            "{BARRIER}define spir_kernel void @k(ptr addrspace(1) %p) {{\n\
               %l = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)\n\
               %x = load i64, ptr addrspace(1) %p\n\
               %more = add i64 %x, 1\n\
               %y = add i64 %more, %l\n\
               %z = mul i64 %y, 3\n\
               %before = add i64 %x, %l\n\
               store i64 %before, ptr addrspace(1) %p\n\
               {WAIT}  store i64 %z, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        assert!(
            after.contains("call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %more, i64 0)"),
            "{after}"
        );
        assert!(!after.contains("%y = add i64 %more, %l"), "{after}");
        assert!(after.contains("%before = add i64 %x, %l"), "{after}");
        assert_eq!(after.matches("call i64 @_Z21").count(), 1, "{after}");
    }

    #[test]
    fn what_is_read_at_a_place_out_of_private_memory_comes_from_a_function() {
        let after = legal(&format!(
            "{BARRIER}declare void @other(ptr)\n\
             define spir_kernel void @k(ptr addrspace(1) %p, i64 %n) {{\n\
               %own = alloca [2 x i64]\n\
               %at = getelementptr i8, ptr %own, i64 8\n\
               store i64 %n, ptr %at\n\
               call void @other(ptr %own)\n\
               %i = load i64, ptr %at\n\
               %q = getelementptr i64, ptr addrspace(1) %p, i64 %i\n\
               %x = load i64, ptr addrspace(1) %q\n\
               {WAIT}  store i64 %x, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        let call = "call i64 @_Z21__spirv_ocl_u_add_satmm(i64 %x, i64 0)";
        assert!(after.contains(call), "{after}");
    }

    #[test]
    fn what_is_put_into_private_memory_comes_from_a_function() {
        let after = legal(&format!(
            "{BARRIER}define spir_kernel void @k(ptr addrspace(1) %p) {{\n\
               %own = alloca i32\n\
               %x = load i32, ptr addrspace(1) %p\n\
               store i32 %x, ptr %own\n\
               {WAIT}  %z = load i32, ptr %own\n\
               store i32 %z, ptr addrspace(1) %p\n\
               %y = load i32, ptr addrspace(1) %p\n\
               store i32 %y, ptr %own\n  ret void\n}}\n"
        ));
        assert!(
            after.contains("call i32 @_Z21__spirv_ocl_u_add_satjj(i32 %x, i32 0)"),
            "{after}"
        );
        assert!(after.contains("store i32 %y, ptr %own"), "{after}");
    }

    #[test]
    fn what_each_work_item_has_of_its_own_and_what_waits_for_nothing_stays() {
        let after = legal(&format!(
            "{BARRIER}define spir_kernel void @own(ptr addrspace(1) %p) {{\n\
               %l = call i64 @_Z32__spirv_BuiltInLocalInvocationIdi(i32 0)\n\
               %a = getelementptr i32, ptr addrspace(1) %p, i64 %l\n\
               %x = load i32, ptr addrspace(1) %a\n\
               {WAIT}  store i32 %x, ptr addrspace(1) %p\n  ret void\n}}\n\
             define spir_kernel void @alone(ptr addrspace(1) %p) {{\n\
               %x = load i32, ptr addrspace(1) %p\n\
               store i32 %x, ptr addrspace(1) %p\n  ret void\n}}\n\
             define spir_kernel void @behind(ptr addrspace(1) %p) {{\n\
               {WAIT}  %x = load i32, ptr addrspace(1) %p\n\
               store i32 %x, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        assert!(!after.contains("add_sat"), "{after}");
    }

    #[test]
    fn what_is_read_for_a_choice_comes_from_a_function() {
        let after = legal(&format!(
            "{BARRIER}declare void @llvm.experimental.noalias.scope.decl(metadata)\n\
             define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {{\n\
             entry:\n  %is = icmp eq i32 %n, 7\n\
               br i1 %is, label %one, label %first\n\
             one:\n  br label %first\n\
             first:\n  %free = phi i32 [ 3, %entry ], [ 4, %one ]\n\
               %v = load i32, ptr addrspace(1) %p\n\
               call void @llvm.experimental.noalias.scope.decl(metadata !0)\n\
               br label %turn\n\
             turn:\n  %count = phi i32 [ 0, %first ], [ %more, %turn ]\n\
               %more = add i32 %count, 1\n\
               %on = icmp ult i32 %more, %v\n\
               br i1 %on, label %turn, label %both\n\
             both:\n  %w = load <4 x i32>, ptr addrspace(1) %p\n\
               %truths = icmp sgt <4 x i32> %w, zeroinitializer\n\
               {WAIT}  store i32 %count, ptr addrspace(1) %p\n\
               store i32 %free, ptr addrspace(1) %p\n\
               %chosen = select <4 x i1> %truths, <4 x i32> zeroinitializer, <4 x i32> splat (i32 1)\n\
               store <4 x i32> %chosen, ptr addrspace(1) %p\n  ret void\n}}\n\
             !0 = !{{!1}}\n!1 = distinct !{{!1, !2}}\n!2 = distinct !{{!2}}\n"
        ));
        assert!(
            after.contains("call i32 @_Z21__spirv_ocl_u_add_satjj(i32 %v, i32 0)"),
            "{after}"
        );
        assert!(!after.contains("icmp ult i32 %more, %v"), "{after}");
        assert!(after.contains("store i32 %count,"), "{after}");
        assert!(after.contains("store i32 %free,"), "{after}");
        assert!(
            !after.contains("select <4 x i1> %truths, <4 x i32> zeroinitializer"),
            "{after}"
        );
        assert!(
            after.contains("@_Z21__spirv_ocl_u_add_satDv4_jS_("),
            "{after}"
        );
    }

    #[test]
    fn loops_and_functions_that_wait_count_as_barriers() {
        let after = legal(&format!(
            "{BARRIER}define internal void @waits(i16 %x) noinline {{\n  {WAIT}  ret void\n}}\n\
             define internal i8 @reads(ptr addrspace(1) %p) noinline {{\n\
               %x = load i8, ptr addrspace(1) %p\n  ret i8 %x\n}}\n\
             define spir_kernel void @k(ptr addrspace(1) %p, i1 %n) {{\n\
             entry:\n  %h = load i16, ptr addrspace(1) %p\n\
               call void @waits(i16 %h)\n  br label %turn\n\
             turn:\n  {WAIT}  %c = call i8 @reads(ptr addrspace(1) %p)\n\
               br i1 %n, label %turn, label %end\n\
             end:\n  store i8 %c, ptr addrspace(1) %p\n  ret void\n}}\n"
        ));
        assert!(
            after.contains("call i16 @_Z21__spirv_ocl_u_add_sattt(i16 %h, i16 0)"),
            "{after}"
        );
        assert!(
            after.contains("call i8 @_Z21__spirv_ocl_u_add_sathh(i8 %c, i8 0)"),
            "{after}"
        );
    }
}
