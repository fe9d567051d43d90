//! Renders errors as plain text, as the documentation-like tests compare them.

use std::fmt::Write;

use syntax::{Diagnostic, Fix, SourceFile, apply_edits};

/// Renders the errors of a program.
pub(crate) fn errors(program: &str) -> String {
    SourceFile::parse(program).errors().map(|error| draw(program, &error)).collect::<Vec<_>>().join("\n")
}

fn draw(program: &str, error: &Diagnostic) -> String {
    let mut out = format!("{}[{}]: {}\n", error.severity.name(), error.code, error.message);
    underline(&mut out, program, usize::from(error.range.start())..usize::from(error.range.end()), "");
    for related in &error.related {
        underline(
            &mut out,
            program,
            usize::from(related.range.start())..usize::from(related.range.end()),
            &related.message,
        );
    }
    if let Some(help) = &error.help {
        writeln!(out, "  help: {help}").expect("a string takes all");
    }
    for fix in &error.fixes {
        changed_lines(&mut out, program, fix);
    }
    out
}

/// Prints the line of a range with carets under it; of a range over several lines, the first.
fn underline(out: &mut String, program: &str, place: std::ops::Range<usize>, label: &str) {
    let start = program[..place.start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = program[start..].lines().next().unwrap_or_default();
    let number = program[..start].matches('\n').count() + 1;
    let end = place.end.min(start + line.len()).max(place.start);
    let column = program[start..place.start].chars().count();
    let width = program[place.start..end].chars().count().max(1);
    let carets = format!("{:column$}{} {label}", "", "^".repeat(width));
    writeln!(out, "{number:>4} | {}\n     | {}", visible(line), carets.trim_end()).expect("a string takes all");
}

/// Prints a fix's title, and the lines that it changes, as they are afterwards.
fn changed_lines(out: &mut String, program: &str, fix: &Fix) {
    writeln!(out, "  fix: {}", fix.title).expect("a string takes all");
    let fixed = apply_edits(program, &fix.edits);
    let (old, new): (Vec<_>, Vec<_>) = (program.lines().collect(), fixed.lines().collect());
    let same_front = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let left = old.len().min(new.len()) - same_front;
    let same_back = old.iter().rev().zip(new.iter().rev()).take(left).take_while(|(old, new)| old == new).count();
    for (n, line) in new.iter().enumerate().take(new.len() - same_back).skip(same_front) {
        writeln!(out, "{:>4} | {}", n + 1, visible(line)).expect("a string takes all");
    }
}

/// Replaces invisible characters of a line by visible ones, each one column wide.
fn visible(line: &str) -> String {
    let mark = |c| match c {
        '\t' => '→',
        '\u{200b}'..='\u{200d}' | '\u{feff}' | '\u{a0}' | '\u{2028}' | '\0' => '·',
        c => c,
    };
    line.chars().map(mark).collect()
}
