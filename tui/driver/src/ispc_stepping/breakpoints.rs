//! The places at which a run stops, and what it has made of them.

use std::collections::BTreeMap;

use super::history::RunState;
use super::looking::RunVariables;
use super::places::RunPlaces;
use crate::ispc_running::GivenArray;
use crate::stepping::breakpoints::StopPlace;
use crate::stepping::{StopTerms, Stops};

/// A breakpoint with what a run has made of it.
#[derive(Default)]
struct KnownStop {
    terms: StopTerms,
    /// For breakpoints that count: the numbers of steps at which hits were, in order.
    hits_at: Vec<u64>,
    /// The reason why the condition has no value, as long as it had none anywhere.
    trouble: Option<String>,
    was_asked: bool,
}

/// The breakpoints of a run.
#[derive(Default)]
pub(super) struct StopBook {
    at: BTreeMap<StopPlace, KnownStop>,
}

impl StopBook {
    /// Sets the places, in place of all before. A breakpoint whose terms stay keeps its hits. A line from which nothing came stands for
    /// the next one from which something did.
    pub(super) fn set(&mut self, stops: &Stops, places: &RunPlaces<'_>) {
        let lines =
            stops.lines.iter().filter_map(|(line, terms)| Some((StopPlace::Line(places.next_reached(*line)?), terms)));
        let text_lines = stops.text_lines.iter().map(|(line, terms)| (StopPlace::TextLine(*line), terms));
        let mut before = std::mem::take(&mut self.at);
        let kept = lines.chain(text_lines).map(|(place, terms)| {
            let same = before.remove(&place).filter(|stop| stop.terms == *terms);
            (place, same.unwrap_or_else(|| KnownStop { terms: terms.clone(), ..KnownStop::default() }))
        });
        self.at = kept.collect();
    }

    /// Begins a run: no hit was counted.
    pub(super) fn start(&mut self) {
        for stop in self.at.values_mut() {
            *stop = KnownStop { terms: std::mem::take(&mut stop.terms), ..KnownStop::default() };
        }
    }

    /// The breakpoint at which a run stops where it has come to, on its way forth or back.
    pub(super) fn hit<'l>(
        &mut self,
        now: &RunState<'l>,
        places: &RunPlaces<'l>,
        arrays: &[GivenArray<'_>],
        is_back: bool,
    ) -> Option<StopPlace> {
        if self.at.is_empty() {
            return None;
        }
        let op = now.next_op()?;
        let in_text = places.text_line(op).map(StopPlace::TextLine);
        let in_source = places.line(op).filter(|_| now.is_new_visit).map(StopPlace::Line);
        for place in [in_text, in_source].into_iter().flatten() {
            let Some(stop) = self.at.get_mut(&place) else { continue };
            if stop.holds(now, arrays) && stop.counts(now.n_steps, is_back) {
                return Some(place);
            }
        }
        None
    }

    /// A condition that had no value wherever the run came to it, and why.
    pub(super) fn trouble(&self) -> Option<(StopPlace, String)> {
        self.at.iter().find_map(|(place, stop)| {
            let why = stop.trouble.as_ref()?;
            Some((*place, format!("`{}`: {why}", stop.terms.text())))
        })
    }
}

impl KnownStop {
    /// Returns true if the condition holds here.
    fn holds(&mut self, now: &RunState<'_>, arrays: &[GivenArray<'_>]) -> bool {
        let Some(condition) = &self.terms.condition else { return true };
        match condition.holds(&RunVariables { now, arrays }) {
            Ok(holds) => {
                (self.was_asked, self.trouble) = (true, None);
                holds
            }
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
            Err(at) if is_back => at,
            Err(at) => {
                self.hits_at.insert(at, n_steps);
                at + 1
            }
        };
        hits.stop_at(nth as u64)
    }
}
