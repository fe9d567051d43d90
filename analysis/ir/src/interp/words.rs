//! The words for errors of a run. The evaluator and the interpreter say the same.

use std::fmt;

use super::ErrorKind;
use crate::scalar::Fault;

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Arithmetic(Fault::Overflow) => f.write_str("a signed result does not fit its type"),
            ErrorKind::Arithmetic(Fault::DivisionByZero) => f.write_str("an integer is divided by zero"),
            ErrorKind::Arithmetic(Fault::ShiftTooFar) => f.write_str("a shift goes past the width of its type"),
            ErrorKind::Arithmetic(Fault::CastOutOfRange) => {
                f.write_str("a float does not fit the integer type it is converted to")
            }
            ErrorKind::IndexOutOfRange { index, size } => {
                write!(f, "the index {index} is out of range: the size there is {size}")
            }
            ErrorKind::AssertFailed => f.write_str("what is asserted does not hold"),
            // Which of the two is asked for, and which is there, depends on who compares them.
            ErrorKind::SizesDiffer(a, b) => {
                write!(f, "two sizes that have to be the same are {} and {}", a.min(b), a.max(b))
            }
            ErrorKind::ZeroStep => f.write_str("a step of 0 never gets anywhere"),
            ErrorKind::OutOfMemory => f.write_str("the arrays that the kernel makes take more than 1 GiB together"),
            ErrorKind::BadSize(size) => write!(f, "an array cannot have {size} elements"),
            ErrorKind::NoSuchLane(lane) => write!(f, "there is no lane {lane}"),
            ErrorKind::LaneNotActive(lane) => write!(f, "lane {lane} is not active here"),
            ErrorKind::LanesDiffer => f.write_str("lanes that are active here start at different places"),
            ErrorKind::Collision { array, cell, first, second } => write!(
                f,
                "the iterations {} and {} of a `foreach` both touch `{array}[{}]`, and one writes it",
                list(first),
                list(second),
                list(cell)
            ),
            ErrorKind::Unknown => f.write_str("this was not understood, and cannot be run"),
            ErrorKind::BrokenPromise => {
                f.write_str("the lanes of this access do not lie as the compiler said; this is a bug of the compiler")
            }
        }
    }
}

fn list(numbers: &[impl fmt::Display]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
