//! The database: texts in, everything else derived from them on demand and kept while it holds.
//!
//! The only inputs are the texts of files, and the targets that questions are about. A file is cut into items, and each item is a tracked struct identified by its
//! kind, its name and which of that name it is. So an edit inside one item, or one that moves others, leaves what the queries
//! of all others read *equal*, and they are not run again.
//!
//! Even to find that out takes long of thousands of items. So they are made by the [`Chunk`]s of the file, a few each: after a key the items of
//! one chunk are made anew, and what is asked of all items ([`chunk_mentions`]) is confirmed chunk by chunk.
//!
//! [`Host`](super::host::Host) owns the one handle that can write. Readers get [`Snapshot`](super::host::Snapshot)s, which
//! never write, and are unwound as soon as a write waits for them.

#![allow(missing_docs, reason = "salsa's macros write functions without documentation")]

use std::sync::Arc;

use passes::pipeline::Options;
use report::ItemKind;
use rustc_hash::FxHashMap;
use salsa::{Durability, Setter};

use super::equal_kernels::EqualKernels;
pub use super::surface::{ChunkItems, Cut, chunk_mentions, cut_file, dense, dense_map, file_chunks, file_items, parse};

/// A file: its text is an input.
#[salsa::input(debug)]
pub struct File {
    /// The text as it is now.
    #[returns(ref)]
    pub text: Arc<str>,
    /// The path or address that other files find it by; empty for a text that is in no file.
    #[default]
    #[returns(ref)]
    pub name: Arc<str>,
}

/// Files by their names.
pub type Files = FxHashMap<Arc<str>, File>;

/// The files of a database by their names, for those that use others. Every database has this one.
#[salsa::input(singleton, debug)]
pub struct Known {
    /// The files that have names.
    #[returns(ref)]
    pub files: Arc<Files>,
    /// The libraries, which come with the program.
    #[returns(ref)]
    pub libraries: Arc<[(&'static str, File)]>,
}

/// The file of the [prelude](super::prelude). Every database has this one.
#[salsa::input(singleton, debug)]
pub struct Prelude {
    /// The file with the prelude's text.
    #[returns(copy)]
    pub file: File,
}

/// The targets that questions are about, unless they name another one. Every database has this one.
#[salsa::input(singleton, debug)]
pub struct MadeFor {
    /// The target of facts, hints and notes.
    #[returns(copy)]
    pub options: Options,
    /// The targets that promises are judged for.
    #[returns(ref)]
    pub promised: Arc<[Options]>,
}

/// The instances that templates are shown as, where someone has chosen. Every database has this one.
#[salsa::input(singleton, debug)]
pub struct Chosen {
    /// The names of templates, each with the name of its instance.
    #[returns(ref)]
    pub instances: Arc<[(Arc<str>, Arc<str>)]>,
}

/// The results that equal kernels share. Every database has this one, and it never changes: what it has follows from the kernels.
#[salsa::input(singleton, debug)]
pub(crate) struct Results {
    #[returns(ref)]
    pub(crate) of_kernels: Arc<EqualKernels>,
}

/// The results that equal kernels share.
pub(crate) fn equal_kernels(db: &dyn salsa::Database) -> &EqualKernels {
    Results::get(db).of_kernels(db)
}

/// The target of facts, hints and notes.
pub fn made_for(db: &dyn salsa::Database) -> Options {
    MadeFor::get(db).options(db)
}

/// The targets that promises are judged for, that of [`made_for`] first.
pub fn promised_for(db: &dyn salsa::Database) -> Arc<[Options]> {
    MadeFor::get(db).promised(db).clone()
}

/// A chunk of a file: a few items that stand together. It changes with their texts, and not with their places.
#[salsa::tracked(debug)]
pub struct Chunk<'db> {
    /// The file it stands in.
    #[returns(copy)]
    pub file: File,
    /// The number of the chunk, which it keeps while others come and go.
    #[returns(copy)]
    pub number: u32,
    /// The items, with their texts.
    #[tracked]
    #[returns(ref)]
    pub texts: ChunkItems,
}

/// An item of a file. Its identity is all but its text, so it survives edits and moves.
#[salsa::tracked(debug)]
pub struct Item<'db> {
    /// The file it stands in.
    #[returns(copy)]
    pub file: File,
    /// The kind of the item, by its first word.
    #[returns(copy)]
    pub kind: ItemKind,
    /// The name of the item; empty if it has none.
    #[returns(ref)]
    pub name: Arc<str>,
    /// The number of those of the same kind and name that stand before it.
    #[returns(copy)]
    pub nth: u32,
    /// The template and the arguments of an instance: such an item stands nowhere, and has the text of its template.
    #[returns(copy)]
    pub template: Option<Item<'db>>,
    #[returns(ref)]
    pub args: Vec<Arc<str>>,
    /// The text of the item, from its start.
    #[tracked]
    #[returns(ref)]
    pub text: Arc<str>,
}

/// The database itself. A clone is another handle to the same data.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    storage: salsa::Storage<Self>,
}

#[salsa::db]
impl salsa::Database for Database {}

impl Default for Database {
    fn default() -> Self {
        Database::with_storage(salsa::Storage::new(None))
    }
}

impl Database {
    /// A database that tells `listener` what it does; tests ask which queries ran.
    pub fn with_listener(listener: Box<dyn Fn(salsa::Event) + Send + Sync>) -> Self {
        Database::with_storage(salsa::Storage::new(Some(listener)))
    }

    fn with_storage(storage: salsa::Storage<Database>) -> Self {
        let db = Database { storage };
        // The prelude never changes, so no edit makes salsa check the queries that depend on it alone.
        let file = File::builder(Arc::from(super::prelude::TEXT)).durability(Durability::HIGH).new(&db);
        let _ = Prelude::builder(file).durability(Durability::HIGH).new(&db);
        let libraries = super::surface::libraries::LIBRARIES.iter().map(|library| {
            let file = File::builder(Arc::from(library.text)).durability(Durability::HIGH);
            (library.name, file.name(Arc::from(library.file_name())).durability(Durability::HIGH).new(&db))
        });
        let _ = Known::builder(Arc::default(), libraries.collect()).durability(Durability::HIGH).new(&db);
        let options = Options::default();
        let _ = MadeFor::builder(options, Arc::from([options])).durability(Durability::HIGH).new(&db);
        let _ = Chosen::builder(Arc::from([])).durability(Durability::HIGH).new(&db);
        let _ = Results::builder(Arc::default()).durability(Durability::HIGH).new(&db);
        super::ispc::add_inputs(&db);
        db
    }

    /// Adds a file that others find by its name.
    pub fn add_file(&mut self, name: &str, text: Arc<str>) -> File {
        let file = File::builder(text).name(Arc::from(name)).new(self);
        if !name.is_empty() {
            // Nobody else has the map while this adds to it, so it need not be copied.
            let mut files = self.set_files(Arc::default());
            Arc::make_mut(&mut files).insert(Arc::from(name), file);
            self.set_files(files);
        }
        file
    }

    /// Sets the files that others find by their names; gives those that were set before.
    pub(crate) fn set_files(&mut self, files: Arc<Files>) -> Arc<Files> {
        Known::get(self).set_files(self).with_durability(Durability::HIGH).to(files)
    }

    /// Shows a template as the instance of a name, in each file that has both.
    pub fn choose_instance(&mut self, template: &str, instance: &str) {
        let chosen = Chosen::get(self);
        let others = chosen.instances(self).iter().filter(|(of, _)| **of != *template);
        let mut all: Vec<_> = others.cloned().collect();
        all.push((template.into(), instance.into()));
        if **chosen.instances(self) != *all {
            chosen.set_instances(self).with_durability(Durability::HIGH).to(Arc::from(all));
        }
    }

    /// Sets the targets that questions are about: the first one for facts, hints and notes, and all of them for promises. Setting
    /// those that are set already changes nothing; of no targets the ones that were set before stay.
    pub fn set_made_for(&mut self, all: &[Options]) {
        let Some(&first) = all.first() else { return };
        let made_for = MadeFor::get(self);
        if made_for.options(self) != first {
            made_for.set_options(self).with_durability(Durability::HIGH).to(first);
        }
        if **made_for.promised(self) != *all {
            made_for.set_promised(self).with_durability(Durability::HIGH).to(Arc::from(all));
        }
    }
}
