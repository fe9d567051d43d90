//! Builtins and attributes: their rows, the prelude behind them, and what a new one touches.

mod prelude;
mod touched;

#[path = "../common/mod.rs"]
mod common;
