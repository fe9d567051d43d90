//! Messages on two byte streams: framing, and the threads that read and write.
//!
//! Reading and writing block, each on a thread of its own; between them one task calls the service with each message in
//! the order of arrival, and lets the answers come in whatever order they are ready. A message that cannot be read is answered as
//! JSON-RPC says, and the next one is read: one bad message never ends the conversation.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::mpsc as blocking;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;
use tower::Service;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};
use tower_lsp::{ClientSocket, ExitedError};

/// No message is longer than this: a length beyond it is a mistake, and what follows is skipped.
const LONGEST: u64 = 1 << 30;
/// No header line is longer than this.
const LONGEST_HEADER: u64 = 1 << 14;
/// How many messages may have been read and not yet handed on. A client that sends faster than that waits.
const READ_AHEAD: usize = 1 << 12;
/// How long a client that has said goodbye has for reading what was answered before.
const FAREWELL: Duration = Duration::from_secs(2);

/// How the conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The client said `exit`.
    Exit,
    /// There is nobody there any more.
    Gone,
}

/// What was read.
enum Incoming {
    Request(Request),
    Response(Response),
    /// Nothing that could be understood; this is the answer.
    Wrong(Response),
}

/// What is written, in this order; nothing comes behind the end.
enum Line {
    Message(Vec<u8>),
    End,
}

/// Hands messages to the thread that writes. Whatever is handed over first is written first, by whomever.
#[derive(Clone)]
pub(crate) struct Writer {
    lines: blocking::Sender<Line>,
}

/// What the thread that writes is handed.
pub(crate) struct Written {
    lines: blocking::Receiver<Line>,
}

impl Writer {
    /// A writer, and the other end of it.
    pub(crate) fn new() -> (Writer, Written) {
        let (sender, lines) = blocking::channel();
        (Writer { lines: sender }, Written { lines })
    }

    /// Hands over a message. When the thread that writes is gone there is nobody to tell.
    pub(crate) fn send(&self, message: &impl Serialize) {
        if let Ok(body) = serde_json::to_vec(message) {
            let _ = self.lines.send(Line::Message(body));
        }
    }
}

/// Calls the service with every message of `input`, and writes its answers, and what comes from `socket`, to `output`, among
/// what others give to `writer`. The end of the editor's process is the end of the conversation.
pub(crate) async fn serve<S>(
    mut service: S,
    socket: ClientSocket,
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    (writer, written): (Writer, Written),
    editor_ended: &Notify,
) -> End
where
    S: Service<Request, Response = Option<Response>, Error = ExitedError>,
    S::Future: Send + 'static,
{
    let (incoming, mut messages) = mpsc::channel(READ_AHEAD);
    let (closed, mut output_closed) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || read_all(BufReader::new(input), &incoming));
    std::thread::spawn(move || {
        write_all(output, &written);
        let _ = closed.send(());
    });
    let (mut to_client, mut answers) = socket.split();
    let mut working = JoinSet::new();
    let end = loop {
        let message = tokio::select! {
            // A message of the client may be the answer that another waits for, and an edit makes answers obsolete.
            biased;
            message = messages.recv() => message,
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
            // A request of ours that nobody waits for any more has no place for its answer; that is no harm.
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
        // Whoever closed our input may still listen: `lanescope lsp < messages` gets its answers.
        let all = async { while working.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(FAREWELL, all).await;
    }
    working.shutdown().await;
    let _ = writer.lines.send(Line::End);
    let _ = tokio::time::timeout(FAREWELL, output_closed).await;
    end
}

fn write_all(output: impl Write, written: &Written) {
    let mut output = io::BufWriter::new(output);
    while let Ok(first) = written.lines.recv() {
        // What is ready goes out together.
        for line in std::iter::once(first).chain(written.lines.try_iter()) {
            let Line::Message(body) = line else {
                let _ = output.flush();
                return;
            };
            let header = format!("Content-Length: {}\r\n\r\n", body.len());
            if output.write_all(header.as_bytes()).and_then(|()| output.write_all(&body)).is_err() {
                return;
            }
        }
        if output.flush().is_err() {
            return;
        }
    }
}

fn read_all(mut input: impl BufRead, incoming: &mpsc::Sender<Incoming>) {
    loop {
        let message = match read_body(&mut input) {
            Ok(Some(Ok(body))) => parse(&body),
            Ok(Some(Err(error))) => Incoming::Wrong(Response::from_error(Id::Null, error)),
            Ok(None) | Err(_) => return,
        };
        if incoming.blocking_send(message).is_err() {
            return;
        }
    }
}

/// The body of the next message; `None` at the end.
fn read_body(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, Error>>> {
    let mut length = None;
    let mut wrong = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        input.take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        let header = line.trim_ascii();
        if header.is_empty() {
            match (length, wrong.take()) {
                // Empty lines between messages do no harm.
                (None, None) => continue,
                (None, Some(error)) => return Ok(Some(Err(error))),
                (Some(length), _) => return read_exactly(input, length),
            }
        }
        match parse_header(header) {
            Ok(Some(given)) => length = Some(given),
            Ok(None) => {}
            Err(error) => wrong = Some(error),
        }
    }
}

/// The length that a header line gives, if it is that header. The others say nothing that matters here: the text is
/// UTF-8, whatever a header calls it.
fn parse_header(line: &[u8]) -> Result<Option<u64>, Error> {
    let wrong = || {
        let mut error = Error::parse_error();
        error.message = "expected a header `Content-Length: …`".into();
        error
    };
    let line = std::str::from_utf8(line).map_err(|_| wrong())?;
    let (name, value) = line.split_once(':').ok_or_else(wrong)?;
    if !name.trim().eq_ignore_ascii_case("Content-Length") {
        return Ok(None);
    }
    value.trim().parse().map(Some).map_err(|_| wrong())
}

fn read_exactly(input: &mut impl BufRead, length: u64) -> io::Result<Option<Result<Vec<u8>, Error>>> {
    let mut body = input.take(length);
    if length > LONGEST {
        io::copy(&mut body, &mut io::sink())?;
        let mut error = Error::invalid_request();
        error.message = "the message is too long".into();
        return Ok(Some(Err(error)));
    }
    let mut bytes = Vec::new();
    body.read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 == length).then_some(Ok(bytes)))
}

/// A body as a message. What is no JSON has no id that an answer could name, and one that is no message may have one.
fn parse(body: &[u8]) -> Incoming {
    let wrong = |id, error| Incoming::Wrong(Response::from_error(id, error));
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(_) => return wrong(Id::Null, Error::parse_error()),
    };
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

    fn bodies(mut input: &[u8]) -> Vec<Result<String, i64>> {
        let mut found = Vec::new();
        while let Some(body) = read_body(&mut input).expect("memory can be read") {
            let text = |body| String::from_utf8(body).expect("UTF-8");
            found.push(body.map(text).map_err(|error| error.code.code()));
        }
        found
    }

    #[test]
    fn headers_in_any_order_and_spelling() {
        let input = b"Content-Length: 2\r\n\r\nabContent-Type: x\r\ncontent-length:1\r\n\r\nc\r\nContent-Length: 0\n\n";
        assert_eq!(bodies(input), [Ok("ab".to_owned()), Ok("c".to_owned()), Ok(String::new())]);
    }

    #[test]
    fn a_bad_header_is_one_error_and_what_follows_is_read() {
        let input = b"nonsense\r\nmore\r\n\r\nContent-Length: many\r\n\r\nContent-Length: 1\r\n\r\na";
        assert_eq!(bodies(input), [Err(-32700), Err(-32700), Ok("a".to_owned())]);
    }

    #[test]
    fn half_a_message_is_the_end() {
        assert_eq!(bodies(b"Content-Length: 5\r\n\r\nabc"), []);
        assert_eq!(bodies(b"Content-Len"), []);
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_id() {
        let answer = |body: &str| match parse(body.as_bytes()) {
            Incoming::Wrong(answer) => serde_json::to_string(&answer).expect("an answer"),
            Incoming::Request(request) => format!("request {}", request.method()),
            Incoming::Response(_) => "response".to_owned(),
        };
        assert!(answer("{").contains("-32700"));
        assert!(answer("[]").contains("-32600"));
        assert!(answer("{\"jsonrpc\":\"2.0\",\"id\":7}").contains("\"id\":7"));
        assert!(answer("{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"x\"}").contains("-32600"));
        assert_eq!(answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\"}"), "request x");
        assert_eq!(answer("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":null}"), "response");
    }
}
