//! `@threads`: the loop whose iterations threads may divide, or in words why there is none.

use facts::Facts;
use facts::loops::Loops;
use ir::{Code, Kernel, Op, Value};
use passes::parts::{NoParts, NotJoined, loop_of_parts};
use report::lanes::{Because, DependenceKind};

use super::judged::{self, Source};
use super::{Site, Undivided};

/// The site of the loop whose iterations may be divided, or the reason why none can be.
pub(super) fn find(kernel: &Kernel, facts: &Facts, known: &Loops, source: &dyn Source) -> Result<Site, Undivided> {
    let name = |value: Value| source.text(value).unwrap_or_else(|| "an array".to_owned());
    let at = |op: Op, message: &str| Because { place: source.site(op), message: message.to_owned() };
    let (because, way_out, related) = match loop_of_parts(kernel, known) {
        Ok(divided) => return Ok(source.site(divided.op)),
        Err(NoParts::NoLoop) if kernel.result.is_some() => (
            "its result comes from no loop".to_owned(),
            "compute the result in a loop over a range, or leave `@threads` out",
            Vec::new(),
        ),
        Err(NoParts::NoLoop) => (
            "no loop of this kernel stores to an array that it is given".to_owned(),
            "store to an array parameter in a loop over a range",
            Vec::new(),
        ),
        Err(NoParts::Several(op, other)) => (
            "its result comes from several loops, and threads divide one".to_owned(),
            "make a kernel of each, and pass what the first one gives to the second",
            vec![at(op, "this loop"), at(other, "this one as well")],
        ),
        Err(NoParts::NotJoined(op, number, why)) => {
            let (because, way_out) = not_joined(name_of_result(kernel, op, number), why);
            (because, way_out, vec![at(op, "this loop")])
        }
        Err(NoParts::ReadBehind(op, array)) => (
            format!(
                "what stands behind that loop reads `{}`, a new array of which each part would fill some",
                name(array)
            ),
            "store to an array parameter, and read that in another kernel",
            vec![at(op, "this reads it")],
        ),
        Err(NoParts::Beside(op)) => (
            "this kernel stores to its arrays outside of that loop, too".to_owned(),
            "make a kernel of each of the two, or one loop of both",
            vec![at(op, "this stores as well")],
        ),
        Err(NoParts::NotCounted(op)) => {
            let (because, message) = match kernel.ops[op].code {
                Code::While => {
                    ("how many iterations there are is known only behind the last", "this loop counts no range")
                }
                Code::If => {
                    let message = if kernel.result.is_some() { "this branch" } else { "this branch stores" };
                    ("the loop stands under a condition, or there are several, one for each case", message)
                }
                _ => ("a store stands outside of all loops", "this store"),
            };
            (
                because.to_owned(),
                "let the kernel be one loop over a range, `for i in range(n)` or `foreach i in range(n)`, which nothing leaves early",
                vec![at(op, message)],
            )
        }
        Err(NoParts::Step(op)) => (
            "the step of its range is known only when it runs".to_owned(),
            "give the range a constant step, and multiply its index",
            vec![at(op, "this loop")],
        ),
        Err(NoParts::Groups(op)) => (
            "its lanes exchange values, and where a group of them begins would depend on the division".to_owned(),
            "exchange values in an inner loop, or divide the arrays where the kernel is called",
            vec![at(op, "this loop")],
        ),
        Err(NoParts::Ordered(op)) => (
            format!("where or in which order `{}` stores depends on other iterations", kernel.ops[op].code.row().name),
            "let each iteration of the outermost loop store to cells of its own",
            vec![at(op, "this store")],
        ),
        Err(NoParts::ReadBefore(op, array)) => (
            format!("what stands before that loop reads `{}`, which the loop writes", name(array)),
            "compute it in another kernel and pass it, or store to another array",
            vec![at(op, "this reads it")],
        ),
        Err(NoParts::Carries(op)) => {
            (carried(kernel, op), "keep it in an array, or within each iteration", vec![at(op, "this loop")])
        }
        Err(NoParts::Depends(op, number)) => {
            let met = judged::dependence(kernel, facts, known, (op, number), source);
            let is_certain = known.dependences.list[number].is_certain() && !met.words.source.is_empty();
            let (because, way_out) = match (is_certain, met.kind) {
                (false, _) => (
                    format!("two iterations may touch the same cell of `{}`, as far as can be told", met.array),
                    "if they never do, write `foreach` in place of `for`: that promises it, and runs check it",
                ),
                (true, DependenceKind::Output) => (
                    format!("{}, {}", met.words.source, met.words.sink),
                    "let each iteration of the outermost loop store to cells of its own",
                ),
                (true, _) => (
                    format!("{}, {}", met.words.source, met.words.sink),
                    "store to another array than the one that is read",
                ),
            };
            let mut related = vec![Because { place: met.source, message: "one of the two accesses".to_owned() }];
            if met.sink != met.source {
                related.push(Because { place: met.sink, message: "the other one".to_owned() });
            } else {
                related[0].message = "both of them do it here".to_owned();
            }
            (because, way_out, related)
        }
        Err(NoParts::TooMany(op, array)) => (
            format!("its accesses to `{}` are too many to be compared", name(array)),
            "write `foreach` in place of `for`: that promises that no two iterations touch one cell",
            vec![at(op, "this loop")],
        ),
    };
    Err(Undivided { because, way_out, related })
}

/// The reason why blocks of iterations cannot join a value of that name, and the way out.
fn not_joined(name: String, why: NotJoined) -> (String, &'static str) {
    match why {
        NotJoined::FloatSum => (
            format!(
                "the iterations have to add to {name}, or multiply it, one after the other: floats round at each step"
            ),
            "write `@reassoc` above the loop or the kernel, which lets sums and products of floats be joined in another fixed order",
        ),
        NotJoined::ForgetsAtNan => (
            format!("{name} takes a NaN for the least or greatest, and then forgets what came before"),
            "write `max(x, m)` in place of `max(m, x)`, or `if x > m: m = x`, which leave NaNs out",
        ),
        NotJoined::Late => (
            format!("what is joined to {name} is computed only as long as that does not decide"),
            "compute it first, by `let c = ...`, and join `c`",
        ),
        NotJoined::InOrder => (
            format!("its iterations hand on {name}, each to the next"),
            "let them only join to it, by `+`, `*`, `min`, `max`, `and`, `or`, `&`, `|` or `^`, or keep it within each iteration",
        ),
    }
}

/// The name of a result of a loop, in quotes.
fn name_of_result(kernel: &Kernel, op: Op, number: usize) -> String {
    let data = &kernel.ops[op];
    let arg = data.regions.first().and_then(|&body| kernel.regions[body].args.get(kernel.n_head_args(op) + number));
    let values = [arg, data.results.get(number)].into_iter().flatten();
    let name = values.filter_map(|&value| kernel.values[value].name.as_deref()).next();
    name.map_or_else(|| "a value".to_owned(), |name| format!("`{name}`"))
}

/// The value that a loop hands on, in words.
fn carried(kernel: &Kernel, op: Op) -> String {
    let args = kernel.ops[op].regions.first().map_or(&[][..], |&region| &kernel.regions[region].args);
    let name = args.iter().skip(kernel.n_head_args(op)).find_map(|&arg| kernel.values[arg].name.as_deref());
    match name {
        Some(name) => format!("its iterations hand on `{name}`, each to the next"),
        None => "its iterations hand on a value, each to the next".to_owned(),
    }
}
