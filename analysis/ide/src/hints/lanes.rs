//! Hints of what lanes do: how the cells of an access lie, and what became of a loop.

use ir::ReasonCode;
use report::lanes::{AccessForm, Class, Stride};
use report::{TextRange, TextSize};

use crate::wording::brief;

use super::{Hint, HintKind, HintLink, Hints};
use crate::explain::{Loop, cost_of_loop, costed, loops_of, place_of};
use insight::Access;
use lane::tree::SyntaxCode;
use queries::db::{Item, made_for, parse};

/// A tooltip tells so many reasons; hovers and `explain` tell more.
const MOST_REASONS: usize = 4;

impl Hints<'_, '_> {
    /// Returns the hints of the accesses that are neither a broadcast nor contiguous.
    pub(super) fn accesses(&self) -> Vec<Hint> {
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
            if !self.range.contains_inclusive(offset) {
                continue;
            }
            let in_lanes = facts.runs_in_lanes(access);
            let (text, tooltip) = (access_text(access, in_lanes), access_tooltip(access, in_lanes));
            match hints.last_mut().filter(|last| last.offset == offset) {
                // An update loads and stores the same place, which gets one hint.
                Some(last) if last.text == text => {}
                Some(last) => {
                    if last.tooltip != tooltip {
                        last.tooltip = format!("{}: {}\n\n{}: {tooltip}", last.text.trim(), last.tooltip, text.trim());
                    }
                    last.text += &format!(",{text}");
                    let all = TextRange::new(1.into(), TextSize::of(&*last.text));
                    last.links.iter_mut().for_each(|link| link.part = all);
                }
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
    pub(super) fn loops(&self) -> Vec<Hint> {
        if !self.options.loops || self.facts.sources.iter().all(|facts| facts.loops.is_empty()) {
            return Vec::new();
        }
        // A `while` that runs in order surprises nobody, and a loop that was not understood has an error. A header whose brackets are
        // still open is no loop yet, whatever is made of it.
        let errors = &parse(self.db, self.located.item).errors;
        let is_typed = |it: &Loop| {
            let header = it.range - self.located.start;
            errors.iter().any(|error| error.code == SyntaxCode::UnclosedBracket && header.contains(error.range.start()))
        };
        let is_understood = |it: &Loop| it.verdict.code().is_none_or(|code| code != ReasonCode::NotUnderstood);
        let is_known = |it: &Loop| !it.index.is_empty() && is_understood(it);
        let is_told = |it: &Loop| it.verdict.has_lanes() || (it.is_lane_loop && is_known(it));
        let loops = loops_of(self.db, self.located.item);
        loops.into_iter().filter(|it| is_told(it) && !is_typed(it)).filter_map(|it| self.of_loop(&it)).collect()
    }

    fn of_loop(&self, it: &Loop) -> Option<Hint> {
        let offset = end_of_line(self.located.item.text(self.db), self.located.start, it.range)?;
        let told = it.told();
        let messages = told.iter().flat_map(|each| {
            let own = format!("{}: {}", each.reason.code, brief(each.reason));
            [Some(own), it.words_for_more(each)].into_iter().flatten()
        });
        let messages = messages.take(MOST_REASONS);
        let tooltip = match it.verdict.reasons.is_empty() {
            true => "nothing stands against running its iterations as lanes".to_owned(),
            false => messages.collect::<Vec<_>>().join("\n\n"),
        };
        let cost = self.options.costs.then(|| cost_of_loop(self.db, self.located.item, it.range)).flatten();
        let cost = cost.map(|cost| format!(" · {}", cost.cycles_in_words())).unwrap_or_default();
        let text = format!(" {}{cost}", it.headline());
        // The words lead to the first place that they are about.
        let target = it.verdict.reasons.iter().find_map(|reason| reason.related.first()).map(|it| it.place.range);
        let part = TextRange::new(TextSize::new(1), TextSize::of(&*text));
        let links = target.map(|target| HintLink { part, target }).into_iter().collect();
        Some(Hint { offset, text, kind: HintKind::Loop, tooltip, edit: None, links })
    }
}

/// The end of the line in which the header of a loop ends, in an item that starts at `start`.
fn end_of_line(text: &str, start: TextSize, header: TextRange) -> Option<TextSize> {
    let behind = text.get(usize::from(header.end() - start)..)?;
    let line = &behind[..behind.find(['\n', '\r']).unwrap_or(behind.len())];
    Some(header.end() + TextSize::of(line.trim_end()))
}

/// The estimated cost of a loop, for who compares it with that of another text.
#[derive(Debug, Clone, PartialEq)]
pub struct HintedCost {
    /// The place of the hint of the loop, in the file.
    pub offset: TextSize,
    /// The header of the loop, as it is written.
    pub header: String,
    /// The cycles that an iteration takes.
    pub cycles: f64,
}

/// The estimated costs of the loops of an item that starts at `start`, in order.
pub fn loop_costs(db: &dyn salsa::Database, item: Item<'_>, start: TextSize) -> Vec<HintedCost> {
    let text = item.text(db);
    let cost = |it: Loop| {
        let header = text.get(std::ops::Range::<usize>::from(it.range - start))?.to_owned();
        Some(HintedCost { offset: end_of_line(text, start, it.range)?, header, cycles: it.cost?.cycles() })
    };
    costed(db, item, made_for(db)).into_iter().filter(|it| it.function.is_none()).filter_map(cost).collect()
}

/// A distance with more letters than this is told by the tooltip alone.
const LONGEST_STRIDE: usize = 12;

/// Describes the class and the stride of an access, in a few words; in a loop that stays in order, what it would be in lanes.
fn access_text(access: &Access, in_lanes: bool) -> String {
    let class = class_text(access);
    let is_noun = matches!(access.class, Class::Gather | Class::Scatter);
    match (in_lanes, is_noun) {
        (true, _) => class,
        (false, true) => format!(" would be a{class}"),
        (false, false) => format!(" would be{class}"),
    }
}

fn class_text(access: &Access) -> String {
    match &access.stride {
        Some(Stride::Cells(cells)) if access.class == Class::Strided => format!(" strided by {cells}"),
        Some(Stride::Formula(cells)) if access.class == Class::Strided && cells.len() <= LONGEST_STRIDE => {
            format!(" strided by {cells}")
        }
        _ if access.form == Some(AccessForm::LookedUp) && access.class == Class::Gather => {
            " gather of few cells".to_owned()
        }
        _ if access.form == Some(AccessForm::Streamed) => format!(" {} past the cache", access.class),
        // Whatever the subscript looks like, nothing is scattered.
        _ if access.form == Some(AccessForm::Packed) => " packed".to_owned(),
        _ if access.form == Some(AccessForm::Neighbours) && matches!(access.class, Class::Gather | Class::Scatter) => {
            " contiguous".to_owned()
        }
        _ => format!(" {}", access.class),
    }
}

/// Explains the class of an access and what would lift it. In a loop that stays in order, the text says what lanes
/// would have to do.
fn access_tooltip(access: &Access, in_lanes: bool) -> String {
    let reasons = [Some(&access.reason), access.lift.as_ref()].into_iter().flatten().cloned();
    let reasons = reasons.collect::<Vec<_>>().join("; ");
    if in_lanes { reasons } else { format!("if there were lanes: {reasons}") }
}
