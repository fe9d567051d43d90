//! The order of messages, kept over a service that is asynchronous.
//!
//! Handlers are futures, and nothing promises in which order they run. So a service in front of the router gives every
//! message a *ticket* with its number as it arrives. A handler hands its message to the [core](crate::core) with the ticket, and the core takes
//! messages strictly by their numbers. A ticket that is not handed on (an unknown method, wrong parameters, a request
//! that was cancelled before it was looked at) says so when it is dropped, so no number is ever waited for in vain.
//!
//! Handlers never do more than that and wait for the answer. Dropping one, which is what a cancelled request is, stops the work.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::task::{Context, Poll};

use serde_json::{Value, json};
use tokio::sync::oneshot;
use tower::Service;
use tower_lsp::gen_lsp_types::{InitializeParams, InitializeResult, InitializedParams};
use tower_lsp::jsonrpc::{Error, Request, Response, Result};
use tower_lsp::{ExitedError, LanguageServer, LspService};

use crate::core::{Event, Task};
use crate::question::{Asked, Stop};

tokio::task_local! {
    static TICKET: RefCell<Option<Ticket>>;
}

/// The right, and the duty, to hand one message to the core.
pub(crate) struct Ticket {
    number: u64,
    core: Sender<Event>,
    /// What the client says of itself, if this is the message in which it does.
    introduction: Option<Value>,
    used: bool,
}

impl Ticket {
    /// The ticket of the message that is being handled.
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

/// Numbers what the service behind it is called with.
pub(crate) struct Numbered {
    service: LspService<Backend>,
    core: Sender<Event>,
    next: u64,
}

impl Numbered {
    /// Puts the numbering in front of a service.
    pub(crate) fn new(service: LspService<Backend>, core: Sender<Event>) -> Numbered {
        Numbered { service, core, next: 0 }
    }
}

impl Service<Request> for Numbered {
    type Response = Option<Response>;
    type Error = ExitedError;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Option<Response>, ExitedError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<std::result::Result<(), ExitedError>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let (request, introduction) = readable(request);
        // The router lets everything go that starts like this and that it does not know; a request is to be told so.
        let optional = request.id().cloned().filter(|_| request.method().starts_with("$/"));
        let ticket = Ticket { number: self.next, core: self.core.clone(), introduction, used: false };
        self.next += 1;
        let answer = TICKET.scope(RefCell::new(Some(ticket)), self.service.call(request));
        Box::pin(async move {
            let unknown = |id| Response::from_error(id, Error::method_not_found());
            answer.await.map(|answer| answer.or_else(|| optional.map(unknown)))
        })
    }
}

/// Brings the messages about the server's own life into the form that the router wants, and takes out of the first what the
/// client says of itself. No client is turned away for a slip in the long list of what it can do, as it would be if the list had
/// to have the protocol's types, nor for giving or leaving out an empty object (lsp-mode gives one to `shutdown`).
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

/// What handlers are called on.
pub(crate) struct Backend {
    /// Whether the client has asked for the end.
    pub(crate) shut_down: Arc<AtomicBool>,
}

impl Backend {
    /// Tells the core something.
    pub(crate) fn tell(task: Task) {
        if let Some(ticket) = Ticket::take() {
            ticket.hand_over(task);
        }
    }

    /// Asks the core something. To drop the future is to take the question back.
    pub(crate) async fn ask<P, R>(asked: impl FnOnce(oneshot::Sender<Result<R>>, Arc<Stop>) -> Asked<P, R>) -> Result<R>
    where
        Asked<P, R>: crate::question::Question,
        P: 'static,
        R: 'static,
    {
        let (reply, answer) = oneshot::channel();
        let stop = StopOnDrop(Arc::new(Stop::default()));
        Backend::tell(Task::Ask(Box::new(asked(reply, stop.0.clone()))));
        // Without an answer, the core is gone: so is the client, or the work on its question failed.
        answer.await.unwrap_or_else(|_| Err(Error::internal_error()))
    }
}

/// Stops the work on a question that nobody waits for any more.
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
