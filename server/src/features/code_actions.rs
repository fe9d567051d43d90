//! Code actions at a place: fixes of findings, each verified on a copy of the text, other ways to write a statement, insertion of inferred
//! types, attributes by which a kernel is estimated to gain, changes that were measured to gain, and opening of views.

use ide::fixes;
use ide::fixes::{TrialText, TriedFix};
use ide::variants::{KernelChange, UntriedAttributes, VariantRow, WantedVariants, gains, untried_attributes};
use queries::check::{item_diagnostics, start_of};
use queries::db::promised_for;
use queries::uses::Surroundings;
use report::lanes::costs::shown;
use report::{ItemKind, Severity, TextEdit};
use tower_lsp::gen_lsp_types::{
    CodeAction, CodeActionContext, CodeActionKind, CodeActionParams, CodeActionResponse, CodeActionTriggerKind, Command,
};
use tower_lsp::jsonrpc::Result;

use super::diagnostics::diagnostic;
use super::rename::workspace_edit;
use super::{commands, faster, view};
use crate::client::Profile;
use crate::config::Config;
use crate::question::Later;
use crate::request_context::{ClientDocument, RequestContext};

/// Kind of the actions that open views.
pub(crate) fn view_kind() -> CodeActionKind {
    CodeActionKind::Custom("lanescope.view".into())
}

type Actions = Option<Vec<CodeActionResponse>>;

/// `textDocument/codeAction`. Candidates are looked up with the snapshot; each fix is then verified on a copy of the text, after
/// the snapshot was dropped.
pub(crate) fn code_actions(ctx: &RequestContext<'_>, params: &CodeActionParams) -> Result<Later<Actions>> {
    let place = ctx.document(&params.text_document.uri)?;
    let wanted = |kind: &CodeActionKind| is_wanted(&params.context, kind);
    let (profile, config) = (ctx.state().profile.clone(), ctx.state().config.clone());
    // Older clients do not understand an edit inside an action; they get the commands alone.
    let fixes_wanted = profile.code_action_literals && wanted(&CodeActionKind::QuickFix);
    let rewrites_wanted =
        profile.code_action_literals && wanted(&CodeActionKind::RefactorRewrite) && !is_for_bulb(&params.context);
    let untried = match fixes_wanted || rewrites_wanted {
        true => fixes::untried(ctx.db(), place.file, place.text_range(params.range)),
        false => fixes::Untried::default(),
    };
    let variants = (rewrites_wanted).then(|| variants_at(ctx, &place, params)).flatten();
    let views_wanted = wanted(&view_kind()) && !is_for_bulb(&params.context);
    let mut commands = faster::actions(ctx, &place, params);
    if views_wanted {
        commands.extend(views(ctx, &place, params));
    }
    let (document, file, made_for) = (place.document.clone(), place.file, promised_for(ctx.db()));
    let around = Surroundings::of(ctx.db(), file);
    Ok(Box::new(move |stop| {
        let place = ClientDocument::new(file, &document, profile.unit);
        let mut scratch = TrialText::new(&document.text).among(around).made_for(&made_for);
        let mut actions = Vec::new();
        for found in untried.diagnostics.iter().filter(|_| fixes_wanted && !stop.is_stopped()) {
            actions.extend(scratch.fixes(found).into_iter().map(|fix| quick_fix(&profile, &config, &place, &fix)));
        }
        if rewrites_wanted && !untried.write_types.is_empty() && scratch.stays_right(&untried.write_types) {
            actions.push(rewrite(&profile, &place, "write inferred types", &untried.write_types));
        }
        for other in untried.rewrites.iter().filter(|_| rewrites_wanted && !stop.is_stopped()) {
            if scratch.stays_right(&other.edits) {
                actions.push(rewrite(&profile, &place, other.title, &other.edits));
            }
        }
        if let Some((present, attributes)) = variants.filter(|_| !stop.is_stopped()) {
            for row in attributes.rows(&present).iter().filter(|row| gains(&present, row)) {
                let Some(change) = row.variant.change.as_ref().filter(|it| scratch.stays_right(&it.edits)) else {
                    continue;
                };
                actions.push(rewrite(&profile, &place, &gain_in_words(&present, row, change), &change.edits));
            }
        }
        let actions = actions.into_iter().map(CodeActionResponse::CodeAction);
        Ok(Some(actions.chain(commands).collect()))
    }))
}

/// The kernel at the cursor as it is, and the attributes that can be tried on it.
fn variants_at(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    params: &CodeActionParams,
) -> Option<(VariantRow, UntriedAttributes)> {
    let db = ctx.db();
    let (item, _) = ide::item_at(db, place.file, place.offset(params.range.start))?;
    let kernel = Some(queries::kernel_of(db, item)).filter(|item| item.kind(db) == ItemKind::Kernel)?;
    let found = item_diagnostics(db, kernel, start_of(db, kernel).unwrap_or_default());
    if found.iter().any(|found| found.severity == Severity::Error) {
        return None;
    }
    let present = ide::variants::rows(db, kernel, &WantedVariants::default()).into_iter().next()?;
    (!present.loops.is_empty()).then(|| (present, untried_attributes(db, kernel)))
}

/// The gain of an attribute and its effect on results, which are for the user to weigh: neither order is called wrong.
fn gain_in_words(present: &VariantRow, row: &VariantRow, change: &KernelChange) -> String {
    let [before, after] = [present, row].map(|row| shown(row.cycles()));
    let results = if change.results.is_empty() { String::new() } else { format!(" ({})", change.results) };
    let write = if change.title.starts_with('@') { "write" } else { "go on" };
    format!("{write} `{}`: about {after} cycles an element instead of {before}{results}", change.title)
}

/// Returns true if the client requests actions of a kind. A client that names no kinds requests all.
pub(super) fn is_wanted(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let name = |kind: &CodeActionKind| serde_json::to_value(kind).ok()?.as_str().map(str::to_owned);
    let Some(only) = &context.only else { return true };
    let Some(kind) = name(kind) else { return false };
    only.iter().filter_map(name).any(|wanted| {
        let rest = kind.strip_prefix(&*wanted);
        wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// Returns true if the editor asks by itself, to show a light bulb or none: the bulb is for what there is to mend, and all else is
/// in the menu that the user opens.
pub(super) fn is_for_bulb(context: &CodeActionContext) -> bool {
    context.trigger_kind == Some(CodeActionTriggerKind::Automatic) && context.only.is_none()
}

fn quick_fix(profile: &Profile, config: &Config, place: &ClientDocument<'_>, fix: &TriedFix) -> CodeAction {
    CodeAction {
        title: sentence(&fix.title),
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![diagnostic(profile, config, place, &fix.diagnostic, |line| line.to_string())]),
        is_preferred: fix.preferred.then_some(true),
        edit: Some(workspace_edit(profile, place, &fix.edits)),
        ..Default::default()
    }
}

fn rewrite(profile: &Profile, place: &ClientDocument<'_>, title: &str, edits: &[TextEdit]) -> CodeAction {
    CodeAction {
        title: sentence(title),
        kind: Some(CodeActionKind::RefactorRewrite),
        edit: Some(workspace_edit(profile, place, edits)),
        ..Default::default()
    }
}

/// Native stages with an action of their own, beside the stage of the user's settings.
const LISTED: &[&str] = &["llvm", "asm"];

/// Actions that open views of the kernel at the cursor. Where the client can let the user choose, one action stands for the
/// stages that are seldom wanted.
fn views(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, params: &CodeActionParams) -> Vec<CodeActionResponse> {
    let Some(kernel) = view::kernel_at(ctx.db(), place, place.offset(params.range.start)) else { return Vec::new() };
    let usual = &ctx.config().stage;
    let native = ctx.state().native.as_ref();
    let in_loop = || ide::loop_at(ctx.db(), place.file, place.offset(params.range.start)).is_some();
    let of_loops = |name: &str| native.stages().iter().any(|stage| stage.of_loops && stage.name == name);
    let chooses = ctx.profile().chooses;
    let is_listed = |name: &str| !chooses || name == usual || LISTED.contains(&name);
    let is_shown = |name: &str| if of_loops(name) { in_loop() } else { is_listed(name) };
    let shown = view::stages(native).into_iter().filter(|stage| is_shown(&stage.name));
    let mut shown: Vec<_> = shown.collect();
    shown.sort_by_key(|stage| stage.name != *usual);
    let open = |stage: view::StageInfo| {
        let title = if stage.name == *usual { "View lowered IR".to_owned() } else { stage.title };
        let at = if of_loops(&stage.name) { place.offset(params.range.start) } else { kernel };
        commands::open_view(&title, place, at, &stage.name)
    };
    let choose = chooses.then(|| commands::choose_view("View…", place, kernel));
    let action = |command: Command| match ctx.profile().code_action_literals {
        true => CodeActionResponse::CodeAction(CodeAction {
            title: command.title.clone(),
            kind: Some(view_kind()),
            command: Some(command),
            ..Default::default()
        }),
        false => CodeActionResponse::Command(command),
    };
    shown.into_iter().map(open).chain(choose).map(action).collect()
}

/// Capitalises a title for a menu; titles are imperatives in lower case.
pub(super) fn sentence(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
