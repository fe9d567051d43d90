//! The math functions of the prelude, each builtin that has a text for every float type: a sample of what `benches/math.rs` measures
//! in full, which needs no library.
//!
//! Strict functions give the same bits in the evaluator, in the interpreter of Lane IR as it was lowered, and in native code on every
//! target that runs here; all are held against the `f64` functions of Rust's standard library.

mod references;
mod sample;

use std::sync::Arc;

use hir::builtins::{BUILTINS, Builtin, BuiltinId, Means, TypeRule};
use hir::eval::{ArgValue, Array, Element, EvalLimits, evaluate};
use ir::{Elem, Scalar};
use native::client::{Client, Ticket};
use native::emit::Source;
use native::protocol::{Guard, Job};
use native::run;
use queries::db::{Database, File, Item};
use queries::stages::Options;
use queries::stages::target::Target;
use queries::{prelude, reached};

use crate::generate::inputs::inputs;
use crate::{FUEL, PATIENCE, arrays, interpreted, kernel_named, support, targets};

#[test]
fn functions_of_f32() {
    check(Elem::F32);
}

#[test]
fn functions_of_f64() {
    check(Elem::F64);
}

/// Two tests run at a time, so each has a worker of its own.
fn check(elem: Elem) {
    let client = support::has_llvm().then(|| Client::new(env!("CARGO_BIN_EXE_lanescope"), &["worker"]));
    let db = Database::default();
    let mut wrong = Vec::new();
    // Those with an op may have a text for `@fast`.
    for builtin in BUILTINS.iter().filter(|row| matches!(row.means, Means::ByType | Means::Scalars(..))) {
        for fast in [false, true] {
            wrong.extend(Case::new(&db, builtin, elem, fast).and_then(|case| case.check(client.as_ref())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A kernel that applies a function to arrays, and arguments.
struct Case<'d> {
    db: &'d Database,
    file: File,
    builtin: &'static Builtin,
    elem: Elem,
    second: Option<Elem>,
    result: Elem,
    fast: bool,
    /// The arguments of the function, one after the other.
    given: Vec<[Scalar; 2]>,
}

impl<'d> Case<'d> {
    /// The case of a function, if the prelude has its text: under `@fast` only where that is another text.
    fn new(db: &'d Database, builtin: &'static Builtin, elem: Elem, fast: bool) -> Option<Case<'d>> {
        let written = prelude::function(db, BuiltinId::from_name(builtin.name)?, elem, fast)?;
        if fast && !written.name(db).ends_with("_fast") {
            return None;
        }
        let second = match builtin.shape {
            TypeRule::Same(_, 2) => Some(elem),
            TypeRule::Scale(_) => Some(Elem::I32),
            _ => None,
        };
        let result = if matches!(builtin.shape, TypeRule::To(..)) { Elem::I32 } else { elem };
        let (parameter, argument) = second.map_or(Default::default(), |second| (format!("y: {second}[n], "), ", y[i]"));
        let attribute = if fast { "@fast\n" } else { "" };
        let name = builtin.name;
        let text = format!(
            "{attribute}kernel k(x: {elem}[n], {parameter}out: {result}[n], n: i32):\n    for i in range(n):\n        \
             out[i] = {name}(x[i]{argument})\n"
        );
        let file = File::new(db, Arc::from(text));
        Some(Case { db, file, builtin, elem, second, result, fast, given: sample::given(name, elem, second) })
    }

    /// The arguments of the kernel, for some of those of the function.
    fn args(&self, given: &[[Scalar; 2]]) -> Vec<ArgValue> {
        let n = given.len() as i64;
        let array =
            |element, cells| ArgValue::Array(Array { element: Element::Scalar(element), sizes: vec![n], cells });
        let mut args = vec![array(self.elem, given.iter().map(|pair| pair[0]).collect())];
        args.extend(self.second.map(|second| array(second, given.iter().map(|pair| pair[1]).collect())));
        args.push(array(self.result, vec![Scalar::wrap(self.result, 0); given.len()]));
        args.push(ArgValue::Scalar(Scalar::I32(n as i32)));
        args
    }

    /// The first thing that is wrong with the function.
    fn check(&self, client: Option<&Client>) -> Option<String> {
        let kernel = kernel_named(self.db, self.file, "k");
        // The worker compiles while the interpreters are at work, on some of the arguments.
        let running: Vec<_> = client.into_iter().flat_map(|client| self.start(client, kernel)).collect();
        let part: Vec<_> =
            self.given.iter().enumerate().filter(|(n, _)| is_interpreted(*n)).map(|(_, it)| *it).collect();
        let args = self.args(&part);
        let evaluated = match self.evaluated(kernel, &args) {
            Ok(evaluated) => evaluated,
            Err(message) => return self.report("the evaluator", &message),
        };
        let Some(expected) = interpreted(self.db, kernel, &args) else {
            return self.report("the interpreter", "it stops with an error");
        };
        let expected = expected.arrays.last().cloned().unwrap_or_default();
        let wrong = self.misses("the interpreter", &part, &expected);
        wrong.or_else(|| self.differs("the evaluator", &part, &evaluated, &expected)).or_else(|| {
            running.into_iter().find_map(|(target, native)| match native() {
                Ok(found) => self.wrong_native(target, &found, &part, &expected),
                Err(message) => self.report(target.name, &message),
            })
        })
    }

    /// Describes what is wrong with native results for all arguments; those of strict functions are the interpreter's.
    fn wrong_native(
        &self,
        target: &Target,
        found: &[Scalar],
        part: &[[Scalar; 2]],
        expected: &[Scalar],
    ) -> Option<String> {
        let of_part: Vec<_> = found.iter().enumerate().filter(|(n, _)| is_interpreted(*n)).map(|(_, it)| *it).collect();
        let differs = if self.fast { None } else { self.differs(target.name, part, &of_part, expected) };
        differs.or_else(|| self.misses(target.name, &self.given, found))
    }

    fn evaluated(&self, kernel: Item<'_>, args: &[ArgValue]) -> Result<Vec<Scalar>, String> {
        let program = queries::run::program(self.db, self.file, kernel.name(self.db)).expect("a program");
        let outcome = evaluate(&program, args.to_vec(), EvalLimits { fuel: FUEL, ..EvalLimits::default() });
        if let Some(error) = &outcome.error {
            return Err(format!("{} in {:?}, in iteration {:?}", error.message, error.item, error.iteration));
        }
        Ok(outcome.arrays.last().map(|array| array.cells.clone()).unwrap_or_default())
    }

    /// Describes the first result that is not the expected one, bit for bit.
    fn differs(&self, place: &str, given: &[[Scalar; 2]], found: &[Scalar], expected: &[Scalar]) -> Option<String> {
        let at = (0..expected.len()).find(|&n| found.get(n) != Some(&expected[n]))?;
        let told = format!("{:?} for {:?}, where the interpreter has {:?}", found.get(at), given[at], expected[at]);
        self.report(place, &told)
    }

    /// Describes the first result that is further from the right one than the function's bound.
    fn misses(&self, place: &str, given: &[[Scalar; 2]], found: &[Scalar]) -> Option<String> {
        let wrong = |(given, found): (&[Scalar; 2], &Scalar)| {
            references::misses(self.builtin.name, self.elem, self.fast, *given, *found)
        };
        given.iter().zip(found).find_map(wrong).and_then(|told| self.report(place, &told))
    }

    fn report(&self, place: &str, told: &str) -> Option<String> {
        let mode = if self.fast { ", fast" } else { "" };
        Some(format!("{} of {}{mode}, {place}: {told}", self.builtin.name, self.elem))
    }

    /// Sends the kernel for all targets to the worker; under `@fast` for the best one.
    fn start<'c>(&self, client: &'c Client, kernel: Item<'_>) -> Vec<(&'static Target, Running<'c>)> {
        // What a machine estimates is something else on each.
        let is_estimate = matches!(self.builtin.means, Means::Scalars(..));
        let all = targets().filter(|target| !self.fast || is_estimate || target.name == native::host::row().name);
        all.map(|target| (target, self.start_on(client, kernel, target))).collect()
    }

    fn start_on<'c>(&self, client: &'c Client, kernel: Item<'_>, target: &'static Target) -> Running<'c> {
        let args = self.args(&self.given);
        let stages = reached(self.db, kernel, Options { lanes: None, target });
        let Some(last) = stages.last() else { return Box::new(|| Err("it is not lowered".to_owned())) };
        let (kernel, inputs) = (last.kernel.clone(), inputs(&args));
        let (job, memory) = match run::job(&kernel, &Source::default(), target, &inputs, Guard::End) {
            Ok(job) => job,
            Err(refused) => return Box::new(move || Err(refused.to_string())),
        };
        let ticket: Ticket = client.ask(Job::Run(job), &memory);
        Box::new(move || {
            let ran = run::ran(&kernel, &inputs, ticket.wait(PATIENCE)).map_err(|failure| failure.to_string())?;
            Ok(arrays(&args, &inputs, &ran.memory).pop().unwrap_or_default())
        })
    }
}

/// True for an argument that the interpreters are given, too: the special values, and some of the others.
fn is_interpreted(n: usize) -> bool {
    n < 64 || n.is_multiple_of(7)
}

/// A native run under way: waits for its results.
type Running<'c> = Box<dyn FnOnce() -> Result<Vec<Scalar>, String> + 'c>;
