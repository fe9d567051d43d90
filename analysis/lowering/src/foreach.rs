//! `foreach` to ops: what leaves one, and the variables that the lanes of a group share.
//!
//! A plain `foreach` carries what its body updates, as a `for` does, and joins sums and products of floats in the fixed order. One
//! over several ranges that updates something is a nest of them.
//!
//! If lanes run together, a variable from outside is one for all lanes of a group, so a statement that updates it does so once
//! for the lanes that are active. In the ops each lane has a value of its own; those of the active lanes are equal. Behind a block
//! that only some lanes enter, all of them take the value of those that did:
//!
//! ```text
//! if c:                               s1 = if c:
//!     s += reduce_add(x)                  yield (s + reduce_add(x))
//!                                     else:
//!                                         yield s
//!                                     s2 = first_of(s1, s, c)
//! ```
//!
//! The second block of an `if` goes on with what the first one made of such a variable, so it is an `if` of its own. Of a loop that
//! lanes leave one by one, those that began the most iterations have the latest value.

use std::collections::BTreeSet;

use ir::{Attr, Code, Control, Elem, Marks, Scalar as Constant, Type, Value};

use super::shape::{Part, assigned};
use super::{Lower, Lowered, Var};
use hir::{Block, Joined, LocalId, Stmt, StmtId};

/// The variables that lanes share and a loop updates, with their values before it.
type Shared = Vec<(Var, Lowered)>;

impl Lower<'_> {
    pub(super) fn foreach(&mut self, stmt: StmtId, marks: Marks, level: u32, inner: &[Part]) {
        let body = self.frame().body.clone();
        let Stmt::Foreach { indices, body: block, .. } = &body.stmts[stmt] else { return };
        let around = self.lanes;
        let together = self.lanes_together(block, marks.lanes);
        if around.is_some() && together.is_some() {
            let at = self.frame().map.stmts[stmt];
            return self.breaks_undone(at, hir::BrokenRule::LanesInLanes);
        }
        let mut ranges = Vec::new();
        for (index, range) in indices {
            let range = self.range(*index, range);
            ranges.push((body.index_name(*index), range));
        }
        let ranges: Vec<_> = ranges.iter().map(|(name, range)| (&**name, *range)).collect();
        self.place_of(stmt);
        let carried = self.carried_out(level, inner);
        // Without lane operations, each lane around goes through all iterations.
        self.lanes = together.or(around);
        let outside = self.shared.clone();
        let indices: Vec<LocalId> = indices.iter().map(|(index, _)| *index).collect();
        let nest = Nest { stmt, indices: &indices, marks, level, inner };
        // Each lane keeps the order of its own sums, whatever the item says.
        let reassoc = self.free_order(false);
        match together {
            Some(lanes) => {
                self.shared = carried.iter().map(|(var, _)| *var).collect();
                let control = Control { width: Some(lanes), ..Control::default() };
                self.ranges(&ranges, control, carried, &[], &nest);
            }
            None if carried.is_empty() => self.ranges(&ranges, Control::default(), carried, &[], &nest),
            None => {
                let joined = self.joined_in_foreach(block);
                self.nest(&ranges, &joined, &nest);
            }
        }
        self.free_order(reassoc);
        self.shared = outside;
        self.lanes = around;
    }

    /// Says from here on whether loops free the order of sums without an attribute of their own; gives what was said before.
    fn free_order(&mut self, frees: bool) -> bool {
        self.frames.last_mut().is_some_and(|frame| std::mem::replace(&mut frame.reassoc, frees))
    }

    /// The scalars that a `foreach` updates and that are defined before it.
    fn carried_out(&mut self, level: u32, inner: &[Part]) -> Vec<(Var, Lowered)> {
        let mut carried = self.carried(level, inner);
        carried.retain(|(var, lowered)| matches!(var, Var::Local(..) | Var::Steps(..)) && is_of_scalars(lowered));
        carried
    }

    fn joined_in_foreach(&self, block: &Block) -> Vec<Joined> {
        let frame = self.frame();
        // Sums in the prelude's own functions keep their order, so that these have the same bits everywhere.
        if frame.key.in_prelude() { Vec::new() } else { self.joined_in(&frame.body, block) }
    }

    /// A loop over each range, one inside of the other, each of which carries what the body updates.
    fn nest(&mut self, ranges: &[(&str, [Value; 3])], joined: &[Joined], nest: &Nest) {
        let Some((first, rest)) = ranges.split_first() else { return };
        let carried = self.carried_out(nest.level, nest.inner);
        if rest.is_empty() {
            return self.ranges(&[*first], Control::default(), carried, joined, nest);
        }
        let outer = Nest { marks: Marks { nested: nest.marks.nested, ..Marks::default() }, ..*nest };
        self.open_and_close(&[*first], Control::default(), carried, joined, &outer, |lower, args| {
            lower.start_local(nest.indices[0], Lowered::Scalar(args[0]));
            let marks = Marks { nested: true, ..nest.marks.clone() };
            let inner = Nest { indices: &nest.indices[1..], marks, ..*nest };
            lower.nest(rest, joined, &inner);
        });
    }

    /// One op for some ranges, with the body.
    fn ranges(
        &mut self,
        ranges: &[(&str, [Value; 3])],
        control: Control,
        carried: Vec<(Var, Lowered)>,
        joined: &[Joined],
        nest: &Nest,
    ) {
        self.open_and_close(ranges, control, carried, joined, nest, |lower, args| {
            for (&index, &arg) in nest.indices.iter().zip(args) {
                lower.start_local(index, Lowered::Scalar(arg));
            }
            lower.start_level(nest.level);
            lower.parts(nest.inner);
        });
    }

    fn open_and_close(
        &mut self,
        ranges: &[(&str, [Value; 3])],
        control: Control,
        carried: Vec<(Var, Lowered)>,
        joined: &[Joined],
        nest: &Nest,
        block: impl FnOnce(&mut Self, &[Value]),
    ) {
        let carrying = self.carrying(carried, joined);
        let (inits, starts) = self.starts(&carrying);
        let inits: Vec<_> = inits.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let before = self.vars.checkpoint();
        self.place_of(nest.stmt);
        let args = self.b.open_foreach_with(ranges, control, &inits, &starts);
        *self.b.marks() = nest.marks.clone();
        self.enter(&carrying, &args[ranges.len()..]);
        block(self, &args[..ranges.len()]);
        self.leave(before, &carrying);
    }

    // Variables that lanes share.

    /// Returns the variables among some parts that lanes share, with their values.
    fn shared_in(&mut self, parts: &[&[Part]]) -> Shared {
        if self.shared.is_empty() {
            return Vec::new();
        }
        let (body, number) = (self.frame().body.clone(), self.frame().number);
        let vars: BTreeSet<Var> = parts.iter().flat_map(|parts| assigned(&body, number, parts)).collect();
        let shared = vars.into_iter().filter(|var| self.shared.contains(var));
        shared.filter_map(|var| Some((var, self.vars.get(&var)?.clone()))).collect()
    }

    /// A branch with blocks that update what lanes share; says whether it was one.
    pub(super) fn shared_branch(&mut self, condition: Value, marks: &Marks, sides: [&[Part]; 2]) -> bool {
        let shared = self.shared_in(&sides);
        if shared.is_empty() {
            return false;
        }
        for (n, parts) in sides.into_iter().enumerate().filter(|(_, parts)| !parts.is_empty()) {
            let before = self.shared_in(&[parts]);
            let takes = match n {
                0 => condition,
                _ => self.op(Code::Not, Attr::None, &[condition], Type::scalar(Elem::Bool)),
            };
            self.branch_as_it_is(takes, marks.clone(), parts, &[]);
            self.agree(&before, takes);
        }
        true
    }

    /// Behind a block that the lanes enter for which a condition holds, all lanes have what those made.
    fn agree(&mut self, before: &Shared, entered: Value) {
        for (var, old) in before {
            let shape = [(*var, old.clone())];
            let (olds, news) = (self.flatten(&shape), self.conforming(&shape));
            let pairs = news.into_iter().zip(olds);
            let agreed: Vec<Value> = pairs
                .map(|(new, old)| {
                    let ty = self.b.kernel().ty(old);
                    if new == old { new } else { self.op(Code::FirstOf, Attr::None, &[new, old, entered], ty) }
                })
                .collect();
            self.unflatten(&shape, &agreed);
        }
    }

    /// Before a loop that updates what lanes share: it counts the iterations that each lane begins.
    pub(super) fn begin_shared(&mut self, level: u32, inner: &[Part]) -> Shared {
        let shared = self.shared_in(&[inner]);
        if !shared.is_empty() {
            let zero = self.constant(Constant::I64(0));
            self.vars.insert(Var::Steps(self.frame().number, level), Lowered::Scalar(zero));
        }
        shared
    }

    /// Counts an iteration, if those are counted.
    pub(super) fn count_step(&mut self, level: u32) {
        let steps = Var::Steps(self.frame().number, level);
        let Some(Lowered::Scalar(count)) = self.vars.get(&steps).cloned() else { return };
        let one = self.constant(Constant::I64(1));
        let next = self.op(Code::WrappingAdd, Attr::None, &[count, one], Type::scalar(Elem::I64));
        self.vars.insert(steps, Lowered::Scalar(next));
    }

    /// Behind a loop, all lanes have what those made that were in it longest.
    pub(super) fn end_shared(&mut self, stmt: StmtId, level: u32, before: Shared) {
        let steps = Var::Steps(self.frame().number, level);
        if before.is_empty() {
            return;
        }
        if let Some(Lowered::Scalar(count)) = self.vars.remove(&steps) {
            self.place_of(stmt);
            let most = self.op(Code::ReduceMax, Attr::None, &[count], Type::scalar(Elem::I64));
            let stayed = self.op(Code::Eq, Attr::None, &[count, most], Type::scalar(Elem::Bool));
            self.agree(&before, stayed);
        }
    }
}

/// The loops of one `foreach` that are still to be opened.
struct Nest<'a> {
    stmt: StmtId,
    indices: &'a [LocalId],
    marks: Marks,
    level: u32,
    inner: &'a [Part],
}

/// A value without arrays and functions.
fn is_of_scalars(lowered: &Lowered) -> bool {
    match lowered {
        Lowered::Scalar(_) | Lowered::Struct(..) => true,
        Lowered::Tuple(parts) => parts.iter().all(is_of_scalars),
        _ => false,
    }
}
