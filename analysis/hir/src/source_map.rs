//! The source map of a body: the way back from HIR to the dense text.

use la_arena::ArenaMap;
use report::TextRange;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{ExprId, LocalId, Name, StmtId};

/// The source map of a body: where everything of it stands, in the dense text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BodyMap {
    /// The place of each expression.
    pub exprs: ArenaMap<ExprId, TextRange>,
    /// The places of statements, their blocks included.
    pub stmts: ArenaMap<StmtId, TextRange>,
    /// The places of the names that define locals.
    pub locals: ArenaMap<LocalId, TextRange>,
    /// The place of the item's name.
    pub name: Option<TextRange>,
    /// The place of the item's header: from its keyword to the end of its result type.
    pub header: TextRange,
    /// Names that stand for locals, at the places where they are used or updated, in order; definitions are not
    /// among them.
    pub uses: Vec<(TextRange, LocalId)>,
    /// The headers of its loops, in order.
    pub loops: Vec<LoopHeader>,
    /// The places of the words that `if` statements start with, in order; an `elif` is none.
    pub if_words: Vec<(StmtId, TextRange)>,
    /// The variables that are defined beside others, by an assignment to several without a `let`, or by a pattern: no type is written there.
    pub among: FxHashSet<LocalId>,
    /// The places of the names that arguments are given by, and the functions that they are given to, by the arguments' values.
    pub arg_names: FxHashMap<ExprId, (TextRange, Name)>,
    /// The places of `and` and `or`, by their expressions.
    pub logical: FxHashMap<ExprId, TextRange>,
}

/// The header of a loop, in the dense text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopHeader {
    /// The statement that is the loop.
    pub stmt: StmtId,
    /// From its first word up to its colon.
    pub at: TextRange,
    /// Its first word, unless that is misspelled.
    pub word: Option<TextRange>,
    /// The place of its body.
    pub body: Option<TextRange>,
    /// The loop around it, by its number among the headers.
    pub parent: Option<u32>,
}

impl BodyMap {
    /// The header of the loop that a place belongs to: the place is the whole statement, or anything of its header. What stands
    /// in the body belongs to none.
    pub fn header_around(&self, at: TextRange) -> Option<&LoopHeader> {
        let statement = |header: &LoopHeader| self.stmts[header.stmt];
        let n_before = self.loops.partition_point(|header| statement(header).start() <= at.start());
        let mut header = &self.loops[n_before.checked_sub(1)?];
        while !statement(header).contains_range(at) {
            header = &self.loops[header.parent? as usize];
        }
        let is_inside = header.body.is_some_and(|body| body.contains_range(at));
        (!is_inside).then_some(header)
    }

    /// The header of a loop.
    pub fn header_of(&self, stmt: StmtId) -> Option<&LoopHeader> {
        let n = self.loops.binary_search_by_key(&stmt, |header| header.stmt).ok()?;
        Some(&self.loops[n])
    }
}
