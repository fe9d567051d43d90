//! Targets by name: a row of the target table, or this machine.

use queries::stages::target::{self, Target};

use crate::spelling::did_you_mean;

/// A target as it was chosen by name.
#[derive(Debug, Clone, Copy)]
pub struct Chosen {
    /// Row of the target table.
    pub row: &'static Target,
    /// True if the choice was `native`, this machine.
    pub is_native: bool,
}

impl Chosen {
    /// Returns the description of the target for LLVM; that of this machine has its exact processor.
    pub fn machine(self) -> Target {
        if self.is_native { native::host::tuned(self.row) } else { self.row.clone() }
    }
}

/// Parses the name of a target.
pub fn parse_target(word: &str) -> Result<Chosen, String> {
    if word == "native" {
        return Ok(Chosen { row: native::host::row(), is_native: true });
    }
    let names: Vec<_> = target::names().into_iter().chain(["native"]).collect();
    let row = target::find(word).ok_or_else(|| format!("there is no such target{}", did_you_mean(word, &names)))?;
    Ok(Chosen { row, is_native: false })
}
