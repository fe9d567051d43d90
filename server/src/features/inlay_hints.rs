//! Inlay hints: inferred types, parameter names, and notes about loops and accesses.

use ide::hints;
use ide::hints::{Hint, HintKind};
use tower_lsp::gen_lsp_types::{InlayHint, InlayHintKind, InlayHintLabelPart, InlayHintParams, Label, Tooltip};
use tower_lsp::jsonrpc::Result;

use super::markup;
use crate::request_context::{Place, RequestContext};

/// `textDocument/inlayHint`.
pub(crate) fn inlay_hints(ctx: &RequestContext<'_>, params: &InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    let found = hints::type_hints(ctx.db(), place.file, range, &ctx.config().hints);
    Ok(Some(found.into_iter().map(|found| hint(ctx, &place, found)).collect()))
}

fn hint(ctx: &RequestContext<'_>, place: &Place<'_>, found: Hint) -> InlayHint {
    let tooltip = markup(found.tooltip.clone(), ctx.profile().hover);
    InlayHint {
        position: place.position(found.offset),
        label: label(place, &found),
        // Hints about accesses and loops are neither types nor parameter names, so they have no kind; editors switch those
        // separately.
        kind: (!matches!(found.kind, HintKind::Access | HintKind::Loop)).then_some(InlayHintKind::Type),
        text_edits: found.edit.map(|edit| vec![place.edit(&edit)]),
        tooltip: Some(Tooltip::MarkupContent(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// Converts the label of a hint: a string, or parts of which some are links.
fn label(place: &Place<'_>, hint: &Hint) -> Label {
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
