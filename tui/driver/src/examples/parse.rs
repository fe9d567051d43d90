//! The examples of a document, found in its `##` lines.

use report::{TextRange, TextSize};
use syntax::text::Quoted;

use crate::document::Document;
use crate::spec::numbers;

/// An example: a call, and what it is expected to give.
#[derive(Debug)]
pub struct Example {
    /// Line of the call, from 1.
    pub line: u32,
    /// Text of the call, as it is written, in one line.
    pub text: String,
    /// The call, or a sentence about what is wrong with it.
    pub call: Result<Call, String>,
    /// The expectations, in the order of the text.
    pub expected: Vec<Expectation>,
    /// The expected lines, whole, with their line breaks; empty behind the call where there are none.
    pub expected_lines: TextRange,
}

/// A call of a kernel.
#[derive(Debug)]
pub struct Call {
    /// Name of the kernel.
    pub kernel: String,
    /// Arguments, in order.
    pub arguments: Vec<Given>,
}

/// An argument of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct Given {
    /// Name of its parameter, if it is given by name.
    pub name: Option<String>,
    /// Description of its numbers, a SPEC as of `lanescope run`.
    pub spec: String,
}

/// An expected line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The line, as it is written.
    pub text: String,
    /// Its subject.
    pub of: Expected,
}

/// The subject of an expected line, with its numbers as they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// The result of the kernel.
    Result {
        /// The number.
        number: String,
        /// True if it may differ a little.
        nearly: bool,
    },
    /// An array that the kernel writes.
    Array {
        /// Name of the parameter.
        name: String,
        /// The first elements, or all.
        elements: Vec<String>,
        /// True if more may follow.
        open: bool,
        /// True if they may differ a little.
        nearly: bool,
    },
    /// The code of the error that ends the run.
    Error(String),
    /// A line that has none of these forms.
    Unknown,
}

/// A `##` line of the text.
struct DocLine<'t> {
    /// Line, from 0, in the file.
    number: u32,
    /// The whole line with its line break.
    range: TextRange,
    /// The text behind the mark.
    content: &'t str,
}

/// Returns the examples of a document, in order.
pub fn examples(document: &Document) -> Vec<Example> {
    let mut examples = Vec::new();
    for &item in document.items() {
        let lines = doc_lines(document, document.start(item));
        let mut rest = &lines[..];
        while let Some((first, behind)) = rest.split_first() {
            let Some(call) = call_in(first.content) else {
                rest = behind;
                continue;
            };
            let mut text = call.trim().to_owned();
            rest = behind;
            let mut last = first;
            while let (true, Some((next, behind))) = (is_open(&text), rest.split_first()) {
                if next.content.trim().is_empty() {
                    break;
                }
                text = format!("{text} {}", next.content.trim());
                (last, rest) = (next, behind);
            }
            let ends = |line: &DocLine<'_>| line.content.trim().is_empty() || call_in(line.content).is_some();
            let n_expected = rest.iter().position(ends).unwrap_or(rest.len());
            let expected = &rest[..n_expected];
            rest = &rest[n_expected..];
            let end = expected.last().map_or(last.range.end(), |line| line.range.end());
            examples.push(Example {
                line: first.number + 1,
                call: read_call(&text),
                text,
                expected: expected.iter().map(|line| expectation(line.content.trim())).collect(),
                expected_lines: TextRange::new(last.range.end(), end),
            });
        }
    }
    examples
}

/// The `##` lines of the item that starts at an offset.
fn doc_lines(document: &Document, start: TextSize) -> Vec<DocLine<'_>> {
    let mut lines = Vec::new();
    let mut at = start;
    for line in document.text[usize::from(start)..].split_inclusive('\n') {
        let range = TextRange::at(at, TextSize::of(line));
        at = range.end();
        if let Some(content) = line.trim_end().strip_prefix("##") {
            let number = document.lines().line(range.start());
            lines.push(DocLine { number, range, content });
        } else if !line.trim_start().is_empty() && !line.starts_with(['@', '#']) {
            break;
        }
    }
    lines
}

/// The call in a line of documentation: `> name(`. A quotation of prose is none.
fn call_in(content: &str) -> Option<&str> {
    let call = content.trim_start().strip_prefix('>')?.trim_start();
    let name = call.find(|c: char| !c.is_alphanumeric() && c != '_')?;
    (name > 0 && call[name..].trim_start().starts_with('(')).then_some(call)
}

/// True while a bracket of a text is not closed.
fn is_open(text: &str) -> bool {
    let count = |brackets: [char; 2]| outside_quotes(text).filter(|(_, c)| brackets.contains(c)).count();
    count(['(', '[']) > count([')', ']'])
}

/// The characters of a text that stand in no quotes, with their places.
fn outside_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut quote, mut is_escaped) = (None, false);
    text.char_indices().filter(move |&(_, c)| {
        let (was_escaped, was_inside) = (std::mem::take(&mut is_escaped), quote.is_some());
        match quote {
            Some(_) if was_escaped => {}
            Some(_) if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            _ => {}
        }
        !was_inside && quote.is_none()
    })
}

/// Reads `name(arguments)`.
fn read_call(text: &str) -> Result<Call, String> {
    let (kernel, rest) = text.split_once('(').unwrap_or((text, ""));
    let Some(arguments) = rest.trim_end().strip_suffix(')').filter(|_| !is_open(text)) else {
        return Err("the call is not closed; write `)` at its end".to_owned());
    };
    let arguments = split(arguments);
    let arguments: Vec<Given> = arguments.iter().map(|argument| given(argument)).collect();
    let named = arguments.iter().position(|given| given.name.is_some()).unwrap_or(arguments.len());
    if let Some(behind) = arguments[named..].iter().find(|given| given.name.is_none()) {
        return Err(format!("`{}` stands behind an argument with a name; give it its parameter's name", behind.spec));
    }
    Ok(Call { kernel: kernel.trim().to_owned(), arguments })
}

/// Splits at the commas that are in no bracket.
fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0i32, 0, Vec::new());
    for (at, c) in outside_quotes(text) {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    // A comma may stand behind the last one.
    parts.pop_if(|last| last.is_empty());
    parts
}

fn given(argument: &str) -> Given {
    let is_name = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    match argument.split_once('=') {
        Some((name, spec)) if is_name(name.trim()) => {
            Given { name: Some(name.trim().to_owned()), spec: spec.trim().to_owned() }
        }
        _ => Given { name: None, spec: argument.to_owned() },
    }
}

/// Reads an expected line.
fn expectation(text: &str) -> Expectation {
    Expectation { text: text.to_owned(), of: expected(text) }
}

fn expected(text: &str) -> Expected {
    if let Some(rest) = text.strip_prefix("error[") {
        return rest.split_once(']').map_or(Expected::Unknown, |(code, _)| Expected::Error(code.to_owned()));
    }
    let is_number = |text: &str| matches!(text, "true" | "false") || text.parse::<f64>().is_ok();
    let (name, value, nearly) = match (text.split_once('='), text.split_once('≈')) {
        (Some((name, value)), _) => (name.trim(), value.trim(), false),
        (None, Some((name, value))) => (name.trim(), value.trim(), true),
        (None, None) => ("", text, false),
    };
    let quoted = syntax::text::quoted(value);
    if let (false, Some(Quoted::Text(bytes))) = (name.is_empty(), &quoted) {
        return Expected::Array { name: name.to_owned(), elements: numbers(bytes), open: false, nearly };
    }
    let character = quoted.and_then(|quoted| match quoted {
        Quoted::Character(number) => Some(number.to_string()),
        Quoted::Text(_) => None,
    });
    let value = character.as_deref().unwrap_or(value);
    let Some(list) = value.strip_prefix('[').and_then(|list| list.strip_suffix(']')) else {
        let is_result = name.is_empty() && is_number(value);
        return if is_result { Expected::Result { number: value.to_owned(), nearly } } else { Expected::Unknown };
    };
    let mut elements: Vec<String> = list.split(',').map(|element| element.trim().to_owned()).collect();
    let open = elements.pop_if(|last| matches!(&last[..], "…" | "...")).is_some();
    elements.pop_if(|last| last.is_empty());
    match !name.is_empty() && elements.iter().all(|element| is_number(element)) {
        true => Expected::Array { name: name.to_owned(), elements, open, nearly },
        false => Expected::Unknown,
    }
}
