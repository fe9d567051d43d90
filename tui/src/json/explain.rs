//! What `explain --json` prints.

mod loops;

use analysis::facts::Stride;
use analysis::ide::explain::{self, Explained};
use serde::Serialize;
use serde_json::Value as Json;
use syntax::ItemKind;

use super::{Decision, Diagnostic, Range, VERSION};
use crate::document::Document;

use loops::Loop;

/// What `explain --json` prints.
#[derive(Debug, Serialize)]
pub struct ExplainReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// The file, as `diagnostics` name it.
    pub file: String,
    /// The kernels, in order; of several targets, for one after the other.
    pub kernels: Vec<Item>,
    /// The functions that some kernel calls, in order; what is said of them is joined from all calls.
    pub functions: Vec<Item>,
    /// The errors that keep parts from being explained.
    pub diagnostics: Vec<Diagnostic>,
}

/// A kernel or a function.
#[derive(Debug, Serialize)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// The target that all of this is about.
    pub target: &'static str,
    /// Its header.
    pub range: Range,
    /// Its values, by place.
    pub values: Vec<Value>,
    /// Its loads and stores, by place.
    pub accesses: Vec<Access>,
    /// Its branches inside of lanes, by place.
    pub branches: Vec<Branch>,
    /// Its loops, by place.
    pub loops: Vec<Loop>,
    /// What passes chose for it, in order.
    pub decisions: Vec<Decision>,
}

/// A place with a value.
#[derive(Debug, Serialize)]
pub struct Value {
    /// The place.
    pub range: Range,
    /// What stands there, on one line.
    pub text: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// `uniform` or `varying`.
    pub uniformity: &'static str,
    /// How it varies: `linear, stride 2`; `uniform` for what does not.
    pub shape: String,
    /// In a function: it is so in some calls, and better in others.
    pub in_some_calls: bool,
    /// The header of the loop whose iterations are lanes there, or `null` where there are none.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// The lanes that come there: `all-on`, `uniform` (all of them or none) or `divergent`.
    pub control: &'static str,
    /// What made it vary, step by step.
    pub because: Vec<Because>,
}

/// A load or a store.
#[derive(Debug, Serialize)]
pub struct Access {
    /// The place.
    pub range: Range,
    /// What stands there, on one line.
    pub text: String,
    /// The array.
    pub array: String,
    /// `load` or `store`.
    pub kind: &'static str,
    /// How its cells lie.
    pub class: &'static str,
    /// Cells from one lane's to the next: a number, a formula as text, or `null` if that is not always the same.
    pub stride: Json,
    /// In a function: it is so in some calls, and better in others.
    pub in_some_calls: bool,
    /// The header of the loop whose iterations are lanes there, or `null` where there are none.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// The lanes that come there: `all-on`, `uniform` (all of them or none) or `divergent`.
    pub control: &'static str,
    /// Why it is of its class.
    pub reason: String,
    /// What would make it cheaper, or `null`.
    pub lift: Option<String>,
    /// The subscript that made it what it is, and what made that vary, step by step.
    pub because: Vec<Because>,
}

/// An `if` inside of lanes.
#[derive(Debug, Serialize)]
pub struct Branch {
    /// The condition.
    pub range: Range,
    /// What stands there, on one line.
    pub text: String,
    /// `divergent` where lanes may not agree about it, else `uniform`.
    pub control: &'static str,
    /// It is tested at run time for all lanes on and all off.
    pub coherent: bool,
    /// The header of the loop whose iterations are lanes there.
    #[serde(rename = "loop")]
    pub lane_loop: Option<Range>,
    /// What made the condition vary, step by step.
    pub because: Vec<Because>,
}

/// A step of a chain of reasons.
#[derive(Debug, Serialize)]
pub struct Because {
    /// The place.
    pub range: Range,
    /// What stands there, on one line.
    pub text: String,
    /// What it has to do with the place before.
    pub message: String,
}

impl ExplainReport {
    /// A report about a document, with nothing in it yet.
    pub fn new(document: &Document) -> ExplainReport {
        ExplainReport {
            version: VERSION,
            file: document.name.clone(),
            kernels: Vec::new(),
            functions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds what is known about some items on a target.
    pub fn add(&mut self, document: &Document, target: &'static str, items: &[Explained]) {
        for item in items {
            let of_kind = if item.kind == ItemKind::Fn { &mut self.functions } else { &mut self.kernels };
            of_kind.push(Item::of(document, target, item));
        }
    }

    /// The same with the errors that keep parts from being explained.
    pub fn with_errors(self, document: &Document, errors: &[syntax::Diagnostic]) -> ExplainReport {
        ExplainReport { diagnostics: errors.iter().map(|found| Diagnostic::of(document, found)).collect(), ..self }
    }

    /// Nothing is known of anything.
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
