//! The editor's process. When it ends without a word, so does the server, even if somebody else still holds the other end of
//! its streams.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

/// How often it is looked after.
const GLANCE: Duration = Duration::from_millis(500);

/// Tells `ended` when the process with an id has ended. One that cannot be seen from here to begin with, because it runs in
/// another container or on another machine, says nothing by that.
pub(crate) fn watch(id: i32, ended: Arc<Notify>) {
    if !is_alive(id) {
        return;
    }
    let watching = std::thread::Builder::new().name("editor".to_owned()).spawn(move || {
        while is_alive(id) {
            std::thread::sleep(GLANCE);
        }
        ended.notify_one();
    });
    // Without a thread for it, the end of the streams has to do.
    drop(watching);
}

#[cfg(unix)]
fn is_alive(id: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    // One that we may not signal is there all the same.
    Pid::from_raw(id).is_some_and(|id| test_kill_process(id) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    false
}
