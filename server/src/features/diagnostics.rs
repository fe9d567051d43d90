//! Diagnostics of a document, published by the server or pulled by the client.
//!
//! - [`search`]: the search for them, whose answers are kept from one key to the next
//!
//! While the first search in a long file goes on, lists of what is known so far are published; each is complete for what it is, and
//! names its version. A client that pulls gets such a list too, and is asked to pull again when all is found.

mod search;

use std::sync::Arc;

use hir::errors::CheckCode;
use report::{Diagnostic, Severity};
use serde::{Deserialize, Serialize};
use tower_lsp::gen_lsp_types::{
    self as lsp, Code, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, DocumentDiagnosticParams,
    LspRequestMethod, Message, MessageDirection, Request, Uri, WorkspaceDiagnosticParams,
};
use tower_lsp::jsonrpc::Result;

use crate::client::{Profile, Published};
use crate::config::{self, Config};
use crate::documents::{Key, Language};
use crate::placed_json::{JsonList, unmarked};
use crate::question::{Interrupted, Question, Stop, run};
use crate::request_context::{ClientDocument, RequestContext};

pub(crate) use search::FileFindings;
use search::{Step, find};

/// The request `textDocument/diagnostic`, whose list is JSON already.
pub(crate) enum DocumentRequest {}

impl Request for DocumentRequest {
    type Params = DocumentDiagnosticParams;
    type Result = Report;
    const METHOD: LspRequestMethod<'static> = lsp::DocumentDiagnosticRequest::METHOD;
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// The request `workspace/diagnostic`, whose lists are JSON already.
pub(crate) enum WorkspaceRequest {}

impl Request for WorkspaceRequest {
    type Params = WorkspaceDiagnosticParams;
    type Result = WorkspaceReport;
    const METHOD: LspRequestMethod<'static> = lsp::WorkspaceDiagnosticRequest::METHOD;
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// The diagnostics of a document, or a word that the client has them.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(crate) enum Report {
    Full {
        #[serde(skip_serializing_if = "Option::is_none")]
        result_id: Option<String>,
        items: JsonList,
    },
    Unchanged {
        result_id: String,
    },
}

impl Report {
    /// The report of a list, unless the client has it.
    pub(super) fn of(items: JsonList, previous: Option<&str>) -> Report {
        // Equal findings have equal ids, whatever happened in between.
        let result_id = items.id();
        if previous == Some(&*result_id) {
            return Report::Unchanged { result_id };
        }
        Report::Full { result_id: Some(result_id), items }
    }
}

/// The diagnostics of all documents.
#[derive(Serialize, Deserialize)]
pub(crate) struct WorkspaceReport {
    pub(crate) items: Vec<OfDocument>,
}

/// The diagnostics of one of all documents.
#[derive(Serialize, Deserialize)]
pub(crate) struct OfDocument {
    uri: Uri,
    version: Option<i32>,
    #[serde(flatten)]
    report: Report,
}

/// `textDocument/diagnostic`.
pub(crate) fn document(ctx: &RequestContext<'_>, params: &DocumentDiagnosticParams) -> Result<Report> {
    let place = ctx.document(&params.text_document.uri)?;
    // Findings that take long arrive behind the answer, and are pulled again.
    let refreshes = ctx.profile().refreshes.diagnostics && place.document.version.is_some();
    Ok(report(ctx, &place, params.previous_result_id.as_deref(), refreshes))
}

/// `workspace/diagnostic`.
pub(crate) fn workspace(ctx: &RequestContext<'_>, params: &WorkspaceDiagnosticParams) -> Result<WorkspaceReport> {
    let previous = |place: &ClientDocument<'_>| {
        let known = params.previous_result_ids.iter().find(|known| crate::uris::key(&known.uri) == place.document.key);
        known.map(|known| known.value.as_str())
    };
    let places = ctx.documents().into_iter().map(|place| (place, Language::Lane));
    let of_ispc = ctx.ispc_documents().into_iter().map(|place| (place, Language::Ispc));
    let places: Vec<_> = places.chain(of_ispc).collect();
    let n_places = places.len();
    let mut items = Vec::new();
    for (n, (place, language)) in places.into_iter().enumerate() {
        ctx.report("Checking kernels", n, n_places);
        let report = match language {
            // Where headers are still to be read, nothing is said before they were.
            Language::Ispc if ctx.fetches(&place) => continue,
            Language::Ispc => Report::of(super::ispc_files::diagnostics::list(ctx, &place), previous(&place)),
            _ => report(ctx, &place, previous(&place), false),
        };
        let part = OfDocument { uri: place.uri(), version: place.document.version, report };
        let part = WorkspaceReport { items: vec![part] };
        if !ctx.tell_part(&part) {
            items.extend(part.items);
        }
    }
    Ok(WorkspaceReport { items })
}

fn report(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, previous: Option<&str>, may_be_part: bool) -> Report {
    let key = &place.document.key;
    let (mut items, mut is_part) = (None, false);
    ctx.state().memory.with_findings(key, |kept| {
        find(ctx, place, kept, |step, list| {
            items = Some(list);
            is_part = step == Step::Part && may_be_part;
            !is_part
        });
    });
    if is_part {
        (ctx.state().ask)(Box::new(Publish::to_pull(key.clone())));
    }
    Report::of(items.unwrap_or_default(), previous)
}

/// Converts a finding to the protocol's type. Where its text names a line, that is written by `line`.
pub(crate) fn diagnostic(
    profile: &Profile,
    config: &Config,
    place: &ClientDocument<'_>,
    found: &Diagnostic,
    line: impl Fn(u32) -> String,
) -> lsp::Diagnostic {
    let mut message = unmarked(&found.message);
    if let Some(help) = &found.help {
        message += &format!("\n{}", unmarked(help));
    }
    let related = found.related.iter().map(|related| DiagnosticRelatedInformation {
        location: place.location(related.range),
        message: unmarked(&related.message),
    });
    let related: Vec<_> = related.collect();
    if !profile.related_information {
        // For a client that does not show related locations, the message names them.
        for related in &related {
            let line = line(related.location.range.start.line + 1);
            message += &format!("\nline {line}: {}", unmarked(&related.message));
        }
    }
    let unnecessary = profile.unnecessary_tag && found.code == CheckCode::UnusedName;
    lsp::Diagnostic {
        range: place.range(found.range),
        severity: Some(match found.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::Note if config.notes == config::PROBLEMS => DiagnosticSeverity::Information,
            Severity::Note => DiagnosticSeverity::Hint,
        }),
        code: Some(Code::String(found.code.to_string())),
        code_description: None,
        source: Some("lanescope".to_owned()),
        message: Message::String(message),
        tags: unnecessary.then(|| vec![DiagnosticTag::Unnecessary]),
        related_information: (profile.related_information && !related.is_empty()).then_some(related),
        data: None,
    }
}

/// A task that finds the diagnostics of an open document, and publishes them or has the client pull them.
pub(crate) struct Publish {
    key: Key,
    stop: Arc<Stop>,
    pulls: bool,
}

impl Publish {
    /// Creates the task for the document with this key.
    pub(crate) fn new(key: Key) -> Publish {
        Publish { key, stop: Arc::default(), pulls: false }
    }

    /// Creates the task for a document of a client that has pulled a part of its diagnostics.
    fn to_pull(key: Key) -> Publish {
        Publish { pulls: true, ..Publish::new(key) }
    }
}

impl Publish {
    /// Publishes the diagnostics of an ISPC document, once all that it includes was read.
    fn ask_of_ispc(&self, ctx: &RequestContext<'_>) -> std::result::Result<(), Interrupted> {
        let Some(place) = ctx.ispc_document_by_key(&self.key) else { return Ok(()) };
        let found = run(&self.stop, ctx, |ctx| {
            let has_all = !ctx.fetches(&place);
            Ok(has_all.then(|| super::ispc_files::diagnostics::list(ctx, &place)))
        })?;
        match found {
            // The core asks again when the files were read.
            Ok(None) => Err(Interrupted),
            Ok(Some(diagnostics)) => {
                let (uri, version) = (place.uri(), place.document.version);
                self.stop.unless_stopped(|| ctx.state().outbox.publish(Published { uri, version, diagnostics }));
                Ok(())
            }
            Err(_) => Ok(()),
        }
    }
}

impl Question for Publish {
    fn about(&self) -> Option<&Key> {
        Some(&self.key)
    }

    fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "textDocument/publishDiagnostics"
    }

    fn ask(&mut self, ctx: RequestContext<'_>) -> std::result::Result<(), Interrupted> {
        let Some(document) = ctx.state().documents.by_key(&self.key) else { return Ok(()) };
        if document.language == Language::Ispc {
            return self.ask_of_ispc(&ctx);
        }
        let outbox = &ctx.state().outbox;
        // Outdated diagnostics are never published: the task of the newer text publishes its own.
        let publish = |_, diagnostics| {
            if !self.pulls {
                let (uri, version) = (document.uri.clone(), document.version);
                self.stop.unless_stopped(|| outbox.publish(Published { uri, version, diagnostics }));
            }
            true
        };
        let found = run(&self.stop, &ctx, |ctx| {
            let place = ctx.document(&document.uri)?;
            ctx.state().memory.with_findings(&self.key, |kept| find(ctx, &place, kept, publish));
            Ok(())
        })?;
        // Only now the answers are where the client's next request finds them.
        if self.pulls && found.is_ok() {
            self.stop.unless_stopped(|| outbox.request::<lsp::DiagnosticRefreshRequest>((), |_| {}));
        }
        Ok(())
    }

    fn refuse(&mut self) {}
}
