//! Lists about a whole ISPC document: its outline, folds, and links to headers.

use ide::ispc::folding as folds;
use ide::ispc::outline::{Entry, EntryKind, outline};
use tower_lsp::gen_lsp_types::{
    self as lsp, BaseSymbolInformation, DocumentLink, DocumentLinkParams, DocumentSymbolParams, FoldingRangeParams,
    SymbolInformation,
};
use tower_lsp::jsonrpc::Result;

use crate::features::folding::range;
use crate::placed_json::{JsonList, PlacedJson};
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/documentSymbol`.
pub(crate) fn symbols(ctx: &RequestContext<'_>, params: &DocumentSymbolParams) -> Result<Option<JsonList>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let mut list = JsonList::default();
    for entry in outline(ctx.db(), place.file) {
        if ctx.profile().symbol_tree {
            list.push(&mut PlacedJson::of(&node(&place, entry), 0), 0);
        } else {
            let mut flat = Vec::new();
            flatten(&place, entry, None, &mut flat);
            flat.iter().for_each(|symbol| list.push(&mut PlacedJson::of(symbol, 0), 0));
        }
    }
    Ok(Some(list))
}

#[allow(deprecated, reason = "the field is there, and has to be given")]
fn node(place: &ClientDocument<'_>, entry: Entry) -> lsp::DocumentSymbol {
    let children: Vec<_> = entry.children.into_iter().map(|child| node(place, child)).collect();
    lsp::DocumentSymbol {
        name: entry.name,
        detail: entry.detail,
        kind: kind(entry.kind),
        tags: None,
        deprecated: None,
        range: place.range(entry.range),
        selection_range: place.range(entry.focus),
        children: (!children.is_empty()).then_some(children),
    }
}

/// Flattens the outline for a client without hierarchical symbols; each entry names its container.
#[allow(deprecated, reason = "the field is there, and has to be given")]
fn flatten(place: &ClientDocument<'_>, entry: Entry, around: Option<&str>, list: &mut Vec<SymbolInformation>) {
    let container_name = around.map(str::to_owned);
    list.push(SymbolInformation {
        deprecated: None,
        location: place.location(entry.range),
        base_symbol_information: BaseSymbolInformation {
            name: entry.name.clone(),
            kind: kind(entry.kind),
            tags: None,
            container_name,
        },
    });
    for child in entry.children {
        flatten(place, child, Some(&entry.name), list);
    }
}

/// Maps a kind of entry to the protocol's kind.
pub(crate) fn kind(kind: EntryKind) -> lsp::SymbolKind {
    match kind {
        EntryKind::Function => lsp::SymbolKind::Function,
        EntryKind::Struct => lsp::SymbolKind::Struct,
        EntryKind::Field => lsp::SymbolKind::Field,
        EntryKind::Enum => lsp::SymbolKind::Enum,
        EntryKind::Enumerator => lsp::SymbolKind::EnumMember,
        EntryKind::Type => lsp::SymbolKind::Class,
        EntryKind::Variable => lsp::SymbolKind::Variable,
        EntryKind::Macro => lsp::SymbolKind::Constant,
    }
}

/// `textDocument/foldingRange`.
pub(crate) fn folding(ctx: &RequestContext<'_>, params: &FoldingRangeParams) -> Result<Option<JsonList>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let whole_lines = ctx.profile().whole_line_folds;
    let mut list = JsonList::default();
    for fold in folds::folding(ctx.db(), place.file) {
        if let Some(range) = range(&place, &fold, whole_lines) {
            list.push(&mut PlacedJson::of(&range, 0), 0);
        }
    }
    Ok(Some(list))
}

/// `textDocument/documentLink`: the names of headers lead to them.
pub(crate) fn document_links(
    ctx: &RequestContext<'_>,
    params: &DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let links = ide::ispc::definition::includes(ctx.db(), place.file).into_iter();
    let link = |(range, file)| {
        let target = Some(ctx.ispc_document_of(file)?.uri());
        Some(DocumentLink { range: place.range(range), target, tooltip: None, data: None })
    };
    Ok(Some(links.filter_map(link).collect()))
}
