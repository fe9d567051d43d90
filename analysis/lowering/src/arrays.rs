//! Operations on whole arrays, as ops of the stage `arrays`.
//!
//! An operator or a builtin with an op works on whole arrays as it does on scalars. What is a function is run for each element by a
//! `map`, as are lambdas. An array of structs has an array for each field, and zipped arrays stay what they are: a function that is
//! run for their elements takes one parameter for each.

use ir::{Attr, Code, Fold, Scalar as Constant, Type, Value};
use report::{FileId, TextRange};

use super::structs::rebuild;
use super::{Lower, Lowered, Role, Var};
use hir::builtins::{BuiltinId, Means, TypeRule};
use hir::size::Size;
use hir::ty::Ty;
use hir::{BinOp, Expr, ExprId, Name, Stmt, StmtId};

/// A function on the values of elements.
type OfElements<'f, 'l> = &'f mut dyn FnMut(&mut Lower<'l>, &[Value]) -> Lowered;

/// The arrays that an array value consists of, in order.
pub(super) fn columns(array: &Lowered) -> Vec<Value> {
    match array {
        Lowered::View(view) => vec![*view],
        Lowered::Fields(_, columns) => columns.clone(),
        Lowered::Zip(parts) => parts.iter().flat_map(columns).collect(),
        _ => Vec::new(),
    }
}

impl<'l> Lower<'l> {
    /// An op on scalars and arrays of scalars: itself, where it works on whole arrays.
    pub(super) fn elementwise(&mut self, at: TextRange, args: Vec<Lowered>, of: OfElements<'_, 'l>) -> Lowered {
        self.elementwise_if(false, at, args, of)
    }

    /// Something that is done with scalars, or with the elements of arrays. `maps` says that it does not work on whole arrays by itself.
    pub(super) fn elementwise_if(
        &mut self,
        maps: bool,
        at: TextRange,
        args: Vec<Lowered>,
        of: OfElements<'_, 'l>,
    ) -> Lowered {
        let values: Vec<_> = args.into_iter().map(|arg| self.data(arg)).collect();
        // An array of structs has no elements that are data; where one stands the program has an error.
        let is_of_data = |lower: &Self, value: Value| {
            let ty = lower.b.kernel().ty(value);
            !ty.is_view() || ty.elem().is_some()
        };
        let values: Vec<_> = values
            .into_iter()
            .map(|value| if is_of_data(self, value) { value } else { self.unknown(Type::scalar(ir::Elem::F32)) })
            .collect();
        let is_array = |lower: &Self| values.iter().any(|&value| lower.b.kernel().ty(value).is_view());
        if maps && is_array(self) { self.map_of(at, &values, of) } else { of(self, &values) }
    }

    /// A function of the elements of arrays, however many dimensions these have; scalars count for each element.
    fn map_of(&mut self, at: TextRange, values: &[Value], of: OfElements<'_, 'l>) -> Lowered {
        let is_array = |lower: &Self, value: Value| lower.b.kernel().ty(value).is_view();
        let arrays: Vec<_> = values.iter().copied().filter(|&value| is_array(self, value)).collect();
        if arrays.is_empty() {
            return of(self, values);
        }
        self.set_place(at);
        let named: Vec<_> = ELEMENTS.iter().copied().cycle().zip(arrays).collect();
        let before = self.vars.checkpoint();
        let mut elements = self.b.open_over_elements(Code::Map, &named, &[], &[]).into_iter();
        let inner: Vec<_> = values
            .iter()
            .map(|&value| if is_array(self, value) { elements.next().unwrap_or(value) } else { value })
            .collect();
        let made = self.map_of(at, &inner, of);
        self.close_map(before, made)
    }

    /// Ends a `map` whose block makes a value.
    fn close_map(&mut self, before: super::vars::Checkpoint, made: Lowered) -> Lowered {
        let made = self.in_columns(made);
        let yields = self.parts_of(&made);
        self.vars.roll_back(before);
        let results = self.b.close(&yields).to_vec();
        self.array_of(&made, &results)
    }

    /// The values that one value consists of.
    pub(super) fn parts_of(&mut self, lowered: &Lowered) -> Vec<Value> {
        match lowered {
            Lowered::Function(_) | Lowered::Choice(_) => Vec::new(),
            Lowered::Scalar(value) | Lowered::View(value) => vec![*value],
            Lowered::Struct(_, values) | Lowered::Fields(_, values) => values.clone(),
            Lowered::Tuple(parts) => parts.iter().flat_map(|part| self.parts_of(part)).collect(),
            _ => vec![self.unknown(Type::scalar(ir::Elem::F32))],
        }
    }

    /// An array of such values, by the arrays of their parts.
    pub(super) fn array_of(&mut self, element: &Lowered, arrays: &[Value]) -> Lowered {
        match element {
            Lowered::Struct(name, _) | Lowered::Fields(name, _) => Lowered::Fields(name.clone(), arrays.to_vec()),
            // Values that are no data, like functions, have no array.
            _ => arrays.first().map_or(Lowered::Nothing, |&array| Lowered::View(array)),
        }
    }

    /// A value of the same kind as another, made of other values.
    pub(super) fn like(&mut self, lowered: &Lowered, values: &[Value]) -> Lowered {
        match lowered {
            Lowered::Struct(name, _) => Lowered::Struct(name.clone(), values.to_vec()),
            Lowered::Fields(name, _) => Lowered::Fields(name.clone(), values.to_vec()),
            Lowered::Tuple(_) => rebuild(lowered, &mut values.iter().copied()),
            _ => values.first().map_or(Lowered::Nothing, |&value| self.lowered_of(value)),
        }
    }

    /// Applies something to each array that an array value consists of.
    pub(super) fn with_columns(
        &mut self,
        array: &Lowered,
        mut of: impl FnMut(&mut Self, Value) -> Option<Value>,
    ) -> Lowered {
        let mut all = |lower: &mut Self, columns: &[Value]| -> Option<Vec<Value>> {
            columns.iter().map(|&column| of(lower, column)).collect()
        };
        match array {
            Lowered::View(view) => all(self, &[*view]).map_or(Lowered::Nothing, |columns| Lowered::View(columns[0])),
            Lowered::Fields(name, columns) => {
                all(self, columns).map_or(Lowered::Nothing, |columns| Lowered::Fields(name.clone(), columns))
            }
            Lowered::Zip(parts) => {
                let mut lowered = Vec::new();
                for part in parts {
                    let columns = columns(part);
                    let Some(new) = all(self, &columns) else { return Lowered::Nothing };
                    lowered.push(match part {
                        Lowered::Fields(name, _) => Lowered::Fields(name.clone(), new),
                        _ => Lowered::View(new[0]),
                    });
                }
                Lowered::Zip(lowered)
            }
            _ => Lowered::Nothing,
        }
    }

    /// An array of structs as an array for each field; any other value as it is.
    pub(super) fn in_columns(&mut self, value: Lowered) -> Lowered {
        match &value {
            Lowered::View(_) => match self.spread(std::slice::from_ref(&value)) {
                Some(mut spread) if spread.len() == 1 => spread.remove(0),
                _ => value,
            },
            Lowered::Tuple(parts) => Lowered::Tuple(parts.iter().map(|part| self.in_columns(part.clone())).collect()),
            _ => value,
        }
    }

    /// Arrays as a loop over their elements takes them: zipped ones one by one, and those of structs field by field.
    fn spread(&mut self, arrays: &[Lowered]) -> Option<Vec<Lowered>> {
        let mut spread = Vec::new();
        for array in arrays {
            match array {
                Lowered::Zip(parts) => spread.extend(self.spread(parts)?),
                Lowered::View(view) => spread.push(match self.b.kernel().ty(*view).item()? {
                    ir::CellType::Elem(_) => array.clone(),
                    ir::CellType::Struct(decl) => {
                        let decl = self.b.kernel().structs[decl].clone();
                        let fields = (0..decl.n_leaves()).map(|n| self.column(array, n));
                        Lowered::Fields(decl.name, fields.collect::<Option<_>>()?)
                    }
                }),
                Lowered::Fields(..) => spread.push(array.clone()),
                _ => return None,
            }
        }
        Some(spread)
    }

    /// The elements that a block over arrays is run for, by its arguments.
    fn elements(&mut self, arrays: &[Lowered], args: &[Value]) -> Vec<Lowered> {
        let mut args = args.iter().copied();
        let mut elements = Vec::new();
        for array in arrays {
            let parts: Vec<_> = args.by_ref().take(columns(array).len()).collect();
            let is_scalar = parts.iter().all(|&part| !self.b.kernel().ty(part).is_view());
            elements.push(match array {
                Lowered::Fields(name, _) if is_scalar => Lowered::Struct(name.clone(), parts),
                Lowered::Fields(name, _) => Lowered::Fields(name.clone(), parts),
                _ => self.lowered_of(parts[0]),
            });
        }
        elements
    }

    /// The number of elements along the first dimension of an array.
    pub(super) fn size_of_array(&mut self, array: &Lowered) -> Value {
        let i64 = Type::scalar(ir::Elem::I64);
        match columns(array).first() {
            Some(&column) => self.op(Code::Size, Attr::Number(0), &[column], i64),
            None => self.unknown(i64),
        }
    }

    /// An element of an array: a scalar, a struct or a row.
    pub(super) fn element_of(&mut self, array: &Lowered, index: Value) -> Lowered {
        let Some(arrays) = self.spread(std::slice::from_ref(array)) else { return Lowered::Nothing };
        let mut elements = Vec::new();
        for &column in arrays.iter().flat_map(columns).collect::<Vec<_>>().iter() {
            let ty = self.b.kernel().ty(column).of_element();
            let row = self.b.kernel().ty(column).rank() > 1;
            let (code, attr) = if row { (Code::Row, Attr::Number(0)) } else { (Code::Load, Attr::None) };
            elements.push(self.op(code, attr, &[column, index], ty));
        }
        let mut of_arrays = self.elements(&arrays, &elements);
        if of_arrays.len() == 1 { of_arrays.remove(0) } else { Lowered::Nothing }
    }

    /// An array whose elements are written down.
    pub(super) fn array_of_values(&mut self, expr: ExprId, elements: &[ExprId]) -> Lowered {
        let at = self.at(expr);
        let elements: Vec<_> = elements.iter().map(|&element| self.expr(element)).collect();
        self.set_place(at);
        let elements: Vec<_> = elements.into_iter().map(|element| self.in_columns(element)).collect();
        let Some(first) = elements.first().cloned() else { return Lowered::Nothing };
        let parts: Vec<Vec<Value>> = elements.iter().map(|element| self.parts_of(element)).collect();
        if parts.iter().any(|other| other.len() != parts[0].len()) {
            return Lowered::Nothing;
        }
        let f32 = Type::scalar(ir::Elem::F32);
        let column = |number: usize| parts.iter().map(|parts| parts[number]).collect::<Vec<_>>();
        let columns: Vec<_> = (0..parts[0].len()).map(column).collect();
        let arrays: Vec<_> = columns.iter().map(|column| self.op(Code::Elements, Attr::None, column, f32)).collect();
        self.array_of(&first, &arrays)
    }

    /// The array that a variable is given: of a constant it has a copy of its own.
    pub(super) fn own_copy(&mut self, value: ExprId, array: Lowered) -> Lowered {
        match (&self.frame().body.exprs[value], array) {
            (Expr::Item(..), Lowered::View(view)) => {
                let at = self.at(value);
                self.set_place(at);
                let ty = self.b.kernel().ty(view);
                let elem = ty.elem().unwrap_or(ir::Elem::F32);
                Lowered::View(self.op(Code::Cast, Attr::Elem(elem), &[view], ty))
            }
            (_, array) => array,
        }
    }

    /// A new array of these sizes, all of whose cells have one value.
    pub(super) fn filled(&mut self, at: TextRange, value: Lowered, sizes: &[Size]) -> Lowered {
        self.set_place(at);
        sizes.iter().rev().fold(value, |element, size| {
            let Some(size) = self.size_value(size) else { return Lowered::Nothing };
            let f32 = Type::scalar(ir::Elem::F32);
            let parts = self.parts_of(&element);
            let arrays: Vec<_> =
                parts.iter().map(|&part| self.op(Code::Replicate, Attr::None, &[size, part], f32)).collect();
            self.array_of(&element, &arrays)
        })
    }

    /// The size of a dimension of an array, in the type that it is wanted in.
    fn length(&mut self, expr: ExprId, ty: &Ty, args: &[Lowered]) -> Lowered {
        let dim = match args.get(1) {
            Some(Lowered::Scalar(dim)) => self.b.kernel().as_const(*dim).and_then(Constant::wide).unwrap_or(0),
            _ => 0,
        };
        let at = self.at(expr);
        self.set_place(at);
        let i64 = Type::scalar(ir::Elem::I64);
        let Some(&column) = args.first().map(columns).unwrap_or_default().first() else { return self.unknown_of(ty) };
        let size = self.op(Code::Size, Attr::Number(dim as i64), &[column], i64);
        match ty.scalar() {
            Some(elem) if elem != ir::Elem::I64 => {
                Lowered::Scalar(self.op(Code::Cast, Attr::Elem(elem), &[size], Type::scalar(elem)))
            }
            _ => Lowered::Scalar(size),
        }
    }

    /// A call of a builtin that works on whole arrays.
    pub(super) fn of_arrays(
        &mut self,
        expr: ExprId,
        builtin: BuiltinId,
        types: &[Ty],
        ty: &Ty,
        args: Vec<Lowered>,
    ) -> Lowered {
        let row = builtin.get();
        let at = self.at(expr);
        self.set_place(at);
        let i32 = Type::scalar(ir::Elem::I32);
        match (row.shape, &args[..]) {
            (TypeRule::Map, [function, arrays @ ..]) => self.map(expr, function, arrays),
            // The function of a reduction decides its order.
            (TypeRule::Reduce, [Lowered::Choice(choice), start, array]) => {
                let choice = choice.clone();
                let sides = [start.clone(), array.clone()];
                self.chosen(at, &choice, |lower, function| {
                    lower.fold(expr, types, Code::Reduce, function, [&sides[0], &sides[1]])
                })
            }
            (TypeRule::Reduce, [function, start, array]) => {
                self.fold(expr, types, Code::Reduce, function, [start, array])
            }
            (TypeRule::Scan, [function, start, array]) => self.fold(expr, types, Code::Scan, function, [start, array]),
            (TypeRule::Iota, [Lowered::Scalar(n)]) => {
                let made = self.op(Code::Iota, Attr::None, &[*n], i32);
                self.lowered_of(made)
            }
            (TypeRule::Replicate, [Lowered::Scalar(n), element]) => {
                let element = &self.in_columns(element.clone());
                let parts = self.parts_of(element);
                let arrays: Vec<_> =
                    parts.iter().map(|&part| self.op(Code::Replicate, Attr::None, &[*n, part], i32)).collect();
                self.array_of(element, &arrays)
            }
            (TypeRule::Zip, arrays) => {
                for (ty, array) in types.iter().zip(arrays).skip(1) {
                    self.check_same(at, 1, (&types[0], &arrays[0]), (ty, array));
                }
                Lowered::Zip(arrays.to_vec())
            }
            (TypeRule::Length, arrays) => self.length(expr, ty, arrays),
            _ => match self.function_of_arrays(expr, builtin, types, ty, args) {
                Some(lowered) => lowered,
                // Its arguments were not understood.
                None => self.unknown_of(ty),
            },
        }
    }

    /// A builtin of arrays that is a function of the prelude.
    fn function_of_arrays(
        &mut self,
        expr: ExprId,
        builtin: BuiltinId,
        types: &[Ty],
        ty: &Ty,
        args: Vec<Lowered>,
    ) -> Option<Lowered> {
        let row = builtin.get();
        if !matches!(row.means, Means::Prelude) && !row.takes_arrays {
            return None;
        }
        let function = self.callee(FileId::PRELUDE, row.name.into())?;
        Some(self.inline(expr, function, types, ty, args))
    }

    fn map(&mut self, expr: ExprId, function: &Lowered, arrays: &[Lowered]) -> Lowered {
        let Some(arrays) = self.spread(arrays).filter(|arrays| !arrays.is_empty()) else { return Lowered::Nothing };
        let columns: Vec<_> = arrays.iter().flat_map(columns).collect();
        let names = self.names_of_elements(function, columns.len(), 0);
        let named: Vec<_> = names.iter().map(|name| &**name).zip(columns).collect();
        let before = self.vars.checkpoint();
        let args = self.b.open_over_elements(Code::Map, &named, &[], &[]);
        let elements = self.elements(&arrays, &args);
        let made = self.apply(expr, function, elements);
        self.close_map(before, made)
    }

    /// Something that is done with values, for the elements of those that are arrays, however many dimensions these have.
    pub(super) fn over_elements<const N: usize>(
        &mut self,
        at: TextRange,
        sides: [Lowered; N],
        of: &mut dyn FnMut(&mut Self, [Lowered; N]) -> Lowered,
    ) -> Lowered {
        let is_array = |side: &Lowered| matches!(side, Lowered::View(_) | Lowered::Fields(..));
        let arrays: Vec<_> = sides.iter().filter(|side| is_array(side)).cloned().collect();
        if arrays.is_empty() {
            return of(self, sides);
        }
        self.set_place(at);
        let Some(arrays) = self.spread(&arrays) else { return Lowered::Nothing };
        let columns: Vec<_> = arrays.iter().flat_map(columns).collect();
        let named: Vec<_> = ELEMENTS.iter().copied().cycle().zip(columns).collect();
        let before = self.vars.checkpoint();
        let args = self.b.open_over_elements(Code::Map, &named, &[], &[]);
        let mut elements = self.elements(&arrays, &args).into_iter();
        let inner = sides.map(|side| match is_array(&side) {
            true => elements.next().unwrap_or(Lowered::Nothing),
            false => side,
        });
        let made = self.over_elements(at, inner, of);
        self.close_map(before, made)
    }

    /// `reduce` or `scan`.
    fn fold(
        &mut self,
        expr: ExprId,
        types: &[Ty],
        code: Code,
        function: &Lowered,
        [start, array]: [&Lowered; 2],
    ) -> Lowered {
        let Some(arrays) = self.spread(std::slice::from_ref(array)) else { return Lowered::Nothing };
        let columns: Vec<_> = arrays.iter().flat_map(columns).collect();
        let start = &self.in_columns(start.clone());
        let inits = self.parts_of(start);
        let names = self.names_of_elements(function, inits.len() + columns.len(), inits.len());
        let (carried, elements) = names.split_at(inits.len());
        let named: Vec<_> = elements.iter().map(|name| &**name).zip(columns.iter().copied()).collect();
        if let (Code::Reduce, Some((op, joined)), &[init]) = (code, joined_by(function), &inits[..])
            && self.frame().reassoc
            && self.has_order(joined, init)
            && let [column] = columns[..]
            && self.b.kernel().ty(column).of_element() == self.b.kernel().ty(init)
        {
            let args = self.b.open_over_elements(code, &named, &[], &[(joined, init)]);
            let element = match op {
                // A value that is subtracted is added with its sign changed.
                BinOp::Sub => {
                    let ty = self.b.kernel().ty(args[0]);
                    let elem = ty.data_elem().unwrap_or(ir::Elem::F32);
                    let identity = self.constant(joined.identity(elem));
                    self.op(Code::Sub, Attr::None, &[identity, args[0]], ty)
                }
                _ => args[0],
            };
            let result = self.b.close(&[element])[0];
            return self.lowered_of(result);
        }
        // The sizes that the function is known to give are those of the start, also over no elements.
        if let (Ty::Array(_, known), [_, start_type, ..]) = (self.type_of(expr), types) {
            let of_state = known.get(usize::from(code == Code::Scan)..).unwrap_or_default();
            self.check_known_sizes(self.at(expr), of_state, (start_type, start));
        }
        let carried: Vec<_> = carried.iter().map(|name| &**name).zip(inits.iter().copied()).collect();
        let before = self.vars.checkpoint();
        let args = self.b.open_over_elements(code, &named, &carried, &[]);
        let (elements, carried) = args.split_at(named.len());
        let state = self.like(start, carried);
        let mut operands = vec![state];
        operands.extend(self.elements(&arrays, elements));
        let made = self.apply(expr, function, operands);
        let made = self.in_columns(made);
        if let [Ty::Fn(_, given), start_type, ..] = types {
            // A joined value keeps its sizes.
            self.check_same(self.at(expr), usize::MAX, (start_type, start), (given, &made));
        }
        let yields = self.parts_of(&made);
        self.vars.roll_back(before);
        let results = self.b.close(&yields).to_vec();
        match code {
            Code::Scan => self.array_of(start, &results),
            _ => self.like(start, &results),
        }
    }

    /// Names for the values that a function is run with, the first of which are carried: those of its parameters, where it has some.
    fn names_of_elements(&self, function: &Lowered, n: usize, n_carried: usize) -> Vec<Name> {
        let own = match function {
            Lowered::Function(closure) => closure.names_of_params(),
            _ => Vec::new(),
        };
        match own.len() == n {
            true => own,
            false => {
                let carried = std::iter::repeat_n("s", n_carried);
                carried.chain(ELEMENTS.into_iter().cycle()).take(n).map(Name::from).collect()
            }
        }
    }

    /// `a if c else b` of arrays.
    pub(super) fn cond_of_arrays(&mut self, expr: ExprId, condition: ExprId, sides: [ExprId; 2]) -> Lowered {
        let at = self.at(expr);
        let test = self.condition(condition);
        self.set_place(at);
        self.b.open_if(test);
        let a = self.expr(sides[0]);
        let a = self.in_columns(a);
        let ty = self.type_of(expr);
        self.check_known(at, &ty, (&self.type_of(sides[0]), &a));
        let yields = columns(&a);
        self.b.next_block(&yields);
        let b = self.expr(sides[1]);
        let b = self.in_columns(b);
        self.check_known(at, &ty, (&self.type_of(sides[1]), &b));
        let others = columns(&b);
        let types =
            |lower: &Self, values: &[Value]| values.iter().map(|&value| lower.b.kernel().ty(value)).collect::<Vec<_>>();
        let wanted = types(self, &yields);
        if yields.is_empty() || types(self, &others) != wanted {
            // One of them was not understood.
            let unknown: Vec<_> = wanted.into_iter().map(|ty| self.placeholder(ty)).collect();
            self.b.close(&unknown);
            return Lowered::Nothing;
        }
        let results = self.b.close(&others).to_vec();
        match a {
            Lowered::Fields(name, _) => Lowered::Fields(name, results),
            _ => Lowered::View(results[0]),
        }
    }

    /// Gives variables that may come to stand for new arrays of structs the form that such have.
    pub(super) fn spread_vars(&mut self, vars: impl IntoIterator<Item = Var>) {
        for var in vars {
            if let Some(view @ (Lowered::View(_) | Lowered::Tuple(_))) = self.vars.get(&var).cloned() {
                let spread = self.in_columns(view);
                self.vars.insert(var, spread);
            }
        }
    }

    /// An assignment to a whole array, a row or a slice, or to a variable that is an array.
    pub(super) fn assign_array(&mut self, stmt: StmtId, target: ExprId, op: Option<BinOp>, value: ExprId) {
        let body = self.frame().body.clone();
        let new = self.expr(value);
        self.assumed(&[value, target]);
        if let (Expr::Local(local), None) = (&body.exprs[target], op) {
            // An array variable keeps the sizes that it was defined with.
            if let Some(old) = self.vars.get(&self.local_var(*local)).cloned() {
                let (own, other) = (self.type_of(target), self.type_of(value));
                self.check_same(self.at(value), usize::MAX, (&own, &old), (&other, &new));
            }
            let at = self.at(target);
            let new = self.own_copy(value, new);
            return self.define(*local, at, new);
        }
        let place = self.expr(target);
        let at = self.at(target);
        let (own, other) = (self.type_of(target), self.type_of(value));
        self.check_same(at, usize::MAX, (&own, &place), (&other, &new));
        let new = match op {
            Some(op) => self.operate(target, op, place.clone(), new, Some(value)),
            None => new,
        };
        match &body.exprs[target] {
            Expr::Local(_) => self.set_place(at),
            _ => self.place_of(stmt),
        }
        self.write(at, Role::Target, &place);
        let Some(places) = self.spread(&[place]) else { return };
        let places: Vec<_> = places.iter().flat_map(columns).collect();
        let values = match new {
            Lowered::Scalar(value) => vec![value],
            Lowered::Struct(_, values) => values,
            array => match self.spread(&[array]) {
                Some(arrays) => arrays.iter().flat_map(columns).collect(),
                None => return,
            },
        };
        for (place, value) in places.into_iter().zip(values) {
            if self.refuses_stores(at, place) {
                continue;
            }
            let _ = self.b.try_fitting(Code::Assign, Attr::None, &[place, value]);
        }
    }

    /// Says whether the current function has several ways to a result.
    pub(super) fn has_several_results(&self) -> bool {
        let body = &self.frame().body;
        body.stmts.iter().filter(|(_, stmt)| matches!(stmt, Stmt::Return(_))).count() > 1
    }

    /// An array without elements.
    pub(super) fn empty_array(&mut self, element: &Ty, rank: usize) -> Lowered {
        let none = vec![self.constant(Constant::I64(0)); rank];
        let of = |lower: &mut Self, elem| lower.b.op_with(Code::Temp, Attr::Elem(elem), &none);
        match element {
            Ty::Struct(name) => {
                let columns = self.leaves_of(name).into_iter().map(|(_, elem)| of(self, elem)).collect();
                Lowered::Fields(name.clone(), columns)
            }
            element => Lowered::View(of(self, element.scalar().unwrap_or(ir::Elem::F32))),
        }
    }
}

/// The operator that a function is, if it joins values to a sum or product whose order may be fixed in another way.
fn joined_by(function: &Lowered) -> Option<(BinOp, Fold)> {
    let Lowered::Function(closure) = function else { return None };
    match *closure.callee() {
        Expr::Operator(op @ (BinOp::Add | BinOp::Sub)) => Some((op, Fold::Add)),
        Expr::Operator(op @ BinOp::Mul) => Some((op, Fold::Mul)),
        _ => None,
    }
}

/// Names of elements that no lambda names.
const ELEMENTS: [&str; 6] = ["x", "y", "z", "u", "v", "w"];
