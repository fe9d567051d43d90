//! How far a question has come, and the parts of its answer that are known: told to a client that gives tokens for them.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::{Value, json};
use tower_lsp::gen_lsp_types::{ProgressNotification, ProgressParams, ProgressToken};

use crate::client::Outbox;

/// What a client wants to be told of a question while it waits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    /// How far it has come.
    pub(crate) work: Option<ProgressToken>,
    /// Parts of the answer.
    pub(crate) parts: Option<ProgressToken>,
}

/// What is told of a question, however often an edit makes it start again.
#[derive(Default)]
pub(crate) struct Progress {
    tokens: Tokens,
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// Where the end of what has begun is to be told.
    begun: Option<Outbox>,
    percentage: usize,
    parts: bool,
}

impl Progress {
    /// Nothing is told yet.
    pub(crate) fn new(tokens: Tokens) -> Progress {
        Progress { tokens, told: Mutex::default() }
    }

    /// The token by which a person calls the work off.
    pub(crate) fn token(&self) -> Option<&ProgressToken> {
        self.tokens.work.as_ref()
    }

    /// Says that `done` of `all` steps are done.
    pub(crate) fn report(&self, outbox: &Outbox, title: &str, done: usize, all: usize) {
        let Some(token) = &self.tokens.work else { return };
        let percentage = 100 * done / all.max(1);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let value = match told.begun {
            // Of thousands of steps not each is worth a message.
            Some(_) if told.percentage == percentage => return,
            None => json!({ "kind": "begin", "title": title, "percentage": percentage, "cancellable": true }),
            Some(_) => json!({ "kind": "report", "percentage": percentage, "message": format!("{done} of {all}") }),
        };
        tell(outbox, token, value);
        told.percentage = percentage;
        told.begun = Some(outbox.clone());
    }

    /// Tells a part of the answer, which then has no place in the answer itself. `false` where nobody wants parts.
    pub(crate) fn tell_part(&self, outbox: &Outbox, part: &impl Serialize) -> bool {
        let Some(token) = &self.tokens.parts else { return false };
        let Ok(part) = serde_json::to_value(part) else { return false };
        tell(outbox, token, part);
        self.told.lock().unwrap_or_else(PoisonError::into_inner).parts = true;
        true
    }

    /// Whether parts were told, so that the question cannot be answered from another moment any more.
    pub(crate) fn has_told_parts(&self) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).parts
    }

    /// Says that it is over.
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
