//! Looking up from long work. Whoever asked for it may have no use for it any more, and this room cannot know: so what takes long
//! calls now and then what it was given for that. A call may unwind; what was going on is dropped, and nothing else was touched.

use std::fmt;

/// A token that long work asks now and then whether it is cancelled.
#[derive(Clone, Copy)]
pub struct CancelToken<'w>(Option<&'w dyn Fn()>);

impl<'w> CancelToken<'w> {
    /// Work that goes on to its end.
    pub const NONE: CancelToken<'static> = CancelToken(None);

    /// Work during which this is called.
    pub fn new(check_cancelled: &'w dyn Fn()) -> CancelToken<'w> {
        CancelToken(Some(check_cancelled))
    }

    /// Calls it.
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
