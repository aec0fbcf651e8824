//! How many heaps the C library keeps for a link.

/// Lets there be no more heaps than threads that work at once. By itself the C library gives each thread one, also
/// those that feed programs or wait for them; and what a heap had at its fullest stays with it.
pub(super) fn limit(jobs: usize) {
    #[cfg(target_env = "gnu")]
    // SAFETY: it sets a number, which threads read when they first need memory.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, jobs.try_into().unwrap_or(i32::MAX));
    }
    #[cfg(not(target_env = "gnu"))]
    let _ = jobs;
}
