//! Entry points without the parameters that optimization left no use of: an accessor alone brings four.
//! As with DPC++, metadata tells which ones those are, by which the post-link stage writes the property
//! "SYCL/kernel param opt", and the runtime leaves their arguments out.

use inkwell::attributes::AttributeLoc;
use inkwell::module::Module;
use inkwell::values::FunctionValue;

use super::kernels::{ITERATION_SPACE, Kernel, LOCAL_RANGE};
use crate::llvm::metadata::{self, Node, Operand};
use crate::llvm::parameters;

/// The metadata of a kernel that has, for each parameter that its functor comes to, whether it is left out.
pub const OMITTED_PARAMETERS: &str = "sycl_kernel_omit_args";

/// Leaves out of each kernel what it does not use.
pub fn omit<'ctx>(module: &Module<'ctx>, kernels: &mut [Kernel<'ctx>]) {
    for kernel in kernels {
        // Passes may have put another function in its place.
        let Some(entry) = module.get_function(&kernel.name) else {
            continue;
        };
        kernel.entry = entry;
        let omitted = unused(entry);
        if let Some(own) = parameters::without(entry, &omitted) {
            let flags = omitted.into_iter().map(|omitted| Operand::Integer {
                value: omitted.into(),
                bits: 1,
            });
            let node = Node::new(module.get_context(), &flags.collect::<Vec<_>>());
            metadata::set_on_global(own.as_global_value(), OMITTED_PARAMETERS, node);
            kernel.entry = own;
        }
    }
}

/// For each parameter, whether the kernel can do without.
fn unused(kernel: FunctionValue<'_>) -> Vec<bool> {
    let has = |index: u32, mark: &str| {
        let place = AttributeLoc::Param(index);
        index < kernel.count_params() && kernel.get_string_attribute(place, mark).is_some()
    };
    let unused = (0..).zip(kernel.get_param_iter()).map(|(index, each)| {
        // The link answers questions for the space. Where an accessor's local memory begins says also how
        // much of it there is before the next one's.
        let is_needed = has(index, ITERATION_SPACE) || has(index + 1, LOCAL_RANGE);
        !is_needed && parameters::is_unused(each)
    });
    unused.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llvm::{context, read, write};

    fn omitted_of(kernel: &str) -> (String, Option<Vec<u32>>) {
        let context = context();
        let module = read::module(&context, kernel.as_bytes(), "a.ll").unwrap();
        let entry = module.get_function("k").unwrap();
        let mut kernels = [Kernel {
            name: "k".to_owned(),
            entry,
            functor_size: 0,
            parts: Vec::new(),
            made_of: String::new(),
            is_local: false,
            lacks_scratch: false,
        }];
        omit(&module, &mut kernels);
        write::verify(&module).unwrap();
        let entry = kernels[0].entry.as_global_value();
        let flags = metadata::of_global(entry, OMITTED_PARAMETERS).and_then(Node::u32s);
        let text = write::text(&module);
        let line = text.lines().find(|line| line.starts_with("define"));
        (line.unwrap().to_owned(), flags)
    }

    #[test]
    fn what_a_kernel_does_not_use_is_left_out_and_told() {
        let (line, flags) = omitted_of(
            "define spir_kernel void @k(ptr addrspace(1) %p, ptr byval([3 x i64]) %r, i32 %n, float %f) {\n\
             store i32 %n, ptr addrspace(1) %p\n  ret void\n}\n",
        );
        assert!(line.contains("@k(ptr addrspace(1) %p, i32 %n)"), "{line}");
        assert_eq!(flags, Some(vec![0, 1, 0, 1]));
    }

    #[test]
    fn a_kernel_that_uses_all_of_them_stays() {
        let (line, flags) = omitted_of(
            "define spir_kernel void @k(ptr addrspace(1) %p, i32 %n) {\n\
             store i32 %n, ptr addrspace(1) %p\n  ret void\n}\n",
        );
        assert!(line.contains("(ptr addrspace(1) %p, i32 %n)"), "{line}");
        assert_eq!(flags, None);
    }

    #[test]
    fn ptx_keeps_its_space_and_where_local_memory_begins() {
        let (line, flags) = omitted_of(
            "define ptx_kernel void @k(i64 %one, ptr byval([3 x i64]) \"plumbline-local-range\" %r, i64 %two, \
             ptr byval([3 x i64]) \"plumbline-local-range\" %s, ptr %unused, \
             ptr byval([15 x i64]) \"plumbline-iteration-space\" %space) {\n\
             %n = load i64, ptr %s\n  ret void\n}\n",
        );
        let expected = "@k(i64 %one, i64 %two, ptr byval([3 x i64]) \"plumbline-local-range\" %s, \
                        ptr byval([15 x i64]) \"plumbline-iteration-space\" %space)";
        assert!(line.contains(expected), "{line}");
        assert_eq!(flags, Some(vec![0, 1, 0, 0, 1, 0]));
    }
}
