//! Classes of accesses: those that stand in one block and have equal subscripts meet others in the same iterations, in
//! whatever array of the same sizes. So a kernel of many similar statements asks few questions.

use rustc_hash::{FxHashMap, FxHashSet};

use super::nest::{Access, Nest};
use ir::entities::{Region, Value};
use ir::ops::Code;
use ir::program::{Attr, Def, DimSize};
use ir::types::Type;

/// The limit on the depth of a comparison of expressions; a value below it equals only itself.
const MAX_DEPTH: usize = 200;

/// The operands of a value, as a key.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Itself(Value),
    Computed(Code, Attr, Type, Vec<u32>),
}

/// The size of a dimension, as far as it is known.
#[derive(PartialEq, Eq, Hash)]
enum SizeKey {
    /// An unknown size that no other array has.
    Unknown,
    /// The size of this array's dimension.
    Of(Value),
    /// A value, or a constant.
    Value(u32),
    Constant(i64),
}

/// A step from a view to the view it is a part of.
type Part = (Code, Attr, Vec<u32>);

/// The key of an access's class: its block, its subscripts, whether lanes that run together touch cells from there on, and the
/// parts and sizes of its array.
type ClassKey = (Region, Vec<u32>, bool, Vec<Part>, Vec<SizeKey>);

/// The class of each access, by its number.
pub(super) fn of(nest: &Nest<'_>) -> Vec<u32> {
    let mut classes =
        Classes { nest, values: FxHashMap::default(), numbers: FxHashMap::default(), measured: measured(nest) };
    let mut known: FxHashMap<ClassKey, u32> = FxHashMap::default();
    let mut of_access = Vec::with_capacity(nest.accesses.len());
    for access in &nest.accesses {
        let next = known.len() as u32;
        of_access.push(*known.entry(classes.key(access)).or_insert(next));
    }
    of_access
}

/// The arrays whose size the kernel asks for.
fn measured(nest: &Nest<'_>) -> FxHashSet<Value> {
    let kernel = nest.kernel;
    let mut measured = FxHashSet::default();
    kernel.walk(kernel.body, &mut |_, op| {
        let data = &kernel.ops[op];
        if data.code == Code::Size {
            let mut at = data.operands[0];
            while let Some(op) = kernel.def_op(at) {
                match kernel.ops[op].code {
                    Code::Row | Code::Slice | Code::Field => at = kernel.ops[op].operands[0],
                    _ => break,
                }
            }
            measured.insert(at);
        }
    });
    measured
}

struct Classes<'n, 'k> {
    nest: &'n Nest<'k>,
    /// The number of each value: the same for values that are computed alike.
    values: FxHashMap<Value, u32>,
    numbers: FxHashMap<Key, u32>,
    measured: FxHashSet<Value>,
}

impl Classes<'_, '_> {
    fn key(&mut self, access: &Access) -> ClassKey {
        let subscripts = access.subscripts.iter().map(|&value| self.number(value, 0)).collect();
        let mut parts = Vec::new();
        let kernel = self.nest.kernel;
        let mut at = access.view;
        while at != access.root {
            let Some(op) = kernel.def_op(at) else { break };
            let data = &kernel.ops[op];
            // A field that is an array has subscripts of its own, and limits for these.
            if data.code != Code::Field || !kernel.sizes_of_field(op).is_empty() {
                let operands = data.operands[1..].iter().map(|&value| self.number(value, 0)).collect();
                parts.push((data.code, data.attr.clone(), operands));
            }
            at = data.operands[0];
        }
        (self.nest.forest.region_of(access.op), subscripts, access.packs, parts, self.sizes(access.root))
    }

    fn sizes(&mut self, root: Value) -> Vec<SizeKey> {
        let kernel = self.nest.kernel;
        if let Some(op) = kernel.def_op(root) {
            let operands = kernel.ops[op].operands.clone();
            return operands.iter().map(|&size| SizeKey::Value(self.number(size, 0))).collect();
        }
        let param = match kernel.values[root].def {
            Def::Param(number) => kernel.params.get(number as usize),
            _ => None,
        };
        let keys = param.iter().flat_map(|param| &param.sizes).map(|size| match size {
            DimSize::Own if !self.measured.contains(&root) => SizeKey::Unknown,
            DimSize::Own | DimSize::Arithmetic(..) => SizeKey::Of(root),
            DimSize::Constant(size) => SizeKey::Constant(*size),
            DimSize::Param(value) => SizeKey::Value(self.number(*value, 0)),
        });
        keys.collect()
    }

    fn number(&mut self, value: Value, depth: usize) -> u32 {
        if let Some(&number) = self.values.get(&value) {
            return number;
        }
        let kernel = self.nest.kernel;
        let key = match kernel.values[value].def {
            Def::Result(op, _) if kernel.ops[op].code.is_elementwise() && depth < MAX_DEPTH => {
                let data = &kernel.ops[op];
                let operands = data.operands.iter().map(|&operand| self.number(operand, depth + 1)).collect();
                Key::Computed(data.code, data.attr.clone(), kernel.ty(value), operands)
            }
            _ => Key::Itself(value),
        };
        let next = self.numbers.len() as u32;
        let number = *self.numbers.entry(key).or_insert(next);
        self.values.insert(value, number);
        number
    }
}
