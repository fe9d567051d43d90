//! Parts of structs: the values of fields, and of the cells of fields that are arrays.
//!
//! A struct's value is one value for each of its leaves, those of an array in it included. So a cell whose subscripts are known is one of
//! these. For any other one the cells become an array, of which it is read, or to which it is written and all of them read again. In an
//! array of structs that is a parameter, the array in a struct is a part of the memory, which is subscripted itself.

use ir::{Attr, Code, Elem, Scalar as Constant, Type, Value};
use report::TextRange;

use super::structs::flatten;
use super::{Lower, Lowered, Role};
use hir::layout::{Part, PartStep};
use hir::ty::Ty;
use hir::{BinOp, Expr, ExprId, LocalId, Name, Subscript};

/// A part of a struct, as far as it is known.
struct PartMeant {
    part: Part,
    /// The place where it is named.
    at: TextRange,
    /// A name for the part: `s.hits`.
    path: String,
    /// The subscripts of a cell of the part, or of a part of it again, if the part is an array and these are known at run time alone.
    subscripts: Vec<Value>,
}

/// The struct that a part is of.
enum Whole {
    /// A value, by its leaves.
    Leaves(Vec<Value>),
    /// An element of an array.
    Element(Lowered, Vec<Value>),
    /// A single cell of an array in memory, which is the whole part that is meant.
    Cell(Value, Vec<Value>),
}

impl Lower<'_> {
    /// The value of a part of a struct, `p.x` or `p[i].hits[k]`; `None` for what is no part of one.
    pub(super) fn part_of_struct(&mut self, expr: ExprId) -> Option<Lowered> {
        let body = self.frame().body.clone();
        let (whole, steps) = body.part_of_struct(expr, &self.frame().inference.like_fields);
        if steps.is_empty() {
            return None;
        }
        let ty = self.type_of(expr);
        let of = match &body.exprs[whole] {
            Expr::Index(..) => self.cell(whole).map(|(place, indices)| Whole::Element(place, indices)),
            _ => match self.expr(whole) {
                Lowered::Struct(_, leaves) => Some(Whole::Leaves(leaves)),
                _ => None,
            },
        };
        let meant = self.meant(expr, whole, &steps);
        let (Some(of), Some(meant)) = (of, meant) else { return Some(self.unknown_of(&ty)) };
        self.set_place(self.at(expr));
        let of = self.of_one_cell(of, &meant);
        Some(self.read_part(&of, &meant))
    }

    /// Follows the steps from a struct to a part of it.
    fn meant(&mut self, expr: ExprId, whole: ExprId, steps: &[PartStep<'_>]) -> Option<PartMeant> {
        let Ty::Struct(name) = self.type_of(whole) else { return None };
        let path = self.name_of_whole(whole);
        let mut meant =
            PartMeant { part: self.part_named(&name, &[])?, at: self.at(expr), path, subscripts: Vec::new() };
        for step in steps {
            match step {
                PartStep::Field(field) => {
                    let part = self.layouts.field(&|name| self.env.fields_of(name), &meant.part, field);
                    meant.part = part.filter(|_| meant.subscripts.is_empty())?;
                    meant.path = format!("{}.{field}", meant.path);
                }
                PartStep::Cells(subscripts) => {
                    let mut values = Vec::new();
                    for subscript in *subscripts {
                        let Subscript::At(index) = subscript else { return None };
                        values.push(self.scalar(*index));
                    }
                    let known = |&value: &Value| self.b.kernel().as_const(value).and_then(Constant::wide);
                    let known: Option<Vec<i128>> = values.iter().map(known).collect();
                    // One that is out of range fails when the program gets there.
                    let cell = known.filter(|_| meant.subscripts.is_empty()).and_then(|known| meant.part.at(&known));
                    match cell {
                        Some(cell) => meant.part = cell,
                        None => meant.subscripts.extend(values),
                    }
                }
            }
        }
        Some(meant)
    }

    /// The name of the variable or array that a struct is in.
    fn name_of_whole(&self, whole: ExprId) -> String {
        let body = &self.frame().body;
        match &body.exprs[whole] {
            Expr::Local(local) => body.locals[*local].name.to_string(),
            Expr::Index(base, _) => self.name_of_whole(*base),
            _ => "_".to_owned(),
        }
    }

    /// The array that a part is whose subscripts are known at run time alone, called as the part is.
    fn array_of_part(&mut self, leaves: &[Value], meant: &PartMeant) -> Option<Value> {
        let Lowered::View(array) = self.of_leaves(leaves, &meant.part.ty) else { return None };
        let name = meant.path.replace('.', "_");
        self.b.name(array, &name);
        self.fields.insert(name, meant.path.clone());
        Some(array)
    }

    /// The value that a part has, by its leaves.
    pub(super) fn of_leaves(&mut self, leaves: &[Value], ty: &Ty) -> Lowered {
        match ty {
            Ty::Struct(name) => Lowered::Struct(name.clone(), leaves.to_vec()),
            Ty::Array(_, sizes) => {
                let sizes: Vec<_> = sizes.iter().map(|size| size.as_constant().unwrap_or(1).max(1) as usize).collect();
                Lowered::View(self.array_of_cells(leaves, &sizes))
            }
            ty => match leaves.first() {
                Some(&leaf) => Lowered::Scalar(leaf),
                None => self.unknown_of(ty),
            },
        }
    }

    /// A new array of these cells, row after row.
    fn array_of_cells(&mut self, cells: &[Value], sizes: &[usize]) -> Value {
        let rows = match sizes {
            [] | [_] => cells.to_vec(),
            [_, inner @ ..] => {
                let n_cells = inner.iter().product::<usize>().max(1);
                cells.chunks(n_cells).map(|row| self.array_of_cells(row, inner)).collect()
            }
        };
        self.op(Code::Elements, Attr::None, &rows, Type::scalar(Elem::F32))
    }

    /// The cell that a part is, if it is a single one in memory: an update reads and writes it by one view.
    fn of_one_cell(&mut self, of: Whole, meant: &PartMeant) -> Whole {
        let is_one = !matches!(without_dims(&meant.part.ty, meant.subscripts.len()), Ty::Array(..) | Ty::Struct(_));
        match &of {
            Whole::Element(Lowered::View(view), indices) if is_one => match self.cells_in_memory(*view, &meant.part) {
                Some(cells) => Whole::Cell(cells, [&indices[..], &meant.subscripts].concat()),
                None => of,
            },
            _ => of,
        }
    }

    fn read_part(&mut self, of: &Whole, meant: &PartMeant) -> Lowered {
        if let Whole::Cell(cells, at) = of {
            let read = self.op(Code::Load, Attr::None, &[&[*cells], &at[..]].concat(), Type::scalar(Elem::F32));
            return Lowered::Scalar(read);
        }
        let PartMeant { part, subscripts, .. } = meant;
        if let (Whole::Element(Lowered::View(view), indices), false) = (of, subscripts.is_empty())
            && let Some(cells) = self.cells_in_memory(*view, part)
        {
            let leaves: Vec<_> = self
                .rest_of(part, subscripts)
                .into_iter()
                .map(|rest| {
                    self.op(Code::Load, Attr::None, &[&[cells], &indices[..], &rest].concat(), Type::scalar(Elem::F32))
                })
                .collect();
            return self.of_leaves(&leaves, &without_dims(&part.ty, subscripts.len()));
        }
        let leaves = self.leaves_of_part(of, meant);
        if subscripts.is_empty() {
            return self.of_leaves(&leaves, &part.ty);
        }
        match self.array_of_part(&leaves, meant) {
            Some(array) => {
                let leaves: Vec<_> = self
                    .rest_of(part, subscripts)
                    .into_iter()
                    .map(|rest| {
                        self.op(Code::Load, Attr::None, &[&[array], &rest[..]].concat(), Type::scalar(Elem::F32))
                    })
                    .collect();
                self.of_leaves(&leaves, &without_dims(&part.ty, subscripts.len()))
            }
            None => self.unknown_of(&without_dims(&part.ty, subscripts.len())),
        }
    }

    /// The leaves of a part, read from memory where it lies there.
    fn leaves_of_part(&mut self, of: &Whole, meant: &PartMeant) -> Vec<Value> {
        let part = &meant.part;
        match of {
            Whole::Leaves(leaves) => leaves.get(part.leaves.clone()).map(<[Value]>::to_vec).unwrap_or_default(),
            Whole::Element(place, indices) => {
                part.leaves.clone().map(|leaf| self.load_field(meant.at, place, leaf, indices)).collect()
            }
            Whole::Cell(..) => Vec::new(),
        }
    }

    /// All full subscripts of the cells that some subscripts leave of a part.
    fn rest_of(&mut self, part: &Part, subscripts: &[Value]) -> Vec<Vec<Value>> {
        let sizes = part.sizes();
        let mut all = vec![subscripts.to_vec()];
        for &size in sizes.get(subscripts.len()..).unwrap_or_default() {
            let numbers: Vec<_> = (0..size).map(|n| self.constant(Constant::I64(n.into()))).collect();
            let longer = |start: &Vec<Value>| numbers.iter().map(|&n| [&start[..], &[n]].concat()).collect::<Vec<_>>();
            all = all.iter().flat_map(longer).collect();
        }
        all
    }

    /// The cells of a part that is an array, of all structs of an array in memory: it has the subscripts of that array, and then those of
    /// the part.
    fn cells_in_memory(&mut self, view: Value, part: &Part) -> Option<Value> {
        let ir::CellType::Struct(decl) = self.b.kernel().ty(view).item()? else { return None };
        let name = self.b.kernel().structs[decl].name.clone();
        let layout = self.layouts.of(&|name| self.env.fields_of(name), &name)?;
        let (column, first) = layout.column_of(part.leaves.start)?;
        let n_known = layout.columns[column].sizes.len().checked_sub(part.sizes().len())?;
        self.rows_of_column(view, column, &first[..n_known])
    }

    /// The column with a number, of an array of structs in memory, at subscripts of an array in a struct.
    fn rows_of_column(&mut self, view: Value, column: usize, at: &[u32]) -> Option<Value> {
        let kernel = self.b.kernel();
        let rank = kernel.ty(view).rank();
        // A part of an array is read where the source names that.
        let part = kernel.def_op(view).filter(|&op| matches!(kernel.ops[op].code, Code::Row | Code::Slice));
        let outside = part.map(|op| kernel.ops[op].origin).map(|origin| self.b.set_origin(origin));
        let field = self.b.try_fitting(Code::Field, Attr::Field(column as u16), &[view]).ok();
        let mut cells = field.map(|op| self.b.kernel().ops[op].results[0]);
        for &subscript in at {
            let subscript = self.constant(Constant::I64(subscript.into()));
            let row = cells
                .and_then(|cells| self.b.try_fitting(Code::Row, Attr::Number(rank.into()), &[cells, subscript]).ok());
            cells = row.map(|op| self.b.kernel().ops[op].results[0]);
        }
        outside.map(|outside| self.b.set_origin(outside));
        cells
    }

    /// The array of a leaf of an array of structs in memory.
    pub(super) fn leaf_in_memory(&mut self, view: Value, leaf: usize) -> Option<Value> {
        let ir::CellType::Struct(decl) = self.b.kernel().ty(view).item()? else { return None };
        let name = self.b.kernel().structs[decl].name.clone();
        let layout = self.layouts.of(&|name| self.env.fields_of(name), &name)?;
        let (column, at) = layout.column_of(leaf)?;
        self.rows_of_column(view, column, &at)
    }

    /// Checks arrays that the fields of a struct are given where it is made: they have the sizes of these.
    pub(super) fn check_arrays_of_fields(&mut self, call: ExprId, name: &Name, args: &[ExprId], given: &[Lowered]) {
        let types: Vec<Ty> = args.iter().map(|&arg| self.type_of(arg)).collect();
        if !types.iter().any(|ty| matches!(ty, Ty::Array(..))) {
            return;
        }
        self.assumed(args);
        let inference = self.frame().inference.clone();
        let given: Vec<_> = types.into_iter().zip(given.iter().cloned()).map(Some).collect();
        let by_field = inference.with_defaults(call, given, |_| None);
        let fields = self.env.fields_of(name).unwrap_or_default();
        let at = self.at(call);
        for ((_, asked), given) in fields.iter().zip(by_field) {
            if let Some((ty, array)) = given {
                self.check_known(at, asked, (&ty, &array));
            }
        }
    }

    // Assignments.

    /// An assignment to a part of a struct; says whether the target is one.
    pub(super) fn assign_part(&mut self, target: ExprId, op: Option<BinOp>, value: ExprId) -> bool {
        let body = self.frame().body.clone();
        let (whole, steps) = body.part_of_struct(target, &self.frame().inference.like_fields);
        if steps.is_empty() {
            return false;
        }
        let new = self.expr(value);
        let ty = self.type_of(target);
        if matches!(ty, Ty::Array(..)) {
            self.assumed(&[value, target]);
        }
        let at = self.at(target);
        match body.exprs[whole] {
            Expr::Local(local) => {
                let Some(Lowered::Struct(name, leaves)) = self.vars.get(&self.local_var(local)).cloned() else {
                    return true;
                };
                let Some(meant) = self.meant(target, whole, &steps) else { return true };
                let of = Whole::Leaves(leaves);
                let new = self.new_part(target, (op, value), &of, &meant, new);
                self.set_place(at);
                self.write(at, Role::Definition, &new);
                let Whole::Leaves(leaves) = of else { return true };
                self.change_variable(local, name, leaves, &meant, &new);
            }
            _ => {
                let Some((place, indices)) = self.cell(whole) else { return true };
                let Some(meant) = self.meant(target, whole, &steps) else { return true };
                self.set_place(at);
                let of = self.of_one_cell(Whole::Element(place.clone(), indices.clone()), &meant);
                let new = self.new_part(target, (op, value), &of, &meant, new);
                self.set_place(at);
                self.write(at, Role::Target, &new);
                match (of, &new) {
                    (Whole::Cell(cells, _), _) if self.refuses_stores(at, cells) => {}
                    (Whole::Cell(cells, full), Lowered::Scalar(value)) => {
                        let operands = [&[cells], &full[..], &[*value]].concat();
                        let _ = self.b.try_fitting(Code::Store, Attr::None, &operands);
                    }
                    _ => self.change_element(target, &place, &indices, &meant, &new),
                }
            }
        }
        true
    }

    /// The value that a part is given.
    fn new_part(
        &mut self,
        target: ExprId,
        (op, value): (Option<BinOp>, ExprId),
        of: &Whole,
        meant: &PartMeant,
        new: Lowered,
    ) -> Lowered {
        let at = self.at(target);
        let ty = self.type_of(target);
        let new = match op {
            Some(op) => {
                self.set_place(at);
                let old = self.read_part(of, meant);
                self.write(at, Role::Expression, &old);
                match ty {
                    Ty::Array(..) => self.operate(target, op, old, new, Some(value)),
                    _ => self.combine(op, target, value, &old, &new),
                }
            }
            None => new,
        };
        let own = self.type_of(value);
        self.check_known(at, &ty, (&own, &new));
        new
    }

    /// The leaves of a new value of a part: an array's cells, or one value for all of these.
    pub(super) fn leaves_for(&mut self, wanted: &[Elem], ty: &Ty, new: &Lowered) -> Vec<Value> {
        let given = match (ty, new) {
            (Ty::Array(..), Lowered::Scalar(value)) => vec![*value; wanted.len()],
            (Ty::Array(..), Lowered::View(view)) => {
                let whole = Part { leaves: 0..wanted.len(), ty: ty.clone() };
                self.rest_of(&whole, &[])
                    .into_iter()
                    .map(|at| self.op(Code::Load, Attr::None, &[&[*view], &at[..]].concat(), Type::scalar(Elem::F32)))
                    .collect()
            }
            _ => {
                let mut given = Vec::new();
                flatten(new, &mut given);
                given
            }
        };
        let fits = |given: &Value, elem: Elem| self.b.kernel().ty(*given) == Type::scalar(elem);
        let whole = given.len() == wanted.len() && given.iter().zip(wanted).all(|(given, &elem)| fits(given, elem));
        if whole { given } else { wanted.iter().map(|&elem| self.unknown(Type::scalar(elem))).collect() }
    }

    /// The scalars that the leaves of some part are, of a struct with a name.
    fn elems_of(&self, name: &Name, part: &Part) -> Vec<Elem> {
        let leaves = self.leaves_of(name);
        leaves.get(part.leaves.clone()).unwrap_or_default().iter().map(|(_, elem)| *elem).collect()
    }

    /// Gives a part of a variable that is a struct a new value.
    fn change_variable(
        &mut self,
        local: LocalId,
        name: Name,
        mut leaves: Vec<Value>,
        meant: &PartMeant,
        new: &Lowered,
    ) {
        let elems = self.elems_of(&name, &meant.part);
        let Some(own) = leaves.get(meant.part.leaves.clone()).map(<[Value]>::to_vec) else { return };
        let changed = match meant.subscripts.is_empty() {
            true => self.leaves_for(&elems, &meant.part.ty, new),
            false => self.with_cells(&own, meant, new),
        };
        leaves[meant.part.leaves.clone()].copy_from_slice(&changed);
        let var = self.local_var(local);
        self.vars.insert(var, Lowered::Struct(name, leaves));
    }

    /// The leaves of an array in a struct, of which cells have a new value whose subscripts are known at run time alone.
    fn with_cells(&mut self, leaves: &[Value], meant: &PartMeant, new: &Lowered) -> Vec<Value> {
        let Some(array) = self.array_of_part(leaves, meant) else { return leaves.to_vec() };
        let elem = leaves.first().and_then(|&leaf| self.b.kernel().ty(leaf).data_elem()).unwrap_or(Elem::F32);
        self.store_cells(array, &[], elem, meant, new);
        let all = self.rest_of(&meant.part, &[]);
        all.into_iter()
            .map(|at| self.op(Code::Load, Attr::None, &[&[array], &at[..]].concat(), Type::scalar(elem)))
            .collect()
    }

    /// Stores a value to the cells that subscripts leave, in an array that has others before these.
    fn store_cells(&mut self, array: Value, indices: &[Value], elem: Elem, meant: &PartMeant, new: &Lowered) {
        let places = self.rest_of(&meant.part, &meant.subscripts);
        let ty = without_dims(&meant.part.ty, meant.subscripts.len());
        let values = self.leaves_for(&vec![elem; places.len()], &ty, new);
        for (place, value) in places.iter().zip(values) {
            let _ = self.b.try_fitting(Code::Store, Attr::None, &[&[array], indices, place, &[value]].concat());
        }
    }

    /// Stores a new value to a part of a struct in an array.
    fn change_element(&mut self, target: ExprId, place: &Lowered, indices: &[Value], meant: &PartMeant, new: &Lowered) {
        let name = match place {
            Lowered::Fields(name, _) => name.clone(),
            Lowered::View(view) => {
                let kernel = self.b.kernel();
                let Some(ir::CellType::Struct(decl)) = kernel.ty(*view).item() else { return };
                kernel.structs[decl].name.clone()
            }
            _ => return,
        };
        if let Lowered::View(view) = place
            && self.refuses_stores(self.at(target), *view)
        {
            return;
        }
        let elems = self.elems_of(&name, &meant.part);
        if let (Lowered::View(view), false) = (place, meant.subscripts.is_empty())
            && let Some(cells) = self.cells_in_memory(*view, &meant.part)
        {
            return self.store_cells(cells, indices, elems.first().copied().unwrap_or(Elem::F32), meant, new);
        }
        let values = match meant.subscripts.is_empty() {
            true => self.leaves_for(&elems, &meant.part.ty, new),
            false => {
                let held: Vec<_> =
                    meant.part.leaves.clone().map(|leaf| self.load_field(meant.at, place, leaf, indices)).collect();
                self.with_cells(&held, meant, new)
            }
        };
        for (leaf, value) in meant.part.leaves.clone().zip(values) {
            let Some(cells) = self.column(place, leaf) else { return };
            let _ = self.b.try_fitting(Code::Store, Attr::None, &[&[cells], indices, &[value]].concat());
        }
    }
}

/// The type that some subscripts leave of an array in a struct.
fn without_dims(ty: &Ty, n: usize) -> Ty {
    match ty {
        Ty::Array(element, sizes) => match sizes.get(n..) {
            Some(rest @ [_, ..]) => Ty::Array(element.clone(), rest.to_vec()),
            _ => (**element).clone(),
        },
        ty => ty.clone(),
    }
}
