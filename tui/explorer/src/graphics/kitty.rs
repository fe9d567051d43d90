//! Kitty's protocol for pictures: escape sequences with the pixels in base64, by a number under which they are deleted.

use std::fmt::Write;

use super::Pixels;
use crate::layout::Area;

/// Bytes of base64 in a sequence, at most.
const CHUNK: usize = 4096;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the sequences that show pixels in an area, and leave the cursor where it is.
pub fn shown(number: u32, pixels: &Pixels, area: Area) -> String {
    let data = base64(pixels.rgb.as_flattened());
    let mut text = format!("\x1b[{};{}H", area.y + 1, area.x + 1);
    let mut rest = data.as_str();
    let mut is_first = true;
    while is_first || !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.len().min(CHUNK));
        let more = u8::from(!behind.is_empty());
        let (width, height, columns, rows) = (pixels.width, pixels.height, area.w, area.h);
        // The terminal is asked not to answer, and not to move the cursor.
        let head = if is_first {
            format!("a=T,f=24,s={width},v={height},i={number},p=1,c={columns},r={rows},C=1,q=2,m={more}")
        } else {
            format!("m={more}")
        };
        // Writing to a string cannot fail.
        let _ = write!(text, "\x1b_G{head};{piece}\x1b\\");
        (rest, is_first) = (behind, false);
    }
    text
}

/// Returns the sequence that takes a picture away and forgets its pixels.
pub fn deleted(number: u32) -> String {
    format!("\x1b_Ga=d,d=I,i={number},q=2\x1b\\")
}

/// The sequence that takes all pictures away.
pub const ALL_DELETED: &str = "\x1b_Ga=d,d=A,q=2\x1b\\";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let part = |n: usize| u32::from(chunk.get(n).copied().unwrap_or(0));
        let bits = part(0) << 16 | part(1) << 8 | part(2);
        for n in 0..4 {
            let is_there = n <= chunk.len();
            let index = (bits >> (18 - 6 * n)) as usize & 63;
            text.push(if is_there { ALPHABET[index] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map(|text| base64(text.as_bytes()));
        assert_eq!(encoded, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]);
    }

    #[test]
    fn pixels_are_sent_with_their_place_and_their_number() {
        let pixels = Pixels { width: 2, height: 1, rgb: vec![[255, 0, 0], [0, 0, 255]] };
        let area = Area { x: 4, y: 2, w: 3, h: 1 };
        assert_eq!(
            shown(7, &pixels, area),
            "\x1b[3;5H\x1b_Ga=T,f=24,s=2,v=1,i=7,p=1,c=3,r=1,C=1,q=2,m=0;/wAAAAD/\x1b\\"
        );
        assert_eq!(deleted(7), "\x1b_Ga=d,d=I,i=7,q=2\x1b\\");
    }

    #[test]
    fn many_pixels_are_sent_in_pieces() {
        let pixels = Pixels { width: 50, height: 50, rgb: vec![[1, 2, 3]; 2500] };
        let text = shown(1, &pixels, Area { x: 0, y: 0, w: 5, h: 3 });
        let pieces: Vec<&str> = text.split("\x1b_G").skip(1).collect();
        assert_eq!(pieces.len(), 10_000_usize.div_ceil(CHUNK));
        assert!(pieces[0].contains(",m=1;") && pieces[1].starts_with("m=1;") && pieces[2].starts_with("m=0;"));
        let data: usize = pieces.iter().map(|piece| piece.split_once(';').expect("data").1.len() - 2).sum();
        assert_eq!(data, 10_000);
    }
}
