//! Heap settings for a process that runs for days.

/// Limit on the threads that analyse a file at the same time.
const MOST_CORES: usize = 8;

/// Number of threads that analyse a file together: as many as run at the same time.
pub(crate) fn n_analysing() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_CORES))
}

/// Lets all threads share a few heaps. Memory that one reader allocates is freed by the thread that makes the next edit, or replaced
/// by another reader; with one heap per thread, each would stay as large as it was at its peak. But threads that analyse a file together
/// would do little else than wait for each other if they had one heap; those that start one after the other get different ones.
pub(crate) fn share() {
    limit(n_analysing());
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "a setting of the C library")]
fn limit(n: usize) {
    let n = libc::c_int::try_from(n).unwrap_or(1);
    // SAFETY: the call takes two integers, and threads that run already keep their heaps.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, n) };
}

/// Does nothing: other systems' heaps are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn limit(_: usize) {}
