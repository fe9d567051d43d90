//! References to a symbol.

use ide::references;
use ide::references::ReferenceKind;
use tower_lsp::gen_lsp_types::{Location, ReferenceParams};
use tower_lsp::jsonrpc::Result;

use crate::request_context::RequestContext;

/// `textDocument/references`.
pub(crate) fn references(ctx: &RequestContext<'_>, params: &ReferenceParams) -> Result<Option<Vec<Location>>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    let found = references::references(ctx.db(), place.file, place.offset(at.position));
    let wanted =
        found.iter().filter(|found| params.context.include_declaration || found.kind != ReferenceKind::Definition);
    Ok(Some(wanted.map(|found| place.location(found.range)).collect()))
}
