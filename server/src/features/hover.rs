//! Hover: type, facts and documentation of the symbol at a place.

use ide::hover::{Beside, HoverLink};
use tower_lsp::gen_lsp_types::{Contents, Hover, HoverParams};
use tower_lsp::jsonrpc::Result;

use super::{markup, view_words};
use crate::client::Format;
use crate::config;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/hover`.
pub(crate) fn hover(ctx: &RequestContext<'_>, params: &HoverParams) -> Result<Option<Hover>> {
    let at = &params.text_document_position_params;
    if let Some(of_view) = view_words::hover(ctx, at)? {
        return Ok(of_view);
    }
    let place = ctx.document(&at.text_document.uri)?;
    let shows_notes = ctx.profile().findings_beside_hover && ctx.config().notes != config::OFF;
    let beside = if shows_notes { Beside::Notes } else { Beside::Nothing };
    let found = ide::hover::hover(ctx.db(), place.file, place.offset(at.position), beside);
    let format = ctx.profile().hover;
    Ok(found.map(|found| Hover {
        range: Some(place.range(found.range)),
        contents: Contents::MarkupContent(markup(linked(&place, found, format), format)),
    }))
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
