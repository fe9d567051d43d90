//! Completions in a line with `use`: files and libraries, then the names that a file has for others.

use report::{ItemKind, TextSize};

use super::{CompletionKind, Completions};
use queries::db::File;
use queries::uses::{files_beside, libraries, shown_names, target};

/// The text of a line with `use` between that word and the one at a place; `None` in another line.
pub(super) fn before_word(text: &str, word: TextSize) -> Option<&str> {
    let before = &text[..usize::from(word)];
    let line = before.rsplit(['\n', '\r']).next().unwrap_or(before);
    line.trim_start_matches('\u{feff}').strip_prefix("use ").filter(|line| !line.contains('#'))
}

/// Completes the path of a file, or behind its colon a name.
pub(super) fn complete(db: &dyn salsa::Database, file: File, before: &str, out: &mut Completions<'_>) {
    let Some((path, taken)) = before.split_once(':') else {
        let folder = before.trim_start();
        for path in files_beside(db, file) {
            // The parts before the word stand there already.
            let Some(rest) = path.strip_prefix(folder) else { continue };
            let item = out.add(0, CompletionKind::File, rest);
            item.detail = Some(format!("{}.lane", path.replace('.', "/")));
        }
        for (library, about) in libraries(db).filter(|_| folder.is_empty()) {
            let item = out.add(1, CompletionKind::File, library);
            item.detail = Some("a library".to_owned());
            item.docs = about;
        }
        return;
    };
    let Some(of) = target(db, file, path.trim()) else { return };
    let taken: Vec<&str> = taken.split(',').map(str::trim).collect();
    for key in shown_names(db, of).filter(|key| !taken.contains(&&*key.name)) {
        let kind = match key.kind {
            ItemKind::Struct => CompletionKind::Struct,
            ItemKind::Const => CompletionKind::Constant,
            _ => CompletionKind::Function,
        };
        let item = queries::item_of(db, of, key);
        let added = out.add(0, kind, &*key.name);
        added.detail =
            item.and_then(|item| Some(queries::typed(db, item).first()?.text.trim_end_matches(':').to_owned()));
        added.docs = item.and_then(|item| crate::wording::item_docs(db, item));
    }
}
