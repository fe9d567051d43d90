//! Vectors seen as elements of another size: what a program loads or stores byte by byte, and lies side by side, is one vector of
//! wider elements.
//!
//! ```text
//! (u32(permute(a, b, pattern=[1, 5, 9, …])) << 8) | u32(permute(a, b, pattern=[0, 4, 8, …])) | …    regroup(a, b, type=u32x8)
//! permute(u8(x), u8((x >> 8)), …, pattern=[0, 8, 16, 24, 1, …])                                     regroup(x, type=u8x32)
//! u32(permute(a, b, pattern=[1, 5, 9, …]))                          (regroup(a, b, type=u32x8) >> 8) & 255
//! permute(u8(x), u8(y), pattern=[0, 16, 1, …])                      regroup((x & 255) | (y << 8), type=u8x32)
//! ```
//!
//! The last two put shifts and masks of whole registers in the place of shuffles of single bytes, and conversions to wider and
//! narrower elements are done by the way.
//!
//! - `joined`: the first two
//! - `words`: the last two

mod joined;
#[cfg(test)]
mod tests;
mod words;

use ir::program::Kernel;

/// Regroups wherever elements are neighbours; says whether there are any.
pub fn regroup(kernel: &mut Kernel) -> bool {
    let joined = joined::joined_and_cut(kernel);
    words::words(kernel) || joined
}
