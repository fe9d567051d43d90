//! The interpreter against the evaluator: a generated kernel gives the same bits and the same errors, at the same places, in the
//! same lane and iteration, when its meaning is read off its HIR and when its Lane IR is run, as it was lowered and after each pass.

mod generate;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use analysis::db::file_items;
use analysis::eval::{self, Arg, Program, evaluate};
use analysis::finding::ItemKey;
use analysis::lower::{Lowering, sequential};
use analysis::{Database, File, hir};
use generate::Generated;
use generate::inputs::{cells, element_of, inputs, stride};
use ir::facts::dependence;
use ir::facts::loops::{Loops, loops};
use ir::interp::{self, Limits, Machine, Status, Stop};
use ir::passes::Context;
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

/// An error: what, where and when.
#[derive(Debug, Clone, PartialEq)]
struct Wrong {
    code: &'static str,
    item: ItemKey,
    range: TextRange,
    lane: Option<u32>,
    iteration: Vec<i128>,
    /// The iteration that another one collides with.
    other: Option<Vec<i128>>,
}

impl From<eval::Error> for Wrong {
    fn from(error: eval::Error) -> Wrong {
        let indices = |iteration: eval::Iteration| iteration.into_iter().map(|(_, index)| index).collect();
        Wrong {
            code: error.code,
            item: error.item,
            range: error.range,
            lane: error.lane,
            iteration: indices(error.iteration),
            other: error.other.map(indices),
        }
    }
}

#[test]
fn lowered_kernels_mean_what_they_say() {
    let cases = generate::cases(2_000);
    generate::for_each(generate::seeds(cases), |seed| {
        let generated = generate::program(seed);
        if compare(&generated).is_err() {
            let small = generate::shrink(generated, &mut |it| compare(it).is_err());
            let how = compare(&small).expect_err("shrinking keeps what it looks for");
            panic!("seed {seed}\n{}\n{:?}\n{how}", small.text, small.args);
        }
    });
    assert!(N_IN_LANES.load(Relaxed) > cases / 4, "{} kernels ran in lanes", N_IN_LANES.load(Relaxed));
}

/// How the ways to run a program differ, if they do. A panic is such a difference, so it, too, comes with its program.
fn compare(generated: &Generated) -> Result<(), String> {
    let compared = std::panic::catch_unwind(|| runs_agree(generated));
    compared.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        Err(message.or_else(|| panic.downcast_ref::<&str>().map(|&it| it.to_owned())).unwrap_or_default())
    })
}

fn runs_agree(generated: &Generated) -> Result<(), String> {
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*generated.text));
    let program = Program::new(&db, file, &generated.kernel).expect("the kernel");
    let expected = evaluate(&program, generated.args.clone(), eval::Limits { fuel: 2_000_000 });
    let expected = End {
        result: expected.result,
        arrays: expected.arrays.into_iter().map(|array| array.cells).collect(),
        error: expected.error.map(Wrong::from),
    };
    let given_up = ["has-errors", "not-lowered-yet", "wrong-argument", "out-of-fuel"];
    if expected.error.as_ref().is_some_and(|wrong| given_up.contains(&wrong.code)) {
        // No generated program is like that (see `generated.rs`); one that is being made small may be.
        return Ok(());
    }
    let kernel = file_items(&db, file).iter().find(|item| **item.name(&db) == *generated.kernel);
    let lowering = sequential(&db, *kernel.expect("the kernel"));
    let kernel = lowering.kernel.as_deref().expect("a kernel");
    if let Some(finding) = lowering.findings.first() {
        return Err(format!("not lowered: {}", finding.message));
    }
    let verdicts = Arc::new(loops(kernel, &dependence::Limits::default()));
    // Two lane counts a program, so that all of them meet all kinds of programs.
    for turn in 0..2 {
        let lanes = LANES[(generated.text.len() + 3 * turn) % LANES.len()];
        let options = Options { lanes: Some(lanes), ..Options::default() };
        if let Some(how) = differs(kernel, lowering, &verdicts, &generated.args, &expected, &options) {
            return Err(format!("{lanes} lanes, {how}"));
        }
    }
    Ok(())
}

/// The first pass after which a kernel does not do what is expected, and what it does instead.
fn differs(
    kernel: &Kernel,
    lowering: &Lowering,
    verdicts: &Arc<Loops>,
    args: &[Arg],
    expected: &End,
    options: &Options,
) -> Option<String> {
    let mut kernel = kernel.clone();
    let mut context = Context::knowing(options, verdicts.clone());
    let mut keeps_errors = true;
    let passes = STAGES.iter().flat_map(|stage| stage.passes).map(Some);
    for pass in [None].into_iter().chain(passes) {
        let name = pass.map_or("as lowered", |pass| pass.name);
        if let Some(pass) = pass {
            let before = kernel.clone();
            if !pass.apply(&mut kernel, &mut context) {
                if kernel != before {
                    return Some(format!("{name} changed something and did not say so"));
                }
                continue;
            }
            keeps_errors &= pass.keeps_errors;
        }
        if let Err(violations) = ir::verify(&kernel) {
            return Some(format!("{name}: {violations:?}\n{}", ir::print(&kernel).text));
        }
        // Where things are done in another order, a run that has an error may have another one.
        if !keeps_errors && expected.error.is_some() {
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
    let inputs = inputs(args);
    let mut machine = Machine::new(Arc::new(kernel.clone()), inputs.clone())?;
    let stop =
        machine.run(&mut Limits { fuel: 50_000_000, breakpoints: &Default::default(), cancelled: &mut || false });
    if stop != Stop::Over {
        return Err(format!("{stop:?}"));
    }
    let arrays = args.iter().zip(&inputs.args).filter_map(|(arg, given)| {
        let interp::Arg::Array { memory, start, sizes } = given else { return None };
        let element = element_of(args, arg)?;
        let end = start + sizes.iter().product::<i64>() as usize * stride(element);
        Some(cells(&machine.memory()[*memory][*start..end], element))
    });
    let arrays = arrays.collect();
    Ok(match machine.status() {
        Status::Done(result) => End { result: *result, arrays, error: None },
        Status::Failed(error) => {
            let place = kernel.origins[error.origin].place as usize;
            let (item, range) = lowering.places[place].clone();
            let other = match &error.kind {
                interp::ErrorKind::Collision { first, .. } => Some(first.clone()),
                _ => None,
            };
            let (code, lane, iteration) = (error.kind.code(), error.lane.map(u32::from), error.iteration.clone());
            End { result: None, arrays, error: Some(Wrong { code, item, range, lane, iteration, other }) }
        }
        Status::Running => return Err("still running".to_owned()),
    })
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
