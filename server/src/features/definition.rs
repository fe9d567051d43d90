//! Go to definition and type definition. In a view, the definition of a line is its source.

use ide::definition;
use ide::definition::DefinitionSite;
use queries::db::{Database, File};
use report::TextSize;
use tower_lsp::gen_lsp_types::{
    Declaration, DeclarationParams, DeclarationResponse, Definition, DefinitionParams, DefinitionResponse, Location,
    LocationLink, TextDocumentPositionParams, TypeDefinitionParams, TypeDefinitionResponse,
};
use tower_lsp::jsonrpc::Result;

use super::view_lines;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/definition`.
pub(crate) fn definition(ctx: &RequestContext<'_>, params: &DefinitionParams) -> Result<Option<DefinitionResponse>> {
    let at = &params.text_document_position_params;
    let found = match view_lines::source_of(ctx, at)? {
        Some(source) => Found::Locations(source),
        None => targets(
            ctx,
            at,
            |db, file, offset| definition::definition(db, file, offset),
            ctx.profile().definition_links,
        )?,
    };
    Ok(Some(match found {
        Found::Links(links) => DefinitionResponse::DefinitionLinkList(links),
        Found::Locations(list) => DefinitionResponse::Definition(Definition::LocationList(list)),
    }))
}

/// `textDocument/declaration`: in Lane a declaration is the definition.
pub(crate) fn declaration(ctx: &RequestContext<'_>, params: &DeclarationParams) -> Result<Option<DeclarationResponse>> {
    let at = &params.text_document_position_params;
    Ok(Some(
        match targets(
            ctx,
            at,
            |db, file, offset| definition::definition(db, file, offset),
            ctx.profile().declaration_links,
        )? {
            Found::Links(links) => DeclarationResponse::DeclarationLinkList(links),
            Found::Locations(list) => DeclarationResponse::Declaration(Declaration::LocationList(list)),
        },
    ))
}

/// `textDocument/typeDefinition`.
pub(crate) fn type_definition(
    ctx: &RequestContext<'_>,
    params: &TypeDefinitionParams,
) -> Result<Option<TypeDefinitionResponse>> {
    let at = &params.text_document_position_params;
    Ok(Some(
        match targets(
            ctx,
            at,
            |db, file, offset| definition::type_definition(db, file, offset),
            ctx.profile().type_definition_links,
        )? {
            Found::Links(links) => TypeDefinitionResponse::DefinitionLinkList(links),
            Found::Locations(list) => TypeDefinitionResponse::Definition(Definition::LocationList(list)),
        },
    ))
}

enum Found {
    Links(Vec<LocationLink>),
    Locations(Vec<Location>),
}

fn targets(
    ctx: &RequestContext<'_>,
    at: &TextDocumentPositionParams,
    ask: impl Fn(&Database, File, TextSize) -> Vec<DefinitionSite>,
    links: bool,
) -> Result<Found> {
    let place = ctx.document(&at.text_document.uri)?;
    let targets = ask(ctx.db(), place.file, place.offset(at.position));
    let place_of = |target: &DefinitionSite| match target.file == place.file {
        true => ctx.document(&at.text_document.uri).ok(),
        false => ctx.document_of(target.file),
    };
    let targets = targets.iter().filter_map(|target| Some((place_of(target)?, target)));
    Ok(match links {
        true => Found::Links(targets.map(|(place, target)| link(&place, target)).collect()),
        false => Found::Locations(targets.map(|(place, target)| place.location(target.focus)).collect()),
    })
}

pub(super) fn link(place: &ClientDocument<'_>, target: &DefinitionSite) -> LocationLink {
    LocationLink {
        origin_selection_range: None,
        target_uri: place.uri(),
        target_range: place.range(target.range),
        target_selection_range: place.range(target.focus),
    }
}
