//! Views of functions of ISPC files, and the lenses and actions that open them.
//!
//! They are made by the program that starts the server (see [`NativeViews`]), and follow their source as those of Lane's kernels do.

use ide::ispc::views::{ViewedFunction, n_errors, viewed_functions};
use report::TextSize;
use tower_lsp::gen_lsp_types::{CodeAction, CodeActionResponse, CodeLens, CodeLensParams, Command};
use tower_lsp::jsonrpc::{Error, Result};

use crate::features::code_actions::view_kind;
use crate::features::commands;
use crate::features::view::{Head, StageInfo, ViewParams, ViewResult, finisher, gone, key};
use crate::machine_views::{NativeStage, NativeViews};
use crate::placed_json::{JsonList, PlacedJson};
use crate::question::Later;
use crate::request_context::{ClientDocument, RequestContext};

/// The stages with an action and a lens of their own.
const LISTED: &[&str] = &["lowered", "asm"];

/// All stages, in order.
pub(crate) fn stages(native: &dyn NativeViews) -> Vec<StageInfo> {
    let info = |stage: &NativeStage| StageInfo {
        name: stage.name.to_owned(),
        title: stage.title.to_owned(),
        description: stage.description.to_owned(),
        language_id: stage.language_id.to_owned(),
    };
    native.ispc_stages().iter().map(info).collect()
}

/// The stage of a request: the first one if none, or one of Lane's, is named.
pub(crate) fn stage_name<'s>(ctx: &RequestContext<'s>, wanted: Option<&str>) -> &'s str {
    let all = ctx.state().native.ispc_stages();
    let named = all.iter().find(|stage| Some(stage.name) == wanted);
    named.or(all.first()).map_or("", |stage| stage.name)
}

/// The name of the function at a place; else of the one that is shown.
pub(crate) fn name_at(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, params: &ViewParams) -> Option<String> {
    let here = function_at(ctx, place, place.offset(params.position)).map(|function| function.name);
    here.or_else(|| params.kernel.clone())
}

fn function_at(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, offset: TextSize) -> Option<ViewedFunction> {
    let all = viewed_functions(ctx.db(), place.file).into_iter();
    all.into_iter().find(|function| function.range.contains_inclusive(offset))
}

/// `lanescope/view`.
pub(crate) fn view(ctx: &RequestContext<'_>, params: &ViewParams) -> Result<Later<ViewResult>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let name = name_at(ctx, &place, params);
    let name = name.ok_or_else(|| Error::invalid_params("no function with a body stands at this place"))?;
    view_of(ctx, &place, &name, params.stage.as_deref(), params.target.as_deref())
}

/// The view of the function of a name.
pub(crate) fn view_of(
    ctx: &RequestContext<'_>,
    place: &ClientDocument<'_>,
    name: &str,
    stage: Option<&str>,
    target: Option<&str>,
) -> Result<Later<ViewResult>> {
    let native = ctx.state().native.clone();
    let wanted = stage_name(ctx, stage);
    let stage = native.ispc_stages().iter().copied().find(|stage| stage.name == wanted);
    let Some(stage) = stage else { return Err(Error::invalid_params("there are no views of ISPC files here")) };
    let key = key(ctx, place, name, Some(stage.name), target);
    if !viewed_functions(ctx.db(), place.file).iter().any(|function| function.name == name) {
        return Ok(gone(ctx, place, &key));
    }
    let target = key.target.clone();
    let finish = finisher(ctx, place, Head { key, errors: 0 });
    let n_errors = n_errors(ctx.db(), place.file);
    if n_errors > 0 {
        let errors = if n_errors == 1 { "an error".to_owned() } else { format!("{n_errors} errors") };
        return Ok(Box::new(move |_| Ok(finish(stage.language_id, Err(format!("the file has {errors}"))))));
    }
    let work = native.prepare_ispc(ctx.db(), place.file, name, &stage, &target);
    Ok(Box::new(move |stop| Ok(finish(stage.language_id, work(&|| stop.is_stopped())))))
}

/// `textDocument/codeLens`: above each exported function the lanes, what costs them, and its views.
pub(crate) fn code_lenses(ctx: &RequestContext<'_>, params: &CodeLensParams) -> Result<Option<JsonList>> {
    let place = ctx.ispc_document(&params.text_document.uri)?;
    let mut list = JsonList::default();
    if !ctx.config().lenses {
        return Ok(Some(list));
    }
    let stages = ctx.state().native.ispc_stages();
    for function in viewed_functions(ctx.db(), place.file).into_iter().filter(|function| function.is_exported) {
        let start = function.focus.start();
        let explained = stages.iter().find(|stage| stage.of_loops).map(|stage| (function.summary.clone(), stage.name));
        let listed = stages.iter().filter(|stage| LISTED.contains(&stage.name));
        let listed = listed.map(|stage| (stage.title.to_owned(), stage.name));
        for (title, stage) in explained.into_iter().chain(listed) {
            let command = Some(commands::open_view(&title, &place, start, stage));
            let lens = CodeLens { range: place.range(function.focus), command, data: None };
            list.push(&mut PlacedJson::of(&lens, 0), 0);
        }
    }
    Ok(Some(list))
}

/// Actions that open views of the function at the cursor. Where the client can let the user choose, one action stands for the stages that
/// are seldom wanted.
pub(super) fn views(ctx: &RequestContext<'_>, place: &ClientDocument<'_>, offset: TextSize) -> Vec<CodeActionResponse> {
    let Some(function) = function_at(ctx, place, offset) else { return Vec::new() };
    let (start, chooses) = (function.focus.start(), ctx.profile().chooses);
    let shown = ctx.state().native.ispc_stages().iter();
    let shown = shown.filter(|stage| !chooses || LISTED.contains(&stage.name));
    let open = shown.map(|stage| commands::open_view(stage.title, place, start, stage.name));
    let choose = chooses.then(|| commands::choose_view("View…", place, start));
    let action = |command: Command| match ctx.profile().code_action_literals {
        true => CodeActionResponse::CodeAction(CodeAction {
            title: command.title.clone(),
            kind: Some(view_kind()),
            command: Some(command),
            ..Default::default()
        }),
        false => CodeActionResponse::Command(command),
    };
    open.chain(choose).map(action).collect()
}
