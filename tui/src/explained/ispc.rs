//! Facts about the lanes of ISPC functions: a line for each function, loop and branch, then the source with what costs lanes.

use ide::ispc::explain::{ExplainedFunction, ExplainedWay};
use report::TextRange;
use report::lanes::{Access, Because, Quoted, Value};
use syntax::text::LineIndex;

use super::{DEAR, GOOD, Mark, PLAIN, lines};
use crate::console::Look;
use crate::highlight::{FAINT, STRONG};
use driver::words::visible;

/// A text of ISPC's, with its name.
#[derive(Clone, Copy)]
pub(crate) struct IspcText<'a> {
    /// Its name in outputs; empty for the text of an editor.
    pub(crate) name: &'a str,
    /// The text.
    pub(crate) text: &'a str,
    /// Its lines.
    pub(crate) lines: &'a LineIndex,
}

/// Renders a function in blocks, each about a line of the source, counted from 0. `only` is the line that is asked about, of which every
/// single expression is told.
pub(crate) fn blocks(
    text: IspcText<'_>,
    function: &ExplainedFunction,
    only: Option<u32>,
    look: Look,
) -> Vec<(Option<u32>, String)> {
    let facts = &function.facts;
    let line = |range: TextRange| text.lines.line(range.start());
    let own = line(facts.range);
    let title = look.paint(STRONG, &format!("{} {}", function.word, visible(&facts.name)));
    let at = match text.name {
        "" => format!("line {}", own + 1),
        name => format!("{name}:{}", own + 1),
    };
    let counts = match function.counts.in_words() {
        words if words.is_empty() => "no access of memory".to_owned(),
        words => format!("accesses: {words}"),
    };
    let mut blocks = vec![(Some(own), format!("{title}  {}  {counts}\n", look.paint(FAINT, &at)))];
    let is_there = |range: TextRange| only.is_none_or(|only| line(range) == only);
    for way in function.ways.iter().filter(|way| is_there(way.range)) {
        blocks.push((Some(line(way.range)), of_way(way, line(way.range) + 1, look)));
    }
    let mut marks: Vec<Mark> = Vec::new();
    let ways = function.ways.iter().filter(|way| is_there(way.range) && !way.because.is_empty());
    marks.extend(ways.map(|way| Mark {
        range: way.range,
        style: DEAR,
        what: way.what.clone(),
        why: chain(text, way.range, &way.because),
    }));
    let accesses = facts.accesses.iter().zip(&function.orders).filter(|(access, _)| is_there(access.range));
    let told = accesses.filter(|(access, (_, costs))| *costs || only.is_some() || access.lift.is_some());
    marks.extend(told.map(|(access, (order, costs))| of_access(text, access, order, *costs)));
    if only.is_some() {
        let is_access = |value: &&Value<TextRange>| facts.accesses.iter().any(|access| access.range == value.range);
        let values = facts.values.iter().filter(|value| is_there(value.range) && !is_access(value));
        marks.extend(values.map(|value| of_value(text, value)));
    }
    let uniforms = function.uniforms.iter().filter(|variable| is_there(variable.range));
    marks.extend(uniforms.map(|variable| Mark {
        range: variable.range,
        style: DEAR,
        what: "could be uniform".to_owned(),
        why: std::iter::once(variable.message.clone()).chain(variable.lift.iter().map(lifted)).collect(),
    }));
    // What a macro brings stands at one place, and what loads and stores one cell is told once.
    let mut seen: Vec<(TextRange, String)> = Vec::new();
    marks.retain(|mark| {
        let key = (mark.range, mark.what.clone());
        let is_new = !seen.contains(&key);
        if is_new {
            seen.push(key);
        }
        is_new
    });
    blocks.extend(lines(text.text, text.lines, marks, look));
    blocks
}

fn of_way(way: &ExplainedWay, line: u32, look: Look) -> String {
    let kind = if way.is_loop { "loop" } else { "branch" };
    let head = look.paint(FAINT, &format!("{kind} in line {line}, `{}`", visible(&way.word)));
    let style = if way.costs { DEAR } else { GOOD };
    let counts = match way.counts.in_words() {
        words if words.is_empty() => words,
        words => look.paint(FAINT, &format!("; accesses: {words}")),
    };
    format!("{head}: {}{counts}\n", look.paint(style, &way.what))
}

fn of_access(text: IspcText<'_>, access: &Access<TextRange>, order: &str, costs: bool) -> Mark {
    let mut why = vec![access.reason.clone()];
    why.extend(chain(text, access.range, &access.because));
    why.extend(access.lift.iter().map(lifted));
    Mark { range: access.range, style: if costs { DEAR } else { GOOD }, what: order.to_owned(), why }
}

fn of_value(text: IspcText<'_>, value: &Value<TextRange>) -> Mark {
    let what = match (value.varies, value.shape.as_str()) {
        (false, _) => format!("uniform, though it is `{}`", value.ty),
        (true, "arbitrary") => "varying".to_owned(),
        (true, shape) => format!("varying, {shape}"),
    };
    let style = if value.varies { PLAIN } else { GOOD };
    Mark { range: value.range, style, what, why: chain(text, value.range, &value.because) }
}

fn lifted(lift: &String) -> String {
    format!("to lift it: {lift}")
}

/// The steps of a story, each with its line where that is another one.
fn chain(text: IspcText<'_>, from: TextRange, because: &[Because<Quoted<TextRange>>]) -> Vec<String> {
    let mut line = text.lines.line(from.start());
    let step = |step: &Because<Quoted<TextRange>>| {
        let own = text.lines.line(step.place.range.start());
        let place = if own == line { String::new() } else { format!(" (line {})", own + 1) };
        line = own;
        format!("<- {}{place}", visible(&step.message))
    };
    because.iter().map(step).collect()
}
