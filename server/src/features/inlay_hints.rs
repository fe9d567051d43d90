//! Inlay hints: inferred types, parameter names, and notes about loops and accesses. While an item is broken, those of its last
//! good text stay.

use hir::errors::CheckCode;
use ide::hints::{Hint, HintKind};
use queries::check;
use queries::db::{Item, cut_file};
use report::{Severity, TextRange, TextSize};
use tower_lsp::gen_lsp_types::{InlayHint, InlayHintKind, InlayHintLabelPart, InlayHintParams, Label, Tooltip};
use tower_lsp::jsonrpc::Result;

use super::{kept_hints, markup, saved_costs};
use crate::config;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/inlayHint`.
pub(crate) fn inlay_hints(ctx: &RequestContext<'_>, params: &InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    let lines = params.range.start.line..=params.range.end.line;
    ctx.state().memory.looks_at(&place.document.key, lines);
    let items = items_in(ctx, &place, range);
    let mut hints = Vec::new();
    for (item, start) in items {
        let mut found = kept_hints::of_item(ctx, &place, item, start, range);
        saved_costs::add(ctx, &place, (item, start), &mut found);
        let is_of_lanes = |hint: &Hint| matches!(hint.kind, HintKind::Access | HintKind::Loop);
        // Where lanes are not understood yet, notes are not, either.
        let noted = match found.iter().any(|(hint, is_kept)| !is_kept && is_of_lanes(hint)) {
            true => noted(ctx, item, start),
            false => Vec::new(),
        };
        // The note on an access or a loop gives the reason, and so does the hover: a tooltip would say it once more.
        let is_noted = |found: &Hint| match found.kind {
            HintKind::Access => noted.iter().any(|(end, _)| *end == found.offset),
            HintKind::Loop => noted.iter().any(|&(end, of_loop)| of_loop && is_behind(&place, end, found.offset)),
            _ => false,
        };
        let found = found.into_iter().filter(|(hint, _)| range.contains_inclusive(hint.offset));
        hints.extend(found.map(|(found, is_kept)| hint(ctx, &place, !is_kept && is_noted(&found), found)));
    }
    Ok(Some(hints))
}

/// The items that a range touches, with their starts.
pub(super) fn items_in<'db>(
    ctx: &'db RequestContext<'_>,
    place: &ClientDocument<'_>,
    range: TextRange,
) -> Vec<(Item<'db>, TextSize)> {
    let cut = cut_file(ctx.db(), place.file);
    let first = cut.starts.partition_point(|start| *start <= range.start()).saturating_sub(1);
    let items = cut.items.iter().zip(&cut.starts).skip(first).take_while(|(_, start)| **start <= range.end());
    items.map(|(&item, &start)| (item, start)).collect()
}

/// The ends of the places in an item that have a note on performance, and whether the note is on a loop.
fn noted(ctx: &RequestContext<'_>, item: Item<'_>, start: TextSize) -> Vec<(TextSize, bool)> {
    if ctx.config().notes == config::OFF {
        return Vec::new();
    }
    let found = check::report(ctx.db(), item).at(ctx.db(), item, start).into_iter();
    let notes = found.filter(|found| found.severity == Severity::Note);
    notes.map(|found| (found.range.end(), CheckCode::of(found.code).is_none())).collect()
}

/// Returns true if a hint is in the line of a place that ends before it.
fn is_behind(place: &ClientDocument<'_>, end: TextSize, hint: TextSize) -> bool {
    end <= hint && place.document.lines().line(end) == place.document.lines().line(hint)
}

/// Converts a hint. One whose place has a note has no tooltip.
pub(super) fn hint(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, is_noted: bool, found: Hint) -> InlayHint {
    let tooltip = markup(found.tooltip.clone(), ctx.profile().hover);
    InlayHint {
        position: place.position(found.offset),
        label: label(place, &found),
        // Hints about accesses and loops are neither types nor parameter names, so they have no kind; editors switch those
        // separately.
        kind: match found.kind {
            HintKind::Access | HintKind::Loop => None,
            HintKind::Argument => Some(InlayHintKind::Parameter),
            _ => Some(InlayHintKind::Type),
        },
        text_edits: found.edit.map(|edit| vec![place.edit(&edit)]),
        tooltip: (!is_noted).then_some(Tooltip::MarkupContent(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// Converts the label of a hint: a string, or parts of which some are links.
fn label(place: &ClientDocument<'_>, hint: &Hint) -> Label {
    if hint.links.is_empty() {
        return Label::String(hint.text.clone());
    }
    let part = |value: &str, location| InlayHintLabelPart { value: value.to_owned(), location, ..Default::default() };
    let (mut parts, mut end) = (Vec::new(), 0);
    for link in &hint.links {
        let range = std::ops::Range::<usize>::from(link.part);
        parts.push(part(&hint.text[end..range.start], None));
        parts.push(part(&hint.text[range.clone()], Some(place.location(link.target))));
        end = range.end;
    }
    parts.push(part(&hint.text[end..], None));
    parts.retain(|part| !part.value.is_empty());
    Label::InlayHintLabelPartList(parts)
}
