//! Reductions of lanes that every iteration of a loop around them does, and that can as well be done once, behind that loop.
//!
//! ```text
//! let s = for y in range(0, h) with s_1 = 0:        let v = for y in range(0, h) with v_1 = splat(0):
//!     …                                                 …
//!     let s_2 = (s_1 +% reduce_add(row))        =>      let v_2 = (v_1 +% row)
//!     yield s_2                                         yield v_2
//!                                                   let s = (0 +% reduce_add(v))
//! ```
//!
//! A reduction takes a shuffle and an operation for each halving of the lanes, which in short rows is most of the work. Only what gives the
//! same bits in every order is joined so: sums, products and bits of integers, and their least and greatest; and the least and greatest floats
//! of a loop that is marked `@any_order`.

use smallvec::smallvec;

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Kernel, Values};
use ir::scalar::Fold;
use ir::types::Elem;
use ir::uses::{Use, Uses};

/// Moves reductions behind loops; says whether there are any.
pub fn reduce_late(kernel: &mut Kernel) -> bool {
    let mut loops = Vec::new();
    add_loops(kernel, kernel.body, &mut loops);
    let mut changed = false;
    // Loops inside come behind those around them, and are done first: what they leave is a reduction of the loop around.
    for (home, op) in loops.into_iter().rev() {
        for number in 0..kernel.ops[op].results.len() {
            let late = Late::of(kernel, &Uses::of(kernel), (home, op), number);
            changed |= late.is_some();
            if let Some(late) = late {
                late.carry_lanes(kernel);
            }
        }
    }
    changed
}

/// Adds the loops of a region that run in order, outside of lanes.
fn add_loops(kernel: &Kernel, region: Region, loops: &mut Vec<(Region, Op)>) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        if data.code == Code::For {
            loops.push((region, op));
        }
        if !matches!(data.code, Code::VectorFor | Code::Foreach) {
            data.regions.iter().for_each(|&inner| add_loops(kernel, inner, loops));
        }
    }
}

/// A value that a loop carries, and to which each iteration joins what it reduces.
struct Late {
    home: Region,
    op: Op,
    /// The number of the value among those that the loop carries.
    number: usize,
    /// The op that joins, and the operator.
    join: Op,
    fold: Fold,
    /// From the lanes to what is joined: the reduction, perhaps of the same bits as another type.
    chain: Vec<Op>,
    /// The lanes that are reduced.
    lanes: Value,
}

impl Late {
    fn of(kernel: &Kernel, uses: &Uses, (home, op): (Region, Op), number: usize) -> Option<Late> {
        let body = &kernel.regions[kernel.ops[op].regions[0]];
        let arg = *body.args.get(1 + number)?;
        let join = kernel.def_op(body.yields[number]).filter(|join| body.ops.contains(join))?;
        let elem = kernel.ty(arg).data_elem().filter(|_| kernel.ty(arg).lanes().is_none())?;
        let fold = Fold::ALL.into_iter().find(|&fold| codes(fold).1 == kernel.ops[join].code)?;
        let in_any_order = || {
            let is_marked = kernel.control(op).is_some_and(|control| control.marks.any_order);
            is_marked && matches!(fold, Fold::Min | Fold::Max)
        };
        if elem.is_float() && !in_any_order() {
            return None;
        }
        let (reduces, _) = codes(fold);
        let is_only_user =
            |value: Value, user: Op| matches!(uses.only_user(value), Some(Use::Operand(op, _)) if op == user);
        let is_yielded_alone = matches!(uses.only_user(body.yields[number]), Some(Use::Yield(_)));
        let position = kernel.ops[join].operands.iter().position(|&operand| operand == arg)?;
        if !is_only_user(arg, join) || !is_yielded_alone {
            return None;
        }
        // Bits of the other sign may stand between: a sum that wraps around is one of these.
        let same_bits = |code: Code, from: Value| {
            code == Code::Cast && kernel.ty(from).data_elem().is_some_and(|from| has_bits_of(from, elem))
        };
        let (mut value, mut user, mut chain) = (kernel.ops[join].operands[1 - position], join, Vec::new());
        loop {
            let maker = kernel.def_op(value).filter(|maker| body.ops.contains(maker) && is_only_user(value, user))?;
            let data = &kernel.ops[maker];
            let &[from] = &data.operands[..] else { return None };
            let wraps = matches!(fold, Fold::Add | Fold::Mul);
            let is_reduced = data.code == reduces && !chain.iter().any(|&op| kernel.ops[op].code == reduces);
            // A sum of numbers with a sign is an error where it does not fit, and has to be made where it was.
            let may_fail = wraps && is_reduced && kernel.ty(from).data_elem().is_none_or(Elem::is_signed);
            let is_seen_otherwise = wraps && !is_reduced && same_bits(data.code, from);
            if may_fail || !(is_reduced || is_seen_otherwise) {
                return None;
            }
            chain.insert(0, maker);
            (value, user) = (from, maker);
            let in_lanes = kernel.ty(value).lanes().is_some();
            if in_lanes && kernel.ty(value).data_elem() == Some(elem) {
                let is_made_inside = kernel.def_op(value).is_some_and(|maker| body.ops.contains(&maker));
                return is_made_inside.then_some(Late { home, op, number, join, fold, chain, lanes: value });
            }
        }
    }

    /// Carries the lanes, and reduces them behind the loop.
    fn carry_lanes(&self, kernel: &mut Kernel) {
        let (region, origin) = (kernel.ops[self.op].regions[0], kernel.ops[self.join].origin);
        let (arg, result) = (kernel.regions[region].args[1 + self.number], kernel.ops[self.op].results[self.number]);
        let (scalar, wide) = (kernel.ty(arg), kernel.ty(self.lanes));
        let elem = scalar.data_elem().expect("a number");
        let nothing = kernel.constant(self.fold.identity(elem));
        let count = wide.lanes().expect("lanes");
        let splat = kernel.add_op(Code::Splat, Attr::Lanes(count), smallvec![nothing], &[wide], origin);
        let none = kernel.ops[splat].results[0];
        let before = std::mem::replace(&mut kernel.ops[self.op].operands[3 + self.number], none);

        // Inside, lanes are joined to lanes.
        let joined = kernel.ops[self.join].results[0];
        for value in [arg, result, joined] {
            kernel.values[value].ty = wide;
        }
        let operands: Values =
            kernel.ops[self.join].operands.iter().map(|&it| if it == arg { arg } else { self.lanes }).collect();
        kernel.ops[self.join].operands = operands.clone();
        kernel.regions[region].ops.retain(|op| !self.chain.contains(op));
        self.join_where_chosen(kernel, region, arg);

        // Behind the loop comes what stood inside.
        let mut behind = Vec::new();
        let mut value = result;
        for &op in &self.chain {
            let (code, attr) = (kernel.ops[op].code, kernel.ops[op].attr.clone());
            let ty = kernel.ty(kernel.ops[op].results[0]);
            let moved = kernel.add_op(code, attr, smallvec![value], &[ty], kernel.ops[op].origin);
            behind.push(moved);
            value = kernel.ops[moved].results[0];
        }
        let (_, code) = codes(self.fold);
        let operands = operands.iter().map(|&it| if it == arg { before } else { value }).collect();
        let last = kernel.add_op(code, Attr::None, operands, &[scalar], origin);
        behind.push(last);
        let name = kernel.values[result].name.take();
        let whole = kernel.ops[last].results[0];
        kernel.values[whole].name = name;
        self.use_instead(kernel, result, whole, &behind);
        let ops = &mut kernel.regions[self.home].ops;
        let place = ops.iter().position(|&op| op == self.op).expect("the block lists the loop");
        ops.splice(place + 1..place + 1, behind);
        ops.insert(place, splat);
    }

    /// Where a mask chooses between what is joined and nothing, lets it choose between the lanes with that and without it: to join under a
    /// mask is one instruction where masks have registers of their own.
    fn join_where_chosen(&self, kernel: &mut Kernel, region: Region, arg: Value) {
        let Some(choice) = kernel.def_op(self.lanes).filter(|&op| kernel.ops[op].code == Code::Select) else { return };
        // Passes that follow look for sums as they are.
        let is_extreme = matches!(self.fold, Fold::Min | Fold::Max);
        let [mask, new, nothing] = kernel.ops[choice].operands[..] else { return };
        if !is_extreme || !self.is_nothing(kernel, nothing) || kernel.ty(mask).lanes().is_none() {
            return;
        }
        // What is joined to nothing is itself.
        let alone = kernel.def_op(new).map(|op| &kernel.ops[op]).filter(|data| data.code == kernel.ops[self.join].code);
        let new = match alone.map(|data| &data.operands[..]) {
            Some(&[a, b]) if self.is_nothing(kernel, a) => b,
            Some(&[a, b]) if self.is_nothing(kernel, b) => a,
            _ => new,
        };
        let data = kernel.ops[self.join].clone();
        let operands = data.operands.iter().map(|&it| if it == arg { arg } else { new }).collect();
        let with = kernel.add_op(data.code, data.attr, operands, &[kernel.ty(self.lanes)], data.origin);
        let with_it = kernel.ops[with].results[0];
        kernel.ops[self.join].code = Code::Select;
        kernel.ops[self.join].operands = smallvec![mask, with_it, arg];
        let ops = &mut kernel.regions[region].ops;
        let place = ops.iter().position(|&op| op == self.join).expect("the block lists the op");
        ops.insert(place, with);
    }

    /// Says whether all lanes of a value are what changes nothing.
    fn is_nothing(&self, kernel: &Kernel, value: Value) -> bool {
        let splat = kernel.def_op(value).map(|op| &kernel.ops[op]).filter(|data| data.code == Code::Splat);
        let number = splat.and_then(|data| kernel.as_const(data.operands[0]));
        number.is_some_and(|number| number == self.fold.identity(number.elem()))
    }

    /// Makes all but the ops behind the loop use another value.
    fn use_instead(&self, kernel: &mut Kernel, old: Value, new: Value, but: &[Op]) {
        for user in Uses::of(kernel).users(old) {
            match *user {
                Use::Operand(op, number) if !but.contains(&op) => kernel.ops[op].operands[number] = new,
                Use::Operand(..) => {}
                Use::Yield(region) => {
                    kernel.regions[region].yields.iter_mut().filter(|it| **it == old).for_each(|it| *it = new);
                }
            }
        }
    }
}

/// The op that reduces lanes with an operator, and the one that joins two values.
pub(crate) fn codes(fold: Fold) -> (Code, Code) {
    match fold {
        Fold::Add => (Code::ReduceAdd, Code::WrappingAdd),
        Fold::Mul => (Code::ReduceMul, Code::WrappingMul),
        Fold::Min => (Code::ReduceMin, Code::Min),
        Fold::Max => (Code::ReduceMax, Code::Max),
        Fold::And => (Code::ReduceAnd, Code::And),
        Fold::Or => (Code::ReduceOr, Code::Or),
        Fold::Xor => (Code::ReduceXor, Code::Xor),
    }
}

/// True for integers of one size.
fn has_bits_of(elem: Elem, other: Elem) -> bool {
    elem.is_integer() && other.is_integer() && elem.bytes() == other.bytes()
}
