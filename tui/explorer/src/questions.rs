//! Questions to the analysis and its answers: plain data between two threads.
//!
//! Every part of an answer carries the key that it answers: the file, its version, and the request. The explorer
//! accepts a part only while it still wants exactly that key, so outdated parts are dropped whenever they arrive.

use std::sync::Arc;

use driver::ispc_files::HeaderArguments;
use driver::surface::Surface;
use driver::sweeping::SweepReport;
use queries::run::{ResultArray, Sample};
use queries::stages::{Options, STAGES};
use report::{Diagnostic, ItemKind, TextEdit, TextRange, TextSize};

use crate::goal::{Goal, Writing};
use crate::lanes::Stepped;
use crate::lessons::Step;
use crate::page::{Line, Page, Role};
use crate::pictures::{Drawing, PictureKey};

/// A version of the text of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// Number of the file in the explorer.
    pub file: usize,
    /// Version of its text.
    pub version: u64,
}

/// The identity of an item, which survives edits and moves.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Which {
    /// Kind of the item, by the keyword that opens it.
    pub kind: ItemKind,
    /// Name of the item.
    pub name: Arc<str>,
    /// Number of earlier items with this kind and name.
    pub nth: u32,
}

/// A question about a text, of one or several parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Name of the file.
    pub path: String,
    /// Text of the file.
    pub text: Arc<str>,
    /// Arguments for ISPC files.
    pub headers: Arc<HeaderArguments>,
    /// Parts that are requested; at least one.
    pub wanted: Wanted,
}

/// The keys of the requested parts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Colours, hints, findings and the outline.
    pub words: Option<WordsKey>,
    /// An item at a stage.
    pub stage: Option<StageKey>,
    /// The facts about a source position.
    pub place: Option<PlaceKey>,
    /// Data to run a kernel on.
    pub samples: Option<SamplesKey>,
    /// The progress of a lesson's task.
    pub lesson: Option<LessonKey>,
    /// A kernel on other targets, with other lanes and attributes.
    pub variants: Option<VariantsKey>,
    /// A picture.
    pub picture: Option<PictureKey>,
    /// The effect of a fix.
    pub preview: Option<PreviewKey>,
    /// Machine code of a kernel.
    pub assembly: Option<AssemblyKey>,
    /// Machine code for another goal, to be shown beside the first.
    pub beside: Option<AssemblyKey>,
}

impl Wanted {
    /// Returns true if no part is requested.
    pub fn is_empty(&self) -> bool {
        *self == Wanted::default()
    }

    /// Returns the target and lanes of all parts, or none if no part depends on them.
    pub fn made_for(&self) -> Option<Options> {
        let words = self.words.as_ref().map(|key| key.options);
        let stage = self.stage.as_ref().map(|key| key.options);
        let place = self.place.as_ref().map(|key| key.options);
        let variants = self.variants.as_ref().map(|key| key.goal.options);
        let picture = self.picture.as_ref().map(|key| key.options);
        words.or(stage).or(place).or(self.lesson.as_ref().map(|key| key.options)).or(variants).or(picture)
    }
}

/// Request for the colours, hints, findings and outline of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordsKey {
    /// Version of the text.
    pub of: Version,
    /// Range to compute colours and hints for; findings and outline cover the whole text.
    pub range: TextRange,
    /// Target and lanes that the hints assume.
    pub options: Options,
}

/// Request for an item at a stage, compared with another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageKey {
    /// Version of the text.
    pub of: Version,
    /// Item to show.
    pub item: Which,
    /// Index of the stage in the list.
    pub stage: usize,
    /// Target and lanes to compile for.
    pub options: Options,
    /// Version to compare with.
    pub against: Against,
}

/// The version that a stage is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Against {
    /// No comparison.
    #[default]
    Nothing,
    /// The stage before it in the list.
    Before,
    /// Lines that the stage had earlier.
    Lines(Arc<Vec<String>>),
}

/// Request for the machine code of a kernel, compared with another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblyKey {
    /// Version of the text.
    pub of: Version,
    /// Kernel to compile.
    pub item: Which,
    /// Target to compile for.
    pub goal: Goal,
    /// Notation of the machine code.
    pub writing: Writing,
    /// Version to compare with.
    pub against: Compared,
}

/// The version that machine code is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Compared {
    /// No comparison.
    #[default]
    Nothing,
    /// Machine code of this kernel for another goal.
    Goal(Goal),
    /// Lines that the machine code had earlier.
    Lines(Arc<Vec<String>>),
}

/// Request for the facts about a source position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceKey {
    /// Version of the text.
    pub of: Version,
    /// Byte offset of the position.
    pub at: TextSize,
    /// Target and lanes that the facts assume.
    pub options: Options,
}

/// Request for data to run a kernel on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesKey {
    /// Version of the text.
    pub of: Version,
    /// Kernel to run.
    pub item: Which,
    /// The integers that the user has set, from which sizes of arrays follow.
    pub given: Vec<(String, i128)>,
}

/// Request for the progress of a lesson's task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LessonKey {
    /// Version of the text.
    pub of: Version,
    /// The lesson, by its number in the list.
    pub lesson: usize,
    /// Target and lanes that the facts assume.
    pub options: Options,
}

/// Request for the variants of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantsKey {
    /// Version of the text.
    pub of: Version,
    /// Kernel to compare.
    pub item: Which,
    /// The goal that all is compared with.
    pub goal: Goal,
}

/// Request for the effect of an edit before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewKey {
    /// Version of the text.
    pub of: Version,
    /// Edits to preview.
    pub edits: Vec<TextEdit>,
}

/// An answer to one part of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Colours, hints, findings and the outline.
    Words(WordsKey, Words),
    /// An item at a stage.
    Stage(StageKey, StageView),
    /// The facts about a source position.
    Place(PlaceKey, Vec<Line>),
    /// Machine code of a kernel.
    Assembly(AssemblyKey, AssemblyView),
    /// Data to run a kernel on; empty for items that are no kernels or cannot be lowered.
    Samples(SamplesKey, Vec<Sample>),
    /// The steps of a lesson's task.
    Lesson(LessonKey, Vec<Step>),
    /// A kernel on other targets, with other lanes and attributes.
    Variants(VariantsKey, Page),
    /// A picture.
    Picture(PictureKey, Drawing),
    /// The effect of an edit.
    Preview(PreviewKey, Preview),
    /// A crash of the analysis on this question, with its message: a bug in the analysis.
    Failed(Box<Wanted>, String),
    /// Progress of a run.
    Running(Run, Page),
    /// Outcome of a run.
    Ran(Run, RunReport),
    /// Answer to the request with this number about the run that is stepped through.
    Lanes(u64, Stepped),
}

/// The word-level information about a text.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Words {
    /// The roles of words, in order and without overlap.
    pub roles: Vec<(TextRange, Role)>,
    /// Texts to show between words, in order.
    pub hints: Vec<Inlay>,
    /// Findings, in the order of their positions.
    pub diagnostics: Vec<Diagnostic>,
    /// The items that have names, in order.
    pub outline: Vec<OutlineItem>,
}

/// A text that is shown between words.
#[derive(Debug, Clone, PartialEq)]
pub struct Inlay {
    /// Byte offset that it is shown at.
    pub at: TextSize,
    /// Text to show.
    pub text: String,
    /// Role of the text.
    pub role: Role,
}

/// An item of the outline.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineItem {
    /// Identity of the item.
    pub which: Which,
    /// Parameters and result, or the type, as written in the source.
    pub detail: String,
    /// Range of the whole item.
    pub range: TextRange,
    /// Range of the item's name.
    pub name: TextRange,
}

/// An item at a stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StageView {
    /// Lines of the item, or the reason why there are none.
    pub page: Page,
    /// For each stage, true if it changed the item; `None` for stages that the item does not reach.
    pub changed: Vec<Option<bool>>,
    /// True if the item, or what it calls, has errors.
    pub broken: bool,
    /// True if the item has no errors, and all of it reached the stage.
    pub good: bool,
    /// Number of parts that did not reach the stage.
    pub n_missing: usize,
    /// Lines without marks.
    pub lines: Arc<Vec<String>>,
    /// The verdicts about the loops of the item, in the order of their positions.
    pub verdicts: Vec<Verdict>,
}

/// The verdict about a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Range of the loop's header.
    pub range: TextRange,
    /// True if some of the loop runs as lanes.
    pub has_lanes: bool,
    /// Verdict in a few words.
    pub headline: String,
}

/// Machine code of a kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AssemblyView {
    /// Lines of the machine code, or the reason why there are none.
    pub page: Page,
    /// Lines without marks; empty where there is no machine code.
    pub lines: Arc<Vec<String>>,
}

/// The effect of an edit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preview {
    /// Numbers of errors, warnings and notes before the edit.
    pub before: [usize; 3],
    /// Numbers of errors, warnings and notes after the edit.
    pub after: [usize; 3],
    /// Changed lines, as a diff.
    pub lines: Vec<Line>,
}

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunReport {
    /// Its page.
    pub page: Page,
    /// The arrays that the kernel has written, of a run that was made for its results.
    pub arrays: Option<Arc<Vec<ResultArray>>>,
    /// The rows of a sweep, which lines of the page offer to keep.
    pub sweep: Option<Arc<SweepReport>>,
}

impl From<Page> for RunReport {
    fn from(page: Page) -> RunReport {
        RunReport { page, ..RunReport::default() }
    }
}

/// Request for a run of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Version of the text.
    pub of: Version,
    /// Kernel to run.
    pub item: Which,
    /// Arguments as name and typed text.
    pub arguments: Vec<(String, String)>,
    /// Target to compile for.
    pub goal: Goal,
    /// Engine and mode of the run.
    pub how: How,
    /// Arguments for ISPC files.
    pub headers: Arc<HeaderArguments>,
}

/// The mode of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// A single run, for its results.
    Once(Engine),
    /// Repeated runs of the machine code, for its running time.
    Measured,
    /// Repeated runs over sizes of data, lanes and targets.
    Swept,
}

/// An engine that can run a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The interpreter, on the kernel at the stage with this index in the list.
    Stage(usize),
    /// The reference evaluator of the language.
    Source,
    /// Machine code on this machine.
    Native,
}

impl Engine {
    /// Returns all engines of a surface, in the order they are offered.
    pub fn all(surface: Surface) -> Vec<Engine> {
        let stages = surface.stages().iter().enumerate().filter(|(_, stage)| stage.runs);
        let stages = stages.map(|(n, _)| Engine::Stage(n));
        let source = (surface == Surface::Lane).then_some(Engine::Source);
        stages.chain(source).chain([Engine::Native]).collect()
    }

    /// Returns the engine that stands for this one in another surface: the last one of its interpreters for those that it has not.
    pub fn in_surface(self, surface: Surface) -> Engine {
        match self {
            Engine::Native => Engine::Native,
            Engine::Source if surface == Surface::Lane => Engine::Source,
            Engine::Stage(n) if n < surface.stages().len() => Engine::Stage(n),
            Engine::Stage(_) | Engine::Source => Engine::Stage(surface.stages().len() - 1),
        }
    }

    /// Returns the display name.
    pub fn name(self, surface: Surface) -> &'static str {
        match self.in_surface(surface) {
            Engine::Stage(n) => surface.stages()[n].name,
            Engine::Source => "evaluator",
            Engine::Native => "native",
        }
    }

    /// Returns a short explanation for the picker.
    pub fn description(self) -> &'static str {
        match self {
            Engine::Stage(_) => "the interpreter, on the program at this stage",
            Engine::Source => "the plain evaluator of the language, on the program as it is written",
            Engine::Native => "this machine, by machine code, after a look for errors by the interpreter",
        }
    }
}

impl Default for Engine {
    /// Returns the interpreter at the stage whose errors name their iteration.
    fn default() -> Engine {
        let usual = queries::stages::in_order().name;
        Engine::Stage(STAGES.iter().position(|stage| stage.name == usual).unwrap_or(0))
    }
}
