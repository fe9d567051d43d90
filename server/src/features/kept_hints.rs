//! Hints of an item while it is broken: those of its last good text stay on the lines that are still the same.
//!
//! What an item with an error infers may be little, or not what is meant, so its hints would come and go with every key:
//!
//! ```text
//! for i in range(n): 8 lanes       unchanged: the hint of the good text
//!     out[i] = a[i] * (            being typed: whatever is known of it
//!     sum += b[i] reversed         unchanged
//! ```
//!
//! A hint of an earlier text says so when it is pointed at. It has neither an edit nor links, whose places may be gone.

use std::sync::Arc;

use ide::hints::{self, Hint, HintOptions};
use queries::check::{findings, reachable};
use queries::db::{Database, Item, parse};
use queries::names;
use report::{ItemKey, Severity, TextRange, TextSize};

use crate::request_context::{Place, RequestContext};

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
    place: &Place<'_>,
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
    let fresh = hints::type_hints(db, place.file, range, &config.hints);
    let key: ItemKey = names::key(db, item);
    let memory = &ctx.state().memory;
    if !is_broken(db, item) {
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
    let good = memory.good_hints(&place.document.key, &key);
    match good.filter(|good| good.target == config.target && good.options == config.hints) {
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

    /// These hints on the lines that are still the same, and fresh ones on the others.
    fn joined(&self, fresh: Vec<Hint>, text: &str, start: TextSize) -> Vec<(Hint, bool)> {
        let same = Same::of(&self.text, text);
        let kept = self.hints.iter().filter_map(|hint| {
            let offset = same.now(hint.offset.into())?;
            let tooltip = format!("of the text before the error\n\n{}", hint.tooltip);
            let hint = Hint {
                offset: start + TextSize::new(offset as u32),
                tooltip,
                edit: None,
                links: Vec::new(),
                ..hint.clone()
            };
            Some((hint, true))
        });
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

/// The lines at the start and at the end of two texts that are the same, in bytes.
struct Same {
    at_start: usize,
    at_end: usize,
    before: usize,
    now: usize,
}

impl Same {
    fn of(before: &str, now: &str) -> Same {
        let lines = |text| str::split_inclusive(text, '\n');
        let alike = |(a, b): &(&str, &str)| a == b;
        let at_start: usize = lines(before).zip(lines(now)).take_while(alike).map(|(line, _)| line.len()).sum();
        let rest = (&before[at_start..], &now[at_start..]);
        let at_end = lines(rest.0).rev().zip(lines(rest.1).rev()).take_while(alike).map(|(line, _)| line.len()).sum();
        Same { at_start, at_end, before: before.len(), now: now.len() }
    }

    /// The offset now of an offset before; `None` on a line that is not the same.
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
        let same = Same::of(before, now);
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
