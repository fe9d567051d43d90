//! Equality of values: two values are the same because they are computed in the same way, even before common subexpressions are
//! eliminated.

use ir::entities::Value;
use ir::ops::Code;
use ir::program::{Def, Kernel};

/// The depth to which two computations are compared.
const DEEPEST: usize = 8;

/// The number behind conversions that change none.
pub(super) fn plain(kernel: &Kernel, mut value: Value) -> Value {
    while let Some(op) = kernel.def_op(value) {
        let data = &kernel.ops[op];
        let range = |value: Value| kernel.ty(value).data_elem().and_then(|elem| elem.integer_range());
        let is_wider = || match (range(data.operands[0]), range(value)) {
            (Some((low, high)), Some((least, most))) => least <= low && high <= most,
            _ => false,
        };
        if !(matches!(data.code, Code::Index | Code::Cast) && is_wider()) {
            break;
        }
        value = data.operands[0];
    }
    value
}

/// Says whether two numbers, or two views, are the same.
pub(super) fn is_same(kernel: &Kernel, a: Value, b: Value) -> bool {
    is_same_at(kernel, a, b, 0)
}

fn is_same_at(kernel: &Kernel, a: Value, b: Value, depth: usize) -> bool {
    let (a, b) = (plain(kernel, a), plain(kernel, b));
    if a == b {
        return true;
    }
    match (kernel.values[a].def, kernel.values[b].def) {
        (Def::Const(x), Def::Const(y)) => x.wide().is_some() && x.wide() == y.wide(),
        (Def::Result(x, 0), Def::Result(y, 0)) if depth < DEEPEST => {
            let (x, y) = (&kernel.ops[x], &kernel.ops[y]);
            let is_view = matches!(x.code, Code::Row | Code::Slice | Code::Field | Code::Flat);
            let is_plain = is_view || x.code.is_elementwise() || x.code == Code::Size;
            is_plain
                && (x.code, &x.attr, x.operands.len()) == (y.code, &y.attr, y.operands.len())
                && x.operands
                    .iter()
                    .zip(&y.operands)
                    .all(|(&x, &y)| kernel.ty(x) == kernel.ty(y) && is_same_at(kernel, x, y, depth + 1))
        }
        _ => false,
    }
}
