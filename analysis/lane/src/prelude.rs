//! The prelude: builtins that are written in Lane, in a file that comes with the program.
//!
//! The type rule of a builtin, and the text of its messages and hovers, stand in its row of [`builtins`](hir::builtins). A
//! function of that name in the prelude is what it *does*: it is analysed like any other, and a call is inlined or evaluated like a
//! call of any other. A function without a row is the prelude's own, so a file's names never meet the prelude's. Its structs are there for every
//! file that has no item of their names.
//!
//! Builtins without a function are described in comments at the file's end, so that "go to definition" leads to a
//! description.

use report::{TextRange, TextSize};

use hir::builtins::{ATTRIBUTES, BUILTINS, Builtin};

/// The text of the prelude: one file for those who read it, made of one for each family of functions.
pub const TEXT: &str = concat!(
    include_str!("../prelude/shaping.lane"),
    "\n",
    include_str!("../prelude/bits.lane"),
    "\n",
    include_str!("../prelude/bytes.lane"),
    "\n",
    include_str!("../prelude/vectors.lane"),
    "\n",
    include_str!("../prelude/arrays.lane"),
    "\n",
    include_str!("../prelude/floats.lane"),
    "\n",
    include_str!("../prelude/exponentials_f32.lane"),
    "\n",
    include_str!("../prelude/trigonometry_f32.lane"),
    "\n",
    include_str!("../prelude/exponentials_f64.lane"),
    "\n",
    include_str!("../prelude/trigonometry_f64.lane"),
    "\n",
    include_str!("../prelude/fast_exponentials_f32.lane"),
    "\n",
    include_str!("../prelude/fast_trigonometry_f32.lane"),
    "\n",
    include_str!("../prelude/fast_exponentials_f64.lane"),
    "\n",
    include_str!("../prelude/fast_trigonometry_f64.lane"),
    "\n",
    include_str!("../prelude/fast_roots.lane"),
    "\n",
    include_str!("../prelude/halves.lane"),
    "\n",
    include_str!("../prelude/listing.lane"),
);

/// The name of its file where files have names.
pub const NAME: &str = "prelude/math.lane";

/// Cycles for an element that the functions take, as they were measured: a function, a target and a number on each line.
const COSTS: &str = include_str!("../prelude/costs.txt");

/// Returns the cycles for an element that a function takes in a loop on a target, if that was measured.
pub fn cycles(function: &str, target: &str) -> Option<&'static str> {
    COSTS
        .lines()
        .find_map(|line| line.strip_prefix(function)?.strip_prefix(' ')?.strip_prefix(target)?.strip_prefix(' '))
}

/// The end of the prelude's text: what is built in without being written in Lane, each with what is said of it. `written`
/// says of a builtin if it has a function.
pub fn listing(written: impl Fn(&Builtin) -> bool) -> String {
    let builtins = BUILTINS.iter().filter(|row| !written(row));
    let builtins = builtins.map(|row| (row.signature.to_owned(), row.docs));
    let attributes = ATTRIBUTES.iter().map(|row| (row.signature(), row.docs));
    builtins.chain(attributes).map(|(signature, docs)| format!("\n# {signature}\n#     {docs}\n")).collect()
}

/// Returns the place in the prelude that describes a signature: the whole comment, and the name in it.
pub fn told_of(signature: &str, name: &str) -> Option<(TextRange, TextRange)> {
    let start = TEXT.find(&format!("\n# {signature}\n"))? + 1;
    let end = TEXT[start..].find("\n\n").map_or(TEXT.trim_end().len(), |end| start + end);
    let focus = start + TEXT[start..end].find(name)?;
    let [start, end, focus] = [start, end, focus].map(|at| TextSize::new(at as u32));
    Some((TextRange::new(start, end), TextRange::at(focus, TextSize::of(name))))
}
