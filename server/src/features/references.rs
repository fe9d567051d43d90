//! References to a symbol.

use analysis::ide::references::{self, ReferenceKind};
use tower_lsp::gen_lsp_types::{Location, ReferenceParams};
use tower_lsp::jsonrpc::Result;

use crate::moment::Moment;

/// `textDocument/references`.
pub(crate) fn references(moment: &Moment<'_>, params: &ReferenceParams) -> Result<Option<Vec<Location>>> {
    let at = &params.text_document_position_params;
    let place = moment.document(&at.text_document.uri)?;
    let found = references::references(moment.db(), place.file, place.offset(at.position));
    let wanted =
        found.iter().filter(|found| params.context.include_declaration || found.kind != ReferenceKind::Definition);
    Ok(Some(wanted.map(|found| place.location(found.range)).collect()))
}
