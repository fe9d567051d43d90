//! The places and conditions at which a run stops.

use std::collections::BTreeMap;

use queries::stepping::Stepping;
use serde::Deserialize;
use serde_json::{Value, json};

use driver::stepping::breakpoints::{StopHit, StopPlace, StopTerms, Stops};
use driver::stepping::expressions::{Evaluated, Expression};
use driver::stepping::places::Places;

/// A breakpoint on a line of the source, as the client sets it.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asked {
    line: u32,
    condition: Option<String>,
    hit_condition: Option<String>,
    log_message: Option<String>,
}

/// A breakpoint on a line, as the client knows it.
struct ClientBreakpoint {
    id: u64,
    log: Option<String>,
}

/// The breakpoints of a session.
#[derive(Default)]
pub(crate) struct ClientBreakpoints {
    last_id: u64,
    /// As the client asked for them, each with its number and what the client was told of it: those of a launch that starts anew.
    asked: Vec<(u64, Asked, Value)>,
    stops: Stops,
    set: driver::stepping::breakpoints::Breakpoints,
    /// By the line that each is on.
    told: BTreeMap<u32, ClientBreakpoint>,
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

impl ClientBreakpoints {
    /// Creates a list without breakpoints; the run stops at errors.
    pub(crate) fn new() -> ClientBreakpoints {
        ClientBreakpoints { at_errors: true, ..ClientBreakpoints::default() }
    }

    /// Returns true if there are any.
    pub(crate) fn are_set(&self) -> bool {
        !self.set.are_empty()
    }

    /// Sets the breakpoints on lines, in place of all before. `first` is the number of the client's first line. Returns what the client
    /// is to be told of each.
    pub(crate) fn set(&mut self, asked: Vec<Asked>, first: u32, places: Option<&Places>) -> Vec<Value> {
        let numbered = asked.into_iter().map(|asked| {
            self.last_id += 1;
            (self.last_id, asked)
        });
        let numbered = numbered.collect();
        self.set_numbered(numbered, first, places);
        self.asked.iter().map(|(.., told)| told.clone()).collect()
    }

    /// Sets the same breakpoints on lines in a program that was launched anew, with the numbers that the client knows them by. Returns
    /// those of which it was told something else before.
    pub(crate) fn set_again(&mut self, first: u32, places: &Places) -> Vec<Value> {
        let (numbered, before): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.asked).into_iter().map(|(id, asked, told)| ((id, asked), told)).unzip();
        self.set_numbered(numbered, first, Some(places));
        let now = self.asked.iter().map(|(.., told)| told);
        now.zip(before).filter(|(now, before)| *now != before).map(|(now, _)| now.clone()).collect()
    }

    fn set_numbered(&mut self, numbered: Vec<(u64, Asked)>, first: u32, places: Option<&Places>) {
        self.stops.lines.clear();
        self.told.clear();
        let add = |(id, asked)| {
            let told = self.add(id, &asked, first, places);
            (id, asked, told)
        };
        self.asked = numbered.into_iter().map(add).collect();
        self.set.set(&self.stops);
    }

    fn add(&mut self, id: u64, asked: &Asked, first: u32, places: Option<&Places>) -> Value {
        let refused = |message: String| json!({ "id": id, "verified": false, "line": asked.line, "message": message });
        let Some(places) = places else { return refused("nothing has been launched".to_owned()) };
        let Some(line) = places.next_reached(asked.line.saturating_sub(first)) else {
            return refused("nothing of the kernel that runs comes from this line or one below".to_owned());
        };
        match StopTerms::of(asked.condition.as_deref(), asked.hit_condition.as_deref()) {
            Ok(terms) => {
                let log = asked.log_message.clone().filter(|message| !message.is_empty());
                self.stops.lines.insert(line, terms);
                self.told.insert(line, ClientBreakpoint { id, log });
                json!({ "id": id, "verified": true, "line": line + first })
            }
            Err(why) => refused(why),
        }
    }

    /// Sets the breakpoints on lines of the stage's text, from 0.
    pub(crate) fn set_in_text(&mut self, lines: BTreeMap<usize, StopTerms>) {
        self.stops.text_lines = lines;
        self.set.set(&self.stops);
    }

    /// Removes all, for a run without stops.
    pub(crate) fn clear(&mut self) {
        self.stops = Stops::default();
        self.set.set(&self.stops);
        self.told.clear();
        (self.at_divergence, self.at_errors) = (false, false);
    }

    /// Begins a movement: the line on which the run stands is not hit again before it is left.
    pub(crate) fn leave(&mut self, stepping: &Stepping, places: &Places) {
        self.set.leave(stepping, places);
    }

    /// Begins to count hits anew.
    pub(crate) fn start(&mut self) {
        self.set.start();
    }

    /// The reason to stop where a run has come to, if there is one. Messages are added to `log`.
    pub(crate) fn hit(
        &mut self,
        stepping: &Stepping,
        places: &Places,
        is_back: bool,
        log: &mut Vec<String>,
    ) -> Option<Hit> {
        stepping.next_op()?;
        let hit = self.set.hit(stepping, places, is_back);
        if matches!(hit, Some(StopHit { place: StopPlace::TextLine(_), .. })) {
            return Some(Hit::Instruction);
        }
        if self.at_divergence && stepping.has_diverged() {
            return Some(Hit::Divergence);
        }
        let StopHit { place: StopPlace::Line(line), n_inside } = hit? else { return None };
        let told = self.told.get(&line)?;
        match &told.log {
            Some(message) => {
                log.push(filled(message, stepping));
                None
            }
            None => Some(Hit::Line(told.id, n_inside)),
        }
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
