//! Facts about the lanes of ISPC functions: values, masks, memory accesses, and what costs lanes.
//!
//! - [`shape`]: values across the lanes; [`why`]: the stories of those that are not uniform
//! - [`mask`]: the lanes that run; [`access`]: the cells that they touch; [`layout`]: sizes in memory
//! - [`uniforms`]: variables that could be `uniform`
//! - [`notes`]: what costs lanes; [`edits`]: changes that lift it; [`words`]: facts in words
//! - [`foreach`]: loops that are a `foreach`
//! - [`body`]: all facts of a function; [`whole`]: notes at the places of a unit
//!
//! Inside: `variables` are those whose values can be followed, `state` is what they hold at a place; `flow` walks statements, with `loops`,
//! `cases` and `groups`; `expression`, `conversions` and `place` walk expressions and what they are stored in.
//!
//! Each fact holds for any caller and any data. Where the text does not show it, a value is what its type says. Nothing here knows
//! queries; the facts of a function follow from its piece and its types alone.

pub mod access;
mod arithmetic_notes;
pub mod body;
mod cases;
mod conversions;
pub mod edits;
mod expression;
mod flow;
pub mod foreach;
mod groups;
pub mod layout;
mod library;
mod loops;
pub mod mask;
pub mod notes;
mod place;
pub mod shape;
mod state;
pub mod uniforms;
mod variables;
pub mod whole;
pub mod why;
pub mod words;

pub use body::{BodyFacts, facts};
pub use flow::ControlFact;
