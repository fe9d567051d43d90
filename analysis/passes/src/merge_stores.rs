//! Stores of both sides of a branch to the same cells: `if a[i] > 0: b[i] = x` and `else: b[i] = y` are stores under
//! two masks, one the complement of the other. If nothing between them can observe the difference, they become one
//! store of the values that the lanes chose.
//!
//! ```text
//! masked_store(b, i, x, c)
//! masked_store(b, i, y, ~c)           vector_store(b, i, select(c, x, y))
//! ```
//!
//! Of three sides or more the last two become one, which is the other side of the one before. A store that ends a block which is
//! skipped where no lane needs it is done behind that block, if it becomes one with a store before it.
//!
//! Where the target's stores under a mask cost more than that, two stores become one whatever their masks are; and one to cells that the
//! lanes have loaded or stored without a mask becomes a store of all of them: the lanes that the mask leaves out store what is there.
//! Nobody else may write these cells meanwhile, since the iterations of those lanes read or write them as well.
//!
//! ```text
//! let x = vector_load(a, i)
//! masked_store(a, i, y, c)            vector_store(a, i, select(c, y, vector_load(a, i)))
//! ```

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::load_reuse::opposite;
use crate::Context;
use crate::decision::Decision;
use ir::codes::ReasonCode;
use ir::effects::Effects;
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, EffectRule};
use ir::program::{Attr, Def, Kernel, Values};
use ir::scalar::Scalar;
use ir::target::Target;
use ir::types::{Elem, Type};

/// Makes one store of two, and whole stores of masked ones; says whether there are any.
pub fn merge_stores(kernel: &mut Kernel, context: &mut Context) -> bool {
    let mut regions = vec![kernel.body];
    kernel.walk(kernel.body, &mut |_, op| regions.extend(&kernel.ops[op].regions));
    let mut arrays = Arrays::of(kernel);
    let mut changed = false;
    // What is done behind a block that is skipped may be the end of one around it.
    for &region in regions.iter().rev() {
        changed |= move_behind(kernel, &mut arrays, region);
        changed |= merge_in(kernel, &arrays, region, context);
        changed |= whole_stores(kernel, region, context);
    }
    changed
}

/// Records that a store is done in place of several, or of one under a mask.
fn decide(kernel: &Kernel, store: Op, why: &'static str, context: &mut Context) {
    context.decide(Decision::taken(kernel.ops[store].origin, ReasonCode::StoresJoined, vec![why.into()]));
}

/// Says whether a mask on a store of such elements costs more than a choice and a mask that is joined of two.
fn are_masks_dear(target: &Target, elem: Elem) -> bool {
    !target.masked_memory.has(elem.bytes()) || target.costs.masked_store > 2 * target.costs.arithmetic
}

/// A store of lanes.
struct Stored<'k> {
    /// The view and its subscripts.
    cells: &'k [Value],
    value: Value,
    mask: Option<Value>,
}

impl<'k> Stored<'k> {
    fn of(kernel: &'k Kernel, op: Op) -> Option<Stored<'k>> {
        let operands = &kernel.ops[op].operands[..];
        let (rest, mask) = match kernel.ops[op].code {
            Code::MaskedStore => operands.split_last().map(|(&mask, rest)| (rest, Some(mask)))?,
            Code::VectorStore => (operands, None),
            _ => return None,
        };
        let (&value, cells) = rest.split_last()?;
        Some(Stored { cells, value, mask })
    }

    fn elem(&self, kernel: &Kernel) -> Elem {
        kernel.ty(self.value).data_elem().expect("what is stored is data")
    }

    /// Says whether lane by lane another store is to the same cells. Stores of vectors of other sizes may begin at one cell, too.
    fn has_cells_of(&self, other: &Stored, kernel: &Kernel) -> bool {
        self.cells == other.cells && self.lanes(kernel) == other.lanes(kernel)
    }

    fn lanes(&self, kernel: &Kernel) -> Option<u16> {
        let operands = self.mask.iter().chain([&self.value]).chain(self.cells);
        operands.into_iter().find_map(|&operand| kernel.ty(operand).lanes())
    }
}

/// The arrays of a kernel, of which those that overlap others count as one: an access to one of them may be to any.
struct Arrays {
    overlapping: FxHashSet<Value>,
    /// What is touched inside of each op.
    inside: FxHashMap<Op, SmallVec<[Option<Value>; 2]>>,
}

impl Arrays {
    fn of(kernel: &Kernel) -> Arrays {
        let overlapping = kernel.marks.alias.iter().flat_map(|&(a, b)| [a, b]).collect();
        let mut arrays = Arrays { overlapping, inside: FxHashMap::default() };
        let effects = Effects::of(kernel);
        kernel.walk(kernel.body, &mut |_, op| {
            let touched = effects.touched_inside(op);
            if !touched.is_empty() {
                let touched = touched.iter().map(|&(array, _)| arrays.key(array)).collect();
                arrays.inside.insert(op, touched);
            }
        });
        arrays
    }

    /// An array; `None` for all that overlap others.
    fn key(&self, array: Value) -> Option<Value> {
        Some(array).filter(|array| !self.overlapping.contains(array))
    }

    /// The array that an op by itself reads or writes.
    fn touched(&self, kernel: &Kernel, op: Op) -> Option<Option<Value>> {
        let data = &kernel.ops[op];
        let accesses = matches!(data.code.row().effect, EffectRule::Reads | EffectRule::Writes);
        data.operands.first().filter(|_| accesses).map(|&view| self.key(kernel.root(view)))
    }

    /// The arrays that an op, or one inside of it, reads or writes.
    fn all_touched(&self, kernel: &Kernel, op: Op) -> impl Iterator<Item = Option<Value>> {
        self.touched(kernel, op).into_iter().chain(self.inside.get(&op).into_iter().flatten().copied())
    }

    /// The only access to an array inside of an op is there no more.
    fn leaves(&mut self, op: Op, array: Option<Value>) {
        self.inside.entry(op).or_default().retain(|own| *own != array);
    }
}

/// Does stores behind the blocks that they end, where they become one with a store in front of it; says whether there are any.
fn move_behind(kernel: &mut Kernel, arrays: &mut Arrays, region: Region) -> bool {
    let ops = std::mem::take(&mut kernel.regions[region].ops);
    // The last op so far that touches each array.
    let mut last: FxHashMap<Option<Value>, Op> = FxHashMap::default();
    let mut new = Vec::with_capacity(ops.len());
    let n_before = ops.len();
    for op in ops {
        let moved = ending_store(kernel, arrays, op).filter(|&store| {
            let before = last.get(&arrays.key(kernel.root(kernel.ops[store].operands[0])));
            before.is_some_and(|&before| may_become_one(kernel, before, store))
        });
        new.push(op);
        if let Some(store) = moved {
            new.push(move_store(kernel, op, store));
            arrays.leaves(op, arrays.key(kernel.root(kernel.ops[store].operands[0])));
        }
        for &op in [Some(op), moved].iter().flatten() {
            last.extend(arrays.all_touched(kernel, op).map(|array| (array, op)));
        }
    }
    let changed = new.len() > n_before;
    kernel.regions[region].ops = new;
    changed
}

/// Says whether a store of all lanes, or of those that a later store to the same cells leaves out, is the one before it.
fn may_become_one(kernel: &Kernel, before: Op, store: Op) -> bool {
    Stored::of(kernel, before).zip(Stored::of(kernel, store)).is_some_and(|(a, b)| {
        let opposite = a.mask.zip(b.mask).and_then(|(a, b)| opposite(kernel, a, b));
        a.has_cells_of(&b, kernel) && (a.mask.is_none() || opposite.is_some())
    })
}

/// The store that ends a block which is skipped where no lane is on, if it is for just those lanes.
fn ending_store(kernel: &Kernel, arrays: &Arrays, skipped: Op) -> Option<Op> {
    let data = &kernel.ops[skipped];
    let tested = &kernel.ops[kernel.def_op(*data.operands.first().filter(|_| data.code == Code::If)?)?];
    let &[then, otherwise] = &data.regions[..] else { return None };
    let ops = &kernel.regions[then].ops;
    let &store = ops.last().filter(|_| kernel.regions[otherwise].ops.is_empty() && tested.code == Code::Any)?;
    let stored = Stored::of(kernel, store)?;
    let is_outside = |value: &Value| kernel.def_op(*value).is_none_or(|made| !ops.contains(&made));
    let array = arrays.key(kernel.root(stored.cells[0]));
    let mut others = ops[..ops.len() - 1].iter().flat_map(|&op| arrays.all_touched(kernel, op));
    let is_alone = others.all(|other| other != array);
    (stored.mask == Some(tested.operands[0])
        && tested.operands.len() == 1
        && stored.cells.iter().all(is_outside)
        && kernel.ty(stored.value).lanes().is_some()
        && is_alone)
        .then_some(store)
}

/// Takes the store out of a block that it ends: what it stores is a result of the branch. Gives the store, which is to stand behind it.
fn move_store(kernel: &mut Kernel, skipped: Op, store: Op) -> Op {
    let [then, otherwise] = [0, 1].map(|side| kernel.ops[skipped].regions[side]);
    kernel.regions[then].ops.pop();
    let number = kernel.ops[store].operands.len() - 2;
    let value = kernel.ops[store].operands[number];
    let (ty, origin) = (kernel.ty(value), kernel.ops[store].origin);
    let nothing = kernel.constant(Scalar::zero(ty.data_elem().expect("what is stored is data")));
    let lanes = Attr::Lanes(ty.lanes().expect("a vector"));
    let splat = kernel.add_op(Code::Splat, lanes, smallvec![nothing], &[ty], origin);
    kernel.regions[otherwise].ops.push(splat);
    let none = kernel.ops[splat].results[0];
    kernel.regions[then].yields.push(value);
    kernel.regions[otherwise].yields.push(none);
    let place = kernel.ops[skipped].results.len() as u32;
    let result = kernel.add_value(ty, Def::Result(skipped, place), None);
    kernel.ops[skipped].results.push(result);
    kernel.ops[store].operands[number] = result;
    store
}

/// Makes one store of two in a block.
fn merge_in(kernel: &mut Kernel, arrays: &Arrays, region: Region, context: &mut Context) -> bool {
    let target = context.options.target;
    let followed = followed(kernel, arrays, region);
    let mut into: FxHashMap<Op, Op> = FxHashMap::default();
    let mut before: FxHashMap<Op, Vec<Op>> = FxHashMap::default();
    // The last sides of a row of branches (`if`, `elif`, `else`) are the other side of the one before: they become one first. Only then
    // are stores joined whose masks have nothing to do with each other.
    for any_masks in [false, true] {
        loop {
            let n_before = into.len();
            for &(first, mut later) in followed.iter().rev() {
                while let Some(&merged) = into.get(&later) {
                    later = merged;
                }
                let masks = together(kernel, first, later, any_masks.then_some(target));
                if let Some(masks) = masks.filter(|_| !into.contains_key(&first)) {
                    decide(kernel, later, masks.why(), context);
                    let joined = "it is one with another store to the same cells".to_owned();
                    context.outcomes.stays_in_cache(kernel, first, joined);
                    before.entry(later).or_default().extend(merge(kernel, first, later, masks));
                    into.insert(first, later);
                }
            }
            if into.len() == n_before {
                break;
            }
        }
    }
    if into.is_empty() {
        return false;
    }
    let ops = std::mem::take(&mut kernel.regions[region].ops);
    for op in ops {
        // A store that has become another's may have become of one before it.
        kernel.regions[region].ops.extend(before.remove(&op).into_iter().flatten());
        kernel.regions[region].ops.extend(Some(op).filter(|op| !into.contains_key(op)));
    }
    true
}

/// The stores of lanes in a block, in order, each with the first op behind it that could tell that it has not been done, if that is an
/// access.
fn followed(kernel: &Kernel, arrays: &Arrays, region: Region) -> Vec<(Op, Op)> {
    let ops = &kernel.regions[region].ops;
    if !ops.iter().any(|&op| kernel.ops[op].code == Code::MaskedStore) {
        return Vec::new();
    }
    let mut next: FxHashMap<Option<Value>, Op> = FxHashMap::default();
    let mut found = Vec::new();
    for &op in ops.iter().rev() {
        let data = &kernel.ops[op];
        if let Some(array) = arrays.touched(kernel, op) {
            let behind = next.insert(array, op);
            let is_store = matches!(data.code, Code::MaskedStore | Code::VectorStore);
            found.extend(behind.filter(|_| is_store).map(|behind| (op, behind)));
        } else {
            // A block, a loop's perhaps, tells only of the arrays that it touches.
            arrays.all_touched(kernel, op).for_each(|array| _ = next.remove(&array));
        }
    }
    found.reverse();
    found
}

/// The lanes that two stores have together.
enum Masks {
    /// Those of the later store, which all lanes do: nothing is left of the first.
    Later,
    /// All.
    All,
    /// Those of this mask.
    These(Value),
    /// Those of either mask, which has to be made.
    Either,
}

impl Masks {
    /// The reason to make one store of two.
    fn why(&self) -> &'static str {
        match self {
            Masks::Later => "every lane stores to these cells behind another store to them, which is left out",
            Masks::All => {
                "every lane stores to these cells one way or another, so it is one store of what each lane chooses"
            }
            Masks::These(_) => {
                "both sides of the branch store to the same cells, so it is one store of what each lane chooses"
            }
            Masks::Either => {
                "two stores to the same cells are one for the lanes of both, since a mask on a store costs more than a choice"
            }
        }
    }
}

/// The lanes that two stores to the same cells have together, if no lane has both, or all lanes have the first one; with a target also those
/// of any two masks, where masks are dear there.
fn together(kernel: &Kernel, first: Op, later: Op, target: Option<&Target>) -> Option<Masks> {
    let (a, b) = (Stored::of(kernel, first)?, Stored::of(kernel, later)?);
    if !a.has_cells_of(&b, kernel) {
        return None;
    }
    let is_dear = target.is_some_and(|target| are_masks_dear(target, a.elem(kernel)));
    match (a.mask, b.mask) {
        (_, None) => Some(Masks::Later),
        (None, _) => is_dear.then_some(Masks::All),
        (Some(a), Some(b)) => match opposite(kernel, a, b) {
            Some(None) => Some(Masks::All),
            Some(Some(outer)) => Some(Masks::These(outer)),
            None => is_dear.then_some(Masks::Either),
        },
    }
}

/// Makes the later one of two stores do what both do; gives the ops that are to stand before it: the choice of what it stores, and
/// perhaps its mask.
fn merge(kernel: &mut Kernel, first: Op, later: Op, masks: Masks) -> Vec<Op> {
    let [a, b] = [first, later].map(|op| Stored::of(kernel, op).expect("a store"));
    let (of_first, Some(of_later)) = (a.mask, b.mask) else { return Vec::new() };
    let number = b.cells.len();
    // Where a lane has both, the later one is what stays.
    let sides: Values = match (&masks, of_first) {
        (Masks::All | Masks::These(_), Some(mask)) => smallvec![mask, a.value, b.value],
        _ => smallvec![of_later, b.value, a.value],
    };
    let ty = Type::Data { elem: a.elem(kernel), lanes: kernel.ty(of_later).lanes() };
    let origin = kernel.ops[later].origin;
    let mut made = vec![kernel.add_op(Code::Select, Attr::None, sides, &[ty], origin)];
    let chosen = kernel.ops[made[0]].results[0];
    kernel.ops[later].operands[number] = chosen;
    match (masks, of_first) {
        (Masks::These(outer), _) => kernel.ops[later].operands[number + 1] = outer,
        (Masks::Either, Some(of_first)) => {
            let ty = kernel.ty(of_later);
            let either = kernel.add_op(Code::Or, Attr::None, smallvec![of_first, of_later], &[ty], origin);
            kernel.ops[later].operands[number + 1] = kernel.ops[either].results[0];
            made.push(either);
        }
        (Masks::All | Masks::Either | Masks::Later, _) => {
            kernel.ops[later].operands.pop();
            kernel.ops[later].code = Code::VectorStore;
        }
    }
    made
}

/// Makes whole stores of those to cells that the lanes have touched without a mask, where masks are dear; says whether there are any.
fn whole_stores(kernel: &mut Kernel, region: Region, context: &mut Context) -> bool {
    let target = context.options.target;
    let ops = kernel.regions[region].ops.clone();
    // The cells that all lanes have. Where a subscript is a number for each lane, they are those that the program names: what is loaded to pick
    // cells out of it may hold others, which are somebody else's.
    let mut touched: FxHashSet<Values> = FxHashSet::default();
    let mut new: Vec<Op> = Vec::with_capacity(ops.len());
    for op in ops {
        let data = &kernel.ops[op];
        match data.code {
            Code::VectorLoad => _ = touched.insert(data.operands.clone()),
            Code::VectorStore => {
                let cells = data.operands[..data.operands.len() - 1].iter().copied().collect();
                touched.insert(cells);
            }
            Code::MaskedStore => {
                let stored = Stored::of(kernel, op).expect("a store");
                let cells: Values = stored.cells.iter().copied().collect();
                let is_own = cells.last().is_some_and(|&subscript| kernel.ty(subscript).lanes().is_some());
                if is_own && touched.contains(&cells) && are_masks_dear(target, stored.elem(kernel)) {
                    let why = "all lanes have read or written these cells: those that the condition leaves out store what is there, since a mask on \
                               a store costs more";
                    decide(kernel, op, why, context);
                    new.extend(store_all(kernel, op, cells));
                }
            }
            _ => {}
        }
        new.push(op);
    }
    let changed = new.len() > kernel.regions[region].ops.len();
    kernel.regions[region].ops = new;
    changed
}

/// Makes a masked store one of all lanes; gives the load of what is there and the choice, which stand before it.
fn store_all(kernel: &mut Kernel, op: Op, cells: Values) -> [Op; 2] {
    let stored = Stored::of(kernel, op).expect("a store");
    let (value, mask, elem) = (stored.value, stored.mask.expect("a masked store"), stored.elem(kernel));
    let (origin, number, lanes) = (kernel.ops[op].origin, cells.len(), kernel.ty(mask).lanes());
    let ty = Type::Data { elem, lanes };
    let load = kernel.add_op(Code::VectorLoad, Attr::None, cells, &[ty], origin);
    let sides = smallvec![mask, value, kernel.ops[load].results[0]];
    let choice = kernel.add_op(Code::Select, Attr::None, sides, &[ty], origin);
    let chosen = kernel.ops[choice].results[0];
    let store = &mut kernel.ops[op];
    store.operands[number] = chosen;
    store.operands.pop();
    store.code = Code::VectorStore;
    [load, choice]
}
