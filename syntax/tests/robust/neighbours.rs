//! A broken line keeps its errors to itself and takes no other statement along.
//!
//! A *line* is a logical one here: with all that its brackets hold.

use std::ops::Range;

use fastrand::Rng;
use syntax::errors::SyntaxCode;
use syntax::{SourceFile, SyntaxKind, SyntaxNode};

use crate::for_each_case;
use crate::texts::{self, KERNELS};

#[test]
fn errors_of_a_broken_line_stay_on_it() {
    for_each_case(4_000, |rng| {
        let whole = texts::part_of_kernels(rng);
        let lines = logical_lines(&whole);
        let line = lines[rng.usize(0..lines.len())].clone();
        let broken = break_line(rng, &whole[line.clone()]);
        check(&whole, line, &broken);
    });
}

#[test]
fn errors_of_a_line_being_typed_stay_on_it() {
    for item in syntax::cut(KERNELS) {
        for line in logical_lines(item.text) {
            let text = &item.text[line.clone()];
            let indent = text.len() - text.trim_start().len();
            for (typed, _) in text.char_indices().filter(|&(typed, _)| typed > indent) {
                // In the midst of a kernel that stands, and at the end of one that grows.
                check(item.text, line.clone(), &text[..typed]);
                let growing = &item.text[..line.start + typed];
                let errors: Vec<_> = SourceFile::parse(growing).errors().collect();
                let elsewhere = errors.iter().find(|error| usize::from(error.range.end()) < line.start);
                assert_eq!(elsewhere, None, "\n{growing}");
                let n_errors = errors.iter().filter(|error| error.code != SyntaxCode::BadNumber).count();
                assert!(n_errors < 2, "{errors:#?}\n{growing}");
            }
        }
    }
}

/// Asserts that `broken` in the place of `line` of the valid program `whole` has its errors on that line,
/// and that all other statements are what they were.
fn check(whole: &str, line: Range<usize>, broken: &str) {
    let text = format!("{}{broken}{}", &whole[..line.start], &whole[line.end..]);
    let place = line.start..line.start + broken.len();
    let file = SourceFile::parse(&text);
    // A quote that is never closed reaches into the comment behind the line.
    let end = text[place.end..].find('\n').map_or(text.len(), |newline| place.end + newline);
    let errors: Vec<_> = file.errors().collect();
    for error in &errors {
        // A header that became another good line leaves its block or its `else` without one: their one error.
        let headless =
            matches!(SyntaxCode::of(error.code), Some(SyntaxCode::UnexpectedIndent | SyntaxCode::ElseWithoutIf))
                && errors.len() == 1
                && usize::from(error.range.start()) > end;
        let on_line = place.start <= usize::from(error.range.start()) && usize::from(error.range.end()) <= end;
        assert!(on_line || headless, "{broken:?} has an error elsewhere: {error:#?}\n{text}");
    }
    let expected = statements(&SourceFile::parse(whole).syntax());
    let expected = expected.iter().filter(|(at, _)| !line.contains(at)).map(|(_, statement)| statement);
    let found = statements(&file.syntax());
    let found = found.iter().filter(|(at, _)| *at < place.start || *at > place.end).map(|(_, statement)| statement);
    if let Some((found, expected)) = found.zip(expected).find(|(found, expected)| found != expected) {
        panic!("{broken:?} made {found:?} of {expected:?}\n{text}");
    }
}

/// Each statement's place and text, without its attributes and the blocks in it.
fn statements(root: &SyntaxNode) -> Vec<(usize, String)> {
    use SyntaxKind::*;
    let in_block =
        |node: &SyntaxNode| node.kind() != BLOCK && node.parent().is_some_and(|parent| parent.kind() == BLOCK);
    let is_branch = |node: &SyntaxNode| matches!(node.kind(), ELIF_BRANCH | ELSE_BRANCH);
    let statements = root.descendants().filter(|node| in_block(node) || is_branch(node));
    let header = |node: SyntaxNode| {
        let parts = node.children_with_tokens().skip_while(|part| part.kind() == ATTR || part.kind().is_between());
        let parts = parts.take_while(|part| !matches!(part.kind(), BLOCK | ELIF_BRANCH | ELSE_BRANCH));
        let parts: Vec<_> = parts.collect();
        let start = parts.first().map_or(node.text_range().start(), |part| part.text_range().start());
        (start.into(), parts.iter().map(|part| part.to_string()).collect())
    };
    // An attribute alone, with a block below it, has no text.
    statements.map(header).filter(|(_, text): &(usize, String)| !text.is_empty()).collect()
}

/// The logical lines of a valid program, without the line breaks that end them. Comments and blank lines are none.
fn logical_lines(text: &str) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = None;
    let mut depth = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split('#').next().unwrap_or_default();
        if !code.trim().is_empty() {
            start = start.or(Some(at));
            depth += code.matches(['(', '[']).count();
            depth -= code.matches([')', ']']).count();
            if depth == 0 {
                lines.extend(start.take().map(|start| start..at + code.trim_end().len()));
            }
        }
        at += line.len();
    }
    lines
}

/// Takes tokens away from a line, or puts some in. Something is left of it, and all of it starts where it started.
fn break_line(rng: &mut Rng, line: &str) -> String {
    let indent = line.len() - line.trim_start().len();
    loop {
        let mut broken = line.to_owned();
        for _ in 0..rng.usize(1..4) {
            let at = texts::place(rng, &broken).max(indent);
            if rng.bool() {
                let end = texts::next_places(&broken, at, rng.usize(1..6));
                broken.replace_range(at..end, "");
            } else {
                broken.insert_str(at, texts::token(rng));
            }
        }
        let left = &broken[indent..];
        let is_line = left.contains(|c: char| c.is_ascii_graphic()) && !left.starts_with(char::is_whitespace);
        // Without its first word a struct's line with a bracket in it may be a function's: its fields, parameters.
        let same_item = line.starts_with("struct") == left.starts_with("struct");
        let columns = |text: &str| text.lines().map(|line| line.len() - line.trim_start().len()).collect::<Vec<_>>();
        let same_columns = columns(&broken) == columns(line);
        if is_line && same_item && same_columns && !left.contains('#') {
            return broken;
        }
    }
}
