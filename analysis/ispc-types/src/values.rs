//! Checks of first values: lists in braces, and what variables start with that last longer than a call.

use std::ops::ControlFlow;

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;

use crate::body::Typing;
use crate::findings::{self, Related};
use crate::source::Source;
use crate::ty::{Count, Lanes, Ty, TypeKind};

impl Typing<'_> {
    /// Looks at what a variable starts with: a value, or a list in braces.
    pub(crate) fn first_value(&mut self, value: usize, ty: Ty, place: &str, related: Option<Related>) {
        match self.piece.node(value).kind {
            NodeKind::InitializerList => self.list(value, ty, place, related),
            _ => self.convert(value, ty, place, related),
        }
    }

    fn list(&mut self, node: usize, ty: Ty, place: &str, related: Option<Related>) {
        let parts = self.piece.children(node);
        if self.layer.is_open(ty) || parts.is_empty() {
            return;
        }
        let given = parts.len() as u64;
        let lanes = self.layer.lanes(ty);
        let mut types: Vec<Ty> = Vec::new();
        let most = match *self.layer.kind(ty) {
            TypeKind::Struct(of, lanes @ (Lanes::Uniform | Lanes::Varying)) => {
                let Some(members) = self.layer.members(of).cloned() else { return };
                types.extend(members.iter().map(|member| self.layer.bind(member.ty, lanes)));
                types.len() as u64
            }
            TypeKind::Array(of, Count::Known(count)) | TypeKind::Vector(of, Count::Known(count)) => {
                types.resize(parts.len(), of);
                count
            }
            TypeKind::Atomic(..) | TypeKind::Enum(..) | TypeKind::Pointer(..) => {
                let uniform = self.layer.with_lanes(ty, Lanes::Uniform);
                match lanes {
                    Some(Lanes::Soa(width)) => {
                        types.resize(parts.len(), uniform);
                        width.into()
                    }
                    // One value a lane, and nobody says here how many lanes there are.
                    Some(Lanes::Varying) if given > 1 => {
                        types.resize(parts.len(), uniform);
                        u64::MAX
                    }
                    _ => {
                        types.push(ty);
                        1
                    }
                }
            }
            _ => return,
        };
        if given > most {
            let (tokens, shown) = (self.tokens(node), self.show(ty));
            self.tell(findings::list_too_long(tokens, &shown, most, given));
        }
        for (part, ty) in parts.into_iter().zip(types) {
            self.first_value(part, ty, place, related.clone());
        }
    }

    /// Looks at a first value that is found when the file is compiled, since the variable lasts: it is a global's, or `static`.
    pub(crate) fn lasting_value(&mut self, value: usize, name: &str) {
        let is_choice = |node: &usize| self.piece.node(*node).kind == NodeKind::Conditional;
        if self.within(value).any(|node| is_choice(&node)) {
            return;
        }
        let is_call = |typing: &Typing<'_>, node: usize| typing.piece.node(node).kind == NodeKind::Call;
        if let Some(node) = self.variable_within(value, false).or_else(|| self.evaluated(value, is_call)) {
            let written = self.piece.written(node);
            let what = if is_call(self, node) { "is called" } else { "is a variable" };
            self.tell(findings::not_constant(self.tokens(node), name, &written, what));
        }
    }

    /// A variable in an expression whose value is not known when the file is compiled. Where numbers alone count, others are left alone.
    pub(crate) fn variable_within(&self, node: usize, are_numbers: bool) -> Option<usize> {
        self.evaluated(node, |typing, node| {
            let token = typing.piece.node(node).first;
            let is_variable = |entity| {
                let data = typing.layer.entity(entity);
                let is_kind = matches!(data.kind, DeclKind::Local | DeclKind::Param | DeclKind::Global);
                let is_number = match typing.layer.kind(data.ty) {
                    TypeKind::Atomic(..) => true,
                    TypeKind::Enum(..) | TypeKind::Pointer(..) | TypeKind::Struct(..) | TypeKind::Vector(..) => {
                        !are_numbers
                    }
                    _ => false,
                };
                is_kind && is_number && !typing.layer.is_const(data.ty) && data.value.is_none()
            };
            typing.piece.node(node).kind == NodeKind::NameUse && typing.piece.target(token).is_some_and(is_variable)
        })
    }

    fn within(&self, node: usize) -> impl Iterator<Item = usize> + use<> {
        self.piece.node(node).descendants as usize..node + 1
    }

    /// The first part of an expression, but for those whose address or size alone counts, of which something holds.
    fn evaluated(&self, node: usize, holds: impl Fn(&Typing<'_>, usize) -> bool) -> Option<usize> {
        fn walk(typing: &Typing<'_>, node: usize, holds: &dyn Fn(&Typing<'_>, usize) -> bool) -> ControlFlow<usize> {
            let data = typing.piece.node(node);
            let is_address = data.kind == NodeKind::Prefix && typing.piece.kind(data.first) == Kind::Amp;
            if is_address || matches!(data.kind, NodeKind::Sizeof | NodeKind::TypeName) {
                return ControlFlow::Continue(());
            }
            if holds(typing, node) {
                return ControlFlow::Break(node);
            }
            typing.piece.children(node).into_iter().try_for_each(|child| walk(typing, child, holds))
        }
        // What is nested deeper than this is left alone.
        let is_deep = self.within(node).count() > 2000;
        if is_deep { None } else { walk(self, node, &holds).break_value() }
    }
}
