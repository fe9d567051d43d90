//! The target of this machine: the best row of the table of targets that its processor supports, as the processor itself
//! reports.

use ir::Target;
use ir::target::{TARGETS, find};

use crate::llvm::{Llvm, NotFound, llvm};
use crate::protocol::Spec;

/// A row of the table for this machine's own processor, if LLVM tells which one that is.
pub fn tuned(row: &Target) -> Target {
    match spec() {
        Ok(Spec { triple, cpu, features }) => {
            Target { triple: triple.into(), cpu: cpu.into(), features: features.into(), ..row.clone() }
        }
        Err(_) => row.clone(),
    }
}

/// The best row of the table that this machine is.
pub fn row() -> &'static Target {
    let name = RUNS.iter().find(|(_, runs)| runs()).map_or("scalar", |(name, _)| name);
    find(name).unwrap_or(&TARGETS[0])
}

/// True if code for a target runs on this machine.
pub fn runs(target: &Target) -> bool {
    match target.name {
        "scalar" => cfg!(target_arch = "x86_64"),
        name => RUNS.iter().any(|(own, runs)| *own == name && runs()),
    }
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
    Spec { triple, cpu, features }
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
