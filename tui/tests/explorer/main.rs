//! The explorer from the outside: keys in; state, screen and files out.

#[path = "../../../server/tests/client/mod.rs"]
mod client;
mod editing;
mod faces;
mod files;
mod ispc;
mod keys;
mod lanes;
mod lessons;
mod looking;
mod machine_code;
mod panes;
mod pictures;
mod player;
mod random;
#[cfg(unix)]
mod recordings;
mod running;
mod screens;
mod sharing;
mod starting;
#[path = "../support/mod.rs"]
mod support;
#[cfg(unix)]
mod terminal;
mod variants;

use expect_test::expect;
use explorer::layout::Pane;
use player::Player;
use support::{has_llvm, root};

const SCALE: &str = "\
## Turns the volume up or down.
kernel scale(samples, out, n, volume):
    for i in range(n):
        out[i] = samples[i] * volume
";

const TWO: &str = "\
fn twice(x):
    return x + x

kernel first(a, n):
    for i in range(n):
        a[i] = twice(a[i])

kernel second(a, n):
    a[0] = 1.0 + 2.0
";

const BROKEN: &str = "\
kernel broken(a, n):
    for i in range(n)
        a[i] = m
";

/// Opens the explorer on one file, at the size of an old terminal.
fn play(text: &str) -> Player {
    Player::new(&[("a.lane", text)], (80, 24))
}
