//! Checks of conditions, `switch`, `print`, `delete`, and the numbers of tasks.

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use rustc_hash::FxHashMap;

use crate::body::Typing;
use crate::findings::{self, Related};
use crate::source::Source;
use crate::ty::{Atomic, Lanes, Ty, TypeKind};

/// The values of a `case`: as many as 32 bits tell apart, with or without a sign.
const VALUES: std::ops::RangeInclusive<i128> = i32::MIN as i128..=u32::MAX as i128;

impl Typing<'_> {
    /// Looks at the condition of a statement.
    pub(crate) fn condition_of(&mut self, node: usize, kind: NodeKind) {
        use NodeKind::*;
        let children = self.piece.children(node);
        let condition = match (kind, &children[..]) {
            (If | Cif | While | Cwhile, [condition, ..]) | (Do | Cdo, [_, condition]) => Some(*condition),
            (For | Cfor, _) => self.condition_of_for(&children),
            (Assert, [args]) => self.piece.children(*args).last().copied(),
            _ => None,
        };
        if let Some(condition) = condition {
            self.truth(condition);
        }
    }

    /// The condition of a `for`: it stands between its two semicolons, of which a declaration has the first one itself.
    fn condition_of_for(&self, children: &[usize]) -> Option<usize> {
        let [head @ .., _] = children else { return None };
        let is_behind_first = |child: &&usize| {
            let data = self.piece.node(**child);
            let before = data.first.checked_sub(1).map(|token| self.piece.kind(token));
            data.kind != NodeKind::Declaration
                && before == Some(Kind::Semicolon)
                && self.piece.kind(data.end) == Kind::Semicolon
        };
        head.iter().find(is_behind_first).copied()
    }

    /// The value becomes a truth value, one for all lanes or one a lane.
    pub(crate) fn truth(&mut self, node: usize) {
        let ty = self.types[node];
        if ty == Ty::NONE || self.functions_of(node).is_some() {
            return;
        }
        let ty = self.layer.target(ty);
        let lanes = if self.layer.is_varying(ty) { Lanes::Varying } else { Lanes::Uniform };
        let truth = self.layer.atomic(Atomic::Bool, lanes);
        let known = self.facts[node].known();
        if self.layer.convert(ty, truth, known).is_err() {
            let shown = self.show(ty);
            self.tell(findings::no_truth(self.tokens(node), &shown));
        }
    }

    /// Looks at what a `switch` is over, and at its labels.
    pub(crate) fn switch(&mut self, node: usize) {
        let Some(over) = self.piece.children(node).first().copied() else { return };
        let ty = self.layer.target(self.types[over]);
        let is_whole = match self.layer.kind(ty) {
            TypeKind::Atomic(atomic, _) => *atomic != Atomic::Void,
            TypeKind::Enum(..) => true,
            _ => ty == Ty::NONE || self.layer.is_open(ty) || self.functions_of(over).is_some(),
        };
        if !is_whole {
            let shown = self.show(ty);
            self.tell(findings::switch_over(self.tokens(over), &shown));
        }
        // Two labels of one value would both be gone to.
        let mut seen: FxHashMap<Option<u32>, usize> = FxHashMap::default();
        for label in self.piece.node(node).descendants as usize..node {
            let kind = self.piece.node(label).kind;
            if !matches!(kind, NodeKind::Case | NodeKind::Default) || self.switch_around(label) != Some(node) {
                continue;
            }
            let value = match (kind, self.piece.children(label).first()) {
                (NodeKind::Case, Some(value)) => match self.facts[*value].value {
                    Some(value) if VALUES.contains(&value) => Some(value as u32),
                    _ => continue,
                },
                _ => None,
            };
            let first = self.piece.node(label).first;
            let tokens = match (kind, self.piece.children(label).first()) {
                (NodeKind::Case, Some(value)) => self.tokens(*value),
                _ => first..first + 1,
            };
            // Labels behind each other stand in each other, so their nodes end in another order than they start.
            let other = match seen.get(&value) {
                None => {
                    seen.insert(value, label);
                    continue;
                }
                Some(other) => *other,
            };
            let before = self.piece.node(other).first;
            let (tokens, before) = if before < first { (tokens, before) } else { (before..before + 1, first) };
            self.tell(
                findings::label_again(tokens, value.is_none())
                    .with(Related::Tokens(before..before + 1), "the first one"),
            );
        }
    }

    fn switch_around(&self, node: usize) -> Option<usize> {
        let mut at = node;
        while (self.parents[at] as usize) != at {
            at = self.parents[at] as usize;
            if self.piece.node(at).kind == NodeKind::Switch {
                return Some(at);
            }
        }
        None
    }

    /// Looks at a `case` or `default`.
    pub(crate) fn label(&mut self, node: usize, kind: NodeKind) {
        let word = self.piece.node(node).first;
        let is_case = kind == NodeKind::Case;
        if self.switch_around(node).is_none() {
            let text = if is_case { "case" } else { "default" };
            self.tell(findings::label_outside(word..word + 1, text));
        }
        let Some(value) = self.piece.children(node).first().copied().filter(|_| is_case) else { return };
        let ty = self.types[value];
        let is_float =
            matches!(self.layer.kind(self.layer.target(ty)), TypeKind::Atomic(atomic, _) if atomic.is_float());
        match self.facts[value].value {
            Some(number) if !VALUES.contains(&number) => {
                self.tell(findings::case_value(self.tokens(value), &format!("{number} has more than 32 bits")));
            }
            Some(_) => {}
            None if ty.is_known() && is_float => {
                let written = self.piece.written(value);
                self.tell(findings::case_value(self.tokens(value), &format!("`{written}` is no whole number")));
            }
            None => {
                if let Some(variable) = self.variable_within(value, false) {
                    let written = self.piece.written(variable);
                    let why = format!("the value of `{written}` is not known then");
                    self.tell(findings::case_value(self.tokens(value), &why));
                }
            }
        }
    }

    /// Looks at what `delete` gives back.
    pub(crate) fn delete(&mut self, node: usize) {
        let Some(value) = self.piece.children(node).first().copied() else { return };
        let ty = self.layer.target(self.types[value]);
        if ty.is_known() && !self.layer.is_open(ty) && !matches!(self.layer.kind(ty), TypeKind::Pointer(..)) {
            let shown = self.show(ty);
            self.tell(findings::deletes_no_pointer(self.tokens(value), &shown));
        }
    }

    /// Looks at the values of a `print`: their types, and that each has its `%`.
    pub(crate) fn print(&mut self, node: usize) {
        let Some(args) = self.piece.children(node).first().copied() else { return };
        let [text, values @ ..] = &self.piece.children(args)[..] else { return };
        let strings = self.tokens(*text);
        if strings.clone().all(|token| self.piece.kind(token) == Kind::Str) {
            let n_places: usize = strings.map(|token| self.piece.text(token).matches('%').count()).sum();
            if n_places != values.len() {
                self.tell(findings::print_count(self.tokens(*text), n_places, values.len()));
            }
        }
        for value in values {
            let ty = self.layer.target(self.types[*value]);
            if !ty.is_known() || self.layer.is_open(ty) || self.functions_of(*value).is_some() {
                continue;
            }
            let advice = match self.layer.kind(ty) {
                TypeKind::Atomic(atomic, _) if *atomic != Atomic::Void => continue,
                TypeKind::Pointer(..) => continue,
                TypeKind::Enum(..) => "cast it to `int`",
                TypeKind::Atomic(..) => "print what the function computes",
                _ => "print its numbers one by one",
            };
            let shown = self.show(ty);
            self.tell(findings::not_printable(self.tokens(*value), &shown, advice));
        }
    }

    /// Looks at the numbers of tasks that a `launch` starts.
    pub(crate) fn launch_counts(&mut self, children: &[usize]) {
        let Some((_, counts)) = children.split_last() else { return };
        let uniform = self.layer.atomic(Atomic::Int32, Lanes::Uniform);
        for count in counts {
            let parts = match self.piece.node(*count).kind {
                NodeKind::Comma => self.piece.children(*count),
                _ => vec![*count],
            };
            for part in parts {
                self.convert(part, uniform, " as a number of tasks", None);
            }
        }
    }
}
