//! Ops that make arrays: delayed, built where the arrays are wanted, or stored; and what is said of them.

use std::rc::Rc;

use ir::codes::ReasonCode;
use ir::entities::{Op, Value};
use ir::ops::Code;
use ir::program::{Attr, DimSize};
use ir::types::Type;

use super::element::{Array, Bound, Kind, Subview};
use super::plan::{Fate, Why};
use super::translate::{Made, Translator};
use crate::decision::{Decision, Said};

/// The largest array that is kept without a word, since it lies on the stack or in registers.
const SMALL_BYTES: i128 = 4_096;

impl Translator<'_> {
    pub(super) fn array_op(&mut self, op: Op) -> Made<()> {
        let from = self.from;
        let data = &from.ops[op];
        let made = self.delayed(op)?;
        self.same_sizes(op)?;
        if self.plan.fates.get(&op) == Some(&Fate::Delayed) {
            if data.code == Code::Map || data.results.iter().any(|&result| from.values[result].name.is_some()) {
                let because = vec!["its elements are computed where they are used".into()];
                self.decide(Decision::taken(self.origin, ReasonCode::ArrayFused, because));
            }
            for (&result, array) in data.results.iter().zip(made) {
                self.bind(result, Bound::Array(Rc::new(array)));
            }
            return Ok(());
        }
        let mut places = Vec::new();
        for (&result, array) in data.results.iter().zip(&made) {
            let wanted = match self.wanted.remove(&result) {
                Some(place) => Some(place),
                None => self.taken_place(op, result),
            };
            // A size that does not fit is found before anything is stored.
            if let Some(place) = &wanted {
                self.check_row(place, array)?;
            }
            places.push(match wanted {
                Some(place) => {
                    let because = match self.double_buffers.contains(&place.view) {
                        true => vec!["it is built in the other half of the memory that the loop carries it in, so nothing is copied".into()],
                        false => vec!["it is built in".into(), self.said(place.view)],
                    };
                    self.decide(Decision::taken(self.origin, ReasonCode::ArrayInPlace, because));
                    place
                }
                None => {
                    let mut sizes = Vec::new();
                    for dim in 0..usize::from(array.ty.rank()) {
                        sizes.push(self.dim(array, dim)?);
                    }
                    let because = self.why_stored(op, result);
                    let small = self.is_small(array.ty, &sizes);
                    self.decide(Decision { origin: self.origin, code: ReasonCode::ArrayStored, taken: small, because });
                    let place = match self.carrier(op, result) {
                        Some(carrier) => {
                            let memory = self.two_halves(array.ty, &sizes);
                            self.begun.insert(carrier, memory);
                            let first = self.i64(0);
                            Subview { view: memory, prefix: vec![first] }
                        }
                        None => {
                            let new = self.new_array(array.ty, &sizes);
                            let Kind::Stored(place) = new.kind else { unreachable!("a new array is stored") };
                            place
                        }
                    };
                    self.name(place.view, result);
                    place
                }
            });
        }
        let made: Vec<_> = made.into_iter().map(Rc::new).collect();
        match data.code {
            Code::Scan => self.scan(op, &places)?,
            Code::Elements => self.elements(op, &places[0])?,
            _ => _ = self.build(&places, &made, false)?,
        }
        for ((&result, place), array) in data.results.iter().zip(places).zip(made) {
            self.bind(result, Bound::Array(Rc::new(Array { ty: array.ty, kind: Kind::Stored(place), origin: None })));
        }
        Ok(())
    }

    /// The place that an array is assigned to in the end, if it can be built there.
    pub(super) fn taken_place(&mut self, maker: Op, array: Value) -> Option<Subview> {
        let assign = self.plan.taken_by(self.from, maker, array)?;
        self.old_place(self.from.ops[assign].operands[0])
    }

    /// Records a decision. What is done for a place several times, for each call of a function, is said once.
    pub(super) fn decide(&mut self, decision: Decision) {
        if !self.done.decisions.contains(&decision) {
            self.done.decisions.push(decision);
        }
    }

    /// The name of an array in messages.
    pub(super) fn said(&self, view: Value) -> Said {
        Said::value(&self.to, self.to.root(view))
    }

    /// The reason why an array is kept in temporary memory, and how much of that.
    fn why_stored(&self, op: Op, result: Value) -> Vec<Said> {
        let why = match self.plan.fates.get(&op) {
            Some(Fate::Stored(Why::Written)) => "its cells are assigned to",
            Some(Fate::Stored(Why::Chosen)) => "a branch or loop gives it",
            Some(Fate::Stored(Why::Reused)) => {
                "its elements are used more than once, and cost more to compute again than to keep"
            }
            Some(Fate::Stored(Why::Overtaken)) => "what it is computed from is changed before it is used",
            _ => "its elements are not computed one by one",
        };
        let mut because = vec![Said::from(why)];
        if let Some(kept) = self.plan.why_not_taken(self.from, op, result) {
            let words = [", and it is not built where it is assigned to, because".into(), kept.words.into()];
            because.extend(words);
            because.push(Said::Place(kept.at));
        }
        let twice = if self.carrier(op, result).is_some() { "twice " } else { "" };
        let sizes = self.plan.shapes.sizes(result);
        if sizes.contains(&DimSize::Own) {
            because.push(", so it takes temporary memory, as much as its size asks for when it runs".into());
        } else {
            let memory = format!(", so it takes temporary memory for {twice}");
            because.extend([memory.trim_end().into(), self.shape(result)]);
        }
        because
    }

    /// Says whether an array is of known size, and so small that nobody has to hear of its memory.
    fn is_small(&self, ty: Type, sizes: &[Value]) -> bool {
        let bytes = ty.elem().map_or(0, |elem| elem.bytes() as i128);
        let count = sizes.iter().try_fold(bytes, |count, &size| count.checked_mul(self.to.as_const(size)?.wide()?));
        count.is_some_and(|bytes| bytes <= SMALL_BYTES)
    }

    /// The type of an old array with its sizes.
    pub(super) fn shape(&self, old: Value) -> Said {
        Said::Text(format!("`{}`", self.plan.shapes.text(self.from, old)))
    }

    /// A new array of these sizes.
    pub(super) fn new_array(&mut self, ty: Type, sizes: &[Value]) -> Array {
        let elem = ty.elem().expect("a new array has elements");
        let view = self.make(Code::Temp, Attr::Elem(elem), sizes);
        self.temps.insert(view, sizes.to_vec());
        Array::stored(ty, view)
    }
}
