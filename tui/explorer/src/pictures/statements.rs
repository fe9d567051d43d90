//! Statement graphs as lines: the statements of a loop with the dependences beside them, and the packs of the loop's straight line.

use ide::graph::{StatementGraph, rows, words};
use queries::db::{Database, Item};
use queries::stages::{Options, StageLine, stage};

use super::{line_start, whole};
use crate::colouring::{program_line, sentence};
use crate::page::{Line, Offer, Role};

/// The lines of a loop's graph. `text` is the source.
pub(super) fn lines(graph: &StatementGraph, packs: &[Line], text: &str) -> Vec<Line> {
    let header = text[usize::from(graph.header.start())..].lines().next().unwrap_or_default();
    let title = Line::of(Role::Heading, format!("Statements of {}", header.trim_end().trim_end_matches(':')));
    let mut lines = vec![
        title.and(Role::Faint, format!(": {}", graph.headline)).from_source(Some(graph.header)).offering(Offer::Source),
    ];
    for row in rows(graph) {
        let circle = if row.is_in_circle { "*" } else { " " };
        let role = if row.is_in_circle { Role::Error } else { Role::Operator };
        let line = Line::of(role, format!("{}{circle}", row.edges)).and(Role::Faint, format!("{} ", row.line));
        let line = line.and(Role::Text, row.text);
        lines.push(whole(line).from_source(Some(line_start(text, row.line - 1))).offering(Offer::Source));
    }
    lines.extend(words(graph).iter().map(|words| sentence(&format!("- {words}"))));
    if !packs.is_empty() {
        lines.push(Line::default());
        lines.push(Line::of(Role::Heading, "Pairs and packs of one iteration after the other"));
        lines.extend(packs.iter().cloned());
    }
    lines
}

/// The straight line of a loop with its pairs and packs, from the stage that shows those.
pub(super) fn packs(db: &Database, item: Item<'_>, graph: &StatementGraph, options: Options) -> Vec<Line> {
    let Some(stage) = stage("trace") else { return Vec::new() };
    let text = stage.of(db, item, options);
    // Each loop's part has a title in its first column, which comes from the loop; that of the innermost loop there is its own.
    let is_title = |line: &StageLine| line.text.starts_with('#');
    let titles = text.lines.iter().enumerate().filter(|(_, line)| is_title(line));
    let own = titles.filter_map(|(n, line)| Some((n, line.source.filter(|at| at.contains(graph.header.start()))?)));
    let Some((title, _)) = own.min_by_key(|(_, source)| source.len()) else { return Vec::new() };
    let part = &text.lines[title + 1..];
    let part = &part[..part.iter().position(is_title).unwrap_or(part.len())];
    // The statements come first there; what is made of them is what is asked for here.
    let n_statements = part.iter().position(|line| line.text.trim_start().starts_with('#')).unwrap_or(part.len());
    let (statements, sections) = part.split_at(n_statements);
    let has_packs = sections.iter().any(|line| !line.text.is_empty() && !line.text.trim_start().starts_with('#'));
    let statements = if has_packs { statements } else { &[] };
    let statements_title = has_packs.then(|| whole(Line::of(Role::Comment, "    # the statements")));
    let shown = |line: &StageLine| whole(program_line(line.text.clone())).from_source(line.source);
    let ends = |line: &&StageLine| !line.text.is_empty();
    sections.iter().map(shown).chain(statements_title).chain(statements.iter().filter(ends).map(shown)).collect()
}
