//! What a loop carries: what happens to a value from one iteration to the next.
//!
//! Followed is the *spine*: the ops that lead from the argument to what the body yields for it. Where all of them join
//! something to it by one operator, it is a reduction; that somebody else looks at what is on the spine makes it a scan.

use std::collections::HashMap;

use super::{Carried, Role};
use crate::entities::{EntityVec, Op, Region, Value};
use crate::facts::dependence::{Nest, induction_of};
use crate::ops::Code;
use crate::program::{Def, Kernel};
use crate::scalar::{Fold, Scalar};

/// Who uses a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::facts) enum Use {
    /// An op, as its operand with this number.
    Operand(Op, usize),
    /// A region yields it.
    Yield(Region),
}

/// Who uses each value.
pub(in crate::facts) struct Uses(EntityVec<Value, Vec<Use>>);

impl Uses {
    pub(in crate::facts) fn of(kernel: &Kernel) -> Uses {
        let mut uses = EntityVec::filled(kernel.values.len(), Vec::new());
        kernel.regions[kernel.body].yields.iter().for_each(|&value| uses[value].push(Use::Yield(kernel.body)));
        kernel.walk(kernel.body, &mut |_, op| {
            for (number, &value) in kernel.ops[op].operands.iter().enumerate() {
                uses[value].push(Use::Operand(op, number));
            }
            for &region in &kernel.ops[op].regions {
                kernel.regions[region].yields.iter().for_each(|&value| uses[value].push(Use::Yield(region)));
            }
        });
        Uses(uses)
    }

    pub(in crate::facts) fn users(&self, value: Value) -> &[Use] {
        &self.0[value]
    }
}

/// What a loop carries, in order.
pub(super) fn of(nest: &Nest<'_>, uses: &Uses, op: Op) -> Vec<Carried> {
    let kernel = nest.kernel;
    let n_ranges = kernel.n_ranges(op);
    let args = &kernel.regions[kernel.ops[op].regions[0]].args[n_ranges..];
    let mut carried: Vec<Carried> = Vec::new();
    for (number, &arg) in args.iter().enumerate() {
        let role = Search { nest, kernel, uses, op, arg, reached: HashMap::new() }.role(number);
        carried.push(Carried { arg, role });
    }
    // Which extreme a position belongs to is known once all extremes are.
    for number in 0..carried.len() {
        if let Some(role) = position(nest, uses, op, &carried, number) {
            carried[number].role = role;
        }
    }
    carried
}

/// A value that is set under the very condition under which an extreme is.
fn position(nest: &Nest<'_>, uses: &Uses, op: Op, carried: &[Carried], number: usize) -> Option<Role> {
    if carried[number].role != Role::Last {
        return None;
    }
    let search = |arg| Search { nest, kernel: nest.kernel, uses, op, arg, reached: HashMap::new() };
    let condition = |number: usize| {
        let search = search(carried[number].arg);
        search.choice(search.next(number)).map(|choice| choice.condition)
    };
    let own = condition(number)?;
    carried.iter().enumerate().find_map(|(of, other)| match other.role {
        Role::Reduction { fold: fold @ (Fold::Min | Fold::Max), .. } | Role::Scan(fold @ (Fold::Min | Fold::Max))
            if condition(of) == Some(own) =>
        {
            Some(Role::Position { of, fold })
        }
        _ => None,
    })
}

/// A choice between what was carried and something new.
struct Choice {
    condition: Value,
    /// What is new.
    new: Value,
    /// It is chosen where the condition holds.
    when: bool,
}

/// What leads from the argument to a value.
struct Spine {
    fold: Option<Fold>,
    conditional: bool,
    /// The argument and what is computed on the way, with the op that each is handed to.
    members: Vec<Value>,
}

struct Search<'n, 'k> {
    nest: &'n Nest<'k>,
    kernel: &'k Kernel,
    uses: &'n Uses,
    op: Op,
    arg: Value,
    /// Whether values depend on the argument.
    reached: HashMap<Value, bool>,
}

impl Search<'_, '_> {
    /// What the body yields for a carried value.
    fn next(&self, number: usize) -> Value {
        let body = *self.kernel.ops[self.op].regions.last().expect("a loop has a body");
        self.kernel.regions[body].yields[number]
    }

    fn role(&mut self, number: usize) -> Role {
        let next = self.next(number);
        if next == self.arg {
            return Role::Unchanged;
        }
        if self.is_flag() {
            return Role::Exit;
        }
        if induction_of(self.nest, self.op, number).is_some() {
            return Role::Induction;
        }
        if !self.depends(next) {
            return Role::Previous;
        }
        if let Some(spine) = self.spine(next)
            && let Some(fold) = spine.fold
        {
            return self.folded(fold, &spine);
        }
        if let Some(choice) = self.choice(next)
            && let Some(role) = self.chosen(&choice)
        {
            return role;
        }
        if self.is_linear(next) { Role::LinearRecurrence } else { Role::Recurrence }
    }

    /// Whether it is what a `while` tests.
    fn is_flag(&self) -> bool {
        let data = &self.kernel.ops[self.op];
        data.code == Code::While && self.kernel.regions[data.regions[0]].yields[0] == self.arg
    }

    /// Whether a value of the body depends on the argument.
    fn depends(&mut self, value: Value) -> bool {
        if value == self.arg {
            return true;
        }
        if let Some(&known) = self.reached.get(&value) {
            return known;
        }
        // What is carried around an inner loop is looked at once.
        self.reached.insert(value, false);
        let found = match self.kernel.values[value].def {
            Def::Param(_) | Def::Const(_) => false,
            Def::Arg(region, _) => self.nest.owners[region].is_some_and(|owner| self.op_depends(owner)),
            Def::Result(op, _) => self.op_depends(op),
        };
        self.reached.insert(value, found);
        found
    }

    fn op_depends(&mut self, op: Op) -> bool {
        if op == self.op || self.nest.order[op] < self.nest.order[self.op] {
            return false;
        }
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let mut inputs: Vec<Value> = data.operands.to_vec();
        for &region in &data.regions {
            inputs.extend(&kernel.regions[region].yields);
        }
        inputs.into_iter().any(|value| self.depends(value))
    }

    /// The spine that leads to a value, if every op on it joins something to the argument by one operator.
    fn spine(&mut self, value: Value) -> Option<Spine> {
        if value == self.arg {
            return Some(Spine { fold: None, conditional: false, members: vec![value] });
        }
        let op = self.kernel.def_op(value)?;
        let data = &self.kernel.ops[op];
        if let Some((condition, a, b)) = self.sides(value) {
            if self.depends(condition) {
                return None;
            }
            let (a, b) = (self.spine(a)?, self.spine(b)?);
            let fold = match (a.fold, b.fold) {
                (Some(a), Some(b)) if a != b => return None,
                (a, b) => a.or(b),
            };
            let members = a.members.into_iter().chain(b.members).chain([value]).collect();
            return Some(Spine { fold, conditional: true, members });
        }
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
        let (a, b) = (data.operands[0], data.operands[1]);
        let on_left = self.depends(a);
        let (carried, other) = if on_left { (a, b) } else { (b, a) };
        let subtracts = matches!(data.code, Code::Sub | Code::WrappingSub);
        if self.depends(other) || subtracts && !on_left {
            return None;
        }
        let mut spine = self.spine(carried)?;
        if spine.fold.is_some_and(|before| before != fold) {
            return None;
        }
        spine.fold = Some(fold);
        spine.members.push(value);
        Some(spine)
    }

    /// A reduction, or one that is looked at on the way.
    fn folded(&self, fold: Fold, spine: &Spine) -> Role {
        let mut seen: Vec<Use> = Vec::new();
        for &member in &spine.members {
            for &user in self.uses.users(member) {
                let on_spine = match user {
                    Use::Operand(op, _) => {
                        self.kernel.ops[op].results.iter().any(|result| spine.members.contains(result))
                    }
                    Use::Yield(region) => {
                        let owner = self.nest.owners[region];
                        owner == Some(self.op) || self.is_inside(region)
                    }
                };
                if !on_spine {
                    seen.push(user);
                }
            }
        }
        if seen.is_empty() {
            return Role::Reduction { fold, conditional: spine.conditional };
        }
        let subscripts = |code: Code| fold == Fold::Add && seen.iter().all(|&user| self.is_subscript(user, code));
        if subscripts(Code::Store) {
            Role::Compress
        } else if subscripts(Code::Load) {
            Role::Expand
        } else {
            Role::Scan(fold)
        }
    }

    /// Whether a region is part of the loop's body.
    fn is_inside(&self, region: Region) -> bool {
        let mut at = self.nest.owners[region];
        while let Some(owner) = at {
            if owner == self.op {
                return true;
            }
            at = self.nest.owners[self.nest.home(owner)];
        }
        false
    }

    /// Whether a use is as a subscript of a load or store.
    fn is_subscript(&self, user: Use, code: Code) -> bool {
        let Use::Operand(op, number) = user else { return false };
        let data = &self.kernel.ops[op];
        if matches!(data.code, Code::Index | Code::Cast) {
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

    fn choice(&self, value: Value) -> Option<Choice> {
        let (condition, a, b) = self.sides(value)?;
        match (a == self.arg, b == self.arg) {
            (false, true) => Some(Choice { condition, new: a, when: true }),
            (true, false) => Some(Choice { condition, new: b, when: false }),
            _ => None,
        }
    }

    fn chosen(&mut self, choice: &Choice) -> Option<Role> {
        if self.depends(choice.new) {
            return None;
        }
        let conditional = true;
        if !self.depends(choice.condition) {
            return Some(match (self.kernel.as_const(choice.new), choice.when) {
                (Some(Scalar::Bool(true)), _) => Role::Reduction { fold: Fold::Or, conditional },
                (Some(Scalar::Bool(false)), _) => Role::Reduction { fold: Fold::And, conditional },
                _ => Role::Last,
            });
        }
        if let Some(fold) = self.extreme(choice) {
            return Some(Role::Reduction { fold, conditional: false });
        }
        self.is_first(choice.condition).then_some(Role::First)
    }

    /// `if x > m: m = x`, and its like.
    fn extreme(&self, choice: &Choice) -> Option<Fold> {
        let made = &self.kernel.ops[self.kernel.def_op(choice.condition)?];
        let greater = match made.code {
            Code::Gt | Code::Ge => true,
            Code::Lt | Code::Le => false,
            _ => return None,
        };
        let (a, b) = (made.operands[0], made.operands[1]);
        let new_first = match () {
            () if b == self.arg && self.same(a, choice.new) => true,
            () if a == self.arg && self.same(b, choice.new) => false,
            () => return None,
        };
        Some(if (greater == new_first) == choice.when { Fold::Max } else { Fold::Min })
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

    /// Whether two values are computed alike: loads of one cell are, as long as the loop does not store there.
    fn same(&self, a: Value, b: Value) -> bool {
        if a == b {
            return true;
        }
        let (Def::Result(x, m), Def::Result(y, n)) = (self.kernel.values[a].def, self.kernel.values[b].def) else {
            return false;
        };
        let (x, y) = (&self.kernel.ops[x], &self.kernel.ops[y]);
        let alike = (x.code, &x.attr, m, x.operands.len()) == (y.code, &y.attr, n, y.operands.len());
        let repeats = x.code.is_elementwise() || matches!(x.code, Code::Row | Code::Slice | Code::Field | Code::Size);
        let loads = x.code == Code::Load && !self.stores_to(self.kernel.root(x.operands[0]));
        alike && (repeats || loads) && x.operands.iter().zip(&y.operands).all(|(&a, &b)| self.same(a, b))
    }

    fn stores_to(&self, root: Value) -> bool {
        self.nest.accesses.iter().any(|access| {
            access.is_store
                && access.root == root
                && self.nest.levels_of(access.op).iter().any(|level| level.op == self.op)
        })
    }

    /// Whether a value is the argument, multiplied and added to.
    fn is_linear(&mut self, value: Value) -> bool {
        if value == self.arg || !self.depends(value) {
            return true;
        }
        let Some(op) = self.kernel.def_op(value) else { return false };
        let operands = self.kernel.ops[op].operands.clone();
        match self.kernel.ops[op].code {
            Code::Add | Code::Sub | Code::WrappingAdd | Code::WrappingSub | Code::Neg => {
                operands.iter().all(|&part| self.is_linear(part))
            }
            Code::Mul | Code::WrappingMul => {
                operands.iter().filter(|&&part| self.depends(part)).count() == 1
                    && operands.iter().all(|&part| self.is_linear(part))
            }
            Code::Fma => {
                let n_factors = operands[..2].iter().filter(|&&part| self.depends(part)).count();
                n_factors <= 1 && operands.iter().all(|&part| self.is_linear(part))
            }
            Code::Div => !self.depends(operands[1]) && self.is_linear(operands[0]),
            _ => false,
        }
    }
}
