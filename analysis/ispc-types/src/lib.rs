//! The types of ISPC units: of declarations, expressions, members, calls; the overloads that are chosen, and what is wrong.
//!
//! - [`ty`], [`layer`]: types, and the declarations that have them, in layers that stand on each other
//! - [`unit`]: the declarations of a unit outside of bodies
//! - [`source`]: a function cut out of its unit, so that an edit elsewhere leaves it equal
//! - [`body`]: the types inside of a function; `heads`: what exported functions take, and lengths of arrays;
//!   `values`: first values, and lists in braces; `conditions`: conditions, `switch`, `print` and their like
//! - [`constant`]: whole numbers that are known when a file is compiled
//! - [`overload`]: which of several functions is called
//! - [`naming`]: names that tell overloads apart; [`symbols`]: names by which files are linked
//! - [`findings`]: all that can be wrong
//! - [`library`]: the standard library, as a header
//!
//! Nothing is told that ispc would not: where something cannot be known, its type is unknown, and all that follows is silent. Nothing here
//! knows queries; a function's types follow from its piece and the layer in front of it alone.

pub mod body;
mod calls;
mod conditions;
pub mod constant;
mod convert;
mod declare;
mod expressions;
pub mod findings;
mod heads;
pub mod layer;
pub mod library;
pub mod naming;
pub mod overload;
mod parts;
pub mod source;
mod statements;
pub mod symbols;
pub mod ty;
pub mod unit;
mod values;
pub mod whole;
