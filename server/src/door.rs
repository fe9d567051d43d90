//! The door for views that are made elsewhere: of what a program becomes behind lowered IR (LLVM IR, assembly), and of what is
//! known about it. Who opens the server fills it in; here it is a list of stages and plain text.

use analysis::Database;
use analysis::db::Item;
use analysis::stages::target::Target;
use analysis::stages::{Options, StageText};

/// A view that is made elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NativeStage {
    /// What requests call it: `llvm`, `asm`.
    pub name: &'static str,
    /// What the action that opens it is called: "View assembly".
    pub title: &'static str,
    /// What it shows.
    pub description: &'static str,
    /// The language that an editor colours it as.
    pub language_id: &'static str,
    /// It is offered where there is a loop, and nowhere else.
    pub of_loops: bool,
    /// What the name of a file that shows it ends in.
    pub extension: &'static str,
}

/// Work that makes a text; `Err` is a sentence that says why there is none. It is told how to ask whether anybody
/// still waits, and returns soon when nobody does.
pub type NativeWork = Box<dyn FnOnce(&dyn Fn() -> bool) -> Result<StageText, String> + Send>;

/// Views of what lowered IR becomes.
pub trait NativeViews: Send + Sync {
    /// The target that this machine is.
    fn machine(&self) -> &'static Target {
        Options::default().target
    }

    /// The stages, in order.
    fn stages(&self) -> &[NativeStage];

    /// Takes what it needs from the facts, and returns the work that needs no facts any more: it may
    /// take long, and no edit waits for it. Lines of the text have ranges of the item's file.
    fn prepare(&self, db: &Database, item: Item<'_>, stage: &NativeStage, target: &str) -> NativeWork;
}

/// There are none.
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
