//! The thread that writes files, and detects changes by other programs, so that a slow disk never delays a key.
//!
//! Files are polled a few times a second instead of being watched by the system. That works on every file system,
//! including those of networks and containers, and costs almost nothing for the few files that are open.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, SystemTime};

use driver::files::write_whole;

use crate::event::Event;

/// Interval between two polls of the files.
const INTERVAL: Duration = Duration::from_millis(300);

/// A request to the disk thread.
#[derive(Debug)]
pub(crate) enum Task {
    /// Writes an open file, unless the disk has a text other than the expected one.
    Save(usize, PathBuf, String, Option<String>),
    /// Reads an open file.
    Read(usize),
    /// Writes a text to a file; an existing one is replaced only if the flag is set.
    Export(PathBuf, String, bool),
    /// Signals on this channel once all earlier tasks are done.
    Done(Sender<()>),
}

/// Handle of the disk thread.
pub(crate) struct Disk {
    tasks: Sender<Task>,
}

impl Disk {
    /// Starts the thread. `paths` are those of the open files; standard input has none.
    pub(crate) fn start(paths: Vec<Option<PathBuf>>, tell: Arc<dyn Fn(Event) + Send + Sync>) -> io::Result<Disk> {
        let (tasks, inbox) = channel();
        let watched = paths.into_iter().map(|path| path.map(Watched::new)).collect();
        let watcher = Watcher { watched, tell };
        thread::Builder::new().name("disk".to_owned()).spawn(move || watcher.work(&inbox))?;
        Ok(Disk { tasks })
    }

    /// Queues a task for the thread.
    pub(crate) fn ask(&self, task: Task) {
        // The thread ends only after this sender is dropped, so sending cannot fail.
        let _ = self.tasks.send(task);
    }

    /// Waits until all queued tasks are done.
    pub(crate) fn finish(&self) {
        let (done, waiting) = channel();
        self.ask(Task::Done(done));
        // An error means that the thread has ended, which ends the wait as well.
        let _ = waiting.recv();
    }
}

/// A file, with its stamp when it was last seen.
struct Watched {
    path: PathBuf,
    seen: Option<Stamp>,
}

/// Modification time and size, of which at least one changes when a file is written.
type Stamp = (Option<SystemTime>, u64);

impl Watched {
    fn new(path: PathBuf) -> Watched {
        Watched { seen: stamp(&path), path }
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some((metadata.modified().ok(), metadata.len()))
}

struct Watcher {
    watched: Vec<Option<Watched>>,
    tell: Arc<dyn Fn(Event) + Send + Sync>,
}

impl Watcher {
    fn work(mut self, inbox: &Receiver<Task>) {
        loop {
            match inbox.recv_timeout(INTERVAL) {
                Ok(task) => self.task(task),
                Err(RecvTimeoutError::Timeout) => self.look(),
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn task(&mut self, task: Task) {
        match task {
            Task::Save(file, path, text, expected) => self.save(file, path, text, expected),
            Task::Read(file) => self.read(file, true),
            Task::Export(path, text, overwrite) => {
                if !overwrite && path.exists() {
                    return (self.tell)(Event::ExportExists(path, text));
                }
                let written = write_whole(&path, &text);
                let told = written.map(|()| format!("{} written", path.display()));
                (self.tell)(Event::Told(told.map_err(|error| format!("{}: {error}", path.display()))));
            }
            // The requester may have gone.
            Task::Done(done) => drop(done.send(())),
        }
    }

    fn save(&mut self, file: usize, path: PathBuf, text: String, expected: Option<String>) {
        if let (Some(expected), Ok(there)) = (expected, fs::read_to_string(&path))
            && there != expected
            && there != text
        {
            return (self.tell)(Event::SaveConflict(file, path, there));
        }
        match write_whole(&path, &text) {
            Ok(()) => {
                if let Some(slot) = self.watched.get_mut(file) {
                    *slot = Some(Watched::new(path.clone()));
                }
                (self.tell)(Event::Saved(file, path, text));
            }
            Err(error) => (self.tell)(Event::Told(Err(format!("{} was not saved: {error}", path.display())))),
        }
    }

    /// Checks all files for changes by other programs.
    fn look(&mut self) {
        for file in 0..self.watched.len() {
            self.read(file, false);
        }
    }

    fn read(&mut self, file: usize, anyway: bool) {
        let Some(Some(watched)) = self.watched.get_mut(file) else { return };
        let now = stamp(&watched.path);
        if now == watched.seen && !anyway {
            return;
        }
        watched.seen = now;
        match fs::read_to_string(&watched.path) {
            Ok(text) => (self.tell)(Event::Disk(file, Some(text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (self.tell)(Event::Disk(file, None)),
            // The file may be half written; once complete, its stamp differs, and it is read again.
            Err(error) => (self.tell)(Event::Told(Err(format!("{}: {error}", watched.path.display())))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixture {
        folder: tempfile::TempDir,
        disk: Disk,
        events: Receiver<Event>,
    }

    fn fixture() -> Fixture {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.lane");
        fs::write(&path, "one").expect("written");
        let (sender, events) = channel();
        let tell = move |event| sender.send(event).expect("someone listens");
        let disk = Disk::start(vec![Some(path), None], Arc::new(tell)).expect("a thread");
        Fixture { folder, disk, events }
    }

    #[test]
    fn what_another_program_writes_is_noticed() {
        let Fixture { folder, events, disk } = fixture();
        fs::write(folder.path().join("a.lane"), "another").expect("written");
        assert_eq!(events.recv(), Ok(Event::Disk(0, Some("another".to_owned()))));
        fs::remove_file(folder.path().join("a.lane")).expect("removed");
        assert_eq!(events.recv(), Ok(Event::Disk(0, None)));
        drop(disk);
    }

    #[test]
    fn a_save_writes_what_is_expected_and_nothing_else() {
        let Fixture { folder, events, disk } = fixture();
        let path = folder.path().join("a.lane");
        let save = |text: &str, expected: Option<&str>| {
            disk.ask(Task::Save(0, path.clone(), text.to_owned(), expected.map(str::to_owned)));
            events.recv().expect("an event")
        };
        assert_eq!(save("two", Some("one")), Event::Saved(0, path.clone(), "two".to_owned()));
        assert_eq!(save("three", Some("one")), Event::SaveConflict(0, path.clone(), "two".to_owned()));
        assert_eq!(fs::read_to_string(&path).expect("read"), "two");
        assert_eq!(save("three", None), Event::Saved(0, path.clone(), "three".to_owned()));
        disk.finish();
        assert_eq!(fs::read_to_string(&path).expect("read"), "three");
        thread::sleep(2 * INTERVAL);
        assert!(events.try_recv().is_err(), "its own writing is nobody else's");
    }

    #[test]
    fn an_export_asks_before_it_writes_over_something() {
        let Fixture { folder, events, disk } = fixture();
        let path = folder.path().join("a.lane");
        disk.ask(Task::Export(path.clone(), "x".to_owned(), false));
        assert_eq!(events.recv(), Ok(Event::ExportExists(path.clone(), "x".to_owned())));
        disk.ask(Task::Export(path.clone(), "x".to_owned(), true));
        assert!(matches!(events.recv(), Ok(Event::Told(Ok(_)))));
        assert_eq!(fs::read_to_string(&path).expect("read"), "x");
    }
}
