//! All that typing finds, one function each: cause, consequence, what to do.

use std::ops::Range;

use ispc::foreign::value_advice;

use crate::layer::Entity;

/// Something wrong in a function. Tokens are counted from the function's first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// A stable word for it.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The tokens that it is about.
    pub tokens: Range<u32>,
    /// Other places that it needs, each with a note.
    pub related: Vec<(Related, String)>,
}

/// A place beside that of a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Related {
    /// Tokens of the same function.
    Tokens(Range<u32>),
    /// A declaration.
    Declaration(Entity),
}

/// The codes of these findings.
pub const CODES: &[&str] = &[
    "ispc-ambiguous",
    "ispc-case",
    "ispc-convert",
    "ispc-export",
    "ispc-first-value",
    "ispc-jump",
    "ispc-launch",
    "ispc-length",
    "ispc-list",
    "ispc-lvalue",
    "ispc-no-overload",
    "ispc-not-a-function",
    "ispc-not-a-pointer",
    "ispc-not-a-struct",
    "ispc-operands",
    "ispc-print",
    "ispc-return",
    "ispc-truth",
    "ispc-unknown-member",
    "ispc-unknown-name",
    "ispc-varying-to-uniform",
];

impl Finding {
    fn new(code: &'static str, tokens: Range<u32>, message: impl Into<String>) -> Finding {
        Finding { code, message: message.into(), tokens, related: Vec::new() }
    }

    pub(crate) fn with(mut self, place: Related, note: impl Into<String>) -> Finding {
        self.related.push((place, note.into()));
        self
    }
}

fn meant(near: Option<&str>) -> String {
    near.map_or(String::new(), |near| format!("; did you mean `{near}`?"))
}

pub(crate) fn unknown_name(tokens: Range<u32>, name: &str, near: Option<&str>) -> Finding {
    let message = match (near, value_advice(name)) {
        (_, Some(advice)) => format!("ISPC has no `{name}`: {advice}"),
        (None, None) => format!(
            "nothing that is called `{name}` is declared here: declare it first, or include the header that does"
        ),
        (near, None) => format!("nothing that is called `{name}` is declared here{}", meant(near)),
    };
    Finding::new("ispc-unknown-name", tokens, message)
}

pub(crate) fn unknown_member(tokens: Range<u32>, name: &str, of: &str, near: Option<&str>) -> Finding {
    Finding::new("ispc-unknown-member", tokens, format!("`{of}` has no member `{name}`{}", meant(near)))
}

pub(crate) fn incomplete(tokens: Range<u32>, of: &str) -> Finding {
    let message = format!(
        "the members of `{of}` are not known here, since it is only declared: include the header that defines it"
    );
    Finding::new("ispc-unknown-member", tokens, message)
}

pub(crate) fn not_a_struct(tokens: Range<u32>, ty: &str, arrow: bool, of: Option<bool>) -> Finding {
    let message = match (arrow, of) {
        (true, Some(false)) => format!("`->` is for pointers, and this is a `{ty}`: write `.`"),
        (false, Some(true)) => format!("`.` is for structs, and this is a pointer, `{ty}`: write `->`"),
        _ => format!("a `{ty}` has no members"),
    };
    Finding::new("ispc-not-a-struct", tokens, message)
}

pub(crate) fn not_a_pointer(tokens: Range<u32>, what: &str, ty: &str) -> Finding {
    Finding::new("ispc-not-a-pointer", tokens, format!("{what} needs a pointer or an array, and this is a `{ty}`"))
}

pub(crate) fn void_pointer(tokens: Range<u32>, ty: &str) -> Finding {
    let message = format!(
        "nothing can be read or written behind a `{ty}`, whose values have no type: cast it to a pointer to what is there"
    );
    Finding::new("ispc-not-a-pointer", tokens, message)
}

pub(crate) fn not_a_function(tokens: Range<u32>, ty: &str) -> Finding {
    Finding::new("ispc-not-a-function", tokens, format!("this is called as a function, but it is a `{ty}`"))
}

pub(crate) fn wrong_count(tokens: Range<u32>, name: &str, takes: &str, given: usize) -> Finding {
    let message = format!("`{name}` takes {takes}, and {given} {} given", if given == 1 { "is" } else { "are" });
    Finding::new("ispc-no-overload", tokens, message)
}

pub(crate) fn no_overload(tokens: Range<u32>, name: &str, given: &str) -> Finding {
    let message = format!("no `{name}` takes {given}: convert an argument by a cast, or declare one that does");
    Finding::new("ispc-no-overload", tokens, message)
}

pub(crate) fn does_not_fit(tokens: Range<u32>, name: &str, why: &str) -> Finding {
    Finding::new("ispc-no-overload", tokens, format!("`{name}` cannot be called so: {why}"))
}

pub(crate) fn ambiguous(tokens: Range<u32>, name: &str, given: &str) -> Finding {
    let message = format!(
        "more than one `{name}` takes {given} equally well, so ispc cannot choose: cast an argument to the type that is meant"
    );
    Finding::new("ispc-ambiguous", tokens, message)
}

pub(crate) fn cannot_convert(tokens: Range<u32>, from: &str, to: &str, place: &str) -> Finding {
    Finding::new("ispc-convert", tokens, format!("a `{from}` cannot become a `{to}`{place}"))
}

pub(crate) fn loses_const(tokens: Range<u32>, from: &str, to: &str, place: &str) -> Finding {
    let message = format!("a `{from}` cannot become a `{to}`{place}, since what is `const` could be changed then");
    Finding::new("ispc-convert", tokens, message)
}

pub(crate) fn varying_to_uniform(tokens: Range<u32>, from: &str, to: &str, place: &str, is_new: bool) -> Finding {
    let way_out = match () {
        _ if is_new => "write `uniform new uniform` and the type, which is one for all lanes",
        _ if from.ends_with("varying bool") => {
            "make that varying, or ask by `any`, `all` or `none` for how many lanes it holds"
        }
        _ => "make that varying, or take one value by `extract`, `reduce_add` or their like",
    };
    let message =
        format!("each lane has its own value here (`{from}`), but all lanes share one{place} (`{to}`): {way_out}");
    Finding::new("ispc-varying-to-uniform", tokens, message)
}

pub(crate) fn exported_param(tokens: Range<u32>, name: &str, ty: &str, uniform: &str) -> Finding {
    let message = format!(
        "`{name}` is `{ty}`, with a value for each lane, and C passes one to an exported function: write `{uniform} {name}`"
    );
    Finding::new("ispc-export", tokens, message)
}

pub(crate) fn exported_result(tokens: Range<u32>, ty: &str, uniform: &str) -> Finding {
    let message = format!(
        "this exported function gives `{ty}`, a value for each lane, and C takes one: give `{uniform}`, or store to an array"
    );
    Finding::new("ispc-export", tokens, message)
}

pub(crate) fn struct_to_c(tokens: Range<u32>, name: &str, ty: &str, uniform: &str) -> Finding {
    let what = if name.is_empty() { "this".to_owned() } else { format!("`{name}`") };
    let message = format!(
        "{what} is a `{ty}` by itself, and ispc passes no structs to C or from it: take its address, `{}`",
        format!("{uniform} * uniform {name}").trim_end()
    );
    Finding::new("ispc-export", tokens, message)
}

pub(crate) fn array_length(tokens: Range<u32>, name: &str) -> Finding {
    let message = format!(
        "the length of an array is known when the file is compiled, and `{name}` is a variable: write a number, make it `const`, or use `new`"
    );
    Finding::new("ispc-length", tokens, message)
}

pub(crate) fn operands(tokens: Range<u32>, operator: &str, types: &[&str]) -> Finding {
    let message = match types {
        [one] => format!("`{operator}` has no meaning for a `{one}`"),
        _ => format!("`{operator}` has no meaning between a `{}` and a `{}`", types[0], types[1]),
    };
    Finding::new("ispc-operands", tokens, message)
}

pub(crate) fn no_operator(tokens: Range<u32>, operator: &str, types: &[&str]) -> Finding {
    let message = match types {
        [one] => format!("no `operator{operator}` is declared that takes a `{one}`"),
        _ => format!("no `operator{operator}` is declared that takes a `{}` and a `{}`", types[0], types[1]),
    };
    Finding::new("ispc-operands", tokens, message)
}

pub(crate) fn not_settable(tokens: Range<u32>, written: &str) -> Finding {
    let message = format!("`{written}` is a value without a place of its own, so it cannot be set: set a variable");
    Finding::new("ispc-lvalue", tokens, message)
}

pub(crate) fn is_const(tokens: Range<u32>, written: &str, ty: &str) -> Finding {
    Finding::new("ispc-lvalue", tokens, format!("`{written}` is `{ty}`, so it cannot be changed"))
}

pub(crate) fn return_needs_value(tokens: Range<u32>, ty: &str) -> Finding {
    Finding::new("ispc-return", tokens, format!("this function gives a `{ty}`, so a value must stand behind `return`"))
}

pub(crate) fn return_takes_none(tokens: Range<u32>) -> Finding {
    Finding::new("ispc-return", tokens, "this function is `void`, so no value can stand behind `return`")
}

pub(crate) fn return_in_foreach(tokens: Range<u32>) -> Finding {
    let message =
        "`return` cannot stand in a `foreach`, whose lanes all go on: note the value, and return behind the loop";
    Finding::new("ispc-jump", tokens, message)
}

pub(crate) fn break_in_foreach(tokens: Range<u32>) -> Finding {
    let message = "`break` cannot stand in a `foreach`, whose lanes all go on: use `continue`, or a `for` loop";
    Finding::new("ispc-jump", tokens, message)
}

pub(crate) fn jump_outside(tokens: Range<u32>, word: &str, of: &str) -> Finding {
    Finding::new("ispc-jump", tokens, format!("`{word}` stands in no {of}, so there is nothing to leave: take it out"))
}

pub(crate) fn no_label(tokens: Range<u32>, name: &str) -> Finding {
    Finding::new("ispc-jump", tokens, format!("this function has no label `{name}`"))
}

pub(crate) fn needs_launch(tokens: Range<u32>, name: &str) -> Finding {
    Finding::new("ispc-launch", tokens, format!("`{name}` is a task, so it is started by `launch`, not called"))
}

pub(crate) fn launches_no_task(tokens: Range<u32>, name: &str) -> Finding {
    Finding::new(
        "ispc-launch",
        tokens,
        format!("`{name}` is no task, so it cannot be launched: call it, or make it a `task`"),
    )
}

pub(crate) fn list_too_long(tokens: Range<u32>, ty: &str, most: u64, given: u64) -> Finding {
    let takes = if most == 1 { "one value".to_owned() } else { format!("{most} values") };
    let message = format!("a `{ty}` takes {takes}, and {given} stand in this list: take some out");
    Finding::new("ispc-list", tokens, message)
}

pub(crate) fn array_needs_list(tokens: Range<u32>, name: &str) -> Finding {
    let message = format!(
        "`{name}` is an array, which starts with a list of its elements in braces: write that, or set them in a loop"
    );
    Finding::new("ispc-list", tokens, message)
}

pub(crate) fn not_constant(tokens: Range<u32>, name: &str, written: &str, what: &str) -> Finding {
    let message = format!(
        "`{name}` lasts as long as the program, so what it starts with is known when the file is compiled, and `{written}` {what}: write a number or a `const`, or assign it in a function"
    );
    Finding::new("ispc-first-value", tokens, message)
}

pub(crate) fn extern_value(tokens: Range<u32>, name: &str) -> Finding {
    let message = format!(
        "`{name}` is `extern`, so what it starts with stands where it is defined: take the value out, or the word `extern`"
    );
    Finding::new("ispc-first-value", tokens, message)
}

pub(crate) fn no_truth(tokens: Range<u32>, ty: &str) -> Finding {
    let message =
        format!("a `{ty}` is neither true nor false, so it cannot be a condition: compare it, or a part of it");
    Finding::new("ispc-truth", tokens, message)
}

pub(crate) fn switch_over(tokens: Range<u32>, ty: &str) -> Finding {
    let message = format!("a `switch` is over a whole number, and this is a `{ty}`: use `if`, or a member of it");
    Finding::new("ispc-case", tokens, message)
}

pub(crate) fn case_value(tokens: Range<u32>, why: &str) -> Finding {
    let message = format!(
        "the value of a `case` is a whole number that is known when the file is compiled, and {why}: write such a number, or use `if`"
    );
    Finding::new("ispc-case", tokens, message)
}

pub(crate) fn label_again(tokens: Range<u32>, is_default: bool) -> Finding {
    let what = if is_default { "a second `default`" } else { "a second `case` of this value" };
    Finding::new("ispc-case", tokens, format!("this is {what}, so it is not known where to go: take one of them out"))
}

pub(crate) fn label_outside(tokens: Range<u32>, word: &str) -> Finding {
    Finding::new("ispc-case", tokens, format!("`{word}` stands in no `switch`, so nothing goes there: take it out"))
}

pub(crate) fn deletes_no_pointer(tokens: Range<u32>, ty: &str) -> Finding {
    let message = format!(
        "`delete` gives back the memory behind a pointer that `new` gave, and this is a `{ty}`: take that pointer"
    );
    Finding::new("ispc-not-a-pointer", tokens, message)
}

pub(crate) fn not_printable(tokens: Range<u32>, ty: &str, advice: &str) -> Finding {
    let message = format!("`print` shows numbers, truth values and addresses, and this is a `{ty}`: {advice}");
    Finding::new("ispc-print", tokens, message)
}

pub(crate) fn print_count(tokens: Range<u32>, places: usize, values: usize) -> Finding {
    let is_one = if values == 1 { "is" } else { "are" };
    let message = format!(
        "each `%` of this text is the place of a value: it has {places}, and {values} {is_one} given, so write as many of both"
    );
    Finding::new("ispc-print", tokens, message)
}
