//! Findings about what loops and comprehensions go over.

use report::TextRange;

use super::CheckCode;
use crate::finding::{Edit, Finding};

/// A call of `zip`, `enumerate` or `reversed` in a loop's header that is given too few or too many.
pub fn arguments_of_domain(at: TextRange, name: &str, found: usize) -> Finding {
    const TAKES: [(&str, &str, &str); 3] = [
        ("zip", "two arrays or more", "`for x, y in zip(a, b):` goes over several arrays at once"),
        (
            "enumerate",
            "one array, and the number of its first element",
            "`for i, x in enumerate(a):` goes over elements and their indices, `enumerate(a, 1)` starts from 1",
        ),
        ("reversed", "one range or array", "`for i in reversed(range(n)):` goes from the last number to the first"),
    ];
    let (_, takes, help) = TAKES.into_iter().find(|(word, ..)| *word == name).unwrap_or(TAKES[2]);
    Finding::error(CheckCode::ArgumentCount, at, format!("`{name}` takes {takes}, and is given {found}"))
        .with_help(help)
}

/// `reversed(enumerate(a))`
pub fn numbers_backwards(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::NotAValue,
        at,
        "`reversed` turns a range or an array around, and `enumerate(...)` is neither",
    )
    .with_help(
        "`for i in reversed(range(length(a))):` goes over the indices, and takes `x = a[i]` inside; \
                    `enumerate(reversed(a))` numbers the elements from the last one on",
    )
}

/// `reversed(range(a, b, s))`
pub fn steps_backwards(at: TextRange) -> Finding {
    Finding::error(CheckCode::RangeArguments, at, "a range is only turned around if its step is written as a number")
        .with_help("write the range that goes down: `range(last, first - 1, -step)`")
}

/// `zip(a, range(a, b, s))`
pub fn steps_beside_elements(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::RangeArguments,
        at,
        "a range whose step is not written as a number stands alone in the header of a loop",
    )
    .with_help("count with `range(n)`, and compute the number inside: `first + i * step`")
}

/// Several names for the numbers of a range. `in_order`: the loop is a `for`.
pub fn numbers_taken_apart(at: TextRange, names: usize, in_order: bool) -> Finding {
    let help = if in_order {
        "nest a second `for` inside; over the elements of an array and their indices goes `for i, x in enumerate(a):`"
    } else {
        "each index has its range: `foreach i in range(n), j in range(m):`"
    };
    let message = format!("{names} names are given here, and a range has one number in each iteration");
    Finding::error(CheckCode::TupleCount, at, message).with_help(help)
}

/// More names, or fewer, than there are values in an iteration, of which there is one if `found` is `None`.
pub fn elements_taken_apart(at: TextRange, names: usize, found: Option<usize>, over: TextRange) -> Finding {
    let names = super::count(names, "name");
    match found {
        Some(found) => {
            let message = format!("{names} are given here, and there are {found} values in each iteration");
            Finding::error(CheckCode::TupleCount, at, message)
                .with_related(over, format!("this has {found} values at a time"))
                .with_help(
                    "`i, x` for `enumerate(a)`, `x, y` for `zip(a, b)`, and `i, (x, y)` for `enumerate(zip(a, b))`",
                )
        }
        None => {
            let message = format!("{names} are given here, and there is one value in each iteration");
            let finding = Finding::error(CheckCode::TupleCount, at, message)
                .with_related(over, "this has one element at a time")
                .with_help("`enumerate(a)` has the index beside each element, `zip(a, b)` the elements of both arrays");
            let numbered = Edit::Surround(over, "enumerate(".to_owned(), ")".to_owned());
            if names == "2 names" { finding.with_fix("write `enumerate(...)`", numbered) } else { finding }
        }
    }
}

/// The methods of Rust's iterators.
pub fn domain_of_method(at: TextRange, ours: &str) -> Finding {
    Finding::error(CheckCode::NotAStruct, at, "an array has no methods: a loop goes over it by what stands around it")
        .with_help("`enumerate(a)` has the indices too, `zip(a, b)` goes over several arrays, `reversed(a)` backwards")
        .with_fix(format!("write `{ours}`"), Edit::Replace(at, ours.to_owned()))
}

/// A comprehension beside other arguments or elements.
pub fn comprehension_not_alone(at: TextRange) -> Finding {
    Finding::error(CheckCode::NotAValue, at, "values with a `for` behind them stand alone in their brackets")
        .with_help("`[x * 2 for x in a]` is an array, which may stand anywhere")
}

/// A condition that chooses among the elements of several arrays.
pub fn chooses_of_several(at: TextRange) -> Finding {
    Finding::error(
        CheckCode::NotAValue,
        at,
        "a condition chooses among the elements of one array here, and there are several",
    )
    .with_help("`sum`, `product`, `any`, `all` and `count` leave out values of several arrays; else a loop does")
}
