//! The types of expressions.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use report::spelling::closest;

use crate::body::{Fact, Typing};
use crate::constant;
use crate::findings::{self, Related};
use crate::layer::Entity;
use crate::source::Source;
use crate::ty::{Atomic, Lanes, Ty, TypeKind};

/// The variables that ispc declares itself where a task runs.
const OF_TASKS: &[&str] = &[
    "taskIndex",
    "taskCount",
    "threadIndex",
    "threadCount",
    "taskIndex0",
    "taskIndex1",
    "taskIndex2",
    "taskCount0",
    "taskCount1",
    "taskCount2",
];

impl Typing<'_> {
    pub(crate) fn expression(&mut self, node: usize, kind: NodeKind) {
        let children = self.piece.children(node);
        let ty = match (kind, &children[..]) {
            (NodeKind::Literal, _) => self.literal(node),
            (NodeKind::NameUse, _) => self.name(node),
            (NodeKind::Paren, [inner]) => {
                self.facts[node] = self.facts[*inner];
                self.types[*inner]
            }
            (NodeKind::Comma, [.., last]) => self.types[*last],
            (NodeKind::Index, [base, index]) => self.index(node, *base, *index),
            (NodeKind::Member, [base]) => self.member(node, *base),
            (NodeKind::Call, [callee, args]) => self.call(node, *callee, *args),
            (NodeKind::Postfix, [operand]) => {
                let operator = self.piece.node(node).end - 1;
                self.step(node, *operand, operator)
            }
            (NodeKind::Prefix, [operand]) => self.prefix(node, *operand),
            (NodeKind::Cast, [ty, operand]) => self.cast(node, *ty, *operand),
            (NodeKind::Sizeof, _) => {
                self.facts[node].is_constant = true;
                let ty = self.layer.atomic(Atomic::Uint64, Lanes::Uniform);
                self.layer.with_const(ty, true)
            }
            (NodeKind::AllocaCall, _) => {
                let void = self.layer.atomic(Atomic::Void, Lanes::Uniform);
                self.layer.pointer(void, Lanes::Uniform)
            }
            (NodeKind::Launch, _) => {
                self.launch_counts(&children);
                self.layer.atomic(Atomic::Void, Lanes::Uniform)
            }
            (NodeKind::New, [ty, ..]) => {
                let of = self.types[*ty];
                let of = self.layer.bind(of, Lanes::Uniform);
                let is_uniform = self.piece.kind(self.piece.node(node).first) == Kind::Uniform;
                self.layer.pointer(of, if is_uniform { Lanes::Uniform } else { Lanes::Varying })
            }
            (NodeKind::Binary, [left, right]) => self.binary(node, *left, *right),
            (NodeKind::Conditional, [condition, yes, no]) => self.conditional(node, *condition, *yes, *no),
            (NodeKind::Assign, [target, value]) => self.assign(node, *target, *value),
            _ => return,
        };
        self.types[node] = ty;
    }

    fn literal(&mut self, node: usize) -> Ty {
        let token = self.piece.node(node).first;
        match self.piece.kind(token) {
            Kind::Null => {
                self.facts[node] = Fact { is_null: true, is_constant: true, ..Fact::default() };
                let void = self.layer.atomic(Atomic::Void, Lanes::Uniform);
                self.layer.pointer(void, Lanes::Uniform)
            }
            kind => {
                let Some(literal) = constant::literal(kind, &self.piece.text(token)) else { return Ty::UNKNOWN };
                self.facts[node] = Fact { value: literal.value, is_constant: true, ..Fact::default() };
                let ty = self.layer.atomic(literal.atomic, Lanes::Uniform);
                self.layer.with_const(ty, true)
            }
        }
    }

    fn name(&mut self, node: usize) -> Ty {
        let token = self.piece.node(node).first;
        if self.piece.kind(token) != Kind::Name {
            return Ty::UNKNOWN;
        }
        let Some(entity) = self.piece.target(token) else { return self.undeclared(node, token) };
        let data = self.layer.entity(entity);
        match data.kind {
            DeclKind::Function => {
                let name = data.name.to_string();
                self.function_name(node, &name)
            }
            DeclKind::Enumerator => {
                self.facts[node] = Fact { value: data.value, is_constant: true, ..Fact::default() };
                data.ty
            }
            kind if kind.is_type() => Ty::UNKNOWN,
            DeclKind::Label => Ty::UNKNOWN,
            _ => {
                let is_constant = data.is_constant;
                let value = self.layer.value(entity);
                let ty = self.type_of(entity);
                let stored = self.layer.target(ty);
                let place = Some((stored, Lanes::Uniform));
                self.facts[node] = Fact { value, is_constant, is_null: false, place };
                ty
            }
        }
    }

    fn undeclared(&mut self, node: usize, token: u32) -> Ty {
        let name = self.piece.text(token).into_owned();
        if name == "operator" {
            return Ty::UNKNOWN;
        }
        if OF_TASKS.contains(&name.as_str()) {
            let ty = self.layer.atomic(Atomic::Uint32, Lanes::Uniform);
            return self.layer.with_const(ty, true);
        }
        let functions = self.functions_named(&name);
        if !functions.is_empty() {
            return self.function_name(node, &name);
        }
        // Names that start so are ispc's own, between its library and its compiler, and of its headers of intrinsics.
        let is_own = ["__", "_mm_", "_MM_", "amx_"].iter().any(|start| name.starts_with(start));
        if !self.piece.is_partial && !is_own {
            let near = self.near_name(&name);
            self.tell(findings::unknown_name(token..token + 1, &name, near.as_deref()));
        }
        Ty::UNKNOWN
    }

    fn near_name(&self, name: &str) -> Option<String> {
        let inner =
            (self.layer.first_entity()..self.layer.n_entities()).map(|entity| self.layer.entity(Entity(entity)));
        let inner: Vec<_> = inner.filter(|data| data.kind != DeclKind::Field).map(|data| data.name.clone()).collect();
        let mut words: Vec<&str> = inner.iter().map(|name| &**name).collect();
        let outer = self.layer.all_names();
        words.extend(outer.iter().map(|name| &***name));
        closest(name, &words).map(str::to_owned)
    }

    fn function_name(&mut self, node: usize, name: &str) -> Ty {
        let functions = self.functions_named(name);
        self.functions.insert(node, functions.clone());
        match functions[..] {
            [only] if self.layer.entity(only).function.as_ref().is_some_and(|it| it.template.is_empty()) => {
                self.layer.entity(only).ty
            }
            _ => Ty::UNKNOWN,
        }
    }

    /// `++` and `--`.
    fn step(&mut self, node: usize, operand: usize, operator: u32) -> Ty {
        let ty = self.types[operand];
        let value = self.layer.target(ty);
        if let TypeKind::Struct(..) = self.layer.kind(value) {
            return self.operator(node, operator, &[operand]);
        }
        self.must_be_settable(operand);
        if self.layer.is_open(value) { Ty::UNKNOWN } else { value }
    }

    fn prefix(&mut self, node: usize, operand: usize) -> Ty {
        let operator = self.piece.node(node).first;
        let ty = self.types[operand];
        let value = self.layer.target(ty);
        let kind = self.piece.kind(operator);
        match kind {
            Kind::PlusPlus | Kind::MinusMinus => return self.step(node, operand, operator),
            Kind::Amp => return self.address_of(operand),
            Kind::Star => return self.dereference(node, operand, value),
            _ => {}
        }
        if !value.is_known() || self.layer.is_open(value) {
            return Ty::UNKNOWN;
        }
        if kind == Kind::Plus {
            self.facts[node] = self.facts[operand];
            return ty;
        }
        let fact = self.facts[operand];
        self.facts[node].is_constant = fact.is_constant;
        self.facts[node].value = fact.value.and_then(|value| constant::prefix(kind, value));
        if let TypeKind::Struct(..) = self.layer.kind(value) {
            return self.operator(node, operator, &[operand]);
        }
        if kind == Kind::Bang {
            return self.layer.truth_of(value);
        }
        let is_number = |ty: Ty| match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => match kind {
                Kind::Tilde => atomic.is_int() || *atomic == Atomic::Bool,
                Kind::Minus => atomic.is_int() || atomic.is_float(),
                _ => *atomic != Atomic::Void,
            },
            TypeKind::Enum(..) => true,
            _ => false,
        };
        let is_fine = match *self.layer.kind(value) {
            TypeKind::Vector(of, _) => is_number(of),
            _ => is_number(value),
        };
        if !is_fine {
            let (shown, text) = (self.show(value), self.piece.text(operator).into_owned());
            self.tell(findings::operands(self.tokens(node), &text, &[&shown]));
            return Ty::UNKNOWN;
        }
        value
    }

    fn address_of(&mut self, operand: usize) -> Ty {
        if self.functions_of(operand).is_some() {
            let ty = self.types[operand];
            return if ty.is_known() { self.layer.pointer(ty, Lanes::Uniform) } else { Ty::UNKNOWN };
        }
        match self.facts[operand].place {
            Some((stored, lanes)) if stored.is_known() => self.layer.pointer(stored, lanes),
            _ => Ty::UNKNOWN,
        }
    }

    fn dereference(&mut self, node: usize, operand: usize, value: Ty) -> Ty {
        let (of, lanes) = match *self.layer.kind(value) {
            TypeKind::Pointer(of, lanes) => (of, lanes),
            TypeKind::Array(of, _) => (of, Lanes::Uniform),
            TypeKind::Atomic(..) | TypeKind::Enum(..) | TypeKind::Struct(..) | TypeKind::Vector(..) => {
                let shown = self.show(value);
                self.tell(findings::not_a_pointer(self.tokens(operand), "`*`", &shown));
                return Ty::UNKNOWN;
            }
            _ => return Ty::UNKNOWN,
        };
        if self.layer.is_void(of) {
            let shown = self.show(value);
            self.tell(findings::void_pointer(self.tokens(operand), &shown));
            return Ty::UNKNOWN;
        }
        self.facts[node].place = Some((of, lanes));
        if lanes == Lanes::Varying { self.layer.with_lanes(of, Lanes::Varying) } else { of }
    }

    fn cast(&mut self, node: usize, ty: usize, operand: usize) -> Ty {
        let (to, from) = (self.types[ty], self.types[operand]);
        let value = self.layer.target(from);
        let fact = self.facts[operand];
        self.facts[node].is_constant = fact.is_constant;
        self.facts[node].value = fact.value;
        if let Some(functions) = self.functions_of(operand) {
            let _ = functions;
            let to = self.layer.bind(to, Lanes::Uniform);
            self.convert_function(operand, to);
            return to;
        }
        let (uniform, varying) = (self.layer.bind(to, Lanes::Uniform), self.layer.bind(to, Lanes::Varying));
        if uniform == varying {
            if self.layer.is_uniform(to) && !self.layer.is_open(value) && self.layer.is_varying(value) {
                let (shown, wanted) = (self.show(from), self.show(to));
                let is_array = matches!(self.layer.kind(value), TypeKind::Array(..));
                if !is_array {
                    self.tell(findings::varying_to_uniform(self.tokens(node), &shown, &wanted, "", false));
                }
            } else {
                self.note_spread(operand, to);
            }
            return uniform;
        }
        match self.layer.lanes(value) {
            _ if matches!(self.layer.kind(value), TypeKind::Array(..)) => uniform,
            Some(Lanes::Uniform) => uniform,
            Some(Lanes::Varying) => varying,
            _ => Ty::UNKNOWN,
        }
    }

    fn convert_function(&mut self, operand: usize, to: Ty) {
        let n_findings = self.findings.len();
        self.convert(operand, to, "", None);
        self.findings.truncate(n_findings);
    }

    fn conditional(&mut self, node: usize, condition: usize, yes: usize, no: usize) -> Ty {
        let (yes_ty, no_ty) = (self.types[yes], self.types[no]);
        let test = self.types[condition];
        if !matches!(self.layer.kind(self.layer.target(test)), TypeKind::Vector(..)) {
            self.truth(condition);
        }
        if !yes_ty.is_known() || !no_ty.is_known() || self.layer.is_open(test) {
            return Ty::UNKNOWN;
        }
        let varies = self.layer.is_varying(test);
        // Zero is a pointer where the other one is.
        let is_pointer = |typing: &Self, ty: Ty| {
            matches!(typing.layer.kind(typing.layer.target(ty)), TypeKind::Pointer(..) | TypeKind::Array(..))
        };
        let is_zero = |typing: &Self, node: usize| typing.facts[node].known().is_zero;
        let (one, other) = match () {
            _ if is_pointer(self, yes_ty) && is_zero(self, no) => (yes_ty, yes_ty),
            _ if is_pointer(self, no_ty) && is_zero(self, yes) => (no_ty, no_ty),
            _ => (yes_ty, no_ty),
        };
        let Some(ty) = self.layer.general(one, other, varies) else {
            let (one, other) = (self.show(one), self.show(other));
            if !one.contains('[') && !other.contains('[') {
                self.tell(findings::operands(self.tokens(node), "? :", &[&one, &other]));
            }
            return Ty::UNKNOWN;
        };
        self.note_spread(yes, ty);
        self.note_spread(no, ty);
        ty
    }

    pub(crate) fn must_be_settable(&mut self, node: usize) {
        let ty = self.types[node];
        let mut inner = node;
        while self.piece.node(inner).kind == NodeKind::Paren {
            let Some(child) = self.piece.children(inner).first().copied() else { return };
            inner = child;
        }
        let is_value = match self.piece.node(inner).kind {
            NodeKind::Literal | NodeKind::Binary | NodeKind::Postfix | NodeKind::Sizeof => true,
            NodeKind::Call => ty.is_known() && !matches!(self.layer.kind(ty), TypeKind::Reference(_)),
            NodeKind::NameUse => {
                let token = self.piece.node(inner).first;
                let entity = self.piece.target(token).map(|entity| self.layer.entity(entity).kind);
                entity == Some(DeclKind::Enumerator) || self.functions.contains_key(&inner)
            }
            _ => false,
        };
        let is_operator = self.calls.last().is_some_and(|call| call.node == inner as u32);
        if is_value && !(is_operator && self.piece.node(inner).kind != NodeKind::Call) {
            let written = self.piece.written(node);
            self.tell(findings::not_settable(self.tokens(node), &written));
        } else if !self.layer.is_open(ty) && self.layer.is_const(ty) {
            let (written, shown) = (self.piece.written(node), self.show(ty));
            self.tell(findings::is_const(self.tokens(node), &written, &shown));
        }
    }

    fn assign(&mut self, node: usize, target: usize, value: usize) -> Ty {
        let operator = self.piece.node(target).end;
        let kind = self.piece.kind(operator);
        let to = self.layer.target(self.types[target]);
        if kind != Kind::Eq && matches!(self.layer.kind(to), TypeKind::Struct(..)) {
            return self.operator(node, operator, &[target, value]);
        }
        if kind == Kind::Eq
            && matches!(self.layer.kind(to), TypeKind::Struct(..))
            && !self.functions_named("operator=").is_empty()
            && let Some(ty) = self.try_operator(node, operator, &[target, value])
        {
            return ty;
        }
        self.must_be_settable(target);
        if !to.is_known() || self.layer.is_open(to) || self.layer.is_const(to) {
            return to;
        }
        if self.layer.is_uniform(to)
            && let Some(condition) = self.varying_condition(node)
        {
            self.under_varying.push((node as u32, condition as u32));
        }
        match self.layer.kind(to) {
            TypeKind::Array(..) => return to,
            TypeKind::Pointer(..) if kind != Kind::Eq => {
                let step = self.layer.target(self.types[value]);
                if self.layer.is_uniform(to) && !self.layer.is_open(step) && self.layer.is_varying(step) {
                    let (shown, wanted) = (self.show(step), self.show(to));
                    self.tell(findings::varying_to_uniform(self.tokens(value), &shown, &wanted, " to move", false));
                }
                return to;
            }
            _ => {}
        }
        let written = self.piece.written(target);
        let declared = self.piece.target(self.piece.node(target).first).map(Related::Declaration);
        self.convert(value, to, &format!(" for `{written}`"), declared);
        to
    }
}
