//! What an edit stops: the work on a question, and all who wait for that work.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use queries::Cancelled;
use queries::db::File;
use queries::host::{Host, Snapshot};

/// Is never answered, and says each time that it is asked.
#[salsa::tracked]
fn endless(db: &dyn salsa::Database, file: File) -> usize {
    let _ = file.text(db);
    loop {
        db.unwind_if_revision_cancelled();
        thread::yield_now();
    }
}

#[test]
fn a_write_stops_those_who_wait_for_what_it_stops() {
    for _ in 0..20 {
        let mut host = Host::default();
        let file = host.set_text("a.lane", "kernel k():\n    pass\n");
        let (started, has_started) = channel();
        let ask = |snapshot: Snapshot| {
            let started = started.clone();
            thread::spawn(move || {
                let _ = started.send(());
                snapshot.catch(|db| *endless(db, file))
            })
        };
        // One of them computes it, and all others wait for that one.
        let askers: Vec<_> = (0..3).map(|_| ask(host.snapshot())).collect();
        askers.iter().for_each(|_| has_started.recv().expect("the threads start"));
        thread::sleep(Duration::from_millis(2));
        host.set_text("a.lane", "");
        for asker in askers {
            let answer = asker.join().expect("what stops a thread is caught");
            assert!(matches!(answer, Err(Cancelled::PendingWrite)), "{answer:?}");
        }
    }
}
