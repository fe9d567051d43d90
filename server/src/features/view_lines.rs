//! The lines of views that are documents of the server's: where each came from, which belong together, and what stands in one.

use tower_lsp::gen_lsp_types::{Location, Position, Range, TextDocumentPositionParams};
use tower_lsp::jsonrpc::Result;

use super::view::{self, Address};
use crate::request_context::RequestContext;

/// The source of a line of a view; `None` if the document is not a view.
pub(crate) fn source_of(ctx: &RequestContext<'_>, at: &TextDocumentPositionParams) -> Result<Option<Vec<Location>>> {
    let Some(address) = Address::parse(&at.text_document.uri) else { return Ok(None) };
    let Some((place, kept)) = address.kept(ctx)? else { return Ok(Some(Vec::new())) };
    let source = kept.lines.get(at.position.line as usize).copied().flatten();
    Ok(Some(source.map(|source| place.location(source)).into_iter().collect()))
}

/// A line of a view with the language and the target of the view; `None` if the document is not a view.
pub(super) fn line_of_view(
    ctx: &RequestContext<'_>,
    at: &TextDocumentPositionParams,
) -> Result<Option<(String, Option<String>, String)>> {
    let Some(address) = Address::parse(&at.text_document.uri) else { return Ok(None) };
    let native = ctx.state().native.stages().iter().chain(ctx.state().native.ispc_stages());
    let language = native.into_iter().find(|stage| stage.name == address.stage).map(|stage| stage.language_id);
    let language = language.unwrap_or_else(|| view::language_id(&address.stage)).to_owned();
    let kept = address.kept(ctx)?;
    let line = kept.and_then(|(_, kept)| kept.text.lines().nth(at.position.line as usize).map(str::to_owned));
    Ok(Some((language, address.target, line.unwrap_or_default())))
}

/// The lines of a view with the same source as a line; `None` if the document is not a view.
pub(crate) fn lines_like(ctx: &RequestContext<'_>, at: &TextDocumentPositionParams) -> Result<Option<Vec<Range>>> {
    let Some(address) = Address::parse(&at.text_document.uri) else { return Ok(None) };
    let Some((place, kept)) = address.kept(ctx)? else { return Ok(Some(Vec::new())) };
    let Some(source) = kept.lines.get(at.position.line as usize).copied().flatten() else {
        return Ok(Some(Vec::new()));
    };
    let lines = kept.lines.iter().zip(kept.text.lines()).enumerate();
    let alike = lines.filter(|(_, (other, _))| **other == Some(source));
    let range = |(n, (_, text)): (usize, (_, &str))| Range {
        start: Position { line: n as u32, character: 0 },
        end: Position { line: n as u32, character: place.width(text) },
    };
    Ok(Some(alike.map(range).collect()))
}
