//! The interpreter against the evaluator: a generated kernel gives the same bits and the same errors, at the same places, in the
//! same lane and iteration, when its meaning is read off its HIR and when its Lane IR is run, as it was lowered and after each pass.

use crate::generate;
use crate::one_of_several;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use facts::dependence;
use facts::integers::Answers;
use facts::loops::loops;
use generate::Generated;
use generate::host;
use generate::inputs::{cells, element_of, inputs, stride};
use hir::errors::RuleCode;
use hir::eval;
use hir::eval::{ArgValue, evaluate};
use hir::finding::ItemKey;
use ir::codes::ReasonCode;
use ir::interp::{self, Limits, Machine, MachineStatus, Stop};
use ir::{Kernel, Scalar};
use lowering::Lowering;
use passes::pipeline::{Options, pipeline};
use passes::{
    ALTERNATING, BRANCH_CHOICES, CARRY, COMMON_ACCESSES, CSE, Context, DCE, DISTANCE_CHECKS, EARLY_EXIT, EXTREMES,
    FOLD, FUSE_LOOPS, HOIST, IN_TURN, INDEX_SETS, JAM_NESTS, LAST_LANE, MEMORY_ORDER, NARROW, PACK, PEEL, PROMOTE,
    Pass, REDUCE_LATE, REGROUP, REORDER, ROWS, Said, TILES, UNIT_STEPS, VECTOR,
};
use queries::db::file_items;
use queries::db::{Database, File};
use queries::run::program;
use queries::{arrays, sequential};
use syntax::TextRange;

/// The lane counts that loops are tried with.
const LANES: [u16; 7] = [8, 1, 3, 16, 2, 64, 4];

/// How many programs broke a rule that shows where they are lowered.
static N_NOT_LOWERED: AtomicU64 = AtomicU64::new(0);

/// How often a kernel was run with loops in lanes.
static N_IN_LANES: AtomicU64 = AtomicU64::new(0);

/// How often statements of a kernel were packed.
static N_PACKED: AtomicU64 = AtomicU64::new(0);

/// How often values of a kernel that are computed alike were lanes of a vector, and cells that are stored again were not stored before.
static N_ALIKE: AtomicU64 = AtomicU64::new(0);
static N_STORED_AGAIN: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel came to carry a vector in place of scalars.
static N_CARRIED: AtomicU64 = AtomicU64::new(0);

/// How often lanes of a kernel were to take turns.
static N_IN_TURN: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel carried a cell as a value.
static N_PROMOTED: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel were divided where their index decides a branch.
static N_DIVIDED: AtomicU64 = AtomicU64::new(0);

/// How often first iterations of a kernel's loops were peeled, and how often it packed or unpacked cells a constant away from a count.
static N_PEELED: AtomicU64 = AtomicU64::new(0);
static N_PACKED_AWAY: AtomicU64 = AtomicU64::new(0);
/// How often nests of a kernel had a version for steps of 1.
static N_UNIT_STEPS: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel with lanes carried what the iteration before has stored, and lanes carried a vector as it is.
static N_HANDED_ON: AtomicU64 = AtomicU64::new(0);
static N_LAST_LANES: AtomicU64 = AtomicU64::new(0);
/// How often nests of a kernel had a version for distances that leave room for lanes.
static N_DISTANCES: AtomicU64 = AtomicU64::new(0);
/// How often values of a kernel that go back and forth were computed from the index.
static N_ALTERNATING: AtomicU64 = AtomicU64::new(0);
/// How often cells of a kernel ran on by blocks while it stored to others.
static N_RUNNING: AtomicU64 = AtomicU64::new(0);

/// How often bytes of a kernel were seen as parts of wider integers.
static N_REGROUPED: AtomicU64 = AtomicU64::new(0);

/// How often members were computed in the order of their cells.
static N_IN_MEMORY_ORDER: AtomicU64 = AtomicU64::new(0);

/// How often arithmetic of a kernel was narrowed.
static N_NARROWED: AtomicU64 = AtomicU64::new(0);

/// How often statements of a kernel were reordered.
static N_REORDERED: AtomicU64 = AtomicU64::new(0);

/// How often parts of rows of a kernel were loaded at once.
static N_ROWS: AtomicU64 = AtomicU64::new(0);

/// How often iterations of an outer loop of a kernel went through nests together.
static N_JAMMED: AtomicU64 = AtomicU64::new(0);

/// How often lanes of a kernel had an array in common, or packed cells in a row.
static N_IN_COMMON: AtomicU64 = AtomicU64::new(0);
static N_PACKED_IN_ROWS: AtomicU64 = AtomicU64::new(0);

/// How often lanes of all rows were joined before they were reduced, and choices were made in a branch.
static N_REDUCED_LATE: AtomicU64 = AtomicU64::new(0);
static N_CHOSEN_IN_BRANCHES: AtomicU64 = AtomicU64::new(0);

/// How often lanes were tiles of several ranges.
static N_TILED: AtomicU64 = AtomicU64::new(0);

/// How often lanes kept the extremes of floats over the rows of a kernel.
static N_EXTREMES: AtomicU64 = AtomicU64::new(0);

/// How often sides of a kernel's branches had accesses in common, and stores among them.
static N_IN_BOTH_SIDES: AtomicU64 = AtomicU64::new(0);
static N_STORED_BEHIND: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel were to run in early-exit blocks.
static N_EXITS: AtomicU64 = AtomicU64::new(0);

/// How often loops of a kernel were fused.
static N_FUSED: AtomicU64 = AtomicU64::new(0);

/// What a run came to, in terms that both engines share.
#[derive(Debug, Clone, PartialEq)]
struct End {
    result: Option<Scalar>,
    arrays: Vec<Vec<Scalar>>,
    error: Option<Wrong>,
}

/// An error: what, where and when.
#[derive(Debug, Clone, PartialEq)]
struct Wrong {
    code: report::ReportCode,
    item: ItemKey,
    range: TextRange,
    lane: Option<u32>,
    iteration: Vec<i128>,
    /// The iteration that another one collides with.
    other: Option<Vec<i128>>,
    /// The message, but of collisions, for which the evaluator has no name of the array.
    words: String,
}

impl From<eval::Error> for Wrong {
    fn from(error: eval::Error) -> Wrong {
        let indices = |iteration: eval::Iteration| iteration.into_iter().map(|(_, index)| index).collect();
        Wrong {
            code: error.code,
            item: error.item,
            range: error.range,
            lane: error.lane,
            iteration: indices(error.iteration),
            other: error.other.map(indices),
            words: error.kind.map_or(String::new(), |kind| kind.to_string()),
        }
    }
}

/// What a run of a kernel has to come to.
struct Expected {
    end: End,
    /// An error has to be this one: nothing was done yet that may bring another one forward.
    keeps_errors: bool,
}

/// How two runs ended differently: the results, the errors, and the first cell of each array that is not the same.
fn difference(expected: &End, found: &End) -> String {
    let mut out =
        format!("expected {:?}, {:?}\nfound {:?}, {:?}\n", expected.result, expected.error, found.result, found.error);
    for (number, (own, other)) in expected.arrays.iter().zip(&found.arrays).enumerate() {
        if let Some(at) = own.iter().zip(other).position(|(a, b)| a != b) {
            out.push_str(&format!("array {number}, cell {at}: expected {}, found {}\n", own[at], other[at]));
        }
    }
    out
}

/// A way to compare programs, with how they differ as the error.
type Comparison = fn(&Kernel, &Lowering, &[ArgValue], &Expected) -> Result<(), String>;

fn check(seeds: Range<u64>, program: fn(u64) -> Generated, comparison: Comparison) {
    generate::look_for(seeds, program, |generated| compare(generated, comparison).err());
}

/// What keeps a kernel scalar says nothing of lanes and asks no verdict, so many more programs can be tried.
#[test]
fn scalar_kernels_mean_what_they_say_cleaned_up_or_not() {
    check(generate::seeds(generate::cases(2_000)), generate::program, |kernel, lowering, args, expected| {
        let options = Options::default();
        let mut context = Context::new(&options);
        let passes = [&FOLD, &CSE, &HOIST, &CSE, &DCE];
        differs(kernel, lowering, args, expected, &passes, &mut context, reads_back).map_or(Ok(()), Err)
    });
}

/// What is wrong with a kernel that is printed and read, if it is not what it was.
fn reads_back(kernel: &Kernel) -> Option<String> {
    let text = ir::print(kernel).text;
    match ir::read(&text, kernel.lanes) {
        Ok(read) if read.len() == 1 && ir::canonical(&read[0]) == ir::canonical(kernel) => None,
        Ok(_) => Some(format!("reads as another kernel\n{text}")),
        Err(error) => Some(format!("does not read: {error}\n{text}")),
    }
}

#[test]
fn lowered_kernels_mean_what_they_say() {
    let cases = generate::cases(2_000);
    check(generate::seeds(cases), generate::program, at_every_stage);
    assert!(N_IN_LANES.load(Relaxed) > cases / 4, "{} kernels ran in lanes", N_IN_LANES.load(Relaxed));
    assert!(N_TILED.load(Relaxed) > cases / 200, "{} kernels had tiles", N_TILED.load(Relaxed));
}

#[test]
fn statements_in_a_row_mean_what_they_say() {
    let cases = generate::cases(1_500);
    check(generate::seeds(cases), generate::program_of_rows, at_every_stage);
    assert!(N_PACKED.load(Relaxed) > cases / 2, "{} kernels had packs", N_PACKED.load(Relaxed));
    assert!(N_CARRIED.load(Relaxed) > cases / 20, "{} kernels carry vectors", N_CARRIED.load(Relaxed));
    assert!(
        N_ALIKE.load(Relaxed) > cases / 20,
        "{} kernels have values that are computed alike",
        N_ALIKE.load(Relaxed)
    );
    let n_stored_again = N_STORED_AGAIN.load(Relaxed);
    assert!(n_stored_again > cases / 20, "{n_stored_again} kernels store to cells again");
}

#[test]
fn what_loops_hand_on_means_what_it_says() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_turns, at_every_stage);
    assert!(N_IN_TURN.load(Relaxed) > cases / 2, "lanes took turns in {} kernels", N_IN_TURN.load(Relaxed));
}

#[test]
fn subscripts_that_loops_hand_on_mean_what_they_say() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_counters, at_every_stage);
    assert!(N_PEELED.load(Relaxed) > cases / 4, "iterations were peeled in {} kernels", N_PEELED.load(Relaxed));
    let n_packed = N_PACKED_AWAY.load(Relaxed);
    assert!(n_packed > cases / 10, "cells a constant away from a count were packed in {n_packed} kernels");
}

#[test]
fn cells_that_iterations_share_mean_what_they_say() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_places, at_every_stage);
    assert!(N_PROMOTED.load(Relaxed) > cases / 4, "{} kernels carried cells", N_PROMOTED.load(Relaxed));
    assert!(N_DIVIDED.load(Relaxed) > cases / 20, "{} kernels had loops divided", N_DIVIDED.load(Relaxed));
    let n_unit_steps = N_UNIT_STEPS.load(Relaxed);
    assert!(n_unit_steps > cases / 10, "{n_unit_steps} kernels had versions for steps of 1");
    assert!(N_REGROUPED.load(Relaxed) > cases / 20, "{} kernels had bytes regrouped", N_REGROUPED.load(Relaxed));
    let n_in_order = N_IN_MEMORY_ORDER.load(Relaxed);
    assert!(n_in_order > cases / 100, "{n_in_order} kernels had members in memory order");
    assert!(N_NARROWED.load(Relaxed) > cases / 10, "{} kernels had narrow arithmetic", N_NARROWED.load(Relaxed));
    assert!(N_REORDERED.load(Relaxed) > cases / 40, "{} kernels were reordered", N_REORDERED.load(Relaxed));
}

#[test]
fn neighbouring_cells_mean_what_they_say() {
    let cases = generate::cases(1_500);
    check(generate::seeds(cases), generate::program_of_neighbours, at_every_stage);
    let n_handed_on = N_HANDED_ON.load(Relaxed);
    assert!(n_handed_on > cases / 10, "what was just stored was handed on in {n_handed_on} kernels");
    let n_running = N_RUNNING.load(Relaxed);
    assert!(n_running > cases / 10, "cells ran on in {n_running} kernels");
    let n_distances = N_DISTANCES.load(Relaxed);
    assert!(n_distances > cases / 20, "{n_distances} kernels had versions for distances");
    let n_alternating = N_ALTERNATING.load(Relaxed);
    assert!(n_alternating > cases / 50, "values alternated in {n_alternating} kernels");
    let n_last_lanes = N_LAST_LANES.load(Relaxed);
    assert!(n_last_lanes > cases / 10, "lanes carried the last of their group in {n_last_lanes} kernels");
}

#[test]
fn what_both_sides_access_means_what_it_says() {
    let cases = generate::cases(1_500);
    check(generate::seeds(cases), generate::program_of_sides, at_every_stage);
    let n_common = N_IN_BOTH_SIDES.load(Relaxed);
    assert!(n_common > cases / 3, "sides had accesses in common in {n_common} kernels");
    let n_stored = N_STORED_BEHIND.load(Relaxed);
    assert!(n_stored > cases / 5, "stores of both sides stood behind them in {n_stored} kernels");
}

#[test]
fn lanes_along_rows_mean_what_they_say() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_nests, at_every_stage);
    assert!(N_ROWS.load(Relaxed) > cases / 4, "parts of rows were loaded in {} kernels", N_ROWS.load(Relaxed));
}

#[test]
fn rows_that_iterations_share_mean_what_they_say() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_products, at_every_stage);
    assert!(N_JAMMED.load(Relaxed) > cases / 4, "iterations went together in {} kernels", N_JAMMED.load(Relaxed));
}

#[test]
fn what_lanes_have_in_common_means_what_it_says() {
    let cases = generate::cases(1_500);
    check(generate::seeds(cases), generate::program_of_lanes_together, at_every_stage);
    assert!(N_IN_COMMON.load(Relaxed) > cases / 4, "{} kernels had arrays in common", N_IN_COMMON.load(Relaxed));
    let n_packed = N_PACKED_IN_ROWS.load(Relaxed);
    assert!(n_packed > cases / 20, "cells were packed in rows in {n_packed} kernels");
    let n_chosen = N_CHOSEN_IN_BRANCHES.load(Relaxed);
    assert!(n_chosen > cases / 20, "choices were made in branches of {n_chosen} kernels");
}

#[test]
fn totals_of_rows_mean_what_they_say() {
    let cases = generate::cases(1_000);
    check(generate::seeds(cases), generate::program_of_totals, at_every_stage);
    let n_late = N_REDUCED_LATE.load(Relaxed);
    assert!(n_late > cases / 4, "lanes were reduced behind a loop in {n_late} kernels");
    let n_extremes = N_EXTREMES.load(Relaxed);
    assert!(n_extremes > cases / 10, "extremes of floats were joined over rows in {n_extremes} kernels");
}

#[test]
fn loops_that_are_left_early_mean_what_they_say() {
    let cases = generate::cases(1_500);
    check(generate::seeds(cases), generate::program_of_exits, at_every_stage);
    assert!(N_EXITS.load(Relaxed) > cases / 2, "{} kernels had early-exit blocks", N_EXITS.load(Relaxed));
}

#[test]
fn kernels_with_whole_arrays_mean_what_they_say() {
    check(generate::seeds(generate::cases(400)), generate::array_program, at_every_stage);
    assert!(N_FUSED.load(Relaxed) > 0, "some of the programs have loops that share cells");
}

/// Programs with whole arrays in which something was wrong once.
#[test]
fn what_generated_programs_have_found() {
    let numbers = |n: i32, sizes: &[i64]| {
        let cells = (0..n).map(|k| Scalar::I32(3 * k % 7)).collect();
        ArgValue::Array(eval::Array { element: eval::Element::Scalar(ir::Elem::I32), sizes: sizes.to_vec(), cells })
    };
    let agree_on = |text: &str, args: Vec<ArgValue>| {
        let generated = Generated { text: text.to_owned(), args, ..generate::array_program(0) };
        let found = host::ask(text, |db, file| queries::check::diagnostics(db, file));
        let wrong = found.iter().find(|it| match it.code.name() {
            // A run finds that, too.
            "foreach-collides" => false,
            _ => it.severity == report::Severity::Error,
        });
        assert!(wrong.is_none(), "{text}\n{}", wrong.map_or("", |finding| &*finding.message));
        compare(&generated, at_every_stage).unwrap_or_else(|how| panic!("{text}\n{how}"));
    };
    let agree = |text: &str| agree_on(text, vec![numbers(6, &[2, 3]), numbers(4, &[4])]);
    // The elements of a matrix are rows, for a function that is for any elements, too.
    agree("kernel k(m: i32[2, 3], a: i32[4]):\n    m[:] = reverse(m)\n");
    agree("kernel k(m: i32[2, 3], a: i32[4]):\n    m[:] = gather(m, [1, 1])\n");
    // Names of lane operations.
    agree("kernel k(m: i32[2, 3], a: i32[4]):\n    a[:] = rotate(a, -3)\n");
    agree("kernel k(m: i32[2, 3], a: i32[4]):\n    m[0, 0] = i32(any(a > 5)) + i32(all(m[1] > 0))\n");
    for body in BODIES {
        agree(&format!("kernel k(m: i32[2, 3], a: i32[4]):\n{body}"));
    }
    // The sizes of arguments of a function that nobody knows before are checked.
    agree(
        "fn f(x: i32[k], y: i32[k]):\n    return x + y\n\n\
         kernel k(m: i32[2, 3], a: i32[4]):\n    a[:] = f(a, filter(\\x -> x > 2, a))\n",
    );
    // So are those of arrays that one function returns at several places, where one of them is known.
    for (first, second, limit) in [("x", "y", 0), ("x", "y", 2), ("y", "x", 0), ("y", "x", 2)] {
        agree(&format!(
            "fn f(x: i32[k], y):\n    if length(y) == 4:\n        return {first}\n    return {second}\n\n\
             kernel k(m: i32[2, 3], a: i32[4]):\n    \
             m[0, 0] = reduce(\\s p q -> s + p * q, 0, zip(a, f(a, filter(\\x -> x >= {limit}, a))))\n"
        ));
    }
    // A slice that ends before it begins has no element, and as size what its type says.
    agree_on(
        "kernel k(m: i32[2, 3], a: i32[4], n: i32):\n    \
             m[0, 0] = reduce(\\s p q -> s + p * q, 0, zip(a, a[n:0]))\n",
        vec![numbers(6, &[2, 3]), numbers(4, &[4]), ArgValue::Scalar(Scalar::I32(3))],
    );
    // Of tuples each part is looked at.
    agree(
        "kernel k(m: i32[2, 3], a: i32[4]):\n    \
             let t, n = (a, 1) if m[0, 0] > 0 else (filter(\\x -> x > 2, a), 2)\n    \
             m[0, 0] = reduce(\\s p q -> s + p * q, n, zip(a, t))\n",
    );
    agree(
        "fn f(x: i32[k], y):\n    let t = y, 2\n    if length(y) == 4:\n        return x, 1\n    return t\n\n\
         kernel k(m: i32[2, 3], a: i32[4]):\n    let t, n = f(a, filter(\\x -> x > 2, a))\n    \
             m[0, 0] = reduce(\\s p q -> s + p * q, n, zip(a, t))\n",
    );
    // What is repeated no times is not read, so what one iteration writes meets nothing that another reads.
    agree(
        "kernel k(m: i32[2, 3], a: i32[4]):\n    foreach i in range(4):\n        a[i] = sum(flatten(replicate(0, a)))\n",
    );
    // A struct of an array that an operator changes is loaded with all its fields.
    let vectors = ArgValue::Array(eval::Array {
        element: eval::Element::Struct([ir::Elem::F32; 2].into_iter().collect()),
        sizes: vec![2],
        cells: [1.5, -2.0, 0.25, 8.0].map(Scalar::F32).into_iter().collect(),
    });
    // A store that is done together with a later one stays in front of a load of its cell, which other loads stand before.
    let pixels = || {
        let cells = (0..57).map(|k| Scalar::F32(k as f32 * 0.37 - 4.0)).collect();
        let element = eval::Element::Struct([ir::Elem::F32; 3].into_iter().collect());
        vec![ArgValue::Array(eval::Array { element, sizes: vec![19], cells }), ArgValue::Scalar(Scalar::I32(19))]
    };
    for rest in [
        "p[i].x += 1",
        "p[i].x += p[i].y",
        "p[i].x += 1\n        p[i].z = p[i].y * p[i].x",
        "p[i].y = p[i].x * 3\n        p[i].x += p[i].y",
        "p[i].y *= 3\n        p[i].z = p[i].x\n        p[i].x += p[i].y + p[i].z",
    ] {
        for body in [
            "p[i].x = 0.5\n        p[i].z *= 2",
            "p[i].x = 0.5\n        p[i].z *= p[i].y",
            "p[i].z = p[i].x\n        p[i].x = 0",
        ] {
            let text =
                format!("kernel k(p: vec3[n], n: i32):\n    for i in range(n):\n        {body}\n        {rest}\n");
            agree_on(&text, pixels());
        }
    }
    // Another name of the array hides that a running sum was stored in it: lanes cannot know the sum before the row is filled.
    let floats = |n: i32, sizes: &[i64]| {
        let cells = (0..n).map(|k| Scalar::F32(k as f32 * 0.37 - 2.0)).collect();
        ArgValue::Array(eval::Array { element: eval::Element::Scalar(ir::Elem::F32), sizes: sizes.to_vec(), cells })
    };
    for (start, before, next) in [("1.5", "s[0] = v", "v += m[1, 0]"), ("m[1, 1]", "s[1] = v", "v = 0.5 * v + m[1, 0]")]
    {
        let text = format!(
            "kernel k(m: f32[2, 3], n: i32):\n    let s = m\n    v = {start}\n    @reassoc\n    \
             for i in range(n):\n        {before}\n        {next}\n"
        );
        agree_on(&text, vec![floats(6, &[2, 3]), ArgValue::Scalar(Scalar::I32(11))]);
    }
    // Cells that run on, read by another name of the array, before and behind it.
    for body in [
        "m[1, i] = 0.5 * m[1, i - 1] + m[0, i]",
        "m[1, i] = 0.5 * m[1, i - 1] + s[1, i - 1]",
        "m[1, i] += s[1, 0] * m[1, i - 1]",
        "let x = m[1, i]\n        m[1, i] = m[1, i - 1] - 0.25 * m[1, i - 2] + x",
        "m[0, i] = m[0, i - 1] * s[1, i] + s[0, i]",
    ] {
        let text = format!(
            "kernel k(m: f32[2, 23], n: i32):\n    let s = m\n    @reassoc\n    for i in range(2, n):\n        {body}\n"
        );
        agree_on(&text, vec![floats(46, &[2, 23]), ArgValue::Scalar(Scalar::I32(23))]);
        agree_on(&text, vec![floats(46, &[2, 23]), ArgValue::Scalar(Scalar::I32(1))]);
    }
    // Three lanes of 4 bytes are one and a half of 8: no part of such a pair is a vector by itself.
    let integers = |elem: ir::Elem, number: fn(u32) -> Scalar| {
        let cells = (0..13).map(|k| number(k * 5 % 7)).collect();
        ArgValue::Array(eval::Array { element: eval::Element::Scalar(elem), sizes: vec![13], cells })
    };
    agree_on(
        "kernel k(a: u64[n], c: bool[n], b: u32[n], n: i32):\n    foreach i in range(n / 5):\n        \
         a[5 * i + 4] = max(u64(c[i % 2]), u64(b[4 * i + 1]))\n        a[5 * i + 1] = u64(c[i & 7])\n        \
         a[5 * i + 2] = u64(c[i & 7])\n        a[5 * i] = max(u64(b[2 * i + 1]), 0)\n        a[5 * i + 3] = u64(b[2 * i])\n",
        vec![
            integers(ir::Elem::U64, |k| Scalar::U64(k.into())),
            integers(ir::Elem::Bool, |k| Scalar::Bool(k > 3)),
            integers(ir::Elem::U32, Scalar::U32),
            ArgValue::Scalar(Scalar::I32(13)),
        ],
    );
    let updates = "kernel k(p: vec2[2]):\n    for i in range(2):\n        p[i] += p[i].yx * 2\n        p[i] /= 4\n";
    agree_on(updates, vec![vectors]);
    // A function of scalars over a matrix without rows gives one without rows, of as many columns.
    agree(
        "kernel k(m: i32[2, 3], a: i32[4]):\n    let t = clamp(m[1:1, ::-1], 0, 2)\n    \
         for i in range(length(t, 1)):\n        a[i] = 5\n    let u = max(t, 1)\n    t = u\n",
    );
    // A function of scalars over more arrays than there are usual names for their elements.
    agree(
        "fn f(p, q, r, s, t, u, v):\n    return p - q + r - s + t - u + v\n\n\
         kernel k(m: i32[2, 3], a: i32[4]):\n    a[:] = f(a, a + 1, 2, a, a * a, a, a - 3)\n    m[:] = f(m, 1, m, m, m, m, m)\n",
    );
    // Arrays of structs: those of a parameter are one view, new ones one for each field.
    let structs = || {
        let cells = (0..4).flat_map(|k| [Scalar::I32(k * 5 % 7), Scalar::I8(k as i8)]).collect();
        let element = eval::Element::Struct(vec![ir::Elem::I32, ir::Elem::I8]);
        vec![ArgValue::Array(eval::Array { element, sizes: vec![4], cells })]
    };
    for body in [
        "    p[:] = flatten(replicate(2, p[:2]))\n",
        "    let t = p\n    for i in range(2):\n        t = map(\\x -> t[i + 1], p)\n    p[:] = t\n",
        "    let t = p[1:]\n    if p[0].y == 0:\n        t = map(\\x -> p[3], t)\n    p[:3] = t\n",
        "    p[:] = turned(map(\\x -> x, p))\n",
        // Two iterations that collide are told at the place of the access that met the other.
        "    foreach i in range(2):\n        p[:2] = p[1::-1]\n",
        // A struct with an integer and a float that are both added to.
        "    let t = T(0, 0.1)\n    foreach i in range(61):\n        t += T(p[i % 4].x, f64(i) / 7)\n    let u = T(1, 2.0)\n    @reassoc\n    for i in range(9):\n        u = u * t if i % 2 == 0 else u\n        t.s -= f64(i) / 3\n    p[0].x = t.n\n    p[1].x = i32(t.s * 1e5)\n    p[2].x = i32(u.s % 1000)\n",
        // Each column is built in its own place.
        "    let t = map(\\e -> map(\\f -> scan(\\s g -> s, p[e + f], iota(3)), iota(2)), iota(2))\n    p[:3] = t[1, 0]\n",
    ] {
        let turned = "fn turned(q: S[k]):\n    return map(\\i -> q[k - 1 - i], iota(k))\n\n";
        agree_on(
            &format!(
                "struct S:\n    x: i32\n    y: i8\n\nstruct T:\n    n: i32\n    s: f64\n\n{turned}kernel k(p: S[4]):\n{body}"
            ),
            structs(),
        );
    }
    // Functions that are chosen, by what is uniform, by what varies, and by branches that bind or give them.
    for body in [
        "    let f = \\x -> x + 1\n    if a[1] > m[0, 0]:\n        f = \\x -> x * 2\n    a[:] = map(f, map(f, a))\n",
        "    let k = a[0]\n    let f = max if a[1] > 2 else (\\x y -> x * k - y)\n    a[:] = map(f, a, reverse(a))\n    m[0, 0] = f(1, 2)\n",
        "    foreach i in range(4):\n        let f = (\\x -> x - i) if a[i] > 2 else (\\x -> x * i) if i > 1 else abs\n        a[i] = f(f(a[i]))\n",
        "    a[0] = reduce((\\s x -> s + x) if m[1, 1] > 9 else max, 2, a)\n    m[:] = scan(\\s r -> s + r if m[0, 1] > 1 else r, m[1], m)\n",
        "    a[:] = map(picked(a[0]), a)\n    foreach i in range(3):\n        m[1, i] = picked(m[0, i])(i)\n",
        "    let f = picked(a[1])\n    for i in range(3):\n        let g = f\n        if i == 1:\n            g = \\x -> x - 100\n        m[:, i] = map(\\x -> g(x), m[:, i])\n",
        "    foreach i in range(4):\n        a[i] = given(a[i])(a[3 - i] - 5)\n    m[0] = map(given(1), m[0])\n    m[1] = map(given(7), m[1] - 4)\n",
        "    let f = row_of(m, a[0])\n    a[:3] = f(a[0])\n    let g = (\\r -> r[0]) if a[3] > 5 else sum\n    a[3] = g(m[1])\n",
    ] {
        let given = "fn given(k):\n    let l = k\n    if k < 3:\n        l += 1\n    else:\n        let d = k * l\n        return \\x -> x - d\n    return \\x -> x + l\n\n";
        let picked = "fn picked(k):\n    if k < 1:\n        return \\x -> x + k\n    if k > 3:\n        return abs\n    return \\x -> x * k\n\n";
        let rows = "fn row_of(m: i32[r, s], k):\n    return (\\x -> m[0] + x) if k > 2 else (\\x -> m[1] * k)\n\n";
        agree(&format!("{given}{picked}{rows}kernel k(m: i32[2, 3], a: i32[4]):\n{body}"));
    }
    // What a loop carries is read by the block that computes it anew, beside its elements.
    agree(
        "kernel k(m: i32[2, 3], a: i32[4]):\n    a[1:] = reduce(\\s e -> map(\\i -> s[0] + 1, iota(3)), m[0] if a[0] > 9 else m[1], a)\n",
    );
    // Two constants are compared, and numbers of few bits are chosen by that.
    agree(
        "enum E:\n    A = 0\n    B = 1\n\nkernel k(m: i32[2, 3], a: i32[4]):\n    for i in range(4):\n        \
         let v: u16 = 1 if E.A != E(0) else 2\n        a[i] += i32(v)\n",
    );
    // A branch gives the number of a variant, which a carried value needs, beside its data, which are that carried value.
    for body in [
        "    let v = 0\n    for i in range(a[1]):\n        v = i32(E.A(v) if true else E.B(0))\n    a[0] = v\n",
        "    let v = a[0]\n    for i in range(4):\n        v = a[i] - i32(E.A(v) if a[i] > 2 else E.B(0.5))\n    a[0] = v\n",
        "    let s = 0.5\n    for i in range(3):\n        let e = E.A(i) if m[1, i] > 2 else E.B(s)\n        s += sqrt(f32(a[i] + i32(e))) / (1.5 + f32(m[0, i]))\n    a[0] = i32(s * 1e4)\n",
        "    let s = 0.5\n    for i in range(3):\n        let e = E.A(m[1, i]) if a[i] > 2 else E.B(s)\n        let w = 1 + i32(e) * 3\n        s = s / 3 + f32(w * a[i])\n        m[0, i] = i32(s * 1e4) + w\n    a[0] = i32(s)\n",
        "    let v = true\n    for i in range(4):\n        v = (vec2(0.5, 1.0) if a[i] > 2 else vec2(f32(v), 0.5)) == vec2(0.0, 0.5)\n        m[0, i % 3] = i32(v)\n",
        "    let s = 0.5\n    let w = 2\n    for i in range(4):\n        s = s / 3 + f32(w * a[i])\n        let p, q = (a[i], s) if a[3 - i] > 2 else (i, 0.5)\n        w = p\n        m[1, i % 3] = i32(q)\n    a[0] = i32(s)\n",
    ] {
        agree(&format!(
            "enum E(i8):\n    A(x: i32) = 0\n    B(y: f32) = 1\n\nkernel k(m: i32[2, 3], a: i32[4]):\n{body}"
        ));
    }
    for body in one_of_several::BODIES {
        agree(&format!("{}kernel k(m: i32[2, 3], a: i32[4]):\n{body}", one_of_several::FUNCTIONS));
    }
}

/// What can be done with whole arrays, each in a few lines.
const BODIES: &[&str] = &[
    // Of two assignments that one loop could do together, one has nothing to do, and the other one reads what it stores to.
    "    let t = map(\\e -> a[e] * 3, iota(2))\n    t[::-1] = 2 * t[:]\n    t[:] = t[0:2]\n    a[0] = t[0]\n    a[1] = t[1]\n",
    "    let t = a + 1\n    t[1:] = 2 * t[:3]\n    t[:] = t[0:4]\n    a[:] = t\n",
    // A store of lanes behind one of fewer that begins at the same cell, and before one.
    "    let t = reshape(u8(iota(2)), 2, 1)\n    for i in range(2):\n        t[i] = 1\n    m[0, 0] = i32(t[a[0] & 1, 0])\n",
    "    let t = reshape(u8(iota(3)), 3, 1)\n    for i in range(3):\n        t[i] = 7\n    t[0, 0] = 5\n    t[1, 0] = 6\n    m[0, 0] = i32(t[a[0] & 1, 0])\n    m[0, 1] = i32(t[2, 0])\n",
    // Over no elements, the start has the sizes that the function is known to give, or the program ends.
    "    let t = scan(\\s e -> reduce(\\t x -> replicate(length(a), 0), s, replicate(0, 0)), filter(\\e -> e > 0, iota(5)), replicate(4, 1))\n    let u = map(\\e -> t[::-1, 0], m)\n    a[:] = u[0]\n",
    "    let t = scan(\\s e -> reduce(\\t x -> replicate(length(a), 0), s, replicate(0, 0)), filter(\\e -> e > 1, iota(5)), replicate(4, 1))\n    let u = map(\\e -> t[::-1, 0], m)\n    a[:] = u[0]\n",
    // Conditions that are known: the other block is not there, with its exits.
    "    for i in range(4):\n        if false:\n            break\n        elif true:\n            a[i] += 1\n            if not true:\n                return\n            continue\n        a[i] = 9\n    if 1 > 2:\n        return\n    a[0] += 3\n",
    "    let f = \\x on -> x * 2 if on else x\n    foreach i in range(4):\n        if true:\n            a[i] = f(a[i], false)\n        else:\n            a[i] = f(a[i], true)\n",
    // A value that each iteration gives anew: the last one's is left.
    "    let v = 7\n    foreach i in range(4):\n        v = a[i] * 2\n        a[i] = 1\n    m[0, 0] = v\n    foreach i in range(a[0] - 1):\n        v = 3\n    foreach i in range(2), j in range(3):\n        v = m[i, j]\n    m[1, 0] = v\n",
    // Sizes that a program asserts.
    "    assert length(a) == length(m, 1) + 1\n    a[1:] = m[1]\n",
    "    assert length(m) == a[3]\n    m[0] = m[1]\n",
    "    for i in range(2):\n        m[i] = m[1 - i]\n        assert length(m) == a[3 - i]\n        a[i] = 5\n",
    "    m[:] = matmul(m, map(\\r -> a[:3], a[:3]))\n    m[:] = matmul(m, map(\\r -> a[:3], a[: a[3] + 1]))\n    m[:] = matmul(m, map(\\r -> a[:3], a[: a[3]]))\n",
    "    m[:] = map(\\r -> map(\\y -> y + 2, r), m)\n",
    "    a[1:] = a[:3]\n    a[:3] = a[1:] * 2\n",
    "    a[1:3] = a[:2] + a[2:]\n    a[:] = a[::-1]\n",
    "    a[::2] = a[1::2]\n    m[:, 0] = m[:, 2] + a[:2]\n",
    "    a[:] = scan(+, 0, a)\n    a[0] = reduce(\\s x -> s - x, 1, a)\n",
    "    let t = replicate(4, 0)\n    for i in range(4):\n        t[i] = a[i] * 2\n    t[1:] -= t[:3]\n    a[:] = t\n",
    "    let cur = a + 1\n    for k in range(3):\n        let next = cur * 2\n        next[1:3] = cur[:2] + cur[2:]\n        cur = next\n    a[:] = cur\n",
    "    a[:3] = reduce(\\s r -> s + r, replicate(3, 0), m)\n    m[:] = scan(\\s r -> s + r, replicate(3, 1), m)\n",
    "    let t = map(\\e -> a[::-1], replicate(3, 0))\n    m[:, :2] = matmul(replicate(2, a[:3]), t)[:, :2]\n    let u = map(\\x -> x + 1, a)\n    let v = replicate(4, 0)\n    for i in range(4):\n        v[i] += u[3 - i]\n    a[::-1] = v\n",
    "    let s = a\n    let d = a * 0\n    for k in range(3):\n        for i in range(1, 3):\n            d[i] = s[i - 1] + s[i + 1]\n        let o = s\n        s = d\n        d = o\n    m[0, 0] = s[1] * 10 + d[2]\n",
    "    let s = m[0]\n    let d = m[1]\n    let k = 0\n    @reassoc\n    for j in range(a[3]):\n        k += s[0]\n        for i in range(3):\n            d[i] = s[2 - i] + j\n        let o = s\n        s = d\n        d = o\n    a[0] = k\n    a[1:] = s\n    m[0] = d + 1\n",
    "    let s = m[0]\n    let d = m[1]\n    let e = a[1:]\n    while s[0] < 20:\n        s[0] += d[1] + 3\n        s[1] -= e[2]\n        let o = s\n        s = d\n        d = e\n        e = o\n    a[0] = sum(d)\n",
    "    let s = m[0]\n    let d = m[1]\n    for k in range(5):\n        for i in range(3):\n            d[i] = s[2 - i] + a[i]\n        if d[1] > 12:\n            break\n        s, d = d, s\n    a[:3] = s * 100 + d\n",
    "    let s = m[0]\n    let d = m[1]\n    let e = a[1:]\n    for k in range(7):\n        d[k % 3] = s[0] + e[k % 2] - k\n        if k == 4:\n            continue\n        if a[k % 4] > 2:\n            s, d = d, s\n        elif k > 2:\n            d, e = e, d\n    m[0] = s + d\n",
    "    let s = m[0]\n    let d = m[1]\n    let k = 0\n    while k < 5:\n        s[1] += d[0]\n        k += 1\n        if s[1] % 2 == 0:\n            s, d = d, s\n            s[0] -= k\n    a[0] = k\n    m[1] = s * 10 + d\n",
    // Sums and products of floats in fields, and of whole structs, in the fixed order; one that is looked at keeps its own.
    "    let t = vec3(0.1, 0.7, 0.0)\n    foreach i in range(97):\n        t.x += f32(a[i % 4]) / 7\n        t.y *= 1 + f32(i) / 999\n        t.z = max(t.z, f32(m[0, i % 3]))\n    a[0] = i32(t.x * 1e6)\n    a[1] = i32(t.y * 1e6)\n    a[2] = i32(t.z)\n",
    "    let t = vec2(0.1, 0.7)\n    @reassoc\n    for i in range(75):\n        t += vec2(f32(a[i % 4]) / 7, f32(i) / 9)\n        for j in range(3):\n            if m[0, j] > 2:\n                t = t - vec2(0.1, f32(j) / 3)\n    a[0] = i32(t.x * 1e5)\n    a[1] = i32(t.y * 1e5)\n",
    "    let t = vec2(0.1, 0.7)\n    let u = vec3(0.0, 1.0, 2.0)\n    @reassoc\n    for i in range(50):\n        t.x += f32(a[i % 4]) / 7\n        u.z += dot(t, t.yx) / 99\n        u.x = u.yx.x * 1.01\n    a[0] = i32(t.x * 1e5)\n    a[1] = i32(u.z * 1e4)\n    a[2] = i32(u.x * 1e5)\n",
    // What runs on by blocks of iterations, over many of them, alone and with what is beside it.
    "    let s = 0.3\n    let t = 1.0\n    @reassoc\n    for i in range(93):\n        m[0, i % 3] = i32(s * 1e4)\n        s += f32(a[i % 4]) / 7\n        t = 0.75 * t + s\n        m[1, i % 3] = i32(t * 1e4)\n    a[0] = i32(s * 1e5)\n    a[1] = i32(t * 1e5)\n",
    "    let s = 1.0\n    let y = 0.0\n    @reassoc\n    for i in range(90, 3, -2):\n        s *= 1.0 - f32(a[i % 4]) / 64\n        y += s * (f32(i) / 9 - y)\n        if y > 2.0:\n            m[i & 1, i % 3] = i32(y * 1e5)\n    a[2] = i32(s * 1e7)\n",
    "    let y = 0.5\n    let n = 0\n    @reassoc\n    for i in range(a[3] * 11):\n        y = f64(m[0, i % 3]) * 0.125 - (y - 0.1) * 0.5\n        n += i32(y * 100)\n    a[0] = n\n    a[1] = i32(y * 1e8)\n",
    "    foreach k in range(4):\n        let y = f32(k)\n        @reassoc\n        for i in range(7 + 9 * k):\n            y = y * 0.9 + f32(a[i % 4] + i) / 3\n            m[k % 2, k % 3] = 1\n        a[k] = i32(y * 1e5)\n",
    "    let s = 0.1\n    @reassoc\n    for i in range(37):\n        let q = 0.0\n        for j in range(i):\n            q = q * 0.5 + f32(m[i & 1, j % 3])\n            a[1] = i32(q * 1e4)\n        s = s * 0.25 + q\n        a[0] = i32(s * 1e4)\n",
    // Two that run on together: filters, an oscillator with its own amplitude, one in rows, one whose other value is looked at in between.
    "    let z = 0.5\n    let w = 0.0\n    @reassoc\n    for i in range(a[3] * 9):\n        let x = f32(a[i % 4]) / 3\n        let y = 0.25 * x + z\n        z = 0.5 * x + 0.75 * y + w\n        w = 0.25 * x - 0.5 * y\n        m[i & 1, i % 3] = i32(y * 1e4)\n    a[0] = i32(z * 1e5)\n    a[1] = i32(w * 1e5)\n",
    "    let s = 1.0\n    let c = 0.0\n    @reassoc\n    for i in range(77):\n        m[i & 1, i % 3] = i32(c * 1e4)\n        s, c = 0.9 * s - f32(a[i % 4]) / 30 * c, f32(a[i % 4]) / 30 * s + 0.9 * c\n    a[2] = i32(s * 1e6)\n",
    "    foreach k in range(4):\n        let l = f64(k)\n        let b = 0.25\n        @reassoc\n        for i in range(5 + 11 * k):\n            l += 0.3 * b\n            let h = f64(a[i % 4]) / 9 - l - 0.6 * b\n            b += 0.3 * h\n            m[k % 2, k % 3] = 2\n        a[k] = i32(l * 1e5) + i32(b * 1e5)\n",
    "    let x = 1.0\n    let v = 0.0\n    @reassoc\n    for i in range(45, 0, -1):\n        v -= f32(m[0, i % 3]) / 90 * x\n        m[1, i % 3] = i32(v * 1e4)\n        x += 0.1 * v\n        if x > 0.5:\n            a[i % 4] += 1\n    a[0] = i32(x * 1e5)\n",
    // Cells that run on, of an array of the kernel's own, from the cells in front, and in rows.
    "    let y: f32[40] = 0.5\n    @reassoc\n    for i in range(2, 35 + a[1]):\n        y[i] = f32(a[i % 4]) / 4 + 0.5 * y[i - 1] - 0.25 * y[i - 2]\n    for i in range(40):\n        m[i & 1, i % 3] += i32(y[i] * 1e4)\n",
    "    let y: f64[2, 30] = 0.25\n    for j in range(2):\n        @reassoc\n        for i in range(a[j], 29):\n            let d = f64(a[i % 4]) - y[j, i]\n            y[j, i + 1] += 0.5 * d\n    for i in range(30):\n        m[i & 1, i % 3] += i32(y[0, i] * 1e4) - i32(y[1, i] * 1e3)\n",
    // Running minima and maxima, with numbers that compare with nothing; products and recurrences of integers, which wrap.
    "    let most = -1.0\n    let least = 9.0\n    for i in range(61):\n        let x = f32(a[i % 4] * (i % 5)) / 3 if i % 17 != 9 else sqrt(-f32(i + m[0, 1]))\n        most = max(most, x)\n        if x < least:\n            least = x\n        m[0, i % 3] += i32(min(most, 1e4)) if most == most else 1\n        m[1, i % 3] += i32(least * 100)\n    a[0] = i32(least * 100)\n",
    "    let most = 0\n    let low: u8 = 200\n    for i in range(75):\n        most = max(a[i % 4] + i % 9, most)\n        low = min(low, u8(200 - i))\n        m[0, i % 3] = most * 3 + i32(low)\n        if i % 5 == 2:\n            m[1, i % 3] = most\n    a[0] = most\n",
    "    let h: u32 = 7\n    let p: u64 = 3\n    for i in range(53):\n        h = h * 31 + u32(a[i % 4])\n        p *= u64(2 * i + 1)\n        m[0, i % 3] = i32(h >> 3)\n        m[1, i % 3] = i32(p >> 40)\n    a[0] = i32(h >> 2)\n    a[1] = i32(p >> 34)\n",
    "    let h: u16 = 9\n    let g = 1\n    for i in range(70):\n        h = u16(i) - h * u16(a[i % 4] + 4)\n        g = g * -1 + i % 3\n        m[0, i % 3] += i32(h) & 15\n        m[1, i % 3] += g\n    a[0] = i32(h)\n    a[2] = g\n",
    // What needs no order needs none along two indices.
    "    let most = -9\n    let at = -1\n    let last = 0\n    let found = false\n    foreach i in range(2), j in range(3):\n        let x = m[i, j]\n        if x > most:\n            most = x\n            at = 3 * i + j\n        if x < 4:\n            last = x\n            found = true\n    a[0] = most * 10 + at\n    a[1] = last\n    a[2] = i32(found)\n",
    // Two iterations that collide are told at the place of the access that met the other.
    "    foreach i in range(2):\n        a[:2] = a[1::-1]\n",
    // Packed cells are read and stored by lanes together, from the first on.
    // What collides in the first cells of packed rows leaves all of them as they were.
    "    foreach i in range(2):\n        m[1, i] = 7\n        compress_store(m, 0, a[1:])\n",
    "    for e in a + 1:\n        @lanes(4)\n        foreach i in range(2):\n            m[i, 0] = e\n            compress_store(a, 0, 9)\n",
    "    for e in a + 1:\n        @lanes(4)\n        foreach i in range(2):\n            m[i, 0] = expand_load(a, 1)\n            a[i + 1] = e\n",
    "    for k in range(2):\n        @lanes(4)\n        foreach i in range(3):\n            if a[i] != k:\n                compress_store(m[k], 0, a[i + 1])\n        for i in range(3):\n            a[i] = m[0, 2 - i] + k\n",
    "    let most = 0\n    for i in range(4):\n        if 3 < most:\n            pass\n        if a[i] > 2:\n            most = 5\n    a[0] = most\n",
    "    let x = a\n    if a[1] > 1:\n        x = a * 2\n    a[:] = x + 1\n",
    "    let k = 3\n    let f = \\x -> x * k\n    k = 5\n    a[:] = map(f, map(f, a)) + k\n",
    "    let w = [1, 2, 1]\n    a[0] = dot(w, m[1])\n    let c = matmul(m, transpose(m))\n    a[:2] = c[0]\n    a[2:] = c[1]\n",
    "    for r in m:\n        for x in r:\n            a[0] += x\n    a[1] = length(m) * length(m, 1)\n",
    "    let k = filter(\\x -> x > 2, a)\n    a[: length(k)] = k\n    a[3] = argmax(m[1])\n",
    "    let s = sum(a)\n    let d = a - s\n    a[:] = d * d + (m[0, 0] if s > 3 else s)\n    m[:] = reshape(concat(m[1], m[0]), 2, 3)\n",
    "    let old = a * 3\n    a[0] = 100\n    a[:] = old + a\n",
    "    let t = a * 2\n    let u = map(\\x -> x + t[0], a)\n    for i in range(3):\n        let v = t + 1\n        t = v\n    a[:] = u + t\n",
    "    if true:\n        let t = [5, 6, 7]\n        a[0] = t[1]\n",
    "    let t = +a\n    let u = i32(a)\n    t[0] = 9\n    u[1] = 8\n    a[2] = t[0] + a[0] + a[1]\n",
    "    a[0] = reduce(\\s x y -> s + x * y, 0, zip(a, filter(\\x -> x > 2, a)))\n",
    "    let t = m[0] if a[0] > 3 else m[1]\n    t[1] = 9\n    a[0] = m[0, 1] * 10 + m[1, 1]\n    a[1:] = t\n",
    "    let t = m[0]\n    if a[1] > 2:\n        t = m[1]\n        if a[2] > 2:\n            t = a[1:]\n    t[1] += 5\n    for i in range(3):\n        if a[i] > 5:\n            t[0] = i\n    a[0] = t[0] + m[0, 1]\n",
    "    for i in range(3):\n        let t = m[0]\n        if a[i] > 3:\n            t = m[1]\n        for j in range(i):\n            t[j] += 1\n        a[3] = t[2] + i\n",
    "    let t = filter(\\x -> x > 2, a) if m[0, 0] > 9 else filter(\\x -> x < 5, concat(a, a))\n    a[0] = length(t)\n    if a[0] > 0:\n        a[1] = t[0]\n",
    "    let t = filter(\\x -> x > 1, a) if a[0] > 2 else m[1]\n    t[0] = 7\n    a[3] = sum(t) + m[1, 0]\n",
    "    let t = filter(\\x -> x > 1, a) if a[0] > 2 else filter(\\x -> x > 0, m[1])\n    t[length(t) - 1] = 4\n    a[0] = t[0] + m[1, 0]\n",
    "    let n = 2\n    let t = concat(replicate(0, replicate(n % 3, filter(\\e -> e > 99, a))), replicate(1, replicate(2, iota(0))))\n    a[0] = length(t) * 10 + length(t, 1)\n",
    "    let k = concat(replicate(0, filter(\\x -> x > 99, a)), [a[1:], m[0]])\n    m[:] = k + map(\\r -> iota(length(r)), m)\n",
    "    a[:] = map(\\x r -> r[0] + x, iota(4), 1 + map(\\x -> a, a))\n",
    "    a[3::-1] = flatten(map(\\x -> a, iota(1)))\n",
    "    let t = m[0]\n    for i in range(4):\n        if a[i] > 3:\n            t = m[1]\n        t[i % 3] += 1\n    t[2] += 10\n    a[0] = sum(t)\n",
    "    let t = a\n    let u = m[0]\n    let k = 0\n    while k < 5:\n        k += 1\n        if u[k % 3] > 2:\n            u = m[1]\n            t[k % 4] -= 3\n        elif k == 3:\n            u = a[1:]\n        u[0] += 1\n    m[0] = u + k\n    a[3] += t[1]\n",
    "    let best = a * 2\n    let other = a + 1\n    for i in range(3):\n        if m[0, i] > 2:\n            best = other\n        best[i] += 7\n    a[:] = best * 100 + other\n",
    "    let s = m[0]\n    let d = m[1]\n    for i in range(4):\n        d[i % 3] += s[0]\n        s = d\n        if a[i] > 4:\n            d = m[0]\n    a[:3] = s * 10 + d\n",
    "    let t = a * 2\n    let sum = 3\n    @reassoc\n    for i in range(3):\n        sum -= i\n        if a[1] > 0:\n            t = t\n        else:\n            a[0] = 1\n    a[:] = t + sum\n",
    "    let t = a + 1\n    for i in range(2):\n        let u = map(\\x -> t[i] + x, a)\n        t = u\n    a[:] = t\n",
    "    foreach i in range(2):\n        m[i] = a[1:]\n        a[1:] = m[0]\n",
    "    a[:3] = a[a[1]:2:-1]\n",
    "    let k = scan(\\s r -> s + r, replicate(a[0], 2), m[:0])\n    a[1] = length(k, 1)\n",
    "    for i in range(2):\n        let w = iota(3)\n        w[i] = a[i]\n        m[i] = reverse(w)\n",
];

/// How the ways to run a program differ, if they do. A panic is such a difference, so it, too, comes with its program.
fn compare(generated: &Generated, comparison: Comparison) -> Result<(), String> {
    let compared = std::panic::catch_unwind(|| runs_agree(generated, comparison));
    compared.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        Err(message.or_else(|| panic.downcast_ref::<&str>().map(|&it| it.to_owned())).unwrap_or_default())
    })
}

fn runs_agree(generated: &Generated, comparison: Comparison) -> Result<(), String> {
    host::ask(&generated.text, |db, file| runs_agree_in(db, file, generated, comparison))
}

fn runs_agree_in(db: &Database, file: File, generated: &Generated, comparison: Comparison) -> Result<(), String> {
    let program = program(db, file, &generated.kernel).expect("the kernel");
    let expected =
        evaluate(&program, generated.args.clone(), eval::EvalLimits { fuel: 2_000_000, ..eval::EvalLimits::default() });
    let expected = End {
        result: expected.result,
        arrays: expected.arrays.into_iter().map(|array| array.cells).collect(),
        error: expected.error.map(Wrong::from),
    };
    let given_up = ["has-errors", "wrong-argument", "out-of-fuel", "out-of-memory"];
    if expected.error.as_ref().is_some_and(|wrong| given_up.contains(&wrong.code.name())) {
        // No generated program is like that (see `generated.rs`); one that is being made small may be.
        return Ok(());
    }
    let item = *file_items(db, file).iter().find(|item| **item.name(db) == *generated.kernel).expect("the kernel");
    let lowering = sequential(db, item);
    if let Some(finding) = lowering.findings.first() {
        let is_rule = RuleCode::of(finding.code).is_some();
        N_NOT_LOWERED.fetch_add(1, Relaxed);
        return if is_rule { Ok(()) } else { Err(format!("not lowered: {}", finding.message)) };
    }
    let whole = arrays(db, item).kernel.as_deref().expect("a kernel");
    let has_arrays = whole.has_whole_arrays();
    if let Err(violations) = ir::verify(whole) {
        return Err(format!("as lowered: {violations:?}\n{}", ir::print(whole).text));
    }
    if has_arrays {
        ran_as(&expected, whole, lowering, &generated.args).map_err(|how| format!("as lowered, {how}"))?;
    }
    let kernel = lowering.kernel.as_deref().expect("a kernel");
    comparison(kernel, lowering, &generated.args, &Expected { end: expected, keeps_errors: !has_arrays })
}

/// Runs a kernel, and returns as an error how it does not come to what is expected.
fn ran_as(expected: &End, kernel: &Kernel, lowering: &Lowering, args: &[ArgValue]) -> Result<(), String> {
    match interpret(kernel, lowering, args) {
        Ok(found) if found == *expected => Ok(()),
        Ok(found) => Err(format!("\n{}\n{}", ir::print(kernel).text, difference(expected, &found))),
        // A program that was made smaller may have lost its `@alias`.
        Err(stop) if stop.contains("overlap") => Ok(()),
        Err(stop) => Err(format!("\n{}\n{stop}", ir::print(kernel).text)),
    }
}

fn at_every_stage(kernel: &Kernel, lowering: &Lowering, args: &[ArgValue], expected: &Expected) -> Result<(), String> {
    let answers = Arc::<Answers>::default();
    let limits = dependence::DependenceLimits { answers: Some(&answers), ..dependence::DependenceLimits::default() };
    let verdicts = Arc::new(loops(kernel, &limits));
    let passes: Vec<&Pass> = pipeline(ir::target::reference()).iter().flat_map(|stage| stage.passes).collect();
    // Two lane counts a program, so that all of them meet all kinds of programs.
    for turn in 0..2 {
        let lanes = LANES[(lowering.places.len() + 3 * turn) % LANES.len()];
        let options = Options { lanes: Some(lanes), ..Options::default() };
        let mut context = Context::knowing(&options, verdicts.clone()).with_answers(answers.clone());
        if let Some(how) = differs(kernel, lowering, args, expected, &passes, &mut context, |_| None) {
            return Err(format!("{lanes} lanes, {how}"));
        }
    }
    Ok(())
}

/// The first pass after which a kernel does not do what is expected, and what it does instead. `looked_at` says what else
/// is wrong with one.
fn differs(
    kernel: &Kernel,
    lowering: &Lowering,
    args: &[ArgValue],
    expected: &Expected,
    passes: &[&Pass],
    context: &mut Context,
    looked_at: fn(&Kernel) -> Option<String>,
) -> Option<String> {
    let mut kernel = kernel.clone();
    let &Expected { end: ref expected, mut keeps_errors } = expected;
    let passes = passes.iter().map(Some);
    for pass in [None].into_iter().chain(passes) {
        let name = pass.map_or("as lowered", |pass| pass.name);
        if let Some(pass) = pass {
            let before = kernel.clone();
            if !pass.apply(&mut kernel, context) {
                if kernel != before {
                    return Some(format!("{name} changed something and did not say so"));
                }
                continue;
            }
            keeps_errors &= pass.keeps_errors;
            N_PACKED.fetch_add((pass.name == PACK.name).into(), Relaxed);
            if pass.name == PACK.name {
                let told = context.take_decisions();
                let is_alike = |said: &Said| said.to_string().contains("computed alike");
                N_ALIKE.fetch_add(told.iter().any(|it| it.taken && it.because.iter().any(is_alike)).into(), Relaxed);
                N_STORED_AGAIN.fetch_add(told.iter().any(|it| it.code == ReasonCode::StoredAgain).into(), Relaxed);
            }
            N_CARRIED.fetch_add((pass.name == PACK.name && carries_vectors(&kernel)).into(), Relaxed);
            N_IN_TURN.fetch_add((pass.name == IN_TURN.name).into(), Relaxed);
            N_PROMOTED.fetch_add((pass.name == PROMOTE.name).into(), Relaxed);
            N_DIVIDED.fetch_add((pass.name == INDEX_SETS.name).into(), Relaxed);
            N_PEELED.fetch_add((pass.name == PEEL.name).into(), Relaxed);
            N_UNIT_STEPS.fetch_add((pass.name == UNIT_STEPS.name).into(), Relaxed);
            N_REGROUPED.fetch_add((pass.name == REGROUP.name).into(), Relaxed);
            N_IN_MEMORY_ORDER.fetch_add((pass.name == MEMORY_ORDER.name).into(), Relaxed);
            N_NARROWED.fetch_add((pass.name == NARROW.name).into(), Relaxed);
            N_REORDERED.fetch_add((pass.name == REORDER.name).into(), Relaxed);
            N_ROWS.fetch_add((pass.name == ROWS.name).into(), Relaxed);
            N_JAMMED.fetch_add((pass.name == JAM_NESTS.name).into(), Relaxed);
            N_REDUCED_LATE.fetch_add((pass.name == REDUCE_LATE.name).into(), Relaxed);
            N_TILED.fetch_add((pass.name == TILES.name).into(), Relaxed);
            N_EXTREMES.fetch_add((pass.name == EXTREMES.name).into(), Relaxed);
            if pass.name == COMMON_ACCESSES.name {
                N_IN_BOTH_SIDES.fetch_add(1, Relaxed);
                let told = context.take_decisions();
                let is_joined = told.iter().any(|it| it.code == ReasonCode::StoresJoined);
                N_STORED_BEHIND.fetch_add(is_joined.into(), Relaxed);
            }
            N_ALTERNATING.fetch_add((pass.name == ALTERNATING.name).into(), Relaxed);
            N_DISTANCES.fetch_add((pass.name == DISTANCE_CHECKS.name).into(), Relaxed);
            N_HANDED_ON.fetch_add((pass.name == CARRY.name).into(), Relaxed);
            N_LAST_LANES.fetch_add((pass.name == LAST_LANE.name).into(), Relaxed);
            N_CHOSEN_IN_BRANCHES.fetch_add((pass.name == BRANCH_CHOICES.name).into(), Relaxed);
            if pass.name == VECTOR.name {
                let mut runs_on = false;
                before.walk(before.body, &mut |_, op| runs_on |= before.ops[op].code.as_running().is_some());
                N_RUNNING.fetch_add(runs_on.into(), Relaxed);
                // Each lane's own array has the lanes as its last dimension.
                let rank = |op: ir::Op| kernel.ty(kernel.ops[op].operands[0]).rank();
                let is_in_common =
                    |op: ir::Op| kernel.ops[op].code == ir::Code::Temp && kernel.ops[op].operands.len() == 1;
                let is_packed = |op: ir::Op| kernel.ops[op].code == ir::Code::CompressStore && rank(op) == 2;
                let is_packed_away = |op: ir::Op| {
                    let data = &kernel.ops[op];
                    let at = (data.operands.get(1)).and_then(|&at| kernel.def_op(at)).map(|at| kernel.ops[at].code);
                    matches!(data.code, ir::Code::CompressStore | ir::Code::ExpandLoad)
                        && at == Some(ir::Code::WrappingAdd)
                };
                let (mut in_common, mut packed, mut packed_away) = (false, false, false);
                kernel.walk(kernel.body, &mut |_, op| {
                    in_common |= is_in_common(op);
                    packed |= is_packed(op);
                    packed_away |= is_packed_away(op);
                });
                N_PACKED_AWAY.fetch_add(packed_away.into(), Relaxed);
                N_IN_COMMON.fetch_add(in_common.into(), Relaxed);
                N_PACKED_IN_ROWS.fetch_add(packed.into(), Relaxed);
            }
            N_EXITS.fetch_add((pass.name == EARLY_EXIT.name).into(), Relaxed);
            N_FUSED.fetch_add((pass.name == FUSE_LOOPS.name).into(), Relaxed);
        }
        if let Err(violations) = ir::verify(&kernel) {
            return Some(format!("{name}: {violations:?}\n{}", ir::print(&kernel).text));
        }
        if let Some(wrong) = looked_at(&kernel) {
            return Some(format!("{name}: {wrong}"));
        }
        // Where things are done in another order, a run that has an error may have another one.
        if !keeps_errors && expected.error.is_some() {
            continue;
        }
        if kernel.lanes.is_some() {
            N_IN_LANES.fetch_add(1, Relaxed);
        }
        if let Err(how) = ran_as(expected, &kernel, lowering, args) {
            return Some(format!("{name}, {how}"));
        }
    }
    None
}

/// Says whether a loop in order carries a vector.
fn carries_vectors(kernel: &Kernel) -> bool {
    let mut carries = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        carries |= data.code == ir::Code::For && data.results.iter().any(|&result| kernel.ty(result).lanes().is_some());
    });
    carries
}

fn interpret(kernel: &Kernel, lowering: &Lowering, args: &[ArgValue]) -> Result<End, String> {
    let inputs = inputs(args);
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone())?;
    let stop =
        machine.run(&mut Limits { fuel: 50_000_000, breakpoints: &Default::default(), cancelled: &mut || false });
    if stop != Stop::Over {
        return Err(format!("{stop:?}"));
    }
    let arrays = args.iter().zip(&inputs.args).filter_map(|(arg, given)| {
        let interp::Arg::Array { memory, start, sizes } = given else { return None };
        let element = element_of(args, arg)?;
        let end = start + sizes.iter().product::<i64>() as usize * stride(element);
        Some(cells(&machine.memory()[*memory][*start..end], element))
    });
    let arrays = arrays.collect();
    Ok(match machine.status() {
        MachineStatus::Done(result) => End { result: *result, arrays, error: None },
        MachineStatus::Failed(error) => {
            let place = kernel.origins[error.origin].place as usize;
            let (item, range) = lowering.places[place].clone();
            let other = match &error.kind {
                interp::ErrorKind::Collision { first, .. } => Some(first.clone()),
                _ => None,
            };
            let (code, lane, iteration) =
                (error.kind.code().into(), error.lane.map(u32::from), error.iteration.clone());
            let is_collision = matches!(error.kind, interp::ErrorKind::Collision { .. });
            let words = if is_collision { String::new() } else { error.kind.to_string() };
            End { result: None, arrays, error: Some(Wrong { code, item, range, lane, iteration, other, words }) }
        }
        MachineStatus::Running => return Err("still running".to_owned()),
    })
}

#[test]
fn places_lead_to_items_of_the_file() {
    let generated = generate::program(1);
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    for &item in file_items(&db, file) {
        for (key, _) in &sequential(&db, item).places {
            assert!(queries::item_of(&db, file, key).is_some(), "{key:?}");
        }
    }
}
