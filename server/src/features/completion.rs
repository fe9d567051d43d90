//! Completion at a place.

use ide::completion;
use ide::completion::CompletionKind;
use tower_lsp::gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, CompletionParams, CompletionResponse,
    InsertTextFormat, InsertTextMode, TextEdit,
};
use tower_lsp::jsonrpc::Result;

use super::documentation;
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/completion`.
pub(crate) fn completion(ctx: &RequestContext<'_>, params: &CompletionParams) -> Result<Option<CompletionResponse>> {
    let at = &params.text_document_position_params;
    let place = ctx.document(&at.text_document.uri)?;
    let offset = place.offset(at.position);
    let found = completion::completion(ctx.db(), place.file, offset);
    let items = found.into_iter().map(|found| item(ctx, &place, found)).collect();
    // The list holds every candidate at the place, so the client can filter it while the word is typed.
    let list = CompletionList { is_incomplete: false, items, ..Default::default() };
    Ok(Some(CompletionResponse::CompletionList(list)))
}

fn item(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, found: completion::CompletionItem) -> CompletionItem {
    let profile = ctx.profile();
    let snippet = found.snippet && profile.snippets;
    // A client without snippets gets the label alone, since placeholders would be inserted as text.
    let text = if found.snippet && !snippet { found.label.clone() } else { found.insert };
    let several_lines = text.contains('\n');
    let text = match several_lines && !profile.adjusts_indentation {
        true => text.replace('\n', &format!("\n{}", indentation(place, found.replace.start()))),
        false => text,
    };
    let docs = |docs| documentation(docs, profile.completion_docs);
    CompletionItem {
        kind: Some(kind(found.kind)),
        detail: found.detail,
        documentation: found.docs.map(docs),
        sort_text: Some(found.sort),
        insert_text_format: snippet.then_some(InsertTextFormat::Snippet),
        insert_text_mode: (several_lines && profile.adjusts_indentation).then_some(InsertTextMode::AdjustIndentation),
        text_edit: Some(CompletionItemTextEdit::TextEdit(TextEdit {
            range: place.range(found.replace),
            new_text: text,
        })),
        label: found.label,
        ..Default::default()
    }
}

/// The white space at the start of the line of an offset.
fn indentation<'p>(place: &'p ClientDocument<'_>, offset: report::TextSize) -> &'p str {
    let lines = place.document.lines();
    let line = &place.text()[lines.line_range(lines.line(offset))];
    &line[..line.len() - line.trim_start_matches(' ').len()]
}

fn kind(kind: CompletionKind) -> CompletionItemKind {
    match kind {
        CompletionKind::Parameter | CompletionKind::Variable | CompletionKind::LoopIndex => {
            CompletionItemKind::Variable
        }
        CompletionKind::Size => CompletionItemKind::TypeParameter,
        CompletionKind::Function | CompletionKind::Builtin => CompletionItemKind::Function,
        CompletionKind::Struct | CompletionKind::Type => CompletionItemKind::Struct,
        CompletionKind::Constant => CompletionItemKind::Constant,
        CompletionKind::Field => CompletionItemKind::Field,
        CompletionKind::Attribute => CompletionItemKind::Property,
        CompletionKind::Keyword => CompletionItemKind::Keyword,
        CompletionKind::File => CompletionItemKind::Module,
        CompletionKind::Snippet => CompletionItemKind::Snippet,
    }
}
