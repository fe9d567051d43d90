//! Checks of sizes at the entry of a kernel, where native code makes them too, before it has written anything.
//!
//! Sizes that have to be equal are compared where they are needed: perhaps in a loop, or on a side of a branch. If both are formulas of
//! parameters, they can be compared at the entry as well, but a run that never gets to where they are needed must not end for them. So
//! the condition under which it gets there goes along: the ranges of the loops around it are not empty, and the conditions of the branches
//! hold.
//!
//! ```text
//! kernel k(a: f32[n], b: f32[m], n, m, c: i32):       @checked
//!     for i in range(0, c):                           kernel k(a: f32[n], b: f32[m], n, m, c: i32):
//!         assert_size(index(n), index(m))                 assert_size(select((0 < index(c)), index(n), index(m)), index(m))
//!         …                                               for i in range(0, c):
//!                                                             …
//! ```
//!
//! The formulas are computed at the entry whether the run gets there or not, so what would overflow wraps around. That does no harm: a
//! formula that is needed is that of a value which the run computes, without an error, before it gets to the check.
//!
//! A check stays where it is if data decides the sizes or whether it is reached: native code assumes that it holds, and a decision says so.

mod normal;

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::bounds::Bounds;
use crate::decision::{Decision, Said};
use crate::formulas::Writer;
use crate::{Context, formulas};
use ir::codes::ReasonCode;
use ir::entities::{Op, Origin, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scratch::{ParamAtom, SizeFormula};
use ir::types::Elem;
use normal::Normal;

/// The most conditions under which one check is reached; what is reached in more ways stays where it is.
const MOST_WAYS: usize = 8;

/// Moves checks of sizes to the entry; says whether any are made there now.
pub fn checks(kernel: &mut Kernel, context: &mut Context) -> bool {
    // Few kernels have any, and what follows looks at each value.
    if kernel.ops.iter().all(|(_, op)| !op.code.checks_sizes()) {
        kernel.marks.checked = false;
        return false;
    }
    let in_place = kernel.possible_checks();
    let (bounds, normal) = (Bounds::of(kernel), Normal::of(kernel));
    let mut finder = Finder { kernel, bounds, normal, in_place: &in_place, left: Vec::new() };
    let found = finder.region(kernel.body, &[]);
    let left = finder.left;
    let mut said = FxHashSet::default();
    for &op in left.iter().filter(|&&op| kernel.ops[op].code == Code::AssertSize && !in_place.contains(&op)) {
        if said.insert(kernel.ops[op].origin) {
            context.decide(assumed(kernel, op));
        }
    }
    let moved: FxHashSet<Op> = found.iter().flat_map(|check| check.moved.iter().copied()).collect();
    if !moved.is_empty() {
        for region in kernel.regions.values_mut() {
            region.ops.retain(|op| !moved.contains(op));
        }
        // Who reads the checks one after the other finds the one that fails first.
        let last = in_place.iter().copied().rfind(|op| !moved.contains(op));
        formulas::at_entry(kernel, last, |writer| found.iter().for_each(|check| check.write(writer)));
        crate::cse(kernel);
        crate::dce(kernel);
    }
    kernel.marks.checked = !kernel.possible_checks().is_empty();
    kernel.marks.checked || !moved.is_empty()
}

/// The decision to leave a check to who interprets the kernel.
pub(crate) fn assumed(kernel: &Kernel, op: Op) -> Decision {
    let data = &kernel.ops[op];
    let sizes = data.operands.iter().map(|&size| Said::value(kernel, size)).collect();
    Decision::left(data.origin, ReasonCode::SizeAssumed, sizes)
}

/// A comparison of two sizes, or that a size is not 0.
struct Check {
    code: Code,
    /// The sizes that are compared. That which is not 0 stands beside 1, which is none either.
    sizes: [SizeFormula; 2],
    /// The sizes in their normal form.
    normal: [SizeFormula; 2],
    /// The place that is named where they differ.
    origin: Origin,
    /// The ways to get to it, of which each is conditions that hold together.
    ways: Vec<Vec<Condition>>,
    /// The ops that it replaces, in the order of the program.
    moved: Vec<Op>,
    /// True if it is made at the entry already.
    stays: bool,
}

/// A condition that is known at the entry.
#[derive(Debug, Clone, PartialEq)]
enum Condition {
    /// A parameter that is a `bool`.
    Param(Value),
    Compare(Code, Term, Term),
    Not(Box<Condition>),
    /// Two conditions joined by `and` or `or`.
    Join(Code, Box<Condition>, Box<Condition>),
}

/// A number that is compared.
#[derive(Debug, Clone, PartialEq)]
enum Term {
    Integer(SizeFormula),
    /// A parameter or a constant.
    Float(Value),
}

impl Check {
    /// Says whether it compares what another one does.
    fn is_like(&self, other: &Check) -> bool {
        let ([a, b], [c, d]) = (&self.normal, &other.normal);
        self.code == other.code && ((a, b) == (c, d) || (a, b) == (d, c))
    }

    /// A number that is the same for checks that are alike.
    fn fingerprint(&self) -> u64 {
        let of_size = |size: &SizeFormula| FxBuildHasher.hash_one(size);
        self.normal.iter().map(of_size).fold(0, u64::wrapping_add)
    }

    /// Says whether it is made wherever these conditions hold.
    fn is_made_on(&self, way: &[Condition]) -> bool {
        self.ways.iter().any(|own| own.iter().all(|condition| way.contains(condition)))
    }

    /// Says whether it is made wherever another one is.
    fn covers(&self, other: &Check) -> bool {
        other.ways.iter().all(|way| self.is_made_on(way))
    }

    fn write(&self, writer: &mut Writer) {
        if self.stays || self.ways.is_empty() {
            return;
        }
        let around = writer.builder.set_origin(self.origin);
        let [a, b] = self.sizes.each_ref().map(|size| writer.value(size));
        let always = self.ways.iter().any(Vec::is_empty);
        let ways: Vec<Value> = self.ways.iter().filter(|_| !always).filter_map(|way| joined(writer, way)).collect();
        let reached = ways.into_iter().reduce(|a, b| writer.builder.op(Code::Or, &[a, b]));
        let a = reached.map_or(a, |reached| writer.builder.op(Code::Select, &[reached, a, b]));
        let n_operands = if self.code == Code::AssertSize { 2 } else { 1 };
        writer.builder.push(self.code, Attr::None, &[a, b][..n_operands]);
        writer.builder.set_origin(around);
    }
}

/// Conditions that hold together, as one value.
fn joined(writer: &mut Writer, conditions: &[Condition]) -> Option<Value> {
    let values: Vec<Value> = conditions.iter().map(|condition| condition.write(writer)).collect();
    values.into_iter().reduce(|a, b| writer.builder.op(Code::And, &[a, b]))
}

impl Condition {
    fn not(self) -> Condition {
        match self {
            Condition::Not(inner) => *inner,
            other => Condition::Not(Box::new(other)),
        }
    }

    fn join(code: Code, a: Condition, b: Condition) -> Condition {
        Condition::Join(code, Box::new(a), Box::new(b))
    }

    fn write(&self, writer: &mut Writer) -> Value {
        match self {
            Condition::Param(value) => *value,
            Condition::Compare(code, a, b) => {
                let operands = [a, b].map(|term| match term {
                    Term::Integer(formula) => writer.value(formula),
                    Term::Float(value) => *value,
                });
                writer.builder.op(*code, &operands)
            }
            Condition::Not(inner) => {
                let inner = inner.write(writer);
                writer.builder.op(Code::Not, &[inner])
            }
            Condition::Join(code, a, b) => {
                let operands = [a.write(writer), b.write(writer)];
                writer.builder.op(*code, &operands)
            }
        }
    }
}

/// The checks that are found in a part of a kernel.
#[derive(Default)]
struct Found {
    list: Vec<Check>,
    /// The places in the list of those that may be alike, by their fingerprints.
    alike: FxHashMap<u64, Vec<usize>>,
}

impl Found {
    fn of(list: Vec<Check>) -> Found {
        let mut found = Found::default();
        list.into_iter().for_each(|check| found.push(check));
        found
    }

    fn push(&mut self, check: Check) {
        self.alike.entry(check.fingerprint()).or_default().push(self.list.len());
        self.list.push(check);
    }

    /// The first check that another one is one with. The place of a check is named where the sizes differ, so it is one with another
    /// only if that has failed before, or is of the same place: a pass has made two loops of one.
    fn one_with(&mut self, check: &Check) -> Option<&mut Check> {
        let is_one = |own: &Check| own.is_like(check) && (own.covers(check) || own.origin == check.origin);
        let place = self.alike.get(&check.fingerprint())?.iter().copied().find(|&place| is_one(&self.list[place]))?;
        Some(&mut self.list[place])
    }
}

struct Finder<'k> {
    kernel: &'k Kernel,
    bounds: Bounds<'k>,
    normal: Normal,
    /// The checks that stand at the entry.
    in_place: &'k [Op],
    /// The checks that cannot be made there.
    left: Vec<Op>,
}

/// An answer that is known before the call, or a condition that gives it.
#[derive(Debug, Clone)]
enum Holds {
    Known(bool),
    If(Condition),
}

impl Finder<'_> {
    /// The checks in a region that can be made at the entry, by the conditions that hold around it.
    fn region(&mut self, region: Region, way: &[Condition]) -> Vec<Check> {
        let mut found = Found::default();
        for &op in &self.kernel.regions[region].ops {
            for check in self.op(op, way) {
                self.add(&mut found, check);
            }
        }
        found.list
    }

    /// Adds a check to those before it.
    fn add(&mut self, found: &mut Found, check: Check) {
        let Some(same) = found.one_with(&check) else { return found.push(check) };
        let ways: Vec<_> = check.ways.into_iter().filter(|way| !same.is_made_on(way)).collect();
        if same.ways.len() + ways.len() > MOST_WAYS {
            return self.left.extend(check.moved);
        }
        same.ways.extend(ways);
        same.moved.extend(check.moved);
    }

    fn op(&mut self, op: Op, way: &[Condition]) -> Vec<Check> {
        let data = &self.kernel.ops[op];
        match data.code {
            code if code.checks_sizes() => self.check(op, way).into_iter().collect(),
            Code::If => self.branch(op, way),
            Code::For | Code::VectorFor | Code::Foreach => {
                let around = self.kernel.ops[op].operands[..3 * self.kernel.n_ranges(op)].chunks(3);
                let around: Option<Vec<Holds>> = around.map(|range| self.nonempty(range)).collect();
                let found = self.under(data.regions[0], way, around.as_deref());
                self.keep(found, around.is_some())
            }
            _ => {
                let found = data.regions.iter().flat_map(|&region| self.region(region, way)).collect();
                self.keep(found, false)
            }
        }
    }

    /// The checks that are found in a part, if it is known when the run gets there.
    fn keep(&mut self, found: Vec<Check>, is_known: bool) -> Vec<Check> {
        if is_known {
            return found;
        }
        self.left.extend(found.into_iter().flat_map(|check| check.moved));
        Vec::new()
    }

    /// The checks in a region, if the run gets there where some more conditions hold.
    fn under(&mut self, region: Region, way: &[Condition], more: Option<&[Holds]>) -> Vec<Check> {
        let mut way = way.to_vec();
        let mut never = false;
        for holds in more.into_iter().flatten() {
            match holds {
                Holds::Known(known) => never |= !known,
                Holds::If(condition) if !way.contains(condition) => way.push(condition.clone()),
                Holds::If(_) => {}
            }
        }
        let mut found = self.region(region, &way);
        if never {
            found.iter_mut().for_each(|check| check.ways.clear());
        }
        found
    }

    fn check(&mut self, op: Op, way: &[Condition]) -> Option<Check> {
        let data = &self.kernel.ops[op];
        let stays = self.in_place.contains(&op);
        let one = SizeFormula::Constant(1);
        let sizes =
            (self.formula(data.operands[0]), data.operands.get(1).map_or(Some(one), |&size| self.formula(size)));
        let (Some(a), Some(b)) = sizes else {
            self.left.push(op);
            return None;
        };
        let normal = [&a, &b].map(|size| self.normal.form(size));
        let holds = normal[0] == normal[1]
            || data.code == Code::AssertSome && normal[0].as_constant().is_some_and(|size| size > 0);
        let ways = if holds { Vec::new() } else { vec![way.to_vec()] };
        let stays = stays && !holds;
        let moved = if stays { Vec::new() } else { vec![op] };
        Some(Check { code: data.code, sizes: [a, b], normal, origin: data.origin, ways, moved, stays })
    }

    /// A branch whose condition is not known has the checks that both of its sides have.
    fn branch(&mut self, op: Op, way: &[Condition]) -> Vec<Check> {
        let data = &self.kernel.ops[op];
        let [then, or_else] = [data.regions[0], data.regions[1]];
        match self.holds(data.operands[0]) {
            Some(Holds::Known(known)) => {
                let mut found = Found::of(self.under(then, way, Some(&[Holds::Known(known)])));
                for check in self.under(or_else, way, Some(&[Holds::Known(!known)])) {
                    self.add(&mut found, check);
                }
                found.list
            }
            Some(Holds::If(condition)) => {
                let mut found = Found::of(self.under(then, way, Some(&[Holds::If(condition.clone())])));
                for check in self.under(or_else, way, Some(&[Holds::If(condition.not())])) {
                    self.add(&mut found, check);
                }
                found.list
            }
            None => {
                let (found, mut others) = (self.region(then, way), self.region(or_else, way));
                let mut both = Vec::new();
                for mut check in found {
                    let is_same = |other: &Check| other.is_like(&check) && other.ways == check.ways;
                    match others.iter().position(is_same) {
                        Some(at) => {
                            check.moved.extend(others.swap_remove(at).moved);
                            both.push(check);
                        }
                        None => self.left.extend(check.moved),
                    }
                }
                self.left.extend(others.into_iter().flat_map(|check| check.moved));
                both
            }
        }
    }

    /// Says whether a range has any index.
    fn nonempty(&mut self, range: &[Value]) -> Option<Holds> {
        let step = self.kernel.as_const(range[2])?.wide().filter(|step| *step != 0)?;
        self.compared(if step > 0 { Code::Lt } else { Code::Gt }, range[0], range[1])
    }

    /// An integer as a formula.
    fn formula(&mut self, value: Value) -> Option<SizeFormula> {
        let formula = self.bounds.known(value)?;
        // A formula works on `i64`, in which not every such parameter has a place.
        let mut fits = true;
        formula.atoms(&mut |atom| {
            if let ParamAtom::Param(number) = atom {
                fits &= self.kernel.ty(self.kernel.params[number].value).data_elem() != Some(Elem::U64);
            }
        });
        fits.then_some(formula)
    }

    fn compared(&mut self, code: Code, a: Value, b: Value) -> Option<Holds> {
        let elem = self.kernel.ty(a).data_elem()?;
        if elem.is_integer() {
            let (a, b) = (self.formula(a)?, self.formula(b)?);
            if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
                return Some(Holds::Known(match code {
                    Code::Lt => a < b,
                    Code::Le => a <= b,
                    Code::Gt => a > b,
                    Code::Ge => a >= b,
                    Code::Eq => a == b,
                    _ => a != b,
                }));
            }
            return Some(Holds::If(Condition::Compare(code, Term::Integer(a), Term::Integer(b))));
        }
        let is_given = |value: Value| matches!(self.kernel.values[value].def, Def::Param(_) | Def::Const(_));
        let is_float = elem.is_float() && is_given(a) && is_given(b);
        is_float.then_some(Holds::If(Condition::Compare(code, Term::Float(a), Term::Float(b))))
    }

    /// Says whether a `bool` is true.
    fn holds(&mut self, value: Value) -> Option<Holds> {
        let op = match self.kernel.values[value].def {
            Def::Const(scalar) => return Some(Holds::Known(scalar.is_true())),
            Def::Param(_) => return Some(Holds::If(Condition::Param(value))),
            Def::Result(op, _) if self.kernel.ty(value).lanes().is_none() => op,
            _ => return None,
        };
        let data = &self.kernel.ops[op];
        match (data.code, &data.operands[..]) {
            (Code::Lt | Code::Le | Code::Gt | Code::Ge | Code::Eq | Code::Ne, &[a, b]) => {
                self.compared(data.code, a, b)
            }
            (Code::Not, &[a]) => Some(self.holds(a)?.not()),
            (Code::And | Code::Or, &[a, b]) => Some(Holds::join(data.code, self.holds(a)?, self.holds(b)?)),
            (Code::Select, &[c, a, b]) => {
                let (c, a, b) = (self.holds(c)?, self.holds(a)?, self.holds(b)?);
                let other = c.clone().not();
                Some(Holds::join(Code::Or, Holds::join(Code::And, c, a), Holds::join(Code::And, other, b)))
            }
            _ => None,
        }
    }
}

impl Holds {
    fn not(self) -> Holds {
        match self {
            Holds::Known(known) => Holds::Known(!known),
            Holds::If(condition) => Holds::If(condition.not()),
        }
    }

    /// Two answers joined by `and` or `or`.
    fn join(code: Code, a: Holds, b: Holds) -> Holds {
        match (a, b) {
            // One of them decides, or says nothing.
            (Holds::Known(known), other) | (other, Holds::Known(known)) => {
                if known == (code == Code::Or) {
                    Holds::Known(known)
                } else {
                    other
                }
            }
            (Holds::If(a), Holds::If(b)) => Holds::If(Condition::join(code, a, b)),
        }
    }
}

#[cfg(test)]
mod tests;
