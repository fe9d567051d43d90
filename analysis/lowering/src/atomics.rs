//! Atomic operations, and requests to bring cells into the cache.

use ir::{AtomicRule, Attr, Code, Type};

use super::{Lower, Lowered};
use hir::ExprId;

impl Lower<'_> {
    /// A call of `atomic_add` and its like. Where nobody asks for what the cell held, the order of integers' operations is free.
    pub(super) fn atomic(&mut self, expr: ExprId, (rule, code): (AtomicRule, Code), args: &[ExprId]) -> Lowered {
        let ty = self.type_of(expr);
        let &[array, at, value] = args else { return self.unknown_of(&ty) };
        let array = self.expr(array);
        let (at, value) = (self.scalar(at), self.scalar(value));
        let place = self.at(expr);
        self.set_place(place);
        let Lowered::View(view) = array else { return self.unknown_of(&ty) };
        if self.refuses_stores(place, view) {
            return self.unknown_of(&ty);
        }
        let is_statement = self.frame().body.is_statement(expr);
        let is_free = is_statement && ty.scalar().is_some_and(|elem| rule.commutes(elem));
        let attr = if is_free { Attr::FreeOrder } else { Attr::None };
        let result = self.scalar_type(expr);
        Lowered::Scalar(self.op(code, attr, &[view, at, value], result))
    }

    /// A call of `prefetch`. Of an array of structs or of rows, the first cell of the element is asked for.
    pub(super) fn prefetch(&mut self, expr: ExprId, args: &[ExprId]) -> Lowered {
        let &[array, at] = args else { return Lowered::Nothing };
        let array = self.expr(array);
        let at = self.scalar(at);
        let place = self.at(expr);
        self.set_place(place);
        if let Lowered::View(mut view) = array {
            if self.b.kernel().ty(view).elem().is_none() {
                view = self.op(Code::Field, Attr::Field(0), &[view], Type::view(ir::Elem::F32, 1));
            }
            let zero = self.constant(ir::Scalar::I32(0));
            let rank = usize::from(self.b.kernel().ty(view).rank());
            let mut operands = vec![view, at];
            operands.resize(1 + rank, zero);
            let _ = self.b.try_fitting(Code::Prefetch, Attr::None, &operands);
        }
        Lowered::Nothing
    }
}
