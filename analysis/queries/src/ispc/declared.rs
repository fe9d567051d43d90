//! The names that a file declares, found in its tokens alone: a search over thousands of files reads no units.

use std::sync::Arc;

use ispc::file::FileText;

use crate::db::File;

pub use ispc::declared::DeclaredName;

/// The names that a file declares outside of functions, in order. Its tokens are not kept.
#[salsa::tracked]
pub fn declared_names(db: &dyn salsa::Database, file: File) -> Arc<[DeclaredName]> {
    let text = FileText::new(file.name(db).clone(), file.text(db).clone());
    ispc::declared::declared_names(&text).into()
}
