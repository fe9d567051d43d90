//! What programs mean, by small examples: a kernel, what it is given, what comes out.
//!
//! An example is the text of a kernel `k` and what it calls, arguments as `name = value; ...`, and what is expected: `result ...`, each
//! array that changed, and the error with its code, the text it is at, the loops around it and the lane.

mod aliasing;
mod arrays;
mod atomics;
mod bytes;
mod collections;
mod domains;
mod enums;
mod expressions;
mod fixes;
pub(crate) mod fixture;
mod foreach;
mod function_values;
mod functions;
mod halves;
mod lanes;
mod limits;
mod matrices;
mod reassoc;
mod statements;
mod structs;
mod templates;
mod whole_arrays;
