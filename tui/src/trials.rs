//! The trials of a kernel's changes: their report as text, for terminals and editors, and the trials that the language server has made.

use std::fmt::Write;
use std::ops::ControlFlow;

use driver::document::Document;
use driver::faster::{ChangeFate, ChangesTogether, SpeedReport, SpeedSearch, TriedChange, search};
use driver::machine_code::NoCode;
use driver::targets::parse_target;
use queries::db::{Database, Item};
use queries::stages::Options;
use queries::uses::Surroundings;
use report::{TextEdit, TextRange, TextSize, apply_edits};
use server::machine_views::{FasterOffer, FasterTrial, TrialProgress, TrialWork};

use crate::commands::bench::asking_unless;
use crate::console::Look;
use crate::difference::diff;
use crate::highlight;

/// The time for which each change is measured for an editor, in milliseconds.
const MILLISECONDS: u64 = 100;

/// The seconds after which a run for an editor is stopped.
const TIMEOUT: u64 = 10;

/// Draws what became of each change, the fastest first, and the best ones as differences. `way_out` says how other data are chosen.
pub(crate) fn drawn(document: &Document, report: &SpeedReport, way_out: &str, look: Look) -> String {
    let mut lines = vec![look.paint(highlight::STRONG, &report.kernel)];
    if !report.chosen.is_empty() {
        lines.push(format!("  on {}{way_out}", report.chosen.join(" ")));
    }
    lines.push(format!("  on {}, each change by itself, in times as fast as the kernel as it is:", report.target));
    lines.extend(of_each(report, look));
    if report.same_bits.is_none() && report.any_bits.is_none() {
        let gained = |change: &TriedChange| matches!(change.fate, ChangeFate::Measured { gains: true, .. });
        lines.push(match report.changes.iter().any(gained) {
            false => "\nNo change makes it faster by more than the times differ.".to_owned(),
            true => "\nWhat gained above did not when it was measured a second time, so nothing is proposed: the machine may be busy; \
                     longer measurements (`--time`) tell."
                .to_owned(),
        });
    }
    let mut text = lines.join("\n") + "\n";
    for (best, words) in [(&report.same_bits, "With the same bits"), (&report.any_bits, "With other bits")] {
        let Some(ChangesTogether { titles, times, spread, results, text: changed }) = best else { continue };
        let (results, titles) = (results.in_words(), titles.join(", then "));
        let _ = writeln!(text, "\n{words}: {times:.2} (+- {spread:.2}) times as fast, {results}: {titles}");
        text += &diff(&document.text, changed, look);
    }
    text
}

fn of_each(report: &SpeedReport, look: Look) -> Vec<String> {
    let titles = report.changes.iter().map(|change| change.title.chars().count());
    let widest = titles.max().unwrap_or(0);
    let (mut lines, mut n_same) = (Vec::new(), 0);
    for TriedChange { title, fate, .. } in &report.changes {
        match fate {
            ChangeFate::Measured { times, spread, gains, results } => {
                let results = results.in_words();
                let line = format!("  {times:7.2} +- {spread:<5.2} {title:widest$}  {results}");
                let style = if *gains { highlight::GAIN } else { anstyle::Style::new() };
                lines.push(look.paint(style, &line));
            }
            ChangeFate::SameCode => n_same += 1,
            fate => {
                let line = format!("        -          {title:widest$}  {}", fate.in_words());
                lines.push(look.paint(highlight::FAINT, &line));
            }
        }
    }
    match n_same {
        0 => {}
        1 => lines.push("  another one comes to the same machine code".to_owned()),
        n => lines.push(format!("  {n} others come to the same machine code")),
    }
    let mut allowed: Vec<&str> = Vec::new();
    for change in report.changes.iter().filter(|change| !change.allows.is_empty() && change.fate.times() > 0.0) {
        // An attribute allows the same wherever it stands.
        let first = change.title.split(' ').next().unwrap_or_default();
        let name = if first.starts_with('@') { first } else { &change.title };
        if !allowed.contains(&name) {
            allowed.push(name);
            lines.push(look.paint(highlight::FAINT, &format!("  {name}: {}", change.allows)));
        }
    }
    lines
}

/// Prepares the trials of a kernel for an editor. The text is analysed in a database of its own, so that no edit has to wait for it.
pub(crate) fn prepared(db: &Database, item: Item<'_>, target: &str) -> TrialWork {
    let (name, file) = (item.name(db).to_string(), item.file(db));
    let (text, around) = (file.text(db).to_string(), Surroundings::of(db, file));
    let chosen = parse_target(target);
    Box::new(move |progress: &mut TrialProgress<'_>, stopped: &dyn Fn() -> bool| {
        let chosen = chosen?;
        let options = Options { lanes: None, target: chosen.row };
        let document = Document::among(format!("{name}.lane"), text, &around).made_for(&[options]);
        let wanted = SpeedSearch {
            kernel: &name,
            row: chosen.row,
            machine: chosen.machine(),
            options,
            given: &[],
            milliseconds: MILLISECONDS,
        };
        let ask = asking_unless(MILLISECONDS, TIMEOUT, stopped).map_err(in_words)?;
        let mut told = |n_done: usize, n_all: usize, title: &str| {
            progress(n_done, n_all, title);
            if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let report = search(&document, &wanted, &*ask, &mut told).map_err(in_words)?;
        Ok(FasterTrial { text: drawn(&document, &report, "", Look::PLAIN), offers: offers(&document, &report) })
    })
}

fn in_words(why: NoCode) -> String {
    match why {
        NoCode::Errors(errors) => {
            errors.into_iter().next().map_or_else(|| "the kernel has an error".to_owned(), |it| it.message)
        }
        NoCode::Trouble(words) | NoCode::Stopped(words) => words,
    }
}

/// The changes that gain, by themselves and on top of each other, the fastest first. Of two that come to one text, the one that was measured
/// again stays.
fn offers(document: &Document, report: &SpeedReport) -> Vec<FasterOffer> {
    let old = &document.text;
    let together = [&report.same_bits, &report.any_bits].into_iter().flatten().map(|best| {
        let title = best.titles.join(", then ");
        let offer = (title, best.times, best.spread, &best.results);
        (offer, best.text.clone(), between(old, &best.text))
    });
    let alone = report.changes.iter().filter_map(|change| match &change.fate {
        ChangeFate::Measured { times, spread, gains: true, results } => {
            let offer = (change.title.clone(), *times, *spread, results);
            Some((offer, apply_edits(old, &change.edits), change.edits.clone()))
        }
        _ => None,
    });
    let (mut texts, mut offers): (Vec<String>, Vec<FasterOffer>) = (Vec::new(), Vec::new());
    for ((title, times, spread, results), new, edits) in together.chain(alone) {
        if texts.contains(&new) {
            continue;
        }
        let (diff, keeps_bits) = (diff(old, &new, Look::PLAIN), results.differ == 0);
        offers.push(FasterOffer { title, times, spread, results: results.in_words(), keeps_bits, edits, diff });
        texts.push(new);
    }
    offers.sort_by(|a, b| b.times.total_cmp(&a.times));
    offers
}

/// The edit that turns a text into another one, of whole lines: what both begin and end with stays.
fn between(old: &str, new: &str) -> Vec<TextEdit> {
    let is_same = |(a, b): &(&str, &str)| a == b;
    let length = |same: &mut dyn Iterator<Item = (&str, &str)>| -> usize { same.map(|(line, _)| line.len()).sum() };
    let lines = |text| str::split_inclusive(text, '\n');
    let above = length(&mut lines(old).zip(lines(new)).take_while(is_same));
    let [old_rest, new_rest] = [&old[above..], &new[above..]];
    let below = length(&mut lines(old_rest).rev().zip(lines(new_rest).rev()).take_while(is_same));
    let range = TextRange::new(TextSize::new(above as u32), TextSize::of(old) - TextSize::new(below as u32));
    let text = new_rest[..new_rest.len() - below].to_owned();
    if range.is_empty() && text.is_empty() { Vec::new() } else { vec![TextEdit { range, text }] }
}

#[cfg(test)]
mod tests {
    use driver::faster::ResultsEffect;

    use super::*;

    #[test]
    fn an_edit_of_whole_lines_leaves_what_both_texts_begin_and_end_with() {
        for (old, new, range) in [
            ("a\nb\nc\n", "a\nx\ny\nc\n", 2..4),
            ("a\nb\n", "a\nb\nb\n", 4..4),
            ("a\na\n", "a\n", 2..4),
            ("", "a\n", 0..0),
            ("a", "b", 0..1),
        ] {
            let edits = between(old, new);
            assert_eq!(apply_edits(old, &edits), new);
            assert_eq!(std::ops::Range::<usize>::from(edits[0].range), range, "{old:?} {new:?}");
        }
        assert_eq!(between("a\n", "a\n"), []);
    }

    #[test]
    fn a_gain_that_was_not_seen_twice_is_told_as_one() {
        let document = Document::new("sum.lane", "kernel sum(n: i32):\n    pass\n");
        let of = |gains| {
            let results = ResultsEffect { runs: 3, differ: 0, largest: Some(0.0) };
            let fate = ChangeFate::Measured { times: 1.2, spread: 0.1, gains, results };
            let change = TriedChange { title: "@simd".to_owned(), allows: "", edits: Vec::new(), fate };
            let (kernel, chosen) = ("sum".to_owned(), Vec::new());
            let report =
                SpeedReport { kernel, target: "avx2", chosen, changes: vec![change], same_bits: None, any_bits: None };
            drawn(&document, &report, "", Look::PLAIN)
        };
        assert!(of(false).contains("No change makes it faster"), "{}", of(false));
        assert!(!of(true).contains("No change") && of(true).contains("did not when it was measured a second time"));
    }

    #[test]
    fn what_gains_is_offered_once_the_fastest_first() {
        let document = Document::new("sum.lane", "kernel sum(n: i32):\n    pass\n");
        let same = ResultsEffect { runs: 3, differ: 0, largest: Some(0.0) };
        let above = |text: &str| vec![TextEdit { range: TextRange::empty(0.into()), text: text.to_owned() }];
        let change = |title: &str, times, gains| TriedChange {
            title: title.to_owned(),
            allows: "",
            edits: above(&format!("{title}\n")),
            fate: ChangeFate::Measured { times, spread: 0.1, gains, results: same.clone() },
        };
        let together = |title: &str, times| ChangesTogether {
            titles: vec![title.to_owned()],
            times,
            spread: 0.1,
            results: ResultsEffect { differ: 1, ..same.clone() },
            text: format!("{title}\n{}", document.text),
        };
        let report = SpeedReport {
            kernel: "sum".to_owned(),
            target: "avx2",
            chosen: Vec::new(),
            changes: vec![change("@fast", 2.0, true), change("@simd", 3.0, true), change("@threads", 1.0, false)],
            same_bits: None,
            any_bits: Some(together("@fast", 2.5)),
        };
        let offers = offers(&document, &report);
        let told: Vec<_> = offers.iter().map(|it| (&*it.title, it.times, it.keeps_bits)).collect();
        assert_eq!(told, [("@simd", 3.0, true), ("@fast", 2.5, false)]);
        assert_eq!(apply_edits(&document.text, &offers[1].edits), format!("@fast\n{}", document.text));
    }
}
