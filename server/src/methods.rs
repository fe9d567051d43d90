//! The handler of each method: the table of contents of the server.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tower_lsp::LspServiceBuilder;
use tower_lsp::gen_lsp_types::{self as lsp, Notification, Request, Uri};
use tower_lsp::jsonrpc::Error;

use crate::core::Task;
use crate::documents::Change;
use crate::features::{
    call_hierarchy, code_actions, code_lenses, commands, completion, definition, diagnostics, document_links, faster,
    folding, formatting, highlights, hover, inlay_hints, ispc_files, references, rename, selection, semantic_tokens,
    signature_help, symbols, view, view_words,
};
use crate::placed_json::JsonList;
use crate::progress::{Progress, Tokens};
use crate::question::{AnswersLater, AnswersNow, Asked, Handler, ask_again, content_modified};
use crate::service::Backend;
use crate::uris;

type Builder = LspServiceBuilder<Backend>;

/// Registers a handler for each method.
pub(crate) fn register(builder: Builder) -> Builder {
    let methods = Methods { builder: notifications(builder) };
    let methods = methods
        .now_of_both::<lsp::HoverRequest>(hover::hover, ispc_files::hover::hover)
        .now_of_both::<lsp::SignatureHelpRequest>(
            signature_help::signature_help,
            ispc_files::signature_help::signature_help,
        )
        .now_of_both::<lsp::CompletionRequest>(completion::completion, ispc_files::completion::completion)
        .now_of_both::<lsp::DefinitionRequest>(definition::definition, ispc_files::navigation::definition)
        .now_of_both::<lsp::DeclarationRequest>(definition::declaration, ispc_files::navigation::declaration)
        .now::<lsp::TypeDefinitionRequest>(definition::type_definition)
        .now_of_both::<lsp::ReferencesRequest>(references::references, ispc_files::navigation::references)
        .now_of_both::<lsp::DocumentHighlightRequest>(highlights::highlights, ispc_files::navigation::highlights)
        .now_of_both::<lsp::PrepareRenameRequest>(rename::prepare, ispc_files::rename::prepare)
        .now_of_both::<lsp::RenameRequest>(rename::rename, ispc_files::rename::rename)
        .now_of_both::<lsp::CallHierarchyPrepareRequest>(call_hierarchy::prepare, ispc_files::call_hierarchy::prepare)
        .now_of_both::<lsp::CallHierarchyIncomingCallsRequest>(
            call_hierarchy::incoming,
            ispc_files::call_hierarchy::incoming,
        )
        .now_of_both::<lsp::CallHierarchyOutgoingCallsRequest>(
            call_hierarchy::outgoing,
            ispc_files::call_hierarchy::outgoing,
        )
        .now::<lsp::SelectionRangeRequest>(selection::selection)
        .now_of_both::<lsp::InlayHintRequest>(inlay_hints::inlay_hints, ispc_files::inlay_hints::inlay_hints)
        .now_of_both::<lsp::SemanticTokensRangeRequest>(semantic_tokens::range, ispc_files::semantic_tokens::range);
    let methods = methods
        .slow_of_both::<lsp::SemanticTokensRequest>(semantic_tokens::full, ispc_files::semantic_tokens::full)
        .slow_of_both::<lsp::SemanticTokensDeltaRequest>(semantic_tokens::delta, ispc_files::semantic_tokens::delta)
        .slow_of_both::<symbols::DocumentRequest>(symbols::document, ispc_files::lists::symbols)
        .slow_of_both::<folding::FoldingRequest>(folding::folding, ispc_files::lists::folding)
        .slow_of_both::<code_lenses::LensRequest>(code_lenses::code_lenses, ispc_files::view::code_lenses)
        .slow_of_both::<lsp::DocumentLinkRequest>(document_links::document_links, ispc_files::lists::document_links)
        .slow::<lsp::WorkspaceSymbolRequest>(symbols::workspace);
    let methods = methods
        .again::<diagnostics::DocumentRequest>(diagnostics::document, Some(ispc_files::diagnostics::document))
        .again::<diagnostics::WorkspaceRequest>(diagnostics::workspace, None);
    let methods = methods
        .later_of_both::<lsp::CodeActionRequest>(code_actions::code_actions, ispc_files::code_actions::code_actions)
        .later_of_both::<lsp::DocumentFormattingRequest>(formatting::document, ispc_files::formatting::document)
        .later_of_both::<lsp::DocumentRangeFormattingRequest>(formatting::range, ispc_files::formatting::range)
        .later_of_both::<lsp::DocumentRangesFormattingRequest>(formatting::ranges, ispc_files::formatting::ranges)
        .now_of_both::<lsp::DocumentOnTypeFormattingRequest>(formatting::on_type, ispc_files::formatting::on_type);
    let methods = methods
        .later::<lsp::ExecuteCommandRequest>(commands::execute)
        .later::<lsp::TextDocumentContentRequest>(view::content)
        .later_of_both::<view::ViewRequest>(view::view, ispc_files::view::view)
        .now::<view_words::WordRequest>(view_words::word);
    methods.builder
}

fn notifications(builder: Builder) -> Builder {
    let builder = told::<lsp::DidOpenTextDocumentNotification>(builder, |params| {
        let lsp::TextDocumentItem { uri, version, text, language_id } = params.text_document;
        // Clients report views that they open like any document. A view is generated and no source, so its text is not analysed;
        // only the map of its lines to source is known.
        let text = if view::is_view(&uri) { String::new() } else { text };
        Task::Open { uri, language: language_id.into(), version, text }
    });
    let builder = on(builder, "textDocument/didChange", |params: DidChange| {
        let Versioned { uri, version } = params.text_document;
        match view::is_view(&uri) {
            true => Task::Nothing,
            false => Task::Change { uri, version, changes: params.content_changes },
        }
    });
    let builder =
        told::<lsp::DidCloseTextDocumentNotification>(builder, |params| Task::Close(params.text_document.uri));
    let builder = told::<lsp::DidSaveTextDocumentNotification>(builder, |params| Task::Saved(params.text_document.uri));
    let builder = told::<lsp::DidChangeConfigurationNotification>(builder, |params| Task::Settings(params.settings));
    let builder = told::<lsp::DidChangeWatchedFilesNotification>(builder, |params| Task::Files(params.changes));
    let builder = told::<lsp::DidChangeWorkspaceFoldersNotification>(builder, |params| Task::Folders {
        added: params.event.added,
        removed: params.event.removed,
    });
    let builder = told::<lsp::SetTraceNotification>(builder, |params| Task::Trace(params.value));
    told::<lsp::WorkDoneProgressCancelNotification>(builder, |params| Task::CancelProgress(params.token))
}

/// Parameters of an edit. The protocol crate's own types read a part with a malformed range as a whole text, which would replace
/// everything.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: Versioned,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct Versioned {
    uri: Uri,
    version: i32,
}

fn told<N: Notification + 'static>(builder: Builder, task: fn(N::Params) -> Task) -> Builder {
    on(builder, N::METHOD.as_str(), task)
}

fn on<P: DeserializeOwned + Send + 'static>(builder: Builder, method: &'static str, task: fn(P) -> Task) -> Builder {
    builder.custom_method(method, move |_: &Backend, params: P| async move { Backend::tell(task(params)) })
}

struct Methods {
    builder: Builder,
}

impl Methods {
    /// Registers a quick request about a place.
    fn now<R: Request + 'static>(self, handler: AnswersNow<R::Params, R::Result>) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Now(handler), None, false, content_modified)
    }

    /// Registers a quick request about a place, with the handler for ISPC documents. Where there is none, the answer about those is empty.
    fn now_of_both<R: Request + 'static>(
        self,
        handler: AnswersNow<R::Params, R::Result>,
        of_ispc: AnswersNow<R::Params, R::Result>,
    ) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Now(handler), Some(Handler::Now(of_ispc)), false, content_modified)
    }

    /// Registers a request about a whole document, or all of them, which may be slow.
    fn slow<R: Request + 'static>(self, handler: AnswersNow<R::Params, R::Result>) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Now(handler), None, true, content_modified)
    }

    /// Registers a request that may be slow, with the handler for ISPC documents.
    fn slow_of_both<R: Request + 'static>(
        self,
        handler: AnswersNow<R::Params, R::Result>,
        of_ispc: AnswersNow<R::Params, R::Result>,
    ) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Now(handler), Some(Handler::Now(of_ispc)), true, content_modified)
    }

    /// Registers a slow request that the client repeats by itself on a server's refresh, with the handler for ISPC documents.
    fn again<R: Request + 'static>(
        self,
        handler: AnswersNow<R::Params, R::Result>,
        of_ispc: Option<AnswersNow<R::Params, R::Result>>,
    ) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Now(handler), of_ispc.map(Handler::Now), true, ask_again)
    }

    /// Registers a request whose answer takes long to compute after the facts were read.
    fn later<R: Request + 'static>(self, handler: AnswersLater<R::Params, R::Result>) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Later(handler), None, true, content_modified)
    }

    /// Registers a request whose answer takes long, with the handler for ISPC documents.
    fn later_of_both<R: Request + 'static>(
        self,
        handler: AnswersLater<R::Params, R::Result>,
        of_ispc: AnswersLater<R::Params, R::Result>,
    ) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        self.add::<R>(Handler::Later(handler), Some(Handler::Later(of_ispc)), true, content_modified)
    }

    fn add<R: Request + 'static>(
        self,
        handler: Handler<R::Params, R::Result>,
        of_ispc: Option<Handler<R::Params, R::Result>>,
        slow: bool,
        refusal: fn() -> Error,
    ) -> Methods
    where
        R::Params: AboutDocument,
        R::Result: Empty,
    {
        let name = R::METHOD.as_str();
        let builder = self.builder.custom_method(name, move |_: &Backend, params: R::Params| {
            Backend::ask(move |reply, stop| {
                let about = params.uri().map(uris::key);
                let progress = Arc::new(Progress::new(params.tokens()));
                let (empty, reply) = (R::Result::empty, Some(reply));
                Asked { name, about, params, handler, of_ispc, slow, refusal, empty, reply, stop, progress }
            })
        });
        Methods { builder }
    }
}

/// Parameters of a request about a document: when that document changes, the answer is obsolete.
pub(crate) trait AboutDocument {
    /// Address of the document, for a request about exactly one.
    fn uri(&self) -> Option<&Uri>;

    /// Progress tokens of the request; none for a request that is answered at once.
    fn tokens(&self) -> Tokens {
        Tokens::default()
    }
}

/// Results of which there is an empty one: the answer about a document that is gone.
pub(crate) trait Empty {
    /// The empty result.
    fn empty() -> Self;
}

impl<T> Empty for Option<T> {
    fn empty() -> Self {
        None
    }
}

impl Empty for diagnostics::Report {
    fn empty() -> Self {
        diagnostics::Report::Full { result_id: None, items: JsonList::default() }
    }
}

impl Empty for diagnostics::WorkspaceReport {
    fn empty() -> Self {
        diagnostics::WorkspaceReport { items: Vec::new() }
    }
}

impl Empty for lsp::TextDocumentContentResult {
    fn empty() -> Self {
        lsp::TextDocumentContentResult { text: view::ViewResult::empty().with_note() }
    }
}

impl Empty for view::ViewResult {
    fn empty() -> Self {
        view::ViewResult {
            text: String::new(),
            language_id: "plaintext".to_owned(),
            version: None,
            stage: String::new(),
            name: String::new(),
            target: None,
            outdated: false,
            note: Some("the source of this view is closed, and is no file".to_owned()),
            lines: Vec::new(),
        }
    }
}

macro_rules! about {
    ($($params:ty: $($field:ident).+;)*) => {
        $(impl AboutDocument for $params {
            fn uri(&self) -> Option<&Uri> {
                Some(&self.$($field).+)
            }
        })*
    };
}

about! {
    lsp::HoverParams: text_document_position_params.text_document.uri;
    lsp::SignatureHelpParams: text_document_position_params.text_document.uri;
    lsp::CompletionParams: text_document_position_params.text_document.uri;
    lsp::DefinitionParams: text_document_position_params.text_document.uri;
    lsp::DeclarationParams: text_document_position_params.text_document.uri;
    lsp::TypeDefinitionParams: text_document_position_params.text_document.uri;
    lsp::ReferenceParams: text_document_position_params.text_document.uri;
    lsp::DocumentHighlightParams: text_document_position_params.text_document.uri;
    lsp::PrepareRenameParams: text_document_position_params.text_document.uri;
    lsp::RenameParams: text_document_position_params.text_document.uri;
    lsp::CallHierarchyPrepareParams: text_document_position_params.text_document.uri;
    lsp::CallHierarchyIncomingCallsParams: item.uri;
    lsp::CallHierarchyOutgoingCallsParams: item.uri;
    lsp::CodeActionParams: text_document.uri;
    lsp::SelectionRangeParams: text_document.uri;
    lsp::InlayHintParams: text_document.uri;
    lsp::SemanticTokensParams: text_document.uri;
    lsp::SemanticTokensDeltaParams: text_document.uri;
    lsp::SemanticTokensRangeParams: text_document.uri;
    lsp::DocumentSymbolParams: text_document.uri;
    lsp::FoldingRangeParams: text_document.uri;
    lsp::CodeLensParams: text_document.uri;
    lsp::DocumentLinkParams: text_document.uri;
    lsp::DocumentDiagnosticParams: text_document.uri;
    lsp::DocumentFormattingParams: text_document.uri;
    lsp::DocumentRangeFormattingParams: text_document.uri;
    lsp::DocumentRangesFormattingParams: text_document.uri;
    lsp::DocumentOnTypeFormattingParams: text_document.uri;
    view::ViewParams: text_document.uri;
}

macro_rules! about_all {
    ($($params:ty;)*) => {
        $(impl AboutDocument for $params {
            fn uri(&self) -> Option<&Uri> {
                None
            }
        })*
    };
}

impl AboutDocument for lsp::ExecuteCommandParams {
    fn uri(&self) -> Option<&Uri> {
        None
    }

    fn tokens(&self) -> Tokens {
        match self.work_done_progress_params.work_done_token.clone() {
            // Editors give no token for a command, and this one takes long.
            None if self.command == faster::FIND => Tokens::own(faster::FIND),
            work => Tokens { work, ..Tokens::default() },
        }
    }
}

about_all! {
    // The request is about a view, which follows its source and so is never obsolete.
    lsp::TextDocumentContentParams;
    // The request is about a line of text, whatever document it is of.
    view_words::WordParams;
}

macro_rules! about_all_step_by_step {
    ($($params:ty;)*) => {
        $(impl AboutDocument for $params {
            fn uri(&self) -> Option<&Uri> {
                None
            }

            fn tokens(&self) -> Tokens {
                Tokens {
                    work: self.work_done_progress_params.work_done_token.clone(),
                    parts: self.partial_result_params.partial_result_token.clone(),
                    is_own: false,
                }
            }
        })*
    };
}

about_all_step_by_step! {
    lsp::WorkspaceSymbolParams;
    lsp::WorkspaceDiagnosticParams;
}
