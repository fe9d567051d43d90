//! Statement graphs, painted: each loop's title, its statements with the edges beside them, and each edge in words.

use std::fmt::Write;

use driver::document::Document;
use driver::words::visible;
use ide::graph::{StatementGraph, rows, words};

use crate::console::Look;
use crate::highlight::{FAINT, STRONG};

/// Draws the graphs of a kernel's loops.
pub(crate) fn text(document: &Document, name: &str, graphs: &[StatementGraph], look: Look) -> String {
    let mut text = String::new();
    for graph in graphs {
        let _ = writeln!(text, "{}\n", look.paint(STRONG, &title(document, name, graph)));
        let digits = graph.statements.last().map_or(1, |last| (last.line + 1).to_string().len());
        let bar = look.paint(FAINT, "|");
        for row in rows(graph) {
            let circle = if row.is_in_circle { '*' } else { ' ' };
            let _ = writeln!(text, "  {}{circle}{:>digits$} {bar} {}", row.edges, row.line, visible(&row.text));
        }
        text.push('\n');
        for line in words(graph) {
            let _ = writeln!(text, "  {line}");
        }
        text.push('\n');
    }
    text
}

/// The title of a graph: the kernel, the loop and its verdict.
pub(crate) fn title(document: &Document, name: &str, graph: &StatementGraph) -> String {
    let line = document.place(graph.header.start()).line;
    format!("{name}, line {line}: `{}`: {}", visible(header(document, graph)), graph.headline)
}

/// The header of a loop, as it is written.
pub(crate) fn header<'d>(document: &'d Document, graph: &StatementGraph) -> &'d str {
    document.text[graph.header].trim_end_matches(':')
}
