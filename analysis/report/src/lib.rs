//! The data model of all that is reported about a program, which every package builds and every face renders.
//!
//! - [`code`]: the names that findings, reasons and decisions go by
//! - [`diagnostic`]: findings with places in a text, and edits that lift them
//! - [`item`]: the pieces of a file that findings are about
//! - [`lanes`]: loops, accesses, branches and values, and what became of them
//! - [`position`]: lines and columns, from 1
//! - [`spelling`]: "did you mean"
//!
//! This package decides nothing and knows no other one: no tree, no kernel, no query, no protocol.

pub mod code;
pub mod diagnostic;
pub mod item;
pub mod lanes;
pub mod position;
pub mod spelling;

pub use code::ReportCode;
pub use diagnostic::{Diagnostic, Fix, Related, Severity, TextEdit, apply_edits};
pub use item::{FileId, ItemKey, ItemKind};
pub use position::SourcePosition;
pub use text_size::{TextRange, TextSize};
