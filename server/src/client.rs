//! The client: what it can do, and what it is told unasked.

use std::future::Future;
use std::pin::Pin;

use analysis::text::ColumnUnit;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::gen_lsp_types::{
    LogMessageNotification, LogMessageParams, LogTraceNotification, LogTraceParams, MessageType, Notification,
    PositionEncodingKind, Request,
};
use tower_lsp::jsonrpc::Result;

use crate::transport::Writer;

/// What a client can do, as far as an answer depends on it. A client that says nothing can do none of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what the client says it supports")]
pub(crate) struct Profile {
    /// What its positions count.
    pub(crate) unit: ColumnUnit,
    pub(crate) hover: Format,
    pub(crate) completion_docs: Format,
    pub(crate) signature_docs: Format,
    pub(crate) snippets: bool,
    pub(crate) adjusts_indentation: bool,
    pub(crate) label_offsets: bool,
    pub(crate) no_active_parameter: bool,
    pub(crate) symbol_tree: bool,
    pub(crate) definition_links: bool,
    pub(crate) type_definition_links: bool,
    pub(crate) declaration_links: bool,
    pub(crate) code_action_literals: bool,
    pub(crate) document_changes: bool,
    pub(crate) related_information: bool,
    pub(crate) unnecessary_tag: bool,
    pub(crate) pull_diagnostics: bool,
    pub(crate) whole_line_folds: bool,
    pub(crate) watches_files: bool,
    pub(crate) answers_configuration: bool,
    pub(crate) told_configuration: bool,
    pub(crate) work_done_progress: bool,
    pub(crate) shows_documents: bool,
    pub(crate) text_document_content: bool,
    pub(crate) refreshes: Refreshes,
}

/// What a text may look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Markdown.
    Markdown,
    /// Said to be plain.
    Plain,
    /// No more than a text: the client knows no formats.
    Text,
}

/// What a client asks for again when it is told to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what the client says it supports")]
pub(crate) struct Refreshes {
    pub(crate) semantic_tokens: bool,
    pub(crate) inlay_hints: bool,
    pub(crate) code_lenses: bool,
    pub(crate) diagnostics: bool,
}

impl Profile {
    /// Reads what a client says of itself.
    pub(crate) fn new(said: &Value) -> Profile {
        let can = |path: &str| said.pointer(path).and_then(Value::as_bool).unwrap_or_default();
        let has = |path: &str| said.pointer(path).is_some_and(|found| !found.is_null());
        let lists = |path: &str, wanted: Value| {
            let listed = said.pointer(path).and_then(Value::as_array);
            listed.is_some_and(|listed| listed.contains(&wanted))
        };
        let format = |path: &str| match said.pointer(path).and_then(Value::as_array) {
            Some(formats) if formats.contains(&"markdown".into()) => Format::Markdown,
            Some(formats) if formats.contains(&"plaintext".into()) => Format::Plain,
            _ => Format::Text,
        };
        Profile {
            unit: unit(said),
            hover: format("/textDocument/hover/contentFormat"),
            completion_docs: format("/textDocument/completion/completionItem/documentationFormat"),
            signature_docs: format("/textDocument/signatureHelp/signatureInformation/documentationFormat"),
            snippets: can("/textDocument/completion/completionItem/snippetSupport"),
            adjusts_indentation: lists(
                "/textDocument/completion/completionItem/insertTextModeSupport/valueSet",
                2.into(),
            ),
            label_offsets: can(
                "/textDocument/signatureHelp/signatureInformation/parameterInformation/labelOffsetSupport",
            ),
            no_active_parameter: can("/textDocument/signatureHelp/signatureInformation/noActiveParameterSupport"),
            symbol_tree: can("/textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            definition_links: can("/textDocument/definition/linkSupport"),
            type_definition_links: can("/textDocument/typeDefinition/linkSupport"),
            declaration_links: can("/textDocument/declaration/linkSupport"),
            code_action_literals: has("/textDocument/codeAction/codeActionLiteralSupport"),
            document_changes: can("/workspace/workspaceEdit/documentChanges"),
            related_information: can("/textDocument/publishDiagnostics/relatedInformation"),
            unnecessary_tag: lists("/textDocument/publishDiagnostics/tagSupport/valueSet", 1.into()),
            pull_diagnostics: has("/textDocument/diagnostic"),
            whole_line_folds: can("/textDocument/foldingRange/lineFoldingOnly"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            answers_configuration: can("/workspace/configuration"),
            told_configuration: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            work_done_progress: can("/window/workDoneProgress"),
            shows_documents: can("/window/showDocument/support"),
            text_document_content: has("/workspace/textDocumentContent"),
            refreshes: Refreshes {
                semantic_tokens: can("/workspace/semanticTokens/refreshSupport"),
                inlay_hints: can("/workspace/inlayHint/refreshSupport"),
                code_lenses: can("/workspace/codeLens/refreshSupport"),
                diagnostics: can("/workspace/diagnostics/refreshSupport"),
            },
        }
    }
}

/// What positions count: the first that the client offers and we know, and it puts the one it likes best first.
fn unit(said: &Value) -> ColumnUnit {
    let offered = said.pointer("/general/positionEncodings").and_then(Value::as_array);
    let known = offered.into_iter().flatten().find_map(|kind| match kind.as_str()? {
        "utf-8" => Some(ColumnUnit::Utf8),
        "utf-16" => Some(ColumnUnit::Utf16),
        "utf-32" => Some(ColumnUnit::Utf32),
        _ => None,
    });
    known.unwrap_or(ColumnUnit::Utf16)
}

/// What the protocol calls a unit.
pub(crate) fn encoding(unit: ColumnUnit) -> PositionEncodingKind {
    match unit {
        ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
        ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
        ColumnUnit::Utf32 => PositionEncodingKind::UTF32,
    }
}

type Sending = Pin<Box<dyn Future<Output = ()> + Send>>;
type Send_ = Box<dyn FnOnce(Client) -> Sending + Send>;

/// What the client is told unasked. Nobody who puts something in waits for anything. Notifications are written in the order
/// in which they are put in, and before an answer that is given after them.
#[derive(Clone)]
pub(crate) struct Outbox {
    writer: Writer,
    requests: mpsc::UnboundedSender<Send_>,
}

/// The requests that are put into an outbox.
pub(crate) struct Outgoing {
    requests: mpsc::UnboundedReceiver<Send_>,
}

#[derive(Serialize)]
struct Notice<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

impl Outbox {
    /// An outbox whose notifications go to a writer, and the requests that are put in.
    pub(crate) fn new(writer: Writer) -> (Outbox, Outgoing) {
        let (requests, outgoing) = mpsc::unbounded_channel();
        (Outbox { writer, requests }, Outgoing { requests: outgoing })
    }

    /// Sends a notification.
    pub(crate) fn notify<N: Notification>(&self, params: N::Params) {
        self.writer.send(&Notice { jsonrpc: "2.0", method: N::METHOD.as_str(), params });
    }

    /// Sends a request; `then` gets the answer, if one ever comes.
    pub(crate) fn request<R: Request>(&self, params: R::Params, then: impl FnOnce(Result<R::Result>) + Send + 'static) {
        let send =
            |client: Client| -> Sending { Box::pin(async move { then(client.send_request::<R>(params).await) }) };
        let _ = self.requests.send(Box::new(send));
    }

    /// Writes a line into the client's log.
    pub(crate) fn log(&self, kind: MessageType, message: impl Into<String>) {
        self.notify::<LogMessageNotification>(LogMessageParams { kind, message: message.into() });
    }

    /// Writes a line into the trace that the client asked for.
    pub(crate) fn trace(&self, message: String, verbose: Option<String>) {
        self.notify::<LogTraceNotification>(LogTraceParams { message, verbose });
    }
}

impl Outgoing {
    /// Sends what is put in; answers come while others go on.
    pub(crate) async fn send_all(mut self, client: Client) {
        while let Some(send) = self.requests.recv().await {
            tokio::spawn(send(client.clone()));
        }
    }
}
