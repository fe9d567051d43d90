//! The types that statements ask for.

use ir::{Elem, ElemSet};
use report::{ItemKind, TextRange};

use super::exprs::operands;
use super::{Infer, LikeField};
use crate::layout::PartStep;
use crate::ty::{self, Ty};
use crate::{
    BinOp, Block, Expr, ExprId, LocalId, LocalKind, Name, Over, Range, Stmt, StmtId, Subscript, updated_outside,
};
use crate::{elements, errors};

impl Infer<'_, '_> {
    pub(super) fn block(&mut self, block: &Block) {
        for &stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let body = self.body;
        match &body.stmts[id] {
            Stmt::Broken(exprs, block) => {
                exprs.iter().for_each(|&expr| _ = self.expr(expr));
                self.block(block);
            }
            Stmt::Define(local, value) => {
                self.define(*local, *value);
                self.starts_again(*value, false);
            }
            Stmt::Assign { target, op, value } => {
                self.assign(*target, *op, *value);
                self.starts_again(*value, false);
            }
            Stmt::Expr(expr) => {
                let n_findings = self.out.findings.len();
                let ty = self.expr_or_nothing(*expr);
                let pure = match &body.exprs[*expr] {
                    Expr::Call(callee, _) => match &body.exprs[*callee] {
                        Expr::Builtin(builtin) => !builtin.get().shape.stores(),
                        _ => false,
                    },
                    Expr::Cast(..) => true,
                    _ => false,
                };
                if pure && !matches!(ty, Ty::Error | Ty::Nothing) {
                    self.find(errors::no_effect(self.at(*expr)));
                } else if self.out.findings.len() == n_findings {
                    self.starts_again(*expr, true);
                }
            }
            Stmt::For { index, over, body, .. } => {
                match over {
                    Over::Range(range) => self.index_of(*index, range),
                    Over::Elements(array) => self.element_of(*index, *array),
                }
                self.block(body);
            }
            Stmt::Foreach { indices, body, .. } => {
                for (index, range) in indices {
                    self.index_of(*index, range);
                }
                let outer = std::mem::replace(&mut self.in_foreach, true);
                let around = self.foreach.replace((id, self.map.stmts[id]));
                self.block(body);
                self.foreach = around;
                self.in_foreach = outer;
                self.check_shared(id, body, indices.len() == 1);
            }
            Stmt::While { condition, body, .. } => {
                self.condition(*condition);
                self.block(body);
            }
            Stmt::If { condition, then_block, else_block, .. } => {
                self.condition(*condition);
                self.block(then_block);
                self.block(else_block);
            }
            Stmt::Break | Stmt::Continue | Stmt::Pass => {}
            Stmt::Return(value) => self.returns(*value),
            Stmt::Assert(condition) => self.condition(*condition),
        }
    }

    /// Checks that a `foreach` updates nothing from outside but scalars. How it may update those shows when its lanes are known.
    fn check_shared(&mut self, id: StmtId, block: &Block, single: bool) {
        for (local, target) in updated_outside(self.body, block) {
            let ty = self.out.locals.get(local).cloned().unwrap_or(Ty::Error);
            let ty = self.table.shallow(&ty);
            if !matches!(ty, Ty::Array(..) | Ty::Fn(..)) {
                continue;
            }
            let word = self.map.header_of(id).and_then(|header| header.word).unwrap_or(self.map.stmts[id]);
            let name = self.body.locals[local].name.clone();
            let (at, defined) = (self.at(target), self.map.locals[local]);
            self.find(errors::foreach_update(&errors::Shared { at, name: &name, defined, word, single }));
        }
    }

    /// Finds a `compress_store` that starts at one place for all groups of lanes, so that each stores over what the one before has stored.
    fn starts_again(&mut self, expr: ExprId, is_thrown_away: bool) {
        let (Expr::Call(callee, args), Some(foreach)) = (&self.body.exprs[expr], self.foreach) else { return };
        let Expr::Builtin(builtin) = &self.body.exprs[*callee] else { return };
        let [array, at, _] = args[..] else { return };
        if builtin.get().shape != crate::builtins::TypeRule::CompressStore
            || !self.is_one_array(array, foreach)
            || !self.is_one_place(at, foreach)
        {
            return;
        }
        let finding = errors::starts_again(self.at(expr), self.at(at), is_thrown_away);
        self.find(match self.counter(at) {
            Some(name) if is_thrown_away => errors::with_growing_start(finding, self.at(expr), name),
            _ => finding,
        });
    }

    /// The name of a variable that can take the counts of what is stored.
    fn counter(&self, start: ExprId) -> Option<&Name> {
        let Expr::Local(local) = self.body.exprs[start] else { return None };
        let data = &self.body.locals[local];
        let ty = self.out.locals.get(local).map(|ty| self.table.shallow(ty));
        let is_variable = data.updated || matches!(data.kind, LocalKind::Let | LocalKind::Assigned);
        (is_variable && matches!(ty, Some(Ty::Scalar(Elem::I32) | Ty::Var(_)))).then_some(&data.name)
    }

    /// Finds out whether an array, or a row of one, surely is the same for each group of lanes of a `foreach`.
    fn is_one_array(&self, expr: ExprId, foreach: (StmtId, TextRange)) -> bool {
        match &self.body.exprs[expr] {
            Expr::Index(base, subscripts) => {
                let is_fixed = |at: &Subscript| matches!(at, Subscript::At(at) if self.is_one_place(*at, foreach));
                self.is_one_array(*base, foreach) && subscripts.iter().all(is_fixed)
            }
            _ => self.is_one_place(expr, foreach),
        }
    }

    /// Finds out whether an expression surely is the same for each group of lanes of a `foreach`: it is made of numbers and of
    /// scalars that are defined outside and that the `foreach` does not update.
    fn is_one_place(&self, expr: ExprId, foreach: (StmtId, TextRange)) -> bool {
        let updates = |local: LocalId| match &self.body.stmts[foreach.0] {
            Stmt::Foreach { body, .. } => updated_outside(self.body, body).iter().any(|(other, _)| *other == local),
            _ => false,
        };
        match &self.body.exprs[expr] {
            Expr::Literal(_) | Expr::Item(ItemKind::Const, _) => true,
            Expr::Local(local) => !foreach.1.contains_range(self.map.locals[*local]) && !updates(*local),
            Expr::Unary(_, operand) => self.is_one_place(*operand, foreach),
            Expr::Binary(_, lhs, rhs) => self.is_one_place(*lhs, foreach) && self.is_one_place(*rhs, foreach),
            Expr::Cast(_, args) => args.iter().all(|&arg| self.is_one_place(arg, foreach)),
            _ => false,
        }
    }

    fn define(&mut self, local: LocalId, value: ExprId) {
        let ty = self.expr(value);
        let ty = match &self.body.locals[local].ty {
            Some(written) => {
                let wanted = self.type_ref(written);
                self.expect_cells(value, &ty, &wanted, written.at);
                wanted
            }
            None => ty,
        };
        if self.is_array(&ty) {
            self.out.locals.insert(local, ty);
            return;
        }
        let is_float = matches!(self.table.shallow(&ty), Ty::Scalar(elem) if elem.is_float());
        if !self.body.locals[local].updated
            && !is_float
            && let Some(size) = self.size_of(value)
        {
            self.known_sizes.insert(local, size);
        }
        self.out.locals.insert(local, ty);
    }

    /// A value has the type that is written, or it is the one that all cells of an array have.
    pub(super) fn expect_cells(&mut self, value: ExprId, ty: &Ty, wanted: &Ty, written: TextRange) {
        match wanted {
            Ty::Array(element, _) if self.body.exprs[value] == Expr::Zero => {
                self.out.exprs.insert(value, (**element).clone());
            }
            Ty::Array(element, _) if self.is_single(ty) => self.expect_written(value, ty, element, written),
            wanted => self.expect_written(value, ty, wanted, written),
        }
    }

    fn assign(&mut self, target: ExprId, op: Option<BinOp>, value: ExprId) {
        if let Some(mask) = self.mask_of(target) {
            self.store_where(target, mask, (op, value));
            return;
        }
        let target_type = self.expr(target);
        let value_type = self.expr(value);
        if !self.assignable(target) {
            return;
        }
        if let Some(field) = self.sliced_field(target) {
            self.find(errors::slice_of_field(self.at(target), &field));
            return;
        }
        if !matches!(self.body.exprs[target], Expr::Local(_)) && self.is_held(value) && self.is_array(&target_type) {
            self.find(errors::stores_arrays_at_once(self.at(target)));
            return;
        }
        if let Some(op) = op
            && let Some(made) = self.on_structs(target, value, op, (target, &target_type), (value, &value_type))
        {
            self.table.site = Some(value);
            if made != Ty::Error && self.table.unify(&target_type, &made).is_err() {
                let value = self.side(value, &made, &Ty::Error);
                self.find(errors::assigned(self.side(target, &target_type, &Ty::Error), value, None));
            }
            return;
        }
        if let Some(op) = op {
            let set = operands(op);
            for (operand, ty) in [(target, &target_type), (value, &value_type)] {
                let element = self.element(ty);
                self.table.site = Some(value);
                if self.table.narrow(&element, set).is_err() {
                    let (shown, origin) = (self.show(ty), self.origin(operand));
                    let text = format!("{}=", op.text());
                    self.find(errors::operand_type(self.at(operand), &text, &ty::describe(set), &shown, None, origin));
                    return;
                }
            }
        }
        let names = matches!(self.body.exprs[target], Expr::Local(_)) && op.is_none();
        if names && self.is_single(&value_type) && self.is_array(&target_type) {
            let (target, value) =
                (self.side(target, &target_type, &Ty::Error), self.side(value, &value_type, &Ty::Error));
            self.find(errors::scalar_to_array(target, value));
            return;
        }
        // One value can be written to all elements of a slice or a row.
        let wanted = match (self.table.shallow(&target_type), self.table.shallow(&value_type)) {
            (Ty::Array(element, _), Ty::Scalar(_) | Ty::Struct(_) | Ty::Var(_)) => *element,
            (target, _) => target,
        };
        self.table.site = Some(value);
        match self.table.unify(&wanted, &value_type) {
            Ok(assumed) => self.assume(value, assumed),
            Err(clash) => {
                let sizes = self.show_clash(&clash);
                let (target, value) = (self.side(target, &wanted, &Ty::Error), self.side(value, &value_type, &wanted));
                self.find(errors::assigned(target, value, sizes));
            }
        }
    }

    /// The name of the field that is an array, and of which an assignment names a slice. Reading one makes an array of its own, so there
    /// is nothing that could be stored to.
    fn sliced_field(&self, target: ExprId) -> Option<Name> {
        let mut at = target;
        while let Expr::Index(inner, _) | Expr::Field(inner, _) = &self.body.exprs[at] {
            let is_slice = |subscript: &Subscript| matches!(subscript, Subscript::Slice { .. });
            if let Expr::Index(_, subscripts) = &self.body.exprs[at]
                && subscripts.iter().any(is_slice)
                && let Some(PartStep::Field(name)) = self
                    .body
                    .part_of_struct(*inner, &self.out.like_fields)
                    .1
                    .iter()
                    .rev()
                    .find(|it| matches!(it, PartStep::Field(_)))
            {
                return Some((*name).clone());
            }
            at = *inner;
        }
        None
    }

    /// A value that an array may hold in each of its cells.
    pub(super) fn is_single(&self, ty: &Ty) -> bool {
        match self.table.shallow(ty) {
            Ty::Scalar(_) | Ty::Struct(_) => true,
            Ty::Var(var) => self.table.scalars(var).is_some(),
            _ => false,
        }
    }

    /// A value of an assignment to several targets.
    fn is_held(&self, value: ExprId) -> bool {
        match self.body.exprs[value] {
            Expr::Local(local) => self.body.locals[local].kind == LocalKind::Held,
            Expr::Part { tuple, .. } => self.is_held(tuple),
            _ => false,
        }
    }

    /// The target of an assignment is a place: a variable, or a part of an array that has a name.
    fn assignable(&mut self, target: ExprId) -> bool {
        let mut base = target;
        loop {
            match &self.body.exprs[base] {
                Expr::Field(..) if let Some(meant) = self.out.like_fields.get(&base) => {
                    let finding = match meant {
                        LikeField::Swizzle(_) => errors::assigned_swizzle(self.at(target)),
                        LikeField::OfTuple { .. } => errors::assigned_in_tuple(self.at(target)),
                    };
                    self.find(finding);
                    return false;
                }
                Expr::Index(inner, _) | Expr::Field(inner, _) => base = *inner,
                // The names of parameters and indices were looked at when they were resolved.
                Expr::Local(local) if base == target => {
                    let data = &self.body.locals[*local];
                    return data.updated || matches!(data.kind, LocalKind::Let | LocalKind::Assigned);
                }
                Expr::Local(local) => {
                    let data = &self.body.locals[*local];
                    let (name, kind, defined) = (data.name.clone(), data.kind, self.map.locals[*local]);
                    let fixed = !data.updated && !matches!(kind, LocalKind::Let | LocalKind::Assigned);
                    let is_struct = self.out.locals.get(*local).map(|ty| self.table.shallow(ty));
                    if fixed && matches!(is_struct, Some(Ty::Struct(_))) {
                        let finding = errors::assign_to_fixed(self.at(base), &name, kind, defined);
                        self.find(match elements::by_number(self.body, self.map, *local) {
                            Some(by_number) => errors::with_index(finding, by_number),
                            None => finding,
                        });
                        return false;
                    }
                    return true;
                }
                Expr::Item(kind, name) => {
                    let (kind, name) = (*kind, name.clone());
                    if kind == ItemKind::Const && base != target {
                        let finding = errors::writes_constant(self.at(target), &name);
                        self.find(match self.copy_of_constant(&name) {
                            Some((copy, before, uses)) => errors::with_copy(finding, &name, &copy, before, &uses),
                            None => finding,
                        });
                    } else if matches!(kind, ItemKind::Const | ItemKind::Fn) {
                        self.find(errors::assign_to_item(self.at(target), &name, kind));
                    }
                    return false;
                }
                // The parser has said that this is no place.
                _ if base == target => return false,
                Expr::Missing => return false,
                _ => {
                    self.find(errors::not_a_place(self.at(target)));
                    return false;
                }
            }
        }
    }

    /// A name for a copy of a constant array, the statement that the copy goes before, and what names the constant from there on.
    fn copy_of_constant(&self, constant: &Name) -> Option<(String, TextRange, Vec<TextRange>)> {
        let &first = self.body.block.first()?;
        // A lone statement may stand on the line of the header, unless it has a block.
        let has_block = matches!(
            self.body.stmts[first],
            Stmt::For { .. } | Stmt::Foreach { .. } | Stmt::While { .. } | Stmt::If { .. }
        );
        if self.body.in_doubt || self.body.block.len() == 1 && !has_block {
            return None;
        }
        let is_free = |copy: &String| {
            self.body.locals.iter().all(|(_, other)| *other.name != **copy)
                && self.env.kind_of(&Name::from(&**copy)).is_none()
        };
        let copy =
            std::iter::successors(Some(constant.to_lowercase()), |last| Some(format!("{last}_"))).find(is_free)?;
        let first = self.map.stmts[first];
        let names_it = |expr: &Expr| matches!(expr, Expr::Item(ItemKind::Const, name) if name == constant);
        // A variable that is defined as the constant has a copy of its own already.
        let is_copied = |id| self.body.stmts.iter().any(|(_, it)| matches!(it, Stmt::Define(_, value) if *value == id));
        let uses = self.body.exprs.iter().filter(|&(id, expr)| names_it(expr) && !is_copied(id));
        let uses = uses.map(|(id, _)| self.at(id));
        Some((copy, first, uses.filter(|at| at.start() >= first.start()).collect()))
    }

    fn index_of(&mut self, index: LocalId, range: &Range) {
        let parts = [
            range.start.map(|expr| (expr, "the start of a range")),
            Some((range.stop, "the end of a range")),
            range.step.map(|expr| (expr, "the step of a range")),
        ];
        let mut first: Option<(ExprId, Ty)> = None;
        let mut whole = true;
        for (expr, what) in parts.into_iter().flatten() {
            let ty = self.expr(expr);
            if self.integer(expr, &ty, what).is_err() {
                whole = false;
                continue;
            }
            match first.clone() {
                None => first = Some((expr, ty)),
                Some((other, other_type)) => {
                    whole &= self.same(expr, "the parts of a range", (other, &other_type), (expr, &ty)) != Ty::Error;
                }
            }
        }
        let ty = match first {
            Some((_, ty)) if whole => ty,
            _ => self.table.integer(),
        };
        self.out.locals.insert(index, ty);
    }

    /// A loop over the elements of an array; of what is none, the index was most likely meant.
    fn element_of(&mut self, element: LocalId, array: ExprId) {
        let ty = self.expr(array);
        let number = match (self.table.shallow(&ty), &self.body.exprs[array]) {
            (Ty::Scalar(scalar), _) => Some(scalar.is_integer()),
            (Ty::Var(var), Expr::Local(_)) => {
                Some(self.table.scalars(var).is_none_or(|set| !set.and(ElemSet::INTEGERS).is_empty()))
            }
            (Ty::Var(var), _) => self.table.scalars(var).map(|set| !set.and(ElemSet::INTEGERS).is_empty()),
            _ => None,
        };
        let ty = match number {
            Some(counts) => {
                let counts = counts && self.table.narrow(&ty, ElemSet::INTEGERS).is_ok();
                let side = self.side(array, &ty, &Ty::Error);
                self.find(errors::over_no_array(side, counts));
                if counts { ty } else { Ty::Error }
            }
            None => self.elements(array).map_or(Ty::Error, |(element, _)| element),
        };
        self.out.locals.insert(element, ty);
    }

    fn returns(&mut self, value: Option<ExprId>) {
        let Some(value) = value else { return };
        let ty = self.expr(value);
        let Some(result) = self.result.clone() else { return };
        match &self.body.result {
            Some(written) => self.expect_written(value, &ty, &result, written.at),
            None => {
                let first = self.first_returned().unwrap_or(value);
                self.same(value, "the values that are returned", (first, &result), (value, &ty));
            }
        }
    }

    fn first_returned(&self) -> Option<ExprId> {
        self.body.stmts.iter().find_map(|(_, stmt)| match stmt {
            Stmt::Return(value) => *value,
            _ => None,
        })
    }

    /// A kernel gives a scalar, or nothing.
    pub(super) fn kernel_result(&mut self) {
        if self.kind != ItemKind::Kernel {
            return;
        }
        let Some(result) = self.result.clone() else { return };
        if !matches!(self.table.shallow(&result), Ty::Scalar(_) | Ty::Var(_) | Ty::Error) {
            let shown = self.show(&result);
            let returned = || self.first_returned().map(|value| self.at(value));
            let at = self.body.result.as_ref().map(|written| written.at).or_else(returned).unwrap_or(self.map.header);
            let several = matches!(self.table.shallow(&result), Ty::Struct(_) | Ty::Tuple(_));
            let finding = errors::result_not_scalar(at, &shown, several);
            let finding = match self.returned_parameter().filter(|_| self.is_array(&result)) {
                Some((name, edits)) => errors::gives_parameter(finding, &name, edits),
                None => match self.through_parameter(&result) {
                    Some((name, edits)) => errors::through_parameter(finding, name, edits),
                    None => finding,
                },
            };
            self.find(finding);
            self.result = Some(Ty::Error);
        }
    }
}
