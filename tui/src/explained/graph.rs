//! Statement graphs as text, and in the language of Graphviz.
//!
//! ```text
//! for i in range(1, n) in line 2: in order: loop-carried-flow
//!
//!   ┌─╌▶* 3 | a[i] = b[i - 1] * 2
//!   ╎ ├─▶ 4 | c[i] = a[i]
//! ```
//!
//! Each edge has a column of its own beside the statements, from the one that runs first to the one with the arrow: solid within an
//! iteration, dashed from one to a later one. Below, each edge is told in words.

use std::fmt::Write;

use driver::document::Document;
use driver::words::visible;
use ide::graph::{Edge, StatementGraph};

use crate::console::Look;
use crate::highlight::{FAINT, STRONG};

/// Number of edges that are drawn; a loop that has more is told in words alone.
const MOST_DRAWN: usize = 40;

/// Draws the graphs of a kernel's loops.
pub(crate) fn text(document: &Document, name: &str, graphs: &[StatementGraph], look: Look) -> String {
    let mut text = String::new();
    for graph in graphs {
        let header = document.text[graph.header].trim_end_matches(':');
        let line = document.place(graph.header.start()).line;
        let title = format!("{name}, line {line}: `{}`: {}", visible(header), graph.headline);
        let _ = writeln!(text, "{}\n", look.paint(STRONG, &title));
        draw(graph, look, &mut text);
        words(graph, &mut text);
    }
    text
}

fn draw(graph: &StatementGraph, look: Look, text: &mut String) {
    let drawn: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.from != edge.to).collect();
    let columns = if drawn.len() <= MOST_DRAWN { columns(&drawn) } else { Vec::new() };
    let n_columns = columns.iter().map(|column| column + 1).max().unwrap_or(0);
    let digits = graph.statements.last().map_or(1, |last| (last.line + 1).to_string().len());
    for (n, statement) in graph.statements.iter().enumerate() {
        let mut cells = vec![' '; 2 * n_columns];
        let mut has_arrow = false;
        // The outer edges first, so that lines of inner ones cross them.
        let mut by_column: Vec<(usize, &Edge)> = columns.iter().copied().zip(drawn.iter().copied()).collect();
        by_column.sort_by_key(|(column, _)| std::cmp::Reverse(*column));
        for (column, edge) in by_column {
            let (top, bottom) = (edge.from.min(edge.to), edge.from.max(edge.to));
            if !(top..=bottom).contains(&n) {
                continue;
            }
            let at = 2 * (n_columns - 1 - column);
            let (vertical, horizontal) = if edge.is_carried { ('╎', '╌') } else { ('│', '─') };
            if n != top && n != bottom {
                cells[at] = vertical;
                continue;
            }
            cells[at] = if n == top { '┌' } else { '└' };
            for cell in &mut cells[at + 1..] {
                *cell = match *cell {
                    '│' | '╎' | '┼' => '┼',
                    _ => horizontal,
                };
            }
            has_arrow |= n == edge.to;
        }
        let gutter: String = cells.into_iter().collect();
        let arrow = if has_arrow {
            '▶'
        } else if gutter.ends_with(['─', '╌']) {
            gutter.chars().last().unwrap_or(' ')
        } else {
            ' '
        };
        let circle = if statement.is_in_circle { '*' } else { ' ' };
        let bar = look.paint(FAINT, "|");
        let _ = writeln!(
            text,
            "  {gutter}{arrow}{circle}{:>digits$} {bar} {}",
            statement.line + 1,
            visible(&statement.text)
        );
    }
    text.push('\n');
}

/// Gives each edge a column, the shorter ones nearer to the statements. Edges in one column do not touch.
fn columns(edges: &[&Edge]) -> Vec<usize> {
    let range = |edge: &Edge| edge.from.min(edge.to)..=edge.from.max(edge.to);
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by_key(|&n| (edges[n].from.abs_diff(edges[n].to), n));
    let mut columns = vec![0; edges.len()];
    let mut taken: Vec<Vec<usize>> = Vec::new();
    for n in order {
        let own = range(edges[n]);
        let is_free = |others: &Vec<usize>| {
            others.iter().all(|&other| {
                let other = range(edges[other]);
                other.end() < own.start() || own.end() < other.start()
            })
        };
        let column = taken.iter().position(is_free).unwrap_or(taken.len());
        if column == taken.len() {
            taken.push(Vec::new());
        }
        taken[column].push(n);
        columns[n] = column;
    }
    columns
}

/// Tells each edge, and the circle if there is one.
fn words(graph: &StatementGraph, text: &mut String) {
    let line = |n: usize| graph.statements[n].line + 1;
    for edge in &graph.edges {
        let later = match (edge.is_carried, edge.distance) {
            (false, _) => String::new(),
            (true, Some(1)) => ", 1 iteration later".to_owned(),
            (true, Some(distance)) => format!(", {distance} iterations later"),
            (true, None) => ", in a later iteration".to_owned(),
        };
        let line_edge = if edge.is_carried { '╌' } else { '─' };
        let _ = writeln!(
            text,
            "  {} {line_edge}▶ {}  {} of `{}`{later}",
            line(edge.from),
            line(edge.to),
            edge.kind.name(),
            edge.through
        );
    }
    if graph.edges.is_empty() {
        let _ = writeln!(text, "  no statement needs another one");
    }
    let circle: Vec<String> = (0..graph.statements.len())
        .filter(|&n| graph.statements[n].is_in_circle)
        .map(|n| line(n).to_string())
        .collect();
    match &circle[..] {
        [] => {}
        [only] => {
            let _ = writeln!(
                text,
                "  * line {only} needs what it made in an earlier iteration, so its iterations stay in order"
            );
        }
        lines => {
            let lines = lines.join(", ");
            let _ =
                writeln!(text, "  * lines {lines} need each other around a circle, so their iterations stay in order");
        }
    }
    text.push('\n');
}

/// Writes the graphs of a kernel's loops for Graphviz.
pub(crate) fn dot(document: &Document, name: &str, graphs: &[StatementGraph]) -> String {
    let mut text = String::new();
    for graph in graphs {
        let at = document.place(graph.header.start()).line;
        let _ = writeln!(text, "digraph \"{name}, line {at}\" {{");
        let _ = writeln!(text, "    label={};", quoted(document.text[graph.header].trim_end_matches(':')));
        let _ = writeln!(text, "    node [shape=box, fontname=monospace];");
        for (n, statement) in graph.statements.iter().enumerate() {
            let bold = if statement.is_in_circle { ", style=bold" } else { "" };
            let label = quoted(&format!("{}: {}", statement.line + 1, statement.text));
            let _ = writeln!(text, "    s{n} [label={label}{bold}];");
        }
        for edge in &graph.edges {
            let style = if edge.is_carried { ", style=dashed" } else { "" };
            let distance = edge.distance.map_or_else(String::new, |distance| format!(", {distance}"));
            let label = quoted(&format!("{} {}{distance}", edge.kind.name(), edge.through));
            let _ = writeln!(text, "    s{} -> s{} [label={label}{style}];", edge.from, edge.to);
        }
        text += "}\n";
    }
    text
}

/// A string as Graphviz reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
