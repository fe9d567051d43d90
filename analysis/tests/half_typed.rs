//! Half-typed programs: whatever stands on the line that is being typed, the other lines keep their meaning.
//!
//! A line is cut at every place. There is no panic; the line itself has at most what the parser and the names on it are worth;
//! and other lines have errors only where the missing half really is missing: a name that nothing defines any more.

mod common;

use syntax::text::LineIndex;
use syntax::{Diagnostic, Severity, TextSize};

const PROGRAM: &str = r"const WIDTH = 4
const RATE: f64 = 2 * 3.5

struct Particle:
    x: f32
    alive: bool

fn lerp(a, b, t):
    return a + (b - a) * t

fn dot(a: f32[k], b: f32[k]) -> f32:
    let sum = 0.0
    for i in range(k):
        sum += a[i] * b[i]
    return sum

@fast
@lanes(WIDTH)
kernel step(p: Particle[n], out: f32[n], m: f32[n, n], n: i32, dt: f32) -> f32:
    let total = 0.0
    let rows = map(\row -> dot(row, row), m)
    foreach i in range(n):
        if p[i].alive and dt > 0:
            p[i].x += lerp(p[i].x, dt, 0.5)
        elif not p[i].alive:
            p[i].x = f32(RATE)
        else:
            continue
        out[i] = reduce_add(p[i].x)
    for j in range(1, n, 2):
        while total < 3:
            total = total + out[j] + rows[j]
            if total > 5:
                break
    out[: n / 2] = reduce(max, 0, out[1:3]) if n > 3 else total
    assert total >= 0
    return total
";

/// What may be wrong elsewhere while one line is half typed: what it defines is not there yet, or not what it was. The
/// layout of what follows may be off too; those errors are the parser's.
const ELSEWHERE: &[&str] = &[
    "foreach-update",
    "lanes-outside-foreach",
    "missing-return",
    "not-a-value",
    "type-mismatch",
    "unknown-field",
    "unknown-name",
    "unknown-type",
];

#[test]
fn the_program_is_fine() {
    let mut found = common::diagnostics(PROGRAM);
    // What its lanes pay for is another matter.
    found.retain(|found| found.severity != Severity::Note);
    assert!(found.is_empty(), "{}", common::render(PROGRAM, &found));
}

#[test]
fn a_half_typed_line_leaves_the_others_alone() {
    let (mut n_cuts, mut n_alone) = (0, 0);
    let mut start = 0;
    for line in PROGRAM.split_inclusive('\n') {
        let indentation = line.len() - line.trim_start().len();
        // Without any of its header line, an item is part of the one above.
        for cut in indentation.max(1)..line.trim_end().len() {
            let text = [&PROGRAM[..start + cut], "\n", &PROGRAM[start + line.len()..]].concat();
            let errors = errors(&text);
            let lines = LineIndex::new(&text);
            let own = lines.line(TextSize::new(start as u32));
            let elsewhere: Vec<_> = errors.iter().filter(|error| lines.line(error.range.start()) != own).collect();
            for error in &elsewhere {
                let of_syntax = syntax::errors::CODES.contains(&error.code);
                assert!(of_syntax || ELSEWHERE.contains(&error.code), "{}", common::render(&text, &errors));
            }
            // The parser's and the analysis's opinion of one line are never both shown.
            let here = |codes: &[&str]| {
                errors.iter().any(|error| lines.line(error.range.start()) == own && codes.contains(&error.code))
            };
            let both = here(syntax::errors::CODES) && here(analysis::errors::CODES);
            assert!(!both, "{}", common::render(&text, &errors));
            n_cuts += 1;
            n_alone += usize::from(elsewhere.is_empty());
        }
        start += line.len();
    }
    assert!(n_alone * 100 > n_cuts * 80, "{n_alone} of {n_cuts}");
}

/// Inside an item that is half typed, nothing that an item of the same file says about itself changes.
#[test]
fn a_half_typed_body_leaves_other_items_alone() {
    let other = "\nkernel other(a: f32[n], n: i32):\n    a[0] = missing\n    a[1] = n\n";
    let wanted = ["unknown-name", "type-mismatch"];
    for (n, line) in PROGRAM.lines().enumerate().filter(|(_, line)| line.starts_with(' ')) {
        for cut in 0..line.len() {
            let lines = PROGRAM.lines().enumerate().map(|(m, other)| if m == n { &line[..cut] } else { other });
            let program: String = lines.flat_map(|line| [line, "\n"]).collect();
            let text = [&program, other].concat();
            let found = errors(&text);
            let in_other = found.iter().filter(|error| usize::from(error.range.start()) > program.len());
            let codes: Vec<_> = in_other.map(|error| error.code).collect();
            assert_eq!(codes, wanted, "{}", common::render(&text, &found));
        }
    }
}

#[test]
fn long_chains_and_deep_nests_are_refused_and_not_followed() {
    let elifs: String = (1..20_000).map(|n| format!("    elif n == {n}:\n        a[{n}] = 1\n")).collect();
    let chain = format!("kernel k(a: i32[n], n: i32):\n    if n == 0:\n        pass\n{elifs}");
    let codes: Vec<_> = errors(&chain).iter().map(|error| error.code).collect();
    assert_eq!(codes, ["too-deep"]);
    let sum = "1 + ".repeat(20_000);
    let codes: Vec<_> = errors(&format!("const N = {sum} 1\n")).iter().map(|error| error.code).collect();
    assert_eq!(codes, ["too-deep"]);
}

fn errors(text: &str) -> Vec<Diagnostic> {
    common::diagnostics(text).into_iter().filter(|finding| finding.severity == Severity::Error).collect()
}
