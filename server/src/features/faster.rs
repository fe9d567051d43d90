//! Faster versions of a kernel: every change of it that is known is tried and measured on this machine, and those that gain are offered.
//!
//! One kernel is measured at a time, since two would be in each other's times. An offer is about the text that was measured: once that has
//! changed, nothing is written any more, and whoever takes the offer is told so. Nothing runs unless a user asks, nor where the setting
//! `lanescope.run` forbids it, which is how an editor keeps the kernels of a folder that is not trusted from running.

use std::sync::Arc;

use ide::item_at;
use queries::db::Item;
use report::{ItemKind, TextSize};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{
    ApplyWorkspaceEditParams, ApplyWorkspaceEditRequest, CodeAction, CodeActionKind, CodeActionParams,
    CodeActionResponse, Command, MessageType, Position, ShowMessageNotification, ShowMessageParams,
    TextDocumentContentRefreshParams, TextDocumentContentRefreshRequest, TextDocumentIdentifier,
};
use tower_lsp::jsonrpc::{Error, Result};

use super::code_actions::{is_for_bulb, is_wanted};
use super::commands;
use super::rename::workspace_edit;
use super::view::{self, ViewParams, ViewResult};
use crate::machine_views::{FasterOffer, FasterTrial};
use crate::progress::{Progress, Tokens};
use crate::question::{Asked, Handler, Later, content_modified};
use crate::request_context::{ClientDocument, RequestContext, ServerState};

/// The command that tries the changes of a kernel; its result is the list of those that gain.
pub(crate) const FIND: &str = "lanescope.faster";

/// The command that writes a change of that list.
pub(crate) const TAKE: &str = "lanescope.takeFaster";

/// The name by which the text of the last trial is opened, like a stage of a view. It is in no list of stages, since it has no text
/// before there was a trial.
pub(crate) const STAGE: &str = "faster";

const TITLE: &str = "Find faster versions";

/// A trial of a kernel, with the text that was tried.
#[derive(Debug)]
pub(crate) struct KeptTrial {
    number: u64,
    kernel: String,
    target: String,
    version: Option<i32>,
    text: Arc<str>,
    trial: FasterTrial,
}

/// The argument of [`FIND`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FindParams {
    text_document: TextDocumentIdentifier,
    /// A position inside the kernel.
    position: Position,
    /// Set unless the client shows the list itself.
    #[serde(default = "yes")]
    show: bool,
}

fn yes() -> bool {
    true
}

/// The argument of [`TAKE`].
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TakeParams {
    text_document: TextDocumentIdentifier,
    kernel: String,
    /// The number of the trial.
    trial: u64,
    /// The number of the offer in its list, from 0.
    offer: usize,
}

/// Kind of the actions that run kernels.
pub(crate) fn run_kind() -> CodeActionKind {
    CodeActionKind::Custom("lanescope.run".into())
}

/// Returns true if kernels may be run here.
pub(crate) fn may_run(ctx: &RequestContext<'_>) -> bool {
    ctx.config().run && ctx.state().native.tries()
}

/// Builds the command that tries the changes of the kernel whose name is at an offset.
pub(crate) fn find_command(place: &ClientDocument<'_>, kernel: TextSize) -> Command {
    let argument = json!({ "textDocument": { "uri": place.uri() }, "position": place.position(kernel) });
    Command { title: TITLE.to_owned(), tooltip: None, command: FIND.to_owned(), arguments: Some(vec![argument]) }
}

/// Tries all changes of a kernel. An editor that shows nothing of its own has its answer at once, since many wait for the answer to a
/// command, and others only for some seconds; the list opens when it is there.
pub(super) fn find(ctx: &RequestContext<'_>, params: FindParams) -> Result<Later<Option<Value>>> {
    if !params.show {
        return try_all(ctx, &params);
    }
    let state = ctx.state().clone();
    Ok(Box::new(move |_| {
        (state.ask)(Box::new(Asked {
            name: FIND,
            about: None,
            params,
            handler: Handler::Later(try_all),
            of_ispc: None,
            slow: true,
            refusal: content_modified,
            empty: || None,
            reply: None,
            stop: Arc::default(),
            progress: Arc::new(Progress::new(Tokens::own(FIND))),
        }));
        Ok(None)
    }))
}

/// Tries all changes of a kernel. Why that cannot be is a message, since editors show an error of a command badly or not at all.
fn try_all(ctx: &RequestContext<'_>, params: &FindParams) -> Result<Later<Option<Value>>> {
    let (db, state) = (ctx.db(), ctx.state().clone());
    let place = ctx.document(&params.text_document.uri)?;
    let item = kernel_at(ctx, &place, params.position)?;
    let name = item.name(db).to_string();
    let nothing = |why: String| -> Result<Later<Option<Value>>> {
        Ok(Box::new(move |_| {
            tell(&state, MessageType::Warning, why);
            Ok(None)
        }))
    };
    if !ctx.config().run {
        let why = "no kernel is run here, since the setting `lanescope.run` is off or the folder is not trusted";
        return nothing(format!("{why}; trust the folder, or turn the setting on"));
    }
    match view::count_errors(db, item) {
        0 => {}
        1 => return nothing(format!("`{name}` has an error, so it is not run; mend that first")),
        n => return nothing(format!("`{name}` has {n} errors, so it is not run; mend those first")),
    }
    let turn = match ctx.state().memory.begin_trial(&name) {
        Ok(turn) => turn,
        Err(other) => {
            let why = format!("`{other}` is being measured, and two at once would be in each other's times");
            return nothing(format!("{why}; wait for its end, or cancel it"));
        }
    };
    let view = ViewParams {
        text_document: params.text_document.clone(),
        position: params.position,
        stage: Some(STAGE.to_owned()),
        target: None,
        kernel: None,
    };
    let address = view::address(ctx, &view)?;
    let target = ctx.config().target.clone();
    let work = ctx.state().native.prepare_trial(db, item, &target);
    let (document, show, at) = (place.document.clone(), params.show, params.position);
    let (state, progress) = (ctx.state().clone(), ctx.progress());
    Ok(Box::new(move |stop| {
        let title = format!("Faster versions of `{name}`");
        match state.profile.work_done_progress {
            true => progress.create(&state.outbox),
            false if show => {
                let words = format!("`{name}` is being measured; what is faster opens when that is known");
                tell(&state, MessageType::Info, words);
            }
            false => {}
        }
        let mut told = |n_done: usize, n_all: usize, change: &str| {
            progress.say(&state.outbox, &title, (n_done, n_all), &format!("{} of {n_all}: {change}", n_done + 1));
        };
        let tried = work(&mut told, &|| stop.is_stopped());
        // Who sees the outcome may ask for the next one.
        drop(turn);
        let trial = match tried {
            Ok(trial) => trial,
            // The answer of a cancelled request is made behind this.
            Err(_) if stop.is_stopped() => return Ok(None),
            Err(why) => {
                tell(&state, MessageType::Warning, format!("`{name}` was not measured: {why}"));
                return Ok(None);
            }
        };
        let kept = state.memory.keep_trial(&document.key, |number| KeptTrial {
            number,
            kernel: name,
            target,
            version: document.version,
            text: document.text.clone(),
            trial,
        });
        if state.memory.is_served(&document.key, &address) {
            let params = TextDocumentContentRefreshParams { uri: address.clone() };
            state.outbox.request::<TextDocumentContentRefreshRequest>(params, |_| {});
        }
        if show {
            commands::open(&state, document.key.clone(), address, &kept.shown(false), at);
        }
        Ok(Some(kept.as_json()))
    }))
}

/// Writes a change that a trial has found, unless the text has changed since.
pub(super) fn take(ctx: &RequestContext<'_>, params: &TakeParams) -> Result<Later<Option<Value>>> {
    let place = ctx.document(&params.text_document.uri)?;
    let kernel = &params.kernel;
    let kept = ctx.state().memory.trial(&place.document.key, kernel).filter(|kept| kept.number == params.trial);
    let offer = kept.as_ref().and_then(|kept| kept.trial.offers.get(params.offer));
    let why = match (&kept, offer) {
        (None, _) | (_, None) => Some(format!("nothing is written: that trial of `{kernel}` is not the last one")),
        (Some(kept), _) if *kept.text != *place.text() => {
            Some(format!("nothing is written: the text has changed since `{kernel}` was measured"))
        }
        _ if !ctx.profile().applies_edits => Some(
            "nothing is written: this editor takes no edits from a command; take the action in its place".to_owned(),
        ),
        _ => None,
    };
    let edit = offer.filter(|_| why.is_none()).map(|offer| workspace_edit(ctx.profile(), &place, &offer.edits));
    let (state, label) = (ctx.state().clone(), offer.map(|offer| offer.title.clone()));
    Ok(Box::new(move |_| {
        let Some(edit) = edit else {
            let why = why.unwrap_or_default();
            tell(&state, MessageType::Warning, format!("{why}; find faster versions again"));
            return Ok(Some(Value::Bool(false)));
        };
        let (params, told) = (ApplyWorkspaceEditParams { label, edit, ..Default::default() }, state.clone());
        state.outbox.request::<ApplyWorkspaceEditRequest>(params, move |answer| {
            if !answer.is_ok_and(|answer| answer.applied) {
                let words = "the editor has not written the change, most likely since the text has changed meanwhile";
                tell(&told, MessageType::Warning, format!("{words}; find faster versions again"));
            }
        });
        Ok(Some(Value::Bool(true)))
    }))
}

/// The actions at a place: the changes that were found for the kernel there, as long as its text is the one that was measured, and the
/// command that finds them.
pub(super) fn actions(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    params: &CodeActionParams,
) -> Vec<CodeActionResponse> {
    let at = place.offset(params.range.start);
    let kernel = view::kernel_at(ctx.db(), place, at).filter(|_| may_run(ctx) && !is_for_bulb(&params.context));
    let (Some(kernel), Ok(item)) = (kernel, kernel_at(ctx, place, params.range.start)) else { return Vec::new() };
    let (is_literal, name) = (ctx.profile().code_action_literals, item.name(ctx.db()));
    let kept = ctx.state().memory.trial(&place.document.key, name);
    let offers = kept.iter().filter(|kept| *kept.text == *place.text()).flat_map(|kept| &kept.trial.offers);
    let offers = offers.filter(|_| is_literal && is_wanted(&params.context, &CodeActionKind::RefactorRewrite));
    let taken = offers.map(|offer| CodeAction {
        title: in_words(offer),
        kind: Some(CodeActionKind::RefactorRewrite),
        edit: Some(workspace_edit(ctx.profile(), place, &offer.edits)),
        ..Default::default()
    });
    let mut actions: Vec<_> = taken.map(CodeActionResponse::CodeAction).collect();
    if is_wanted(&params.context, &run_kind()) {
        let mut command = find_command(place, kernel);
        if kept.is_some_and(|kept| *kept.text != *place.text()) {
            command.title = format!("{TITLE} again: the text has changed since the last trial");
        }
        actions.push(match is_literal {
            true => CodeActionResponse::CodeAction(CodeAction {
                title: command.title.clone(),
                kind: Some(run_kind()),
                command: Some(command),
                ..Default::default()
            }),
            false => CodeActionResponse::Command(command),
        });
    }
    actions
}

/// The text of the last trial of a kernel, as a view.
pub(super) fn view_of(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, kernel: &str) -> ViewResult {
    match ctx.state().memory.trial(&place.document.key, kernel) {
        Some(kept) => kept.shown(*kept.text != *place.text()),
        None => ViewResult {
            text: String::new(),
            language_id: "plaintext".to_owned(),
            version: None,
            stage: STAGE.to_owned(),
            name: kernel.to_owned(),
            target: None,
            outdated: false,
            note: Some(format!("no change of `{kernel}` was tried yet; *{TITLE}* does that")),
            lines: Vec::new(),
        },
    }
}

impl KeptTrial {
    /// The name of the kernel.
    pub(crate) fn kernel(&self) -> &str {
        &self.kernel
    }

    fn shown(&self, outdated: bool) -> ViewResult {
        let note =
            outdated.then(|| "the text has changed since this was measured; find faster versions again".to_owned());
        ViewResult {
            text: self.trial.text.clone(),
            language_id: "plaintext".to_owned(),
            version: self.version,
            stage: STAGE.to_owned(),
            name: self.kernel.clone(),
            target: Some(self.target.clone()),
            outdated,
            note,
            lines: Vec::new(),
        }
    }

    fn as_json(&self) -> Value {
        let offer = |offer: &FasterOffer| {
            let FasterOffer { title, times, spread, results, keeps_bits, diff, .. } = offer;
            json!({
                "title": title, "times": times, "spread": spread, "results": results, "keepsBits": keeps_bits, "diff": diff,
            })
        };
        json!({
            "kernel": self.kernel,
            "target": self.target,
            "version": self.version,
            "trial": self.number,
            "text": self.trial.text,
            "offers": self.trial.offers.iter().map(offer).collect::<Vec<_>>(),
        })
    }
}

fn in_words(offer: &FasterOffer) -> String {
    format!("{:.2} times as fast, {}: {}", offer.times, offer.results, offer.title)
}

fn kernel_at<'db>(ctx: &'db RequestContext<'_>, place: &ClientDocument<'_>, at: Position) -> Result<Item<'db>> {
    let item = item_at(ctx.db(), place.file, place.offset(at)).map(|(item, _)| queries::kernel_of(ctx.db(), item));
    let kernel = item.filter(|item| item.kind(ctx.db()) == ItemKind::Kernel);
    kernel.ok_or_else(|| Error::invalid_params("no kernel stands at this place"))
}

fn tell(state: &ServerState, kind: MessageType, message: String) {
    state.outbox.notify::<ShowMessageNotification>(ShowMessageParams { kind, message });
}
