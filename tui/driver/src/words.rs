//! Words for people: counted things, and text that cannot steer a terminal.

use native::asm::critical::{ChainMark, LoopBound, LoopEstimate};
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

/// Says what a turn of a hot loop is estimated to take, what bounds it, and what the marks in front of its instructions mean.
pub fn estimate_of(hot: &Hot) -> Vec<String> {
    let estimate = match &hot.estimate {
        Ok(estimate) => estimate,
        Err(why) => return vec![format!("no estimate of a turn: {why}")],
    };
    let cycles = estimate.cycles();
    let each = match hot.iterations {
        0 | 1 => String::new(),
        n => format!(" ({} an iteration)", number(cycles / n as f64)),
    };
    let mut lines = vec![format!(
        "estimated for {}: {} a turn{each}, {}",
        estimate.processor,
        in_cycles(cycles),
        bound_of(estimate)
    )];
    let sign = ChainMark::Through.sign();
    if !estimate.through.steps.is_empty() {
        let way = in_cycles(estimate.through.cycles);
        lines.push(format!(
            "{sign} the longest way through a turn takes {way}; turns overlap as far as nothing hinders"
        ));
    }
    lines
}

/// Says what bounds a loop, and how far anything else is from that.
fn bound_of(estimate: &LoopEstimate) -> String {
    let (units, names) = &estimate.units;
    let sign = ChainMark::Carried.sign();
    let carried = &estimate.carried;
    let turns = match carried.turns {
        0 | 1 => String::new(),
        n => format!(", {n} of which close a circle"),
    };
    let chain = format!("{} with {sign}{turns}", count(carried.steps.len(), "instruction"));
    let besides = format!("the units would need {} ({names})", number(*units));
    let handed = format!("turns wait for each other {} along the {chain}", in_cycles(carried.cycles));
    match estimate.bound() {
        LoopBound::Latency => {
            format!("bound by latency: each turn waits for the one before along the {chain}; {besides}")
        }
        LoopBound::Units => format!("bound by units: {names}; {handed}"),
        LoopBound::FrontEnd => format!("bound by how many instructions begin in a cycle; {besides}; {handed}"),
    }
}

fn in_cycles(cycles: f64) -> String {
    let cycles = number(cycles);
    format!("{cycles} cycle{}", if cycles == "1" { "" } else { "s" })
}

/// A number with at most three decimals.
fn number(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Counts what a hot loop does for one iteration of the source's.
pub fn of_an_iteration(hot: &Hot) -> String {
    let counted = hot
        .counts
        .counted()
        .map(|(kind, number)| format!("{} {}", self::number(hot.per_iteration(number)), kind.name()));
    counted.collect::<Vec<_>>().join(", ")
}
