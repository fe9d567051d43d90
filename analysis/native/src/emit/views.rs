//! Views of arrays: the addresses of their cells, as arithmetic over values of the function.
//!
//! A view is never a value in the machine code: it is an address, a distance from it in bytes, and for each dimension
//! the number of its subscripts and their distance. Each of these is a constant, a scalar, or a vector with one for
//! each lane.

use ir::scratch::ALIGN;
use ir::{Attr, CellType, Code, DimSize, Elem, Kernel, Op, SizeOperator, Type, Value};

use super::NotEmitted;
use super::function::Function;
use super::values::{Ty, Unit, Val};

/// The addresses of the cells of an array, or of a part of one.
#[derive(Debug, Clone)]
pub(super) struct View {
    /// The address that distances are from.
    pub(super) base: Val,
    /// Bytes from there to the first cell.
    pub(super) offset: Val,
    /// The dimensions, outermost first.
    pub(super) dims: Vec<Dim>,
}

impl View {
    /// True if the view is uniform: one and the same in every lane.
    pub(super) fn is_single(&self) -> bool {
        self.offset.ty.lanes.is_none() && self.dims.iter().all(|dim| dim.stride.ty.lanes.is_none())
    }
}

/// A dimension of a view.
#[derive(Debug, Clone)]
pub(super) struct Dim {
    /// The number of subscripts; `None` where no op asks for it.
    pub(super) size: Option<Val>,
    /// The bytes from one to the next.
    pub(super) stride: Val,
    /// True if the distance between any two of the dimension that it is a part of fits 32 bits.
    pub(super) is_short: bool,
    /// Of a slice of such a dimension with neighbouring cells: the bytes of a cell, and the cells from one subscript to the next.
    pub(super) step: Option<(i128, Val)>,
}

impl Function<'_> {
    /// The view of a whole array: `sizes` are those that are known.
    pub(super) fn whole_view(&mut self, base: Val, sizes: Vec<Option<Val>>, item_bytes: usize) -> View {
        let mut stride = Val::i64(item_bytes as i64);
        let mut dims = Vec::new();
        for (dim, size) in sizes.into_iter().enumerate().rev() {
            dims.push(Dim { size: size.clone(), stride: stride.clone(), is_short: false, step: None });
            if let Some(size) = size.filter(|_| dim > 0) {
                stride = self.mul(&stride, &size);
            }
        }
        dims.reverse();
        View { base, offset: Val::i64(0), dims }
    }

    /// The size of a dimension as the parameter declares it; `None` for one of its own.
    pub(super) fn declared_size(&mut self, size: &DimSize) -> Option<Val> {
        Some(match size {
            DimSize::Own => return None,
            DimSize::Constant(size) => Val::i64(*size),
            DimSize::Param(value) => self.exact(*value),
            DimSize::Arithmetic(operator, a, b) => {
                let (a, b) = (self.declared_size(a)?, self.declared_size(b)?);
                match operator {
                    SizeOperator::Add => self.add(&a, &b),
                    SizeOperator::Sub => self.sub(&a, &b),
                    SizeOperator::Mul => self.mul(&a, &b),
                    SizeOperator::Div => self.joined("quotient", "sdiv", &a, &b),
                    SizeOperator::Rem => self.joined("rest", "srem", &a, &b),
                    SizeOperator::FloorDiv => {
                        // The floored remainder has the sign of the divisor.
                        let rest = self.joined("rest", "srem", &a, &b);
                        let rest = self.add(&rest, &b);
                        let rest = self.joined("rest", "srem", &rest, &b);
                        let whole = self.sub(&a, &rest);
                        self.joined("quotient", "sdiv", &whole, &b)
                    }
                }
            }
        })
    }

    /// An op that makes a view, or asks one for a size.
    pub(super) fn view_op(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let result = data.results[0];
        let dim = match data.attr {
            Attr::Number(dim) => dim as usize,
            _ => 0,
        };
        let mut view = self.view(data.operands[0]);
        match (data.code, &data.attr) {
            (Code::Size, _) => {
                let size = view.dims[dim].size.clone().unwrap_or_else(|| panic!("{op} asks for a size nobody passes"));
                let size = self.in_lanes(size, kernel.ty(result).lanes());
                return self.set(result, size);
            }
            (Code::Row, _) => {
                let index = self.subscript(data.operands[1]);
                let distance = self.mul(&index, &view.dims[dim].stride);
                view.offset = self.add(&view.offset, &distance);
                view.dims.remove(dim);
            }
            (Code::Slice, _) => self.slice(&mut view, dim, &data.operands[1..]),
            (Code::Field, Attr::Field(field)) => {
                if let Type::View { item: CellType::Struct(decl), .. } = kernel.ty(data.operands[0]) {
                    let (decl, number) = (&kernel.structs[decl], usize::from(*field));
                    view.offset = self.add(&view.offset, &Val::i64(decl.offset(number) as i64));
                    let field = &decl.fields[number];
                    let inner = field.sizes.iter().enumerate();
                    view.dims.extend(inner.map(|(dim, &size)| Dim {
                        size: Some(Val::i64(size.into())),
                        stride: Val::i64(field.stride(dim) as i64),
                        is_short: false,
                        step: None,
                    }));
                }
            }
            (Code::Flat, Attr::Elem(elem)) => {
                let stride = Val::i64(elem.bytes() as i64);
                let size = self.flat_size(data.operands[0], &view, *elem);
                view.dims = vec![Dim { size, stride, is_short: false, step: None }];
            }
            other => panic!("{op}: {other:?} makes no view"),
        }
        self.set_view(result, view);
    }

    /// Returns the number of elements of a whole array, in one dimension, if its sizes are known.
    fn flat_size(&mut self, array: Value, view: &View, elem: Elem) -> Option<Val> {
        let bytes = self.kernel.ty(array).item().map_or(0, |item| self.kernel.item_bytes(item));
        let sizes: Option<Vec<Val>> = view.dims.iter().map(|dim| dim.size.clone()).collect();
        let count = sizes?.iter().fold(Val::i64(1), |count, size| self.mul(&count, size));
        let total = self.mul(&count, &Val::i64(bytes as i64));
        Some(self.joined("elements", "sdiv", &total, &Val::i64(elem.bytes() as i64)))
    }

    /// The cells `lo`, `lo + step`, … before `hi` along a dimension.
    fn slice(&mut self, view: &mut View, dim: usize, range: &[Value]) {
        let [lo, hi, step] = [0, 1, 2].map(|number| self.subscript(range[number]));
        let count = self.count(&lo, &hi, &step);
        let start = self.mul(&lo, &view.dims[dim].stride);
        view.offset = self.add(&view.offset, &start);
        let whole = view.dims[dim].clone();
        let cell = whole.stride.number().filter(|bytes| matches!(bytes, 1 | 2 | 4 | 8));
        let step_in_cells = match (whole.step, cell) {
            (Some((bytes, own)), _) => Some((bytes, self.mul(&own, &step))),
            (None, Some(bytes)) if whole.is_short => Some((bytes, step.clone())),
            _ => None,
        };
        let stride = self.mul(&whole.stride, &step);
        view.dims[dim] = Dim { size: Some(count), stride, is_short: whole.is_short, step: step_in_cells };
    }

    /// Returns the number of steps from `lo` to before `hi`; any number for a step of 0.
    fn count(&mut self, lo: &Val, hi: &Val, step: &Val) -> Val {
        let lanes = [lo, hi, step].iter().find_map(|val| val.ty.lanes);
        let [lo, hi, step] = [lo, hi, step].map(|val| self.in_lanes(val.clone(), lanes));
        let (ty, bool) = (lo.ty, lo.ty.with(Unit::Int(1)));
        let [zero, one] = [0, 1].map(|number| self.in_lanes(Val::i64(number), lanes));
        let up = self.make("up", bool, format!("icmp sgt {step}, {}", zero.text));
        let forth = self.sub(&hi, &lo);
        let back = self.sub(&lo, &hi);
        let span = self.make("span", ty, format!("select {up}, {forth}, {back}"));
        let magnitude = self.make("magnitude", ty, format!("call {ty} @llvm.abs.{}({step}, i1 false)", ty.suffix()));
        let magnitude = self.make("magnitude", ty, format!("call {ty} @llvm.umax.{}({magnitude}, {one})", ty.suffix()));
        let rounded = self.sub(&span, &one);
        let whole = self.make("whole", ty, format!("udiv {rounded}, {}", magnitude.text));
        let count = self.add(&whole, &one);
        let some = self.make("some", bool, format!("icmp sgt {span}, {}", zero.text));
        self.make("count", ty, format!("select {some}, {count}, {zero}"))
    }

    /// Emits the test of whether the memory of one view overlaps that of another.
    pub(super) fn overlap(&mut self, op: Op) -> Result<(), NotEmitted> {
        let data = &self.kernel.ops[op];
        let [a, b] = [0, 1].map(|number| self.view(data.operands[number]));
        if !a.is_single() || !b.is_single() {
            return Err(NotEmitted::new(self.kernel, op, "a test whether views overlap that differ from lane to lane"));
        }
        let [(a_from, a_to), (b_from, b_to)] =
            [(a, data.operands[0]), (b, data.operands[1])].map(|(view, value)| self.extent(&view, value));
        // An empty extent ends where it starts, or before: it meets nothing.
        let parts = [(&a_from, &b_to), (&b_from, &a_to), (&a_from, &a_to), (&b_from, &b_to)];
        let parts = parts.map(|(from, to)| self.make("before", Ty::I1, format!("icmp slt {from}, {}", to.text)));
        let all = parts.into_iter().reduce(|all, part| self.make("meets", Ty::I1, format!("and {all}, {}", part.text)));
        self.set(data.results[0], all.expect("four parts"));
        Ok(())
    }

    /// The addresses of the first cell of a view in memory and of the end of the last, as integers.
    fn extent(&mut self, view: &View, value: Value) -> (Val, Val) {
        let Type::View { item, .. } = self.kernel.ty(value) else { panic!("{value} is no view") };
        let base = self.make("base", Ty::I64, format!("ptrtoint {} to i64", view.base));
        let mut from = self.add(&base, &view.offset);
        let mut to = self.add(&from, &Val::i64(self.kernel.item_bytes(item) as i64));
        let mut none = None;
        for dim in &view.dims {
            let size = dim.size.clone().unwrap_or_else(|| panic!("{value} has a size that nobody passes"));
            let way = self.sub(&size, &Val::i64(1));
            let way = self.mul(&way, &dim.stride);
            let back = self.make("back", Ty::I64, format!("call i64 @llvm.smin.i64({way}, i64 0)"));
            let forth = self.make("forth", Ty::I64, format!("call i64 @llvm.smax.i64({way}, i64 0)"));
            from = self.add(&from, &back);
            to = self.add(&to, &forth);
            let empty = self.make("empty", Ty::I1, format!("icmp sle {size}, 0"));
            none = Some(match none {
                None => empty,
                Some(before) => self.make("empty", empty.ty, format!("or {before}, {}", empty.text)),
            });
        }
        if let Some(none) = none {
            to = self.make("to", Ty::I64, format!("select {none}, {from}, {to}"));
        }
        (from, to)
    }

    /// A new array: on the stack, or at its place in scratch memory.
    pub(super) fn new_array(&mut self, op: Op) -> Result<(), NotEmitted> {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let result = data.results[0];
        let elem = kernel.ty(result).elem().unwrap_or_else(|| panic!("{op} makes no elements"));
        let is_placed = data.code == Code::Scratch;
        let sizes: Vec<Val> = data.operands[usize::from(is_placed)..].iter().map(|&size| self.exact(size)).collect();
        let bytes = sizes.iter().fold(Val::i64(elem.bytes() as i64), |bytes, size| self.mul(&bytes, size));
        let base = match (self.scratch.clone().filter(|_| is_placed), bytes.number()) {
            (Some(scratch), _) => {
                let at = self.exact(data.operands[0]);
                self.step(&scratch, 1, &at)
            }
            (None, Some(bytes)) => {
                let bytes = bytes.max(1);
                self.at_entry("temp", Ty::PTR, format!("alloca [{bytes} x i8], align {ALIGN}"))
            }
            (None, None) => return Err(NotEmitted::new(kernel, op, &not_told(kernel, op))),
        };
        if matches!(data.attr, Attr::Elem(_)) {
            let zeroed = format!("ptr align {ALIGN} {}, i8 0, {bytes}, i1 false", base.text);
            self.line(format!("call void @llvm.memset.p0.i64({zeroed})"));
        }
        let view = self.whole_view(base, sizes.into_iter().map(Some).collect(), elem.bytes());
        self.set_view(result, view);
        Ok(())
    }

    /// A constant array: one of the module, which all that use it share.
    pub(super) fn table(&mut self, op: Op) {
        let kernel = self.kernel;
        let data = &kernel.ops[op];
        let ir::Attr::Cells(elem, cells) = &data.attr else { return };
        let name = self.tables.name(*elem, cells);
        let sizes: Vec<_> = data.operands.iter().map(|&size| Some(self.exact(size))).collect();
        let view = self.whole_view(Val::new(name, Ty::PTR), sizes, elem.bytes());
        self.set_view(data.results[0], view);
    }

    /// The address of a cell, from scalar subscripts.
    pub(super) fn address(&mut self, view: &View, subscripts: &[Val]) -> Val {
        let Some((last, leading)) = subscripts.split_last() else { return self.row_address(view, &[]) };
        let at = self.row_address(view, leading);
        let stride = &view.dims[leading.len()].stride;
        match stride.number() {
            Some(stride @ (1 | 2 | 4 | 8)) => self.step(&at, stride, last),
            _ => {
                let distance = self.mul(last, stride);
                self.step(&at, 1, &distance)
            }
        }
    }

    /// The address of the first cell with these leading subscripts.
    pub(super) fn row_address(&mut self, view: &View, leading: &[Val]) -> Val {
        let mut offset = view.offset.clone();
        for (subscript, dim) in leading.iter().zip(&view.dims) {
            let distance = self.mul(subscript, &dim.stride);
            offset = self.add(&offset, &distance);
        }
        self.step(&view.base, 1, &offset)
    }

    /// The address so many steps of so many bytes further.
    pub(super) fn step(&mut self, from: &Val, bytes: i128, by: &Val) -> Val {
        if by.number() == Some(0) {
            return from.clone();
        }
        let lanes = from.ty.lanes.or(by.ty.lanes);
        let ty = Ty { lanes, ..Ty::PTR };
        self.make("at", ty, format!("getelementptr i{}, {from}, {by}", 8 * bytes))
    }

    /// The sum of two `i64`, which does not overflow where addresses are right.
    pub(super) fn add(&mut self, a: &Val, b: &Val) -> Val {
        match (a.number(), b.number()) {
            (Some(0), _) => b.clone(),
            (_, Some(0)) => a.clone(),
            (Some(x), Some(y)) => Val::i64((x + y) as i64),
            _ => self.joined("sum", "add", a, b),
        }
    }

    /// The difference of two `i64`.
    pub(super) fn sub(&mut self, a: &Val, b: &Val) -> Val {
        match (a.number(), b.number()) {
            (_, Some(0)) => a.clone(),
            (Some(x), Some(y)) => Val::i64((x - y) as i64),
            _ => self.joined("rest", "sub", a, b),
        }
    }

    /// The product of two `i64`.
    pub(super) fn mul(&mut self, a: &Val, b: &Val) -> Val {
        match (a.number(), b.number()) {
            (Some(0), _) | (_, Some(0)) => Val::i64(0),
            (Some(1), _) => b.clone(),
            (_, Some(1)) => a.clone(),
            (Some(x), Some(y)) => Val::i64((x * y) as i64),
            _ => self.joined("scaled", "mul", a, b),
        }
    }

    fn joined(&mut self, hint: &str, name: &str, a: &Val, b: &Val) -> Val {
        let lanes = a.ty.lanes.or(b.ty.lanes);
        let a = self.in_lanes(a.clone(), lanes);
        let b = self.in_lanes(b.clone(), lanes);
        self.make(hint, a.ty, format!("{name} {a}, {}", b.text))
    }
}

/// Says which array it is whose bytes are not known before the call.
fn not_told(kernel: &Kernel, op: Op) -> String {
    let data = &kernel.ops[op];
    let name = |value: Value| kernel.values[value].name.as_ref().map(|name| format!("`{name}`"));
    let array = name(data.results[0]).unwrap_or_else(|| "an array".to_owned());
    let unknown = data.operands.iter().filter(|&&size| kernel.as_const(size).is_none());
    let sizes: Vec<String> = unknown.filter_map(|&size| name(size)).collect();
    let size = if sizes.is_empty() { String::new() } else { format!(" (by {})", sizes.join(", ")) };
    format!(
        "{array}, whose size{size} is found while the kernel runs: its bytes have to be known before the call. Make the size a \
         parameter, or bound it by one with `min`"
    )
}
