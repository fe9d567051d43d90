//! The checks of statements: types, and places that can be assigned to.

use ispc::tree::NodeKind;

use crate::body::Typing;
use crate::findings;
use crate::source::Source;
use crate::ty::{Ty, TypeKind};

impl Typing<'_> {
    pub(crate) fn statement(&mut self, node: usize, kind: NodeKind) {
        let word = self.piece.node(node).first;
        let word = word..word + 1;
        match kind {
            NodeKind::Return => self.return_statement(node, word),
            NodeKind::Break => match self.jump_target(node, true) {
                Some(NodeKind::Unit) => self.tell(findings::jump_outside(word, "break", "loop or `switch`")),
                Some(kind) if is_foreach(kind) => self.tell(findings::break_in_foreach(word)),
                _ => {}
            },
            NodeKind::Continue if self.jump_target(node, false) == Some(NodeKind::Unit) => {
                self.tell(findings::jump_outside(word, "continue", "loop"));
            }
            NodeKind::Goto => {
                let name = self.piece.node(node).first + 1;
                if self.piece.target(name).is_none() {
                    let text = self.piece.text(name).into_owned();
                    self.tell(findings::no_label(name..name + 1, &text));
                }
            }
            _ => {}
        }
    }

    /// The kind of the innermost loop, or `switch`, around a node; [`NodeKind::Unit`] if there is none.
    fn jump_target(&self, node: usize, with_switch: bool) -> Option<NodeKind> {
        let mut at = node;
        while (self.parents[at] as usize) != at {
            at = self.parents[at] as usize;
            let kind = self.piece.node(at).kind;
            use NodeKind::*;
            match kind {
                While | Cwhile | Do | Cdo | For | Cfor => return Some(kind),
                Switch if with_switch => return Some(kind),
                kind if is_foreach(kind) => return Some(kind),
                _ => {}
            }
        }
        Some(NodeKind::Unit)
    }

    fn return_statement(&mut self, node: usize, word: std::ops::Range<u32>) {
        let mut at = node;
        while (self.parents[at] as usize) != at {
            at = self.parents[at] as usize;
            if is_foreach(self.piece.node(at).kind) {
                return self.tell(findings::return_in_foreach(word));
            }
        }
        let ty = self.layer.entity(self.piece.function).ty;
        let ty = self.layer.instance_of(ty);
        let gives = match self.layer.kind(ty) {
            TypeKind::Function(gives, _) => *gives,
            _ => Ty::UNKNOWN,
        };
        if self.layer.is_open(gives) {
            return;
        }
        let value = self.piece.children(node).first().copied();
        match value {
            Some(value) if self.layer.is_void(gives) => {
                let ty = self.types[value];
                if !self.layer.is_open(ty) && !self.layer.is_void(ty) {
                    self.tell(findings::return_takes_none(self.tokens(value)));
                }
            }
            Some(value) => self.convert(value, gives, ", which this function gives", None),
            None if self.layer.is_void(gives) => {}
            None => {
                let shown = self.show(gives);
                self.tell(findings::return_needs_value(word, &shown));
            }
        }
    }

    /// The innermost condition around a node that varies, on the way out of the function or up to what runs lane by lane.
    pub(crate) fn varying_condition(&self, node: usize) -> Option<usize> {
        let mut at = node;
        while (self.parents[at] as usize) != at {
            let inner = at;
            at = self.parents[at] as usize;
            use NodeKind::*;
            let condition = match self.piece.node(at).kind {
                If | Cif | Switch | While | Cwhile => self.piece.children(at).first().copied(),
                Unmasked | ForeachActive | ForeachUnique => return None,
                _ => None,
            };
            let varies = |condition: &usize| {
                let ty = self.types[*condition];
                *condition != inner && ty.is_known() && self.layer.is_varying(ty)
            };
            if let Some(condition) = condition.filter(varies) {
                return Some(condition);
            }
        }
        None
    }
}

fn is_foreach(kind: NodeKind) -> bool {
    use NodeKind::*;
    matches!(kind, Foreach | ForeachTiled | ForeachActive | ForeachUnique)
}
