//! Commands that a client executes by name, from an action or a lens.

use std::collections::HashMap;
use std::sync::Arc;

use report::TextSize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{
    Command, ExecuteCommandParams, MessageActionItem, MessageType, Position, Range, ShowDocumentParams,
    ShowDocumentRequest, ShowMessageNotification, ShowMessageParams, ShowMessageRequest, ShowMessageRequestParams, Uri,
};
use tower_lsp::jsonrpc::{Error, Result};

use super::view::{self, ViewParams, ViewResult};
use super::{faster, ispc_files, view_files};
use crate::documents::Key;
use crate::question::{Asked, Handler, Later, content_modified};
use crate::request_context::{ClientDocument, RequestContext, ServerState};
use crate::uris;

/// Opens a view by the best means that the client supports; its result is the text.
const VIEW: &str = "lanescope.view";

/// Lets the user choose a stage, and opens the view of that.
const CHOOSE_VIEW: &str = "lanescope.chooseView";

/// Shows a kernel with constant or type parameters as one of its instances, in hovers, hints and findings.
const SHOW_INSTANCE: &str = "lanescope.showInstance";

/// Names of all commands, for `initialize`.
pub(crate) const NAMES: &[&str] = &[VIEW, CHOOSE_VIEW, SHOW_INSTANCE, faster::FIND, faster::TAKE];

/// Builds the command that shows a kernel as one of its instances.
pub(crate) fn show_instance(template: &str, instance: &str) -> Command {
    Command {
        title: format!("Show `{template}` as this"),
        tooltip: None,
        command: SHOW_INSTANCE.to_owned(),
        arguments: Some(vec![json!({ "template": template, "instance": instance })]),
    }
}

/// Builds the command that opens a kernel's view.
pub(crate) fn open_view(title: &str, place: &ClientDocument<'_>, kernel: TextSize, stage: &str) -> Command {
    let argument = json!({
        "textDocument": { "uri": place.uri() },
        "position": place.position(kernel),
        "stage": stage,
    });
    Command { title: title.to_owned(), tooltip: None, command: VIEW.to_owned(), arguments: Some(vec![argument]) }
}

/// Builds the command that lets the user choose the stage of a kernel's view.
pub(crate) fn choose_view(title: &str, place: &ClientDocument<'_>, kernel: TextSize) -> Command {
    let argument = json!({ "textDocument": { "uri": place.uri() }, "position": place.position(kernel) });
    Command { title: title.to_owned(), tooltip: None, command: CHOOSE_VIEW.to_owned(), arguments: Some(vec![argument]) }
}

/// `workspace/executeCommand`.
pub(crate) fn execute(ctx: &RequestContext<'_>, params: &ExecuteCommandParams) -> Result<Later<Option<Value>>> {
    let argument = params.arguments.as_ref().and_then(|arguments| arguments.first()).cloned().unwrap_or_default();
    if params.command == SHOW_INSTANCE {
        let (Some(template), Some(instance)) = (argument["template"].as_str(), argument["instance"].as_str()) else {
            return Err(Error::invalid_params("`template` and `instance` are names"));
        };
        (ctx.state().choose)(template.to_owned(), instance.to_owned());
        return Ok(Box::new(|_| Ok(None)));
    }
    match &*params.command {
        faster::FIND => return faster::find(ctx, read(argument)?),
        faster::TAKE => return faster::take(ctx, &read(argument)?),
        _ => {}
    }
    let view: ViewParams = read(argument)?;
    match &*params.command {
        // A client that cannot let the user choose opens the stage of the settings.
        CHOOSE_VIEW if ctx.profile().chooses => choose(ctx, view),
        VIEW | CHOOSE_VIEW => open_at(ctx, &view),
        other => Err(Error::invalid_params(format!("no such command: {other}"))),
    }
}

fn read<T: DeserializeOwned>(argument: Value) -> Result<T> {
    serde_json::from_value(argument).map_err(|error| Error::invalid_params(error.to_string()))
}

/// Asks the user for a stage. The view opens when the answer arrives, which may be much later, from the text as it is then.
fn choose(ctx: &RequestContext<'_>, view: ViewParams) -> Result<Later<Option<Value>>> {
    let is_ispc = ctx.ispc_document(&view.text_document.uri).is_ok();
    if !is_ispc {
        ctx.document(&view.text_document.uri)?;
    }
    let state = ctx.state().clone();
    let stages = match is_ispc {
        true => ispc_files::view::stages(state.native.as_ref()),
        false => view::stages(state.native.as_ref()),
    };
    let item = |stage: &view::StageInfo| MessageActionItem { title: stage.title.clone(), properties: HashMap::new() };
    let actions = Some(stages.iter().map(item).collect());
    let params =
        ShowMessageRequestParams { kind: MessageType::Info, message: "The stage to look at".to_owned(), actions };
    let outbox = state.outbox.clone();
    outbox.request::<ShowMessageRequest>(params, move |answer| {
        let title = answer.ok().flatten().map(|chosen| chosen.title);
        let Some(stage) = stages.into_iter().find(|stage| Some(&stage.title) == title.as_ref()) else { return };
        let params = ViewParams { stage: Some(stage.name), ..view };
        (state.ask)(Box::new(Asked {
            name: VIEW,
            about: None,
            params,
            handler: Handler::Later(open_at),
            of_ispc: None,
            slow: true,
            refusal: content_modified,
            empty: || None,
            reply: None,
            stop: Arc::default(),
            progress: Arc::default(),
        }));
    });
    Ok(Box::new(|_| Ok(None)))
}

/// Opens a view; the result is its text.
fn open_at(ctx: &RequestContext<'_>, params: &ViewParams) -> Result<Later<Option<Value>>> {
    let address = view::address(ctx, params)?;
    let work = view::view(ctx, params)?;
    let (source, at) = (uris::key(&params.text_document.uri), params.position);
    let state = ctx.state().clone();
    Ok(Box::new(move |stop| {
        let shown = work(stop)?;
        open(&state, source, address, &shown, at);
        Ok(Some(Value::String(shown.with_note())))
    }))
}

/// Opens a view, at the line that shows the place of the request: as a virtual document if the client supports that, or else as a
/// file. A client that cannot open documents gets a message with the file's path, since few clients use a command's result.
pub(super) fn open(state: &ServerState, source: Key, address: Uri, shown: &ViewResult, from: Position) {
    if !state.profile.shows_documents {
        state.memory.shows_as_file(&source, &address);
        let path = view_files::write(state, &address, shown).and_then(|uri| uris::to_path(&uri));
        let told = path.map(|path| format!("the view is in {}", path.display()));
        if let Some(message) = told {
            let params = ShowMessageParams { kind: MessageType::Info, message };
            state.outbox.notify::<ShowMessageNotification>(params);
        }
        return;
    }
    let uri = match state.profile.text_document_content {
        true => Some(address),
        false => {
            state.memory.shows_as_file(&source, &address);
            view_files::write(state, &address, shown)
        }
    };
    let Some(uri) = uri else { return };
    let params =
        ShowDocumentParams { uri, external: Some(false), take_focus: Some(false), selection: line_of(shown, from) };
    // The result, whether the document was shown, has no use here.
    state.outbox.request::<ShowDocumentRequest>(params, |_| {});
}

/// The first line of a view whose source starts in the line of a position.
fn line_of(shown: &ViewResult, from: Position) -> Option<Range> {
    let line = shown.lines.iter().find(|line| line.range.start.line == from.line)?;
    // The note is printed above the text, which shifts the lines.
    let n_above = (shown.with_note().lines().count() - shown.text.lines().count()) as u32;
    let start = Position { line: line.line + n_above, character: 0 };
    Some(Range { start, end: start })
}
