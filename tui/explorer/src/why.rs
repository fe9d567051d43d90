//! The facts about a source position, from the model that hovers, `explain` and `check` show as well.
//!
//! The page starts with the hover of the token; a line that names a step of a chain of reasons links to that step. The
//! enclosing loops follow, innermost first: each with its verdict, the obstacles to lanes, the dependent accesses with
//! their iterations, and changes that were tried and found to lift the obstacle. Of the innermost one the statements are drawn,
//! with what they need of each other.

use ide::explain::{Because, Dependence, Explained, Loop, explain_item};
use ide::graph::{StatementGraph, rows, statement_graphs, words};
use ide::hover::{Beside, Hover, HoverLink, hover};
use ide::{Located, item_at};
use queries::check;
use queries::db::Item;
use queries::db::{Database, File};
use report::{TextRange, TextSize};
use syntax::SyntaxKind;
use syntax::text::LineIndex;

use crate::colouring::{markdown_lines, sentence};
use crate::page::{Line, Offer, Role};
use crate::questions::{PlaceKey, Verdict};

/// Builds the lines about a position.
pub(crate) fn why(db: &Database, file: File, key: &PlaceKey) -> Vec<Line> {
    let index = LineIndex::new(file.text(db));
    let number = |at: TextSize| index.line(at) + 1;
    let mut lines = hover(db, file, key.at, Beside::Nothing).map(|hover| hovered(&hover)).unwrap_or_default();
    let Some((item, start)) = item_at(db, file, key.at) else { return lines };
    let Some(known) = explained(db, item) else { return lines };
    let around = headers_around(db, item, start, key.at);
    let begins_at = |token: syntax::SyntaxToken| token.text_range().start() + start;
    if Located::new(db, item, start).token(key.at).map(begins_at).is_some_and(|at| around.first() == Some(&at)) {
        // The section of the loop below includes everything that the hover of its header says.
        lines.clear();
    }
    for (n, header) in around.into_iter().enumerate() {
        let Some(known) = known.loops.iter().find(|it| it.range.start() == header) else { continue };
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.extend(of_loop(known, &number));
        if n == 0 {
            let graph = statement_graphs(db, item).into_iter().find(|graph| graph.header.start() == header);
            lines.extend(graph.iter().filter(|graph| joins_statements(graph)).flat_map(|graph| drawn(graph, &index)));
        }
    }
    lines
}

/// Says whether statements need each other: one that needs only itself is no picture.
fn joins_statements(graph: &StatementGraph) -> bool {
    graph.edges.iter().any(|edge| edge.from != edge.to)
}

/// Draws the statements of a loop with what they need of each other. Enter on a statement goes to it.
fn drawn(graph: &StatementGraph, index: &LineIndex) -> Vec<Line> {
    let heading = Line::of(Role::Strong, "What its statements need of each other:");
    let statements = rows(graph).into_iter().map(|row| {
        let circle = if row.is_in_circle { "*" } else { " " };
        let edges = Line::of(Role::Operator, format!("  {}{circle}", row.edges));
        let words = edges.and(Role::Faint, format!("{} ", row.line)).and(Role::Text, row.text);
        leading(words, TextRange::empty(index.line_range(row.line - 1).start()))
    });
    let told = words(graph).into_iter().map(|words| sentence(&format!("  - {words}")));
    std::iter::once(heading).chain(statements).chain(told).collect()
}

/// Returns the verdicts about the loops of an item.
pub(crate) fn verdicts(db: &Database, item: Item<'_>) -> Vec<Verdict> {
    let known = explain_item(db, item);
    let loops = known.into_iter().flat_map(|known| known.loops);
    let verdict = |it: Loop| Verdict { range: it.range, has_lanes: it.verdict.has_lanes(), headline: it.headline() };
    loops.map(verdict).collect()
}

/// Returns the facts of an item, with changes that were tried and found to lift the obstacles to lanes.
fn explained(db: &Database, item: Item<'_>) -> Option<Explained> {
    let start = check::start_of(db, item)?;
    Some(explain_item(db, item)?.with_lifts(&check::item_diagnostics(db, item, start)))
}

/// Renders a hover; a line that contains a link leads to the link's target.
fn hovered(hover: &Hover) -> Vec<Line> {
    let lines = markdown_lines(&hover.text).into_iter().map(|(range, line)| {
        let is_in = |link: &&HoverLink| range.contains(&usize::from(link.part.start()));
        match hover.links.iter().find(is_in) {
            Some(link) => leading(line, TextRange::empty(link.target)),
            None => line,
        }
    });
    lines.collect()
}

/// Formats a step of a chain of reasons, with the words that a hover uses.
fn step_words(step: &Because, line: u32) -> String {
    let colon = if step.message.is_empty() { String::new() } else { format!(": {}", step.message) };
    format!("`{}` in line {line}{colon}", step.place.text)
}

/// Returns the header positions of the loops of its item that enclose a position, innermost first.
pub(crate) fn loop_headers(db: &Database, file: File, at: TextSize) -> Vec<TextSize> {
    item_at(db, file, at).map(|(item, start)| headers_around(db, item, start, at)).unwrap_or_default()
}

/// Returns the header positions of the loops that enclose a position, innermost first.
fn headers_around(db: &Database, item: Item<'_>, start: TextSize, at: TextSize) -> Vec<TextSize> {
    let located = Located::new(db, item, start);
    let Some(token) = located.token(at) else { return Vec::new() };
    let nodes = token.parent_ancestors();
    let loops = nodes
        .filter(|node| matches!(node.kind(), SyntaxKind::FOR_STMT | SyntaxKind::FOREACH_STMT | SyntaxKind::WHILE_STMT));
    let keyword = |node: syntax::SyntaxNode| {
        let keyword = node.children_with_tokens().find(|part| part.kind().is_keyword())?;
        Some(keyword.text_range().start() + start)
    };
    loops.filter_map(keyword).collect()
}

/// Renders a loop: its verdict, the facts behind it, and what lifts the obstacle.
fn of_loop(it: &Loop, number: &dyn Fn(TextSize) -> u32) -> Vec<Line> {
    let role = if it.verdict.is_vector { Role::Added } else { Role::Warning };
    let along = if it.index.is_empty() { String::new() } else { format!(" along {}", it.index) };
    let head = Line::of(Role::Strong, format!("The loop{along} in line {}: ", number(it.range.start())));
    let mut lines = vec![leading(head.and(role, it.headline()), it.range)];
    for each in it.told() {
        let reason = each.reason;
        let words = sentence(&format!("- {}: {}", reason.code, reason.message));
        lines.push(leading(words, reason.related.first().map_or(it.range, |because| because.place.range)));
        let places = reason.related.iter().map(|because| {
            leading(
                sentence(&format!("  - {}", step_words(because, number(because.place.range.start())))),
                because.place.range,
            )
        });
        lines.extend(places);
        lines.extend(it.dependence(reason).map(of_dependence));
        let more = it.words_for_more(&each).map(|words| leading(sentence(&format!("- {words}")), it.range));
        lines.extend(more);
    }
    lines.extend(it.lifts.iter().map(|lift| Line::of(Role::Added, format!("To lift it: {lift}"))));
    lines
}

/// Renders the pair of iterations that a dependence connects. Enter goes to the access that runs later.
fn of_dependence(met: &Dependence) -> Line {
    let symbols = met.witness.iter().flat_map(|witness| &witness.symbols);
    let symbols: Vec<_> = symbols.map(|(name, value)| format!("{name} = {value}")).collect();
    let with = if symbols.is_empty() { String::new() } else { format!(", with {}", symbols.join(", ")) };
    let test = if met.test == "undecided" { String::new() } else { format!(" (decided by: {})", met.test) };
    let words = format!("  - {}: {}{with}{test}", met.describe(), met.sentence());
    leading(sentence(&words), met.sink.range)
}

fn leading(line: Line, to: TextRange) -> Line {
    line.from_source(Some(to)).offering(Offer::Source)
}
