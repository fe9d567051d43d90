//! Colours for text without semantic tokens: stages, code in sentences, Markdown.

use std::ops::Range;

use ide::semantic_tokens::{SemanticKind, SemanticToken};
use queries::stages::WorkKind;

use crate::page::{Line, Role};

/// The mark behind a name whose value differs from lane to lane. Where there are lanes, a name without it has the same
/// value in all of them.
pub const VARYING: &str = "ᵛ";

/// Maps a semantic token of the source to its role.
pub fn role_of(token: &SemanticToken) -> Role {
    match token.kind {
        _ if token.modifiers.varying => Role::Varying,
        SemanticKind::Keyword => Role::Keyword,
        SemanticKind::Parameter | SemanticKind::Size => Role::Param,
        SemanticKind::Variable => Role::Variable,
        SemanticKind::LoopIndex => Role::Index,
        SemanticKind::Function | SemanticKind::Kernel if token.modifiers.definition => Role::Item,
        SemanticKind::Function | SemanticKind::Kernel | SemanticKind::Builtin => Role::Call,
        SemanticKind::Struct if token.modifiers.definition => Role::Item,
        SemanticKind::Struct | SemanticKind::Type => Role::Type,
        SemanticKind::Field => Role::Field,
        SemanticKind::Constant => Role::Constant,
        SemanticKind::Number => Role::Number,
        SemanticKind::Text => Role::Constant,
        SemanticKind::Operator => Role::Operator,
        SemanticKind::Comment => Role::Comment,
        SemanticKind::DocComment => Role::Doc,
        SemanticKind::Attribute => Role::Attribute,
    }
}

/// The keywords of Lane IR in addition to those of Lane.
const KEYWORDS: &[&str] = &[
    "kernel",
    "fn",
    "struct",
    "const",
    "let",
    "for",
    "foreach",
    "while",
    "if",
    "elif",
    "else",
    "in",
    "range",
    "return",
    "yield",
    "break",
    "continue",
    "pass",
    "assert",
    "and",
    "or",
    "not",
    "vector_for",
    "lane_id",
    "LANES",
];

/// Returns what the word or mark at a range of a line of a program does, if it is a load, a store, arithmetic, a shuffle or
/// a mask: the same hue stands for it in source, stage and assembly.
pub fn operation_at(line: &str, range: Range<usize>) -> Option<Role> {
    let (word, behind) = (line.get(range.clone())?, line.get(range.end..)?);
    match word {
        "->" | "=" | ":" | "," | "." => None,
        "<" | "<=" | ">" | ">=" | "==" | "!=" | "active" | "and" | "or" | "not" => Some(Role::Mask),
        _ if word.bytes().all(|b| b"+-*/%&|^~<>=".contains(&b)) => Some(Role::Arithmetic),
        _ if behind.starts_with('[') => Some(if is_stored(line, range.start) { Role::Store } else { Role::Load }),
        _ if behind.starts_with('(') => operation_of_call(word),
        _ => None,
    }
}

/// Returns what a call does, by the name of the op or of the builtin.
fn operation_of_call(name: &str) -> Option<Role> {
    Some(match queries::stages::work_of(name)? {
        WorkKind::Load => Role::Load,
        WorkKind::Store => Role::Store,
        WorkKind::Arithmetic => Role::Arithmetic,
        WorkKind::Shuffle => Role::Shuffle,
        WorkKind::Mask => Role::Mask,
    })
}

/// Returns true if the array at an offset of a line is what an assignment stores to: it begins the line, and behind its
/// subscripts there is an `=`, perhaps with an operator before it.
fn is_stored(line: &str, at: usize) -> bool {
    if !line[..at].trim().is_empty() {
        return false;
    }
    let mut depth = 0;
    let end = line[at..].char_indices().find(|&(_, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        c == ']' && depth == 0
    });
    let Some((end, _)) = end else { return false };
    let behind = line[at + end + 1..].trim_start().trim_start_matches(|c| "+-*/%&|^<>".contains(c));
    // The subscripts of a struct's array may be followed by a field.
    let behind = behind.trim_start_matches(|c: char| c == '.' || c == '_' || c.is_alphanumeric()).trim_start();
    let behind = behind.trim_start_matches(|c| "+-*/%&|^<>".contains(c));
    behind.starts_with('=') && !behind.starts_with("==")
}

/// Finds the coloured words in a line of a printed program: keywords, numbers, types, callees and what it does.
pub fn program_spans(line: &str) -> Vec<(Range<usize>, Role)> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let word_end =
            |is_part: fn(char) -> bool| line[at..].find(|c: char| !is_part(c)).map_or(line.len(), |len| at + len);
        let (end, role) = match c {
            '#' => (line.len(), Some(Role::Comment)),
            '@' => (word_end(|c| c == '@' || c == '_' || c.is_alphanumeric()), Some(Role::Attribute)),
            c if c.is_ascii_digit() => {
                (word_end(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')), Some(Role::Number))
            }
            c if c == '_' || c.is_alphabetic() => {
                let end = word_end(|c| c == '_' || c.is_alphanumeric());
                (end, word_role(line, at..end))
            }
            c if c.is_ascii_punctuation() && b"+-*/%&|^~<>=!".contains(&(c as u8)) => {
                let end = word_end(|c| c.is_ascii() && b"+-*/%&|^~<>=!".contains(&(c as u8)));
                (end, operation_at(line, at..end))
            }
            c => (at + c.len_utf8(), None),
        };
        spans.extend(role.map(|role| (at..end, role)));
        at = end;
    }
    spans
}

fn word_role(line: &str, range: Range<usize>) -> Option<Role> {
    let (word, behind) = (&line[range.clone()], &line[range.end..]);
    let is_scalar =
        ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "f16", "bf16", "bool"].contains(&word);
    match word {
        "active" | "and" | "or" | "not" => Some(Role::Mask),
        _ if KEYWORDS.contains(&word) => Some(Role::Keyword),
        "true" | "false" => Some(Role::Number),
        _ if is_scalar => Some(Role::Type),
        _ if operation_at(line, range.clone()).is_some() => operation_at(line, range),
        _ if behind.starts_with('(') => Some(Role::Call),
        _ => None,
    }
}

/// Builds a line of code with coloured words.
pub fn program_line(text: impl Into<String>) -> Line {
    let mut line = Line::new(text);
    line.spans = program_spans(&line.text);
    line
}

/// Renders a Markdown text: code blocks as programs, the rest as sentences.
pub fn markdown(text: &str) -> Vec<Line> {
    markdown_lines(text).into_iter().map(|(_, line)| line).collect()
}

/// Renders a Markdown text, each line with its range in that text. Line breaks inside of paragraphs are dropped.
pub fn markdown_lines(text: &str) -> Vec<(Range<usize>, Line)> {
    let mut lines: Vec<(Range<usize>, Line)> = Vec::new();
    let mut in_code = false;
    let mut start = 0;
    let mut paragraph: Option<(Range<usize>, String)> = None;
    let end_of = |paragraph: Option<(Range<usize>, String)>, lines: &mut Vec<(Range<usize>, Line)>| {
        lines.extend(paragraph.map(|(range, words)| (range, strong_sentence(&words))));
    };
    for text in text.split('\n') {
        let range = start..start + text.len();
        start = range.end + 1;
        let is_fence = text.starts_with("```");
        if !in_code && !is_fence && is_prose(text) {
            match &mut paragraph {
                Some((whole, words)) if goes_on(text) => {
                    whole.end = range.end;
                    *words += &format!(" {}", text.trim_start());
                }
                _ => end_of(paragraph.replace((range, text.to_owned())), &mut lines),
            }
            continue;
        }
        end_of(paragraph.take(), &mut lines);
        if is_fence {
            in_code = !in_code;
            continue;
        }
        let line = match in_code {
            true => program_line(text),
            false if text.starts_with('#') => Line::of(Role::Heading, text.trim_start_matches(['#', ' '])),
            false => Line::default(),
        };
        lines.push((range, line));
    }
    end_of(paragraph, &mut lines);
    lines
}

/// Returns true if a line outside of code blocks is text, and neither blank nor a heading.
fn is_prose(text: &str) -> bool {
    !text.trim().is_empty() && !text.starts_with('#')
}

/// Returns true if a line continues the one before, and starts neither a paragraph nor a list item.
fn goes_on(text: &str) -> bool {
    let text = text.trim_start();
    let is_numbered =
        text.split_once(['.', ')']).is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
    !(text.starts_with(['|', '>']) || text.starts_with("**") || is_item(text) || is_numbered)
}

fn is_item(text: &str) -> bool {
    ["- ", "* ", "+ "].iter().any(|mark| text.starts_with(mark))
}

/// Builds a sentence with coloured code between backticks. The backticks stay, because without colours they are the
/// only mark of code.
pub fn sentence(text: &str) -> Line {
    sentence_in(Role::Text, text)
}

/// Builds a sentence of Markdown that may begin with strong words, as the sentences about lanes do.
fn strong_sentence(text: &str) -> Line {
    let strong = text.strip_prefix("**").and_then(|rest| rest.split_once("**"));
    let Some((strong, rest)) = strong else { return sentence(text) };
    let rest = sentence(rest);
    let mut line = Line::of(Role::Strong, strong);
    let shift = line.text.len();
    line.text += &rest.text;
    line.spans.extend(rest.spans.into_iter().map(|(range, role)| (range.start + shift..range.end + shift, role)));
    line
}

/// Builds a sentence like [`sentence`], with its text in a given role.
pub fn sentence_in(role: Role, text: &str) -> Line {
    let mut line = Line::default();
    let mut rest = text;
    while let Some((before, inside, behind)) = rest.split_once('`').and_then(|(before, rest)| {
        let (inside, behind) = rest.split_once('`')?;
        Some((before, inside, behind))
    }) {
        line = line.and(role, before).and(Role::Code, format!("`{inside}`"));
        rest = behind;
    }
    line.and(role, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &Line) -> String {
        let mut out = String::new();
        let mut at = 0;
        for (range, role) in &line.spans {
            out += &format!("{}<{role:?} {}>", &line.text[at..range.start], &line.text[range.clone()]);
            at = range.end;
        }
        out + &line.text[at..]
    }

    #[test]
    fn printed_programs_are_coloured_by_their_words() {
        assert_eq!(
            shown(&program_line("    let x: f32 = sqrt(a[i1]) * 2.5e1 # why")),
            "    <Keyword let> x: <Type f32> = <Arithmetic sqrt>(<Load a>[i1]) <Arithmetic *> <Number 2.5e1> <Comment # why>"
        );
        assert_eq!(
            shown(&program_line("    out[b[i]] += masked_load(a, i, active < 2) -> c.d")),
            "    <Store out>[<Load b>[i]] <Arithmetic +=> <Load masked_load>(a, i, <Mask active> <Mask <> <Number 2>) -> c.d"
        );
        assert_eq!(
            shown(&program_line("p[i].x = shuffle(q[i].y)")),
            "<Store p>[i].x = <Shuffle shuffle>(<Load q>[i].y)"
        );
        assert_eq!(shown(&program_line("é = 漢(1)")), "é = <Call 漢>(<Number 1>)");
    }

    #[test]
    fn markdown_becomes_lines() {
        let lines = markdown("```lane\nkernel a\n```\n\nSay `x` twice.\n**Uniform**: so is `y`.");
        let lines: Vec<_> = lines.iter().map(shown).collect();
        assert_eq!(lines, ["<Keyword kernel> a", "", "Say <Code `x`> twice.", "<Strong Uniform>: so is <Code `y`>."]);
        assert_eq!(shown(&sentence("a ` alone")), "a ` alone");
        let lines = markdown(
            "One\nparagraph\n\n**Two** in\nlines:\n- an item\n  of two\n- another\n```\na\nb\n```\n1. first\n2. second",
        );
        let lines: Vec<_> = lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            lines,
            ["One paragraph", "", "Two in lines:", "- an item of two", "- another", "a", "b", "1. first", "2. second"]
        );
    }
}
