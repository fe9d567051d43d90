//! What is known about what someone points at.

use analysis::ide::{self, hover::HoverLink};
use tower_lsp::gen_lsp_types::{Contents, Hover, HoverParams};
use tower_lsp::jsonrpc::Result;

use super::markup;
use crate::client::Format;
use crate::moment::{Moment, Place};

/// `textDocument/hover`.
pub(crate) fn hover(moment: &Moment<'_>, params: &HoverParams) -> Result<Option<Hover>> {
    let at = &params.text_document_position_params;
    let place = moment.document(&at.text_document.uri)?;
    let found = ide::hover::hover(moment.db(), place.file, place.offset(at.position));
    let format = moment.profile().hover;
    Ok(found.map(|found| Hover {
        range: Some(place.range(found.range)),
        contents: Contents::MarkupContent(markup(linked(&place, found, format), format)),
    }))
}

/// The text of a hover, in which places are links that an editor jumps to, where it shows links at all.
fn linked(place: &Place<'_>, hover: ide::hover::Hover, format: Format) -> String {
    let mut text = hover.text;
    if format != Format::Markdown {
        return text;
    }
    for HoverLink { part, target } in hover.links.iter().rev() {
        // A line behind `#L` is what editors agree on.
        let address = format!("](<{}#L{}>)", place.document.uri.0, place.position(*target).line + 1);
        text.insert_str(part.end().into(), &address);
        text.insert(part.start().into(), '[');
    }
    text
}
