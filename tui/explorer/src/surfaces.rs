//! What the explorer asks about a file, and who answers: each language that files are in has its answers, behind one trait.
//!
//! Panes, keys and the worker know the trait alone. Names, and the sentences about what a language has no answer for, are those of
//! [`driver::surface::Surface`].

mod ispc;
mod lane;

use std::panic::RefUnwindSafe;
use std::sync::atomic::AtomicBool;

use driver::ispc_headers::HeaderDisk;
use driver::stepping::SteppedRun;
use driver::surface::Surface;
use queries::db::{Database, File};
use queries::host::{Host, Snapshot};
use queries::run::Sample;

use self::ispc::IspcAnswers;
use self::lane::LaneAnswers;
use crate::assembling::{Machinist, Task};
use crate::lanes::LanesKey;
use crate::lessons::Step;
use crate::page::{Line, Page};
use crate::pictures::{Drawing, PictureKey};
use crate::questions::{
    AssemblyKey, LessonKey, PlaceKey, Question, Run, RunReport, SamplesKey, StageKey, StageView, VariantsKey, Words,
    WordsKey,
};
use crate::variants::Untried;

/// The analysis of all files that were asked about.
#[derive(Default)]
pub(crate) struct Analysis {
    /// The texts, and what is derived from them.
    pub host: Host,
    /// The headers of ISPC files, which the disk has.
    pub headers: HeaderDisk,
}

/// The answers about a file. Those of the database are queries: an edit or a newer question may cancel them.
pub(crate) trait FileAnswers: Sync + RefUnwindSafe {
    /// Takes over the text of a question, and reads the files that it uses.
    fn read(&self, analysis: &mut Analysis, question: &Question);
    /// The file of a question.
    fn file(&self, snapshot: &Snapshot, question: &Question) -> Option<File>;
    /// The colours, hints, findings and outline.
    fn words(&self, db: &Database, file: File, key: &WordsKey) -> Words;
    /// An item at a stage.
    fn stage(&self, db: &Database, file: File, key: &StageKey) -> StageView;
    /// The facts about a place.
    fn place(&self, db: &Database, file: File, key: &PlaceKey) -> Vec<Line>;
    /// Data to run a kernel on.
    fn samples(&self, db: &Database, file: File, key: &SamplesKey) -> Vec<Sample>;
    /// What machine code is made of; else a page with the reason why there is none.
    fn assembly(&self, db: &Database, file: File, path: &str, key: &AssemblyKey) -> Result<Task, Page>;
    /// The steps of a lesson's task.
    fn lesson(&self, db: &Database, file: File, key: &LessonKey) -> Vec<Step>;
    /// A picture.
    fn picture(&self, db: &Database, file: File, key: &PictureKey) -> Drawing;
    /// The variants of a kernel that need no change of its text, and what is left to try.
    fn variants(&self, db: &Database, file: File, key: &VariantsKey) -> Untried;
    /// The numbers of errors, warnings and notes of a text, which is not the question's.
    fn counts(&self, question: &Question, text: &str) -> [usize; 3];
    /// Runs a kernel on a copy of the text.
    fn run(&self, job: &RunJob<'_>, so_far: &dyn Fn(Page)) -> RunReport;
    /// Prepares a run and hands it, before its first op, to who steps through it; else says why there is none.
    fn step(
        &self,
        path: &str,
        text: &str,
        key: &LanesKey,
        serve: &mut dyn FnMut(&mut dyn SteppedRun),
    ) -> Result<(), String>;
}

/// A run of a kernel that was asked for.
pub(crate) struct RunJob<'r> {
    /// Name of the file.
    pub path: &'r str,
    /// Text of the file.
    pub text: &'r str,
    /// The request.
    pub wish: &'r Run,
    /// Whoever runs machine code.
    pub machinist: &'r dyn Machinist,
    /// Set when the run is to stop.
    pub stop: &'r AtomicBool,
}

/// The answers about the file of a name.
pub(crate) fn answers_about(name: &str) -> &'static dyn FileAnswers {
    match Surface::of(name) {
        Surface::Lane => &LaneAnswers,
        Surface::Ispc => &IspcAnswers,
    }
}
