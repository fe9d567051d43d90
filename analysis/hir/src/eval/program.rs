//! A program to be evaluated: a kernel with all that it reaches, as plain data.

use std::sync::Arc;

use report::{FileId, ItemKey, TextRange};
use rustc_hash::FxHashMap;

use crate::fields::Fields;
use crate::infer::Inference;
use crate::{Body, BodyMap, Expr, Name};

/// An item with its types.
#[derive(Debug, Clone)]
pub struct CheckedUnit {
    /// The key of the item, which an instance shares with its template.
    pub key: ItemKey,
    /// The name that it is looked up by in its own file.
    pub name: Name,
    /// The meaning of the item.
    pub body: Arc<Body>,
    /// The places of its parts in the dense text.
    pub map: Arc<BodyMap>,
    /// The types of its expressions and locals.
    pub types: Arc<Inference>,
    /// The first error in it, if it has one.
    pub error: Option<(TextRange, String)>,
}

impl CheckedUnit {
    /// Names of the functions in the prelude that the item may call, by a builtin or an operator.
    fn prelude_functions(&self) -> Vec<String> {
        let of_arrays = self.types.of_arrays.iter().filter_map(|&callee| match &self.body.exprs[callee] {
            Expr::Builtin(builtin) => Some(builtin.get().name.to_owned()),
            _ => None,
        });
        self.body.prelude_functions().into_iter().chain(of_arrays).collect()
    }
}

/// A kernel, and the functions, constants and structs it needs.
#[derive(Debug, Clone)]
pub struct Program {
    /// The file of the kernel.
    pub file: FileId,
    /// The name of the kernel.
    pub kernel: Name,
    /// The items that names stand for in each file that has a part in it.
    units: FxHashMap<FileId, FxHashMap<Name, CheckedUnit>>,
    /// The fields of each struct.
    fields: FxHashMap<Name, Arc<Fields>>,
}

impl Program {
    /// The program of a kernel of a file. Types may name any struct, each by its file and name; of everything else, what is named in bodies
    /// is enough. `unit` gives the item that a name stands for in a file.
    pub fn new(
        file: FileId,
        kernel: Name,
        structs: impl IntoIterator<Item = (FileId, Name)>,
        unit: impl Fn(FileId, &Name) -> Option<CheckedUnit>,
    ) -> Program {
        let mut units: FxHashMap<FileId, FxHashMap<Name, CheckedUnit>> = FxHashMap::default();
        let mut fields = FxHashMap::default();
        let mut wanted: Vec<_> = structs.into_iter().collect();
        wanted.push((file, kernel.clone()));
        while let Some((home, name)) = wanted.pop() {
            if units.get(&home).is_some_and(|known| known.contains_key(&name)) {
                continue;
            }
            let Some(unit) = unit(home, &name) else { continue };
            let inside = unit.key.file;
            wanted.extend(unit.body.references().into_iter().map(|(_, name)| (inside, name)));
            let functions = unit.prelude_functions();
            wanted.extend(functions.into_iter().map(|name| (FileId::PRELUDE, Name::from(name.as_str()))));
            if unit.key.kind.is_type() {
                // A file's own struct comes before one of the prelude that has its name.
                let known = fields.entry(name.clone()).or_insert_with(|| unit.types.fields.clone());
                if !unit.key.in_prelude() {
                    known.clone_from(&unit.types.fields);
                }
            }
            // A function as a value looks its item up in its own file.
            wanted.push((inside, unit.name.clone()));
            units.entry(home).or_default().insert(name, unit);
        }
        Program { file, kernel, units, fields }
    }

    /// The item that a name stands for in some item.
    pub fn named(&self, inside: &CheckedUnit, name: &str) -> Option<&CheckedUnit> {
        self.named_in(inside.key.file, name)
    }

    /// The item that a name stands for in a file.
    pub fn named_in(&self, file: FileId, name: &str) -> Option<&CheckedUnit> {
        self.units.get(&file)?.get(name)
    }

    /// The fields of the structs.
    pub fn fields_of(&self) -> impl Fn(&Name) -> Option<Arc<Fields>> {
        |name| self.fields.get(name).cloned()
    }

    /// The first function of the prelude that has one of these names.
    pub fn in_prelude(&self, names: impl IntoIterator<Item = String>) -> Option<&CheckedUnit> {
        names.into_iter().find_map(|name| self.named_in(FileId::PRELUDE, &name))
    }

    /// Returns the unit of the kernel itself.
    pub fn entry(&self) -> &CheckedUnit {
        &self.units[&self.file][&self.kernel]
    }

    /// The kernel, then the functions and constants it reaches, in the order in which they are first named.
    pub fn reached(&self) -> Vec<&CheckedUnit> {
        let mut reached = vec![self.entry()];
        let mut next = 0;
        while next < reached.len() {
            let inside = reached[next];
            let named = inside.body.references().into_iter().filter_map(|(_, name)| self.named(inside, &name));
            let functions = inside.prelude_functions();
            let functions = functions.iter().filter_map(|name| self.named_in(FileId::PRELUDE, name));
            for unit in named.chain(functions).collect::<Vec<_>>() {
                if !reached.iter().any(|known| known.key == unit.key) {
                    reached.push(unit);
                }
            }
            next += 1;
        }
        reached
    }
}
