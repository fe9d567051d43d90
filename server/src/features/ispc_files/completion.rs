//! Completion in ISPC documents.

use ide::ispc::completion::{CandidateKind, IspcCandidate};
use tower_lsp::gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, CompletionParams, CompletionResponse,
    TextEdit,
};
use tower_lsp::jsonrpc::Result;

use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/completion`.
pub(crate) fn completion(ctx: &RequestContext<'_>, params: &CompletionParams) -> Result<Option<CompletionResponse>> {
    let at = &params.text_document_position_params;
    let place = ctx.ispc_document(&at.text_document.uri)?;
    let found = ide::ispc::completion::completion(ctx.db(), place.file, place.offset(at.position));
    let items = found.into_iter().enumerate().map(|(nth, found)| item(&place, nth, found)).collect();
    // The list holds every candidate at the place, so the client can filter it while the word is typed.
    let list = CompletionList { is_incomplete: false, items, ..Default::default() };
    Ok(Some(CompletionResponse::CompletionList(list)))
}

fn item(place: &ClientDocument<'_>, nth: usize, found: IspcCandidate) -> CompletionItem {
    CompletionItem {
        kind: Some(kind(found.kind)),
        detail: found.detail,
        sort_text: Some(format!("{nth:05}")),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range: place.range(found.replace),
            new_text: found.label.clone(),
        })),
        label: found.label,
        ..Default::default()
    }
}

fn kind(kind: CandidateKind) -> CompletionItemKind {
    match kind {
        CandidateKind::Variable => CompletionItemKind::Variable,
        CandidateKind::Member => CompletionItemKind::Field,
        CandidateKind::Function => CompletionItemKind::Function,
        CandidateKind::Type => CompletionItemKind::Struct,
        CandidateKind::Enumerator => CompletionItemKind::EnumMember,
        CandidateKind::Macro => CompletionItemKind::Constant,
        CandidateKind::Keyword | CandidateKind::Directive => CompletionItemKind::Keyword,
        CandidateKind::Header => CompletionItemKind::File,
    }
}
