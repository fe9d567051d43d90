//! The stages a program goes through on its way to vector code, as a list: `lower --stage`, its help, an editor's views
//! and the explorer all read it from here.

use std::fmt;
use std::sync::{Arc, LazyLock};

pub use ir::ops::WorkKind;
use ir::{CancelToken, Origin};
pub use ir::{Kernel, target};
pub use passes::pipeline::{Options, PassRun};
use passes::trace::TraceOf;
use passes::{Context, Said};
use report::lanes::Decision;
use report::{ItemKey, TextRange, TextSize};
use rustc_hash::FxHashMap;

use super::array_comments;
use super::check::start_of;
use super::db::{File, Item, dense_map};
use super::lowering::sequential;
use super::names::{item_of, key};
use super::stage_cache::reached;
use super::surface::{ColumnUnit, LineIndex, lowered, outline};
use super::types::typed;
use hir::builtins::BuiltinId;
use hir::finding::Finding;

/// A form that a program has on its way.
pub struct Stage {
    /// The name of the stage, as `--stage` takes it.
    pub name: &'static str,
    /// The things that have become visible in it.
    pub description: &'static str,
    form: Form,
}

/// The source of a stage's text.
enum Form {
    /// The item's source, or another form of it before Lane IR.
    Source(fn(&dyn salsa::Database, Item<'_>) -> Shown),
    /// From Lane IR, at the stage with this number of [the pipeline](passes::pipeline::pipeline).
    LaneIr(usize),
    /// From Lane IR, beside the way to vector code.
    Traces,
}

/// The kind of work that a call in a program or in Lane IR is, by the name of the builtin or op.
pub fn work_of(name: &str) -> Option<WorkKind> {
    let of_builtin = || BuiltinId::from_name(name).and_then(|builtin| builtin.get().work());
    ir::Code::from_name(name).and_then(ir::Code::work).or_else(of_builtin)
}

/// The codes of decisions, but for those that a verdict has, too.
pub fn decision_codes() -> Vec<&'static str> {
    ir::ReasonCode::of_decisions().map(ir::ReasonCode::name).collect()
}

/// All stages, in order: those of the source, then those of Lane IR, with the traces behind what they are made of.
pub static STAGES: LazyLock<Vec<Stage>> = LazyLock::new(|| {
    let of_source = [
        Stage {
            name: "parsed",
            description: "the tree that the text was parsed to; white space and line breaks are left out",
            form: Form::Source(parsed),
        },
        Stage {
            name: "typed",
            description: "the program with every type written down, defaults and constants' values among them",
            form: Form::Source(with_types),
        },
    ];
    let of_lane_ir = passes::pipeline::pipeline(ir::target::reference()).iter().enumerate();
    let of_lane_ir = of_lane_ir.map(|(number, stage)| Stage {
        name: stage.name,
        description: stage.shows,
        form: Form::LaneIr(number),
    });
    let mut stages: Vec<Stage> = of_source.into_iter().chain(of_lane_ir).collect();
    let made_of = stages.iter().position(|stage| stage.name == TRACED).expect("a stage of the pipeline");
    let traces = Stage {
        name: "trace",
        description: "beside the way to vector code: iterations of each loop as one straight line with guards, which statements of \
                      it are pairs and packs, and the order in which they are done",
        form: Form::Traces,
    };
    stages.insert(made_of + 1, traces);
    stages
});

/// The stage that traces are made of: the last one at which loops are as the program has them.
const TRACED: &str = "sequential";

/// The stage that is shown where none is named: the one in which lanes are plain to see.
pub fn usual() -> &'static Stage {
    stage("vector").expect("a stage of the list")
}

/// The stage that is run where none is named: the one whose errors say which iteration they are in.
pub fn in_order() -> &'static Stage {
    stage("sequential").expect("a stage of the list")
}

/// The stage of a name.
pub fn stage(name: &str) -> Option<&'static Stage> {
    STAGES.iter().find(|stage| stage.name == name)
}

/// An item at a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageText {
    /// Different from the stage before.
    pub changed: bool,
    /// The passes that led here from the stage before, in order; none for a stage of the source.
    pub passes: Vec<PassRun>,
    /// The lines that show it.
    pub lines: Vec<StageLine>,
    /// The decisions of those passes, in order.
    pub decisions: Vec<PlacedDecision>,
    /// Findings that kept parts of it from getting there.
    pub findings: Vec<Finding>,
}

/// The decision of a pass, in terms of the file; one about what stands in another file has no range.
pub type PlacedDecision = Decision<Option<TextRange>>;

/// A line of a stage's text, with the source that it shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageLine {
    /// The line, without a line break.
    pub text: String,
    /// The source that it shows, in the file.
    pub source: Option<TextRange>,
}

impl StageText {
    /// Returns the whole text, with line breaks.
    pub fn text(&self) -> String {
        self.lines.iter().flat_map(|line| [line.text.as_str(), "\n"]).collect()
    }
}

/// The lines that a stage shows of an item, each with the place of some item's dense text that it came from.
#[derive(Default)]
struct Shown {
    changed: bool,
    passes: Vec<PassRun>,
    lines: Vec<(String, Option<Source>)>,
    findings: Vec<Finding>,
}

enum Source {
    /// A range of the item's text as it is.
    Text(TextRange),
    /// A range of the item's dense text.
    Dense(TextRange),
    /// A range of another item's dense text.
    Elsewhere(ItemKey, TextRange),
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Stage {
    /// The interpreter can run a kernel in this form.
    pub fn runs(&self) -> bool {
        matches!(self.form, Form::LaneIr(_))
    }

    /// The form stands beside the way to vector code: nothing is made of it.
    pub fn is_aside(&self) -> bool {
        matches!(self.form, Form::Traces)
    }

    /// The stage that this one is made of.
    pub fn before(&self) -> Option<&'static Stage> {
        let own = STAGES.iter().position(|other| other.name == self.name).filter(|_| !self.is_aside())?;
        STAGES[..own].iter().rev().find(|other| !other.is_aside())
    }

    /// A kernel in this form, if the interpreter can run it.
    pub fn kernel(&self, db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Option<Arc<ir::Kernel>> {
        let Form::LaneIr(number) = self.form else { return None };
        reached(db, item, options).get(number).map(|reached| reached.kernel.clone())
    }

    /// An item in this form, made for what the options say.
    pub fn of(&self, db: &dyn salsa::Database, item: Item<'_>, options: Options) -> StageText {
        let shown = match self.form {
            Form::Source(show) => show(db, item),
            Form::LaneIr(number) => lane_ir(db, item, options, number),
            Form::Traces => traces(db, item, options),
        };
        let own_start = start_of(db, item).unwrap_or_default();
        let place = |source| match source {
            Source::Text(range) => Some(range + own_start),
            Source::Dense(range) => Some(dense_map(db, item).to_text(range) + own_start),
            Source::Elsewhere(key, range) => {
                let other = item_of(db, item.file(db), &key)?;
                Some(dense_map(db, other).to_text(range) + start_of(db, other)?)
            }
        };
        let lines = shown.lines.into_iter().map(|(text, source)| StageLine { text, source: source.and_then(place) });
        StageText {
            changed: shown.changed,
            decisions: choices(db, item, &shown.passes),
            passes: shown.passes,
            lines: lines.collect(),
            findings: shown.findings,
        }
    }
}

fn with_types(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    let lines = typed(db, item).iter().map(|line| (line.text.clone(), line.source.map(Source::Dense)));
    Shown { changed: true, lines: lines.collect(), ..Shown::default() }
}

/// A kernel at the stage of Lane IR with a number, each line with the source of the first op on it.
fn lane_ir(db: &dyn salsa::Database, item: Item<'_>, options: Options, number: usize) -> Shown {
    let stages = reached(db, item, options);
    let Some(reached) = stages.get(number) else { return Shown::default() };
    let lowering = sequential(db, item);
    let own = key(db, item);
    let comments =
        if number == 0 { array_comments::of(db, item, options, &reached.kernel) } else { FxHashMap::default() };
    let printed = ir::print_with_comments(&reached.kernel, &|op| comments.get(&op).cloned());
    let lines = printed.text.lines().enumerate().map(|(n, line)| {
        let op = printed.lines.get(n).and_then(|ops| ops.first());
        let place = op.and_then(|&op| lowering.place_of(&reached.kernel, reached.kernel.ops[op].origin));
        let source =
            place.map(
                |(key, range)| {
                    if *key == own { Source::Dense(*range) } else { Source::Elsewhere(key.clone(), *range) }
                },
            );
        (line.to_owned(), source)
    });
    Shown {
        // The first stage of Lane IR shares no line with the source.
        changed: number == 0 || reached.changed(),
        passes: reached.passes.clone(),
        lines: lines.collect(),
        findings: lowering.findings.clone(),
    }
}

/// The traces of a kernel's loops.
fn traces(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Shown {
    let Some(kernel) = stage(TRACED).and_then(|traced| traced.kernel(db, item, options)) else {
        return Shown::default();
    };
    let lowering = sequential(db, item);
    if !lowering.findings.is_empty() {
        return Shown { findings: lowering.findings.clone(), ..Shown::default() };
    }
    let check_cancelled = || db.unwind_if_revision_cancelled();
    let mut context = Context::new(&options).with_cancel(CancelToken::new(&check_cancelled));
    let own = key(db, item);
    let place = |origin: Origin| {
        let (key, range) = lowering.place_of(&kernel, origin)?;
        Some(if *key == own { Source::Dense(*range) } else { Source::Elsewhere(key.clone(), *range) })
    };
    let mut lines: Vec<(String, Option<Source>)> = Vec::new();
    for trace in passes::trace::traces(&kernel, &mut context) {
        if !lines.is_empty() {
            lines.push((String::new(), None));
        }
        let header = lowering.place_of(&kernel, trace.origin).and_then(|(key, range)| {
            let of = item_of(db, item.file(db), key)?;
            let header = lowered(db, of).map.header_around(*range)?.at;
            Some(super::written(db, of, header).split_whitespace().collect::<Vec<_>>().join(" "))
        });
        let header = header.unwrap_or_else(|| "a loop".to_owned());
        let title = match trace.of {
            TraceOf::Kernel => format!("# `{}` as a straight line", item.name(db)),
            TraceOf::Iterations(1) => format!("# `{header}`: one iteration as a straight line"),
            TraceOf::Iterations(n) => format!("# `{header}`: {n} iterations as a straight line"),
            TraceOf::Groups => {
                format!("# `{header}`: its iterations run together in groups, so it has no straight line")
            }
        };
        lines.push((title, place(trace.origin)));
        lines.extend(trace.lines.into_iter().map(|line| (line.text, line.origin.and_then(place))));
    }
    Shown { changed: true, lines, ..Shown::default() }
}

/// The decisions of passes on a kernel, in terms of its file.
fn choices<'p>(
    db: &dyn salsa::Database,
    item: Item<'_>,
    passes: impl IntoIterator<Item = &'p PassRun>,
) -> Vec<PlacedDecision> {
    let passes: Vec<&PassRun> = passes.into_iter().filter(|pass| !pass.decisions.is_empty()).collect();
    if passes.is_empty() {
        return Vec::new();
    }
    let Some(kernel) = &sequential(db, item).kernel else { return Vec::new() };
    let places = places(db, item);
    let file = item.file(db).text(db);
    let place = |origin: Origin| places[kernel.origins[origin].place as usize];
    // A loop is best shown by its header.
    let header = |origin: Origin| {
        let (key, range) = &sequential(db, item).places[kernel.origins[origin].place as usize];
        let of = item_of(db, item.file(db), key).filter(|of| of.file(db) == item.file(db))?;
        let header = lowered(db, of).map.header_around(*range)?.at;
        if !range.contains_range(header) {
            return None;
        }
        Some(dense_map(db, of).to_text(header) + start_of(db, of)?)
    };
    let quoted = |range: TextRange| format!("`{}`", file[range].split_whitespace().collect::<Vec<_>>().join(" "));
    let said = |said: &Said| match said {
        // Headers are often alike, so a line tells which loop it is.
        Said::Place(origin) => match (header(*origin), place(*origin)) {
            (Some(range), _) => {
                format!("{} in line {}", quoted(range), file[..range.start().into()].matches('\n').count() + 1)
            }
            (None, Some(range)) => quoted(range),
            (None, None) => said.to_string(),
        },
        _ => said.to_string(),
    };
    let all = passes.iter().flat_map(|pass| pass.decisions.iter().map(|decision| (pass.name, decision)));
    let choices = all.map(|(pass, decision)| PlacedDecision {
        range: header(decision.origin).or_else(|| place(decision.origin)),
        pass,
        code: decision.code.into(),
        taken: decision.taken,
        because: sentence(decision.because.iter().map(said)),
    });
    choices.collect()
}

/// Parts of a sentence, with a space between but before a comma.
pub(crate) fn sentence(parts: impl Iterator<Item = String>) -> String {
    parts.fold(String::new(), |mut sentence, part| {
        if !sentence.is_empty() && !part.starts_with(',') {
            sentence.push(' ');
        }
        sentence + &part
    })
}

/// The decisions of all passes on a kernel on its way to the last stage, in order.
pub fn choices_of(db: &dyn salsa::Database, item: Item<'_>, options: Options) -> Vec<PlacedDecision> {
    choices(db, item, reached(db, item, options).iter().flat_map(|reached| &reached.passes))
}

/// Returns the places in the file that a kernel's ops name as their origins, by number. Those in another file, as the prelude is, are
/// `None`; their calls have places of their own.
pub fn places(db: &dyn salsa::Database, item: Item<'_>) -> Vec<Option<TextRange>> {
    let in_file = |(key, range): &(ItemKey, TextRange)| {
        let of = item_of(db, item.file(db), key).filter(|of| of.file(db) == item.file(db))?;
        Some(dense_map(db, of).to_text(*range) + start_of(db, of)?)
    };
    sequential(db, item).places.iter().map(in_file).collect()
}

// The tree.

/// An item's tree, one node or token a line, with its place in the file at the left:
///
/// ```text
/// 1:1-2:9    KERNEL
/// 1:1-1:7      kernel
/// 1:8-1:9      NAME IDENT "a"
/// ```
fn parsed(db: &dyn salsa::Database, item: Item<'_>) -> Shown {
    let start = start_of(db, item).unwrap_or_default();
    let entries = outline(db, item);
    let text = item.file(db).text(db);
    let index = line_index(db, item.file(db));
    let place = |offset: TextSize| {
        let at = index.line_column(text, offset + start, ColumnUnit::Utf32);
        format!("{}:{}", at.line + 1, at.column + 1)
    };
    let places: Vec<_> =
        entries.iter().map(|entry| format!("{}-{}", place(entry.range.start()), place(entry.range.end()))).collect();
    let width = places.iter().map(String::len).max().unwrap_or(0);
    let lines = entries.into_iter().zip(&places).map(|(entry, places)| {
        let text = format!("{places:width$}  {:indent$}{}", "", entry.label, indent = 2 * entry.depth);
        (text, Some(Source::Text(entry.range)))
    });
    Shown { changed: true, lines: lines.collect(), ..Shown::default() }
}

/// The index of a file's lines.
#[salsa::tracked]
fn line_index(db: &dyn salsa::Database, file: File) -> Arc<LineIndex> {
    Arc::new(LineIndex::new(file.text(db)))
}

/// The line that a place of a file is in, from 0.
pub fn line_of(db: &dyn salsa::Database, file: File, offset: TextSize) -> u32 {
    line_index(db, file).line(offset)
}
