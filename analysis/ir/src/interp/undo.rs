//! Taking a step back: what each change of a machine has to leave behind.
//!
//! Millions of changes are kept, and most of them are a value and that an op was passed: so what is large and rare is boxed.

use super::arrays::counted_bytes;
use super::data::Reg;
use super::machine::{Frame, Machine, Position, Touch, Touched};
use crate::entities::Value;
use crate::scalar::Scalar;

/// The old state of a part of the machine, to undo one change.
#[derive(Debug, Clone)]
pub(super) enum Undo {
    Value(Value, Reg),
    Bytes {
        memory: usize,
        at: usize,
        len: u8,
        old: [u8; 8],
    },
    Memory(usize, Vec<u8>),
    /// The last memory was not there.
    Allocated,
    /// The bytes of a new array were 0.
    Zeroed {
        memory: usize,
        at: usize,
        len: usize,
    },
    /// No iteration of a `map` or `scan` had yielded to a result.
    Kept {
        lane: usize,
        result: usize,
    },
    /// The bytes from one place of a memory on.
    Range {
        memory: usize,
        at: usize,
        old: Vec<u8>,
    },
    /// The innermost frame stood here.
    Moved(Box<Position>),
    /// The innermost frame stood at the op before.
    Advanced,
    Pushed,
    Popped(Box<Frame>),
    Partial {
        lane: usize,
        reduction: usize,
        partial: usize,
        old: Scalar,
    },
    Touched(Box<OldTouch>),
}

/// Who had touched a cell before a loop's iteration did.
#[derive(Debug, Clone)]
pub(super) struct OldTouch {
    /// The number of the loop's frame.
    pub(super) frame: usize,
    pub(super) cell: Touched,
    pub(super) old: Option<Touch>,
}

impl Machine {
    /// Undoes one change.
    pub(super) fn take_back(&mut self, undo: Undo) {
        let state = &mut self.state;
        let frame = state.frames.last_mut();
        match undo {
            Undo::Value(value, old) => state.values[value] = old,
            Undo::Bytes { memory, at, len, old } => {
                let len = usize::from(len);
                state.memory[memory][at..at + len].copy_from_slice(&old[..len]);
            }
            Undo::Memory(memory, old) => state.memory[memory] = old,
            Undo::Allocated => {
                let array = state.memory.pop().unwrap_or_default();
                state.made_bytes -= counted_bytes(&array);
            }
            Undo::Zeroed { memory, at, len } => state.memory[memory][at..at + len].fill(0),
            Undo::Kept { lane, result } => {
                if let Some(loop_state) = frame.and_then(|frame| frame.loop_state.as_mut()) {
                    loop_state.lanes[lane].made[result] = None;
                }
            }
            Undo::Range { memory, at, old } => state.memory[memory][at..at + old.len()].copy_from_slice(&old),
            Undo::Moved(old) => {
                if let Some(frame) = frame {
                    frame.at = *old;
                }
            }
            Undo::Advanced => {
                if let Some(frame) = frame {
                    frame.at.next -= 1;
                }
            }
            Undo::Pushed => drop(state.frames.pop()),
            Undo::Popped(frame) => state.frames.push(*frame),
            Undo::Partial { lane, reduction, partial, old } => {
                if let Some(loop_state) = frame.and_then(|frame| frame.loop_state.as_mut()) {
                    loop_state.lanes[lane].partials[reduction][partial] = old;
                }
            }
            Undo::Touched(touched) => {
                let OldTouch { frame, cell, old } = *touched;
                if let Some(loop_state) = state.frames[frame].loop_state.as_mut() {
                    match old {
                        Some(touch) => drop(loop_state.touched.insert(cell, touch)),
                        None => drop(loop_state.touched.remove(&cell)),
                    }
                }
            }
        }
    }
}
