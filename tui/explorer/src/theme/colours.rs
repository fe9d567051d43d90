//! Colours, and the contrast between two of them.
//!
//! *Contrast* is that of the Web Content Accessibility Guidelines: 1 for equal colours, 21 for black on white; text is
//! readable from 4.5 on.

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// The contrast that text has at least.
pub(super) const READABLE: f64 = 4.5;

/// The contrast that text has at least which is not what a reader looks for, such as line numbers.
#[cfg(test)]
pub(super) const DISCERNIBLE: f64 = 3.0;

impl Rgb {
    /// Returns a colour by its digits in hexadecimal.
    pub const fn hex(hex: u32) -> Rgb {
        Rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
    }

    /// Returns the relative luminance, from 0 for black to 1 for white.
    pub fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Returns true for a background that dark text is easier to read on than light text.
    pub fn is_light(self) -> bool {
        contrast(self, Rgb(0, 0, 0)) > contrast(self, Rgb(255, 255, 255))
    }
}

/// Returns the contrast between two colours.
pub(super) fn contrast(one: Rgb, other: Rgb) -> f64 {
    let (one, other) = (one.luminance(), other.luminance());
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// The levels of the cube of 6 by 6 by 6 in the palette of 256 colours.
const STEPS: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Returns the nearest of the 256 palette colours, from the cube of 6 by 6 by 6 or the 24 greys.
pub(super) fn nearest(Rgb(r, g, b): Rgb) -> u8 {
    let step = |value: u8| (0..6).min_by_key(|&n| STEPS[n].abs_diff(value)).unwrap_or(0);
    let distance = |to: [u8; 3]| {
        let squares = [(r, to[0]), (g, to[1]), (b, to[2])].map(|(a, b)| u32::from(a.abs_diff(b)).pow(2));
        squares.iter().sum::<u32>()
    };
    let cube = [step(r), step(g), step(b)];
    let in_cube = (16 + 36 * cube[0] + 6 * cube[1] + cube[2]) as u8;
    let to_cube = distance(cube.map(|n| STEPS[n]));
    let grey = (0..24u8).min_by_key(|&n| distance([8 + 10 * n; 3])).unwrap_or(0);
    if distance([8 + 10 * grey; 3]) < to_cube { 232 + grey } else { in_cube }
}

/// Returns a colour of the fixed part of the palette of 256; the first sixteen are the terminal's own.
#[cfg(test)]
pub(super) fn of_palette(n: u8) -> Option<Rgb> {
    match n {
        0..16 => None,
        16..232 => {
            let n = usize::from(n - 16);
            Some(Rgb(STEPS[n / 36], STEPS[n / 6 % 6], STEPS[n % 6]))
        }
        232.. => Some(Rgb(8 + 10 * (n - 232), 8 + 10 * (n - 232), 8 + 10 * (n - 232))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_of_the_palette() {
        let near = |hex| nearest(Rgb::hex(hex));
        assert_eq!([near(0), near(0xffffff), near(0xff0000), near(0x22262e)], [16, 231, 196, 235]);
        for n in 16..=255 {
            let colour = of_palette(n).expect("a fixed colour");
            assert_eq!(of_palette(nearest(colour)), Some(colour), "{n}");
        }
    }

    #[test]
    fn contrast_is_that_of_the_guidelines() {
        let of = |one, other| (contrast(Rgb::hex(one), Rgb::hex(other)) * 100.0).round() / 100.0;
        assert_eq!([of(0, 0xffffff), of(0x777777, 0xffffff), of(0x839496, 0x002b36)], [21.0, 4.48, 4.75]);
        assert_eq!([0x002b36, 0xfdf6e3, 0, 0xffffff].map(|hex| Rgb::hex(hex).is_light()), [false, true, false, true]);
    }
}
