//! Joins what threads find in parts of a recording, by Rust's own threads (rayon's `par_iter_mut().enumerate()` takes the place of the
//! scope: each partial result is a cell of its own):
//!
//! ```sh
//! lanescope build examples/loudness.lane -o out
//! rustc --edition 2024 -C link-arg=out/loudness.o examples/callers/loudness.rs -o out/loudness
//! out/loudness
//! ```

use std::thread;

unsafe extern "C" {
    fn loudness_iterations(n: i32) -> i64;
    fn loudness_part(begin: i64, end: i64, squares: *mut f32, samples: *const f32, n: i32);
    fn loudness_join(squares: *const f32, n: i32) -> f32;
}

/// How loud a recording is, by so many threads: any number of them gives the same bits.
fn loudness(threads: usize, samples: &[f32]) -> f32 {
    let n = i32::try_from(samples.len()).expect("a length that fits");
    // SAFETY: this looks at nothing but its argument.
    let n_blocks = unsafe { loudness_iterations(n) } as usize;
    let mut squares = vec![0.0f32; n_blocks];
    let each = n_blocks.div_ceil(threads).max(1);
    thread::scope(|scope| {
        for (number, own) in squares.chunks_mut(each).enumerate() {
            scope.spawn(move || {
                let first = number * each;
                // Results are stored at the numbers of their blocks: so many cells before these lies the array.
                let array = own.as_mut_ptr().wrapping_sub(first);
                // SAFETY: the samples are as many as `n` says, and no other thread has these blocks.
                unsafe { loudness_part(first as i64, (first + own.len()) as i64, array, samples.as_ptr(), n) };
            });
        }
    });
    // SAFETY: each block has its result.
    unsafe { loudness_join(squares.as_ptr(), n) }
}

fn main() {
    let samples: Vec<f32> = (0..98_000).map(|i| (i % 7) as f32 - 3.0).collect();
    let heard = loudness(1, &samples);
    for threads in [2, 3, 16] {
        assert_eq!(loudness(threads, &samples).to_bits(), heard.to_bits());
    }
    // SAFETY: this looks at nothing but its argument.
    println!("{} blocks, loudness {heard}", unsafe { loudness_iterations(98_000) });
}
