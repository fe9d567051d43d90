//! The forms of names: an array, and the parts that are taken of it.

use rustc_hash::FxHashMap;

use ir::entities::{Op, Origin, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, Kernel};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use super::Numbering;

/// One array that a name may stand for, but for the subscripts of its parts.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    /// The array of which parts are taken.
    pub(super) root: Value,
    /// The rows, slices and fields, from the first one on.
    pub(super) parts: Vec<Part>,
}

/// A row, slice or field.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    pub(super) code: Code,
    pub(super) attr: Attr,
    /// The types of its subscripts.
    pub(super) types: Vec<Type>,
    pub(super) result: Type,
}

/// The array that a name stands for: the form with the number `turn`, with its subscripts.
#[derive(Debug, Clone)]
pub(super) struct Named {
    /// `None` if there is one form.
    pub(super) turn: Option<Value>,
    pub(super) forms: Vec<Form>,
    /// For each form, the subscripts of all its parts.
    pub(super) subscripts: Vec<Vec<Value>>,
}

impl Form {
    /// The types of all subscripts.
    pub(super) fn types(&self) -> impl Iterator<Item = Type> + '_ {
        self.parts.iter().flat_map(|part| part.types.iter().copied())
    }

    /// The form with other arrays in place of some.
    pub(super) fn with_roots(&self, roots: &FxHashMap<Value, Value>) -> Form {
        Form { root: roots.get(&self.root).copied().unwrap_or(self.root), parts: self.parts.clone() }
    }
}

impl Named {
    /// The forms, each once.
    pub(super) fn known_forms(&self) -> Vec<Form> {
        let mut known: Vec<Form> = Vec::new();
        for form in &self.forms {
            if !known.contains(form) {
                known.push(form.clone());
            }
        }
        known
    }

    /// A part of a name.
    pub(super) fn part(&self, kernel: &Kernel, op: Op) -> Named {
        let data = &kernel.ops[op];
        let subscripts = &data.operands[1..];
        let part = Part {
            code: data.code,
            attr: data.attr.clone(),
            types: subscripts.iter().map(|&value| kernel.ty(value)).collect(),
            result: kernel.ty(data.results[0]),
        };
        let mut named = self.clone();
        named.forms.iter_mut().for_each(|form| form.parts.push(part.clone()));
        named.subscripts.iter_mut().for_each(|own| own.extend(subscripts));
        named
    }

    /// The name with other arrays in place of some.
    pub(super) fn with_roots(&self, roots: &FxHashMap<Value, Value>) -> Named {
        Named { forms: self.forms.iter().map(|form| form.with_roots(roots)).collect(), ..self.clone() }
    }
}

impl Numbering {
    /// Makes the last part of a form, a slice, and an earlier one of the same dimension one slice: a loop may take a slice of what it is handed
    /// each time.
    pub(super) fn join_slices(&mut self, named: &mut Named, number: usize, origin: Origin) {
        let parts = &named.forms[number].parts;
        let Some((last, before)) = parts.split_last() else { return };
        let n_slices = before.iter().rev().take_while(|part| part.code == Code::Slice).count();
        let same = |&place: &usize| before[place].attr == last.attr;
        let Some(place) = (before.len() - n_slices..before.len()).rev().find(same) else { return };
        let first: usize = before[..place].iter().map(|part| part.types.len()).sum();
        let subscripts = &mut named.subscripts[number];
        let own = subscripts.split_off(subscripts.len() - 3);
        let [lo, step] = [subscripts[first], subscripts[first + 2]].map(|value| self.index(value, origin));
        let [own_lo, own_hi, own_step] = [own[0], own[1], own[2]].map(|value| self.index(value, origin));
        let [lo, hi] = [own_lo, own_hi].map(|value| {
            let far = self.arithmetic(Code::WrappingMul, step, value, origin);
            self.arithmetic(Code::WrappingAdd, lo, far, origin)
        });
        let step = self.arithmetic(Code::WrappingMul, step, own_step, origin);
        subscripts[first..first + 3].copy_from_slice(&[lo, hi, step]);
        let parts = &mut named.forms[number].parts;
        parts.pop();
        parts[place].types = vec![Type::scalar(Elem::I64); 3];
    }

    /// An integer as the type of sizes.
    fn index(&mut self, value: Value, origin: Origin) -> Value {
        let index = Type::scalar(Elem::I64);
        if self.kernel.ty(value) == index {
            return value;
        }
        match self.kernel.as_const(value).and_then(Scalar::wide).and_then(|number| i64::try_from(number).ok()) {
            Some(number) => self.kernel.constant(Scalar::I64(number)),
            None => self.make(Code::Index, Attr::None, &[value], &[index], origin)[0],
        }
    }

    fn arithmetic(&mut self, code: Code, a: Value, b: Value, origin: Origin) -> Value {
        match (code, self.kernel.as_const(a), self.kernel.as_const(b)) {
            (Code::WrappingMul, Some(Scalar::I64(a)), Some(Scalar::I64(b))) => {
                self.kernel.constant(Scalar::I64(a.wrapping_mul(b)))
            }
            _ => self.make(code, Attr::None, &[a, b], &[Type::scalar(Elem::I64)], origin)[0],
        }
    }

    /// The forms of an array; none of one that stands for an array which is never seen.
    pub(super) fn named(&self, value: Value) -> Option<Named> {
        if let Some(named) = self.names.get(&value) {
            return Some(named.clone());
        }
        if self.is_nothing(value) {
            return None;
        }
        if let Def::Result(op, _) = self.kernel.values[value].def
            && matches!(self.kernel.ops[op].code, Code::Row | Code::Slice | Code::Field)
        {
            let of = self.named(self.kernel.ops[op].operands[0])?;
            return Some(of.part(&self.kernel, op));
        }
        let form = Form { root: value, parts: Vec::new() };
        Some(Named { turn: None, forms: vec![form], subscripts: vec![Vec::new()] })
    }
}
