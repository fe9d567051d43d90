//! Programs that are typed from the first key to the last: after each key, what is said of the lines above the one that is being typed.
//!
//! Only what is missing there so far may be said: a block, a case, a `return`, the item below an attribute. And that something is never
//! used is no news while a line is half typed that may be its use.

use crate::common;

use syntax::text::LineIndex;
use syntax::{Severity, TextSize};

const PROGRAM: &str = r"## A particle.
struct Particle:
    x: f32
    speed: f32

enum Kind: Still, Moving

const GRAVITY = 9.81

fn square(x):
    return x * x

## Moves particles.
@alias(ps, moved)
kernel step(ps: Particle[n], moved: Particle[n], kinds: Kind[n], n: i32, dt: f32) -> f32:
    let energy = 0.0
    @reassoc
    for i in range(n):
        p = ps[i]
        p.speed += GRAVITY * dt
        if p.x < 0 and p.speed < 0:
            p.speed = -p.speed
        elif p.x > 100:
            continue
        moved[i] = p
        match kinds[i]:
            case Still:
                energy += 1
            case Moving:
                energy += square(p.speed)
    return energy

@alias(music, out)
kernel mix(music: f32[n], voice, out: f32[n], n, level):
    @simd
    foreach i in range(n):
        out[i] = clamp(music[i] + voice[i] * level, -1.0, 1.0)
";

/// What may be missing in the lines above.
const SO_FAR: &[&str] = &["attribute-without-target", "expected-block", "missing-case", "missing-return"];

#[test]
fn what_is_said_of_the_lines_above_is_what_is_missing_there() {
    let mut n_keys = 0;
    for (end, key) in PROGRAM.char_indices() {
        let text = &PROGRAM[..end + key.len_utf8()];
        let found = common::diagnostics(text);
        let lines = LineIndex::new(text);
        let own = lines.line(TextSize::of(text));
        let above = || found.iter().filter(|it| lines.line(it.range.start()) != own);
        for error in above().filter(|it| it.severity == Severity::Error) {
            assert!(SO_FAR.contains(&error.code.name()), "{}", common::render(text, &found));
        }
        let is_half = found.iter().any(|it| matches!(it.code.name(), "unknown-name" | "no-effect"));
        let has_unused = found.iter().any(|it| it.code.name() == "unused-name");
        assert!(!is_half || !has_unused, "{}", common::render(text, &found));
        n_keys += 1;
    }
    assert_eq!(n_keys, PROGRAM.chars().count());
}

/// That a parameter is never used is no news before the kernel gives what it promises.
#[test]
fn no_parameter_is_unused_before_there_is_a_return() {
    let start = PROGRAM.find("kernel step").expect("a kernel");
    let end = PROGRAM.find("    return energy").expect("its end");
    for (at, key) in PROGRAM[..end].char_indices().filter(|(at, _)| *at >= start) {
        let text = &PROGRAM[..at + key.len_utf8()];
        let found = common::diagnostics(text);
        let unused = |it: &&syntax::Diagnostic| {
            it.code.name() == "unused-name" && it.message.contains("parameter") && usize::from(it.range.start()) > start
        };
        assert!(found.iter().find(unused).is_none(), "{}", common::render(text, &found));
    }
}
