//! Heap settings for a process that runs for days.

/// Lets all threads share one heap. Memory that one reader allocates is freed by the thread that makes the next edit, or replaced
/// by another reader; with one heap per thread, each would stay as large as it was at its peak.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the C library")]
pub(crate) fn share() {
    // SAFETY: the call takes two integers, and threads that run already keep their heaps.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Does nothing: other systems' heaps are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share() {}
