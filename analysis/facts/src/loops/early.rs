//! The ops of an iteration that can be computed before all others: those that a value of the next iteration is made of, where lanes have to know
//! that of each other before anything uses it.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use ir::effects::{written_by, written_inside};
use ir::entities::{Op, Region, Value};
use ir::ops::{Code, Effect};
use ir::program::{Def, Kernel};

/// The ops that some values of a loop's body are computed by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Early {
    /// The ops of the body, in order; those of branches that are done in all iterations among them.
    pub ops: Vec<Op>,
    /// The carried values that are needed, by number.
    pub carried: BTreeSet<usize>,
}

impl Early {
    /// The ops that these values are computed by in an iteration, for who asks once; see [`Beginning::early`].
    pub fn in_iteration(kernel: &Kernel, op: Op, values: &[Value]) -> Option<Early> {
        Beginning::of(kernel, op).early(values)
    }

    /// The ops that these values are computed by, if that may be done before the loop: none of them stores, or loads where the loop
    /// stores, or stands inside of a branch.
    pub fn before_loop(kernel: &Kernel, op: Op, values: &[Value]) -> Option<Early> {
        let beginning = Beginning::of(kernel, op);
        let stores = Stores::of(kernel, op);
        beginning.collect(values, |maker, place| place.is_own && is_early(kernel, &stores, maker))
    }
}

/// What is known of a loop's body to say what of it can be computed first.
pub(super) struct Beginning<'k> {
    kernel: &'k Kernel,
    body: Region,
    n_ranges: usize,
    /// The places of the ops of the block, and of those in its branches.
    places: FxHashMap<Op, PlaceInBody>,
    inside: FxHashSet<Value>,
    /// The arrays that the block stores to, each with the position of the first op that does.
    stored: FxHashMap<Value, usize>,
}

/// The place of an op in a loop's body.
struct PlaceInBody {
    /// The position of the op among all.
    position: usize,
    /// The position in the block: that of the op itself, or of the branch that it stands in.
    at: usize,
    /// True if it stands in the block, and in no branch of it.
    is_own: bool,
}

impl<'k> Beginning<'k> {
    pub(super) fn of(kernel: &'k Kernel, op: Op) -> Beginning<'k> {
        let body = kernel.ops[op].regions[0];
        let (mut places, mut stored) = (FxHashMap::default(), FxHashMap::default());
        for (at, &op) in kernel.regions[body].ops.iter().enumerate() {
            places.insert(op, PlaceInBody { position: places.len(), at, is_own: true });
            place_branches(kernel, op, at, &mut places);
            written_by(kernel, op).into_iter().for_each(|array| _ = stored.entry(array).or_insert(at));
        }
        Beginning { kernel, body, n_ranges: kernel.n_ranges(op), places, inside: made_inside(kernel, op), stored }
    }

    /// The ops that these values are computed by; `None` if that may not be done first: it stores, or loads what the block may have
    /// stored before, or stands inside of a branch and may fail. Lanes run each op for all iterations of a group before the next op, so
    /// what is stored behind a load is no matter.
    pub(super) fn early(&self, values: &[Value]) -> Option<Early> {
        self.collect(values, |maker, place| {
            let before = self.stored.iter().filter(|(_, at)| **at <= place.at);
            let stores = Stores(before.map(|(array, _)| *array).collect());
            (place.is_own || self.never_fails(maker, place)) && is_early(self.kernel, &stores, maker)
        })
    }

    /// Says whether an op of a branch may be done in all iterations: it only computes, or loads a cell that each of them loads before it.
    fn never_fails(&self, op: Op, place: &PlaceInBody) -> bool {
        let data = &self.kernel.ops[op];
        match data.code {
            Code::Load => self.kernel.regions[self.body].ops[..place.at].iter().any(|&before| {
                let before = &self.kernel.ops[before];
                before.code == Code::Load && before.operands == data.operands
            }),
            code => code.is_elementwise() && self.kernel.effect(op) == Effect::Pure,
        }
    }

    /// The ops of the body that these values are computed by, if `may_be` holds for each.
    fn collect(&self, values: &[Value], may_be: impl Fn(Op, &PlaceInBody) -> bool) -> Option<Early> {
        let kernel = self.kernel;
        let (mut wanted, mut carried) = (FxHashSet::default(), BTreeSet::new());
        let mut open = values.to_vec();
        while let Some(value) = open.pop() {
            let maker = match kernel.values[value].def {
                Def::Result(maker, _) => maker,
                Def::Arg(region, number) if region == self.body && number as usize >= self.n_ranges => {
                    carried.insert(number as usize - self.n_ranges);
                    continue;
                }
                _ => continue,
            };
            if !self.inside.contains(&value) || wanted.contains(&maker) {
                continue;
            }
            if !self.places.get(&maker).is_some_and(|place| may_be(maker, place)) {
                return None;
            }
            wanted.insert(maker);
            open.extend(kernel.inputs(maker));
        }
        let mut ops: Vec<Op> = wanted.into_iter().collect();
        ops.sort_by_key(|op| self.places[op].position);
        Some(Early { ops, carried })
    }
}

/// Notes the places of what stands in the branches of an op, and in those inside of them.
fn place_branches(kernel: &Kernel, op: Op, at: usize, places: &mut FxHashMap<Op, PlaceInBody>) {
    if kernel.ops[op].code != Code::If {
        return;
    }
    for inner in kernel.ops[op].regions.iter().flat_map(|&region| &kernel.regions[region].ops) {
        places.insert(*inner, PlaceInBody { position: places.len(), at, is_own: false });
        place_branches(kernel, *inner, at, places);
    }
}

/// Says whether an op, and all inside of it, may be done before the others.
pub fn is_early(kernel: &Kernel, stores: &Stores, op: Op) -> bool {
    let mut early = true;
    let mut check = |op: Op| {
        let data = &kernel.ops[op];
        early &= match data.code {
            Code::Load => !stores.may_touch(kernel, kernel.root(data.operands[0])),
            Code::If => true,
            Code::Row | Code::Slice | Code::Field | Code::Flat | Code::Size => true,
            code => code.is_elementwise(),
        };
    };
    check(op);
    kernel.walk_inside(op, &mut check);
    early
}

/// What is known of a loop's body to say what of it can be done iteration by iteration, behind what all lanes do together.
pub(super) struct Behind<'k> {
    kernel: &'k Kernel,
    inside: FxHashSet<Value>,
    pub(super) stores: Stores,
}

impl<'k> Behind<'k> {
    pub(super) fn of(kernel: &'k Kernel, op: Op) -> Behind<'k> {
        Behind { kernel, inside: made_inside(kernel, op), stores: Stores::of(kernel, op) }
    }

    /// Says whether some ops, with all inside of them, can be done behind the others, or once more: they compute, or load where
    /// the loop stores nothing.
    pub(super) fn can_do(&self, ops: impl IntoIterator<Item = Op>) -> bool {
        let kernel = self.kernel;
        let mut can = true;
        let mut check = |op: Op| {
            let data = &kernel.ops[op];
            can &= match data.code {
                Code::Load => {
                    let array = data.operands[0];
                    !self.inside.contains(&array) && !self.stores.may_touch(kernel, kernel.root(array))
                }
                Code::If => true,
                code => code.is_elementwise(),
            };
        };
        for op in ops {
            check(op);
            kernel.walk_inside(op, &mut check);
        }
        can
    }
}

/// The values that are made inside of a control op.
fn made_inside(kernel: &Kernel, op: Op) -> FxHashSet<Value> {
    let mut made = FxHashSet::default();
    kernel.walk_inside(op, &mut |inner| made.extend(kernel.ops[inner].results.iter().copied()));
    made
}

/// The arrays that a loop stores to.
pub struct Stores(FxHashSet<Value>);

impl Stores {
    /// The arrays that a loop stores to.
    pub fn of(kernel: &Kernel, op: Op) -> Stores {
        Stores(written_inside(kernel, op))
    }

    /// Says whether a store may touch an array: it is stored to, or may overlap one that is.
    pub fn may_touch(&self, kernel: &Kernel, root: Value) -> bool {
        let with = |a: Value, b: Value| a == root && self.0.contains(&b);
        self.0.contains(&root) || kernel.marks.alias.iter().any(|&(a, b)| with(a, b) || with(b, a))
    }
}
