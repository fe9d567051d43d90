//! Random programs that mean the same to all that run them.

use crate::program::{Expr, Stmt};

/// The cells of the table that programs read.
pub(crate) const N_CELLS: i32 = 16;

/// The program with subscripts that are in range, and with a first value for each variable.
pub(crate) fn defined(block: &mut [Stmt]) {
    for stmt in block {
        match stmt {
            Stmt::Declare(_, value) => without_loads(value.get_or_insert(Expr::Number(3))),
            Stmt::Assign(_, _, value) | Stmt::Watch(_, value) => in_range(value),
            Stmt::If(condition, yes, no) => {
                in_range(condition);
                defined(yes);
                defined(no);
            }
            Stmt::While(condition, body) | Stmt::Do(body, condition) => {
                in_range(condition);
                defined(body);
            }
            Stmt::For(_, from, to, body) => {
                without_loads(from);
                in_range(to);
                defined(body);
            }
            Stmt::Foreach(_, from, to, body) => {
                in_range(from);
                in_range(to);
                defined(body);
            }
            Stmt::Switch(over, cases) => {
                in_range(over);
                cases.iter_mut().for_each(|(_, body)| defined(body));
            }
            Stmt::Unmasked(body) | Stmt::Active(body) | Stmt::Block(body) => defined(body),
            Stmt::Step(_) | Stmt::Break | Stmt::Continue | Stmt::Return => {}
        }
    }
}

/// A first value is that of all lanes, and those that are off load nothing.
fn without_loads(expr: &mut Expr) {
    match expr {
        Expr::Number(_) | Expr::ProgramIndex | Expr::Variable(_) => {}
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|it| without_loads(it)),
        Expr::Choose(condition, yes, no) => [condition, yes, no].into_iter().for_each(|it| without_loads(it)),
        Expr::Load(index) => {
            without_loads(index);
            *expr = std::mem::replace(&mut **index, Expr::Number(0));
        }
    }
}

fn in_range(expr: &mut Expr) {
    match expr {
        Expr::Number(_) | Expr::ProgramIndex | Expr::Variable(_) => {}
        Expr::Binary(_, left, right) => [left, right].into_iter().for_each(|it| in_range(it)),
        Expr::Choose(condition, yes, no) => [condition, yes, no].into_iter().for_each(|it| in_range(it)),
        Expr::Load(index) => {
            in_range(index);
            let inner = std::mem::replace(&mut **index, Expr::Number(0));
            **index = Expr::Binary("&", Box::new(inner), Box::new(Expr::Number(N_CELLS - 1)));
        }
    }
}

/// The value of a cell of the table.
pub(crate) fn cell(nth: i32) -> i32 {
    (nth.wrapping_mul(0x9E37_79B1_u32 as i32) >> 27).wrapping_add(4)
}
