//! What is known about what someone points at.

use analysis::ide;
use tower_lsp::gen_lsp_types::{Contents, Hover, HoverParams};
use tower_lsp::jsonrpc::Result;

use super::markup;
use crate::moment::Moment;

/// `textDocument/hover`.
pub(crate) fn hover(moment: &Moment<'_>, params: &HoverParams) -> Result<Option<Hover>> {
    let at = &params.text_document_position_params;
    let place = moment.document(&at.text_document.uri)?;
    let found = ide::hover::hover(moment.db(), place.file, place.offset(at.position));
    Ok(found.map(|found| Hover {
        contents: Contents::MarkupContent(markup(found.text, moment.profile().hover)),
        range: Some(place.range(found.range)),
    }))
}
