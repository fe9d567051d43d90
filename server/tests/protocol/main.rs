//! The server as a client sees it, message by message.

#[path = "../client/mod.rs"]
mod client;

mod lifecycle;
