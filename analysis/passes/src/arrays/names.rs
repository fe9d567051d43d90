//! Names of arrays as numbers: what a branch or a loop gives is not an array, but which one it is.
//!
//! A name that a branch or a loop gives is one of several *forms*: an array that is there outside, and the rows, slices and fields that
//! are taken of it. So instead of an array the op gives the number of the form, if there is more than one, and what these parts
//! take as subscripts. Where the array is used, that use is done for the form at hand:
//!
//! ```text
//! let t = if c:            let turn, index = if c:       # `m[i]` is form 0, `a` form 1
//!     yield m[i]               yield 0, i
//! else:                    else:
//!     yield a                  yield 1, 0
//! t[k] = x                 if turn == 0:
//!                              m[index, k] = x
//!                          else:
//!                              a[k] = x
//! ```
//!
//! An array that only one side of a branch makes is a further result of the branch, of which the other side gives none. One that an iteration
//! makes is carried by the loop in a memory of its own: there is one for each name, so another name must not be handed that array.
//!
//! This is done where nothing better is possible: see [`super::swaps`] and [`super::sides`].

mod forms;
mod loops;
mod reached;
mod uses;

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Origin, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel, RegionData, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};

use forms::{Form, Named};

/// The most forms that a name may have.
const MOST_FORMS: usize = 64;

/// The most ops that a kernel may come to.
const MOST_OPS: usize = 20_000;

/// The kernel in which these branches and loops give numbers instead of arrays, if that is possible.
pub(super) fn as_numbers(kernel: &Kernel, ops: &[Op]) -> Option<Kernel> {
    let wanted = reached::with_names(kernel, ops);
    if wanted.is_empty() {
        return None;
    }
    if let Some(in_loops) = reached::without_reduce(kernel, &wanted) {
        return Some(in_loops);
    }
    let mut numbering = Numbering { kernel: kernel.clone(), wanted, names: FxHashMap::default(), out: Vec::new() };
    let body = numbering.kernel.body;
    numbering.block(body)?;
    let yields = numbering.arrays(body);
    numbering.kernel.regions[body].yields = yields;
    (numbering.kernel.count_ops() <= MOST_OPS).then_some(numbering.kernel)
}

struct Numbering {
    kernel: Kernel,
    /// The branches and loops that give numbers.
    wanted: FxHashSet<Op>,
    /// The values that are names, and what they are.
    names: FxHashMap<Value, Named>,
    /// The ops of the blocks that are open.
    out: Vec<Vec<Op>>,
}

impl Numbering {
    /// The ops of a block, which are done in its place.
    fn block(&mut self, region: Region) -> Option<()> {
        let ops = std::mem::take(&mut self.kernel.regions[region].ops);
        self.out.push(Vec::new());
        for op in ops {
            self.op(op)?;
        }
        // What the block yields may take more ops, so it is still open.
        Some(())
    }

    /// Ends a block.
    fn close(&mut self, region: Region, yields: Values) {
        self.kernel.regions[region].ops = self.out.pop().expect("a block is open");
        self.kernel.regions[region].yields = yields;
    }

    /// Ends a block that yields arrays as such.
    fn arrays(&mut self, region: Region) -> Values {
        let yields = self.kernel.regions[region].yields.clone();
        let origin = self.kernel.whole();
        let yields: Values = yields.into_iter().map(|value| self.as_array(value, origin)).collect();
        self.kernel.regions[region].ops = self.out.pop().expect("a block is open");
        yields
    }

    fn op(&mut self, op: Op) -> Option<()> {
        let data = self.kernel.ops[op].clone();
        let is_view = |value: &Value| self.kernel.ty(*value).is_view();
        match data.code {
            Code::If if self.wanted.contains(&op) => return self.branch(op),
            Code::For | Code::While if self.wanted.contains(&op) => return self.carrying(op),
            Code::Row | Code::Slice | Code::Field if self.names.contains_key(&data.operands[0]) => {
                let mut part = self.names[&data.operands[0]].part(&self.kernel, op);
                if data.code == Code::Slice {
                    (0..part.forms.len()).for_each(|number| self.join_slices(&mut part, number, data.origin));
                }
                self.names.insert(data.results[0], part);
                return Some(());
            }
            _ => {}
        }
        let n_names = data.operands.iter().filter(|value| is_view(value) && self.names.contains_key(value)).count();
        if data.regions.is_empty() {
            match n_names {
                0 => self.push(op),
                _ => self.used(op)?,
            }
            return Some(());
        }
        // An op with blocks takes arrays.
        let operands = data.operands.iter().map(|&value| self.as_array(value, data.origin)).collect();
        self.kernel.ops[op].operands = operands;
        for &region in &data.regions {
            self.block(region)?;
            let yields = self.arrays(region);
            self.kernel.regions[region].yields = yields;
        }
        self.push(op);
        Some(())
    }

    fn push(&mut self, op: Op) {
        self.out.last_mut().expect("a block is open").push(op);
    }

    /// Adds an op to the open block; gives its results.
    fn make(&mut self, code: Code, attr: Attr, operands: &[Value], types: &[Type], origin: Origin) -> Values {
        let op = self.kernel.add_op(code, attr, operands.iter().copied().collect(), types, origin);
        self.push(op);
        self.kernel.ops[op].results.iter().copied().collect()
    }

    fn number(&mut self, number: usize) -> Value {
        self.kernel.constant(Scalar::I64(number as i64))
    }

    fn zero(&mut self, ty: Type) -> Value {
        self.kernel.constant(Scalar::zero(ty.data_elem().unwrap_or(Elem::I64)))
    }

    /// An array without cells, for one that is never seen.
    fn nothing(&mut self, ty: Type, origin: Origin) -> Value {
        let none = vec![self.number(0); usize::from(ty.rank())];
        self.make(Code::Temp, Attr::Elem(ty.elem().unwrap_or(Elem::F32)), &none, &[ty], origin)[0]
    }

    /// Says whether an array is one without cells that stands for another one.
    fn is_nothing(&self, value: Value) -> bool {
        let Some(op) = self.kernel.def_op(value) else { return false };
        let data = &self.kernel.ops[op];
        let none = |&size: &Value| self.kernel.as_const(size).and_then(Scalar::wide) == Some(0);
        data.code == Code::Temp && data.operands.iter().all(none)
    }

    /// A branch: each block yields the numbers of its forms.
    fn branch(&mut self, op: Op) -> Option<()> {
        let data = self.kernel.ops[op].clone();
        let slots: Vec<usize> =
            (0..data.results.len()).filter(|&slot| self.kernel.ty(data.results[slot]).is_view()).collect();
        let mut inside: Vec<FxHashSet<Value>> = Vec::new();
        // The forms of each side: of every slot.
        let mut sides: Vec<Vec<Option<Named>>> = Vec::new();
        let mut open = Vec::new();
        for &region in &data.regions {
            self.block(region)?;
            inside.push(self.values_in_open(region));
            let yields = self.kernel.regions[region].yields.clone();
            sides.push(slots.iter().map(|&slot| self.named(yields[slot])).collect());
            open.push(self.out.pop().expect("a block is open"));
        }
        // Arrays that one side makes are results of the branch.
        let mut made: Vec<(usize, Value)> = Vec::new();
        for (side, names) in sides.iter().enumerate() {
            for form in names.iter().flatten().flat_map(|named| &named.forms) {
                if inside[side].contains(&form.root) && !made.contains(&(side, form.root)) {
                    made.push((side, form.root));
                }
            }
        }
        let outside: FxHashMap<Value, Value> = made
            .iter()
            .map(|&(_, root)| {
                let ty = self.kernel.ty(root);
                (root, self.kernel.add_value(ty, Def::Result(op, 0), self.kernel.values[root].name.clone()))
            })
            .collect();
        let mut forms: Vec<Vec<Form>> = Vec::new();
        for slot in 0..slots.len() {
            let mut own: Vec<Form> = Vec::new();
            for form in sides.iter().filter_map(|names| names[slot].as_ref()).flat_map(|named| &named.forms) {
                let form = form.with_roots(&outside);
                if !own.contains(&form) {
                    own.push(form);
                }
            }
            if own.is_empty() || own.len() > MOST_FORMS {
                return None;
            }
            forms.push(own);
        }
        // Each block yields its own arrays, and the numbers.
        let keeps = |slot: &usize| !slots.contains(slot);
        for (side, ops) in open.into_iter().enumerate() {
            let region = data.regions[side];
            self.out.push(ops);
            let old = self.kernel.regions[region].yields.clone();
            let mut yields: Values = (0..old.len()).filter(keeps).map(|slot| old[slot]).collect();
            for &(own, root) in &made {
                let ty = self.kernel.ty(root);
                yields.push(if own == side { root } else { self.nothing(ty, data.origin) });
            }
            for (slot, forms) in forms.iter().enumerate() {
                let named = sides[side][slot].as_ref().map(|named| named.with_roots(&outside));
                yields.extend(self.numbers(named.as_ref(), forms, data.origin));
            }
            self.close(region, yields);
        }
        let mut results: Values = (0..data.results.len()).filter(keeps).map(|slot| data.results[slot]).collect();
        results.extend(made.iter().map(|(_, root)| outside[root]));
        for (slot, forms) in slots.iter().zip(forms) {
            let named = self.new_name(forms, data.results[*slot], &mut |kernel, ty, name| {
                let value = kernel.add_value(ty, Def::Result(op, 0), name);
                results.push(value);
                value
            });
            self.names.insert(data.results[*slot], named);
        }
        self.set_results(op, results);
        self.push(op);
        Some(())
    }

    fn set_results(&mut self, op: Op, results: Values) {
        for (number, &result) in results.iter().enumerate() {
            self.kernel.values[result].def = Def::Result(op, number as u32);
        }
        self.kernel.ops[op].results = results.iter().copied().collect();
    }

    /// A name whose numbers are new values.
    fn new_name(
        &mut self,
        forms: Vec<Form>,
        old: Value,
        new: &mut dyn FnMut(&mut Kernel, Type, Option<ir::Name>) -> Value,
    ) -> Named {
        let called = self.kernel.values[old].name.clone();
        let turn = (forms.len() > 1).then(|| new(&mut self.kernel, Type::scalar(Elem::I64), called));
        let subscripts = forms
            .iter()
            .map(|form| form.types().map(|ty| new(&mut self.kernel, ty, None)).collect::<Vec<_>>())
            .collect();
        Named { turn, forms, subscripts }
    }

    /// The numbers that say which of some forms a name has, and its subscripts. One that is never seen may have any.
    fn numbers(&mut self, named: Option<&Named>, forms: &[Form], origin: Origin) -> Values {
        let place = |form: &Form| forms.iter().position(|other| other == form).expect("all forms are known");
        let mut values = Values::new();
        if forms.len() > 1 {
            values.push(match named {
                None => self.number(0),
                Some(named) => {
                    let places: Vec<usize> = named.forms.iter().map(place).collect();
                    self.renumbered(named.turn, &places, origin)
                }
            });
        }
        for form in forms {
            match named.and_then(|named| self.subscripts_of(named, form, origin)) {
                Some(own) => values.extend(own),
                None => {
                    for ty in form.types().collect::<Vec<_>>() {
                        values.push(self.zero(ty));
                    }
                }
            }
        }
        values
    }

    /// The subscripts of a name where it has a form, which it may have under several numbers.
    fn subscripts_of(&mut self, named: &Named, form: &Form, origin: Origin) -> Option<Vec<Value>> {
        let mut numbers = (0..named.forms.len()).filter(|&number| named.forms[number] == *form);
        let mut subscripts = named.subscripts[numbers.next()?].clone();
        for number in numbers.collect::<Vec<_>>() {
            let (turn, own) = (named.turn?, self.number(number));
            let is_own = self.make(Code::Eq, Attr::None, &[turn, own], &[Type::scalar(Elem::Bool)], origin)[0];
            for (place, value) in subscripts.iter_mut().enumerate() {
                let other = named.subscripts[number][place];
                if other != *value {
                    let ty = self.kernel.ty(other);
                    *value = self.make(Code::Select, Attr::None, &[is_own, other, *value], &[ty], origin)[0];
                }
            }
        }
        Some(subscripts)
    }

    /// The number of a form among others, by that which it has now.
    fn renumbered(&mut self, turn: Option<Value>, places: &[usize], origin: Origin) -> Value {
        let Some(turn) = turn else { return self.number(places[0]) };
        if places.iter().enumerate().all(|(number, &place)| number == place) {
            return turn;
        }
        let mut value = self.number(places[0]);
        for (number, &place) in places.iter().enumerate().skip(1) {
            let (own, place) = (self.number(number), self.number(place));
            let is_own = self.make(Code::Eq, Attr::None, &[turn, own], &[Type::scalar(Elem::Bool)], origin)[0];
            value = self.make(Code::Select, Attr::None, &[is_own, place, value], &[Type::scalar(Elem::I64)], origin)[0];
        }
        value
    }

    /// The values that a block, whose ops are still open, makes.
    fn values_in_open(&self, region: Region) -> FxHashSet<Value> {
        let mut inside: FxHashSet<Value> = self.kernel.regions[region].args.iter().copied().collect();
        let mut add = |kernel: &Kernel, op: Op| {
            inside.extend(&kernel.ops[op].results);
            for &region in &kernel.ops[op].regions {
                inside.extend(&kernel.regions[region].args);
            }
        };
        for &op in self.out.last().expect("a block is open") {
            add(&self.kernel, op);
            self.kernel.walk_inside(op, &mut |inner| add(&self.kernel, inner));
        }
        inside
    }

    /// One of several blocks, by a number; gives what it yields.
    fn by_turn(
        &mut self,
        turn: Option<Value>,
        n_forms: usize,
        types: &[Type],
        origin: Origin,
        block: &mut dyn FnMut(&mut Numbering, usize) -> Values,
    ) -> Values {
        let Some(turn) = turn else { return block(self, 0) };
        self.by_turn_from(turn, 0, n_forms, types, origin, block)
    }

    fn by_turn_from(
        &mut self,
        turn: Value,
        first: usize,
        n_forms: usize,
        types: &[Type],
        origin: Origin,
        block: &mut dyn FnMut(&mut Numbering, usize) -> Values,
    ) -> Values {
        if first + 1 == n_forms {
            return block(self, first);
        }
        let own = self.number(first);
        let is_own = self.make(Code::Eq, Attr::None, &[turn, own], &[Type::scalar(Elem::Bool)], origin)[0];
        let attr = Attr::Control(Box::<Control>::default());
        let branch = self.kernel.add_op(Code::If, attr, [is_own].into_iter().collect(), types, origin);
        for side in 0..2 {
            let region = self.kernel.regions.push(RegionData::default());
            self.kernel.ops[branch].regions.push(region);
            self.out.push(Vec::new());
            let yields = match side {
                0 => block(self, first),
                _ => self.by_turn_from(turn, first + 1, n_forms, types, origin, block),
            };
            self.close(region, yields);
        }
        self.push(branch);
        self.kernel.ops[branch].results.iter().copied().collect()
    }

    /// What is read of a name: its array, or a copy of the one that it is; any other value as it is.
    fn as_array(&mut self, value: Value, origin: Origin) -> Value {
        let Some(named) = self.names.get(&value).cloned() else { return value };
        let ty = self.kernel.ty(value);
        if named.turn.is_none() {
            return self.view(&named, 0, origin);
        }
        self.by_turn(named.turn, named.forms.len(), &[ty], origin, &mut |numbering, number| {
            [numbering.copy(&named, number, origin)].into_iter().collect()
        })[0]
    }

    /// A new array like that of a form.
    fn copy(&mut self, named: &Named, number: usize, origin: Origin) -> Value {
        let view = self.view(named, number, origin);
        let ty = self.kernel.ty(view);
        let Some(elem) = ty.elem() else { return view };
        self.make(Code::Cast, Attr::Elem(elem), &[view], &[ty], origin)[0]
    }

    /// The array of a form.
    fn view(&mut self, named: &Named, number: usize, origin: Origin) -> Value {
        let form = &named.forms[number];
        let mut view = form.root;
        let mut subscripts = named.subscripts[number].iter().copied();
        for part in &form.parts {
            let operands: Vec<Value> =
                std::iter::once(view).chain(subscripts.by_ref().take(part.types.len())).collect();
            view = self.make(part.code, part.attr.clone(), &operands, &[part.result], origin)[0];
        }
        view
    }
}
