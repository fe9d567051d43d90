//! The client: its capabilities, and the messages the server sends it without a request.

use std::future::Future;
use std::pin::Pin;

use lane::tree::text::ColumnUnit;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;
use tower_lsp::Client;
use tower_lsp::gen_lsp_types::{
    LogMessageNotification, LogMessageParams, LogTraceNotification, LogTraceParams, MessageType, Notification,
    PositionEncodingKind, PublishDiagnosticsNotification, Request, Uri,
};
use tower_lsp::jsonrpc::Result;

use crate::placed_json::JsonList;
use crate::transport::{Kind, Unqueued, Writer};

/// Capabilities of a client, as far as answers depend on them. A client that announces nothing has none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what the client says it supports")]
pub(crate) struct Profile {
    /// Unit in which its positions count columns.
    pub(crate) unit: ColumnUnit,
    pub(crate) hover: Format,
    /// Shows the findings at a place beside its hover.
    pub(crate) findings_beside_hover: bool,
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
    /// Applies edits that the server asks for.
    pub(crate) applies_edits: bool,
    pub(crate) related_information: bool,
    pub(crate) unnecessary_tag: bool,
    pub(crate) pull_diagnostics: bool,
    pub(crate) whole_line_folds: bool,
    pub(crate) watches_files: bool,
    pub(crate) answers_configuration: bool,
    pub(crate) told_configuration: bool,
    pub(crate) work_done_progress: bool,
    pub(crate) shows_documents: bool,
    /// Shows a message with answers to choose from.
    pub(crate) chooses: bool,
    pub(crate) text_document_content: bool,
    pub(crate) refreshes: Refreshes,
}

/// Formats of text that a client renders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Text rendered as Markdown.
    Markdown,
    /// Plain text, marked as such in the message.
    Plain,
    /// Bare strings only: the client knows no formats.
    Text,
}

/// Answers that a client requests again when the server sends a refresh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is named after what the client says it supports")]
pub(crate) struct Refreshes {
    pub(crate) semantic_tokens: bool,
    pub(crate) inlay_hints: bool,
    pub(crate) code_lenses: bool,
    pub(crate) diagnostics: bool,
}

impl Profile {
    /// Reads the capabilities from the parameters of `initialize`.
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
            findings_beside_hover: can("/experimental/lanescope/findingsBesideHover"),
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
            applies_edits: can("/workspace/applyEdit"),
            related_information: can("/textDocument/publishDiagnostics/relatedInformation"),
            unnecessary_tag: lists("/textDocument/publishDiagnostics/tagSupport/valueSet", 1.into()),
            pull_diagnostics: has("/textDocument/diagnostic"),
            whole_line_folds: can("/textDocument/foldingRange/lineFoldingOnly"),
            watches_files: can("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            answers_configuration: can("/workspace/configuration"),
            told_configuration: can("/workspace/didChangeConfiguration/dynamicRegistration"),
            work_done_progress: can("/window/workDoneProgress"),
            chooses: has("/window/showMessage"),
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

/// Chooses the unit of positions: the first encoding in the client's list, ordered by its preference, that the server knows.
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

/// Converts a unit to the protocol's name for it.
pub(crate) fn encoding(unit: ColumnUnit) -> PositionEncodingKind {
    match unit {
        ColumnUnit::Utf8 => PositionEncodingKind::UTF8,
        ColumnUnit::Utf16 => PositionEncodingKind::UTF16,
        ColumnUnit::Utf32 => PositionEncodingKind::UTF32,
    }
}

type Sending = Pin<Box<dyn Future<Output = ()> + Send>>;
type Send_ = Box<dyn FnOnce(Client) -> Sending + Send>;

/// The queue of messages sent to the client without a request. No sender blocks. Notifications are written in the order in which
/// they are queued, and before an answer that is given after them.
#[derive(Clone)]
pub(crate) struct Outbox {
    writer: Writer,
    requests: mpsc::UnboundedSender<Send_>,
}

/// The receiving end of an outbox, for requests to the client.
pub(crate) struct Outgoing {
    requests: mpsc::UnboundedReceiver<Send_>,
}

/// The diagnostics of a version of a document, as they are published.
#[derive(Serialize)]
pub(crate) struct Published {
    pub(crate) uri: Uri,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) version: Option<i32>,
    pub(crate) diagnostics: JsonList,
}

#[derive(Serialize)]
struct Notice<P> {
    jsonrpc: &'static str,
    method: &'static str,
    params: P,
}

impl Outbox {
    /// Creates an outbox whose notifications go to a writer, and the receiver of its requests.
    pub(crate) fn new(writer: Writer) -> (Outbox, Outgoing) {
        let (requests, outgoing) = mpsc::unbounded_channel();
        (Outbox { writer, requests }, Outgoing { requests: outgoing })
    }

    /// Queues a notification for the client.
    pub(crate) fn notify<N: Notification>(&self, params: N::Params) {
        self.notify_as::<N>(Kind::Needed, params);
    }

    /// Queues a notification that matters as much as `kind` says.
    pub(crate) fn notify_as<N: Notification>(&self, kind: Kind, params: N::Params) {
        self.send::<N>(kind, params);
    }

    fn send<N: Notification>(&self, kind: Kind, params: impl Serialize) {
        self.writer.send_as(kind, &Notice { jsonrpc: "2.0", method: N::METHOD.as_str(), params });
    }

    /// Publishes the diagnostics of a document, in place of those that the client has not read yet.
    pub(crate) fn publish(&self, params: Published) {
        let subject = Kind::Superseded(params.uri.0.clone());
        self.send::<PublishDiagnosticsNotification>(subject, params);
    }

    /// Returns true if requests should wait, since the client has not read the answers to others.
    pub(crate) fn is_busy(&self) -> bool {
        self.writer.is_busy()
    }

    /// Counts an answer until it is queued.
    pub(crate) fn unqueued(&self) -> Unqueued {
        self.writer.unqueued()
    }

    /// Sends a request; `then` is called with the answer, if one ever arrives.
    pub(crate) fn request<R: Request>(&self, params: R::Params, then: impl FnOnce(Result<R::Result>) + Send + 'static) {
        let send =
            |client: Client| -> Sending { Box::pin(async move { then(client.send_request::<R>(params).await) }) };
        let _ = self.requests.send(Box::new(send));
    }

    /// Writes a line to the client's log.
    pub(crate) fn log(&self, kind: MessageType, message: impl Into<String>) {
        self.notify_as::<LogMessageNotification>(Kind::Informative, LogMessageParams { kind, message: message.into() });
    }

    /// Writes a line to the trace, if the client turned it on.
    pub(crate) fn trace(&self, message: String, verbose: Option<String>) {
        self.notify_as::<LogTraceNotification>(Kind::Informative, LogTraceParams { message, verbose });
    }
}

impl Outgoing {
    /// Sends queued requests concurrently: no request waits for the answer to another.
    pub(crate) async fn send_all(mut self, client: Client) {
        while let Some(send) = self.requests.recv().await {
            tokio::spawn(send(client.clone()));
        }
    }
}
