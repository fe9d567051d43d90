//! Sixel: pictures as characters that stand for six pixels below each other, one colour of a palette at a time.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Pixels;
use crate::layout::Area;

/// Colours of a palette, at most: every terminal with Sixel has so many.
const MOST_COLOURS: usize = 256;

/// Rows of pixels in a band.
const BAND: usize = 6;

/// Repetitions from which on a count is shorter than the characters.
const REPEATED: usize = 4;

/// Returns the sequence that draws pixels at the start of an area.
pub fn shown(pixels: &Pixels, area: Area) -> String {
    format!("\x1b[{};{}H{}", area.y + 1, area.x + 1, encoded(pixels))
}

/// Encodes pixels. Colours keep as many bits as a palette has room for.
pub fn encoded(pixels: &Pixels) -> String {
    let (palette, indices) = palette(pixels);
    let mut text = format!("\x1bP0;1;0q\"1;1;{};{}", pixels.width, pixels.height);
    for (n, colour) in palette.iter().enumerate() {
        let [r, g, b] = colour.map(|part| (u32::from(part) * 100 + 127) / 255);
        // Writing to a string cannot fail.
        let _ = write!(text, "#{n};2;{r};{g};{b}");
    }
    for (n, band) in indices.chunks(BAND * pixels.width.max(1)).enumerate() {
        if n > 0 {
            text.push('-');
        }
        draw_band(band, pixels.width, &mut text);
    }
    text.push_str("\x1b\\");
    text
}

/// Draws a band: each of its colours in turn, from the left again.
fn draw_band(band: &[usize], width: usize, text: &mut String) {
    let mut colours: Vec<usize> = band.to_vec();
    colours.sort_unstable();
    colours.dedup();
    for (n, colour) in colours.iter().enumerate() {
        if n > 0 {
            text.push('$');
        }
        let _ = write!(text, "#{colour}");
        let bits = |x: usize| {
            let rows = band.iter().skip(x).step_by(width).enumerate();
            rows.filter(|(_, index)| *index == colour).fold(0_u8, |bits, (row, _)| bits | 1 << row)
        };
        let columns: Vec<u8> = (0..width).map(bits).collect();
        let end = columns.iter().rposition(|bits| *bits != 0).map_or(0, |last| last + 1);
        for run in columns[..end].chunk_by(|a, b| a == b) {
            let character = char::from(b'?' + run[0]);
            if run.len() >= REPEATED {
                let _ = write!(text, "!{}{character}", run.len());
            } else {
                text.extend(std::iter::repeat_n(character, run.len()));
            }
        }
    }
}

/// The colours that are in use, and for each pixel the number of its own. Bits are dropped until the colours are few enough.
fn palette(pixels: &Pixels) -> (Vec<[u8; 3]>, Vec<usize>) {
    for dropped in 0..8 {
        let kept = |colour: &[u8; 3]| colour.map(|part| part >> dropped);
        let mut numbers: BTreeMap<[u8; 3], usize> = BTreeMap::new();
        let mut colours = Vec::new();
        for colour in &pixels.rgb {
            numbers.entry(kept(colour)).or_insert_with(|| {
                colours.push(*colour);
                colours.len() - 1
            });
            if colours.len() > MOST_COLOURS {
                break;
            }
        }
        if colours.len() <= MOST_COLOURS {
            return (colours, pixels.rgb.iter().map(|colour| numbers[&kept(colour)]).collect());
        }
    }
    (vec![[0; 3]], vec![0; pixels.rgb.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: [u8; 3] = [255, 0, 0];
    const BLUE: [u8; 3] = [0, 0, 255];

    #[test]
    fn bands_are_drawn_colour_by_colour() {
        let pixels = Pixels { width: 2, height: 2, rgb: vec![RED, BLUE, RED, RED] };
        // Red stands in both rows of the first column (3) and in the second of the other (2), blue above that (1).
        assert_eq!(encoded(&pixels), "\x1bP0;1;0q\"1;1;2;2#0;2;100;0;0#1;2;0;0;100#0BA$#1?@\x1b\\");
    }

    #[test]
    fn repetitions_are_counted_and_bands_stand_below_each_other() {
        let pixels = Pixels { width: 5, height: 7, rgb: vec![RED; 35] };
        assert_eq!(encoded(&pixels), "\x1bP0;1;0q\"1;1;5;7#0;2;100;0;0#0!5~-#0!5@\x1b\\");
        let at = Area { x: 4, y: 2, w: 1, h: 1 };
        assert!(shown(&pixels, at).starts_with("\x1b[3;5H\x1bP"));
    }

    #[test]
    fn many_colours_share_a_palette() {
        let rgb: Vec<[u8; 3]> = (0..4096_u32).map(|n| [(n >> 4) as u8, (n & 255) as u8, (n * 7 % 256) as u8]).collect();
        let (colours, indices) = palette(&Pixels { width: 64, height: 64, rgb: rgb.clone() });
        assert!(colours.len() <= MOST_COLOURS && colours.len() > 16, "{}", colours.len());
        let far = |a: [u8; 3], b: [u8; 3]| (0..3).map(|n| a[n].abs_diff(b[n])).max().unwrap_or(0);
        assert!(rgb.iter().zip(&indices).all(|(colour, index)| far(*colour, colours[*index]) < 64));
    }
}
