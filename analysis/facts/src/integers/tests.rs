//! The solver against enumeration.

use fastrand::Rng;

use super::{Answers, Budget, Formula, Linear, Model, System, TooHard, Var};

const SIDE: i128 = 4;

/// A random form over some variables.
fn form(rng: &mut Rng, vars: &[Var], most: i128) -> Linear {
    let mut form = Linear::constant(rng.i128(-3 * most..=3 * most));
    for &var in vars {
        if rng.u8(..3) > 0 {
            form = form.plus(&Linear::of(var, rng.i128(-most..=most))).expect("small numbers");
        }
    }
    form
}

fn formula(rng: &mut Rng, vars: &[Var], most: i128, depth: u8) -> Formula {
    let parts = |rng: &mut Rng| (0..rng.usize(1..3)).map(|_| formula(rng, vars, most, depth + 1)).collect();
    match rng.u8(..8) {
        0 | 1 => Formula::Zero(form(rng, vars, most)),
        2 if depth < 3 => Formula::All(parts(rng)),
        3 | 4 if depth < 3 => Formula::Any(parts(rng)),
        5 if depth < 3 => formula(rng, vars, most, depth + 1).negated().expect("small numbers"),
        _ => Formula::NotNegative(form(rng, vars, most)),
    }
}

/// All numbers from `-SIDE` to `SIDE` for `n` variables.
fn points(n: u32) -> impl Iterator<Item = Vec<i128>> {
    let base = 2 * SIDE + 1;
    (0..base.pow(n)).map(move |code| (0..n).map(|at| code / base.pow(at) % base - SIDE).collect())
}

/// A random system: what it requires is given beside it.
fn random_system(rng: &mut Rng, bounded: bool) -> (System, Vec<Var>, Vec<Formula>) {
    let mut system = System::new();
    let vars: Vec<Var> = (0..rng.usize(1..4)).map(|_| system.var()).collect();
    let most = [2, 5, 13][rng.usize(..3)];
    let mut formulas: Vec<Formula> = (0..rng.usize(1..6)).map(|_| formula(rng, &vars, most, 0)).collect();
    if bounded {
        for &var in &vars {
            formulas.push(Formula::NotNegative(Linear::of(var, 1).add(SIDE).expect("small numbers")));
            formulas.push(Formula::NotNegative(Linear::of(var, -1).add(SIDE).expect("small numbers")));
        }
    }
    formulas.iter().for_each(|formula| system.require(formula.clone()));
    (system, vars, formulas)
}

fn all_hold(formulas: &[Formula], model: &Model) -> bool {
    formulas.iter().all(|formula| model.satisfies(formula).expect("small numbers"))
}

fn some_point(n: usize, formulas: &[Formula]) -> Option<Vec<i128>> {
    let holds = |point: &Vec<i128>| {
        formulas.iter().all(|formula| formula.holds(&|var| point[var.index()]).expect("small numbers"))
    };
    points(n as u32).find(holds)
}

#[test]
fn bounded_systems_have_a_model_exactly_if_enumeration_finds_one() {
    let (mut n_with, mut n_without) = (0, 0);
    for seed in 0..20000 {
        let mut rng = Rng::with_seed(seed);
        let (system, vars, formulas) = random_system(&mut rng, true);
        let model = system.solve(&mut Budget::new(1_000_000)).unwrap_or_else(|TooHard| panic!("seed {seed}: too hard"));
        let point = some_point(vars.len(), &formulas);
        match &model {
            Some(model) => {
                n_with += 1;
                assert!(all_hold(&formulas, model), "seed {seed}: {model:?} for {formulas:?}");
            }
            None => {
                n_without += 1;
                assert_eq!(point, None, "seed {seed}: {formulas:?}");
            }
        }
    }
    assert!(n_with > 1000 && n_without > 1000, "{n_with} with a solution, {n_without} without");
}

#[test]
fn unbounded_systems_have_models_that_hold_and_miss_none() {
    for seed in 0..20000 {
        let mut rng = Rng::with_seed(seed);
        let (system, vars, formulas) = random_system(&mut rng, false);
        match system.solve(&mut Budget::new(1_000_000)) {
            Ok(Some(model)) => assert!(all_hold(&formulas, &model), "seed {seed}: {model:?} for {formulas:?}"),
            Ok(None) => assert_eq!(some_point(vars.len(), &formulas), None, "seed {seed}: {formulas:?}"),
            Err(TooHard) => panic!("seed {seed}: too hard"),
        }
    }
}

#[test]
fn the_least_value_of_a_form_is_that_of_enumeration() {
    for seed in 0..1500 {
        let mut rng = Rng::with_seed(seed);
        let (system, vars, formulas) = random_system(&mut rng, true);
        let objective = form(&mut rng, &vars, 3);
        let value = |point: &[i128]| objective.evaluate(&|var| point[var.index()]).expect("small numbers");
        let holds = |point: &Vec<i128>| {
            formulas.iter().all(|formula| formula.holds(&|var| point[var.index()]).expect("small numbers"))
        };
        let least = points(vars.len() as u32).filter(holds).map(|point| value(&point)).min();
        let model = system.least(&objective, -100, &mut Budget::new(1_000_000)).expect("enough budget");
        assert_eq!(model.map(|model| model.value(&objective).expect("small numbers")), least, "seed {seed}");
    }
}

#[test]
fn a_system_between_its_shadows_is_decided_by_splinters() {
    // 27 <= 11x + 13y <= 45 and -10 <= 7x - 9y <= 4 have solutions in fractions, and none in whole numbers.
    let mut system = System::new();
    let (x, y) = (system.var(), system.var());
    let sum = |a: i128, b: i128| Linear::of(x, a).plus(&Linear::of(y, b)).expect("small numbers");
    let at_least = |form: Linear, least: i128| Formula::NotNegative(form.add(-least).expect("small numbers"));
    system.require(at_least(sum(11, 13), 27));
    system.require(at_least(sum(-11, -13), -45));
    system.require(at_least(sum(7, -9), -10));
    system.require(at_least(sum(-7, 9), -4));
    assert_eq!(system.solve(&mut Budget::new(10_000)), Ok(None));
}

#[test]
fn what_costs_more_than_the_budget_is_too_hard() {
    let mut rng = Rng::with_seed(7);
    let mut system = System::new();
    let vars: Vec<Var> = (0..12).map(|_| system.var()).collect();
    for _ in 0..30 {
        let most = 1_000;
        let sum = vars.iter().try_fold(Linear::constant(rng.i128(0..most)), |sum, &var| {
            sum.plus(&Linear::of(var, rng.i128(-most..most)))
        });
        system.require(Formula::NotNegative(sum.expect("small numbers")));
    }
    let mut budget = Budget::new(2_000);
    assert_eq!(system.solve(&mut budget), Err(TooHard));
    assert_eq!(budget.left(), 0);
}

#[test]
fn numbers_that_are_too_large_are_too_hard() {
    let mut system = System::new();
    let (x, y) = (system.var(), system.var());
    let huge = i128::MAX / 2;
    let difference = Linear::of(x, huge).plus(&Linear::of(y, 1 - huge)).expect("they fit");
    system.require(Formula::Zero(difference.add(3).expect("it fits")));
    system.require(Formula::NotNegative(Linear::of(x, -huge).plus(&Linear::of(y, -7)).expect("they fit")));
    system.require(Formula::NotNegative(Linear::of(x, huge).plus(&Linear::of(y, -5)).expect("they fit")));
    assert_eq!(system.solve(&mut Budget::new(1000)), Err(TooHard));
}

#[test]
fn an_answer_that_is_known_is_the_same_and_costs_the_same() {
    let answers = Answers::default();
    let mut n_too_hard = 0;
    for seed in 0..2000 {
        let (system, ..) = random_system(&mut Rng::with_seed(seed), seed % 2 == 0);
        for units in [1_000_000, 30] {
            let ask = |answers| {
                let mut budget = Budget::new(units).with_answers(answers);
                (system.solve(&mut budget), budget.left())
            };
            let alone = ask(None);
            assert_eq!([ask(Some(&answers)), ask(Some(&answers))], [alone.clone(), alone.clone()], "seed {seed}");
            n_too_hard += usize::from(alone.0 == Err(TooHard));
        }
    }
    assert!(n_too_hard > 100, "{n_too_hard} questions cost more than there was");
}
