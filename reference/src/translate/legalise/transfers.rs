//! Copies and fills whose two sides are aligned differently. SPIR-V says one alignment for both, and both writers
//! take that of the target: a source that is aligned to less was promised to be aligned as the target is, and Intel's
//! compiler for the FPGA emulator reads what is promised with instructions that end programs elsewhere. What a fill
//! copies from, the writers make themselves, with no alignment at all; so it is made here.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::{Linkage, Module};
use inkwell::values::{
    CallSiteValue, GlobalValue, InstructionValue, IntValue, PointerValue, UnnamedAddress,
};

use super::{CONSTANT, memory};
use crate::llvm::{calls, values};

/// The most that what is copied from is aligned to: more helps no processor.
const MOST: u64 = 64;

/// Has copies promise no more than holds of both sides, and makes what fills with a constant copy from.
///
/// # Errors
/// When LLVM refuses an instruction.
pub(super) fn mend(module: &Module<'_>) -> Result<(), BuilderError> {
    let builder = module.get_context().create_builder();
    for intrinsic in module.get_functions().filter(|f| f.get_intrinsic_id() != 0) {
        let name = values::function_name(intrinsic);
        for call in calls::of(intrinsic) {
            if name.starts_with("llvm.memcpy.") {
                let both = memory::alignment(call, 0).min(memory::alignment(call, 1));
                promise(call, both);
            } else if name.starts_with("llvm.memset.") {
                match Fill::of(call) {
                    Some(fill) => fill.copies(module, &builder, call)?,
                    // What else the writers make of one is aligned to nothing.
                    None => promise(call, 1),
                }
            }
        }
    }
    Ok(())
}

/// Has a call promise this alignment of its target.
fn promise(call: InstructionValue<'_>, alignment: u64) {
    let kind = Attribute::get_named_enum_kind_id("align");
    let site = CallSiteValue::try_from(call).ok();
    let Some((site, function)) = site.and_then(|site| Some((site, site.get_called_fn_value()?)))
    else {
        return;
    };
    if memory::alignment(call, 0) > alignment {
        let context = function.get_type().get_context();
        site.remove_enum_attribute(AttributeLoc::Param(0), kind);
        let attribute = context.create_enum_attribute(kind, alignment);
        site.add_attribute(AttributeLoc::Param(0), attribute);
    }
}

/// A fill of so many bytes with a value, both constants.
struct Fill<'ctx> {
    to: PointerValue<'ctx>,
    value: IntValue<'ctx>,
    size: IntValue<'ctx>,
    bytes: u32,
    alignment: u32,
}

impl<'ctx> Fill<'ctx> {
    fn of(call: InstructionValue<'ctx>) -> Option<Fill<'ctx>> {
        let operand = |number| call.get_operand(number)?.value();
        let (value, size) = (operand(1)?.into_int_value(), operand(2)?.into_int_value());
        value.get_zero_extended_constant()?;
        let is_volatile = memory::integer(call, 3) != Some(0);
        let bytes = u32::try_from(size.get_zero_extended_constant()?).ok()?;
        (!is_volatile).then_some(Fill {
            to: operand(0)?.into_pointer_value(),
            value,
            size,
            bytes,
            alignment: memory::alignment(call, 0).min(MOST) as u32,
        })
    }

    /// Puts a copy in the place of the call.
    fn copies(
        &self,
        module: &Module<'ctx>,
        builder: &Builder<'ctx>,
        call: InstructionValue<'ctx>,
    ) -> Result<(), BuilderError> {
        let from = self.source(module);
        builder.position_before(&call);
        builder.build_memcpy(
            self.to,
            self.alignment,
            from.as_pointer_value(),
            self.alignment,
            self.size,
        )?;
        call.erase_from_basic_block();
        Ok(())
    }

    /// As many bytes as it fills, in constant memory.
    fn source(&self, module: &Module<'ctx>) -> GlobalValue<'ctx> {
        let value = self.value.get_zero_extended_constant().unwrap_or_default();
        let Fill {
            bytes, alignment, ..
        } = self;
        let name = format!("__plumbline_filled_{value:02x}_{bytes}_{alignment}");
        if let Some(known) = module.get_global(&name) {
            return known;
        }
        let array = self.value.get_type().array_type(self.bytes);
        let global = module.add_global(array, Some(AddressSpace::from(CONSTANT)), &name);
        let contents = match value {
            0 => array.const_zero(),
            _ => {
                let all = vec![self.value; self.bytes as usize];
                self.value.get_type().const_array(&all)
            }
        };
        global.set_initializer(&contents);
        global.set_constant(true);
        global.set_linkage(Linkage::Internal);
        global.set_unnamed_address(UnnamedAddress::Global);
        global.set_alignment(self.alignment);
        global
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::legal;

    #[test]
    fn copies_promise_what_holds_of_both_sides() {
        let after = legal(
            "declare void @llvm.memcpy.p1.p0.i64(ptr addrspace(1), ptr, i64, i1)\n\
             define void @f(ptr addrspace(1) %p, ptr %q) {\n\
               call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 16 %p, ptr align 4 %q, i64 80, i1 false)\n\
               call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 2 %p, ptr align 4 %q, i64 81, i1 false)\n\
               call void @llvm.memcpy.p1.p0.i64(ptr addrspace(1) align 8 %p, ptr %q, i64 82, i1 false)\n\
               ret void\n}\n",
        );
        for (alignment, size) in [(4, 80), (2, 81), (1, 82)] {
            let line = after.lines().find(|l| l.contains(&format!("i64 {size},")));
            let target = format!("(ptr addrspace(1) align {alignment} %p, ");
            assert!(line.is_some_and(|l| l.contains(&target)), "{after}");
        }
    }

    #[test]
    fn fills_copy_from_what_is_aligned_as_they_say() {
        let after = legal(
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n\
             define void @f(ptr %p, ptr %q, i64 %n, i8 %c) {\n\
               call void @llvm.memset.p0.i64(ptr align 16 %p, i8 0, i64 48, i1 false)\n\
               call void @llvm.memset.p0.i64(ptr align 16 %q, i8 0, i64 48, i1 false)\n\
               call void @llvm.memset.p0.i64(ptr align 128 %q, i8 -1, i64 3, i1 false)\n\
               call void @llvm.memset.p0.i64(ptr align 8 %q, i8 0, i64 %n, i1 false)\n\
               call void @llvm.memset.p0.i64(ptr align 8 %q, i8 %c, i64 9, i1 false)\n\
               ret void\n}\n",
        );
        let zeros =
            "= internal unnamed_addr addrspace(2) constant [48 x i8] zeroinitializer, align 16";
        assert_eq!(after.matches(zeros).count(), 1, "{after}");
        assert!(
            after.contains("constant [3 x i8] c\"\\FF\\FF\\FF\", align 64"),
            "{after}"
        );
        let copies = after.matches("call void @llvm.memcpy.p0.p2.i64(ptr align 16");
        assert_eq!(copies.count(), 2, "{after}");
        assert_eq!(
            after
                .matches("call void @llvm.memset.p0.i64(ptr align 1 ")
                .count(),
            2,
            "{after}"
        );
    }
}
