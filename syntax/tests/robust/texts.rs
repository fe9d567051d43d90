//! Random texts, from noise to valid programs with one mistake.

use fastrand::Rng;

/// Valid programs that use the whole language.
pub(crate) const KERNELS: &str = include_str!("../kernels.lane");

/// Every token of the language, other characters, and text that people paste from elsewhere.
const TOKENS: &[&str] = &[
    "kernel", "fn", "struct", "const", "uniform", "varying", "let", "for", "foreach", "cfor", "in", "while", "cwhile",
    "if", "cif", "elif", "else", "break", "continue", "return", "pass", "assert", "and", "or", "not", "true", "false",
    "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "->", "@", "\\", "+", "-", "*", "/", "//", "%", "**", "&", "|",
    "^", "~", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "=", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=",
    "|=", "^=", "<<=", ">>=", "&&", "||", "!", ":=", "?", "=>", "...", "x", "i", "n", "a", "range", "f32", "map",
    "max", "def", "void", "forr", "0", "1", "42", "1_000", "0x2a", "0b101", "1.5", "1e-3", ".5", "1.", "0x", "007",
    "1_", "1e", "1.5f", "\"text\"", "'", "# note", "## note", "$", "`", "größe", "×", "≤", "“", "\u{a0}", "\u{200b}",
    "\u{feff}", "\0", "🦀", "\u{301}",
];

/// Separators of tokens, most often one space.
const GAPS: &[&str] =
    &[" ", " ", " ", " ", "", "  ", "\n", "\n    ", "\n        ", "\n\n", "\r\n    ", "\r", "\t", "\n\t"];

/// Generates a text of any kind.
pub(crate) fn any(rng: &mut Rng) -> String {
    match rng.u8(0..8) {
        0 => noise(rng),
        1 | 2 => soup(rng, 60),
        3 => lines(rng),
        _ => {
            let mut text = part_of_kernels(rng);
            for _ in 0..rng.usize(1..8) {
                mutate(rng, &mut text);
            }
            text
        }
    }
}

/// Generates random bytes, made valid UTF-8.
fn noise(rng: &mut Rng) -> String {
    let bytes: Vec<u8> =
        (0..rng.usize(0..200)).map(|_| if rng.bool() { rng.u8(..) } else { rng.u8(b' '..0x7f) }).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Generates a random sequence of tokens.
pub(crate) fn soup(rng: &mut Rng, most: usize) -> String {
    let mut text = String::new();
    for _ in 0..rng.usize(0..most) {
        text.push_str(token(rng));
        text.push_str(pick(rng, GAPS));
    }
    text
}

/// Generates a random sequence of tokens in lines indented like a kernel's.
fn lines(rng: &mut Rng) -> String {
    let mut text = "kernel k(a, n):\n".to_owned();
    for _ in 0..rng.usize(0..12) {
        text.push_str(&" ".repeat(4 * rng.usize(0..4)));
        for _ in 0..rng.usize(0..8) {
            text.push_str(token(rng));
            text.push(' ');
        }
        text.push_str(if rng.u8(0..4) == 0 { ":\n" } else { "\n" });
    }
    text
}

pub(crate) fn token(rng: &mut Rng) -> &'static str {
    pick(rng, TOKENS)
}

pub(crate) fn pick<'t>(rng: &mut Rng, from: &[&'t str]) -> &'t str {
    from[rng.usize(0..from.len())]
}

/// Chooses a run of items of the valid programs.
pub(crate) fn part_of_kernels(rng: &mut Rng) -> String {
    let cuts = syntax::cut(KERNELS);
    let first = rng.usize(1..cuts.len());
    let last = rng.usize(first..cuts.len().min(first + 3));
    cuts[first..=last].iter().map(|cut| cut.text).collect()
}

/// Makes a random change such as typing, pasting or a faulty editor causes.
pub(crate) fn mutate(rng: &mut Rng, text: &mut String) {
    let at = place(rng, text);
    match rng.u8(0..12) {
        0 | 1 => text.insert_str(at, token(rng)),
        2 => text.insert_str(at, &soup(rng, 5)),
        3 => {
            let end = place(rng, text);
            text.replace_range(at.min(end)..at.max(end), "");
        }
        4 | 5 => {
            let end = next_places(text, at, rng.usize(1..6));
            text.replace_range(at..end, "");
        }
        6 => {
            let copied = text[at..next_places(text, at, rng.usize(1..60))].to_owned();
            let to = place(rng, text);
            text.insert_str(to, &copied);
        }
        7 => text.truncate(at),
        8 => text.insert_str(line_start(text, at), pick(rng, &["    ", " ", "\t", "# ", "@simd\n", "## doc\n"])),
        9 => {
            let start = line_start(text, at);
            let indent = text[start..].len() - text[start..].trim_start_matches(' ').len();
            text.replace_range(start..start + rng.usize(0..=indent), "");
        }
        10 => {
            if let Some(end) = text[at..].find('\n') {
                text.replace_range(at + end..at + end + 1, pick(rng, &["", " ", "\r\n", "\r", "\n\n"]));
            }
        }
        _ => *text = text.replace('\n', pick(rng, &["\r\n", "\r", "\n\n", "  \n", " # c\n"])),
    }
}

/// Chooses a place between two characters.
pub(crate) fn place(rng: &mut Rng, text: &str) -> usize {
    let mut at = rng.usize(0..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The place `n` characters behind `at`, or the end.
pub(crate) fn next_places(text: &str, at: usize, n: usize) -> usize {
    text[at..].char_indices().nth(n).map_or(text.len(), |(ahead, _)| at + ahead)
}

pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}
