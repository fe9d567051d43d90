//! Builds the parts of an answer from the queries of the analysis. This module decides nothing: it asks, and formats
//! the results as lines.

use std::sync::Arc;

use driver::machine_code;
use driver::program::{KernelProgram, MachineProgram};
use ide::hints::{HintOptions, type_hints};
use ide::semantic_tokens::{SemanticToken, semantic_tokens};
use ide::symbols::document_symbols;
use queries::check;
use queries::db::{Database, File};
use queries::db::{Item, file_items};
use queries::stages::{STAGES, Stage, StageLine};
use report::{Diagnostic, ItemKind, Severity, TextRange, TextSize, apply_edits};

use crate::assembling::Task;
use crate::buffer::Buffer;
use crate::colouring::{VARYING, operation_at, program_line, role_of, sentence, sentence_in};
use crate::comparing::{compared, compared_texts};
use crate::goal::Goal;
use crate::page::{Change, Line, Offer, Page, Role};
use crate::questions::{
    Against, AssemblyKey, Compared, Inlay, OutlineItem, Preview, PreviewKey, Question, SamplesKey, StageKey, StageView,
    Which, Words, WordsKey,
};
use crate::surfaces::answers_about;
use crate::why::verdicts;

/// Computes the colours, hints, findings and outline of a text.
pub(crate) fn words(db: &Database, file: File, key: &WordsKey) -> Words {
    let tokens = semantic_tokens(db, file, Some(key.range));
    Words {
        roles: tokens.iter().map(|token| (token.range, role_in(file.text(db), token))).collect(),
        hints: inlays(db, file, key, &tokens),
        diagnostics: check::diagnostics(db, file),
        outline: outline(db, file),
    }
}

/// Returns the role of a token: what it does, else what it stands for.
fn role_in(text: &str, token: &SemanticToken) -> Role {
    let does = match role_of(token) {
        Role::Operator | Role::Call | Role::Param | Role::Variable | Role::Keyword | Role::Varying => {
            let start = usize::from(token.range.start());
            let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
            let end = usize::from(token.range.end());
            (end <= line_end)
                .then(|| operation_at(&text[line_start..line_end], start - line_start..end - line_start))
                .flatten()
        }
        _ => None,
    };
    does.unwrap_or_else(|| role_of(token))
}

/// Collects the type hints, and a mark behind each name whose value varies from lane to lane.
fn inlays(db: &Database, file: File, key: &WordsKey, tokens: &[SemanticToken]) -> Vec<Inlay> {
    let hints = type_hints(db, file, key.range, &HintOptions::default());
    let varying = tokens.iter().filter(|token| token.modifiers.varying).map(|token| token.range.end());
    let mark = |at| Inlay { at, text: VARYING.to_owned(), role: Role::Varying };
    let mut inlays: Vec<_> = varying.map(mark).collect();
    inlays.extend(hints.into_iter().map(|hint| Inlay { at: hint.offset, text: hint.text, role: Role::Hint }));
    // At equal positions, the stable sort keeps the mark of a name in front of its hint.
    inlays.sort_by_key(|inlay| inlay.at);
    inlays
}

fn outline(db: &Database, file: File) -> Vec<OutlineItem> {
    let symbols = document_symbols(db, file);
    let items = file_items(db, file).iter().filter_map(|&item| {
        let name = check::name_place(db, item)?;
        let symbol = symbols.iter().find(|symbol| symbol.focus.start() == name.start())?;
        let which = Which { kind: item.kind(db), name: item.name(db).clone(), nth: item.nth(db) };
        Some(OutlineItem { which, detail: symbol.detail.clone().unwrap_or_default(), range: symbol.range, name })
    });
    items.collect()
}

/// Looks up an item, if the file still has it.
pub(crate) fn find<'db>(db: &'db Database, file: File, which: &Which) -> Option<Item<'db>> {
    let is_it =
        |item: &&Item<'db>| item.kind(db) == which.kind && *item.name(db) == which.name && item.nth(db) == which.nth;
    file_items(db, file).iter().find(is_it).map(|&item| queries::kernel_of(db, item))
}

/// Renders an item at a stage, with marks for the differences from whatever it is compared with.
pub(crate) fn stage(db: &Database, file: File, key: &StageKey) -> StageView {
    let Some(item) = find(db, file, &key.item) else {
        let gone = format!("There is no `{}` in this file any more.", key.item.name);
        return StageView { page: Page::prose(vec![sentence(&gone)]), broken: true, ..StageView::default() };
    };
    let stage = &STAGES[key.stage];
    // What stands beside the way is made for who looks at it.
    let is_asked = |n: usize| n == key.stage || !STAGES[n].is_aside();
    let texts: Vec<_> = (0..STAGES.len()).map(|n| is_asked(n).then(|| STAGES[n].of(db, item, key.options))).collect();
    let is_kernel = item.kind(db) == ItemKind::Kernel;
    let changed = texts.iter().map(|text| match text {
        Some(text) => (!text.lines.is_empty()).then_some(text.changed),
        None => is_kernel.then_some(true),
    });
    let changed = changed.collect();
    let text = texts[key.stage].as_ref().expect("the stage that is shown");
    let lines: Vec<String> = text.lines.iter().map(|line| line.text.clone()).collect();
    let refused = has_errors(db, item);
    let findings: Vec<_> = text.findings.iter().map(|finding| check::rendered(db, item, finding)).collect();
    let n_missing = findings.len();
    let verdicts = verdicts(db, item);
    if lines.is_empty() {
        let page = absent(&key.item, stage, refused, &findings);
        return StageView { page, changed, broken: refused, good: false, n_missing, lines: Arc::default(), verdicts };
    }
    let source = file.text(db);
    let line_of =
        |line: &StageLine| program_line(line.text.clone()).from_source(line.source.map(|range| head(source, range)));
    let page = text.lines.iter().map(line_of).collect();
    let before = stage.before().map(|before| STAGES.iter().position(|other| other.name == before.name));
    let before = before.flatten().and_then(|before| texts[before].as_ref()).map(|before| &before.lines);
    let old: Option<Vec<String>> = match &key.against {
        Against::Nothing => None,
        Against::Before => before.map(|lines| lines.iter().map(|line| line.text.clone()).collect()),
        Against::Lines(lines) => Some(lines.to_vec()),
    };
    let page = match old {
        Some(old) => compared(&old, &lines, page),
        None => page,
    };
    // The parts that are missing stand above the rest, as comments, because they explain the gaps below.
    let missing = findings
        .iter()
        .map(|finding| Line::of(Role::Warning, format!("# {}", finding.message)).from_source(Some(finding.range)));
    let page = Page { lines: missing.chain(page).collect(), ..Page::default() };
    StageView {
        page,
        changed,
        broken: refused,
        good: !refused && n_missing == 0,
        n_missing,
        lines: Arc::new(lines),
        verdicts,
    }
}

/// Shortens the range of a statement with a block to its header, up to the colon: the lines of the block have ranges of
/// their own.
fn head(text: &str, range: TextRange) -> TextRange {
    let mut end = range.start();
    for line in text[range].split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default().trim_end();
        if code.ends_with(':') {
            return TextRange::new(range.start(), end + TextSize::of(code));
        }
        end += TextSize::of(line);
    }
    range
}

fn has_errors(db: &Database, item: Item<'_>) -> bool {
    let reached = check::reachable(db, &[item]);
    let of_item = |item: &Item<'_>| check::item_diagnostics(db, *item, check::start_of(db, *item).unwrap_or_default());
    reached.iter().flat_map(of_item).any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// Builds the page that explains why an item does not exist at a stage.
fn absent(which: &Which, stage: &Stage, refused: bool, findings: &[Diagnostic]) -> Page {
    let what = match which.kind {
        ItemKind::Fn => "a function, and becomes part of the kernels that call it",
        ItemKind::Struct => "a struct, and is to be seen in the kernels that use it",
        ItemKind::Enum => "an enum, and is to be seen in the kernels that use it",
        ItemKind::Const => "a constant, and is to be seen in the kernels that use it",
        _ if refused => "not lowered, because of the errors that `e` lists",
        _ => "not lowered this far",
    };
    let mut lines = vec![sentence(&format!("No `{}` of `{}`: it is {what}.", stage.name, which.name))];
    lines.extend(findings.iter().map(|finding| sentence(&finding.message).from_source(Some(finding.range))));
    Page::prose(lines)
}

/// Lowers a kernel for the requested goal, and for the goal that it is compared with; on failure, returns a page with
/// the reason.
pub(crate) fn assembly(db: &Database, file: File, name: &str, key: &AssemblyKey) -> Result<Task, Page> {
    let which = &key.item;
    let absent = |why: &str| Page::prose(vec![sentence(&format!("No machine code of `{}`: {why}.", which.name))]);
    let item = find(db, file, which).ok_or_else(|| absent("it is not in this file any more"))?;
    if which.kind != ItemKind::Kernel {
        return Err(absent("it is no kernel, and becomes part of the kernels that use it"));
    }
    if has_errors(db, item) {
        return Err(absent("it has errors, which `e` lists"));
    }
    if !queries::sequential(db, item).findings.is_empty() {
        return Err(absent("parts of it are not lowered, which the stage tells"));
    }
    let source = machine_code::source_in(db, name, file.text(db), item);
    let made_for = |goal: Goal| -> Option<Box<dyn MachineProgram>> {
        let kernel = queries::reached(db, item, goal.options).last()?.kernel.clone();
        Some(Box::new(KernelProgram { kernel, source: source.clone() }))
    };
    let program = made_for(key.goal).ok_or_else(|| absent("it is not lowered"))?;
    let other = match key.against {
        Compared::Goal(goal) => made_for(goal).map(|program| (goal, program)),
        Compared::Nothing | Compared::Lines(_) => None,
    };
    Ok(Task { key: key.clone(), program, other })
}

/// Proposes data to run a kernel on.
pub(crate) fn samples(db: &Database, file: File, key: &SamplesKey) -> Vec<queries::run::Sample> {
    find(db, file, &key.item).and_then(|item| queries::run::sample(db, item, &key.given)).unwrap_or_default()
}

/// Computes the effect of a change. The texts are analysed in fresh databases, and the function is called outside
/// of queries, because salsa allows no query of one database inside of a query of another.
pub(crate) fn preview(question: &Question, key: &PreviewKey) -> Preview {
    let changed = apply_edits(&question.text, &key.edits);
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let (old, new) = (lines(&question.text), lines(&changed));
    let page = new.iter().map(|line| program_line(line.clone())).collect();
    let lines = compared_texts(&old, &new, page).into_iter().filter(|line| line.change != Change::Same).collect();
    let answers = answers_about(&question.path);
    Preview { before: answers.counts(question, &question.text), after: answers.counts(question, &changed), lines }
}

/// Lists the problems of a file, each with its fixes.
pub(crate) fn problems(diagnostics: &[Diagnostic], buffer: &Buffer) -> Page {
    if diagnostics.is_empty() {
        return Page::prose(vec![Line::of(Role::Faint, "Nothing to complain about.")]);
    }
    let lines = diagnostics.iter().enumerate().flat_map(|(n, diagnostic)| {
        let place = format!("{:>4}  ", buffer.line_of(diagnostic.range.start().into()) + 1);
        problem(n, diagnostic, &place, Some(buffer))
    });
    Page { lines: lines.collect(), prose: true, ..Page::default() }
}

/// Renders a problem in a few lines: the message, the advice, related places and the fixes. Related places are quoted
/// from the text.
pub(crate) fn problem(n: usize, diagnostic: &Diagnostic, place: &str, text: Option<&Buffer>) -> Vec<Line> {
    let role = role_of_severity(diagnostic.severity);
    let head = Line::of(Role::Faint, place).and(role, format!("{}: ", diagnostic.severity.name()));
    let message = sentence(&diagnostic.message);
    let shift = head.text.len();
    let mut head = head.and(Role::Text, message.text);
    head.spans.extend(message.spans.into_iter().map(|(range, role)| (range.start + shift..range.end + shift, role)));
    let head = head.and(Role::Faint, format!("  {}", diagnostic.code));
    let mut lines = vec![head.from_source(Some(diagnostic.range)).offering(Offer::Source)];
    let indent = " ".repeat(place.len());
    let related = diagnostic.related.iter();
    lines.extend(related.map(|related| {
        let written = text.map(|buffer| written(buffer, related.range)).unwrap_or_default();
        let line = sentence(&format!("{indent}{written}{}", related.message));
        line.from_source(Some(related.range)).offering(Offer::Source)
    }));
    lines.extend(diagnostic.help.iter().map(|help| sentence_in(Role::Doc, &format!("{indent}{help}"))));
    lines.extend(diagnostic.fixes.iter().enumerate().map(|(fix, offer)| {
        sentence_in(Role::Added, &format!("{indent}fix: {}", offer.title))
            .from_source(Some(diagnostic.range))
            .offering(Offer::Fix(n, fix))
    }));
    lines
}

/// Quotes the source at a range, with its line number, as the prefix of a remark about it.
fn written(buffer: &Buffer, range: TextRange) -> String {
    let mut lines = buffer.text()[range].lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let more = if lines.next().is_some() { " …" } else { "" };
    format!("`{first}`{more} in line {}: ", buffer.line_of(range.start().into()) + 1)
}

/// Maps a severity to the role of its text.
pub(crate) fn role_of_severity(severity: Severity) -> Role {
    match severity {
        Severity::Error => Role::Error,
        Severity::Warning => Role::Warning,
        Severity::Note => Role::Note,
    }
}

/// Shows how a run ended: the result, every array that was written, and the error that stopped it.
pub(crate) fn ran(outcome: &queries::run::RunOutcome) -> Page {
    let mut lines = Vec::new();
    if let Some(failure) = &outcome.failure {
        let diagnostic = driver::failure::diagnostic(failure);
        let mut told = problem(0, &diagnostic, "", None);
        if failure.range.is_none()
            && let Some(line) = told.first_mut()
        {
            line.source = None;
        }
        lines.extend(told);
        lines.push(Line::of(Role::Faint, "the arrays as they were then:"));
    }
    lines.extend(
        outcome.result.map(|result| {
            Line::of(Role::Strong, "result").and(Role::Text, " = ").and(Role::Number, result.to_string())
        }),
    );
    for array in &outcome.arrays {
        lines.extend(array_lines(array));
    }
    if lines.is_empty() {
        lines.push(Line::of(Role::Faint, "It ran, writes no array and has no result."));
    }
    Page { lines, prose: true, ..Page::default() }
}

/// Shows an array: a matrix as one, row by row with its columns aligned, any other in one line.
pub(crate) fn array_lines(array: &queries::run::ResultArray) -> Vec<Line> {
    let shown: Vec<_> = array.elements.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = array.elements.len().saturating_sub(SHOWN);
    let name = Line::of(Role::Strong, array.name.clone()).and(Role::Text, " = ");
    let n_rows = array.sizes.iter().rev().skip(1).product::<i64>();
    let n_rows = usize::try_from(n_rows).unwrap_or(0);
    let row_len = array.elements.len().checked_div(n_rows).unwrap_or(0);
    if array.sizes.len() < 2 || row_len == 0 {
        let rest = if more > 0 { format!(", … {more} more]") } else { "]".to_owned() };
        return vec![name.and(Role::Number, format!("[{}{rest}", shown.join(", ")))];
    }
    let sizes: Vec<_> = array.sizes.iter().map(ToString::to_string).collect();
    let mut lines = vec![name.and(Role::Faint, sizes.join(" by "))];
    let width = shown.iter().map(String::len).max().unwrap_or(0);
    let inner = usize::try_from(array.sizes[array.sizes.len() - 2]).unwrap_or(1).max(1);
    for (n, row) in shown.chunks(row_len).enumerate() {
        // A blank line stands between the matrices of an array with more than two dimensions.
        if n > 0 && n % inner == 0 {
            lines.push(Line::default());
        }
        let cells: Vec<_> = row.iter().map(|cell| format!("{cell:>width$}")).collect();
        lines.push(Line { is_whole: true, ..Line::of(Role::Number, format!("  {}", cells.join(" "))) });
    }
    lines.extend((more > 0).then(|| Line::of(Role::Faint, format!("… {more} more"))));
    lines
}

/// Maximum number of array elements to show: more than a person reads, and few enough to be laid out at once.
const SHOWN: usize = 10_000;

/// Builds a page with the reason why there is no outcome.
pub(crate) fn not_run(why: &str, source: Option<TextRange>) -> Page {
    Page::prose(vec![Line::of(Role::Error, "not run: ").and(Role::Text, why).from_source(source)])
}
