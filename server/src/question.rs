//! A request that waits for its answer: the document it is about, its handler, and its cancellation.
//!
//! A request is answered from one [`RequestContext`]. When an edit cancels the work and the request's document is unchanged, the
//! request is run again; when that document has changed, it is refused with *content modified*, since a position in one text has
//! no meaning in another.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use queries::{CancellationToken, Cancelled};
use serde::Serialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::documents::Key;
use crate::progress::Progress;
use crate::request_context::{RequestContext, is_about_nothing};
use crate::transport::Unqueued;

/// Work that continues after the snapshot it was prepared from was dropped.
pub(crate) type Later<R> = Box<dyn FnOnce(&Stop) -> Result<R> + Send>;

/// Handler that answers from the facts of a context.
pub(crate) type AnswersNow<P, R> = fn(&RequestContext<'_>, &P) -> Result<R>;
/// Handler that copies what it needs from the facts, and answers after the snapshot was dropped, so that no edit waits for it.
pub(crate) type AnswersLater<P, R> = fn(&RequestContext<'_>, &P) -> Result<Later<R>>;

/// Handler of a request.
pub(crate) enum Handler<P, R> {
    /// Answers while it holds the snapshot.
    Now(AnswersNow<P, R>),
    /// Returns work that takes long and needs no snapshot.
    Later(AnswersLater<P, R>),
}

impl<P, R> Clone for Handler<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for Handler<P, R> {}

/// Cancel token of a request.
#[derive(Default)]
pub(crate) struct Stop {
    stopped: AtomicBool,
    called_off: AtomicBool,
    running: Mutex<Option<CancellationToken>>,
}

impl Stop {
    /// Cancels running work, and prevents work that has not started.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(token) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            token.cancel();
        }
    }

    /// Cancels on behalf of the user; the editor still expects an answer.
    pub(crate) fn call_off(&self) {
        self.called_off.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// Returns true if the request was cancelled.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Runs `act` unless the request is cancelled, holding off a cancel meanwhile.
    pub(crate) fn unless_stopped(&self, act: impl FnOnce()) {
        let _running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.is_stopped() {
            act();
        }
    }

    fn run_with(&self, token: Option<CancellationToken>) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }
}

/// The work was interrupted by an edit; the request may be run again.
#[derive(Debug)]
pub(crate) struct Interrupted;

/// A unit of work for a reader: a request of the client, or a task of the server.
pub(crate) trait Question: Send {
    /// Key of the document that it is about.
    fn about(&self) -> Option<&Key>;
    /// Cancel token of the work.
    fn stop(&self) -> &Arc<Stop>;
    /// Returns true if it may take so long that others should not wait behind it.
    fn is_slow(&self) -> bool;
    /// Progress reports of the work.
    fn progress(&self) -> Option<&Progress> {
        None
    }
    /// Name of the work in log lines.
    fn name(&self) -> &'static str;
    /// Runs the work and sends its answer.
    fn ask(&mut self, ctx: RequestContext<'_>) -> std::result::Result<(), Interrupted>;
    /// Answers that the document has changed.
    fn refuse(&mut self);
}

/// An answer as JSON, counted among those that are not queued for the client yet; a short one need not be.
pub(crate) type Reply = (Result<Box<RawValue>>, Option<Unqueued>);

/// A request of the client, with its handler and the channel for its answer.
pub(crate) struct Asked<P, R> {
    pub(crate) name: &'static str,
    pub(crate) about: Option<Key>,
    pub(crate) params: P,
    pub(crate) handler: Handler<P, R>,
    /// The handler of requests about ISPC documents.
    pub(crate) of_ispc: Option<Handler<P, R>>,
    pub(crate) slow: bool,
    /// Error sent when the document of the request has changed.
    pub(crate) refusal: fn() -> Error,
    /// Builds the answer about a document that is gone.
    pub(crate) empty: fn() -> R,
    pub(crate) reply: Option<oneshot::Sender<Reply>>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) progress: Arc<Progress>,
}

impl<P, R: Serialize> Asked<P, R> {
    fn reply(&mut self, answer: Result<R>, unqueued: Option<Unqueued>) {
        // The end report must be sent before the answer: behind it nothing may refer to the token.
        self.progress.end();
        if let Some(reply) = self.reply.take() {
            // The answer is serialised here, on the reader's thread, since one thread writes the answers to all requests.
            let answer = answer.and_then(|answer| to_raw_value(&answer).map_err(|_| Error::internal_error()));
            let _ = reply.send((answer, unqueued));
        }
    }
}

impl<P: Send, R: Serialize + Send> Question for Asked<P, R> {
    fn about(&self) -> Option<&Key> {
        self.about.as_ref()
    }

    fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    fn is_slow(&self) -> bool {
        self.slow
    }

    fn progress(&self) -> Option<&Progress> {
        Some(&self.progress)
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn ask(&mut self, ctx: RequestContext<'_>) -> std::result::Result<(), Interrupted> {
        let ctx = ctx.followed(self.progress.clone());
        let (stop, outbox) = (self.stop.clone(), ctx.state().outbox.clone());
        let mut handler = self.handler;
        if let Some((key, of_ispc)) = self.about.as_ref().zip(self.of_ispc)
            && let Some(document) = ctx.ispc_document_by_key(key)
        {
            handler = of_ispc;
            match run(&stop, &ctx, |ctx| Ok(ctx.fetches(&document)))? {
                // The core asks again when the files were read.
                Ok(true) => return Err(Interrupted),
                Ok(false) => {}
                Err(error) => {
                    self.reply(Err(error), None);
                    return Ok(());
                }
            }
        }
        let params = &self.params;
        let answer = match handler {
            Handler::Now(handler) => run(&stop, &ctx, |ctx| handler(ctx, params)),
            Handler::Later(handler) => match run(&stop, &ctx, |ctx| handler(ctx, params)) {
                Ok(Ok(work)) => {
                    drop(ctx);
                    Ok(guarded(|| work(&stop)))
                }
                Ok(Err(error)) => Ok(Err(error)),
                Err(interrupted) => Err(interrupted),
            },
        };
        let answer = match answer {
            // Partial results of an outdated version were sent and cannot be withdrawn.
            Err(Interrupted) if self.progress.has_told_parts() => {
                self.refuse();
                return Ok(());
            }
            // Editors ask once more about a document that they have just closed, and show errors to the user.
            Ok(Err(error)) if is_about_nothing(&error) => Ok((self.empty)()),
            answer => answer?,
        };
        if stop.is_stopped() {
            self.refuse()
        } else {
            self.reply(answer, Some(outbox.unqueued()))
        }
        Ok(())
    }

    fn refuse(&mut self) {
        let refusal = if self.stop.called_off.load(Ordering::SeqCst) { cancelled() } else { (self.refusal)() };
        self.reply(Err(refusal), None);
    }
}

/// Runs a query on a context so that the cancel token can stop it.
pub(crate) fn run<R>(
    stop: &Stop,
    ctx: &RequestContext<'_>,
    ask: impl FnOnce(&RequestContext<'_>) -> Result<R>,
) -> std::result::Result<Result<R>, Interrupted> {
    stop.run_with(Some(ctx.cancellation_token()));
    if stop.is_stopped() {
        stop.run_with(None);
        return Ok(Err(cancelled()));
    }
    let answer = guarded(|| match ctx.catch(|| ask(ctx)) {
        Ok(answer) => answer.map(Ok),
        Err(Cancelled::PendingWrite) => Ok(Err(Interrupted)),
        Err(Cancelled::Local) => Err(cancelled()),
        // The query that this one waited for panicked on another thread.
        Err(_) => Err(Error::internal_error()),
    });
    stop.run_with(None);
    match answer {
        Ok(Ok(answer)) => Ok(Ok(answer)),
        Ok(Err(interrupted)) => Err(interrupted),
        Err(error) => Ok(Err(error)),
    }
}

/// Turns a panic into an error of this one answer, so that the server keeps running. The panic message is on standard error.
pub(crate) fn guarded<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Error::internal_error()))
}

/// Error for a request that the client cancelled.
fn cancelled() -> Error {
    Error::request_cancelled()
}

/// Error for a request whose text has changed since.
pub(crate) fn content_modified() -> Error {
    Error::content_modified()
}

/// Error for a request whose text has changed since, and which the client is to repeat by itself.
pub(crate) fn ask_again() -> Error {
    Error {
        code: ErrorCode::ServerError(-32802),
        message: "the text has changed".into(),
        data: Some(json!({ "retriggerRequest": true })),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use queries::check;
    use queries::host::Host;

    use super::*;
    use crate::request_context::ServerState;

    /// Queries the facts in an endless loop, until a test cancels it.
    fn endless(ctx: &RequestContext<'_>, started: &std::sync::mpsc::Sender<()>) -> Result<()> {
        let _ = started.send(());
        let file = ctx.file("a.lane").ok_or_else(Error::internal_error)?;
        loop {
            check::diagnostics(ctx.db(), file);
        }
    }

    /// Runs an endless request that `act` cancels; returns its answer, and whether it may be run again.
    fn check(act: impl FnOnce(&mut Host, &Stop)) -> (Option<Result<String>>, bool) {
        let mut host = Host::default();
        host.set_text("a.lane", "kernel k():\n    pass\n");
        let (started, hears) = channel();
        let (reply, mut answer) = oneshot::channel();
        let stop = Arc::new(Stop::default());
        let mut asked = Asked {
            name: "endless",
            about: None,
            params: started,
            handler: Handler::Now(endless),
            of_ispc: None,
            slow: false,
            refusal: content_modified,
            empty: || (),
            reply: Some(reply),
            stop: stop.clone(),
            progress: Arc::default(),
        };
        let snapshot = host.snapshot();
        let state = ServerState::for_tests();
        let interrupted = std::thread::scope(|scope| {
            let reader = scope.spawn(|| asked.ask(RequestContext::new(snapshot, &state)).is_err());
            hears.recv().expect("it started");
            act(&mut host, &stop);
            reader.join().expect("it ended")
        });
        (answer.try_recv().ok().map(|(answer, _)| answer.map(|json| json.to_string())), interrupted)
    }

    #[test]
    fn what_nobody_waits_for_ends() {
        let (answer, interrupted) = check(|_, stop| stop.stop());
        assert_eq!((answer, interrupted), (Some(Err(content_modified())), false));
    }

    #[test]
    fn a_write_does_not_wait_for_an_answer() {
        let (answer, interrupted) = check(|host, _| {
            host.set_text("a.lane", "kernel k():\n    pass\n\n");
        });
        assert_eq!((answer, interrupted), (None, true));
    }
}
