//! Expressions: the value of each across the lanes.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_types::constant;
use ispc_types::layer::Entity;
use ispc_types::source::Source;
use ispc_types::ty::{Lanes, Ty, TypeKind};

use crate::flow::{DEEPEST, Flow};
use crate::library::is_pure;
use crate::mask::RegionKind;
use crate::shape::{LaneShape, LaneValue};
use crate::state::{NO_DEF, assigning_node};
use crate::variables::{Following, call_at};
use crate::why::WhyVarying;

impl Flow<'_> {
    /// The value of an expression; of one with a place, what is loaded from that.
    pub(crate) fn expression(&mut self, node: usize) -> LaneValue {
        self.depth += 1;
        self.gave_up |= self.depth > DEEPEST;
        let found = if self.gave_up { LaneValue::UNKNOWN } else { self.expression_here(node) };
        self.depth -= 1;
        self.recorded(node, found)
    }

    /// Notes the value of an expression, which is what its type says at least.
    pub(crate) fn recorded(&mut self, node: usize, found: LaneValue) -> LaneValue {
        let ty = self.ty(node);
        let value = match () {
            _ if self.is_uniform_type(ty) => {
                LaneValue { shape: LaneShape::Uniform, everywhere: true, cause: None, ..found }
            }
            _ if self.layer.is_open(ty) => LaneValue::UNKNOWN,
            _ => found,
        };
        self.values[node] = Some(value);
        value
    }

    fn expression_here(&mut self, node: usize) -> LaneValue {
        use NodeKind::*;
        let children = self.piece.children(node);
        match (self.piece.node(node).kind, &children[..]) {
            (NameUse, _) => self.name(node),
            (Literal, _) => {
                let token = self.piece.node(node).first;
                let literal = constant::literal(self.piece.kind(token), &self.piece.text(token));
                literal.and_then(|it| it.value).map_or(LaneValue::UNIFORM, LaneValue::number)
            }
            (Paren, [inner]) => self.expression(*inner),
            (Comma, [front @ .., last]) => {
                front.iter().for_each(|it| _ = self.expression(*it));
                self.expression(*last)
            }
            (Index | Member, [_, ..]) => self.load(node),
            (Call, [callee, args]) => self.call(node, *callee, *args),
            (Postfix, [operand]) => self.step(node, *operand, self.piece.node(node).end - 1, true),
            (Prefix, [operand]) => self.prefix(node, *operand),
            (Cast, [_, operand]) => {
                let value = self.expression(*operand);
                self.converted(node, value, self.ty(*operand), self.ty(node))
            }
            (Sizeof, _) => LaneValue { is_nonneg: true, ..LaneValue::UNIFORM },
            (Binary, [left, right]) => self.binary(node, *left, *right),
            (Conditional, [condition, yes, no]) => self.conditional(node, *condition, *yes, *no),
            (Assign, [target, value]) => self.assign(node, *target, *value),
            _ => {
                let mut all = LaneValue::UNIFORM;
                for child in children {
                    if self.piece.node(child).kind != TypeName {
                        all = all.with(&self.expression(child));
                    }
                }
                self.own(node, WhyVarying::CallResult, None)
            }
        }
    }

    /// A value of which only the type is known.
    pub(crate) fn own(&mut self, node: usize, why: WhyVarying, next: Option<u32>) -> LaneValue {
        let cause = self.tell(node, why, next);
        LaneValue { everywhere: false, is_nonneg: self.is_unsigned(self.ty(node)), ..LaneValue::varying(cause) }
    }

    pub(crate) fn name(&mut self, node: usize) -> LaneValue {
        let token = self.piece.node(node).first;
        let Some(entity) = self.piece.target(token) else { return self.own(node, WhyVarying::CallResult, None) };
        let data = self.layer.entity(entity);
        if let Some(value) = data.value {
            return LaneValue::number(value);
        }
        match data.kind {
            DeclKind::Function => return LaneValue::UNIFORM,
            DeclKind::Global if &*data.name == "programIndex" && self.layer.is_const(data.ty) => {
                let cause = self.tell(node, WhyVarying::ProgramIndex, None);
                return LaneValue::linear(1, true, cause);
            }
            _ => {}
        }
        if let Some(bound) = self.bound.get(&entity).copied() {
            if let Some(cause) = bound.cause {
                self.tell(node, WhyVarying::Assigned(cause), Some(cause));
                return LaneValue { cause: Some(node as u32), ..bound };
            }
            return bound;
        }
        let Some(index) = self.variables.index(entity) else {
            return self.own(node, WhyVarying::Declared(entity), None);
        };
        let (region, following) = (self.region, self.variables.all[index].following);
        self.uses.insert(node as u32, (index, region));
        match following {
            Following::Values => self.followed(node, entity, index),
            Following::Shared => self.own(node, WhyVarying::Shared(entity), None),
            Following::Type => self.own(node, WhyVarying::Declared(entity), None),
        }
    }

    fn followed(&mut self, node: usize, entity: Entity, index: usize) -> LaneValue {
        let Some(held) = self.state.as_ref().map(|state| state.held[index]) else { return LaneValue::UNKNOWN };
        if held.def == NO_DEF {
            return self.own(node, WhyVarying::NoValue(entity), None);
        }
        let Some(cause) = held.value.cause.filter(|cause| *cause != u32::MAX) else {
            return match held.value.shape {
                LaneShape::Varying => self.own(node, WhyVarying::Declared(entity), None),
                _ => held.value,
            };
        };
        let why = match assigning_node(held.def) {
            Some(by) => WhyVarying::Assigned(by),
            None => WhyVarying::Assigned(cause),
        };
        self.tell(node, why, Some(cause));
        LaneValue { cause: Some(node as u32), ..held.value }
    }

    /// `++` and `--`: the new value is stored, and the old or the new one given.
    fn step(&mut self, node: usize, operand: usize, operator: u32, gives_old: bool) -> LaneValue {
        if call_at(self.types, node).is_some() {
            self.expression(operand);
            return self.own(node, WhyVarying::CallResult, None);
        }
        let (old, place) = self.load_for_update(operand);
        let one = if self.piece.kind(operator) == Kind::PlusPlus { 1 } else { -1 };
        let ty = self.ty(operand);
        let step = match *self.layer.kind(ty) {
            TypeKind::Pointer(of, _) => self.layout.of(of, Lanes::Uniform).map(|of| of.size as i128 * one),
            _ => Some(one),
        };
        let step = step.map_or(LaneValue::UNIFORM, LaneValue::number);
        let is_nonneg = old.is_nonneg && one > 0;
        let new = match self.is_real(ty) {
            true => old.with(&step),
            false => LaneValue { is_nonneg, value: old.value.map(|old| old + one), ..old.plus(&step) },
        };
        let new = self.fitted(new, ty);
        self.store(node, operand, place, None, new);
        if gives_old { old } else { new }
    }

    fn prefix(&mut self, node: usize, operand: usize) -> LaneValue {
        let operator = self.piece.node(node).first;
        let kind = self.piece.kind(operator);
        match kind {
            Kind::PlusPlus | Kind::MinusMinus => return self.step(node, operand, operator, false),
            Kind::Amp => return self.address_only(operand),
            Kind::Star => return self.load(node),
            _ => {}
        }
        let value = self.expression(operand);
        if call_at(self.types, node).is_some() {
            return self.own(node, WhyVarying::CallResult, None);
        }
        let number = value.value.and_then(|value| constant::prefix(kind, value));
        let keeps = !self.is_real(self.ty(node));
        let found = match kind {
            Kind::Plus => value,
            Kind::Minus | Kind::Tilde if keeps => value.negated(),
            _ => value.with(&LaneValue::UNIFORM),
        };
        let is_nonneg = number.is_some_and(|number| number >= 0) || (kind == Kind::Plus && value.is_nonneg);
        let found = self.fitted(LaneValue { value: number, is_nonneg, ..found }, self.ty(node));
        self.in_a_row(node, &[value], found)
    }

    /// Tells the story of an operation that has rows and gives none.
    pub(crate) fn in_a_row(&mut self, node: usize, operands: &[LaneValue], found: LaneValue) -> LaneValue {
        let is_row = |value: &LaneValue| !matches!(value.shape, LaneShape::Varying | LaneShape::Unknown);
        if found.shape == LaneShape::Varying && operands.iter().all(is_row) {
            let next = operands.iter().find_map(|value| value.cause);
            let cause = self.tell(node, WhyVarying::OutOfRow, next);
            return LaneValue { cause: Some(cause), ..found };
        }
        found
    }

    fn binary(&mut self, node: usize, left: usize, right: usize) -> LaneValue {
        // A long sum is nested to the left; it is walked without nesting.
        let mut spine = vec![(node, right)];
        let mut first = left;
        while self.piece.node(first).kind == NodeKind::Binary {
            let [inner, operand] = self.piece.children(first)[..] else { break };
            spine.push((first, operand));
            first = inner;
        }
        let mut value = self.expression(first);
        let mut left = first;
        for (node, right) in spine.into_iter().rev() {
            value = self.binary_of(node, (left, value), right);
            value = self.recorded(node, value);
            left = node;
        }
        value
    }

    fn binary_of(&mut self, node: usize, left: (usize, LaneValue), right: usize) -> LaneValue {
        let (left, one) = left;
        let kind = self.piece.kind(self.piece.node(left).end);
        let other = match kind {
            Kind::AmpAmp | Kind::PipePipe => self.behind_condition(node, &one, right),
            _ => self.expression(right),
        };
        if call_at(self.types, node).is_some() {
            return self.own(node, WhyVarying::CallResult, None);
        }
        self.operation(node, kind, (left, one), (right, other))
    }

    /// The value of an operator between two values.
    pub(crate) fn operation(
        &mut self,
        node: usize,
        kind: Kind,
        left: (usize, LaneValue),
        right: (usize, LaneValue),
    ) -> LaneValue {
        let ((left, one), (right, other)) = (left, right);
        let ty = self.ty(node);
        let pointers = [left, right].map(|side| self.pointee(self.ty(side)));
        if let Some(found) = self.pointer_sum(kind, (one, other), pointers) {
            return self.in_a_row(node, &[one, other], found);
        }
        let is_comparison = matches!(kind, Kind::EqEq | Kind::BangEq | Kind::Lt | Kind::LtEq | Kind::Gt | Kind::GtEq);
        let is_logic = matches!(kind, Kind::AmpAmp | Kind::PipePipe);
        let is_shift = matches!(kind, Kind::LtLt | Kind::GtGt);
        let (one, other) = match is_comparison || is_logic || !matches!(self.layer.kind(ty), TypeKind::Atomic(..)) {
            true => (one, other),
            false => {
                let amount = if is_shift { other } else { self.converted_aside(other, self.ty(right), ty) };
                (self.converted_aside(one, self.ty(left), ty), amount)
            }
        };
        let number = one.value.zip(other.value).and_then(|(one, other)| constant::binary(kind, one, other));
        let keeps = !self.is_real(ty) && !is_comparison && !is_logic;
        let found = match kind {
            Kind::Plus if keeps => one.plus(&other),
            Kind::Minus if keeps => one.plus(&other.negated()),
            Kind::Star if keeps => one.times(&other),
            Kind::LtLt if keeps => match other.value.filter(|by| (0..63).contains(by)) {
                Some(by) => one.scaled(1 << by),
                None => one.with(&other),
            },
            _ => one.with(&other),
        };
        let is_nonneg = match kind {
            Kind::Plus | Kind::Star | Kind::Slash | Kind::GtGt => one.is_nonneg && other.is_nonneg,
            Kind::Percent => one.is_nonneg,
            Kind::Amp => one.is_nonneg || other.is_nonneg,
            Kind::Pipe | Kind::Caret => one.is_nonneg && other.is_nonneg,
            _ => number.is_some_and(|number| number >= 0),
        };
        let is_wide =
            self.atomic(ty).is_some_and(|atomic| atomic.is_int() && crate::layout::bytes_of(atomic) >= Some(4));
        let is_nonneg = (is_nonneg && is_wide) || number.is_some_and(|number| number >= 0);
        let found = LaneValue { value: number, is_nonneg, ..found };
        let found = if is_comparison || is_logic { found } else { self.fitted(found, ty) };
        match is_comparison || is_logic {
            true => found,
            false => self.in_a_row(node, &[one, other], found),
        }
    }

    fn pointee(&self, ty: Ty) -> Option<Ty> {
        match *self.layer.kind(ty) {
            TypeKind::Pointer(of, _) | TypeKind::Array(of, _) => Some(of),
            _ => None,
        }
    }

    fn pointer_sum(
        &self,
        kind: Kind,
        (one, other): (LaneValue, LaneValue),
        pointers: [Option<Ty>; 2],
    ) -> Option<LaneValue> {
        let bytes = |of: Ty, by: &LaneValue| match self.layout.of(of, Lanes::Uniform) {
            Some(of) => by.scaled(of.size.into()),
            None => by.times(&LaneValue::UNIFORM),
        };
        Some(match (kind, pointers) {
            (Kind::Plus, [Some(of), None]) => one.plus(&bytes(of, &other)),
            (Kind::Plus, [None, Some(of)]) => other.plus(&bytes(of, &one)),
            (Kind::Minus, [Some(of), None]) => one.plus(&bytes(of, &other.negated())),
            (_, [None, None]) => return None,
            _ => LaneValue { value: None, ..one.with(&other) },
        })
    }

    /// An operand that is run only by the lanes that need it.
    fn behind_condition(&mut self, node: usize, condition: &LaneValue, operand: usize) -> LaneValue {
        if !self.has_effects(operand) {
            return self.expression(operand);
        }
        let before = self.state.clone();
        let parts = (!condition.is_uniform()).then(|| self.tell(node, WhyVarying::OtherWays, condition.cause));
        let outer = self.region;
        let region = parts.map(|_| self.regions.enter(RegionKind::Branch, node as u32, None, outer));
        let mut value = LaneValue::UNKNOWN;
        let behind = self.way(region, |flow| value = flow.expression(operand));
        self.join(node, [before, behind], parts);
        value
    }

    fn has_effects(&self, node: usize) -> bool {
        let first = self.piece.node(node).descendants as usize;
        (first..=node).any(|at| match self.piece.node(at).kind {
            NodeKind::Assign | NodeKind::Postfix => true,
            NodeKind::Prefix => {
                matches!(self.piece.kind(self.piece.node(at).first), Kind::PlusPlus | Kind::MinusMinus)
            }
            _ => false,
        })
    }

    fn conditional(&mut self, node: usize, condition: usize, yes: usize, no: usize) -> LaneValue {
        let test = self.expression(condition);
        let (one, other) = if self.has_effects(yes) || self.has_effects(no) {
            let before = self.state.clone();
            let parts = (!test.is_uniform()).then(|| self.tell(node, WhyVarying::OtherWays, test.cause));
            let outer = self.region;
            let mut values = [LaneValue::UNKNOWN; 2];
            let mut ways = [None, None];
            for (nth, (kind, way)) in [(RegionKind::Branch, yes), (RegionKind::Else, no)].into_iter().enumerate() {
                self.state = before.clone();
                let region = parts.map(|_| self.regions.enter(kind, node as u32, Some(condition as u32), outer));
                ways[nth] = self.way(region, |flow| values[nth] = flow.expression(way));
            }
            self.join(node, ways, parts);
            (values[0], values[1])
        } else {
            (self.expression(yes), self.expression(no))
        };
        let ty = self.ty(node);
        let (one, other) = (self.converted_aside(one, self.ty(yes), ty), self.converted_aside(other, self.ty(no), ty));
        let either = one.or(&other);
        let same_number = one.value.is_some() && one.value == other.value;
        match test.shape {
            LaneShape::Uniform => either,
            _ if same_number => either,
            LaneShape::Unknown => LaneValue { shape: LaneShape::Unknown, ..either },
            _ => {
                let cause = self.tell(node, WhyVarying::OtherWays, test.cause);
                LaneValue { shape: LaneShape::Varying, value: None, cause: Some(cause), ..either }
            }
        }
    }

    fn assign(&mut self, node: usize, target: usize, value: usize) -> LaneValue {
        let operator = self.piece.kind(self.piece.node(target).end);
        let right = self.expression(value);
        if call_at(self.types, node).is_some() {
            self.expression(target);
            return self.own(node, WhyVarying::CallResult, None);
        }
        let ty = self.ty(target);
        let (new, place) = match operator.of_assignment() {
            Some(kind) => {
                let (old, place) = self.load_for_update(target);
                let found = self.operation(node, kind, (target, old), (value, right));
                (self.fitted(found, ty), place)
            }
            None => (self.converted(value, right, self.ty(value), ty), None),
        };
        self.store(node, target, place, Some(value), new);
        new
    }

    fn call(&mut self, node: usize, callee: usize, args: usize) -> LaneValue {
        let call = call_at(self.types, node);
        let chosen = call.and_then(|call| Some(&call.candidates[call.chosen?]));
        let mut takes: Vec<Ty> = Vec::new();
        let callee_ty = match chosen {
            Some(candidate) => candidate.ty,
            None => {
                self.expression(callee);
                self.pointee(self.ty(callee)).unwrap_or_else(|| self.ty(callee))
            }
        };
        if let TypeKind::Function(_, of) = self.layer.kind(callee_ty) {
            takes.extend(of.iter());
        }
        let mut all = LaneValue::UNIFORM;
        for (nth, argument) in self.piece.children(args).into_iter().enumerate() {
            let by_reference = takes.get(nth).is_some_and(|ty| matches!(self.layer.kind(*ty), TypeKind::Reference(_)));
            let value = if by_reference { self.referred(argument) } else { self.expression(argument) };
            let value = takes.get(nth).map_or(value, |to| self.converted_aside(value, self.ty(argument), *to));
            all = all.with(&value);
        }
        match chosen.map(|candidate| candidate.entity).filter(|entity| is_pure(self.layer, *entity)) {
            Some(_) if all.is_uniform() => LaneValue { value: None, is_nonneg: false, ..all },
            Some(_) => self.own(node, WhyVarying::CallResult, all.cause),
            None => self.own(node, WhyVarying::CallResult, None),
        }
    }
}
