//! The values of the lanes at a place of a run: a row for each name that is alive there, a column for each lane.

use std::collections::BTreeSet;
use std::sync::Arc;

use queries::run::Scalar;
use queries::stepping::{Cell, Op, Peek, Reg, Stepping, Value};

use super::branches::loop_mask;

/// The values of the lanes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaneGrid {
    /// The number of lanes; 0 where none run together.
    pub n_lanes: usize,
    /// For each lane, true if it is active; empty where none run together.
    pub on: Vec<bool>,
    /// The name of the mask, if it has one.
    pub mask: Option<String>,
    /// What differs from lane to lane: the names of the source first, then those of passes, then what the next op takes and gives.
    pub rows: Vec<LaneRow>,
    /// What is the same in all lanes, in the same order.
    pub same: Vec<LaneRow>,
}

/// The values that a name has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneRow {
    /// The name; of a value without one, that of the op which made it.
    pub name: String,
    /// The origin of the name.
    pub of: RowOrigin,
    /// The value of each lane, or the one of all.
    pub cells: Vec<LaneCell>,
}

/// The origins of names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RowOrigin {
    /// The source.
    Source,
    /// A pass, which needed the value.
    Pass,
    /// No name: the next op takes the value.
    Operand,
    /// The next op gives the value.
    Result,
}

/// The value of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaneCell {
    /// A number, as the interpreter has it.
    Value(Scalar),
    /// An array.
    Array,
    /// No number: computing it failed, which is an error only where the lane is active.
    Failed,
    /// Nothing: the lane was not active.
    Off,
}

impl LaneCell {
    fn of(cell: Option<&Cell>) -> LaneCell {
        match cell {
            Some(Cell::Data(scalar)) => LaneCell::Value(*scalar),
            Some(Cell::View(_)) => LaneCell::Array,
            Some(Cell::Failed(_)) => LaneCell::Failed,
            Some(Cell::Off) | None => LaneCell::Off,
        }
    }

    /// Returns the text of the value.
    pub fn text(&self) -> String {
        match self {
            LaneCell::Value(scalar) => scalar.to_string(),
            LaneCell::Array => "array".to_owned(),
            LaneCell::Failed => "fails".to_owned(),
            LaneCell::Off => "–".to_owned(),
        }
    }
}

/// Collects the values of the lanes where a run stands.
pub(super) fn grid(stepping: &Stepping, peek: Option<&Peek>, source_names: &BTreeSet<Arc<str>>) -> LaneGrid {
    let mut grid = LaneGrid::default();
    for variable in stepping.variables().into_iter().filter(|variable| !variable.ty.is_view()) {
        let of = if source_names.contains(&variable.name) { RowOrigin::Source } else { RowOrigin::Pass };
        grid.add(variable.name.to_string(), of, stepping.reg(variable.value));
    }
    if let Some(op) = stepping.next_op() {
        for (name, value) in unnamed_operands(stepping, op) {
            grid.add(name, RowOrigin::Operand, stepping.reg(value));
        }
    }
    for (value, reg) in peek.iter().flat_map(|peek| &peek.made) {
        let data = &stepping.kernel().values[*value];
        if !stepping.kernel().ty(*value).is_view() {
            let name = data.name.as_deref().filter(|name| !name.is_empty()).unwrap_or("result");
            grid.add(name.to_owned(), RowOrigin::Result, reg);
        }
    }
    // Within each origin the order is that of the program.
    grid.rows.sort_by_key(|row| row.of);
    grid.same.sort_by_key(|row| row.of);
    let lanes = stepping.lanes_here();
    grid.n_lanes = match &lanes {
        Some(lanes) => lanes.on.len(),
        None => grid.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0),
    };
    if let Some(lanes) = lanes {
        let is_whole = lanes.mask.is_none() && !lanes.on.contains(&false);
        // Where nothing has a mask, lanes may still wait for others to leave a loop.
        let waiting = loop_mask(stepping).filter(|(_, on)| is_whole && on.len() == lanes.on.len());
        (grid.mask, grid.on) = waiting.unwrap_or((lanes.mask.map(|name| name.to_string()), lanes.on));
    }
    grid
}

impl LaneGrid {
    /// Adds the values of a name: one for all lanes, or one a lane.
    pub(crate) fn add_row(&mut self, name: &str, of: RowOrigin, cells: Vec<LaneCell>) {
        let row = LaneRow { name: name.to_owned(), of, cells };
        match row.cells.len() {
            0 => {}
            1 => self.same.push(row),
            _ => self.rows.push(row),
        }
    }

    fn add(&mut self, name: String, of: RowOrigin, reg: &Reg) {
        match reg {
            Reg::Empty => {}
            Reg::One(cell) => self.same.push(LaneRow { name, of, cells: vec![LaneCell::of(Some(cell))] }),
            Reg::Lanes(cells) => {
                let cells = cells.iter().map(|cell| LaneCell::of(Some(cell))).collect();
                self.rows.push(LaneRow { name, of, cells });
            }
        }
    }

    /// Returns true if a lane is active, or nothing says that it is not.
    pub fn is_on(&self, lane: usize) -> bool {
        self.on.get(lane).copied().unwrap_or(true)
    }
}

/// The operands of an op that have no name, by that of the op which made them.
fn unnamed_operands(stepping: &Stepping, op: Op) -> Vec<(String, Value)> {
    let kernel = stepping.kernel();
    let mut found: Vec<(String, Value)> = Vec::new();
    for &value in &kernel.ops[op].operands {
        let has_name = kernel.values[value].name.as_deref().is_some_and(|name| !name.is_empty());
        let is_known = has_name || kernel.ty(value).is_view() || found.iter().any(|(_, other)| *other == value);
        if let Some(maker) = kernel.def_op(value).filter(|_| !is_known) {
            found.push((kernel.ops[maker].code.row().name.to_owned(), value));
        }
    }
    found
}
