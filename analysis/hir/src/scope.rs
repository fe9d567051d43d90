//! Block scopes, for surfaces that resolve names.
//!
//! A name defined in a block ends with it. It is still remembered for one purpose: to say, when such a name is used
//! later, where it was defined and how to keep it.

use rustc_hash::FxHashMap;

use super::{LocalId, Name, StmtId};

/// The scopes around a place, innermost last.
#[derive(Default)]
pub struct Scopes {
    open: Vec<Scope>,
    /// Locals whose block has ended, by name; the last one of a name counts.
    ended: FxHashMap<Name, Ended>,
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<Name, LocalId>,
    /// Names that are not known are no errors here: something around has been misunderstood.
    lenient: bool,
    /// The statement whose block this is.
    owner: Option<StmtId>,
}

/// A local whose block has ended.
#[derive(Clone, Copy)]
pub struct Ended {
    /// The local that can no longer be named.
    pub local: LocalId,
    /// The outermost statement that ended with it and stands in a scope that is still open.
    pub owner: Option<StmtId>,
    depth: usize,
}

impl Scopes {
    /// Opens the scope of a block that belongs to a statement.
    pub fn open(&mut self, owner: Option<StmtId>) {
        let lenient = self.is_lenient();
        self.open.push(Scope { owner, lenient, ..Scope::default() });
    }

    /// Ends the innermost scope with its names.
    pub fn close(&mut self) {
        let scope = self.open.pop().expect("a scope is open");
        let depth = self.open.len();
        // A local that ended in an inner block now counts as ended with this block's statement.
        for ended in self.ended.values_mut().filter(|ended| ended.depth > depth) {
            ended.depth = depth;
            ended.owner = scope.owner;
        }
        for (name, local) in scope.names {
            self.ended.insert(name, Ended { local, owner: scope.owner, depth });
        }
    }

    /// Ends the innermost scope, and gives its names to who goes on with them.
    pub fn take(&mut self) -> Vec<(Name, LocalId)> {
        let scope = self.open.pop().expect("a scope is open");
        let mut names: Vec<_> = scope.names.into_iter().collect();
        names.sort_by_key(|(_, local)| *local);
        names
    }

    /// Ends the innermost scope without remembering its names.
    pub fn forget(&mut self) {
        self.open.pop().expect("a scope is open");
    }

    /// Defines a name in the innermost scope.
    pub fn define(&mut self, name: Name, local: LocalId) {
        self.open.last_mut().expect("a scope is open").names.insert(name, local);
    }

    /// The outermost statement that the innermost scope is in.
    pub fn outermost_owner(&self) -> Option<StmtId> {
        self.open.iter().find_map(|scope| scope.owner)
    }

    /// The local of this name, from the innermost scope outwards.
    pub fn lookup(&self, name: &str) -> Option<LocalId> {
        self.open.iter().rev().find_map(|scope| scope.names.get(name).copied())
    }

    /// The local of this name that the innermost block itself defines.
    pub fn lookup_here(&self, name: &str) -> Option<LocalId> {
        self.open.last().and_then(|scope| scope.names.get(name).copied())
    }

    /// The local of this name whose block ended last.
    pub fn ended(&self, name: &str) -> Option<Ended> {
        self.ended.get(name).copied()
    }

    /// Names that are not known are no errors here.
    pub fn is_lenient(&self) -> bool {
        self.open.last().is_some_and(|scope| scope.lenient)
    }

    /// Makes names that are not known no errors in the innermost scope.
    pub fn be_lenient(&mut self) {
        self.open.last_mut().expect("a scope is open").lenient = true;
    }

    /// All names that can be used here, the innermost of each.
    pub fn visible(&self) -> Vec<(Name, LocalId)> {
        let mut seen: FxHashMap<Name, LocalId> = FxHashMap::default();
        for scope in self.open.iter().rev() {
            for (name, local) in &scope.names {
                seen.entry(name.clone()).or_insert(*local);
            }
        }
        let mut names: Vec<_> = seen.into_iter().collect();
        names.sort_by_key(|(_, local)| *local);
        names
    }
}
