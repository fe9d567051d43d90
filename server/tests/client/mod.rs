//! A small client for tests: it sends the messages that a test gives, and returns those of the server. None is skipped: a message
//! that no test expected makes the test fail.

#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod profiles;
pub(crate) mod text;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use server::Ending;
use server::machine_views::{NativeViews, NoNativeViews};

/// Timeout of a test: longer than any request takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A message of the server, and the time when its last byte had been read.
type Arrived = (Instant, Value);

/// The client's end of a conversation.
pub(crate) struct Client {
    output: Option<Box<dyn Write + Send>>,
    messages: Receiver<Arrived>,
    next: i64,
    /// Messages that were read while a test waited for another one.
    unread: VecDeque<Arrived>,
    /// The time when the message that was returned last had arrived.
    pub(crate) arrived: Instant,
    /// Thread of the server, when it runs in this process.
    server: Option<JoinHandle<std::io::Result<Ending>>>,
    /// The result of `initialize`.
    pub(crate) told: Value,
    news_matters: bool,
}

impl Client {
    /// Starts a server in this process, with a client that has sent nothing yet.
    pub(crate) fn start() -> Client {
        Client::start_with(Arc::new(NoNativeViews))
    }

    /// Starts a server with native views.
    pub(crate) fn start_with(native: Arc<dyn NativeViews>) -> Client {
        let (to_server, from_client) = pipe();
        let (to_client, from_server) = pipe();
        let server = std::thread::spawn(move || server::serve(to_server, from_server, native));
        Client { server: Some(server), ..Client::over(to_client, from_client) }
    }

    /// Creates a client of a server at the other end of two streams.
    pub(crate) fn over(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Client {
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut input = BufReader::new(input);
            while let Some(body) = read_body(&mut input) {
                // Parsing a long message takes longer than sending it did, which is no matter of the server's.
                let arrived = Instant::now();
                if sender.send((arrived, parsed(&body))).is_err() {
                    return;
                }
            }
        });
        Client {
            output: Some(Box::new(output)),
            messages,
            next: 1,
            unread: VecDeque::new(),
            arrived: Instant::now(),
            server: None,
            told: Value::Null,
            news_matters: true,
        }
    }

    /// Starts a client and initialises it with a profile.
    pub(crate) fn with(profile: Value) -> Client {
        let mut client = Client::start();
        client.initialize(json!({ "processId": null, "rootUri": null, "capabilities": profile }));
        client
    }

    /// Sends `initialize` and `initialized`.
    pub(crate) fn initialize(&mut self, params: Value) {
        self.told = self.ask("initialize", params);
        self.tell("initialized", json!({}));
    }

    // Sending.

    /// Sends bytes unchanged.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        let output = self.output.as_mut().expect("the conversation goes on");
        output.write_all(bytes).and_then(|()| output.flush()).expect("the server reads");
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a notification.
    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request; [`Client::answer`] waits for its answer.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Answers a request of the server.
    pub(crate) fn respond(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }));
    }

    // Receiving.

    /// Waits for the answer to a request: its result, or its error's code and message.
    pub(crate) fn answer(&mut self, id: i64) -> Result<Value, (i64, String)> {
        let mut answer = self.wait(&format!("an answer to {id}"), |message| {
            message.get("method").is_none() && message["id"] == json!(id)
        });
        match answer.get("error") {
            Some(error) => {
                Err((error["code"].as_i64().expect("a code"), error["message"].as_str().expect("a message").to_owned()))
            }
            None => Ok(answer["result"].take()),
        }
    }

    /// Sends a request and waits for the answer.
    pub(crate) fn try_ask(&mut self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Sends a request that must succeed, and returns the result.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    /// Waits for the next notification with a method, and returns its parameters.
    pub(crate) fn told(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method && message.get("id").is_none())["params"].take()
    }

    /// Waits for the server's next request with a method.
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method && message.get("id").is_some())
    }

    /// Waits for the diagnostics of a version, skipping those of earlier versions, which may or may not be published.
    pub(crate) fn diagnostics(&mut self, version: i64) -> Value {
        loop {
            let mut told = self.told("textDocument/publishDiagnostics");
            if told["version"].as_i64() == Some(version) {
                return told["diagnostics"].take();
            }
            assert!(told["version"].as_i64() < Some(version), "{told}");
        }
    }

    /// Waits for the next message of any kind.
    pub(crate) fn next(&mut self) -> Value {
        self.wait("anything", |_| true)
    }

    /// All messages that have arrived and that no test asked for.
    pub(crate) fn unread(&mut self) -> Vec<Value> {
        self.unread.extend(self.messages.try_iter());
        self.unread.drain(..).map(|(_, message)| message).collect()
    }

    fn wait(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(n) = self.unread.iter().position(|(_, message)| wanted(message)) {
            let (arrived, message) = self.unread.remove(n).expect("it is there");
            self.arrived = arrived;
            return message;
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok((arrived, message)) if wanted(&message) => {
                    self.arrived = arrived;
                    return message;
                }
                Ok(message) => self.unread.push_back(message),
                Err(RecvTimeoutError::Timeout) => panic!("no {what}; there is {:?}", self.unread),
                Err(RecvTimeoutError::Disconnected) => panic!("the server is gone; no {what}: {:?}", self.unread),
            }
        }
    }

    // Documents.

    /// Opens a document.
    pub(crate) fn open(&mut self, uri: &str, text: &str) {
        self.open_as(uri, "lane", text);
    }

    /// Opens a document of a language.
    pub(crate) fn open_as(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Replaces the text of a document.
    pub(crate) fn replace(&mut self, uri: &str, version: i64, text: &str) {
        self.change(uri, version, json!([{ "text": text }]));
    }

    /// Edits a document.
    pub(crate) fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let document = json!({ "uri": uri, "version": version });
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    // The end.

    /// Ends the conversation as the protocol asks, and fails if an unexpected message is left.
    pub(crate) fn end(mut self) {
        let id = self.request("shutdown", Value::Null);
        assert_eq!(self.answer(id), Ok(Value::Null));
        self.tell("exit", Value::Null);
        assert_eq!(self.ending(), Some(Ending::Proper));
    }

    /// Ends the conversation, ignoring notifications that the server may still be sending.
    pub(crate) fn end_amid_news(mut self) {
        self.news_matters = false;
        self.end();
    }

    /// Closes the streams, and waits for the end of a server in this process.
    pub(crate) fn ending(&mut self) -> Option<Ending> {
        self.output = None;
        let ending = self.server.take().map(|server| server.join().expect("no panic").expect("it served"));
        let mut unread = self.unread();
        unread.retain(|message| self.news_matters || message.get("method").is_none());
        assert!(unread.is_empty(), "nobody asked for {unread:#?}");
        ending
    }
}

/// Reads a message of the server; `None` at the end.
pub(crate) fn read(input: &mut impl BufRead) -> Option<Value> {
    read_body(input).map(|body| parsed(&body))
}

fn parsed(body: &[u8]) -> Value {
    serde_json::from_slice(body).expect("JSON")
}

fn read_body(input: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut header = String::new();
    input.read_line(&mut header).ok().filter(|&n| n > 0)?;
    let length =
        header.trim_end().strip_prefix("Content-Length: ").unwrap_or_else(|| panic!("{header:?} on the output"));
    let mut blank = String::new();
    input.read_line(&mut blank).ok()?;
    assert_eq!(blank, "\r\n");
    let mut body = vec![0; length.parse().expect("a length")];
    input.read_exact(&mut body).ok()?;
    Some(body)
}

fn pipe() -> (std::io::PipeReader, std::io::PipeWriter) {
    std::io::pipe().expect("a pipe")
}
