//! Constant arrays: data of the module, each once.

use std::fmt::Write;
use std::sync::Arc;

use ir::scratch::ALIGN;
use ir::{Elem, Scalar};

/// The constant arrays that a module's functions read.
#[derive(Default)]
pub(super) struct Tables(Vec<(Elem, Arc<[Scalar]>)>);

impl Tables {
    /// The symbol of an array with these elements.
    pub(super) fn name(&mut self, elem: Elem, cells: &Arc<[Scalar]>) -> String {
        let known = self.0.iter().position(|(of, known)| *of == elem && known == cells);
        let number = known.unwrap_or_else(|| {
            self.0.push((elem, cells.clone()));
            self.0.len() - 1
        });
        format!("@table.{number}")
    }

    /// The definitions: the elements by their bits, since memory has no types.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for (number, (elem, cells)) in self.0.iter().enumerate() {
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
