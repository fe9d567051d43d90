//! The places and conditions at which a run stops.

use std::collections::{BTreeMap, BTreeSet};

use queries::stepping::{Op, Stepping};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::expressions::{Evaluated, Expression};
use driver::stepping::places::Places;
use driver::stepping::visits::{LineVisit, visit_of};

/// A breakpoint on a line of the source, as the client sets it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    line: u32,
    condition: Option<String>,
    hit_condition: Option<String>,
    log_message: Option<String>,
}

/// A breakpoint that is set.
struct Set {
    id: u64,
    condition: Option<Expression>,
    hits: Option<Hits>,
    log: Option<String>,
    /// The number of times that the run has come here.
    n_hits: u64,
    /// The position where it came here last.
    last: Option<LineVisit>,
}

/// The hits at which a breakpoint stops the run.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Hits {
    Each(u64),
    From(u64),
    Only(u64),
}

impl Hits {
    /// Parses `5`, `== 5`, `>= 5`, `> 5` or `% 5`.
    fn parse(text: &str) -> Result<Hits, String> {
        let text = text.trim();
        let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let wrong = || format!("`{text}` is no number of hits; write `5`, `>= 5` or `% 5`");
        let number: u64 = digits.trim().parse().map_err(|_| wrong())?;
        match text[..text.len() - digits.len()].trim() {
            "" | "=" | "==" => Ok(Hits::Only(number)),
            ">=" => Ok(Hits::From(number)),
            ">" => Ok(Hits::From(number + 1)),
            "%" if number > 0 => Ok(Hits::Each(number)),
            _ => Err(wrong()),
        }
    }

    fn stop_at(self, n_hits: u64) -> bool {
        match self {
            Hits::Each(number) => n_hits.is_multiple_of(number),
            Hits::From(number) => n_hits >= number,
            Hits::Only(number) => n_hits == number,
        }
    }
}

/// The breakpoints of a session.
#[derive(Default)]
pub(crate) struct Breakpoints {
    last_id: u64,
    /// As the client asked for them: those of a launch that starts anew.
    asked: Vec<Asked>,
    lines: BTreeMap<u32, Set>,
    ops: BTreeSet<usize>,
    /// True if the run stops where lanes differ in a condition.
    pub(crate) at_divergence: bool,
    /// True if the run stops at errors of the program.
    pub(crate) at_errors: bool,
}

/// The reasons to stop at a place.
#[derive(Debug, PartialEq)]
pub(crate) enum Hit {
    /// A breakpoint on a line, by its number, and the number of frames within that line.
    Line(u64, usize),
    /// A breakpoint on a line of the stage's text.
    Instruction,
    /// Lanes differ in a condition.
    Divergence,
}

impl Breakpoints {
    /// Creates a list without breakpoints; the run stops at errors.
    pub(crate) fn new() -> Breakpoints {
        Breakpoints { at_errors: true, ..Breakpoints::default() }
    }

    /// Returns true if there are any.
    pub(crate) fn are_set(&self) -> bool {
        !self.lines.is_empty() || !self.ops.is_empty()
    }

    /// Sets the breakpoints on lines, in place of all before. `first` is the number of the client's first line. Returns what the client
    /// is to be told of each.
    pub(crate) fn set(&mut self, asked: Vec<Asked>, first: u32, places: Option<&Places>) -> Vec<Value> {
        self.lines.clear();
        let told = asked.iter().map(|asked| self.add(asked, first, places)).collect();
        self.asked = asked;
        told
    }

    /// Sets the same breakpoints on lines in a program that was launched anew.
    pub(crate) fn set_again(&mut self, first: u32, places: &Places) {
        let asked = std::mem::take(&mut self.asked);
        self.set(asked, first, Some(places));
    }

    fn add(&mut self, asked: &Asked, first: u32, places: Option<&Places>) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        let refused = |message: String| json!({ "id": id, "verified": false, "line": asked.line, "message": message });
        let Some(places) = places else { return refused("nothing has been launched".to_owned()) };
        let Some(line) = places.next_reached(asked.line.saturating_sub(first)) else {
            return refused("nothing of the kernel that runs comes from this line or one below".to_owned());
        };
        let condition = asked.condition.as_deref().filter(|text| !text.trim().is_empty());
        let hits = asked.hit_condition.as_deref().filter(|text| !text.trim().is_empty());
        let (condition, hits) = (condition.map(Expression::parse).transpose(), hits.map(Hits::parse).transpose());
        match (condition, hits) {
            (Ok(condition), Ok(hits)) => {
                let log = asked.log_message.clone().filter(|message| !message.is_empty());
                self.lines.insert(line, Set { id, condition, hits, log, n_hits: 0, last: None });
                json!({ "id": id, "verified": true, "line": line + first })
            }
            (Err(why), _) | (_, Err(why)) => refused(why),
        }
    }

    /// Sets the breakpoints on lines of the stage's text, from 0.
    pub(crate) fn set_in_text(&mut self, lines: BTreeSet<usize>) {
        self.ops = lines;
    }

    /// Removes all, for a run without stops.
    pub(crate) fn clear(&mut self) {
        self.lines.clear();
        self.ops.clear();
        (self.at_divergence, self.at_errors) = (false, false);
    }

    /// Begins a movement: the line on which the run stands is not hit again before it is left.
    pub(crate) fn leave(&mut self, stepping: &Stepping, places: &Places) {
        let here = stepping.next_op().and_then(|op| self.visit(stepping, places, op));
        for (line, set) in &mut self.lines {
            set.last = None;
            if let Some((_, _, visit)) = here.as_ref().filter(|(of, ..)| of == line) {
                set.last = Some(visit.clone());
            }
        }
    }

    /// Begins to count hits anew.
    pub(crate) fn start(&mut self) {
        for set in self.lines.values_mut() {
            (set.n_hits, set.last) = (0, None);
        }
    }

    /// The reason to stop where a run has come to, if there is one. Messages are added to `log`.
    pub(crate) fn hit(&mut self, stepping: &Stepping, places: &Places, log: &mut Vec<String>) -> Option<Hit> {
        let op = stepping.next_op()?;
        if places.starts_text_line(op).is_some_and(|line| self.ops.contains(&line)) {
            return Some(Hit::Instruction);
        }
        if self.at_divergence && stepping.has_diverged() {
            return Some(Hit::Divergence);
        }
        let (line, n_inside, here) = self.visit(stepping, places, op)?;
        let set = self.lines.get_mut(&line)?;
        if set.last.as_ref().is_some_and(|last| last.contains(&here)) {
            return None;
        }
        // A condition may be about what the line is yet to make: then the next op of the line is asked.
        match set.condition.as_ref().map(|condition| condition.holds(stepping)) {
            None | Some(Ok(true)) => {}
            Some(Ok(false) | Err(_)) => return None,
        }
        set.last = Some(here);
        set.n_hits += 1;
        if set.hits.is_some_and(|hits| !hits.stop_at(set.n_hits)) {
            return None;
        }
        match &set.log {
            Some(message) => {
                log.push(filled(message, stepping));
                None
            }
            None => Some(Hit::Line(set.id, n_inside)),
        }
    }

    /// The visit of a run to a line with a breakpoint.
    fn visit(&self, stepping: &Stepping, places: &Places, op: Op) -> Option<(u32, usize, LineVisit)> {
        visit_of(stepping, places, op, |line| self.lines.contains_key(&line))
    }
}

/// A message in which each expression in braces is replaced by its value.
fn filled(message: &str, stepping: &Stepping) -> String {
    let mut text = String::new();
    let mut rest = message;
    while let Some((before, behind)) = rest.split_once('{') {
        text += before;
        let Some((inside, after)) = behind.split_once('}') else {
            text.push('{');
            rest = behind;
            break;
        };
        let value = Expression::parse(inside).and_then(|expression| expression.evaluate(stepping));
        text += &match value {
            Ok(Evaluated::One(scalar)) => scalar.to_string(),
            Ok(Evaluated::Lanes(lanes)) => crate::inspecting::of_lanes(&lanes),
            Ok(Evaluated::Array(_)) => "an array".to_owned(),
            Err(why) => format!("({why})"),
        };
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_hits() {
        let stops = |text: &str| -> Vec<u64> {
            let hits = Hits::parse(text).expect("a number of hits");
            (1..8).filter(|n| hits.stop_at(*n)).collect()
        };
        assert_eq!(stops("3"), [3]);
        assert_eq!(stops("== 3"), [3]);
        assert_eq!(stops(">= 5"), [5, 6, 7]);
        assert_eq!(stops(">5"), [6, 7]);
        assert_eq!(stops("% 3"), [3, 6]);
        for wrong in ["", "x", "% 0", "< 3", "3 times"] {
            assert!(Hits::parse(wrong).is_err(), "{wrong}");
        }
    }
}
