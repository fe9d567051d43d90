//! Small data that a kernel can be run on, for someone who has not said any yet.

use ir::{Elem, Item as Cells, RunCode, Type};

use super::{Argument, Engine, Failure, Outcome, Source, cells_of, run, written};
use crate::db::Item;
use crate::lower;
use crate::stages::{self, Options};

/// A parameter of a kernel, with data for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// Its name.
    pub name: String,
    /// Its type, as Lane IR writes it.
    pub ty: String,
    /// Whether it is an array.
    pub is_array: bool,
    /// Data that fits it, and the other samples.
    pub source: Source,
}

/// What integers are, and with them most sizes: enough to see a pattern, and few enough to see all of it.
const COUNT: i128 = 8;

/// More steps than any kernel takes on so little data, if it ends.
const FUEL: u64 = 1_000_000;

/// Data for each parameter of a kernel. An array whose type says no size gets as many elements as the kernel needs, as far
/// as a run can tell: `a[2 * i]` needs twice as many as `a[i]`. Arrays have the sizes that go with the integers that are
/// given; one that says no size goes with the largest of them.
pub fn sample(db: &dyn salsa::Database, item: Item<'_>, given: &[(String, i128)]) -> Option<Vec<Sample>> {
    let kernel = lower::sequential(db, item).kernel.as_ref()?;
    let with_own_size = |size: u64, given: &[(String, i128)]| {
        kernel.params.iter().map(|param| sample_of(kernel, param, size, given)).collect::<Vec<_>>()
    };
    let too_small = |samples: &[Sample]| {
        let arguments =
            samples.iter().map(|sample| Argument { name: sample.name.clone(), source: sample.source.clone() });
        let ran = run(db, item, in_order(), &arguments.collect::<Vec<_>>(), FUEL, &mut || false);
        let is_outside = |failure: &Failure| failure.code == RunCode::IndexOutOfRange;
        matches!(ran, Ok(Outcome { failure: Some(failure), .. }) if is_outside(&failure))
    };
    // Found out on few elements, whatever is given: that takes few steps.
    let times = [1, 2, 4, 8].into_iter().find(|times| !too_small(&with_own_size(times * COUNT as u64, &[])));
    let count = given.iter().map(|(_, n)| *n).fold(COUNT, i128::max);
    let own_size = u64::try_from(count).ok().and_then(|count| count.checked_mul(times.unwrap_or(1)));
    Some(with_own_size(own_size.unwrap_or(COUNT as u64), given))
}

/// Data for those parameters of a kernel that none is given for, enough of it to measure the kernel on: what sizes of arrays are
/// made of is large, or where none are said, how often loops go round. All else is as in [`sample`].
pub fn to_measure(db: &dyn salsa::Database, item: Item<'_>, given: &[Argument]) -> Option<Vec<Argument>> {
    let kernel = lower::sequential(db, item).kernel.as_ref()?;
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
    let left = sample(db, item, &integers)?.into_iter().filter(|sample| !is_given(&sample.name));
    let of_length = |sample: Sample| {
        let length = integers.iter().find(|(name, _)| *name == sample.name);
        let source = length.map_or(sample.source, |(_, length)| Source::Number(length.to_string()));
        Argument { name: sample.name, source }
    };
    Some(left.map(of_length).collect())
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

/// How many loops stand inside of each other, of those whose number of rounds is not written in the program.
fn nesting(kernel: &ir::Kernel, region: ir::Region) -> usize {
    let depth = |&op: &ir::Op| {
        let data = &kernel.ops[op];
        let ranges = data.operands.chunks(3).take(kernel.n_ranges(op));
        let own = ranges.filter(|range| range.iter().any(|&end| kernel.as_const(end).is_none())).count();
        own + data.regions.iter().map(|&inner| nesting(kernel, inner)).max().unwrap_or(0)
    };
    kernel.regions[region].ops.iter().map(depth).max().unwrap_or(0)
}

/// What runs it, to find out what it needs.
fn in_order() -> Engine {
    Engine::Interp(stages::in_order(), Options::default())
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
            let is_result = written(kernel).contains(&param.value) && !is_read(kernel, param.value);
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

/// Whether some op reads from an array parameter.
fn is_read(kernel: &ir::Kernel, param: ir::Value) -> bool {
    let mut read = false;
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        let reads = data.regions.is_empty() && kernel.effect(op) == ir::Effect::Reads;
        read |= reads && data.operands.first().is_some_and(|&view| kernel.root(view) == param);
    });
    read
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::Database;
    use crate::db::{File, file_items};
    use crate::run::NotRun;

    /// The samples of the first kernel for some integers, one a line, and how a run on them ends.
    fn sampled(text: &str, given: &[(&str, i128)]) -> String {
        let db = Database::default();
        let file = File::new(&db, text.into());
        let item = file_items(&db, file)[0];
        let given: Vec<_> = given.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
        let samples = sample(&db, item, &given).expect("a kernel");
        let source = |sample: &Sample| match given.iter().find(|(name, _)| *name == sample.name) {
            Some((_, n)) => Source::Number(n.to_string()),
            None => sample.source.clone(),
        };
        let argument = |sample: &Sample| Argument { name: sample.name.clone(), source: source(sample) };
        let arguments: Vec<_> = samples.iter().map(argument).collect();
        let ran = match run(&db, item, in_order(), &arguments, FUEL, &mut || false) {
            Ok(ran) => ran.failure.map_or_else(|| "runs".to_owned(), |failure| failure.message),
            Err(NotRun::Unfit(why) | NotRun::Stopped(why)) => why,
        };
        let samples = samples.iter().map(|sample| format!("{}: {} = {:?}\n", sample.name, sample.ty, sample.source));
        samples.collect::<String>() + &ran
    }

    fn check(text: &str, expected: expect_test::Expect) {
        expected.assert_eq(&sampled(text, &[]));
    }

    #[test]
    fn sizes_go_with_the_integers_that_are_given() {
        let text =
            "kernel k(a, b: f32[h, w], h: i32, w: i32):\n    for i in range(w):\n        b[h - 1, i] = a[2 * i]\n";
        expect_test::expect![[r#"
            a: f32[_] = Ramp(200)
            b: f32[_, _] = Zeros(300)
            h: i32 = Number("8")
            w: i32 = Number("8")
            runs"#]]
        .assert_eq(&sampled(text, &[("h", 3), ("w", 100)]));
        // What is no size leaves arrays as they are.
        expect_test::expect![[r#"
            a: f32[_] = Ramp(16)
            b: f32[_, _] = Zeros(0)
            h: i32 = Number("8")
            w: i32 = Number("8")
            `b` is given 0 elements, and its type says [-1, 8], which is -8"#]]
        .assert_eq(&sampled(text, &[("h", -1)]));
    }

    #[test]
    fn results_are_zeros_and_what_is_read_counts_up() {
        check(
            "kernel k(a, out, n, x):\n    for i in range(n):\n        out[i] = a[i] * x\n",
            expect_test::expect![[r#"
                a: f32[_] = Ramp(8)
                out: f32[_] = Zeros(8)
                n: i32 = Number("8")
                x: f32 = Number("0.5")
                runs"#]],
        );
    }

    #[test]
    fn an_array_has_as_many_elements_as_the_kernel_reads() {
        check(
            "kernel k(a, b, n):\n    foreach i in range(n):\n        a[2 * i + 1] += b[i // 2]\n",
            expect_test::expect![[r#"
                a: f32[_] = Ramp(16)
                b: f32[_] = Ramp(16)
                n: i32 = Number("8")
                runs"#]],
        );
    }

    #[test]
    fn declared_sizes_are_kept() {
        check(
            "kernel k(a: u8[2 * n, m], n: i32, m: i32, yes: bool) -> u8:\n    return a[0, m - 1] if yes else 0\n",
            expect_test::expect![[r#"
                a: u8[_, _] = Ramp(128)
                n: i32 = Number("8")
                m: i32 = Number("8")
                yes: bool = Number("true")
                runs"#]],
        );
    }

    #[test]
    fn data_to_measure_is_large_where_it_has_a_length() {
        let chosen = |text: &str, given: &[(&str, &str)]| {
            let db = Database::default();
            let file = File::new(&db, text.into());
            let item = file_items(&db, file)[0];
            let number = |&(name, number): &(&str, &str)| Argument {
                name: name.to_owned(),
                source: Source::Number(number.to_owned()),
            };
            let given: Vec<_> = given.iter().map(number).collect();
            let chosen = to_measure(&db, item, &given).expect("a kernel");
            chosen.into_iter().map(|one| format!("{}={:?}", one.name, one.source)).collect::<Vec<_>>().join(" ")
        };
        let scale = "kernel k(a, out, n: i32, by: i32):\n    for i in range(n):\n        out[i] = a[2 * i]\n";
        expect![[r#"a=Ramp(2000000) out=Zeros(2000000) n=Number("1000000") by=Number("8")"#]]
            .assert_eq(&chosen(scale, &[]));
        expect!["a=Ramp(100) out=Zeros(100)"].assert_eq(&chosen(scale, &[("n", "50"), ("by", "3")]));
        let filter = "\
kernel k(a: f32[n + taps], w: f32[taps], out: f32[n], n: i32, taps: i32, start: i32):
    for i in range(n):
        for j in range(taps):
            out[i] += a[i + j] * w[j]
";
        expect![[r#"a=Ramp(2000) w=Ramp(1000) out=Ramp(1000) n=Number("1000") taps=Number("1000") start=Number("8")"#]]
            .assert_eq(&chosen(filter, &[]));
        expect![[r#"a=Ramp(1016) w=Ramp(16) out=Ramp(1000) n=Number("1000") start=Number("8")"#]]
            .assert_eq(&chosen(filter, &[("taps", "16")]));
    }
}
