//! The entry for runs: a function that takes one pointer to slots of 8 bytes, and calls the kernel with what they hold.
//!
//! So a kernel of any signature can be called without knowing it. What it returns goes into the slot behind the arguments. A kernel that
//! stores its result to where an argument says stores it to the slot of that argument.

use std::fmt::Write;

use ir::Elem;

use super::Returned;
use super::abi::{Passed, What};
use super::values::Unit;

/// The name of a kernel's entry.
pub fn entry_name(kernel: &str) -> String {
    format!("{kernel}.entry")
}

/// The text of a kernel's entry.
pub(super) fn entry(kernel: &str, passed: &[Passed], returned: Returned) -> String {
    let mut text = format!("\ndefine void @{}(ptr %slots) noinline {{\n", super::symbol(&entry_name(kernel)));
    let mut args = Vec::new();
    for (number, passed) in passed.iter().enumerate() {
        let unit = match &passed.what {
            What::Scalar(elem) => Unit::of(*elem),
            What::Array { .. } | What::Result(_) | What::Scratch => Unit::Ptr,
            What::Size(_) => Unit::Int(64),
        };
        let _ = writeln!(text, "  %slot{number} = getelementptr i64, ptr %slots, i64 {number}");
        if matches!(passed.what, What::Result(_)) {
            args.push(format!("ptr %slot{number}"));
            continue;
        }
        let _ = match unit {
            Unit::Int(1) => writeln!(
                text,
                "  %byte{number} = load i8, ptr %slot{number}\n  %arg{number} = trunc i8 %byte{number} to i1"
            ),
            unit => writeln!(text, "  %arg{number} = load {unit}, ptr %slot{number}"),
        };
        args.push(format!("{unit} {}%arg{number}", extension(&passed.what)));
    }
    let symbol = super::symbol(kernel);
    let args = args.join(", ");
    let (extension, unit) = match returned {
        Returned::Nothing => {
            let _ = writeln!(text, "  call void @{symbol}({args})\n  ret void\n}}");
            return text;
        }
        Returned::Result(elem) => (elem_extension(elem), Unit::of(elem)),
        Returned::Status => ("", Unit::Int(32)),
    };
    let last = passed.len();
    let _ = writeln!(text, "  %slot = getelementptr i64, ptr %slots, i64 {last}");
    let _ = writeln!(text, "  %result = call {extension}{unit} @{symbol}({args})");
    let _ = match unit {
        Unit::Int(1) => writeln!(text, "  %byte = zext i1 %result to i8\n  store i8 %byte, ptr %slot"),
        unit => writeln!(text, "  store {unit} %result, ptr %slot"),
    };
    text.push_str("  ret void\n}\n");
    text
}

/// Returns the attribute by which C extends a type that is narrower than an `int`.
pub(super) fn extension(what: &What) -> &'static str {
    match what {
        What::Scalar(elem) => elem_extension(*elem),
        _ => "",
    }
}

pub(super) fn elem_extension(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool | Elem::U8 | Elem::U16 | Elem::F16 | Elem::Bf16 => "zeroext ",
        Elem::I8 | Elem::I16 => "signext ",
        _ => "",
    }
}
