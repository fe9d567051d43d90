//! The places at which a run stops, and the terms on which it does: a condition on values, and a number of hits.
//!
//! A line is *visited* once for each iteration of the loops around it, by however many ops came from it. Each visit on which the condition
//! holds is a hit. Hits are numbered in the order of the program, whichever way the run comes to them, so that the third stays the third
//! when one goes back over it.

use std::collections::BTreeMap;

use queries::stepping::{Op, Stepping};

use super::expressions::Expression;
use super::places::Places;
use super::visits::{LineVisit, visit_of};

/// The word between a condition and a number of hits.
const HITS: &str = "hits";

/// The hits at which a breakpoint stops the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hits {
    /// Each one whose number is a multiple of this.
    Each(u64),
    /// This one and all later ones.
    From(u64),
    /// This one alone.
    Only(u64),
}

impl Hits {
    /// Parses `5`, `== 5`, `>= 5`, `> 5` or `% 5`.
    pub fn parse(text: &str) -> Result<Hits, String> {
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

    pub(crate) fn stop_at(self, nth: u64) -> bool {
        match self {
            Hits::Each(number) => nth.is_multiple_of(number),
            Hits::From(number) => nth >= number,
            Hits::Only(number) => nth == number,
        }
    }
}

/// The terms of a breakpoint. Without any, it stops at every hit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopTerms {
    /// The text that they were parsed from.
    text: String,
    pub(crate) condition: Option<Expression>,
    pub(crate) hits: Option<Hits>,
}

impl StopTerms {
    /// Parses a condition and a number of hits, either of which may be left out.
    pub fn of(condition: Option<&str>, hits: Option<&str>) -> Result<StopTerms, String> {
        let [condition, hits] = [condition, hits].map(|text| text.map(str::trim).filter(|text| !text.is_empty()));
        let hits_text = hits.map(|hits| format!("{HITS} {hits}"));
        let text: Vec<&str> = condition.into_iter().chain(hits_text.as_deref()).collect();
        Ok(StopTerms {
            text: text.join(" "),
            condition: condition.map(Expression::parse).transpose()?,
            hits: hits.map(Hits::parse).transpose()?,
        })
    }

    /// Parses both from one line: `x > 3.0`, `hits % 5`, `all(x > 3.0) hits >= 5`.
    pub fn parse(text: &str) -> Result<StopTerms, String> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let stands_alone =
            |at: &usize| !text[..*at].ends_with(is_word) && !text[at + HITS.len()..].starts_with(is_word);
        match text.rmatch_indices(HITS).map(|(at, _)| at).find(stands_alone) {
            Some(at) => {
                let hits = &text[at + HITS.len()..];
                // The word is to be followed by a number.
                Hits::parse(hits)?;
                StopTerms::of(Some(&text[..at]), Some(hits))
            }
            None => StopTerms::of(Some(text), None),
        }
    }

    /// Returns the text that parses to them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.condition.is_none() && self.hits.is_none()
    }
}

/// The places at which a run stops.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stops {
    /// Lines of the source, from 0.
    pub lines: BTreeMap<u32, StopTerms>,
    /// Lines of the stage's text, from 0.
    pub text_lines: BTreeMap<usize, StopTerms>,
}

/// The place of a breakpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopPlace {
    /// A line of the source, from 0.
    Line(u32),
    /// A line of the stage's text, from 0.
    TextLine(usize),
}

/// A breakpoint at which a run stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopHit {
    /// The place.
    pub place: StopPlace,
    /// The number of calls from the line to where the run stands.
    pub n_inside: usize,
}

/// A breakpoint with what a run has made of it.
#[derive(Debug, Default)]
struct Breakpoint {
    terms: StopTerms,
    /// The last visit that was a hit, or on which a movement began.
    last: Option<LineVisit>,
    /// For breakpoints that count: the numbers of steps at which hits were, in order.
    hits_at: Vec<u64>,
    /// The reason why the condition has no value, as long as it had none anywhere.
    trouble: Option<String>,
    was_asked: bool,
}

impl Breakpoint {
    /// Returns true if the terms hold here, where the run came to the breakpoint.
    fn holds(&mut self, stepping: &Stepping) -> bool {
        let Some(condition) = &self.terms.condition else { return true };
        match condition.holds(stepping) {
            Ok(holds) => {
                (self.was_asked, self.trouble) = (true, None);
                holds
            }
            // A condition may be about what the line is yet to make: then the next op of the line is asked.
            Err(why) => {
                self.trouble = Some(why).filter(|_| !self.was_asked);
                false
            }
        }
    }

    /// Returns true if the hit has a number at which the breakpoint stops.
    fn counts(&mut self, n_steps: u64, is_back: bool) -> bool {
        let Some(hits) = self.terms.hits else { return true };
        let nth = match self.hits_at.binary_search(&n_steps) {
            Ok(at) => at + 1,
            // The way back comes to a visit by its last op, and it was counted by its first.
            Err(at) if is_back => at,
            Err(at) => {
                self.hits_at.insert(at, n_steps);
                at + 1
            }
        };
        hits.stop_at(nth as u64)
    }
}

/// The breakpoints of a run.
#[derive(Debug, Default)]
pub struct Breakpoints {
    at: BTreeMap<StopPlace, Breakpoint>,
    has_lines: bool,
    has_text_lines: bool,
}

impl Breakpoints {
    /// Sets the places, in place of all before. A breakpoint whose terms stay keeps its hits.
    pub fn set(&mut self, stops: &Stops) {
        let mut before = std::mem::take(&mut self.at);
        let lines = stops.lines.iter().map(|(line, terms)| (StopPlace::Line(*line), terms));
        let text_lines = stops.text_lines.iter().map(|(line, terms)| (StopPlace::TextLine(*line), terms));
        let mut kept = |place: StopPlace, terms: &StopTerms| {
            let same = before.remove(&place).filter(|breakpoint| breakpoint.terms == *terms);
            same.unwrap_or_else(|| Breakpoint { terms: terms.clone(), ..Breakpoint::default() })
        };
        self.at = lines.chain(text_lines).map(|(place, terms)| (place, kept(place, terms))).collect();
        (self.has_lines, self.has_text_lines) = (!stops.lines.is_empty(), !stops.text_lines.is_empty());
    }

    /// Returns true if there are none.
    pub fn are_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Begins a run: no hit was counted.
    pub fn start(&mut self) {
        for breakpoint in self.at.values_mut() {
            *breakpoint = Breakpoint { terms: std::mem::take(&mut breakpoint.terms), ..Breakpoint::default() };
        }
    }

    /// Begins a movement: the line on which the run stands is not hit again before it is left.
    pub fn leave(&mut self, stepping: &Stepping, places: &Places) {
        let here = stepping.next_op().and_then(|op| self.visit(stepping, places, op));
        for (place, breakpoint) in &mut self.at {
            let is_here = |(line, ..): &&(u32, usize, LineVisit)| *place == StopPlace::Line(*line);
            breakpoint.last = here.as_ref().filter(is_here).map(|(_, _, visit)| visit.clone());
        }
    }

    /// Returns the breakpoint at which a run stops where it has come to, on its way forth or back.
    pub fn hit(&mut self, stepping: &Stepping, places: &Places, is_back: bool) -> Option<StopHit> {
        if self.at.is_empty() {
            return None;
        }
        let op = stepping.next_op()?;
        if let Some(line) = places.starts_text_line(op).filter(|_| self.has_text_lines) {
            let place = StopPlace::TextLine(line);
            let stops = self
                .at
                .get_mut(&place)
                .is_some_and(|breakpoint| breakpoint.holds(stepping) && breakpoint.counts(stepping.n_steps(), is_back));
            if stops {
                return Some(StopHit { place, n_inside: 0 });
            }
        }
        let (line, n_inside, here) = self.visit(stepping, places, op).filter(|_| self.has_lines)?;
        let place = StopPlace::Line(line);
        let breakpoint = self.at.get_mut(&place)?;
        if breakpoint.last.as_ref().is_some_and(|last| last.contains(&here)) || !breakpoint.holds(stepping) {
            return None;
        }
        breakpoint.last = Some(here);
        breakpoint.counts(stepping.n_steps(), is_back).then_some(StopHit { place, n_inside })
    }

    /// Returns a condition that had no value wherever the run came to it, and why.
    pub fn trouble(&self) -> Option<(StopPlace, String)> {
        self.at.iter().find_map(|(place, breakpoint)| {
            let why = breakpoint.trouble.as_ref()?;
            Some((*place, format!("`{}`: {why}", breakpoint.terms.text)))
        })
    }

    /// The visit of a run to a line with a breakpoint.
    fn visit(&self, stepping: &Stepping, places: &Places, op: Op) -> Option<(u32, usize, LineVisit)> {
        visit_of(stepping, places, op, |line| self.at.contains_key(&StopPlace::Line(line)))
    }
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

    #[test]
    fn terms_are_a_condition_and_a_number_of_hits() {
        let parsed = |text: &str| StopTerms::parse(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        let x = Expression::parse("x > 3.0").expect("a condition");
        assert_eq!((parsed("x > 3.0").condition, parsed("x > 3.0").hits), (Some(x.clone()), None));
        assert_eq!((parsed("hits % 5").condition, parsed("hits % 5").hits), (None, Some(Hits::Each(5))));
        let both = parsed(" x > 3.0  hits >= 5");
        assert_eq!(
            (both.condition.clone(), both.hits, both.text()),
            (Some(x), Some(Hits::From(5)), "x > 3.0 hits >= 5")
        );
        assert_eq!(parsed(both.text()), both);
        assert!(parsed("").is_empty() && parsed("  ").is_empty());
        // A name that has the word in it is a name.
        assert_eq!(parsed("n_hits > 3").hits, None);
        for wrong in ["x >", "hits", "x hits y"] {
            assert!(StopTerms::parse(wrong).is_err(), "{wrong}");
        }
    }
}
