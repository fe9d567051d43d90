//! The types that a text leaves out, shown where they could be written, and the edits that write them; which variables vary
//! from lane to lane, which accesses move more than neighbouring cells, and which loops run as lanes.
//!
//! ```text
//! kernel pick(colors: f32[_], number: i32[_], out: f32[_], n: i32):
//!     foreach i in range(n): 8 lanes     ^^^^^^^^ `: i32[_]` is a hint
//!         k: varying i32 = number[i]
//!         out[i] = colors[k] gather
//! ```
//!
//! A place has at most one hint: what varies stands with its type, as it could be written.
//!
//! A hint can be written down when its type has a spelling at that place: no type that a function leaves open, no
//! size that has no name (the `_` above). A variable that its first assignment defines gets a `let` with its type.

mod arguments;
mod lanes;
#[cfg(test)]
mod tests;
mod types;

use std::sync::{Arc, LazyLock};

use report::{Diagnostic, Severity, TextEdit, TextRange, TextSize};

pub use lanes::{HintedCost, loop_costs};

use super::Located;
use hir::Lowered;
use hir::errors::RuleCode;
use hir::infer::Inference;
use insight::ItemFacts;
use queries::check::item_diagnostics;
use queries::db::{File, Item, cut_file};

/// A hint: text that the editor shows and the file does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// The offset at which the hint is shown.
    pub offset: TextSize,
    /// The text that is shown: `: f32`, ` -> f32`.
    pub text: String,
    /// The kind of thing that the hint is about.
    pub kind: HintKind,
    /// A sentence about where the type is from.
    pub tooltip: String,
    /// The change that writes it down, if it has a spelling.
    pub edit: Option<TextEdit>,
    /// The parts of what is shown that lead somewhere, in order.
    pub links: Vec<HintLink>,
}

/// A part of a hint that leads somewhere: to what makes something vary, to a struct, to where a size is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintLink {
    /// The part, as a range of the hint's text.
    pub part: TextRange,
    /// The place that it leads to, in the file.
    pub target: TextRange,
}

/// The kind of thing that a hint is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HintKind {
    /// A parameter of a kernel or function.
    Param,
    /// A variable, or a constant.
    Variable,
    /// The index of a loop.
    Index,
    /// A parameter of a lambda.
    Lambda,
    /// The result of a kernel or function.
    Result,
    /// The name of the parameter that a literal is given for.
    Argument,
    /// A variable that varies from lane to lane, whose type is no hint by itself.
    Varying,
    /// An access that is neither contiguous nor a broadcast: its class and stride.
    Access,
    /// A loop: its verdict, in a few words.
    Loop,
}

/// The kinds of hints that are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HintOptions {
    /// Types of the parameters of kernels and functions.
    pub params: bool,
    /// Types of variables and constants.
    pub variables: bool,
    /// Types of loop indices.
    pub indices: bool,
    /// Types of the parameters of lambdas.
    pub lambdas: bool,
    /// Types of the results of kernels and functions.
    pub results: bool,
    /// Names of parameters before literals in calls.
    pub arguments: bool,
    /// Variables and parameters that vary from lane to lane.
    pub varying: bool,
    /// Accesses that are neither one cell for all lanes nor neighbouring cells.
    pub accesses: bool,
    /// Loops: the number of their lanes, or the reason why they have none.
    pub loops: bool,
    /// The estimated cost of each loop, beside its lanes.
    pub costs: bool,
    /// True if types are only shown where no use decides them, so that they are defaults.
    pub defaulted_only: bool,
}

impl Default for HintOptions {
    /// All but loop indices, which are what their ranges are, and costs, which are estimates.
    fn default() -> Self {
        HintOptions { indices: false, costs: false, ..HintOptions::ALL }
    }
}

impl HintOptions {
    /// All kinds of hints.
    pub const ALL: HintOptions = HintOptions {
        params: true,
        variables: true,
        indices: true,
        lambdas: true,
        results: true,
        arguments: true,
        varying: true,
        accesses: true,
        loops: true,
        costs: true,
        defaulted_only: false,
    };

    /// The hints about types, without those about lanes.
    pub const TYPES: HintOptions = HintOptions {
        arguments: false,
        varying: false,
        accesses: false,
        loops: false,
        costs: false,
        ..HintOptions::ALL
    };

    fn wants(&self, kind: HintKind, defaulted: bool) -> bool {
        let kind = match kind {
            HintKind::Param => self.params,
            HintKind::Variable => self.variables,
            HintKind::Index => self.indices,
            HintKind::Lambda => self.lambdas,
            HintKind::Result => self.results,
            HintKind::Argument => return self.arguments,
            HintKind::Varying => return self.varying,
            HintKind::Access => return self.accesses,
            HintKind::Loop => return self.loops,
        };
        kind && (defaulted || !self.defaulted_only)
    }
}

impl Hint {
    /// This hint of a type, found without facts about lanes, with what a hint at the same place said of them.
    pub fn varying_like(self, before: &Hint) -> Hint {
        match types::with_varying(&self.text).filter(|_| types::says_varying(&before.text)) {
            Some(text) => Hint { text, tooltip: before.tooltip.clone(), edit: None, links: Vec::new(), ..self },
            None => self,
        }
    }
}

/// The hints in a range of a file, in order. Only items that the range touches are looked at.
pub fn type_hints(db: &dyn salsa::Database, file: File, range: TextRange, options: &HintOptions) -> Vec<Hint> {
    hints_in(db, file, range, options, |item| queries::lanes::of_item(db, item))
}

/// The hints in a range of a file that follow from types alone, in order. They are known long before the facts about lanes, for which
/// dependences are looked for and all passes run; what varies is not said.
pub fn hints_without_lanes(db: &dyn salsa::Database, file: File, range: TextRange, options: &HintOptions) -> Vec<Hint> {
    static NONE: LazyLock<Arc<ItemFacts>> = LazyLock::new(Arc::default);
    hints_in(db, file, range, options, |_| &NONE)
}

fn hints_in<'db>(
    db: &'db dyn salsa::Database,
    file: File,
    range: TextRange,
    options: &HintOptions,
    facts: impl Fn(Item<'db>) -> &'db Arc<ItemFacts>,
) -> Vec<Hint> {
    let cut = cut_file(db, file);
    let first = cut.starts.partition_point(|&start| start <= range.start()).saturating_sub(1);
    let mut hints = Vec::new();
    for (&item, &start) in cut.items.iter().zip(&cut.starts).skip(first) {
        if start > range.end() {
            break;
        }
        db.unwind_if_revision_cancelled();
        hints.extend(item_hints(db, &Located::new(db, item, start), range, options, facts(item)));
    }
    hints.retain(|hint| range.contains_inclusive(hint.offset));
    hints
}

/// Returns true for an error that may change what is inferred; what breaks a rule of kernels as a whole is understood all the same.
fn is_mistake(found: &Diagnostic) -> bool {
    found.severity == Severity::Error && RuleCode::of(found.code).is_none()
}

/// The edits that write down every type that the item at a place leaves out and that has a spelling. None while the
/// item has errors: what is inferred then may not be what is meant.
pub fn write_types_edits(db: &dyn salsa::Database, file: File, offset: TextSize) -> Vec<TextEdit> {
    let Some(located) = Located::at(db, file, offset) else { return Vec::new() };
    let broken = item_diagnostics(db, located.item, located.start).iter().any(is_mistake);
    if broken {
        return Vec::new();
    }
    let everywhere = TextRange::up_to(TextSize::of(&**file.text(db)));
    let facts = queries::lanes::of_item(db, located.item);
    item_hints(db, &located, everywhere, &HintOptions::TYPES, facts).into_iter().filter_map(|hint| hint.edit).collect()
}

/// The hints of an item; of most that lie outside of a range nothing is made.
fn item_hints(
    db: &dyn salsa::Database,
    located: &Located<'_>,
    range: TextRange,
    options: &HintOptions,
    facts: &ItemFacts,
) -> Vec<Hint> {
    let lowered = queries::lowered(db, located.item);
    let inference = queries::infer(db, located.item);
    let hints = Hints { db, located, range, lowered, inference, facts, options };
    // Those of the rounds of a `static for` behind the first have the places of these.
    let n_written = queries::resolved(db, located.item).body.locals.len();
    let locals = lowered.body.locals.iter().take(n_written).filter_map(|(id, _)| hints.local(id));
    let mut found: Vec<_> =
        locals.chain(hints.constant()).chain(hints.result()).chain(hints.accesses()).chain(hints.loops()).collect();
    found.extend(hints.arguments());
    found.sort_by_key(|hint| hint.offset);
    found
}

struct Hints<'a, 'db> {
    db: &'db dyn salsa::Database,
    located: &'a Located<'db>,
    /// The part of the file that is asked about.
    range: TextRange,
    lowered: &'a Lowered,
    inference: &'a Inference,
    facts: &'a ItemFacts,
    options: &'a HintOptions,
}
