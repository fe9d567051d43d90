//! Uniformity: finds the values that are the same in all lanes, and the patterns in which the others differ.
//!
//! The analysis is one walk over the kernel, in order. Lanes are consecutive iterations of one loop, the *lane loop*;
//! values outside of all lane loops are the same everywhere. A fact holds for the lanes that are active where the value
//! is computed: they run together, one statement after the other.
//!
//! A carried value is guessed from its start, and the block is analysed again with a weaker guess if the value that it
//! yields does not agree. A guess is only ever weakened, so this ends.
//!
//! - `ops`: ops without blocks
//! - `integers`: what an integer op computes, as a form and as a range
//! - `control`: branches, and the loops that each lane goes through by itself
//! - `lane_loop`: the loop whose iterations are lanes
//! - `groups`: the loop over groups of lanes, in a vectorised kernel
//! - `known`: the facts that hold at a place
//! - `causes`: the shortest way from a value to a cause

mod causes;
mod control;
mod groups;
mod integers;
mod known;
mod lane_loop;
mod ops;

use rustc_hash::FxHashMap;

use super::counting::Counting;
use super::form::Form;
use super::range::ValueRange;
use super::shape::Shape;
use super::{Cause, Fact, Facts, Flow, VaryingReason};
use ir::entities::{EntityVec, Op, Region, Value};
use ir::ops::Code;
use ir::program::{Def, Kernel};
use ir::types::Elem;
use lane_loop::Lanes;

pub(super) use causes::shorten as shorten_causes;

/// Finds the facts of a kernel whose lanes run along these loops, none of which is inside of another. The bodies of loops for which
/// `is_passed` holds are not looked at.
pub(super) fn find(kernel: &Kernel, lane_loops: &[Op], is_passed: &dyn Fn(Op) -> bool) -> Facts {
    let mut is_lane_loop = EntityVec::filled(kernel.ops.len(), false);
    lane_loops.iter().for_each(|&op| is_lane_loop[op] = true);
    let mut finder = Finder {
        kernel,
        is_lane_loop,
        is_passed,
        facts: Facts::unknown(kernel, lane_loops),
        guesses: EntityVec::filled(kernel.values.len(), None),
        lanes: None,
        leaving: None,
        going: FxHashMap::default(),
        known: Vec::new(),
    };
    for (value, data) in kernel.values.iter() {
        match data.def {
            Def::Const(scalar) => {
                finder.facts.ranges[value] = ValueRange::exactly(scalar);
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

struct Finder<'k> {
    kernel: &'k Kernel,
    /// The loops whose iterations are lanes, each in none other.
    is_lane_loop: EntityVec<Op, bool>,
    /// Says of a loop without lanes that its body is not looked at.
    is_passed: &'k dyn Fn(Op) -> bool,
    facts: Facts,
    /// The assumptions about loop arguments, once a first guess was wrong.
    guesses: EntityVec<Value, Option<Fact>>,
    lanes: Option<Lanes>,
    /// The condition for which lanes leave the innermost loop at different times.
    leaving: Option<Value>,
    /// The conditions that are known as long as no iteration leaves the lane loop early.
    going: FxHashMap<Value, bool>,
    /// Forms that are known not to be negative at the place that is looked at, the latest last.
    known: Vec<Form>,
}

impl Finder<'_> {
    fn region(&mut self, region: Region, flow: Flow) {
        self.facts.flows[region] = flow;
        self.facts.lane_loops[region] = self.lanes.as_ref().map(|lanes| lanes.op);
        let kernel = self.kernel;
        self.knowing(|finder| {
            for &op in &kernel.regions[region].ops {
                match kernel.ops[op].code {
                    code if code.is_control() && (finder.is_passed)(op) => finder.passed_loop(op),
                    Code::For | Code::Foreach if finder.is_lane_loop[op] => finder.lane_loop(op),
                    Code::VectorFor if finder.is_lane_loop[op] => finder.group_loop(op),
                    Code::For | Code::Foreach | Code::VectorFor => finder.inner_loop(op, flow),
                    Code::While => match Counting::of(kernel, op).filter(|_| finder.is_lane_loop[op]) {
                        Some(counting) => finder.counting_lanes(op, &counting),
                        None => finder.while_loop(op, flow),
                    },
                    Code::If => finder.branch(op, flow),
                    _ => finder.plain(op),
                }
            }
        });
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

    fn range(&self, value: Value) -> Option<ValueRange> {
        self.facts.ranges[value]
    }

    fn elem(&self, value: Value) -> Option<Elem> {
        self.kernel.ty(value).data_elem()
    }

    fn is_integer(&self, value: Value) -> bool {
        self.elem(value).is_some_and(Elem::is_integer)
    }

    fn set(&mut self, value: Value, fact: Fact) {
        let own = self.elem(value).and_then(ValueRange::of);
        let known = self.facts.ranges[value].or(own);
        self.facts.ranges[value] = known;
        self.facts.values[value] = fact;
    }

    /// A value of which no more than its shape is known.
    fn opaque(&mut self, value: Value, shape: Shape, cause: Option<Cause>) {
        let form = match shape {
            Shape::Uniform => Form::value(value),
            _ => Form::varying(value),
        };
        let form = Some(form).filter(|_| self.is_integer(value));
        let cause = cause.filter(|_| !shape.is_uniform());
        self.set(value, Fact { shape, form, exact: true, cause });
    }

    /// An integer that is, exactly or in its low bits, what a form says; it has the other shape where that says nothing.
    fn formed(&mut self, value: Value, form: Form, exact: bool, or: Shape, cause: Option<Cause>) {
        if !form.varies() && !exact {
            return self.opaque(value, Shape::Uniform, None);
        }
        let shape = match exact {
            true => Shape::of(&form),
            false => Shape::of_low_bits(&form, self.elem(value).map_or(64, |elem| 8 * elem.bytes() as u32)),
        };
        let shape = if shape == Shape::Arbitrary { or } else { shape };
        let cause = cause.filter(|_| !shape.is_uniform());
        self.set(value, Fact { shape, form: Some(form), exact, cause });
        if let Some(range) = self.lies(value) {
            self.facts.ranges[value] = Some(range);
        }
    }

    /// A value that differs from a varying one by something that is the same in all lanes.
    fn moved(&mut self, value: Value, varying: Form, or: Shape, cause: Option<Cause>) {
        match varying.add(&Form::value(value)) {
            Some(form) => self.formed(value, form, true, or, cause),
            None => self.opaque(value, or, cause),
        }
    }

    /// The first of some values that varies, as a reason.
    fn cause_among(&self, values: &[Value], reason: VaryingReason) -> Option<Cause> {
        let value = values.iter().copied().find(|value| !self.shape(*value).is_uniform())?;
        Some(Cause { reason, value: Some(value) })
    }
}
