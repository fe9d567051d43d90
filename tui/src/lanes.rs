//! What a program is made for, as the command line says it: `--target` and `--lanes`.

use analysis::stages::{Options, target};

use crate::spelling::did_you_mean;

/// The arguments of every command whose answer depends on the target.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LaneArgs {
    /// The target: native, sse4, avx2, avx512, neon, sve, rvv or scalar (`lanescope targets` tells more)
    #[arg(long, value_name = "TARGET", default_value = "native", value_parser = parse_target)]
    target: Chosen,
    /// How many lanes loops take, instead of as many as fill the target's registers
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    lanes: Option<u16>,
}

/// A target as it was chosen.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// The row of the table.
    pub row: &'static target::Target,
    /// Whether this machine was asked for, whatever it is.
    pub is_native: bool,
}

impl Chosen {
    /// What machine code is made for: for this machine, its own processor.
    pub fn machine(self) -> target::Target {
        if self.is_native { native::host::tuned(self.row) } else { self.row.clone() }
    }
}

impl LaneArgs {
    /// What passes are told.
    pub fn options(self) -> Options {
        Options { lanes: self.lanes, target: self.target.row }
    }

    /// The target.
    pub fn target(self) -> Chosen {
        self.target
    }
}

/// The target that a word names.
pub fn parse_target(word: &str) -> Result<Chosen, String> {
    if word == "native" {
        return Ok(Chosen { row: native::host::row(), is_native: true });
    }
    let names: Vec<_> = target::names().into_iter().chain(["native"]).collect();
    let row = target::find(word).ok_or_else(|| format!("there is no such target{}", did_you_mean(word, &names)))?;
    Ok(Chosen { row, is_native: false })
}
