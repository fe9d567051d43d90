//! Hover in ISPC documents.

use tower_lsp::gen_lsp_types::{Contents, Hover, HoverParams};
use tower_lsp::jsonrpc::Result;

use crate::features::markup;
use crate::request_context::RequestContext;

/// `textDocument/hover`.
pub(crate) fn hover(ctx: &RequestContext<'_>, params: &HoverParams) -> Result<Option<Hover>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = ide::ispc::hover::hover(ctx.db(), place.file, place.offset(at.position));
    Ok(found.map(|found| Hover {
        range: Some(place.range(found.range)),
        contents: Contents::MarkupContent(markup(found.text, ctx.profile().hover)),
    }))
}
