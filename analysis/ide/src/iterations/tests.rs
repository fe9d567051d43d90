//! Iteration spaces held against what programs really do.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::{Expect, expect};
use queries::db::{Database, File, file_items};
use queries::run::DataSource;
use queries::stages::stage as named;

use super::*;

/// The space of the loop that has a text in its header, on a number for each scalar and zeros for each array.
fn space(text: &str, header: &str, stage: &str, sizes: &[(&str, i64)], n_cells: u64) -> Result<IterationSpace, String> {
    let db = Database::default();
    let file = File::new(&db, text.into());
    let item = file_items(&db, file).iter().copied().find(|item| item.kind(&db) == ItemKind::Kernel).expect("a kernel");
    let at = TextSize::new(text.find(header).expect("a loop") as u32);
    let params = queries::run::sample(&db, item, &[]).expect("a sample");
    let arguments = params.iter().map(|sample| {
        let given = sizes.iter().find(|(name, _)| *name == sample.name);
        let source = match given {
            Some((_, n)) => DataSource::Number(n.to_string()),
            None => DataSource::Zeros(n_cells),
        };
        Argument { name: sample.name.clone(), source }
    });
    let arguments: Vec<Argument> = arguments.collect();
    iteration_space(&db, item, at, named(stage).expect("a stage"), Options::default(), &arguments)
}

fn told(space: &IterationSpace) -> String {
    let names: Vec<&str> = space.levels.iter().map(|level| level.index.as_str()).collect();
    let mut told = format!("levels {names:?}, axes {:?}, fixed {:?}\n", space.axes, space.fixed);
    for met in &space.dependences {
        let why = met.undrawn.as_deref().unwrap_or("drawn");
        told += &format!("{} {} {:?} {:?}: {why}\n", met.kind.name(), met.array, met.directions, met.distances);
    }
    told += &format!("{} points, {} arrows\n", space.points.len(), space.arrows.len());
    let turns = |placed: &[Placed]| {
        let turns = placed.chunk_by(|one, other| one.turn == other.turn);
        turns.map(|turn| format!("{:?}", turn.iter().map(|placed| &placed.at).collect::<Vec<_>>())).collect::<Vec<_>>()
    };
    match &space.after {
        Ok(after) => told += &format!("after: {}\n", turns(after).join(" ")),
        Err(why) => told += &format!("after: {why}\n"),
    }
    for done in &space.done {
        told += &format!("{} in line {}: {}\n", done.pass, done.line + 1, done.code);
    }
    told
}

fn check(text: &str, header: &str, stage: &str, sizes: &[(&str, i64)], n_cells: u64, expected: Expect) {
    let space = space(text, header, stage, sizes, n_cells).unwrap_or_else(|why| panic!("{why}"));
    expected.assert_eq(&told(&space));
}

const ROWS: &str = "\
kernel rows(m: f32[n, 8], n: i32):
    for j in range(8):
        for i in range(1, n):
            m[i, j] = m[i - 1, j] + 1.0
";

#[test]
fn a_nest_before_its_passes() {
    check(
        ROWS,
        "for j",
        "sequential",
        &[("n", 4)],
        32,
        expect![[r#"
        levels ["j", "i"], axes [0, 1], fixed []
        flow m ["=", "<"] [Some(0), Some(1)]: drawn
        24 points, 16 arrows
        after: [[0, 1]] [[0, 2]] [[0, 3]] [[1, 1]] [[1, 2]] [[1, 3]] [[2, 1]] [[2, 2]] [[2, 3]] [[3, 1]] [[3, 2]] [[3, 3]] [[4, 1]] [[4, 2]] [[4, 3]] [[5, 1]] [[5, 2]] [[5, 3]] [[6, 1]] [[6, 2]] [[6, 3]] [[7, 1]] [[7, 2]] [[7, 3]]
        vector in line 2: lanes-along-this-loop
    "#]],
    );
}

#[test]
fn a_nest_behind_its_passes() {
    for stage in ["vector", "final"] {
        let space = space(ROWS, "for i", stage, &[("n", 4)], 32).expect("a space");
        let after = space.after.expect("an order");
        let together = after.chunk_by(|one, other| one.turn == other.turn).map(<[Placed]>::len).max();
        assert_eq!(together, Some(8), "{stage}: lanes run along j");
    }
}

#[test]
fn a_distance_that_is_not_known_is_said() {
    let text = "\
kernel f(a: f32[n], n: i32, s: i32):
    for i in range(n - s):
        assert(s > 0)
        a[i] = a[i + s] * 2.0
";
    let space = space(text, "for i", "sequential", &[("n", 8), ("s", 3)], 8).expect("a space");
    assert!(space.dependences.iter().any(|met| met.undrawn.is_some()), "{}", told(&space));
}

#[test]
fn what_is_no_loop_and_what_does_not_run_is_said() {
    let text = "kernel f(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = 1.0\n";
    let why = space(text, "for i", "sequential", &[("n", 0)], 0).expect_err("no iteration");
    assert!(why.contains("no iteration"), "{why}");
    let why = space(text, "a: f32", "sequential", &[("n", 4)], 4).expect_err("no loop");
    assert!(why.contains("not one of the program"), "{why}");
}

/// An access: for each dimension the factors of the indices, and what is added.
#[derive(Debug, Clone)]
struct Cell {
    factors: Vec<Vec<i64>>,
    added: Vec<i64>,
}

impl Cell {
    fn at(&self, point: &[i64]) -> Vec<i64> {
        let sum = |factors: &Vec<i64>| factors.iter().zip(point).map(|(factor, index)| factor * index).sum::<i64>();
        self.factors.iter().zip(&self.added).map(|(factors, added)| sum(factors) + added).collect()
    }

    fn text(&self, names: &[&str]) -> String {
        let dims = self.factors.iter().zip(&self.added).map(|(factors, added)| {
            let terms = factors.iter().zip(names).filter(|(factor, _)| **factor != 0);
            let mut terms: Vec<String> = terms.map(|(factor, name)| format!("{factor} * {name}")).collect();
            terms.push(added.to_string());
            terms.join(" + ")
        });
        format!("m[{}]", dims.collect::<Vec<_>>().join(", "))
    }
}

/// Arrows join iterations that really touch one cell, one of them writing; and of those that do, each pair is an arrow, or belongs to a
/// dependence that says why it is not drawn.
#[test]
fn arrows_are_what_really_meets() {
    const N: i64 = 5;
    const SIZE: i64 = 24;
    let mut random = fastrand::Rng::with_seed(7);
    let (mut n_arrows, mut n_undrawn, mut n_ordered) = (0, 0, 0);
    for _ in 0..120 {
        let depth = random.usize(1..=2);
        let names = &["i", "j"][..depth];
        let mut cell = || {
            let factors = (0..depth).map(|dim| {
                (0..depth).map(|level| if level == dim { i64::from(random.u8(..8) > 0) } else { 0 }).collect()
            });
            Cell { factors: factors.collect(), added: (0..depth).map(|_| random.i64(4..=7)).collect() }
        };
        let (written, read) = (cell(), cell());
        let mut ranges: Vec<(i64, i64, i64)> = Vec::new();
        let mut text = format!("kernel f(m: f32[{}]):\n", vec![SIZE.to_string(); depth].join(", "));
        for (level, name) in names.iter().enumerate() {
            // From another start, in steps of two, or, inside, from the outer index on.
            ranges.push(match random.u8(..4) {
                0 => (2, 2 + 2 * N, 2),
                1 if level > 0 => (-1, N, 1),
                _ => (0, N, 1),
            });
            let (start, end, step) = ranges[level];
            let start = if start < 0 { "i".to_owned() } else { start.to_string() };
            text += &format!("{}for {name} in range({start}, {end}, {step}):\n", "    ".repeat(level + 1));
        }
        let indent = "    ".repeat(depth + 1);
        text += &format!("{indent}{} = {} + 1.0\n", written.text(names), read.text(names));
        let n_cells = SIZE.pow(depth as u32) as u64;
        let space = space(&text, "for i", "final", &[], n_cells).unwrap_or_else(|why| panic!("{why}\n{text}"));
        let touched = |point: &[i64]| [(written.at(point), true), (read.at(point), false)];
        let meet = |one: &[i64], other: &[i64]| {
            let pairs = touched(one).into_iter().flat_map(|a| touched(other).map(|b| (a.clone(), b)));
            pairs.filter(|(a, b)| a.0 == b.0 && (a.1 || b.1)).count() > 0
        };
        let indices = |level: usize, outer: &[i64]| {
            let (start, end, step) = ranges[level];
            let start = if start < 0 { outer[0] } else { start };
            (start..end).step_by(step as usize).collect::<Vec<i64>>()
        };
        let mut points: Vec<Vec<i64>> = vec![Vec::new()];
        for level in 0..depth {
            let inside =
                |point: Vec<i64>| indices(level, &point).into_iter().map(move |index| [&point[..], &[index]].concat());
            points = points.into_iter().flat_map(inside).collect();
        }
        assert_eq!(space.points, points, "{text}");
        n_ordered += usize::from(space.after.is_ok());
        for arrow in &space.arrows {
            assert!(arrow.from < arrow.to && meet(&arrow.from, &arrow.to), "{arrow:?}\n{text}");
        }
        n_arrows += space.arrows.len();
        n_undrawn += space.dependences.iter().filter(|met| met.undrawn.is_some()).count();
        let drawn: BTreeSet<(&Vec<i64>, &Vec<i64>)> =
            space.arrows.iter().map(|arrow| (&arrow.from, &arrow.to)).collect();
        let all_drawn = space.dependences.iter().all(|met| met.undrawn.is_none());
        for (n, one) in space.points.iter().enumerate() {
            for other in &space.points[n + 1..] {
                if meet(one, other) {
                    assert!(drawn.contains(&(one, other)) || !all_drawn, "{one:?} {other:?}\n{text}\n{}", told(&space));
                }
            }
        }
        orders_hold(&space, &|one, other| meet(one, other), &text);
    }
    assert!(
        n_arrows > 400 && n_undrawn > 10 && n_ordered > 80,
        "{n_arrows} arrows, {n_undrawn} dependences without, {n_ordered} orders"
    );
}

/// All iterations have a turn, and those that meet keep their order.
fn orders_hold(space: &IterationSpace, meet: &dyn Fn(&[i64], &[i64]) -> bool, text: &str) {
    let before: Vec<&Vec<i64>> = space.before.iter().map(|placed| &placed.at).collect();
    assert_eq!(before, space.points.iter().collect::<Vec<_>>(), "{text}");
    let Ok(after) = &space.after else { return };
    let turns: BTreeMap<&Vec<i64>, usize> = after.iter().map(|placed| (&placed.at, placed.turn)).collect();
    assert_eq!(turns.len(), space.points.len(), "{text}");
    for (n, one) in space.points.iter().enumerate() {
        for other in &space.points[n + 1..] {
            // Lanes that run together read before they write, which is the order of the program only for some.
            assert!(!meet(one, other) || turns[one] <= turns[other], "{one:?} {other:?}\n{text}\n{}", told(space));
        }
    }
}
