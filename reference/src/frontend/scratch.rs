//! Kernels that ask for memory of their work-group whose size a start says
//! (`sycl_ext_oneapi_work_group_scratch_memory`) without being such a start's. Its functor is made another by the
//! headers, which hands the memory on; of the others the runtime says that they cannot be started.

use inkwell::module::Module;

use super::kernels::Kernel;
use crate::llvm::LlvmError;
use crate::llvm::graph::{GlobalId, Graph};
use crate::llvm::values;

/// The function by which kernels ask.
const ASKS: &str = "_ZN4sycl3ext6oneapi12experimental29get_work_group_scratch_memoryEv";
/// What the name of every member of the functors with memory begins with.
const HAS_MEMORY: &str = "_ZNK4sycl6detail20functor_with_scratch";

/// Notes of each kernel whether it lacks the memory.
///
/// # Errors
/// When a function cannot be read.
pub fn find<'ctx>(module: &Module<'ctx>, kernels: &mut [Kernel<'ctx>]) -> Result<(), LlvmError> {
    let Some(asks) = module.get_function(ASKS) else {
        return Ok(());
    };
    let mut graph = Graph::new(module);
    let asks = graph.id(asks.as_global_value());
    let has_memory: Vec<GlobalId> = graph
        .globals()
        .filter(|(_, global)| values::name(*global).starts_with(HAS_MEMORY))
        .map(|(id, _)| id)
        .collect();
    for kernel in kernels {
        let entry = graph.id(kernel.entry.as_global_value());
        let reached = graph.reach(entry)?;
        kernel.lacks_scratch = asks.is_some_and(|asks| reached.contains(&asks))
            && !has_memory.iter().any(|member| reached.contains(member));
    }
    Ok(())
}
