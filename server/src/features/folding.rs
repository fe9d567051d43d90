//! Folding ranges.

use ide::folding;
use ide::folding::{FoldKind, FoldRange};
use queries::db::Item;
use report::TextSize;
use tower_lsp::gen_lsp_types::{
    self as lsp, FoldingRange, FoldingRangeKind, FoldingRangeParams, LspRequestMethod, MessageDirection, Request,
};
use tower_lsp::jsonrpc::Result;

use super::kept_lists;
use crate::placed_json::{JsonList, PlacedJson};
use crate::request_context::{ClientDocument, RequestContext};

/// The request `textDocument/foldingRange`, whose list is JSON already.
pub(crate) enum FoldingRequest {}

impl Request for FoldingRequest {
    type Params = FoldingRangeParams;
    type Result = Option<JsonList>;
    const METHOD: LspRequestMethod<'static> = lsp::FoldingRangeRequest::METHOD;
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// `textDocument/foldingRange`. Regions, which may reach over several items, come last.
pub(crate) fn folding(ctx: &RequestContext<'_>, params: &FoldingRangeParams) -> Result<Option<JsonList>> {
    let place = ctx.document(&params.text_document.uri)?;
    let whole_lines = ctx.profile().whole_line_folds;
    let ranges = |folds: Vec<FoldRange>| -> Vec<_> {
        folds.iter().filter_map(|fold| range(&place, fold, whole_lines)).collect()
    };
    let of_item = |item: Item<'_>, start: TextSize| ranges(folding::item_folding(ctx.db(), item, start));
    let mut list = kept_lists::list(ctx, &place, FoldingRequest::METHOD.as_str(), "", of_item);
    for region in ranges(folding::region_folding(ctx.db(), place.file)) {
        list.push(&mut PlacedJson::of(&region, 0), 0);
    }
    Ok(Some(list))
}

/// Converts a fold. A client that folds whole lines hides the last line of a range too, so the range ends one line earlier where
/// code follows the closing bracket.
pub(super) fn range(place: &ClientDocument<'_>, fold: &FoldRange, whole_lines: bool) -> Option<FoldingRange> {
    let range = place.range(fold.range);
    let lines = place.document.lines();
    let behind = &place.text()[usize::from(fold.range.end())..lines.line_range(range.end.line).end().into()];
    let goes_on = whole_lines && !behind.trim().is_empty();
    let end_line = if goes_on { range.end.line.checked_sub(1)? } else { range.end.line };
    (end_line > range.start.line).then(|| FoldingRange {
        start_line: range.start.line,
        start_character: (!whole_lines).then_some(range.start.character),
        end_line,
        end_character: (!whole_lines).then_some(range.end.character),
        kind: match fold.kind {
            FoldKind::Item | FoldKind::Block => None,
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Region => Some(FoldingRangeKind::Region),
        },
        collapsed_text: None,
    })
}
