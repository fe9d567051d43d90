//! The error that ended a run, as a finding.

use queries::run::RunFailure;
use report::{Diagnostic, Severity, TextRange};

/// Converts an error of the program to a finding, so that it is drawn like all others.
pub fn diagnostic(failure: &RunFailure) -> Diagnostic {
    let mut where_ = Vec::new();
    if !failure.iteration.is_empty() {
        let indices: Vec<_> = failure.iteration.iter().map(ToString::to_string).collect();
        where_.push(format!("in iteration {}", indices.join(", ")));
    }
    if let Some(lane) = failure.lane {
        where_.push(format!("in lane {lane}"));
    }
    Diagnostic {
        code: failure.code,
        severity: Severity::Error,
        range: failure.range.unwrap_or(TextRange::empty(0.into())),
        message: failure.message.clone(),
        help: (!where_.is_empty()).then(|| where_.join(", ")),
        related: Vec::new(),
        fixes: Vec::new(),
        targets: Vec::new(),
    }
}
