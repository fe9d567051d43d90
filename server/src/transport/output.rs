//! The output queue: messages for the client, in order, in bounded memory.
//!
//! A client may stop reading, while edits go on and its requests are answered. So each message says how much it matters. A message
//! that a later one *supersedes* (the diagnostics of a document, those of its next version) leaves the queue when that one comes.
//! Messages that are only *informative* (lines of the log, reports of progress) are dropped once the queue is long. Answers are
//! never dropped; when the queue is *full*, no more requests are read and worked on until the client has read half of it.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use tokio::sync::Notify;

/// Number of queued bytes from which on informative messages are dropped.
const LONG: usize = 4 << 20;
/// Number of queued bytes from which on no requests are worked on.
const FULL: usize = 32 << 20;
/// Limit on answers that were given and not serialised.
const MOST_UNQUEUED: usize = 32;
/// Time without a message read after which a client is said not to read.
const LONG_AGO: Duration = Duration::from_secs(10);

/// The importance of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Must arrive.
    Needed,
    /// Is dropped once another message with the same subject is queued.
    Superseded(String),
    /// Is dropped when the queue is long.
    Informative,
}

/// Handle to queue messages for the writing thread. Messages are written in the order in which they are queued, by whichever
/// thread.
#[derive(Clone)]
pub(crate) struct Writer {
    shared: Arc<Shared>,
}

/// The receiving end of a writer, for the writing thread.
pub(crate) struct Written {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue>,
    /// Notified when there is a message, or the end.
    more: Condvar,
    /// Notified when the queue is no longer full.
    room: Notify,
    on_room: Box<dyn Fn() + Send + Sync>,
    /// Number of answers that were given and are not in the queue yet.
    n_unqueued: AtomicUsize,
}

/// An answer on its way to the queue. Answers are given by several threads and serialised by one.
pub(crate) struct Unqueued(Writer);

impl Drop for Unqueued {
    fn drop(&mut self) {
        let shared = &self.0.shared;
        if shared.n_unqueued.fetch_sub(1, Ordering::SeqCst) == MOST_UNQUEUED {
            (shared.on_room)();
        }
    }
}

#[derive(Default)]
struct Queue {
    /// Messages in order; one that was superseded is empty.
    bodies: VecDeque<Vec<u8>>,
    /// Number of messages that were queued before those.
    n_before: usize,
    /// The number of the last message about each subject.
    subjects: HashMap<String, usize>,
    /// Bytes in the queue, and of the message that is being written.
    n_bytes: usize,
    is_full: bool,
    ended: bool,
    /// Number of messages dropped since the client read last.
    n_dropped: usize,
    /// The time when the client read last, or the queue was empty.
    read_at: Option<Instant>,
    is_reported: bool,
}

impl Writer {
    /// Creates a writer, with its receiving end. `on_room` is called when it is no longer busy.
    pub(crate) fn new(on_room: impl Fn() + Send + Sync + 'static) -> (Writer, Written) {
        let (queue, more, room) = (Mutex::default(), Condvar::new(), Notify::new());
        let shared =
            Arc::new(Shared { queue, more, room, on_room: Box::new(on_room), n_unqueued: AtomicUsize::new(0) });
        (Writer { shared: shared.clone() }, Written { shared })
    }

    /// Queues a message that must arrive.
    pub(crate) fn send(&self, message: &impl Serialize) {
        self.send_as(Kind::Needed, message);
    }

    /// Queues a message. Behind the end it is dropped, since no one can receive it.
    pub(crate) fn send_as(&self, kind: Kind, message: &impl Serialize) {
        if kind == Kind::Informative && self.shared.lock().is_long() {
            self.shared.lock().n_dropped += 1;
            return;
        }
        if let Ok(mut body) = serde_json::to_vec(message) {
            body.shrink_to_fit();
            self.shared.lock().push(kind, body);
            self.shared.more.notify_one();
        }
    }

    /// Returns true if no requests should be worked on until the client has read.
    pub(crate) fn is_full(&self) -> bool {
        self.shared.lock().is_full
    }

    /// Counts an answer, until it is dropped because it is in the queue.
    pub(crate) fn unqueued(&self) -> Unqueued {
        self.shared.n_unqueued.fetch_add(1, Ordering::SeqCst);
        Unqueued(self.clone())
    }

    /// Returns true if there should be no more answers for now: the queue is full, or many are on their way there.
    pub(crate) fn is_busy(&self) -> bool {
        self.shared.n_unqueued.load(Ordering::SeqCst) >= MOST_UNQUEUED || self.is_full()
    }

    /// Waits until the queue is no longer full.
    pub(crate) async fn room(&self) {
        // The time goes by while the client does nothing, so that somebody must look at it.
        while self.is_full() {
            let _ = tokio::time::timeout(LONG_AGO, self.shared.room.notified()).await;
            self.shared.lock().report();
        }
    }

    /// Ends the output behind the messages that are queued.
    pub(crate) fn end(&self) {
        self.shared.lock().ended = true;
        self.shared.more.notify_one();
    }
}

impl Written {
    /// Writes messages until the end, or until the output is closed.
    pub(crate) fn write_all(&self, output: impl Write) {
        let mut output = io::BufWriter::new(output);
        while let Some(body) = self.next(&mut output) {
            let header = format!("Content-Length: {}\r\n\r\n", body.len());
            if output.write_all(header.as_bytes()).and_then(|()| output.write_all(&body)).is_err() {
                break;
            }
            self.was_written(body.len());
        }
        self.shared.lock().close();
    }

    /// Waits for the next message, flushing the output before; `None` at the end, or when the output is closed.
    fn next(&self, output: &mut impl Write) -> Option<Vec<u8>> {
        let mut queue = self.shared.lock();
        loop {
            if let Some(body) = queue.pop() {
                return Some(body);
            }
            drop(queue);
            // All queued messages are flushed together.
            output.flush().ok()?;
            queue = self.shared.lock();
            queue.was_flushed();
            if queue.bodies.is_empty() {
                if queue.ended {
                    return None;
                }
                queue = self.shared.more.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn was_written(&self, n_bytes: usize) {
        let mut queue = self.shared.lock();
        queue.n_bytes -= n_bytes;
        queue.read_at = Some(Instant::now());
        if queue.is_full && queue.n_bytes < FULL / 2 {
            queue.is_full = false;
            queue.was_read();
            drop(queue);
            self.shared.room.notify_one();
            (self.shared.on_room)();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn is_long(&self) -> bool {
        self.n_bytes >= LONG
    }

    fn push(&mut self, kind: Kind, body: Vec<u8>) {
        if self.ended {
            return;
        }
        if let Kind::Superseded(subject) = kind {
            let number = self.n_before + self.bodies.len();
            let before = self.subjects.insert(subject, number).and_then(|before| before.checked_sub(self.n_before));
            if let Some(before) = before {
                self.n_bytes -= std::mem::take(&mut self.bodies[before]).len();
                self.n_dropped += 1;
            }
        }
        if self.n_bytes == 0 {
            self.read_at = Some(Instant::now());
        }
        self.n_bytes += body.len();
        self.bodies.push_back(body);
        self.is_full |= self.n_bytes >= FULL;
        self.report();
    }

    fn pop(&mut self) -> Option<Vec<u8>> {
        loop {
            let body = self.bodies.pop_front()?;
            self.n_before += 1;
            if !body.is_empty() {
                return Some(body);
            }
        }
    }

    /// Says on standard error that the client has not read for long; its log is what it does not read.
    fn report(&mut self) {
        let waits = self.read_at.is_some_and(|at| at.elapsed() > LONG_AGO) && self.n_bytes > 0;
        if waits && !self.is_reported {
            self.is_reported = true;
            let (megabytes, seconds) = (self.n_bytes as f64 / 1e6, LONG_AGO.as_secs());
            eprintln!("lanescope: the client has read nothing for {seconds} s; {megabytes:.1} MB wait for it");
        }
    }

    /// Takes note that all messages have arrived.
    fn was_flushed(&mut self) {
        if self.bodies.is_empty() {
            self.subjects.clear();
            self.was_read();
        }
    }

    /// Tells a client that reads again what it has missed.
    fn was_read(&mut self) {
        let n_dropped = std::mem::take(&mut self.n_dropped);
        if std::mem::take(&mut self.is_reported) {
            let message = format!("nothing was read for long; {n_dropped} messages that were superseded were dropped");
            let params = json!({ "type": 2, "message": message });
            let notice = json!({ "jsonrpc": "2.0", "method": "window/logMessage", "params": params });
            self.push(Kind::Needed, notice.to_string().into_bytes());
        }
    }

    /// Drops all messages, and those that are still to come.
    fn close(&mut self) {
        *self = Queue { ended: true, ..Queue::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of a queue that nobody has read.
    fn queued(writer: &Writer) -> Vec<String> {
        let mut queue = writer.shared.lock();
        let bodies = std::iter::from_fn(|| queue.pop());
        bodies.map(|body| String::from_utf8(body).expect("UTF-8")).collect()
    }

    #[test]
    fn what_is_superseded_is_dropped() {
        let (writer, _written) = Writer::new(|| {});
        let about = |subject: &str| Kind::Superseded(subject.to_owned());
        writer.send_as(about("a"), &1);
        writer.send_as(about("b"), &2);
        writer.send(&3);
        writer.send_as(about("a"), &4);
        writer.send_as(about("a"), &5);
        assert_eq!(queued(&writer), ["2", "3", "5"]);
        // A message that has left the queue is superseded by nothing.
        writer.send_as(about("a"), &6);
        assert_eq!(queued(&writer), ["6"]);
    }

    #[test]
    fn a_queue_is_full_until_half_of_it_was_read() {
        let (sender, called) = std::sync::mpsc::channel();
        let (writer, written) = Writer::new(move || sender.send(()).expect("the test goes on"));
        let message = "x".repeat(LONG);
        for n in 0..FULL / LONG {
            assert!(!writer.is_full(), "with {n} messages");
            writer.send(&message);
            writer.send_as(Kind::Informative, &"a line");
        }
        assert!(writer.is_full());
        let (input, output) = io::pipe().expect("a pipe");
        std::thread::spawn(move || written.write_all(output));
        let reading = std::thread::spawn(move || io::copy(&mut io::BufReader::new(input), &mut io::sink()));
        called.recv().expect("there is room");
        assert!(!writer.is_full());
        writer.end();
        let n_bytes = reading.join().expect("no panic").expect("it was read");
        let framed = |length: usize| (length + format!("Content-Length: {length}\r\n\r\n").len()) as u64;
        assert_eq!(n_bytes, (FULL / LONG) as u64 * framed(LONG + 2), "lines for the log are dropped");
    }
}
