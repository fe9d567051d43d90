//! The facts of ISPC's functions, one function at a time.
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | `body_facts` | values, masks, accesses and notes of a function | its piece or its types change |

use std::sync::Arc;

use ispc_types::source::Piece;

use super::Reading;
use super::typing::{TypedFunction, body_types, layer_of, piece_of, reading_of};
use crate::db::File;

pub use ispc_facts::{BodyFacts, ControlFact, access, edits, foreach, mask, notes, shape, uniforms, whole, why, words};

#[salsa::tracked(lru = 1024)]
fn body_facts<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    reading: Reading<'db>,
    of_front: bool,
    nth: usize,
) -> Option<Arc<BodyFacts>> {
    db.unwind_if_revision_cancelled();
    let piece = piece_of(db, file, reading, of_front, nth).as_ref()?;
    let types = body_types(db, file, reading, of_front, nth).as_ref()?;
    ispc_facts::facts(layer_of(db, file, reading, of_front)?, piece, types).map(Arc::new)
}

/// The facts of a function; none if it was not read whole, is a template, or is nested too deep.
pub fn facts_of<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    function: &TypedFunction<'db>,
) -> Option<(&'db Arc<BodyFacts>, &'db Arc<Piece>)> {
    let (of_front, nth) = function.key;
    if function.place.is_template {
        return None;
    }
    let reading = reading_of(db, file);
    let facts = body_facts(db, file, reading, of_front, nth).as_ref()?;
    Some((facts, piece_of(db, file, reading, of_front, nth).as_ref()?))
}
