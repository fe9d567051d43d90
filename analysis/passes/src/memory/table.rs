//! Tables: a gather whose lanes all lie among a few neighbouring cells, wherever each of them does. The cells are loaded at
//! once, and each lane picks its own by number.
//!
//! ```text
//! gather(w, (a & 15))      lookup(vector_load(w, 0, lanes=16), (a & 15))
//! ```
//!
//! All the cells have to be known to lie in the array, since some may be loaded that no lane asks for.

use super::cost;
use super::number;
use super::touch::lies_side_by_side;
use facts::{Facts, access};
use ir::builder::Builder;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::scalar::Scalar;
use ir::target::Target;
use ir::types::{CellType, Elem, Type};

/// The number of cells above which a gather is not read from a table, unless they are bytes.
pub const MOST_LOOKED_UP: usize = 64;

/// The number of single bytes above which they are no table: as many as a byte can number.
const MOST_BYTES_LOOKED_UP: usize = 256;

/// The number of cells among which the lanes' cells are, if that is a table.
pub(crate) fn number_of_cells(elem: Elem, (least, most): (i128, i128)) -> Option<usize> {
    let of_table = if elem.bytes() == 1 { MOST_BYTES_LOOKED_UP } else { MOST_LOOKED_UP };
    usize::try_from(most - least + 1).ok().filter(|n| (2..=of_table).contains(n))
}

/// A gather out of a few cells.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) op: Op,
    view: Value,
    /// The subscripts before the last one.
    leading: Values,
    /// The last subscript of the table's first cell.
    first: i32,
    /// The number of cells of the table.
    pub(super) cells: usize,
    /// The vector of the lanes' last subscripts.
    numbers: Value,
    mask: Option<Value>,
    pub(super) elem: Elem,
    pub(super) lanes: u16,
}

impl Table {
    /// The table that a gather takes its cells from; `None` where they are too many, or may lie outside of the array.
    pub(super) fn of(kernel: &Kernel, facts: &Facts, op: Op) -> Option<Table> {
        let data = &kernel.ops[op];
        let view = *data.operands.first().filter(|_| data.code == Code::Gather)?;
        let Type::View { item: CellType::Elem(elem), rank, lanes: None } = kernel.ty(view) else { return None };
        let (&numbers, leading) = data.operands[1..=usize::from(rank)].split_last()?;
        let lanes = kernel.ty(numbers).lanes()?;
        let is_shared = leading.iter().all(|&subscript| kernel.ty(subscript).lanes().is_none());
        if !is_shared || !lies_side_by_side(kernel, view) {
            return None;
        }
        let range = facts.ranges[numbers]?;
        let size = number::range_of(facts, &access::last_size(kernel, facts, view)?)?.lo;
        let n_cells = number_of_cells(elem, (range.lo, range.hi))?;
        if range.lo < 0 || range.hi >= size {
            return None;
        }
        // From the array's first cell on, the subscripts are the numbers; a table has a power of two of cells.
        let padded = n_cells.next_power_of_two();
        let first = if range.hi < padded as i128 { 0 } else { range.lo };
        let has_padding = first + padded as i128 <= size;
        Some(Table {
            op,
            view,
            leading: leading.into(),
            first: i32::try_from(first).ok()?,
            cells: if has_padding { padded } else { usize::try_from(range.hi + 1 - first).ok()? },
            numbers,
            mask: data.operands.get(1 + usize::from(rank)).copied(),
            elem,
            lanes,
        })
    }

    /// The lanes that the cells are put into: a power of two.
    pub(super) fn padded(&self) -> usize {
        self.cells.next_power_of_two()
    }

    /// Says whether some lanes may be off.
    pub(super) fn is_masked(&self) -> bool {
        self.mask.is_some()
    }

    /// The cost of the table, and of a gather; nothing where no instruction picks such elements.
    pub(super) fn costs(&self, target: &Target) -> Option<(u32, u32)> {
        Some((cost::by_table(self, target)?, cost::as_gather(self, target)))
    }

    /// Adds the ops; gives what stands for the gather's result.
    pub(super) fn write(&self, b: &mut Builder) -> Value {
        let data = b.kernel().ops[self.op].clone();
        let outer = b.set_origin(data.origin);
        let table = self.load(b);
        let mut numbers = self.numbers;
        if self.first > 0 {
            let elem = b.kernel().ty(numbers).data_elem().expect("subscripts are data");
            let first = b.constant(Scalar::wrap(elem, self.first.into()));
            numbers = b.op(Code::WrappingSub, &[numbers, first]);
        }
        let mut value = b.op(Code::Lookup, &[table, numbers]);
        // A lane that is off gets nothing.
        if let Some(mask) = self.mask {
            let nothing = b.constant(Scalar::zero(self.elem));
            value = b.op(Code::Select, &[mask, value, nothing]);
        }
        b.set_origin(outer);
        value
    }

    /// The table's cells, as many as a power of two: what is behind the last one is never asked for.
    fn load(&self, b: &mut Builder) -> Value {
        let first = b.constant(Scalar::wrap(Elem::I32, self.first.into()));
        let mut operands: Values =
            std::iter::once(self.view).chain(self.leading.iter().copied()).chain([first]).collect();
        let cells = Attr::Lanes(self.cells as u16);
        let loaded = match self.mask.filter(|_| self.is_loaded_under_mask()) {
            None => b.op_with(Code::VectorLoad, cells, &operands),
            // Only where a lane is on is it known that the row exists.
            Some(mask) => {
                let any = b.op(Code::Any, &[mask]);
                operands.push(b.op_with(Code::Splat, cells, &[any]));
                b.op(Code::MaskedLoad, &operands)
            }
        };
        let padded = self.padded();
        if padded == self.cells {
            return loaded;
        }
        let pattern = (0..padded).map(|lane| lane.min(self.cells - 1) as u16).collect();
        b.op_with(Code::Permute, Attr::Pattern(pattern), &[loaded])
    }

    /// Says whether the table is loaded only where a lane is on.
    pub(super) fn is_loaded_under_mask(&self) -> bool {
        self.is_masked() && !self.leading.is_empty()
    }
}
