//! Links in comments.

use ide::links;
use ide::links::LinkTarget;
use tower_lsp::gen_lsp_types::{DocumentLink, DocumentLinkParams, Uri};
use tower_lsp::jsonrpc::Result;

use crate::request_context::RequestContext;

/// `textDocument/documentLink`.
pub(crate) fn document_links(
    ctx: &RequestContext<'_>,
    params: &DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let link = |link: links::Link| DocumentLink {
        range: place.range(link.range),
        target: Some(match link.target {
            LinkTarget::Web(address) => Uri(address),
            // `#L` and a line number is the fragment that most editors understand.
            LinkTarget::Item(name) => {
                Uri(format!("{}#L{}", place.document.uri.0, place.position(name.start()).line + 1))
            }
        }),
        tooltip: None,
        data: None,
    };
    Ok(Some(links::links(ctx.db(), place.file).into_iter().map(link).collect()))
}
