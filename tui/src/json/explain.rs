//! The output of `explain --json`.

mod loops;

use analysis::facts::Stride;
use analysis::ide::explain::{self, Explained};
use serde::Serialize;
use serde_json::Value as Json;
use syntax::ItemKind;

use super::{Decision, Diagnostic, Range, VERSION};
use crate::document::Document;

use loops::Loop;

/// The output of `explain --json`.
#[derive(Debug, Serialize)]
pub struct ExplainReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// Name of the file, as in `diagnostics`.
    pub file: String,
    /// The kernels, in order, repeated for each requested target.
    pub kernels: Vec<Item>,
    /// The functions that some kernel calls, in order; their facts are joined over all calls.
    pub functions: Vec<Item>,
    /// Errors because of which parts have no explanation.
    pub diagnostics: Vec<Diagnostic>,
}

/// A kernel or a function.
#[derive(Debug, Serialize)]
pub struct Item {
    /// Name of the item.
    pub name: String,
    /// Name of the target that the facts hold for.
    pub target: &'static str,
    /// Range of the item's header.
    pub range: Range,
    /// Values of expressions, by position.
    pub values: Vec<Value>,
    /// Loads and stores, by position.
    pub accesses: Vec<Access>,
    /// Branches inside of lanes, by position.
    pub branches: Vec<Branch>,
    /// Loops, by position.
    pub loops: Vec<Loop>,
    /// Decisions of passes about the item, in order.
    pub decisions: Vec<Decision>,
}

/// An expression and its value.
#[derive(Debug, Serialize)]
pub struct Value {
    /// Range of the expression.
    pub range: Range,
    /// Text of the expression, on one line.
    pub text: String,
    /// Type of the value.
    #[serde(rename = "type")]
    pub ty: String,
    /// Uniformity: `uniform` or `varying`.
    pub uniformity: &'static str,
    /// Shape of the variation: `linear, stride 2`; `uniform` for values that do not vary.
    pub shape: String,
    /// True in functions where this holds in some calls, while others have a better value.
    pub in_some_calls: bool,
    /// Header of the loop whose iterations are lanes here, or `null` outside of lanes.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// Active lanes: `all-on`, `uniform` (all of them or none) or `divergent`.
    pub control: &'static str,
    /// Causes of the variation, step by step.
    pub because: Vec<Because>,
}

/// A load or a store.
#[derive(Debug, Serialize)]
pub struct Access {
    /// Range of the access.
    pub range: Range,
    /// Text of the access, on one line.
    pub text: String,
    /// Name of the array.
    pub array: String,
    /// Kind: `load` or `store`.
    pub kind: &'static str,
    /// Class of the access, by the positions of its cells.
    pub class: &'static str,
    /// Distance in cells between neighbouring lanes: a number, a formula as text, or `null` if it is not constant.
    pub stride: Json,
    /// True in functions where this holds in some calls, while others have a better access.
    pub in_some_calls: bool,
    /// Header of the loop whose iterations are lanes here, or `null` outside of lanes.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// Active lanes: `all-on`, `uniform` (all of them or none) or `divergent`.
    pub control: &'static str,
    /// Reason for the class.
    pub reason: String,
    /// Change that would make the access cheaper, or `null`.
    pub lift: Option<String>,
    /// Subscript that determines the class, and the causes of its variation, step by step.
    pub because: Vec<Because>,
}

/// An `if` inside of lanes.
#[derive(Debug, Serialize)]
pub struct Branch {
    /// Range of the condition.
    pub range: Range,
    /// Text of the condition, on one line.
    pub text: String,
    /// Control: `divergent` where lanes may disagree about the condition, else `uniform`.
    pub control: &'static str,
    /// True if the branch is tested at run time for all lanes on and all lanes off.
    pub coherent: bool,
    /// Header of the loop whose iterations are lanes here.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// Causes of the condition's variation, step by step.
    pub because: Vec<Because>,
}

/// A step of a chain of reasons.
#[derive(Debug, Serialize)]
pub struct Because {
    /// Range of the step.
    pub range: Range,
    /// Text of the range, on one line.
    pub text: String,
    /// Relation to the step before.
    pub message: String,
}

impl ExplainReport {
    /// Creates an empty report about a document.
    pub fn new(document: &Document) -> ExplainReport {
        ExplainReport {
            version: VERSION,
            file: document.name.clone(),
            kernels: Vec::new(),
            functions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds the facts about some items on a target.
    pub fn add(&mut self, document: &Document, target: &'static str, items: &[Explained]) {
        for item in items {
            let of_kind = if item.kind == ItemKind::Fn { &mut self.functions } else { &mut self.kernels };
            of_kind.push(Item::of(document, target, item));
        }
    }

    /// Sets the errors because of which parts have no explanation.
    pub fn with_errors(self, document: &Document, errors: &[syntax::Diagnostic]) -> ExplainReport {
        ExplainReport { diagnostics: errors.iter().map(|found| Diagnostic::of(document, found)).collect(), ..self }
    }

    /// Returns true if the report has no facts about any item.
    pub fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.functions.is_empty()
    }
}

impl Item {
    fn of(document: &Document, target: &'static str, item: &Explained) -> Item {
        Item {
            name: item.name.clone(),
            target,
            range: Range::of(document, item.range),
            values: item.values.iter().map(|value| Value::of(document, value)).collect(),
            accesses: item.accesses.iter().map(|access| Access::of(document, access)).collect(),
            branches: item.branches.iter().map(|branch| Branch::of(document, branch)).collect(),
            loops: item.loops.iter().map(|lane_loop| Loop::of(document, lane_loop)).collect(),
            decisions: item.decisions.iter().map(|decision| Decision::of(document, decision)).collect(),
        }
    }
}

impl Decision {
    fn of(document: &Document, decision: &explain::Decision) -> Decision {
        Decision {
            range: Some(Range::of(document, decision.range)),
            pass: decision.pass,
            code: decision.code,
            taken: decision.taken,
            because: decision.because.clone(),
        }
    }
}

impl Value {
    fn of(document: &Document, value: &explain::Value) -> Value {
        Value {
            range: Range::of(document, value.range),
            text: value.text.clone(),
            ty: value.ty.clone(),
            uniformity: if value.varies { "varying" } else { "uniform" },
            shape: value.shape.clone(),
            in_some_calls: value.in_some_calls,
            lane_loop: value.lane_loop.map(|range| Range::of(document, range)),
            control: value.flow.name(),
            because: chain(document, &value.because),
        }
    }
}

impl Access {
    fn of(document: &Document, access: &explain::Access) -> Access {
        Access {
            range: Range::of(document, access.range),
            text: access.text.clone(),
            array: access.array.clone(),
            kind: if access.stores { "store" } else { "load" },
            class: access.class.name(),
            stride: match &access.stride {
                Some(Stride::Cells(cells)) => (*cells).into(),
                stride => stride.as_ref().and_then(Stride::formula).into(),
            },
            in_some_calls: access.in_some_calls,
            lane_loop: access.lane_loop.map(|range| Range::of(document, range)),
            control: access.flow.name(),
            reason: access.reason.clone(),
            lift: access.lift.clone(),
            because: chain(document, &access.because),
        }
    }
}

impl Branch {
    fn of(document: &Document, branch: &explain::Branch) -> Branch {
        Branch {
            range: Range::of(document, branch.range),
            text: branch.text.clone(),
            control: if branch.diverges { "divergent" } else { "uniform" },
            coherent: branch.coherent,
            lane_loop: branch.lane_loop.map(|range| Range::of(document, range)),
            because: chain(document, &branch.because),
        }
    }
}

fn chain(document: &Document, because: &[explain::Because]) -> Vec<Because> {
    let step = |step: &explain::Because| Because {
        range: Range::of(document, step.range),
        text: step.text.clone(),
        message: step.message.clone(),
    };
    because.iter().map(step).collect()
}
