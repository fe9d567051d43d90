//! Active lanes that are stored side by side, and cells whose numbers were just loaded: the interpreter's bits for element types of all
//! sizes and many lane counts. Cells behind the last active lane stay as they are.

use ir::interp::Inputs;
use ir::{Elem, Scalar, read};
use native::client::Client;

use crate::edges::everywhere;

/// Fewer than a register holds, as many, and several registers.
const LANES: &[u16] = &[2, 4, 8, 16, 64];

/// Types of all sizes; those of 4 and 8 bytes are brought side by side by a table on AVX2.
const ELEMS: &[Elem] = &[Elem::F32, Elem::I64, Elem::U8, Elem::F64, Elem::I32, Elem::I16];

/// Types of the numbers of cells.
const NUMBERS: &[Elem] = &[Elem::I32, Elem::U8, Elem::I64, Elem::U16];

/// Interpreter and native code agree.
pub(crate) fn agree(client: &Client) {
    let all = ELEMS.iter().flat_map(|&elem| LANES.iter().map(move |&lanes| (elem, lanes)));
    for (seed, (elem, lanes)) in all.enumerate() {
        let number = NUMBERS[seed % NUMBERS.len()];
        let text = format!(
            "kernel k(a: {elem}[n], on: i32[n], at: {number}[n], packed: {elem}[n], there: {elem}[n], found: {elem}[n], n: i32):\n    \
             vector_for base in range(0, n, LANES):\n        let x = vector_load(a, (base + lane_id))\n        \
             let cells = vector_load(at, (base + lane_id))\n        \
             compress_store(packed, base, x, (vector_load(on, (base + lane_id)) > 0))\n        \
             scatter(there, cells, x)\n        vector_store(found, base, gather(a, cells))\n"
        );
        let kernel = read(&text, Some(lanes)).unwrap_or_else(|error| panic!("{error}\n{text}")).remove(0);
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        // In the first run all lanes are active, in the second none; each cell is stored to once.
        let inputs: Vec<Inputs> = (0..4)
            .map(|run| {
                let n = i64::from(lanes) * (2 + run % 2);
                let cells: Vec<Scalar> = (0..n).map(|_| Scalar::from_bits(elem, rng.u64(..))).collect();
                let on = |rng: &mut fastrand::Rng| if run < 2 { 1 - run as i32 } else { rng.i32(-1..3) };
                let on: Vec<Scalar> = (0..n).map(|_| Scalar::I32(on(&mut rng))).collect();
                let mut order: Vec<i64> = (0..n).collect();
                rng.shuffle(&mut order);
                let at = order.iter().map(|&at| Scalar::from_wide(number, at.into()).expect("it fits"));
                let at: Vec<Scalar> = at.collect();
                let zeros = vec![Scalar::zero(elem); n as usize];
                let inputs = Inputs::new().array(&cells, &[n]).array(&on, &[n]).array(&at, &[n]);
                (0..3).fold(inputs, |inputs, _| inputs.array(&zeros, &[n])).scalar(n as i32)
            })
            .collect();
        everywhere(client, &kernel, &inputs, &text);
    }
}
