//! Uniformity: which values are the same in all lanes, and how the others differ.
//!
//! One walk over the kernel, in order. Lanes are consecutive iterations of one loop, the *lane loop*; what stands
//! outside of all lane loops is the same everywhere. A fact holds for the lanes that are active where the value is made:
//! they run together, one statement after the other.
//!
//! What a loop carries is guessed from what it starts with, and the block is looked at again with a weaker guess
//! where what it yields does not agree. A guess is only ever weakened, so this ends.

mod groups;

use std::collections::HashSet;

use super::access;
use super::form::{Atom, Form};
use super::range::Range;
use super::shape::Shape;
use super::{Cause, Fact, Facts, Flow, Reason};
use crate::entities::{EntityVec, Op, Region, Value};
use crate::ops::{Code, Gives};
use crate::program::{Attr, Def, Kernel};
use crate::scalar::Scalar;
use crate::types::Elem;

/// Finds the facts of a kernel whose lanes run along these loops, none of which is inside of another.
pub(super) fn find(kernel: &Kernel, lane_loops: &[Op]) -> Facts {
    let mut finder = Finder {
        kernel,
        facts: Facts::unknown(kernel, lane_loops),
        guesses: EntityVec::filled(kernel.values.len(), None),
        lanes: None,
        leaving: None,
    };
    for (value, data) in kernel.values.iter() {
        match data.def {
            Def::Const(scalar) => {
                finder.facts.ranges[value] = Range::exactly(scalar);
                let form = scalar.wide().filter(|_| scalar.elem() != Elem::Bool).map(Form::constant);
                finder.facts.values[value] = Fact { shape: Shape::Uniform, form, exact: true, cause: None };
            }
            Def::Param(_) => finder.opaque(value, Shape::Uniform, None),
            Def::Result(..) | Def::Arg(..) => {}
        }
    }
    finder.region(kernel.body, Flow::AllOn);
    finder.facts
}

/// The loop whose iterations are lanes, while the walk is inside of it.
#[derive(Clone)]
struct Lanes {
    op: Op,
    /// The arrays that its iterations write.
    written: HashSet<Value>,
    /// The arrays that each iteration has of its own.
    private: HashSet<Value>,
    /// The iterations do not see each other's stores.
    apart: bool,
}

struct Finder<'k> {
    kernel: &'k Kernel,
    facts: Facts,
    /// What is taken for granted of loop arguments, once a first guess was wrong.
    guesses: EntityVec<Value, Option<Fact>>,
    lanes: Option<Lanes>,
    /// The condition for which lanes leave the innermost loop at different times.
    leaving: Option<Value>,
}

impl Finder<'_> {
    fn region(&mut self, region: Region, flow: Flow) {
        self.facts.flows[region] = flow;
        self.facts.lane_loops[region] = self.lanes.as_ref().map(|lanes| lanes.op);
        let kernel = self.kernel;
        for &op in &kernel.regions[region].ops {
            match kernel.ops[op].code {
                Code::For | Code::Foreach if self.facts.loops.contains(&op) => self.lane_loop(op),
                Code::VectorFor if self.facts.loops.contains(&op) => self.group_loop(op),
                Code::For | Code::Foreach | Code::VectorFor => self.inner_loop(op, flow),
                Code::While => self.while_loop(op, flow),
                Code::If => self.branch(op, flow),
                _ => self.plain(op),
            }
        }
    }

    fn fact(&self, value: Value) -> &Fact {
        &self.facts.values[value]
    }

    fn shape(&self, value: Value) -> &Shape {
        &self.fact(value).shape
    }

    /// An integer that is exactly this.
    fn form(&self, value: Value) -> Option<&Form> {
        self.fact(value).exact_form()
    }

    fn range(&self, value: Value) -> Option<Range> {
        self.facts.ranges[value]
    }

    fn elem(&self, value: Value) -> Option<Elem> {
        self.kernel.ty(value).data_elem()
    }

    fn is_integer(&self, value: Value) -> bool {
        self.elem(value).is_some_and(Elem::is_integer)
    }

    fn set(&mut self, value: Value, fact: Fact) {
        let own = self.elem(value).and_then(Range::of);
        let known = self.facts.ranges[value].or(own);
        self.facts.ranges[value] = known;
        self.facts.values[value] = fact;
    }

    /// A value of which no more than its shape is known.
    fn opaque(&mut self, value: Value, shape: Shape, cause: Option<Cause>) {
        let form = (shape.is_uniform() && self.is_integer(value)).then(|| Form::value(value));
        let cause = cause.filter(|_| !shape.is_uniform());
        self.set(value, Fact { shape, form, exact: true, cause });
    }

    /// An integer that is, exactly or in its low bits, what a form says.
    fn formed(&mut self, value: Value, form: Form, exact: bool, cause: Option<Cause>) {
        if !form.varies() && !exact {
            return self.opaque(value, Shape::Uniform, None);
        }
        let shape = match exact {
            true => Shape::of(&form),
            false => Shape::of_low_bits(&form, self.elem(value).map_or(64, |elem| 8 * elem.bytes() as u32)),
        };
        let cause = cause.filter(|_| !shape.is_uniform());
        self.set(value, Fact { shape, form: Some(form), exact, cause });
    }

    /// A value that differs from a varying one by something that is the same in all lanes.
    fn moved(&mut self, value: Value, varying: Form, cause: Option<Cause>) {
        match varying.add(&Form::value(value)) {
            Some(form) => self.formed(value, form, true, cause),
            None => self.opaque(value, Shape::of(&varying), cause),
        }
    }

    // Ops without blocks.

    fn plain(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let cause = self.cause_among(&data.operands, Reason::Operand);
        if let [value] = data.results.as_slice() {
            self.facts.ranges[*value] = self.range_of(op, *value);
        }
        match data.code {
            Code::Load => self.load(op),
            Code::Unknown => {
                let shape = if self.lanes.is_some() { Shape::Arbitrary } else { Shape::Uniform };
                let cause = Some(Cause { reason: Reason::Unknown, value: None });
                data.results.iter().for_each(|&value| self.opaque(value, shape.clone(), cause));
            }
            Code::LaneIndex => self.lane_index(op),
            Code::LaneId if self.lanes.is_some() && self.is_in_lanes(data.results[0]) => {
                let cause = Some(Cause { reason: Reason::LaneNumber, value: None });
                self.formed(data.results[0], Form::iteration(), true, cause);
            }
            Code::LaneId if self.lanes.is_some() => {
                let cause = Some(Cause { reason: Reason::LaneNumber, value: None });
                self.moved(data.results[0], Form::iteration(), cause);
            }
            // All lanes take the same lane's.
            Code::Shuffle if self.shape(data.operands[1]).is_uniform() => {
                self.opaque(data.results[0], Shape::Uniform, None);
            }
            _ if self.tells_lanes_apart(op) => {
                let value = data.operands.iter().copied().find(|value| !self.shape(*value).is_uniform());
                let cause = Some(Cause { reason: Reason::Lanes, value });
                data.results.iter().for_each(|&result| self.opaque(result, Shape::Arbitrary, cause));
            }
            _ => {
                for &value in &data.results {
                    self.computed(op, value, cause);
                }
            }
        }
    }

    /// Whether lanes get what lies in other lanes, or in neighbouring cells of one that all of them name.
    fn tells_lanes_apart(&self, op: Op) -> bool {
        let data = &self.kernel.ops[op];
        match data.code {
            Code::Rotate | Code::Shuffle | Code::ScanAdd | Code::ExpandLoad => self.lanes.is_some(),
            Code::Pack
            | Code::Permute
            | Code::Reverse
            | Code::VectorLoad
            | Code::MaskedLoad
            | Code::InterleavedLoad => true,
            Code::LaneId => self.is_in_lanes(data.results[0]),
            _ => false,
        }
    }

    /// The first of some values that varies, as a reason.
    fn cause_among(&self, values: &[Value], reason: Reason) -> Option<Cause> {
        let value = values.iter().copied().find(|value| !self.shape(*value).is_uniform())?;
        Some(Cause { reason, value: Some(value) })
    }

    /// A load: what it gives depends on where it reads, and on who writes there.
    fn load(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let (result, view) = (data.results[0], data.operands[0]);
        let mut cause = self.cause_among(&data.operands[1..], Reason::Address);
        cause = cause.or_else(|| self.cause_among(&data.operands[..1], Reason::Address));
        let Some(lanes) = &self.lanes else { return self.opaque(result, Shape::Uniform, None) };
        let root = self.kernel.root(view);
        if lanes.private.contains(&root) || (!lanes.apart && lanes.written.contains(&root)) {
            let cause = cause.unwrap_or(Cause { reason: Reason::Written, value: Some(root) });
            return self.opaque(result, Shape::Arbitrary, Some(cause));
        }
        let shape = access::shape(self.kernel, &self.facts, op).computed();
        self.opaque(result, shape, cause);
    }

    /// What is computed from values of these shapes.
    fn joined(&self, values: &[Value]) -> Shape {
        values.iter().fold(Shape::Uniform, |shape, &value| shape.with(self.shape(value)))
    }

    fn computed(&mut self, op: Op, value: Value, cause: Option<Cause>) {
        let data = &self.kernel.ops[op];
        if data.code == Code::Select
            && self.shape(data.operands[0]).is_uniform()
            && let (Some(a), Some(b)) = (self.form(data.operands[1]), self.form(data.operands[2]))
            && a != b
            && a.varying_part() == b.varying_part()
        {
            return self.moved(value, a.varying_part(), cause);
        }
        // What all lanes work out together is the same in all of them.
        let together = matches!(data.code.row().gives, Gives::ScalarOf(_) | Gives::SameScalar);
        if together || data.operands.iter().all(|&operand| self.shape(operand).is_uniform()) {
            return match self.integer(op, value) {
                Some((form, true)) if !together => self.formed(value, form, true, None),
                _ => self.opaque(value, Shape::Uniform, None),
            };
        }
        let Some((form, exact)) = self.integer(op, value) else {
            let shape = self.shape_of(op);
            return self.opaque(value, shape, cause);
        };
        self.formed(value, form, exact, cause);
        // Of a product of quotients the form says little, and what is multiplied may say more.
        if *self.shape(value) == Shape::Arbitrary {
            self.facts.values[value].shape = self.shape_of(op);
        }
    }

    /// The shape of what an op computes, where it has no form.
    fn shape_of(&self, op: Op) -> Shape {
        let data = &self.kernel.ops[op];
        let operands = &data.operands;
        let bools = |at: usize| self.elem(operands[at]) == Some(Elem::Bool);
        match data.code {
            Code::And | Code::Or if bools(0) => self.shape(operands[0]).joined(self.shape(operands[1])),
            Code::Not if bools(0) => self.shape(operands[0]).not(),
            Code::Lt | Code::Le => self.compared(operands[0], operands[1]),
            Code::Gt | Code::Ge => self.compared(operands[1], operands[0]),
            Code::Eq | Code::Ne => match self.difference(operands[0], operands[1]) {
                Some(difference) => Shape::of(&difference).computed(),
                None => self.joined(operands),
            },
            Code::And => self.masked(operands[0], operands[1]).unwrap_or_else(|| self.joined(operands)),
            Code::Rem => self.low_bits(operands[0], operands[1]).unwrap_or_else(|| self.joined(operands)),
            Code::Select => self.chosen(operands[0], operands[1], operands[2]),
            _ => self.joined(operands),
        }
    }

    /// Whether one value is below another.
    fn compared(&self, a: Value, b: Value) -> Shape {
        match self.difference(a, b) {
            Some(difference) => Shape::of(&difference).is_negative(),
            None => self.joined(&[a, b]),
        }
    }

    fn difference(&self, a: Value, b: Value) -> Option<Form> {
        self.form(a)?.sub(self.form(b)?)
    }

    /// An integer that is known, whether it is written so or computed from what is.
    fn known(&self, value: Value) -> Option<i128> {
        self.form(value).and_then(Form::as_constant)
    }

    /// Of two integers the one that is not known, and the other.
    fn with_known(&self, a: Value, b: Value) -> Option<(Value, i128)> {
        self.known(b).map(|known| (a, known)).or_else(|| Some((b, self.known(a)?)))
    }

    /// `x & constant`: it depends on the bits below the constant's highest.
    fn masked(&self, a: Value, b: Value) -> Option<Shape> {
        let (x, mask) = self.with_known(a, b)?;
        let form = self.fact(x).form.as_ref()?;
        let bits = 128 - mask.leading_zeros();
        let shape = (mask > 0 && bits <= 62).then(|| Shape::of_low_bits(form, bits));
        shape.filter(|shape| *shape != Shape::Arbitrary)
    }

    /// `x % power`, of an unsigned number that may have wrapped.
    fn low_bits(&self, a: Value, b: Value) -> Option<Shape> {
        let power = self.known(b)?;
        let is_power = power > 0 && power & (power - 1) == 0 && !self.elem(a)?.is_signed();
        is_power.then(|| Some(Shape::of_low_bits(self.fact(a).form.as_ref()?, power.trailing_zeros())))?
    }

    /// One of two values, by a condition.
    fn chosen(&self, condition: Value, a: Value, b: Value) -> Shape {
        // `and` and `or` are choices, too, where their right side is computed only if it decides.
        let known = |value: Value| self.kernel.as_const(value);
        if known(a) == Some(Scalar::Bool(true)) {
            return self.shape(condition).joined(self.shape(b));
        }
        if known(b) == Some(Scalar::Bool(false)) {
            return self.shape(condition).joined(self.shape(a));
        }
        let (a, b) = (self.fact(a), self.fact(b));
        if a.form.is_some() && a.form == b.form && a.exact && b.exact {
            return a.shape.clone();
        }
        let bools = matches!(a.shape, Shape::Prefix | Shape::Suffix) && a.shape == b.shape;
        if bools && self.shape(condition).is_uniform() {
            return a.shape.clone();
        }
        a.shape.with(&b.shape).with(self.shape(condition))
    }

    // Integers.

    /// What an integer op computes, as a form, and whether it is exactly that or in its low bits only.
    fn integer(&self, op: Op, value: Value) -> Option<(Form, bool)> {
        let data = &self.kernel.ops[op];
        let elem = self.elem(value).filter(|elem| elem.is_integer())?;
        if data.code == Code::Size {
            return Some((access::declared_size(self.kernel, data.operands[0], dim_of(&data.attr))?, true));
        }
        if !data.operands.iter().all(|&operand| self.is_integer(operand)) {
            // A choice is of integers, by a bool.
            return (data.code == Code::Select).then(|| self.selected(op)).flatten();
        }
        let at = |n: usize| data.operands[n];
        let low = |n: usize| self.fact(at(n)).form.as_ref().map(|form| (form, self.fact(at(n)).exact));
        let constant = |n: usize| self.form(at(n)).and_then(Form::as_constant);
        let natural = |n: usize| self.range(at(n)).is_some_and(Range::is_natural);
        // A sum may wrap unless its range shows that it does not, or overflow would be the program's error.
        let arithmetic = |join: fn(&Form, &Form) -> Option<Form>, may_fail: bool| {
            let ((a, a_exact), (b, b_exact)) = (low(0)?, low(1)?);
            let fits = self.mathematical(op).is_some_and(|range| Range::of(elem).is_some_and(|all| range.is_in(all)));
            Some((join(a, b)?, a_exact && b_exact && (fits || (may_fail && elem.is_signed()))))
        };
        let floor = |by: i128| Some((self.form(at(0))?.floor(by)?, true));
        let rest = |by: i128| {
            let form = self.form(at(0))?;
            Some((form.sub(&form.floor(by)?.scale(by)?)?, true))
        };
        match data.code {
            Code::Add => arithmetic(Form::add, true),
            Code::Sub => arithmetic(Form::sub, true),
            Code::Mul => arithmetic(Form::mul, true),
            Code::WrappingAdd => arithmetic(Form::add, false),
            Code::WrappingSub => arithmetic(Form::sub, false),
            Code::WrappingMul => arithmetic(Form::mul, false),
            // All bits inverted is what is left up to the number with all bits set.
            Code::Not => {
                let (form, exact) = low(0)?;
                let all = if elem.is_signed() { -1 } else { Range::of(elem)?.hi };
                Some((Form::constant(all).sub(form)?, exact))
            }
            Code::Neg if elem.is_signed() => low(0).and_then(|(a, exact)| Some((a.scale(-1)?, exact))),
            Code::Abs if natural(0) => low(0).map(|(a, exact)| (a.clone(), exact)),
            Code::Min | Code::Max => self.the_lesser(at(0), at(1), data.code == Code::Max),
            Code::Div | Code::FloorDiv => {
                let by = constant(1).filter(|by| *by > 0)?;
                if data.code == Code::FloorDiv || natural(0) {
                    return floor(by);
                }
                Some((self.form(at(0))?.divide_exactly(by)?, true))
            }
            Code::Rem if natural(0) => constant(1).filter(|by| *by > 0).and_then(rest),
            Code::Shr => constant(1).filter(|by| (0..63).contains(by)).and_then(|by| floor(1 << by)),
            Code::Shl => {
                let by = constant(1).filter(|by| (0..63).contains(by))?;
                let (form, exact) = low(0)?;
                let fits =
                    self.mathematical(op).is_some_and(|range| Range::of(elem).is_some_and(|all| range.is_in(all)));
                Some((form.scale(1 << by)?, exact && fits))
            }
            Code::And => self.and_form(at(0), at(1), elem),
            Code::Or => self.or_form(at(0), at(1)),
            Code::Splat => low(0).map(|(form, exact)| (form.clone(), exact)),
            Code::Cast | Code::Index => {
                let (form, exact) = low(0)?;
                let fits = self.range(at(0)).is_some_and(|range| Range::of(elem).is_some_and(|all| range.is_in(all)));
                let narrows = data.code == Code::Cast && elem.bytes() <= self.elem(at(0))?.bytes();
                ((exact && fits) || narrows).then(|| (form.clone(), exact && fits))
            }
            _ => None,
        }
    }

    /// A choice between integers that agree in how they vary, or are equal.
    fn selected(&self, op: Op) -> Option<(Form, bool)> {
        let [_, a, b] = self.kernel.ops[op].operands.as_slice() else { return None };
        let (a, b) = (self.form(*a)?, self.form(*b)?);
        (a == b).then(|| (a.clone(), true))
    }

    /// The lesser (or greater) of two integers, if it is known which one that is.
    fn the_lesser(&self, a: Value, b: Value, greater: bool) -> Option<(Form, bool)> {
        let (a_range, b_range) = (self.range(a)?, self.range(b)?);
        let difference = self.difference(a, b).and_then(|difference| difference.as_constant());
        let a_is_less = match difference {
            Some(difference) => difference <= 0,
            None if a_range.hi <= b_range.lo => true,
            None if b_range.hi <= a_range.lo => false,
            None => return None,
        };
        let which = if a_is_less == greater { b } else { a };
        self.form(which).map(|form| (form.clone(), true))
    }

    /// `x & (2^b - 1)` is what a division by `2^b` leaves; `x & -2^b` is what it does not.
    fn and_form(&self, a: Value, b: Value, elem: Elem) -> Option<(Form, bool)> {
        let (x, mask) = self.with_known(a, b)?;
        let fact = self.fact(x);
        let form = fact.form.as_ref()?;
        let low = |mask: i128| (mask >= 0 && (mask + 1) & mask == 0).then(|| mask + 1).filter(|power| *power < 1 << 62);
        if let Some(power) = low(mask) {
            // The low bits of the number are those of its form, even where it wrapped.
            return Some((form.sub(&form.floor(power)?.scale(power)?)?, true));
        }
        let all = 1i128 << (8 * elem.bytes());
        let complement = if mask < 0 { -1 - mask } else { all - 1 - mask };
        let power = low(complement).filter(|_| fact.exact)?;
        Some((form.floor(power)?.scale(power)?, true))
    }

    /// `x | (2^b - 1)` is the last number before the next multiple of `2^b`.
    fn or_form(&self, a: Value, b: Value) -> Option<(Form, bool)> {
        let (x, mask) = self.with_known(a, b)?;
        let form = self.form(x)?;
        let is_low = mask >= 0 && (mask + 1) & mask == 0 && mask < 1 << 62;
        is_low.then(|| Some((form.floor(mask + 1)?.scale(mask + 1)?.add(&Form::constant(mask))?, true)))?
    }

    /// The range of what an op computes, before it wraps.
    fn mathematical(&self, op: Op) -> Option<Range> {
        let operands = &self.kernel.ops[op].operands;
        Range::apply(self.kernel.ops[op].code, self.range(*operands.first()?)?, self.range(*operands.get(1)?)?)
    }

    /// The range of an op's result.
    fn range_of(&self, op: Op, value: Value) -> Option<Range> {
        let elem = self.elem(value).filter(|elem| elem.is_integer())?;
        let all = Range::of(elem)?;
        let data = &self.kernel.ops[op];
        let may_fail = elem.is_signed();
        let of = |n: usize| data.operands.get(n).and_then(|&value| self.range(value));
        let range = match data.code {
            Code::Select => of(1)?.join(of(2)?),
            Code::Cast | Code::Index | Code::Splat => of(0)?,
            Code::Abs => of(0).filter(|range| range.is_natural()).unwrap_or(Range { lo: 0, hi: all.hi }),
            Code::Popcount | Code::Clz | Code::Ctz => Range { lo: 0, hi: 64 },
            Code::Size => Range { lo: 0, hi: all.hi },
            Code::Neg => of(0).map(|range| Range { lo: -range.hi, hi: -range.lo })?,
            _ => self.mathematical(op).unwrap_or(all),
        };
        // What leaves the type wraps, or else was an error, and then nothing is computed from it.
        let stops = may_fail && matches!(data.code, Code::Add | Code::Sub | Code::Mul | Code::Neg);
        Some(if range.is_in(all) {
            range
        } else if stops {
            range.meet(all)
        } else {
            all
        })
    }

    // Control.

    /// Stays in what it is inside of: a branch or loop in divergent control has no more lanes than that.
    fn inside(&self, outer: Flow, shape: &Shape) -> Flow {
        match (outer, shape) {
            (Flow::Divergent, _) => Flow::Divergent,
            (_, Shape::Uniform) if self.lanes.is_some() => Flow::Uniform,
            (_, Shape::Uniform) => outer,
            _ => Flow::Divergent,
        }
    }

    fn branch(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let condition = data.operands[0];
        let inner = self.inside(flow, &self.shape(condition).clone());
        data.regions.iter().for_each(|&region| self.region(region, inner));
        let yields = |n: usize| &self.kernel.regions[data.regions[n]].yields;
        for (n, &result) in data.results.iter().enumerate() {
            let (a, b) = (yields(0)[n], yields(1)[n]);
            self.facts.ranges[result] = self.range(a).and_then(|range| Some(range.join(self.range(b)?)));
            let is_uniform = self.shape(condition).is_uniform();
            let cause = self.cause_among(&[a, b], Reason::Operand);
            let cause = match is_uniform {
                true => cause,
                false => Some(Cause { reason: Reason::Condition, value: Some(condition) }),
            };
            match (self.form(a).cloned(), self.form(b).cloned()) {
                (Some(x), Some(y)) if x == y => {
                    self.formed(result, x, true, self.cause_among(&[a, b], Reason::Operand))
                }
                (Some(x), Some(y)) if is_uniform && x.varying_part() == y.varying_part() => {
                    self.moved(result, x.varying_part(), cause);
                }
                _ => {
                    let shape = self.chosen(condition, a, b);
                    self.opaque(result, shape, cause);
                }
            }
        }
    }

    /// A loop whose iterations are lanes.
    fn lane_loop(&mut self, op: Op) {
        let data = &self.kernel.ops[op];
        let region = data.regions[0];
        let n_ranges = self.kernel.n_ranges(op);
        let args = self.kernel.regions[region].args.clone();
        let outer = self.lanes.replace(Lanes {
            op,
            written: written(self.kernel, op),
            private: private(self.kernel, op),
            apart: data.code == Code::Foreach,
        });
        for (n, &index) in args[..n_ranges].iter().enumerate() {
            let range: Vec<Value> = data.operands[3 * n..3 * n + 3].to_vec();
            self.facts.ranges[index] = self.index_range(&range);
            // Of several indices, lanes run along the last; the others stay while they do.
            if n + 1 < n_ranges {
                self.opaque(index, Shape::Uniform, None);
                continue;
            }
            let cause = Some(Cause { reason: Reason::Iteration, value: None });
            let form = self
                .form(range[0])
                .zip(self.form(range[2]))
                .and_then(|(start, step)| start.add(&step.mul(&Form::iteration())?));
            match form {
                Some(form) => self.formed(index, form, true, cause),
                None => self.opaque(index, Shape::Arbitrary, cause),
            }
        }
        let carried = &args[n_ranges..];
        let starts = &data.operands[3 * n_ranges..];
        loop {
            for &arg in carried {
                self.facts.ranges[arg] = None;
                match self.guesses[arg].clone() {
                    Some(guess) => self.set(arg, guess),
                    // To find inductions, what is carried is an unknown first, with which the yield is compared.
                    None => {
                        let form = self.is_integer(arg).then(|| Form::atom(Atom::Carried(arg)));
                        let cause = Some(Cause { reason: Reason::Carried, value: None });
                        self.set(arg, Fact { shape: Shape::Arbitrary, form, exact: true, cause });
                    }
                }
            }
            self.region(region, Flow::AllOn);
            if !self.find_inductions(region, carried, starts) {
                break;
            }
            // What was seen with less known is looked at afresh.
            self.forget_guesses(region);
        }
        // What is carried and no induction varies by what it is given next.
        for &arg in carried {
            self.facts.values[arg].cause = self.guesses[arg].as_ref().and_then(|guess| guess.cause);
        }
        self.lanes = outer;
        for &result in &data.results {
            self.facts.ranges[result] = None;
            self.opaque(result, Shape::Uniform, None);
        }
    }

    /// Finds what the lane loop carries and each iteration changes by the same amount, or not at all, if that was not
    /// done yet; says whether the block has to be seen again with it.
    fn find_inductions(&mut self, region: Region, carried: &[Value], starts: &[Value]) -> bool {
        let yields = self.kernel.regions[region].yields.clone();
        let mut again = false;
        for ((&arg, &start), &next) in carried.iter().zip(starts).zip(&yields) {
            if self.guesses[arg].is_some() {
                continue;
            }
            let cause = Some(Cause { reason: Reason::Carried, value: Some(next) });
            let guess = match self.induction(arg, start, next) {
                Some(form) => {
                    let shape = Shape::of(&form);
                    let cause = cause.filter(|_| !shape.is_uniform());
                    Fact { shape, form: Some(form), exact: true, cause }
                }
                // What no iteration changes is the same in all of them.
                None if next == arg => Fact { shape: Shape::Uniform, form: None, exact: true, cause: None },
                None => Fact { shape: Shape::Arbitrary, form: None, exact: true, cause },
            };
            again |= guess.shape != Shape::Arbitrary;
            self.guesses[arg] = Some(guess);
        }
        again
    }

    fn forget_guesses(&mut self, region: Region) {
        let kernel = self.kernel;
        kernel.walk(region, &mut |_, op| {
            let args = kernel.ops[op].regions.iter().flat_map(|&inner| &kernel.regions[inner].args);
            args.for_each(|&arg| self.guesses[arg] = None);
        });
    }

    /// The form of what grows by the same amount in each iteration.
    fn induction(&self, arg: Value, start: Value, next: Value) -> Option<Form> {
        let grown = self.form(next)?.sub(&Form::atom(Atom::Carried(arg)))?;
        let fits = self.elem(arg).is_some_and(Elem::is_signed) || grown.is_zero();
        (fits && !grown.varies()).then(|| self.form(start)?.add(&grown.mul(&Form::iteration())?))?
    }

    /// A loop whose iterations each lane runs one after the other.
    fn inner_loop(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let region = data.regions[0];
        let n_ranges = self.kernel.n_ranges(op);
        let args = self.kernel.regions[region].args.clone();
        let ranges = &data.operands[..3 * n_ranges];
        // Lanes go through the same number of iterations if the distance and the step are the same for all of them.
        let mut leaves = None;
        for (n, range) in ranges.chunks(3).enumerate() {
            let [start, stop, step] = [range[0], range[1], range[2]];
            let index = args[n];
            self.facts.ranges[index] = self.index_range(range);
            let same_distance = self.difference(start, stop).is_some_and(|distance| !distance.varies());
            let together = self.shape(step).is_uniform()
                && (same_distance || (self.shape(start).is_uniform() && self.shape(stop).is_uniform()));
            if !together {
                leaves =
                    leaves.or(self.cause_among(&[stop, start, step], Reason::Operand).and_then(|cause| cause.value));
            }
            let cause = self.cause_among(range, Reason::Operand);
            match self.form(start).map(Form::varying_part) {
                _ if !self.shape(step).is_uniform() => self.opaque(index, Shape::Arbitrary, cause),
                Some(varying) => self.moved(index, varying, cause),
                None => {
                    let shape = self.shape(start).computed();
                    self.opaque(index, shape, cause);
                }
            }
        }
        let shape = if leaves.is_some() { Shape::Arbitrary } else { Shape::Uniform };
        let inner = self.inside(flow, &shape);
        let outer = std::mem::replace(&mut self.leaving, leaves);
        let n_carried = args.len() - n_ranges;
        self.carry(op, region, &args[n_ranges..], &data.operands[3 * n_ranges..3 * n_ranges + n_carried], |finder| {
            finder.region(region, inner);
        });
        // What is joined from all iterations differs where what is joined does, or where lanes join more or less of it.
        let yields = &self.kernel.regions[region].yields;
        for (n, &result) in data.results.iter().enumerate().skip(n_carried) {
            self.facts.ranges[result] = None;
            let start = data.operands[3 * n_ranges + n];
            let shape = self.joined(&[start, yields[n]]);
            match leaves {
                Some(value) => {
                    self.opaque(result, Shape::Arbitrary, Some(Cause { reason: Reason::Leaves, value: Some(value) }))
                }
                None => self.opaque(result, shape, self.cause_among(&[yields[n], start], Reason::Operand)),
            }
        }
        self.leaving = outer;
    }

    fn while_loop(&mut self, op: Op, flow: Flow) {
        let data = &self.kernel.ops[op];
        let [test, body] = data.regions.as_slice() else { return };
        let (test, body) = (*test, *body);
        let args = self.kernel.regions[test].args.clone();
        let outer = self.leaving;
        self.carry(op, body, &args, &data.operands, |finder| {
            finder.region(test, flow);
            let condition = finder.kernel.regions[test].yields[0];
            let shape = finder.shape(condition).clone();
            finder.leaving = (!shape.is_uniform()).then_some(condition);
            // The lanes that come back to the test are those that did not leave.
            let inner = finder.inside(flow, &shape);
            if inner == Flow::Divergent {
                finder.region(test, Flow::Divergent);
            }
            finder.region(body, inner);
        });
        self.leaving = outer;
    }

    /// Goes through a loop's block until what is taken for granted of what it carries agrees with what it yields; then
    /// says what its results are.
    fn carry(&mut self, op: Op, region: Region, args: &[Value], starts: &[Value], mut block: impl FnMut(&mut Self)) {
        let yields = self.kernel.regions[region].yields.clone();
        loop {
            for (&arg, &start) in args.iter().zip(starts) {
                self.facts.ranges[arg] = None;
                match self.guesses[arg].clone() {
                    Some(guess) if guess.form.is_none() => self.opaque(arg, guess.shape, guess.cause),
                    _ => self.start_guess(arg, start),
                }
            }
            block(self);
            let mut again = false;
            for ((&arg, &start), &next) in args.iter().zip(starts).zip(&yields) {
                again |= self.weaken(arg, start, next);
            }
            if !again {
                break;
            }
        }
        let results = self.kernel.ops[op].results.clone();
        for (n, &result) in results.iter().take(args.len()).enumerate() {
            self.facts.ranges[result] = None;
            let (arg, next) = (args[n], yields[n]);
            let shape = self.shape(arg).clone();
            match self.leaving {
                // Lanes that leave at different times take different iterations' values with them.
                Some(value) if next != arg => {
                    let cause = Cause { reason: Reason::Leaves, value: Some(value) };
                    self.opaque(result, Shape::Arbitrary, Some(cause));
                }
                _ => {
                    let cause = self.fact(arg).cause;
                    match self.form(arg).map(Form::varying_part) {
                        Some(varying) => self.moved(result, varying, cause),
                        None => self.opaque(result, shape, cause),
                    }
                }
            }
        }
    }

    /// What is carried varies as what it started from.
    fn start_guess(&mut self, arg: Value, start: Value) {
        let cause = self.cause_among(&[start], Reason::Operand);
        match self.form(start).map(Form::varying_part) {
            Some(varying) => self.moved(arg, varying, cause),
            None => {
                let shape = self.shape(start).computed();
                self.opaque(arg, shape, cause);
            }
        }
    }

    /// Weakens what is taken for granted of an argument if what is yielded for it disagrees; says whether it did.
    fn weaken(&mut self, arg: Value, start: Value, next: Value) -> bool {
        if next == arg {
            return false;
        }
        let agrees = match (self.form(arg), self.form(next)) {
            (Some(arg), Some(next)) => arg.varying_part() == next.varying_part(),
            (Some(arg), None) if arg.varies() => false,
            _ => {
                let (arg, next) = (self.shape(arg), self.shape(next));
                next.is_uniform()
                    || arg.with(next) == *arg
                        && matches!(arg, Shape::Arbitrary | Shape::Periodic(_) | Shape::Repeated(_))
            }
        };
        if agrees {
            return false;
        }
        let shape = self.shape(arg).with(self.shape(next)).with(self.shape(start));
        let cause = self.cause_among(&[next, start], Reason::Operand);
        let already = self.guesses[arg].as_ref().is_some_and(|guess| guess.shape == shape);
        let shape = if already { Shape::Arbitrary } else { shape };
        self.guesses[arg] = Some(Fact { shape, form: None, exact: true, cause });
        true
    }

    /// The range of a loop's index: from where it starts to just before where it stops.
    fn index_range(&self, range: &[Value]) -> Option<Range> {
        let (start, stop) = (self.range(range[0])?, self.range(range[1])?);
        let step = self.range(range[2])?;
        let all = self.elem(range[0]).and_then(Range::of)?;
        if step.lo > 0 {
            return Some(Range::new(start.lo, stop.hi - 1).unwrap_or(Range { lo: start.lo, hi: start.lo }));
        }
        if step.hi < 0 {
            return Some(Range::new(stop.lo + 1, start.hi).unwrap_or(Range { lo: start.hi, hi: start.hi }));
        }
        Some(all)
    }
}

/// The arrays that a loop may write: those it stores to, and those that may overlap them.
fn written(kernel: &Kernel, op: Op) -> HashSet<Value> {
    let mut written = HashSet::new();
    for &region in &kernel.ops[op].regions {
        kernel.walk(region, &mut |_, inner| {
            let data = &kernel.ops[inner];
            if !data.code.is_control() && kernel.effect(inner) == crate::ops::Effect::Writes {
                written.insert(kernel.root(data.operands[0]));
            }
        });
    }
    for &(a, b) in &kernel.marks.alias {
        if written.contains(&a) || written.contains(&b) {
            written.extend([a, b]);
        }
    }
    written
}

/// The arrays that are made anew in each iteration of a loop.
fn private(kernel: &Kernel, op: Op) -> HashSet<Value> {
    let mut private = HashSet::new();
    for &region in &kernel.ops[op].regions {
        kernel.walk(region, &mut |_, inner| {
            if kernel.ops[inner].code == Code::Temp {
                private.extend(kernel.ops[inner].results.iter().copied());
            }
        });
    }
    private
}

/// The dimension that an op's attribute names.
pub(crate) fn dim_of(attr: &Attr) -> usize {
    match attr {
        Attr::Number(dim) => usize::try_from(*dim).unwrap_or(0),
        _ => 0,
    }
}
