//! Operators that change nothing.

use std::rc::Rc;

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_ir::module::GangReg;
use ispc_ir::op::{GangComparison, GangOp, OneOperand, TwoOperands};
use ispc_ir::types::NumberType;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, TypeKind};

use crate::data::{DataForm, NumberCells, is_varying};
use crate::emit::GangValue;
use crate::function::{FunctionLowerer, Lowers};

impl FunctionLowerer<'_, '_> {
    pub(crate) fn prefix(&mut self, node: usize, operand: usize) -> Lowers<GangValue> {
        let operator = self.context.piece.node(node).first;
        let kind = self.context.piece.kind(operator);
        match kind {
            Kind::PlusPlus | Kind::MinusMinus => return self.step(node, operand, operator, false),
            Kind::Amp => return self.address_of(node, operand),
            Kind::Star => {
                let value = self.expression(operand)?;
                self.at(node);
                let place = self.pointed(&value)?;
                return match *place.data {
                    DataForm::Function => Ok(value),
                    _ => self.load(&place),
                };
            }
            _ => {}
        }
        if let Some(found) = self.operator_call(node) {
            return self.call_operator(node, found, &[operand]);
        }
        let value = self.expression(operand)?;
        self.at(node);
        let op = match kind {
            Kind::Minus => OneOperand::Negate,
            Kind::Tilde => OneOperand::Not,
            Kind::Bang => {
                let regs = value.regs.iter().map(|reg| {
                    let truth = self.make.convert(*reg, NumberType::Bool);
                    self.make.one(OneOperand::Not, truth)
                });
                let regs = regs.collect();
                return Ok(GangValue { data: self.data(node)?, regs });
            }
            _ => return Ok(value),
        };
        let regs = value.regs.iter().map(|reg| self.make.one(op, *reg)).collect();
        Ok(GangValue { data: value.data, regs })
    }

    fn address_of(&mut self, node: usize, operand: usize) -> Lowers<GangValue> {
        let data = self.data(node)?;
        let DataForm::Pointer(to, ..) = *data else { return self.refuse("this has no address") };
        if let DataForm::Function = *self.data_with(to, Lanes::Uniform)? {
            return self.expression(operand);
        }
        match self.place(operand)? {
            Some(place) => {
                self.at(node);
                self.address_value(&place, to)
            }
            None => self.refuse("this has no address"),
        }
    }

    pub(crate) fn binary(&mut self, node: usize, left: usize, right: usize) -> Lowers<GangValue> {
        // A long sum is nested to the left; it is walked without nesting.
        let mut spine = vec![(node, right)];
        let mut first = left;
        while self.kind(first) == NodeKind::Binary && self.operator_call(first).is_none() {
            let [inner, operand] = self.children(first)[..] else { break };
            spine.push((first, operand));
            first = inner;
        }
        if let Some(found) = self.operator_call(node) {
            return self.call_operator(node, found, &[left, right]);
        }
        let mut value = self.expression(first)?;
        let mut left = first;
        for (node, right) in spine.into_iter().rev() {
            let kind = self.token_behind(left);
            value = match kind {
                Kind::AmpAmp | Kind::PipePipe => self.logical(node, kind, value, right)?,
                _ => {
                    let other = self.expression(right)?;
                    self.at(node);
                    self.operation(kind, value, other)?
                }
            };
            left = node;
        }
        Ok(value)
    }

    /// An operator between two values.
    pub(crate) fn operation(&mut self, kind: Kind, left: GangValue, right: GangValue) -> Lowers<GangValue> {
        let is_pointer = |value: &GangValue| matches!(*value.data, DataForm::Pointer(..));
        if is_pointer(&left) || is_pointer(&right) {
            return self.pointer_operation(kind, left, right);
        }
        let vector = [&left, &right].into_iter().find_map(|value| match *value.data {
            DataForm::Vector(_, count) => Some(count),
            _ => None,
        });
        let n = vector.unwrap_or(1) as usize;
        let of = |value: &GangValue, nth: usize| match *value.data {
            DataForm::Vector(..) => value.regs.get(nth).copied(),
            _ => value.regs.first().copied(),
        };
        let mut regs = Vec::with_capacity(n);
        for nth in 0..n {
            let (Some(one), Some(other)) = (of(&left, nth), of(&right, nth)) else {
                return self.refuse("an operator has operands of two sizes");
            };
            regs.push(self.numbers_joined(kind, one, other)?);
        }
        Ok(self.shaped(regs, vector))
    }

    /// Registers as the value of a number, or of a short vector.
    pub(crate) fn shaped(&mut self, regs: Vec<GangReg>, vector: Option<u64>) -> GangValue {
        let varies = regs.iter().any(|reg| self.make.is_varying(*reg));
        let regs: Vec<GangReg> = regs.into_iter().map(|reg| self.make.spread_if(reg, varies)).collect();
        let Some(first) = regs.first().copied() else { return self.nothing() };
        let one = self.single(first);
        let data = match vector {
            Some(count) => Rc::new(DataForm::Vector(one.data, count)),
            None => one.data,
        };
        GangValue { data, regs }
    }

    fn numbers_joined(&mut self, kind: Kind, left: GangReg, right: GangReg) -> Lowers<GangReg> {
        let (one, other) = (self.make.ty(left).number, self.make.ty(right).number);
        let is_shift = matches!(kind, Kind::LtLt | Kind::GtGt);
        let meet = if is_shift || rank(one) >= rank(other) { one } else { other };
        let (left, right) = (self.make.convert(left, meet), self.make.convert(right, meet));
        if let Some(relation) = relation_of(kind) {
            return Ok(self.make.compare(relation, left, right));
        }
        let Some(op) = arithmetic_of(kind) else { return self.refuse("this operator cannot be run") };
        Ok(self.make.two(op, left, right))
    }

    fn pointer_operation(&mut self, kind: Kind, left: GangValue, right: GangValue) -> Lowers<GangValue> {
        let pointers = [&left, &right].map(|value| matches!(*value.data, DataForm::Pointer(..)));
        match (kind, pointers) {
            (Kind::Plus, [true, false]) => self.pointer_moved(&left, self.first_reg(&right)?),
            (Kind::Plus, [false, true]) => self.pointer_moved(&right, self.first_reg(&left)?),
            (Kind::Minus, [true, false]) => {
                let index = self.make.convert(self.first_reg(&right)?, NumberType::I64);
                let index = self.make.one(OneOperand::Negate, index);
                self.pointer_moved(&left, index)
            }
            (Kind::Minus, [true, true]) => self.pointer_difference(&left, &right),
            _ => {
                let Some(relation) = relation_of(kind) else {
                    return self.refuse("pointers have no such operator");
                };
                let (one, other) = (self.first_reg(&left)?, self.first_reg(&right)?);
                let one = self.make.convert(one, NumberType::Pointer);
                let other = self.make.convert(other, NumberType::Pointer);
                let mut found = self.make.compare(relation, one, other);
                if let ([_, one], [_, other]) = (&left.regs[..], &right.regs[..]) {
                    let inner = self.make.compare(relation, *one, *other);
                    let same =
                        self.make.compare(GangComparison::Equal, self.first_reg(&left)?, self.first_reg(&right)?);
                    found = match relation {
                        GangComparison::Equal => self.make.two(TwoOperands::And, found, inner),
                        GangComparison::NotEqual => self.make.two(TwoOperands::Or, found, inner),
                        _ => self.make.select(same, inner, found),
                    };
                }
                Ok(self.single(found))
            }
        }
    }

    fn pointer_difference(&mut self, left: &GangValue, right: &GangValue) -> Lowers<GangValue> {
        let DataForm::Pointer(to, _, group) = *left.data else { return self.refuse("a difference of no pointers") };
        let size = self.pointee_size(to)?;
        let bytes = self.make.two(TwoOperands::Sub, self.first_reg(left)?, self.first_reg(right)?);
        let bytes = self.make.convert(bytes, NumberType::I64);
        let size = self.make.whole(NumberType::I64, size.max(1) as i64);
        let mut count = self.make.two(TwoOperands::Div, bytes, size);
        if let (Some(width), [_, one], [_, other]) = (group, &left.regs[..], &right.regs[..]) {
            let width = self.make.whole(NumberType::I64, width.into());
            let inner = self.make.two(TwoOperands::Sub, *one, *other);
            count = self.make.two(TwoOperands::Mul, count, width);
            count = self.make.two(TwoOperands::Add, count, inner);
        }
        Ok(self.single(count))
    }

    fn pointee_size(&mut self, to: ispc_types::ty::Ty) -> Lowers<u64> {
        match &*self.data_with(to, Lanes::Uniform)? {
            DataForm::Void | DataForm::Function => Ok(1),
            data => Ok(self.reader().size(data)),
        }
    }

    /// A pointer some elements further.
    pub(crate) fn pointer_moved(&mut self, pointer: &GangValue, index: GangReg) -> Lowers<GangValue> {
        let DataForm::Pointer(to, _, group) = *pointer.data else { return self.refuse("what is no pointer is moved") };
        let mut regs = pointer.regs.clone();
        match (group, &mut regs[..]) {
            (Some(_), [_, inner]) => {
                let index = self.make.convert(index, NumberType::I64);
                *inner = self.make.two(TwoOperands::Add, *inner, index);
            }
            _ => {
                let size = self.pointee_size(to)?;
                regs[0] = self.make.moved_by(regs[0], index, size);
            }
        }
        let varies = regs.iter().any(|reg| self.make.is_varying(*reg));
        for reg in &mut regs {
            *reg = self.make.spread_if(*reg, varies);
        }
        let cells = if varies { NumberCells::EachLane } else { NumberCells::One };
        Ok(GangValue { data: Rc::new(DataForm::Pointer(to, cells, group)), regs })
    }

    /// `&&` and `||`: the right operand is run by the lanes that need it.
    fn logical(&mut self, node: usize, kind: Kind, left: GangValue, right: usize) -> Lowers<GangValue> {
        let data = self.data(node)?;
        let is_or = kind == Kind::PipePipe;
        if let DataForm::Vector(_, count) = *data {
            let other = self.expression(right)?;
            self.at(node);
            let mut regs = Vec::new();
            for nth in 0..count as usize {
                let of = |value: &GangValue| value.regs.get(nth).or(value.regs.first()).copied();
                let (Some(one), Some(other)) = (of(&left), of(&other)) else {
                    return self.refuse("what has no value is used as one");
                };
                let one = self.make.convert(one, NumberType::Bool);
                let other = self.make.convert(other, NumberType::Bool);
                regs.push(self.make.two(if is_or { TwoOperands::Or } else { TwoOperands::And }, one, other));
            }
            return Ok(self.shaped(regs, Some(count)));
        }
        let first = self.make.convert(self.first_reg(&left)?, NumberType::Bool);
        if self.is_simple(right) {
            let other = self.truth(right)?;
            self.at(node);
            let op = if is_or { TwoOperands::Or } else { TwoOperands::And };
            let found = self.make.two(op, first, other);
            let found = self.make.spread_if(found, is_varying(&data));
            return Ok(self.single(found));
        }
        let place = self.temporary(&data, "a truth value");
        let start = self.make.spread_if(first, is_varying(&data));
        self.store(&place, &GangValue { data: data.clone(), regs: vec![start] })?;
        let test = if is_or { self.make.one(OneOperand::Not, first) } else { first };
        self.make.open();
        let other = self.truth(right)?;
        let other = self.make.spread_if(other, is_varying(&data));
        self.store(&place, &GangValue { data, regs: vec![other] })?;
        let block = self.make.close();
        self.at(node);
        self.make.run(GangOp::If(test, block, Vec::new()));
        self.load(&place)
    }

    /// Returns true for an expression that cannot fail and changes nothing.
    fn is_simple(&self, node: usize) -> bool {
        let first = self.context.piece.node(node).descendants as usize;
        (first..=node).all(|at| match self.kind(at) {
            NodeKind::NameUse | NodeKind::Literal | NodeKind::Paren | NodeKind::Conditional => true,
            NodeKind::Cast | NodeKind::TypeName | NodeKind::Specifiers => true,
            NodeKind::Binary => {
                let left = self.children(at).first().copied();
                let kind = left.map(|left| self.token_behind(left));
                self.operator_call(at).is_none() && !matches!(kind, Some(Kind::Slash | Kind::Percent))
            }
            NodeKind::Prefix => {
                let kind = self.context.piece.kind(self.context.piece.node(at).first);
                matches!(kind, Kind::Minus | Kind::Bang | Kind::Plus | Kind::Tilde) && self.operator_call(at).is_none()
            }
            _ => false,
        })
    }

    pub(crate) fn conditional(&mut self, node: usize, condition: usize, yes: usize, no: usize) -> Lowers<GangValue> {
        let test = self.expression(condition)?;
        self.at(node);
        let data = match *self.layer().kind(self.ty(node)) {
            // Of arrays the addresses are chosen from.
            TypeKind::Array(of, _) => {
                let varies = test.regs.iter().any(|reg| self.make.is_varying(*reg));
                let cells = if varies { NumberCells::EachLane } else { NumberCells::One };
                Rc::new(DataForm::Pointer(of, cells, None))
            }
            _ => self.data(node)?,
        };
        if let DataForm::Vector(..) = *test.data {
            let [one, other] = [self.expression_as(yes, &data)?, self.expression_as(no, &data)?];
            self.at(node);
            let tests: Vec<GangReg> = test.regs.iter().map(|reg| self.make.convert(*reg, NumberType::Bool)).collect();
            let mut regs = Vec::new();
            for (nth, (yes, no)) in one.regs.iter().zip(&other.regs).enumerate() {
                let Some(test) = tests.get(nth).copied() else {
                    return self.refuse("a choice has as many conditions as elements");
                };
                regs.push(self.make.select(test, *yes, *no));
            }
            return Ok(GangValue { data, regs });
        }
        let test = self.make.convert(self.first_reg(&test)?, NumberType::Bool);
        if self.is_simple(yes) && self.is_simple(no) {
            let [one, other] = [self.expression_as(yes, &data)?, self.expression_as(no, &data)?];
            self.at(node);
            let pairs = one.regs.iter().zip(&other.regs);
            let regs = pairs.map(|(yes, no)| self.make.select(test, *yes, *no)).collect();
            return Ok(GangValue { data, regs });
        }
        let place = self.temporary(&data, "a choice");
        let mut blocks = [Vec::new(), Vec::new()];
        for (block, way) in blocks.iter_mut().zip([yes, no]) {
            self.make.open();
            let value = self.expression_as(way, &data)?;
            self.store(&place, &value)?;
            *block = self.make.close();
        }
        self.at(node);
        let [one, other] = blocks;
        self.make.run(GangOp::If(test, one, other));
        self.load(&place)
    }
}

/// The order by which the more general of two numbers is taken.
fn rank(number: NumberType) -> u32 {
    use NumberType::*;
    match number {
        Bool => 0,
        I8 => 1,
        U8 => 2,
        I16 => 3,
        U16 => 4,
        I32 => 5,
        U32 => 6,
        F16 => 7,
        F32 => 8,
        I64 => 9,
        U64 => 10,
        F64 => 11,
        Pointer => 12,
    }
}

fn relation_of(kind: Kind) -> Option<GangComparison> {
    Some(match kind {
        Kind::EqEq => GangComparison::Equal,
        Kind::BangEq => GangComparison::NotEqual,
        Kind::Lt => GangComparison::Less,
        Kind::LtEq => GangComparison::LessEqual,
        Kind::Gt => GangComparison::Greater,
        Kind::GtEq => GangComparison::GreaterEqual,
        _ => return None,
    })
}

fn arithmetic_of(kind: Kind) -> Option<TwoOperands> {
    Some(match kind {
        Kind::Plus => TwoOperands::Add,
        Kind::Minus => TwoOperands::Sub,
        Kind::Star => TwoOperands::Mul,
        Kind::Slash => TwoOperands::Div,
        Kind::Percent => TwoOperands::Rem,
        Kind::Amp => TwoOperands::And,
        Kind::Pipe => TwoOperands::Or,
        Kind::Caret => TwoOperands::Xor,
        Kind::LtLt => TwoOperands::Shl,
        Kind::GtGt => TwoOperands::Shr,
        _ => return None,
    })
}
