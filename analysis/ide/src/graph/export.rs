//! Statement graphs as files: in the language of Graphviz, and as pictures (SVG).

use std::fmt::Write;

use super::{Edge, StatementGraph};

/// Writes a graph for Graphviz, under a name for the whole and a label.
pub fn dot(graph: &StatementGraph, name: &str, label: &str) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "digraph {} {{", quoted(name));
    let _ = writeln!(text, "    label={};", quoted(label));
    let _ = writeln!(text, "    node [shape=box, fontname=monospace];");
    for (n, statement) in graph.statements.iter().enumerate() {
        let bold = if statement.is_in_circle { ", style=bold" } else { "" };
        let label = quoted(&format!("{}: {}", statement.line + 1, statement.text));
        let _ = writeln!(text, "    s{n} [label={label}{bold}];");
    }
    for edge in &graph.edges {
        let style = if edge.is_carried { ", style=dashed" } else { "" };
        let _ = writeln!(text, "    s{} -> s{} [label={}{style}];", edge.from, edge.to, quoted(&edge_label(edge)));
    }
    text += "}\n";
    text
}

fn edge_label(edge: &Edge) -> String {
    let distance = edge.distance.map_or_else(String::new, |distance| format!(", {distance}"));
    format!("{} {}{distance}", edge.kind.name(), edge.through)
}

/// A string as Graphviz reads it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The height of a statement's box, and the room below it.
const BOX: (usize, usize) = (28, 26);
/// The width of a character.
const CHARACTER: usize = 8;
/// The distance of neighbouring arcs.
const ARC: usize = 16;

/// Colours for light and for dark backgrounds, as whoever looks at it has chosen.
const STYLE: &str = "\
    <style>
        text { font: 13px monospace; fill: #1f2328 }
        .title { font-weight: bold }
        .label { font-size: 11px; fill: #57606a }
        rect { fill: #f6f8fa; stroke: #57606a }
        rect.circle { stroke: #cf222e; stroke-width: 2.5 }
        path { fill: none; stroke: #0969da; stroke-width: 1.5 }
        path.carried { stroke: #cf222e; stroke-dasharray: 5 4 }
        marker path { fill: #0969da; stroke: none }
        marker.carried path { fill: #cf222e; stroke: none }
        @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 }
            .label { fill: #9da7b3 }
            rect { fill: #161b22; stroke: #9da7b3 }
            path { stroke: #58a6ff } marker path { fill: #58a6ff }
            rect.circle, path.carried { stroke: #ff7b72 } marker.carried path { fill: #ff7b72 }
        }
    </style>
";

/// Draws graphs as one picture, each under its title: statements in the order of their lines, solid arcs on the right for what is needed
/// within an iteration, dashed ones on the left for what a later iteration needs.
pub fn svg(graphs: &[(String, &StatementGraph)]) -> String {
    let mut body = String::new();
    let (mut width, mut top) = (0, 0);
    for (title, graph) in graphs {
        let drawn = drawn(title, graph, top, &mut body);
        width = width.max(drawn.0);
        top += drawn.1;
    }
    let head = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{top}\" viewBox=\"0 0 {width} {top}\">\n"
    );
    let marker = |id: &str, class: &str| {
        format!(
            "    <marker id=\"{id}\"{class} viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M0 0 8 4 0 8z\"/></marker>\n"
        )
    };
    head + STYLE + &marker("arrow", "") + &marker("later", " class=\"carried\"") + &body + "</svg>\n"
}

/// Draws one graph below some height; gives its width and height.
fn drawn(title: &str, graph: &StatementGraph, top: usize, body: &mut String) -> (usize, usize) {
    let labels = |carried: bool| graph.edges.iter().filter(move |edge| edge.is_carried == carried);
    let reach = |carried: bool| {
        let longest = labels(carried).map(|edge| edge_label(edge).chars().count()).max();
        longest.map_or(20, |label| 2 * ARC + ARC * labels(carried).count() + (CHARACTER - 1) * label)
    };
    let (left, right) = (reach(true), reach(false));
    let texts = graph.statements.iter().map(|statement| format!("{:>3}  {}", statement.line + 1, statement.text));
    let texts: Vec<String> = texts.collect();
    let inner = CHARACTER * texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 20;
    let y = |n: usize| top + 48 + n * (BOX.0 + BOX.1);
    let _ = writeln!(body, "    <text class=\"title\" x=\"12\" y=\"{}\">{}</text>", top + 24, escaped(title));
    for (n, (text, statement)) in texts.iter().zip(&graph.statements).enumerate() {
        let class = if statement.is_in_circle { " class=\"circle\"" } else { "" };
        let (at, height) = (y(n), BOX.0);
        let _ =
            writeln!(body, "    <rect{class} x=\"{left}\" y=\"{at}\" width=\"{inner}\" height=\"{height}\" rx=\"4\"/>");
        let (x, base) = (left + 10, at + 19);
        let _ = writeln!(body, "    <text x=\"{x}\" y=\"{base}\" xml:space=\"preserve\">{}</text>", escaped(text));
    }
    for carried in [false, true] {
        for (number, edge) in labels(carried).enumerate() {
            // Arcs leave below the middle of a box and arrive above it, so that both ends of a circle are seen.
            let (from, to) = (y(edge.from) + 19, y(edge.to) + 9);
            let out = ARC * (number + 1) + 12;
            let (side, bend, anchor) =
                if carried { (left, left - out, "end") } else { (left + inner, left + inner + out, "start") };
            let (class, marker) = if carried { (" class=\"carried\"", "later") } else { ("", "arrow") };
            let _ = writeln!(
                body,
                "    <path{class} d=\"M{side} {from}C{bend} {from} {bend} {to} {side} {to}\" marker-end=\"url(#{marker})\"/>"
            );
            // The middle of such a curve lies at three quarters of the way to its bend.
            let middle = (side + 3 * bend) / 4;
            let x = if carried { middle - 4 } else { middle + 4 };
            let height = (from + to) / 2 + 4;
            let label = escaped(&edge_label(edge));
            let _ = writeln!(
                body,
                "    <text class=\"label\" x=\"{x}\" y=\"{height}\" text-anchor=\"{anchor}\">{label}</text>"
            );
        }
    }
    let width = (left + inner + right).max(24 + CHARACTER * title.chars().count());
    (width, 48 + texts.len() * (BOX.0 + BOX.1) + 8)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
