//! Which loops run as lanes, and with how many.

use crate::entities::{Op, Value};
use crate::facts::{Class, Facts};
use crate::ops::Code;
use crate::pipeline::Options;
use crate::program::Kernel;

/// Why a loop does not run as lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The reason's code.
    pub code: &'static str,
    /// The op that is the reason.
    pub op: Op,
}

/// Why a loop does not run as lanes; `None` if it does.
pub fn refusal(kernel: &Kernel, facts: &Facts, op: Op) -> Option<Refusal> {
    let region = kernel.ops[op].regions[0];
    let refuse = |code, op| Some(Refusal { code, op });
    // Iterations that hand something on are in order until that is known to be something else.
    if !kernel.ops[op].results.is_empty() {
        return refuse("carried-value", op);
    }
    let mut found = None;
    kernel.walk(region, &mut |_, inner| {
        let data = &kernel.ops[inner];
        let reduces = kernel.control(inner).is_some_and(|control| !control.reductions.is_empty());
        let varies = |values: &[Value]| values.iter().any(|&value| !facts.shape(value).is_uniform());
        let code = match data.code {
            Code::Unknown => "not-understood",
            Code::Foreach | Code::VectorFor => "nested-foreach",
            Code::Temp => "temporary-array",
            _ if reduces && varies(&data.results) => "reduction-in-lanes",
            _ => return,
        };
        found = found.or(refuse(code, inner));
    });
    found.or_else(|| match kernel.ops[op].code {
        Code::Foreach => None,
        _ => meeting(kernel, facts, op),
    })
}

/// Two iterations of a `for` that may touch one cell: unless each array that it writes is written only at one address,
/// that moves by one cell from iteration to iteration, and read only there.
fn meeting(kernel: &Kernel, facts: &Facts, op: Op) -> Option<Refusal> {
    let own: Vec<_> = facts.accesses.iter().filter(|access| access.lane_loop == Some(op)).collect();
    let overlap =
        |a: Value, b: Value| a == b || kernel.marks.alias.iter().any(|&pair| pair == (a, b) || pair == (b, a));
    for store in own.iter().filter(|access| access.stores) {
        let meets = own.iter().filter(|other| overlap(other.root, store.root));
        for other in meets {
            let same = other.root == store.root && other.address.is_some() && other.address == store.address;
            if store.class != Class::Contiguous || !same {
                return Some(Refusal { code: "may-meet", op: other.op });
            }
        }
    }
    None
}

/// How many lanes a loop is given: those that fill a register with the widest cells it touches.
pub(super) fn lanes(kernel: &Kernel, facts: &Facts, op: Op, options: &Options) -> u16 {
    let marks = kernel.control(op).map(|control| &control.marks);
    if let Some(lanes) = marks.and_then(|marks| marks.lanes) {
        return lanes;
    }
    if let Some(together) = kernel.control(op).and_then(|control| control.width) {
        return together;
    }
    if let Some(lanes) = options.lanes {
        return lanes;
    }
    let own = facts.accesses.iter().filter(|access| access.lane_loop == Some(op));
    let widest = own.map(|access| access.bytes).max().unwrap_or(4).max(1);
    options.target.lanes_for(widest as usize)
}
