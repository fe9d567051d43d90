//! Document highlights of the symbol at the cursor. In a view, highlights are the lines with the same source.

use tower_lsp::gen_lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};
use tower_lsp::jsonrpc::Result;

use super::view_lines;
use crate::request_context::RequestContext;

/// `textDocument/documentHighlight`.
pub(crate) fn highlights(
    ctx: &RequestContext<'_>,
    params: &DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = &params.text_document_position_params;
    if let Some(lines) = view_lines::lines_like(ctx, at)? {
        return Ok(Some(lines.into_iter().map(|range| DocumentHighlight { range, kind: None }).collect()));
    }
    let place = ctx.document(&at.text_document.uri)?;
    let found = ide::highlights::highlights(ctx.db(), place.file, place.offset(at.position));
    let highlight = |found: ide::highlights::Highlight| DocumentHighlight {
        range: place.range(found.range),
        kind: Some(match found {
            _ if found.writes => DocumentHighlightKind::Write,
            _ if found.reads => DocumentHighlightKind::Read,
            _ => DocumentHighlightKind::Text,
        }),
    };
    Ok(Some(found.into_iter().map(highlight).collect()))
}
