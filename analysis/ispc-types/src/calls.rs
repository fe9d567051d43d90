//! Calls, and operators, some of which are calls.

use std::sync::Arc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;

use crate::body::{Call, Typing};
use crate::constant;
use crate::convert::Known;
use crate::findings::{self, Related};
use crate::layer::{Bound, Entity};
use crate::overload::{self, Argument, Candidate, Fit, Outcome};
use crate::source::Source;
use crate::ty::{Atomic, Lanes, Ty, TypeKind};

/// The most candidates that a finding names.
const MOST_CANDIDATES: usize = 6;

impl Typing<'_> {
    /// The functions of a name that are declared in front of this one, the library's among them, those of the unit first.
    pub(crate) fn functions_named(&mut self, name: &str) -> Arc<[Entity]> {
        if let Some(found) = self.by_name.get(name) {
            return found.clone();
        }
        let own = self.piece.function;
        let mut all = self.layer.named(name);
        all.retain(|entity| {
            self.layer.entity(*entity).kind == DeclKind::Function
                && (*entity <= own || entity.0 >= self.layer.first_entity())
        });
        all.reverse();
        let found: Arc<[Entity]> = overload::distinct(&mut self.layer, all.into_iter()).into();
        self.by_name.insert(name.to_owned(), found.clone());
        found
    }

    fn arguments(&self, nodes: &[usize]) -> Vec<Argument> {
        let of = |node: &usize| Argument { ty: self.types[*node], known: self.facts[*node].known() };
        nodes.iter().map(of).collect()
    }

    fn given(&self, arguments: &[Argument]) -> String {
        let types: Vec<_> = arguments.iter().map(|argument| format!("`{}`", self.show(argument.ty))).collect();
        match &types[..] {
            [] => "no argument".to_owned(),
            [one] => one.clone(),
            [front @ .., last] => format!("{} and {last}", front.join(", ")),
        }
    }

    pub(crate) fn call(&mut self, node: usize, callee: usize, args: usize) -> Ty {
        let nodes = self.piece.children(args);
        if let Some(functions) = self.functions.get(&callee).cloned() {
            return self.call_of_name(node, callee, args, &functions, &nodes);
        }
        let ty = self.layer.target(self.types[callee]);
        let (function, is_varying) = match *self.layer.kind(ty) {
            TypeKind::Pointer(of, lanes) => (of, lanes == Lanes::Varying),
            _ => (ty, false),
        };
        let (gives, takes) = match self.layer.kind(function).clone() {
            TypeKind::Function(gives, takes) => (gives, takes),
            TypeKind::Atomic(..) | TypeKind::Struct(..) | TypeKind::Enum(..) | TypeKind::Vector(..) => {
                let shown = self.show(ty);
                self.tell(findings::not_a_function(self.tokens(callee), &shown));
                return Ty::UNKNOWN;
            }
            _ => return Ty::UNKNOWN,
        };
        if takes.len() < nodes.len() {
            let written = self.piece.written(callee);
            let wanted = overload::counted(takes.len(), takes.len());
            self.tell(findings::wrong_count(self.tokens(args), &written, &wanted, nodes.len()));
        } else {
            for (argument, param) in nodes.iter().zip(takes.iter()) {
                self.convert(*argument, *param, " for this parameter", None);
            }
        }
        if is_varying { self.layer.with_lanes(gives, Lanes::Varying) } else { gives }
    }

    /// The arguments that are written between `<` and `>` behind the name of a template.
    fn explicit(&mut self, callee: usize) -> Vec<Option<Bound>> {
        let Some(args) = self.piece.child(callee, NodeKind::TemplateArgs) else { return Vec::new() };
        let mut found = Vec::new();
        let mut types = self.piece.children(args).into_iter().peekable();
        let data = self.piece.node(args);
        let mut token = data.first + 1;
        while token + 1 < data.end {
            if let Some(ty) = types.next_if(|ty| self.piece.node(*ty).first == token) {
                let known = Some(self.types[ty]).filter(|ty| ty.is_known() && !self.layer.is_open(*ty));
                found.push(known.map(|ty| Bound::Type(self.layer.bind(ty, Lanes::Varying))));
                token = self.piece.node(ty).end.max(token + 1);
                continue;
            }
            match self.piece.kind(token) {
                Kind::Comma => {}
                Kind::Name => {
                    let value = self.piece.target(token).and_then(|entity| self.layer.value(entity));
                    found.push(value.map(Bound::Value));
                }
                kind => {
                    let value = constant::literal(kind, &self.piece.text(token)).and_then(|literal| literal.value);
                    found.push(value.map(Bound::Value));
                }
            }
            token += 1;
        }
        found
    }

    fn call_of_name(&mut self, node: usize, callee: usize, args: usize, functions: &[Entity], nodes: &[usize]) -> Ty {
        let token = self.piece.node(callee).first;
        let name = self.piece.text(token).into_owned();
        let explicit = self.explicit(callee);
        let arguments = self.arguments(nodes);
        if explicit.iter().any(Option::is_none) {
            return Ty::UNKNOWN;
        }
        let (candidates, outcome) = overload::resolve(&mut self.layer, functions, &arguments, &explicit);
        match &outcome {
            Outcome::None if !self.piece.is_partial => self.no_overload(args, token, &name, &arguments, &candidates),
            Outcome::Ambiguous(best) if !self.piece.is_partial => {
                let given = self.given(&arguments);
                let mut finding = findings::ambiguous(token..token + 1, &name, &given);
                for index in best.iter().take(MOST_CANDIDATES) {
                    finding = finding.with(Related::Declaration(candidates[*index].entity), "this one fits");
                }
                self.tell(finding);
            }
            _ => {}
        }
        let ty = self.settle(node, token, nodes, arguments, candidates, outcome);
        if let Some(Call { chosen: Some(chosen), candidates, .. }) = self.calls.last()
            && self.calls.last().is_some_and(|call| call.node == node as u32)
        {
            self.types[callee] = candidates[*chosen].ty;
        }
        ty
    }

    /// Notes a call, and gives its type.
    fn settle(
        &mut self,
        node: usize,
        token: u32,
        nodes: &[usize],
        arguments: Vec<Argument>,
        candidates: Vec<Candidate>,
        outcome: Outcome,
    ) -> Ty {
        let chosen = match outcome {
            Outcome::Chosen(index) => Some(index),
            _ => None,
        };
        let mut ty = Ty::UNKNOWN;
        if let Some(candidate) = chosen.map(|index| candidates[index].clone()) {
            self.names.push((token, candidate.entity));
            if let TypeKind::Function(gives, takes) = self.layer.kind(candidate.ty).clone() {
                ty = gives;
                for (argument, param) in nodes.iter().zip(takes.iter()) {
                    match self.functions_of(*argument) {
                        Some(_) => self.convert(*argument, *param, "", None),
                        None => self.note_spread(*argument, *param),
                    }
                }
            }
            self.check_launch(node, token, candidate.entity);
        }
        let arguments = arguments.iter().map(|argument| argument.ty).collect();
        self.calls.push(Call { node: node as u32, token, arguments, candidates, chosen });
        if self.layer.is_open(ty) { Ty::UNKNOWN } else { ty }
    }

    fn check_launch(&mut self, node: usize, token: u32, entity: Entity) {
        let is_task = self.layer.entity(entity).function.as_ref().is_some_and(|data| data.is_task);
        let parent = self.piece.node(self.parents[node] as usize).kind;
        let name = self.layer.entity(entity).name.to_string();
        let related = Related::Declaration(entity);
        let is_call = self.piece.node(node).kind == NodeKind::Call;
        if is_task && is_call && parent != NodeKind::Launch {
            self.tell(findings::needs_launch(token..token + 1, &name).with(related, "declared here"));
        } else if !is_task && parent == NodeKind::Launch {
            self.tell(findings::launches_no_task(token..token + 1, &name).with(related, "declared here"));
        }
    }

    fn no_overload(&mut self, args: usize, token: u32, name: &str, arguments: &[Argument], candidates: &[Candidate]) {
        let n_params = |candidate: &Candidate| {
            self.layer.entity(candidate.entity).function.as_ref().map_or((0, 0), |data| {
                let least = data.params.iter().take_while(|(_, has_value)| !has_value).count();
                (least, data.params.len())
            })
        };
        let mut finding = match candidates {
            [only] => match only.fit {
                Fit::Count => {
                    let (least, most) = n_params(only);
                    findings::wrong_count(self.tokens(args), name, &overload::counted(least, most), arguments.len())
                }
                _ => {
                    let why = self.why(only, arguments);
                    let tokens = match only.fit {
                        Fit::Argument(index, _) => self.tokens(self.piece.children(args)[index]),
                        _ => token..token + 1,
                    };
                    findings::does_not_fit(tokens, name, &why)
                }
            },
            all if all.iter().all(|candidate| candidate.fit == Fit::Count) && !all.is_empty() => {
                let least = all.iter().map(|it| n_params(it).0).min().unwrap_or_default();
                let most = all.iter().map(|it| n_params(it).1).max().unwrap_or_default();
                findings::wrong_count(self.tokens(args), name, &overload::counted(least, most), arguments.len())
            }
            _ => findings::no_overload(token..token + 1, name, &self.given(arguments)),
        };
        if candidates.len() > 1 && candidates.iter().all(|candidate| candidate.fit == Fit::Count) {
            return self.tell(finding);
        }
        // Those that take as many arguments come first.
        let mut shown: Vec<&Candidate> = candidates.iter().collect();
        shown.sort_by_key(|candidate| candidate.fit == Fit::Count);
        for candidate in shown.into_iter().take(MOST_CANDIDATES) {
            let why = if candidates.len() > 1 { self.why(candidate, arguments) } else { "declared here".to_owned() };
            finding = finding.with(Related::Declaration(candidate.entity), why);
        }
        self.tell(finding);
    }

    fn why(&self, candidate: &Candidate, arguments: &[Argument]) -> String {
        overload::why(&self.layer, candidate, |index| self.show(arguments[index].ty))
    }

    /// An operator that is a function.
    pub(crate) fn operator(&mut self, node: usize, token: u32, operands: &[usize]) -> Ty {
        let text = self.piece.text(token).into_owned();
        let mut arguments = self.arguments(operands);
        if arguments.iter().any(|argument| self.layer.is_open(argument.ty)) {
            return Ty::UNKNOWN;
        }
        let functions = self.functions_named(&format!("operator{text}"));
        if self.piece.node(node).kind == NodeKind::Postfix {
            // Behind its operand the operator is the function that takes a number more.
            let takes_two = |entity: &Entity| {
                let function = self.layer.entity(*entity).function.as_ref();
                function.is_some_and(|function| function.params.len() == 2)
            };
            if functions.iter().any(takes_two) {
                let ty = self.layer.atomic(Atomic::Int32, Lanes::Varying);
                arguments.push(Argument { ty, known: Known { is_zero: true, is_constant: true } });
            }
        }
        let (candidates, outcome) = overload::resolve(&mut self.layer, &functions, &arguments, &[]);
        if matches!(outcome, Outcome::None) && !self.piece.is_partial {
            let types: Vec<String> = arguments.iter().map(|argument| self.show(argument.ty)).collect();
            let types: Vec<&str> = types.iter().map(String::as_str).collect();
            let mut finding = findings::no_operator(self.tokens(node), &text, &types);
            for candidate in candidates.iter().filter(|it| it.fit != Fit::Count).take(MOST_CANDIDATES) {
                finding = finding.with(Related::Declaration(candidate.entity), self.why(candidate, &arguments));
            }
            self.tell(finding);
        }
        self.settle(node, token, operands, arguments, candidates, outcome)
    }

    /// An operator that is a function if one fits.
    pub(crate) fn try_operator(&mut self, node: usize, token: u32, operands: &[usize]) -> Option<Ty> {
        let text = self.piece.text(token).into_owned();
        let arguments = self.arguments(operands);
        let functions = self.functions_named(&format!("operator{text}"));
        let (candidates, outcome) = overload::resolve(&mut self.layer, &functions, &arguments, &[]);
        let is_chosen = matches!(outcome, Outcome::Chosen(_));
        is_chosen.then(|| self.settle(node, token, operands, arguments, candidates, outcome))
    }

    pub(crate) fn binary(&mut self, node: usize, left: usize, right: usize) -> Ty {
        let operator = self.piece.node(left).end;
        let kind = self.piece.kind(operator);
        let (one, other) = (self.decayed(left), self.decayed(right));
        if self.layer.is_open(one) || self.layer.is_open(other) || !one.is_known() || !other.is_known() {
            return Ty::UNKNOWN;
        }
        let is_struct = |typing: &Self, ty: Ty| matches!(typing.layer.kind(ty), TypeKind::Struct(..));
        if is_struct(self, one) || is_struct(self, other) {
            return self.operator(node, operator, &[left, right]);
        }
        let (left_fact, right_fact) = (self.facts[left], self.facts[right]);
        self.facts[node].is_constant = left_fact.is_constant && right_fact.is_constant;
        let values = left_fact.value.zip(right_fact.value);
        self.facts[node].value = values.and_then(|(left, right)| constant::binary(kind, left, right));
        let pointers = [one, other].map(|ty| matches!(self.layer.kind(ty), TypeKind::Pointer(..)));
        let found = match kind {
            Kind::AmpAmp | Kind::PipePipe => self.logical(one, other),
            _ if pointers != [false, false] => self.pointers(kind, (left, one), (right, other), pointers),
            _ => self.numbers(kind, one, other),
        };
        let Some(ty) = found else {
            let text = self.piece.text(operator).into_owned();
            let (one, other) = (self.show(one), self.show(other));
            self.tell(findings::operands(self.tokens(node), &text, &[&one, &other]));
            return Ty::UNKNOWN;
        };
        self.note_spread(left, ty);
        self.note_spread(right, ty);
        ty
    }

    /// The type of an operand: an array is a pointer to its first element, a function one to itself.
    fn decayed(&mut self, node: usize) -> Ty {
        let ty = self.layer.target(self.types[node]);
        match *self.layer.kind(ty) {
            TypeKind::Array(of, _) => self.layer.pointer(of, Lanes::Uniform),
            TypeKind::Function(..) => self.layer.pointer(ty, Lanes::Uniform),
            _ => ty,
        }
    }

    fn logical(&mut self, one: Ty, other: Ty) -> Option<Ty> {
        let lanes =
            if self.layer.is_varying(one) || self.layer.is_varying(other) { Lanes::Varying } else { Lanes::Uniform };
        let is_truth = |ty: Ty| !self.layer.is_void(ty);
        if !is_truth(one) || !is_truth(other) {
            return None;
        }
        let counts = [one, other].map(|ty| match self.layer.kind(ty) {
            TypeKind::Vector(_, count) => Some(*count),
            _ => None,
        });
        let truth = self.layer.atomic(Atomic::Bool, lanes);
        match counts {
            [Some(a), Some(b)] if a != b => None,
            [Some(count), _] | [_, Some(count)] => Some(self.layer.make(TypeKind::Vector(truth, count))),
            _ => Some(truth),
        }
    }

    fn pointers(&mut self, kind: Kind, left: (usize, Ty), right: (usize, Ty), pointers: [bool; 2]) -> Option<Ty> {
        let (one, other) = (left.1, right.1);
        let varies = self.layer.is_varying(one) || self.layer.is_varying(other);
        let lanes = if varies { Lanes::Varying } else { Lanes::Uniform };
        let is_int = |ty: Ty| match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => atomic.is_int() || *atomic == Atomic::Bool,
            TypeKind::Enum(..) => true,
            _ => false,
        };
        match (kind, pointers) {
            (Kind::Plus | Kind::Minus, [true, false]) if is_int(other) => Some(self.layer.with_lanes(one, lanes)),
            (Kind::Plus, [false, true]) if is_int(one) => Some(self.layer.with_lanes(other, lanes)),
            (Kind::Minus, [true, true]) => Some(self.layer.atomic(Atomic::Int64, lanes)),
            (Kind::EqEq | Kind::BangEq | Kind::Lt | Kind::Gt | Kind::LtEq | Kind::GtEq, _) => {
                let truth = self.layer.atomic(Atomic::Bool, lanes);
                let is_zero = |node: usize| self.facts[node].known().is_zero;
                let is_fine = match pointers {
                    [true, true] => true,
                    [true, false] => is_zero(right.0),
                    _ => is_zero(left.0),
                };
                is_fine.then_some(truth)
            }
            _ => None,
        }
    }

    fn numbers(&mut self, kind: Kind, one: Ty, other: Ty) -> Option<Ty> {
        let element = |ty: Ty| match *self.layer.kind(ty) {
            TypeKind::Vector(of, _) => of,
            _ => ty,
        };
        let accepts = |ty: Ty| match self.layer.kind(element(ty)) {
            TypeKind::Enum(..) => true,
            TypeKind::Atomic(atomic, _) => match kind {
                Kind::Amp | Kind::Pipe | Kind::Caret | Kind::LtLt | Kind::GtGt => {
                    atomic.is_int() || *atomic == Atomic::Bool
                }
                Kind::Percent => atomic.is_int(),
                Kind::Plus | Kind::Minus | Kind::Star | Kind::Slash => atomic.is_int() || atomic.is_float(),
                _ => *atomic != Atomic::Void,
            },
            _ => false,
        };
        if !accepts(one) || !accepts(other) {
            return None;
        }
        if matches!(kind, Kind::LtLt | Kind::GtGt) {
            let ty = if self.layer.is_varying(other) { self.layer.with_lanes(one, Lanes::Varying) } else { one };
            return Some(self.layer.with_const(ty, false));
        }
        let meet = self.layer.general(one, other, false)?;
        Some(match kind {
            Kind::EqEq | Kind::BangEq | Kind::Lt | Kind::Gt | Kind::LtEq | Kind::GtEq => self.layer.truth_of(meet),
            _ => meet,
        })
    }
}
