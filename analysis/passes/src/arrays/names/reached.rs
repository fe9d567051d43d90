//! The branches and loops that names go through.

use rustc_hash::{FxHashMap, FxHashSet};

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Control, Def, Kernel, Values};
use ir::scalar::Scalar;
use ir::types::{Elem, Type};
use ir::uses::{Use, Uses};

/// Branches and loops, with those that give them names, and those to which they give theirs.
pub(super) fn with_names(kernel: &Kernel, ops: &[Op]) -> FxHashSet<Op> {
    let uses = Uses::of(kernel);
    let mut owners: FxHashMap<Region, Op> = FxHashMap::default();
    kernel.walk(kernel.body, &mut |_, op| owners.extend(kernel.ops[op].regions.iter().map(|&region| (region, op))));
    let mut wanted = FxHashSet::default();
    let mut waiting: Vec<Op> = ops.to_vec();
    while let Some(op) = waiting.pop() {
        let data = &kernel.ops[op];
        let is_view = |value: &Value| kernel.ty(*value).is_view();
        if !gives_names(data.code) || !data.results.iter().any(is_view) || !wanted.insert(op) {
            continue;
        }
        let mut given: Vec<Value> =
            data.regions.iter().flat_map(|&region| kernel.regions[region].yields.iter().copied()).collect();
        let mut own: Vec<Value> = data.results.to_vec();
        if data.code != Code::If {
            given.extend(&data.operands[kernel.n_head_operands(op)..]);
            own.extend(&kernel.regions[data.regions[0]].args[kernel.n_head_args(op)..]);
        }
        for value in given.into_iter().filter(is_view) {
            match kernel.values[kernel.root(value)].def {
                Def::Result(source, _) => waiting.push(source),
                Def::Arg(region, _) => waiting.extend(owners.get(&region)),
                _ => {}
            }
        }
        let mut own: Vec<Value> = own.into_iter().filter(is_view).collect();
        while let Some(value) = own.pop() {
            for user in uses.users(value) {
                match *user {
                    Use::Yield(region) => waiting.extend(owners.get(&region)),
                    Use::Operand(user, number) => match kernel.ops[user].code {
                        Code::Row | Code::Slice | Code::Field => own.extend(&kernel.ops[user].results),
                        code if gives_names(code) && number >= kernel.n_head_operands(user) => waiting.push(user),
                        _ => {}
                    },
                }
            }
        }
    }
    wanted
}

fn gives_names(code: Code) -> bool {
    matches!(code, Code::If | Code::For | Code::While | Code::Reduce)
}

/// The kernel with a `for` in place of each `reduce` among these, if there are some.
pub(super) fn without_reduce(kernel: &Kernel, ops: &FxHashSet<Op>) -> Option<Kernel> {
    let mut reduces = Vec::new();
    kernel.walk(kernel.body, &mut |region, op| {
        let joins = kernel.control(op).is_some_and(|control| !control.reductions.is_empty());
        if ops.contains(&op) && kernel.ops[op].code == Code::Reduce && !joins {
            reduces.push((region, op));
        }
    });
    if reduces.is_empty() {
        return None;
    }
    let mut kernel = kernel.clone();
    for (region, op) in reduces {
        in_a_loop(&mut kernel, region, op);
    }
    Some(kernel)
}

fn in_a_loop(kernel: &mut Kernel, around: Region, op: Op) {
    let data = kernel.ops[op].clone();
    let n_arrays = kernel.n_arrays(op);
    let index = Type::scalar(Elem::I64);
    // The number of iterations, which the arrays agree about.
    let mut before = Vec::new();
    let mut size: Option<Value> = None;
    for &array in &data.operands[..n_arrays] {
        let operands: Values = [array].into_iter().collect();
        let own = kernel.add_op(Code::Size, Attr::Number(0), operands, &[index], data.origin);
        before.push(own);
        let own = kernel.ops[own].results[0];
        match size {
            None => size = Some(own),
            Some(size) => {
                let operands = [size, own].into_iter().collect();
                before.push(kernel.add_op(Code::AssertSize, Attr::None, operands, &[], data.origin));
            }
        }
    }
    let [zero, one] = [0, 1].map(|number| kernel.constant(Scalar::I64(number)));
    let mut operands: Values = [zero, size.unwrap_or(zero), one].into_iter().collect();
    operands.extend(data.operands[n_arrays..].iter().copied());
    // The elements are read where an iteration begins.
    let region = data.regions[0];
    let args: Vec<Value> = kernel.regions[region].args.to_vec();
    let counter = kernel.add_value(index, Def::Arg(region, 0), Some("i".into()));
    let mut reads = Vec::new();
    for (&array, &element) in data.operands.iter().zip(&args[..n_arrays]) {
        let (code, attr) = match kernel.ty(element).is_view() {
            true => (Code::Row, Attr::Number(0)),
            false => (Code::Load, Attr::None),
        };
        let read = kernel.add_op(code, attr, [array, counter].into_iter().collect(), &[], data.origin);
        kernel.values[element].def = Def::Result(read, 0);
        kernel.ops[read].results.push(element);
        reads.push(read);
    }
    let mut own: Vec<Value> = vec![counter];
    own.extend(&args[n_arrays..]);
    for (number, &arg) in own.iter().enumerate() {
        kernel.values[arg].def = Def::Arg(region, number as u32);
    }
    kernel.regions[region].args = own.into_iter().collect();
    kernel.regions[region].ops.splice(0..0, reads);
    kernel.ops[op].code = Code::For;
    kernel.ops[op].attr = Attr::Control(Box::<Control>::default());
    kernel.ops[op].operands = operands;
    let place = kernel.regions[around].ops.iter().position(|&other| other == op).expect("it is in its block");
    kernel.regions[around].ops.splice(place..place, before);
}
