//! Enums: values that are made by variants, their numbers, and the tests of patterns.

use ir::interp::ErrorKind;
use ir::{Scalar, scalar};

use super::StopCode;
use super::machine::{Machine, Run, Value};
use crate::enums::{Datum, field_of_datum, fields_of_form};
use crate::layout;
use crate::ty::Ty;
use crate::{ExprId, Name};

impl Machine<'_> {
    /// Values of a variant with its data; all that belongs to others is zero.
    pub(super) fn variant(&self, id: ExprId, variant: &Name, data: &[Vec<Value>], active: &[usize]) -> Run<Vec<Value>> {
        let number = self.frame().unit.types.numbers.get(&id).copied();
        let fields_of = self.program.fields_of();
        let ty = match self.type_of(id) {
            Ty::Fn(_, result) => *result,
            ty => ty,
        };
        let (Ty::Struct(name), Some(number)) = (ty, number) else {
            return Err(self.no_meaning(id, active[0]));
        };
        let leaves = layout::leaves(&fields_of, &name).unwrap_or_default();
        let mut zero: Vec<_> = leaves.iter().map(|(_, elem)| Scalar::zero(*elem)).collect();
        let Some(tag) = zero.first_mut() else { return Err(self.no_meaning(id, active[0])) };
        *tag = number;
        let fields = fields_of_form(&name, variant, &fields_of(&name).unwrap_or_default());
        let parts: Vec<_> =
            fields.iter().filter_map(|field| layout::part(&fields_of, &name, std::slice::from_ref(field))).collect();
        let mut made = Vec::new();
        for n in 0..active.len() {
            let mut leaves = zero.clone();
            for (part, values) in parts.iter().zip(data) {
                match &values[n] {
                    Value::Scalar(scalar) => leaves[part.leaves.start] = *scalar,
                    Value::Struct(inner) => leaves[part.leaves.clone()].copy_from_slice(inner),
                    _ => return Err(self.error(StopCode::HasErrors, self.at(id), active[n], "no field holds this")),
                }
            }
            made.push(Value::Struct(leaves.into()));
        }
        Ok(made)
    }

    /// The variants of numbers, each of which has to be the number of one.
    pub(super) fn enum_of_number(
        &mut self,
        id: ExprId,
        arg: ExprId,
        numbers: &[i128],
        active: &[usize],
    ) -> Run<Vec<Value>> {
        let values = self.expr(arg, active)?;
        let fields_of = self.program.fields_of();
        let elem = match self.type_of(id) {
            Ty::Struct(name) => layout::leaves(&fields_of, &name).and_then(|leaves| Some(leaves.first()?.1)),
            _ => None,
        };
        let Some(elem) = elem else { return Err(self.no_meaning(id, active[0])) };
        self.each(active, |machine, n, lane| {
            let number = machine.scalar(&values[n], arg)?;
            if !number.wide().is_some_and(|number| numbers.contains(&number)) {
                return Err(machine.fault(ErrorKind::AssertFailed, machine.at(id), lane));
            }
            let tag = machine.checked(scalar::cast(number, elem), id, lane)?;
            Ok(Value::Struct([tag].into()))
        })
    }

    /// Tests for the form of values: all values of a struct have its form.
    pub(super) fn is_of_form(&mut self, id: ExprId, of: ExprId, active: &[usize]) -> Run<Vec<Value>> {
        let values = self.expr(of, active)?;
        let number = self.frame().unit.types.numbers.get(&id).copied();
        self.each(active, |machine, n, lane| match (&values[n], number) {
            (Value::Struct(leaves), Some(number)) => Ok(Value::Scalar((leaves.first() == Some(&number)).into())),
            (Value::Struct(_), None) => Ok(Value::Scalar(true.into())),
            _ => Err(machine.error(StopCode::HasErrors, machine.at(of), lane, "there is no enum here")),
        })
    }

    /// The parts of values that a pattern takes out.
    pub(super) fn datum(&mut self, of: ExprId, form: &Name, datum: &Datum, active: &[usize]) -> Run<Vec<Value>> {
        let values = self.expr(of, active)?;
        let fields_of = self.program.fields_of();
        let part = match self.type_of(of) {
            Ty::Struct(name) => {
                let field = field_of_datum(&name, form, datum, &fields_of(&name).unwrap_or_default());
                field.and_then(|field| layout::part(&fields_of, &name, &[field]))
            }
            _ => None,
        };
        self.each(active, |machine, n, lane| match (&values[n], &part) {
            (Value::Struct(leaves), Some(part)) => machine.value_of(&leaves[part.leaves.clone()], &part.ty, of, lane),
            _ => Err(machine.error(StopCode::HasErrors, machine.at(of), lane, "there is no enum here")),
        })
    }

    /// Numbers of the variants of values, in another type.
    pub(super) fn numbers_as(&self, values: Vec<Value>) -> Vec<Value> {
        let number = |value: Value| match &value {
            Value::Struct(leaves) => leaves.first().map_or(value.clone(), |&tag| Value::Scalar(tag)),
            _ => value,
        };
        values.into_iter().map(number).collect()
    }
}
