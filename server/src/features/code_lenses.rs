//! Code lenses above each kernel, which open its lowered form and its machine code, and find faster versions of it.

use queries::check::name_in_item;
use queries::db::Item;
use report::{ItemKind, TextSize};
use tower_lsp::gen_lsp_types::{self as lsp, CodeLens, CodeLensParams, LspRequestMethod, MessageDirection, Request};
use tower_lsp::jsonrpc::Result;

use super::{commands, faster, kept_lists};
use crate::placed_json::JsonList;
use crate::request_context::RequestContext;

/// The request `textDocument/codeLens`, whose list is JSON already.
pub(crate) enum LensRequest {}

impl Request for LensRequest {
    type Params = CodeLensParams;
    type Result = Option<JsonList>;
    const METHOD: LspRequestMethod<'static> = lsp::CodeLensRequest::METHOD;
    const MESSAGE_DIRECTION: MessageDirection = MessageDirection::ClientToServer;
}

/// `textDocument/codeLens`.
pub(crate) fn code_lenses(ctx: &RequestContext<'_>, params: &CodeLensParams) -> Result<Option<JsonList>> {
    let place = ctx.document(&params.text_document.uri)?;
    if !ctx.config().lenses {
        return Ok(Some(JsonList::default()));
    }
    let db = ctx.db();
    // Only the last of the native stages has a lens, since it is the one most used; the others are among the code actions.
    let native = ctx.state().native.stages().last().map(|stage| (stage.title, stage.name));
    let may_run = faster::may_run(ctx);
    let of_item = |item: Item<'_>, start: TextSize| -> Vec<CodeLens> {
        let is_kernel = item.kind(db) == ItemKind::Kernel;
        let Some(name) = name_in_item(db, item).filter(|_| is_kernel).map(|name| name + start) else {
            return Vec::new();
        };
        let views = [("View lowered IR", &*ctx.config().stage)].into_iter().chain(native);
        let lens = |(title, stage)| CodeLens {
            range: place.range(name),
            command: Some(commands::open_view(title, &place, name.start(), stage)),
            data: None,
        };
        let mut lenses: Vec<_> = views.map(lens).collect();
        if may_run {
            let command = Some(faster::find_command(&place, name.start()));
            lenses.push(CodeLens { range: place.range(name), command, data: None });
        }
        if let Some(template) = queries::templates::not_shown(db, item) {
            let command = Some(commands::show_instance(template.name(db), item.name(db)));
            lenses.push(CodeLens { range: place.range(name), command, data: None });
        }
        lenses
    };
    let made_for = format!("{} {may_run}", ctx.config().stage);
    Ok(Some(kept_lists::list(ctx, &place, LensRequest::METHOD.as_str(), &made_for, of_item)))
}
