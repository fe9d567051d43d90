//! Two sides of a branch that store to the same cells: `if a[i] > 0: b[i] = x` and `else: b[i] = y` are stores under two
//! masks, one of them where the other is not. Where nothing comes between them that could tell, one store of what each
//! lane chose does.

use std::collections::HashMap;

use ir::ops::EffectRule;
use ir::{Code, Kernel, Op, Region, Value};

/// Stores that are done together.
#[derive(Default)]
pub(super) struct Pairs {
    /// For each store that waits, the one that it is done with.
    waiting: HashMap<Op, Op>,
    /// For each of those what it does besides its own.
    joint: HashMap<Op, Joint>,
}

/// What a store does for one that stood before.
#[derive(Clone, Copy)]
pub(super) struct Joint {
    /// What that one stores, and in which lanes.
    pub(super) stored: Value,
    /// The lanes that have it.
    pub(super) mask: Value,
    /// The lanes that either has; nothing if all.
    pub(super) outer: Option<Value>,
}

impl Pairs {
    /// The pairs of a kernel.
    pub(super) fn of(kernel: &Kernel) -> Pairs {
        let mut pairs = Pairs::default();
        pairs.find(kernel, kernel.body);
        kernel.walk(kernel.body, &mut |_, op| {
            kernel.ops[op].regions.iter().for_each(|&region| pairs.find(kernel, region));
        });
        pairs
    }

    /// Whether a store is done with a later one.
    pub(super) fn waits(&self, op: Op) -> bool {
        self.waiting.contains_key(&op)
    }

    /// What a store does for one that stood before.
    pub(super) fn joint(&self, op: Op) -> Option<Joint> {
        self.joint.get(&op).copied()
    }

    fn find(&mut self, kernel: &Kernel, region: Region) {
        let ops = &kernel.regions[region].ops;
        for (number, &first) in ops.iter().enumerate() {
            let data = &kernel.ops[first];
            if data.code != Code::MaskedStore || self.joint.contains_key(&first) {
                continue;
            }
            for &later in &ops[number + 1..] {
                if let Some(outer) = together(kernel, first, later) {
                    let [stored, mask] = [2, 1].map(|from_end| data.operands[data.operands.len() - from_end]);
                    self.waiting.insert(first, later);
                    self.joint.insert(later, Joint { stored, mask, outer });
                    break;
                }
                if could_tell(kernel, first, later) {
                    break;
                }
            }
        }
    }
}

/// Whether an op between two stores could tell that the first one has not been done.
fn could_tell(kernel: &Kernel, store: Op, between: Op) -> bool {
    let data = &kernel.ops[between];
    match data.code.row().effect {
        EffectRule::Inside => true,
        EffectRule::Reads | EffectRule::Writes => {
            let (stored, touched) = (kernel.root(kernel.ops[store].operands[0]), kernel.root(data.operands[0]));
            let may_overlap = |array: Value| kernel.marks.alias.iter().any(|&(a, b)| a == array || b == array);
            stored == touched || may_overlap(stored) && may_overlap(touched)
        }
        _ => !data.regions.is_empty(),
    }
}

/// The lanes that two stores to the same cells have together (nothing: all), if no lane has both.
fn together(kernel: &Kernel, first: Op, later: Op) -> Option<Option<Value>> {
    let (a, b) = (&kernel.ops[first], &kernel.ops[later]);
    let n_cells = a.operands.len() - 2;
    if b.code != Code::MaskedStore || b.operands.len() != n_cells + 2 || a.operands[..n_cells] != b.operands[..n_cells]
    {
        return None;
    }
    let (a, b) = (a.operands[n_cells + 1], b.operands[n_cells + 1]);
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
    let outer = a.iter().enumerate().flat_map(|(m, _)| b.iter().enumerate().map(move |(n, _)| (m, n)));
    outer.into_iter().find(|&(m, n)| a[m] == b[n] && are_opposite(a[1 - m], b[1 - n])).map(|(m, _)| Some(a[m]))
}
