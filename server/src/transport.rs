//! Messages on two byte streams: framing, and the threads that read and write.
//!
//! Reading and writing block, each on a thread of its own; between them one task calls the service with each message in the order
//! of arrival, and answers are written as soon as they are ready. An unreadable message gets the error that JSON-RPC defines, and
//! reading continues: one bad message never ends the conversation.
//!
//! - [`frames`]: messages of the input, found again after a wrong header
//! - [`output`]: the queue of messages for the client, in bounded memory

mod frames;
mod output;

use std::io::{BufRead, BufReader, Read, Write};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError};

pub use frames::{Frame, Frames};
pub(crate) use output::{Kind, Unqueued, Writer, Written};

/// Limit on messages that were read but not yet handled. A client that sends faster has to wait.
const READ_AHEAD: usize = 1 << 12;
/// Limit on requests that were not yet answered.
const MOST_WORKING: usize = 1 << 14;
/// Time that a client has after `exit` to read the answers still in the queue.
const FAREWELL: Duration = Duration::from_secs(2);

/// The way the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client sent `exit`.
    Exit,
    /// The client's end of the streams was closed.
    Gone,
}

/// A message that was read.
enum Incoming {
    Request(Request),
    Response(Response),
    /// An unreadable message, with the error to answer.
    Wrong(Response),
    /// A number of bytes that belong to no message.
    Skipped(u64),
}

/// Calls the service with every message of `input`, and writes to `output` its answers, the messages from `socket`, and those
/// queued in `writer`. The conversation also ends when the editor's process ends.
pub(crate) async fn serve<S, A>(
    mut service: S,
    socket: ClientSocket,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    (writer, written): (Writer, Written),
    editor_ended: &Notify,
    log: impl Fn(String),
) -> End
where
    S: Service<Request, Response = Option<A>, Error = ExitedError>,
    S::Future: Send + 'static,
    A: Serialize + Send + 'static,
{
    let (incoming, mut messages) = mpsc::channel(READ_AHEAD);
    let (closed, mut output_closed) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || read_all(BufReader::new(input), &incoming));
    std::thread::spawn(move || {
        written.write_all(output);
        let _ = closed.send(());
    });
    let (mut to_client, mut answers) = socket.split();
    let mut working = JoinSet::new();
    let end = loop {
        // A client that does not read its answers has to wait with its requests.
        let is_full = writer.is_full();
        let message = tokio::select! {
            // Input comes first: a message may be the answer that a handler waits for, and an edit makes answers obsolete.
            biased;
            message = messages.recv(), if !is_full && working.len() < MOST_WORKING => message,
            () = writer.room(), if is_full => continue,
            Some(request) = to_client.next() => {
                writer.send(&request);
                continue;
            }
            Some(_) = working.join_next() => continue,
            _ = &mut output_closed => break End::Gone,
            () = editor_ended.notified() => break End::Gone,
        };
        match message {
            None => break End::Gone,
            Some(Incoming::Wrong(answer)) => writer.send(&answer),
            Some(Incoming::Skipped(n)) => {
                log(format!("{n} bytes of the input belong to no message; the next header was found behind them"));
            }
            // An answer to a request that is no longer waited for is dropped.
            Some(Incoming::Response(response)) => _ = answers.send(response).await,
            Some(Incoming::Request(request)) => {
                let exit = request.method() == "exit" && request.id().is_none();
                let answer = service.call(request);
                let writer = writer.clone();
                working.spawn(async move {
                    if let Ok(Some(answer)) = answer.await {
                        writer.send(&answer);
                    }
                });
                if exit {
                    break End::Exit;
                }
            }
        }
    };
    if end == End::Gone {
        // A client that closed our input may still read: `lanescope lsp < messages` gets its answers.
        let all = async { while working.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(FAREWELL, all).await;
    }
    working.shutdown().await;
    writer.end();
    let _ = tokio::time::timeout(FAREWELL, output_closed).await;
    end
}

fn read_all(input: impl BufRead, incoming: &mpsc::Sender<Incoming>) {
    let mut frames = Frames::new(input);
    while let Ok(Some(Frame { skipped, message })) = frames.read() {
        if skipped > 0 && incoming.blocking_send(Incoming::Skipped(skipped)).is_err() {
            return;
        }
        let message = match message {
            Ok(message) => parse(message),
            Err(error) => Incoming::Wrong(Response::from_error(Id::Null, error)),
        };
        if incoming.blocking_send(message).is_err() {
            return;
        }
    }
}

/// Parses JSON as a message. What is no message may have an id to answer to.
fn parse(value: Value) -> Incoming {
    let wrong = |id, error| Incoming::Wrong(Response::from_error(id, error));
    let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok()).unwrap_or_default();
    let is_request = value.get("method").is_some();
    let is_response = !is_request && (value.get("result").is_some() || value.get("error").is_some());
    if is_response {
        return match serde_json::from_value(value) {
            Ok(response) => Incoming::Response(response),
            Err(_) => wrong(Id::Null, Error::invalid_request()),
        };
    }
    match serde_json::from_value(value) {
        Ok(request) if is_request => Incoming::Request(request),
        _ => wrong(id, Error::invalid_request()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered_with_its_id() {
        let answer = |body: &str| match parse(serde_json::from_str(body).expect("JSON")) {
            Incoming::Wrong(answer) => serde_json::to_string(&answer).expect("an answer"),
            Incoming::Request(request) => format!("request {}", request.method()),
            Incoming::Response(_) => "response".to_owned(),
            Incoming::Skipped(_) => "nothing".to_owned(),
        };
        assert!(answer("[]").contains("-32600"));
        assert!(answer("{\"jsonrpc\":\"2.0\",\"id\":7}").contains("\"id\":7"));
        assert!(answer("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"x\"}").contains("-32600"));
        assert_eq!(answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\"}"), "request x");
        assert_eq!(answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":null}"), "response");
    }
}
