//! Cancellation of long computations. Nothing in this package knows if an answer is still wanted. So a computation that
//! may take long calls a check now and then, which its caller has passed in. The check may unwind: the computation is
//! dropped, and has changed nothing else.

use std::fmt;

/// A token by which a long computation is cancelled.
#[derive(Clone, Copy)]
pub struct CancelToken<'w>(Option<&'w dyn Fn()>);

impl<'w> CancelToken<'w> {
    /// The token of a computation that nobody cancels.
    pub const NONE: CancelToken<'static> = CancelToken(None);

    /// Returns a token for a computation that is to call this check now and then.
    pub fn new(check_cancelled: &'w dyn Fn()) -> CancelToken<'w> {
        CancelToken(Some(check_cancelled))
    }

    /// Calls the check, which unwinds if the computation is cancelled.
    pub fn check_cancelled(self) {
        if let Some(check_cancelled) = self.0 {
            check_cancelled();
        }
    }
}

impl fmt::Debug for CancelToken<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "CancelToken" } else { "no CancelToken" })
    }
}
