//! A program to be evaluated: a kernel with all that it reaches, as plain data.

use std::sync::Arc;

use report::{ItemKey, TextRange};
use rustc_hash::FxHashMap;

use crate::infer::Inference;
use crate::ty::Ty;
use crate::{Body, BodyMap, Expr, Home, Name};

/// An item with its types.
#[derive(Debug, Clone)]
pub struct CheckedUnit {
    /// The key of the item.
    pub key: ItemKey,
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
    /// The name of the kernel.
    pub kernel: Name,
    /// Items of the kernel's file by their names, the kernel among them.
    pub units: FxHashMap<Name, CheckedUnit>,
    /// Items of the prelude by their names.
    pub prelude: FxHashMap<Name, CheckedUnit>,
}

impl Program {
    /// The program of a kernel. Types may name any struct; of everything else, what is named in bodies is enough. `unit` gives
    /// the item of a name.
    pub fn new(
        kernel: Name,
        structs: impl IntoIterator<Item = Name>,
        unit: impl Fn(Home, &Name) -> Option<CheckedUnit>,
    ) -> Program {
        let mut program =
            Program { kernel: kernel.clone(), units: FxHashMap::default(), prelude: FxHashMap::default() };
        let mut wanted: Vec<_> = structs.into_iter().map(|name| (Home::File, name)).collect();
        wanted.push((Home::File, kernel));
        while let Some((home, name)) = wanted.pop() {
            let units = match home {
                Home::File => &mut program.units,
                Home::Prelude => &mut program.prelude,
            };
            if units.contains_key(&name) {
                continue;
            }
            let Some(unit) = unit(home, &name) else { continue };
            wanted.extend(unit.body.references().into_iter().map(|(_, name)| (home, name)));
            let functions = unit.prelude_functions();
            wanted.extend(functions.into_iter().map(|name| (Home::Prelude, Name::from(name.as_str()))));
            units.insert(name, unit);
        }
        program
    }

    /// The item that a name stands for in some item.
    pub fn named(&self, inside: &CheckedUnit, name: &str) -> Option<&CheckedUnit> {
        if inside.key.in_prelude { self.prelude.get(name) } else { self.units.get(name) }
    }

    /// The fields of the structs.
    pub(super) fn fields_of(&self) -> impl Fn(&Name) -> Option<Vec<(Name, Ty)>> {
        |name| Some(self.units.get(name)?.types.fields.clone())
    }

    /// The first function of the prelude that has one of these names.
    pub fn in_prelude(&self, names: impl IntoIterator<Item = String>) -> Option<&CheckedUnit> {
        names.into_iter().find_map(|name| self.prelude.get(name.as_str()))
    }

    /// Returns the unit of the kernel itself.
    pub fn entry(&self) -> &CheckedUnit {
        &self.units[&self.kernel]
    }

    /// The kernel, then the functions and constants it reaches, in the order in which they are first named.
    pub fn reached(&self) -> Vec<&CheckedUnit> {
        let mut reached = vec![self.entry()];
        let mut next = 0;
        while next < reached.len() {
            let inside = reached[next];
            let named = inside.body.references().into_iter().filter_map(|(_, name)| self.named(inside, &name));
            let functions = inside.prelude_functions();
            let functions = functions.iter().filter_map(|name| self.prelude.get(name.as_str()));
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
