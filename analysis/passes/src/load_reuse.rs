//! Load reuse: a value that was loaded or stored before, and cannot have changed since, is not loaded again.
//!
//! ```text
//! let x = vector_load(a, i)
//! masked_store(o, i, masked_load(a, i, positive), positive)      x in the demanded lanes
//! ```
//!
//! Two sides of a branch that load the same cells load them once, for all lanes that take one of the sides.
//!
//! ```text
//! masked_load(a, i, c)          let x = vector_load(a, i)
//! masked_load(a, i, ~c)         x in the demanded lanes
//! ```
//!
//! A store under a mask leaves the other lanes' cells as they are, so with what was known of the cells before, all is known of them behind
//! it. Processors hand on what one store wrote to a load of the same cells, but not what a store under a mask did: such a load waits until
//! the store is done. So a load for all lanes, or for those that the store leaves out, takes the place of the load under the mask that
//! stands before the store.
//!
//! ```text
//! let x = masked_load(c, i, m)                    let x_1 = vector_load(c, i)
//! masked_store(c, i, -x, m)                       masked_store(c, i, -x_1, m)
//! vector_load(c, i)                               select(m, -x_1, x_1)
//! ```
//!
//! An access replaces a later load of the same cells if it is in scope there and its lanes are at least those of the
//! load. A store to the array, or to one that may overlap it, ends this, and so does a loop that stores to the array
//! for all that was known before the loop. The lanes of a `foreach` that run together see each other's stores, so
//! nothing is known inside of one that is vectorised.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::{Context, Replacements, replace, replaced};
use crate::decision::{Decision, Told};
use crate::outcome::Outcomes;
use ir::builder::Builder;
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Attr, Def, Kernel, Values};
use ir::scalar::Scalar;
use ir::types::Type;

/// Drops loads of what is known; says whether there are any.
pub fn load_reuse(kernel: &mut Kernel, context: &mut Context) -> bool {
    let new = EntityVec::filled(kernel.values.len(), None);
    let mut whiles = FxHashMap::default();
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        if data.code == Code::While {
            whiles.insert(data.regions[0], op);
        }
    });
    let mut finder = Finder {
        new,
        whiles,
        known: FxHashMap::default(),
        changes: Vec::new(),
        decisions: Told::default(),
        changed: false,
        effects: Effects::of(kernel),
        kernel,
        outcomes: &mut context.outcomes,
    };
    finder.region(finder.kernel.body);
    let Finder { changed, decisions, new, .. } = finder;
    // Loops whose lanes run together were not entered, so uses of replaced loads inside of them are mended here.
    if changed {
        kernel.replace_uses(&new);
    }
    decisions.into_list().into_iter().for_each(|decision| context.decide(decision));
    changed
}

/// Cells: a view and subscripts, and what they are loaded as.
type Cells = (Values, Type);

/// A mask, and the values that were stored under it.
type Layer = (Value, Value);

/// The most stores under masks, one after the other, that a value is put together of.
const MOST_LAYERS: usize = 8;

/// The value of some cells, from an access to them.
#[derive(Debug, Clone, PartialEq)]
struct Known {
    /// The lanes that touched them; all without one.
    mask: Option<Value>,
    value: Value,
    /// True if it is 0 in the lanes that did not, as what was loaded is.
    is_zero_elsewhere: bool,
    /// The stores to these cells behind that access.
    layers: SmallVec<[Layer; 1]>,
    /// Of a store under a mask, the load of the same cells under it that stands before.
    loaded_by: Option<Op>,
}

impl Known {
    fn by(mask: Option<Value>, value: Value, is_zero_elsewhere: bool) -> Known {
        Known { mask, value, is_zero_elsewhere, layers: SmallVec::new(), loaded_by: None }
    }
}

/// The facts about the cells of an array, as they were.
type OfArray = FxHashMap<Cells, SmallVec<[Known; 1]>>;

/// A change of the known values, undone at the end of the block in which it was made.
enum Change {
    /// The last that is known of some cells of an array was added.
    Added(Value, Cells),
    /// The facts about an array were forgotten.
    Forgotten(Value, OfArray),
}

struct Finder<'k> {
    kernel: &'k mut Kernel,
    outcomes: &'k mut Outcomes,
    /// The effects of the ops before any load was dropped.
    effects: Effects,
    new: Replacements,
    /// The loops that a condition ends, by the block of that.
    whiles: FxHashMap<Region, Op>,
    /// The facts where the walk is, by array.
    known: FxHashMap<Value, OfArray>,
    changes: Vec<Change>,
    /// The decisions; once for a loop that stands there twice.
    decisions: Told,
    changed: bool,
}

impl Finder<'_> {
    fn region(&mut self, region: Region) {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        let mut kept = Vec::with_capacity(ops.len());
        for op in ops {
            for operand in &mut self.kernel.ops[op].operands {
                *operand = replaced(&self.new, *operand);
            }
            if !self.kernel.ops[op].regions.is_empty() {
                self.inner_regions(op);
            } else if let Some(known) = self.covering(op) {
                kept.extend(self.stand_for(op, known));
                continue;
            } else if let Some(more) = self.loaded_for_less(op) {
                if let Some(place) = kept.iter().position(|&op| op == more.first)
                    && (more.layer.is_none() || !self.may_stop(&kept[place..]))
                {
                    let (load, known) = self.load_for_both(more);
                    kept.insert(place, load);
                    kept.extend(self.stand_for(op, known));
                    continue;
                }
                self.note(op);
            } else {
                self.note(op);
            }
            kept.push(op);
        }
        let data = &mut self.kernel.regions[region];
        data.ops = kept;
        data.yields.iter_mut().for_each(|value| *value = replaced(&self.new, *value));
    }

    /// Each region sees the values that are known before the op, except for those that the op may change between
    /// iterations.
    fn inner_regions(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (regions, is_branch) = (data.regions.clone(), data.code == Code::If);
        let written: Vec<Value> = self.effects.written_inside(op).collect();
        if !is_branch {
            written.iter().for_each(|&root| self.forget(root));
        }
        if self.kernel.lanes_of_foreach(op).is_none() {
            let outside = self.changes.len();
            for region in regions {
                self.region(region);
                // The body of a `while` sees what its test made.
                if is_branch {
                    self.undo(outside);
                }
            }
            self.undo(outside);
        }
        written.iter().for_each(|&root| self.forget(root));
    }

    fn undo(&mut self, outside: usize) {
        for change in self.changes.drain(outside..).rev() {
            match change {
                Change::Added(root, cells) => {
                    if let Some(known) = self.known.get_mut(&root).and_then(|array| array.get_mut(&cells)) {
                        known.pop();
                    }
                }
                Change::Forgotten(root, array) => {
                    self.known.insert(root, array);
                }
            }
        }
    }

    /// Forgets what is known of an array, and of those that may overlap it.
    fn forget(&mut self, root: Value) {
        let overlaps = self.kernel.marks.alias.iter().filter(|pair| pair.0 == root || pair.1 == root);
        let mut roots: Vec<Value> = overlaps.flat_map(|&(a, b)| [a, b]).collect();
        roots.push(root);
        for root in roots {
            let array = self.known.remove(&root);
            self.changes.extend(array.map(|array| Change::Forgotten(root, array)));
        }
    }

    fn learn(&mut self, root: Value, cells: Cells, known: Known) {
        self.known.entry(root).or_default().entry(cells.clone()).or_default().push(known);
        self.changes.push(Change::Added(root, cells));
    }

    /// The facts about the cells that an op loads, in all lanes that it asks for.
    fn covering(&self, op: Op) -> Option<Known> {
        let (cells, mask) = self.loads(op)?;
        let covers = |known: &&Known| match (known.mask, mask) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(all), Some(some)) => self.implies(some, all),
        };
        let of_array = self.known.get(&self.kernel.root(cells[0]))?;
        let ty = self.kernel.ty(self.kernel.ops[op].results[0]);
        // One value may be stored to all lanes.
        let has_lanes = |known: &&Known| self.kernel.ty(known.value) == ty;
        of_array.get(&(cells, ty))?.iter().rev().filter(has_lanes).find(covers).cloned()
    }

    /// Says whether a run may end at one of some ops, other than by a cell that is not there.
    fn may_stop(&self, ops: &[Op]) -> bool {
        ops.iter().any(|&op| !self.kernel.ops[op].regions.is_empty() || self.kernel.effect(op) == Effect::Fails)
    }

    /// Says whether a condition holds, or a mask is on, only where another one is.
    fn implies(&self, part: Value, whole: Value) -> bool {
        let kernel = &*self.kernel;
        match kernel.values[part].def {
            _ if part == whole => true,
            Def::Result(op, _) if kernel.ops[op].code == Code::And => {
                kernel.ops[op].operands.iter().any(|&side| self.implies(side, whole))
            }
            // The lanes that are left of those that have begun a loop.
            Def::Arg(region, number) => self.whiles.get(&region).is_some_and(|&op| {
                let data = &kernel.ops[op];
                let next = kernel.regions[data.regions[1]].yields[number as usize];
                next != part && self.implies(next, part) && self.implies(data.operands[number as usize], whole)
            }),
            _ => false,
        }
    }

    /// The load of the same cells for less lanes that stands before a load: for those that take the other side of a branch, or before a
    /// store for those that it stores to.
    fn loaded_for_less(&self, op: Op) -> Option<Widened> {
        let (cells, mask) = self.loads(op)?;
        let of_array = self.known.get(&self.kernel.root(cells[0]))?;
        let ty = self.kernel.ty(self.kernel.ops[op].results[0]);
        of_array.get(&(cells, ty))?.iter().rev().find_map(|known| {
            let own = known.mask?;
            let outer = match mask {
                Some(mask) => opposite(self.kernel, own, mask)?,
                None => None,
            };
            let is_load = |first: &Op| self.kernel.ops[*first].code == Code::MaskedLoad;
            if let Some(first) = known.loaded_by.filter(is_load) {
                return Some(Widened { first, outer, layer: Some((own, known.value)) });
            }
            let first = self.kernel.def_op(known.value).filter(|_| known.is_zero_elsewhere && mask.is_some())?;
            is_load(&first).then_some(Widened { first, outer, layer: None })
        })
    }

    /// Makes a load one for more lanes; gives the new load, which stands before it, and what is known by it where the walk is.
    fn load_for_both(&mut self, Widened { first, outer, layer }: Widened) -> (Op, Known) {
        let data = self.kernel.ops[first].clone();
        let n_cells = data.operands.len() - 1;
        let mut operands = data.operands.clone();
        operands.truncate(n_cells);
        operands.extend(outer);
        let ty = self.kernel.ty(data.results[0]);
        let has_lanes = operands.iter().any(|&operand| self.kernel.ty(operand).lanes().is_some());
        let code = if outer.is_some() { Code::MaskedLoad } else { Code::VectorLoad };
        let attr = ty.lanes().filter(|_| !has_lanes).map_or(Attr::None, Attr::Lanes);
        let load = self.kernel.add_op(code, attr, operands, &[ty], data.origin);
        let value = self.kernel.ops[load].results[0];
        let mut known = Known::by(outer, value, layer.is_none());
        known.layers.extend(layer);
        self.learn(self.kernel.root(data.operands[0]), (self.cells(load, n_cells), ty), known.clone());
        // The lanes of the other side had a zero here, which something may rely on.
        let zero = self.kernel.constant(Scalar::zero(ty.data_elem().unwrap_or(ir::Elem::Bool)));
        let first = &mut self.kernel.ops[first];
        (first.code, first.attr) = (Code::Select, Attr::None);
        first.operands = [data.operands[n_cells], value, zero].into_iter().collect();
        self.new.grow(self.kernel.values.len(), None);
        (load, known)
    }

    /// The view and subscripts of a load, and its mask.
    fn loads(&self, op: Op) -> Option<(Values, Option<Value>)> {
        let data = &self.kernel.ops[op];
        if !matches!(data.code, Code::Load | Code::VectorLoad | Code::MaskedLoad | Code::Gather) {
            return None;
        }
        let n_cells = 1 + usize::from(self.kernel.ty(data.operands[0]).rank());
        Some((self.cells(op, n_cells), data.operands.get(n_cells).copied()))
    }

    /// The view and the subscripts of an access; neighbours by where they start.
    fn cells(&self, op: Op, n_cells: usize) -> Values {
        let data = &self.kernel.ops[op];
        let mut cells: Values = data.operands[..n_cells].into();
        let index = self.kernel.def_op(cells[n_cells - 1]).map(|index| &self.kernel.ops[index]);
        if let Some(index) = index.filter(|index| index.code == Code::LaneIndex && data.code != Code::Gather)
            && self.kernel.as_const(index.operands[1]).is_some_and(|step| step == Scalar::one(step.elem()))
        {
            cells[n_cells - 1] = index.operands[0];
        }
        cells
    }

    /// Notes what an access makes known, and forgets what it may have changed.
    fn note(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        if let Some((cells, mask)) = self.loads(op) {
            let value = data.results[0];
            let (root, ty) = (self.kernel.root(cells[0]), self.kernel.ty(value));
            return self.learn(root, (cells, ty), Known::by(mask, value, true));
        }
        if self.kernel.effect(op) != Effect::Writes {
            return;
        }
        let (view, operands, code) = (data.operands[0], data.operands.clone(), data.code);
        let root = self.kernel.root(view);
        if !matches!(code, Code::Store | Code::VectorStore | Code::MaskedStore) {
            return self.forget(root);
        }
        let n_cells = 1 + usize::from(self.kernel.ty(view).rank());
        let value = operands[n_cells];
        let mask = operands.get(n_cells + 1);
        let lanes = mask.and_then(|&mask| self.kernel.ty(mask).lanes());
        let ty = self.kernel.ty(value);
        let ty = lanes.zip(ty.data_elem()).map_or(ty, |(lanes, elem)| Type::lanes_of(elem, lanes));
        let cells = (self.cells(op, n_cells), ty);
        let Some(&mask) = mask else {
            self.forget(root);
            return self.learn(root, cells, Known::by(None, value, false));
        };
        let before = self.known.get(&root).and_then(|array| array.get(&cells)).map_or(&[][..], |known| known);
        let covers = |known: &&Known| known.mask.is_none_or(|whole| self.implies(mask, whole));
        let whole = before.iter().rev().filter(|known| self.kernel.ty(known.value) == ty).find(covers);
        let whole = whole.filter(|known| known.layers.len() < MOST_LAYERS).cloned();
        let is_load = |op: &Op| self.kernel.ops[*op].code == Code::MaskedLoad;
        let loads = before.iter().rev().filter(|known| known.mask == Some(mask) && known.is_zero_elsewhere);
        let loaded_by = loads.filter_map(|known| self.kernel.def_op(known.value)).find(is_load);
        self.forget(root);
        if let Some(mut whole) = whole {
            whole.layers.push((mask, value));
            self.learn(root, cells.clone(), Known { is_zero_elsewhere: false, loaded_by: None, ..whole });
        }
        self.learn(root, cells, Known { loaded_by, ..Known::by(Some(mask), value, false) });
    }

    /// Says whether a lane that is on in one of two masks is off in the other.
    fn are_apart(&self, a: Value, b: Value) -> bool {
        let parts = |mask: Value| {
            let (mut parts, mut left) = (Vec::new(), vec![mask]);
            while let Some(mask) = left.pop() {
                match self.kernel.def_op(mask).map(|op| &self.kernel.ops[op]) {
                    Some(data) if data.code == Code::And => left.extend(&data.operands),
                    _ => parts.push(mask),
                }
            }
            parts
        };
        let (a, b) = (parts(a), parts(b));
        a.iter().any(|&a| b.iter().any(|&b| opposite(self.kernel, a, b) == Some(None)))
    }

    /// Puts what is known in the place of a load; gives the ops that this takes.
    fn stand_for(&mut self, op: Op, known: Known) -> Vec<Op> {
        self.changed = true;
        self.outcomes.was_reused(self.kernel, op);
        let data = self.kernel.ops[op].clone();
        let result = data.results[0];
        // The words are the same for all.
        if !self.decisions.is_about(data.origin) {
            let because = vec!["its cells were loaded or stored shortly before".into()];
            self.decisions.push(Decision::taken(data.origin, ReasonCode::LoadedBefore, because));
        }
        let mask = self.loads(op).and_then(|(_, mask)| mask);
        // What was stored to none of the lanes that are asked for is left out.
        let is_seen = |(under, _): &&Layer| mask.is_none_or(|mask| !self.are_apart(mask, *under));
        let layers: SmallVec<[Layer; 1]> = known.layers.iter().filter(is_seen).copied().collect();
        let is_it = |mask: &Value| layers.is_empty() && known.is_zero_elsewhere && known.mask == Some(*mask);
        let mask = mask.filter(|mask| !is_it(mask));
        if layers.is_empty() && mask.is_none() {
            replace(self.kernel, &mut self.new, result, known.value);
            return Vec::new();
        }
        let ty = self.kernel.ty(known.value);
        let mut b = Builder::detached(std::mem::replace(self.kernel, Kernel::new("")));
        b.set_origin(data.origin);
        let mut value = known.value;
        for (under, stored) in layers {
            value = b.op(Code::Select, &[under, stored, value]);
        }
        // A lane that is off gets nothing.
        if let Some(mask) = mask {
            let zero = b.constant(Scalar::zero(ty.data_elem().unwrap_or(ir::Elem::Bool)));
            value = b.op(Code::Select, &[mask, value, zero]);
        }
        let (kernel, block) = b.detach();
        *self.kernel = kernel;
        let made = std::mem::take(&mut self.kernel.regions[block].ops);
        self.new.grow(self.kernel.values.len(), None);
        replace(self.kernel, &mut self.new, result, value);
        made
    }
}

/// A load that is made one for more lanes.
struct Widened {
    first: Op,
    /// The mask of the lanes; `None` for all.
    outer: Option<Value>,
    /// What was stored since, under the mask of the load.
    layer: Option<Layer>,
}

/// The mask of the lanes in which one of two opposite masks is on: `Some(None)` for all; `None` if they are not opposite.
pub(super) fn opposite(kernel: &Kernel, a: Value, b: Value) -> Option<Option<Value>> {
    let made = |value: Value, code: Code| {
        kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == code).map(|data| &data.operands)
    };
    let are_opposite = |a: Value, b: Value| {
        let negates = |a: Value, b: Value| made(b, Code::Not).is_some_and(|operands| operands[0] == a);
        negates(a, b) || negates(b, a)
    };
    if are_opposite(a, b) {
        return Some(None);
    }
    let (a, b) = (made(a, Code::And)?, made(b, Code::And)?);
    let both = (0..2).flat_map(|m| (0..2).map(move |n| (m, n)));
    both.into_iter().find(|&(m, n)| a[m] == b[n] && are_opposite(a[1 - m], b[1 - n])).map(|(m, _)| Some(a[m]))
}
