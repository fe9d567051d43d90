//! Selection ranges: the enclosing syntax nodes of a position.

use ide::selection as ide;
use tower_lsp::gen_lsp_types::{SelectionRange, SelectionRangeParams};
use tower_lsp::jsonrpc::Result;

use crate::request_context::RequestContext;

/// `textDocument/selectionRange`.
pub(crate) fn selection(
    ctx: &RequestContext<'_>,
    params: &SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let grown = params.positions.iter().map(|&position| {
        let steps = ide::selection(ctx.db(), place.file, place.offset(position));
        let outer = |parent: Option<Box<SelectionRange>>, step| {
            Some(Box::new(SelectionRange { range: place.range(step), parent }))
        };
        steps.into_iter().rev().fold(None, outer)
    });
    // The whole text is always the outermost range, so every position has an answer.
    Ok(Some(grown.flatten().map(|range| *range).collect()))
}
