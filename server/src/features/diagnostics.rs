//! Diagnostics of a document, published by the server or pulled by the client.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use hir::errors::CheckCode;
use queries::check;
use queries::check::Report as Found;
use queries::item_cache::ItemCache;
use report::{Diagnostic, Severity};
use tower_lsp::gen_lsp_types::{
    self as lsp, Code, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, DocumentDiagnosticParams,
    DocumentDiagnosticReport, FullDocumentDiagnosticReport, Message, PublishDiagnosticsParams,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport, UnchangedDocumentDiagnosticReport,
    WorkspaceDiagnosticParams, WorkspaceDiagnosticReport, WorkspaceDocumentDiagnosticReport,
    WorkspaceFullDocumentDiagnosticReport, WorkspaceUnchangedDocumentDiagnosticReport,
};
use tower_lsp::jsonrpc::Result;

use crate::client::Profile;
use crate::config::{self, Config};
use crate::documents::Key;
use crate::question::{Interrupted, Question, Stop, run};
use crate::request_context::{Place, RequestContext};

/// `textDocument/diagnostic`.
pub(crate) fn document(
    ctx: &RequestContext<'_>,
    params: &DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReport> {
    let place = ctx.document(&params.text_document.uri)?;
    let report = match report(ctx, &place, params.previous_result_id.as_deref()) {
        Report::Full(report) => {
            DocumentDiagnosticReport::RelatedFullDocumentDiagnosticReport(RelatedFullDocumentDiagnosticReport {
                related_documents: None,
                full_document_diagnostic_report: report,
            })
        }
        Report::Unchanged(report) => DocumentDiagnosticReport::RelatedUnchangedDocumentDiagnosticReport(
            RelatedUnchangedDocumentDiagnosticReport {
                related_documents: None,
                unchanged_document_diagnostic_report: report,
            },
        ),
    };
    Ok(report)
}

/// `workspace/diagnostic`.
pub(crate) fn workspace(
    ctx: &RequestContext<'_>,
    params: &WorkspaceDiagnosticParams,
) -> Result<WorkspaceDiagnosticReport> {
    let previous = |place: &Place<'_>| {
        let known = params.previous_result_ids.iter().find(|known| crate::uris::key(&known.uri) == place.document.key);
        known.map(|known| known.value.as_str())
    };
    let item = |place: Place<'_>| {
        let (uri, version) = (place.uri(), place.document.version);
        match report(ctx, &place, previous(&place)) {
            Report::Full(report) => WorkspaceDocumentDiagnosticReport::WorkspaceFullDocumentDiagnosticReport(
                WorkspaceFullDocumentDiagnosticReport { uri, version, full_document_diagnostic_report: report },
            ),
            Report::Unchanged(report) => WorkspaceDocumentDiagnosticReport::WorkspaceUnchangedDocumentDiagnosticReport(
                WorkspaceUnchangedDocumentDiagnosticReport {
                    uri,
                    version,
                    unchanged_document_diagnostic_report: report,
                },
            ),
        }
    };
    let places = ctx.documents();
    let n_places = places.len();
    let mut items = Vec::new();
    for (n, place) in places.into_iter().enumerate() {
        ctx.report("Checking kernels", n, n_places);
        let part = WorkspaceDiagnosticReport { items: vec![item(place)] };
        if !ctx.tell_part(&part) {
            items.extend(part.items);
        }
    }
    Ok(WorkspaceDiagnosticReport { items })
}

enum Report {
    Full(FullDocumentDiagnosticReport),
    Unchanged(UnchangedDocumentDiagnosticReport),
}

fn report(ctx: &RequestContext<'_>, place: &Place<'_>, previous: Option<&str>) -> Report {
    let items = diagnostics(ctx, place);
    // The result id is a hash of the content, so equal findings have equal ids, whatever happened in between.
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(&items).unwrap_or_default().hash(&mut hasher);
    let result_id = format!("{:016x}", hasher.finish());
    if previous == Some(&*result_id) {
        return Report::Unchanged(UnchangedDocumentDiagnosticReport { result_id });
    }
    Report::Full(FullDocumentDiagnosticReport { result_id: Some(result_id), items })
}

/// All diagnostics of a document, in the protocol's types.
fn diagnostics(ctx: &RequestContext<'_>, place: &Place<'_>) -> Vec<lsp::Diagnostic> {
    let memory = &ctx.state().memory;
    let find = |kept: &mut ItemCache<Found>| check::diagnostics_cached(ctx.db(), place.file, kept);
    let found = memory.with_reports(&place.document.key, find);
    let config = ctx.config();
    let is_shown = |found: &&Diagnostic| found.severity != Severity::Note || config.notes != config::OFF;
    found.iter().filter(is_shown).map(|found| diagnostic(ctx.profile(), config, place, found)).collect()
}

/// Converts a finding to the protocol's type.
pub(crate) fn diagnostic(profile: &Profile, config: &Config, place: &Place<'_>, found: &Diagnostic) -> lsp::Diagnostic {
    let mut message = found.message.clone();
    if let Some(help) = &found.help {
        message += &format!("\n{help}");
    }
    let related = found.related.iter().map(|related| DiagnosticRelatedInformation {
        location: place.location(related.range),
        message: related.message.clone(),
    });
    let related: Vec<_> = related.collect();
    if !profile.related_information {
        // For a client that does not show related locations, the message names them.
        for related in &related {
            message += &format!("\nline {}: {}", related.location.range.start.line + 1, related.message);
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

/// A task that publishes the diagnostics of an open document.
pub(crate) struct Publish {
    key: Key,
    stop: Arc<Stop>,
}

impl Publish {
    /// Creates the task for the document with this key.
    pub(crate) fn new(key: Key) -> Publish {
        Publish { key, stop: Arc::default() }
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
        let answer = run(&self.stop, &ctx, |ctx| {
            let place = ctx.document(&document.uri)?;
            Ok(PublishDiagnosticsParams {
                uri: place.uri(),
                version: document.version,
                diagnostics: diagnostics(ctx, &place),
            })
        })?;
        if let Ok(params) = answer {
            // Outdated diagnostics are never published: the task of the newer text publishes its own.
            self.stop.unless_stopped(|| ctx.state().outbox.publish(params));
        }
        Ok(())
    }

    fn refuse(&mut self) {}
}
