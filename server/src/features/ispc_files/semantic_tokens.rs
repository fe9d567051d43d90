//! Semantic tokens of ISPC documents. Text that a condition leaves out is a comment with the modifier `inactive`.

use ide::ispc::semantic_tokens as tokens_of;
use ide::ispc::semantic_tokens::TokenKind;
use report::TextRange;
use tower_lsp::gen_lsp_types::{
    SemanticToken, SemanticTokens, SemanticTokensDeltaParams, SemanticTokensDeltaResponse, SemanticTokensParams,
    SemanticTokensRangeParams,
};
use tower_lsp::jsonrpc::Result;

use crate::features::semantic_tokens::{delta_of, follow, modifier_bits, type_number};
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/semanticTokens/full`.
pub(crate) fn full(ctx: &RequestContext<'_>, params: &SemanticTokensParams) -> Result<Option<SemanticTokens>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let sent = ctx.state().memory.sent(&place.document.key, tokens(ctx, &place, None));
    Ok(Some(SemanticTokens { result_id: Some(sent.id), data: sent.tokens.to_vec() }))
}

/// `textDocument/semanticTokens/full/delta`.
pub(crate) fn delta(
    ctx: &RequestContext<'_>,
    params: &SemanticTokensDeltaParams,
) -> Result<Option<SemanticTokensDeltaResponse>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    Ok(Some(delta_of(ctx, &place, &params.previous_result_id, tokens(ctx, &place, None))))
}

/// `textDocument/semanticTokens/range`.
pub(crate) fn range(ctx: &RequestContext<'_>, params: &SemanticTokensRangeParams) -> Result<Option<SemanticTokens>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    Ok(Some(SemanticTokens { result_id: None, data: tokens(ctx, &place, Some(range)) }))
}

fn tokens(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, range: Option<TextRange>) -> Vec<SemanticToken> {
    let mut last = (0, 0);
    let token = |found: tokens_of::IspcToken| {
        let start = place.position(found.range.start());
        let (kind, modifier) = kind(found.kind);
        let modifiers = found.modifiers;
        let seen = [
            (modifier, modifier.is_some()),
            (Some("definition"), modifiers.definition),
            (Some("uniform"), modifiers.uniform),
            (Some("varying"), modifiers.varying),
        ];
        let token = SemanticToken {
            length: place.width(&place.text()[found.range]),
            token_type: type_number(kind),
            token_modifiers_bitset: modifier_bits(seen.into_iter().filter(|(_, is)| *is).filter_map(|(name, _)| name)),
            ..SemanticToken::default()
        };
        let start = (start.line, start.character);
        let token = follow(last, start, &token);
        last = start;
        token
    };
    tokens_of::semantic_tokens(ctx.db(), place.file, range).into_iter().map(token).collect()
}

/// The protocol's name of a kind, and the modifier that always goes with it.
fn kind(kind: TokenKind) -> (&'static str, Option<&'static str>) {
    match kind {
        TokenKind::Keyword | TokenKind::Label => ("keyword", None),
        TokenKind::BuiltinType => ("type", Some("defaultLibrary")),
        TokenKind::Type => ("struct", None),
        TokenKind::TypeParameter => ("typeParameter", None),
        TokenKind::Function => ("function", None),
        TokenKind::Parameter => ("parameter", None),
        TokenKind::Variable => ("variable", None),
        TokenKind::Member => ("property", None),
        TokenKind::Enumerator => ("enumMember", None),
        TokenKind::Macro => ("macro", None),
        TokenKind::Number => ("number", None),
        TokenKind::Text => ("string", None),
        TokenKind::Operator => ("operator", None),
        TokenKind::Comment => ("comment", None),
        TokenKind::DocComment => ("comment", Some("documentation")),
        TokenKind::Inactive => ("comment", Some("inactive")),
    }
}
