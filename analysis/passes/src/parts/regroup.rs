//! What a loop hands on, where its iterations may be joined block by block: by which operator, and from which start.
//!
//! A value of the kind is a reduction: all that depends on it in an iteration are the ops that join something to it by one operator,
//! which gives the same in whatever groups it joins.
//!
//! - Sums and products of integers, which wrap in blocks: a block's may overflow where the whole one does not.
//! - Sums and products of floats of which each step stands in a loop under `@reassoc` or `@fast`, since lowering gives these an order
//!   that is not that of the iterations. All others keep their order.
//! - The least and greatest integer. That of floats, if a NaN is never chosen: `max(x, m)` and `if x > m: m = x`. In `max(m, x)` a NaN is,
//!   and what stood before it is forgotten, which a block's result cannot tell.
//! - `and`, `or`, `&`, `|`, `^`.

use facts::loops::{CarriedRole, Loops};
use ir::Effect;
use ir::effects::Effects;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;
use ir::uses::{Use, Uses};
use rustc_hash::FxHashSet;

use super::{IterationBlocks, JoinedBy, NotJoined, PartialResult};

/// The number of iterations of a block.
const BLOCK: i64 = 4096;

/// The number of iterations of a block, where each of them runs a loop of which nobody knows how long it is.
const BLOCK_OF_LOOPS: i64 = 16;

/// The blocks of a loop's iterations whose results can be joined; else the number of a value that it hands on in another way.
pub(super) fn blocks(kernel: &Kernel, found: &Loops, op: Op) -> Result<IterationBlocks, (usize, NotJoined)> {
    let (uses, effects) = (Uses::of(kernel), Effects::of(kernel));
    let mut blocks = IterationBlocks { size: size(kernel, op), partials: Vec::new(), wraps: Vec::new() };
    let mut refused = Vec::new();
    for number in 0..kernel.ops[op].results.len() {
        let mut search = Search::new(kernel, found, &uses, &effects);
        match search.of(op, number) {
            Ok(Some(by)) => {
                let elem = kernel.ty(kernel.ops[op].results[number]).data_elem();
                let identity = by.fold.identity(elem.unwrap_or(Elem::I64));
                blocks.partials.push(PartialResult { number, by: by.by, identity });
                blocks.wraps.extend(search.wrapping());
            }
            Ok(None) => {}
            Err(why) => refused.push((number, why)),
        }
    }
    // Of a value and the place where it was found, the latter is what cannot be joined.
    let is_reduction = |number: usize| {
        let role = found.of(op).and_then(|known| known.carried.get(number)).map(|carried| carried.role);
        matches!(role, Some(CarriedRole::Reduction { .. }))
    };
    let first = refused.iter().find(|(number, _)| !is_reduction(*number)).or(refused.first());
    first.map_or(Ok(blocks), |&refused| Err(refused))
}

/// The number of iterations of a block, by the text of the loop alone.
fn size(kernel: &Kernel, op: Op) -> i64 {
    let is_known = |range: &[Value]| range.iter().all(|&value| kernel.as_const(value).is_some());
    let mut is_short = kernel.ops[op].operands[3..3 * kernel.n_ranges(op)].chunks(3).all(is_known);
    kernel.walk_inside(op, &mut |inner| {
        let data = &kernel.ops[inner];
        is_short &= match data.code {
            Code::If => true,
            Code::For | Code::Foreach => data.operands[..3 * kernel.n_ranges(inner)].chunks(3).all(is_known),
            _ => data.regions.is_empty(),
        };
    });
    if is_short { BLOCK } else { BLOCK_OF_LOOPS }
}

/// The operator of a reduction, and the way in which the join of two of its results does the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    fold: Fold,
    by: JoinedBy,
}

/// A search for the ops that lead from a value that a loop hands on to the next one.
struct Search<'s> {
    kernel: &'s Kernel,
    found: &'s Loops,
    uses: &'s Uses,
    effects: &'s Effects,
    /// What depends on the value.
    reached: FxHashSet<Value>,
    /// The value, and what is computed on the way.
    spine: FxHashSet<Value>,
    step: Option<Step>,
}

impl<'s> Search<'s> {
    fn new(kernel: &'s Kernel, found: &'s Loops, uses: &'s Uses, effects: &'s Effects) -> Search<'s> {
        let (reached, spine) = Default::default();
        Search { kernel, found, uses, effects, reached, spine, step: None }
    }

    /// The step of a result of a loop, by its number; none of a value that stays as it is.
    fn of(&mut self, op: Op, number: usize) -> Result<Option<Step>, NotJoined> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let body = &kernel.regions[data.regions[0]];
        let next = body.yields[number];
        if let Some(fold) = self.fold_of(op, number) {
            self.join(fold, JoinedBy::Fold(fold), kernel.ty(data.results[number]).data_elem(), true)?;
            return Ok(self.step);
        }
        let arg = body.args[kernel.n_head_args(op) + number];
        if next == arg {
            return Ok(None);
        }
        self.reach(op, number, arg)?;
        self.spine.insert(arg);
        self.walk(next)?;
        // What is computed of the value besides would be another one in a block.
        let is_own = self.reached.iter().all(|value| self.spine.contains(value));
        if is_own && self.step.is_some() { Ok(self.step) } else { Err(NotJoined::InOrder) }
    }

    /// The operator of a result that a loop joins in its own order.
    fn fold_of(&self, op: Op, number: usize) -> Option<Fold> {
        let folds = &self.kernel.control(op)?.reductions;
        let n_carried = self.kernel.ops[op].results.len() - folds.len();
        folds.get(number.checked_sub(n_carried)?).copied()
    }

    /// Finds all that depends on a value. It must not get into another one that the loop hands on, and nothing may be done because of it.
    fn reach(&mut self, op: Op, number: usize, arg: Value) -> Result<(), NotJoined> {
        let kernel = self.kernel;
        let mut open = vec![arg];
        while let Some(value) = open.pop() {
            if !self.reached.insert(value) {
                continue;
            }
            for user in self.uses.users(value) {
                match *user {
                    Use::Operand(user, at) => open.extend(self.used(user, at)?),
                    Use::Yield(region) => {
                        let yields = kernel.regions[region].yields.iter().enumerate();
                        let places = yields.filter(|(_, yielded)| **yielded == value).map(|(place, _)| place);
                        let owner = self.found.forest.owner(region).ok_or(NotJoined::InOrder)?;
                        for place in places {
                            match owner == op {
                                true if place != number => return Err(NotJoined::InOrder),
                                true => {}
                                false => open.extend(self.handed_on(owner, place)?),
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// What depends on an operand of an op.
    fn used(&self, user: Op, at: usize) -> Result<Vec<Value>, NotJoined> {
        let data = &self.kernel.ops[user];
        match data.code {
            Code::For | Code::Foreach if at >= self.kernel.n_head_operands(user) => {
                self.handed_on(user, at - self.kernel.n_head_operands(user))
            }
            // A condition decides about all that stands under it.
            Code::If if self.effects.effect(user) == Effect::Writes => Err(NotJoined::InOrder),
            code if !data.results.is_empty() && (code == Code::If || data.regions.is_empty()) => {
                Ok(data.results.to_vec())
            }
            _ => Err(NotJoined::InOrder),
        }
    }

    /// The values that an op has for one that its blocks yield, or that it starts from, by its number.
    fn handed_on(&self, op: Op, number: usize) -> Result<Vec<Value>, NotJoined> {
        let data = &self.kernel.ops[op];
        let is_loop = matches!(data.code, Code::For | Code::Foreach) && self.kernel.lanes_of_foreach(op).is_none();
        match data.code {
            Code::If => Ok(vec![data.results[number]]),
            _ if is_loop => {
                let args = &self.kernel.regions[data.regions[0]].args;
                let arg = args.get(self.kernel.n_head_args(op) + number).copied();
                Ok(arg.into_iter().chain([data.results[number]]).collect())
            }
            _ => Err(NotJoined::InOrder),
        }
    }

    /// Goes back from a value to the one that is handed on.
    fn walk(&mut self, value: Value) -> Result<(), NotJoined> {
        if !self.reached.contains(&value) {
            return Err(NotJoined::InOrder);
        }
        if !self.spine.insert(value) {
            return Ok(());
        }
        let kernel = self.kernel;
        let Def::Result(op, number) = kernel.values[value].def else { return Err(NotJoined::InOrder) };
        let (data, number) = (&kernel.ops[op], number as usize);
        match data.code {
            Code::For | Code::Foreach => self.walk_loop(op, number),
            Code::Select => self.walk_choice(value, data.operands[0], [data.operands[1], data.operands[2]]),
            Code::If => {
                let sides = [0, 1].map(|side: usize| kernel.regions[data.regions[side]].yields[number]);
                self.walk_choice(value, data.operands[0], sides)
            }
            code => {
                let fold = fold(code).ok_or(NotJoined::InOrder)?;
                let (old, is_first) = match [0, 1].map(|at: usize| self.reached.contains(&data.operands[at])) {
                    [true, false] => (data.operands[0], true),
                    [false, true] if !matches!(code, Code::Sub | Code::WrappingSub) => (data.operands[1], false),
                    _ => return Err(NotJoined::InOrder),
                };
                let elem = kernel.ty(value).data_elem();
                let is_float = elem.is_some_and(Elem::is_float);
                let by = match code {
                    // Of the two, it gives the second one where they do not compare.
                    Code::Min | Code::Max if is_float && is_first => return Err(NotJoined::ForgetsAtNan),
                    Code::Min if is_float => JoinedBy::Choice(Code::Lt),
                    Code::Max if is_float => JoinedBy::Choice(Code::Gt),
                    _ => JoinedBy::Fold(fold),
                };
                self.join(fold, by, elem, false)?;
                self.walk(old)
            }
        }
    }

    /// Goes on through a loop inside, which starts from the value and hands it on, or joins it to what it joins itself.
    fn walk_loop(&mut self, op: Op, number: usize) -> Result<(), NotJoined> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let body = &kernel.regions[data.regions[0]];
        if let Some(fold) = self.fold_of(op, number) {
            if self.reached.contains(&body.yields[number]) {
                return Err(NotJoined::InOrder);
            }
            self.join(fold, JoinedBy::Fold(fold), kernel.ty(data.results[number]).data_elem(), true)?;
        } else {
            self.spine.insert(body.args[kernel.n_head_args(op) + number]);
            self.walk(body.yields[number])?;
        }
        self.walk(data.operands[kernel.n_head_operands(op) + number])
    }

    /// Goes on through a choice: by a condition that the value has no share in, or of a number that is less or greater.
    fn walk_choice(&mut self, value: Value, condition: Value, sides: [Value; 2]) -> Result<(), NotJoined> {
        let kernel = self.kernel;
        let elem = kernel.ty(value).data_elem();
        let known = |side: Value| kernel.as_const(side).filter(|_| elem == Some(Elem::Bool));
        if self.reached.contains(&condition) {
            return match elem {
                Some(Elem::Bool) => self.walk_late(value, condition, sides),
                _ => self.walk_extreme(elem, condition, sides),
            };
        }
        for side in sides {
            match known(side) {
                Some(set) => {
                    let fold = if set == Scalar::Bool(true) { Fold::Or } else { Fold::And };
                    self.join(fold, JoinedBy::Fold(fold), elem, false)?;
                }
                None => self.walk(side)?,
            }
        }
        Ok(())
    }

    /// `s and c` and `s or c`, of which `c` is computed only if `s` does not decide. Other blocks compute it all the same, so nothing may
    /// fail in that, and nothing be read.
    fn walk_late(&mut self, value: Value, condition: Value, [yes, no]: [Value; 2]) -> Result<(), NotJoined> {
        let is = |side: Value, known: bool| self.kernel.as_const(side) == Some(Scalar::Bool(known));
        let (fold, other) = match () {
            () if no == condition || is(no, false) => (Fold::And, yes),
            () if yes == condition || is(yes, true) => (Fold::Or, no),
            () => return Err(NotJoined::InOrder),
        };
        if self.reached.contains(&other) {
            return Err(NotJoined::InOrder);
        }
        if self.kernel.def_op(value).is_some_and(|op| self.effects.effect(op) != Effect::Pure) {
            return Err(NotJoined::Late);
        }
        self.join(fold, JoinedBy::Fold(fold), Some(Elem::Bool), false)?;
        self.walk(condition)
    }

    /// `if x > m: m = x`, and its like: facts about the loop that hands `m` on tell that it is so.
    fn walk_extreme(&mut self, elem: Option<Elem>, condition: Value, sides: [Value; 2]) -> Result<(), NotJoined> {
        let kernel = self.kernel;
        let compared = kernel.def_op(condition).map(|op| &kernel.ops[op]).ok_or(NotJoined::InOrder)?;
        let (is_first, old) = match compared.operands[..] {
            [old, new] if self.reached.contains(&old) && !self.reached.contains(&new) => (true, old),
            [new, old] if self.reached.contains(&old) && !self.reached.contains(&new) => (false, old),
            _ => return Err(NotJoined::InOrder),
        };
        let code = match (compared.code, is_first) {
            (Code::Gt, false) | (Code::Lt, true) => Code::Gt,
            (Code::Ge, false) | (Code::Le, true) => Code::Ge,
            (Code::Lt, false) | (Code::Gt, true) => Code::Lt,
            (Code::Le, false) | (Code::Ge, true) => Code::Le,
            _ => return Err(NotJoined::InOrder),
        };
        let fold = self.extreme_of(old).ok_or(NotJoined::InOrder)?;
        let takes_where_true = match sides.map(|side| side == old) {
            [false, true] => true,
            [true, false] => false,
            _ => return Err(NotJoined::InOrder),
        };
        let is_float = elem.is_some_and(Elem::is_float);
        if is_float && !takes_where_true {
            return Err(NotJoined::ForgetsAtNan);
        }
        self.spine.insert(condition);
        self.join(fold, if is_float { JoinedBy::Choice(code) } else { JoinedBy::Fold(fold) }, elem, false)?;
        self.walk(old)
    }

    /// The operator of the extreme that an argument of a loop is.
    fn extreme_of(&self, arg: Value) -> Option<Fold> {
        let Def::Arg(region, place) = self.kernel.values[arg].def else { return None };
        let op = self.found.forest.owner(region)?;
        let number = (place as usize).checked_sub(self.kernel.n_head_args(op))?;
        match self.found.of(op)?.carried.get(number)?.role {
            CarriedRole::Reduction { fold: fold @ (Fold::Min | Fold::Max), .. } => Some(fold),
            _ => None,
        }
    }

    /// Notes a step: all of them are of one kind.
    fn join(&mut self, fold: Fold, by: JoinedBy, elem: Option<Elem>, is_free: bool) -> Result<(), NotJoined> {
        let is_float = elem.is_some_and(Elem::is_float);
        if is_float && matches!(fold, Fold::Add | Fold::Mul) && !is_free {
            return Err(NotJoined::FloatSum);
        }
        let step = Step { fold, by };
        match self.step.replace(step) {
            Some(known) if known != step => Err(NotJoined::InOrder),
            _ => Ok(()),
        }
    }

    /// The steps of a sum or product of integers, which have to wrap.
    fn wrapping(&self) -> Vec<Op> {
        let is_integer = |value: Value| self.kernel.ty(value).data_elem().is_some_and(Elem::is_integer);
        let made = self.spine.iter().filter(|&&value| is_integer(value)).filter_map(|&value| self.kernel.def_op(value));
        made.filter(|&op| wrapping(self.kernel.ops[op].code).is_some()).collect()
    }
}

/// The operator by which an op joins something to a value.
fn fold(code: Code) -> Option<Fold> {
    Some(match code {
        Code::Add | Code::WrappingAdd | Code::Sub | Code::WrappingSub => Fold::Add,
        Code::Mul | Code::WrappingMul => Fold::Mul,
        Code::Min => Fold::Min,
        Code::Max => Fold::Max,
        Code::And => Fold::And,
        Code::Or => Fold::Or,
        Code::Xor => Fold::Xor,
        _ => return None,
    })
}

/// The op that does the same, but wraps where the result is too large.
pub(super) fn wrapping(code: Code) -> Option<Code> {
    match code {
        Code::Add => Some(Code::WrappingAdd),
        Code::Sub => Some(Code::WrappingSub),
        Code::Mul => Some(Code::WrappingMul),
        _ => None,
    }
}
