//! The variables of a function whose values can be followed: local ones and parameters of which nobody else knows the address.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;
use ispc_types::body::{BodyTypes, Call};
use ispc_types::layer::Entity;
use ispc_types::source::{Piece, Source};
use ispc_types::ty::{Lanes, TypeKind};

/// The way in which a variable is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Following {
    /// Its values are known as far as those that are assigned are.
    Values,
    /// It is what its type says, since its address is known elsewhere.
    Shared,
    /// It is what its type says.
    Type,
}

/// A variable of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalVariable {
    pub(crate) entity: Entity,
    pub(crate) kind: DeclKind,
    pub(crate) token: u32,
    pub(crate) following: Following,
    /// The number of nodes that assign to it, besides its declaration.
    pub(crate) n_assigned: u32,
}

/// All variables of a function.
#[derive(Debug)]
pub(crate) struct Variables {
    pub(crate) all: Vec<LocalVariable>,
    first: u32,
    /// True if the order of its statements cannot be followed: it has labels to jump to.
    pub(crate) jumps_about: bool,
}

impl Variables {
    pub(crate) fn of(piece: &Piece, types: &BodyTypes, parents: &[u32]) -> Variables {
        let layer = &types.layer;
        let all: Vec<LocalVariable> = piece
            .declarations()
            .map(|(entity, kind, token)| {
                let ty = layer.entity(entity).ty;
                let is_value =
                    matches!(layer.kind(ty), TypeKind::Atomic(..) | TypeKind::Enum(..) | TypeKind::Pointer(..));
                let is_variable = matches!(kind, DeclKind::Local | DeclKind::Param);
                let is_followed = is_value && is_variable && layer.lanes(ty) == Some(Lanes::Varying);
                let following = if is_followed { Following::Values } else { Following::Type };
                LocalVariable { entity, kind, token, following, n_assigned: 0 }
            })
            .collect();
        let first = all.first().map_or(0, |variable| variable.entity.0);
        let mut variables = Variables { all, first, jumps_about: false };
        for node in 0..piece.n_nodes() {
            variables.look_at(piece, types, parents, node);
        }
        if variables.jumps_about {
            variables.all.iter_mut().for_each(|variable| variable.following = Following::Type);
        }
        variables
    }

    /// The index of a variable of the function.
    pub(crate) fn index(&self, entity: Entity) -> Option<usize> {
        let index = entity.0.checked_sub(self.first)? as usize;
        self.all.get(index).map(|_| index)
    }

    /// The index of a variable whose values are followed.
    pub(crate) fn followed(&self, entity: Entity) -> Option<usize> {
        self.index(entity).filter(|index| self.all[*index].following == Following::Values)
    }

    fn share(&mut self, piece: &Piece, types: &BodyTypes, node: usize) {
        if let Some(index) = base_variable(piece, types, node).and_then(|entity| self.index(entity)) {
            self.all[index].following = Following::Shared;
            self.all[index].n_assigned += 1;
        }
    }

    fn look_at(&mut self, piece: &Piece, types: &BodyTypes, parents: &[u32], node: usize) {
        let data = piece.node(node);
        let children = piece.children(node);
        if data.kind != NodeKind::Call && call_at(types, node).is_some() {
            // An operator that is a function may take its operands by reference.
            children.iter().for_each(|child| self.share(piece, types, *child));
        }
        match data.kind {
            NodeKind::Goto | NodeKind::Label => self.jumps_about = true,
            NodeKind::Case | NodeKind::Default => {
                // Behind one `case` stands the next, and the statements of a `switch` stand in its block.
                let mut at = parents[node] as usize;
                while matches!(piece.node(at).kind, NodeKind::Case | NodeKind::Default | NodeKind::Block)
                    && parents[at] as usize != at
                {
                    at = parents[at] as usize;
                }
                self.jumps_about |= piece.node(at).kind != NodeKind::Switch;
            }
            NodeKind::Prefix if piece.kind(data.first) == Kind::Amp => self.share(piece, types, children[0]),
            NodeKind::Prefix if matches!(piece.kind(data.first), Kind::PlusPlus | Kind::MinusMinus) => {
                self.count(piece, types, children[0]);
            }
            NodeKind::Postfix | NodeKind::Assign => self.count(piece, types, children[0]),
            NodeKind::Call => self.look_at_call(piece, types, node, &children),
            NodeKind::Declaration => self.look_at_declaration(piece, types, &children),
            _ => {}
        }
    }

    fn count(&mut self, piece: &Piece, types: &BodyTypes, target: usize) {
        if let Some(index) = base_variable(piece, types, target).and_then(|entity| self.index(entity)) {
            self.all[index].n_assigned += 1;
        }
    }

    fn look_at_call(&mut self, piece: &Piece, types: &BodyTypes, node: usize, children: &[usize]) {
        let [callee, args] = children else { return };
        let layer = &types.layer;
        let call = call_at(types, node);
        let chosen = call.and_then(|call| Some(call.candidates[call.chosen?].ty));
        let pointed = layer.target(types.types[*callee]);
        let by_pointer = match *layer.kind(pointed) {
            TypeKind::Pointer(of, _) => of,
            _ => pointed,
        };
        let takes = match layer.kind(chosen.unwrap_or(by_pointer)) {
            TypeKind::Function(_, takes) => Some(takes),
            _ => None,
        };
        for (nth, argument) in piece.children(*args).into_iter().enumerate() {
            let is_reference = match takes {
                Some(takes) => takes.get(nth).is_some_and(|ty| matches!(layer.kind(*ty), TypeKind::Reference(_))),
                None => true,
            };
            if is_reference {
                self.share(piece, types, argument);
            }
        }
    }

    fn look_at_declaration(&mut self, piece: &Piece, types: &BodyTypes, children: &[usize]) {
        let specifiers = children.iter().find(|child| piece.node(**child).kind == NodeKind::Specifiers);
        let is_static = specifiers.is_some_and(|node| {
            let data = piece.node(*node);
            (data.first..data.end).any(|token| piece.kind(token) == Kind::Static)
        });
        for child in children {
            let Some(index) = declared_in(piece, *child).and_then(|entity| self.index(entity)) else { continue };
            if is_static {
                self.all[index].following = Following::Type;
                self.all[index].n_assigned += 1;
            }
            let is_reference =
                matches!(types.layer.kind(types.layer.entity(self.all[index].entity).ty), TypeKind::Reference(_));
            if let (true, Some(value)) = (is_reference, piece.children(*child).get(1)) {
                self.share(piece, types, *value);
            }
        }
    }
}

/// The variable that a declarator, with or without its value, declares.
pub(crate) fn declared_in(piece: &Piece, node: usize) -> Option<Entity> {
    let declarator = match piece.node(node).kind {
        NodeKind::Declarator => node,
        NodeKind::InitDeclarator => *piece.children(node).first()?,
        _ => return None,
    };
    let data = piece.node(declarator);
    (data.first..data.end).find_map(|token| piece.declared(token))
}

/// The variable that an expression is, or is a part of; what a pointer leads to is none.
pub(crate) fn base_variable(piece: &Piece, types: &BodyTypes, mut node: usize) -> Option<Entity> {
    loop {
        let data = piece.node(node);
        let first = piece.children(node).first().copied();
        match data.kind {
            NodeKind::NameUse => return piece.target(data.first),
            NodeKind::Paren | NodeKind::Assign => {}
            NodeKind::Member | NodeKind::Index => {
                let layer = &types.layer;
                let is_pointer =
                    |base: usize| matches!(layer.kind(layer.target(types.types[base])), TypeKind::Pointer(..));
                if first.is_some_and(is_pointer) {
                    return None;
                }
            }
            NodeKind::Prefix if matches!(piece.kind(data.first), Kind::PlusPlus | Kind::MinusMinus) => {}
            _ => return None,
        }
        node = first?;
    }
}

/// The call that a node is.
pub(crate) fn call_at(types: &BodyTypes, node: usize) -> Option<&Call> {
    let at = types.calls.binary_search_by_key(&(node as u32), |call| call.node).ok()?;
    Some(&types.calls[at])
}
