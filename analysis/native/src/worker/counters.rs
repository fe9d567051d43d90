//! Counters of the processor: cycles, instructions and misses of a thread, where the system lets one read them.
//!
//! Linux has them behind `perf_event_open`. A virtual machine often has none, and a setting of the system
//! (`kernel.perf_event_paranoid`) may keep them from programs, so that there is a reason in place of counts. Each counter is read by
//! itself: what one processor lacks, such as misses of the first cache, is left out.
#![cfg_attr(target_os = "linux", allow(unsafe_code, reason = "the system call has no safe face in `libc`"))]

use crate::protocol::HardwareCounts;

/// Counts what so many runs take, for each of them; else a reason, as the end of a sentence.
pub(super) fn counted(runs: u32, act: impl FnOnce()) -> Result<HardwareCounts, String> {
    let counters = Counters::open()?;
    counters.begin();
    act();
    Ok(counters.end(runs))
}

#[cfg(not(target_os = "linux"))]
struct Counters;

#[cfg(not(target_os = "linux"))]
impl Counters {
    fn open() -> Result<Counters, String> {
        Err("counters of the processor are read on Linux alone".to_owned())
    }

    fn begin(&self) {}

    fn end(self, _: u32) -> HardwareCounts {
        HardwareCounts::default()
    }
}

#[cfg(target_os = "linux")]
use linux::Counters;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::{AsRawFd, FromRawFd};

    use super::HardwareCounts;

    /// The first version of the system's `perf_event_attr`, which all that know newer ones take.
    #[repr(C)]
    #[derive(Default)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup: u32,
        breakpoint: u32,
        address: u64,
    }

    // Kinds and numbers of events, from the system's header.
    const HARDWARE: u32 = 0;
    const CACHE: u32 = 3;
    const CYCLES: u64 = 0;
    const INSTRUCTIONS: u64 = 1;
    const BRANCH_MISSES: u64 = 5;
    /// Loads that miss the first cache of data.
    const L1_MISSES: u64 = 1 << 16;
    /// The counter begins stopped, and counts neither the system nor what is below it.
    const FLAGS: u64 = 1 | 1 << 5 | 1 << 6;
    /// The time for which it was wanted and for which it counted, behind the count.
    const TIMES: u64 = 1 | 2;
    const ENABLE: libc::c_ulong = 0x2400;
    const DISABLE: libc::c_ulong = 0x2401;

    /// The counters that there are.
    pub(super) struct Counters {
        cycles: File,
        instructions: Option<File>,
        l1_misses: Option<File>,
        branch_misses: Option<File>,
    }

    impl Counters {
        /// Opens the counters of this thread; without one of cycles there are none.
        pub(super) fn open() -> Result<Counters, String> {
            let cycles = open(HARDWARE, CYCLES).map_err(|error| reason(&error))?;
            Ok(Counters {
                cycles,
                instructions: open(HARDWARE, INSTRUCTIONS).ok(),
                l1_misses: open(CACHE, L1_MISSES).ok(),
                branch_misses: open(HARDWARE, BRANCH_MISSES).ok(),
            })
        }

        fn all(&self) -> impl Iterator<Item = &File> {
            let others = [&self.instructions, &self.l1_misses, &self.branch_misses];
            std::iter::once(&self.cycles).chain(others.into_iter().flatten())
        }

        pub(super) fn begin(&self) {
            self.all().for_each(|counter| control(counter, ENABLE));
        }

        pub(super) fn end(self, runs: u32) -> HardwareCounts {
            self.all().for_each(|counter| control(counter, DISABLE));
            let each = |counter: Option<File>| Some(count(counter?)? / f64::from(runs.max(1)));
            HardwareCounts {
                cycles: each(Some(self.cycles)),
                instructions: each(self.instructions),
                l1_misses: each(self.l1_misses),
                branch_misses: each(self.branch_misses),
            }
        }
    }

    fn open(kind: u32, config: u64) -> io::Result<File> {
        let attributes = Attributes {
            kind,
            size: size_of::<Attributes>() as u32,
            config,
            flags: FLAGS,
            read_format: TIMES,
            ..Attributes::default()
        };
        // Of this thread, on whichever processor it runs, in no group, closed when another program takes this one's place.
        let (thread, processor, group, close) = (0, -1, -1, 8);
        // SAFETY: the attributes live as long as the call, and their size is theirs; the number is that of a file of our own.
        unsafe {
            let number =
                libc::syscall(libc::SYS_perf_event_open, &raw const attributes, thread, processor, group, close);
            match i32::try_from(number) {
                Ok(number) if number >= 0 => Ok(File::from_raw_fd(number)),
                _ => Err(io::Error::last_os_error()),
            }
        }
    }

    fn control(counter: &File, request: libc::c_ulong) {
        // SAFETY: the file is open, and the request takes no memory. That it fails shows in a time of 0.
        unsafe {
            libc::ioctl(counter.as_raw_fd(), request as _, 0);
        }
    }

    /// The count, scaled to the time for which it was wanted: counters that are more than the processor has take turns.
    fn count(mut counter: File) -> Option<f64> {
        let mut bytes = [0; 24];
        counter.read_exact(&mut bytes).ok()?;
        let number = |at: usize| u64::from_ne_bytes(bytes[at..at + 8].try_into().unwrap_or_default()) as f64;
        let (count, wanted, counted) = (number(0), number(8), number(16));
        (counted > 0.0).then(|| count * wanted / counted)
    }

    /// The reason why there are no counters, with what to do where one can do something.
    fn reason(error: &io::Error) -> String {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => {
                "the system does not let programs read them: `sysctl kernel.perf_event_paranoid=2` does".to_owned()
            }
            Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP) => {
                "this machine has none that programs see".to_owned()
            }
            Some(libc::ENOSYS) => "this system has no way to read them".to_owned(),
            _ => format!("they cannot be read: {error}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    /// Counts a loop whose instructions are known, where there are counters; else there is a reason.
    #[test]
    fn what_is_counted_grows_with_the_work() {
        let work = |n: u64| {
            let sum = move || (0..n).fold(0, |sum: u64, it| black_box(sum.wrapping_add(it)));
            counted(1, || {
                black_box(sum());
            })
        };
        match (work(10_000), work(1_000_000)) {
            (Ok(few), Ok(many)) => {
                let instructions = |counts: &HardwareCounts| counts.instructions.or(counts.cycles).unwrap_or(0.0);
                assert!(instructions(&many) > 10.0 * instructions(&few), "{few:?} {many:?}");
            }
            (Err(why), _) | (_, Err(why)) => assert!(!why.is_empty()),
        }
    }
}
