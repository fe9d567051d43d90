//! Blanks between tokens, and at the ends of lines.
//!
//! A blank is added where most tokens of the same kind have one, and none is taken away.

use std::collections::BTreeMap;

use super::FormatEdit;
use super::lines::SourceLines;
use crate::kinds::Kind;
use crate::tree::NodeKind;
use crate::unit::Token;

/// The blanks that the tokens of a kind have in a file, and the places where one is missing.
#[derive(Default)]
struct Habit {
    n_with: u32,
    n_without: u32,
    missing: Vec<u32>,
}

impl Habit {
    /// Returns true if at least two of three have blanks.
    fn is_to_have_blanks(&self) -> bool {
        self.n_with > 0 && self.n_with >= 2 * self.n_without
    }
}

/// The changes of a file.
pub(super) fn edits(lines: &SourceLines<'_>) -> Vec<FormatEdit> {
    let mut habits: BTreeMap<Kind, Habit> = BTreeMap::new();
    operators(lines, &mut habits);
    behind_words(lines, &mut habits);
    let wanted = habits.into_values().filter(Habit::is_to_have_blanks);
    let mut places: Vec<u32> = wanted.flat_map(|habit| habit.missing).collect();
    places.sort_unstable();
    places.dedup();
    let added = places.into_iter().map(|at| FormatEdit { range: at..at, text: " ".to_owned() });
    added.chain(at_line_ends(lines)).collect()
}

/// The operators between two operands.
fn operators(lines: &SourceLines<'_>, habits: &mut BTreeMap<Kind, Habit>) {
    let tree = &lines.unit.tree;
    for node in tree.nodes.n_shared()..tree.nodes.len() {
        let kind = tree.nodes[node].kind;
        let has_operator = matches!(
            kind,
            NodeKind::Binary
                | NodeKind::Assign
                | NodeKind::InitDeclarator
                | NodeKind::Conditional
                | NodeKind::Dimension
        );
        if !has_operator {
            continue;
        }
        let children = tree.children(node);
        let mut between: Vec<u32> = children.iter().rev().skip(1).map(|child| tree.nodes[*child].end).collect();
        if kind == NodeKind::Dimension {
            // The variable is no node: `i = 0 ... n`.
            between.push(tree.nodes[node].first + 1);
        }
        for token in between {
            let Some(sign) = lines.unit.tokens.get(token as usize).map(|token| token.kind) else { continue };
            let is_sign = sign.binding().is_some()
                || sign.of_assignment().is_some()
                || matches!(sign, Kind::Eq | Kind::Question | Kind::Colon | Kind::Dots);
            if let Some(index) = lines.own_token(token).filter(|_| is_sign) {
                around(lines, index, habits.entry(sign).or_default());
            }
        }
    }
}

/// A blank on both sides of a sign; the ends of lines, and comments, are as good.
fn around(lines: &SourceLines<'_>, index: usize, habit: &mut Habit) {
    let is_blank = |kind: Option<Kind>| kind.is_none_or(Kind::is_trivia);
    let in_front = index.checked_sub(1).and_then(|index| lines.kind(index));
    let has = [is_blank(in_front), is_blank(lines.kind(index + 1))];
    match has {
        [true, true] => habit.n_with += 1,
        [false, false] => habit.n_without += 1,
        _ => {}
    }
    let range = lines.file.range(index);
    let places = [range.start as u32, range.end as u32];
    habit.missing.extend(places.into_iter().zip(has).filter(|(_, has)| !has).map(|(place, _)| place));
}

/// Commas, and the words of statements in front of their brackets.
fn behind_words(lines: &SourceLines<'_>, habits: &mut BTreeMap<Kind, Habit>) {
    use Kind::*;
    let first = lines.unit.first_own;
    for (token, data) in (first..).zip(lines.unit.tokens.from(first as usize)) {
        let is_word = |kind| {
            matches!(
                kind,
                If | Cif
                    | For
                    | Cfor
                    | While
                    | Cwhile
                    | Foreach
                    | ForeachTiled
                    | ForeachActive
                    | ForeachUnique
                    | Switch
            )
        };
        let (key, is_comma) = match data.kind {
            Comma => (Comma, true),
            kind if is_word(kind) => (If, false),
            _ => continue,
        };
        let Some(index) = lines.own_token(token) else { continue };
        let next = lines.kind(index + 1);
        let next_token = lines.unit.tokens.get(token as usize + 1);
        if !is_comma && !next_token.is_some_and(|next: &Token| next.kind == LParen && !next.is(Token::LINE)) {
            continue;
        }
        let habit = habits.entry(key).or_default();
        match next {
            Some(Space) => habit.n_with += 1,
            None => {}
            Some(kind) if kind.is_trivia() => {}
            // Of what a macro brings the next token may be anything, and empty parts of lists have no blanks.
            Some(kind) if is_comma && matches!(kind, Comma | RParen | Gt | RBrace | RBracket) => {}
            Some(_) => {
                habit.n_without += 1;
                habit.missing.push(lines.file.range(index).end as u32);
            }
        }
    }
}

/// Blanks at the ends of lines.
fn at_line_ends<'l>(lines: &'l SourceLines<'_>) -> impl Iterator<Item = FormatEdit> + 'l {
    let file = lines.file;
    (0..file.tokens.len()).filter_map(move |index| {
        let range = file.range(index);
        let is_last = lines.kind(index + 1).is_none_or(|kind| kind == Kind::Newline);
        // Behind a backslash a blank keeps the next line from being joined.
        let in_front = index.checked_sub(1).and_then(|index| lines.kind(index));
        let is_needed = matches!(in_front, Some(Kind::Stray | Kind::Splice));
        let range = range.start as u32..range.end as u32;
        (file.tokens[index].kind == Kind::Space && is_last && !is_needed && !lines.is_alone(range.start))
            .then(|| FormatEdit { range, text: String::new() })
    })
}
