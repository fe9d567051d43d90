//! The output of `explain --json`: reports of items, at lines and columns. Their form is defined with them, in `report::lanes`.

use driver::document::Document;
use ide::explain::Explained;
use report::{ItemKind, lanes};
use serde::Serialize;

use super::{Diagnostic, Range, VERSION};

/// The output of `explain --json`.
#[derive(Debug, Serialize)]
pub(crate) struct ExplainReport {
    /// Always [`VERSION`].
    pub version: u32,
    /// Name of the file, as in `diagnostics`.
    pub file: String,
    /// The kernels, in order, repeated for each requested target.
    pub kernels: Vec<lanes::Explained<Range>>,
    /// The functions that some kernel calls, in order; their facts are joined over all calls.
    pub functions: Vec<lanes::Explained<Range>>,
    /// Errors because of which parts have no explanation.
    pub diagnostics: Vec<Diagnostic>,
}

impl ExplainReport {
    /// A report about a document, with nothing in it yet.
    pub(crate) fn new(name: &str) -> ExplainReport {
        ExplainReport {
            version: VERSION,
            file: name.to_owned(),
            kernels: Vec::new(),
            functions: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    /// Adds reports of some items.
    pub(crate) fn add(&mut self, document: &Document, items: &[Explained]) {
        for item in items {
            let of_kind = if item.kind == ItemKind::Fn { &mut self.functions } else { &mut self.kernels };
            of_kind.push(item.map(&|range| Range::of(document, *range)));
        }
    }

    /// Adds the errors that keep parts from being explained.
    pub(crate) fn with_errors(self, document: &Document, errors: &[report::Diagnostic]) -> ExplainReport {
        ExplainReport { diagnostics: errors.iter().map(|found| Diagnostic::of(document, found)).collect(), ..self }
    }

    /// Says that there is no report of anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.kernels.is_empty() && self.functions.is_empty()
    }
}
