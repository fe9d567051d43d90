//! Signature help in ISPC documents: all overloads of the function that is called.

use ide::ispc::signature_help::{IspcSignature, signature_help as signatures_at};
use report::TextRange;
use tower_lsp::gen_lsp_types::{
    ActiveParameter, ParameterInformation, ParameterInformationLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};
use tower_lsp::jsonrpc::Result;

use crate::features::documentation;
use crate::request_context::RequestContext;

/// `textDocument/signatureHelp`.
pub(crate) fn signature_help(ctx: &RequestContext<'_>, params: &SignatureHelpParams) -> Result<Option<SignatureHelp>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let Some(found) = signatures_at(ctx.db(), place.file, place.offset(at.position)) else { return Ok(None) };
    let n_parameters = found.signatures.get(found.active).map_or(0, |signature| signature.parameters.len());
    // An index behind the last parameter means none, also to clients that do not know `null`.
    let active = match found.argument < n_parameters || !ctx.profile().no_active_parameter {
        true => ActiveParameter::Int(found.argument.min(n_parameters) as u32),
        false => ActiveParameter::Null,
    };
    let signatures = found.signatures.into_iter().map(|it| signature(ctx, it)).collect();
    Ok(Some(SignatureHelp { signatures, active_signature: Some(found.active as u32), active_parameter: Some(active) }))
}

fn signature(ctx: &RequestContext<'_>, found: IspcSignature) -> SignatureInformation {
    let profile = ctx.profile();
    let label = |range: TextRange| match profile.label_offsets {
        // Offsets into a label count UTF-16 code units, whatever the unit of positions is.
        true => {
            let units = |end| found.label[TextRange::up_to(end)].encode_utf16().count() as u32;
            ParameterInformationLabel::Tuple((units(range.start()), units(range.end())))
        }
        false => ParameterInformationLabel::String(found.label[range].to_owned()),
    };
    let parameter = |range: &TextRange| ParameterInformation { label: label(*range), documentation: None };
    let parameters: Vec<_> = found.parameters.iter().map(parameter).collect();
    SignatureInformation {
        parameters: Some(parameters),
        documentation: found.docs.map(|docs| documentation(docs, profile.signature_docs)),
        label: found.label,
        active_parameter: None,
    }
}
