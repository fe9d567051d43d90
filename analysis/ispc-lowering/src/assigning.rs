//! Assignments, steps, first values, and memory of `new`.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_ir::op::{GangOp, TwoOperands};
use ispc_ir::types::{GangType, NumberType};
use ispc_types::source::Source;
use ispc_types::ty::Lanes;

use crate::data::{DataForm, NumberCells, is_varying};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};
use crate::place::GangPlace;

/// The bytes from which on the elements that a list leaves out are set to zero all at once.
const LARGE_REST: u64 = 512;

impl FunctionLowerer<'_, '_> {
    fn place_to_set(&mut self, node: usize) -> Lowers<GangPlace> {
        match self.place(node)? {
            Some(place) => Ok(place),
            None => self.refuse("what has no place is set"),
        }
    }

    /// The type of a value that is going to be stored at a place.
    fn data_at(&self, place: &GangPlace) -> Rc<DataForm> {
        let data = self.reader().value_of(&place.data, self.place_varies(place));
        match (&place.letters, &*data) {
            (Some(letters), DataForm::Vector(of, _)) => Rc::new(DataForm::Vector(of.clone(), letters.len() as u64)),
            _ => data,
        }
    }

    pub(crate) fn assign(&mut self, node: usize, target: usize, value: usize) -> Lowers<GangValue> {
        if let Some(found) = self.operator_call(node) {
            return self.call_operator(node, found, &[target, value]);
        }
        self.assigned(node, target, value).map(|(_, stored)| stored)
    }

    /// Assigns by C's own operator. Returns the place, for whoever goes on with it, and what is there now.
    pub(crate) fn assigned(&mut self, node: usize, target: usize, value: usize) -> Lowers<(GangPlace, GangValue)> {
        let operator = self.token_behind(target).of_assignment();
        let right = self.expression(value)?;
        let place = self.place_to_set(target)?;
        self.at(node);
        let right = match operator {
            Some(kind) => {
                let old = self.load(&place)?;
                self.operation(kind, old, right)?
            }
            None => right,
        };
        let stored = self.converted(right, &self.data_at(&place))?;
        self.store(&place, &stored)?;
        Ok((place, stored))
    }

    /// `++` and `--`.
    pub(crate) fn step(&mut self, node: usize, operand: usize, operator: u32, gives_old: bool) -> Lowers<GangValue> {
        if let Some(found) = self.operator_call(node) {
            return self.call_operator(node, found, &[operand]);
        }
        let (_, old, new) = self.stepped(node, operand, operator)?;
        Ok(if gives_old { old } else { new })
    }

    /// Adds or takes away 1. Returns the place, what was there, and what is there now.
    pub(crate) fn stepped(
        &mut self,
        node: usize,
        operand: usize,
        operator: u32,
    ) -> Lowers<(GangPlace, GangValue, GangValue)> {
        let kind = match self.context.piece.kind(operator) {
            Kind::PlusPlus => Kind::Plus,
            _ => Kind::Minus,
        };
        let place = self.place_to_set(operand)?;
        self.at(node);
        let old = self.load(&place)?;
        let one = self.number(NumberType::I8, 1);
        let new = self.operation(kind, old.clone(), one)?;
        let new = self.converted(new, &self.data_at(&place))?;
        self.store(&place, &new)?;
        Ok((place, old, new))
    }

    /// Sets a variable to its first value, in all lanes: those that are off here see it where all are turned on.
    pub(crate) fn initialize_in_all_lanes(&mut self, place: &GangPlace, value: usize) -> Lowers<()> {
        let is_plain = self.kind(value) != NodeKind::InitializerList && is_varying(&place.data);
        if !is_plain || !self.turns_lanes_on {
            return self.initialize(place, value);
        }
        let found = self.expression(value)?;
        self.at(value);
        let found = self.converted(found, &self.data_at(place))?;
        self.store_in_all_lanes(place, &found)
    }

    /// Sets a variable that nobody has seen yet.
    pub(crate) fn store_in_all_lanes(&mut self, place: &GangPlace, value: &GangValue) -> Lowers<()> {
        if !self.turns_lanes_on || !is_varying(&place.data) {
            return self.store(place, value);
        }
        self.make.open();
        self.store(place, value)?;
        let block = self.make.close();
        self.make.run(GangOp::AllLanes(block));
        Ok(())
    }

    /// Sets a place to its first value.
    pub(crate) fn initialize(&mut self, place: &GangPlace, value: usize) -> Lowers<()> {
        if self.kind(value) != NodeKind::InitializerList {
            if let DataForm::Array(..) = *place.data {
                self.at(value);
                return self.refuse("an array starts with a list in braces");
            }
            let found = self.expression(value)?;
            self.at(value);
            let found = self.converted(found, &self.data_at(place))?;
            return self.store(place, &found);
        }
        self.at(value);
        let parts = self.children(value);
        let whole = place.data.clone();
        if let DataForm::Number(number, cells) = *whole {
            match cells {
                NumberCells::EachLane if parts.len() > 1 => return self.each_lane_value(place, number, &parts),
                NumberCells::Group(width) => return self.group_values(place, width, &parts),
                _ => {}
            }
        }
        let mut count = match &*whole {
            DataForm::Array(_, count) | DataForm::Vector(_, count) => *count as usize,
            DataForm::Struct(of) => of.members.len(),
            _ => 1,
        };
        if parts.len() > count {
            return self.refuse(format!("a list of {} values for {count}", parts.len()));
        }
        if let DataForm::Array(of, _) = &*whole
            && !is_varying(of)
            && !self.place_varies(place)
            && place.inner.is_none()
        {
            let bytes = (count - parts.len()) as u64 * self.reader().size(of);
            if bytes >= LARGE_REST {
                self.zero_bytes(place, parts.len() as u64, bytes)?;
                count = parts.len();
            }
        }
        for nth in 0..count {
            let part = match &*whole {
                DataForm::Array(..) | DataForm::Vector(..) => self.element_place(place, nth as u64)?,
                DataForm::Struct(of) => self.member_place(place, &of.members[nth].name.clone())?,
                _ => place.clone(),
            };
            match parts.get(nth) {
                Some(value) => self.initialize(&part, *value)?,
                None => self.set_zero(&part)?,
            }
        }
        Ok(())
    }

    /// A list of each lane's value.
    fn each_lane_value(&mut self, place: &GangPlace, number: NumberType, parts: &[usize]) -> Lowers<()> {
        if parts.len() != self.program.lanes as usize {
            return self.refuse(format!("a list of {} values for {} lanes", parts.len(), self.program.lanes));
        }
        let ty = GangType::varying(number);
        let uniform = self.value_type(number, false);
        let mut all = self.make.constant(ty, 0);
        for (lane, part) in parts.iter().enumerate() {
            let value = self.expression_as(*part, &uniform)?;
            let lane = self.make.whole(NumberType::I32, lane as i64);
            all = self.make.op(ty, GangOp::Insert(all, lane, self.first_reg(&value)?));
        }
        self.store(place, &GangValue { data: place.data.clone(), regs: vec![all] })
    }

    /// A list of the values of a group.
    fn group_values(&mut self, place: &GangPlace, width: u32, parts: &[usize]) -> Lowers<()> {
        if parts.len() > width as usize {
            return self.refuse(format!("a list of {} values for a group of {width}", parts.len()));
        }
        for nth in 0..width {
            let inner = Some(self.make.whole(NumberType::I64, nth.into()));
            let part = GangPlace { inner, ..place.clone() };
            match parts.get(nth as usize) {
                Some(value) => self.initialize(&part, *value)?,
                None => self.set_zero(&part)?,
            }
        }
        Ok(())
    }

    /// Sets an array's bytes to zero, from an element on.
    fn zero_bytes(&mut self, place: &GangPlace, from: u64, bytes: u64) -> Lowers<()> {
        let to = self.element_place(place, from)?.address;
        let value = self.make.whole(NumberType::I8, 0);
        let count = self.make.whole(NumberType::U64, bytes as i64);
        self.make.run(GangOp::SetBytes { to, value, count });
        Ok(())
    }

    fn set_zero(&mut self, place: &GangPlace) -> Lowers<()> {
        let data = self.data_at(place);
        let numbers = self.numbers(&data)?;
        let regs = numbers.iter().map(|at| self.make.constant(GangType::uniform(at.number), 0)).collect();
        self.store(place, &GangValue { data, regs })
    }

    pub(crate) fn new_memory(&mut self, node: usize, ty: usize, rest: Option<usize>) -> Lowers<GangValue> {
        let of = self.data_with(self.context.types.types[ty], Lanes::Uniform)?;
        let pointer = self.data(node)?;
        let varies = is_varying(&pointer);
        let size = self.reader().size(&of);
        let mut bytes = self.make.whole(NumberType::U64, size as i64);
        let args = rest.filter(|rest| self.kind(*rest) == NodeKind::Args);
        if let Some(count) = rest.filter(|_| args.is_none()) {
            let count = self.expression(count)?;
            self.at(node);
            let count = self.make.convert(self.first_reg(&count)?, NumberType::U64);
            bytes = self.make.two(TwoOperands::Mul, bytes, count);
        }
        let bytes = self.make.spread_if(bytes, varies);
        let address_type = GangType { number: NumberType::Pointer, is_varying: varies };
        let address = self.make.op(address_type, GangOp::Allocate(bytes));
        if let Some(args) = args {
            let place = GangPlace::new(address, of);
            match self.children(args)[..] {
                [] => {}
                [one] => self.initialize(&place, one)?,
                ref parts => {
                    for (nth, part) in parts.iter().enumerate() {
                        let element = match &*place.data {
                            DataForm::Struct(of) if nth < of.members.len() => {
                                self.member_place(&place, &of.members[nth].name.clone())?
                            }
                            _ => self.element_place(&place, nth as u64)?,
                        };
                        self.initialize(&element, *part)?;
                    }
                }
            }
        }
        self.at(node);
        let mut regs = vec![address];
        if let DataForm::Pointer(_, _, Some(_)) = *pointer {
            let first = self.make.whole(NumberType::I64, 0);
            regs.push(self.make.spread_if(first, varies));
        }
        Ok(GangValue { data: pointer, regs })
    }
}
