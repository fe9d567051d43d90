//! Watches the editor's process. When it dies without `exit`, the server ends too, even if another process still holds the other
//! end of its streams.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

/// Interval between two checks of the process.
const GLANCE: Duration = Duration::from_millis(500);

/// Notifies `ended` when the process with an id has ended. A process that is not visible from the start, because it runs in
/// another container or on another machine, is not watched.
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
    // Without a thread for watching, the end of the streams is the only sign.
    drop(watching);
}

#[cfg(unix)]
fn is_alive(id: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    // A process that we may not signal exists all the same.
    Pid::from_raw(id).is_some_and(|id| test_kill_process(id) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    false
}
