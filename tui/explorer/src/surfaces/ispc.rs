//! The answers about ISPC files: their functions, found and explained as editors have them, lowered, compiled and run.

mod running;
mod words;

use std::sync::Arc;

use driver::ispc_files::{closest, counts};
use driver::ispc_running;
use driver::ispc_samples::samples;
use driver::program::{FunctionProgram, MachineProgram};
use driver::stepping::SteppedRun;
use driver::surface::Surface;
use driver::used_files::place_of;
use ide::ispc::explain::{ExplainedWay, explain_at, ways_around};
use ide::ispc::hover::hover;
use ide::ispc::views::{ViewedFunction, n_errors, viewed_functions};
use queries::db::{Database, File};
use queries::host::Snapshot;
use queries::ispc::units::{FileId, SourcePlace};
use queries::ispc::{config, unit, unit_for};
use queries::run::Sample;
use queries::stages::Options;
use report::{ItemKind, TextRange, TextSize};
use syntax::text::LineIndex;

use super::{Analysis, FileAnswers, RunJob};
use crate::assembling::Task;
use crate::colouring::{markdown, program_line, sentence};
use crate::comparing::compared;
use crate::goal::Goal;
use crate::lanes::LanesKey;
use crate::lessons::Step;
use crate::page::{Line, Offer, Page, Role};
use crate::pictures::{Drawing, PictureKey};
use crate::questions::{
    Against, AssemblyKey, Compared, LessonKey, PlaceKey, Question, RunReport, SamplesKey, StageKey, StageView,
    VariantsKey, Verdict, Which, Words, WordsKey,
};
use crate::variants::Untried;

/// The answers about ISPC files.
pub(super) struct IspcAnswers;

impl FileAnswers for IspcAnswers {
    fn read(&self, analysis: &mut Analysis, question: &Question) {
        if let Some(options) = question.wanted.made_for() {
            analysis.host.set_ispc_settings(question.headers.settings(options));
        }
        analysis.headers.read(&mut analysis.host, &place_of(&question.path), &question.text);
    }

    fn file(&self, snapshot: &Snapshot, question: &Question) -> Option<File> {
        snapshot.ispc_file(&place_of(&question.path))
    }

    fn words(&self, db: &Database, file: File, key: &WordsKey) -> Words {
        words::words(db, file, key)
    }

    fn stage(&self, db: &Database, file: File, key: &StageKey) -> StageView {
        stage(db, file, key)
    }

    fn place(&self, db: &Database, file: File, key: &PlaceKey) -> Vec<Line> {
        place(db, file, key)
    }

    fn samples(&self, db: &Database, file: File, key: &SamplesKey) -> Vec<Sample> {
        if find(db, file, &key.item).is_none() || n_errors(db, file) > 0 {
            return Vec::new();
        }
        samples(unit(db, file), config(db, file).target.width, &key.item.name, &key.given)
    }

    fn assembly(&self, db: &Database, file: File, _: &str, key: &AssemblyKey) -> Result<Task, Page> {
        let name = &key.item.name;
        let absent = |why: &str| Page::prose(vec![sentence(&format!("No machine code of `{name}`: {why}."))]);
        if find(db, file, &key.item).is_none() {
            return Err(absent(if key.item.kind == ItemKind::Kernel { GONE } else { "it is no function" }));
        }
        if n_errors(db, file) > 0 {
            return Err(absent("the file has errors, which `e` lists"));
        }
        let made_for = |goal: Goal| -> Box<dyn MachineProgram> {
            let target = closest(goal.options);
            let unit = unit_for(db, file, &target).clone();
            Box::new(FunctionProgram { unit, lanes: target.width, name: name.to_string() })
        };
        let other = match key.against {
            Compared::Goal(goal) => Some((goal, made_for(goal))),
            Compared::Nothing | Compared::Lines(_) => None,
        };
        Ok(Task { key: key.clone(), program: made_for(key.goal), other })
    }

    fn lesson(&self, _: &Database, _: File, _: &LessonKey) -> Vec<Step> {
        Vec::new()
    }

    fn picture(&self, _: &Database, _: File, _: &PictureKey) -> Drawing {
        Drawing::Nothing
    }

    fn variants(&self, _: &Database, _: File, _: &VariantsKey) -> Untried {
        None
    }

    fn counts(&self, question: &Question, text: &str) -> [usize; 3] {
        let options = question.wanted.made_for().unwrap_or_default();
        counts(&question.path, text, &question.headers.command(options))
    }

    fn run(&self, job: &RunJob<'_>, _: &dyn Fn(Page)) -> RunReport {
        running::run(job)
    }

    fn step(
        &self,
        path: &str,
        text: &str,
        key: &LanesKey,
        serve: &mut dyn FnMut(&mut dyn SteppedRun),
    ) -> Result<(), String> {
        running::step(path, text, key, serve)
    }
}

const GONE: &str = "it is not in this file any more";

/// The functions of a file that can be looked at by themselves, each with its identity.
fn functions(db: &Database, file: File) -> Vec<(Which, ViewedFunction)> {
    let mut found: Vec<(Which, ViewedFunction)> = Vec::new();
    for function in viewed_functions(db, file) {
        let nth = found.iter().filter(|(which, _)| *which.name == *function.name).count() as u32;
        found.push((Which { kind: ItemKind::Kernel, name: Arc::from(&*function.name), nth }, function));
    }
    found
}

fn find(db: &Database, file: File, which: &Which) -> Option<ViewedFunction> {
    functions(db, file).into_iter().find(|(other, _)| other == which).map(|(_, function)| function)
}

/// Renders a function as blocks of lanes.
fn stage(db: &Database, file: File, key: &StageKey) -> StageView {
    let name = &key.item.name;
    let absent = |why: String, broken: bool| StageView {
        page: Page::prose(vec![sentence(&why)]),
        changed: vec![None],
        broken,
        ..StageView::default()
    };
    let stage = Surface::Ispc.stages()[0].name;
    let Some(function) = find(db, file, &key.item) else {
        return match key.item.kind {
            ItemKind::Kernel => absent(format!("There is no `{name}` in this file any more."), true),
            _ => absent(format!("No `{stage}` of `{name}`: functions are lowered, and it is none."), false),
        };
    };
    if n_errors(db, file) > 0 {
        let why = "it is not lowered, because of the errors that `e` lists";
        return absent(format!("No `{stage}` of `{name}`: {why}."), true);
    }
    let target = closest(key.options);
    let lowered = ispc_running::lowered_for(unit_for(db, file, &target), target.width, Some(name));
    let text = file.text(db);
    let program = ispc_running::text_lines(&lowered);
    let lines: Vec<String> = program.iter().map(|(line, _)| line.clone()).collect();
    let page = program.into_iter().map(|(line, place)| program_line(line).from_source(first_line(text, place)));
    let page: Vec<Line> = page.collect();
    let page = match &key.against {
        Against::Lines(old) => compared(old, &lines, page),
        Against::Nothing | Against::Before => page,
    };
    let problems = ispc_running::problems(&lowered);
    let missing = problems.iter().map(|problem| {
        Line::of(Role::Warning, format!("# {}", problem.message)).from_source(first_line(text, problem.place))
    });
    StageView {
        page: Page { lines: missing.chain(page).collect(), ..Page::default() },
        changed: vec![Some(true)],
        broken: false,
        good: problems.is_empty(),
        n_missing: problems.len(),
        lines: Arc::new(lines),
        verdicts: verdicts(db, file, &function, key.options),
    }
}

/// The first line of a place in the file itself: what stands in the blocks of a statement has places of its own.
fn first_line(text: &str, place: SourcePlace) -> Option<TextRange> {
    let range = TextRange::new(TextSize::new(place.start), TextSize::new(place.end.max(place.start)));
    let inside = text.get(std::ops::Range::<usize>::from(range)).filter(|_| place.file == FileId::MAIN)?;
    let line = inside.lines().next().unwrap_or_default().trim_end();
    (!line.is_empty()).then(|| TextRange::at(range.start(), TextSize::of(line)))
}

/// How lanes go through the loops of a function.
fn verdicts(db: &Database, file: File, function: &ViewedFunction, options: Options) -> Vec<Verdict> {
    let known = explain_at(db, file, function.focus.start(), options.target.name);
    let ways = known.into_iter().flat_map(|known| known.ways).filter(|way| way.is_loop);
    ways.map(|way| Verdict { range: way.range, has_lanes: !way.costs, headline: way.what }).collect()
}

/// Builds the lines about a place: its hover, then the loops and branches around it, innermost first.
fn place(db: &Database, file: File, key: &PlaceKey) -> Vec<Line> {
    let index = LineIndex::new(file.text(db));
    let mut lines = hover(db, file, key.at).map(|hover| markdown(&hover.text)).unwrap_or_default();
    for way in ways_around(db, file, key.at, key.options.target.name) {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(of_way(&way, &|at| index.line(at) + 1));
    }
    lines
}

/// Renders a loop or branch: how lanes go through it, the accesses in it, and the places that made it so.
fn of_way(way: &ExplainedWay, number: &dyn Fn(TextSize) -> u32) -> Vec<Line> {
    let leading = |line: Line, to: TextRange| line.from_source(Some(to)).offering(Offer::Source);
    let what = sentence(&way.what);
    let role = if way.costs { Role::Warning } else { Role::Added };
    let head = Line::of(Role::Strong, format!("The {} in line {}: ", way.word, number(way.range.start())));
    let mut lines = vec![leading(head.and(role, what.text), way.range)];
    let counts = way.counts.in_words();
    if !counts.is_empty() {
        lines.push(leading(sentence(&format!("- accesses: {counts}")), way.range));
    }
    lines.extend(way.because.iter().map(|step| {
        let line = number(step.place.range.start());
        leading(sentence(&format!("- `{}` in line {line}: {}", step.place.text, step.message)), step.place.range)
    }));
    lines
}
