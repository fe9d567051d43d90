//! Diagnostics of ISPC documents, in the words of `lanescope check`.

use ide::ispc::diagnostics::{Found, diagnostics};
use ide::ispc::notes::{LaneNote, lane_notes};
use tower_lsp::gen_lsp_types::{
    self as lsp, Code, DiagnosticRelatedInformation, DiagnosticSeverity, DocumentDiagnosticParams, Message,
};
use tower_lsp::jsonrpc::Result;

use super::location;
use crate::config;
use crate::features::diagnostics::Report;
use crate::placed_json::{JsonList, PlacedJson, unmarked};
use crate::request_context::{ClientDocument, RequestContext};

/// `textDocument/diagnostic`.
pub(crate) fn document(ctx: &RequestContext<'_>, params: &DocumentDiagnosticParams) -> Result<Report> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    Ok(Report::of(list(ctx, &place), params.previous_result_id.as_deref()))
}

/// All that is wrong with a document and what it includes.
pub(crate) fn list(ctx: &RequestContext<'_>, place: &ClientDocument<'_>) -> JsonList {
    let mut list = JsonList::default();
    for found in diagnostics(ctx.db(), place.file) {
        list.push(&mut PlacedJson::of(&diagnostic(ctx, place, found), 0), 0);
    }
    if ctx.config().notes != config::OFF {
        for found in lane_notes(ctx.db(), place.file, None) {
            list.push(&mut PlacedJson::of(&note(ctx, place, &found), 0), 0);
        }
    }
    list
}

/// A note on what costs lanes, in the form that the settings ask for.
pub(crate) fn note(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, found: &LaneNote) -> lsp::Diagnostic {
    let is_listed = ctx.config().notes == config::PROBLEMS;
    let severity = if is_listed { DiagnosticSeverity::Information } else { DiagnosticSeverity::Hint };
    let LaneNote { range, code, message, related, .. } = found.clone();
    lsp::Diagnostic {
        severity: Some(severity),
        ..diagnostic(ctx, place, Found { range, is_warning: true, code, message, related })
    }
}

fn diagnostic(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, found: Found) -> lsp::Diagnostic {
    let mut message = unmarked(&found.message);
    let related = found.related.into_iter().filter_map(|(site, note)| {
        let message = unmarked(&note);
        Some(DiagnosticRelatedInformation { location: location(ctx, site)?, message })
    });
    let related: Vec<_> = related.collect();
    let shows_related = ctx.profile().related_information;
    if !shows_related {
        // For a client that does not show related locations, the message names them.
        for related in &related {
            let file = crate::uris::decode(related.location.uri.0.rsplit('/').next().unwrap_or_default());
            message += &format!("\n{file}:{}: {}", related.location.range.start.line + 1, related.message);
        }
    }
    lsp::Diagnostic {
        range: place.range(found.range),
        severity: Some(if found.is_warning { DiagnosticSeverity::Warning } else { DiagnosticSeverity::Error }),
        code: Some(Code::String(found.code.to_owned())),
        code_description: None,
        source: Some("lanescope".to_owned()),
        message: Message::String(message),
        tags: None,
        related_information: (shows_related && !related.is_empty()).then_some(related),
        data: None,
    }
}
