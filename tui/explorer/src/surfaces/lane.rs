//! The answers about Lane files: each from the module that has them.

use driver::document::Document;
use driver::stepping::{SteppedRun, Stepper};
use driver::used_files::{place_of, read_used_of};
use queries::db::{Database, File};
use queries::host::Snapshot;
use queries::run::Sample;
use queries::stages::STAGES;
use report::Severity;

use super::{Analysis, FileAnswers, RunJob};
use crate::assembling::Task;
use crate::lanes::LanesKey;
use crate::lessons::{LESSONS, Step};
use crate::page::{Line, Page};
use crate::pictures::{self, Drawing, PictureKey};
use crate::questions::{
    AssemblyKey, LessonKey, PlaceKey, Question, RunReport, SamplesKey, StageKey, StageView, VariantsKey, Words,
    WordsKey,
};
use crate::running::{arguments_of, run_kernel};
use crate::variants::{self, Untried};
use crate::{answers, why};

/// The answers about Lane files.
pub(super) struct LaneAnswers;

impl FileAnswers for LaneAnswers {
    fn read(&self, analysis: &mut Analysis, question: &Question) {
        let place = place_of(&question.path);
        analysis.host.set_text(&place, &question.text);
        read_used_of(&mut analysis.host, &place);
        analysis.host.set_made_for(question.wanted.made_for().as_slice());
    }

    fn file(&self, snapshot: &Snapshot, question: &Question) -> Option<File> {
        snapshot.file(&place_of(&question.path))
    }

    fn words(&self, db: &Database, file: File, key: &WordsKey) -> Words {
        answers::words(db, file, key)
    }

    fn stage(&self, db: &Database, file: File, key: &StageKey) -> StageView {
        answers::stage(db, file, key)
    }

    fn place(&self, db: &Database, file: File, key: &PlaceKey) -> Vec<Line> {
        why::why(db, file, key)
    }

    fn samples(&self, db: &Database, file: File, key: &SamplesKey) -> Vec<Sample> {
        answers::samples(db, file, key)
    }

    fn assembly(&self, db: &Database, file: File, path: &str, key: &AssemblyKey) -> Result<Task, Page> {
        answers::assembly(db, file, path, key)
    }

    fn lesson(&self, db: &Database, file: File, key: &LessonKey) -> Vec<Step> {
        LESSONS.get(key.lesson).map(|lesson| lesson.progress(db, file)).unwrap_or_default()
    }

    fn picture(&self, db: &Database, file: File, key: &PictureKey) -> Drawing {
        pictures::drawing(db, file, key)
    }

    fn variants(&self, db: &Database, file: File, key: &VariantsKey) -> Untried {
        variants::untried(db, file, key)
    }

    fn counts(&self, question: &Question, text: &str) -> [usize; 3] {
        let diagnostics = Document::new(&question.path, text).diagnostics();
        [Severity::Error, Severity::Warning, Severity::Note]
            .map(|severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count())
    }

    fn run(&self, job: &RunJob<'_>, so_far: &dyn Fn(Page)) -> RunReport {
        run_kernel(job.path, job.text, job.wish, job.machinist, job.stop, so_far)
    }

    fn step(
        &self,
        path: &str,
        text: &str,
        key: &LanesKey,
        serve: &mut dyn FnMut(&mut dyn SteppedRun),
    ) -> Result<(), String> {
        let document = Document::new(path, text).made_for(&[key.options]);
        let item = answers::find(document.db(), document.file(), &key.item).ok_or("the kernel is gone")?;
        let arguments = arguments_of(&key.arguments)?;
        serve(&mut Stepper::start(&document, item, &STAGES[key.stage], key.options, &arguments)?);
        Ok(())
    }
}
