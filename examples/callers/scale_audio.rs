//! Calls a kernel from Rust:
//!
//! ```sh
//! lanescope build examples/scale_audio.lane -o out
//! rustc --edition 2024 examples/callers/scale_audio.rs -C link-arg=out/scale_audio.o -o out/scale_audio
//! out/scale_audio
//! ```

mod kernels {
    unsafe extern "C" {
        // As the header has it: `const float *samples, float *out, int32_t n, float volume`.
        pub(crate) fn scale_audio(samples: *const f32, out: *mut f32, n: i32, volume: f32);
    }
}

/// Turns the volume of a recording up or down.
fn scale_audio(samples: &[f32], out: &mut [f32], volume: f32) {
    assert_eq!(samples.len(), out.len());
    let n = i32::try_from(samples.len()).expect("a length that fits");
    // SAFETY: both arrays have `n` elements, and a borrow that writes overlaps no other.
    unsafe { kernels::scale_audio(samples.as_ptr(), out.as_mut_ptr(), n, volume) }
}

fn main() {
    let samples = [1.0, -2.0, 0.5, 4.0, -8.0];
    let mut out = [0.0; 5];
    scale_audio(&samples, &mut out, 0.5);
    out.iter().for_each(|sample| println!("{sample}"));
}
