//! The server's capabilities, as announced to the client in `initialize`.

use tower_lsp::gen_lsp_types::{
    CallHierarchyProvider, ChangeNotifications, CodeActionKind, CodeActionOptions, CodeActionProvider, CodeLensOptions,
    CompletionOptions, DeclarationProvider, DefinitionProvider, DiagnosticOptions, DiagnosticProvider,
    DocumentFormattingProvider, DocumentHighlightProvider, DocumentLinkOptions, DocumentOnTypeFormattingOptions,
    DocumentRangeFormattingOptions, DocumentRangeFormattingProvider, DocumentSymbolProvider, ExecuteCommandOptions,
    FoldingRangeProvider, Full, HoverProvider, InitializeResult, InlayHintProvider, ReferencesProvider, RenameOptions,
    RenameProvider, Save, SelectionRangeProvider, SemanticTokensFullDelta, SemanticTokensOptions,
    SemanticTokensOptionsRange, SemanticTokensProvider, ServerCapabilities, ServerInfo, SignatureHelpOptions,
    TextDocumentContent, TextDocumentContentOptions, TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions,
    TypeDefinitionProvider, WorkDoneProgressOptions, WorkspaceFoldersServerCapabilities, WorkspaceOptions,
    WorkspaceSymbolOptions, WorkspaceSymbolProvider,
};

use crate::client::{Profile, encoding};
use crate::features::{code_actions, commands, faster, semantic_tokens, view};
use crate::machine_views::NativeViews;
use crate::memory::PRELUDE_SCHEME;

/// Builds the result of `initialize` for a client's profile.
pub(crate) fn initialize_result(profile: &Profile, native: &dyn NativeViews) -> InitializeResult {
    let experimental = serde_json::json!({ "lanescope": { "stages": view::stages(native) } });
    let version = Some(env!("CARGO_PKG_VERSION").to_owned());
    InitializeResult {
        capabilities: ServerCapabilities { experimental: Some(experimental), ..capabilities(profile) },
        server_info: Some(ServerInfo { name: "lanescope".to_owned(), version }),
    }
}

fn capabilities(profile: &Profile) -> ServerCapabilities {
    let words = |words: &[&str]| Some(words.iter().map(|&word| word.to_owned()).collect());
    ServerCapabilities {
        position_encoding: Some(encoding(profile.unit)),
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(Save::Bool(true)),
            ..Default::default()
        })),
        completion_provider: Some(CompletionOptions { trigger_characters: words(&[".", "@"]), ..Default::default() }),
        hover_provider: Some(HoverProvider::Bool(true)),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: words(&["(", ","]),
            ..Default::default()
        }),
        declaration_provider: Some(DeclarationProvider::Bool(true)),
        definition_provider: Some(DefinitionProvider::Bool(true)),
        type_definition_provider: Some(TypeDefinitionProvider::Bool(true)),
        references_provider: Some(ReferencesProvider::Bool(true)),
        document_highlight_provider: Some(DocumentHighlightProvider::Bool(true)),
        document_symbol_provider: Some(DocumentSymbolProvider::Bool(true)),
        code_action_provider: Some(code_actions(profile)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false), ..Default::default() }),
        document_link_provider: Some(DocumentLinkOptions::default()),
        workspace_symbol_provider: Some(WorkspaceSymbolProvider::WorkspaceSymbolOptions(WorkspaceSymbolOptions {
            work_done_progress_options: work_done_progress(),
            ..Default::default()
        })),
        document_formatting_provider: Some(DocumentFormattingProvider::Bool(true)),
        document_range_formatting_provider: Some(DocumentRangeFormattingProvider::DocumentRangeFormattingOptions(
            DocumentRangeFormattingOptions { ranges_support: Some(true), ..Default::default() },
        )),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "\n".to_owned(),
            more_trigger_character: words(&[":", "}"]),
        }),
        rename_provider: Some(RenameProvider::RenameOptions(RenameOptions {
            prepare_provider: Some(true),
            ..Default::default()
        })),
        folding_range_provider: Some(FoldingRangeProvider::Bool(true)),
        selection_range_provider: Some(SelectionRangeProvider::Bool(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: commands::NAMES.iter().map(|&name| name.to_owned()).collect(),
            work_done_progress_options: work_done_progress(),
        }),
        call_hierarchy_provider: Some(CallHierarchyProvider::Bool(true)),
        semantic_tokens_provider: Some(SemanticTokensProvider::SemanticTokensOptions(SemanticTokensOptions {
            legend: semantic_tokens::legend(),
            range: Some(SemanticTokensOptionsRange::Bool(true)),
            full: Some(Full::SemanticTokensFullDelta(SemanticTokensFullDelta { delta: Some(true) })),
            ..Default::default()
        })),
        inlay_hint_provider: Some(InlayHintProvider::Bool(true)),
        // Diagnostics are pushed to clients that do not pull them.
        diagnostic_provider: profile.pull_diagnostics.then(|| {
            DiagnosticProvider::DiagnosticOptions(DiagnosticOptions {
                identifier: Some("lanescope".to_owned()),
                inter_file_dependencies: true,
                workspace_diagnostics: true,
                work_done_progress_options: work_done_progress(),
            })
        }),
        workspace: Some(WorkspaceOptions {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(ChangeNotifications::Bool(true)),
            }),
            text_document_content: profile.text_document_content.then(|| {
                TextDocumentContent::Options(TextDocumentContentOptions {
                    schemes: vec![view::SCHEME.to_owned(), PRELUDE_SCHEME.to_owned()],
                })
            }),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// Announces progress reports, which are sent to clients that give a token for them.
fn work_done_progress() -> WorkDoneProgressOptions {
    WorkDoneProgressOptions { work_done_progress: Some(true) }
}

/// Announces code actions, without a list of their kinds for a client that does not know kinds.
fn code_actions(profile: &Profile) -> CodeActionProvider {
    if !profile.code_action_literals {
        return CodeActionProvider::Bool(true);
    }
    CodeActionProvider::CodeActionOptions(CodeActionOptions {
        code_action_kinds: Some(vec![
            CodeActionKind::QuickFix,
            CodeActionKind::RefactorRewrite,
            code_actions::view_kind(),
            faster::run_kind(),
        ]),
        ..Default::default()
    })
}
