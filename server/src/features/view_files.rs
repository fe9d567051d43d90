//! Views as files, for clients that can open nothing else. They follow their source like other views: after each edit the files
//! are written again, and an editor that reloads changed files shows the new text.

use std::sync::Arc;

use tower_lsp::gen_lsp_types::{MessageType, Uri};

use super::view::{self, ViewResult};
use crate::documents::Key;
use crate::question::{Interrupted, Question, Stop, guarded, run};
use crate::request_context::{RequestContext, ServerState};
use crate::uris;

/// Writes a view to its file and returns the file's address. On failure it returns `None`, and the log has the reason.
pub(crate) fn write(state: &ServerState, address: &Uri, shown: &ViewResult) -> Option<Uri> {
    match state.memory.view_file(&view::file_name(address), &shown.with_note()) {
        Ok(path) => Some(uris::from_path(&path)),
        Err(error) => {
            state.outbox.log(MessageType::Warning, format!("a view cannot be written to a file: {error}"));
            None
        }
    }
}

/// A task that writes again the files with views of a document.
pub(crate) struct Follow {
    source: Key,
    stop: Arc<Stop>,
}

impl Follow {
    /// Creates the task for the document with this key.
    pub(crate) fn new(source: Key) -> Follow {
        Follow { source, stop: Arc::default() }
    }
}

impl Question for Follow {
    fn about(&self) -> Option<&Key> {
        Some(&self.source)
    }

    fn stop(&self) -> &Arc<Stop> {
        &self.stop
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn name(&self) -> &'static str {
        "files of views"
    }

    fn ask(&mut self, ctx: RequestContext<'_>) -> std::result::Result<(), Interrupted> {
        let state = ctx.state();
        let mut works = Vec::new();
        for address in state.memory.views_as_files(&self.source) {
            // A view that cannot be made leaves its file unchanged.
            if let Ok(work) = run(&self.stop, &ctx, |ctx| view::of_address(ctx, &address))? {
                works.push((address, work));
            }
        }
        drop(ctx);
        for (address, work) in works {
            if let Ok(shown) = guarded(|| work(&self.stop)) {
                self.stop.unless_stopped(|| _ = write(state, &address, &shown));
            }
        }
        Ok(())
    }

    fn refuse(&mut self) {}
}
