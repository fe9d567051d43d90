//! The interface for views that are produced outside of this package: stages behind lowered IR (LLVM IR, assembly) with what is
//! known about them. The program that starts the server implements it; here it is a list of stages and plain text.

use queries::db::Database;
use queries::db::{File, Item};
use queries::stages::target::Target;
use queries::stages::{Options, StageText};

/// A stage of native code that views can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeStage {
    /// Name of the stage in requests: `llvm`, `asm`.
    pub name: &'static str,
    /// Title of the action that opens it: "View assembly".
    pub title: &'static str,
    /// Description of the text that it shows.
    pub description: &'static str,
    /// Language identifier by which an editor highlights it.
    pub language_id: &'static str,
    /// Offered only where the cursor is in a loop.
    pub of_loops: bool,
    /// File name extension of a file that shows it.
    pub extension: &'static str,
}

/// Work that produces a text; `Err` is a sentence that says why there is none. Its parameter reports whether the request was
/// cancelled; the work polls it and returns soon after.
pub type NativeWork = Box<dyn FnOnce(&dyn Fn() -> bool) -> Result<StageText, String> + Send>;

/// Provider of views of native code.
pub trait NativeViews: Send + Sync {
    /// The target of this machine.
    fn machine(&self) -> &'static Target {
        Options::default().target
    }

    /// The stages, in pipeline order.
    fn stages(&self) -> &[NativeStage];

    /// Copies what it needs from the facts, and returns the work that needs the database no more: it may take long, and no edit
    /// waits for it. Lines of the text have ranges in the item's file.
    fn prepare(&self, db: &Database, item: Item<'_>, stage: &NativeStage, target: &str) -> NativeWork;

    /// The stages of functions of ISPC files, in order.
    fn ispc_stages(&self) -> &[NativeStage] {
        &[]
    }

    /// Copies what it needs of a function of an ISPC file, and returns the work, as [`Self::prepare`] does.
    fn prepare_ispc(&self, _: &Database, _: File, _: &str, stage: &NativeStage, _: &str) -> NativeWork {
        let name = stage.name;
        Box::new(move |_| Err(format!("there is no stage `{name}` here")))
    }
}

/// A provider with no stages, for a server without native code.
pub struct NoNativeViews;

impl NativeViews for NoNativeViews {
    fn stages(&self) -> &[NativeStage] {
        &[]
    }

    fn prepare(&self, _: &Database, _: Item<'_>, stage: &NativeStage, _: &str) -> NativeWork {
        let name = stage.name;
        Box::new(move |_| Err(format!("there is no stage `{name}` here")))
    }
}
