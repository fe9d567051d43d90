//! Iteration spaces as text: iterations as points, dependences as arrows, the order before and after the passes.
//!
//! ```text
//!         j 0    1    2
//!   i 0     o    o    o
//!           │    │    │
//!           ▼    ▼    ▼
//!     1     o    o    o
//! ```
//!
//! The outer loop goes down, the inner one to the right. Lines are solid for flow, dashed for anti and double for output dependences;
//! `S` and `T` are the iterations of the first witness. In the order, numbers are turns, and a line joins what runs together.

mod row;

use std::collections::BTreeMap;
use std::ops::Range;

use ide::iterations::{Arrow, IterationSpace, Placed, SpaceDependence};
use report::lanes::DependenceKind;

use super::grid::CharPlane;
use super::{line_start, role_of};
use crate::colouring::sentence;
use crate::glyphs;
use crate::page::{Line, Offer, Role};

/// Limit on the rows of points, and on the points of a row of one loop alone.
const MAX_ROWS: usize = 24;
const MAX_COLUMNS: usize = 64;

/// Limit on the rows of points with arrows between them.
const MAX_SPACED_ROWS: usize = 12;

/// The distances of columns with arrows between them, the best one first, and that of rows.
const SPACED_COLUMNS: [usize; 3] = [5, 4, 3];
const SPACED_ROWS: usize = 3;

/// The lines of an iteration space, in so many columns. `text` is the source.
pub(super) fn lines(space: &IterationSpace, text: &str, columns: usize) -> Vec<Line> {
    let layout = Layout::of(space);
    let mut lines = vec![heading(space, &layout, text)];
    match space.axes.len() {
        1 => lines.extend(row::row(space, &layout, columns)),
        _ => {
            lines.extend(plane(space, &layout, columns));
            lines.extend(told(space));
            lines.push(Line::default());
            lines.extend(orders(space, &layout, columns));
        }
    }
    if space.axes.len() == 1 {
        lines.extend(told(space));
    }
    match &space.after {
        Err(why) => lines.push(sentence(&format!("The order at the stage `{}` is not drawn: {why}.", space.stage))),
        Ok(order) => lines.push(in_words(space, order)),
    }
    for done in &space.done {
        let words = sentence(&format!("- `{}`, line {}: {}: {}", done.pass, done.line + 1, done.code, done.because));
        lines.push(words.from_source(Some(done.range)).offering(Offer::Source));
    }
    if space.is_cut {
        lines
            .push(sentence("The run is long: what comes late in it is left out. Fewer elements (`r`) show all of it."));
    }
    lines
}

fn heading(space: &IterationSpace, layout: &Layout, text: &str) -> Line {
    let names: Vec<&str> = space.axes.iter().map(|&axis| space.levels[axis].index.as_str()).collect();
    let innermost = &space.levels[*space.axes.last().unwrap_or(&0)];
    let numbers: Vec<String> = space.axes.iter().map(|&axis| (space.levels[axis].line + 1).to_string()).collect();
    let mut line = Line::of(Role::Heading, format!("Iterations of {}", names.join(", ")));
    let lines = if numbers.len() > 1 && numbers[0] != numbers[1] { "lines" } else { "line" };
    let mut numbers = numbers;
    numbers.dedup();
    line = line.and(Role::Faint, format!(" in {lines} {}", numbers.join(" and ")));
    let sizes = [layout.rows.len(), layout.columns.len()];
    let sizes: Vec<String> = sizes.iter().filter(|n| **n > 0).map(usize::to_string).collect();
    line = line.and(Role::Faint, format!(", {} on the data of r", sizes.join(" by ")));
    let fixed: Vec<String> =
        space.fixed.iter().map(|&(level, index)| format!("{} = {index}", space.levels[level].index)).collect();
    if !fixed.is_empty() {
        line = line.and(Role::Faint, format!("; {}", fixed.join(", ")));
    }
    line.from_source(Some(line_start(text, innermost.line))).offering(Offer::Source)
}

/// The lines, dashes or doubles of a kind: across, down, and its arrow across.
fn strokes(kind: DependenceKind) -> (char, char) {
    match kind {
        DependenceKind::Flow => ('─', '│'),
        DependenceKind::Anti => ('╌', '╎'),
        DependenceKind::Output => ('═', '║'),
    }
}

/// The points on the axes by their positions: column and row.
struct Layout {
    columns: BTreeMap<i64, usize>,
    rows: BTreeMap<i64, usize>,
}

impl Layout {
    fn of(space: &IterationSpace) -> Layout {
        let indices = space.indices();
        let numbered = |all: &[i64]| all.iter().enumerate().map(|(n, &index)| (index, n)).collect();
        match &indices[..] {
            [rows, columns] => Layout { columns: numbered(columns), rows: numbered(rows) },
            [columns] => Layout { columns: numbered(columns), rows: BTreeMap::new() },
            _ => Layout { columns: BTreeMap::new(), rows: BTreeMap::new() },
        }
    }

    fn place(&self, point: &[i64]) -> Option<(usize, usize)> {
        match point {
            [row, column] => Some((*self.columns.get(column)?, *self.rows.get(row)?)),
            [column] => Some((*self.columns.get(column)?, 0)),
            _ => None,
        }
    }
}

/// The part of a number of positions that is shown, around some of them.
fn window(n: usize, n_shown: usize, around: Option<usize>) -> Range<usize> {
    let n_shown = n_shown.clamp(1, n.max(1));
    let start = around.map_or(0, |at| at.saturating_sub(n_shown / 2)).min(n.saturating_sub(n_shown));
    start..(start + n_shown).min(n)
}

fn sorted_by_position(positions: &BTreeMap<i64, usize>) -> Vec<i64> {
    let mut indices: Vec<(usize, i64)> = positions.iter().map(|(index, n)| (*n, *index)).collect();
    indices.sort_unstable();
    indices.into_iter().map(|(_, index)| index).collect()
}

fn widest(indices: &[i64]) -> usize {
    indices.iter().map(|index| index.to_string().len()).max().unwrap_or(1)
}

/// The witness that is marked: that of the first dependence that has one here.
fn marked(space: &IterationSpace) -> Option<&[Vec<i64>; 2]> {
    space.dependences.iter().find_map(|met| met.witness.as_ref())
}

/// The points of two axes, with arrows.
fn plane(space: &IterationSpace, layout: &Layout, columns: usize) -> Vec<Line> {
    let (down, across) = (sorted_by_position(&layout.rows), sorted_by_position(&layout.columns));
    let names = [&space.levels[space.axes[0]].index, &space.levels[space.axes[1]].index];
    let left = glyphs::width(names[0]).max(2) + 1 + widest(&down) + 1 + glyphs::width(names[1]) + 1;
    let digits = widest(&across);
    let room = columns.saturating_sub(left);
    let mut wide_enough = SPACED_COLUMNS.into_iter().filter(|dx| *dx > digits && across.len() * dx <= room);
    let spaced = wide_enough.next().filter(|_| down.len() <= MAX_SPACED_ROWS);
    let is_spaced = spaced.is_some();
    let goes_down = space.arrows.iter().any(|arrow| arrow.from[0] != arrow.to[0]);
    let (dx, dy) = (spaced.unwrap_or(digits + 1), if is_spaced && goes_down { SPACED_ROWS } else { 1 });
    let around = marked(space).and_then(|[source, _]| layout.place(source));
    let xs = window(across.len(), (columns.saturating_sub(left) / dx).max(1), around.map(|(x, _)| x));
    let ys = window(down.len(), MAX_ROWS, around.map(|(_, y)| y));
    let place = |point: &[i64]| {
        let (x, y) = layout.place(point).filter(|(x, y)| xs.contains(x) && ys.contains(y))?;
        Some((left + (x - xs.start) * dx + digits - 1, 1 + (y - ys.start) * dy))
    };
    let mut plane = CharPlane::default();
    plane.text(left - glyphs::width(names[1]) - 1, 0, names[1], Role::Index);
    for (n, index) in across[xs.clone()].iter().enumerate() {
        plane.text(left + n * dx, 0, &format!("{index:>digits$}"), Role::Faint);
    }
    plane.text(0, 1, names[0], Role::Index);
    let wide = widest(&down);
    for (n, index) in down[ys.clone()].iter().enumerate() {
        plane.text(glyphs::width(names[0]).max(2) + 1, 1 + n * dy, &format!("{index:>wide$}"), Role::Faint);
    }
    for (x, y) in space.points.iter().filter_map(|point| place(point)) {
        plane.put(x, y, 'o', Role::Text);
    }
    for arrow in space.arrows.iter().filter(|_| is_spaced) {
        let (Some(from), Some(to)) = (place(&arrow.from), place(&arrow.to)) else { continue };
        let met = &space.dependences[arrow.dependence];
        let steps = (layout.place(&arrow.from), layout.place(&arrow.to));
        let (Some((c0, r0)), Some((c1, r1))) = steps else { continue };
        let is_short = c0.abs_diff(c1) <= 1 && r0.abs_diff(r1) <= 1;
        if is_short {
            short_arrow(&mut plane, from, to, met.kind);
        } else if is_shown_once(space, arrow) {
            long_arrow(&mut plane, from, to, met.kind);
        }
    }
    if let Some([source, sink]) = marked(space) {
        for (point, mark) in [(source, 'S'), (sink, 'T')] {
            if let Some((x, y)) = place(point) {
                plane.put(x, y, mark, Role::Error);
            }
        }
    }
    let mut lines = plane.lines();
    if !is_spaced && !space.arrows.is_empty() {
        let words =
            "There is no room for arrows here: z gives the whole screen, and fewer elements (r) have fewer points.";
        lines.push(Line::of(Role::Faint, words));
    }
    lines.extend(left_out(&[(names[0], down.len() - ys.len()), (names[1], across.len() - xs.len())]));
    lines
}

/// Says how many indices are not shown.
fn left_out(axes: &[(&String, usize)]) -> Option<Line> {
    let more: Vec<String> =
        axes.iter().filter(|(_, n)| *n > 0).map(|(name, n)| format!("{n} more along {name}")).collect();
    (!more.is_empty()).then(|| Line::of(Role::Faint, format!("… {}; z gives the whole screen", more.join(", "))))
}

/// Of arrows that are too long to be drawn from each point: the one of the witness, or else the first.
fn is_shown_once(space: &IterationSpace, arrow: &Arrow) -> bool {
    let met = &space.dependences[arrow.dependence];
    let first = || space.arrows.iter().find(|other| other.dependence == arrow.dependence);
    match &met.witness {
        Some([source, sink]) => (&arrow.from, &arrow.to) == (source, sink),
        None => first() == Some(arrow),
    }
}

/// Draws an arrow between neighbours.
fn short_arrow(plane: &mut CharPlane, (x0, y0): (usize, usize), (x1, y1): (usize, usize), kind: DependenceKind) {
    let role = role_of(kind);
    let (across, down) = strokes(kind);
    if y0 == y1 {
        let (left, right) = (x0.min(x1) + 1, x0.max(x1));
        (left..right).for_each(|x| plane.put_if_free(x, y0, across, role));
        let head = if x1 > x0 { (right - 1, '▶') } else { (left, '◀') };
        return plane.put(head.0, y0, head.1, role);
    }
    let (top, bottom) = (y0.min(y1) + 1, y0.max(y1));
    if x0 == x1 {
        (top..bottom).for_each(|y| plane.put_if_free(x0, y, down, role));
        let head = if y1 > y0 { (bottom - 1, '▼') } else { (top, '▲') };
        return plane.put(x0, head.0, head.1, role);
    }
    let is_falling = (x1 > x0) == (y1 > y0);
    let (stroke, head) = match (is_falling, y1 > y0) {
        (true, down) => ('╲', if down { '↘' } else { '↖' }),
        (false, down) => ('╱', if down { '↙' } else { '↗' }),
    };
    let reach = x0.abs_diff(x1);
    let at = |n: usize| if x1 > x0 { x0 + n } else { x0 - n };
    let (near, far) = if y1 > y0 { (y0 + 1, y1 - 1) } else { (y0 - 1, y1 + 1) };
    plane.put_if_free(at(reach / 3 + 1), near, stroke, role);
    plane.put(at(reach - reach / 3), far, head, role);
}

/// Draws an arrow across other points, where nothing else stands.
fn long_arrow(plane: &mut CharPlane, from: (usize, usize), to: (usize, usize), kind: DependenceKind) {
    let role = role_of(kind);
    let (across, down) = strokes(kind);
    let (dx, dy) = (to.0 as f64 - from.0 as f64, to.1 as f64 - from.1 as f64);
    let n_steps = dx.abs().max(dy.abs()) as usize;
    let at = |n: usize| {
        let part = n as f64 / n_steps as f64;
        ((from.0 as f64 + dx * part).round() as usize, (from.1 as f64 + dy * part).round() as usize)
    };
    let stroke = match (dx.abs() > 2.0 * dy.abs(), dy.abs() > 2.0 * dx.abs()) {
        (true, _) => across,
        (_, true) => down,
        _ if (dx > 0.0) == (dy > 0.0) => '╲',
        _ => '╱',
    };
    for n in 1..n_steps.saturating_sub(1) {
        let (x, y) = at(n);
        plane.put_if_free(x, y, stroke, role);
    }
    let head = match (dx.abs() > 2.0 * dy.abs(), dx > 0.0, dy > 0.0) {
        (true, true, _) => '▶',
        (true, false, _) => '◀',
        (false, _, true) if dx.abs() < 1.0 => '▼',
        (false, true, true) => '↘',
        (false, false, true) => '↙',
        (false, true, false) => '↗',
        (false, false, false) => '▲',
    };
    let (x, y) = at(n_steps.saturating_sub(1));
    plane.put_if_free(x, y, head, role);
}

/// The dependences in words. Enter goes to the access that runs later.
fn told(space: &IterationSpace) -> Vec<Line> {
    if space.dependences.is_empty() {
        return vec![sentence("No iteration depends on another one, so any order will do.")];
    }
    space.dependences.iter().map(|met| dependence_in_words(space, met)).collect()
}

fn dependence_in_words(space: &IterationSpace, met: &SpaceDependence) -> Line {
    let (across, _) = strokes(met.kind);
    let head = Line::of(role_of(met.kind), format!("{across}▶ {} of {}", met.kind.name(), met.array));
    let ways = space.levels.iter().enumerate().map(|(level, known)| {
        let on_axis = space.axes.iter().position(|axis| *axis == level);
        let shift = on_axis.and_then(|axis| met.shift.as_ref()?.get(axis).copied());
        let distance = met.distances.get(level).copied().flatten();
        match shift.or_else(|| Some(distance? * known.step?)).or(distance.filter(|distance| *distance == 0)) {
            Some(0) => known.index.clone(),
            Some(by) if by < 0 => format!("{} - {}", known.index, -by),
            Some(by) => format!("{} + {by}", known.index),
            None => match met.directions.get(level) {
                Some(&"<") => format!("a later {}", known.index),
                Some(&">") => format!("an earlier {}", known.index),
                Some(&"=") => known.index.clone(),
                _ => format!("any {}", known.index),
            },
        }
    });
    let ways: Vec<String> = ways.collect();
    let names: Vec<&str> = space.levels.iter().map(|level| level.index.as_str()).collect();
    let list = |parts: &[String]| if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) };
    let from = if names.len() == 1 { names[0].to_owned() } else { format!("({})", names.join(", ")) };
    let mut rest = format!(": {from} → {}", list(&ways));
    if let Some(why) = &met.undrawn {
        rest += &match met.follows_data {
            true => format!("; arrows lead to what meets next on these data, because {why}"),
            false => format!("; not drawn, because {why}"),
        };
    }
    if !met.words.is_empty() {
        rest += &format!("; {}", met.words);
    }
    let shift = head.text.len();
    let words = sentence(&rest);
    let mut line = head;
    line.text += &words.text;
    line.spans.extend(words.spans.into_iter().map(|(range, role)| (range.start + shift..range.end + shift, role)));
    line.from_source(Some(met.sink)).offering(Offer::Source)
}

/// The orders before and after, beside each other where there is room.
fn orders(space: &IterationSpace, layout: &Layout, columns: usize) -> Vec<Line> {
    let before = order((space, layout), "order of the program", &space.before, columns);
    let Ok(after) = &space.after else { return before.lines() };
    let title = format!("at the stage {}", space.stage);
    let after = order((space, layout), &title, after, columns);
    if before.width() + 4 + after.width() <= columns {
        return before.beside(after, 4).lines();
    }
    let mut lines = before.lines();
    lines.push(Line::default());
    lines.extend(after.lines());
    lines
}

/// The turns of the points of two axes.
fn order((space, layout): (&IterationSpace, &Layout), title: &str, placed: &[Placed], columns: usize) -> CharPlane {
    let (down, across) = (sorted_by_position(&layout.rows), sorted_by_position(&layout.columns));
    let turns: BTreeMap<(usize, usize), usize> =
        placed.iter().filter_map(|placed| Some((layout.place(&placed.at)?, placed.turn))).collect();
    let digits = turns.values().max().map_or(1, |turn| turn.to_string().len()).max(widest(&across));
    let names = [&space.levels[space.axes[0]].index, &space.levels[space.axes[1]].index];
    let left = widest(&down) + 1 + glyphs::width(names[0]) + 1;
    let dx = digits + 2;
    let around = marked(space).and_then(|[source, _]| layout.place(source));
    let xs = window(across.len(), (columns.saturating_sub(left) / dx).max(1), around.map(|(x, _)| x));
    let ys = window(down.len(), MAX_ROWS, around.map(|(_, y)| y));
    let mut plane = CharPlane::default();
    plane.text(0, 0, title, Role::Strong);
    plane.text(0, 1, names[0], Role::Index);
    for (n, index) in across[xs.clone()].iter().enumerate() {
        plane.text(left + n * dx, 1, &format!("{index:>digits$}"), Role::Faint);
    }
    plane.text(left + xs.len() * dx, 1, names[1], Role::Index);
    let wide = widest(&down);
    for (n, index) in down[ys.clone()].iter().enumerate() {
        plane.text(glyphs::width(names[0]) + 1, 2 + n, &format!("{index:>wide$}"), Role::Faint);
    }
    for (&(x, y), turn) in turns.iter().filter(|((x, y), _)| xs.contains(x) && ys.contains(y)) {
        let (at, row) = (left + (x - xs.start) * dx, 2 + y - ys.start);
        let joins = |other: Option<(usize, usize)>| other.is_some_and(|other| turns.get(&other) == Some(turn));
        let (right, above) = (joins(Some((x + 1, y))), joins(y.checked_sub(1).map(|y| (x, y))));
        let below = joins(Some((x, y + 1)));
        let is_alone = !right && !above && !below && !joins(x.checked_sub(1).map(|x| (x, y)));
        let role = if is_alone { Role::Text } else { Role::Mask };
        plane.text(at, row, &format!("{turn:>digits$}"), role);
        let link = match (above, below) {
            _ if right => None,
            (true, true) => Some('│'),
            (true, false) => Some('┘'),
            (false, true) => Some('┐'),
            (false, false) => None,
        };
        if let Some(link) = link {
            plane.put(at + digits, row, link, Role::Mask);
        }
        if right && xs.contains(&(x + 1)) {
            plane.text(at + digits, row, "──", Role::Mask);
        }
    }
    plane
}

/// The order of a stage in a sentence.
fn in_words(space: &IterationSpace, order: &[Placed]) -> Line {
    let n_turns = order.last().map_or(0, |placed| placed.turn + 1);
    let together = order.chunk_by(|one, other| one.turn == other.turn).map(<[Placed]>::len).max().unwrap_or(0);
    let is_same = order.iter().map(|placed| &placed.at).eq(space.before.iter().map(|placed| &placed.at));
    let stage = space.stage;
    let words = match (together > 1, is_same) {
        (true, true) => {
            format!("At the stage `{stage}` up to {together} iterations run together, in the order of the program.")
        }
        (true, false) => {
            format!(
                "At the stage `{stage}` up to {together} iterations run together, in {n_turns} turns, in another order."
            )
        }
        (false, true) => format!("At the stage `{stage}` the iterations run one by one, in the order of the program."),
        (false, false) => format!("At the stage `{stage}` the iterations run one by one, in another order."),
    };
    sentence(&words)
}
