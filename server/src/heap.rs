//! The heap of a process that serves for days.

/// Lets all threads share one heap. What one reader found out is freed by whoever makes the next edit, or replaced by another
/// reader; where each thread has a heap of its own, each grows to what it held at its fullest.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the C library")]
pub(crate) fn share() {
    // SAFETY: it takes two numbers, and threads that run already keep what they have.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
}

/// Other systems' heaps are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share() {}
