//! The values that a loop carries: the change of each from one iteration to the next.
//!
//! The change is found along the *spine*: the ops that lead from the argument to the next value that the body yields. If all of
//! them join something to it by one operator, the value is a reduction; if an op outside uses a value on the spine, it
//! is a scan.

use rustc_hash::{FxHashMap, FxHashSet};

use super::reach::reach;
use super::{Carried, CarriedRole};
use crate::dependence::{Nest, induction_of};
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::running::{Running, RunningKind};
use ir::scalar::{Fold, Scalar};
use ir::types::Elem;
use ir::uses::{Use, Uses};

/// The limit on the depth of a comparison of two expressions.
pub(super) const MAX_ALIKE: usize = 8;

/// The values that a loop carries, in order.
pub(super) fn of(nest: &Nest<'_>, uses: &Uses, op: Op) -> Vec<Carried> {
    let kernel = nest.kernel;
    let n_ranges = kernel.n_ranges(op);
    let args = &kernel.regions[kernel.ops[op].regions[0]].args[n_ranges..];
    let mut carried: Vec<Carried> = Vec::new();
    for (number, &arg) in args.iter().enumerate() {
        let role = Search::new(nest, uses, op, arg).role(number);
        carried.push(Carried { arg, role, form: None });
    }
    // Which extreme a position belongs to is known once all extremes are.
    positions(nest, uses, op, &mut carried);
    carried
}

/// Finds the values that are set under the very condition under which an extreme is, or under which the loop is left.
fn positions(nest: &Nest<'_>, uses: &Uses, op: Op, carried: &mut [Carried]) {
    let is_last = |value: &Carried| matches!(value.role, CarriedRole::Last | CarriedRole::LastSoFar);
    if !carried.iter().any(is_last) {
        return;
    }
    let when = |number: usize, value: &Carried| {
        let search = Search::new(nest, uses, op, value.arg);
        search.choice(search.next(number)).map(|choice| choice.when)
    };
    let mut extremes: FxHashMap<When, CarriedRole> = FxHashMap::default();
    for (of, value) in carried.iter().enumerate() {
        if let CarriedRole::Reduction { fold: fold @ (Fold::Min | Fold::Max), .. }
        | CarriedRole::Scan(fold @ (Fold::Min | Fold::Max)) = value.role
            && let Some(when) = when(of, value)
        {
            extremes.entry(when).or_insert(CarriedRole::Position { of, fold });
        }
    }
    for (number, value) in carried.iter_mut().enumerate().filter(|(_, value)| is_last(value)) {
        let Some(own) = when(number, value) else { continue };
        value.role = match leaves_under(nest, op, own.condition) {
            true => CarriedRole::First,
            false => extremes.get(&own).copied().unwrap_or(value.role),
        };
    }
}

/// Says whether a loop is left where a condition holds: the flag that it tests is cleared under the same one.
fn leaves_under(nest: &Nest<'_>, op: Op, condition: Value) -> bool {
    let kernel = nest.kernel;
    let data = &kernel.ops[op];
    if data.code != Code::While {
        return false;
    }
    let test = kernel.regions[data.regions[0]].yields.first();
    let Some(flag) = kernel.regions[data.regions[0]].args.iter().position(|arg| test == Some(arg)) else {
        return false;
    };
    let mut open = vec![kernel.regions[data.regions[1]].yields[flag]];
    while let Some(value) = open.pop() {
        let Some(made) = kernel.def_op(value) else { continue };
        let made = &kernel.ops[made];
        match made.code {
            Code::And => open.extend(&made.operands),
            Code::If | Code::Select if made.operands[0] == condition => return true,
            _ => {}
        }
    }
    false
}

/// A value as another one and the constant that was added to it: `count + 1` is what `count += 1` leaves.
pub fn split_constant(kernel: &Kernel, mut value: Value) -> (Value, i128) {
    let mut added = 0;
    while let Some((inner, by)) = kernel.def_op(value).and_then(|op| plus_constant(kernel, op)) {
        (value, added) = (inner, added + by);
    }
    (value, added)
}

/// The operand and the constant of an op that adds one, or takes it away.
fn plus_constant(kernel: &Kernel, op: Op) -> Option<(Value, i128)> {
    let data = &kernel.ops[op];
    let number = |place: usize| kernel.as_const(data.operands[place]).and_then(Scalar::wide);
    match data.code {
        Code::Add | Code::WrappingAdd => match (number(0), number(1)) {
            (None, Some(by)) => Some((data.operands[0], by)),
            (Some(by), None) => Some((data.operands[1], by)),
            _ => None,
        },
        Code::Sub | Code::WrappingSub => Some((data.operands[0], -number(1).filter(|_| number(0).is_none())?)),
        _ => None,
    }
}

/// A choice between what was carried and something new.
struct Selection {
    /// The value in place of the carried one.
    new: Value,
    when: When,
}

/// The conditions under which something new is chosen.
#[derive(PartialEq, Eq, Hash)]
struct When {
    condition: Value,
    /// True if the new value is chosen where the condition holds, false if where it fails.
    holds: bool,
    /// The choice is made only where these other conditions hold or fail, which do not depend on what is carried.
    guards: Vec<(Value, bool)>,
}

/// The ops that lead from the argument to a value.
struct Spine {
    fold: Option<Fold>,
    conditional: bool,
    /// The argument and what is computed on the way.
    members: FxHashSet<Value>,
}

struct Search<'n, 'k> {
    nest: &'n Nest<'k>,
    kernel: &'k Kernel,
    uses: &'n Uses,
    op: Op,
    arg: Value,
    /// The values of the body that depend on the argument.
    reached: FxHashSet<Value>,
}

impl<'n, 'k> Search<'n, 'k> {
    fn new(nest: &'n Nest<'k>, uses: &'n Uses, op: Op, arg: Value) -> Search<'n, 'k> {
        let kernel = nest.kernel;
        Search { nest, kernel, uses, op, arg, reached: reach(kernel, &nest.forest, uses, op, arg) }
    }

    /// The value that the body yields for a carried one.
    fn next(&self, number: usize) -> Value {
        let body = *self.kernel.ops[self.op].regions.last().expect("a loop has a body");
        self.kernel.regions[body].yields[number]
    }

    fn role(&self, number: usize) -> CarriedRole {
        let next = self.next(number);
        if next == self.arg {
            return CarriedRole::Unchanged;
        }
        if self.is_flag() {
            return CarriedRole::Exit;
        }
        // A sum of floats is rounded at each step, so a product does not tell what it is.
        let is_integer = self.kernel.ty(self.arg).data_elem().is_some_and(Elem::is_integer);
        if is_integer && induction_of(self.nest, self.op, number).is_some() {
            return CarriedRole::Induction;
        }
        if let Some((kind, leads)) = self.of_blocks(next) {
            return CarriedRole::Blocks { kind, leads };
        }
        if !self.depends(next) {
            return CarriedRole::Previous;
        }
        if let Some(spine) = self.spine(next)
            && let Some(fold) = spine.fold
        {
            return self.folded(fold, &spine);
        }
        if let Some(choice) = self.choice(next)
            && let Some(role) = self.chosen(&choice)
        {
            return if role == CarriedRole::Last && self.is_seen(next) { CarriedRole::LastSoFar } else { role };
        }
        if self.is_linear(next) { CarriedRole::LinearRecurrence } else { CarriedRole::Recurrence }
    }

    /// Says whether it is what a `while` tests.
    fn is_flag(&self) -> bool {
        let data = &self.kernel.ops[self.op];
        data.code == Code::While && self.kernel.regions[data.regions[0]].yields[0] == self.arg
    }

    /// For a part of what runs on by blocks, if only the ops that compute these parts use it, in each iteration: what runs on, and whether
    /// it is the value in front of a block.
    fn of_blocks(&self, next: Value) -> Option<(RunningKind, bool)> {
        let op = self.kernel.def_op(next)?;
        let data = &self.kernel.ops[op];
        let (Some(kind), Attr::Number(part)) = (data.code.as_running(), &data.attr) else { return None };
        let body = *self.kernel.ops[self.op].regions.last().expect("a loop has a body");
        let is_part = |user: &Use| match *user {
            Use::Operand(user, _) => {
                let other = &self.kernel.ops[user];
                other.code == data.code && other.operands == data.operands && self.nest.forest.region_of(user) == body
            }
            Use::Yield(_) => false,
        };
        let place = usize::try_from(*part).ok()?.checked_sub(kind.n_values())?;
        let carried = *Running::of(kind, &data.operands[1..])?.carried().get(place)?;
        let is_whole = carried == self.arg
            && self.nest.forest.region_of(op) == body
            && self.uses.users(self.arg).iter().all(is_part);
        is_whole.then_some((kind, place < kind.n_values()))
    }

    /// Says whether a value of the body depends on the argument.
    fn depends(&self, value: Value) -> bool {
        self.reached.contains(&value)
    }

    /// The spine that leads to a value, if every op on it joins something to the argument by one operator.
    fn spine(&self, next: Value) -> Option<Spine> {
        let mut spine = Spine { fold: None, conditional: false, members: FxHashSet::default() };
        let mut open = vec![next];
        while let Some(value) = open.pop() {
            if !self.depends(value) {
                return None;
            }
            if !spine.members.insert(value) || value == self.arg {
                continue;
            }
            if let Some((start, arg, next)) = self.through(value) {
                spine.members.insert(arg);
                open.extend([start, next]);
                continue;
            }
            let late = self.joined_late(value);
            if late.is_none()
                && let Some((condition, a, b)) = self.sides(value)
            {
                if self.depends(condition) {
                    return None;
                }
                spine.conditional = true;
                open.extend([a, b]);
                continue;
            }
            let (fold, carried) = late.or_else(|| self.joined(value))?;
            if spine.fold.is_some_and(|before| before != fold) {
                return None;
            }
            spine.fold = Some(fold);
            open.push(carried);
        }
        Some(spine)
    }

    /// The start, the argument and the yield of a value that an inner loop carries.
    fn through(&self, value: Value) -> Option<(Value, Value, Value)> {
        let Def::Result(op, number) = self.kernel.values[value].def else { return None };
        let data = &self.kernel.ops[op];
        let has_one_range = matches!(data.code, Code::For | Code::Foreach) && self.kernel.n_ranges(op) == 1;
        if !has_one_range {
            return None;
        }
        let body = &self.kernel.regions[data.regions[0]];
        // A result that is joined in a fixed order has no argument.
        let arg = *body.args.get(1 + number as usize)?;
        Some((data.operands[3 + number as usize], arg, body.yields[number as usize]))
    }

    /// The operator by which a value joins something to what depends on the argument, and the latter.
    fn joined(&self, value: Value) -> Option<(Fold, Value)> {
        let data = &self.kernel.ops[self.kernel.def_op(value)?];
        let fold = match data.code {
            Code::Add | Code::WrappingAdd | Code::Sub | Code::WrappingSub => Fold::Add,
            Code::Mul | Code::WrappingMul => Fold::Mul,
            Code::Min => Fold::Min,
            Code::Max => Fold::Max,
            Code::And => Fold::And,
            Code::Or => Fold::Or,
            Code::Xor => Fold::Xor,
            _ => return None,
        };
        let subtracts = matches!(data.code, Code::Sub | Code::WrappingSub);
        match (self.depends(data.operands[0]), self.depends(data.operands[1])) {
            (true, false) => Some((fold, data.operands[0])),
            (false, true) if !subtracts => Some((fold, data.operands[1])),
            _ => None,
        }
    }

    /// `s and c` and `s or c` where `c` is only computed if `s` does not decide: an `if` by what depends on the argument.
    fn joined_late(&self, value: Value) -> Option<(Fold, Value)> {
        let (condition, yes, no) = self.sides(value)?;
        let is = |side: Value, known: bool| self.kernel.as_const(side) == Some(Scalar::Bool(known));
        let stays = |side: Value| side == condition && condition == self.arg;
        let (fold, other) = match () {
            () if is(no, false) || stays(no) => (Fold::And, yes),
            () if is(yes, true) => (Fold::Or, no),
            () => return None,
        };
        (self.depends(condition) && !self.depends(other)).then_some((fold, condition))
    }

    /// A reduction, or one that is looked at on the way.
    fn folded(&self, fold: Fold, spine: &Spine) -> CarriedRole {
        let mut seen: Vec<Use> = Vec::new();
        for &member in &spine.members {
            for &user in self.uses.users(member) {
                let on_spine = match user {
                    Use::Operand(op, _) => {
                        self.kernel.ops[op].results.iter().any(|result| spine.members.contains(result))
                    }
                    Use::Yield(region) => {
                        let forest = &self.nest.forest;
                        let owner = forest.owner(region);
                        owner.is_some_and(|owner| owner == self.op || forest.encloses(self.op, owner))
                    }
                };
                if !on_spine {
                    seen.push(user);
                }
            }
        }
        if seen.is_empty() {
            return CarriedRole::Reduction { fold, conditional: spine.conditional };
        }
        let subscripts = |code: Code| fold == Fold::Add && seen.iter().all(|&user| self.is_subscript(user, code));
        // Where each iteration of a `for` goes on to other cells, none is left out.
        let leaves_out = spine.conditional || self.kernel.ops[self.op].code == Code::Foreach;
        if leaves_out && subscripts(Code::Store) {
            CarriedRole::Compress
        } else if leaves_out && subscripts(Code::Load) {
            CarriedRole::Expand
        } else {
            CarriedRole::Scan(fold)
        }
    }

    /// Says whether a use is as a subscript of a load or store.
    fn is_subscript(&self, user: Use, code: Code) -> bool {
        let Use::Operand(op, number) = user else { return false };
        let data = &self.kernel.ops[op];
        if matches!(data.code, Code::Index | Code::Cast) || plus_constant(self.kernel, op).is_some() {
            let result = data.results[0];
            return self.uses.users(result).iter().all(|&user| self.is_subscript(user, code));
        }
        let rank = data.operands.first().map_or(0, |&view| usize::from(self.kernel.ty(view).rank()));
        data.code == code && (1..=rank).contains(&number)
    }

    /// The condition and the sides of an `if` or `select`.
    fn sides(&self, value: Value) -> Option<(Value, Value, Value)> {
        let Def::Result(op, number) = self.kernel.values[value].def else { return None };
        let data = &self.kernel.ops[op];
        match data.code {
            Code::Select => Some((data.operands[0], data.operands[1], data.operands[2])),
            Code::If => {
                let yields = |region: usize| self.kernel.regions[data.regions[region]].yields[number as usize];
                Some((data.operands[0], yields(0), yields(1)))
            }
            _ => None,
        }
    }

    /// The choice that makes a value, where it is made at all: `if c: if x > m: m = x` chooses by `x > m`.
    fn choice(&self, value: Value) -> Option<Selection> {
        let (mut value, mut guards) = (value, Vec::new());
        loop {
            let (condition, a, b) = self.sides(value)?;
            let (new, holds) = match (a == self.arg, b == self.arg) {
                (false, true) => (a, true),
                (true, false) => (b, false),
                _ => return None,
            };
            if !self.depends(new) || self.depends(condition) {
                return Some(Selection { new, when: When { condition, holds, guards } });
            }
            guards.push((condition, holds));
            value = new;
        }
    }

    /// Says whether anything but the choices that lead to the next value sees the carried one, or what they have made of it.
    fn is_seen(&self, next: Value) -> bool {
        let mut chain = vec![next];
        while let Some((_, a, b)) = chain.last().and_then(|&value| self.sides(value)) {
            let new = if a == self.arg { b } else { a };
            if !self.depends(new) {
                break;
            }
            chain.push(new);
        }
        let forest = &self.nest.forest;
        let is_choice = |user: &Use| match *user {
            Use::Operand(op, _) => self.kernel.ops[op].results.iter().any(|result| chain.contains(result)),
            Use::Yield(region) => {
                forest.owner(region).is_some_and(|owner| owner == self.op || forest.encloses(self.op, owner))
            }
        };
        chain.iter().chain([&self.arg]).any(|&value| !self.uses.users(value).iter().all(&is_choice))
    }

    fn chosen(&self, choice: &Selection) -> Option<CarriedRole> {
        if self.depends(choice.new) {
            return None;
        }
        let conditional = true;
        if !self.depends(choice.when.condition) {
            return Some(match self.kernel.as_const(choice.new) {
                Some(Scalar::Bool(true)) => CarriedRole::Reduction { fold: Fold::Or, conditional },
                Some(Scalar::Bool(false)) => CarriedRole::Reduction { fold: Fold::And, conditional },
                _ => CarriedRole::Last,
            });
        }
        if let Some(fold) = self.extreme(choice) {
            return Some(CarriedRole::Reduction { fold, conditional: !choice.when.guards.is_empty() });
        }
        self.is_first(choice.when.condition).then_some(CarriedRole::First)
    }

    /// `if x > m: m = x`, and its like.
    fn extreme(&self, choice: &Selection) -> Option<Fold> {
        let made = &self.kernel.ops[self.kernel.def_op(choice.when.condition)?];
        let greater = match made.code {
            Code::Gt | Code::Ge => true,
            Code::Lt | Code::Le => false,
            _ => return None,
        };
        let (a, b) = (made.operands[0], made.operands[1]);
        let new_first = match () {
            () if b == self.arg && self.same(a, choice.new, MAX_ALIKE) => true,
            () if a == self.arg && self.same(b, choice.new, MAX_ALIKE) => false,
            () => return None,
        };
        Some(if (greater == new_first) == choice.when.holds { Fold::Max } else { Fold::Min })
    }

    /// `found < 0 and …`: what is set once is not set again.
    fn is_first(&self, condition: Value) -> bool {
        let Some(op) = self.kernel.def_op(condition) else { return false };
        let data = &self.kernel.ops[op];
        match data.code {
            Code::And => data.operands.iter().any(|&part| self.is_first(part)),
            Code::If => self.is_first(data.operands[0]),
            Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne => {
                data.operands.contains(&self.arg)
                    && data.operands.iter().any(|&other| self.kernel.as_const(other).is_some())
            }
            Code::Not => data.operands[0] == self.arg,
            _ => false,
        }
    }

    /// Says whether two values are computed alike: loads of one cell are, as long as the loop does not store there.
    fn same(&self, a: Value, b: Value, depth: usize) -> bool {
        if a == b || depth == 0 {
            return a == b;
        }
        let (Def::Result(x, m), Def::Result(y, n)) = (self.kernel.values[a].def, self.kernel.values[b].def) else {
            return false;
        };
        let (x, y) = (&self.kernel.ops[x], &self.kernel.ops[y]);
        let alike = (x.code, &x.attr, m, x.operands.len()) == (y.code, &y.attr, n, y.operands.len());
        let repeats = x.code.is_elementwise() || matches!(x.code, Code::Row | Code::Slice | Code::Field | Code::Size);
        let loads = x.code == Code::Load && !self.stores_to(self.kernel.root(x.operands[0]));
        alike && (repeats || loads) && x.operands.iter().zip(&y.operands).all(|(&a, &b)| self.same(a, b, depth - 1))
    }

    fn stores_to(&self, root: Value) -> bool {
        self.nest.accesses.iter().any(|access| {
            access.is_store
                && access.root == root
                && self.nest.levels_of(access.op).iter().any(|level| level.op == self.op)
        })
    }

    /// Says whether a value is the argument, multiplied and added to.
    fn is_linear(&self, next: Value) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![next];
        while let Some(value) = open.pop() {
            if value == self.arg || !self.depends(value) || !seen.insert(value) {
                continue;
            }
            let Some(op) = self.kernel.def_op(value) else { return false };
            let data = &self.kernel.ops[op];
            let n_dependent = |operands: &[Value]| operands.iter().filter(|&&part| self.depends(part)).count();
            let is_linear = match data.code {
                Code::Add | Code::Sub | Code::WrappingAdd | Code::WrappingSub | Code::Neg => true,
                Code::Mul | Code::WrappingMul => n_dependent(&data.operands) == 1,
                Code::Fma | Code::MulAdd => n_dependent(&data.operands[..2]) <= 1,
                Code::Div => !self.depends(data.operands[1]),
                _ => false,
            };
            if !is_linear {
                return false;
            }
            open.extend(&data.operands);
        }
        true
    }
}
