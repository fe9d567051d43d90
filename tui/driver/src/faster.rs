//! The changes of a kernel that make it faster on this machine, found by trying all that are known.
//!
//! Each change is made on a copy of the text. What has errors then, or other parameters, is out, and so is what comes to the same machine code.
//! The others run on several sets of data, beside the kernel as it is, and both are timed in turns, so that what else the machine does is in both
//! times; of these the least count. A change gains if it is faster by more than the turns differ.
//!
//! The best change is kept, and all are tried again on top of it: first those alone that keep every bit, then any.

use std::borrow::Cow;
use std::ops::ControlFlow;

use native::emit::{self, Input, ModuleOptions, Source};
use native::protocol::{Failure, Guard, Job};
use queries::db::Item;
use queries::run::{Argument, DataSource, Inputs, NotRun, RunOutcome};
use queries::stages::Options;
use queries::stages::target::Target;
use report::{TextEdit, apply_edits};
use serde::Serialize;

use crate::document::Document;
use crate::machine_code::{self, Kernel, NoCode};
use crate::measuring::{Ask, not_run, times};
use crate::running::natively;
use crate::spec;

mod results;

pub use results::ResultsEffect;

use results::effect;

/// The kernel that is to be made faster, and how that is measured.
pub struct SpeedSearch<'a> {
    /// The name of the kernel.
    pub kernel: &'a str,
    /// The target of the passes.
    pub row: &'static Target,
    /// The target that LLVM makes code for.
    pub machine: Target,
    /// The options of the passes.
    pub options: Options,
    /// The arguments that are given.
    pub given: &'a [Argument],
    /// The time for which each change is measured, and for which the kernel as it is is measured beside it, in milliseconds.
    pub milliseconds: u64,
}

/// The changes of a kernel, with what each does.
#[derive(Debug)]
pub struct SpeedReport {
    /// The name of the kernel.
    pub kernel: String,
    /// The target that code was made for.
    pub target: &'static str,
    /// The data that was chosen for parameters without an argument, as `NAME=SPEC`.
    pub chosen: Vec<String>,
    /// All changes of the kernel as it is, each by itself: the fastest first, then those that were not measured.
    pub changes: Vec<TriedChange>,
    /// The best changes on top of each other, with the same bits; nothing where none gains.
    pub same_bits: Option<ChangesTogether>,
    /// Changes that may give other bits among them, if that gains more.
    pub any_bits: Option<ChangesTogether>,
}

/// A change that was tried.
#[derive(Debug, Clone)]
pub struct TriedChange {
    /// The change in a few words.
    pub title: String,
    /// The effect on results that the language allows it, as a sentence; nothing where it has to keep them.
    pub allows: &'static str,
    /// The edits that make it.
    pub edits: Vec<TextEdit>,
    /// The outcome of the trial.
    pub fate: ChangeFate,
}

/// The outcome of a change's trial.
#[derive(Debug, Clone)]
pub enum ChangeFate {
    /// The change was measured.
    Measured {
        /// The time of the kernel before, in times of the changed one: above 1 where that is faster.
        times: f64,
        /// The distance from that of the same of thirds of the turns.
        spread: f64,
        /// True if it is faster by more than thirds of the turns differ.
        gains: bool,
        /// The effect on results.
        results: ResultsEffect,
    },
    /// The machine code stays the same.
    SameCode,
    /// The kernel's parameters are others then, so who calls it would have to be changed, too.
    OtherParameters,
    /// There is no code for it, or it was stopped.
    Refused {
        /// The reason, as a sentence.
        why: String,
    },
}

/// Changes on top of each other.
#[derive(Debug, Clone, Serialize)]
pub struct ChangesTogether {
    /// The changes, in order.
    pub titles: Vec<String>,
    /// The time of the kernel as it is, in times of the one with all changes.
    pub times: f64,
    /// The distance from that of the same of thirds of the turns.
    pub spread: f64,
    /// Their effect on results.
    pub results: ResultsEffect,
    /// The text with all changes.
    pub text: String,
}

/// The sizes of short runs: below, at and above whole groups of lanes.
const LENGTHS: [i128; 7] = [1, 3, 8, 17, 33, 64, 100];

/// The turns in which two kernels are timed, and the most of them.
const TURNS: usize = 5;
const MOST_TURNS: usize = 3 * TURNS;

/// The parts of the turns that have to agree.
const THIRDS: usize = 3;

/// The most changes that are put on top of each other.
const MOST_CHANGES: usize = 4;

/// The most changes of a round that are measured once more, and the most of those beside each other, since they come near to the best one.
const MOST_AGAIN: usize = 6;
const MOST_NEAR: usize = 3;

/// The share by which a change has to be faster by more than its turns differ.
const LEAST_GAIN: f64 = 0.02;

/// The steps that a short run may take.
const STEPS: u64 = 5_000_000;

/// Takes the number of changes that were tried in a round, that of all of them, and the title of the one that is tried next; a break ends the
/// search.
pub type SearchProgress<'a> = dyn FnMut(usize, usize, &str) -> ControlFlow<()> + 'a;

/// Tries all changes of a kernel. `ask` hands jobs to a worker.
pub fn search(
    document: &Document,
    wanted: &SpeedSearch<'_>,
    ask: &Ask<'_>,
    told: &mut SearchProgress<'_>,
) -> Result<SpeedReport, NoCode> {
    if !native::host::runs(wanted.row) {
        return Err(NoCode::Trouble(format!("this machine does not run code for `{}`", wanted.row.name)));
    }
    let item = document.kernel_named(wanted.kernel).map_err(NoCode::Trouble)?;
    let errors = machine_code::errors(document, &[item]);
    if !errors.is_empty() {
        return Err(NoCode::Errors(errors));
    }
    let filled = queries::run::to_measure(document.db(), item, wanted.given).unwrap_or_default();
    let chosen = spec::all_spelled(&filled);
    let large: Vec<Argument> = wanted.given.iter().cloned().chain(filled).collect();
    let mut runs = vec![large.clone()];
    runs.extend(LENGTHS.into_iter().enumerate().filter_map(|(seed, length)| {
        let left = queries::run::of_length(document.db(), item, wanted.given, length)?;
        let arguments = wanted.given.iter().cloned().chain(with_random_floats(document, item, left, seed as u64 + 1));
        let arguments: Vec<Argument> = arguments.collect();
        runs_to_its_end(document, item, &arguments).then_some(arguments)
    }));
    let trier = Trier { wanted, runs: &runs, ask };
    let start = trier.variant(document).map_err(|fate| NoCode::Trouble(fate.in_words()))?;
    if let Some(Err(why)) = start.results.first() {
        return Err(NoCode::Stopped(why.clone()));
    }
    let mut changes = trier.round(document, &start, &start, told)?;
    changes.sort_by(|a, b| b.fate.times().total_cmp(&a.fate.times()));
    let same_bits = trier.together(document, &start, &changes, true, told)?;
    let mut any_bits = trier.together(document, &start, &changes, false, told)?;
    if let (Some(same), Some(any)) = (&same_bits, &any_bits)
        && any.times - any.spread <= same.times + same.spread
    {
        any_bits = None;
    }
    // Changes that keep every bit are told as that.
    any_bits = any_bits.filter(|any| any.results.differ > 0 || same_bits.is_none());
    Ok(SpeedReport { kernel: wanted.kernel.to_owned(), target: wanted.row.name, chosen, changes, same_bits, any_bits })
}

/// The speed of a kernel in a second text, in times of that in a first one, with how sure that is.
pub fn times_as_fast(
    before: &Document,
    after: &Document,
    wanted: &SpeedSearch<'_>,
    ask: &Ask<'_>,
) -> Result<(f64, f64), String> {
    let item = before.kernel_named(wanted.kernel)?;
    let filled = queries::run::to_measure(before.db(), item, wanted.given).unwrap_or_default();
    let runs = [wanted.given.iter().cloned().chain(filled).collect()];
    let trier = Trier { wanted, runs: &runs, ask };
    let of = |document: &Document| trier.unrun(document).map_err(|fate| fate.in_words());
    trier.beside(&of(before)?, &of(after)?, MOST_TURNS).map_err(|fate| fate.in_words())
}

/// Sums of whole numbers are exact in any order, so floats are random.
fn with_random_floats(document: &Document, item: Item<'_>, arguments: Vec<Argument>, seed: u64) -> Vec<Argument> {
    let samples = queries::run::sample(document.db(), item, &[]).unwrap_or_default();
    let is_float = |name: &str| {
        let sample = samples.iter().find(|sample| sample.name == name);
        sample.is_some_and(|sample| ["f16[", "bf16[", "f32[", "f64["].iter().any(|of| sample.ty.starts_with(of)))
    };
    let with_own = |argument: Argument| match argument.source {
        DataSource::Ramp(n) if is_float(&argument.name) => Argument { source: DataSource::Random(n, seed), ..argument },
        _ => argument,
    };
    arguments.into_iter().map(with_own).collect()
}

fn runs_to_its_end(document: &Document, item: Item<'_>, arguments: &[Argument]) -> bool {
    let engine = queries::run::Engine::Interp(queries::stages::in_order(), Options::default());
    let ran = queries::run::run(document.db(), item, engine, arguments, STEPS, &mut || false);
    ran.is_ok_and(|outcome| outcome.failure.is_none())
}

/// A way to write the kernel.
struct SpeedVariant {
    /// The kernel after all passes, as LLVM IR without places.
    ir: String,
    /// The kernel in order, with its parameters.
    sequential: Kernel,
    last: Kernel,
    source: Source,
    /// The inputs of the measured run.
    inputs: Inputs,
    /// The results of each run, or why there are none.
    results: Vec<Result<RunOutcome, String>>,
}

struct Trier<'a> {
    wanted: &'a SpeedSearch<'a>,
    /// The data of each run; the first one is timed.
    runs: &'a [Vec<Argument>],
    ask: &'a Ask<'a>,
}

impl Trier<'_> {
    /// The kernel in a text, with the results of all runs.
    fn variant(&self, document: &Document) -> Result<SpeedVariant, ChangeFate> {
        let mut variant = self.unrun(document)?;
        variant.results = self.results(document)?;
        Ok(variant)
    }

    fn unrun(&self, document: &Document) -> Result<SpeedVariant, ChangeFate> {
        let refused = |why: String| ChangeFate::Refused { why };
        let item = document.kernel_named(self.wanted.kernel).map_err(refused)?;
        if let Some(error) = machine_code::errors(document, &[item]).first() {
            return Err(refused(error.message.clone()));
        }
        let (sequential, inputs) =
            queries::run::prepare(document.db(), item, &self.runs[0]).map_err(|why| match why {
                NotRun::Stopped(why) => refused(why),
                NotRun::Missing(_) | NotRun::Unfit(_) => ChangeFate::OtherParameters,
            })?;
        let nothing = || refused("nothing becomes of the kernel".to_owned());
        let last = machine_code::finished(document, item, self.wanted.options).ok_or_else(nothing)?;
        let input = Input { kernel: &last, source: &Source::default() };
        let ir = emit::emit(&[input], &self.wanted.machine, ModuleOptions::default());
        let ir = ir.map_err(|why| refused(why.to_string()))?;
        let source = machine_code::source(document, item);
        Ok(SpeedVariant { ir, sequential, last, source, inputs, results: Vec::new() })
    }

    fn results(&self, document: &Document) -> Result<Vec<Result<RunOutcome, String>>, ChangeFate> {
        let item = document.kernel_named(self.wanted.kernel).map_err(|why| ChangeFate::Refused { why })?;
        let ask = |job: Job, memory: &[u8]| (self.ask)(job, memory).map_err(|why| Failure::Refused(in_words(why)));
        let run = |arguments: &Vec<Argument>| {
            let SpeedSearch { options, machine, .. } = self.wanted;
            let ran = natively(document, item, arguments, *options, machine, Some(1), ask);
            ran.map_err(|why| in_words(not_run(why)))?.map_err(|why| why.to_string())
        };
        Ok(self.runs.iter().map(run).collect())
    }

    /// Tries all changes of a text, whose kernel is `present`; results are held against those of the kernel as it was at `first`.
    fn round(
        &self,
        document: &Document,
        present: &SpeedVariant,
        first: &SpeedVariant,
        told: &mut SearchProgress<'_>,
    ) -> Result<Vec<TriedChange>, NoCode> {
        let Ok(item) = document.kernel_named(self.wanted.kernel) else { return Ok(Vec::new()) };
        let candidates = ide::faster::candidates(document.db(), item);
        let n_all = candidates.len();
        let tried = candidates.into_iter().enumerate().map(|(n_done, candidate)| {
            if told(n_done, n_all, &candidate.title).is_break() {
                return Err(NoCode::Stopped("the search was cancelled".to_owned()));
            }
            let changed = self.changed(document, &candidate.edits);
            let may_change_bits = !candidate.results.is_empty();
            let fate = self.fate(&changed, present, first, may_change_bits).unwrap_or_else(|fate| fate);
            Ok(TriedChange { title: candidate.title, allows: candidate.results, edits: candidate.edits, fate })
        });
        tried.collect()
    }

    fn changed(&self, document: &Document, edits: &[TextEdit]) -> Document {
        let text = apply_edits(&document.text, edits);
        Document::among(document.name.clone(), text, &document.around()).made_for(&[self.wanted.options])
    }

    fn fate(
        &self,
        changed: &Document,
        present: &SpeedVariant,
        first: &SpeedVariant,
        may_change_bits: bool,
    ) -> Result<ChangeFate, ChangeFate> {
        let mut variant = self.unrun(changed)?;
        if variant.inputs != present.inputs || !has_same_parameters(&variant.sequential, &present.sequential) {
            return Err(ChangeFate::OtherParameters);
        }
        if variant.ir == present.ir {
            return Err(ChangeFate::SameCode);
        }
        variant.results = self.results(changed)?;
        let own = effect(&present.results, &variant.results)?;
        if own.differ > 0 && !may_change_bits {
            let why = format!("its results would be others, which it may not change: {}", own.in_words());
            return Err(ChangeFate::Refused { why });
        }
        let results = effect(&first.results, &variant.results)?;
        let (times, spread) = self.beside(present, &variant, TURNS)?;
        let gains = is_gain(times, spread);
        Ok(ChangeFate::Measured { times, spread, gains, results })
    }

    /// The speed of the second of two kernels in times of the first one's, of the least times in so many turns, and how sure that is. Where the
    /// turns leave open whether that is a gain, there are more of them.
    fn beside(
        &self,
        before: &SpeedVariant,
        after: &SpeedVariant,
        least_turns: usize,
    ) -> Result<(f64, f64), ChangeFate> {
        let each = (self.wanted.milliseconds / TURNS as u64).max(1);
        let time = |variant: &SpeedVariant| -> Result<f64, ChangeFate> {
            let job =
                native::run::job(&variant.last, &variant.source, &self.wanted.machine, &variant.inputs, Guard::End);
            let (job, memory) = job.map_err(|why| ChangeFate::Refused { why: why.to_string() })?;
            let taken =
                times(job, &memory, each, self.ask).map_err(|why| ChangeFate::Refused { why: in_words(why) })?;
            // Whatever else the machine does makes runs longer, never shorter.
            Ok(taken.into_iter().fold(f64::NAN, f64::min))
        };
        let mut turns = Vec::new();
        loop {
            for _ in 0..if turns.is_empty() { least_turns } else { TURNS } {
                turns.push((time(before)?, time(after)?));
            }
            let (times, spread) = of_least(&turns);
            let is_open = times > 1.0 + LEAST_GAIN && !is_gain(times, spread);
            if !is_open || turns.len() >= MOST_TURNS {
                return Ok((times, spread));
            }
        }
    }

    /// Puts the best changes on top of each other, as long as that gains; `changes` are those of the kernel as it is.
    fn together(
        &self,
        document: &Document,
        start: &SpeedVariant,
        changes: &[TriedChange],
        keeps_bits: bool,
        told: &mut SearchProgress<'_>,
    ) -> Result<Option<ChangesTogether>, NoCode> {
        let is_wanted = |change: &TriedChange| match &change.fate {
            ChangeFate::Measured { gains, results, .. } => {
                *gains && (!keeps_bits || results.differ == 0 && change.allows.is_empty())
            }
            _ => false,
        };
        let mut titles = Vec::new();
        let mut last: Option<(Document, SpeedVariant)> = None;
        let mut round = Cow::Borrowed(changes);
        while titles.len() < MOST_CHANGES {
            let (text, present) = last.as_ref().map_or((document, start), |(text, present)| (text, present));
            let wanted: Vec<&TriedChange> = round.iter().filter(|change| is_wanted(change)).collect();
            let Some((title, changed, variant)) = self.best(text, present, wanted) else { break };
            titles.push(title);
            if titles.len() < MOST_CHANGES {
                round = Cow::Owned(self.round(&changed, &variant, start, told)?);
            }
            last = Some((changed, variant));
        }
        let together = last.and_then(|(changed, last)| self.measured_again(start, changed, last, titles));
        Ok(together)
    }

    /// The best of some changes, measured once more beside those that come near to it: its gain may have been something else that the machine did,
    /// and then the next ones have their turn.
    fn best(
        &self,
        document: &Document,
        present: &SpeedVariant,
        mut wanted: Vec<&TriedChange>,
    ) -> Option<(String, Document, SpeedVariant)> {
        wanted.sort_by(|a, b| b.fate.times().total_cmp(&a.fate.times()));
        wanted.truncate(MOST_AGAIN);
        while let Some(first) = wanted.first() {
            let least = first.fate.range().0;
            let near = wanted.iter().take(MOST_NEAR).take_while(|change| change.fate.range().1 >= least).count();
            let again = wanted.drain(..near).filter_map(|change| {
                let changed = self.changed(document, &change.edits);
                let variant = self.unrun(&changed).ok()?;
                let (times, spread) = self.beside(present, &variant, 2 * TURNS).ok()?;
                is_gain(times, spread).then_some((times, change, changed, variant))
            });
            if let Some((_, change, changed, mut variant)) = again.max_by(|(a, ..), (b, ..)| a.total_cmp(b)) {
                variant.results = self.results(&changed).ok()?;
                return Some((change.title.clone(), changed, variant));
            }
        }
        None
    }

    /// The changes of a text as they were put on top of each other, measured beside the kernel as it was.
    fn measured_again(
        &self,
        start: &SpeedVariant,
        changed: Document,
        last: SpeedVariant,
        titles: Vec<String>,
    ) -> Option<ChangesTogether> {
        let results = effect(&start.results, &last.results).ok()?;
        let (times, spread) = self.beside(start, &last, MOST_TURNS).ok()?;
        let together = ChangesTogether { titles, times, spread, results, text: changed.text };
        is_gain(times, spread).then_some(together)
    }
}

impl ChangeFate {
    /// The speed of the changed kernel in times of the one before; 0 where that was not measured.
    pub fn times(&self) -> f64 {
        match self {
            ChangeFate::Measured { times, .. } => *times,
            _ => 0.0,
        }
    }

    /// The least and the most that it is likely to be.
    fn range(&self) -> (f64, f64) {
        match self {
            ChangeFate::Measured { times, spread, .. } => (times - spread, times + spread),
            _ => (0.0, 0.0),
        }
    }

    /// The reason why a change was not measured, in words.
    pub fn in_words(&self) -> String {
        match self {
            ChangeFate::Measured { .. } => String::new(),
            ChangeFate::SameCode => "it comes to the same machine code".to_owned(),
            ChangeFate::OtherParameters => {
                "the kernel has other parameters then, so its callers would change".to_owned()
            }
            ChangeFate::Refused { why } => why.clone(),
        }
    }
}

fn in_words(why: NoCode) -> String {
    match why {
        NoCode::Errors(errors) => errors.into_iter().next().map_or_else(String::new, |error| error.message),
        NoCode::Trouble(words) | NoCode::Stopped(words) => words,
    }
}

/// The ratio of the least times of two kernels over all turns, and the distance from it of those of every third turn. A machine that is busy
/// with something else makes most turns longer, by half at times, but hardly all of them: where thirds of the turns come to the same ratio, it is
/// that of the kernels.
fn of_least(turns: &[(f64, f64)]) -> (f64, f64) {
    let ratio = |turns: &mut dyn Iterator<Item = &(f64, f64)>| {
        let least = turns.fold((f64::NAN, f64::NAN), |least, turn| (least.0.min(turn.0), least.1.min(turn.1)));
        least.0 / least.1
    };
    let times = ratio(&mut turns.iter());
    let thirds = (0..THIRDS.min(turns.len())).map(|first| ratio(&mut turns.iter().skip(first).step_by(THIRDS)));
    (times, thirds.map(|third| (third - times).abs()).fold(0.0, f64::max))
}

/// Says whether a kernel that is so many times as fast gains by more than its turns differ.
fn is_gain(times: f64, spread: f64) -> bool {
    times - spread > 1.0 + LEAST_GAIN
}

/// Says whether two kernels are called in the same way.
fn has_same_parameters(a: &Kernel, b: &Kernel) -> bool {
    let types = |of: &Kernel| of.params.iter().map(|param| of.ty(param.value)).collect::<Vec<_>>();
    a.params == b.params && types(a) == types(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_times_are_held_against_each_other() {
        let shown = |turns: &[(f64, f64)]| {
            let (times, spread) = of_least(turns);
            format!("{times:.2} ± {spread:.2}")
        };
        assert_eq!(shown(&[(3.0, 2.0)]), "1.50 ± 0.00");
        // Something came into most turns of one or the other, and into none of the least.
        let busy = [(3.0, 2.0), (6.0, 2.0), (3.0, 9.0), (3.0, 4.0), (3.0, 7.0), (5.0, 2.0)];
        assert_eq!(shown(&busy), "1.50 ± 0.00");
        // A third in which all turns of one were longer leaves it open.
        assert_eq!(shown(&[(3.0, 2.0), (3.0, 2.0), (6.0, 2.0), (3.0, 2.0), (3.0, 2.0), (6.0, 2.5)]), "1.50 ± 1.50");
        assert!(is_gain(1.25, 0.125) && !is_gain(1.25, 0.25));
    }
}
