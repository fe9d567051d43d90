//! The interpreter against the evaluator: a generated kernel gives the same bits and the same errors, at the same places, when
//! its meaning is read off its HIR and when its Lane IR is run, as it was lowered and after each pass.

mod generate;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use analysis::db::file_items;
use analysis::eval::{self, Arg, Array, Element, Program, evaluate};
use analysis::finding::ItemKey;
use analysis::lower::{Lowering, sequential};
use analysis::{Database, File, hir};
use generate::Generated;
use ir::interp::{self, Inputs, Limits, Machine, Status, Stop};
use ir::pipeline::{Options, STAGES};
use ir::{Kernel, Scalar};
use syntax::TextRange;

/// The lane counts that loops are tried with.
const LANES: [u16; 7] = [8, 1, 3, 16, 2, 64, 4];

/// How often a kernel was run with loops in lanes.
static N_IN_LANES: AtomicU64 = AtomicU64::new(0);

/// What a run came to, in terms that both engines share.
#[derive(Debug, Clone, PartialEq)]
struct End {
    result: Option<Scalar>,
    arrays: Vec<Vec<Scalar>>,
    error: Option<Wrong>,
}

/// An error: its code and its place.
#[derive(Debug, Clone, PartialEq)]
struct Wrong {
    code: &'static str,
    item: ItemKey,
    range: TextRange,
}

#[test]
fn lowered_kernels_mean_what_they_say() {
    let cases = generate::cases(2_000);
    let mut n_run = 0;
    for seed in 0..cases {
        let generated = generate::program(seed);
        match compare(&generated) {
            Compared::Same => n_run += 1,
            Compared::NotLowered => {}
            Compared::Differs(_) => {
                let small = generate::shrink(generated, &mut |it| matches!(compare(it), Compared::Differs(_)));
                let Compared::Differs(how) = compare(&small) else { unreachable!("shrinking keeps what it looks for") };
                panic!("seed {seed}\n{}\n{:?}\n{how}", small.text, small.args);
            }
        }
    }
    assert!(N_IN_LANES.load(Relaxed) > cases / 4, "{} kernels ran in lanes", N_IN_LANES.load(Relaxed));
    // Only lane operations cannot be lowered yet, and a third of the programs has some.
    assert!(8 * n_run > 5 * cases, "{n_run} of {cases} were lowered");
}

enum Compared {
    Same,
    NotLowered,
    Differs(String),
}

fn compare(generated: &Generated) -> Compared {
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    let Some(program) = Program::new(&db, file, &generated.kernel) else { return Compared::NotLowered };
    let expected = evaluate(&program, generated.args.clone(), eval::Limits { fuel: 2_000_000 });
    let expected = End {
        result: expected.result,
        arrays: expected.arrays.into_iter().map(|array| array.cells).collect(),
        error: expected.error.map(|error| Wrong { code: error.code, item: error.item, range: error.range }),
    };
    if matches!(&expected.error, Some(wrong) if matches!(wrong.code, "has-errors" | "not-lowered-yet" | "wrong-argument" | "out-of-fuel"))
    {
        return Compared::NotLowered;
    }
    let kernel = file_items(&db, file).iter().find(|item| **item.name(&db) == *generated.kernel);
    let lowering = sequential(&db, *kernel.expect("the kernel"));
    let Some(kernel) = lowering.kernel.as_deref().filter(|_| lowering.findings.is_empty()) else {
        return Compared::NotLowered;
    };
    // Two lane counts a program, so that all of them meet all kinds of programs.
    for turn in 0..2 {
        let lanes = LANES[(generated.text.len() + 3 * turn) % LANES.len()];
        let options = Options { lanes: Some(lanes), ..Options::default() };
        if let Some(how) = differs(kernel, lowering, &generated.args, &expected, &options) {
            return Compared::Differs(format!("{lanes} lanes, {how}"));
        }
    }
    Compared::Same
}

/// The first pass after which a kernel does not do what is expected, and what it does instead.
fn differs(kernel: &Kernel, lowering: &Lowering, args: &[Arg], expected: &End, options: &Options) -> Option<String> {
    let mut kernel = kernel.clone();
    let passes = STAGES.iter().flat_map(|stage| stage.passes).map(Some);
    for pass in [None].into_iter().chain(passes) {
        let name = pass.map_or("as lowered", |pass| pass.name);
        if let Some(pass) = pass {
            (pass.run)(&mut kernel, options);
        }
        if let Err(violations) = ir::verify(&kernel) {
            return Some(format!("{name}: {violations:?}\n{}", ir::print(&kernel).text));
        }
        // In lanes, iterations are not one after the other any more, so a run that has an error has it elsewhere.
        if kernel.lanes.is_some() && expected.error.is_some() {
            continue;
        }
        if kernel.lanes.is_some() {
            N_IN_LANES.fetch_add(1, Relaxed);
        }
        match interpret(&kernel, lowering, args) {
            Ok(found) if found == *expected => {}
            found => {
                let text = ir::print(&kernel).text;
                return Some(format!("{name}\n{text}\nexpected {expected:#?}\nfound {found:#?}"));
            }
        }
    }
    None
}

fn interpret(kernel: &Kernel, lowering: &Lowering, args: &[Arg]) -> Result<End, String> {
    let inputs = inputs(kernel, args);
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone())?;
    let stop =
        machine.run(&mut Limits { fuel: 50_000_000, breakpoints: &Default::default(), cancelled: &mut || false });
    if stop != Stop::Over {
        return Err(format!("{stop:?}"));
    }
    let arrays = kernel.params.iter().zip(&inputs.args).zip(args).filter_map(|((_, given), arg)| {
        let (interp::Arg::Array { memory, .. }, Arg::Array(array)) = (given, arg) else { return None };
        Some(cells(&machine.memory()[*memory], &array.element))
    });
    let arrays = arrays.collect();
    Ok(match machine.status() {
        Status::Done(result) => End { result: *result, arrays, error: None },
        Status::Failed(error) => {
            let place = kernel.origins[error.origin].place as usize;
            let (item, range) = lowering.places[place].clone();
            End { result: None, arrays, error: Some(Wrong { code: error.kind.code(), item, range }) }
        }
        Status::Running => return Err("still running".to_owned()),
    })
}

/// The evaluator's arguments as the interpreter's.
fn inputs(kernel: &Kernel, args: &[Arg]) -> Inputs {
    let mut inputs = Inputs::new();
    for (param, arg) in kernel.params.iter().zip(args) {
        inputs = match arg {
            Arg::Scalar(scalar) => inputs.scalar(*scalar),
            Arg::Array(array) => {
                let stride = match kernel.ty(param.value) {
                    ir::Type::View { item, .. } => kernel.item_bytes(item),
                    ir::Type::Data { .. } => 1,
                };
                inputs.bytes(bytes(array, stride), &array.sizes)
            }
            Arg::Part { .. } => panic!("the generator makes no overlapping arrays"),
        };
    }
    inputs
}

/// An array in memory: each field at the next multiple of its size, as in C.
fn bytes(array: &Array, stride: usize) -> Vec<u8> {
    let fields = array.element.fields();
    let mut bytes = vec![0; array.cells.len() / fields.len() * stride];
    for (n, cell) in array.cells.iter().enumerate() {
        let start = n / fields.len() * stride + offset(fields, n % fields.len());
        let len = cell.elem().bytes();
        bytes[start..start + len].copy_from_slice(&cell.bits().to_le_bytes()[..len]);
    }
    bytes
}

fn cells(bytes: &[u8], element: &Element) -> Vec<Scalar> {
    let fields = element.fields();
    let align = fields.iter().map(|elem| elem.bytes()).max().unwrap_or(1);
    let last = fields.len() - 1;
    let stride = (offset(fields, last) + fields[last].bytes()).next_multiple_of(align);
    let of_struct = |chunk: &[u8]| -> Vec<Scalar> {
        let field = |n: usize| interp::scalars_of(&chunk[offset(fields, n)..][..fields[n].bytes()], fields[n])[0];
        (0..fields.len()).map(field).collect()
    };
    bytes.chunks_exact(stride).flat_map(of_struct).collect()
}

fn offset(fields: &[ir::Elem], field: usize) -> usize {
    let end = |at: usize, elem: &ir::Elem| at.next_multiple_of(elem.bytes()) + elem.bytes();
    fields[..field].iter().fold(0, end).next_multiple_of(fields[field].bytes())
}

#[test]
fn places_lead_to_items_of_the_file() {
    let generated = generate::program(1);
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    for &item in file_items(&db, file) {
        for (key, _) in &sequential(&db, item).places {
            assert!(hir::item_of(&db, file, key).is_some(), "{key:?}");
        }
    }
}
