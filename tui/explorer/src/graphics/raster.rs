//! Arrays as pixels of any size: heat maps and images as squares, plots and waveforms as lines.

use std::ops::Range;

use super::Pixels;
use crate::pictures::arrays::{ArrayForm, DrawnArray, colours_of};

/// Most pixels that a picture is sent with: enough for a pane, and few enough for a slow line.
const MOST_PIXELS: usize = 1 << 20;

/// A picture that can be drawn in any size.
#[derive(Debug, Clone)]
pub struct Raster {
    /// The array.
    pub array: DrawnArray,
    /// Its form, which is one of those that can be drawn.
    pub form: ArrayForm,
}

impl PartialEq for Raster {
    fn eq(&self, other: &Raster) -> bool {
        let bits = |raster: &Raster| raster.array.values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let rest = |raster: &Raster| (raster.form, raster.array.rows, raster.array.columns, raster.array.channels);
        // NaN is a value like others here: the same picture is equal to itself.
        rest(self) == rest(other) && self.array.is_bytes == other.array.is_bytes && bits(self) == bits(other)
    }
}

impl Eq for Raster {}

/// The colours of lines: of what is drawn, and of what is behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ink {
    /// The colour of lines.
    pub line: [u8; 3],
    /// The colour of the ground.
    pub ground: [u8; 3],
}

impl Raster {
    /// Returns the pixels of some rows of a picture that is so large.
    pub fn pixels(&self, (width, height): (usize, usize), rows: Range<usize>, ink: Ink) -> Pixels {
        let (width, height) = (width.max(1), height.max(1));
        let rows = rows.start.min(height)..rows.end.min(height).min(rows.start + MOST_PIXELS / width.max(1));
        let rgb = match self.form {
            ArrayForm::HeatMap | ArrayForm::Image => self.squares(width, height, rows.clone()),
            ArrayForm::Suggested | ArrayForm::Plot | ArrayForm::Waveform => {
                let all = self.lines(width, height, ink);
                all[rows.start * width..rows.end * width].to_vec()
            }
        };
        Pixels { width, height: rows.len(), rgb }
    }

    fn squares(&self, width: usize, height: usize, rows: Range<usize>) -> Vec<[u8; 3]> {
        let DrawnArray { rows: n_rows, columns, .. } = self.array;
        let colour = colours_of(&self.array, self.form);
        let at = |pixel: usize, pixels: usize, cells: usize| (pixel * cells / pixels).min(cells.saturating_sub(1));
        rows.flat_map(|y| (0..width).map(move |x| (x, y)))
            .map(|(x, y)| colour(at(y, height, n_rows), at(x, width, columns)))
            .collect()
    }

    /// A line through the values, or from the least to the greatest of those that fall on a column. What is not finite leaves a gap.
    fn lines(&self, width: usize, height: usize, ink: Ink) -> Vec<[u8; 3]> {
        let mut rgb = vec![ink.ground; width * height];
        let Some((least, greatest)) = self.array.range() else { return rgb };
        let n = self.array.values.len();
        let column = |i: usize| if n > 1 { i * (width - 1) / (n - 1) } else { 0 };
        let part = |value: f64| if greatest > least { (value - least) / (greatest - least) } else { 0.5 };
        let row = |value: f64| ((1.0 - part(value)) * (height - 1) as f64).round() as usize;
        let mut span = |x: usize, from: usize, to: usize| {
            for y in from.min(to)..=from.max(to) {
                rgb[y * width + x] = ink.line;
            }
        };
        let mut last: Option<(usize, usize)> = None;
        for (i, value) in self.array.values.iter().enumerate() {
            if !value.is_finite() {
                last = None;
                continue;
            }
            let (x, y) = (column(i), row(*value));
            match last {
                Some(before) => line(before, (x, y), &mut span),
                None => span(x, y, y),
            }
            last = Some((x, y));
        }
        rgb
    }
}

/// Draws a line between two points, the first of them at the left, as a span of rows for each column.
fn line((x0, y0): (usize, usize), (x1, y1): (usize, usize), span: &mut impl FnMut(usize, usize, usize)) {
    if x1 <= x0 {
        return span(x0, y0, y1);
    }
    // A column has what falls within half a pixel to both sides.
    let row = |x: f64| {
        let part = (x.clamp(x0 as f64, x1 as f64) - x0 as f64) / (x1 - x0) as f64;
        (y0 as f64 + (y1 as f64 - y0 as f64) * part).round() as usize
    };
    for x in x0..=x1 {
        span(x, row(x as f64 - 0.5), row(x as f64 + 0.5));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::graphics) const INK: Ink = Ink { line: [255; 3], ground: [0; 3] };

    pub(in crate::graphics) fn raster(rows: usize, columns: usize, form: ArrayForm, values: &[f64]) -> Raster {
        let (name, sizes) = ("a".to_owned(), String::new());
        let values = values.to_vec();
        Raster { array: DrawnArray { name, rows, columns, channels: 1, values, is_bytes: false, sizes }, form }
    }

    /// Draws pixels as characters: blank, or `#` for what is brighter.
    fn drawn(pixels: &Pixels) -> Vec<String> {
        let dark = |rgb: &[u8; 3]| if rgb.iter().all(|part| *part < 128) { '.' } else { '#' };
        pixels.rgb.chunks(pixels.width).map(|row| row.iter().map(dark).collect()).collect()
    }

    #[test]
    fn squares_are_as_large_as_there_is_room() {
        let image = raster(2, 2, ArrayForm::Image, &[1.0, 0.0, 0.0, 1.0]);
        assert_eq!(drawn(&image.pixels((4, 4), 0..4, INK)), ["##..", "##..", "..##", "..##"]);
        // Of a picture that is scrolled, some rows are drawn.
        assert_eq!(drawn(&image.pixels((4, 4), 1..3, INK)), ["##..", "..##"]);
        assert_eq!(drawn(&image.pixels((1, 1), 0..1, INK)), ["#"]);
    }

    #[test]
    fn plots_are_lines_with_gaps_where_nothing_is_finite() {
        let plot = raster(1, 3, ArrayForm::Plot, &[0.0, 2.0, 0.0]);
        assert_eq!(drawn(&plot.pixels((5, 3), 0..3, INK)), ["..#..", ".###.", "##.##"]);
        let gap = raster(1, 5, ArrayForm::Plot, &[0.0, 0.0, f64::NAN, 1.0, 1.0]);
        assert_eq!(drawn(&gap.pixels((5, 2), 0..2, INK)), ["...##", "##..."]);
        let none = raster(1, 1, ArrayForm::Plot, &[f64::NAN]);
        assert_eq!(drawn(&none.pixels((2, 1), 0..1, INK)), [".."]);
        assert_eq!(none, none.clone());
    }
}
