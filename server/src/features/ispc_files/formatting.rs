//! Formatting of ISPC documents, in the style of each file. The changes follow from its unit, so they are found while the snapshot is there.

use ide::ispc::formatting;
use report::TextEdit;
use tower_lsp::gen_lsp_types::{
    self as lsp, DocumentFormattingParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams,
    DocumentRangesFormattingParams, Range, Uri,
};
use tower_lsp::jsonrpc::Result;

use crate::question::Later;
use crate::request_context::RequestContext;

type Edits = Option<Vec<lsp::TextEdit>>;

/// `textDocument/formatting`. The style is the file's own, so the client's tab and width options are ignored.
pub(crate) fn document(ctx: &RequestContext<'_>, params: &DocumentFormattingParams) -> Result<Later<Edits>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let edits = place.edits(&formatting::document(ctx.db(), place.file));
    Ok(Box::new(move |_| Ok(Some(edits))))
}

/// `textDocument/rangeFormatting`.
pub(crate) fn range(ctx: &RequestContext<'_>, params: &DocumentRangeFormattingParams) -> Result<Later<Edits>> {
    format_ranges(ctx, &params.text_document.uri, &[params.range])
}

/// `textDocument/rangesFormatting`.
pub(crate) fn ranges(ctx: &RequestContext<'_>, params: &DocumentRangesFormattingParams) -> Result<Later<Edits>> {
    format_ranges(ctx, &params.text_document.uri, &params.ranges)
}

/// `textDocument/onTypeFormatting`.
pub(crate) fn on_type(ctx: &RequestContext<'_>, params: &DocumentOnTypeFormattingParams) -> Result<Edits> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let offset = place.offset(params.position);
    let edits = match &*params.ch {
        "\n" => formatting::after_line_break(ctx.db(), place.file, offset),
        "}" => formatting::after_brace(ctx.db(), place.file, offset),
        _ => Vec::new(),
    };
    Ok(Some(place.edits(&edits)))
}

fn format_ranges(ctx: &RequestContext<'_>, uri: &Uri, ranges: &[Range]) -> Result<Later<Edits>> {
    let place = ctx.ispc_document(uri)?;
    let edits = ranges.iter().flat_map(|range| formatting::range(ctx.db(), place.file, place.text_range(*range)));
    let mut edits: Vec<TextEdit> = edits.collect();
    // Two ranges may cover the same line; its edit must be sent once.
    edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
    edits.dedup();
    let edits = place.edits(&edits);
    Ok(Box::new(move |_| Ok(Some(edits))))
}
