//! The server as a client sees it, message by message.

#[path = "../client/mod.rs"]
mod client;

mod concurrency;
mod documents;
mod features;
mod fixes;
mod lifecycle;
mod soak;
mod views;
mod workspace;

/// A document of the tests.
const URI: &str = "file:///tmp/a.lane";
