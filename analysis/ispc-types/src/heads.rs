//! Checks of declarations: what C passes to exported functions, and lengths of arrays.

use ispc::kinds::Kind;
use ispc::names::DeclKind;
use ispc::tree::NodeKind;

use crate::body::Typing;
use crate::findings;
use crate::source::Source;
use crate::ty::{Lanes, Ty, TypeKind};

impl Typing<'_> {
    /// Looks at what an exported function takes and gives: C has one value for all lanes.
    pub(crate) fn exported(&mut self) {
        let root = self.piece.n_nodes() - 1;
        let Some(specifiers) = self.piece.child(root, NodeKind::Specifiers) else { return };
        let tokens = self.tokens(specifiers);
        let has = |kind: Kind| tokens.clone().any(|token| self.piece.kind(token) == kind);
        let TypeKind::Function(gives, _) = *self.layer.kind(self.layer.entity(self.piece.function()).ty) else {
            return;
        };
        // Tasks are exported to graphics processors.
        if !has(Kind::Export) || has(Kind::Task) {
            return;
        }
        if let Some(uniform) = self.for_all_lanes(gives) {
            let shown = self.show(gives);
            self.tell(findings::exported_result(tokens, &shown, &uniform));
        }
        let Some(params) = (0..root).find(|node| self.piece.node(*node).kind == NodeKind::Params) else { return };
        for param in self.piece.children(params) {
            if self.piece.node(param).kind != NodeKind::Param {
                continue;
            }
            let (name, ty, _) = self.declarer().param(param);
            if let Some(uniform) = self.for_all_lanes(ty) {
                let name = name.map_or_else(String::new, |token| self.piece.text(token).into_owned());
                let (shown, tokens) = (self.show(ty), self.tokens(param));
                self.tell(findings::exported_param(tokens, &name, &shown, &uniform));
            }
        }
    }

    /// The type that all lanes share, if this one has a value a lane.
    fn for_all_lanes(&mut self, ty: Ty) -> Option<String> {
        let target = self.layer.target(ty);
        let is_plain = matches!(
            self.layer.kind(target),
            TypeKind::Atomic(..) | TypeKind::Enum(..) | TypeKind::Pointer(..) | TypeKind::Struct(..)
        );
        if !is_plain || self.layer.lanes(target) != Some(Lanes::Varying) {
            return None;
        }
        let uniform = self.layer.with_lanes(target, Lanes::Uniform);
        let reference = if target == ty { "" } else { " &" };
        Some(self.show(uniform) + reference)
    }

    /// Looks at the lengths of an array: they are known when the file is compiled.
    pub(crate) fn lengths(&mut self, declarator: usize) {
        for part in self.piece.children(declarator) {
            let length = match self.piece.node(part).kind {
                NodeKind::ArrayPart => self.piece.children(part).first().copied(),
                NodeKind::Declarator => {
                    self.lengths(part);
                    None
                }
                _ => None,
            };
            let Some(length) = length else { continue };
            let varies = |token: &u32| {
                let is_variable = |entity| {
                    let data = self.layer.entity(entity);
                    let is_kind = matches!(data.kind, DeclKind::Local | DeclKind::Param | DeclKind::Global);
                    let is_number = matches!(self.layer.kind(data.ty), TypeKind::Atomic(..));
                    is_kind && is_number && !self.layer.is_const(data.ty) && data.value.is_none()
                };
                self.piece.target(*token).is_some_and(is_variable)
            };
            if let Some(token) = self.tokens(length).find(varies) {
                let name = self.piece.text(token).into_owned();
                self.tell(findings::array_length(self.tokens(length), &name));
            }
        }
    }
}
