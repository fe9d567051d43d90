//! Facts about lanes, drawn on their source: under each line, the facts about the expressions in it.
//!
//! ```text
//!   4 |         out[i] = colors[number]
//!     |                  ^^^^^^^^^^^^^^ gather: each lane has a cell of its own
//!     |                                 number <- color_number[i] (line 3) <- i (line 2)
//! ```

pub(crate) mod graph;
pub(crate) mod ispc;

use std::collections::BTreeMap;

use anstyle::{AnsiColor, Style};
use driver::document::Document;
use driver::words::visible;
use ide::explain::{
    Access, Because, Branch, Class, Dependence, Explained, Flow, Loop, LoopCost, Quoted, Reason, Value,
};
use insight::EARLY_EXIT;
use report::{ItemKind, TextRange};
use syntax::text::LineIndex;

use crate::console::Look;
use crate::highlight::{FAINT, STRONG};

const GOOD: Style = AnsiColor::Green.on_default();
const DEAR: Style = AnsiColor::Yellow.on_default();
const PLAIN: Style = AnsiColor::Cyan.on_default();

/// Minimum number of columns for text beside its place; with less room, the text goes below the place.
const NARROWEST: usize = 36;

/// Of the accesses that one meets so many are told.
const MOST_MEETINGS: usize = 3;

/// A remark about a source range.
struct Mark {
    range: TextRange,
    style: Style,
    /// Fact in a word or two.
    what: String,
    /// Further explanation, a paragraph each.
    why: Vec<String>,
}

/// Renders an item with the facts about its lanes; with `closely`, every single expression.
pub(crate) fn item(document: &Document, item: &Explained, closely: bool, look: Look) -> String {
    blocks(document, item, closely, look).into_iter().map(|(_, text)| text).collect()
}

/// Renders an item in blocks, each about a line of the source, counted from 0, or about the whole item.
pub(crate) fn blocks(document: &Document, item: &Explained, closely: bool, look: Look) -> Vec<(Option<u32>, String)> {
    let mut marks: Vec<Mark> = Vec::new();
    marks.extend(own_loops(item).map(|it| of_loop(document, it, closely)));
    let is_access = |range| item.accesses.iter().any(|access| access.range == range && access.lane_loop.is_some());
    let index = |value: &Value| value.because.is_empty() && value.varies;
    let shown = |value: &&Value| match closely {
        true => !is_access(value.range) && !is_part_of_the_same(value, &item.values),
        false => value.is_definition && value.lane_loop.is_some() && !index(value),
    };
    marks.extend(item.values.iter().filter(shown).map(|value| of_value(document, value)));
    marks.extend(item.branches.iter().filter(|it| it.diverges || closely).map(|it| of_branch(document, it)));
    let meets = |access: &&Access| item.loops.iter().any(|it| it.meets_at(access.range).next().is_some());
    let told = item.accesses.iter().filter(|access| access.lane_loop.is_some() || meets(access));
    marks.extend(told.map(|access| of_access(document, access, &item.loops)));
    let kind = if item.kind == ItemKind::Fn { "fn" } else { "kernel" };
    let n_untold = add_decisions(&mut marks, item, closely);
    let place = document.place(item.range.start());
    let title = look.paint(STRONG, &format!("{kind} {}", visible(&item.name)));
    // A text without a file, such as that of an editor, is located by line alone.
    let at = match &*document.name {
        "" => format!("line {}", place.line),
        name => format!("{name}:{}", place.line),
    };
    let at = look.paint(FAINT, &at);
    let mut blocks = vec![(Some(place.line - 1), format!("{title}  {at}\n"))];
    blocks.extend(verdicts(document, item, closely, look));
    blocks.extend(lines(&document.text, document.lines(), marks, look));
    blocks.push((None, summary(item, look) + &untold(&n_untold, look)));
    blocks
}

/// The loops that stand in the item itself.
fn own_loops(item: &Explained) -> impl Iterator<Item = &Loop> {
    item.loops.iter().filter(|it| it.function.is_none())
}

/// The verdict on each loop in one line, those of called functions too: accesses and their reasons would bury it.
fn verdicts(document: &Document, item: &Explained, closely: bool, look: Look) -> Vec<(Option<u32>, String)> {
    let verdict = |it: &Loop| {
        let Mark { style, what, .. } = of_loop(document, it, closely);
        let line = document.place(it.range.start()).line;
        let of = it.function.as_deref().map(|name| format!(" of `{}`, which is called", visible(name)));
        let head = look.paint(FAINT, &format!("loop in line {line}{}", of.unwrap_or_default()));
        (it.function.is_none().then_some(line - 1), format!("{head}: {}\n", look.paint(style, &what)))
    };
    item.loops.iter().map(verdict).collect()
}

fn of_loop(document: &Document, it: &Loop, closely: bool) -> Mark {
    let along = if it.index.is_empty() { String::new() } else { format!(" along `{}`", it.index) };
    let elsewhere = it.verdict.reasons.iter().find(|reason| reason.is_elsewhere);
    let (style, what) = match elsewhere {
        Some(elsewhere) => (PLAIN, elsewhere.message.clone()),
        None if it.verdict.is_vector => (GOOD, format!("{}{along}", it.headline())),
        None => (DEAR, it.headline()),
    };
    // Nobody expects lanes along a loop inside of lanes, so what stands against them there is told on request.
    let is_told = |reason: &Reason| !reason.is_elsewhere && (closely || it.in_lanes.is_none());
    let told: Vec<_> = it.told().into_iter().filter(|told| is_told(told.reason)).collect();
    let mut why = Vec::new();
    for each in &told {
        why.extend(of_reason(document, it, each.reason, told.len() > 1));
        why.extend(it.words_for_more(each));
    }
    let lines = |range: TextRange| document.place(range.start()).line;
    why.extend(it.cost.iter().map(|cost| of_cost(cost, lines)));
    let lifts = it.lifts.iter().filter(|_| closely || it.in_lanes.is_none());
    why.extend(lifts.map(|lift| format!("to lift it: {lift}")));
    Mark { range: it.range, style, what, why }
}

/// Describes what a loop is estimated to cost: `estimated: about 0.25 cycles an element, bound by loads; the gather is 60 % (line 4)`.
fn of_cost(cost: &LoopCost, line: impl Fn(TextRange) -> u32) -> String {
    let place = cost.largest().filter(|part| cost.share(part) < 1.0).and_then(|part| part.place);
    let place = place.map(|range| format!(" (line {})", line(range))).unwrap_or_default();
    let at_once = cost.at_once().map_or(String::new(), |at_once| format!("; {at_once}"));
    format!("estimated: {}{place}{at_once}", cost.in_words())
}

/// The number of decisions that are not told one by one, by their words.
type Untold = BTreeMap<String, usize>;

/// Adds the decisions of passes to the loops that they concern; with `closely`, to the accesses as well. Otherwise those about
/// accesses, of which each may have several, are counted.
fn add_decisions(marks: &mut Vec<Mark>, item: &Explained, closely: bool) -> Untold {
    let mut untold = Untold::new();
    for decision in &item.decisions {
        // Reasons that the verdict lists are not repeated.
        let of_loop = own_loops(item).find(|it| it.range == decision.range);
        // The decision about an early exit says more than that there is one.
        let may_repeat = decision.code != EARLY_EXIT;
        let is_told = may_repeat
            && of_loop.is_some_and(|it| it.verdict.reasons.iter().any(|reason| reason.code == decision.code));
        let done = if decision.taken { "chose" } else { "decided against" };
        let because = if is_told { String::new() } else { format!(": {}", decision.because) };
        let words = format!("`{}` {done} {}", decision.pass, decision.code);
        if !closely && of_loop.is_none() {
            *untold.entry(words).or_default() += 1;
            continue;
        }
        let words = words + &because;
        match marks.iter_mut().rfind(|mark| mark.range == decision.range) {
            Some(mark) if mark.why.contains(&words) => {}
            Some(mark) => mark.why.push(words),
            None => marks.push(Mark { range: decision.range, style: PLAIN, what: words, why: Vec::new() }),
        }
    }
    untold
}

fn of_reason(document: &Document, it: &Loop, reason: &Reason, is_one_of_many: bool) -> Vec<String> {
    let code = if is_one_of_many { format!("{}: ", reason.code) } else { String::new() };
    let mut why = vec![format!("{code}{}", reason.message)];
    if let Some(met) = it.dependence(reason) {
        why.push(of_dependence(document, it, met));
    }
    why
}

/// Describes a dependence: `carried flow, 1 apart, from b[i] (line 8) to b[i - 1] (line 7); decided by: distance`.
fn of_dependence(document: &Document, it: &Loop, met: &Dependence) -> String {
    let own = document.place(it.range.start()).line;
    let place = |end: &Quoted| {
        let line = document.place(end.range.start()).line;
        let text = visible(&end.text);
        if line == own { text.to_string() } else { format!("{text} (line {line})") }
    };
    let symbols = met.witness.iter().flat_map(|witness| &witness.symbols);
    let symbols: Vec<_> = symbols.map(|(name, value)| format!("{} = {value}", visible(name))).collect();
    let with = if symbols.is_empty() { String::new() } else { format!(", with {}", symbols.join(", ")) };
    let test = if met.test == "undecided" { String::new() } else { format!("; test: {}", met.test) };
    format!("{}, from {} to {}{with}{test}", met.describe(), place(&met.source), place(&met.sink))
}

fn of_branch(document: &Document, branch: &Branch) -> Mark {
    let (style, what) = match branch.diverges {
        true => (PLAIN, "lanes diverge here"),
        false => (GOOD, "all lanes agree"),
    };
    Mark { range: branch.range, style, what: what.to_owned(), why: chain(document, branch.range, &branch.because) }
}

/// Returns true for a part of an expression that varies in the same way and for the same cause as the whole: it is no news.
fn is_part_of_the_same(value: &Value, all: &[Value]) -> bool {
    let cause = |value: &Value| value.because.last().map(|because| because.place.range);
    let is_whole = |whole: &&Value| whole.range.contains_range(value.range) && whole.range != value.range;
    let is_same =
        |whole: &Value| (whole.varies, &whole.shape, cause(whole)) == (value.varies, &value.shape, cause(value));
    !value.is_definition && all.iter().filter(is_whole).any(is_same)
}

fn of_value(document: &Document, value: &Value) -> Mark {
    let calls = if value.in_some_calls { " in some calls" } else { "" };
    let (style, what) = match (value.varies, value.shape.as_str()) {
        (false, _) if value.flow == Flow::Divergent => (GOOD, "uniform among active lanes".to_owned()),
        (false, _) => (GOOD, "uniform".to_owned()),
        (true, "arbitrary") => (PLAIN, format!("varying{calls}")),
        (true, shape) => (PLAIN, format!("varying{calls}, {}", ide::shape_in_words(shape))),
    };
    Mark { range: value.range, style, what, why: chain(document, value.range, &value.because) }
}

fn of_access(document: &Document, access: &Access, loops: &[Loop]) -> Mark {
    let calls = if access.in_some_calls { " in some calls" } else { "" };
    let (style, kind) = match access.class {
        Class::Broadcast | Class::UniformStore => (GOOD, ""),
        Class::Contiguous => (GOOD, if access.stores { " store" } else { " load" }),
        Class::Gather | Class::Scatter => (DEAR, ""),
        _ => (DEAR, if access.stores { " store" } else { " load" }),
    };
    let mut why = Vec::new();
    let would = if access.is_in_lanes { "" } else { "would be a " };
    let what = match access.class {
        // Accesses of the cheap classes need no explanation.
        Class::Contiguous | Class::Broadcast => format!("{would}{}{kind}{calls}", access.class),
        class => {
            why.extend(chain(document, access.range, &access.because));
            why.extend(access.lift.iter().map(|lift| format!("to lift it: {lift}")));
            format!("{would}{class}{kind}{calls}: {}", access.reason)
        }
    };
    let own = document.place(access.range.start()).line;
    let meetings: Vec<_> = loops.iter().flat_map(|it| it.meets_at(access.range)).collect();
    for (met, other) in meetings.iter().take(MOST_MEETINGS) {
        let line = document.place(other.range.start()).line;
        let place = if line == own { String::new() } else { format!(" (line {line})") };
        let other = visible(&other.text);
        // The loop's reasons tell what casts doubt on it.
        why.push(format!("meets {other}{place}, {}: {}", met.describe(), met.in_short()));
    }
    let n_more = meetings.len().saturating_sub(MOST_MEETINGS);
    if n_more > 0 {
        why.push(format!("meets {n_more} more, which `--json` lists"));
    }
    Mark { range: access.range, style, what, why }
}

/// Formats a chain of reasons on one line: `number <- color_number[i] (line 3) <- i (line 2)`.
fn chain(document: &Document, from: TextRange, because: &[Because]) -> Vec<String> {
    let mut line = document.place(from.start()).line;
    let steps = because.iter().map(|step| {
        let own = document.place(step.place.range.start()).line;
        let place = if own == line { String::new() } else { format!(" (line {own})") };
        line = own;
        format!("<- {}{place}", visible(&step.place.text))
    });
    let steps: Vec<_> = steps.collect();
    if steps.is_empty() { Vec::new() } else { vec![steps.join(" ")] }
}

/// Renders the lines that have marks, each with its marks below it.
fn lines(source: &str, index: &LineIndex, marks: Vec<Mark>, look: Look) -> Vec<(Option<u32>, String)> {
    let mut by_line: BTreeMap<u32, Vec<Mark>> = BTreeMap::new();
    for mark in marks {
        by_line.entry(index.line(mark.range.start())).or_default().push(mark);
    }
    let last = by_line.keys().next_back().map_or(0, |line| line + 1);
    let gutter = last.to_string().len().max(3);
    let mut blocks = Vec::new();
    for (line, mut marks) in by_line {
        let range = index.line_range(line);
        let text = source[range].trim_end();
        let number = look.paint(FAINT, &format!("{:>gutter$} |", line + 1));
        let mut out = format!("{number}{}{}\n", if text.is_empty() { "" } else { " " }, visible(text));
        marks.sort_by_key(|mark| (mark.range.start(), std::cmp::Reverse(mark.range.end())));
        for mark in marks {
            let columns = |at| {
                let bytes = usize::from(at) - usize::from(range.start());
                visible(&text[..bytes.min(text.len())]).chars().count()
            };
            let (start, end) = (columns(mark.range.start()), columns(mark.range.end().min(range.end())));
            out += &below(gutter, start, end.max(start + 1), &mark, look);
        }
        blocks.push((Some(line), out));
    }
    blocks
}

/// Renders a mark below its line: carets, and the text beside them or, where space is short, under them.
fn below(gutter: usize, start: usize, end: usize, mark: &Mark, look: Look) -> String {
    let edge = look.paint(FAINT, &format!("{:gutter$} |", ""));
    let carets = look.paint(mark.style, &"^".repeat(end - start));
    let room = |column: usize| look.width.saturating_sub(gutter + 3 + column);
    let beside = room(end + 1) >= NARROWEST.min(mark.what.chars().count());
    let column = if beside { end + 1 } else { start.min(look.width.saturating_sub(gutter + 3 + NARROWEST)) };
    let lines = |text: &str| wrapped(text, room(column).max(NARROWEST));
    let what = lines(&mark.what).into_iter().map(|line| look.paint(mark.style, &line));
    let mut words = what.chain(mark.why.iter().flat_map(|why| lines(why)));
    let first = if beside { words.next() } else { None };
    let mut out = match first {
        Some(first) => format!("{edge} {:start$}{carets} {first}\n", ""),
        None => format!("{edge} {:start$}{carets}\n", ""),
    };
    for line in words {
        out += &format!("{edge} {:column$}{line}\n", "");
    }
    out
}

/// Breaks a text between words into lines of at most `width` columns.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Counts the accesses by class: `4 accesses: 3 contiguous, 1 gather`; and tells the scratch memory.
fn summary(item: &Explained, look: Look) -> String {
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let in_lanes = item.accesses.iter().filter(|access| access.lane_loop.is_some());
    in_lanes.for_each(|access| *classes.entry(access.class.name()).or_default() += 1);
    let scratch =
        item.scratch.as_ref().map(|bytes| look.paint(FAINT, &format!("scratch memory: {bytes} bytes")) + "\n");
    let scratch = scratch.unwrap_or_default();
    if classes.is_empty() {
        return scratch;
    }
    let n = classes.values().sum::<usize>();
    let total = if n == 1 { "1 access".to_owned() } else { format!("{n} accesses") };
    let parts: Vec<_> = classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
    let has_none = !item.loops.is_empty() && item.loops.iter().all(|it| it.n_lanes().is_none());
    let whose = if has_none { ", if there were lanes" } else { " in lanes" };
    look.paint(FAINT, &format!("{total}{whose}: {}", parts.join(", "))) + "\n" + &scratch
}

/// Counts the decisions that are not told: "decisions on accesses, which `--line` tells: …".
fn untold(untold: &Untold, look: Look) -> String {
    if untold.is_empty() {
        return String::new();
    }
    let parts: Vec<_> = untold.iter().map(|(words, n)| format!("{words} ({n})")).collect();
    look.paint(FAINT, &format!("decisions on accesses, which `--line` tells: {}", parts.join(", "))) + "\n"
}
