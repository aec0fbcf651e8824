//! Blocks at whose end a function does not go on, since a call before it does not return.

use inkwell::module::Module;

use super::shim;

/// Has them go on where their functions would have gone without them: the block before one chooses another
/// that does not end so. Where there is none, the function returns. Calls in such blocks are not said any
/// more not to return, and so the blocks stay as they are.
pub fn join(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_join_dead_ends(module.as_mut_ptr()) }
}
