//! What can be done about a place: the fixes of findings, each tried before, types written down, views opened.

use analysis::TextEdit;
use analysis::db::promised_for;
use analysis::ide::{self, fixes, fixes::Scratch, fixes::TriedFix};
use tower_lsp::gen_lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionParams, CodeActionResponse, CodeActionTriggerKind,
};
use tower_lsp::jsonrpc::Result;

use super::diagnostics::diagnostic;
use super::rename::workspace_edit;
use super::{commands, view};
use crate::client::Profile;
use crate::moment::{Moment, Place};
use crate::question::Later;

/// The kind of the actions that open views.
pub(crate) fn view_kind() -> CodeActionKind {
    CodeActionKind::Custom("lanescope.view".into())
}

type Actions = Option<Vec<CodeActionResponse>>;

/// `textDocument/codeAction`. What could be done is looked up; that it does what it says is tried on a copy, when the
/// facts have been let go.
pub(crate) fn code_actions(moment: &Moment<'_>, params: &CodeActionParams) -> Result<Later<Actions>> {
    let place = moment.document(&params.text_document.uri)?;
    let wanted = |kind: &CodeActionKind| is_wanted(&params.context, kind);
    let profile = moment.world().profile.clone();
    // An edit inside an action is more than an older client understands; it gets the commands.
    let fixes_wanted = profile.code_action_literals && wanted(&CodeActionKind::QuickFix);
    let types_wanted = profile.code_action_literals && wanted(&CodeActionKind::RefactorRewrite);
    let untried = match fixes_wanted || types_wanted {
        true => fixes::untried(moment.db(), place.file, place.text_range(params.range)),
        false => fixes::Untried::default(),
    };
    let views = if wanted(&view_kind()) { views(moment, &place, params) } else { Vec::new() };
    let (document, file, made_for) = (place.document.clone(), place.file, promised_for(moment.db()));
    Ok(Box::new(move |stop| {
        let place = Place::new(file, &document, profile.unit);
        let mut scratch = Scratch::new(&document.text).made_for(&made_for);
        let mut actions = Vec::new();
        for found in untried.diagnostics.iter().filter(|_| fixes_wanted && !stop.is_stopped()) {
            actions.extend(scratch.fixes(found).into_iter().map(|fix| quick_fix(&profile, &place, &fix)));
        }
        if types_wanted && !untried.write_types.is_empty() && scratch.stays_right(&untried.write_types) {
            actions.push(write_types(&profile, &place, &untried.write_types));
        }
        let actions = actions.into_iter().map(CodeActionResponse::CodeAction);
        Ok(Some(actions.chain(views).collect()))
    }))
}

/// Whether the client asks for actions of a kind. One that says nothing asks for all.
fn is_wanted(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let name = |kind: &CodeActionKind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
    let Some(only) = &context.only else { return true };
    let Some(kind) = name(kind) else { return false };
    only.iter().filter_map(name).any(|wanted| {
        let rest = kind.strip_prefix(&*wanted);
        wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn quick_fix(profile: &Profile, place: &Place<'_>, fix: &TriedFix) -> CodeAction {
    CodeAction {
        title: sentence(&fix.title),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(profile, place, &fix.diagnostic)]),
        is_preferred: fix.preferred.then_some(true),
        edit: Some(workspace_edit(profile, place, &fix.edits)),
        ..Default::default()
    }
}

fn write_types(profile: &Profile, place: &Place<'_>, edits: &[TextEdit]) -> CodeAction {
    CodeAction {
        title: "Write inferred types".to_owned(),
        kind: Some(CodeActionKind::RefactorRewrite),
        edit: Some(workspace_edit(profile, place, edits)),
        ..Default::default()
    }
}

/// The views of the kernel that the cursor is in: the usual one, and all when a person asks what there is to do.
fn views(moment: &Moment<'_>, place: &Place<'_>, params: &CodeActionParams) -> Vec<CodeActionResponse> {
    let Some(kernel) = view::kernel_at(moment.db(), place, place.offset(params.range.start)) else { return Vec::new() };
    let usual = &moment.config().stage;
    let all = params.context.trigger_kind != Some(CodeActionTriggerKind::Automatic);
    let native = moment.world().native.as_ref();
    let in_loop = || ide::loop_at(moment.db(), place.file, place.offset(params.range.start)).is_some();
    // What a loop is about is worth the light bulb; the rest is asked for.
    let of_loops = |name: &str| native.stages().iter().any(|stage| stage.of_loops && stage.name == name);
    let is_shown = |name: &str| if of_loops(name) { in_loop() } else { all || name == usual };
    let shown = view::stages(native).into_iter().filter(|stage| is_shown(&stage.name));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|stage| stage.name != *usual);
    let action = |stage: view::StageInfo| {
        let title = if stage.name == *usual { "View lowered IR".to_owned() } else { stage.title };
        let at = if of_loops(&stage.name) { place.offset(params.range.start) } else { kernel };
        let command = commands::open_view(&title, place, at, &stage.name);
        match moment.profile().code_action_literals {
            true => CodeActionResponse::CodeAction(CodeAction {
                title,
                kind: Some(view_kind()),
                command: Some(command),
                ..Default::default()
            }),
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
