//! What must hold of the formatter, tried on thousands of random programs. `LANESCOPE_CASES` sets how many.

mod generate;

use fastrand::Rng;
use generate::Program;
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
    SourceFile::parse(text).errors().map(|error| error.code).filter(|&code| code != "tab-indent").collect()
}

#[test]
fn programs_without_errors_have_one_form() {
    cases(1_500, |seed| {
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
    cases(300, |seed| {
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
    cases(300, |seed| {
        let formatted = format(&Program::new(seed).render(seed));
        let mut depth = 0;
        for line in formatted.lines() {
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

/// Whether a line has a pair of brackets with more than a name in it, or, inside brackets, an operator that it
/// does not start with.
fn breakable(line: &str, inside: bool) -> bool {
    let mut open = Vec::new();
    for (at, c) in line.char_indices() {
        match c {
            '(' | '[' => open.push(at),
            ')' | ']' => {
                let Some(start) = open.pop() else { continue };
                let inner = line[start + 1..at].replace("e-", "e");
                if inner.trim_start_matches('-').contains(|c: char| !c.is_alphanumeric() && !"_.".contains(c)) {
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
    cases(1_500, |seed| {
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

#[test]
fn a_range_is_formatted_and_no_line_outside_of_its_block() {
    cases(1_000, |seed| {
        let mut rng = Rng::with_seed(seed);
        let text = Program::new(seed).render(seed);
        let mut place = || {
            let mut at = rng.usize(..=text.len());
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            TextSize::new(at as u32)
        };
        let (one, other) = (place(), place());
        let range = TextRange::new(one.min(other), one.max(other));
        let formatted = apply_edits(&text, &format_range(&text, range));
        assert_eq!(outline(&formatted), outline(&text), "seed {seed}, {range:?}:\n{text}\n{formatted}");
        assert_eq!(codes(&formatted), [""; 0], "seed {seed}, {range:?}:\n{text}\n{formatted}");
        let again = format(&formatted);
        assert_eq!(again, format(&text), "seed {seed}, {range:?} is not on the way:\n{text}\n{formatted}");

        let whole = TextRange::up_to(TextSize::of(&text));
        assert_eq!(apply_edits(&text, &format_range(&text, whole)), format(&text), "seed {seed}, whole:\n{text}");
    });
}
