//! Lanes that are moved by a pattern that is known beforehand, or added to their neighbours: the interpreter's bits for every size
//! of elements, and for patterns as strided and interleaved accesses have them and for random ones. What is moved is computed
//! first, since LLVM 22 does not come to an end with some patterns of bytes then.

use ir::interp::Inputs;
use ir::{Elem, Scalar, read};
use native::client::Client;

use crate::edges::everywhere;

/// Elements and lanes of what is permuted.
const CASES: &[(Elem, u16)] =
    &[(Elem::U8, 64), (Elem::U8, 32), (Elem::U8, 48), (Elem::U8, 64), (Elem::U16, 32), (Elem::U32, 16), (Elem::U64, 5)];

/// Interpreter and native code agree.
pub(crate) fn agree(client: &Client) {
    for (number, &(elem, lanes)) in CASES.iter().enumerate() {
        let mut rng = fastrand::Rng::with_seed(number as u64);
        let patterns = patterns(&mut rng, lanes);
        of_patterns(client, &mut rng, elem, lanes, &patterns);
    }
}

/// Patterns over so many lanes, and over two times as many.
fn patterns(rng: &mut fastrand::Rng, lanes: u16) -> Vec<Vec<u16>> {
    let mut patterns = Vec::new();
    for of in [lanes, 2 * lanes] {
        for step in [2, 3, 4, 5, 8] {
            let start = rng.u16(..of);
            let at = |lane: u16| (start + lane / step) % of;
            patterns.push((0..lanes).map(|lane| (start + lane * step) % of).collect());
            patterns.push((0..lanes).map(at).collect());
            // Between lanes that are stored may be any others.
            patterns.push((0..lanes).map(|lane| if lane % step == 0 { at(lane) } else { start }).collect());
            patterns.push((0..lanes).map(|lane| if rng.bool() { at(lane) } else { 0 }).collect());
        }
        patterns.push((0..lanes).rev().collect());
        patterns.push((0..lanes).map(|lane| (lane + lanes / 3) % of).collect());
        patterns.push((0..lanes).map(|_| rng.u16(..of)).collect());
        patterns.push((0..2 * lanes).map(|lane| lane / 2).collect());
        patterns.push((0..2 * lanes).map(|_| rng.u16(..of)).collect());
    }
    patterns
}

fn of_patterns(client: &Client, rng: &mut fastrand::Rng, elem: Elem, lanes: u16, patterns: &[Vec<u16>]) {
    let n = 2 * lanes;
    let mut text = format!(
        "kernel k(a: {elem}[?], b: {elem}[?], out: {elem}[?]):\n    let x = vector_load(a, 0, lanes={lanes})\n    \
         let y = vector_load(b, 0, lanes={lanes})\n    let sum = (x + y)\n    let both = (x & y)\n    let is_less = (x < y)\n"
    );
    let mut at = 0;
    for pattern in patterns {
        let of = if pattern.iter().any(|&lane| lane >= lanes) { "sum, both" } else { "sum" };
        let mask = if of == "sum" { "is_less" } else { "is_less, (x < sum)" };
        let so_many = pattern.len();
        text += &format!("    vector_store(out, {at}, permute({of}, pattern={pattern:?}))\n");
        text += &format!(
            "    masked_store(out, {}, splat({elem}(1), lanes={so_many}), permute({mask}, pattern={pattern:?}))\n",
            at + so_many
        );
        at += 2 * so_many;
    }
    let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
    let mut cells = || (0..n).map(|_| Scalar::from_bits(elem, rng.u64(..))).collect::<Vec<_>>();
    let (a, b) = (cells(), cells());
    let zeros = vec![Scalar::zero(elem); at];
    let inputs = Inputs::new().array(&a, &[n.into()]).array(&b, &[n.into()]).array(&zeros, &[at as i64]);
    everywhere(client, &kernel, &[inputs], &text);
}

/// Columns of rows, one or several beside each other, of as many rows as a row has elements; and patterns that are nearly some.
pub(crate) fn columns_of_rows_agree(client: &Client) {
    let sizes = [(Elem::F32, 4), (Elem::F32, 8), (Elem::U32, 16), (Elem::F64, 4), (Elem::I64, 8), (Elem::U16, 8)];
    let mut rng = fastrand::Rng::with_seed(11);
    for (elem, n) in sizes {
        let mut text = format!("kernel k(a: {elem}[?], out: {elem}[?]):\n");
        for row in 0..n {
            text += &format!("    let r{row} = vector_load(a, {}, lanes={n})\n", row * n);
        }
        let rows: Vec<String> = (0..n).map(|row| format!("r{row}")).collect();
        let column = |column: u16| (0..n).map(move |row| column + n * row);
        let mut patterns: Vec<Vec<u16>> = (0..n).map(|number| column(number).collect()).collect();
        for several in [2, 4] {
            patterns.push((0..several).flat_map(|_| column(rng.u16(..n))).collect());
        }
        let mut nearly: Vec<u16> = column(1).collect();
        nearly[usize::from(n) / 2] -= 1;
        patterns.extend([nearly, column(0).rev().collect()]);
        let mut at = 0;
        for pattern in &patterns {
            text += &format!("    vector_store(out, {at}, permute({}, pattern={pattern:?}))\n", rows.join(", "));
            at += pattern.len();
        }
        let kernel = read(&text, Some(n)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let n_cells = i64::from(n * n);
        let cells: Vec<Scalar> =
            (0..n_cells).map(|number| Scalar::from_wide(Elem::I32, number.into()).expect("small")).collect();
        let cells: Vec<Scalar> = cells.into_iter().map(|cell| ir::scalar::cast(cell, elem).expect("fits")).collect();
        let zeros = vec![Scalar::zero(elem); at];
        let inputs = Inputs::new().array(&cells, &[n_cells]).array(&zeros, &[at as i64]);
        everywhere(client, &kernel, &[inputs], &text);
    }
}

/// Every third element of three vectors, elements of three vectors in turns, in every order of these, and patterns that are nearly some.
pub(crate) fn threes_agree(client: &Client) {
    for elem in [Elem::F32, Elem::U32, Elem::F64] {
        let mut patterns: Vec<Vec<u16>> = (0..3).map(|first| (0..4).map(|n| first + 3 * n).collect()).collect();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0], [0, 0, 1], [2, 2, 2]] {
            for start in [0, 4, 8] {
                let cells = start..start + 4;
                let in_turns: Vec<u16> = cells.map(|at: u16| 4 * order[usize::from(at % 3)] + at / 3).collect();
                let mut nearly = in_turns.clone();
                nearly[usize::from(start / 3)] ^= 1;
                patterns.extend([in_turns, nearly]);
            }
        }
        let mut text = format!(
            "kernel k(a: {elem}[?], out: {elem}[?]):\n    let x = vector_load(a, 0, lanes=4)\n    let y = vector_load(a, 4, lanes=4)\n    \
             let z = vector_load(a, 8, lanes=4)\n"
        );
        for (number, pattern) in patterns.iter().enumerate() {
            text += &format!("    vector_store(out, {}, permute(x, y, z, pattern={pattern:?}))\n", 4 * number);
        }
        let kernel = read(&text, Some(4)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let cells: Vec<Scalar> = (0..12).map(|number| Scalar::from_wide(Elem::I32, number).expect("small")).collect();
        let cells: Vec<Scalar> = cells.into_iter().map(|cell| ir::scalar::cast(cell, elem).expect("fits")).collect();
        let zeros = vec![Scalar::zero(elem); 4 * patterns.len()];
        let inputs = Inputs::new().array(&cells, &[12]).array(&zeros, &[zeros.len() as i64]);
        everywhere(client, &kernel, &[inputs], &text);
    }
}

/// Sums of absolute differences of bytes, in elements of every size, whether or not they fill registers.
pub(crate) fn sums_of_differences_agree(client: &Client) {
    let mut rng = fastrand::Rng::with_seed(7);
    for lanes in [8, 16, 24, 32, 64, 128] {
        let mut text = format!(
            "kernel k(a: u8[?], b: u8[?], x: u16[?], y: u32[?], z: u64[?]):\n    let p = vector_load(a, 0, lanes={lanes})\n    \
             let q = vector_load(b, 0, lanes={lanes})\n"
        );
        for (array, bytes) in [("x", 2), ("y", 4), ("z", 8)] {
            text += &format!("    vector_store({array}, 0, sad(p, q, type=u{}x{}))\n", 8 * bytes, lanes / bytes);
        }
        let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let mut cells = || (0..lanes).map(|_| Scalar::from_bits(Elem::U8, rng.u64(..))).collect::<Vec<_>>();
        let (a, b) = (cells(), cells());
        let n = i64::from(lanes);
        let inputs = [(Elem::U16, n / 2), (Elem::U32, n / 4), (Elem::U64, n / 8)]
            .into_iter()
            .fold(Inputs::new().array(&a, &[n]).array(&b, &[n]), |inputs, (elem, n)| {
                inputs.array(&vec![Scalar::zero(elem); n as usize], &[n])
            });
        everywhere(client, &kernel, &[inputs], &text);
    }
}
