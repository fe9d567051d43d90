//! Verdicts that rest on chains, held against those that rest on all pairs.

use std::sync::Arc;

use ir::read;
use ir::uses::Uses;

use crate::dependence::DependenceLimits;
use crate::loops::{Orders, loops};

/// A loop over two arrays in which so many accesses have so many different subscripts, some of them under conditions.
fn long_loop(random: &mut fastrand::Rng, n_statements: usize, n_offsets: usize) -> String {
    let mut text = "kernel k(a: f32[n], b: f32[n], n):\n    for i in range(0, n):\n".to_owned();
    for k in 0..n_statements {
        let [to, from, other] = [0; 3].map(|_| random.usize(..n_offsets));
        let mut indent = "        ";
        if random.u8(..5) == 0 {
            text += &format!("        if (b[i] > {k}.0):\n");
            indent = "            ";
        }
        match random.u8(..4) {
            0 => text += &format!("{indent}b[i] = (a[(i + {from})] + {k}.0)\n"),
            1 => text += &format!("{indent}a[(i + {to})] = {k}.0\n"),
            _ => text += &format!("{indent}a[(i + {to})] = (a[(i + {from})] + a[(i + {other})])\n"),
        }
    }
    text
}

#[test]
fn chains_of_accesses_give_the_verdicts_and_orders_that_all_pairs_give() {
    let mut n_chained = 0;
    for seed in 0..60 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (n_statements, n_offsets) = (random.usize(2..24), random.usize(1..6));
        let text = long_loop(random, n_statements, n_offsets);
        let kernel = &read(&text, None).unwrap_or_else(|error| panic!("{error}\n{text}"))[0];
        let uses = Arc::new(Uses::of(kernel));
        let found = |pairs: usize| {
            let plenty = DependenceLimits { work: 1 << 40, pairs, ..DependenceLimits::default() };
            let found = loops(kernel, &plenty);
            let verdict = &found.list[0].verdict;
            let order = Orders::new(kernel, &found, uses.clone()).of(found.list[0].op);
            assert!(found.dependences.unseen.is_empty(), "seed {seed}\n{text}");
            // What blocks lanes says no number of them.
            let max_lanes = verdict.max_lanes.filter(|_| verdict.is_vector);
            let told = (verdict.is_vector, max_lanes, order.components);
            (told, found.dependences.chained.len(), found.dependences.list.len())
        };
        let (whole, n_before, n_whole) = found(1 << 20);
        assert_eq!(n_before, 0);
        // With the first limit by time, with the second one by subscript where few occur.
        for pairs in [0, n_statements * n_offsets * 4] {
            let (told, chained, n_listed) = found(pairs);
            n_chained += chained;
            assert_eq!(told, whole, "seed {seed}, {pairs} pairs\n{text}");
            assert!(n_listed <= n_whole, "seed {seed}");
        }
    }
    assert!(n_chained > 100, "{n_chained}");
}

#[test]
fn the_dependences_of_a_long_loop_grow_with_its_statements() {
    let n_listed = |n_statements: usize, line: fn(usize) -> String| {
        let mut text = "kernel k(a: f32[n], b: f32[n], c: f32[n], n):\n    for i in range(0, n):\n".to_owned();
        (0..n_statements).for_each(|k| text += &format!("        {}\n", line(k)));
        let found = loops(&read(&text, None).expect("a kernel")[0], &DependenceLimits::default());
        assert!(found.dependences.unseen.is_empty());
        (found.dependences.list.len(), (found.list[0].verdict.is_vector, found.list[0].verdict.is_reordered))
    };
    let three_arrays = |k: usize| {
        let [to, from, other] = [k, k + 1, k + 2].map(|k| ["a", "b", "c"][k % 3]);
        format!("{to}[i] = (({from}[i] * {k}.5) + {other}[i])")
    };
    let stores = |k: usize| format!("b[(i + {k})] = (a[i] * {k}.0)");
    // The stores of a later statement come earlier to a cell: in the opposite order they can be lanes.
    for (line, is_reordered) in [(three_arrays as fn(usize) -> String, false), (stores, true)] {
        let [(few, one), (many, other)] = [1_000, 4_000].map(|n| n_listed(n, line));
        assert!(many < 5 * few && few < 10_000, "{few}, {many}");
        assert_eq!([one, other], [(true, is_reordered); 2]);
    }
}
