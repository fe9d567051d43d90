//! The language server: the protocol between an editor and `analysis`, and nothing else.
//!
//! In reading order:
//!
//! - [`transport`]: messages on two byte streams
//! - [`service`]: the order of messages, kept over a service that is asynchronous
//! - [`methods`]: which method is answered by what
//! - [`question`]: a question that waits for its answer, and how it is taken back
//! - [`progress`]: what is told of it meanwhile
//! - [`core`]: the one thread that may change anything
//! - [`documents`], [`uris`]: the texts, and their addresses
//! - [`moment`]: what an answer is about: one version of every document
//! - [`editor`]: the end of the editor's process
//! - [`client`]: what the client can do, and what it is told unasked
//! - [`capabilities`]: what the client is told that we can do
//! - [`config`]: what a user can set
//! - [`memory`]: what is remembered because a later answer builds on it
//! - [`door`]: the door for views of native code
//! - [`heap`]: the memory of a process that serves for days
//! - [`features`]: one module per thing an editor shows
//!
//! What holds throughout: every answer is about exactly one version of every document; edits are made in the order in which they
//! were sent; no handler waits for the client; a question that nobody waits for any more stops; and nothing but
//! the protocol is written to the output.
//!
//! This room knows nothing of LLVM or terminals; what it shows of native code comes as plain data.

mod capabilities;
mod client;
pub mod config;
mod core;
mod documents;
pub mod door;
mod editor;
mod features;
mod heap;
mod memory;
mod methods;
mod moment;
mod progress;
mod question;
mod service;
mod transport;
mod uris;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use tokio::sync::Notify;
use tower_lsp::LspService;

use client::Outbox;
use core::{Core, Event};
use door::NativeViews;
use service::{Backend, Numbered};
use transport::{End, Writer};

/// How a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// As the protocol wants it: `shutdown`, then `exit`.
    Proper,
    /// In any other way.
    Abrupt,
}

/// Talks with a client until one of the two ends it. What blocks on `input` may outlive the conversation, so a program ends
/// after this instead of waiting for its threads.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    native: Arc<dyn NativeViews>,
) -> io::Result<Ending> {
    heap::share();
    let (events, heard) = channel();
    let (writer, written) = Writer::new();
    let (outbox, outgoing) = Outbox::new(writer.clone());
    let editor_ended = Arc::new(Notify::new());
    let core = Core::new(heard, events.clone(), outbox, native, editor_ended.clone());
    let working = std::thread::Builder::new().name("core".to_owned()).spawn(move || core.run())?;
    let shut_down = Arc::new(AtomicBool::new(false));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let end = runtime.block_on(async {
        let backend = Backend { shut_down: shut_down.clone() };
        let builder = LspService::build_with_lifecycle_methods(|client| {
            tokio::spawn(outgoing.send_all(client));
            backend
        });
        let (service, socket) = methods::register(builder).finish();
        transport::serve(
            Numbered::new(service, events.clone()),
            socket,
            input,
            output,
            (writer, written),
            &editor_ended,
        )
        .await
    });
    let _ = events.send(Event::Quit);
    let _ = working.join();
    let shut_down = shut_down.load(Ordering::Relaxed);
    Ok(if shut_down && end == End::Exit { Ending::Proper } else { Ending::Abrupt })
}
