//! What must hold of the formatter, tried on thousands of random programs. `LANESCOPE_CASES` sets how many.

mod generate;

use fastrand::Rng;
use generate::Program;
use syntax::errors::SyntaxCode;
use syntax::format::{Formatting, WIDTH, format, format_edits, format_range, formatting};
use syntax::{NodeOrToken, SourceFile, SyntaxKind, TextRange, TextSize, WalkEvent, apply_edits};

/// Runs a check for each of many seeds.
fn cases(usual: u64, check: impl Fn(u64)) {
    let n_cases = std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    for seed in 0..n_cases {
        check(seed);
    }
}

/// The text's tokens, white space and line breaks left out.
fn tokens(text: &str) -> Vec<String> {
    outline(text).into_iter().filter(|line| line.starts_with('"')).collect()
}

/// The text's tree, one line for each node and token, white space and line breaks left out.
fn outline(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for event in SourceFile::parse(text).syntax().preorder_with_tokens() {
        match event {
            WalkEvent::Enter(NodeOrToken::Node(node)) => out.push(format!("{:?}", node.kind())),
            WalkEvent::Leave(NodeOrToken::Node(_)) => out.push("end".to_owned()),
            WalkEvent::Enter(NodeOrToken::Token(token)) => {
                if !matches!(token.kind(), SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE) {
                    out.push(format!("{:?}", token.text().trim_end()));
                }
            }
            WalkEvent::Leave(NodeOrToken::Token(_)) => {}
        }
    }
    out
}

/// The codes of the text's errors. Formatting lifts `tab-indent`, and nothing else.
fn codes(text: &str) -> Vec<&'static str> {
    let parsed = SourceFile::parse(text);
    let errors = parsed.errors().filter(|error| error.code != SyntaxCode::TabIndent);
    errors.map(|error| error.code.name()).collect()
}

#[test]
fn programs_without_errors_have_one_form() {
    cases(700, |seed| {
        let program = Program::new(seed);
        let text = program.render(seed);
        assert_eq!(codes(&text), [""; 0], "seed {seed} has errors:\n{text}");

        let Formatting { edits, n_rescued } = formatting(&text);
        let formatted = apply_edits(&text, &edits);
        assert_eq!(n_rescued, 0, "seed {seed} was rescued:\n{text}");
        assert_eq!(codes(&formatted), [""; 0], "seed {seed} got errors:\n{text}\n{formatted}");
        assert_eq!(outline(&formatted), outline(&text), "seed {seed} changed its tree:\n{text}\n{formatted}");
        assert_eq!(format(&formatted), formatted, "seed {seed} is not stable:\n{text}");

        let respaced = program.render(seed + 1_000_000_007);
        let (one, other) = (formatted.replace("\r\n", "\n"), format(&respaced).replace("\r\n", "\n"));
        let differ = one.lines().zip(other.lines()).find(|(one, other)| one != other);
        assert!(one == other, "seed {seed} has two forms, {differ:?}:\n{text}\n{respaced}");
    });
}

#[test]
fn edits_replace_white_space_and_nothing_else() {
    cases(200, |seed| {
        let text = Program::new(seed).render(seed);
        let mut end = TextSize::from(0);
        for edit in format_edits(&text) {
            assert!(edit.range.start() >= end && text[edit.range] != edit.text, "seed {seed}: {edit:?}");
            assert!(text[edit.range].trim().is_empty() && edit.text.trim().is_empty(), "seed {seed}: {edit:?}");
            end = edit.range.end();
        }
    });
}

#[test]
fn lines_that_are_too_long_could_not_be_broken() {
    cases(200, |seed| {
        let formatted = format(&Program::new(seed).render(seed));
        let mut depth = 0;
        for line in formatted.trim_start_matches('\u{feff}').lines() {
            let code = line.split('#').next().unwrap_or_default().trim_end();
            // Brackets that close where the line starts have nothing of theirs on it.
            let n_closed = code.trim_start().bytes().take_while(|byte| b")]".contains(byte)).count();
            let started_inside = depth > n_closed;
            depth += code.matches(['(', '[']).count();
            depth -= code.matches([')', ']']).count();
            if code.len() as u32 > WIDTH {
                assert!(
                    !breakable(code, started_inside),
                    "seed {seed} leaves this line long:\n{code}\nin\n{formatted}"
                );
            }
        }
    });
}

/// Whether a line has a pair of brackets with more than one word in it, or, inside brackets, an operator that it
/// does not start with.
fn breakable(line: &str, inside: bool) -> bool {
    let mut open = Vec::new();
    for (at, c) in line.char_indices() {
        match c {
            '(' | '[' => open.push(at),
            ')' | ']' => {
                let Some(start) = open.pop() else { continue };
                let inner = line[start + 1..at].trim_end_matches(',');
                let has_parts = |c: char| " ()[],:\\~+".contains(c);
                if inner.len() > 1 && !inner.starts_with(|c: char| c.is_ascii_digit()) && inner.contains(has_parts) {
                    return true;
                }
            }
            _ => {}
        }
    }
    inside && line.trim_start().split(' ').skip(1).any(|word| OPERATORS.contains(&word))
}

const OPERATORS: &[&str] = &[
    "or", "and", "<", "<=", ">", ">=", "==", "!=", "|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "**", "if",
];

#[test]
fn damaged_programs_keep_their_tokens_and_errors() {
    cases(800, |seed| {
        let mut rng = Rng::with_seed(seed);
        let text = damaged(&mut rng, Program::new(seed).render(seed));
        let formatted = format(&text);
        assert_eq!(tokens(&formatted), tokens(&text), "seed {seed} lost tokens:\n{text}\n{formatted}");
        assert_eq!(codes(&formatted), codes(&text), "seed {seed} changed its errors:\n{text}\n{formatted}");
        assert_eq!(format(&formatted), formatted, "seed {seed} is not stable:\n{text}");
    });
}

/// A text with some characters lost, some put in, and perhaps without its end.
fn damaged(rng: &mut Rng, text: String) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..rng.usize(1..5) {
        let at = rng.usize(..=chars.len());
        if rng.bool() && at < chars.len() {
            chars.remove(at);
        } else {
            let signs =
                ['(', ')', '[', ']', '{', ':', ',', '\n', '\r', ' ', '\t', '#', '@', '=', 'x', '1', '.', '$', '"'];
            let odd = ['\u{a0}', '\0', 'ö', '😀', '×', '\u{feff}'];
            chars.insert(at, if rng.u8(..6) == 0 { rng.choice(odd) } else { rng.choice(signs) }.unwrap_or(' '));
        }
    }
    if rng.u8(..4) == 0 {
        chars.truncate(rng.usize(..=chars.len()));
    }
    chars.into_iter().collect()
}

/// A random place in a text.
fn place(rng: &mut Rng, text: &str) -> usize {
    let mut at = rng.usize(..=text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn random_range(rng: &mut Rng, text: &str) -> TextRange {
    let (one, other) = (place(rng, text), place(rng, text));
    TextRange::new(TextSize::new(one.min(other) as u32), TextSize::new(one.max(other) as u32))
}

#[test]
fn formatting_a_range_is_a_step_towards_formatting_all() {
    cases(400, |seed| {
        let text = Program::new(seed).render(seed);
        let range = random_range(&mut Rng::with_seed(seed), &text);
        let formatted = apply_edits(&text, &format_range(&text, range));
        assert_eq!(outline(&formatted), outline(&text), "seed {seed}, {range:?}:\n{text}\n{formatted}");
        assert_eq!(codes(&formatted), [""; 0], "seed {seed}, {range:?}:\n{text}\n{formatted}");
        let (one, other) = (format(&formatted).replace("\r\n", "\n"), format(&text).replace("\r\n", "\n"));
        assert_eq!(one, other, "seed {seed}, {range:?} is not on the way:\n{text}\n{formatted}");

        let whole = TextRange::up_to(TextSize::of(&text));
        assert_eq!(apply_edits(&text, &format_range(&text, whole)), format(&text), "seed {seed}, whole:\n{text}");
    });
}

#[test]
fn formatting_a_range_leaves_other_lines_alone() {
    cases(200, |seed| {
        let mut rng = Rng::with_seed(seed);
        let formatted = format(&Program::new(seed).render(seed));
        let text = with_wide_gaps(&mut rng, &formatted);
        let range = random_range(&mut rng, &text);
        let line_of = |offset: usize| text[..offset].matches('\n').count();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        // A range that ends where a line starts does not touch it.
        let ends_at_start = end > start && text[..end].ends_with('\n');
        let touched = line_of(start)..=line_of(if ends_at_start { end - 1 } else { end });
        let result = apply_edits(&text, &format_range(&text, range));

        // A statement over several lines is formatted whole; the lines around it that end outside of brackets stay.
        let mut depth = 0;
        let lines = formatted.lines().zip(text.lines()).zip(result.lines()).enumerate();
        let starts: Vec<bool> = formatted
            .lines()
            .map(|line| {
                let code = line.split('#').next().unwrap_or_default();
                let starts = depth == 0;
                depth += code.matches(['(', '[']).count();
                depth -= code.matches([')', ']']).count();
                starts
            })
            .collect();
        let first = match *touched.start() {
            start if start < starts.len() => (0..=start).rfind(|&n| starts[n]).unwrap_or(0),
            start => start,
        };
        let end = (*touched.end() + 1..starts.len()).find(|&n| starts[n]).unwrap_or(starts.len());
        assert_eq!(formatted.lines().count(), result.lines().count(), "seed {seed}, {range:?}:\n{text}\n{result}");
        for (n, ((formatted, before), after)) in lines {
            let expected = if (first..end).contains(&n) { formatted } else { before };
            assert_eq!(after, expected, "seed {seed}, {range:?}, line {n}:\n{text}\n{result}");
        }
    });
}

/// A text with some spaces between words doubled.
fn with_wide_gaps(rng: &mut Rng, text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default().trim_end().len();
        let indentation = line.len() - line.trim_start().len();
        for (at, c) in line.char_indices() {
            out.push(c);
            if c == ' ' && (indentation..code).contains(&at) && rng.bool() {
                out.push(' ');
            }
        }
    }
    out
}

#[test]
fn examples_are_formatted() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut n_examples = 0;
    for entry in std::fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("the folder can be read").path();
        if path.extension().is_some_and(|extension| extension == "lane") {
            let text = std::fs::read_to_string(&path).expect("the example can be read");
            assert_eq!(format(&text), text, "{}", path.display());
            n_examples += 1;
        }
    }
    assert!(n_examples > 0, "no examples in {folder}");
}
