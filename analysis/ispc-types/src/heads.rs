//! Checks of declarations: what C passes to exported functions, and lengths of arrays.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;

use crate::body::Typing;
use crate::findings;
use crate::source::Source;
use crate::ty::{Lanes, Ty, TypeKind};

impl Typing<'_> {
    /// Looks at what a function takes and gives that C calls or has: C has one value for all lanes, and ispc passes it no structs.
    pub(crate) fn exported(&mut self) {
        let root = self.piece.n_nodes() - 1;
        let Some(specifiers) = self.piece.child(root, NodeKind::Specifiers) else { return };
        let tokens = self.tokens(specifiers);
        let has = |kind: Kind| tokens.clone().any(|token| self.piece.kind(token) == kind);
        let TypeKind::Function(gives, _) = *self.layer.kind(self.layer.entity(self.piece.function()).ty) else {
            return;
        };
        // Tasks are exported to graphics processors.
        let is_exported = has(Kind::Export) && !has(Kind::Task);
        if !is_exported && !self.piece.is_of_c {
            return;
        }
        if let Some(uniform) = self.for_all_lanes(gives).filter(|_| is_exported) {
            let shown = self.show(gives);
            self.tell(findings::exported_result(tokens, &shown, &uniform));
        }
        let head = self.piece.child(root, NodeKind::InitDeclarator).unwrap_or(root);
        let declarator = self.piece.child(head, NodeKind::Declarator);
        let Some(params) = declarator.and_then(|it| self.piece.child(it, NodeKind::Params)) else { return };
        for param in self.piece.children(params) {
            if self.piece.node(param).kind != NodeKind::Param {
                continue;
            }
            let (name, ty, _) = self.declarer().param(param);
            let name = name.map_or_else(String::new, |token| self.piece.text(token).into_owned());
            let tokens = self.tokens(param);
            if let TypeKind::Struct(..) = self.layer.kind(ty) {
                let uniform = self.layer.with_lanes(ty, Lanes::Uniform);
                let uniform = self.layer.with_const(uniform, false);
                let (shown, uniform) = (self.show(ty), self.show(uniform));
                self.tell(findings::struct_to_c(tokens, &name, &shown, &uniform));
            } else if let Some(uniform) = self.for_all_lanes(ty).filter(|_| is_exported) {
                let shown = self.show(ty);
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
            if let Some(variable) = self.variable_within(length, true) {
                let name = self.piece.written(variable);
                self.tell(findings::array_length(self.tokens(length), &name));
            }
        }
    }
}
