//! A debug adapter on two byte streams, in the Debug Adapter Protocol: a kernel is stepped through op by op and line by line, forth and
//! back, and shows the values of its lanes.
//!
//! Modules in reading order:
//!
//! - [`protocol`]: messages to the client
//! - [`launch`]: from the configuration of a launch to a kernel and its data
//! - [`breakpoints`]: the places and conditions at which the run stops
//! - [`inspecting`]: variables, lanes and arrays as trees of text
//! - [`session`]: the requests of a client, and the run between them
//!
//! The kernel runs in the interpreter of Lane IR, at the stage that the client chose, so each step can be taken back, and mistakes
//! of the program stop at their place. Places of ops and steps of each size are the driver's, as for the explorer. Nothing here decides
//! about kernels.

mod breakpoints;
mod inspecting;
mod launch;
mod protocol;
mod session;

use std::collections::VecDeque;
use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use serde_json::Value;

use session::Session;

/// Serves one client until it disconnects or the input ends.
pub fn serve(input: impl Read + Send + 'static, output: impl Write) -> io::Result<()> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut frames = server::Frames::new(BufReader::new(input));
        // A message that is no JSON has no number that could be answered.
        while let Ok(Some(frame)) = frames.read() {
            if let Ok(message) = frame.message
                && sender.send(message).is_err()
            {
                return;
            }
        }
    });
    let mut inbox = Inbox { receiver, waiting: VecDeque::new(), is_closed: false };
    let mut session = Session::new(output);
    while !session.has_ended() {
        let message = if session.is_running() { inbox.try_next() } else { inbox.next() };
        match message {
            Some(message) => session.receive(&message)?,
            None if inbox.is_closed => return Ok(()),
            None => session.go_on(&mut || inbox.has_message())?,
        }
    }
    Ok(())
}

/// The messages that have arrived.
struct Inbox {
    receiver: Receiver<Value>,
    waiting: VecDeque<Value>,
    is_closed: bool,
}

impl Inbox {
    /// Waits for a message; `None` when the input has ended.
    fn next(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(|| {
            let message = self.receiver.recv().ok();
            self.is_closed |= message.is_none();
            message
        })
    }

    /// Returns a message if one has arrived.
    fn try_next(&mut self) -> Option<Value> {
        self.has_message();
        self.waiting.pop_front()
    }

    /// Returns true if a message has arrived, or the input has ended.
    fn has_message(&mut self) -> bool {
        match self.receiver.try_recv() {
            Ok(message) => self.waiting.push_back(message),
            Err(TryRecvError::Disconnected) => self.is_closed = true,
            Err(TryRecvError::Empty) => {}
        }
        self.is_closed || !self.waiting.is_empty()
    }
}
