//! Comparison of the outcome of a run with what an example expects.

use queries::run::{ResultArray, RunOutcome, Scalar};

use super::parse::{Example, Expectation, Expected};

/// Largest difference of numbers behind `≈`, for one part of the expected number.
const NEARLY: f64 = 1e-4;

/// A line that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The expected line.
    pub expected: String,
    /// The line in its place, or a sentence about why there is nothing.
    pub actual: String,
}

/// Largest number of elements in a line; more are left open.
const SHOWN: usize = 16;

/// Formats an outcome as the lines that an example expects of it.
pub fn printed(outcome: &RunOutcome) -> Vec<String> {
    match &outcome.failure {
        Some(failure) => vec![format!("error[{}]", failure.code.name())],
        None => outcome.result.iter().map(ToString::to_string).chain(outcome.arrays.iter().map(array)).collect(),
    }
}

fn array(array: &ResultArray) -> String {
    let mut elements: Vec<_> = array.elements.iter().take(SHOWN).map(ToString::to_string).collect();
    if array.elements.len() > SHOWN {
        elements.push("…".to_owned());
    }
    format!("{} = [{}]", array.name, elements.join(", "))
}

/// Returns the first expected line that an outcome does not have. An error that nobody expects is a difference, too.
pub(super) fn compare(example: &Example, outcome: &RunOutcome) -> Option<Difference> {
    if let Some(failure) = &outcome.failure {
        let expects = |expectation: &Expectation| expectation.of == Expected::Error(failure.code.name().to_owned());
        return (!example.expected.iter().any(expects)).then(|| Difference {
            expected: example.expected.first().map_or("no error", |expectation| &expectation.text).to_owned(),
            actual: format!("error[{}]: {}", failure.code.name(), failure.message),
        });
    }
    example.expected.iter().find_map(|expectation| {
        let actual = different(&expectation.of, outcome)?;
        Some(Difference { expected: expectation.text.clone(), actual })
    })
}

/// Returns what there is in place of an expected line; nothing if it is there.
fn different(expected: &Expected, outcome: &RunOutcome) -> Option<String> {
    match expected {
        Expected::Result { number, nearly } => match outcome.result {
            Some(result) => (!is(result, number, *nearly)).then(|| result.to_string()),
            None => Some("the kernel returns nothing".to_owned()),
        },
        Expected::Array { name, elements, open, nearly } => {
            let Some(written) = outcome.arrays.iter().find(|array| array.name == *name) else {
                return Some(format!("the kernel writes no array `{name}`"));
            };
            let long = if *open { written.elements.len() >= elements.len() } else { written.elements.len() == elements.len() };
            let same = written.elements.iter().zip(elements).all(|(&actual, expected)| is(actual, expected, *nearly));
            (!(long && same)).then(|| not_as(written, elements, *nearly))
        }
        Expected::Error(_) => Some(printed(outcome).join("; ")).map(|lines| format!("no error: {lines}")),
        Expected::Unknown => Some(
            "this line is no expectation; write a number, `name = [1.0, 2.0]`, `error[code]`, or an empty `##` line before text"
                .to_owned(),
        ),
    }
}

/// The elements of an array in place of the expected ones; of a long one, what is different first.
fn not_as(written: &ResultArray, expected: &[String], nearly: bool) -> String {
    let pairs = written.elements.iter().zip(expected);
    match pairs.clone().position(|(&actual, expected)| !is(actual, expected, nearly)) {
        Some(n) if n >= SHOWN => format!("{}[{n}] is {}, not {}", written.name, written.elements[n], expected[n]),
        None if written.elements.len() > SHOWN => format!("{} has {} elements", written.name, written.elements.len()),
        _ => array(written),
    }
}

/// True if a value is the one that is written, read as a number of its type.
fn is(actual: Scalar, written: &str, nearly: bool) -> bool {
    let Some(expected) = Scalar::parse(actual.elem(), written) else { return false };
    if expected == actual || !nearly {
        return expected == actual;
    }
    match (float(expected), float(actual)) {
        (Some(expected), Some(actual)) => (expected - actual).abs() <= NEARLY * expected.abs().max(1.0),
        _ => false,
    }
}

fn float(scalar: Scalar) -> Option<f64> {
    scalar.float()
}
