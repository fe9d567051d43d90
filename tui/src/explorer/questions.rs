//! What the explorer asks the analysis, and what it hears: plain data between two threads.
//!
//! Every part of an answer carries the key it is the answer to: which file in which version, and what was wanted of
//! it. The explorer keeps a part only while it still wants that very key, so what is out of date falls away by itself,
//! whenever it comes.

use std::sync::Arc;

use analysis::run::Sample;
use analysis::stages::{Options, STAGES};
use syntax::{Diagnostic, ItemKind, TextEdit, TextRange, TextSize};

use crate::explorer::goal::{Goal, Writing};
use crate::explorer::page::{Line, Page, Role};

/// A text: which file, and which of its versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    /// The file's number in the explorer.
    pub file: usize,
    /// The version of its text.
    pub version: u64,
}

/// An item by what stays the same while it is edited and moved.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Which {
    /// What its line starts with.
    pub kind: ItemKind,
    /// Its name.
    pub name: Arc<str>,
    /// How many of that kind and name stand before it.
    pub nth: u32,
}

/// What all is wanted to be known about a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The name of the file.
    pub path: String,
    /// Its text.
    pub text: Arc<str>,
    /// What is wanted of it; not empty.
    pub wanted: Wanted,
}

/// The keys of the parts that are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    /// Colours, hints, findings and the outline.
    pub words: Option<WordsKey>,
    /// An item at a stage.
    pub stage: Option<StageKey>,
    /// What is known about a place.
    pub place: Option<PlaceKey>,
    /// Data to run a kernel on.
    pub samples: Option<SamplesKey>,
    /// What a fix would change.
    pub preview: Option<PreviewKey>,
    /// A kernel's machine code.
    pub assembly: Option<AssemblyKey>,
    /// The same for something else, to be seen beside it.
    pub beside: Option<AssemblyKey>,
}

impl Wanted {
    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        *self == Wanted::default()
    }

    /// The target that all parts are about, if a part depends on it.
    pub fn made_for(&self) -> Option<Options> {
        let words = self.words.as_ref().map(|key| key.options);
        words.or(self.stage.as_ref().map(|key| key.options)).or(self.place.as_ref().map(|key| key.options))
    }
}

/// The text in a range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordsKey {
    /// The text.
    pub of: Version,
    /// The range whose colours and hints are wanted; findings and outline are of the whole text.
    pub range: TextRange,
    /// What the lanes in hints are made for.
    pub options: Options,
}

/// An item at a stage, compared with something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageKey {
    /// The text.
    pub of: Version,
    /// The item.
    pub item: Which,
    /// The stage's place in the list.
    pub stage: usize,
    /// What it is made for.
    pub options: Options,
    /// What it is compared with.
    pub against: Against,
}

/// What a stage is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Against {
    /// Nothing.
    #[default]
    Nothing,
    /// The stage before.
    Before,
    /// The lines that it had.
    Lines(Arc<Vec<String>>),
}

/// A kernel's machine code, compared with something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssemblyKey {
    /// The text.
    pub of: Version,
    /// The kernel.
    pub item: Which,
    /// What it is made for.
    pub goal: Goal,
    /// How it is written.
    pub writing: Writing,
    /// What it is compared with.
    pub against: Compared,
}

/// What machine code is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Compared {
    /// Nothing.
    #[default]
    Nothing,
    /// What is made of the same kernel for something else.
    Goal(Goal),
    /// The lines that it had.
    Lines(Arc<Vec<String>>),
}

/// A place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceKey {
    /// The text.
    pub of: Version,
    /// The place.
    pub at: TextSize,
    /// What the lanes there are made for.
    pub options: Options,
}

/// A kernel to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplesKey {
    /// The text.
    pub of: Version,
    /// The kernel.
    pub item: Which,
    /// The integers that were said: sizes follow them.
    pub given: Vec<(String, i128)>,
}

/// A change to judge before it is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewKey {
    /// The text.
    pub of: Version,
    /// The change.
    pub edits: Vec<TextEdit>,
}

/// An answer to a part of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Colours, hints, findings and the outline.
    Words(WordsKey, Words),
    /// An item at a stage.
    Stage(StageKey, StageView),
    /// What is known about a place.
    Place(PlaceKey, Vec<Line>),
    /// A kernel's machine code.
    Assembly(AssemblyKey, AssemblyView),
    /// Data to run a kernel on; none for what is no kernel, or is not lowered.
    Samples(SamplesKey, Vec<Sample>),
    /// What a change would do.
    Preview(PreviewKey, Preview),
    /// The analysis failed on this question: a mistake in the analysis, told in its words.
    Failed(Box<Wanted>, String),
    /// What a run has told so far.
    Running(Run, Page),
    /// How a run ended.
    Ran(Run, Page),
}

/// What a text says, word by word.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Words {
    /// The roles of words, in order, without overlap.
    pub roles: Vec<(TextRange, Role)>,
    /// Texts to show between words, in order.
    pub hints: Vec<Inlay>,
    /// What is wrong, by place.
    pub diagnostics: Vec<Diagnostic>,
    /// The items that have names, in order.
    pub outline: Vec<OutlineItem>,
}

/// A text that is shown between words.
#[derive(Debug, Clone, PartialEq)]
pub struct Inlay {
    /// Where.
    pub at: TextSize,
    /// The text.
    pub text: String,
    /// What it is.
    pub role: Role,
}

/// An item of the outline.
#[derive(Debug, Clone, PartialEq)]
pub struct OutlineItem {
    /// Which.
    pub which: Which,
    /// Parameters and result, or a type, as written.
    pub detail: String,
    /// All of it.
    pub range: TextRange,
    /// Its name.
    pub name: TextRange,
}

/// An item at a stage.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StageView {
    /// Its lines, or why there are none.
    pub page: Page,
    /// For each stage of the list, whether it changed anything; `None` where the item does not get.
    pub changed: Vec<Option<bool>>,
    /// Whether the item has no errors, and all of it got there.
    pub good: bool,
    /// How many parts of it did not get there.
    pub n_missing: usize,
    /// The lines without marks.
    pub lines: Arc<Vec<String>>,
    /// The verdicts about the loops of the item, by place.
    pub verdicts: Vec<Verdict>,
}

/// The verdict about a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The header of the loop.
    pub range: TextRange,
    /// Whether some of it runs as lanes.
    pub has_lanes: bool,
    /// The verdict in a few words.
    pub headline: String,
}

/// A kernel's machine code.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AssemblyView {
    /// Its lines, or why there are none.
    pub page: Page,
    /// The lines without marks; none where there is no machine code.
    pub lines: Arc<Vec<String>>,
}

/// What a change would do.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Preview {
    /// How many errors, warnings and notes there are now.
    pub before: [usize; 3],
    /// How many there would be.
    pub after: [usize; 3],
    /// The lines that would change, as a diff.
    pub lines: Vec<Line>,
}

/// A run of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The text.
    pub of: Version,
    /// The kernel.
    pub item: Which,
    /// Its arguments, as they were typed.
    pub arguments: Vec<(String, String)>,
    /// What it is made for.
    pub goal: Goal,
    /// By what, and how often.
    pub how: How,
}

/// How a kernel is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// Once, for what it writes.
    Once(Engine),
    /// As machine code again and again, for how long it takes.
    Measured,
}

/// What runs a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The interpreter, on the kernel at the stage with this place in the list.
    Stage(usize),
    /// The evaluator of the language's meaning.
    Source,
    /// This machine.
    Native,
}

impl Engine {
    /// All of them, in the order they are offered.
    pub fn all() -> impl Iterator<Item = Engine> {
        let stages = STAGES.iter().enumerate().filter(|(_, stage)| stage.runs()).map(|(n, _)| Engine::Stage(n));
        stages.chain([Engine::Source, Engine::Native])
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Stage(n) => STAGES[n].name,
            Engine::Source => "evaluator",
            Engine::Native => "native",
        }
    }

    /// What it is.
    pub fn description(self) -> &'static str {
        match self {
            Engine::Stage(_) => "the interpreter, on the program at this stage",
            Engine::Source => "the plain evaluator of the language, on the program as it is written",
            Engine::Native => "this machine, by machine code, which assumes that the program has no error",
        }
    }
}

impl Default for Engine {
    /// The stage whose errors say which iteration they are in.
    fn default() -> Engine {
        let usual = analysis::stages::in_order().name;
        Engine::Stage(STAGES.iter().position(|stage| stage.name == usual).unwrap_or(0))
    }
}
