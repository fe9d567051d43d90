//! Expressions: the value of each, and its place if it has one.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_ir::module::GangReg;
use ispc_ir::op::{GangOp, TaskNumber};
use ispc_ir::types::{GangType, NumberType};
use ispc_types::constant;
use ispc_types::layer::Entity;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, TypeKind};

use crate::data::{DataForm, NumberCells, is_varying, n_numbers};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};
use crate::literals;
use crate::place::GangPlace;
use crate::program::ProgramLowerer;

impl FunctionLowerer<'_, '_> {
    /// The value of an expression; an array's is the address of its first element.
    pub(crate) fn expression(&mut self, node: usize) -> Lowers<GangValue> {
        let before = self.node;
        let found = self.deeper(|lowerer| {
            lowerer.at(node);
            lowerer.expression_here(node)
        });
        if found.is_ok() {
            self.at(before);
        }
        found
    }

    fn expression_here(&mut self, node: usize) -> Lowers<GangValue> {
        use NodeKind::*;
        let children = self.children(node);
        let is_array = matches!(self.layer().kind(self.ty(node)), TypeKind::Array(..));
        if is_array && !matches!(self.kind(node), Conditional | Paren) {
            return self.first_element(node);
        }
        match (self.kind(node), &children[..]) {
            (Literal, _) => self.literal(node),
            (NameUse, _) => self.name(node),
            (Paren, [inner]) => self.expression(*inner),
            (Comma, [front @ .., last]) => {
                for it in front {
                    self.expression(*it)?;
                }
                self.expression(*last)
            }
            (Index, [_, _]) => {
                let place = self.place(node)?;
                self.at(node);
                match place {
                    Some(place) => self.load(&place),
                    None => self.refuse("an element of what has no place is asked"),
                }
            }
            (Member, [base]) => match self.place(node)? {
                Some(place) => {
                    self.at(node);
                    self.load(&place)
                }
                None => {
                    let value = self.expression(*base)?;
                    self.at(node);
                    let name = self.context.piece.text(self.context.piece.node(node).end - 1).into_owned();
                    self.member_of(&value, &name)
                }
            },
            (Call, [callee, args]) => self.call(node, *callee, *args),
            (Postfix, [operand]) => self.step(node, *operand, self.context.piece.node(node).end - 1, true),
            (Prefix, [operand]) => self.prefix(node, *operand),
            (Cast, [_, operand]) => {
                let to = self.data(node)?;
                self.expression_as(*operand, &to)
            }
            (Sizeof, _) => self.sizeof(&children),
            (AllocaCall, [args]) => {
                let Some(count) = self.children(*args).first().copied() else {
                    return self.refuse("`alloca` wants a number of bytes");
                };
                let count = self.expression(count)?;
                let count = self.make.convert(self.first_reg(&count)?, NumberType::I64);
                let reg = self.make.op(GangType::uniform(NumberType::Pointer), GangOp::AllocateLocal(count));
                self.pointer_value(node, reg)
            }
            (Launch, _) => self.launch(&children),
            (New, [ty, rest @ ..]) => self.new_memory(node, *ty, rest.first().copied()),
            (Binary, [left, right]) => self.binary(node, *left, *right),
            (Conditional, [condition, yes, no]) => self.conditional(node, *condition, *yes, *no),
            (Assign, [target, value]) => self.assign(node, *target, *value),
            (InvokeSycl, _) => self.refuse("calls of SYCL cannot be run"),
            _ => self.refuse("this expression cannot be run"),
        }
    }

    /// The value of an expression as one of a type.
    pub(crate) fn expression_as(&mut self, node: usize, to: &Rc<DataForm>) -> Lowers<GangValue> {
        let value = self.expression(node)?;
        self.converted(value, to)
    }

    /// The truth value of an expression, one register.
    pub(crate) fn truth(&mut self, node: usize) -> Lowers<GangReg> {
        let value = self.expression(node)?;
        match value.regs[..] {
            [reg] => Ok(self.make.convert(reg, NumberType::Bool)),
            _ => self.refuse("a condition has one truth value, or one a lane"),
        }
    }

    fn pointer_value(&mut self, node: usize, reg: GangReg) -> Lowers<GangValue> {
        Ok(GangValue { data: self.data(node)?, regs: vec![reg] })
    }

    /// The address of the first element of an array.
    fn first_element(&mut self, node: usize) -> Lowers<GangValue> {
        let TypeKind::Array(of, _) = *self.layer().kind(self.ty(node)) else {
            return self.refuse("this is no array");
        };
        let Some(place) = self.place(node)? else { return self.refuse("this array has no place") };
        self.address_value(&place, of)
    }

    /// The address of a place as a value, which points to a type.
    pub(crate) fn address_value(&mut self, place: &GangPlace, to: ispc_types::ty::Ty) -> Lowers<GangValue> {
        if place.letters.is_some() {
            return self.refuse("several elements of a short vector have no address");
        }
        let width = match self.layer().lanes(to) {
            Some(Lanes::Soa(width)) => Some(width),
            _ => None,
        };
        let mut regs = vec![place.address];
        if width.is_some() {
            let inner = place.inner.unwrap_or_else(|| self.make.whole(NumberType::I64, 0));
            regs.push(inner);
        } else if place.inner.is_some() {
            // A number of a group has an address of its own.
            let DataForm::Number(number, NumberCells::Group(_)) = &*place.data else {
                return self.refuse("what is stored in groups has no address of this type");
            };
            let size = number.bytes();
            if let Some(inner) = place.inner {
                regs[0] = self.make.moved_by(place.address, inner, size);
            }
        }
        let varies = regs.iter().any(|reg| self.make.is_varying(*reg));
        for reg in &mut regs {
            *reg = self.make.spread_if(*reg, varies);
        }
        let cells = if varies { NumberCells::EachLane } else { NumberCells::One };
        Ok(GangValue { data: Rc::new(DataForm::Pointer(to, cells, width)), regs })
    }

    fn literal(&mut self, node: usize) -> Lowers<GangValue> {
        let token = self.context.piece.node(node).first;
        let kind = self.context.piece.kind(token);
        if kind == Kind::Null {
            let reg = self.make.whole(NumberType::Pointer, 0);
            return self.pointer_value(node, reg);
        }
        let text = self.context.piece.text(token).into_owned();
        let data = self.data(node)?;
        let DataForm::Number(number, _) = *data else { return self.refuse("a string is no value here") };
        let literal = constant::literal(kind, &text);
        let bits = match literal.and_then(|literal| literal.value) {
            Some(value) => Some(value as u64),
            None => literals::real(&text, number),
        };
        let Some(bits) = bits else { return self.refuse(format!("`{text}` is no number that can be read")) };
        let reg = self.make.constant(GangType::uniform(number), bits);
        Ok(GangValue { data, regs: vec![reg] })
    }

    fn name(&mut self, node: usize) -> Lowers<GangValue> {
        let token = self.context.piece.node(node).first;
        let Some(entity) = self.named(node) else {
            let name = self.context.piece.text(token).into_owned();
            if name == "__mask" {
                let reg = self.make.op(GangType::varying(NumberType::Bool), GangOp::ActiveLanes);
                return Ok(self.single(reg));
            }
            return match task_number(&name) {
                Some(number) => {
                    let reg = self.make.op(GangType::uniform(NumberType::U32), GangOp::Task(number));
                    Ok(self.single(reg))
                }
                None => self.refuse(format!("`{name}` has no meaning here")),
            };
        };
        let data = self.layer().entity(entity);
        if data.kind == DeclKind::Function {
            return self.function_value(entity);
        }
        let is_constant = data.is_constant || data.kind == DeclKind::Enumerator || data.value.is_none();
        if let Some(value) = self.layer().value(entity).filter(|_| is_constant) {
            let ty = self.data(node)?;
            if let DataForm::Number(number, cells) = *ty {
                let ty_of = GangType { number, is_varying: cells == NumberCells::EachLane };
                let bits = match number {
                    NumberType::Bool => u64::from(value != 0),
                    _ => (value as u64) << (64 - number.bits()) >> (64 - number.bits()),
                };
                let reg = self.make.constant(ty_of, bits);
                return Ok(GangValue { data: ty, regs: vec![reg] });
            }
        }
        if data.kind == DeclKind::Global && &*data.name == "programIndex" {
            let reg = self.make.op(GangType::varying(NumberType::I32), GangOp::LaneIndex);
            return Ok(self.single(reg));
        }
        let Some(place) = self.place(node)? else { return self.refuse("this name has no value") };
        self.load(&place)
    }

    /// The declaration that a name stands for: of functions, the one that is chosen.
    pub(crate) fn named(&self, node: usize) -> Option<Entity> {
        let token = self.context.piece.node(node).first;
        let names = &self.context.types.names;
        match names.binary_search_by_key(&token, |(token, _)| *token) {
            Ok(at) => Some(names[at].1),
            Err(_) => self.context.piece.target(token),
        }
    }

    fn function_value(&mut self, entity: Entity) -> Lowers<GangValue> {
        let ty = self.layer().entity(entity).ty;
        let index = match self.program.body_of(entity, ty, &self.context) {
            _ if ProgramLowerer::is_of_library(entity) => self.library_function(entity)?,
            Some(nth) => self.program.function_of_body(nth, None),
            None => self.function_outside(entity, ty)?,
        };
        let reg = self.make.op(GangType::uniform(NumberType::Pointer), GangOp::Function(index));
        Ok(GangValue { data: Rc::new(DataForm::Pointer(ty, NumberCells::One, None)), regs: vec![reg] })
    }

    fn sizeof(&mut self, children: &[usize]) -> Lowers<GangValue> {
        let Some(of) = children.first().copied() else { return self.refuse("the size of nothing is asked") };
        let data = self.data_with(self.ty(of), Lanes::Varying)?;
        let size = self.reader().size(&data);
        Ok(self.number(NumberType::U64, size as i64))
    }

    /// The place of an expression that has one.
    pub(crate) fn place(&mut self, node: usize) -> Lowers<Option<GangPlace>> {
        let before = self.node;
        let found = self.deeper(|lowerer| {
            lowerer.at(node);
            lowerer.place_here(node)
        });
        if found.is_ok() {
            self.at(before);
        }
        found
    }

    fn place_here(&mut self, node: usize) -> Lowers<Option<GangPlace>> {
        use NodeKind::*;
        let children = self.children(node);
        match (self.kind(node), &children[..]) {
            (Paren, [inner]) => self.place(*inner),
            (NameUse, _) => {
                let Some(entity) = self.named(node) else { return Ok(None) };
                if let Some(place) = self.variables.get(&entity) {
                    return Ok(Some(place.clone()));
                }
                let data = self.layer().entity(entity);
                match data.kind {
                    DeclKind::Global if &*data.name != "programIndex" => Ok(Some(self.global_place(entity)?)),
                    _ => Ok(None),
                }
            }
            (Index, [base, index]) => self.index_place(*base, *index).map(Some),
            (Member, [base]) => self.member_of_node(node, *base),
            (Prefix, [operand]) => match self.context.piece.kind(self.context.piece.node(node).first) {
                Kind::Star => {
                    let value = self.expression(*operand)?;
                    self.at(node);
                    self.pointed(&value).map(Some)
                }
                Kind::PlusPlus | Kind::MinusMinus if self.operator_call(node).is_none() => {
                    let operator = self.context.piece.node(node).first;
                    self.stepped(node, *operand, operator).map(|(place, ..)| Some(place))
                }
                _ => Ok(None),
            },
            (Assign, [target, value]) if self.operator_call(node).is_none() => {
                self.assigned(node, *target, *value).map(|(place, _)| Some(place))
            }
            (Call, [callee, args]) => self.call_place(node, *callee, *args),
            (Cast, [_, operand]) if self.ty(node) == self.ty(*operand) => self.place(*operand),
            _ => Ok(None),
        }
    }

    /// The place that a pointer leads to.
    pub(crate) fn pointed(&mut self, value: &GangValue) -> Lowers<GangPlace> {
        let DataForm::Pointer(to, _, group) = *value.data else {
            return self.refuse("what is no pointer leads nowhere");
        };
        let data = self.data_with(to, Lanes::Uniform)?;
        Ok(match (group, &value.regs[..]) {
            (Some(width), [address, index]) => self.in_groups(*address, *index, data, width),
            _ => GangPlace::new(self.first_reg(value)?, data),
        })
    }

    fn index_place(&mut self, base: usize, index: usize) -> Lowers<GangPlace> {
        let whole = self.ty(base);
        if let TypeKind::Pointer(..) = self.layer().kind(whole) {
            let pointer = self.expression(base)?;
            let index = self.index_value(index)?;
            let moved = self.pointer_moved(&pointer, index)?;
            return self.pointed(&moved);
        }
        let place = match self.place(base)? {
            Some(place) if place.letters.is_none() => place,
            _ => {
                let value = self.expression(base)?;
                if let DataForm::Pointer(..) = *value.data {
                    let index = self.index_value(index)?;
                    let moved = self.pointer_moved(&value, index)?;
                    return self.pointed(&moved);
                }
                self.spilled(&value)?
            }
        };
        let index = self.index_value(index)?;
        self.indexed(&place, index)
    }

    fn index_value(&mut self, node: usize) -> Lowers<GangReg> {
        let value = self.expression(node)?;
        match value.regs[..] {
            [reg] => Ok(reg),
            _ => self.refuse("an index is one number"),
        }
    }

    /// A value in memory of its own.
    pub(crate) fn spilled(&mut self, value: &GangValue) -> Lowers<GangPlace> {
        let place = self.temporary(&value.data, "a value in between");
        self.store(&place, value)?;
        Ok(place)
    }

    fn member_of_node(&mut self, node: usize, base: usize) -> Lowers<Option<GangPlace>> {
        let name = self.context.piece.text(self.context.piece.node(node).end - 1).into_owned();
        let is_arrow = self.token_behind(base) == Kind::Arrow;
        let whole = match is_arrow {
            true => {
                let pointer = self.expression(base)?;
                self.at(node);
                Some(self.pointed(&pointer)?)
            }
            false => self.place(base)?,
        };
        self.at(node);
        let whole = match whole {
            // An array has elements in memory alone: that of a struct which has no place, as a call gives it, is put there.
            None if matches!(self.layer().kind(self.ty(node)), TypeKind::Array(..)) => {
                let value = self.expression(base)?;
                Some(self.spilled(&value)?)
            }
            whole => whole,
        };
        whole.map(|whole| self.member_place(&whole, &name)).transpose()
    }

    /// A value as one of another type.
    pub(crate) fn converted(&mut self, value: GangValue, to: &Rc<DataForm>) -> Lowers<GangValue> {
        if value.data == *to {
            return Ok(value);
        }
        match (&*value.data, &**to) {
            (_, DataForm::Void) => Ok(GangValue { data: to.clone(), regs: Vec::new() }),
            (DataForm::Number(..) | DataForm::Pointer(..), DataForm::Vector(of, count)) => {
                let one = self.converted(value.clone(), of)?;
                let regs = std::iter::repeat_n(one.regs, *count as usize).flatten().collect();
                Ok(GangValue { data: to.clone(), regs })
            }
            (DataForm::Pointer(_, _, group), DataForm::Pointer(..)) => {
                let numbers = self.numbers(to)?;
                let mut regs = value.regs.clone();
                if group.is_none() && numbers.len() == 2 {
                    regs.push(self.make.whole(NumberType::I64, 0));
                }
                regs.truncate(numbers.len());
                for (reg, at) in regs.iter_mut().zip(&numbers) {
                    *reg = self.make.spread_if(*reg, at.ty().is_varying);
                }
                Ok(GangValue { data: to.clone(), regs })
            }
            (DataForm::Void | DataForm::Function, _) => self.refuse("what has no value is used as one"),
            _ => {
                let numbers = self.numbers(to)?;
                let from_number = matches!(*value.data, DataForm::Number(..)) && numbers.len() != 1;
                if (numbers.len() != value.regs.len() && !from_number) || n_numbers(to) == 0 {
                    return self.refuse("a value cannot become one of this type");
                }
                let mut regs = Vec::new();
                for (nth, at) in numbers.iter().enumerate() {
                    let reg = value.regs[if from_number { 0 } else { nth }];
                    let mut reg = self.make.convert(reg, at.number);
                    let is_shared = matches!(*value.data, DataForm::Struct(_)) && !at.ty().is_varying;
                    if is_shared && self.make.is_varying(reg) {
                        reg = self.shared_by_lanes(reg);
                    }
                    regs.push(self.make.spread_if(reg, at.ty().is_varying));
                }
                let data = if regs.iter().any(|reg| self.make.is_varying(*reg)) && !is_varying(to) {
                    return self.refuse("each lane's own value would become one for all lanes");
                } else {
                    to.clone()
                };
                Ok(GangValue { data, regs })
            }
        }
    }

    /// The number of a uniform member that each lane has read from a struct of its own: all have to have the same.
    fn shared_by_lanes(&mut self, reg: GangReg) -> GangReg {
        let number = self.make.ty(reg).number;
        let same = self.make.reg(GangType::uniform(NumberType::Bool));
        let value = self.make.reg(GangType::uniform(number));
        self.make.set(vec![same, value], GangOp::ReduceEqual(reg));
        self.make.run(GangOp::Assert(same, "a uniform member is the same for all lanes".to_owned()));
        value
    }
}

fn task_number(name: &str) -> Option<TaskNumber> {
    Some(match name {
        "taskIndex" => TaskNumber::Index,
        "taskCount" => TaskNumber::Count,
        "threadIndex" => TaskNumber::Thread,
        "threadCount" => TaskNumber::Threads,
        "taskIndex0" => TaskNumber::IndexIn(0),
        "taskIndex1" => TaskNumber::IndexIn(1),
        "taskIndex2" => TaskNumber::IndexIn(2),
        "taskCount0" => TaskNumber::CountIn(0),
        "taskCount1" => TaskNumber::CountIn(1),
        "taskCount2" => TaskNumber::CountIn(2),
        _ => return None,
    })
}
