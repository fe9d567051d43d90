//! What a program is made for, as the command line says it: `--target` and `--lanes`.

use analysis::stages::{Options, target};

use crate::spelling::did_you_mean;

/// The arguments of every command whose answer depends on the target.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LaneArgs {
    /// The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar
    #[arg(long, value_name = "TARGET", default_value = "native", value_parser = parse_target)]
    target: &'static target::Target,
    /// How many lanes loops take, instead of as many as fill the target's registers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    lanes: Option<u16>,
}

impl LaneArgs {
    /// What passes are told.
    pub fn options(self) -> Options {
        Options { lanes: self.lanes, target: self.target }
    }
}

fn parse_target(word: &str) -> Result<&'static target::Target, String> {
    let word = if word == "native" { native() } else { word };
    let names: Vec<_> = target::TARGETS.iter().map(|target| target.name).chain(["native", "sve", "rvv"]).collect();
    target::find(word).ok_or_else(|| format!("there is no such target{}", did_you_mean(word, &names)))
}

/// The name of the widest target that this machine can run.
fn native() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl") {
            return "avx512";
        }
        if has!("avx2") && has!("fma") {
            return "avx2";
        }
        if has!("sse4.2") {
            return "sse4";
        }
    }
    if cfg!(target_arch = "aarch64") { "neon" } else { "scalar" }
}
