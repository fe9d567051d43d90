//! The reference of Lane IR, generated from the tables that define it.

use std::fmt::Write;

use crate::PASSES;
use crate::pipeline::pipeline;
use ir::ops::{Code, EffectRule, Gives, Row, SECTIONS, Shape, Sharing, Slot};
use ir::target;

const INTRODUCTION: &str = "\
# Lane IR

*Generated from the tables in `analysis/ir`; `UPDATE_DOCS=1 cargo test -p ir` writes it anew.*

A kernel between its source and its machine code. It is a structured program: blocks of ops with one way in
and one way out, values that are made once, loops and branches that carry and yield values. `lower` prints it
as text that reads back, given the number of lanes it was made for.

## The text

- `kernel name(parameters) -> result:` and a block. What the block ends with is the result: `return x`.
- `let x = op` makes a value; `let x, y = op` makes several. A value that is used once and has no name of its own is
  written inside its user, unless something with an effect stands between.
- `_0`, `_1`, … are values without a name that need a line of their own.
- A parameter's type stands where it is not `f32`, or `i32` for what counts, indexes or meets whole numbers, or
  where its sizes are known: `a: f32[n, (2 * m)]`, with `?` for a size of its own. A number's type stands where nothing
  around it says it: `i64(1)`.
- `LANES` is the number of lanes. Where an op's lanes are not those of the `vector_for` around it (or the
  kernel's) it says them: `lane_id(lanes=16)`.
- `with s = s0` after a loop's head carries `s` around: from `s0`, then what the block yields. `reducing + from x` joins
  what the block yields in the order that the language fixes for reductions.
- Every op can be written as a call. The short form is used unless it would read as something else.

## What may fail

A scalar op that fails stops the program. In lanes nothing stops there, because the lane may be inactive: the lane's
value has *failed*, and so has what is computed from it. The error is raised when an active lane stores it, uses it as a
subscript, or hands it to an op that makes a scalar of lanes. An inactive lane never causes an error.

An op may: do *nothing* besides making its results; *fail*; *read* memory (and fail); *write* memory (and fail).

## Lanes that run together

The block of a `foreach … in 16 lanes:` is scalar, as the source is, but runs for a group of lanes at once: each value is the
lane's own. Ops that ask other lanes stand there without a mask, and ask the lanes that are active where they stand. Elsewhere
such an op is in lanes, and a mask says which of them it asks.
";

/// The reference, as Markdown.
pub fn reference() -> String {
    let mut out = INTRODUCTION.to_owned();
    for (title, codes) in SECTIONS {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {title}\n\n| form | takes | may | meaning |\n|---|---|---|---|\n");
        for &code in *codes {
            let row = code.row();
            let _ = writeln!(
                out,
                "| `{}` | {} | {} | {} |",
                row.example.replace('|', "\\|"),
                takes(code, row),
                may(row.effect),
                row.meaning.replace('|', "\\|")
            );
        }
    }
    out += "\n## Stages\n\n| stage | shows | passes |\n|---|---|---|\n";
    for stage in pipeline(target::reference()) {
        let passes: Vec<String> = stage.passes.iter().map(|pass| format!("`{}`", pass.name)).collect();
        let _ = writeln!(out, "| `{}` | {} | {} |", stage.name, stage.shows, passes.join(", "));
    }
    out += "\n## Passes\n\n| pass | does |\n|---|---|\n";
    for pass in PASSES {
        let _ = writeln!(out, "| `{}` | {} |", pass.name, pass.description);
    }
    out
}

/// The operands of an op, in words.
fn takes(code: Code, row: &Row) -> String {
    if code.is_control() {
        return "blocks".to_owned();
    }
    let mut words: Vec<String> = Vec::new();
    for slot in row.slots {
        let word = operand(slot);
        // `a number, a number` reads better as one entry.
        match words.last_mut() {
            Some(last) if *last == word => *last = format!("{word} and another"),
            Some(last) if last.strip_suffix(" and another") == Some(&word) => *last = format!("{word} and two more"),
            _ => words.push(word),
        }
    }
    let shares = row.slots.iter().filter(|slot| matches!(slot, Slot::Data(_, _, Sharing::Shared))).count() > 1;
    let same = if shares { ", of one type" } else { "" };
    let gives = match row.gives {
        Gives::Of(elem) | Gives::ScalarOf(elem) => format!(" → `{elem}`"),
        _ => String::new(),
    };
    if words.is_empty() { "nothing".to_owned() } else { format!("{}{same}{gives}", words.join("; ")) }
}

fn operand(slot: &Slot) -> String {
    let in_shape = |class: &str, shape: Shape| match shape {
        Shape::Both => class.to_owned(),
        Shape::Scalar => format!("{class}, scalar"),
        Shape::Lanes => format!("{class}, in lanes"),
    };
    match *slot {
        Slot::Data(shape, class, _) => in_shape(&class.describe(), shape),
        Slot::View => "a view".to_owned(),
        Slot::Structs => "a view of structs".to_owned(),
        Slot::AnyView => "any view".to_owned(),
        Slot::Indices(shape) => in_shape("subscripts", shape),
        Slot::Stored(_) => "what is stored".to_owned(),
        Slot::Mask => "a mask".to_owned(),
        Slot::OptionalMask => "a mask or nothing".to_owned(),
        Slot::Asked => "a mask of the lanes that are asked, or nothing".to_owned(),
        Slot::Rest(least, shape, class, _) => format!("{least} or more of {}", in_shape(&class.describe(), shape)),
        Slot::StoredRest(least, _) => format!("{least} or more of what is stored"),
        Slot::Anything => "anything".to_owned(),
    }
}

fn may(effect: EffectRule) -> &'static str {
    match effect {
        EffectRule::Pure => "nothing",
        EffectRule::FailsSigned => "fail: a signed scalar",
        EffectRule::FailsInteger => "fail: a scalar integer",
        EffectRule::FailsToInteger => "fail: a scalar float to an integer",
        EffectRule::FailsScalar => "fail, unless in lanes",
        EffectRule::FailsInLanes => "fail, in lanes",
        EffectRule::Fails => "fail",
        EffectRule::Reads => "read",
        EffectRule::Writes => "write",
        EffectRule::Inside => "what its blocks do",
    }
}
