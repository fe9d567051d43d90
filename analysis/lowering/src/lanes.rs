//! Loops whose iterations run together, and the operations of their lanes.
//!
//! A `foreach` that uses lane operations, itself or by the functions that it calls, runs its iterations together. Its
//! body stays scalar: the operations become ops that ask the lanes active where they stand (see [`ir::ops`]).

use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};
use report::ItemKind;

use super::arrays::columns;
use super::sizes::INDEX;
use super::{Lower, Lowered};
use hir::builtins::{Builtin, Means};
use hir::walk;
use hir::walk::Met;
use hir::{Block, Expr, ExprId, Name, Stmt};

/// The number of lanes that run together, if `@lanes` does not say.
const DEFAULT_LANES: u16 = 16;

/// The largest number of lanes that `@lanes` can ask for.
const MAX_LANES: u16 = 64;

impl Lower<'_> {
    /// Returns the number of iterations of a `foreach` that run together, if its body uses lane operations.
    pub(super) fn lanes_together(&self, block: &Block, said: Option<u16>) -> Option<u16> {
        self.uses_lanes(block).then(|| said.unwrap_or(DEFAULT_LANES).clamp(1, MAX_LANES))
    }

    /// Finds out whether the statements of a block use lane operations. What an inner `foreach` does counts for that one.
    pub(super) fn uses_lanes(&self, block: &Block) -> bool {
        let (body, types) = (&self.frame().body, &self.frame().inference);
        let mut uses = false;
        walk::block(body, block, &mut |met| match met {
            Met::Stmt(stmt) => !uses && !matches!(body.stmts[stmt], Stmt::Foreach { .. }),
            Met::Expr(expr) => {
                uses |= match &body.exprs[expr] {
                    Expr::Builtin(builtin) => builtin.get().crosses_lanes && !types.of_arrays.contains(&expr),
                    Expr::Item(ItemKind::Fn, name) => self.function_uses_lanes(name),
                    _ => false,
                };
                !uses
            }
        });
        uses
    }

    fn function_uses_lanes(&self, name: &Name) -> bool {
        self.env.signature(self.home(), name).is_some_and(|signature| signature.crosses_lanes)
    }

    /// Lowers `lane_id` and `LANES`.
    pub(super) fn lane_value(&mut self, expr: ExprId, row: &Builtin) -> Lowered {
        match (self.lanes, row.means) {
            (Some(_), Means::LaneNumber) => {
                let at = self.at(expr);
                self.set_place(at);
                Lowered::Scalar(self.op(Code::LaneId, Attr::None, &[], Type::scalar(Elem::I32)))
            }
            (Some(lanes), Means::LaneCount) => Lowered::Scalar(self.constant(Constant::I32(lanes.into()))),
            // Outside of a `foreach` it is an error, which has been said.
            _ => {
                let ty = self.type_of(expr);
                if matches!(ty, hir::ty::Ty::Fn(..)) {
                    self.breaks(self.at(expr), hir::BrokenRule::LaneOperationValue);
                }
                self.unknown_of(&ty)
            }
        }
    }

    /// A call of a lane operation.
    pub(super) fn lane_operation(&mut self, expr: ExprId, row: &Builtin, args: &[ExprId]) -> Lowered {
        let ty = self.type_of(expr);
        if self.lanes.is_none() {
            return self.unknown_of(&ty);
        }
        let code = match row.means {
            Means::CompressStore => return self.compress_store(expr, args),
            Means::ExpandLoad => return self.expand_load(expr, args),
            Means::Vote(_, code) | Means::Joined(_, code) | Means::PrefixSum(code) | Means::Moved(_, code) => code,
            _ => return self.unknown_of(&ty),
        };
        let operands: Vec<_> = args.iter().map(|&arg| self.scalar(arg)).collect();
        let (at, result) = (self.at(expr), self.scalar_type(expr));
        self.set_place(at);
        Lowered::Scalar(self.op(code, Attr::None, &operands, result))
    }

    /// Stores side by side, and gives how many lanes did.
    fn compress_store(&mut self, expr: ExprId, args: &[ExprId]) -> Lowered {
        let ty = self.type_of(expr);
        let &[array, start, value] = args else { return self.unknown_of(&ty) };
        let array = self.expr(array);
        let start = self.scalar(start);
        let value = self.expr(value);
        let at = self.at(expr);
        self.set_place(at);
        match (array, value) {
            (Lowered::View(view), _) if self.refuses_stores(at, view) => return self.unknown_of(&ty),
            (Lowered::View(view), Lowered::Scalar(value)) => self.pack(view, start, value),
            (Lowered::View(view), Lowered::Struct(_, values)) => {
                for (number, value) in values.into_iter().enumerate() {
                    let Some(leaf) = self.leaf_in_memory(view, number) else { continue };
                    self.pack(leaf, start, value);
                }
            }
            (array, row) => self.pack_rows(array, start, row),
        }
        let yes = self.constant(Constant::Bool(true));
        Lowered::Scalar(self.op(Code::CountOn, Attr::None, &[yes], Type::scalar(Elem::I32)))
    }

    /// Stores whole rows side by side: each lane assigns its own.
    fn pack_rows(&mut self, array: Lowered, start: Value, row: Lowered) {
        let (array, row) = (self.in_columns(array), self.in_columns(row));
        let (into, from) = (columns(&array), columns(&row));
        let (Some(&first), Some(&own)) = (into.first(), from.first()) else { return };
        for dim in 0..i64::from(self.b.kernel().ty(own).rank()) {
            let sizes = [(first, dim + 1), (own, dim)];
            let sizes = sizes.map(|(array, dim)| self.op(Code::Size, Attr::Number(dim), &[array], INDEX));
            let _ = self.b.try_fitting(Code::AssertSize, Attr::None, &sizes);
        }
        let place = self.place_of_row(first, start);
        for (array, value) in into.into_iter().zip(from) {
            let row = self.op(Code::Row, Attr::Number(0), &[array, place], self.b.kernel().ty(array).of_element());
            let _ = self.b.try_fitting(Code::Assign, Attr::None, &[row, value]);
        }
    }

    /// A row for each lane, of those that lie side by side: a new array.
    fn unpack_row(&mut self, rows: &Lowered, start: Value) -> Lowered {
        let from = columns(rows);
        let Some(&first) = from.first() else { return Lowered::Nothing };
        let place = self.place_of_row(first, start);
        let own = from.iter().map(|&array| {
            let ty = self.b.kernel().ty(array).of_element();
            let row = self.op(Code::Row, Attr::Number(0), &[array, place], ty);
            self.op(Code::Cast, Attr::Elem(ty.elem().unwrap_or(Elem::F32)), &[row], ty)
        });
        let own: Vec<Value> = own.collect();
        self.array_of(rows, &own)
    }

    /// The index of each lane's row among those that lie side by side from a place on, of which the lanes think alike. That there are such
    /// is found out first, by the first cells; rows without cells are there.
    fn place_of_row(&mut self, rows: Value, start: Value) -> Value {
        let rank = self.b.kernel().ty(rows).rank() - 1;
        let [zero, one] = [0, 1].map(|number| self.constant(Constant::I64(number)));
        let mut n_cells = one;
        for dim in 1..=i64::from(rank) {
            let size = self.op(Code::Size, Attr::Number(dim), &[rows], INDEX);
            n_cells = self.op(Code::WrappingMul, Attr::None, &[n_cells, size], INDEX);
        }
        let has_cells = self.op(Code::Ne, Attr::None, &[n_cells, zero], Type::scalar(Elem::Bool));
        self.b.open_if(has_cells);
        let mut cells = rows;
        for _ in 0..rank {
            let ty = self.b.kernel().ty(cells).of_element();
            cells = self.op(Code::Row, Attr::Number(1), &[cells, zero], ty);
        }
        let elem = self.b.kernel().ty(cells).elem().unwrap_or(Elem::F32);
        self.op(Code::ExpandLoad, Attr::None, &[cells, start], Type::scalar(elem));
        self.b.close(&[]);
        let start = self.op(Code::Index, Attr::None, &[start], INDEX);
        let before = self.op(Code::ScanAdd, Attr::None, &[one], INDEX);
        self.op(Code::WrappingAdd, Attr::None, &[start, before], INDEX)
    }

    fn pack(&mut self, view: Value, start: Value, value: Value) {
        // Operands that do not fit are those of something that was not understood.
        let _ = self.b.try_fitting(Code::CompressStore, Attr::None, &[view, start, value]);
    }

    /// Elements that lie side by side, one for each lane.
    fn expand_load(&mut self, expr: ExprId, args: &[ExprId]) -> Lowered {
        let ty = self.type_of(expr);
        let &[array, start] = args else { return self.unknown_of(&ty) };
        let Lowered::View(view) = self.expr(array) else { return self.unknown_of(&ty) };
        let start = self.scalar(start);
        let at = self.at(expr);
        self.set_place(at);
        match &ty {
            hir::ty::Ty::Array(..) => {
                let rows = self.in_columns(Lowered::View(view));
                self.unpack_row(&rows, start)
            }
            hir::ty::Ty::Struct(name) => {
                let leaves = self.leaves_of(name);
                let values =
                    leaves.iter().enumerate().map(|(number, (_, elem))| match self.leaf_in_memory(view, number) {
                        Some(leaf) => self.op(Code::ExpandLoad, Attr::None, &[leaf, start], Type::scalar(Elem::F32)),
                        None => self.unknown(Type::scalar(*elem)),
                    });
                Lowered::Struct(name.clone(), values.collect())
            }
            _ => {
                let result = self.scalar_type(expr);
                Lowered::Scalar(self.op(Code::ExpandLoad, Attr::None, &[view, start], result))
            }
        }
    }
}
