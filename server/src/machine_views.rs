//! The interface for views that are produced outside of this package: stages behind lowered IR (LLVM IR, assembly) with what is
//! known about them, and kernels that are run to find faster versions. The program that starts the server implements it; here it is a list of stages and plain text.

use queries::db::Database;
use queries::db::{File, Item};
use queries::stages::target::Target;
use queries::stages::{Options, StageText};
use report::TextEdit;

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

/// A change of a kernel, or some on top of each other, that was measured to make it faster.
#[derive(Debug, Clone, PartialEq)]
pub struct FasterOffer {
    /// The change in a few words.
    pub title: String,
    /// The time of the kernel as it is, in times of the changed one.
    pub times: f64,
    /// The distance of single measurements from that.
    pub spread: f64,
    /// Its effect on results, as words: `same bits in 8 runs`.
    pub results: String,
    /// True if every bit of all results was the same.
    pub keeps_bits: bool,
    /// The edits that make it, of the text that was tried.
    pub edits: Vec<TextEdit>,
    /// The lines that change, as a difference for people.
    pub diff: String,
}

/// The outcome of the trials of a kernel's changes.
#[derive(Debug, Clone, PartialEq)]
pub struct FasterTrial {
    /// All of them as a text for people.
    pub text: String,
    /// Those that gain, the fastest first.
    pub offers: Vec<FasterOffer>,
}

/// Takes the number of changes that were tried, that of all of them, and the title of the one that is tried next.
pub type TrialProgress<'a> = dyn FnMut(usize, usize, &str) + 'a;

/// Work that runs a kernel in many ways, which takes long; `Err` is a sentence that says why it cannot. It tells how far it is, and polls
/// whether it was cancelled, as [`NativeWork`] does.
pub type TrialWork = Box<dyn FnOnce(&mut TrialProgress<'_>, &dyn Fn() -> bool) -> Result<FasterTrial, String> + Send>;

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

    /// Explains the instruction of a line of assembly for a target, as Markdown.
    fn explain_instruction(&self, _: &str, _: &str) -> Option<String> {
        None
    }

    /// Returns true if kernels are run here, so that their changes can be tried.
    fn tries(&self) -> bool {
        false
    }

    /// Copies what it needs of a kernel, and returns the work that tries all changes of it and measures them.
    fn prepare_trial(&self, _: &Database, _: Item<'_>, _: &str) -> TrialWork {
        Box::new(|_, _| Err("no kernels are run here".to_owned()))
    }

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
