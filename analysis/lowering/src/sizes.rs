//! Sizes of arrays as values and as the sizes of parameters.

use ir::{Attr, Code, Origin, Scalar as Constant, SizeOperator, Type, Value};
use report::TextRange;

use super::arrays::columns;
use super::{Lower, Lowered, Var};
use hir::LocalId;
use hir::size::{Atom, Size, SizeOp};
use hir::ty::Ty;

/// The type in which sizes are computed.
pub(super) const INDEX: Type = Type::scalar(ir::Elem::I64);

impl Lower<'_> {
    /// The size of a dimension of a parameter of the kernel.
    pub(super) fn param_size(&mut self, size: &Size) -> ir::DimSize {
        self.ir_size(size).unwrap_or(ir::DimSize::Own)
    }

    fn is_integer(&self, value: ir::Value) -> bool {
        self.b.kernel().ty(value).data_elem().is_some_and(ir::Elem::is_integer)
    }

    /// `None` for a size that nothing is known about.
    fn ir_size(&self, size: &Size) -> Option<ir::DimSize> {
        let mut sum: Option<ir::DimSize> = None;
        for (atoms, factor) in size.terms() {
            let mut product: Option<ir::DimSize> = None;
            for atom in atoms {
                let atom = match atom {
                    Atom::Local(local) => match self.vars.get(&self.local_var(*local)) {
                        Some(Lowered::Scalar(value)) if self.is_integer(*value) => ir::DimSize::Param(*value),
                        _ => return None,
                    },
                    Atom::Op(op, a, b) => join(operator(*op), Some(self.ir_size(a)?), self.ir_size(b)?),
                    _ => return None,
                };
                product = Some(join(SizeOperator::Mul, product, atom));
            }
            let term = match product {
                None => ir::DimSize::Constant(factor),
                Some(product) if factor == 1 => product,
                Some(product) => join(SizeOperator::Mul, Some(ir::DimSize::Constant(factor)), product),
            };
            sum = Some(join(SizeOperator::Add, sum, term));
        }
        Some(sum.unwrap_or(ir::DimSize::Constant(0)))
    }

    /// A size of the current function as a value, where its parts are known as values.
    pub(super) fn size_value(&mut self, size: &Size) -> Option<Value> {
        let mut sum: Option<Value> = None;
        for (atoms, factor) in size.terms() {
            let mut product = (factor != 1 || atoms.is_empty()).then(|| self.constant(Constant::I64(factor)));
            for atom in atoms {
                let atom = self.atom_value(atom)?;
                product = Some(match product {
                    None => atom,
                    Some(product) => self.op(Code::WrappingMul, Attr::None, &[product, atom], INDEX),
                });
            }
            let term = product?;
            sum = Some(match sum {
                None => term,
                Some(sum) => self.op(Code::WrappingAdd, Attr::None, &[sum, term], INDEX),
            });
        }
        Some(sum.unwrap_or_else(|| self.constant(Constant::I64(0))))
    }

    /// Says whether a size has a value, without computing it.
    fn knows(&self, size: &Size) -> bool {
        let is_scalar = |local: LocalId| matches!(self.vars.get(&self.local_var(local)), Some(Lowered::Scalar(_)));
        let is_unknown = |atom: &Atom| match atom {
            Atom::Local(local) => !is_scalar(*local),
            Atom::Param(n) => self.frame().body.params.get(*n as usize).is_none_or(|&param| !is_scalar(param)),
            Atom::Own(local, _) => self.vars.get(&self.local_var(*local)).is_none_or(|array| columns(array).is_empty()),
            Atom::Generic(_) | Atom::Given(_) | Atom::Unknown(_) | Atom::Var(_) => true,
            // Its parts are asked.
            Atom::Op(..) => false,
        };
        !size.any(&is_unknown)
    }

    fn atom_value(&mut self, atom: &Atom) -> Option<Value> {
        match atom {
            Atom::Local(local) => match self.vars.get(&self.local_var(*local)) {
                Some(&Lowered::Scalar(value)) => Some(self.op(Code::Index, Attr::None, &[value], INDEX)),
                _ => None,
            },
            // A signature names parameters, and the function's own sizes, by their numbers.
            Atom::Param(n) => {
                let param = *self.frame().body.params.get(*n as usize)?;
                self.atom_value(&Atom::Local(param))
            }
            Atom::Generic(n) => {
                let body = self.frame().body.clone();
                let mut own = body.locals.iter().filter(|(_, local)| local.kind == hir::LocalKind::Size);
                let (local, _) = own.nth(*n as usize)?;
                self.atom_value(&Atom::Local(local))
            }
            Atom::Own(local, dim) => {
                let view = *columns(self.vars.get(&self.local_var(*local))?).first()?;
                Some(self.op(Code::Size, Attr::Number(i64::from(*dim)), &[view], INDEX))
            }
            Atom::Given(n) => {
                let (number, size) = self.frame().given.get(*n as usize)?.clone();
                let caller = self.frames.iter().rposition(|frame| frame.number == number)?;
                let inner = self.frames.split_off(caller + 1);
                let value = self.size_value(&size);
                self.frames.extend(inner);
                value
            }
            Atom::Op(op, a, b) => {
                let (a, b) = (self.size_value(a)?, self.size_value(b)?);
                Some(self.size_quotient(*op, a, b))
            }
            _ => None,
        }
    }

    /// A quotient or remainder of sizes. Where 0 divides, it is -1: no array has that size, so whatever it is compared
    /// with, the sizes differ.
    fn size_quotient(&mut self, op: SizeOp, a: Value, b: Value) -> Value {
        let code = match op {
            SizeOp::Div => Code::Div,
            SizeOp::FloorDiv => Code::FloorDiv,
            SizeOp::Rem => Code::Rem,
        };
        let [none, zero, one] = [-1, 0, 1].map(|n| self.constant(Constant::I64(n)));
        if self.b.kernel().as_const(b).is_some_and(|b| b != Constant::I64(0)) {
            return self.op(code, Attr::None, &[a, b], INDEX);
        }
        let by_zero = self.op(Code::Eq, Attr::None, &[b, zero], Type::scalar(ir::Elem::Bool));
        let divisor = self.op(Code::Select, Attr::None, &[by_zero, one, b], INDEX);
        let quotient = self.op(code, Attr::None, &[a, divisor], INDEX);
        self.op(Code::Select, Attr::None, &[by_zero, none, quotient], INDEX)
    }

    /// The number that a size is, if it is that of a parameter whose type says it.
    pub(super) fn known_size(&self, size: Value) -> Option<i128> {
        let kernel = self.b.kernel();
        let data = &kernel.ops[kernel.def_op(size)?];
        match (data.code, &data.attr) {
            (Code::Cast, _) => self.known_size(data.operands[0]),
            (Code::Size, Attr::Number(dim)) => {
                let param = kernel.params.iter().find(|param| param.value == data.operands[0])?;
                match param.sizes.get(*dim as usize)? {
                    ir::DimSize::Constant(size) => Some((*size).into()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Checks that two arrays have the same sizes along their first dimensions, where their types leave that open. Sizes that types have
    /// formulas for were compared by these.
    pub(super) fn check_same(&mut self, at: TextRange, n_dims: usize, a: (&Ty, &Lowered), b: (&Ty, &Lowered)) {
        let ((Ty::Array(_, own), a), (Ty::Array(_, others), b)) = (a, b) else { return };
        let (a, b) = (columns(a), columns(b));
        let (Some(&a), Some(&b)) = (a.first(), b.first()) else { return };
        self.set_place(at);
        for (dim, (own, other)) in own.iter().zip(others).enumerate().take(n_dims) {
            let is_known = own.minus(other).is_some_and(|difference| difference.as_constant() == Some(0))
                || self.knows(own) && self.knows(other);
            if !is_known {
                let sizes = [a, b].map(|array| self.op(Code::Size, Attr::Number(dim as i64), &[array], INDEX));
                let _ = self.b.try_fitting(Code::AssertSize, Attr::None, &sizes);
            }
        }
    }

    /// Checks an array of which its type does not know everything against the sizes that are asked for, and so the parts of a tuple.
    pub(super) fn check_known(&mut self, at: TextRange, asked: &Ty, (ty, value): (&Ty, &Lowered)) {
        match (asked, ty, value) {
            (Ty::Array(_, asked), ..) => self.check_known_sizes(at, asked, (ty, value)),
            (Ty::Tuple(asked), Ty::Tuple(types), Lowered::Tuple(parts)) => {
                for ((asked, ty), part) in asked.iter().zip(types.iter()).zip(parts) {
                    self.check_known(at, asked, (ty, part));
                }
            }
            _ => {}
        }
    }

    /// Checks an array of which its type does not know everything against sizes.
    pub(super) fn check_known_sizes(&mut self, at: TextRange, asked: &[Size], (ty, array): (&Ty, &Lowered)) {
        if ty.has_unknown_size() {
            self.set_place(at);
            self.check_sizes_of(asked, array);
        }
    }

    fn check_sizes_of(&mut self, asked: &[Size], array: &Lowered) {
        let Some(&array) = columns(array).first() else { return };
        for (dim, asked) in asked.iter().enumerate() {
            let Some(asked) = self.size_value(asked) else { continue };
            let size = self.op(Code::Size, Attr::Number(dim as i64), &[array], INDEX);
            let _ = self.b.try_fitting(Code::AssertSize, Attr::None, &[asked, size]);
        }
    }

    /// Checks the arguments of a call, given by their types and origins, against the sizes that are written at the function's parameters,
    /// whose frame is open, if the types do not know everything. An error is at the argument.
    pub(super) fn check_params(&mut self, given: &[(Ty, Origin)]) {
        if !given.iter().any(|(ty, _)| ty.has_unknown_size()) {
            return;
        }
        let body = self.frame().body.clone();
        let number = self.frame().number;
        for (&param, &(_, origin)) in body.params.iter().zip(given) {
            if body.locals[param].ty.is_none() {
                continue;
            }
            let asked = self.frame().inference.locals.get(param).cloned();
            let (Some(Ty::Array(_, asked)), Some(array)) = (asked, self.vars.get(&Var::Local(number, param)).cloned())
            else {
                continue;
            };
            self.b.set_origin(origin);
            self.check_sizes_of(&asked, &array);
        }
    }

    /// Gives the sizes that stand in sums alone, the `n` of `a: f32[2 * n + 1]`, the value with which the sum is the size of the array. An
    /// array with which there is none has another size than is written.
    pub(super) fn solve_sizes(&mut self, given: &[(Ty, Origin)]) {
        let body = self.frame().body.clone();
        let number = self.frame().number;
        for (&param, &(_, origin)) in body.params.iter().zip(given) {
            let Some(Ty::Array(_, sizes)) = self.frame().inference.locals.get(param).cloned() else { continue };
            let arrays = self.vars.get(&Var::Local(number, param)).map(columns).unwrap_or_default();
            let Some(&view) = arrays.first() else { continue };
            for (dim, size) in sizes.iter().enumerate() {
                let is_open = |local: LocalId| {
                    body.locals[local].kind == hir::LocalKind::Size
                        && !self.vars.contains_key(&Var::Local(number, local))
                };
                let Some((local, factor, rest)) = size.solved(&is_open) else { continue };
                self.b.set_origin(origin);
                let Some(rest) = self.size_value(&rest) else { continue };
                let factor = self.constant(Constant::I64(factor));
                let whole = self.op(Code::Size, Attr::Number(dim as i64), &[view], INDEX);
                let product = self.op(Code::WrappingSub, Attr::None, &[whole, rest], INDEX);
                let value = self.op(Code::Div, Attr::None, &[product, factor], INDEX);
                let back = self.op(Code::WrappingMul, Attr::None, &[value, factor], INDEX);
                let wanted = self.op(Code::WrappingAdd, Attr::None, &[back, rest], INDEX);
                let _ = self.b.try_fitting(Code::AssertSize, Attr::None, &[wanted, whole]);
                self.bind_size(local, value);
            }
        }
    }

    fn bind_size(&mut self, local: LocalId, value: Value) {
        let wanted = self.local_type(local).scalar().unwrap_or(ir::Elem::I32);
        let value = match wanted {
            ir::Elem::I64 => value,
            wanted => self.op(Code::Cast, Attr::Elem(wanted), &[value], Type::scalar(wanted)),
        };
        let var = self.local_var(local);
        self.vars.insert(var, Lowered::Scalar(value));
    }

    /// Gives the sizes that a function's parameter types introduce their values: each is the size of some dimension.
    pub(super) fn bind_sizes(&mut self) {
        let body = self.frame().body.clone();
        let number = self.frame().number;
        for &param in &body.params {
            // Its own type: one that a call gives it names sizes of the caller.
            let Some(Ty::Array(_, sizes)) = self.frame().inference.locals.get(param).cloned() else { continue };
            let arrays = self.vars.get(&Var::Local(number, param)).map(columns).unwrap_or_default();
            let Some(&view) = arrays.first() else { continue };
            for (dim, size) in sizes.iter().enumerate() {
                let Some(local) = size.as_local() else { continue };
                let var = Var::Local(number, local);
                if self.vars.contains_key(&var) || body.locals[local].kind != hir::LocalKind::Size {
                    continue;
                }
                let i64 = Type::scalar(ir::Elem::I64);
                let value = self.op(Code::Size, Attr::Number(dim as i64), &[view], i64);
                self.bind_size(local, value);
            }
        }
    }
}

fn operator(op: SizeOp) -> SizeOperator {
    match op {
        SizeOp::Div => SizeOperator::Div,
        SizeOp::FloorDiv => SizeOperator::FloorDiv,
        SizeOp::Rem => SizeOperator::Rem,
    }
}

fn join(operator: SizeOperator, a: Option<ir::DimSize>, b: ir::DimSize) -> ir::DimSize {
    match a {
        None => b,
        Some(a) => ir::DimSize::Arithmetic(operator, Box::new(a), Box::new(b)),
    }
}
