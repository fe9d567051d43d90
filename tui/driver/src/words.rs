//! Words for people: counted things, and text that cannot steer a terminal.

use native::asm::hot::Hot;

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

/// Names a hot loop of machine code: the source's line, and how many of the source's iterations a turn is.
pub fn hot_loop(hot: &Hot) -> String {
    let line = hot.source_line.map_or_else(String::new, |line| format!(" of line {line}"));
    let iterations = count(usize::try_from(hot.iterations).unwrap_or(usize::MAX), "iteration");
    format!("hot loop{line}, a turn for {iterations}")
}

/// Counts what a hot loop does for one iteration of the source's.
pub fn of_an_iteration(hot: &Hot) -> String {
    let counted = hot.counts.counted().map(|(kind, number)| {
        let number = format!("{:.3}", hot.per_iteration(number));
        format!("{} {}", number.trim_end_matches('0').trim_end_matches('.'), kind.name())
    });
    counted.collect::<Vec<_>>().join(", ")
}
