//! What a text leaves out, shown where it could be written.

use analysis::ide::hints::{self, Hint, HintKind};
use tower_lsp::gen_lsp_types::{InlayHint, InlayHintKind, InlayHintLabelPart, InlayHintParams, Label, Tooltip};
use tower_lsp::jsonrpc::Result;

use super::markup;
use crate::moment::{Moment, Place};

/// `textDocument/inlayHint`.
pub(crate) fn inlay_hints(moment: &Moment<'_>, params: &InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
    let place = moment.document(&params.text_document.uri)?;
    let range = place.text_range(params.range);
    let found = hints::type_hints(moment.db(), place.file, range, &moment.config().hints);
    Ok(Some(found.into_iter().map(|found| hint(moment, &place, found)).collect()))
}

fn hint(moment: &Moment<'_>, place: &Place<'_>, found: Hint) -> InlayHint {
    let tooltip = markup(found.tooltip.clone(), moment.profile().hover);
    InlayHint {
        position: place.position(found.offset),
        label: label(place, &found),
        // What lanes do is neither a type nor a parameter's name: editors have a switch of its own for what is neither.
        kind: (!matches!(found.kind, HintKind::Access | HintKind::Loop)).then_some(InlayHintKind::Type),
        text_edits: found.edit.map(|edit| vec![place.edit(&edit)]),
        tooltip: Some(Tooltip::MarkupContent(tooltip)),
        padding_left: None,
        padding_right: None,
        data: None,
    }
}

/// What is shown: a text, or parts of which some lead somewhere.
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
