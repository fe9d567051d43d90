//! Arrays as SVG: a line for one dimension, coloured squares for two.

use std::fmt::Write;

use queries::run::ResultArray;

use super::{escaped, framed};
use crate::pictures::arrays::{ArrayForm, DrawnArray, colours_of};

/// The size of a plot, and the limit on the squares of a surface and the points of a line.
const PLOT: (usize, usize) = (720, 200);
const MAX_SQUARES: usize = 20_000;
const MAX_POINTS: usize = 4_000;

/// Draws the arrays of a run below each other.
pub(crate) fn arrays_svg(arrays: &[ResultArray], form: ArrayForm) -> String {
    let mut body = String::new();
    let mut top = 0;
    for array in arrays.iter().map(DrawnArray::of) {
        let title = format!("{} {}: {}", array.name, array.sizes, array.facts());
        let _ = writeln!(body, "    <text class=\"title\" x=\"12\" y=\"{}\">{}</text>", top + 20, escaped(&title));
        top += 32;
        let form = array.form(form, usize::MAX / 4);
        top += match form {
            ArrayForm::HeatMap | ArrayForm::Image => squares(&mut body, &array, form, top),
            ArrayForm::Suggested | ArrayForm::Plot | ArrayForm::Waveform => line(&mut body, &array, top),
        };
        top += 16;
    }
    framed((PLOT.0 + 24, top.max(40)), &body)
}

/// A line through the values; of very many, the least and the greatest of those that fall on a point.
fn line(body: &mut String, array: &DrawnArray, top: usize) -> usize {
    let Some((least, greatest)) = array.range() else { return 0 };
    let n = array.values.len();
    let size = n.div_ceil(MAX_POINTS / 2).max(1);
    let x = |i: usize| 12.0 + PLOT.0 as f64 * i as f64 / n.saturating_sub(1).max(1) as f64;
    let part = |value: f64| if greatest > least { (value - least) / (greatest - least) } else { 0.5 };
    let y = |value: f64| top as f64 + PLOT.1 as f64 * (1.0 - part(value));
    let mut path = String::new();
    let mut is_open = false;
    for (number, chunk) in array.values.chunks(size).enumerate() {
        let finite = || chunk.iter().copied().filter(|value| value.is_finite());
        let ends = finite().reduce(f64::min).zip(finite().reduce(f64::max));
        // What is not finite leaves a gap.
        let Some((low, high)) = ends.filter(|_| size > 1 || chunk[0].is_finite()) else {
            is_open = false;
            continue;
        };
        let verb = if is_open { 'L' } else { 'M' };
        let _ = write!(path, "{verb}{:.1} {:.1}", x(number * size), y(low));
        if high > low {
            let _ = write!(path, "L{:.1} {:.1}", x(number * size), y(high));
        }
        is_open = true;
    }
    let _ = writeln!(body, "    <path class=\"plot\" d=\"{path}\"/>");
    PLOT.1
}

/// A square for each cell, or for one of several.
fn squares(body: &mut String, array: &DrawnArray, form: ArrayForm, top: usize) -> usize {
    let step = ((array.rows * array.columns) as f64 / MAX_SQUARES as f64).sqrt().ceil().max(1.0) as usize;
    let (rows, columns) = (array.rows.div_ceil(step).max(1), array.columns.div_ceil(step).max(1));
    let edge = (PLOT.0 / columns).clamp(1, 24);
    let colours = colours_of(array, form);
    for row in 0..rows {
        for column in 0..columns {
            let [r, g, b] = colours(row * step, column * step);
            let (x, y) = (12 + column * edge, top + row * edge);
            let _ = writeln!(
                body,
                "    <rect x=\"{x}\" y=\"{y}\" width=\"{edge}\" height=\"{edge}\" fill=\"#{r:02x}{g:02x}{b:02x}\"/>"
            );
        }
    }
    rows * edge
}
