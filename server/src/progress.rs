//! Progress reports and partial results of a request, for clients that give tokens for them.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{ProgressNotification, ProgressParams, ProgressToken};

use crate::client::Outbox;
use crate::transport::Kind;

/// Tokens of a request, under which a client wants progress and partial results.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    /// Token for progress reports.
    pub(crate) work: Option<ProgressToken>,
    /// Token for partial results.
    pub(crate) parts: Option<ProgressToken>,
}

/// State of the reports of one request, kept across its restarts after edits.
#[derive(Default)]
pub(crate) struct Progress {
    tokens: Tokens,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// Outbox for the end report, set once a begin report was sent.
    begun: Option<Outbox>,
    percentage: usize,
    parts: bool,
}

impl Progress {
    /// Creates the state before the first report.
    pub(crate) fn new(tokens: Tokens) -> Progress {
        Progress { tokens, told: Mutex::default() }
    }

    /// The token by which a user cancels the work.
    pub(crate) fn token(&self) -> Option<&ProgressToken> {
        self.tokens.work.as_ref()
    }

    /// Reports that `done` of `all` steps are done.
    pub(crate) fn report(&self, outbox: &Outbox, title: &str, done: usize, all: usize) {
        let Some(token) = &self.tokens.work else { return };
        let percentage = 100 * done / all.max(1);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match told.begun {
            // A message per percentage, not per step: there may be thousands of steps.
            Some(_) if told.percentage == percentage => return,
            None => json!({ "kind": "begin", "title": title, "percentage": percentage, "cancellable": true }),
            Some(_) => json!({ "kind": "report", "percentage": percentage, "message": format!("{done} of {all}") }),
        };
        let kind = if told.begun.is_some() { Kind::Informative } else { Kind::Needed };
        outbox.notify_as::<ProgressNotification>(kind, ProgressParams { token: token.clone(), value });
        told.percentage = percentage;
        told.begun = Some(outbox.clone());
    }

    /// Sends a partial result, which is then left out of the final answer. Returns `false` if the client requested none.
    pub(crate) fn tell_part(&self, outbox: &Outbox, part: &impl Serialize) -> bool {
        let Some(token) = &self.tokens.parts else { return false };
        let Ok(part) = serde_json::to_value(part) else { return false };
        tell(outbox, token, part);
        self.told.lock().unwrap_or_else(PoisonError::into_inner).parts = true;
        true
    }

    /// Returns true if partial results were sent, so that the request cannot be restarted from another version any more.
    pub(crate) fn has_told_parts(&self) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).parts
    }

    /// Sends the end report.
    pub(crate) fn end(&self) {
        let begun = self.told.lock().unwrap_or_else(PoisonError::into_inner).begun.take();
        if let (Some(outbox), Some(token)) = (begun, &self.tokens.work) {
            tell(&outbox, token, json!({ "kind": "end" }));
        }
    }
}

fn tell(outbox: &Outbox, token: &ProgressToken, value: Value) {
    outbox.notify::<ProgressNotification>(ProgressParams { token: token.clone(), value });
}
