//! The loops of machine code for two targets beside each other.

use native::asm::Kind;

use super::{InnerLoop, role_of};
use crate::page::{Line, Role};

/// Width of the words in front of the numbers.
const WORDS: usize = 21;

/// Compares the loops of machine code for two targets: for each loop of the source, what its instructions do in the one and
/// in the other. The instructions themselves have hardly a line in common, and turns differ in how many iterations they do, so
/// that numbers are those of an iteration where that is known of both.
pub(crate) fn beside(own: (&str, &[InnerLoop]), other: (&str, &[InnerLoop])) -> Vec<Line> {
    let width = own.0.len().max(other.0.len()).max(5);
    let mut left: Vec<_> = other.1.iter().collect();
    let pairs = own.1.iter().map(|it| {
        let alike = |other: &&InnerLoop| (other.source_line, other.is_hot) == (it.source_line, it.is_hot);
        let at = left.iter().position(alike);
        (Some(it), at.map(|at| left.remove(at)))
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.extend(left.into_iter().map(|it| (None, Some(it))));
    pairs.into_iter().flat_map(|pair| of_pair(pair, (own.0, other.0), width)).collect()
}

/// The lines about a loop for one target, and the same one for another; a target may have none for it.
fn of_pair((one, two): (Option<&InnerLoop>, Option<&InnerLoop>), names: (&str, &str), width: usize) -> Vec<Line> {
    let both = [one, two];
    let first = one.or(two);
    let is_hot = first.is_some_and(|it| it.is_hot);
    let by_iteration = is_hot && both.iter().flatten().all(|it| it.iterations.is_some());
    let what = if is_hot { "loop" } else { "rest" };
    let head = first.and_then(|it| it.source_line).map_or(format!("# a {what}"), |n| format!("# {what} of line {n}"));
    let mut lines = vec![Line::of(Role::Strong, format!("{head:WORDS$} {:>width$} {:>width$}", names.0, names.1))];
    let row = |what: &str, role: Role, number: &dyn Fn(&InnerLoop) -> f64| {
        let [a, b] = both.map(|it| it.map(number));
        let shown = |n: Option<f64>| n.map_or_else(|| "-".to_owned(), in_five_columns);
        let differs = if a == b { Role::Faint } else { Role::Strong };
        let numbers = format!(" {:>width$} {:>width$}", shown(a), shown(b));
        let words = WORDS - 4;
        let line = Line::of(Role::Faint, "#   ").and(role, format!("{what:words$}")).and(differs, numbers);
        (a.unwrap_or(0.0) + b.unwrap_or(0.0) > 0.0).then_some(line)
    };
    let each = |it: &InnerLoop, n: usize| n as f64 / it.iterations.filter(|_| by_iteration).unwrap_or(1) as f64;
    if by_iteration {
        lines.extend(row("iterations a turn", Role::Text, &|it| it.iterations.unwrap_or(1) as f64));
    }
    let instructions = if by_iteration { "instructions each" } else { "instructions" };
    lines.extend(row(instructions, Role::Text, &|it| each(it, it.n_instructions)));
    for kind in Kind::ALL {
        lines.extend(row(kind.name(), role_of(kind), &|it| each(it, it.counts.of(kind))));
    }
    lines
}

/// Writes a number with as many decimals as five columns have room for.
fn in_five_columns(number: f64) -> String {
    let decimals = [10.0, 100.0, 1000.0].iter().filter(|&&limit| number < limit).count();
    let text = format!("{number:.decimals$}");
    if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use native::asm::Counts;

    fn a_loop(n_instructions: usize, is_hot: bool, iterations: Option<u64>, kinds: &[(Kind, u32)]) -> InnerLoop {
        let mut counts = Counts::default();
        kinds.iter().for_each(|&(kind, n)| counts.add(kind, n));
        InnerLoop { source_line: Some(2), n_instructions, counts, is_hot, iterations }
    }

    fn check(own: &[InnerLoop], other: &[InnerLoop], expected: Expect) {
        let lines = beside(("avx2", own), ("sse4 x4", other));
        expected.assert_eq(&lines.iter().map(|line| line.text.clone() + "\n").collect::<String>());
    }

    #[test]
    fn loops_are_compared_by_what_they_do_for_an_iteration() {
        let rest = a_loop(2, false, None, &[(Kind::Scalar, 2)]);
        let wide = a_loop(12, true, Some(32), &[(Kind::Vector, 8), (Kind::Load, 4), (Kind::Spill, 1)]);
        let narrow = a_loop(6, true, Some(4), &[(Kind::Vector, 4), (Kind::Load, 2)]);
        check(
            std::slice::from_ref(&wide),
            &[narrow, rest],
            expect![[r#"
                # loop of line 2         avx2 sse4 x4
                #   iterations a turn      32       4
                #   instructions each   0.375     1.5
                #   vector               0.25       1
                #   load                0.125     0.5
                #   spill               0.031       0
                # rest of line 2         avx2 sse4 x4
                #   instructions            -       2
                #   scalar                  -       2
            "#]],
        );
        // One turn beside another, where a turn is all that is known of one of them.
        check(
            &[wide],
            &[a_loop(4, true, None, &[(Kind::Vector, 2)])],
            expect![[r#"
                # loop of line 2         avx2 sse4 x4
                #   instructions           12       4
                #   vector                  8       2
                #   load                    4       0
                #   spill                   1       0
            "#]],
        );
        assert_eq!([0.0, 9.9999, 12.345, 123.45, 1234.5].map(in_five_columns), ["0", "10", "12.35", "123.5", "1234"]);
    }
}
