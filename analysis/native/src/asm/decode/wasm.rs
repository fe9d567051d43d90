//! Instructions of WebAssembly, a machine with a stack of values: what only brings values to that stack or takes them from it is no
//! instruction of the machine that runs it in the end.

use super::{Decoded, Flow, Frame};
use crate::asm::counts::Kind;

/// There are as many locals as code wants, so no value has to go to memory for lack of registers.
pub(super) const FRAME: Frame = Frame { stack_pointer: "", frame_pointer: "", callers_from: 0, is_saved: |_| false };

/// The starts of names of instructions on vectors.
const VECTORS: &[&str] = &["v128", "i8x16", "i16x8", "i32x4", "i64x2", "f32x4", "f64x2"];

pub(super) fn decode<'t>(name: &str) -> Decoded<'t> {
    let of = |work| Decoded { work: Some(work), ..Decoded::default() };
    let (ty, what) = name.split_once('.').unwrap_or(("", name));
    match (ty, what) {
        ("", "call" | "call_indirect" | "return_call") => of(Kind::Call),
        ("", "return" | "unreachable" | "end_function" | "br_table") => {
            Decoded { flow: Flow::Out, ..Decoded::default() }
        }
        ("", "br" | "br_if") => of(Kind::Scalar),
        ("", "block" | "loop" | "end_block" | "end_loop" | "drop") | ("local" | "global", _) | (_, "const") => {
            Decoded::default()
        }
        _ if what.starts_with("load") => {
            let work = what.ends_with("_lane").then_some(Kind::Shuffle);
            Decoded { loads: 1, work, ..Decoded::default() }
        }
        _ if what.starts_with("store") => Decoded { stores: 1, ..Decoded::default() },
        (ty, what) if VECTORS.contains(&ty) => of(match what {
            "splat" => Kind::Broadcast,
            "shuffle" | "swizzle" | "replace_lane" => Kind::Shuffle,
            _ if what.starts_with("extract_lane") => Kind::Shuffle,
            _ => Kind::Vector,
        }),
        _ => of(Kind::Scalar),
    }
}

/// Finds where branches lead. They name the blocks around them by depth: a branch goes to the start of a loop, and to the end of a
/// block. Each line that one leads to gets a name out of `names`, which has one for each line.
pub(super) fn find_flow<'t>(
    lines: &[&str],
    names: &'t [String],
    labels: &mut [Option<&'t str>],
    code: &mut [Option<Decoded<'t>>],
) {
    let mut words: Vec<(&str, &str)> = Vec::new();
    for line in lines {
        let mut parts = line.split_whitespace();
        words.push((parts.next().unwrap_or_default(), parts.next().unwrap_or_default()));
    }
    // Where each block ends, by the line that it starts in.
    let (mut open, mut ends) = (Vec::new(), vec![None; lines.len()]);
    for (at, (name, _)) in words.iter().enumerate() {
        match *name {
            "block" | "loop" => open.push(at),
            "end_block" | "end_loop" => {
                open.pop().into_iter().for_each(|start: usize| ends[start] = Some(at));
            }
            _ => {}
        }
    }
    for (at, &(name, depth)) in words.iter().enumerate() {
        match name {
            "block" | "loop" => open.push(at),
            "end_block" | "end_loop" => drop(open.pop()),
            "br" | "br_if" => {
                let depth: Option<usize> = depth.parse().ok();
                let around = depth.and_then(|depth| open.len().checked_sub(depth + 1)).map(|number| open[number]);
                let to = around.and_then(|start| if words[start].0 == "loop" { Some(start) } else { ends[start] });
                let flow = match to {
                    Some(to) if name == "br_if" => Flow::Branch(&names[to]),
                    Some(to) => Flow::Jump(&names[to]),
                    None => Flow::Out,
                };
                to.into_iter().for_each(|to| labels[to] = Some(&names[to]));
                code[at].as_mut().into_iter().for_each(|decoded| decoded.flow = flow);
            }
            _ => {}
        }
    }
}
