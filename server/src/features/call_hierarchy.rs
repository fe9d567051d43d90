//! Who calls whom.

use analysis::ide::calls::{self, Call};
use analysis::ide::symbols::DocumentSymbol;
use tower_lsp::gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCall,
    CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
};
use tower_lsp::jsonrpc::Result;

use super::symbols;
use crate::moment::{Moment, Place};

/// `textDocument/prepareCallHierarchy`.
pub(crate) fn prepare(
    moment: &Moment<'_>,
    params: &CallHierarchyPrepareParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let at = &params.text_document_position_params;
    let place = moment.document(&at.text_document.uri)?;
    let found = calls::callable(moment.db(), place.file, place.offset(at.position));
    Ok(found.map(|found| vec![item(&place, found)]))
}

/// `callHierarchy/incomingCalls`.
pub(crate) fn incoming(
    moment: &Moment<'_>,
    params: &CallHierarchyIncomingCallsParams,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let place = moment.document(&params.item.uri)?;
    let callers = calls::callers(moment.db(), place.file, place.offset(params.item.selection_range.start));
    let call = |Call { item: from, places }: Call| CallHierarchyIncomingCall {
        from: item(&place, from),
        from_ranges: places.into_iter().map(|range| place.range(range)).collect(),
    };
    Ok(Some(callers.into_iter().map(call).collect()))
}

/// `callHierarchy/outgoingCalls`.
pub(crate) fn outgoing(
    moment: &Moment<'_>,
    params: &CallHierarchyOutgoingCallsParams,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let place = moment.document(&params.item.uri)?;
    let callees = calls::callees(moment.db(), place.file, place.offset(params.item.selection_range.start));
    let call = |Call { item: to, places }: Call| CallHierarchyOutgoingCall {
        to: item(&place, to),
        from_ranges: places.into_iter().map(|range| place.range(range)).collect(),
    };
    Ok(Some(callees.into_iter().map(call).collect()))
}

fn item(place: &Place<'_>, symbol: DocumentSymbol) -> CallHierarchyItem {
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
