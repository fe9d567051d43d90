//! Runs a kernel under `@threads` on all cores, by Rust's own threads (rayon's `into_par_iter` takes the place of the scope):
//!
//! ```sh
//! lanescope build examples/julia.lane -o out
//! rustc --edition 2024 -C link-arg=out/julia.o examples/callers/julia.rs -o out/julia
//! out/julia
//! ```

use std::sync::atomic::{AtomicI64, Ordering};
use std::thread;

const W: i32 = 320;
const H: i32 = 200;
const MOST: i32 = 100;
const ROWS: i64 = 8;

unsafe extern "C" {
    fn julia_iterations(h: i32, w: i32, c_re: f32, c_im: f32, most: i32) -> i64;
    fn julia_part(begin: i64, end: i64, steps: *mut i32, h: i32, w: i32, c_re: f32, c_im: f32, most: i32);
}

/// An address that threads share. Parts of a kernel under `@threads` touch no cell that another one writes.
#[derive(Clone, Copy)]
struct Shared(*mut i32);
unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

impl Shared {
    fn address(self) -> *mut i32 {
        self.0
    }
}

fn main() {
    let mut steps = vec![0i32; (W * H) as usize];
    let shared = Shared(steps.as_mut_ptr());
    // SAFETY: this looks at nothing but its arguments.
    let n = unsafe { julia_iterations(H, W, -0.8, 0.156, MOST) };
    let next = AtomicI64::new(0);
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |threads| threads.get()) {
            scope.spawn(|| {
                loop {
                    let begin = next.fetch_add(ROWS, Ordering::Relaxed);
                    if begin >= n {
                        break;
                    }
                    // SAFETY: the array has as many cells as the sizes say, and each part is run once.
                    unsafe { julia_part(begin, begin + ROWS, shared.address(), H, W, -0.8, 0.156, MOST) };
                }
            });
        }
    });
    let total: i64 = steps.iter().map(|&count| i64::from(count)).sum();
    println!("{n} rows, {total} steps");
}
