//! A program to be evaluated: a kernel with all that it reaches, as plain data.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use syntax::{ItemKind, Severity, TextRange};

use crate::builtins::BuiltinId;
use crate::db::{File, Item, parse};
use crate::finding::ItemKey;
use crate::hir::{self, Body, BodyMap, Name};
use crate::infer::{self, Inference};
use crate::prelude;

/// An item: what it says, and its types.
#[derive(Debug, Clone)]
pub struct Unit {
    /// Which item it is.
    pub key: ItemKey,
    /// What it says.
    pub body: Arc<Body>,
    /// Where that stands.
    pub map: Arc<BodyMap>,
    /// Its types.
    pub types: Arc<Inference>,
    /// The first error in it, if it has one.
    pub error: Option<(TextRange, String)>,
}

/// A kernel, and the functions, constants and structs it needs.
#[derive(Debug, Clone)]
pub struct Program {
    /// The kernel's name.
    pub kernel: Name,
    /// Items of the kernel's file by their names, the kernel among them.
    pub units: FxHashMap<Name, Unit>,
    /// Items of the prelude by their names.
    pub prelude: FxHashMap<Name, Unit>,
}

impl Program {
    /// A kernel of a file; `None` if the file has none of that name.
    pub fn new(db: &dyn salsa::Database, file: File, kernel: &str) -> Option<Program> {
        let names = hir::file_names(db, file);
        let key = names.get(kernel).filter(|key| key.kind == ItemKind::Kernel)?;
        let kernel = key.name.clone();
        let mut program =
            Program { kernel: kernel.clone(), units: FxHashMap::default(), prelude: FxHashMap::default() };
        // Types may name any struct; of everything else, what is named in bodies is enough.
        let structs = names.in_order.iter().filter(|key| key.kind == ItemKind::Struct);
        let mut wanted: Vec<_> = structs.map(|key| (false, key.name.clone())).collect();
        wanted.push((false, kernel));
        while let Some((in_prelude, name)) = wanted.pop() {
            let (units, file) =
                if in_prelude { (&mut program.prelude, prelude::file(db)) } else { (&mut program.units, file) };
            if units.contains_key(&name) {
                continue;
            }
            let Some(item) = hir::named(db, file, name.clone()) else { continue };
            let unit = Unit::new(db, item);
            wanted.extend(unit.body.references().into_iter().map(|(_, name)| (in_prelude, name)));
            wanted.extend(unit.body.builtins().into_iter().map(|builtin| (true, builtin.get().name.into())));
            units.insert(name, unit);
        }
        Some(program)
    }

    /// What a name stands for in some item.
    pub fn named(&self, inside: &Unit, name: &str) -> Option<&Unit> {
        if inside.key.in_prelude { self.prelude.get(name) } else { self.units.get(name) }
    }

    /// The function that a builtin is written as.
    pub fn function_of(&self, builtin: BuiltinId) -> Option<&Unit> {
        self.prelude.get(builtin.get().name)
    }

    /// The kernel itself.
    pub fn entry(&self) -> &Unit {
        &self.units[&self.kernel]
    }

    /// The kernel, then the functions and constants it reaches, in the order in which they are first named.
    pub fn reached(&self) -> Vec<&Unit> {
        let mut reached = vec![self.entry()];
        let mut next = 0;
        while next < reached.len() {
            let inside = reached[next];
            let named = inside.body.references().into_iter().filter_map(|(_, name)| self.named(inside, &name));
            let builtins = inside.body.builtins().into_iter().filter_map(|builtin| self.function_of(builtin));
            for unit in named.chain(builtins).collect::<Vec<_>>() {
                if !reached.iter().any(|known| known.key == unit.key) {
                    reached.push(unit);
                }
            }
            next += 1;
        }
        reached
    }
}

impl Unit {
    fn new<'db>(db: &'db dyn salsa::Database, item: Item<'db>) -> Unit {
        let lowered = hir::lowered(db, item);
        let findings = crate::check::findings(db, item);
        let found = findings.iter().find(|finding| finding.severity == Severity::Error);
        let syntax_error = parse(db, item).errors.iter().find(|error| error.severity == Severity::Error);
        // A syntax error's place is one of the text; the header is as near as the dense text has it.
        let error = syntax_error
            .map(|error| (lowered.map.header, error.message.clone()))
            .or_else(|| found.map(|finding| (finding.at, finding.message.clone())));
        Unit {
            key: hir::key(db, item),
            body: lowered.body.clone(),
            map: lowered.map.clone(),
            types: infer::infer(db, item).clone(),
            error,
        }
    }
}
