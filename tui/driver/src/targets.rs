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
    /// The number of lanes that ispc's name of a target has: `avx2-i32x8`.
    pub lanes: Option<u16>,
}

impl Chosen {
    /// Returns the target where code for others stands beside its own: this machine's instruction set, since at run time only that is asked.
    pub fn beside_others(self) -> Chosen {
        match self.is_native {
            true => Chosen { row: target::find(self.row.set).unwrap_or(self.row), is_native: false, ..self },
            false => self,
        }
    }

    /// Returns the description of the target for LLVM; that of this machine has its exact processor.
    pub fn machine(self) -> Target {
        if self.is_native { native::host::tuned(self.row) } else { self.row.clone() }
    }
}

/// Parses the name of a target, or ispc's name of one.
pub fn parse_target(word: &str) -> Result<Chosen, String> {
    if word == "native" || word == "host" {
        return Ok(Chosen { row: native::host::row(), is_native: true, lanes: None });
    }
    if let Some(chosen) = of_ispc(word) {
        return Ok(chosen);
    }
    let names: Vec<_> = target::names().into_iter().chain(["native"]).collect();
    let row = target::find(word).ok_or_else(|| format!("there is no such target{}", did_you_mean(word, &names)))?;
    Ok(Chosen { row, is_native: false, lanes: None })
}

/// The instruction sets in ispc's names of targets, and the rows that have what they have.
const SETS_OF_ISPC: &[(&str, &str)] = &[
    ("sse", "sse4"),
    ("avx512", "avx512"),
    ("avx10", "avx512"),
    ("avx2", "avx2"),
    ("avx", "sse4"),
    ("neon", "neon"),
    ("rv64", "rvv128"),
    ("generic", "scalar"),
];

/// The target of ispc's name: an instruction set, and behind a hyphen the bits of a number and how many there are.
fn of_ispc(word: &str) -> Option<Chosen> {
    let (set, shape) = word.rsplit_once('-')?;
    let (_, lanes) = shape.split_once('x').filter(|(bits, _)| bits.is_empty() || bits.starts_with('i'))?;
    let lanes = lanes.parse().ok().filter(|lanes| (1..=64).contains(lanes))?;
    let (_, name) = SETS_OF_ISPC.iter().find(|(own, _)| set.starts_with(own))?;
    Some(Chosen { row: target::find(name)?, is_native: false, lanes: Some(lanes) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ispc_are_rows_with_lanes() {
        let told = |word: &str| parse_target(word).map(|chosen| (chosen.row.name, chosen.lanes));
        assert_eq!(told("avx2-i32x8"), Ok(("avx2", Some(8))));
        assert_eq!(told("avx512skx-x16"), Ok(("avx512", Some(16))));
        assert_eq!(told("sse4.1-i8x16"), Ok(("sse4", Some(16))));
        assert_eq!(told("avx1-i32x8"), Ok(("sse4", Some(8))));
        assert_eq!(told("neon-i32x4"), Ok(("neon", Some(4))));
        assert_eq!(told("avx2"), Ok(("avx2", None)));
        assert!(told("avx2-i32x0").is_err() && told("mmx-i32x4").is_err() && told("avx2-8").is_err());
    }
}
