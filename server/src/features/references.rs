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
    let files = ctx.files();
    let mut locations = Vec::new();
    for (file, found) in references::references_in(ctx.db(), &files, place.file, place.offset(at.position)) {
        // A library is not shown before somebody goes there.
        let is_here = file == place.file;
        let other = if is_here { None } else { ctx.document_of(file) };
        let Some(place) = (if is_here { Some(&place) } else { other.as_ref() }) else { continue };
        let wanted =
            found.iter().filter(|found| params.context.include_declaration || found.kind != ReferenceKind::Definition);
        locations.extend(wanted.map(|found| place.location(found.range)));
    }
    Ok(Some(locations))
}
