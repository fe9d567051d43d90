//! Traces of small kernels in the form of Lane IR.

use ir::Scalar;

use super::*;

const ROWS: &str = "\
kernel rows(m: f32[h, w], h: i32, w: i32):
    for i in range(1, h):
        for j in range(0, w):
            let x = m[(i - 1), j]
            m[i, j] = x
";

fn traced(text: &str, sizes: [i64; 2]) -> RunTrace {
    let kernel = Arc::new(ir::read(text, None).unwrap_or_else(|error| panic!("{error}")).remove(0));
    let cells = vec![Scalar::F32(1.0); (sizes[0] * sizes[1]) as usize];
    let inputs = Inputs::new().array(&cells, &sizes).scalar(sizes[0] as i32).scalar(sizes[1] as i32);
    trace(&kernel, &inputs, &mut SiteNumbers::default(), &mut || false).expect("it runs")
}

fn indices(levels: &[TracedLevel]) -> Vec<i128> {
    levels.iter().filter_map(|level| level.index).collect()
}

#[test]
fn iterations_and_accesses_are_in_the_order_of_the_run() {
    let trace = traced(ROWS, [3, 2]);
    let begun: Vec<Vec<i128>> = trace.iterations.iter().map(|iteration| indices(&iteration.levels)).collect();
    assert_eq!(begun, [vec![1], vec![1, 0], vec![1, 1], vec![2], vec![2, 0], vec![2, 1]]);
    let touched: Vec<(Vec<i128>, usize, bool)> =
        trace.accesses.iter().map(|it| (indices(&it.levels), it.cell.1 / 4, it.is_write)).collect();
    let expected = [((1, 0), 0, 2), ((1, 1), 1, 3), ((2, 0), 2, 4), ((2, 1), 3, 5)];
    let expected = expected.iter().flat_map(|&((i, j), from, to)| [(vec![i, j], from, false), (vec![i, j], to, true)]);
    assert_eq!(touched, expected.collect::<Vec<_>>());
    assert!(!trace.is_cut);
}

#[test]
fn a_long_run_is_cut() {
    let trace = traced(ROWS, [600, 200]);
    assert!(trace.is_cut && trace.accesses.len() <= MAX_ENTRIES + 2);
}
