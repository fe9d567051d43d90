//! Loops over the elements of an array that store to these, as references of other languages do: the same loop over their numbers.

use crate::finding::Edit;
use crate::{Body, BodyMap, Expr, LocalId, Over, Stmt};

/// The edits that make a loop over elements, each of which is `local`, one over their numbers; and the new index.
pub fn by_number(body: &Body, map: &BodyMap, local: LocalId) -> Option<(&'static str, Vec<Edit>)> {
    let array = body.stmts.iter().find_map(|(_, stmt)| match stmt {
        Stmt::For { index, over: Over::Elements(array), .. } if *index == local => Some(*array),
        _ => None,
    })?;
    let Expr::Local(source) = body.exprs[array] else { return None };
    let is_free = |name: &&str| body.locals.iter().all(|(_, other)| *other.name != **name);
    let index = ["i", "j", "k", "number"].into_iter().find(is_free)?;
    let element = format!("{}[{index}]", body.locals[source].name);
    let header = [
        Edit::Replace(map.locals[local], index.to_owned()),
        Edit::Surround(map.exprs[array], "range(length(".to_owned(), "))".to_owned()),
    ];
    let uses = map.uses.iter().filter(|(_, used)| *used == local);
    let edits = header.into_iter().chain(uses.map(|(at, _)| Edit::Replace(*at, element.clone())));
    Some((index, edits.collect()))
}
