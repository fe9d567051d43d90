//! All that can be wrong with ISPC text, one function each: cause, consequence, what to do.

use crate::foreign;
use crate::unit::SourcePlace;

/// Something wrong, with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// A stable word for it.
    pub code: &'static str,
    /// ispc would go on.
    pub is_warning: bool,
    /// The message.
    pub message: String,
    /// The place.
    pub place: SourcePlace,
    /// Other places that it needs.
    pub related: Vec<(SourcePlace, String)>,
}

impl Problem {
    pub(crate) fn error(code: &'static str, place: SourcePlace, message: impl Into<String>) -> Problem {
        Problem { code, is_warning: false, message: message.into(), place, related: Vec::new() }
    }

    pub(crate) fn warning(code: &'static str, place: SourcePlace, message: impl Into<String>) -> Problem {
        Problem { is_warning: true, ..Problem::error(code, place, message) }
    }

    pub(crate) fn with(mut self, place: SourcePlace, note: impl Into<String>) -> Problem {
        self.related.push((place, note.into()));
        self
    }
}

/// The codes of these problems.
pub const CODES: &[&str] = &[
    "ispc-syntax",
    "ispc-directive",
    "ispc-include",
    "ispc-macro",
    "ispc-condition",
    "ispc-told",
    "ispc-unknown-type",
    "ispc-no-type",
    "ispc-token",
];

pub(crate) fn syntax(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-syntax", place, message)
}

pub(crate) fn unclosed(place: SourcePlace, open: &str, close: &str) -> Problem {
    syntax(place, format!("this `{open}` is never closed: add the `{close}` that belongs to it"))
}

pub(crate) fn too_deep(place: SourcePlace) -> Problem {
    syntax(
        place,
        "brackets and operators stand too deep inside of each other here, so nothing from here on is read: split it up",
    )
}

pub(crate) fn unknown_type(place: SourcePlace, name: &str) -> Problem {
    let message = foreign::type_advice(name).unwrap_or_else(|| {
        format!("`{name}` is no type that is known here: declare it first, or include the header that does")
    });
    Problem::error("ispc-unknown-type", place, message)
}

pub(crate) fn no_such_type(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-unknown-type", place, message)
}

pub(crate) fn no_type(place: SourcePlace, name: &str) -> Problem {
    let message = format!(
        "`{name}` has no type, so ispc takes `int` for it: write the type, for a function that gives nothing `void`"
    );
    Problem::warning("ispc-no-type", place, message)
}

pub(crate) fn directive(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-directive", place, message)
}

pub(crate) fn include_not_found(place: SourcePlace, name: &str) -> Problem {
    let message = match foreign::header_advice(name) {
        Some(there) => {
            format!("`{name}` is of the library of C and C++, which ISPC has not: take this line out; {there}")
        }
        None => {
            format!(
                "`{name}` is in none of the folders for headers, so what it declares is missing: add its folder by `-I`"
            )
        }
    };
    Problem::error("ispc-include", place, message)
}

pub(crate) fn include_too_deep(place: SourcePlace, name: &str) -> Problem {
    let message = format!("`{name}` is included by itself without end: put `#pragma once` on its first line");
    Problem::error("ispc-include", place, message)
}

pub(crate) fn unclosed_conditional(place: SourcePlace) -> Problem {
    directive(place, "this condition has no `#endif`: add one where its text ends")
}

pub(crate) fn without_if(place: SourcePlace, word: &str) -> Problem {
    directive(place, format!("`#{word}` without an `#if` above it: take it out, or add the `#if`"))
}

pub(crate) fn condition(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-condition", place, message)
}

pub(crate) fn macro_problem(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-macro", place, message)
}

pub(crate) fn redefined(place: SourcePlace, name: &str, before: SourcePlace) -> Problem {
    let message =
        format!("`{name}` is a macro with another body already, which this one replaces: `#undef {name}` first");
    Problem::warning("ispc-macro", place, message).with(before, "the definition before")
}

pub(crate) fn told(place: SourcePlace, is_warning: bool, text: &str) -> Problem {
    let word = if is_warning { "warning" } else { "error" };
    let message = format!("`#{word}` in the source: {}", if text.is_empty() { "no reason is told" } else { text });
    Problem { is_warning, ..Problem::error("ispc-told", place, message) }
}

pub(crate) fn token(place: SourcePlace, message: impl Into<String>) -> Problem {
    Problem::error("ispc-token", place, message)
}
