//! Semantic tokens of a document: all of it, the delta since the last answer, or a range.
//!
//! Token types have the protocol's own names wherever it has one, since those are the names that themes know.

use ::ide::semantic_tokens as tokens_of;
use ide::semantic_tokens::{Modifiers, SemanticKind};
use lane::tree::text::LineIndex;
use report::TextRange;
use tower_lsp::gen_lsp_types::{
    SemanticToken, SemanticTokens, SemanticTokensDelta, SemanticTokensDeltaParams, SemanticTokensDeltaResponse,
    SemanticTokensEdit, SemanticTokensLegend, SemanticTokensParams, SemanticTokensRangeParams,
};
use tower_lsp::jsonrpc::Result;

use crate::request_context::{ClientDocument, RequestContext};

const KINDS: &[&str] = &[
    "keyword",
    "parameter",
    "variable",
    "typeParameter",
    "function",
    "struct",
    "property",
    "type",
    "number",
    "operator",
    "comment",
    "decorator",
    "macro",
    "string",
    "enumMember",
];

const MODIFIERS: &[&str] = &[
    "definition",
    "readonly",
    "documentation",
    "defaultLibrary",
    // Modifiers of this server: assigned or stored to, type taken by default, uniform, varying.
    "written",
    "defaulted",
    "uniform",
    "varying",
    // Text that a condition of the preprocessor leaves out.
    "inactive",
];

/// Builds the legend: the names of the token types and modifiers that tokens refer to by index.
pub(crate) fn legend() -> SemanticTokensLegend {
    let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
    SemanticTokensLegend { token_types: words(KINDS), token_modifiers: words(MODIFIERS) }
}

/// `textDocument/semanticTokens/full`.
pub(crate) fn full(ctx: &RequestContext<'_>, params: &SemanticTokensParams) -> Result<Option<SemanticTokens>> {
    let place = ctx.document(&params.text_document.uri)?;
    let sent = ctx.state().memory.sent(&place.document.key, all_tokens(ctx, &place));
    Ok(Some(SemanticTokens { result_id: Some(sent.id), data: sent.tokens.to_vec() }))
}

/// `textDocument/semanticTokens/full/delta`.
pub(crate) fn delta(
    ctx: &RequestContext<'_>,
    params: &SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensDeltaResponse>> {
    let place = ctx.document(&params.text_document.uri)?;
    Ok(Some(delta_of(ctx, &place, &params.previous_result_id, all_tokens(ctx, &place))))
}

/// The way from the tokens that were sent last to the present ones.
pub(super) fn delta_of(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    previous: &str,
    tokens: Vec<SemanticToken>,
) -> SemanticTokensDeltaResponse {
    let memory = &ctx.state().memory;
    let before = memory.tokens_of(&place.document.key, previous);
    let sent = memory.sent(&place.document.key, tokens);
    match before {
        Some(before) => SemanticTokensDeltaResponse::SemanticTokensDelta(SemanticTokensDelta {
            result_id: Some(sent.id),
            edits: edits(&before.tokens, &sent.tokens),
        }),
        None => SemanticTokensDeltaResponse::SemanticTokens(SemanticTokens {
            result_id: Some(sent.id),
            data: sent.tokens.to_vec(),
        }),
    }
}

/// `textDocument/semanticTokens/range`.
pub(crate) fn range(ctx: &RequestContext<'_>, params: &SemanticTokensRangeParams) -> Result<Option<SemanticTokens>> {
    let place = ctx.document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    Ok(Some(SemanticTokens { result_id: None, data: tokens_in(ctx, &place, range) }))
}

/// The tokens of an item, relative to its first line.
#[derive(Debug)]
pub(crate) struct ItemTokens {
    tokens: Vec<SemanticToken>,
    /// Start of the last token.
    last: (u32, u32),
}

/// All tokens of a document. Items that no edit has touched reuse their tokens, shifted to their present line.
fn all_tokens(ctx: &RequestContext<'_>, place: &ClientDocument<'_>) -> Vec<SemanticToken> {
    let (db, memory) = (ctx.db(), &ctx.state().memory);
    memory.with_tokens(&place.document.key, |kept| {
        let plan = kept.plan(db, place.file);
        let found =
            plan.asked().map(|item| item_tokens(place, item.text(db), &tokens_of::tokens_of_item(db, item))).collect();
        kept.update(db, &plan, found);
        let mut all = Vec::with_capacity(kept.values().map(|item| item.tokens.len()).sum());
        let mut last = (0, 0);
        for (item, &start) in kept.values().zip(plan.starts) {
            let Some((first, rest)) = item.tokens.split_first() else { continue };
            // An item starts in column 0, so only its first token depends on the item's position.
            let line = place.document.lines().line(start);
            let first = follow(last, (line + first.delta_line, first.delta_start), first);
            all.push(first);
            all.extend_from_slice(rest);
            last = (line + item.last.0, item.last.1);
        }
        all
    })
}

fn item_tokens(place: &ClientDocument<'_>, text: &str, found: &[tokens_of::SemanticToken]) -> ItemTokens {
    let (mut line, mut column, mut from) = (0, 0, 0);
    let mut last = (0, 0);
    let token = |found: &tokens_of::SemanticToken| {
        let start = usize::from(found.range.start());
        let between = &text[from..start];
        if between.contains(['\n', '\r']) {
            let (n, behind) = line_breaks(between);
            (line, column) = (line + n, place.width(behind));
        } else {
            column += place.width(between);
        }
        from = start;
        let token = follow(last, (line, column), &token_of(place, &text[found.range], found));
        last = (line, column);
        token
    };
    let tokens = found.iter().map(token).collect();
    ItemTokens { tokens, last }
}

/// Counts the line breaks of a text, and returns the text behind the last one.
fn line_breaks(text: &str) -> (u32, &str) {
    let ends = LineIndex::new(text);
    let last = ends.n_lines() - 1;
    (last, &text[ends.line_range(last)])
}

fn tokens_in(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, range: TextRange) -> Vec<SemanticToken> {
    let mut last = (0, 0);
    let token = |found: tokens_of::SemanticToken| {
        let start = place.position(found.range.start());
        let start = (start.line, start.character);
        let token = follow(last, start, &token_of(place, &place.text()[found.range], &found));
        last = start;
        token
    };
    tokens_of::semantic_tokens(ctx.db(), place.file, Some(range)).into_iter().map(token).collect()
}

/// Converts a token, without its position.
fn token_of(place: &ClientDocument<'_>, text: &str, found: &tokens_of::SemanticToken) -> SemanticToken {
    let (kind, modifiers) = kind(found.kind);
    SemanticToken {
        length: place.width(text),
        token_type: number(KINDS, kind),
        token_modifiers_bitset: bits(modifiers, found.modifiers),
        ..SemanticToken::default()
    }
}

/// Encodes the position of a token relative to the token before it.
pub(super) fn follow(last: (u32, u32), at: (u32, u32), token: &SemanticToken) -> SemanticToken {
    let delta_line = at.0 - last.0;
    let delta_start = if delta_line == 0 { at.1 - last.1 } else { at.1 };
    SemanticToken { delta_line, delta_start, ..*token }
}

/// The number of a token type in the legend.
pub(super) fn type_number(name: &str) -> u32 {
    number(KINDS, name)
}

/// The bits of modifiers in the legend.
pub(super) fn modifier_bits<'n>(names: impl Iterator<Item = &'n str>) -> u32 {
    names.fold(0, |bits, name| bits | 1 << number(MODIFIERS, name))
}

fn number(list: &[&str], wanted: &str) -> u32 {
    list.iter().position(|&word| word == wanted).unwrap_or_default() as u32
}

fn bits(of_kind: &[&str], modifiers: Modifiers) -> u32 {
    let Modifiers { definition, written, defaulted, uniform, varying } = modifiers;
    let seen = [
        ("definition", definition),
        ("written", written),
        ("defaulted", defaulted),
        ("uniform", uniform),
        ("varying", varying),
    ];
    let seen = seen.into_iter().filter(|(_, is)| *is).map(|(name, _)| name);
    modifier_bits(of_kind.iter().copied().chain(seen))
}

/// Maps a kind to the protocol's name for it, and the modifiers that always go with it.
fn kind(kind: SemanticKind) -> (&'static str, &'static [&'static str]) {
    match kind {
        SemanticKind::Keyword => ("keyword", &[]),
        SemanticKind::Parameter => ("parameter", &[]),
        SemanticKind::Variable => ("variable", &[]),
        SemanticKind::LoopIndex => ("variable", &["readonly"]),
        SemanticKind::Size => ("typeParameter", &["readonly"]),
        SemanticKind::Function | SemanticKind::Kernel => ("function", &[]),
        SemanticKind::Struct => ("struct", &[]),
        SemanticKind::Field => ("property", &[]),
        SemanticKind::Constant => ("variable", &["readonly"]),
        SemanticKind::Builtin => ("function", &["defaultLibrary"]),
        SemanticKind::Type => ("type", &["defaultLibrary"]),
        SemanticKind::Number => ("number", &[]),
        SemanticKind::Text => ("string", &[]),
        SemanticKind::Operator => ("operator", &[]),
        SemanticKind::Comment => ("comment", &[]),
        SemanticKind::DocComment => ("comment", &["documentation"]),
        SemanticKind::Attribute => ("decorator", &[]),
    }
}

/// Computes the delta: everything between the common prefix and the common suffix. Tokens are relative to the one before, so an
/// edit changes few of them.
fn edits(before: &[SemanticToken], after: &[SemanticToken]) -> Vec<SemanticTokensEdit> {
    let front = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - front;
    let back = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (removed, added) = (&before[front..before.len() - back], &after[front..after.len() - back]);
    if removed.is_empty() && added.is_empty() {
        return Vec::new();
    }
    let numbers = |token: &SemanticToken| {
        [token.delta_line, token.delta_start, token.length, token.token_type, token.token_modifiers_bitset]
    };
    // The protocol counts in integers, of which a token has five.
    vec![SemanticTokensEdit {
        start: 5 * front as u32,
        delete_count: 5 * removed.len() as u32,
        data: Some(added.iter().flat_map(numbers).collect()),
    }]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_modifier_is_in_the_legend() {
        use SemanticKind::*;
        let all = [
            Keyword, Parameter, Variable, LoopIndex, Size, Function, Kernel, Struct, Field, Constant, Builtin, Type,
            Number, Operator, Comment, DocComment, Attribute,
        ];
        for (name, modifiers) in all.map(kind) {
            assert!(KINDS.contains(&name), "{name}");
            modifiers.iter().for_each(|name| assert!(MODIFIERS.contains(name), "{name}"));
        }
    }

    #[test]
    fn a_delta_is_what_lies_between() {
        let token = |length| SemanticToken { length, ..SemanticToken::default() };
        let list = |lengths: &[u32]| lengths.iter().map(|&length| token(length)).collect::<Vec<_>>();
        let delta = |before: &[u32], after: &[u32]| {
            let edits = edits(&list(before), &list(after));
            edits
                .into_iter()
                .map(|edit| (edit.start, edit.delete_count, edit.data.map_or(0, |data| data.len())))
                .collect::<Vec<_>>()
        };
        assert_eq!(delta(&[1, 2, 3], &[1, 2, 3]), []);
        assert_eq!(delta(&[1, 2, 3], &[1, 9, 3]), [(5, 5, 5)]);
        assert_eq!(delta(&[1, 1], &[1, 1, 1]), [(10, 0, 5)]);
        assert_eq!(delta(&[1, 2, 3], &[]), [(0, 15, 0)]);
    }
}
