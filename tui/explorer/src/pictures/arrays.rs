//! Arrays of a run as pictures: a plot or a waveform of one dimension, a heat map or an image of two.
//!
//! A *plot* has a dot for each element, a *waveform* a column from the least to the greatest of the elements that fall on it, which is
//! what long arrays are drawn as. A *heat map* has a colour for each value between the least and the greatest, an *image* takes the values as
//! levels of grey or as channels: `u8` from 0 to 255, anything else from 0 to 1. NaN and infinities are marked and counted, and
//! belong to no range.
//!
//! - `plot`: dots of Braille, or asterisks where there is ASCII only
//! - `surface`: half blocks with two colours each, or characters of some density

mod plot;
mod surface;

use std::sync::Arc;

use queries::run::{ResultArray, Scalar};

pub(crate) use surface::colours_of;

use super::Shades;
use crate::graphics::Raster;
use crate::page::{Line, Page, PageImage, Role};

/// The way in which an array is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ArrayForm {
    /// As its shape, length and elements suggest.
    #[default]
    Suggested,
    /// A dot for each element.
    Plot,
    /// A column from the least to the greatest of its elements.
    Waveform,
    /// A colour for each value.
    HeatMap,
    /// Levels of grey, or channels.
    Image,
}

impl ArrayForm {
    /// All forms, in the order in which a key goes through them.
    pub const ALL: [ArrayForm; 5] =
        [ArrayForm::Suggested, ArrayForm::Plot, ArrayForm::Waveform, ArrayForm::HeatMap, ArrayForm::Image];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            ArrayForm::Suggested => "as its shape suggests",
            ArrayForm::Plot => "plot",
            ArrayForm::Waveform => "waveform",
            ArrayForm::HeatMap => "heat map",
            ArrayForm::Image => "image",
        }
    }

    /// Returns the next one.
    pub fn next(self) -> ArrayForm {
        let at = ArrayForm::ALL.iter().position(|form| *form == self).unwrap_or(0);
        ArrayForm::ALL[(at + 1) % ArrayForm::ALL.len()]
    }
}

/// The run that is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ArrayVersion {
    /// The last run.
    #[default]
    Now,
    /// The last run of an earlier text.
    Before,
    /// The last run less that of the earlier text.
    Difference,
}

/// An array as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnArray {
    /// The name.
    pub name: String,
    /// The numbers of rows and columns; one row for an array of one dimension.
    pub rows: usize,
    /// The number of columns.
    pub columns: usize,
    /// The number of values of each cell: channels of an image, or fields of a struct.
    pub channels: usize,
    /// The values: row by row, the channels of each cell together.
    pub values: Vec<f64>,
    /// True if the elements are bytes.
    pub is_bytes: bool,
    /// The sizes, in words.
    pub sizes: String,
}

impl DrawnArray {
    /// Takes an array of a run.
    pub fn of(array: &ResultArray) -> DrawnArray {
        let sizes: Vec<usize> = array.sizes.iter().map(|&size| usize::try_from(size).unwrap_or(0)).collect();
        let n_cells = sizes.iter().product::<usize>();
        let n_fields = array.elements.len().checked_div(n_cells).unwrap_or(1).max(1);
        let (rows, columns, channels) = match (&sizes[..], n_fields) {
            ([], n) => (1, 1, n),
            ([n], fields) => (1, *n, fields),
            ([h, w, c @ (3 | 4)], 1) => (*h, *w, *c),
            ([h, w], fields) => (*h, *w, fields),
            ([outer @ .., last], fields) => (outer.iter().product(), *last, fields),
        };
        DrawnArray {
            name: array.name.clone(),
            rows,
            columns,
            channels,
            values: array.elements.iter().map(|element| number(*element)).collect(),
            is_bytes: matches!(array.elements.first(), Some(Scalar::U8(_))),
            sizes: sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" by "),
        }
    }

    /// Returns the difference to an earlier one of the same shape.
    fn less(&self, other: &DrawnArray) -> Option<DrawnArray> {
        let shape = |array: &DrawnArray| (array.rows, array.columns, array.channels, array.values.len());
        let values =
            self.values.iter().zip(&other.values).map(|(now, before)| match now.to_bits() == before.to_bits() {
                // Infinities, too, are equal to themselves.
                true => 0.0,
                false => now - before,
            });
        (shape(self) == shape(other)).then(|| DrawnArray { values: values.collect(), is_bytes: false, ..self.clone() })
    }

    /// The form that is drawn in so many columns.
    pub(crate) fn form(&self, asked: ArrayForm, columns: usize) -> ArrayForm {
        match asked {
            ArrayForm::Suggested if self.rows > 1 && matches!(self.channels, 3 | 4) => ArrayForm::Image,
            ArrayForm::Suggested if self.rows > 1 && self.is_bytes => ArrayForm::Image,
            ArrayForm::Suggested if self.rows > 1 => ArrayForm::HeatMap,
            ArrayForm::Suggested if self.values.len() > 2 * columns => ArrayForm::Waveform,
            ArrayForm::Suggested => ArrayForm::Plot,
            form => form,
        }
    }

    /// The least and the greatest value that are finite.
    pub(crate) fn range(&self) -> Option<(f64, f64)> {
        let finite = || self.values.iter().copied().filter(|value| value.is_finite());
        Some((finite().reduce(f64::min)?, finite().reduce(f64::max)?))
    }

    /// The range in words, and how many values are not finite.
    pub(crate) fn facts(&self) -> String {
        let range = match self.range() {
            Some((least, greatest)) if least == greatest => format!("all {}", short(least)),
            Some((least, greatest)) => format!("{} to {}", short(least), short(greatest)),
            None if self.values.is_empty() => "no elements".to_owned(),
            None => "no finite value".to_owned(),
        };
        let count = |is: fn(&f64) -> bool| self.values.iter().filter(|value| is(value)).count();
        let counts = [
            (count(|value| value.is_nan()), "NaN"),
            (count(|value| *value == f64::INFINITY), "inf"),
            (count(|value| *value == f64::NEG_INFINITY), "-inf"),
        ];
        counts.iter().filter(|(n, _)| *n > 0).fold(range, |text, (n, name)| format!("{text}, {n} {name}"))
    }
}

/// The value of a scalar, of which very large integers lose their last digits.
fn number(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::Bool(on) => f64::from(u8::from(on)),
        Scalar::F32(value) => value.into(),
        Scalar::F64(value) => value,
        Scalar::F16(value) => value.wide().into(),
        Scalar::Bf16(value) => value.wide().into(),
        whole => whole.wide().unwrap_or(0) as f64,
    }
}

/// A number in a few columns.
pub(super) fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let size = value.abs();
    if !(1e-3..1e6).contains(&size) {
        return format!("{value:.2e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The data that a page of arrays is drawn from.
pub(crate) struct ArraysOnPage<'a> {
    /// The arrays of the last run.
    pub now: &'a [ResultArray],
    /// Those of the last run of an earlier text, if there was one.
    pub before: Option<&'a [ResultArray]>,
    /// The form that was asked for.
    pub form: ArrayForm,
    /// The run that was asked for.
    pub version: ArrayVersion,
    /// The shades of the screen.
    pub shades: Shades,
    /// True if the terminal has pixels.
    pub has_pixels: bool,
}

/// The page of the arrays of a run, in so many columns and with so many rows for each.
pub(crate) fn page(arrays: &ArraysOnPage<'_>, columns: usize, rows: usize) -> Page {
    let mut lines = Vec::new();
    let mut images = Vec::new();
    for array in arrays.now {
        let now = DrawnArray::of(array);
        let earlier = arrays.before.and_then(|before| before.iter().find(|other| other.name == array.name));
        let earlier = earlier.map(DrawnArray::of);
        let (drawn, word) = match (arrays.version, &earlier) {
            (ArrayVersion::Now, _) => (Some(now), ""),
            (ArrayVersion::Before, earlier) => (earlier.clone(), ", before the edit"),
            (ArrayVersion::Difference, Some(earlier)) => (now.less(earlier), ", now less before the edit"),
            (ArrayVersion::Difference, None) => (None, ""),
        };
        match drawn {
            Some(drawn) => {
                let (picture, frame) = picture(&drawn, word, arrays, columns, rows);
                if let Some(PictureFrame { line, rows, column, columns, form }) = frame.filter(|_| arrays.has_pixels) {
                    let raster = Arc::new(Raster { array: drawn, form });
                    images.push(PageImage { line: lines.len() + line, rows, column, columns, raster });
                }
                lines.extend(picture);
            }
            None => {
                let why = match (arrays.before, arrays.version) {
                    (None, _) => "no run of an earlier text is remembered: run, edit, run again",
                    (_, ArrayVersion::Difference) => "it has another shape than before the edit",
                    _ => "there was no such array before the edit",
                };
                lines.push(Line::of(Role::Strong, array.name.clone()).and(Role::Faint, format!(": {why}")));
            }
        }
        lines.push(Line::default());
    }
    lines.pop();
    if lines.is_empty() {
        return Page::notice("The run writes no array, so there is nothing to draw.");
    }
    Page { images, ..Page::prose(lines) }
}

/// The part of an array's lines that is its picture, without its title, its scale and its axes.
struct PictureFrame {
    line: usize,
    rows: usize,
    column: usize,
    columns: usize,
    form: ArrayForm,
}

/// An array in its form: a title with its range, and the picture, with its place among these lines.
fn picture(
    drawn: &DrawnArray,
    word: &str,
    on: &ArraysOnPage<'_>,
    columns: usize,
    rows: usize,
) -> (Vec<Line>, Option<PictureFrame>) {
    let form = drawn.form(on.form, columns);
    let channels = match (drawn.channels, form) {
        (1, _) => String::new(),
        (n, ArrayForm::Image) if matches!(n, 3 | 4) => format!(", {n} channels"),
        (n, _) => format!(", {n} values each"),
    };
    let title = Line::of(Role::Strong, drawn.name.clone())
        .and(Role::Faint, format!(" {}{channels}: {}{word}: ", drawn.sizes, form.name()))
        .and(Role::Number, drawn.facts());
    let mut lines = vec![title];
    if drawn.values.is_empty() {
        return (lines, None);
    }
    let line = lines.len();
    let of_surface = |surface: &[Line]| {
        let columns = surface.iter().map(|line| line.text.chars().count()).max().unwrap_or(0);
        PictureFrame { line, rows: surface.len(), column: 0, columns, form }
    };
    let frame = match form {
        ArrayForm::Suggested | ArrayForm::Plot | ArrayForm::Waveform => {
            let is_wave = form == ArrayForm::Waveform;
            let plot = plot::lines(drawn, is_wave, on.shades == Shades::Ascii, columns, rows);
            lines.extend(plot.lines);
            PictureFrame { line, rows: plot.rows, column: plot.column, columns: plot.columns, form }
        }
        ArrayForm::HeatMap => {
            let map = surface::heat_map(drawn, on.shades, columns, rows);
            // The last line is the scale.
            let frame = of_surface(&map[..map.len() - 1]);
            lines.extend(map);
            frame
        }
        ArrayForm::Image => {
            let image = surface::image(drawn, on.shades, columns, rows);
            let frame = of_surface(&image);
            lines.extend(image);
            frame
        }
    };
    (lines, Some(frame))
}

#[cfg(test)]
mod tests;
