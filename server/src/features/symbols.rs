//! Outline of a document, and search for symbols in the workspace.

use std::collections::HashMap;

use ide::ispc::workspace::search;
use ide::symbols;
use ide::symbols::{DocumentSymbol, SymbolKind};
use queries::db::{File, Item};
use report::{TextRange, TextSize};
use tower_lsp::gen_lsp_types::{
    self as lsp, BaseSymbolInformation, DocumentSymbolParams, LspRequestMethod, MessageDirection, Request,
    SymbolInformation, WorkspaceSymbolLocation, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};
use tower_lsp::jsonrpc::Result;

use super::ispc_files::lists;
use super::kept_lists;
use crate::placed_json::JsonList;
use crate::request_context::{ClientDocument, RequestContext};

/// Limit on the number of results; a longer query narrows the list.
const MOST: usize = 500;

/// The request `textDocument/documentSymbol`, whose list is JSON already.
pub(crate) enum DocumentRequest {}

impl Request for DocumentRequest {
    type Params = DocumentSymbolParams;
    type Result = Option<JsonList>;
    const METHOD: LspRequestMethod<'static> = lsp::DocumentSymbolRequest::METHOD;
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// `textDocument/documentSymbol`.
pub(crate) fn document(ctx: &RequestContext<'_>, params: &DocumentSymbolParams) -> Result<Option<JsonList>> {
    let place = ctx.document(&params.text_document.uri)?;
    let symbol = |item: Item<'_>, start: TextSize| symbols::item_symbol(ctx.db(), item, start);
    let method = DocumentRequest::METHOD.as_str();
    if ctx.profile().symbol_tree {
        let tree = |item: Item<'_>, start: TextSize| {
            symbol(item, start).into_iter().map(|symbol| node(&place, symbol)).collect()
        };
        return Ok(Some(kept_lists::list(ctx, &place, method, "", tree)));
    }
    Ok(Some(kept_lists::list(ctx, &place, method, "", |item: Item<'_>, start: TextSize| {
        let mut list = Vec::new();
        symbol(item, start).into_iter().for_each(|symbol| flatten(&place, symbol, None, &mut list));
        list
    })))
}

#[allow(deprecated, reason = "the field is there, and has to be given")]
fn node(place: &ClientDocument<'_>, symbol: DocumentSymbol) -> lsp::DocumentSymbol {
    let children: Vec<_> = symbol.children.into_iter().map(|child| node(place, child)).collect();
    lsp::DocumentSymbol {
        name: symbol.name,
        detail: symbol.detail,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: place.range(symbol.range),
        selection_range: place.range(symbol.focus),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Flattens the outline for a client without hierarchical symbols; each entry names its container. The `deprecated` field is part
/// of the protocol's type.
#[allow(deprecated, reason = "the field is there, and has to be given")]
fn flatten(
    place: &ClientDocument<'_>,
    symbol: DocumentSymbol,
    around: Option<&str>,
    list: &mut Vec<SymbolInformation>,
) {
    list.push(SymbolInformation {
        deprecated: None,
        location: place.location(symbol.range),
        base_symbol_information: information(symbol.name.clone(), symbol.kind, around.map(str::to_owned)),
    });
    for child in symbol.children {
        flatten(place, child, Some(&symbol.name), list);
    }
}

/// `workspace/symbol`.
pub(crate) fn workspace(
    ctx: &RequestContext<'_>,
    params: &WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>> {
    let places = ctx.documents();
    // Results are sorted by how well a name matches, so no partial result can be sent before all files are searched.
    let files = places.iter().enumerate().map(|(n, place)| {
        ctx.report("Searching kernels", n, places.len());
        place.file
    });
    // Who looks for all names looks for those of the workspace.
    let libraries = queries::uses::library_files(ctx.db()).filter(|_| !params.query.is_empty());
    let files = files.chain(libraries);
    let found = symbols::workspace_symbols(ctx.db(), files, &params.query).into_iter().take(MOST);
    let symbol = |(score, found): (i32, symbols::WorkspaceSymbol)| {
        let own = places.iter().find(|place| place.file == found.file);
        let other = if own.is_some() { None } else { ctx.document_of(found.file) };
        let place = own.or(other.as_ref())?;
        Some((score, workspace_symbol(place, found.name, kind(found.kind), found.focus)))
    };
    let mut list: Vec<_> = found.filter_map(symbol).collect();
    let of_ispc = ctx.all_ispc_documents();
    let by_file: HashMap<File, &ClientDocument<'_>> = of_ispc.iter().map(|place| (place.file, place)).collect();
    let found = search(ctx.db(), of_ispc.iter().map(|place| place.file), &params.query).into_iter().take(MOST);
    list.extend(found.filter_map(|(score, found)| {
        let place = by_file.get(&found.file)?;
        Some((score, workspace_symbol(place, found.name, lists::kind(found.kind), found.focus)))
    }));
    list.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    list.truncate(MOST);
    let list = list.into_iter().map(|(_, symbol)| symbol).collect();
    Ok(Some(WorkspaceSymbolResponse::WorkspaceSymbolList(list)))
}

fn workspace_symbol(
    place: &ClientDocument<'_>,
    name: String,
    kind: lsp::SymbolKind,
    focus: TextRange,
) -> lsp::WorkspaceSymbol {
    let container_name = place.document.uri.0.rsplit('/').next().map(crate::uris::decode);
    lsp::WorkspaceSymbol {
        location: WorkspaceSymbolLocation::Location(place.location(focus)),
        data: None,
        base_symbol_information: BaseSymbolInformation { name, kind, tags: None, container_name },
    }
}

fn information(name: String, kind: SymbolKind, container_name: Option<String>) -> BaseSymbolInformation {
    BaseSymbolInformation { name, kind: self::kind(kind), tags: None, container_name }
}

/// Maps a kind of symbol to the protocol's kind.
pub(crate) fn kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Kernel | SymbolKind::Function => lsp::SymbolKind::Function,
        SymbolKind::Struct => lsp::SymbolKind::Struct,
        SymbolKind::Field => lsp::SymbolKind::Field,
        SymbolKind::Constant => lsp::SymbolKind::Constant,
    }
}
