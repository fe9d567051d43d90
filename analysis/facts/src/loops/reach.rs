//! The values of a loop's body that depend on given ones.

use rustc_hash::FxHashSet;

use ir::entities::{Op, Region, Value};
use ir::ops::Code;
use ir::program::Kernel;

/// Adds what depends on values that are reached: a control op with one of them inside depends on it as a whole, but for a
/// `for`, whose index and other values do not.
pub(super) fn reach(kernel: &Kernel, region: Region, reached: &mut FxHashSet<Value>) {
    for &op in &kernel.regions[region].ops {
        let data = &kernel.ops[op];
        if matches!(data.code, Code::For | Code::Foreach) && kernel.n_ranges(op) == 1 {
            reach_for(kernel, op, reached);
            continue;
        }
        let mut depends = data.operands.iter().any(|value| reached.contains(value));
        for _ in 0..2 {
            for &inner in &data.regions {
                if depends {
                    reached.extend(&kernel.regions[inner].args);
                }
                reach(kernel, inner, reached);
                depends |= kernel.regions[inner].yields.iter().any(|value| reached.contains(value));
            }
        }
        if depends {
            reached.extend(&data.results);
        }
    }
}

/// Adds what depends on them of a `for`: each value that it carries by itself, or all, if its number of iterations
/// does.
fn reach_for(kernel: &Kernel, op: Op, reached: &mut FxHashSet<Value>) {
    let data = &kernel.ops[op];
    let body = &kernel.regions[data.regions[0]];
    let (range, starts) = data.operands.split_at(3);
    if range.iter().any(|value| reached.contains(value)) {
        reached.extend(&body.args);
        reached.extend(&data.results);
    }
    loop {
        for (number, result) in data.results.iter().enumerate() {
            if reached.contains(&starts[number]) || reached.contains(&body.yields[number]) {
                reached.insert(*result);
                reached.extend(body.args.get(1 + number));
            }
        }
        let n_before = reached.len();
        reach(kernel, data.regions[0], reached);
        if reached.len() == n_before
            && !body
                .yields
                .iter()
                .zip(&data.results)
                .any(|(next, result)| reached.contains(next) && !reached.contains(result))
        {
            break;
        }
    }
}
