//! Code actions in ISPC documents: the changes that lift notes, each tried before it is offered, and coherent forms of statements.

use ide::ispc::notes::{fixes, other_forms};
use tower_lsp::gen_lsp_types::{CodeAction, CodeActionKind, CodeActionParams, CodeActionResponse};
use tower_lsp::jsonrpc::Result;

use super::diagnostics::note;
use super::view::views;
use crate::config;
use crate::features::code_actions::{is_for_bulb, is_wanted, sentence, view_kind};
use crate::features::rename::workspace_edit;
use crate::question::Later;
use crate::request_context::RequestContext;

type Actions = Option<Vec<CodeActionResponse>>;

/// `textDocument/codeAction`.
pub(crate) fn code_actions(ctx: &RequestContext<'_>, params: &CodeActionParams) -> Result<Later<Actions>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let is_asked = ctx.profile().code_action_literals
        && ctx.config().notes != config::OFF
        && is_wanted(&params.context, &CodeActionKind::QuickFix);
    let found = if is_asked { fixes(ctx.db(), place.file, place.text_range(params.range)) } else { Vec::new() };
    let mut actions = Vec::new();
    for found in found {
        let diagnostic = note(ctx, &place, &found);
        actions.extend(found.fixes.iter().map(|fix| {
            CodeActionResponse::CodeAction(CodeAction {
                title: sentence(&fix.title),
                kind: Some(CodeActionKind::QuickFix),
                diagnostics: Some(vec![diagnostic.clone()]),
                edit: Some(workspace_edit(ctx.profile(), &place, &fix.edits)),
                ..Default::default()
            })
        }));
    }
    let asks_for_rewrites = ctx.profile().code_action_literals
        && is_wanted(&params.context, &CodeActionKind::RefactorRewrite)
        && !is_for_bulb(&params.context);
    let range = place.text_range(params.range);
    let others = if asks_for_rewrites { other_forms(ctx.db(), place.file, range) } else { Vec::new() };
    actions.extend(others.into_iter().map(|other| {
        CodeActionResponse::CodeAction(CodeAction {
            title: sentence(&other.title),
            kind: Some(CodeActionKind::RefactorRewrite),
            edit: Some(workspace_edit(ctx.profile(), &place, &other.edits)),
            ..Default::default()
        })
    }));
    if is_wanted(&params.context, &view_kind()) && !is_for_bulb(&params.context) {
        actions.extend(views(ctx, &place, place.offset(params.range.start)));
    }
    Ok(Box::new(move |_| Ok(Some(actions))))
}
