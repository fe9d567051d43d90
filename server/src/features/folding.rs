//! Folding ranges.

use ide::folding;
use ide::folding::{FoldKind, FoldRange};
use tower_lsp::gen_lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use tower_lsp::jsonrpc::Result;

use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/foldingRange`.
pub(crate) fn folding(ctx: &RequestContext<'_>, params: &FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let whole_lines = ctx.profile().whole_line_folds;
    let folds = folding::folding(ctx.db(), place.file);
    Ok(Some(folds.iter().filter_map(|fold| range(&place, fold, whole_lines)).collect()))
}

/// Converts a fold. A client that folds whole lines hides the last line of a range too, so the range ends one line earlier where
/// code follows the closing bracket.
fn range(place: &ClientDocument<'_>, fold: &FoldRange, whole_lines: bool) -> Option<FoldingRange> {
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
