//! Commands that a client executes by name, from an action or a lens.

use report::TextSize;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{
    Command, ExecuteCommandParams, MessageType, Position, Range, ShowDocumentParams, ShowDocumentRequest,
    ShowMessageNotification, ShowMessageParams, Uri,
};
use tower_lsp::jsonrpc::{Error, Result};

use super::view::{self, ViewParams, ViewResult};
use super::view_files;
use crate::documents::Key;
use crate::question::Later;
use crate::request_context::{Place, RequestContext, ServerState};
use crate::uris;

/// Opens a view by the best means that the client supports; its result is the text.
const VIEW: &str = "lanescope.view";

/// Names of all commands, for `initialize`.
pub(crate) const NAMES: &[&str] = &[VIEW];

/// Builds the command that opens a kernel's view.
pub(crate) fn open_view(title: &str, place: &Place<'_>, kernel: TextSize, stage: &str) -> Command {
    let argument = json!({
        "textDocument": { "uri": place.uri() },
        "position": place.position(kernel),
        "stage": stage,
    });
    Command { title: title.to_owned(), tooltip: None, command: VIEW.to_owned(), arguments: Some(vec![argument]) }
}

/// `workspace/executeCommand`.
pub(crate) fn execute(ctx: &RequestContext<'_>, params: &ExecuteCommandParams) -> Result<Later<Option<Value>>> {
    if params.command != VIEW {
        return Err(Error::invalid_params(format!("no such command: {}", params.command)));
    }
    let argument = params.arguments.as_ref().and_then(|arguments| arguments.first()).cloned().unwrap_or_default();
    let params: ViewParams =
        serde_json::from_value(argument).map_err(|error| Error::invalid_params(error.to_string()))?;
    let address = view::address(ctx, &params)?;
    let work = view::view(ctx, &params)?;
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
fn open(state: &ServerState, source: Key, address: Uri, shown: &ViewResult, from: Position) {
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
