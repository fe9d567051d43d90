//! A question that waits for its answer: what it is about, how it is answered, and how it is taken back.
//!
//! It is asked of one [`Moment`]. When an edit stops the work and what the question is about is as it was, it is asked
//! again; when that has changed, it is refused with *content modified*: a place in a text says nothing about another text.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use analysis::{CancellationToken, Cancelled};
use serde_json::json;
use tokio::sync::oneshot;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};

use crate::documents::Key;
use crate::moment::Moment;
use crate::progress::Progress;

/// Work that goes on when the moment it was prepared from is over.
pub(crate) type Later<R> = Box<dyn FnOnce(&Stop) -> Result<R> + Send>;

/// Answers from the facts of a moment.
pub(crate) type AnswersNow<P, R> = fn(&Moment<'_>, &P) -> Result<R>;
/// Takes what it needs of the facts, and answers when they have been let go, so that no edit waits for it.
pub(crate) type AnswersLater<P, R> = fn(&Moment<'_>, &P) -> Result<Later<R>>;

/// How a question is answered.
pub(crate) enum Handler<P, R> {
    /// At once.
    Now(AnswersNow<P, R>),
    /// By work that takes long.
    Later(AnswersLater<P, R>),
}

impl<P, R> Clone for Handler<P, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, R> Copy for Handler<P, R> {}

/// The way to stop the work on a question.
#[derive(Default)]
pub(crate) struct Stop {
    stopped: AtomicBool,
    called_off: AtomicBool,
    running: Mutex<Option<CancellationToken>>,
}

impl Stop {
    /// Stops what runs, and what would start.
    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::SeqCst);
        if let Some(token) = &*self.running.lock().unwrap_or_else(PoisonError::into_inner) {
            token.cancel();
        }
    }

    /// Stops it for a person who has had enough of it, and whose editor waits for an answer none the less.
    pub(crate) fn call_off(&self) {
        self.called_off.store(true, Ordering::SeqCst);
        self.stop();
    }

    /// Whether nobody waits for the answer any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Does something unless it is stopped; it is not stopped in between.
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

/// An edit came in between; the question may be asked again.
#[derive(Debug)]
pub(crate) struct Interrupted;

/// A question, whatever it is.
pub(crate) trait Question: Send {
    /// The document that it is about.
    fn about(&self) -> Option<&Key>;
    /// The way to stop it.
    fn stop(&self) -> &Arc<Stop>;
    /// Whether it may take so long that others should not have to wait behind it.
    fn is_slow(&self) -> bool;
    /// What is told of it while it is worked on.
    fn progress(&self) -> Option<&Progress> {
        None
    }
    /// What log lines call it.
    fn name(&self) -> &'static str;
    /// Answers it.
    fn ask(&mut self, moment: Moment<'_>) -> std::result::Result<(), Interrupted>;
    /// Says that what it was about is no more.
    fn refuse(&mut self);
}

/// A request of the client.
pub(crate) struct Asked<P, R> {
    pub(crate) name: &'static str,
    pub(crate) about: Option<Key>,
    pub(crate) params: P,
    pub(crate) handler: Handler<P, R>,
    pub(crate) slow: bool,
    /// What is said when what the question is about has changed.
    pub(crate) refusal: fn() -> Error,
    pub(crate) reply: Option<oneshot::Sender<Result<R>>>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) progress: Arc<Progress>,
}

impl<P, R> Asked<P, R> {
    fn reply(&mut self, answer: Result<R>) {
        if let Some(reply) = self.reply.take() {
            // Behind the answer nothing more is said of it.
            self.progress.end();
            let _ = reply.send(answer);
        }
    }
}

impl<P: Send, R: Send> Question for Asked<P, R> {
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

    fn ask(&mut self, moment: Moment<'_>) -> std::result::Result<(), Interrupted> {
        let moment = moment.followed(self.progress.clone());
        let stop = self.stop.clone();
        let (handler, params) = (self.handler, &self.params);
        let answer = match handler {
            Handler::Now(handler) => run(&stop, &moment, |moment| handler(moment, params)),
            Handler::Later(handler) => match run(&stop, &moment, |moment| handler(moment, params)) {
                Ok(Ok(work)) => {
                    drop(moment);
                    Ok(guarded(|| work(&stop)))
                }
                Ok(Err(error)) => Ok(Err(error)),
                Err(interrupted) => Err(interrupted),
            },
        };
        let answer = match answer {
            // What was told of the moment that is over cannot be taken back.
            Err(Interrupted) if self.progress.has_told_parts() => {
                self.refuse();
                return Ok(());
            }
            answer => answer?,
        };
        if stop.is_stopped() {
            self.refuse()
        } else {
            self.reply(answer)
        }
        Ok(())
    }

    fn refuse(&mut self) {
        let refusal = if self.stop.called_off.load(Ordering::SeqCst) { cancelled() } else { (self.refusal)() };
        self.reply(Err(refusal));
    }
}

/// Asks a moment something, so that it can be stopped.
pub(crate) fn run<R>(
    stop: &Stop,
    moment: &Moment<'_>,
    ask: impl FnOnce(&Moment<'_>) -> Result<R>,
) -> std::result::Result<Result<R>, Interrupted> {
    stop.run_with(Some(moment.cancellation_token()));
    if stop.is_stopped() {
        stop.run_with(None);
        return Ok(Err(cancelled()));
    }
    let answer = guarded(|| match moment.catch(|| ask(moment)) {
        Ok(answer) => answer.map(Ok),
        Err(Cancelled::PendingWrite) => Ok(Err(Interrupted)),
        Err(Cancelled::Local) => Err(cancelled()),
        // Another thread failed at a query that this one waited for.
        Err(_) => Err(Error::internal_error()),
    });
    stop.run_with(None);
    match answer {
        Ok(Ok(answer)) => Ok(Ok(answer)),
        Ok(Err(interrupted)) => Err(interrupted),
        Err(error) => Ok(Err(error)),
    }
}

/// A failure of ours is an error of this one answer, and the server lives on. What failed is on standard error.
pub(crate) fn guarded<R>(work: impl FnOnce() -> Result<R>) -> Result<R> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Error::internal_error()))
}

/// The client took the request back.
fn cancelled() -> Error {
    Error::request_cancelled()
}

/// The text has changed since.
pub(crate) fn content_modified() -> Error {
    Error::content_modified()
}

/// The text has changed since, and the client is to ask again by itself.
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

    use analysis::{Host, check};

    use super::*;
    use crate::moment::World;

    /// Asks the facts for ever; what stops it is for others to say.
    fn endless(moment: &Moment<'_>, started: &std::sync::mpsc::Sender<()>) -> Result<()> {
        let _ = started.send(());
        let file = moment.file("a.lane").ok_or_else(Error::internal_error)?;
        loop {
            check::diagnostics(moment.db(), file);
        }
    }

    /// The answer to an endless question that `act` puts an end to, and whether it may be asked again.
    fn check(act: impl FnOnce(&mut Host, &Stop)) -> (Option<Result<()>>, bool) {
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
            slow: false,
            refusal: content_modified,
            reply: Some(reply),
            stop: stop.clone(),
            progress: Arc::default(),
        };
        let snapshot = host.snapshot();
        let world = World::for_tests();
        let interrupted = std::thread::scope(|scope| {
            let reader = scope.spawn(|| asked.ask(Moment::new(snapshot, &world)).is_err());
            hears.recv().expect("it started");
            act(&mut host, &stop);
            reader.join().expect("it ended")
        });
        (answer.try_recv().ok(), interrupted)
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
