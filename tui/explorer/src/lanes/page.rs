//! The page of the lanes: the op at hand, a grid of values by lanes, the strip of memory that the op touches, and how many lanes were
//! active.
//!
//! What is wider than the pane is divided into blocks of lanes, or of cells, one below the other.

use driver::stepping::BranchFlow;
use driver::stepping::grid::{LaneCell, LaneGrid, LaneRow, RowOrigin};
use driver::stepping::looking::{ActivityReport, LanesView, RunEnd};
use driver::stepping::strips::{CellOrder, Strip, StripCell, Touches, of_lanes};

use queries::run::Scalar;

use crate::answers::array_lines;
use crate::colouring::program_line;
use crate::glyphs;
use crate::page::{Line, Offer, Page, Role};

/// Limit on the columns of a name in front of its values.
const WIDEST_NAME: usize = 14;

/// Builds the page of a run that stands still, for a pane with so many columns of text.
pub(crate) fn page(view: &LanesView, columns: usize) -> Page {
    let mut lines = head(view);
    lines.extend(grid_lines(&view.grid, columns));
    for strip in &view.strips {
        lines.extend(strip_lines(strip, columns));
    }
    lines.extend(same_in_all(&view.grid));
    lines.extend(activity_lines(&view.activity));
    lines.extend(flow_lines(&view.branches));
    if !view.printed.is_empty() {
        lines.push(Line::of(Role::Faint, "printed:"));
        lines.extend(view.printed.lines().map(|line| Line::new(driver::words::visible(line))));
    }
    if let Some(RunEnd::Done(result, arrays)) = &view.end {
        lines.extend(
            result.iter().map(|result| {
                Line::of(Role::Strong, "result").and(Role::Text, " = ").and(Role::Number, result.clone())
            }),
        );
        lines.extend(arrays.iter().flat_map(array_lines));
    }
    Page::prose(lines)
}

/// The op at hand, and where the run stands. The first line leads to the source.
fn head(view: &LanesView) -> Vec<Line> {
    let source = view.op.as_ref().and_then(|op| op.range);
    let mut lines = Vec::new();
    match (&view.end, &view.op) {
        (Some(RunEnd::Done(..)), _) => lines.push(Line::of(Role::Strong, "The run is over.")),
        (_, Some(op)) => {
            let text = program_line(op.text.clone());
            lines.push(Line { is_whole: true, ..text }.from_source(source).offering(Offer::Source));
        }
        (_, None) => {}
    }
    let failure = match &view.end {
        Some(RunEnd::Failed(why)) => Some(format!("error: {why}")),
        _ => view.warning.as_ref().map(|why| format!("error, if it runs: {why}")),
    };
    lines.extend(failure.map(|why| Line::of(Role::Error, why).from_source(source).offering(Offer::Source)));
    let mut facts: Vec<String> = view.op.iter().filter(|_| view.end.is_none()).map(|op| op.op.to_string()).collect();
    facts.push(format!("step {}", view.n_steps));
    let indices: Vec<String> = view.iteration.iter().map(ToString::to_string).collect();
    if !indices.is_empty() {
        let last = view.last_lane.map_or_else(String::new, |last| format!(" to {last}"));
        facts.push(format!("iteration {}{last}", indices.join(", ")));
    }
    facts.extend(view.op.as_ref().and_then(|op| op.function.as_ref()).map(|function| format!("in {function}")));
    lines.push(Line::of(Role::Faint, facts.join(" · ")));
    lines
}

/// A cell of a table, with its role.
type TableCell = (String, Role);

/// Lays out a table with names in front: columns as wide as what is in them, in blocks that fit the pane.
fn table(names: &[(String, Role)], columns: &[Vec<TableCell>], width: usize) -> Vec<Line> {
    let names: Vec<(String, Role)> = names.iter().map(|(name, role)| (glyphs::cut(name, WIDEST_NAME), *role)).collect();
    let widest = names.iter().map(|(name, _)| glyphs::width(name)).max().unwrap_or(0);
    let widths: Vec<usize> = columns
        .iter()
        .map(|column| column.iter().map(|(text, _)| glyphs::width(text)).max().unwrap_or(0) + 1)
        .collect();
    let mut lines = Vec::new();
    let mut first = 0;
    while first < columns.len() {
        let mut used = widest + widths[first];
        let mut end = first + 1;
        while end < columns.len() && used + widths[end] <= width {
            used += widths[end];
            end += 1;
        }
        for (row, (name, role)) in names.iter().enumerate() {
            let pad = " ".repeat(widest - glyphs::width(name));
            let mut line = Line::of(*role, name.clone()).and(Role::Text, pad);
            for (column, width) in columns[first..end].iter().zip(&widths[first..end]) {
                let (text, role) = &column[row];
                let pad = " ".repeat(width - glyphs::width(text));
                line = line.and(Role::Text, pad).and(*role, text.clone());
            }
            lines.push(Line { is_whole: true, ..line });
        }
        first = end;
    }
    lines
}

/// The lanes by values: their numbers, the mask, and a row for each name.
fn grid_lines(grid: &LaneGrid, columns: usize) -> Vec<Line> {
    if grid.n_lanes == 0 {
        return Vec::new();
    }
    let mut names = vec![("lane".to_owned(), Role::Faint)];
    let mask = grid.mask.clone().unwrap_or_else(|| "mask".to_owned());
    if !grid.on.is_empty() {
        names.push((mask.clone(), Role::Mask));
    }
    // The mask is shown in words already.
    let is_mask = |row: &LaneRow| match row.of {
        RowOrigin::Source | RowOrigin::Pass => grid.mask.as_ref() == Some(&row.name),
        RowOrigin::Operand => row.cells.iter().map(as_bool).eq(grid.on.iter().map(|on| Some(*on))),
        RowOrigin::Result => false,
    };
    let rows: Vec<&LaneRow> = grid.rows.iter().filter(|row| !is_mask(row)).collect();
    names.extend(rows.iter().map(|row| name_of(row)));
    let column = |lane: usize| {
        let is_on = grid.is_on(lane);
        let mut column = vec![(lane.to_string(), Role::Faint)];
        if !grid.on.is_empty() {
            column.push(if is_on { ("on".to_owned(), Role::Mask) } else { ("off".to_owned(), Role::Faint) });
        }
        column.extend(rows.iter().map(|row| {
            let cell = row.cells.get(lane).unwrap_or(&LaneCell::Off);
            (cell.text(), role_of_cell(cell, row, is_on))
        }));
        column
    };
    let all: Vec<Vec<TableCell>> = (0..grid.n_lanes).map(column).collect();
    table(&names, &all, columns)
}

fn as_bool(cell: &LaneCell) -> Option<bool> {
    match cell {
        LaneCell::Value(Scalar::Bool(on)) => Some(*on),
        _ => None,
    }
}

fn name_of(row: &LaneRow) -> (String, Role) {
    match row.of {
        RowOrigin::Source => (row.name.clone(), Role::Text),
        RowOrigin::Pass => (row.name.clone(), Role::Faint),
        RowOrigin::Operand => (format!("({})", row.name), Role::Faint),
        RowOrigin::Result => (format!("→ {}", row.name), Role::Strong),
    }
}

fn role_of_cell(cell: &LaneCell, row: &LaneRow, is_on: bool) -> Role {
    match (cell, is_on) {
        (LaneCell::Failed, true) => Role::Error,
        (LaneCell::Value(_) | LaneCell::Array, true) if row.of == RowOrigin::Result => Role::Strong,
        (LaneCell::Value(_) | LaneCell::Array, true) => Role::Number,
        _ => Role::Faint,
    }
}

/// What is the same in all lanes, in a sentence.
fn same_in_all(grid: &LaneGrid) -> Option<Line> {
    let title = if grid.n_lanes > 0 { "the same in all lanes: " } else { "values: " };
    let mut line = Line::of(Role::Faint, title);
    for (n, row) in grid.same.iter().enumerate() {
        let (name, role) = name_of(row);
        let text = row.cells.first().map(LaneCell::text).unwrap_or_default();
        let comma = if n > 0 { ", " } else { "" };
        line = line.and(Role::Text, comma).and(role, name).and(Role::Text, " = ").and(Role::Number, text);
    }
    (!grid.same.is_empty()).then_some(line)
}

/// A strip of memory: the cells that the op touches and those beside them, with the lanes below.
fn strip_lines(strip: &Strip, columns: usize) -> Vec<Line> {
    let does = if strip.does == Touches::Reads { Role::Load } else { Role::Store };
    let order = match strip.order {
        CellOrder::One | CellOrder::Broadcast | CellOrder::Contiguous | CellOrder::Packed => Role::Added,
        CellOrder::Reversed | CellOrder::Strided(_) | CellOrder::Apart | CellOrder::Shared(_) => Role::Warning,
        CellOrder::Colliding(_) => Role::Error,
    };
    let title = Line::of(does, format!("{} ", strip.does.verb()))
        .and(Role::Strong, strip.array.clone())
        .and(Role::Faint, format!(" {}", strip.ty))
        .and(Role::Text, ": ")
        .and(order, strip.order.to_string());
    let names = [("cell", Role::Faint), ("holds", Role::Faint), ("lane", does)];
    let names = names.map(|(name, role)| (name.to_owned(), role));
    let gap = || vec![("…".to_owned(), Role::Faint); 3];
    let mut all = Vec::new();
    for cell in &strip.cells {
        if cell.follows_gap {
            all.push(gap());
        }
        all.push(strip_column(cell, does));
    }
    if strip.goes_on {
        all.push(gap());
    }
    let mut lines = vec![title];
    lines.extend(table(&names, &all, columns));
    if strip.n_more > 0 {
        lines.push(Line::of(Role::Faint, format!("… {} more", strip.n_more)));
    }
    lines
}

fn strip_column(cell: &StripCell, does: Role) -> Vec<TableCell> {
    let value = if cell.is_touched { Role::Number } else { Role::Faint };
    let lanes = match (cell.is_touched, cell.lanes.is_empty()) {
        (false, _) => String::new(),
        // Outside of lanes a mark is all that there is to say.
        (true, true) => "^".to_owned(),
        (true, false) => of_lanes(&cell.lanes).replace(", ", ","),
    };
    let lanes_role = if cell.lanes.len() > 1 { Role::Warning } else { does };
    vec![(cell.subscripts.clone(), Role::Faint), (cell.value.clone(), value), (lanes, lanes_role)]
}

/// How many lanes were active on average, of the whole and of each line where some were not.
fn activity_lines(activity: &ActivityReport) -> Vec<Line> {
    let Some(overall) = activity.overall else { return Vec::new() };
    let so_far = if activity.is_whole { "of the whole run" } else { "so far" };
    let head = Line::of(Role::Faint, "lanes active on average: ").and(Role::Number, average(overall));
    let mut lines = vec![head.and(Role::Faint, format!(", {so_far}"))];
    lines.extend(activity.lines.iter().map(|line| {
        let text = Line::of(Role::Faint, format!("  line {}: ", line.line + 1));
        text.and(Role::Number, average(line.average)).from_source(Some(line.range)).offering(Offer::Source)
    }));
    lines
}

/// Where lanes went at branches: a tree of conditions, each with the lanes that it held in and those that it did not.
fn flow_lines(branches: &[BranchFlow]) -> Vec<Line> {
    if branches.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::of(Role::Faint, "where lanes went:")];
    let mut around: Vec<usize> = Vec::new();
    for branch in branches {
        around.retain(|indent| *indent < branch.indent);
        let pad = "  ".repeat(around.len() + 1);
        around.push(branch.indent);
        let n_past = branch.n_came - branch.n_held;
        let title = Line::of(Role::Faint, format!("{pad}line {}: ", branch.line + 1)).and(Role::Code, &branch.text);
        let counts = format!(": of {} lanes {} in, {n_past} past, so far", branch.n_came, branch.n_held);
        lines.push(title.and(Role::Text, counts).from_source(Some(branch.range)).offering(Offer::Source));
        if let Some((within, past)) = &branch.last {
            for (joint, word, lanes, role) in [("├", "in", within, Role::Mask), ("└", "past", past, Role::Faint)] {
                let lanes = if lanes.is_empty() { "none".to_owned() } else { of_lanes(lanes) };
                lines.push(Line::of(Role::Faint, format!("{pad}{joint} {word}: ")).and(role, lanes));
            }
        }
    }
    lines
}

/// Writes an average: `6.5 of 8 (81 %)`.
fn average((active, all): (f64, f64)) -> String {
    let number = |n: f64| format!("{n:.2}").trim_end_matches('0').trim_end_matches('.').to_owned();
    let percent = if all > 0.0 { 100.0 * active / all } else { 100.0 };
    format!("{} of {} ({percent:.0} %)", number(active), number(all))
}
