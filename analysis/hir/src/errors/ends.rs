//! Loops that go past an end: of an array, or of themselves.

use report::TextRange;

use super::CheckCode;
use crate::Name;
use crate::finding::{Edit, Finding};

/// An end of an array, or of the iterations of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
}

/// An index that lies outside of its array in one iteration of the loops around it, if there is one.
pub struct OutsideInLoop {
    pub end: End,
    /// The iteration in which it does; `None` where several loops decide it.
    pub iteration: Option<End>,
    /// The index in that iteration.
    pub index: String,
    pub size: String,
    /// The name of the loop's index, and where it is defined.
    pub name: String,
    pub index_at: TextRange,
    /// The part of the range to replace, and by what.
    pub fix: Option<(TextRange, String)>,
}

/// An index that is outside whatever the sizes are. It is a warning, as what stands there may never be reached; `last`: the last index
/// there is.
pub fn index_behind_end(at: TextRange, index: &str, size: &str, last: Option<String>) -> Finding {
    let message = format!("the index `{index}` is outside of this dimension, which has `{size}` elements");
    let finding = Finding::warning(CheckCode::IndexOutOfRange, at, message);
    match last {
        Some(last) => finding
            .with_help(format!("indices start at 0, so the last one is `{last}`"))
            .with_fix(format!("write `{last}`"), Edit::Replace(at, last)),
        None => finding,
    }
}

pub fn outside_in_loop(at: TextRange, it: &OutsideInLoop) -> Finding {
    let iteration = match it.iteration {
        Some(End::First) => "the first iteration",
        Some(End::Last) => "the last iteration",
        None => "one iteration of these loops",
    };
    let where_it_is = match it.end {
        End::First => "before the first element".to_owned(),
        End::Last => format!("and this dimension has `{}` elements", it.size),
    };
    let message = format!("in {iteration} the index is `{}`, {where_it_is}, so the program stops there", it.index);
    let finding = Finding::warning(CheckCode::IterationOutOfRange, at, message)
        .with_related(it.index_at, format!("the range of `{}`", it.name))
        .with_help("shorten the range, or do what is outside under an `if`");
    match (&it.fix, it.end) {
        (Some((at, text)), End::First) => {
            finding.with_fix("let the loop start later", Edit::Replace(*at, text.clone()))
        }
        (Some((at, text)), End::Last) => {
            finding.with_fix(format!("let the loop end at `{text}`"), Edit::Replace(*at, text.clone()))
        }
        (None, _) => finding,
    }
}

/// `is_open`: the condition is `true`; `names`: what of the condition the loop could change; `step`: the step that a count lacks, and the
/// last statement of the loop.
pub fn endless_loop(
    at: TextRange,
    condition: TextRange,
    is_open: bool,
    names: &[Name],
    step: Option<(String, TextRange)>,
) -> Finding {
    let message = match is_open {
        true => "nothing in this loop leaves it, so it never ends",
        false => "nothing in this loop changes its condition, so it never ends once it is entered",
    };
    let help = match names {
        [] if is_open => "leave it by `break` or `return`".to_owned(),
        [] => "change what the condition asks for in the loop, or leave it by `break`".to_owned(),
        [name] => format!("change `{name}` in the loop, or leave it by `break`"),
        [names @ .., last] => {
            let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("change {} or `{last}` in the loop, or leave it by `break`", names.join(", "))
        }
    };
    let finding = Finding::warning(CheckCode::EndlessLoop, at, message).with_help(help);
    let finding = if is_open { finding } else { finding.with_related(condition, "the condition") };
    match step {
        Some((step, last)) => finding.with_fix(format!("write `{step}` at its end"), Edit::LineBehind(last, step)),
        None => finding,
    }
}
