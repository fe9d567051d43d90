//! Hints of types: where they are shown, what they say, and whether they can be written down.

use lane::tree::SyntaxKind;
use report::{ItemKind, TextEdit, TextRange, TextSize};

use super::{Hint, HintKind, HintLink, Hints};
use crate::definition::struct_key;
use crate::explain::place_of_cause;
use hir::infer::atom_name;
use hir::size::Atom;
use hir::ty::Ty;
use hir::{Body, LocalId, LocalKind, TypeRef};
use queries::check::name_place;

impl Hints<'_, '_> {
    pub(super) fn local(&self, id: LocalId) -> Option<Hint> {
        let body = &self.lowered.body;
        let local = &body.locals[id];
        let kind = match local.kind {
            LocalKind::Param => HintKind::Param,
            LocalKind::Let | LocalKind::Assigned | LocalKind::Element => HintKind::Variable,
            LocalKind::ForIndex | LocalKind::ForeachIndex => HintKind::Index,
            LocalKind::LambdaParam => HintKind::Lambda,
            LocalKind::Size | LocalKind::Constant | LocalKind::TypeParam | LocalKind::Held => return None,
        };
        let name = self.located.range(self.db, self.lowered.map.locals[id]);
        // Of a long item few lines are in sight, and the chains of why are as long as the item.
        let offset = match &local.ty {
            Some(written) => self.located.range(self.db, written.name_at).start(),
            None => name.end(),
        };
        if !self.range.contains_inclusive(offset) {
            return None;
        }
        let defaulted = self.inference.defaulted.contains(&id);
        let ty = self.inference.locals.get(id).filter(|ty| is_known(ty))?;
        let varies = self.varies(id);
        let cause = varies.then(|| self.cause(id)).flatten();
        if let Some(written) = &local.ty {
            return self.varying_before(written, id, cause).filter(|_| varies);
        }
        let is_wanted = self.options.wants(kind, defaulted);
        if local.name.is_empty() || !(is_wanted || varies) {
            return None;
        }
        let kind = if is_wanted { kind } else { HintKind::Varying };
        let text = format!(": {}{}", if varies { "varying " } else { "" }, self.show(ty));
        let edit = is_writable(body, ty).then(|| match local.kind {
            LocalKind::ForIndex | LocalKind::ForeachIndex | LocalKind::Element => None,
            // A `let` before it would be one of all of them, and a pattern has no types.
            LocalKind::Let | LocalKind::Assigned if self.lowered.map.among.contains(&id) => None,
            LocalKind::Assigned => Some(TextEdit { range: name, text: format!("let {}{text}", local.name) }),
            _ => Some(TextEdit { range: TextRange::empty(name.end()), text: text.clone() }),
        });
        let mut tooltip = tooltip(&local.name, ty, &self.show(ty), defaulted);
        if varies {
            tooltip += &format!("; it {}", self.differs(id));
        }
        let links = varying_link(&text, cause).into_iter().chain(self.type_links(&text, ty)).collect();
        self.hint_behind(name, kind, text, tooltip, edit.flatten()).map(|hint| Hint { links, ..hint })
    }

    /// Returns the place of what makes a variable vary.
    fn cause(&self, id: LocalId) -> Option<TextRange> {
        let joined = self.facts.value_at(self.lowered.map.locals[id])?;
        let (facts, _) = self.facts.step(joined);
        place_of_cause(self.db, self.located.item, facts, joined.worst)
    }

    /// The names in a type's text that have a place: structs, and the parameters that sizes are.
    fn type_links(&self, text: &str, ty: &Ty) -> Vec<HintLink> {
        if matches!(ty, Ty::Scalar(_)) {
            return Vec::new();
        }
        let place = |word: &str| {
            let named = |name: &str| name == word;
            if let Some(item) = mentioned_struct(ty, &named) {
                let file = self.located.item.file(self.db);
                return name_place(self.db, queries::item_of(self.db, file, &struct_key(self.db, file, item)?)?);
            }
            let locals = &self.lowered.body.locals;
            let fixed = |kind| matches!(kind, LocalKind::Param | LocalKind::Size);
            let mut sizes = locals.iter().filter(|(_, local)| fixed(local.kind) && *local.name == *word);
            sizes.next().map(|(id, _)| self.located.range(self.db, self.lowered.map.locals[id]))
        };
        words(text).filter_map(|part| Some(HintLink { part, target: place(&text[part])? })).collect()
    }

    /// Tells if a variable gets a hint that it varies. The index that lanes run along gets none: it varies by
    /// definition.
    fn varies(&self, id: LocalId) -> bool {
        let at = self.lowered.map.locals[id];
        let step = self.facts.value_at(at).map(|joined| self.facts.step(joined).1);
        self.options.varying && step.is_some_and(|step| !step.is_uniform() && step.ends.is_none())
    }

    /// Says between what a variable differs: in a loop that runs in order there are no lanes, only iterations.
    fn differs(&self, id: LocalId) -> &'static str {
        let in_order = self.facts.value_at(self.lowered.map.locals[id]).is_some_and(|joined| {
            let (facts, step) = self.facts.step(joined);
            step.lane_loop.is_some_and(|n| !facts.loops[n as usize].verdict.has_lanes())
        });
        match in_order {
            true => "differs from iteration to iteration, and would differ from lane to lane",
            false => "differs from lane to lane",
        }
    }

    /// `varying` before a type that is written without it.
    fn varying_before(&self, written: &TypeRef, id: LocalId, cause: Option<TextRange>) -> Option<Hint> {
        let offset = self.located.range(self.db, written.name_at).start();
        let text = "varying ".to_owned();
        let edit = TextEdit { range: TextRange::empty(offset), text: text.clone() };
        let tooltip = format!("`{}` {}", self.lowered.body.locals[id].name, self.differs(id));
        let links = varying_link(&text, cause).into_iter().collect();
        let hint = Hint { offset, text, kind: HintKind::Varying, tooltip, edit: Some(edit), links };
        written.promise.is_none().then_some(hint)
    }

    pub(super) fn constant(&self) -> Option<Hint> {
        let body = &self.lowered.body;
        if self.located.item.kind(self.db) != ItemKind::Const || body.value_type.is_some() {
            return None;
        }
        let ty = self.inference.signature.result.as_ref().filter(|ty| is_known(ty))?;
        let name = self.located.range(self.db, self.lowered.map.name?);
        let text = format!(": {}", self.show(ty));
        let edit = is_writable(body, ty).then(|| TextEdit { range: TextRange::empty(name.end()), text: text.clone() });
        let tooltip = format!("`{}` is `{}`, like its value", self.located.item.name(self.db), self.show(ty));
        self.options.wants(HintKind::Variable, false).then_some(())?;
        let links = self.type_links(&text, ty);
        self.hint_behind(name, HintKind::Variable, text, tooltip, edit).map(|hint| Hint { links, ..hint })
    }

    pub(super) fn result(&self) -> Option<Hint> {
        let ty = self.inference.signature.result.as_ref().filter(|ty| is_known(ty))?;
        let params = self.located.root.children().find(|child| child.kind() == SyntaxKind::PARAM_LIST)?;
        // With an arrow there, a type is being typed.
        let written = self.located.root.children().any(|child| child.kind() == SyntaxKind::RET_TYPE);
        let closed = params.last_token().is_some_and(|token| token.kind() == SyntaxKind::R_PAREN);
        if written || !closed || !self.options.wants(HintKind::Result, false) {
            return None;
        }
        let offset = params.text_range().end() + self.located.start;
        let text = format!(" -> {}", self.show(ty));
        let edit = is_writable(&self.lowered.body, ty)
            .then(|| TextEdit { range: TextRange::empty(offset), text: text.clone() });
        let tooltip = format!("the result is `{}`, like the values that are returned", self.show(ty));
        let links = self.type_links(&text, ty);
        Some(Hint { offset, text, kind: HintKind::Result, tooltip, edit, links })
    }

    /// A hint behind a name, unless a type is being typed there.
    fn hint_behind(
        &self,
        name: TextRange,
        kind: HintKind,
        text: String,
        tooltip: String,
        edit: Option<TextEdit>,
    ) -> Option<Hint> {
        let behind = &self.located.item.text(self.db)[usize::from(name.end() - self.located.start)..];
        let typed = behind.trim_start_matches([' ', '\t']).starts_with(':');
        (!typed).then_some(Hint { offset: name.end(), text, kind, tooltip, edit, links: Vec::new() })
    }

    fn show(&self, ty: &Ty) -> String {
        ty.display(&|atom| atom_name(&self.lowered.body, atom))
    }
}

/// The text of a hint of a type, with the word that it varies; `None` for the text of another hint, or of one that has it.
pub(super) fn with_varying(text: &str) -> Option<String> {
    let ty = text.strip_prefix(": ").filter(|_| !says_varying(text))?;
    Some(format!(": varying {ty}"))
}

/// Returns true for the text of a hint of a type that varies.
pub(super) fn says_varying(text: &str) -> bool {
    text.starts_with(": varying ")
}

fn varying_link(text: &str, cause: Option<TextRange>) -> Option<HintLink> {
    const WORD: &str = "varying";
    let start = TextSize::new(text.find(WORD)? as u32);
    Some(HintLink { part: TextRange::at(start, TextSize::of(WORD)), target: cause? })
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = TextRange> {
    let mut at = TextSize::new(0);
    let pieces = text.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '_')).map(move |piece| {
        let word = piece.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
        let range = TextRange::at(at, TextSize::of(word));
        at += TextSize::of(piece);
        range
    });
    pieces.filter(|range| !range.is_empty())
}

/// The struct in a type whose name is one.
fn mentioned_struct<'t>(ty: &'t Ty, is_named: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    match ty {
        Ty::Struct(name) => is_named(name).then_some(name),
        Ty::Array(element, _) => mentioned_struct(element, is_named),
        Ty::Tuple(parts) => parts.iter().find_map(|part| mentioned_struct(part, is_named)),
        _ => None,
    }
}

fn tooltip(name: &str, ty: &Ty, shown: &str, defaulted: bool) -> String {
    let mut out = if defaulted {
        format!("nothing decides the type of `{name}`: `{shown}` is the default")
    } else {
        format!("`{name}` is `{shown}`, as it is used")
    };
    if let Ty::Array(_, sizes) = ty
        && sizes.iter().any(|size| size.any(&|atom| matches!(atom, Atom::Own(..) | Atom::Unknown(_))))
    {
        out.push_str("; `_` is a size that nothing is known about");
    }
    out
}

/// Tells if a type is known in full: inference failed for no part of it.
fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Error | Ty::Nothing | Ty::Var(_) => false,
        Ty::Scalar(_) | Ty::Struct(_) | Ty::Generic(_) => true,
        Ty::Array(element, _) => is_known(element),
        Ty::Tuple(parts) => parts.iter().all(is_known),
        Ty::Fn(params, result) => params.iter().all(is_known) && is_known(result),
    }
}

/// Tells if a type can be written anywhere in the item.
fn is_writable(body: &Body, ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(_) | Ty::Struct(_) => true,
        Ty::Array(element, sizes) => {
            let nameless = |atom: &Atom| !has_name(body, atom);
            is_writable(body, element) && !sizes.iter().any(|size| size.any(&nameless))
        }
        _ => false,
    }
}

/// Tells if the name of an atom means that atom in the whole item: it is a parameter's or a size's, and no other local
/// of the item has the same name.
fn has_name(body: &Body, atom: &Atom) -> bool {
    let local = match atom {
        Atom::Local(local) => Some(*local),
        Atom::Param(n) => body.params.get(*n as usize).copied(),
        Atom::Generic(n) => {
            let sizes = body.locals.iter().filter(|(_, local)| local.kind == LocalKind::Size);
            sizes.map(|(id, _)| id).nth(*n as usize)
        }
        _ => None,
    };
    local.is_some_and(|id| {
        let named = &body.locals[id];
        let fixed = matches!(named.kind, LocalKind::Param | LocalKind::Size);
        fixed && body.locals.iter().all(|(other, local)| other == id || local.name != named.name)
    })
}
