//! ISPC's files. Here alone queries go through the doors of [`ispc`], [`ispc_types`] and [`ispc_facts`].
//!
//! A *unit* is a file with all that it includes. Which files these are is known only while it is read, so they are asked for one path at
//! a time: a unit depends on the texts that it has read, and on the absence of what it has looked for, and on nothing else. A path may
//! be *unread*, too: nobody has said yet if there is a file. Whoever knows disks fetches [`unread`] paths and asks again, until none
//! is left.
//!
//! | query | gives | runs again when |
//! |---|---|---|
//! | [`text`] | a file's tokens, shared by all units | the file's text changes |
//! | [`config`] | folders of headers, macros, the target | the settings or the list of commands change |
//! | `prefix` | the front of a unit, with its headers | a text in that changes |
//! | [`unit`] | tokens, tree, names, problems | a text in it or its configuration changes, or a path that it looked for comes or goes |
//!
//! Questions about names are asked of the unit itself; types and facts are queries by function ([`typing`], [`facts`]).

#![allow(missing_docs, reason = "salsa's macros write functions without documentation")]

pub mod declared;
pub mod facts;
pub mod typing;

use std::borrow::Cow;
use std::sync::Arc;

use ispc::commands::list_paths;
use ispc::config::{Config, Target};
use ispc::file::{FileText, Files};
use ispc::prefix::{Prefix, prefix_length, read_behind, read_prefix};
use ispc::unit::Unit;
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};

use super::db::{Database, File};

pub use ispc::{config as configuration, file, format, is_ispc, kinds, lexer, names, problems, tree, unit as units};

/// Files by their paths; `None` where there is none.
pub(crate) type Paths = FxHashMap<Arc<str>, Option<File>>;

/// The files of ISPC's, and the lists of commands. Every database has this one.
#[salsa::input(singleton, debug)]
pub(crate) struct KnownPaths {
    #[returns(ref)]
    paths: Arc<Paths>,
}

/// The arguments for all files, beside those of lists of commands. Every database has this one.
#[salsa::input(singleton, debug)]
pub(crate) struct Arguments {
    #[returns(ref)]
    arguments: Arc<Settings>,
}

/// The way, as settings have it, in which ISPC's files are compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// The target where no list of commands says another one.
    pub usual_target: Option<Target>,
    /// The target in any case.
    pub target: Option<Target>,
    /// Folders of headers, behind those of the list.
    pub include_folders: Vec<String>,
    /// Macros: `NAME` or `NAME=VALUE`.
    pub defines: Vec<String>,
}

/// The state of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    /// Nobody has said yet if there is a file.
    Unread,
    /// There is none.
    Absent,
    /// The file.
    File(File),
}

#[salsa::interned(debug)]
struct Path<'db> {
    #[returns(ref)]
    text: Arc<str>,
}

#[salsa::interned(debug)]
struct Reading<'db> {
    #[returns(ref)]
    config: Config,
}

/// Adds the inputs of this module to a new database.
pub(crate) fn add_inputs(db: &Database) {
    let _ = KnownPaths::builder(Arc::default()).durability(Durability::HIGH).new(db);
    let _ = Arguments::builder(Arc::default()).durability(Durability::HIGH).new(db);
}

impl Database {
    /// Sets which paths are known.
    pub(crate) fn set_paths(&mut self, paths: Arc<Paths>) {
        KnownPaths::get(self).set_paths(self).with_durability(Durability::HIGH).to(paths);
    }

    /// Sets what settings say of the way in which ISPC's files are compiled. Setting the same changes nothing, and gives false.
    pub(crate) fn set_ispc_settings(&mut self, settings: Settings) -> bool {
        let input = Arguments::get(self);
        let are_others = **input.arguments(self) != settings;
        if are_others {
            input.set_arguments(self).with_durability(Durability::HIGH).to(Arc::new(settings));
        }
        are_others
    }
}

/// The state of a path.
pub fn known(db: &dyn salsa::Database, path: &str) -> PathState {
    known_path(db, Path::new(db, Arc::<str>::from(&*normal(path))))
}

/// The one form of a path: that of a drive starts with a slash, as in an address.
fn normal(path: &str) -> Cow<'_, str> {
    match path.as_bytes() {
        [letter, b':', ..] if letter.is_ascii_alphabetic() => {
            format!("/{}{}", path[..1].to_ascii_lowercase(), path[1..].replace('\\', "/")).into()
        }
        _ => path.into(),
    }
}

#[salsa::tracked(returns(copy))]
fn known_path<'db>(db: &'db dyn salsa::Database, path: Path<'db>) -> PathState {
    match KnownPaths::get(db).paths(db).get(path.text(db)) {
        None => PathState::Unread,
        Some(None) => PathState::Absent,
        Some(Some(file)) => PathState::File(*file),
    }
}

/// A file's tokens.
#[salsa::tracked(no_eq)]
pub fn text(db: &dyn salsa::Database, file: File) -> Arc<FileText> {
    Arc::new(FileText::new(file.name(db).clone(), file.text(db).clone()))
}

/// The way a file is compiled.
#[salsa::tracked]
pub fn config(db: &dyn salsa::Database, file: File) -> Config {
    let settings = Arguments::get(db).arguments(db);
    let mut config = Config::default();
    if let Some(target) = &settings.usual_target {
        config.target = target.clone();
    }
    let path = file.name(db);
    let mut lists = list_paths(path).into_iter();
    let nearest = lists.find_map(|list_path| match known(db, &list_path) {
        PathState::File(list) => Some((list, list_path)),
        _ => None,
    });
    if let Some((list, list_path)) = nearest {
        config.take_commands(list.text(db), &list_path, path);
    }
    if let Some(target) = &settings.target {
        config.target = target.clone();
    }
    config.include_folders.extend(settings.include_folders.iter().cloned());
    settings.defines.iter().for_each(|definition| config.define(definition));
    config
}

/// A file and all that it includes, compiled as [`config`] says.
pub fn unit(db: &dyn salsa::Database, file: File) -> &Arc<Unit> {
    unit_by(db, file, Reading::new(db, config(db, file).clone()))
}

/// A file and all that it includes, compiled for a target, whatever [`config`] says of that.
pub fn unit_for<'db>(db: &'db dyn salsa::Database, file: File, target: &Target) -> &'db Arc<Unit> {
    let config = Config { target: target.clone(), ..config(db, file).clone() };
    unit_by(db, file, Reading::new(db, config))
}

// Units are large, and those of files that nobody looks at any more need not be there.
#[salsa::tracked(no_eq, lru = 64)]
fn unit_by<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Arc<Unit> {
    let (file_text, config, files) = (text(db, file).clone(), reading.config(db), InDatabase { db });
    let prefix = front(db, file).as_ref().and_then(|_| prefix(db, file, reading).as_ref());
    Arc::new(match prefix {
        Some(prefix) => read_behind(prefix, file_text, config, &files),
        None => ispc::read(file_text, config, &files),
    })
}

/// The text of a file up to the end of its last `#include`: equal after an edit behind that.
#[salsa::tracked]
fn front(db: &dyn salsa::Database, file: File) -> Option<Arc<str>> {
    let text = text(db, file);
    prefix_length(text).map(|length| Arc::from(&text.text[..length]))
}

/// All that the front of a file brings, if it can be read by itself.
#[salsa::tracked(no_eq, lru = 16)]
fn prefix<'db>(db: &'db dyn salsa::Database, file: File, reading: Reading<'db>) -> Option<Arc<Prefix>> {
    let front = front(db, file).clone()?;
    let front = Arc::new(FileText::new(file.name(db).clone(), front));
    read_prefix(front, reading.config(db), &InDatabase { db }).map(Arc::new)
}

/// The files of the database, by their paths.
struct InDatabase<'db> {
    db: &'db dyn salsa::Database,
}

impl Files for InDatabase<'_> {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        // A unit takes a while, and an edit or a cancel may be waiting.
        self.db.unwind_if_revision_cancelled();
        match known(self.db, path) {
            PathState::File(file) => Some(text(self.db, file).clone()),
            _ => None,
        }
    }
}

/// The paths that a file's unit has looked for and of which nobody has said yet if there is a file. As long as there are some, the unit may lack headers.
pub fn unread(db: &dyn salsa::Database, file: File) -> Vec<String> {
    let is_unread = |path: &String| known(db, path) == PathState::Unread;
    let lists = list_paths(file.name(db)).into_iter();
    let lists = lists.take_while(|path| !matches!(known(db, path), PathState::File(_)));
    let lists: Vec<String> = lists.filter(is_unread).collect();
    if !lists.is_empty() {
        return lists;
    }
    let wanted = unit(db, file).wanted.iter().map(|path| normal(path).into_owned());
    let mut paths: Vec<String> = wanted.filter(is_unread).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// All paths on which a file's unit depends: of files that it includes, of those that it has looked for, of lists of commands.
pub fn depends_on(db: &dyn salsa::Database, file: File) -> Vec<Arc<str>> {
    let unit = unit(db, file);
    let included = unit.files.iter().skip(1).map(|file| file.file.path.clone());
    let wanted = unit.wanted.iter().map(|path| Arc::from(&*normal(path)));
    included.chain(wanted).chain(list_paths(file.name(db)).into_iter().map(Arc::from)).collect()
}

/// The files that are known, in the order of their paths.
pub fn known_files(db: &dyn salsa::Database) -> Vec<File> {
    let mut files: Vec<File> = KnownPaths::get(db).paths(db).values().flatten().copied().collect();
    files.sort_unstable_by_key(|file| file.name(db).clone());
    files
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::host::Host;

    /// A host, and how often units were read and texts cut into tokens since this was asked last.
    struct Watched {
        host: Host,
        ran: Arc<Mutex<Vec<String>>>,
    }

    impl Watched {
        fn new(files: &[(&str, &str)]) -> Watched {
            let ran: Arc<Mutex<Vec<String>>> = Arc::default();
            let heard = ran.clone();
            let listener = move |event: salsa::Event| {
                if let salsa::EventKind::WillExecute { database_key } = event.kind {
                    heard.lock().expect("no panic").push(format!("{database_key:?}"));
                }
            };
            let mut watched = Watched { host: Host::with_listener(Box::new(listener)), ran };
            files.iter().for_each(|(path, text)| watched.set(path, text));
            watched
        }

        fn set(&mut self, path: &str, text: &str) {
            self.host.share_ispc_text(path, Some(Arc::from(text)));
        }

        fn ask<T>(&mut self, path: &str, question: impl FnOnce(&Database, File) -> T) -> T {
            let snapshot = self.host.snapshot();
            let file = snapshot.ispc_file(path).expect("the file is there");
            question(snapshot.db(), file)
        }

        fn messages(&mut self, path: &str) -> Vec<String> {
            self.ask(path, |db, file| unit(db, file).problems.iter().map(|it| it.message.clone()).collect())
        }

        fn ran(&self, query: &str) -> usize {
            let mut ran = self.ran.lock().expect("no panic");
            std::mem::take(&mut *ran).iter().filter(|it| it.starts_with(query)).count()
        }
    }

    const A: (&str, &str) = ("/w/a.ispc", "#include \"h.isph\"\nvoid f() { N x = 0; }\n");
    const B: (&str, &str) = ("/w/b.ispc", "void g() { int x = 0; }\n");
    const H: (&str, &str) = ("/w/h.isph", "typedef int N;\n");

    #[test]
    fn an_edit_of_a_header_reads_the_units_that_include_it_and_no_others() {
        let mut watched = Watched::new(&[A, B, H]);
        assert!(watched.messages(A.0).is_empty() && watched.messages(B.0).is_empty());
        assert_eq!(watched.ran("unit_by"), 2);
        watched.set(H.0, "typedef int M;\n");
        assert_eq!((watched.messages(A.0).len(), watched.messages(B.0).len()), (1, 0));
        assert_eq!(watched.ran("unit_by"), 1);
        // An edit of one file cuts that one into tokens again, and neither its headers nor other units are read.
        watched.set(H.0, H.1);
        assert!(watched.messages(A.0).is_empty());
        watched.ran("");
        watched.set(A.0, "#include \"h.isph\"\nvoid f() { N y = 0; }\n");
        assert!(watched.messages(A.0).is_empty() && watched.messages(B.0).is_empty());
        let ran = std::mem::take(&mut *watched.ran.lock().expect("no panic"));
        let of = |query: &str| ran.iter().filter(|it| it.starts_with(query)).count();
        assert_eq!((of("unit_by"), of("text"), of("prefix")), (1, 1, 0), "{ran:?}");
        // In front of the last `#include` all is read anew.
        watched.set(A.0, "#define X\n#include \"h.isph\"\nvoid f() { N y = 0; }\n");
        assert!(watched.messages(A.0).is_empty());
        assert_eq!(watched.ran("prefix"), 1);
    }

    #[test]
    fn a_header_that_was_missing_is_noticed_when_it_appears() {
        let mut watched = Watched::new(&[A, B]);
        let unread_of_a = |watched: &mut Watched| watched.ask(A.0, |db, file| unread(db, file));
        let lists = unread_of_a(&mut watched);
        assert!(lists.iter().all(|path| path.ends_with("compile_commands.json")), "{lists:?}");
        lists.iter().for_each(|path| watched.host.share_ispc_text(path, None));
        assert_eq!(unread_of_a(&mut watched), ["/w/h.isph"]);
        watched.host.share_ispc_text("/w/h.isph", None);
        assert!(unread_of_a(&mut watched).is_empty());
        assert!(watched.messages(A.0)[0].contains("`h.isph` is in none"), "{:?}", watched.messages(A.0));
        watched.messages(B.0);
        watched.ran("");
        watched.set(H.0, H.1);
        assert!(watched.messages(A.0).is_empty() && watched.messages(B.0).is_empty());
        assert_eq!(watched.ran("unit_by"), 1);
        // Nobody says any more that it is there.
        watched.host.forget_ispc(H.0);
        assert_eq!(unread_of_a(&mut watched), ["/w/h.isph"]);
    }

    #[test]
    fn a_list_of_commands_and_settings_say_how_a_file_is_compiled() {
        let list =
            r#"[{"directory": ".", "file": "a.ispc", "command": "ispc -I inc -DW=4 --target=sse4-i32x4 a.ispc"}]"#;
        let text = "#include <d.isph>\n#if W != 4 || TARGET_WIDTH != 4 || !defined(E)\n#error no\n#endif\n";
        let mut watched = Watched::new(&[
            ("/w/src/a.ispc", text),
            ("/w/src/compile_commands.json", list),
            ("/w/src/inc/d.isph", "#define D\n"),
        ]);
        assert_eq!(watched.messages("/w/src/a.ispc").len(), 1);
        watched.host.set_ispc_settings(Settings { defines: vec!["E".to_owned()], ..Settings::default() });
        assert!(watched.messages("/w/src/a.ispc").is_empty());
        watched.ran("");
        // A list that says the same of this file reads nothing again.
        watched.set("/w/src/compile_commands.json", &list.replace("[{", "[ {"));
        assert!(watched.messages("/w/src/a.ispc").is_empty());
        assert_eq!(watched.ran("unit_by"), 0);
        watched.set("/w/src/compile_commands.json", &list.replace("i32x4", "i32x8"));
        assert_eq!(watched.messages("/w/src/a.ispc").len(), 1);
    }

    #[test]
    fn an_edit_inside_of_a_function_types_that_one_alone() {
        let text =
            "#include \"h.isph\"\nfloat f(N x) { return x; }\nvoid g(N x) { float a = f(x); }\nvoid h(N x) { g(x); }\n";
        let mut watched =
            Watched::new(&[("/w/a.ispc", text), ("/w/h.isph", "typedef int N;\ninline N two() { return 2; }\n")]);
        let problems = |watched: &mut Watched| watched.ask("/w/a.ispc", |db, file| typing::problems(db, file).len());
        assert_eq!(problems(&mut watched), 0);
        assert_eq!(watched.ran("body_types"), 3);
        watched.set("/w/a.ispc", &text.replace("float a = f(x);", "float a = f(x); float b = a; undeclared;"));
        assert_eq!(problems(&mut watched), 1);
        assert_eq!(watched.ran("body_types"), 1);
        // White space changes no piece.
        watched
            .set("/w/a.ispc", &text.replace("float a = f(x);", "float a = f(x);   float b = a; undeclared; // more\n"));
        assert_eq!(problems(&mut watched), 1);
        assert_eq!(watched.ran("body_types"), 0);
        // A declaration is seen by all.
        watched.set("/w/a.ispc", &text.replace("float f(N x)", "double f(N x)"));
        assert_eq!(problems(&mut watched), 0);
        assert_eq!(watched.ran("body_types"), 3);
    }
}
