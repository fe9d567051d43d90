//! The types that a text leaves out, shown where they could be written, and the edits that write them; which variables vary
//! from lane to lane, which accesses move more than neighbouring cells, and which loops run as lanes.
//!
//! ```text
//! kernel pick(colors: f32[_], number: i32[_], out: f32[_], n: i32):
//!     foreach i in range(n): 8 lanes     ^^^^^^^^ `: i32[_]` is a hint
//!         k: varying i32 = number[i]
//!         out[i] = colors[k] gather
//! ```
//!
//! A place has at most one hint: what varies stands with its type, as it could be written.
//!
//! A hint can be written down when its type has a spelling at that place: no type that a function leaves open, no
//! size that has no name (the `_` above). A variable that its first assignment defines gets a `let` with its type.

use ir::facts::Class;
use ir::pipeline::Options;
use syntax::{ItemKind, Severity, SyntaxKind, TextEdit, TextRange, TextSize};

use super::Located;
use super::definition::struct_key;
use super::explain::{Loop, loops_of, place_of, place_of_cause};
use crate::check::{item_diagnostics, name_place};
use crate::db::{File, cut_file};
use crate::facts::{self, ItemFacts, Stride};
use crate::hir::{self, Body, LocalId, LocalKind, Lowered, TypeRef};
use crate::infer::{self, Inference, atom_name};
use crate::size::Atom;
use crate::ty::Ty;

/// Something that the text leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Where it is shown.
    pub offset: TextSize,
    /// What is shown: `: f32`, ` -> f32`.
    pub text: String,
    /// What it is the type of.
    pub kind: HintKind,
    /// A sentence about where the type is from.
    pub tooltip: String,
    /// The change that writes it down, if it has a spelling.
    pub edit: Option<TextEdit>,
    /// The parts of what is shown that lead somewhere, in order.
    pub links: Vec<HintLink>,
}

/// A part of a hint that leads somewhere: to what makes something vary, to a struct, to where a size is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintLink {
    /// The part, as a range of the hint's text.
    pub part: TextRange,
    /// Where it leads, in the file.
    pub target: TextRange,
}

/// What a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// A parameter of a kernel or function.
    Param,
    /// A variable, or a constant.
    Variable,
    /// The index of a loop.
    Index,
    /// A parameter of a lambda.
    Lambda,
    /// The result of a kernel or function.
    Result,
    /// A variable that varies from lane to lane, whose type is no hint by itself.
    Varying,
    /// How the cells of an access lie.
    Access,
    /// Whether a loop runs as lanes.
    Loop,
}

/// A tooltip tells so many reasons; hovers and `explain` tell more.
const MOST_REASONS: usize = 4;

/// Which hints are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HintOptions {
    /// Of parameters of kernels and functions.
    pub params: bool,
    /// Of variables and constants.
    pub variables: bool,
    /// Of loop indices.
    pub indices: bool,
    /// Of parameters of lambdas.
    pub lambdas: bool,
    /// Of results.
    pub results: bool,
    /// Of variables and parameters that vary from lane to lane.
    pub varying: bool,
    /// Of accesses that are neither one cell for all lanes nor neighbouring cells.
    pub accesses: bool,
    /// Of loops: how many lanes they have, or why none.
    pub loops: bool,
    /// What loops have their lanes for, where it is not the usual target.
    pub made_for: Option<Options>,
    /// Only where nothing decided the type, so that it is a default.
    pub defaulted_only: bool,
}

impl Default for HintOptions {
    /// All but loop indices, which are what their ranges are.
    fn default() -> Self {
        HintOptions { indices: false, ..HintOptions::ALL }
    }
}

impl HintOptions {
    /// Every hint there is.
    pub const ALL: HintOptions = HintOptions {
        params: true,
        variables: true,
        indices: true,
        lambdas: true,
        results: true,
        varying: true,
        accesses: true,
        loops: true,
        made_for: None,
        defaulted_only: false,
    };

    /// The types alone.
    pub const TYPES: HintOptions = HintOptions { varying: false, accesses: false, loops: false, ..HintOptions::ALL };

    fn wants(&self, kind: HintKind, defaulted: bool) -> bool {
        let kind = match kind {
            HintKind::Param => self.params,
            HintKind::Variable => self.variables,
            HintKind::Index => self.indices,
            HintKind::Lambda => self.lambdas,
            HintKind::Result => self.results,
            HintKind::Varying => return self.varying,
            HintKind::Access => return self.accesses,
            HintKind::Loop => return self.loops,
        };
        kind && (defaulted || !self.defaulted_only)
    }
}

/// The hints in a range of a file, in order. Only items that the range touches are looked at.
pub fn type_hints(db: &dyn salsa::Database, file: File, range: TextRange, options: &HintOptions) -> Vec<Hint> {
    let cut = cut_file(db, file);
    let first = cut.starts.partition_point(|&start| start <= range.start()).saturating_sub(1);
    let mut hints = Vec::new();
    for (&item, &start) in cut.items.iter().zip(&cut.starts).skip(first) {
        if start > range.end() {
            break;
        }
        db.unwind_if_revision_cancelled();
        hints.extend(item_hints(db, &Located::new(db, item, start), options));
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints
}

/// The edits that write down every type that the item at a place leaves out and that has a spelling. None while the
/// item has errors: what is inferred then may not be what is meant.
pub fn write_types_edits(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextEdit> {
    let Some(located) = Located::at(db, file, offset) else { return Vec::new() };
    let broken = item_diagnostics(db, located.item, located.start).iter().any(|it| it.severity == Severity::Error);
    if broken {
        return Vec::new();
    }
    item_hints(db, &located, &HintOptions::TYPES).into_iter().filter_map(|hint| hint.edit).collect()
}

fn item_hints(db: &dyn salsa::Database, located: &Located<'_>, options: &HintOptions) -> Vec<Hint> {
    let lowered = hir::lowered(db, located.item);
    let inference = infer::infer(db, located.item);
    let facts = facts::of_item(db, located.item);
    let hints = Hints { db, located, lowered, inference, facts, options };
    let locals = lowered.body.locals.iter().filter_map(|(id, _)| hints.local(id));
    let mut found: Vec<_> =
        locals.chain(hints.constant()).chain(hints.result()).chain(hints.accesses()).chain(hints.loops()).collect();
    found.sort_by_key(|hint| hint.offset);
    found
}

struct Hints<'a, 'db> {
    db: &'db dyn salsa::Database,
    located: &'a Located<'db>,
    lowered: &'a Lowered,
    inference: &'a Inference,
    facts: &'a ItemFacts,
    options: &'a HintOptions,
}

impl Hints<'_, '_> {
    fn local(&self, id: LocalId) -> Option<Hint> {
        let body = &self.lowered.body;
        let local = &body.locals[id];
        let kind = match local.kind {
            LocalKind::Param => HintKind::Param,
            LocalKind::Let | LocalKind::Assigned => HintKind::Variable,
            LocalKind::ForIndex | LocalKind::ForeachIndex => HintKind::Index,
            LocalKind::LambdaParam => HintKind::Lambda,
            LocalKind::Size => return None,
        };
        let defaulted = self.inference.defaulted.contains(&id);
        let ty = self.inference.locals.get(id).filter(|ty| is_known(ty))?;
        let varies = self.varies(id);
        let cause = varies.then(|| self.cause(id)).flatten();
        if let Some(written) = &local.ty {
            return self.varying_before(written, &local.name, cause).filter(|_| varies);
        }
        let is_wanted = self.options.wants(kind, defaulted);
        if local.name.is_empty() || !(is_wanted || varies) {
            return None;
        }
        let kind = if is_wanted { kind } else { HintKind::Varying };
        let name = self.located.range(self.db, self.lowered.map.locals[id]);
        let text = format!(": {}{}", if varies { "varying " } else { "" }, self.show(ty));
        let edit = is_writable(body, ty).then(|| match local.kind {
            LocalKind::ForIndex | LocalKind::ForeachIndex => None,
            LocalKind::Assigned => Some(TextEdit { range: name, text: format!("let {}{text}", local.name) }),
            _ => Some(TextEdit { range: TextRange::empty(name.end()), text: text.clone() }),
        });
        let mut tooltip = tooltip(&local.name, ty, &self.show(ty), defaulted);
        if varies {
            tooltip += "; it differs from lane to lane";
        }
        let links = varying_link(&text, cause).into_iter().chain(self.type_links(&text, ty)).collect();
        self.hint_behind(name, kind, text, tooltip, edit.flatten()).map(|hint| Hint { links, ..hint })
    }

    /// What makes a variable vary.
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
                return name_place(self.db, hir::item_of(self.db, file, &struct_key(self.db, file, item)?)?);
            }
            let locals = &self.lowered.body.locals;
            let fixed = |kind| matches!(kind, LocalKind::Param | LocalKind::Size);
            let mut sizes = locals.iter().filter(|(_, local)| fixed(local.kind) && *local.name == *word);
            sizes.next().map(|(id, _)| self.located.range(self.db, self.lowered.map.locals[id]))
        };
        words(text).filter_map(|part| Some(HintLink { part, target: place(&text[part])? })).collect()
    }

    /// Whether a variable varies, and that is wanted and worth saying: of an index that lanes run along everybody knows.
    fn varies(&self, id: LocalId) -> bool {
        let at = self.lowered.map.locals[id];
        let step = self.facts.value_at(at).map(|joined| self.facts.step(joined).1);
        self.options.varying && step.is_some_and(|step| !step.is_uniform() && step.ends.is_none())
    }

    /// `varying` before a type that is written without it.
    fn varying_before(&self, written: &TypeRef, name: &str, cause: Option<TextRange>) -> Option<Hint> {
        let offset = self.located.range(self.db, written.name_at).start();
        let text = "varying ".to_owned();
        let edit = TextEdit { range: TextRange::empty(offset), text: text.clone() };
        let tooltip = format!("`{name}` differs from lane to lane");
        let links = varying_link(&text, cause).into_iter().collect();
        let hint = Hint { offset, text, kind: HintKind::Varying, tooltip, edit: Some(edit), links };
        written.promise.is_none().then_some(hint)
    }

    /// What accesses are that do not simply load or store one cell for all lanes, or neighbouring ones.
    fn accesses(&self) -> Vec<Hint> {
        if !self.options.accesses {
            return Vec::new();
        }
        let mut hints: Vec<Hint> = Vec::new();
        for joined in &self.facts.accesses {
            let (facts, access) = self.facts.access(joined);
            if access.lane_loop.is_none() || matches!(access.class, Class::Broadcast | Class::Contiguous) {
                continue;
            }
            let offset = self.located.range(self.db, joined.at).end();
            let text = match &access.stride {
                Some(Stride::Cells(cells)) if access.class == Class::Strided => format!(" strided by {cells}"),
                _ => format!(" {}", access.class),
            };
            let tooltip = [Some(&access.reason), access.lift.as_ref()].into_iter().flatten().cloned();
            let tooltip = tooltip.collect::<Vec<_>>().join("; ");
            match hints.last_mut().filter(|last| last.offset == offset) {
                // What is loaded and stored again is one place, and says so once.
                Some(last) if last.text == text => {}
                Some(last) => last.text += &format!(",{text}"),
                None => {
                    // The subscript that makes it what it is.
                    let target = access.because.and_then(|step| place_of(self.db, self.located.item, facts, step));
                    let part = TextRange::new(1.into(), TextSize::of(&*text));
                    let links = target.map(|target| HintLink { part, target }).into_iter().collect();
                    hints.push(Hint { offset, text, kind: HintKind::Access, tooltip, edit: None, links });
                }
            }
        }
        hints
    }

    /// At the end of its line, what became of each loop that has lanes, or would have them.
    fn loops(&self) -> Vec<Hint> {
        if !self.options.loops || self.facts.sources.iter().all(|facts| facts.loops.is_empty()) {
            return Vec::new();
        }
        // That a `while` runs in order surprises nobody, and what was not understood has an error.
        let is_known = |it: &Loop| !it.index.is_empty() && it.code != Some("not-understood");
        let is_told = |it: &Loop| it.is_vector || it.in_part || (it.is_lane_loop && is_known(it));
        let loops = loops_of(self.db, self.located.item, self.options.made_for.unwrap_or_default());
        loops.into_iter().filter(is_told).filter_map(|it| self.of_loop(&it)).collect()
    }

    fn of_loop(&self, it: &Loop) -> Option<Hint> {
        let start = self.located.start;
        let behind = self.located.item.text(self.db).get(usize::from(it.range.end() - start)..)?;
        let line = &behind[..behind.find(['\n', '\r']).unwrap_or(behind.len())];
        let offset = it.range.end() + TextSize::of(line.trim_end());
        let told = it.reasons.iter().take(MOST_REASONS);
        let messages = told.map(|reason| format!("{}: {}", reason.code, reason.message));
        let tooltip = match it.reasons.is_empty() {
            true => "nothing stands against running its iterations as lanes".to_owned(),
            false => messages.collect::<Vec<_>>().join("\n\n"),
        };
        let text = format!(" {}", it.headline);
        // The words lead to the first place that they are about.
        let target = it.reasons.iter().find_map(|reason| reason.related.first()).map(|place| place.range);
        let part = TextRange::new(TextSize::new(1), TextSize::of(&*text));
        let links = target.map(|target| HintLink { part, target }).into_iter().collect();
        Some(Hint { offset, text, kind: HintKind::Loop, tooltip, edit: None, links })
    }

    fn constant(&self) -> Option<Hint> {
        let body = &self.lowered.body;
        if self.located.item.kind(self.db) != ItemKind::Const || body.value_type.is_some() {
            return None;
        }
        let ty = self.inference.signature.result.as_ref().filter(|ty| is_known(ty))?;
        let name = self.located.range(self.db, self.lowered.map.name?);
        let text = format!(": {}", self.show(ty));
        let edit = is_writable(body, ty).then(|| TextEdit { range: TextRange::empty(name.end()), text: text.clone() });
        let tooltip = tooltip(self.located.item.name(self.db), ty, &self.show(ty), false);
        self.options.wants(HintKind::Variable, false).then_some(())?;
        let links = self.type_links(&text, ty);
        self.hint_behind(name, HintKind::Variable, text, tooltip, edit).map(|hint| Hint { links, ..hint })
    }

    fn result(&self) -> Option<Hint> {
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

/// Whether a type says something: nothing in it went wrong.
fn is_known(ty: &Ty) -> bool {
    match ty {
        Ty::Error | Ty::Nothing | Ty::Var(_) => false,
        Ty::Scalar(_) | Ty::Struct(_) | Ty::Generic(_) => true,
        Ty::Array(element, _) => is_known(element),
        Ty::Tuple(parts) => parts.iter().all(is_known),
        Ty::Fn(params, result) => params.iter().all(is_known) && is_known(result),
    }
}

/// Whether a type can be written anywhere in the item.
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

/// Whether the name of an atom means that atom in the whole item: it is a parameter's or a size's, and nothing else there
/// is called the same.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::diagnostics;
    use crate::db::{Database, cut_file};
    use crate::ide::fixture::Fixture;
    use expect_test::{Expect, expect};
    use std::sync::Arc;
    use syntax::apply_edits;

    /// The text with its hints; those that can be written down stand in `‹›`, the others in `()`.
    fn check_with(text: &str, options: &HintOptions, expected: Expect) {
        let fixture = Fixture::new(text);
        let hints = type_hints(&fixture.db, fixture.file, fixture.range(), options);
        let mut out = fixture.text.clone();
        for hint in hints.iter().rev() {
            let (open, close) = if hint.edit.is_some() { ("‹", "›") } else { ("(", ")") };
            out.insert_str(usize::from(hint.offset), &format!("{open}{}{close}", hint.text));
        }
        expected.assert_eq(&out);
    }

    fn check(text: &str, expected: Expect) {
        check_with(text, &HintOptions::TYPES, expected);
    }

    #[test]
    fn parts_lead_to_what_they_name() {
        let text = "\
struct P:
    x: f32

kernel k(a: f32[n], b: i32[n], p: P[n], out: f32[n], n: i32):
    foreach i in range(n):
        q = p[i]
        j = b[i]
        out[i] = a[j] + q.x + a[3 * i]

fn twice(v: P[m], w: f32[m]):
    return v
";
        let fixture = Fixture::new(text);
        let mut out = String::new();
        for hint in type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::default()) {
            for HintLink { part, target } in &hint.links {
                let line = text[..usize::from(target.start())].lines().count();
                out += &format!("{:?}: {} -> {} in line {line}\n", hint.text, &hint.text[*part], &text[*target]);
            }
        }
        expect![[r#"
            ": varying P": varying -> p[i] in line 6
            ": varying P": P -> P in line 1
            ": varying i32": varying -> b[i] in line 7
            " gather": gather -> j in line 8
            " strided by 3": strided by 3 -> 3 * i in line 8
            " -> P[m]": P -> P in line 1
            " -> P[m]": m -> m in line 10
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn what_varies_and_what_is_gathered() {
        let text = "\
fn cell(a: f32[n], k: i32) -> f32:
    let r = a[k]
    return r

kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
    let total = 0.0
    foreach i in range(n):
        let x: f32 = a[2 * i]
        j = b[i]
        let u = n + 1
        let z: varying i32 = j
        out[i] += cell(a, j) * x + f32(u + z)
        out[z] += 1.0
        out[3] = a[n - 1 - i]
";
        check_with(
            text,
            &HintOptions::default(),
            expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total‹: f32› = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]( strided by 2)
                        j‹: varying i32› = b[i]
                        let u‹: i32› = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
            "#]],
        );
        let types_off = HintOptions { params: false, variables: false, results: false, ..HintOptions::default() };
        check_with(
            text,
            &types_off,
            expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]( strided by 2)
                        j‹: varying i32› = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
            "#]],
        );
        check_with(
            text,
            &HintOptions { varying: false, ..types_off },
            expect![[r#"
                fn cell(a: f32[n], k: i32) -> f32:
                    let r = a[k]( gather)
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: f32 = a[2 * i]( strided by 2)
                        j = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z]( gather, scatter) += 1.0
                        out[3]( uniform-store) = a[n - 1 - i]( reversed)
            "#]],
        );
        check_with(
            text,
            &HintOptions { accesses: false, ..types_off },
            expect![[r#"
                fn cell(a: f32[n], k: ‹varying ›i32) -> f32:
                    let r‹: varying f32› = a[k]
                    return r

                kernel k(a: f32[n], b: i32[n], out: f32[n], n: i32):
                    let total = 0.0
                    foreach i in range(n):( iterations collide)
                        let x: ‹varying ›f32 = a[2 * i]
                        j‹: varying i32› = b[i]
                        let u = n + 1
                        let z: varying i32 = j
                        out[i] += cell(a, j) * x + f32(u + z)
                        out[z] += 1.0
                        out[3] = a[n - 1 - i]
            "#]],
        );
    }

    /// The text with every type written down that can be. What the analysis finds out must be as before.
    fn written(text: &str) -> String {
        let db = Database::default();
        let file = File::new(&db, Arc::from(text));
        let mut edits: Vec<_> =
            cut_file(&db, file).starts.iter().flat_map(|&start| write_types_edits(&db, file, start)).collect();
        edits.dedup();
        let written = apply_edits(text, &edits);
        let new = File::new(&db, Arc::from(&*written));
        assert_eq!(facts(&db, file), facts(&db, new), "of\n{text}\nand\n{written}");
        written
    }

    /// All types of an item's locals and its result, and the codes and messages of its findings.
    fn facts(db: &Database, file: File) -> Vec<String> {
        let mut facts = Vec::new();
        for &item in &cut_file(db, file).items {
            let body = hir::body(db, item);
            let inference = infer::infer(db, item);
            for (id, local) in body.locals.iter() {
                facts.push(format!("{}: {:?}", local.name, inference.locals.get(id)));
            }
            facts.push(format!("{:?}", inference.signature));
        }
        facts.extend(diagnostics(db, file).into_iter().map(|found| format!("{} {}", found.code, found.message)));
        facts
    }

    fn check_written(text: &str, expected: Expect) {
        expected.assert_eq(&written(text));
    }

    #[test]
    fn parameters_and_indices() {
        check(
            "kernel scale(samples, out, n, volume):\n    for i in range(n):\n        out[i] = samples[i] * volume\n",
            expect![[r#"
                kernel scale(samples(: f32[_]), out(: f32[_]), n‹: i32›, volume‹: f32›):
                    for i(: i32) in range(n):
                        out[i] = samples[i] * volume
            "#]],
        );
    }

    #[test]
    fn what_is_written_has_no_hint() {
        check(
            "kernel k(a: f32[n], n: i32) -> f32:\n    let x: f32 = a[0]\n    return x\n",
            expect![[r#"
            kernel k(a: f32[n], n: i32) -> f32:
                let x: f32 = a[0]
                return x
        "#]],
        );
    }

    #[test]
    fn variables_results_and_constants() {
        check(
            "const N = 4\nkernel sum(a: f64[n], n: i32):\n    total = 0.0\n    let k = n\n    for i in range(k):\n        total += a[i]\n    return total\n",
            expect![[r#"
                const N‹: i32› = 4
                kernel sum(a: f64[n], n: i32)‹ -> f64›:
                    total‹: f64› = 0.0
                    let k‹: i32› = n
                    for i(: i32) in range(k):
                        total += a[i]
                    return total
            "#]],
        );
    }

    #[test]
    fn what_a_function_leaves_open_has_a_letter() {
        check(
            "fn mix(a, b, t):\n    return a * (1 - t) + b * t\nfn first(a): return a[0]\n",
            expect![[r#"
            fn mix(a(: T), b(: T), t(: T))( -> T):
                return a * (1 - t) + b * t
            fn first(a(: T[_]))( -> T): return a[0]
        "#]],
        );
    }

    #[test]
    fn sizes_are_shown_by_their_names() {
        check(
            "fn f(a: f32[k], n: i32):\n    let b = map(\\x -> x + 1.0, a)\n    let c = replicate(2 * n + 1, true)\n    let d = a[0:n]\n    return b\n",
            expect![[r#"
                fn f(a: f32[k], n: i32)‹ -> f32[k]›:
                    let b‹: f32[k]› = map(\x‹: f32› -> x + 1.0, a)
                    let c‹: bool[2 * n + 1]› = replicate(2 * n + 1, true)
                    let d‹: f32[n]› = a[0:n]
                    return b
            "#]],
        );
    }

    #[test]
    fn structs_matrices_and_rows() {
        check(
            "struct P:\n    x: f32\nkernel k(p, m, n: i32, w: f32[n, n]):\n    row = m[n]\n    a = row[1]\n    q = p[0]\n    p[0].x = a + q.x\n    let r = w[0]\n    w[1] = r\n",
            expect![[r#"
                struct P:
                    x: f32
                kernel k(p(: P[_]), m(: f32[_, _]), n: i32, w: f32[n, n]):
                    row(: f32[_]) = m[n]
                    a‹: f32› = row[1]
                    q‹: P› = p[0]
                    p[0].x = a + q.x
                    let r‹: f32[n]› = w[0]
                    w[1] = r
            "#]],
        );
    }

    #[test]
    fn a_size_that_is_hidden_cannot_be_written() {
        check(
            "kernel k(n: i32, out):\n    let a = iota(n)\n    for i in range(2):\n        let n = 1\n        out[i] = a[n]\n",
            expect![[r#"
                kernel k(n: i32, out(: i32[_])):
                    let a(: i32[n]) = iota(n)
                    for i(: i32) in range(2):
                        let n‹: i32› = 1
                        out[i] = a[n]
            "#]],
        );
    }

    #[test]
    fn what_went_wrong_or_is_half_typed_has_no_hint() {
        check(
            "kernel k(a:, b):\n    let x: = 1\n    y = nope\n    z: f32 = 2\n    b[0] = x + y + z\n",
            expect![[r#"
            kernel k(a:, b(: f32[_])):
                let x: = 1
                y = nope
                z: f32 = 2
                b[0] = x + y + z
        "#]],
        );
        check(
            "kernel k(a) ->:\n    return 1\n",
            expect![[r#"
            kernel k(a‹: f32›) ->:
                return 1
        "#]],
        );
        check(
            "kernel k(a\n    return 1\n",
            expect![[r#"
            kernel k(a‹: f32›
                return 1
        "#]],
        );
    }

    #[test]
    fn options_choose() {
        let text = "kernel k(a, n):\n    x = n\n    for i in range(x):\n        let b = map(\\v -> v, a)\n        a[i] = b[i]\n    return 1\n";
        check_with(
            text,
            &HintOptions::default(),
            expect![[r#"
                kernel k(a(: f32[_]), n‹: i32›)‹ -> i32›:
                    x‹: i32› = n
                    for i in range(x):
                        let b(: f32[_]) = map(\v‹: f32› -> v, a)
                        a[i] = b[i]
                    return 1
            "#]],
        );
        check_with(
            text,
            &HintOptions { defaulted_only: true, ..HintOptions::ALL },
            expect![[r#"
            kernel k(a(: f32[_]), n‹: i32›):
                x‹: i32› = n
                for i(: i32) in range(x):
                    let b(: f32[_]) = map(\v‹: f32› -> v, a)
                    a[i] = b[i]
                return 1
        "#]],
        );
        let none = HintOptions { params: false, variables: false, indices: false, lambdas: false, ..HintOptions::ALL };
        check_with(
            text,
            &none,
            expect![[r#"
                kernel k(a, n)‹ -> i32›:
                    x = n
                    for i in range(x):
                        let b = map(\v -> v, a)
                        a[i] = b[i]
                    return 1
            "#]],
        );
    }

    #[test]
    fn a_range_takes_its_own() {
        check(
            "kernel k(a, n):\n    «x = n\n    y» = n\n    z = n\n    a[x] = y + z\nkernel l(b): pass\n",
            expect![[r#"
            kernel k(a, n):
                x‹: i32› = n
                y‹: i32› = n
                z = n
                a[x] = y + z
            kernel l(b): pass
        "#]],
        );
    }

    #[test]
    fn tooltips_say_where_a_type_is_from() {
        let fixture = Fixture::new("kernel k(a, b: f32, n):\n    a[n] = b\n    m = a[n]\n    x = 1\n    return x\n");
        let hints = type_hints(&fixture.db, fixture.file, fixture.range(), &HintOptions::ALL);
        let tooltips: String = hints.iter().map(|hint| format!("{}\n", hint.tooltip)).collect();
        expect![[r#"
            `a` is `f32[_]`, as it is used; `_` is a size that nothing is known about
            nothing decides the type of `n`: `i32` is the default
            the result is `i32`, like the values that are returned
            `m` is `f32`, as it is used
            nothing decides the type of `x`: `i32` is the default
        "#]]
        .assert_eq(&tooltips);
    }

    #[test]
    fn types_are_written_down() {
        check_written(
            "const N = 4\nkernel sum(a: f64[n], n, gain):\n    total = 0.0\n    let k = n\n    for i in range(k):\n        total += a[i] * f64(gain)\n    return total\n",
            expect![[r#"
                const N: i32 = 4
                kernel sum(a: f64[n], n: i32, gain: f32) -> f64:
                    let total: f64 = 0.0
                    let k: i32 = n
                    for i in range(k):
                        total += a[i] * f64(gain)
                    return total
            "#]],
        );
    }

    #[test]
    fn arrays_with_named_sizes_are_written_down() {
        check_written(
            "fn f(a: f32[k], n: i32):\n    b = map(\\x -> x + 1.0, a)\n    let c = replicate(2 * n + 1, 0.5)\n    let d = map(\\x y -> x * y, a, b)\n    return map(\\r -> r[0], replicate(n, d))[0] + c[0]\n",
            expect![[r#"
                fn f(a: f32[k], n: i32) -> f32:
                    let b: f32[k] = map(\x: f32 -> x + 1.0, a)
                    let c: f32[2 * n + 1] = replicate(2 * n + 1, 0.5)
                    let d: f32[k] = map(\x: f32 y: f32 -> x * y, a, b)
                    return map(\r: f32[k] -> r[0], replicate(n, d))[0] + c[0]
            "#]],
        );
    }

    #[test]
    fn written_sizes_mean_what_they_meant() {
        check_written(
            "kernel k(n: i32):\n    a = replicate(2 * (n / 2), 0.5)\n    b = replicate(1 - n // 2, 0.5)\n    c = replicate(n - 2 * (n + 1) % 3 * (n / 2), a[0])\n    return b[0] + c[0]\n",
            expect![[r#"
                kernel k(n: i32) -> f32:
                    let a: f32[2 * (n / 2)] = replicate(2 * (n / 2), 0.5)
                    let b: f32[-(n // 2) + 1] = replicate(1 - n // 2, 0.5)
                    let c: f32[n - (n / 2) * ((2 * n + 2) % 3)] = replicate(n - 2 * (n + 1) % 3 * (n / 2), a[0])
                    return b[0] + c[0]
            "#]],
        );
    }

    #[test]
    fn nothing_is_written_into_broken_items() {
        check_written(
            "kernel k(a, n):\n    x = a[n] + true\nkernel l(n):\n    x = n\n    return x\n",
            expect![[r#"
            kernel k(a, n):
                x = a[n] + true
            kernel l(n: f32) -> f32:
                let x: f32 = n
                return x
        "#]],
        );
    }

    #[test]
    fn written_types_change_nothing() {
        let texts = [
            include_str!("../../../examples/audio.lane"),
            include_str!("../../../examples/futhark.lane"),
            include_str!("../../../examples/image.lane"),
            include_str!("../../../examples/nbody.lane"),
            include_str!("../../../examples/neural.lane"),
            include_str!("../../../examples/particles.lane"),
            include_str!("../../tests/suites/sizes.lane"),
            include_str!("../../tests/suites/types.lane"),
        ];
        for text in &texts {
            let once = written(text);
            assert_eq!(written(&once), once, "all was written at once");
        }
        let mut random = fastrand::Rng::with_seed(7);
        let mut n_written = 0;
        for _ in 0..300 {
            let text = without_some_types(texts[random.usize(..texts.len())], &mut random);
            n_written += usize::from(written(&text) != text);
        }
        assert!(n_written > 200, "{n_written} of 300 had types to write");
    }

    /// The text with some of its types left out.
    fn without_some_types(text: &str, random: &mut fastrand::Rng) -> String {
        let tree = syntax::SourceFile::parse(text).syntax();
        let typed = |node: &syntax::SyntaxNode| {
            matches!(node.kind(), SyntaxKind::PARAM | SyntaxKind::LET_STMT | SyntaxKind::CONST | SyntaxKind::RET_TYPE)
        };
        let mut edits = Vec::new();
        for node in tree.descendants().filter(typed) {
            let Some(ty) = node.children().find(|child| child.kind() == SyntaxKind::TYPE) else { continue };
            let mark = |kind| matches!(kind, SyntaxKind::COLON | SyntaxKind::ARROW);
            let Some(mark) = node.children_with_tokens().find(|part| mark(part.kind())) else { continue };
            if random.bool() {
                let range = TextRange::new(mark.text_range().start(), ty.text_range().end());
                edits.push(TextEdit { range, text: String::new() });
            }
        }
        edits.sort_by_key(|edit| edit.range.start());
        edits.dedup_by(|next, edit| next.range.start() < edit.range.end());
        apply_edits(text, &edits)
    }
}
