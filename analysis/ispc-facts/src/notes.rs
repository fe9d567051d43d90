//! What costs lanes: one function for each kind of note.
//!
//! The kinds are those of ispc's own performance warnings, and some that it does not have. Each note has the cause, its consequence and a cure.

use std::ops::Range;

use ispc::kinds::Kind;
use ispc::tree::NodeKind;
use ispc_types::body::BodyTypes;
use ispc_types::layer::Entity;
use ispc_types::source::{Piece, Source};
use ispc_types::ty::{Atomic, Ty, TypeKind};

use crate::access::{AccessKind, CellOrder, MemoryAccess};
use crate::body::BodyFacts;
use crate::edits::{self, TokenEdit};
use crate::shape::LaneValue;
use crate::uniforms::CouldBeUniform;
use crate::variables::call_at;
use crate::words::FactWords;

/// The codes of these notes.
pub const CODES: &[&str] = &[
    "ispc-perf-address",
    "ispc-perf-call",
    "ispc-perf-conversion",
    "ispc-perf-division",
    "ispc-perf-double",
    "ispc-perf-gather",
    "ispc-perf-modulus",
    "ispc-perf-reduction",
    "ispc-perf-scatter",
    "ispc-perf-shift",
    "ispc-perf-soa",
    "ispc-perf-strided",
    "ispc-perf-switch",
    "ispc-perf-uniform",
    "ispc-perf-unroll",
    "ispc-same-cell",
];

/// The most notes of one function.
const MOST: usize = 60;

/// A note on what costs lanes. Tokens are counted from the function's first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PerformanceNote {
    /// A stable word for it.
    pub code: &'static str,
    /// The tokens that it is about.
    pub tokens: Range<u32>,
    /// The cause and the consequence.
    pub message: String,
    /// The change that is advised.
    pub help: Option<String>,
    /// Places that explain it, each with a sentence.
    pub related: Vec<(Range<u32>, String)>,
    /// Changes that lift it, each with a title.
    pub fixes: Vec<(String, Vec<TokenEdit>)>,
}

pub(crate) struct Notes<'a> {
    pub(crate) piece: &'a Piece,
    pub(crate) types: &'a BodyTypes,
    pub(crate) facts: &'a BodyFacts,
    pub(crate) words: FactWords<'a>,
    pub(crate) parents: Vec<u32>,
    found: Vec<PerformanceNote>,
}

/// All notes of a function, in the order of their places.
pub(crate) fn notes(piece: &Piece, types: &BodyTypes, facts: &BodyFacts, lanes: u64) -> Vec<PerformanceNote> {
    let mut parents = vec![piece.n_nodes() as u32 - 1; piece.n_nodes()];
    for node in 0..piece.n_nodes() {
        for child in piece.children(node) {
            parents[child] = node as u32;
        }
    }
    let words = FactWords { piece, layer: &types.layer, facts };
    let mut notes = Notes { piece, types, facts, words, parents, found: Vec::new() };
    facts.accesses.iter().for_each(|access| notes.of_access(access));
    for node in 0..piece.n_nodes() {
        notes.of_node(node, lanes);
    }
    facts.uniforms.iter().for_each(|variable| notes.of_variable(variable));
    notes.found.sort_by_key(|note| (note.tokens.start, note.tokens.end));
    notes.found.truncate(MOST);
    notes.found
}

impl Notes<'_> {
    pub(crate) fn note(
        &mut self,
        code: &'static str,
        node: usize,
        message: String,
        help: impl Into<String>,
    ) -> &mut PerformanceNote {
        let data = self.piece.node(node);
        let help = Some(help.into());
        let tokens = data.first..data.end;
        self.found.push(PerformanceNote { code, tokens, message, help, related: Vec::new(), fixes: Vec::new() });
        self.found.last_mut().expect("it was pushed")
    }

    pub(crate) fn with_story(&mut self, cause: Option<u32>) {
        let related = self.words.steps(cause);
        if let Some(note) = self.found.last_mut() {
            note.related = related;
        }
    }

    pub(crate) fn ty(&self, node: usize) -> Ty {
        self.types.layer.target(self.types.types[node])
    }

    pub(crate) fn atomic(&self, node: usize) -> Option<Atomic> {
        let ty = self.types.types[node];
        if !ty.is_known() {
            return None;
        }
        match self.types.layer.kind(self.ty(node)) {
            TypeKind::Atomic(atomic, _) => Some(*atomic),
            _ => None,
        }
    }

    pub(crate) fn is_varying(&self, node: usize) -> bool {
        self.types.types[node].is_known() && self.types.layer.is_varying(self.ty(node))
    }

    pub(crate) fn value(&self, node: usize) -> Option<&LaneValue> {
        self.facts.value(node)
    }

    // Memory.

    fn of_access(&mut self, access: &MemoryAccess) {
        let node = access.node as usize;
        let is_store = access.kind != AccessKind::Load;
        if access.order == CellOrder::Broadcast {
            return self.of_one_cell(access);
        }
        self.of_wide_subscript(access);
        if !access.is_apart() {
            return;
        }
        let message = self.words.access(access).trim_end_matches('.').to_owned();
        let (code, help) = match (access.order, is_store) {
            (CellOrder::Strided(_), _) if access.record.is_some() => (
                "ispc-perf-strided",
                "store each member in an array of its own, or make the array one of `soa<…>` structs: then neighbouring lanes have neighbouring cells",
            ),
            (CellOrder::Strided(_), _) => (
                "ispc-perf-strided",
                "let the lanes run along neighbouring cells: take the factor out of the subscript, or turn the array",
            ),
            (_, false) => (
                "ispc-perf-gather",
                "where all lanes mostly have one subscript, `reduce_equal` finds that out and one load does; where they run along the cells, a subscript that is a row makes it a vector load",
            ),
            (_, true) => (
                "ispc-perf-scatter",
                "let the lanes run along the cells that are stored, and gather what they need instead; `packed_store_active` stores what some lanes have side by side",
            ),
        };
        self.note(code, node, message, help);
        self.with_story(access.cause);
    }

    /// A store of what differs to one cell.
    fn of_one_cell(&mut self, access: &MemoryAccess) {
        let Some(value) = access.value.filter(|value| value.is_varying() && access.is_spread) else { return };
        let written = self.words.code(access.node);
        let message = format!(
            "all lanes store to {written}, which is one cell, and each has its own value for it: where these differ, it is not defined whose stays"
        );
        let help = "reduce the values to one first, as by `reduce_add`, or let each lane have a cell of its own";
        self.note("ispc-same-cell", access.node as usize, message, help);
        self.with_story(value.cause);
    }

    fn of_wide_subscript(&mut self, access: &MemoryAccess) {
        let Some(chosen_by) = access.chosen_by.map(|node| node as usize) else { return };
        let is_wide = matches!(self.atomic(chosen_by), Some(Atomic::Int64 | Atomic::Uint64));
        if is_wide && self.is_varying(chosen_by) && self.value(chosen_by).is_some_and(LaneValue::is_varying) {
            let written = self.words.code(chosen_by as u32);
            let message = format!(
                "{written} is a subscript of 64 bits in each lane, so addresses take two registers where one would do"
            );
            let help = "make it an `int`, unless the array has more than 2^31 elements: only `--addressing=64` uses the upper half";
            self.note("ispc-perf-address", chosen_by, message, help);
        }
    }

    // Expressions and statements.

    fn of_node(&mut self, node: usize, lanes: u64) {
        match self.piece.node(node).kind {
            NodeKind::Binary | NodeKind::Assign => self.of_operator(node),
            NodeKind::Cast => {
                if let [_, operand] = self.piece.children(node)[..] {
                    self.of_conversion(node, operand, self.atomic(node));
                }
            }
            NodeKind::InitDeclarator => self.of_start(node),
            NodeKind::Return => self.of_return(node),
            NodeKind::Call => self.of_call(node),
            NodeKind::Switch => self.of_switch(node),
            NodeKind::For | NodeKind::While | NodeKind::Do => self.of_unrolled(node),
            NodeKind::Soa => self.of_soa(node, lanes),
            _ => {}
        }
    }

    fn of_call(&mut self, node: usize) {
        let [callee, args] = self.piece.children(node)[..] else { return };
        if self.facts.value(node).is_none() {
            return;
        }
        if self.is_varying(callee) && matches!(self.types.layer.kind(self.ty(callee)), TypeKind::Pointer(..)) {
            let cause = self.value(callee).and_then(|value| value.cause);
            let message = format!(
                "{} may be another function in each lane, so they are called one after another",
                self.words.code(callee as u32)
            );
            let help = "make the pointer `uniform` if all lanes call one function, or sort the work by function first";
            self.note("ispc-perf-call", callee, message, help);
            return self.with_story(cause);
        }
        let Some(call) = call_at(self.types, node) else { return };
        let Some(chosen) = call.chosen.map(|chosen| call.candidates[chosen].entity) else { return };
        let name = self.types.layer.entity(chosen).name.clone();
        let is_own = crate::library::is_of_library(chosen);
        let args = self.piece.children(args);
        if let TypeKind::Function(_, takes) =
            self.types.layer.kind(call.candidates[call.chosen.unwrap_or(0)].ty).clone()
        {
            for (argument, to) in args.iter().zip(takes.iter()) {
                if let TypeKind::Atomic(to, _) = *self.types.layer.kind(*to) {
                    self.of_conversion(*argument, *argument, Some(to));
                }
            }
        }
        let is_known = |amount: &usize| self.value(*amount).is_some_and(|it| it.value.is_some());
        if is_own && &*name == "shift" && !args.get(1).is_some_and(is_known) {
            let message = "`shift` moves values over lanes by an amount that is not known when it is compiled, which goes through memory".to_owned();
            self.note("ispc-perf-shift", node, message, "shift by a constant amount");
        }
        if is_own && name.starts_with("reduce_") && matches!(&name[7..], "add" | "min" | "max") {
            self.of_reduction(node, &name);
        }
    }

    /// A reduction over the lanes in each round of a loop.
    fn of_reduction(&mut self, node: usize, name: &str) {
        let mut at = node;
        let mut is_gathered = false;
        while self.parents[at] as usize != at {
            at = self.parents[at] as usize;
            let data = self.piece.node(at);
            if data.kind == NodeKind::Assign {
                let target = self.piece.children(at)[0];
                let operator = self.piece.kind(self.piece.node(target).end);
                let reads_itself = operator == Kind::Eq && {
                    let written = self.piece.written(target);
                    let value = self.piece.written(self.piece.children(at)[1]);
                    value.contains(&written)
                };
                is_gathered |= operator != Kind::Eq || reads_itself;
            }
            let is_loop = matches!(data.kind, NodeKind::Foreach | NodeKind::For | NodeKind::While | NodeKind::Do);
            if is_loop && is_gathered {
                let message =
                    format!("`{name}` brings the lanes together in each round of the loop, one step after another");
                let help = format!("gather the values in a varying variable, and call `{name}` once behind the loop");
                self.note("ispc-perf-reduction", node, message, help);
                return;
            }
            if is_loop {
                return;
            }
        }
    }

    fn of_switch(&mut self, node: usize) {
        let Some(control) = self.facts.control(node as u32).copied() else { return };
        let condition = control.condition as usize;
        if !self.is_varying(condition) {
            return;
        }
        let written = self.words.code(control.condition);
        let (message, help) = match control.value.is_uniform() {
            true => (
                format!(
                    "{written} is varying, so each case of this `switch` is run under a mask, though all lanes take one"
                ),
                "make it `uniform`",
            ),
            false => (
                format!(
                    "the lanes have different cases of this `switch`, since {written} varies: all cases that one of them has are run, one after another"
                ),
                "look each lane's values up in a table, sort the work by case first, or run over the cases by `foreach_unique`",
            ),
        };
        self.note("ispc-perf-switch", condition, message, help);
        self.with_story(control.value.cause);
    }

    fn of_unrolled(&mut self, node: usize) {
        let first = self.piece.node(node).first;
        let is_unrolled = first > 0 && self.piece.kind(first - 1) == Kind::Pragma;
        if is_unrolled && self.facts.control(node as u32).is_some_and(|control| control.parts) {
            let message =
                "the lanes leave this loop in different rounds, so unrolling it repeats the mask's work as well"
                    .to_owned();
            let data = self.piece.node(node);
            let note =
                self.note("ispc-perf-unroll", node, message, "unroll a `foreach`, or a loop whose count is `uniform`");
            note.tokens = data.first..data.first + 1;
        }
    }

    fn of_soa(&mut self, node: usize, lanes: u64) {
        let data = self.piece.node(node);
        let width = (data.first..data.end).find_map(|token| self.piece.text(token).parse::<u64>().ok());
        if let Some(width) = width.filter(|width| *width < lanes) {
            let message = format!(
                "`soa<{width}>` puts {width} values side by side, and a gang has {lanes} lanes: a vector of them is gathered from several groups"
            );
            self.note("ispc-perf-soa", node, message, format!("make the groups as wide as the gang: `soa<{lanes}>`"));
        }
    }

    fn of_variable(&mut self, variable: &CouldBeUniform) {
        let layer = &self.types.layer;
        let name = layer.entity(variable.entity).name.clone();
        let is_pointer = matches!(layer.kind(layer.entity(variable.entity).ty), TypeKind::Pointer(..));
        let why = match variable.by_default {
            true => "is varying, since neither `uniform` nor `varying` is written,",
            false => "is declared varying,",
        };
        let mut message = format!("`{name}` {why} and has one value for all lanes wherever it is used");
        let counted = |n: usize, one: &str, more: &str| match n {
            0 => None,
            1 => Some(format!("1 {one}")),
            n => Some(format!("{n} {more}")),
        };
        let parts = [
            counted(variable.accesses.len(), "access of one cell for each lane", "accesses of one cell for each lane"),
            counted(
                variable.conditions.len(),
                "condition that is run under a mask",
                "conditions that are run under a mask",
            ),
            counted(variable.divisions.len(), "division in each lane", "divisions in each lane"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match (&parts[..], variable.bytes) {
            ([], Some(bytes)) => {
                message += &format!(": it takes {bytes} bytes of vector registers where one number would do")
            }
            ([], None) => {}
            (parts, _) => message += &format!(": it makes {}", parts.join(", and ")),
        }
        let others: Vec<String> = variable.needs.iter().map(|it| format!("`{}`", layer.entity(*it).name)).collect();
        let help = match &others[..] {
            [] if is_pointer => "write `uniform` behind its `*`".to_owned(),
            [] => "declare it `uniform`".to_owned(),
            others => {
                format!("declare it `uniform`, together with {}, from which its values come", others.join(" and "))
            }
        };
        let all: Vec<Entity> = std::iter::once(variable.entity).chain(variable.needs.iter().copied()).collect();
        let fix = edits::make_uniform(self.piece, &self.types.layer, &all);
        let mut names = vec![format!("`{name}`")];
        names.extend(others.iter().cloned());
        let last = names.pop().unwrap_or_default();
        let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        let fix = fix.map(|edits| (format!("declare {names} `uniform`"), edits));
        let tokens = variable.token..variable.token + 1;
        let related = Vec::new();
        let (code, help) = ("ispc-perf-uniform", Some(help));
        self.found.push(PerformanceNote { code, tokens, message, help, related, fixes: fix.into_iter().collect() });
    }
}
