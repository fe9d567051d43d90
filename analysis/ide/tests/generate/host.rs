//! Questions about texts, one after the other, of a database that has read the prelude once.

use std::cell::Cell;

use queries::db::{Database, File};
use queries::host::Host;

thread_local! {
    /// The host of this thread, and the number of texts that it had.
    static HOST: Cell<Option<(Host, usize)>> = const { Cell::new(None) };
}

/// How many texts a host gets, before what it keeps of them is dropped with it.
const TEXTS_A_HOST: usize = 400;

/// Asks something about a text. A host whose question ends in a panic is not asked again.
pub(crate) fn ask<T>(text: &str, question: impl FnOnce(&Database, File) -> T) -> T {
    let (mut host, n_texts) = HOST.take().filter(|(_, n)| *n < TEXTS_A_HOST).unwrap_or_default();
    let file = host.set_text("generated.lane", text);
    let answer = question(host.snapshot().db(), file);
    HOST.set(Some((host, n_texts + 1)));
    answer
}
