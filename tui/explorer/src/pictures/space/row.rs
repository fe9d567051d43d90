//! The iterations of one loop: a row of points, with a row for each dependence and for each order.

use std::collections::BTreeMap;
use std::ops::Range;

use ide::iterations::{IterationSpace, Placed};

use super::{Layout, MAX_COLUMNS, is_shown_once, left_out, marked, sorted_by_position, strokes, widest, window};
use crate::glyphs;
use crate::page::{Line, Role};
use crate::pictures::grid::CharPlane;
use crate::pictures::{role_of, whole};

/// The points of a single axis, in rows that fit, with a row for each dependence and each order.
pub(super) fn row(space: &IterationSpace, layout: &Layout, columns: usize) -> Vec<Line> {
    let across = sorted_by_position(&layout.columns);
    let turns = |placed: &[Placed]| -> BTreeMap<usize, usize> {
        placed.iter().filter_map(|placed| Some((layout.place(&placed.at)?.0, placed.turn))).collect()
    };
    let mut ordered = vec![("in order".to_owned(), turns(&space.before))];
    ordered.extend(space.after.iter().map(|after| (space.stage.to_owned(), turns(after))));
    let name = &space.levels[space.axes[0]].index;
    let labels: Vec<String> =
        space.dependences.iter().map(|met| format!("{} {}", met.kind.name(), glyphs::cut(&met.array, 8))).collect();
    let all_labels = ordered.iter().map(|(label, _)| label).chain(&labels).chain([name]);
    let left = all_labels.map(|label| glyphs::width(label)).max().unwrap_or(0) + 1;
    let last_turn = ordered.iter().filter_map(|(_, turns)| turns.values().max()).max().copied().unwrap_or(0);
    let digits = widest(&across).max(last_turn.to_string().len());
    let dx = digits + 2;
    let per_block = (columns.saturating_sub(left) / dx).max(1);
    let around = marked(space).and_then(|[source, _]| layout.place(source)).map(|(x, _)| x);
    let shown = window(across.len(), MAX_COLUMNS, around);
    let mut lines = Vec::new();
    let mut start = shown.start;
    while start < shown.end {
        let block = start..(start + per_block).min(shown.end);
        let mut plane = CharPlane::default();
        plane.text(0, 0, name, Role::Index);
        let at = |x: usize| left + (x - block.start) * dx;
        for x in block.clone() {
            plane.text(at(x), 0, &format!("{:>digits$}", across[x]), Role::Faint);
        }
        for (n, (met, label)) in space.dependences.iter().zip(&labels).enumerate() {
            plane.text(0, 1 + n, label, role_of(met.kind));
            dependence_row(&mut plane, space, n, layout, (&block, 1 + n), &|x| at(x) + digits - 1);
        }
        for (n, (label, turns)) in ordered.iter().enumerate() {
            let y = 1 + labels.len() + n;
            plane.text(0, y, label, Role::Strong);
            for (&x, turn) in turns.range(block.clone()) {
                let joined = turns.get(&(x + 1)) == Some(turn);
                let is_alone = !joined && x.checked_sub(1).and_then(|x| turns.get(&x)) != Some(turn);
                let role = if is_alone { Role::Text } else { Role::Mask };
                plane.text(at(x), y, &format!("{turn:>digits$}"), role);
                if joined && block.contains(&(x + 1)) {
                    plane.text(at(x) + digits, y, "──", Role::Mask);
                }
            }
        }
        lines.extend(plane.lines());
        start = block.end;
        if start < shown.end {
            lines.push(whole(Line::default()));
        }
    }
    lines.extend(left_out(&[(name, across.len() - shown.len())]));
    lines
}

/// The points of a block with the arrows of one dependence.
fn dependence_row(
    plane: &mut CharPlane,
    space: &IterationSpace,
    number: usize,
    layout: &Layout,
    (block, y): (&Range<usize>, usize),
    at: &dyn Fn(usize) -> usize,
) {
    let met = &space.dependences[number];
    let (across, _) = strokes(met.kind);
    let role = role_of(met.kind);
    for (x, _) in space.points.iter().filter_map(|point| layout.place(point)).filter(|(x, _)| block.contains(x)) {
        plane.put(at(x), y, 'o', Role::Faint);
    }
    let mut is_drawn = false;
    for arrow in space.arrows.iter().filter(|arrow| arrow.dependence == number) {
        let (Some((from, _)), Some((to, _))) = (layout.place(&arrow.from), layout.place(&arrow.to)) else { continue };
        if !block.contains(&from) || !block.contains(&to) {
            continue;
        }
        // Arrows over other points would hide each other.
        let is_short = from.abs_diff(to) == 1;
        if !is_short && (is_drawn || (met.witness.is_some() && !is_shown_once(space, arrow) && block.start == 0)) {
            continue;
        }
        is_drawn = true;
        let (left, right) = (at(from.min(to)) + 1, at(from.max(to)));
        (left..right).for_each(|x| plane.put(x, y, across, role));
        let head = if to > from { (right - 1, '▶') } else { (left, '◀') };
        plane.put(head.0, y, head.1, role);
    }
    if let Some([source, sink]) = &met.witness {
        for (point, mark) in [(source, 'S'), (sink, 'T')] {
            if let Some((x, _)) = layout.place(point).filter(|(x, _)| block.contains(x)) {
                plane.put(at(x), y, mark, Role::Error);
            }
        }
    }
}
