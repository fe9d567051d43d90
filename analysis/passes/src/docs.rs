//! The reference of Lane IR, generated from the tables that define it.

use std::fmt::Write;

use crate::PASSES;
use crate::pipeline::pipeline;
use ir::ops::{Code, EffectRule, Gives, OperandShape, OperandSlot, Row, SECTIONS, Sharing};
use ir::target;

const INTRODUCTION: &str = "\
# Lane IR

*Generated from the tables in `analysis/ir` and `analysis/passes`; `UPDATE_DOCS=1 cargo test -p passes` writes it anew.*

The intermediate representation of a kernel, between source and machine code. A kernel is a structured program in
SSA form: blocks of ops with a single entry and exit, values that are defined once, loops and branches that carry and
yield values. `lower` prints it as text that parses back, given the number of lanes it was lowered for.

## The text

- `kernel name(parameters) -> result:` and a block. The block ends with the result: `return x`.
- `let x = op` defines a value; `let x, y = op` defines several. A value that is used once and has no name of its own is
  written inside its user, unless an op with an effect is in between.
- `_0`, `_1`, … are values without a name that need a line of their own.
- A parameter's type is omitted if it is `f32`, or `i32` for a value used as a count, as an index or together with
  integers; it is written for an array with known sizes: `a: f32[n, (2 * m)]`, with `?` for a size that has no name. The
  type of a number is written where the context does not determine it: `i64(1)`.
- `LANES` is the number of lanes. An op with another number of lanes than the enclosing `vector_for` (or the kernel)
  has its own written: `lane_id(lanes=16)`.
- `with s = s0` after a loop's head carries the value `s`: `s0` in the first iteration, then the value that the block
  yields. `reducing + from x` combines the yielded values in the language's fixed order of reductions.
- A new array that an op on whole arrays makes, or a view that a loop or branch gives, shows its type and sizes:
  `let t: f32[n, (2 * m)] = …`, with `?` for a size that does not follow from the parameters. Reading checks the element
  type and the number of dimensions; the sizes follow from the op.
- Every op can be written as a call. The short form is used unless it would be ambiguous.
- Marks stand on lines above a loop or branch, as in the source: `@lanes(8)`. At the stage `parallel` each loop has the verdict about
  its lanes: `@in_lanes(8)`, or `@inside_lanes` if a loop around it has them, or `@in_order(loop-carried-flow)` with the code of
  the reason that keeps its iterations in order. `@in_turn` says that its lanes compute what they hand on one after the other,
  `@any_order` that the least and greatest floats which it carries may be joined in any order,
  `@together(4)` that so many iterations of a loop in order are to go through the loops inside together. From the next stage on a loop with lanes is a
  `vector_for`; one in order keeps its mark.
- `#` starts a comment, which the reader skips.

## Arrays as values

At the first stage, `arrays`, arrays are values. Every elementwise op also works on views of elements that have equal
sizes, where a scalar counts for each element: it makes a new array of its results. A view may be carried by a loop and
yielded by a branch, so which array it is of is decided when the kernel runs. Each time an op makes an array, that is a
new one, which lives as long as something refers to it. Sizes that have to be equal and are not are an error of the op.
Behind that stage no op works on whole arrays, and which array a view is of is known without running.

Later passes decide about lanes, for the loops that they make of an op. So at `arrays` the decision is no mark but a comment, which is
looked up in the outcomes of these passes: `# 8 lanes`, `# in order: ordered-float-sum`, and with `fused,` in front for an op whose
elements are computed in the loop of another one.

## What may fail

A scalar op that fails stops the program. An op in lanes does not stop it, because the lane may be inactive: the lane's
value is marked as *failed*, and so is every value computed from it. The error is raised when an active lane stores such
a value, uses it as a subscript, or passes it to an op that reduces lanes to a scalar. An inactive lane never causes an error.

The column *may* lists the effects of an op besides its results: *nothing*; *fail*; *read* memory (and fail); *write*
memory (and fail).

## Lanes that run together

The block of a `foreach … in 16 lanes:` is scalar, like the source, but runs for a group of lanes at once: each lane has
its own value. Cross-lane ops have no mask there: the lanes that are active at the op participate. Elsewhere the operands
of such an op are in lanes, and a mask selects the participating lanes.
";

/// Returns the reference of the decisions, as Markdown.
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
    let shares = row.slots.iter().filter(|slot| matches!(slot, OperandSlot::Data(_, _, Sharing::Shared))).count() > 1;
    let same = if shares { ", of one type" } else { "" };
    let gives = match row.gives {
        Gives::Of(elem) | Gives::ScalarOf(elem) => format!(" → `{elem}`"),
        _ => String::new(),
    };
    if words.is_empty() { "nothing".to_owned() } else { format!("{}{same}{gives}", words.join("; ")) }
}

fn operand(slot: &OperandSlot) -> String {
    let in_shape = |class: &str, shape: OperandShape| match shape {
        OperandShape::Both => class.to_owned(),
        OperandShape::Scalar => format!("{class}, scalar"),
        OperandShape::Lanes => format!("{class}, in lanes"),
    };
    match *slot {
        OperandSlot::Data(shape, class, _) => in_shape(&class.describe(), shape),
        OperandSlot::View => "a view".to_owned(),
        OperandSlot::Structs => "a view of structs".to_owned(),
        OperandSlot::AnyView => "any view".to_owned(),
        OperandSlot::Indices(shape) => in_shape("subscripts", shape),
        OperandSlot::Stored(_) => "the stored value".to_owned(),
        OperandSlot::Mask => "a mask".to_owned(),
        OperandSlot::OptionalMask => "a mask or nothing".to_owned(),
        OperandSlot::Asked => "a mask of the participating lanes, or nothing".to_owned(),
        OperandSlot::Rest(least, shape, class, _) => {
            format!("{least} or more of {}", in_shape(&class.describe(), shape))
        }
        OperandSlot::StoredRest(least, _) => format!("{least} or more stored values"),
        OperandSlot::Anything => "anything".to_owned(),
        OperandSlot::Whole => "a scalar or a view".to_owned(),
        OperandSlot::WholeRest => "1 or more scalars or views".to_owned(),
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
