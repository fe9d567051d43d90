//! Narrow arithmetic: integers that fit 16 bits are computed in 16 bits.
//!
//! ```text
//! o[i] = u8((i32(a[i]) + i32(b[i]) + 1) >> 1)        o[i] = u8((i16(a[i]) + i16(b[i]) + 1) >> 1)
//! ```
//!
//! Programs convert bytes to a wide type so that nothing wraps, and the result back. In lanes the width of the type decides how many
//! registers a group takes, so a narrower type that holds all of the values halves the work. All that is computed between the conversions
//! has to fit, by its range, and may have no other users. A comparison by which narrow values are chosen ends what is computed, too.

use rustc_hash::{FxHashMap, FxHashSet};

use facts::{Facts, ValueRange};
use ir::codes::ReasonCode;
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use ir::uses::{Use, Uses};

use crate::decision::Decision;
use crate::{Context, Replacements};

/// The types that arithmetic is done in, best first.
const NARROW: [Elem; 2] = [Elem::I16, Elem::U16];

/// The largest number of ops between conversions.
const MOST_OPS: usize = 256;

/// Computes in 16 bits what fits them, in loops that take lanes; says whether there is anything.
pub fn narrow(kernel: &mut Kernel, context: &mut Context) -> bool {
    if kernel.lanes.is_some() {
        return false;
    }
    let (found, choice) = (context.loops(kernel), context.choice(kernel));
    let takes_lanes = |op: &Op| {
        kernel.ops[*op].code == Code::Foreach
            || choice.takes(*op) && found.of(*op).is_some_and(|known| known.verdict.is_vector)
    };
    let loops: Vec<Op> = found.forest.loops().iter().copied().filter(takes_lanes).collect();
    let uses = context.uses(kernel);
    let mut ends: Vec<(Op, Vec<Op>)> = Vec::new();
    for op in loops {
        let mut own = Vec::new();
        let is_end = |inner: Op| is_narrowing(kernel, inner) || chooses_narrow_values(kernel, &uses, inner);
        for &region in &kernel.ops[op].regions {
            kernel.walk(region, &mut |_, inner| own.extend(is_end(inner).then_some(inner)));
        }
        ends.extend((!own.is_empty()).then_some((op, own)));
    }
    if ends.is_empty() {
        return false;
    }
    let facts = facts::facts_of_values(kernel, &[]);
    let plans: Vec<(Op, Plan)> = ends
        .into_iter()
        .map(|(op, ends)| (op, Plan::of(kernel, &facts, &uses, &ends)))
        .filter(|(_, plan)| !plan.types.is_empty())
        .collect();
    for (op, plan) in &plans {
        let words = "all values between the conversions fit 16 bits, and are computed in them";
        context.decide(Decision::taken(kernel.ops[*op].origin, ReasonCode::NarrowArithmetic, vec![words.into()]));
        plan.apply(kernel);
    }
    !plans.is_empty()
}

/// Says whether an op converts a wide integer to one of at most 16 bits.
fn is_narrowing(kernel: &Kernel, op: Op) -> bool {
    let data = &kernel.ops[op];
    let elem = |value: Value| kernel.ty(value).data_elem().filter(|elem| elem.is_integer());
    data.code == Code::Cast
        && elem(data.operands[0]).is_some_and(|wide| wide.bytes() > 2)
        && elem(data.results[0]).is_some_and(|narrow| narrow.bytes() <= 2)
}

/// Says whether an op compares wide integers, and only values of at most 16 bits are chosen by that.
fn chooses_narrow_values(kernel: &Kernel, uses: &Uses, op: Op) -> bool {
    let data = &kernel.ops[op];
    let bytes = |value: Value| kernel.ty(value).data_elem().filter(|elem| elem.is_integer()).map(Elem::bytes);
    let chooses = |user: &Use| match *user {
        Use::Operand(user, 0) if kernel.ops[user].code == Code::Select => {
            bytes(kernel.ops[user].results[0]).is_some_and(|bytes| bytes <= 2)
        }
        _ => false,
    };
    compares(data.code)
        && compares_values(kernel, op)
        && data.operands.iter().all(|&value| bytes(value).is_some_and(|bytes| bytes > 2))
        && !uses.users(data.results[0]).is_empty()
        && uses.users(data.results[0]).iter().all(chooses)
}

/// A comparison is not one of two constants, from which nothing would tell in which type it is done.
fn compares_values(kernel: &Kernel, op: Op) -> bool {
    kernel.ops[op].operands.iter().any(|&value| kernel.as_const(value).is_none())
}

fn compares(code: Code) -> bool {
    matches!(code, Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne)
}

/// The ops of a loop that are done in a narrower type.
#[derive(Default)]
struct Plan {
    /// The type that each wide integer is computed in.
    types: FxHashMap<Value, Elem>,
    /// The ops that compute them, and comparisons of them, each with its block.
    ops: FxHashSet<Op>,
    /// The conversions to narrow types that end them.
    ends: FxHashSet<Op>,
}

impl Plan {
    /// The plan for what these conversions and comparisons end.
    fn of(kernel: &Kernel, facts: &Facts, uses: &Uses, ends: &[Op]) -> Plan {
        let of_end = |&end: &Op| NARROW.iter().find_map(|&elem| Some((end, Tree::of(kernel, facts, end, elem)?)));
        let mut trees: Vec<(Op, Tree)> = ends.iter().filter_map(of_end).collect();
        // What has a user that stays wide is needed as it is, and so is all that it is made of.
        loop {
            let mut plan = Plan::default();
            let mut has_two_types = FxHashSet::default();
            for (end, tree) in &trees {
                if kernel.ops[*end].code == Code::Cast {
                    plan.ends.insert(*end);
                }
                plan.ops.extend(&tree.ops);
                for &value in &tree.values {
                    if *plan.types.entry(value).or_insert(tree.elem) != tree.elem {
                        has_two_types.insert(value);
                    }
                }
            }
            let stays = |user: &Use| match *user {
                Use::Operand(user, _) => !plan.ops.contains(&user) && !plan.ends.contains(&user),
                Use::Yield(_) => true,
            };
            let n_trees = trees.len();
            let is_wide = |value: &Value| has_two_types.contains(value) || uses.users(*value).iter().any(stays);
            trees.retain(|(_, tree)| !tree.values.iter().any(is_wide));
            if trees.len() == n_trees {
                return plan;
            }
        }
    }

    /// Puts the narrow ops in the place of the wide ones.
    fn apply(&self, kernel: &mut Kernel) {
        let mut regions: Vec<Region> = Vec::new();
        kernel.walk(kernel.body, &mut |region, op| {
            if (self.ops.contains(&op) || self.ends.contains(&op)) && !regions.contains(&region) {
                regions.push(region);
            }
        });
        let mut new: Replacements = EntityVec::filled(kernel.values.len(), None);
        for region in regions {
            let ops = std::mem::take(&mut kernel.regions[region].ops);
            let mut kept = Vec::with_capacity(ops.len());
            for op in ops {
                if self.ends.contains(&op) {
                    let (from, result) = (kernel.ops[op].operands[0], kernel.ops[op].results[0]);
                    if kernel.ty(from) == kernel.ty(result) {
                        new[result] = Some(from);
                        continue;
                    }
                } else if self.ops.contains(&op) {
                    self.write(kernel, op);
                }
                kept.push(op);
            }
            kernel.regions[region].ops = kept;
        }
        kernel.replace_uses(&new);
    }

    /// Makes an op narrow.
    fn write(&self, kernel: &mut Kernel, op: Op) {
        let result = kernel.ops[op].results[0];
        // A comparison has the type of what it compares.
        let of = |value: &Value| self.types.get(value).copied();
        let elem = of(&result).or_else(|| kernel.ops[op].operands.iter().find_map(of)).expect("an op of the plan");
        if kernel.ops[op].code == Code::Cast {
            kernel.ops[op].attr = Attr::Elem(elem);
        } else {
            for n in 0..kernel.ops[op].operands.len() {
                let operand = kernel.ops[op].operands[n];
                let is_condition = kernel.ops[op].code == Code::Select && n == 0;
                let number = kernel.as_const(operand).and_then(Scalar::wide).filter(|_| !is_condition);
                if let Some(number) = number {
                    kernel.ops[op].operands[n] = kernel.constant(Scalar::wrap(elem, number));
                }
            }
        }
        if self.types.contains_key(&result) {
            kernel.values[result].ty = Type::scalar(elem);
        }
    }
}

/// The wide integers that a conversion or comparison ends, and all that they are made of.
struct Tree {
    elem: Elem,
    /// The wide integers.
    values: Vec<Value>,
    /// The ops that make them, the comparisons by which some are chosen, and that at the end.
    ops: Vec<Op>,
}

impl Tree {
    /// The tree at an end; `None` if some of it does not fit a type.
    fn of(kernel: &Kernel, facts: &Facts, end: Op, elem: Elem) -> Option<Tree> {
        let room = ValueRange::of(elem)?;
        let ops = if compares(kernel.ops[end].code) { vec![end] } else { Vec::new() };
        let mut tree = Tree { elem, values: Vec::new(), ops };
        let mut open = kernel.ops[end].operands.to_vec();
        let mut seen = FxHashSet::default();
        while let Some(value) = open.pop() {
            let fits = |value: Value| facts.ranges[value].is_some_and(|range| range.is_in(room));
            if kernel.as_const(value).is_some() {
                fits(value).then_some(())?;
                continue;
            }
            if !seen.insert(value) {
                continue;
            }
            let Def::Result(op, _) = kernel.values[value].def else { return None };
            if !fits(value) || tree.ops.len() >= MOST_OPS {
                return None;
            }
            tree.values.push(value);
            tree.ops.push(op);
            let data = &kernel.ops[op];
            let constant = |n: usize| kernel.as_const(data.operands[n]).and_then(Scalar::wide);
            match data.code {
                Code::Cast => {
                    let from = kernel.ty(data.operands[0]).data_elem()?;
                    let is_leaf = from == Elem::Bool || ValueRange::of(from).is_some_and(|range| range.is_in(room));
                    is_leaf.then_some(())?;
                }
                Code::Add | Code::Sub | Code::Mul | Code::Min | Code::Max | Code::And | Code::Or | Code::Xor => {
                    open.extend(&data.operands);
                }
                Code::Neg | Code::Abs => open.extend(&data.operands),
                Code::Shl | Code::Shr => {
                    constant(1).filter(|by| (0..16).contains(by))?;
                    open.push(data.operands[0]);
                }
                Code::Div | Code::FloorDiv | Code::Rem => {
                    constant(1).filter(|by| *by > 0 && *by <= room.hi)?;
                    open.push(data.operands[0]);
                }
                Code::Select => {
                    open.extend(&data.operands[1..]);
                    let test = kernel.def_op(data.operands[0]).filter(|&test| compares(kernel.ops[test].code));
                    let is_wide = |value: &Value| {
                        kernel.ty(*value).data_elem().is_some_and(|elem| elem.is_integer() && elem.bytes() > 2)
                    };
                    let can_be = |value: &Value| is_wide(value) && fits(*value);
                    let test = test.filter(|&test| kernel.ops[test].operands.iter().all(can_be));
                    let test = test.filter(|&test| compares_values(kernel, test));
                    if let Some(test) = test.filter(|test| !tree.ops.contains(test)) {
                        tree.ops.push(test);
                        open.extend(&kernel.ops[test].operands);
                    }
                }
                _ => return None,
            }
        }
        let is_work = |&op: &Op| kernel.ops[op].code != Code::Cast;
        tree.ops.iter().any(is_work).then_some(tree)
    }
}
