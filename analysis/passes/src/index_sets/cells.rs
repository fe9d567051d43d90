//! Loops that wait for a cell: which iteration writes it, or where two that go through an array the other way meet.

use facts::dependence::Kind;
use facts::loops::Loops;
use ir::entities::{Op, Value};
use ir::forest::LoopForest;
use ir::ops::Code;
use ir::program::Kernel;
use ir::scalar::Scalar;

use super::{Line, Order, Reason, Test, can_move};

/// A store and a load whose dependence keeps a loop in order, together with others like it at most, and the iteration in which they
/// come to the same cell.
pub(super) fn by_cell(kernel: &Kernel, loops: &Loops, op: Op) -> Option<(Reason, Test)> {
    let verdict = &loops.of(op)?.verdict;
    if verdict.is_vector {
        return None;
    }
    let mut pairs = Vec::new();
    for reason in verdict.reasons.iter().filter(|reason| reason.blocks) {
        let dependence = &loops.dependences.list[reason.dependence?];
        if dependence.kind != Kind::Flow {
            return None;
        }
        pairs.push([dependence.source, dependence.sink]);
    }
    let test = pairs.iter().find_map(|&[store, load]| of_cells(kernel, &loops.forest, op, store, load))?;
    Some((Reason::Cells(pairs), test))
}

/// The iteration up to which no later one reads what one has stored, and from which on all that is read was stored before.
fn of_cells(kernel: &Kernel, forest: &LoopForest, op: Op, store: Op, load: Op) -> Option<Test> {
    let (store, load) = (&kernel.ops[store], &kernel.ops[load]);
    if (store.code, load.code) != (Code::Store, Code::Load) {
        return None;
    }
    let (written, read) = (&store.operands[1..store.operands.len() - 1], &load.operands[1..]);
    written.iter().zip(read).find_map(|(&written, &read)| {
        let order = Order::AtMost;
        let is_fixed = |value: Value| can_move(kernel, forest, op, value);
        let index = |value: Value| Line::of(kernel, op, value).filter(|line| line.first.is_none() && !line.falls);
        if let Some(line) = index(written)
            && is_fixed(read)
        {
            return Some(Test { order, line, with: read, twice: None });
        }
        // The cells of one go up and those of the other one down: with `i + a` and `with - i + b`, twice the index is `with + b - a`.
        let (line, (with, added)) = match (index(written), index(read)) {
            (Some(line), None) => (line, falling(kernel, op, read)?),
            (None, Some(line)) => (line, falling(kernel, op, written)?),
            _ => return None,
        };
        let twice = Some(added.checked_sub(line.added)?);
        is_fixed(with).then_some(Test { order, line: Line { added: 0, ..line }, with, twice })
    })
}

/// A number that is another one less the index, and a constant.
fn falling(kernel: &Kernel, op: Op, value: Value) -> Option<(Value, i128)> {
    let data = &kernel.ops[kernel.def_op(value)?];
    let &[a, b] = &data.operands[..] else { return None };
    let number = |value: Value| kernel.as_const(value).and_then(Scalar::wide);
    let (inner, by) = match (data.code, number(a), number(b)) {
        (Code::Add, _, Some(by)) => (a, by),
        (Code::Add, Some(by), _) => (b, by),
        (Code::Sub, _, Some(by)) => (a, -by),
        (Code::Sub, ..) => {
            let line = Line::of(kernel, op, b).filter(|line| line.first.is_none() && !line.falls)?;
            return Some((a, -line.added));
        }
        _ => return None,
    };
    let (with, added) = falling(kernel, op, inner)?;
    Some((with, added.checked_add(by)?))
}
