//! The stack frame: which of its loads and stores are for lack of registers.
//!
//! A *slot* of the frame lies at a fixed distance from the stack pointer, or from the frame pointer if the function has one.
//! A function begins by saving those registers of its caller that it uses, and ends by restoring them. What lies above the
//! frame are arguments. All else in slots is a spill; what is addressed with an index is an array that the program has.

use std::collections::HashSet;

use super::counts::{Counts, Kind};
use super::decode::{Decoded, Flow, Frame};

/// Counts what each instruction of a function does.
pub(super) fn counted(code: &[Option<Decoded<'_>>], frame: &Frame) -> Vec<(Option<Kind>, Counts)> {
    let instructions = || code.iter().flatten();
    let height: i64 = instructions().map(|decoded| decoded.grows.max(0)).sum();
    let has_frame_pointer = instructions().any(|decoded| decoded.sets_frame_pointer);
    let mut saved: HashSet<&str> = HashSet::new();
    let mut counted = Vec::new();
    for (at, decoded) in code.iter().enumerate() {
        let Some(decoded) = decoded else {
            counted.push((None, Counts::default()));
            continue;
        };
        let in_frame = decoded.slot.is_some_and(|slot| match slot.base {
            base if base == frame.stack_pointer => slot.offset < height.max(1) || height == 0,
            base if base == frame.frame_pointer => has_frame_pointer && slot.offset < frame.callers_from,
            _ => false,
        });
        let [loads, stores] =
            if in_frame { frame_kinds(&code[at..], frame, &mut saved) } else { [Kind::Load, Kind::Store] };
        let mut counts = Counts::default();
        decoded.work.into_iter().for_each(|work| counts.add(work, 1));
        counts.add(loads, decoded.loads);
        counts.add(stores, decoded.stores);
        counted.push((Some(main_kind(decoded, loads, stores)), counts));
    }
    counted
}

/// The kinds of a load and a store of the frame, by the first instruction of these.
fn frame_kinds<'t>(code: &[Option<Decoded<'t>>], frame: &Frame, saved: &mut HashSet<&'t str>) -> [Kind; 2] {
    let Some(Some(decoded)) = code.first() else { return [Kind::Spill; 2] };
    let are_callers = decoded.work.is_none() && decoded.moved.iter().all(|register| (frame.is_saved)(register));
    if !are_callers {
        return [Kind::Spill; 2];
    }
    if decoded.stores > 0 {
        let n_new = decoded.moved.iter().filter(|register| saved.insert(register)).count();
        let is_first = n_new == decoded.moved.len();
        return [Kind::Spill, if is_first { Kind::Save } else { Kind::Spill }];
    }
    // Restoring is the last that a function does.
    let way = code[1..].iter().flatten().map(|decoded| decoded.flow);
    let end = way.into_iter().find(|flow| *flow != Flow::Next);
    let leaves = match end {
        None | Some(Flow::Out) => true,
        // A jump to another function.
        Some(Flow::Jump(label)) => !super::text::is_local(label),
        Some(_) => false,
    };
    [if leaves { Kind::Save } else { Kind::Spill }, Kind::Spill]
}

/// The kind that an instruction is shown as: its work, or if there is none or it changes memory in place, the access.
fn main_kind(decoded: &Decoded<'_>, load: Kind, store: Kind) -> Kind {
    match decoded.work {
        Some(work) if decoded.stores == 0 || decoded.loads == 0 => work,
        _ if decoded.stores > 0 => store,
        _ if decoded.loads > 0 => load,
        _ => Kind::Scalar,
    }
}
