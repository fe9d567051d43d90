//! The target of this machine: the best row of the table of targets that its processor supports, as the processor itself
//! reports, or the processor's own row.

use ir::Target;
use ir::target::{PROCESSORS, TARGETS, find};

use crate::llvm::{Llvm, NotFound, llvm};
use crate::protocol::Spec;

/// A row of the table for this machine's own processor, if LLVM tells which one that is.
pub fn tuned(row: &Target) -> Target {
    match spec() {
        Ok(Spec { triple, cpu, features, .. }) => {
            Target { triple: triple.into(), cpu: cpu.into(), features: features.into(), ..row.clone() }
        }
        Err(_) => row.clone(),
    }
}

/// The best row of the table that this machine is.
pub fn row() -> &'static Target {
    let name = RUNS.iter().find(|(_, runs)| runs()).map_or("scalar", |(name, _)| name);
    let own = PROCESSORS.iter().find(|row| row.set == name && processor() == Some(row.name));
    own.or_else(|| find(name)).unwrap_or(&TARGETS[0])
}

/// True if code for a target runs on this machine. That for a processor may use all that it has.
pub fn runs(target: &Target) -> bool {
    match target.name {
        name if name != target.set => row().name == name,
        "scalar" => cfg!(target_arch = "x86_64"),
        name => RUNS.iter().any(|(own, runs)| *own == name && runs()),
    }
}

/// The name of the row of this machine's processor, if it is one of those that have a row.
#[cfg(target_arch = "x86_64")]
fn processor() -> Option<&'static str> {
    let vendor = std::arch::x86_64::__cpuid(0);
    let is_amd = [vendor.ebx, vendor.edx, vendor.ecx].map(u32::to_le_bytes).as_flattened() == b"AuthenticAMD";
    processor_of(is_amd, std::arch::x86_64::__cpuid(1).eax)
}

/// The name of the row of this machine's processor: there is none of this family yet.
#[cfg(not(target_arch = "x86_64"))]
fn processor() -> Option<&'static str> {
    None
}

/// The row of a processor that tells this of itself in `eax` as its leaf 1.
#[cfg(target_arch = "x86_64")]
fn processor_of(is_amd: bool, told: u32) -> Option<&'static str> {
    let (base, extended) = (told >> 8 & 0xf, told >> 20 & 0xff);
    let family = if base == 0xf { base + extended } else { base };
    let model = (told >> 4 & 0xf) | (told >> 12 & 0xf0);
    // Family 25 is Zen 3 as well.
    let is_zen4 = family == 25 && matches!(model, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf);
    (is_amd && is_zen4).then_some("zen4")
}

/// A row by its name, and whether this machine is one.
type Detected = (&'static str, fn() -> bool);

/// The triple, processor and features of this machine, as LLVM names them.
pub fn spec() -> Result<Spec, NotFound> {
    Ok(host_spec(llvm()?))
}

pub(crate) fn host_spec(llvm: &Llvm) -> Spec {
    let [triple, cpu, features] = llvm.host();
    // These features make this machine's LLVM do what the targets' rows assume, whatever the processor is tuned to.
    let tuning = [("+avx512f", "-prefer-256-bit"), ("+avx2", "+fast-gather,-prefer-no-gather")];
    let wanted = tuning.iter().filter(|(has, _)| features.split(',').any(|feature| feature == *has));
    let features = wanted.fold(features.clone(), |all, (_, wanted)| format!("{all},{wanted}"));
    Spec { triple, cpu, features, position_independent: true }
}

/// A level of memory that holds so many bytes, by its name: the first cache that is large enough, or `memory`. `None` where
/// the system does not tell its caches.
pub fn level_of(bytes: usize) -> Option<String> {
    level_among(&caches(), bytes)
}

fn level_among(caches: &[(u32, usize)], bytes: usize) -> Option<String> {
    let fitting = caches.iter().filter(|(_, size)| *size >= bytes).map(|(level, _)| *level).min();
    let named = fitting.map_or_else(|| "memory".to_owned(), |level| format!("the level {level} cache"));
    (!caches.is_empty()).then_some(named)
}

/// The caches of data of this machine's first processor, as Linux tells them: level and bytes.
fn caches() -> Vec<(u32, usize)> {
    let folder = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache");
    let cache = |number: usize| {
        let read = |name: &str| std::fs::read_to_string(folder.join(format!("index{number}")).join(name)).ok();
        let size = read("size")?;
        let (digits, unit) =
            size.trim().split_at(size.trim().find(|c: char| !c.is_ascii_digit()).unwrap_or(size.trim().len()));
        let unit = match unit {
            "K" => 1 << 10,
            "M" => 1 << 20,
            _ => 1,
        };
        let is_of_data = read("type")?.trim() != "Instruction";
        let found = (read("level")?.trim().parse().ok()?, digits.parse::<usize>().ok()? * unit);
        is_of_data.then_some(found)
    };
    (0..8).filter_map(cache).collect()
}

/// The bytes of memory that a program can still get, if the system tells.
pub fn free_memory() -> Option<usize> {
    let told = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = told.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1 << 10)
}

/// The rows that this machine may be, best first, and whether it is.
#[cfg(target_arch = "x86_64")]
const RUNS: &[Detected] = &[
    ("avx512", || {
        is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
    }),
    ("avx2", || {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi2")
    }),
    ("sse4", || is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt")),
];

/// The rows that this machine may be, best first, and whether it is.
#[cfg(target_arch = "aarch64")]
const RUNS: &[Detected] = &[("neon", || true)];

/// The rows that this machine may be: RISC-V tells nobody without privileges how long its registers are.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const RUNS: &[Detected] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn processors_tell_what_they_are() {
        // A desktop's and a server's Zen 4, a server's Zen 3, and a processor of Intel.
        assert_eq!(processor_of(true, 0x00a6_0f12), Some("zen4"));
        assert_eq!(processor_of(true, 0x00a1_0f11), Some("zen4"));
        assert_eq!(processor_of(true, 0x00a0_0f11), None);
        assert_eq!(processor_of(false, 0x000a_0671), None);
        assert!(runs(row()), "{}", row().name);
    }

    #[test]
    fn data_lie_in_the_first_cache_that_holds_them() {
        let caches = [(1, 32 << 10), (2, 1 << 20), (3, 16 << 20)];
        let level = |bytes| level_among(&caches, bytes).unwrap_or_default();
        assert_eq!(level(1000), "the level 1 cache");
        assert_eq!(level(100_000), "the level 2 cache");
        assert_eq!(level(8_000_000), "the level 3 cache");
        assert_eq!(level(100_000_000), "memory");
        assert_eq!(level_among(&[], 10), None);
    }
}
