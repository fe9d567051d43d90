//! Hot loops of four kernels on all targets, counted by hand.
//!
//! `hand/` has a file for each kernel with the loop's text for each target. Behind each instruction stands what it does, as a
//! person reads it; above the loop stand the sums. A register's worth that is an operand in memory is a load of its own, and
//! an instruction that moves two registers does so twice.

use std::collections::BTreeMap;

use ir::Family;

use super::counts::Counts;
use super::listing;

/// The numbers of the kinds that are named: `vector 2 load`.
fn read(text: &str) -> BTreeMap<String, usize> {
    let (mut counts, mut number) = (BTreeMap::new(), 1);
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        match word.parse() {
            Ok(written) => number = written,
            Err(_) => *counts.entry(word.to_owned()).or_default() += std::mem::replace(&mut number, 1),
        }
    }
    counts
}

fn named(counts: &Counts) -> BTreeMap<String, usize> {
    counts.counted().map(|(kind, number)| (kind.name().to_owned(), number)).collect()
}

/// Compares what is counted with the counts by hand; gives the targets that there are.
fn check(file: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    for part in file.split("## ").filter(|part| !part.is_empty()) {
        let (head, body) = part.split_once('\n').expect("a head and a loop");
        let (target, sums) = head.split_once(": ").expect("a target and sums");
        let family = ir::target::TARGETS.iter().find(|row| row.name == target).map(|row| row.family);
        let lines: Vec<(&str, &str)> = body
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| line.split_once(';').unwrap_or((line, "")))
            .collect();
        let text: String = lines.iter().map(|(code, _)| format!("{}\n", code.trim_end())).collect();
        let listing = listing(&format!("k:\n{text}"), family.unwrap_or(Family::X86));
        let function = &listing.functions[0];
        assert_eq!(function.inner_loops.len(), 1, "{target}: all of it is one loop");
        let mut all = Counts::default();
        // A label that only code around the loop names is left out of the listing.
        let decoded = function.lines.iter().filter(|line| line.kind.is_some());
        let instructions = || lines.iter().filter(|(code, _)| code.starts_with(' '));
        assert_eq!(decoded.clone().count(), instructions().count(), "{target}");
        for (line, (code, by_hand)) in decoded.zip(instructions()) {
            assert_eq!(named(&line.counts), read(by_hand), "{target}: {code}");
            all += line.counts;
        }
        assert_eq!(named(&all), read(sums), "{target}");
        targets.push(target);
    }
    targets
}

/// The loop of a target in a file, without what a person says of it.
pub(super) fn loop_of(file: &str, target: &str) -> String {
    let part = file.split("## ").find(|part| part.starts_with(&format!("{target}:"))).expect("the target is there");
    let lines = part.lines().skip(1).filter(|line| !line.is_empty());
    lines.map(|line| format!("{}\n", line.split(';').next().unwrap_or(line).trim_end())).collect()
}

const TARGETS: [&str; 11] =
    ["scalar", "sse4", "avx2", "avx512", "neon", "sve128", "sve256", "sve512", "rvv128", "rvv256", "rvv512"];

#[test]
fn saxpy_is_counted_as_by_hand() {
    // WebAssembly has no registers, so it has little that a second loop would show.
    assert_eq!(check(include_str!("hand/saxpy.s")), [&TARGETS[..], &["wasm"]].concat());
}

#[test]
fn a_matrix_times_a_vector_is_counted_as_by_hand() {
    assert_eq!(check(include_str!("hand/matvec.s")), TARGETS);
}

#[test]
fn a_blur_is_counted_as_by_hand() {
    assert_eq!(check(include_str!("hand/blur.s")), TARGETS);
}

#[test]
fn mandelbrot_is_counted_as_by_hand() {
    assert_eq!(check(include_str!("hand/mandelbrot.s")), TARGETS);
}
