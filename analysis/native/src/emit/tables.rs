//! Data of the module, each once: constant arrays, and the bits of a mask.

use std::fmt::Write;
use std::sync::Arc;

use ir::scratch::ALIGN;
use ir::{Elem, Scalar};

/// The data that a module's functions read.
#[derive(Default)]
pub(super) struct Tables {
    arrays: Vec<(Elem, Arc<[Scalar]>)>,
    every_lane: bool,
}

/// The symbol of the bits of a mask of all lanes.
const EVERY_LANE: &str = "@every.lane";

impl Tables {
    /// The symbol of an array with these elements.
    pub(super) fn name(&mut self, elem: Elem, cells: &Arc<[Scalar]>) -> String {
        let known = self.arrays.iter().position(|(of, known)| *of == elem && known == cells);
        let number = known.unwrap_or_else(|| {
            self.arrays.push((elem, cells.clone()));
            self.arrays.len() - 1
        });
        format!("@table.{number}")
    }

    /// The symbol of the bits of a mask of all lanes, which are no constant to LLVM.
    pub(super) fn every_lane(&mut self) -> &'static str {
        self.every_lane = true;
        EVERY_LANE
    }

    /// The definitions: the elements by their bits, since memory has no types.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.every_lane {
            let _ = writeln!(text, "{EVERY_LANE} = internal global i16 -1, align 2");
        }
        for (number, (elem, cells)) in self.arrays.iter().enumerate() {
            let unit = format!("i{}", 8 * elem.bytes());
            let cells: Vec<_> = cells.iter().map(|cell| format!("{unit} {}", cell.bits())).collect();
            let _ = writeln!(
                text,
                "@table.{number} = private unnamed_addr constant [{} x {unit}] [{}], align {ALIGN}",
                cells.len(),
                cells.join(", ")
            );
        }
        text
    }
}
