//! Words for people: counted things, and text that cannot steer a terminal.

/// Counts things in words: `1 file`, `2 files`.
pub fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Replaces tabs by spaces and control characters by pictures of them, so that no source can steer a terminal.
pub fn visible(text: &str) -> String {
    let picture = |c: char| match c {
        '\t' => "    ".to_owned(),
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or('?').to_string(),
        '\x7f' => '\u{2421}'.to_string(),
        c if c.is_control() => format!("<U+{:04X}>", c as u32),
        c => c.to_string(),
    };
    if text.contains(char::is_control) { text.chars().map(picture).collect() } else { text.to_owned() }
}
