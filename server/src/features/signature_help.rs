//! Signature help: the parameters of a call while it is typed.

use report::TextRange;
use tower_lsp::gen_lsp_types::{
    ActiveParameter, ParameterInformation, ParameterInformationLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};
use tower_lsp::jsonrpc::Result;

use super::documentation;
use crate::request_context::RequestContext;

/// `textDocument/signatureHelp`.
pub(crate) fn signature_help(ctx: &RequestContext<'_>, params: &SignatureHelpParams) -> Result<Option<SignatureHelp>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    let found = ide::signature_help::signature_help(ctx.db(), place.file, place.offset(at.position));
    Ok(found.map(|found| help(ctx, found)))
}

fn help(ctx: &RequestContext<'_>, found: ide::signature_help::SignatureHelp) -> SignatureHelp {
    let profile = ctx.profile();
    let label = |&range: &TextRange| match profile.label_offsets {
        // Offsets into a label count UTF-16 code units, whatever the unit of positions is.
        true => {
            let units = |end| found.label[TextRange::up_to(end)].encode_utf16().count() as u32;
            ParameterInformationLabel::Tuple((units(range.start()), units(range.end())))
        }
        false => ParameterInformationLabel::String(found.label[range].to_owned()),
    };
    let parameter = |range| ParameterInformation { label: label(range), documentation: None };
    let parameters: Vec<_> = found.parameters.iter().map(parameter).collect();
    let active = match found.active {
        Some(active) => Some(ActiveParameter::Int(active as u32)),
        None if profile.no_active_parameter => Some(ActiveParameter::Null),
        // Older clients do not know `null`; for them an index behind the last parameter means none.
        None => Some(ActiveParameter::Int(parameters.len() as u32)),
    };
    let docs = found.docs.map(|docs| documentation(docs, profile.signature_docs));
    let signature = SignatureInformation {
        label: found.label,
        documentation: docs,
        parameters: Some(parameters),
        active_parameter: None,
    };
    SignatureHelp { signatures: vec![signature], active_signature: Some(0), active_parameter: active }
}
