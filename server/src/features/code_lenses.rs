//! Code lenses above each kernel, which open its lowered form and its machine code.

use queries::check::name_place;
use queries::db::file_items;
use report::{ItemKind, TextRange};
use tower_lsp::gen_lsp_types::{CodeLens, CodeLensParams};
use tower_lsp::jsonrpc::Result;

use super::commands;
use crate::request_context::RequestContext;

/// `textDocument/codeLens`.
pub(crate) fn code_lenses(ctx: &RequestContext<'_>, params: &CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let place = ctx.document(&params.text_document.uri)?;
    if !ctx.config().lenses {
        return Ok(Some(Vec::new()));
    }
    let db = ctx.db();
    let kernels = file_items(db, place.file).iter().filter(|item| item.kind(db) == ItemKind::Kernel);
    // Only the last of the native stages has a lens, since it is the one most used; the others are among the code actions.
    let native = ctx.state().native.stages().last().map(|stage| (stage.title, stage.name));
    let views = || [("View lowered IR", &*ctx.config().stage)].into_iter().chain(native);
    let lenses = |name: TextRange| {
        let range = place.range(name);
        let place = &place;
        views().map(move |(title, stage)| CodeLens {
            range,
            command: Some(commands::open_view(title, place, name.start(), stage)),
            data: None,
        })
    };
    Ok(Some(kernels.filter_map(|&kernel| name_place(db, kernel)).flat_map(lenses).collect()))
}
