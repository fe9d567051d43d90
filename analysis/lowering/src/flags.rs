//! Names of the values that stand for early exits. Nobody wrote them, so no report shows them unless a variable of that name is
//! written there.

/// True while what follows an exit is still to be done.
pub(crate) const LIVE: &str = "live";
/// True while a loop goes on.
pub(crate) const GO: &str = "go";
/// True for an iteration that does not leave its loop.
pub(crate) const STAYS: &str = "stays";

/// Says whether lowering gives this name to a flag of its own.
pub fn is_flag(name: &str) -> bool {
    [LIVE, GO, STAYS].contains(&name)
}
