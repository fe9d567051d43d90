//! The types inside of a function.
//!
//! The nodes of a tree stand in the order in which they end, so one walk from the first to the last meets each expression behind its
//! operands, and each use of a variable behind its declaration. No depth of a program can exhaust the stack.

use std::sync::Arc;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use rustc_hash::FxHashMap;

use crate::convert::{Known, Refusal};
use crate::declare::{Declarer, Specified};
use crate::findings::{self, Finding, Related};
use crate::layer::{Bound, Entity, EntityData, Layer};
use crate::overload::Candidate;
use crate::source::{Piece, Source};
use crate::ty::{Count, Lanes, Ty, TypeKind};

/// The most findings that are told of one function.
const MOST_FINDINGS: usize = 30;

/// The types inside of a function, and all that follows from them. Nodes and tokens are counted from the function's first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BodyTypes {
    /// The function's own declarations and types, on those of its unit.
    pub layer: Layer,
    /// The type of each node that is an expression.
    pub types: Vec<Ty>,
    /// The function's own type, in an instance of a template with its arguments.
    pub function: Ty,
    /// The declarations for which names stand that scopes alone do not tell: members, chosen overloads. In the order of their tokens.
    pub names: Vec<(u32, Entity)>,
    /// The calls of functions by their names, and the operators that are functions.
    pub calls: Vec<Call>,
    /// Nodes with one value for all lanes, which is copied to all of them here.
    pub spread: Vec<u32>,
    /// Assignments to uniform variables under conditions that vary: the assignment, and the condition.
    pub under_varying: Vec<(u32, u32)>,
    /// All that is wrong.
    pub findings: Vec<Finding>,
}

/// A call, or an operator that is a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The node.
    pub node: u32,
    /// The token of the name or operator.
    pub token: u32,
    /// The types of its arguments.
    pub arguments: Vec<Ty>,
    /// The functions of the name, and what became of each.
    pub candidates: Vec<Candidate>,
    /// The index of the one that is called.
    pub chosen: Option<usize>,
}

/// Types a function.
pub fn type_body(front: &Arc<Layer>, piece: &Piece) -> BodyTypes {
    type_in(Layer::of_body(front.clone()), piece)
}

/// Types an instance of a template: its parameters are what a call in another body, typed on the same front, has for them.
pub fn type_instance(
    front: &Arc<Layer>,
    piece: &Piece,
    caller: &BodyTypes,
    arguments: &[(Entity, Bound)],
) -> BodyTypes {
    let mut layer = Layer::of_body(front.clone());
    layer.bind_arguments(&caller.layer, arguments);
    type_in(layer, piece)
}

fn type_in(mut layer: Layer, piece: &Piece) -> BodyTypes {
    for inner in &piece.inner {
        let name = piece.text(inner.token);
        layer.declare(EntityData {
            kind: inner.kind,
            name: name.into(),
            ty: Ty::UNKNOWN,
            value: None,
            is_constant: false,
            within: inner.within.map(|index| Entity(layer.first_entity() + index)),
            function: None,
        });
    }
    let mut typing = Typing::new(layer, piece);
    typing.run();
    typing.finish()
}

/// Facts about an expression beside its type.
#[derive(Clone, Copy, Default)]
pub(crate) struct Fact {
    /// The value of a whole number that is known when the file is compiled.
    pub(crate) value: Option<i128>,
    pub(crate) is_constant: bool,
    pub(crate) is_null: bool,
    /// The type of what is stored, and the variability of its address, of an expression with a place of its own.
    pub(crate) place: Option<(Ty, Lanes)>,
}

impl Fact {
    pub(crate) fn known(&self) -> Known {
        Known { is_zero: self.is_null || self.value == Some(0), is_constant: self.is_constant || self.is_null }
    }
}

pub(crate) struct Typing<'p> {
    pub(crate) piece: &'p Piece,
    pub(crate) layer: Layer,
    pub(crate) parents: Vec<u32>,
    pub(crate) types: Vec<Ty>,
    pub(crate) facts: Vec<Fact>,
    /// The functions of a name that is no variable's.
    pub(crate) functions: FxHashMap<usize, Arc<[Entity]>>,
    pub(crate) by_name: FxHashMap<String, Arc<[Entity]>>,
    specified: FxHashMap<usize, Specified>,
    /// The nodes of the loops whose variables have the type of what they run over.
    unique: FxHashMap<Entity, usize>,
    pub(crate) names: Vec<(u32, Entity)>,
    pub(crate) calls: Vec<Call>,
    pub(crate) spread: Vec<u32>,
    pub(crate) under_varying: Vec<(u32, u32)>,
    pub(crate) findings: Vec<Finding>,
}

impl<'p> Typing<'p> {
    fn new(layer: Layer, piece: &'p Piece) -> Typing<'p> {
        let n_nodes = piece.n_nodes();
        let mut parents = vec![n_nodes as u32 - 1; n_nodes];
        for node in 0..n_nodes {
            for child in piece.children(node) {
                parents[child] = node as u32;
            }
        }
        Typing {
            piece,
            layer,
            parents,
            types: vec![Ty::NONE; n_nodes],
            facts: vec![Fact::default(); n_nodes],
            functions: FxHashMap::default(),
            by_name: FxHashMap::default(),
            specified: FxHashMap::default(),
            unique: FxHashMap::default(),
            names: Vec::new(),
            calls: Vec::new(),
            spread: Vec::new(),
            under_varying: Vec::new(),
            findings: Vec::new(),
        }
    }

    fn run(&mut self) {
        self.loop_variables();
        for node in 0..self.piece.n_nodes() {
            self.visit(node);
        }
        self.exported();
    }

    fn finish(mut self) -> BodyTypes {
        self.names.sort_unstable();
        self.names.dedup_by_key(|(token, _)| *token);
        self.findings.sort_by_key(|finding| finding.tokens.start);
        if self.piece.is_broken {
            self.findings.clear();
        }
        self.findings.truncate(MOST_FINDINGS);
        let function = self.layer.entity(self.piece.function).ty;
        let function = self.layer.instance_of(function);
        let Typing { layer, types, names, calls, spread, under_varying, findings, .. } = self;
        BodyTypes { layer: layer.sealed(), types, function, names, calls, spread, under_varying, findings }
    }

    /// The variables that loops bring, whose nodes end behind their bodies.
    fn loop_variables(&mut self) {
        for node in 0..self.piece.n_nodes() {
            let data = self.piece.node(node);
            let token = match data.kind {
                NodeKind::Dimension => data.first,
                NodeKind::ForeachActive | NodeKind::ForeachUnique => data.first + 2,
                _ => continue,
            };
            let Some(entity) = self.piece.declared(token) else { continue };
            let ty = match data.kind {
                NodeKind::Dimension => self.layer.atomic(crate::ty::Atomic::Int32, Lanes::Varying),
                NodeKind::ForeachActive => self.layer.atomic(crate::ty::Atomic::Int64, Lanes::Uniform),
                _ => {
                    self.unique.insert(entity, node);
                    continue;
                }
            };
            let ty = self.layer.with_const(ty, true);
            self.declarer().set(entity, ty);
        }
    }

    pub(crate) fn declarer(&mut self) -> Declarer<'_> {
        Declarer { source: self.piece, layer: &mut self.layer }
    }

    fn visit(&mut self, node: usize) {
        let kind = self.piece.node(node).kind;
        match kind {
            NodeKind::Specifiers => {
                let specified = self.declarer().specifiers(node);
                self.specified.insert(node, specified);
            }
            NodeKind::Param => {
                let (token, ty, _) = self.declarer().param(node);
                if let Some(entity) = token.and_then(|token| self.piece.declared(token)) {
                    self.declarer().set(entity, ty);
                }
            }
            NodeKind::TypeName => self.types[node] = self.declarer().type_name(node),
            NodeKind::InitDeclarator => self.init_declarator(node),
            NodeKind::Return | NodeKind::Break | NodeKind::Continue | NodeKind::Goto => self.statement(node, kind),
            NodeKind::Delete => self.delete(node),
            NodeKind::Print => self.print(node),
            NodeKind::Switch => self.switch(node),
            NodeKind::Case | NodeKind::Default => self.label(node, kind),
            NodeKind::If | NodeKind::Cif | NodeKind::While | NodeKind::Cwhile | NodeKind::Do | NodeKind::Cdo => {
                self.condition_of(node, kind)
            }
            NodeKind::For | NodeKind::Cfor | NodeKind::Assert => self.condition_of(node, kind),
            _ => self.expression(node, kind),
        }
        if self.is_expression(kind) && self.types[node] == Ty::NONE {
            self.types[node] = Ty::UNKNOWN;
        }
    }

    fn is_expression(&self, kind: NodeKind) -> bool {
        use NodeKind::*;
        matches!(
            kind,
            NameUse
                | Literal
                | Paren
                | Index
                | Member
                | Call
                | Postfix
                | Prefix
                | Cast
                | Sizeof
                | AllocaCall
                | Launch
                | InvokeSycl
                | New
                | Binary
                | Conditional
                | Assign
                | Comma
        )
    }

    fn init_declarator(&mut self, node: usize) {
        let declaration = self.parents[node] as usize;
        let specifiers = self.piece.child(declaration, NodeKind::Specifiers);
        let Some(specified) = specifiers.and_then(|it| self.specified.get(&it)).copied() else { return };
        let parts = self.piece.children(node);
        let Some(declarator) = parts.first().copied() else { return };
        self.lengths(declarator);
        let Some((entity, mut ty)) = self.declarer().declaration(specified, Some(declarator), &[], false) else {
            return;
        };
        let Some(value) = parts.get(1).copied() else { return };
        if self.layer.entity(entity).kind == DeclKind::Typedef {
            return;
        }
        let is_list = self.piece.node(value).kind == NodeKind::InitializerList;
        if is_list {
            ty = self.sized(ty, value);
            self.declarer().set(entity, ty);
        } else {
            self.declarer().constant(entity, ty, value);
        }
        let name = self.layer.entity(entity).name.clone();
        let kind = self.layer.entity(entity).kind;
        let says = |typing: &Self, word: Kind| {
            let tokens =
                specifiers.map_or(0..0, |node| typing.piece.node(declaration).first..typing.piece.node(node).end);
            tokens.into_iter().any(|token| typing.piece.kind(token) == word)
        };
        if kind == DeclKind::Global && says(self, Kind::Extern) {
            return self.tell(findings::extern_value(self.tokens(value), &name));
        }
        if !is_list && matches!(self.layer.kind(ty), TypeKind::Array(..)) {
            if self.types[value].is_known() {
                self.tell(findings::array_needs_list(self.tokens(value), &name));
            }
            return;
        }
        let n_findings = self.findings.len();
        let related = Some(Related::Declaration(entity));
        self.first_value(value, ty, &format!(" to start `{name}` with"), related);
        if n_findings == self.findings.len() && (kind == DeclKind::Global || says(self, Kind::Static)) {
            self.lasting_value(value, &name);
        }
    }

    /// An array without a length has that of the list behind it.
    fn sized(&mut self, ty: Ty, list: usize) -> Ty {
        let TypeKind::Array(of, count) = *self.layer.kind(ty) else { return ty };
        let parts = self.piece.children(list);
        let count = match count {
            // As in ispc, one of length zero has none.
            Count::Unsized | Count::Known(0) => Count::Known(parts.len() as u64),
            known => known,
        };
        let inner = parts.first().filter(|part| self.piece.node(**part).kind == NodeKind::InitializerList);
        let of = inner.map_or(of, |part| self.sized(of, *part));
        self.layer.make(TypeKind::Array(of, count))
    }

    /// The type of a variable, parameter or constant.
    pub(crate) fn type_of(&mut self, entity: Entity) -> Ty {
        if let Some(node) = self.unique.get(&entity).copied() {
            let over = self.piece.children(node).first().map_or(Ty::UNKNOWN, |over| self.types[*over]);
            if over.is_known() {
                let over = self.layer.target(over);
                let ty = self.layer.with_lanes(over, Lanes::Uniform);
                let ty = self.layer.with_const(ty, true);
                self.declarer().set(entity, ty);
            }
        }
        self.layer.entity(entity).ty
    }

    // What all kinds of nodes need.

    pub(crate) fn tokens(&self, node: usize) -> std::ops::Range<u32> {
        let data = self.piece.node(node);
        data.first..data.end
    }

    pub(crate) fn show(&self, ty: Ty) -> String {
        self.layer.show(ty)
    }

    pub(crate) fn tell(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Converts the value of a node to a type, notes if it is copied to all lanes, and tells if it cannot be.
    pub(crate) fn convert(&mut self, node: usize, to: Ty, place: &str, related: Option<Related>) {
        let from = self.types[node];
        if from == Ty::NONE {
            return;
        }
        if let Some(functions) = self.functions_of(node) {
            self.choose_by_type(node, &functions, to);
            return;
        }
        let known = self.facts[node].known();
        match self.layer.convert(from, to, known) {
            Ok(()) => self.note_spread(node, to),
            Err(refusal) => {
                let (shown, wanted) = (self.show(from), self.show(to));
                let tokens = self.tokens(node);
                let mut finding = match refusal {
                    Refusal::VaryingToUniform => {
                        let is_new = self.piece.node(node).kind == NodeKind::New;
                        findings::varying_to_uniform(tokens, &shown, &wanted, place, is_new)
                    }
                    Refusal::LosesConst => findings::loses_const(tokens, &shown, &wanted, place),
                    Refusal::OtherKind => findings::cannot_convert(tokens, &shown, &wanted, place),
                };
                if let Some(related) = related {
                    finding = finding.with(related, "declared here");
                }
                if refusal == Refusal::VaryingToUniform
                    && let Some(culprit) = self.varying_operand(node)
                {
                    let written = self.piece.written(culprit);
                    finding = finding.with(Related::Tokens(self.tokens(culprit)), format!("`{written}` varies"));
                }
                self.tell(finding);
            }
        }
    }

    /// Notes that the value of a node is copied to all lanes, if it becomes a varying one.
    pub(crate) fn note_spread(&mut self, node: usize, to: Ty) {
        let from = self.layer.target(self.types[node]);
        let is_value = !matches!(self.layer.kind(to), TypeKind::Reference(_));
        if is_value && self.layer.is_varying(to) && self.layer.is_uniform(from) {
            self.spread.push(node as u32);
        }
    }

    /// The innermost operand that makes an expression varying, if it is another node.
    fn varying_operand(&self, node: usize) -> Option<usize> {
        let mut at = node;
        loop {
            let is_varying = |child: &usize| {
                let ty = self.types[*child];
                ty.is_known() && self.piece.node(*child).kind != NodeKind::TypeName && self.layer.is_varying(ty)
            };
            let children = self.piece.children(at);
            let within: Vec<usize> = if self.piece.node(at).kind == NodeKind::Call {
                Vec::new()
            } else {
                children.into_iter().filter(is_varying).collect()
            };
            match within.first() {
                Some(next) => at = *next,
                None => return (at != node).then_some(at),
            }
        }
    }

    /// The functions that a node names, if it is the name of some.
    pub(crate) fn functions_of(&self, mut node: usize) -> Option<Arc<[Entity]>> {
        while matches!(self.piece.node(node).kind, NodeKind::Paren) || self.is_address(node) {
            node = *self.piece.children(node).first()?;
        }
        self.functions.get(&node).cloned()
    }

    fn is_address(&self, node: usize) -> bool {
        let data = self.piece.node(node);
        data.kind == NodeKind::Prefix && self.piece.kind(data.first) == Kind::Amp
    }

    /// A function's name where a pointer to a function is wanted: the one of that type is meant.
    fn choose_by_type(&mut self, mut node: usize, functions: &[Entity], to: Ty) {
        let TypeKind::Pointer(of, _) = *self.layer.kind(self.layer.target(to)) else { return };
        let TypeKind::Function(_, takes) = self.layer.kind(of).clone() else { return };
        while self.piece.node(node).kind != NodeKind::NameUse {
            let Some(inner) = self.piece.children(node).first().copied() else { return };
            node = inner;
        }
        let token = self.piece.node(node).first;
        let is_it = |entity: &&Entity| match self.layer.kind(self.layer.entity(**entity).ty) {
            TypeKind::Function(_, others) => *others == takes,
            _ => false,
        };
        if let Some(entity) = functions.iter().find(is_it).copied() {
            self.names.push((token, entity));
        }
    }
}
