//! Builtins, attributes and constants: their rows, the prelude behind them, what a new one touches, and the one arithmetic.

mod constants;
mod prelude;
mod touched;
