//! Sums of a loop computed beside each other, in the array that they are stored to.

use lane::sums::sums_in_array;
use lane::tree::ast::{self, AstNode};
use queries::db::File;
use report::TextRange;

use crate::Located;
use crate::variants::KernelChange;

/// The change of the loop with this header, if it computes sums one after the other and does nothing else.
pub(super) fn beside_each_other(db: &dyn salsa::Database, file: File, header: TextRange) -> Option<KernelChange> {
    let located = Located::at(db, file, header.start()).filter(|it| !it.may_alias())?;
    let token = located.root.token_at_offset(header.start() - located.start).right_biased()?;
    let statement = token.parent_ancestors().find_map(ast::ForStmt::cast)?;
    let found = sums_in_array(&statement)?;
    let edit = located.replaced(db, found.range, &found.lines, "");
    Some(KernelChange {
        title: format!("compute the sums beside each other, in `{}`", found.array),
        results: "",
        edits: vec![edit],
    })
}
