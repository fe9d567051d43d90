//! The language server: the protocol between an editor and `analysis`, and nothing else.
//!
//! In reading order:
//!
//! - [`transport`]: messages on two byte streams
//! - [`service`]: the order of messages, kept over an asynchronous service
//! - [`methods`]: the handler of each method
//! - [`question`]: a request that waits for its answer, and its cancellation
//! - [`progress`]: progress reports and partial results of a request
//! - [`core`]: the one thread that may change state
//! - [`documents`], [`uris`]: the texts, and their addresses
//! - [`request_context`]: one version of every document
//! - [`editor`]: the end of the editor's process
//! - [`client`]: the client's capabilities, and messages to it without a request
//! - [`capabilities`]: the server's capabilities
//! - [`config`]: the user's settings
//! - [`placed_json`]: JSON about an item, for whichever line it starts in
//! - [`memory`]: earlier answers that later ones build on
//! - [`machine_views`]: the interface for views of native code
//! - [`heap`]: heap settings for a process that runs for days
//! - [`features`]: one module for each feature of the editor
//!
//! Invariants: every answer is about exactly one version of every document; edits are applied in the order in which they were
//! sent; no handler waits for the client; a cancelled request stops; and nothing but the protocol is written to the output.
//!
//! This package knows nothing of LLVM or terminals; native code arrives as plain data.

mod capabilities;
mod client;
pub mod config;
mod core;
mod documents;
mod editor;
mod features;
mod heap;
pub mod machine_views;
mod memory;
mod methods;
mod placed_json;
mod progress;
mod question;
mod request_context;
mod service;
mod transport;
mod uris;

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;

use tokio::sync::Notify;
use tower_lsp::LspService;
use tower_lsp::gen_lsp_types::MessageType;

use client::Outbox;
use core::{Core, Event};
use machine_views::NativeViews;
use service::{Backend, Numbered};
use transport::{End, Writer};

pub use transport::{Frame, Frames};

/// The way a conversation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Orderly, as the protocol asks: `shutdown`, then `exit`.
    Proper,
    /// In any other way.
    Abrupt,
}

/// Serves a client until one side ends the conversation. A thread blocked on `input` may outlive it, so the program must exit
/// after this call without joining its threads.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    native: Arc<dyn NativeViews>,
) -> io::Result<Ending> {
    heap::share();
    let (events, heard) = channel();
    let core_told = events.clone();
    let (writer, written) = Writer::new(move || _ = core_told.send(Event::Room));
    let (outbox, outgoing) = Outbox::new(writer.clone());
    let log = outbox.clone();
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
            |line| log.log(MessageType::Warning, line),
        )
        .await
    });
    let _ = events.send(Event::Quit);
    let _ = working.join();
    let shut_down = shut_down.load(Ordering::Relaxed);
    Ok(if shut_down && end == End::Exit { Ending::Proper } else { Ending::Abrupt })
}
