//! Sample data for a kernel whose arguments nobody has given yet: small to look at, or large to measure.

use ir::{CellType, Elem, RunCode, Type};

use super::arguments::cells_of;
use super::{Argument, DataSource, NotRun, RunFailure, RunOutcome};

/// A run of the sequential kernel that is given up after a number of steps.
pub type Run<'r> = dyn Fn(&[Argument], u64) -> Result<RunOutcome, NotRun> + 'r;

/// A parameter of a kernel, with data for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name of the parameter.
    pub name: String,
    /// Its type, as Lane IR writes it.
    pub ty: String,
    /// True for an array, false for a scalar.
    pub is_array: bool,
    /// Data that fits the parameter and the other samples.
    pub source: DataSource,
}

/// The value of integers, and so of most sizes: enough elements to show a pattern, and few enough to show them all.
const COUNT: i128 = 8;

/// The fuel of a sample's run: more than any kernel that ends takes on so little data.
const FUEL: u64 = 1_000_000;

/// Returns data for each parameter of a kernel. Declared sizes follow from the integers in `given`, and an array without a
/// declared size is as long as the largest of them, times a factor that trial runs find: `a[2 * i]` needs twice as many elements
/// as `a[i]`.
pub fn sample(kernel: &ir::Kernel, run: &Run<'_>, given: &[(String, i128)]) -> Vec<Sample> {
    let with_own_size = |size: u64, given: &[(String, i128)]| {
        kernel.params.iter().map(|param| sample_of(kernel, param, size, given)).collect::<Vec<_>>()
    };
    let too_small = |samples: &[Sample]| {
        let arguments =
            samples.iter().map(|sample| Argument { name: sample.name.clone(), source: sample.source.clone() });
        let ran = run(&arguments.collect::<Vec<_>>(), FUEL);
        let is_outside = |failure: &RunFailure| failure.code == RunCode::IndexOutOfRange;
        matches!(ran, Ok(RunOutcome { failure: Some(failure), .. }) if is_outside(&failure))
    };
    // The trial runs use few elements whatever is given, so that they take few steps.
    let times = [1, 2, 4, 8].into_iter().find(|times| !too_small(&with_own_size(times * COUNT as u64, &[])));
    let count = given.iter().map(|(_, n)| *n).fold(COUNT, i128::max);
    let own_size = u64::try_from(count).ok().and_then(|count| count.checked_mul(times.unwrap_or(1)));
    with_own_size(own_size.unwrap_or(COUNT as u64), given)
}

/// Returns data to measure a kernel on, for the parameters that are not given. The integers that sizes of arrays are made of are
/// large, or if no size is declared, the bounds of the outermost loops. All other data is as in [`sample`].
pub fn to_measure(kernel: &ir::Kernel, run: &Run<'_>, given: &[Argument]) -> Vec<Argument> {
    // The innermost loop runs about a million iterations.
    let length = match nesting(kernel, kernel.body) {
        0 | 1 => 1_000_000,
        2 => 1_000,
        _ => 100,
    };
    of_length(kernel, run, given, length)
}

/// Returns data for the parameters that are not given, as [`to_measure`] does, but with that number in the place of a large one.
pub fn of_length(kernel: &ir::Kernel, run: &Run<'_>, given: &[Argument], length: i128) -> Vec<Argument> {
    let is_given = |name: &str| given.iter().any(|argument| argument.name == name);
    let name_of = |value: ir::Value| kernel.values[value].name.as_deref().unwrap_or_default();
    let chosen = lengths(kernel).into_iter().map(name_of).filter(|name| !is_given(name));
    let said = given.iter().filter_map(|argument| match &argument.source {
        DataSource::Number(number) => Some((argument.name.clone(), number.parse().ok()?)),
        _ => None,
    });
    let integers: Vec<(String, i128)> = chosen.map(|name| (name.to_owned(), length)).chain(said).collect();
    let left = sample(kernel, run, &integers).into_iter().filter(|sample| !is_given(&sample.name));
    let of_length = |sample: Sample| {
        let length = integers.iter().find(|(name, _)| *name == sample.name);
        let source = length.map_or(sample.source, |(_, length)| DataSource::Number(length.to_string()));
        Argument { name: sample.name, source }
    };
    left.map(of_length).collect()
}

/// The parameters that sizes of arrays are made of, or else the upper bounds of the outermost loops.
fn lengths(kernel: &ir::Kernel) -> Vec<ir::Value> {
    fn mention(size: &ir::DimSize, found: &mut Vec<ir::Value>) {
        match size {
            ir::DimSize::Own | ir::DimSize::Constant(_) => {}
            ir::DimSize::Param(value) => found.push(*value),
            ir::DimSize::Arithmetic(_, a, b) => [a, b].into_iter().for_each(|part| mention(part, found)),
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

/// The nesting depth of loops, without those whose number of iterations is constant.
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
        Type::Data { elem: Elem::Bool, .. } => DataSource::Number("true".to_owned()),
        Type::Data { elem: Elem::F32 | Elem::F64 | Elem::F16 | Elem::Bf16, .. } => DataSource::Number("0.5".to_owned()),
        Type::Data { .. } => DataSource::Number(COUNT.to_string()),
        Type::View { .. } => {
            // All integer parameters that are not given have the value `COUNT`, and sizes are made of these.
            let integer = |value| given.iter().find(|(name, _)| name == name_of(value)).map_or(COUNT, |(_, n)| *n);
            let sizes = param.sizes.iter().map(|size| match size {
                ir::DimSize::Own => Some(i128::from(own_size)),
                size => size.evaluate(&|value| Some(integer(value))),
            });
            let n_cells = sizes.collect::<Option<Vec<_>>>().map_or(0, |sizes| sizes.iter().product::<i128>());
            let n_cells = u64::try_from(n_cells).unwrap_or(0);
            let is_result =
                ir::effects::written(kernel, kernel.body).contains(&param.value) && !is_read(kernel, param.value);
            if is_result { DataSource::Zeros(n_cells) } else { DataSource::Ramp(n_cells) }
        }
    };
    let shape = if ty.is_view() { cells_of(kernel, param) } else { CellType::Elem(ty.elem().unwrap_or(Elem::F32)) };
    let cell = match shape {
        CellType::Elem(elem) => elem.to_string(),
        CellType::Struct(decl) => kernel.structs[decl].name.to_string(),
    };
    let dims = if ty.is_view() { format!("[{}]", vec!["_"; ty.rank().into()].join(", ")) } else { String::new() };
    Sample { name, ty: cell + &dims, is_array: ty.is_view(), source }
}

/// Returns true if some op reads an array parameter.
fn is_read(kernel: &ir::Kernel, param: ir::Value) -> bool {
    let mut read = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let reads = data.regions.is_empty() && kernel.effect(op) == ir::Effect::Reads;
        read |= reads && data.operands.first().is_some_and(|&view| kernel.root(view) == param);
    });
    read
}
