//! Hints of an earlier text: while an item is broken, and until the lanes of a long one are understood.
//!
//! Types inferred for an item with an error may be few, or not what is meant, so its hints would come and go with every key. Those of its
//! last good text stay on the lines that are still the same:
//!
//! ```text
//! for i in range(n): 8 lanes       unchanged: the hint of the good text
//!     out[i] = a[i] * (            being typed: whatever is known of it
//!     sum += b[i] reversed         unchanged
//! ```
//!
//! To understand the lanes of a long item takes longer than a key may take. Until they are understood, its hints say of types what the new text
//! says, and of lanes what the text before said, around the letters that were typed; then [`FindFacts`] has the client ask again. A client
//! that would not ask again waits for the whole answer.
//!
//! A hint of an earlier text says so when it is pointed at. It has neither an edit nor links, whose places may be gone.

use std::sync::Arc;

use ide::hints::{self, Hint, HintKind, HintOptions};
use queries::check::{findings, reachable};
use queries::db::{Database, Item, parse};
use queries::{lanes, names};
use report::{ItemKey, Severity, TextRange, TextSize};
use tower_lsp::gen_lsp_types as lsp;

use super::inlay_hints::items_in;
use crate::documents::Key;
use crate::memory::FactsOf;
use crate::question::{Interrupted, Question, Stop, run};
use crate::request_context::{ClientDocument, RequestContext};

/// The bytes of an item and of what it calls up to which all about its lanes is found out for each key. A line has about forty.
const LONG: usize = 8 * 1024;

/// The hints of an item, as they were when it was last without errors, on the lines that the client asked about.
#[derive(Debug, Clone)]
pub(crate) struct GoodHints {
    text: Arc<str>,
    /// The part of the item that was asked about, relative to its start.
    seen: TextRange,
    /// The hints, with offsets relative to the item's start.
    hints: Vec<Hint>,
    target: String,
    options: HintOptions,
}

/// The hints in a range of an item that starts at `start`, and for each whether it is one of an earlier text.
pub(crate) fn of_item(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    item: Item<'_>,
    start: TextSize,
    range: TextRange,
) -> Vec<(Hint, bool)> {
    let (db, config) = (ctx.db(), ctx.config());
    let text = item.text(db);
    // The end of an item is the start of the next one, but for the last.
    let is_last = usize::from(start) + text.len() == place.text().len();
    let len = TextSize::of(&**text) - TextSize::new(u32::from(!is_last));
    let Some(range) = TextRange::at(start, len).intersect(range) else { return Vec::new() };
    let key: ItemKey = names::key(db, item);
    let memory = &ctx.state().memory;
    let is_broken = is_broken(db, item);
    let good = || {
        let good = memory.good_hints(&place.document.key, &key);
        good.filter(|good| good.target == config.target && good.options == config.hints)
    };
    if !is_broken
        && is_long(db, item)
        && let Some(good) = good().filter(|good| good.text != *text)
        && awaits_facts(ctx, place)
    {
        return good.until_known(hints::hints_without_lanes(db, place.file, range, &config.hints), text, start);
    }
    let fresh = hints::type_hints(db, place.file, range, &config.hints);
    if !is_broken {
        if !fresh.is_empty() {
            let hints = fresh.iter().map(|hint| Hint { offset: hint.offset - start, ..hint.clone() }).collect();
            let (seen, target) = (range - start, config.target.clone());
            let good = GoodHints { text: text.clone(), seen, hints, target, options: config.hints };
            let good = match memory.good_hints(&place.document.key, &key) {
                Some(before) => good.beside(before),
                None => good,
            };
            memory.keep_hints(&place.document.key, key, good, queries::db::file_items(db, place.file).len());
        }
        return fresh.into_iter().map(|hint| (hint, false)).collect();
    }
    match good() {
        Some(good) => good.joined(fresh, text, start),
        None => fresh.into_iter().map(|hint| (hint, false)).collect(),
    }
}

/// Returns true if an item, or one that it uses, has an error in its syntax, names or types. A promise about lanes that is
/// broken is none of these: the hints say what became of the lanes.
fn is_broken(db: &Database, item: Item<'_>) -> bool {
    let is_wrong = |item: &Item<'_>| {
        !parse(db, *item).errors.is_empty() || findings(db, *item).iter().any(|it| it.severity == Severity::Error)
    };
    reachable(db, &[item]).iter().any(is_wrong)
}

/// Returns true if an item, or the kernels that a function is part of, take so long to understand that hints do not wait for it.
fn is_long(db: &Database, item: Item<'_>) -> bool {
    let sources = lanes::sources_of(db, item);
    let bytes = |items: &[Item<'_>]| items.iter().map(|item| item.text(db).len()).sum::<usize>();
    bytes(&sources) > LONG || bytes(&reachable(db, &sources)) > LONG
}

/// Returns true if the facts about the lanes of a document are not known yet, and the client will be told when they are.
fn awaits_facts(ctx: &RequestContext<'_>, place: &ClientDocument<'_>) -> bool {
    let Some(version) = place.document.version.filter(|_| ctx.profile().refreshes.inlay_hints) else { return false };
    let key = &place.document.key;
    match ctx.state().memory.facts_of(key, version) {
        FactsOf::Known => false,
        FactsOf::Sought => true,
        FactsOf::Unknown => {
            (ctx.state().ask)(Box::new(FindFacts { key: key.clone(), stop: Arc::default() }));
            true
        }
    }
}

/// A task that finds the facts about the lanes of the items in sight, and has the client ask for its hints again.
struct FindFacts {
    key: Key,
    stop: Arc<Stop>,
}

impl Question for FindFacts {
    fn about(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "lanescope/facts"
    }

    fn ask(&mut self, ctx: RequestContext<'_>) -> Result<(), Interrupted> {
        let state = ctx.state();
        let Some(document) = state.documents.by_key(&self.key) else { return Ok(()) };
        let Some(version) = document.version else { return Ok(()) };
        // Also where this fails: then the hints are asked for as those of a short item are.
        let _ = run(&self.stop, &ctx, |ctx| {
            let place = ctx.document(&document.uri)?;
            let lines = state.memory.looked_at(&self.key).unwrap_or(0..=0);
            let at = |line| lsp::Position { line, character: 0 };
            let range =
                place.text_range(lsp::Range { start: at(*lines.start()), end: at(lines.end().saturating_add(1)) });
            for (item, _) in items_in(ctx, &place, range) {
                lanes::of_item(ctx.db(), item);
            }
            Ok(())
        })?;
        self.stop.unless_stopped(|| {
            state.memory.knows_facts(&self.key, version);
            state.outbox.request::<lsp::InlayHintRefreshRequest>((), |_| {});
        });
        Ok(())
    }

    fn refuse(&mut self) {}
}

impl GoodHints {
    /// These hints, and those that are known of other lines of the same text, if nothing lies between.
    fn beside(mut self, before: GoodHints) -> GoodHints {
        let is_same = (&*self.text, &self.target, self.options) == (&*before.text, &before.target, before.options);
        if is_same && self.seen.intersect(before.seen).is_some() {
            let is_elsewhere = |hint: &Hint| !self.seen.contains_inclusive(hint.offset);
            self.hints.extend(before.hints.into_iter().filter(is_elsewhere));
            self.hints.sort_by_key(|hint| hint.offset);
            self.seen = self.seen.cover(before.seen);
        }
        self
    }

    /// The hints of an item's new text that types alone give, with what these hints say of lanes.
    fn until_known(&self, fresh: Vec<Hint>, text: &str, start: TextSize) -> Vec<(Hint, bool)> {
        let same = Same::of_letters(&self.text, text);
        let mut before = self.moved(&same, start, "of the text before; it is being worked out");
        let mut all: Vec<(Hint, bool)> = Vec::new();
        for hint in fresh {
            let at_place = before.iter().position(|before| before.offset == hint.offset && !is_of_lanes(before));
            all.push(match at_place.map(|n| before.swap_remove(n)) {
                Some(before) => (hint.varying_like(&before), false),
                None => (hint, false),
            });
        }
        // Other hints of types are those that the new text does not have.
        all.extend(before.into_iter().filter(is_of_lanes).map(|hint| (hint, true)));
        all.sort_by_key(|(hint, _)| hint.offset);
        all
    }

    /// These hints in a new text, where their places are still the same, each with a word on why it is shown.
    fn moved(&self, same: &Same, start: TextSize, why: &str) -> Vec<Hint> {
        let moved = self.hints.iter().filter_map(|hint| {
            let offset = start + TextSize::new(same.now(hint.offset.into())? as u32);
            let tooltip = format!("{why}\n\n{}", hint.tooltip);
            Some(Hint { offset, tooltip, edit: None, links: Vec::new(), ..hint.clone() })
        });
        moved.collect()
    }

    /// These hints on the lines that are still the same, and fresh ones on the others.
    fn joined(&self, fresh: Vec<Hint>, text: &str, start: TextSize) -> Vec<(Hint, bool)> {
        let same = Same::of_lines(&self.text, text);
        let kept = self.moved(&same, start, "of the text before the error").into_iter().map(|hint| (hint, true));
        let is_fresh = |hint: &Hint| {
            let now = usize::from(hint.offset - start);
            same.is_other(now) || !self.seen.contains_inclusive(TextSize::new(same.before(now) as u32))
        };
        let fresh = fresh.into_iter().filter(is_fresh);
        let mut all: Vec<_> = kept.chain(fresh.map(|hint| (hint, false))).collect();
        all.sort_by_key(|(hint, _)| hint.offset);
        all
    }
}

/// Returns true for a hint that says nothing but what lanes do.
fn is_of_lanes(hint: &Hint) -> bool {
    matches!(hint.kind, HintKind::Access | HintKind::Loop | HintKind::Varying)
}

/// The start and the end of two texts that are the same, in bytes.
struct Same {
    at_start: usize,
    at_end: usize,
    before: usize,
    now: usize,
}

impl Same {
    /// The letters at the start and at the end that are the same.
    fn of_letters(before: &str, now: &str) -> Same {
        let alike = |(a, b): &(char, char)| a == b;
        let at_start: usize =
            before.chars().zip(now.chars()).take_while(alike).map(|(letter, _)| letter.len_utf8()).sum();
        let rest = (before[at_start..].chars().rev(), now[at_start..].chars().rev());
        let at_end = rest.0.zip(rest.1).take_while(alike).map(|(letter, _)| letter.len_utf8()).sum();
        Same { at_start, at_end, before: before.len(), now: now.len() }
    }

    /// The lines at the start and at the end that are the same.
    fn of_lines(before: &str, now: &str) -> Same {
        let lines = |text| str::split_inclusive(text, '\n');
        let alike = |(a, b): &(&str, &str)| a == b;
        let at_start: usize = lines(before).zip(lines(now)).take_while(alike).map(|(line, _)| line.len()).sum();
        let rest = (&before[at_start..], &now[at_start..]);
        let at_end = lines(rest.0).rev().zip(lines(rest.1).rev()).take_while(alike).map(|(line, _)| line.len()).sum();
        Same { at_start, at_end, before: before.len(), now: now.len() }
    }

    /// The offset now of an offset before; `None` in the part that is not the same. Behind what was put in there is where a place goes on.
    fn now(&self, before: usize) -> Option<usize> {
        if before < self.at_start || self.at_start == self.before {
            return (before <= self.now).then_some(before);
        }
        let behind = self.before.checked_sub(before)?;
        (self.at_end > 0 && behind <= self.at_end).then(|| self.now - behind)
    }

    /// The offset before of an offset now, on a line that is the same.
    fn before(&self, now: usize) -> usize {
        let is_at_start = now < self.at_start || self.at_start == self.now;
        if is_at_start { now } else { (self.before + now).saturating_sub(self.now) }
    }

    /// Returns true for an offset now on a line that is not the same.
    fn is_other(&self, now: usize) -> bool {
        let is_all = self.at_start == self.now && self.before == self.now;
        !is_all && now >= self.at_start && (now < self.now - self.at_end || self.at_end == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Marks each line of a text that is the same as before.
    fn check(before: &str, now: &str, expected: &str) {
        let same = Same::of_lines(before, now);
        let mut at = 0;
        let mut marks = String::new();
        for line in now.split_inclusive('\n') {
            let end = at + line.trim_end().len();
            let kept = (0..=before.len()).any(|offset| same.now(offset) == Some(end));
            assert_ne!(kept, same.is_other(end), "{line:?} of {now:?}");
            assert!(!kept || same.now(same.before(end)) == Some(end), "{line:?} of {now:?}");
            marks.push(if kept { '=' } else { '!' });
            at += line.len();
        }
        assert_eq!(marks, expected, "{before:?} {now:?}");
    }

    #[test]
    fn letters_that_are_the_same_are_found_from_both_ends() {
        // The place behind a letter of the text before, in the text now.
        let now = |before: &str, now: &str, letter: char| {
            let same = Same::of_letters(before, now);
            same.now(before.find(letter).expect("the letter") + letter.len_utf8())
        };
        assert_eq!(now("let x = 1", "let x = 12", 'x'), Some(5));
        assert_eq!(now("let x = 1", "let x = 12", '1'), Some(9));
        assert_eq!(now("let x = 1\n", "let x = 12\n", '1'), Some(10));
        assert_eq!(now("let x = 1\n", "let xy = 1\n", 'x'), Some(6));
        assert_eq!(now("let x = ä\n", "let x = ö\n", 'x'), Some(5));
        assert_eq!(now("let x = ä\n", "let x = ö\n", 'ä'), Some(10));
        assert_eq!(now("aab\n", "ab\n", 'b'), Some(2));
    }

    #[test]
    fn lines_that_are_the_same_are_found_from_both_ends() {
        check("a\nb\nc\n", "a\nb\nc\n", "===");
        check("a\nb\nc\n", "a\nx\nc\n", "=!=");
        check("a\nb\nc\n", "a\nb\nx\nc\n", "==!=");
        check("a\nb\nc\n", "a\nc\n", "==");
        check("a\nb\nb\nc\n", "a\nb\nc\n", "===");
        check("a\nb\nc", "a\nb\nc", "===");
        check("a\nb\nc", "x\nb\nc", "!==");
        check("a\nb\nc", "a\nb\nc(", "==!");
        check("a\nb\n", "a\nb\nx", "==!");
        check("a\n", "x\n", "!");
    }
}
