//! Call hierarchy: the callers and callees of a function or kernel.

use ide::calls;
use ide::calls::Call;
use ide::symbols::DocumentSymbol;
use queries::check::name_place;
use queries::db::file_items;
use report::{ItemKind, TextSize};
use tower_lsp::gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
};
use tower_lsp::jsonrpc::Result;

use super::symbols;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/prepareCallHierarchy`.
pub(crate) fn prepare(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    let found = calls::callable(ctx.db(), place.file, place.offset(at.position));
    Ok(found.map(|found| vec![item(&place, found)]))
}

/// `callHierarchy/incomingCalls`.
pub(crate) fn incoming(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let place = ctx.document(&params.item.uri)?;
    let callers = calls::callers(ctx.db(), place.file, name_of(ctx, &place, &params.item));
    let call = |Call { item: from, places }: Call| CallHierarchyIncomingCall {
        from: item(&place, from),
        from_ranges: places.into_iter().map(|range| place.range(range)).collect(),
    };
    Ok(Some(callers.into_iter().map(call).collect()))
}

/// `callHierarchy/outgoingCalls`.
pub(crate) fn outgoing(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let place = ctx.document(&params.item.uri)?;
    let callees = calls::callees(ctx.db(), place.file, name_of(ctx, &place, &params.item));
    let call = |Call { item: to, places }: Call| CallHierarchyOutgoingCall {
        to: item(&place, to),
        from_ranges: places.into_iter().map(|range| place.range(range)).collect(),
    };
    Ok(Some(callees.into_iter().map(call).collect()))
}

/// Finds the name of an item in the present text: a client shows an item for long, and the text above it may be edited meanwhile.
fn name_of(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, item: &CallHierarchyItem) -> TextSize {
    let db = ctx.db();
    let at = place.offset(item.selection_range.start);
    if calls::callable(db, place.file, at).is_some_and(|found| found.name == item.name) {
        return at;
    }
    let callable = |kind: ItemKind| matches!(kind, ItemKind::Fn | ItemKind::Kernel);
    let mut items = file_items(db, place.file).iter();
    let named = items.find(|other| callable(other.kind(db)) && **other.name(db) == *item.name);
    named.and_then(|&named| name_place(db, named)).map_or(at, |name| name.start())
}

fn item(place: &ClientDocument<'_>, symbol: DocumentSymbol) -> CallHierarchyItem {
    CallHierarchyItem {
        name: symbol.name,
        kind: symbols::kind(symbol.kind),
        tags: None,
        detail: symbol.detail,
        uri: place.uri(),
        range: place.range(symbol.range),
        selection_range: place.range(symbol.focus),
        data: None,
    }
}
