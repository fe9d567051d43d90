//! Small data that a kernel can be run on, for someone who has not said any yet.

use ir::{Elem, Item as Cells, RunCode, Type};

use super::arguments::cells_of;
use super::{Argument, Failure, NotRun, Outcome, Source};

/// Runs a kernel in order, for a number of steps at most.
pub type Run<'r> = dyn Fn(&[Argument], u64) -> Result<Outcome, NotRun> + 'r;

/// A parameter of a kernel, with data for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name of the parameter.
    pub name: String,
    /// Its type, as Lane IR writes it.
    pub ty: String,
    /// An array, and no scalar.
    pub is_array: bool,
    /// Data that fits it, and the other samples.
    pub source: Source,
}

/// The value of integers, and with them of most sizes: enough to see a pattern, and few enough to see all of it.
const COUNT: i128 = 8;

/// More steps than any kernel takes on so little data, if it ends.
const FUEL: u64 = 1_000_000;

/// Data for each parameter of a kernel. An array whose type says no size gets as many elements as the kernel needs, as far
/// as a run can tell: `a[2 * i]` needs twice as many as `a[i]`. Arrays have the sizes that go with the integers that are
/// given; one that says no size goes with the largest of them.
pub fn sample(kernel: &ir::Kernel, run: &Run<'_>, given: &[(String, i128)]) -> Vec<Sample> {
    let with_own_size = |size: u64, given: &[(String, i128)]| {
        kernel.params.iter().map(|param| sample_of(kernel, param, size, given)).collect::<Vec<_>>()
    };
    let too_small = |samples: &[Sample]| {
        let arguments =
            samples.iter().map(|sample| Argument { name: sample.name.clone(), source: sample.source.clone() });
        let ran = run(&arguments.collect::<Vec<_>>(), FUEL);
        let is_outside = |failure: &Failure| failure.code == RunCode::IndexOutOfRange;
        matches!(ran, Ok(Outcome { failure: Some(failure), .. }) if is_outside(&failure))
    };
    // Found out on few elements, whatever is given: that takes few steps.
    let times = [1, 2, 4, 8].into_iter().find(|times| !too_small(&with_own_size(times * COUNT as u64, &[])));
    let count = given.iter().map(|(_, n)| *n).fold(COUNT, i128::max);
    let own_size = u64::try_from(count).ok().and_then(|count| count.checked_mul(times.unwrap_or(1)));
    with_own_size(own_size.unwrap_or(COUNT as u64), given)
}

/// Data for those parameters of a kernel that none is given for, enough of it to measure the kernel on: what sizes of arrays are
/// made of is large, or where none are said, how often loops go round. All else is as in [`sample`].
pub fn to_measure(kernel: &ir::Kernel, run: &Run<'_>, given: &[Argument]) -> Vec<Argument> {
    // About a million rounds of the innermost loop.
    let length = match nesting(kernel, kernel.body) {
        0 | 1 => 1_000_000,
        2 => 1_000,
        _ => 100,
    };
    let is_given = |name: &str| given.iter().any(|argument| argument.name == name);
    let name_of = |value: ir::Value| kernel.values[value].name.as_deref().unwrap_or_default();
    let chosen = lengths(kernel).into_iter().map(name_of).filter(|name| !is_given(name));
    let said = given.iter().filter_map(|argument| match &argument.source {
        Source::Number(number) => Some((argument.name.clone(), number.parse().ok()?)),
        _ => None,
    });
    let integers: Vec<(String, i128)> = chosen.map(|name| (name.to_owned(), length)).chain(said).collect();
    let left = sample(kernel, run, &integers).into_iter().filter(|sample| !is_given(&sample.name));
    let of_length = |sample: Sample| {
        let length = integers.iter().find(|(name, _)| *name == sample.name);
        let source = length.map_or(sample.source, |(_, length)| Source::Number(length.to_string()));
        Argument { name: sample.name, source }
    };
    left.map(of_length).collect()
}

/// The parameters that sizes of arrays are made of, or else those that the outermost loops go up to.
fn lengths(kernel: &ir::Kernel) -> Vec<ir::Value> {
    fn mention(size: &ir::Size, found: &mut Vec<ir::Value>) {
        match size {
            ir::Size::Own | ir::Size::Constant(_) => {}
            ir::Size::Param(value) => found.push(*value),
            ir::Size::Arithmetic(_, a, b) => [a, b].into_iter().for_each(|part| mention(part, found)),
        }
    }
    let mut found = Vec::new();
    kernel.params.iter().flat_map(|param| &param.sizes).for_each(|size| mention(size, &mut found));
    if found.is_empty() {
        let loops = kernel.regions[kernel.body].ops.iter().filter(|&&op| kernel.n_ranges(op) > 0);
        let ends =
            loops.flat_map(|&op| kernel.ops[op].operands.chunks(3).take(kernel.n_ranges(op)).map(|range| range[1]));
        found.extend(ends.filter(|end| kernel.params.iter().any(|param| param.value == *end)));
    }
    found
}

/// The depth of nesting of loops, of those whose number of rounds is not written in the program.
fn nesting(kernel: &ir::Kernel, region: ir::Region) -> usize {
    let depth = |&op: &ir::Op| {
        let data = &kernel.ops[op];
        let ranges = data.operands.chunks(3).take(kernel.n_ranges(op));
        let own = ranges.filter(|range| range.iter().any(|&end| kernel.as_const(end).is_none())).count();
        own + data.regions.iter().map(|&inner| nesting(kernel, inner)).max().unwrap_or(0)
    };
    kernel.regions[region].ops.iter().map(depth).max().unwrap_or(0)
}

fn sample_of(kernel: &ir::Kernel, param: &ir::Param, own_size: u64, given: &[(String, i128)]) -> Sample {
    let name_of = |value: ir::Value| kernel.values[value].name.as_deref().unwrap_or_default();
    let name = name_of(param.value).to_owned();
    let ty = kernel.ty(param.value);
    let source = match ty {
        Type::Data { elem: Elem::Bool, .. } => Source::Number("true".to_owned()),
        Type::Data { elem: Elem::F32 | Elem::F64, .. } => Source::Number("0.5".to_owned()),
        Type::Data { .. } => Source::Number(COUNT.to_string()),
        Type::View { .. } => {
            // Every other integer parameter is a `COUNT`, and sizes are made of those.
            let integer = |value| given.iter().find(|(name, _)| name == name_of(value)).map_or(COUNT, |(_, n)| *n);
            let sizes = param.sizes.iter().map(|size| match size {
                ir::Size::Own => Some(i128::from(own_size)),
                size => size.evaluate(&|value| Some(integer(value))),
            });
            let n_cells = sizes.collect::<Option<Vec<_>>>().map_or(0, |sizes| sizes.iter().product::<i128>());
            let n_cells = u64::try_from(n_cells).unwrap_or(0);
            let is_result =
                ir::effects::written(kernel, kernel.body).contains(&param.value) && !is_read(kernel, param.value);
            if is_result { Source::Zeros(n_cells) } else { Source::Ramp(n_cells) }
        }
    };
    let shape = if ty.is_view() { cells_of(kernel, param) } else { Cells::Elem(ty.elem().unwrap_or(Elem::F32)) };
    let cell = match shape {
        Cells::Elem(elem) => elem.to_string(),
        Cells::Struct(decl) => kernel.structs[decl].name.to_string(),
    };
    let dims = if ty.is_view() { format!("[{}]", vec!["_"; ty.rank().into()].join(", ")) } else { String::new() };
    Sample { name, ty: cell + &dims, is_array: ty.is_view(), source }
}

/// Some op reads from an array parameter.
fn is_read(kernel: &ir::Kernel, param: ir::Value) -> bool {
    let mut read = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let reads = data.regions.is_empty() && kernel.effect(op) == ir::Effect::Reads;
        read |= reads && data.operands.first().is_some_and(|&view| kernel.root(view) == param);
    });
    read
}
