//! Where functions go on, put plainly.

use inkwell::module::Module;

use super::shim;

/// Has blocks at whose end a function does not go on, since a call before it does not return, go on where their
/// functions would have gone without them: the block before one chooses another that does not end so. Where there
/// is none, the function returns. Calls in such blocks are not said any more not to return, and so the blocks stay
/// as they are.
pub fn join_dead_ends(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_join_dead_ends(module.as_mut_ptr()) }
}

/// Gives loops that are entered in several places one entry, which chooses among them.
pub fn fix_irreducible(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_fix_irreducible(module.as_mut_ptr()) }
}

/// Has what calls itself of libstdc++'s `std::sort` call a copy of itself that may go no deeper, and sorts by a heap.
pub fn end_recursion(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_end_recursion(module.as_mut_ptr()) }
}

/// Has a block that is reached in several ways from another (cases of a switch), and chooses values by where it is
/// come from, be reached from there in one way, through a block between both.
pub fn join_edges(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_join_edges(module.as_mut_ptr()) }
}

/// Has calls through pointers to member functions that are constants call the functions, without the lookup of
/// virtual ones that clang puts beside them.
pub fn call_members(module: &Module<'_>) {
    // SAFETY: the module is valid, and stays so.
    unsafe { shim::plumbline_call_members(module.as_mut_ptr()) }
}
