//! Progress reports and partial results of a request, for clients that give tokens for them.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{
    ProgressNotification, ProgressParams, ProgressToken, WorkDoneProgressCreateParams, WorkDoneProgressCreateRequest,
};

use crate::client::Outbox;
use crate::transport::Kind;

/// Tokens of a request, under which a client wants progress and partial results.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    /// Token for progress reports.
    pub(crate) work: Option<ProgressToken>,
    /// Token for partial results.
    pub(crate) parts: Option<ProgressToken>,
    /// The token for progress is the server's own, which the client has to be asked to show.
    pub(crate) is_own: bool,
}

impl Tokens {
    /// A token of the server's own, for work whose progress is shown also if the client gave none.
    pub(crate) fn own(of: &str) -> Tokens {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let token = format!("{of}/{}", NEXT.fetch_add(1, Ordering::Relaxed));
        Tokens { work: Some(ProgressToken::String(token)), parts: None, is_own: true }
    }
}

/// State of the reports of one request, kept across its restarts after edits.
#[derive(Default)]
pub(crate) struct Progress {
    tokens: Tokens,
    /// Set while a client that has to be asked has not agreed to show reports.
    is_hidden: AtomicBool,
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
        Progress { is_hidden: AtomicBool::new(tokens.is_own), tokens, told: Mutex::default() }
    }

    /// Asks the client to show reports under a token of the server's own. The work does not wait for the answer.
    pub(crate) fn create(self: &Arc<Self>, outbox: &Outbox) {
        if let Some(token) = self.tokens.work.clone().filter(|_| self.tokens.is_own) {
            let progress = self.clone();
            let params = WorkDoneProgressCreateParams { token };
            outbox.request::<WorkDoneProgressCreateRequest>(params, move |answer| {
                if answer.is_ok() {
                    progress.is_hidden.store(false, Ordering::SeqCst);
                }
            });
        }
    }

    /// The token by which a user cancels the work.
    pub(crate) fn token(&self) -> Option<&ProgressToken> {
        self.tokens.work.as_ref()
    }

    /// Reports that `done` of `all` steps are done.
    pub(crate) fn report(&self, outbox: &Outbox, title: &str, done: usize, all: usize) {
        self.say(outbox, title, (done, all), &format!("{done} of {all}"));
    }

    /// Reports that some of all steps are done, in words.
    pub(crate) fn say(&self, outbox: &Outbox, title: &str, (done, all): (usize, usize), words: &str) {
        let Some(token) = self.tokens.work.as_ref().filter(|_| !self.is_hidden.load(Ordering::SeqCst)) else { return };
        let percentage = 100 * done / all.max(1);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match told.begun {
            // A message per percentage, not per step: there may be thousands of steps.
            Some(_) if told.percentage == percentage => return,
            None => json!({ "kind": "begin", "title": title, "percentage": percentage, "cancellable": true }),
            Some(_) => json!({ "kind": "report", "percentage": percentage, "message": words }),
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
