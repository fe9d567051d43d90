//! Call hierarchy in ISPC documents: the callers and callees of a function, over all units that know it.

use ide::ispc::calls::{self, IspcCall, IspcCallable};
use tower_lsp::gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, SymbolKind,
};
use tower_lsp::jsonrpc::Result;

use super::files;
use crate::request_context::RequestContext;

/// `textDocument/prepareCallHierarchy`.
pub(crate) fn prepare(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = calls::callable(ctx.db(), &files(ctx), place.file, place.offset(at.position));
    Ok(found.and_then(|found| item(ctx, found)).map(|found| vec![found]))
}

/// `callHierarchy/incomingCalls`.
pub(crate) fn incoming(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let place = ctx.ispc_document(&params.item.uri)?;
    let focus = place.offset(params.item.selection_range.start);
    let callers = calls::callers(ctx.db(), &files(ctx), place.file, focus, &params.item.name);
    let call = |call: IspcCall| {
        let caller = ctx.ispc_document_of(call.item.file)?;
        let from_ranges = call.places.iter().map(|range| caller.range(*range)).collect();
        Some(CallHierarchyIncomingCall { from: item(ctx, call.item)?, from_ranges })
    };
    Ok(Some(callers.into_iter().filter_map(call).collect()))
}

/// `callHierarchy/outgoingCalls`.
pub(crate) fn outgoing(
    ctx: &RequestContext<'_>,
    params: &CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let place = ctx.ispc_document(&params.item.uri)?;
    let focus = place.offset(params.item.selection_range.start);
    let callees = calls::callees(ctx.db(), &files(ctx), place.file, focus, &params.item.name);
    let call = |call: IspcCall| {
        let from_ranges = call.places.iter().map(|range| place.range(*range)).collect();
        Some(CallHierarchyOutgoingCall { to: item(ctx, call.item)?, from_ranges })
    };
    Ok(Some(callees.into_iter().filter_map(call).collect()))
}

fn item(ctx: &RequestContext<'_>, function: IspcCallable) -> Option<CallHierarchyItem> {
    let place = ctx.ispc_document_of(function.file)?;
    Some(CallHierarchyItem {
        name: function.name,
        kind: SymbolKind::Function,
        tags: None,
        detail: Some(function.detail),
        uri: place.uri(),
        range: place.range(function.range),
        selection_range: place.range(function.focus),
        data: None,
    })
}
