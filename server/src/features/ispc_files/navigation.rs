//! Definitions, declarations, references and highlights in ISPC documents.

use ide::definition::DefinitionSite;
use ide::ispc::definition::{Wanted, definition as sites};
use ide::ispc::references;
use tower_lsp::gen_lsp_types::{
    Declaration, DeclarationParams, DeclarationResponse, Definition, DefinitionParams, DefinitionResponse,
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, LocationLink, ReferenceParams,
    TextDocumentPositionParams,
};
use tower_lsp::jsonrpc::Result;

use super::{files, location};
use crate::features::definition::link;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/definition`.
pub(crate) fn definition(ctx: &RequestContext<'_>, params: &DefinitionParams) -> Result<Option<DefinitionResponse>> {
    let at = &params.text_document_position_params;
    let found = found(ctx, at, Wanted::Definitions)?;
    Ok(Some(match ctx.profile().definition_links {
        true => DefinitionResponse::DefinitionLinkList(links(&found)),
        false => DefinitionResponse::Definition(Definition::LocationList(locations(&found))),
    }))
}

/// `textDocument/declaration`: prototypes, and what is `extern`.
pub(crate) fn declaration(ctx: &RequestContext<'_>, params: &DeclarationParams) -> Result<Option<DeclarationResponse>> {
    let at = &params.text_document_position_params;
    let found = found(ctx, at, Wanted::Declarations)?;
    Ok(Some(match ctx.profile().declaration_links {
        true => DeclarationResponse::DeclarationLinkList(links(&found)),
        false => DeclarationResponse::Declaration(Declaration::LocationList(locations(&found))),
    }))
}

fn found<'c>(
    ctx: &'c RequestContext<'_>,
    at: &TextDocumentPositionParams,
    wanted: Wanted,
) -> Result<Vec<(ClientDocument<'c>, DefinitionSite)>> {
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = sites(ctx.db(), &files(ctx), place.file, place.offset(at.position), wanted);
    Ok(found.into_iter().filter_map(|site| Some((ctx.ispc_document_of(site.file)?, site))).collect())
}

fn links(found: &[(ClientDocument<'_>, DefinitionSite)]) -> Vec<LocationLink> {
    found.iter().map(|(place, site)| link(place, site)).collect()
}

fn locations(found: &[(ClientDocument<'_>, DefinitionSite)]) -> Vec<Location> {
    found.iter().map(|(place, site)| place.location(site.focus)).collect()
}

/// `textDocument/references`.
pub(crate) fn references(ctx: &RequestContext<'_>, params: &ReferenceParams) -> Result<Option<Vec<Location>>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = references::references(ctx.db(), &files(ctx), place.file, place.offset(at.position));
    let wanted = found.into_iter().filter(|it| params.context.include_declaration || !it.declares);
    Ok(Some(wanted.filter_map(|it| location(ctx, it.site)).collect()))
}

/// `textDocument/documentHighlight`.
pub(crate) fn highlights(
    ctx: &RequestContext<'_>,
    params: &DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = references::highlights(ctx.db(), place.file, place.offset(at.position));
    let highlight = |it: references::IspcReference| DocumentHighlight {
        range: place.range(it.site.range),
        kind: Some(DocumentHighlightKind::Text),
    };
    Ok(Some(found.into_iter().map(highlight).collect()))
}
