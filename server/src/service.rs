//! The order of messages, kept over an asynchronous service.
//!
//! Handlers are futures, and nothing guarantees the order in which they run. So a service in front of the router gives every
//! message a *ticket* with its number on arrival. A handler hands its message to the [core](crate::core) with the ticket, and the
//! core takes messages strictly by their numbers. A ticket that is not handed on (an unknown method, malformed parameters, a
//! request that was cancelled before it was handled) reports its number when it is dropped, so the core never waits for a number
//! that will not come.
//!
//! Handlers do nothing else than that and wait for the answer. Dropping one, which is how the router cancels a request, stops the
//! work.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower::Service;
use tower_lsp::gen_lsp_types::{InitializeParams, InitializeResult, InitializedParams};
use tower_lsp::jsonrpc::{Error, Id, Request, Response, Result};
use tower_lsp::{ExitedError, LanguageServer, LspService};

use crate::core::{Event, Task};
use crate::question::{Asked, Reply, Stop};

tokio::task_local! {
    static TICKET: RefCell<Option<Ticket>>;
    /// The result of the request that is being handled, which goes past the router: that knows results as trees of values only,
    /// and long ones take longer to make and to write than all else.
    static RESULT: RefCell<Option<Box<RawValue>>>;
}

/// The answer to a request.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    /// An answer of the router.
    Routed(Response),
    /// A result that is JSON already.
    Ready { jsonrpc: &'static str, result: Box<RawValue>, id: Id },
}

/// The right, and the obligation, to hand one message to the core.
pub(crate) struct Ticket {
    number: u64,
    core: Sender<Event>,
    /// The client's parameters of `initialize`, if this is that message.
    introduction: Option<Value>,
    used: bool,
}

impl Ticket {
    /// Takes the ticket of the message that is being handled.
    fn take() -> Option<Ticket> {
        TICKET.try_with(RefCell::take).ok().flatten()
    }

    fn hand_over(mut self, task: Task) {
        self.used = true;
        let _ = self.core.send(Event::Message(self.number, task));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.used {
            let _ = self.core.send(Event::Message(self.number, Task::Nothing));
        }
    }
}

/// A service that numbers the messages to the service behind it.
pub(crate) struct Numbered {
    service: LspService<Backend>,
    core: Sender<Event>,
    next: u64,
}

impl Numbered {
    /// Wraps a service so that its messages are numbered.
    pub(crate) fn new(service: LspService<Backend>, core: Sender<Event>) -> Numbered {
        Numbered { service, core, next: 0 }
    }
}

impl Service<Request> for Numbered {
    type Response = Option<Answer>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Option<Answer>, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), ExitedError>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (request, introduction) = readable(request);
        // The router ignores every unknown method with this prefix; a request among them needs an error for an answer.
        let optional = request.id().cloned().filter(|_| request.method().starts_with("$/"));
        let ticket = Ticket { number: self.next, core: self.core.clone(), introduction, used: false };
        self.next += 1;
        let answer = TICKET.scope(RefCell::new(Some(ticket)), self.service.call(request));
        Box::pin(RESULT.scope(RefCell::default(), async move {
            let unknown = |id| Response::from_error(id, Error::method_not_found());
            let answer = answer.await?.or_else(|| optional.map(unknown));
            Ok(answer.map(|answer| match (RESULT.with(RefCell::take), answer.is_ok()) {
                (Some(result), true) => Answer::Ready { jsonrpc: "2.0", result, id: answer.into_parts().0 },
                _ => Answer::Routed(answer),
            }))
        }))
    }
}

/// Converts lifecycle messages to the form that the router accepts, and takes the client's capabilities out of `initialize`.
/// Parsing those into the protocol's types would reject a client for one mistake in the long list, and others for giving or
/// omitting an empty object (lsp-mode gives one to `shutdown`).
fn readable(request: Request) -> (Request, Option<Value>) {
    let wanted = match request.method() {
        "initialize" => Some(json!({ "capabilities": {} })),
        "initialized" => Some(json!({})),
        "shutdown" | "exit" => None,
        _ => return (request, None),
    };
    let (method, id, params) = request.into_parts();
    let introduction = params.filter(|_| method == "initialize");
    let request = Request::build(method);
    let request = wanted.into_iter().fold(request, |request, wanted| request.params(wanted));
    let request = id.into_iter().fold(request, |request, id| request.id(id));
    (request.finish(), introduction)
}

/// The state that handlers are called on.
pub(crate) struct Backend {
    /// Set once the client has sent `shutdown`.
    pub(crate) shut_down: Arc<AtomicBool>,
}

impl Backend {
    /// Sends the core a message that has no answer.
    pub(crate) fn tell(task: Task) {
        if let Some(ticket) = Ticket::take() {
            ticket.hand_over(task);
        }
    }

    /// Sends the core a request, whose result does not go through the router. Dropping the future cancels the request.
    pub(crate) async fn ask<P, R>(asked: impl FnOnce(oneshot::Sender<Reply>, Arc<Stop>) -> Asked<P, R>) -> Result<()>
    where
        Asked<P, R>: crate::question::Question,
        P: 'static,
        R: 'static,
    {
        let (reply, answer) = oneshot::channel();
        let stop = StopOnDrop(Arc::new(Stop::default()));
        Backend::tell(Task::Ask(Box::new(asked(reply, stop.0.clone()))));
        // A dropped channel means that the core has ended with the conversation, or that the work on the request failed.
        // The answer counts as queued here: it is serialised and queued before this task is left.
        let (answer, _unqueued) = answer.await.map_err(|_| Error::internal_error())?;
        let answer = answer?;
        RESULT.with(|result| result.replace(Some(answer)));
        Ok(())
    }
}

/// Cancels the work on a request when its future is dropped.
struct StopOnDrop(Arc<Stop>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl LanguageServer for Backend {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        let (reply, answer) = oneshot::channel();
        if let Some(mut ticket) = Ticket::take() {
            let introduction = ticket.introduction.take().unwrap_or_default();
            ticket.hand_over(Task::Initialize(introduction, reply));
        }
        answer.await.map_err(|_| Error::internal_error())
    }

    async fn initialized(&self, _: InitializedParams) {
        Backend::tell(Task::Initialized);
    }

    async fn shutdown(&self) -> Result<()> {
        self.shut_down.store(true, Ordering::Relaxed);
        Backend::tell(Task::Shutdown);
        Ok(())
    }
}
