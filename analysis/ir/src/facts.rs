//! Facts: what is known about a scalar, sequential kernel, in side tables.
//!
//! - [`dependence`]: which accesses of a loop nest meet in one cell, and in which iterations
//! - [`loops`]: what each loop computes, and whether its iterations can be lanes

pub mod dependence;
