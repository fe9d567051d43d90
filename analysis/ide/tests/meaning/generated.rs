//! Generated programs: all are well typed, and the evaluator gets to an end with each, always the same one.

use crate::generate;

use std::collections::BTreeMap;
use std::sync::Arc;

use generate::Generated;
use hir::errors::{CheckCode, RuleCode};
use hir::eval;
use hir::eval::{EvalLimits, EvalOutcome, evaluate};
use queries::db::{Database, File};
use queries::run::program;
use queries::{check, db, run};
use syntax::ItemKind;

const LIMITS: EvalLimits = EvalLimits { fuel: 10_000_000, memory: 1 << 30 };

/// The errors of a program, and what running it gives. Rules that are seen when a program is lowered are not those of the evaluator, which
/// makes a place for an array when it has computed it.
fn outcome_of(generated: &Generated) -> (Vec<String>, EvalOutcome) {
    let database = Database::default();
    let file = File::new(&database, Arc::from(&*generated.text));
    let errors = check::diagnostics(&database, file)
        .into_iter()
        .filter(|found| found.severity == syntax::Severity::Error && RuleCode::of(found.code).is_none())
        .map(|found| format!("{} {:?}: {}", found.code, &generated.text[found.range], found.message))
        .collect();
    let program = program(&database, file, &generated.kernel).expect("the kernel");
    let outcome = evaluate(&program, generated.args.clone(), LIMITS);
    if let Some(error) = &outcome.error {
        let item = queries::item_of(&database, file, &error.item).expect("the item of an error");
        let range = db::dense_map(&database, item).to_text(error.range);
        let place = item.text(&database).get(std::ops::Range::<usize>::from(range));
        assert!(place.is_some_and(|place| !place.is_empty()), "{error:?}\n{}", generated.text);
    }
    (errors, outcome)
}

#[test]
fn generated_programs_are_well_typed_and_run_to_an_end() {
    run_to_an_end(generate::cases(2_000), generate::program);
}

#[test]
fn generated_programs_with_whole_arrays_are_well_typed_and_run_to_an_end() {
    run_to_an_end(generate::cases(300), generate::array_program);
}

fn run_to_an_end(cases: u64, program: fn(u64) -> Generated) {
    let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
    let mut refused: BTreeMap<String, u64> = BTreeMap::new();
    for seed in generate::seeds(cases) {
        let generated = program(seed);
        let (errors, outcome) = outcome_of(&generated);
        // Which ways of updating a variable need no order, and which names share a cell, the facts about the loop decide; and of what is
        // computed from constants the checker may know more than the generator.
        const DECIDED_LATER: [CheckCode; 6] = [
            CheckCode::ForeachUpdate,
            CheckCode::ForeachCollides,
            CheckCode::IndexOutOfRange,
            CheckCode::NumberOutOfRange,
            CheckCode::ShiftOutOfRange,
            CheckCode::DivisionByZero,
        ];
        let is_decided_later = |error: &String| DECIDED_LATER.iter().any(|code| error.starts_with(code.name()));
        if !errors.is_empty() && errors.iter().all(is_decided_later) {
            if std::env::var_os("LANESCOPE_ALL").is_some() {
                eprintln!("seed {seed}: {errors:#?}\n{}", generated.text);
            }
            let code = errors[0].split(' ').next().unwrap_or_default();
            *refused.entry(code.to_owned()).or_default() += 1;
            continue;
        }
        if let Some(error) = errors.first() {
            let code = |error: &str| error.split(' ').next().map(str::to_owned);
            let mut has_it = |it: &Generated| outcome_of(it).0.iter().any(|other| code(other) == code(error));
            let small = generate::shrink(generated, &mut has_it);
            panic!("seed {seed}\n{}\n{:#?}", small.text, outcome_of(&small).0);
        }
        let end = outcome.error.as_ref().map_or("well", |error| error.code.name());
        *ends.entry(end).or_default() += 1;
        assert!(
            !matches!(end, "has-errors" | "wrong-argument" | "out-of-fuel"),
            "seed {seed}: {outcome:?}\n{}",
            generated.text
        );
        let of_check = CheckCode::ALL.iter().any(|code| code.name() == end);
        let has_page = of_check || run::CODES.iter().any(|code| code.name() == end);
        assert!(has_page || end == "well", "seed {seed}: `{end}` has no page: {outcome:?}\n{}", generated.text);
    }
    println!("{ends:?}, refused: {refused:?}");
    // Most programs run to their end, and some do not.
    let well = ends.get("well").copied().unwrap_or(0);
    assert!(3 * well > cases && well < cases, "{ends:?}");
    // The generator foresees what the checker knows.
    assert!(200 * refused.values().sum::<u64>() < cases, "{refused:?}");
}

#[test]
fn a_seed_always_gives_the_same_program_and_outcome() {
    for seed in 0..100 {
        let (first, second) = (generate::program(seed), generate::program(seed));
        assert_eq!(first.text, second.text);
        assert_eq!(first.args, second.args);
        assert_eq!(outcome_of(&first).1, outcome_of(&second).1);
    }
}

#[test]
fn shrinking_keeps_the_mistake_and_little_else() {
    let overflows = |generated: &Generated| {
        let error = outcome_of(generated).1.error;
        // What overflows in a function needs that function and what it is called with.
        let in_loop = |error: &eval::Error| !error.iteration.is_empty() && error.item.kind == ItemKind::Kernel;
        error.is_some_and(|error| error.code == ir::RunCode::Overflow && in_loop(&error))
    };
    let found = (0..)
        .map(generate::program)
        // An argument keeps all fields of its structs.
        .find(|generated| generated.tree.structs.len() == 1 && overflows(generated))
        .expect("one of them overflows in a loop of the kernel");
    let small = generate::shrink(found.clone(), &mut |generated| overflows(generated));
    assert!(overflows(&small));
    let lines = |generated: &Generated| generated.text.lines().count();
    // A struct, the kernel's header, a loop and what overflows in it.
    assert!(lines(&small) <= 13 && 2 * lines(&small) < lines(&found), "{}\n{}", found.text, small.text);
}
