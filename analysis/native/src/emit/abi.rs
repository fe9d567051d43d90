//! The calling convention of kernels: the arguments that are passed for each parameter, in order.
//!
//! A scalar is passed as C passes it, an array as the address of its first cell. Sizes that are constants or arithmetic
//! over parameters are not passed, since the caller has passed those already. A size of an array's own is passed behind
//! the array, if the kernel asks for it: to know how many cells there are, or how far apart rows lie. The address of scratch
//! memory comes last, if the kernel needs any.
//!
//! A kernel that compares sizes before anything else returns a [`Status`], and stores its result, if it has one, where an argument
//! says, behind those of its parameters.

use ir::scratch::ParamAtom;
use ir::{CellType, Code, DimSize, Elem, Kernel, Name, Op, Type, Value};

/// The answer of a kernel that compares sizes before anything else, an `int32_t`. Negative numbers are free for whoever calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// The kernel has come to its end.
    Done = 0,
    /// Sizes that have to be equal differ: nothing was done.
    SizesDiffer = 1,
}

/// An argument of a kernel's C function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passed {
    /// The parameter that it belongs to; none for the result and for scratch memory.
    pub param: Option<Value>,
    /// The name of the argument in C.
    pub name: Name,
    /// The aspect of the parameter that is passed.
    pub what: What,
}

/// The aspect of a parameter that an argument carries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// The value of a scalar.
    Scalar(Elem),
    /// The address of an array's first cell.
    Array {
        /// The items that the array's cells hold.
        item: CellType,
        /// True if the kernel writes the array.
        written: bool,
        /// True if no other array may overlap this one.
        alone: bool,
    },
    /// The size of a dimension of an array.
    Size(usize),
    /// The address that the result is stored to.
    Result(Elem),
    /// The address of scratch memory.
    Scratch,
}

/// The arguments of a kernel's C function, in order.
pub fn passed(kernel: &Kernel) -> Vec<Passed> {
    let uses = Uses::of(kernel);
    let mut all = Vec::new();
    for param in &kernel.params {
        let name = kernel.values[param.value].name.clone().unwrap_or_else(|| "array".into());
        let what = match kernel.ty(param.value) {
            Type::Data { elem, .. } => What::Scalar(elem),
            Type::View { item, .. } => {
                let aliases = |&(a, b): &(Value, Value)| a == param.value || b == param.value;
                let alone = !kernel.marks.alias.iter().any(aliases);
                What::Array { item, written: uses.written.contains(&param.value), alone }
            }
        };
        all.push(Passed { param: Some(param.value), name: name.clone(), what });
        for (dim, size) in param.sizes.iter().enumerate() {
            // The first dimension's size says nothing about where cells are.
            let asked = dim > 0 || uses.sized.contains(&param.value);
            if *size == DimSize::Own && asked {
                let name = format!("{name}_size{dim}").into();
                all.push(Passed { param: Some(param.value), name, what: What::Size(dim) });
            }
        }
    }
    let result = kernel.result.filter(|_| kernel.marks.checked).map(|elem| ("result", What::Result(elem)));
    let scratch = kernel.marks.scratch.is_some().then_some(("scratch", What::Scratch));
    for (name, what) in result.into_iter().chain(scratch) {
        let mut name = name.to_owned();
        while all.iter().any(|passed| *passed.name == *name) {
            name.push('_');
        }
        all.push(Passed { param: None, name: name.into(), what });
    }
    all
}

/// The uses of a kernel's arrays that decide how they are passed.
struct Uses {
    written: Vec<Value>,
    sized: Vec<Value>,
}

impl Uses {
    fn of(kernel: &Kernel) -> Uses {
        let mut uses = Uses { written: Vec::new(), sized: Vec::new() };
        if let Some(bytes) = &kernel.marks.scratch {
            bytes.atoms(&mut |atom| match atom {
                ParamAtom::Size(number, _) => uses.sized.push(kernel.params[number].value),
                ParamAtom::Param(_) => {}
            });
        }
        kernel.walk(kernel.body, &mut |_, op: Op| {
            let data = &kernel.ops[op];
            match data.code {
                Code::Size => uses.sized.push(kernel.root(data.operands[0])),
                Code::Overlap => uses.sized.extend(data.operands.iter().map(|&view| kernel.root(view))),
                code if code.row().effect == ir::ops::EffectRule::Writes => {
                    uses.written.push(kernel.root(data.operands[0]));
                }
                _ => {}
            }
        });
        uses
    }
}

/// A name that is no word of another language, and that none of its neighbours has: underscores are added to one that is a word.
pub(crate) fn name_beside(name: &str, neighbours: &[&str], words: &[&str]) -> String {
    let mut free = name.to_owned();
    while words.contains(&free.as_str()) || (free != name && neighbours.contains(&free.as_str())) {
        free.push('_');
    }
    free
}
