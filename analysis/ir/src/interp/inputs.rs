//! The inputs of a run.

use super::data::{self, View};
use crate::entities::Value;
use crate::program::{DimSize, Kernel, Param};
use crate::scalar::Scalar;
use crate::scratch::ParamAtom;
use crate::types::{CellType, Elem, Type};

/// The arguments of a run, and the memory that its arrays lie in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inputs {
    /// The arguments, one for each parameter.
    pub args: Vec<Arg>,
    /// Pieces of memory, each exactly as large as what lies in it.
    pub memory: Vec<Vec<u8>>,
}

/// The argument for a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg {
    /// The value of a scalar.
    Scalar(Scalar),
    /// The place of an array.
    Array {
        /// The number of the piece of memory that it lies in; two arrays may lie in the same.
        memory: usize,
        /// The byte at which it starts.
        start: usize,
        /// The sizes of its dimensions.
        sizes: Vec<i64>,
    },
}

impl Inputs {
    /// Returns inputs without arguments.
    pub fn new() -> Inputs {
        Inputs::default()
    }

    /// Adds the argument of a scalar parameter.
    pub fn scalar(mut self, scalar: impl Into<Scalar>) -> Inputs {
        self.args.push(Arg::Scalar(scalar.into()));
        self
    }

    /// Adds an array in memory of its own, its rows joined.
    pub fn array(self, cells: &[Scalar], sizes: &[i64]) -> Inputs {
        let bytes = cells.iter().flat_map(|cell| cell.bits().to_le_bytes().into_iter().take(cell.elem().bytes()));
        let bytes = bytes.collect();
        self.bytes(bytes, sizes)
    }

    /// Adds an array in memory of its own, as bytes.
    pub fn bytes(mut self, bytes: Vec<u8>, sizes: &[i64]) -> Inputs {
        self.args.push(Arg::Array { memory: self.memory.len(), start: 0, sizes: sizes.to_vec() });
        self.memory.push(bytes);
        self
    }

    /// The bytes of scratch memory that a run of the kernel needs; `None` where no `i64` is wide enough for them.
    pub fn scratch_bytes(&self, kernel: &Kernel) -> Option<i64> {
        let Some(formula) = &kernel.marks.scratch else { return Some(0) };
        formula.evaluate(&|atom| match atom {
            ParamAtom::Param(number) => match self.args.get(number)? {
                Arg::Scalar(scalar) => scalar.wide(),
                Arg::Array { .. } => None,
            },
            ParamAtom::Size(number, dim) => match self.args.get(number)? {
                Arg::Array { sizes, .. } => sizes.get(dim).copied().map(i128::from),
                Arg::Scalar(_) => None,
            },
        })
    }

    /// The scalars and views that parameters start as; else why they do not fit the kernel.
    pub(super) fn check(&self, kernel: &Kernel) -> Result<Vec<Result<Scalar, View>>, String> {
        if self.args.len() != kernel.params.len() {
            return Err(format!("{} arguments for {} parameters", self.args.len(), kernel.params.len()));
        }
        let args = kernel.params.iter().zip(&self.args);
        let started: Result<Vec<_>, String> = args.map(|(param, arg)| self.start(kernel, param, arg)).collect();
        self.check_overlap(kernel)?;
        started
    }

    fn start(&self, kernel: &Kernel, param: &Param, arg: &Arg) -> Result<Result<Scalar, View>, String> {
        let name = kernel.values[param.value].name.as_deref().unwrap_or("a parameter");
        match (kernel.ty(param.value), arg) {
            (Type::Data { elem, .. }, Arg::Scalar(scalar)) if scalar.elem() == elem => Ok(Ok(*scalar)),
            (Type::View { item, rank, .. }, Arg::Array { memory, start, sizes })
                if sizes.len() == usize::from(rank) =>
            {
                for (dim, (declared, &size)) in param.sizes.iter().zip(sizes).enumerate() {
                    self.check_size(kernel, declared, size)
                        .map_err(|why| format!("dimension {dim} of `{name}` {why}"))?;
                }
                self.check_room(kernel, item, arg).map_err(|why| format!("`{name}` {why}"))?;
                Ok(Err(View::whole(param.value, *memory, *start, sizes, kernel.item_bytes(item))))
            }
            (ty, Arg::Scalar(scalar)) => Err(format!("`{name}` is {ty}, not {}", scalar.elem())),
            (ty, Arg::Array { sizes, .. }) => {
                Err(format!("`{name}` is {ty}, not an array of {} dimensions", sizes.len()))
            }
        }
    }

    /// Checks that a dimension has the size that the parameter declares.
    fn check_size(&self, kernel: &Kernel, declared: &DimSize, size: i64) -> Result<(), String> {
        let param = |value: Value| {
            let number = kernel.params.iter().position(|param| param.value == value)?;
            match self.args[number] {
                Arg::Scalar(scalar) => scalar.wide(),
                Arg::Array { .. } => None,
            }
        };
        match declared {
            _ if size < 0 => Err(format!("cannot be {size}")),
            DimSize::Own => Ok(()),
            _ => match declared.evaluate(&param) {
                Some(declared) if declared == size.into() => Ok(()),
                Some(declared) => Err(format!("is {size}, but should be {declared}")),
                None => Err("has a size that no number stands for".to_owned()),
            },
        }
    }

    /// Checks that an array lies within its memory, wherever it is subscripted.
    fn check_room(&self, kernel: &Kernel, item: CellType, arg: &Arg) -> Result<(), String> {
        let Some((memory, range)) = self.range(kernel, item, arg) else { return Err("has no size".to_owned()) };
        let room = self.memory.get(memory).map_or(0, Vec::len) as i128;
        if range.end <= room { Ok(()) } else { Err(format!("ends at byte {} of {room}", range.end)) }
    }

    /// The bytes that an array takes.
    fn range(&self, kernel: &Kernel, item: CellType, arg: &Arg) -> Option<(usize, std::ops::Range<i128>)> {
        let Arg::Array { memory, start, sizes } = arg else { return None };
        let count = sizes.iter().try_fold(1i128, |count, &size| count.checked_mul(size.into()))?;
        let bytes = count.checked_mul(kernel.item_bytes(item) as i128)?;
        Some((*memory, *start as i128..(*start as i128).checked_add(bytes)?))
    }

    /// Arrays overlap only if the kernel says that they may.
    fn check_overlap(&self, kernel: &Kernel) -> Result<(), String> {
        let arrays: Vec<_> = kernel
            .params
            .iter()
            .zip(&self.args)
            .filter_map(|(param, arg)| {
                let Type::View { item, .. } = kernel.ty(param.value) else { return None };
                Some((param.value, self.range(kernel, item, arg)?))
            })
            .collect();
        for (number, (a, (a_memory, a_range))) in arrays.iter().enumerate() {
            for (b, (b_memory, b_range)) in &arrays[..number] {
                let may = kernel.marks.alias.iter().any(|pair| *pair == (*a, *b) || *pair == (*b, *a));
                let apart = a_memory != b_memory || a_range.end <= b_range.start || b_range.end <= a_range.start;
                let empty = a_range.is_empty() || b_range.is_empty();
                if !(apart || empty || may) {
                    let name = |value: Value| kernel.values[value].name.as_deref().unwrap_or_default().to_owned();
                    return Err(format!("`{}` and `{}` overlap, which the kernel does not expect", name(*b), name(*a)));
                }
            }
        }
        Ok(())
    }
}

/// The elements that a piece of memory holds.
pub fn scalars_of(memory: &[u8], elem: Elem) -> Vec<Scalar> {
    let count = memory.len() / elem.bytes();
    (0..count).map(|number| data::load(memory, number * elem.bytes(), elem)).collect()
}
