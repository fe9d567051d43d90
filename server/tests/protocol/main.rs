//! The server as a client sees it, message by message.

#[path = "../client/mod.rs"]
mod client;

mod beside;
mod closing;
mod concurrency;
mod costs;
mod documents;
mod faster;
mod features;
mod fixes;
mod hostile;
mod instances;
mod ispc;
mod ispc_editing;
mod kept;
mod lifecycle;
mod parts;
mod soak;
mod using;
mod views;
mod words;
mod workspace;

/// Address of the document that most tests open.
const URI: &str = "file:///tmp/a.lane";
