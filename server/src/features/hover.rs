//! Hover: type, facts and documentation of the symbol at a place.

use ide::hover::{HoverLink, hover_beside_notes};
use queries::check;
use report::{Severity, TextRange, TextSize};
use tower_lsp::gen_lsp_types::{Contents, Hover, HoverParams};
use tower_lsp::jsonrpc::Result;

use super::inlay_hints::items_in;
use super::markup;
use crate::client::Format;
use crate::config;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/hover`.
pub(crate) fn hover(ctx: &RequestContext<'_>, params: &HoverParams) -> Result<Option<Hover>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    let offset = place.offset(at.position);
    let found = hover_beside_notes(ctx.db(), place.file, offset, &notes_shown(ctx, &place, offset));
    let format = ctx.profile().hover;
    Ok(found.map(|found| Hover {
        range: Some(place.range(found.range)),
        contents: Contents::MarkupContent(markup(linked(&place, found, format), format)),
    }))
}

/// The places of the notes that the client shows beside the hover: those of the item that is hovered over.
fn notes_shown(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, offset: TextSize) -> Vec<TextRange> {
    if !ctx.profile().findings_beside_hover || ctx.config().notes == config::OFF {
        return Vec::new();
    }
    let items = items_in(ctx, place, TextRange::empty(offset));
    let found = items.iter().flat_map(|&(item, start)| check::report(ctx.db(), item).at(ctx.db(), item, start));
    found.filter(|found| found.severity == Severity::Note).map(|found| found.range).collect()
}

/// The text of a hover, with links to the places it names if the client shows Markdown.
fn linked(place: &ClientDocument<'_>, hover: ide::hover::Hover, format: Format) -> String {
    let mut text = hover.text;
    if format != Format::Markdown {
        return text;
    }
    for HoverLink { part, target } in hover.links.iter().rev() {
        // `#L` and a line number is the fragment that most editors understand.
        let address = format!("](<{}#L{}>)", place.document.uri.0, place.position(*target).line + 1);
        text.insert_str(part.end().into(), &address);
        text.insert(part.start().into(), '[');
    }
    text
}
