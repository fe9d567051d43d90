//! What can be done about a place: the fixes of findings, each tried before, types written down, views opened.

use analysis::ide::fixes;
use tower_lsp::gen_lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionParams, CodeActionResponse, CodeActionTriggerKind,
};
use tower_lsp::jsonrpc::Result;

use super::diagnostics::diagnostic;
use super::rename::workspace_edit;
use super::{commands, view};
use crate::moment::{Moment, Place};

/// `textDocument/codeAction`.
pub(crate) fn code_actions(moment: &Moment<'_>, params: &CodeActionParams) -> Result<Option<Vec<CodeActionResponse>>> {
    let place = moment.document(&params.text_document.uri)?;
    let wanted = |kind: Option<&CodeActionKind>| is_wanted(&params.context, kind);
    let mut actions = Vec::new();
    // An edit inside an action is more than an older client understands; it gets the commands.
    if moment.profile().code_action_literals {
        if wanted(Some(&CodeActionKind::QuickFix)) {
            actions.extend(quick_fixes(moment, &place, params));
        }
        if wanted(Some(&CodeActionKind::RefactorRewrite)) {
            actions.extend(write_types(moment, &place, params));
        }
    }
    if wanted(None) {
        actions.extend(views(moment, &place, params));
    }
    Ok(Some(actions))
}

/// Whether the client asks for actions of a kind. One that says nothing asks for all.
fn is_wanted(context: &CodeActionContext, kind: Option<&CodeActionKind>) -> bool {
    let name = |kind: &CodeActionKind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
    let Some(only) = &context.only else { return true };
    let Some(kind) = kind.and_then(name) else { return false };
    only.iter().filter_map(name).any(|wanted| {
        let rest = kind.strip_prefix(&*wanted);
        wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn quick_fixes(moment: &Moment<'_>, place: &Place<'_>, params: &CodeActionParams) -> Vec<CodeActionResponse> {
    let tried = fixes::fixes(moment.db(), place.file, place.text_range(params.range));
    let action = |fix: fixes::TriedFix| CodeAction {
        title: sentence(&fix.title),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(moment.profile(), place, &fix.diagnostic)]),
        is_preferred: fix.preferred.then_some(true),
        edit: Some(workspace_edit(moment, place, &fix.edits)),
        ..Default::default()
    };
    tried.into_iter().map(action).map(CodeActionResponse::CodeAction).collect()
}

fn write_types(moment: &Moment<'_>, place: &Place<'_>, params: &CodeActionParams) -> Option<CodeActionResponse> {
    let edits = fixes::write_types(moment.db(), place.file, place.offset(params.range.start));
    (!edits.is_empty()).then(|| {
        CodeActionResponse::CodeAction(CodeAction {
            title: "Write inferred types".to_owned(),
            kind: Some(CodeActionKind::RefactorRewrite),
            edit: Some(workspace_edit(moment, place, &edits)),
            ..Default::default()
        })
    })
}

/// The views of the kernel that the cursor is in: the usual one, and all when a person asks what there is to do.
fn views(moment: &Moment<'_>, place: &Place<'_>, params: &CodeActionParams) -> Vec<CodeActionResponse> {
    let Some(kernel) = view::kernel_at(moment.db(), place, place.offset(params.range.start)) else { return Vec::new() };
    let usual = &moment.config().stage;
    let all = params.context.trigger_kind != Some(CodeActionTriggerKind::Automatic);
    let stages = view::stages(moment.world().native.as_ref()).into_iter();
    let shown = stages.filter(|stage| stage.name == *usual || all);
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|stage| stage.name != *usual);
    let action = |stage: view::StageInfo| {
        let title = if stage.name == *usual { "View lowered IR".to_owned() } else { stage.title };
        let command = commands::open_view(&title, place, kernel, &stage.name);
        match moment.profile().code_action_literals {
            true => CodeActionResponse::CodeAction(CodeAction { title, command: Some(command), ..Default::default() }),
            false => CodeActionResponse::Command(command),
        }
    };
    shown.into_iter().map(action).collect()
}

/// Titles are orders in lower case; a menu starts them large.
fn sentence(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
