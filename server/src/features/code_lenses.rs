//! A line above each kernel that opens its lowered form.

use analysis::ItemKind;
use analysis::check::name_place;
use analysis::db::file_items;
use tower_lsp::gen_lsp_types::{CodeLens, CodeLensParams};
use tower_lsp::jsonrpc::Result;

use super::commands;
use crate::moment::Moment;

/// `textDocument/codeLens`.
pub(crate) fn code_lenses(moment: &Moment<'_>, params: &CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
    let place = moment.document(&params.text_document.uri)?;
    if !moment.config().lenses {
        return Ok(Some(Vec::new()));
    }
    let db = moment.db();
    let kernels = file_items(db, place.file).iter().filter(|item| item.kind(db) == ItemKind::Kernel);
    let lens = |name| CodeLens {
        range: place.range(name),
        command: Some(commands::open_view("View lowered IR", &place, name.start(), &moment.config().stage)),
        data: None,
    };
    Ok(Some(kernels.filter_map(|&kernel| name_place(db, kernel)).map(lens).collect()))
}
