//! Pictures as files: SVG for whoever has a browser, and panes as HTML in the colours of the theme.

mod arrays;
mod html;

use std::fmt::Write;

use ide::iterations::{IterationSpace, Placed};
use report::lanes::DependenceKind;

pub(crate) use arrays::arrays_svg;
pub(crate) use html::{HtmlPane, html};

use super::Drawing;

/// The distance of neighbouring points, the room around them, and the radius of a point.
const STEP: usize = 44;
const MARGIN: usize = 56;
const RADIUS: usize = 5;

/// Colours for light and for dark backgrounds, as whoever looks at it has chosen.
const STYLE: &str = "\
    <style>
        text { font: 12px monospace; fill: #1f2328 }
        .title { font-weight: bold }
        .faint { fill: #57606a }
        circle { fill: #57606a }
        path { fill: none; stroke-width: 1.5 }
        .flow { stroke: #0969da } .anti { stroke: #9a6700; stroke-dasharray: 5 4 } .output { stroke: #cf222e; stroke-dasharray: 2 3 }
        .together { stroke: #8250df; stroke-width: 9; stroke-linecap: round; opacity: 0.35 }
        .witness { fill: none; stroke: #cf222e; stroke-width: 2 }
        .plot { stroke: #0969da }
        marker path { stroke: none; fill: #57606a }
        @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 } .faint { fill: #9da7b3 } circle { fill: #9da7b3 }
            .flow, .plot { stroke: #58a6ff } .anti { stroke: #d29922 } .output, .witness { stroke: #ff7b72 }
            .together { stroke: #bc8cff } marker path { fill: #9da7b3 }
        }
    </style>
    <marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path \
     d=\"M0 0 8 4 0 8z\"/></marker>
";

/// Writes a drawing as SVG under a title; `None` where there is no picture.
pub(crate) fn svg(drawing: &Drawing, title: &str) -> Option<String> {
    match drawing {
        Drawing::Nothing | Drawing::Absent(_) => None,
        Drawing::Iterations(space) => Some(space_svg(space, title)),
        Drawing::Statements(graph, _) => Some(ide::graph::svg(&[(title.to_owned(), graph)])),
    }
}

/// The whole of a picture: its size, and what stands in it.
fn framed((width, height): (usize, usize), body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         {STYLE}{body}</svg>\n"
    )
}

/// The iterations with arrows, and the orders before and after below each other.
fn space_svg(space: &IterationSpace, title: &str) -> String {
    let indices = space.indices();
    let (rows, columns): (&[i64], &[i64]) = match &indices[..] {
        [rows, columns] => (rows, columns),
        [columns] => (&[], columns),
        _ => (&[], &[]),
    };
    let n_rows = rows.len().max(1);
    let height = (n_rows - 1) * STEP + 2 * MARGIN;
    let mut body = String::new();
    let place = |point: &[i64], top: usize| {
        let column = columns.iter().position(|index| Some(index) == point.last())?;
        let row = if point.len() == 2 { rows.iter().position(|index| *index == point[0])? } else { 0 };
        Some((MARGIN + column * STEP, top + MARGIN + row * STEP))
    };
    let axes = |body: &mut String, top: usize, heading: &str| {
        let _ = writeln!(body, "    <text class=\"title\" x=\"12\" y=\"{}\">{}</text>", top + 18, escaped(heading));
        let labelled = |body: &mut String, x: usize, y: usize, text: &str| {
            let text = escaped(text);
            let _ =
                writeln!(body, "    <text class=\"faint\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{text}</text>");
        };
        for (n, index) in columns.iter().enumerate() {
            labelled(body, MARGIN + n * STEP, top + MARGIN - 18, &index.to_string());
        }
        for (n, index) in rows.iter().enumerate() {
            labelled(body, MARGIN - 26, top + MARGIN + n * STEP + 4, &index.to_string());
        }
        if let Some(&axis) = space.axes.last() {
            let x = MARGIN + columns.len() * STEP;
            labelled(body, x, top + MARGIN - 18, &space.levels[axis].index);
        }
        if space.axes.len() == 2 {
            labelled(body, MARGIN - 26, top + MARGIN - 18, &space.levels[space.axes[0]].index);
        }
    };
    axes(&mut body, 0, title);
    for arrow in &space.arrows {
        let (Some(from), Some(to)) = (place(&arrow.from, 0), place(&arrow.to, 0)) else { continue };
        let class = class_of(space.dependences[arrow.dependence].kind);
        let _ = writeln!(body, "    <path class=\"{class}\" d=\"{}\" marker-end=\"url(#head)\"/>", curve(from, to));
    }
    points(&mut body, space, &|point| place(point, 0));
    for point in space.dependences.iter().find_map(|met| met.witness.as_ref()).into_iter().flatten() {
        if let Some((x, y)) = place(point, 0) {
            let _ = writeln!(body, "    <circle class=\"witness\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>", RADIUS + 5);
        }
    }
    let mut top = height;
    for met in &space.dependences {
        let words = format!("{} of {}: {}", met.kind.name(), met.array, met.words);
        let class = class_of(met.kind);
        let _ = writeln!(body, "    <path class=\"{class}\" d=\"M12 {}h30\"/>", top - 4);
        let _ = writeln!(body, "    <text x=\"50\" y=\"{top}\">{}</text>", escaped(&words));
        top += 20;
    }
    let after = space.after.iter().map(|after| (format!("order at the stage {}", space.stage), after));
    for (heading, order) in std::iter::once(("order of the program".to_owned(), &space.before)).chain(after) {
        axes(&mut body, top, &heading);
        together(&mut body, order, &|point| place(point, top));
        for placed in order {
            if let Some((x, y)) = place(&placed.at, top) {
                let turn = placed.turn;
                let _ = writeln!(body, "    <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{turn}</text>", y + 4);
            }
        }
        top += height;
    }
    let longest = space.dependences.iter().map(|met| met.words.len() + met.array.len() + 16).max().unwrap_or(0);
    let width = (2 * MARGIN + columns.len() * STEP).max(60 + 8 * longest).max(24 + 8 * title.len());
    framed((width, top), &body)
}

/// The place of a point in the picture, if it has one.
type PlaceOf<'p> = dyn Fn(&[i64]) -> Option<(usize, usize)> + 'p;

fn points(body: &mut String, space: &IterationSpace, place: &PlaceOf<'_>) {
    for (x, y) in space.points.iter().filter_map(|point| place(point)) {
        let _ = writeln!(body, "    <circle cx=\"{x}\" cy=\"{y}\" r=\"{RADIUS}\"/>");
    }
}

/// Joins the points of each turn.
fn together(body: &mut String, order: &[Placed], place: &PlaceOf<'_>) {
    for group in order.chunk_by(|one, other| one.turn == other.turn).filter(|group| group.len() > 1) {
        let places: Vec<String> =
            group.iter().filter_map(|placed| place(&placed.at)).map(|(x, y)| format!("{x} {y}")).collect();
        let _ = writeln!(body, "    <path class=\"together\" d=\"M{}\"/>", places.join("L"));
    }
}

/// An arrow from the edge of one point to that of another; a long one bends past the points between.
fn curve((x0, y0): (usize, usize), (x1, y1): (usize, usize)) -> String {
    let (x0, y0, x1, y1) = (x0 as f64, y0 as f64, x1 as f64, y1 as f64);
    let (dx, dy) = (x1 - x0, y1 - y0);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let room = RADIUS as f64 + 1.0;
    let bend = if length > 1.5 * STEP as f64 { 14.0 } else { 0.0 };
    let (middle_x, middle_y) = ((x0 + x1) / 2.0 - uy * bend, (y0 + y1) / 2.0 + ux * bend);
    format!(
        "M{:.1} {:.1}Q{middle_x:.1} {middle_y:.1} {:.1} {:.1}",
        x0 + ux * room,
        y0 + uy * room,
        x1 - ux * room,
        y1 - uy * room
    )
}

fn class_of(kind: DependenceKind) -> &'static str {
    kind.name()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
