//! Formatting. A whole text takes long and needs nothing but the text, so it is formatted after the snapshot was dropped.

use std::sync::Arc;

use ide::formatting;
use report::TextEdit;
use tower_lsp::gen_lsp_types::{
    self as lsp, DocumentFormattingParams, DocumentOnTypeFormattingParams, DocumentRangeFormattingParams,
    DocumentRangesFormattingParams, Range, Uri,
};
use tower_lsp::jsonrpc::Result;

use crate::documents::Document;
use crate::question::Later;
use crate::request_context::{ClientDocument, RequestContext};

type Edits = Option<Vec<lsp::TextEdit>>;

/// `textDocument/formatting`. The format is canonical, so the client's tab and width options are ignored.
pub(crate) fn document(ctx: &RequestContext<'_>, params: &DocumentFormattingParams) -> Result<Later<Edits>> {
    format_later(ctx, &params.text_document.uri, |document| formatting::document(&document.text))
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
    let place = ctx.document(&params.text_document.uri)?;
    let offset = place.offset(params.position);
    let edits = match &*params.ch {
        "\n" => formatting::after_line_break(place.text(), offset),
        ":" => formatting::after_colon(place.text(), offset),
        _ => Vec::new(),
    };
    Ok(Some(place.edits(&edits)))
}

fn format_ranges(ctx: &RequestContext<'_>, uri: &Uri, ranges: &[Range]) -> Result<Later<Edits>> {
    let place = ctx.document(uri)?;
    let ranges: Vec<_> = ranges.iter().map(|&range| place.text_range(range)).collect();
    format_later(ctx, uri, move |document| {
        let edits = ranges.into_iter().flat_map(|range| formatting::range(&document.text, range));
        let mut edits: Vec<_> = edits.collect();
        // Two ranges may cover the same line; its edit must be sent once.
        edits.sort_by_key(|edit| (edit.range.start(), edit.range.end()));
        edits.dedup_by(|next, edit| next.range == edit.range || next.range.start() < edit.range.end());
        edits
    })
}

fn format_later(
    ctx: &RequestContext<'_>,
    uri: &Uri,
    format: impl FnOnce(&Document) -> Vec<TextEdit> + Send + 'static,
) -> Result<Later<Edits>> {
    let place = ctx.document(uri)?;
    let (document, file, unit): (Arc<Document>, _, _) = (place.document.clone(), place.file, ctx.profile().unit);
    Ok(Box::new(move |_| {
        let edits = format(&document);
        Ok(Some(ClientDocument::new(file, &document, unit).edits(&edits)))
    }))
}
