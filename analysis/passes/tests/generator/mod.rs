//! Random kernels: any op of the table, any control, nested, verified. Deterministic by seed.
//!
//! Operands are chosen by the op table's slots, so a new op takes part without a change here. Arrays are
//! small and subscripts mostly fit, so that most runs come far; some end in an error, which is wanted too.

use fastrand::Rng;
use ir::ElemSet;
use ir::ops::{Key, OperandShape, OperandSlot, SECTIONS, Sharing};
use ir::{
    Attr, Builder, CellType, Code, Control, DimSize, Elem, FieldDecl, Fold, Kernel, Op, Scalar, StructDecl, Type,
    Value, interp::Inputs,
};

/// Cells along each dimension of every array.
const SIZE: i64 = 12;

/// A random kernel and what to run it on.
pub(crate) fn case(seed: u64) -> (Kernel, Inputs) {
    let mut rng = Rng::with_seed(seed);
    let lanes = if rng.bool() { Some([1, 2, 3, 4, 8][rng.usize(..5)]) } else { None };
    let mut kernel = Kernel::new("random");
    kernel.lanes = lanes;
    let fields = [("x", Elem::F32), ("flag", Elem::Bool), ("y", Elem::F64)];
    let fields = fields.map(|(name, elem)| FieldDecl::scalar(name.into(), elem)).to_vec();
    kernel.structs.push(StructDecl::new("Point".into(), fields));
    let mut generator = Generator {
        builder: Builder::on(kernel),
        rng,
        lanes,
        // Not drawn, so that the other seeds' kernels stay as they are.
        wild: seed % 4 == 3,
        in_vector_for: false,
        in_lanes: false,
        pool: Vec::new(),
        places: 0,
        left: 0,
        made: Vec::new(),
    };
    let inputs = generator.params();
    generator.left = generator.rng.usize(4..40);
    generator.block(0);
    (0..4).for_each(|_| generator.sink());
    let result = generator.find(|ty| !ty.is_view() && ty.lanes().is_none());
    (generator.builder.finish(result), inputs)
}

struct Generator {
    builder: Builder,
    rng: Rng,
    lanes: Option<u16>,
    /// Values at the edges of their types come often.
    wild: bool,
    in_vector_for: bool,
    /// Inside of a `foreach` in lanes.
    in_lanes: bool,
    /// The values in scope.
    pool: Vec<Value>,
    places: u32,
    /// How many statements may still be made.
    left: usize,
    /// Ops that were made, to make some of them again.
    made: Vec<(Code, Attr, Vec<Value>)>,
}

impl Generator {
    fn params(&mut self) -> Inputs {
        let mut inputs = Inputs::new();
        for elem in [Elem::I32, Elem::F32, Elem::I64, Elem::U8, Elem::F64] {
            let name = format!("s_{elem}");
            let value = self.builder.scalar(&name, elem);
            self.pool.push(value);
            inputs = inputs.scalar(if elem == Elem::I32 { Scalar::I32(SIZE as i32) } else { self.random(elem) });
        }
        let n = self.pool[0];
        for elem in [Elem::F32, Elem::I32, Elem::F64, Elem::U16, Elem::Bool] {
            let rank = self.rng.usize(1..3);
            let size = [DimSize::Own, DimSize::Param(n), DimSize::Constant(SIZE)][self.rng.usize(..3)].clone();
            let value = self.builder.array(&format!("a_{elem}"), elem, &vec![size; rank]);
            self.pool.push(value);
            let cells: Vec<Scalar> = (0..SIZE.pow(rank as u32)).map(|_| self.random(elem)).collect();
            inputs = inputs.array(&cells, &vec![SIZE; rank]);
        }
        let points = CellType::Struct(self.builder.kernel().structs.keys().next().expect("a struct"));
        let value = self.builder.array_of("points", points, &[DimSize::Own]);
        self.pool.push(value);
        let bytes = self.builder.kernel().item_bytes(points) * SIZE as usize;
        inputs.bytes((0..bytes).map(|_| self.rng.u8(..)).collect(), &[SIZE])
    }

    fn scalar_elem(&mut self) -> Elem {
        Elem::ALL[self.rng.usize(..Elem::ALL.len())]
    }

    fn elem_of(&mut self, class: ElemSet) -> Elem {
        let fitting: Vec<Elem> = Elem::ALL.into_iter().filter(|&elem| class.contains(elem)).collect();
        fitting[self.rng.usize(..fitting.len())]
    }

    /// A value at an edge of its type.
    fn extreme(&mut self, elem: Elem) -> Scalar {
        const FLOATS: [f64; 11] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -0.0,
            f64::MAX,
            f64::MIN,
            3.4e38,
            f64::MIN_POSITIVE,
            1e-40,
            -1e-45,
            5e-324,
        ];
        match elem.integer_range() {
            _ if elem.is_float() => {
                let number = FLOATS[self.rng.usize(..FLOATS.len())];
                ir::scalar::cast(Scalar::F64(number), elem).expect("a float")
            }
            Some((least, greatest)) => {
                Scalar::wrap(elem, [least, least + 1, greatest - 1, greatest][self.rng.usize(..4)])
            }
            None => Scalar::Bool(self.rng.bool()),
        }
    }

    /// A number, mostly small.
    fn random(&mut self, elem: Elem) -> Scalar {
        if self.wild && self.rng.u8(..4) == 0 {
            return self.extreme(elem);
        }
        match (elem, self.rng.u8(..16)) {
            (Elem::F32 | Elem::F64, 0) => ir::scalar::cast(Scalar::F64(f64::NAN), elem).expect("a float"),
            (Elem::F32 | Elem::F64, 1) => ir::scalar::cast(Scalar::F64(-0.0), elem).expect("a float"),
            (Elem::F32 | Elem::F64, 3) => Scalar::zero(elem),
            (Elem::F32 | Elem::F64, 4) => Scalar::one(elem),
            (Elem::F32 | Elem::F64, 2) => ir::scalar::cast(Scalar::F64(1e30), elem).expect("a float"),
            (Elem::F32 | Elem::F64, _) => {
                let number = f64::from(self.rng.i32(-80..80)) / 8.0;
                ir::scalar::cast(Scalar::F64(number), elem).expect("a float")
            }
            (_, 0) => Scalar::wrap(elem, i128::from(self.rng.i64(..))),
            (_, _) => Scalar::saturate(elem, self.rng.i128(-2..9)),
        }
    }

    /// A value of exactly this type, if one is in scope.
    fn find(&mut self, fits: impl Fn(Type) -> bool) -> Option<Value> {
        let found: Vec<Value> =
            self.pool.iter().copied().filter(|&value| fits(self.builder.kernel().ty(value))).collect();
        // Later values are closer to what is being built; the last few make expressions.
        let skip = [0, found.len() / 2, found.len().saturating_sub(2)][self.rng.usize(..3)];
        (!found.is_empty()).then(|| found[self.rng.usize(skip..found.len())])
    }

    fn scalar(&mut self, elem: Elem) -> Value {
        let found = if self.rng.u8(..4) > 0 { self.find(|ty| ty == Type::scalar(elem)) } else { None };
        let constant = self.random(elem);
        found.unwrap_or_else(|| self.builder.constant(constant))
    }

    fn in_lanes(&mut self, elem: Elem, lanes: u16) -> Value {
        let found = self.find(|ty| ty == Type::lanes_of(elem, lanes));
        found.unwrap_or_else(|| {
            let scalar = self.scalar(elem);
            self.make(Code::Splat, Attr::Lanes(lanes), &[scalar])[0]
        })
    }

    fn of(&mut self, elem: Elem, lanes: Option<u16>) -> Value {
        match lanes {
            Some(lanes) => self.in_lanes(elem, lanes),
            None => self.scalar(elem),
        }
    }

    /// A subscript that mostly fits.
    fn subscript(&mut self) -> Value {
        match self.rng.u8(..8) {
            0 => self.scalar(Elem::I32),
            1..4 => {
                let named: Vec<Value> = self
                    .pool
                    .iter()
                    .copied()
                    .filter(|&value| {
                        let data = &self.builder.kernel().values[value];
                        let whole = data.ty.lanes().is_none() && data.ty.data_elem().is_some_and(Elem::is_integer);
                        whole && data.name.as_deref().is_some_and(|name| name.starts_with("index"))
                    })
                    .collect();
                match named.last() {
                    Some(&index) => index,
                    None => self.small(),
                }
            }
            _ => self.small(),
        }
    }

    fn small(&mut self) -> Value {
        let elem = [Elem::I32, Elem::I64, Elem::U8][self.rng.usize(..3)];
        let number = self.rng.i128(0..i128::from(SIZE) / 2);
        self.builder.constant(Scalar::wrap(elem, number))
    }

    /// Adds an op at a place of its own, and takes its results up.
    fn make(&mut self, code: Code, attr: Attr, operands: &[Value]) -> Vec<Value> {
        self.place();
        self.made.push((code, attr.clone(), operands.to_vec()));
        let op = self.builder.push(code, attr, operands);
        let results: Vec<Value> = self.builder.kernel().ops[op].results.to_vec();
        self.pool.extend(&results);
        results
    }

    fn place(&mut self) {
        self.places += 1;
        let origin = self.builder.origin(self.places, None);
        self.builder.set_origin(origin);
    }

    fn block(&mut self, depth: usize) {
        for _ in 0..self.rng.usize(1..10) {
            if self.left == 0 {
                return;
            }
            self.left -= 1;
            let before = self.pool.len();
            match self.rng.u8(..12) {
                0 if depth < 4 => self.range_loop(Code::For, depth),
                1 if depth < 4 && self.lanes.is_some() && !self.in_lanes => self.range_loop(Code::VectorFor, depth),
                2 if depth < 4 && !self.in_lanes => self.foreach(depth),
                3 if depth < 4 => self.branch(depth),
                4 if depth < 4 => self.while_loop(depth),
                5 | 6 => self.sink(),
                7 => self.again(),
                _ => self.plain(),
            }
            if self.pool.len() > before && self.rng.u8(..4) == 0 {
                let last = self.pool[self.pool.len() - 1];
                if self.builder.kernel().values[last].name.is_none() {
                    let name = ["x", "y", "sum", "index_of"][self.rng.usize(..4)];
                    self.builder.name(last, name);
                }
            }
        }
    }

    /// Stores a value, so that it shows.
    fn sink(&mut self) {
        let lanes = self.lanes;
        let Some(value) = self.find(|ty| !ty.is_view() && (ty.lanes().is_none() || ty.lanes() == lanes)) else {
            return;
        };
        let ty = self.builder.kernel().ty(value);
        let Some(view) = self.find(|view| view.is_view() && view.lanes().is_none() && view.elem() == ty.data_elem())
        else {
            return;
        };
        let rank = self.builder.kernel().ty(view).rank();
        let mut operands = vec![view];
        operands.extend((0..rank).map(|_| self.subscript()));
        operands.push(value);
        let code = if ty.lanes().is_some() { Code::VectorStore } else { Code::Store };
        self.make(code, Attr::None, &operands);
    }

    /// An op that was made before, once more, if its operands are in scope.
    fn again(&mut self) {
        let is_known = |value: &Value| self.pool.contains(value) || self.builder.kernel().as_const(*value).is_some();
        let possible = self.made.iter().filter(|(code, attr, operands)| {
            operands.iter().all(is_known) && self.may_stand_here(*code, attr, operands)
        });
        let possible: Vec<_> = possible.cloned().collect();
        if !possible.is_empty() {
            let (code, attr, operands) = possible[self.rng.usize(..possible.len())].clone();
            self.make(code, attr, &operands);
        }
    }

    /// Whether an op stands where its form has to: asking lanes as a scalar only where they run together, in lanes only
    /// where they do not.
    fn may_stand_here(&self, code: Code, attr: &Attr, operands: &[Value]) -> bool {
        let types: Vec<Type> = operands.iter().map(|&value| self.builder.kernel().ty(value)).collect();
        let made = ir::typing::results(&self.builder.kernel().structs, code, attr, &types).unwrap_or_default();
        let scalar = types.iter().chain(&made).all(|ty| ty.lanes().is_none());
        if self.in_lanes { scalar } else { !scalar || !(code.asks_lanes() || code == Code::LaneId) }
    }

    /// Any op of the table that is not control.
    fn plain(&mut self) {
        // Whole arrays are gone before passes run.
        let of_elements = SECTIONS.iter().filter(|(title, _)| *title != "Whole arrays");
        let codes: Vec<Code> = of_elements.flat_map(|(_, codes)| codes.iter().copied()).collect();
        let asking = |code: &Code| code.asks_lanes() || *code == Code::LaneId;
        let asking: Vec<Code> = codes.iter().copied().filter(|code| self.in_lanes && asking(code)).collect();
        // Where lanes run together, they are to ask each other often.
        let from = if asking.is_empty() || self.rng.bool() { &codes } else { &asking };
        let code = from[self.rng.usize(..from.len())];
        let rare = matches!(code, Code::Unknown | Code::Assert | Code::Temp) && self.rng.u8(..8) > 0;
        // Whole arrays are gone before passes run, and only a pass gives arrays their places.
        if code.is_control() || rare || matches!(code, Code::Iota | Code::Scratch) {
            return;
        }
        let lanes = self.lanes.filter(|_| self.in_vector_for);
        if let Some((attr, operands)) = self.operands(code, lanes)
            && self.may_stand_here(code, &attr, &operands)
        {
            self.make(code, attr, &operands);
        }
    }

    /// Operands that an op accepts; nothing if there are none, or it needs lanes where there are none.
    fn operands(&mut self, code: Code, lanes: Option<u16>) -> Option<(Attr, Vec<Value>)> {
        let slots = code.row().slots;
        let shared = slots.iter().fold(Elem::ALL.to_vec(), |fitting, slot| match slot {
            OperandSlot::Data(_, class, Sharing::Shared) | OperandSlot::Rest(_, _, class, Sharing::Shared) => {
                fitting.into_iter().filter(|&elem| class.contains(elem)).collect()
            }
            _ => fitting,
        });
        let shared = shared[self.rng.usize(..shared.len())];
        let mut operands: Vec<Value> = Vec::new();
        for slot in slots {
            self.operand(code, *slot, shared, lanes, &mut operands)?;
        }
        if code == Code::Pack {
            lanes?;
        }
        let attr = self.attr(code, &operands, lanes)?;
        let types: Vec<Type> = operands.iter().map(|&value| self.builder.kernel().ty(value)).collect();
        ir::typing::check(code, &types).ok()?;
        ir::typing::check_attr(code, &attr, &types).ok()?;
        ir::typing::results(&self.builder.kernel().structs, code, &attr, &types).ok()?;
        Some((attr, operands))
    }

    fn data(&mut self, shape: OperandShape, elem: Elem, lanes: Option<u16>) -> Option<Value> {
        Some(match (shape, lanes) {
            (OperandShape::Lanes, None) => return None,
            (OperandShape::Lanes, Some(lanes)) => self.in_lanes(elem, lanes),
            (OperandShape::Both, Some(lanes)) if self.rng.bool() => self.in_lanes(elem, lanes),
            _ => self.scalar(elem),
        })
    }

    fn operand(
        &mut self,
        code: Code,
        slot: OperandSlot,
        shared: Elem,
        lanes: Option<u16>,
        to: &mut Vec<Value>,
    ) -> Option<()> {
        let ty = |generator: &Generator, value: Value| generator.builder.kernel().ty(value);
        match slot {
            OperandSlot::Data(shape, class, sharing) => {
                let elem = if sharing == Sharing::Shared { shared } else { self.elem_of(class) };
                to.push(self.data(shape, elem, lanes)?);
            }
            OperandSlot::View | OperandSlot::Structs | OperandSlot::AnyView => {
                let in_lanes = matches!(code, Code::Gather | Code::Scatter | Code::Row | Code::Slice | Code::Field);
                to.push(self.find(|ty| {
                    let is_struct = matches!(ty, Type::View { item: CellType::Struct(_), .. });
                    let wanted = match slot {
                        OperandSlot::View => !is_struct,
                        OperandSlot::Structs => is_struct,
                        _ => true,
                    };
                    ty.is_view() && wanted && (in_lanes || ty.lanes().is_none())
                })?);
                // Only a whole array is taken flat.
                let view = to[to.len() - 1];
                if code == Code::Flat && self.builder.kernel().root(view) != view {
                    return None;
                }
            }
            OperandSlot::Indices(shape) => {
                let rank = ty(self, to[0]).rank();
                for dim in 0..rank {
                    let is_last = dim + 1 == rank;
                    let index = match (shape, lanes) {
                        (OperandShape::Scalar, _) | (OperandShape::Both, None) => self.subscript(),
                        (_, None) => return None,
                        (_, Some(lanes)) if is_last => self.lane_subscript(code, lanes),
                        _ => self.subscript(),
                    };
                    to.push(index);
                }
            }
            OperandSlot::Stored(shape) => {
                let elem = ty(self, to[0]).elem()?;
                to.push(self.data(shape, elem, lanes)?);
            }
            OperandSlot::Mask => to.push(self.in_lanes(Elem::Bool, lanes?)),
            OperandSlot::Asked if self.in_lanes => {}
            OperandSlot::OptionalMask | OperandSlot::Asked => {
                lanes?;
                if self.rng.u8(..4) > 0 {
                    to.push(self.in_lanes(Elem::Bool, lanes?));
                }
            }
            OperandSlot::Rest(least, shape, class, sharing) => {
                for _ in 0..self.rng.usize(least..least + 3) {
                    let elem = if sharing == Sharing::Shared { shared } else { self.elem_of(class) };
                    let small = code == Code::Temp;
                    to.push(if small { self.small() } else { self.data(shape, elem, lanes)? });
                }
            }
            OperandSlot::StoredRest(least, shape) => {
                let elem = ty(self, to[0]).elem()?;
                for _ in 0..self.rng.usize(least..least + 2) {
                    to.push(self.data(shape, elem, lanes)?);
                }
            }
            OperandSlot::Anything => {
                let elem = self.scalar_elem();
                to.push(self.scalar(elem));
            }
            // Whole arrays are gone before passes run.
            OperandSlot::Whole | OperandSlot::WholeRest => return None,
        }
        Some(())
    }

    /// A last subscript in lanes that is what the op says of it.
    fn lane_subscript(&mut self, code: Code, lanes: u16) -> Value {
        let base = self.small();
        let elem = self.builder.kernel().ty(base).data_elem().expect("a number");
        let along = |generator: &mut Generator, step: i64| {
            let signed = if elem.is_signed() { base } else { generator.builder.constant(Scalar::I32(7)) };
            let elem = generator.builder.kernel().ty(signed).data_elem().expect("a number");
            let step = generator.builder.constant(Scalar::wrap(elem, step.into()));
            generator.make(Code::LaneIndex, Attr::Lanes(lanes), &[signed, step])[0]
        };
        match code {
            _ if code.as_atomic().is_some() || matches!(code, Code::Gather | Code::Scatter | Code::Prefetch) => {
                let index = self.in_lanes(Elem::I32, lanes);
                let seven = self.builder.constant(Scalar::I32(7));
                self.make(Code::And, Attr::None, &[index, seven])[0]
            }
            Code::ReversedLoad | Code::ReversedStore => along(self, -1),
            Code::StridedLoad | Code::StridedStore | Code::InterleavedLoad | Code::InterleavedStore => along(self, 2),
            Code::RepeatedLoad | Code::PeriodicLoad => {
                let index = along(self, 1);
                let elem = self.builder.kernel().ty(index).data_elem().expect("a number");
                let two = self.builder.constant(Scalar::wrap(elem, 2));
                let by = if code == Code::RepeatedLoad { Code::Div } else { Code::Rem };
                self.make(by, Attr::None, &[index, two])[0]
            }
            _ if self.rng.bool() => base,
            _ => along(self, 1),
        }
    }

    fn attr(&mut self, code: Code, operands: &[Value], lanes: Option<u16>) -> Option<Attr> {
        let ty = |value: Value| self.builder.kernel().ty(value);
        Some(match code.row().key {
            Key::None | Key::Control => Attr::None,
            Key::Convert => Attr::Elem(self.scalar_elem()),
            Key::Elem if code == Code::Bitcast => {
                let bytes = ty(operands[0]).data_elem()?.bytes();
                let same: Vec<Elem> = Elem::ALL.iter().copied().filter(|elem| elem.bytes() == bytes).collect();
                Attr::Elem(same[self.rng.usize(..same.len())])
            }
            Key::Elem | Key::NewElem => Attr::Elem(self.scalar_elem()),
            // A constant array has as many elements as its sizes say, which are constants.
            Key::Cells => return None,
            Key::Type if code == Code::Sad => {
                let all = ty(operands[0]).lanes()?;
                let to = [Elem::U16, Elem::U32, Elem::U64][self.rng.usize(..3)];
                let bytes = to.bytes() as u16;
                Attr::Type(Type::lanes_of(to, Some(all / bytes).filter(|lanes| lanes * bytes == all && all > 0)?))
            }
            Key::Type if code == Code::Regroup => {
                let bytes = |value: Value| {
                    ty(value).data_elem().map_or(0, Elem::bytes) * usize::from(ty(value).lanes().unwrap_or(0))
                };
                let all: usize = operands.iter().map(|&value| bytes(value)).sum();
                let to = [Elem::U8, Elem::U16, Elem::U32, Elem::U64][self.rng.usize(..4)];
                let lanes = u16::try_from(all / to.bytes())
                    .ok()
                    .filter(|&lanes| lanes > 0 && all.is_multiple_of(to.bytes()))?;
                Attr::Type(Type::lanes_of(to, lanes))
            }
            Key::Type => Attr::Type(Type::scalar(self.scalar_elem())),
            Key::Lanes if operands.iter().any(|&value| ty(value).lanes().is_some()) => Attr::None,
            Key::Lanes if self.in_lanes => Attr::None,
            Key::Lanes => Attr::Lanes(lanes?),
            Key::Dim => Attr::Number(self.rng.i64(..i64::from(ty(operands[0]).rank()))),
            Key::Number(..) => Attr::Number(2),
            Key::Pattern => {
                let all: u16 = operands.iter().filter_map(|&value| ty(value).lanes()).sum();
                Attr::Pattern((0..lanes?).map(|_| self.rng.u16(..all)).collect())
            }
            Key::Field => Attr::Field(self.rng.u16(..3)),
            Key::Through if operands.iter().any(|&value| ty(value).lanes().is_some()) => {
                if self.rng.bool() {
                    Attr::InMemory
                } else {
                    Attr::None
                }
            }
            Key::Past => [Attr::None, Attr::PastCache][self.rng.usize(..2)].clone(),
            Key::Through | Key::Order => Attr::None,
        })
    }

    /// A range of a few steps.
    fn range(&mut self) -> [Value; 3] {
        let elem = [Elem::I32, Elem::I64, Elem::U8, Elem::I8][self.rng.usize(..4)];
        let lo = self.rng.i128(0..3);
        let (lo, hi, step) = match self.rng.u8(..6) {
            0 if elem.is_signed() => (lo + 6, lo, -2),
            1 => (lo, lo + 7, 3),
            2 => (lo + 1, lo, 1),
            _ => (lo, lo + self.rng.i128(1..7), 1),
        };
        if elem == Elem::I32 && self.rng.u8(..4) == 0 {
            let (zero, one) = (self.builder.constant(Scalar::I32(0)), self.builder.constant(Scalar::I32(1)));
            return [zero, self.pool[0], one];
        }
        [lo, hi, step].map(|number| self.builder.constant(Scalar::wrap(elem, number)))
    }

    fn carried(&mut self) -> Vec<(&'static str, Value)> {
        let n = self.rng.usize(..3);
        ["carry", "last", "acc"][..n]
            .iter()
            .map(|name| {
                let elem = self.scalar_elem();
                let lanes = self.lanes.filter(|_| self.in_vector_for && self.rng.bool());
                (*name, self.of(elem, lanes))
            })
            .collect()
    }

    /// A value of the same type as another.
    fn like(&mut self, value: Value) -> Value {
        let ty = self.builder.kernel().ty(value);
        let elem = ty.data_elem().expect("data");
        self.of(elem, ty.lanes())
    }

    fn range_loop(&mut self, code: Code, depth: usize) {
        let (range, carried) = (self.range(), self.carried());
        let in_lanes = code == Code::VectorFor;
        let width = self.lanes.filter(|_| in_lanes);
        let mut reductions = Vec::new();
        for _ in 0..self.rng.usize(..2) {
            let fold = Fold::ALL[self.rng.usize(..Fold::ALL.len())];
            let elem = self.elem_of(fold.class());
            reductions.push((fold, self.scalar(elem)));
        }
        self.place();
        let control = Control { width, ..Control::default() };
        let args = self.builder.open_loop(code, control, "index", range, &carried, &reductions);
        let (scope, outer) = (self.pool.len(), self.in_vector_for);
        self.pool.extend(&args);
        self.in_vector_for |= in_lanes;
        if in_lanes && self.rng.u8(..4) > 0 {
            let i = self.make(Code::LaneIndex, Attr::Lanes(width.expect("lanes")), &[args[0], range[2]])[0];
            self.builder.name(i, "i");
            let active = self.make(Code::Lt, Attr::None, &[i, range[1]])[0];
            self.builder.name(active, "active");
        }
        self.block(depth + 1);
        let mut yields: Vec<Value> = carried.iter().map(|(_, init)| self.like(*init)).collect();
        for (_, init) in &reductions {
            let elem = self.builder.kernel().ty(*init).data_elem().expect("data");
            yields.push(self.of(elem, width));
        }
        self.end_block(&yields, scope);
        self.in_vector_for = outer;
    }

    fn end_block(&mut self, yields: &[Value], scope: usize) {
        let results = self.builder.close(yields);
        self.pool.truncate(scope);
        self.pool.extend(results);
    }

    fn foreach(&mut self, depth: usize) {
        let ranges: Vec<(&str, [Value; 3])> =
            ["index_i", "index_j"][..self.rng.usize(1..3)].iter().map(|name| (*name, self.range())).collect();
        self.place();
        let together = !self.in_vector_for && self.rng.bool();
        let lanes = [1, 2, 3, 4, 7, 16][self.rng.usize(..6)];
        let args = match together {
            true => self.builder.open_foreach_in_lanes(&ranges, lanes),
            false => self.builder.open_foreach(&ranges),
        };
        let outer = self.pool.clone();
        if together {
            self.in_lanes = true;
            let kernel = self.builder.kernel();
            self.pool.retain(|&value| kernel.ty(value).lanes().is_none());
        }
        self.pool.extend(args);
        self.block(depth + 1);
        self.builder.close(&[]);
        self.pool = outer;
        self.in_lanes &= !together;
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.scalar(Elem::Bool);
        let results = self.carried();
        self.place();
        self.builder.open_if(condition);
        let scope = self.pool.len();
        self.block(depth + 1);
        let yields: Vec<Value> = results.iter().map(|(_, like)| self.like(*like)).collect();
        self.builder.next_block(&yields);
        self.pool.truncate(scope);
        self.block(depth + 1);
        let yields: Vec<Value> = results.iter().map(|(_, like)| self.like(*like)).collect();
        self.end_block(&yields, scope);
    }

    fn while_loop(&mut self, depth: usize) {
        let zero = self.builder.constant(Scalar::I32(0));
        let mut carried = vec![("index_k", zero)];
        carried.extend(self.carried());
        self.place();
        let args = self.builder.open_while(&carried);
        self.builder.marks().counts = self.rng.bool();
        let scope = self.pool.len();
        self.pool.extend(&args);
        self.block(depth + 1);
        let bound = self.builder.constant(Scalar::I32(self.rng.i32(1..5)));
        let below = self.make(Code::Lt, Attr::None, &[args[0], bound])[0];
        let other = self.scalar(Elem::Bool);
        let test = if self.rng.bool() { self.make(Code::And, Attr::None, &[below, other])[0] } else { below };
        self.builder.next_block(&[test]);
        self.block(depth + 1);
        let one = self.builder.constant(Scalar::I32(1));
        let next = self.make(Code::WrappingAdd, Attr::None, &[args[0], one])[0];
        let mut yields = vec![next];
        yields.extend(carried[1..].iter().map(|(_, init)| self.like(*init)).collect::<Vec<_>>());
        self.end_block(&yields, scope);
    }
}

/// Makes a kernel smaller as long as it stays verified and `fails`: ops are taken out one after the other,
/// their results replaced by an operand of the same type, or zero.
pub(crate) fn shrink(mut kernel: Kernel, fails: impl Fn(&Kernel) -> bool) -> Kernel {
    loop {
        let mut ops = Vec::new();
        kernel.walk(kernel.body, &mut |region, op| ops.push((region, op)));
        let smaller = ops.into_iter().rev().find_map(|(region, op)| {
            let mut without = kernel.clone();
            remove(&mut without, region, op)?;
            (ir::verify(&without).is_ok() && fails(&without)).then_some(without)
        });
        match smaller {
            Some(smaller) => kernel = ir::compact(smaller),
            None => return kernel,
        }
    }
}

/// Takes an op out; nothing if a result has no replacement.
fn remove(kernel: &mut Kernel, region: ir::Region, op: Op) -> Option<()> {
    let data = kernel.ops[op].clone();
    kernel.regions[region].ops.retain(|&other| other != op);
    let mut new = ir::EntityVec::filled(kernel.values.len(), None);
    let uses = kernel.use_counts();
    for &result in data.results.iter().filter(|&&result| uses[result] > 0) {
        let ty = kernel.ty(result);
        let same = data.operands.iter().copied().find(|&operand| kernel.ty(operand) == ty);
        let zero = |kernel: &mut Kernel| match ty {
            Type::Data { elem, lanes: None } => Some(kernel.constant(Scalar::zero(elem))),
            _ => None,
        };
        new[result] = Some(same.or_else(|| zero(kernel))?);
    }
    kernel.replace_uses(&new);
    Some(())
}
