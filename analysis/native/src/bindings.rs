//! Modules in other languages that call kernels: they check what C takes on trust, and then call the object's function.
//!
//! - [`rust`]: slices and values
//! - [`cpp`]: spans and values
//! - [`python`]: arrays of NumPy, by `ctypes`
//!
//! What all know of a kernel stands here, and in `slices` what Rust and C++ share, whose arrays are cells in a row. A parameter that is the
//! size of an array is none of theirs: the array tells it. A kernel under `@threads` has a function more, which divides its iterations
//! among threads, and has room for what these come to where the kernel gives a result.

pub mod cpp;
pub mod python;
pub mod rust;
mod slices;

use ir::scratch::{Join, SizeFormula};
use ir::{CellType, DimSize, Elem, Kernel, SizeOperator, Type, Value};
use passes::parts::{ITERATIONS, JOIN, PART};

use crate::emit::abi::{Passed, What, name_beside, passed};
use crate::header::Described;

/// A kernel as modules of other languages call it.
struct Callable<'k> {
    kernel: &'k Kernel,
    docs: &'k [String],
    /// The arguments of its C function, in order.
    passed: Vec<Passed>,
    /// The names of these arguments in the language, each another one.
    names: Vec<String>,
    /// The parameters that arrays tell, each with the array and the dimension whose size it is.
    told: Vec<(Value, Value, usize)>,
    /// The functions by which threads divide its iterations.
    parts: Option<PartFunctions<'k>>,
}

/// The functions by which threads divide the iterations of a kernel.
struct PartFunctions<'k> {
    /// Counts the iterations, or the blocks of them.
    iterations: &'k Kernel,
    /// Runs some of them.
    part: &'k Kernel,
    /// Joins what all of them have come to, if the kernel gives a result.
    join: Option<&'k Kernel>,
    /// What the documentation of the latter says of the result.
    told: Option<&'k str>,
    /// The arrays in between.
    partials: Vec<PartialArray<'k>>,
}

/// An array of what each block of iterations has come to.
struct PartialArray<'k> {
    /// The name of the parameters.
    param: &'k str,
    /// The variable that a caller has for it.
    variable: String,
    elem: Elem,
}

impl<'k> Callable<'k> {
    /// The kernels that are called by themselves. Those that run parts of others belong to these. Sizes are told by arrays of up to so many
    /// dimensions.
    fn all(described: &[Described<'k>], words: &[&str], most_dims: usize) -> Vec<Callable<'k>> {
        let find = |name: &str, end: &str| {
            described.iter().map(|other| other.kernel).find(|kernel| kernel.name.strip_suffix(end) == Some(name))
        };
        let parts = |name: &str| {
            let gives = find(name, "").is_some_and(|kernel| kernel.result.is_some());
            let join = find(name, JOIN).filter(|_| gives);
            let (iterations, part) = (find(name, ITERATIONS)?, find(name, PART)?);
            let is_it = |other: &&Described<'k>| join.is_some_and(|join| join.name == other.kernel.name);
            let told = described.iter().find(is_it).and_then(|join| join.docs.last()).map(|line| &**line);
            (join.is_some() == gives).then_some(PartFunctions { iterations, part, join, told, partials: Vec::new() })
        };
        let of_another = |name: &str, end: &str| name.strip_suffix(end).and_then(parts);
        let is_part = |name: &str| {
            let joins = of_another(name, JOIN).is_some_and(|parts| parts.join.is_some());
            joins || [PART, ITERATIONS].iter().any(|end| of_another(name, end).is_some())
        };
        let own = described.iter().filter(|described| !is_part(&described.kernel.name));
        let callable = |&Described { kernel, docs }: &Described<'k>| {
            let told = told(kernel, most_dims);
            let mut callable = Callable { told, ..Callable::of(kernel, docs, words) };
            callable.parts = parts(&kernel.name).map(|parts| callable.with_partials(parts, words));
            callable
        };
        own.map(callable).collect()
    }

    fn of(kernel: &'k Kernel, docs: &'k [String], words: &[&str]) -> Callable<'k> {
        let passed = passed(kernel);
        let all: Vec<&str> = passed.iter().map(|passed| &*passed.name).collect();
        let names = all.iter().map(|name| name_beside(name, &all, words)).collect();
        Callable { kernel, docs, passed, names, told: Vec::new(), parts: None }
    }

    /// The functions for parts, with the arrays between them: the parameters of the one that joins which the kernel does not have.
    fn with_partials(&self, mut parts: PartFunctions<'k>, words: &[&str]) -> PartFunctions<'k> {
        let Some(join) = parts.join else { return parts };
        for param in join.params.iter().filter(|param| self.counterpart(join, param.value).is_none()) {
            let Type::View { item: CellType::Elem(elem), .. } = join.ty(param.value) else { continue };
            let param = join.values[param.value].name.as_deref().unwrap_or_default();
            let taken: Vec<&str> = parts.partials.iter().map(|other| &*other.variable).collect();
            let variable = self.variable(param, &[words, &taken].concat());
            parts.partials.push(PartialArray { param, variable, elem });
        }
        parts
    }

    /// The documentation of the function that has threads do what the kernel does, which the language calls so.
    fn docs_in_threads(&self, called: &str) -> Vec<String> {
        let told = self.parts.as_ref().and_then(|parts| parts.told);
        let does = format!("Does what {called} does by so many threads, with the same bits whatever their number.");
        std::iter::once(does).chain(told.map(str::to_owned)).collect()
    }

    /// A name for a variable that no argument has, nor any of these words.
    fn variable(&self, name: &str, words: &[&str]) -> String {
        let mut free = name.to_owned();
        while words.contains(&&*free) || self.names.contains(&free) {
            free.push('_');
        }
        free
    }

    /// The variable of the array of partial results that is a parameter of a function for parts.
    fn partial(&self, of: &Kernel, param: Value) -> Option<&str> {
        let name = of.values[param].name.as_deref().filter(|_| of.ty(param).is_view())?;
        let partials = self.parts.iter().flat_map(|parts| &parts.partials);
        partials.filter(|partial| partial.param == name).map(|partial| &*partial.variable).next()
    }

    /// One of the functions for parts, whose parameters have the names of this kernel's.
    fn part(&self, part: &'k Kernel, words: &[&str]) -> Callable<'k> {
        let mut callable = Callable::of(part, self.docs, words);
        let mut bounds = BOUNDS.into_iter();
        for (passed, name) in callable.passed.iter().zip(&mut callable.names) {
            let Some(param) = passed.param else { continue };
            let dim = |what: &What| if let What::Size(dim) = what { Some(*dim) } else { None };
            let own = match self.counterpart(part, param) {
                Some(own) => {
                    let is_it = |it: &Passed| it.param == Some(own) && dim(&it.what) == dim(&passed.what);
                    self.passed.iter().position(is_it).map(|at| self.names[at].clone())
                }
                None => self.partial(part, param).or_else(|| bounds.next()).map(str::to_owned),
            };
            *name = own.unwrap_or_else(|| std::mem::take(name));
        }
        callable
    }

    /// The name of a parameter.
    fn name_of(&self, param: Value) -> &str {
        let at =
            self.passed.iter().position(|passed| passed.param == Some(param) && !matches!(passed.what, What::Size(_)));
        at.map_or("_", |at| &self.names[at])
    }

    /// The array and dimension whose size a parameter is.
    fn teller(&self, param: Value) -> Option<(Value, usize)> {
        self.told.iter().find(|(told, ..)| *told == param).map(|&(_, array, dim)| (array, dim))
    }

    /// The arguments that a caller gives, by their numbers: those of the C function but for what can be told.
    fn given(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.passed.len()).filter(|&at| match (&self.passed[at].what, self.passed[at].param) {
            (What::Scalar(_), Some(param)) => self.teller(param).is_none(),
            (What::Array { .. }, _) => true,
            _ => false,
        })
    }

    /// The arrays, each with its cells, whether it is written, and its sizes.
    fn arrays(&self) -> impl Iterator<Item = Array<'_>> + '_ {
        self.passed.iter().enumerate().filter_map(|(at, passed)| match (&passed.what, passed.param) {
            (What::Array { item, written, .. }, Some(value)) => {
                let param = self.kernel.params.iter().find(|param| param.value == value)?;
                let (name, sizes) = (&*self.names[at], &param.sizes[..]);
                Some(Array { value, name, item: *item, written: *written, sizes })
            }
            _ => None,
        })
    }

    /// The pairs of arrays that may not overlap, since one of them is written: that one, and all others that it is paired with.
    fn apart(&self) -> Vec<(Array<'_>, Vec<Array<'_>>)> {
        let alias = &self.kernel.marks.alias;
        let may_overlap = |a, b| alias.contains(&(a, b)) || alias.contains(&(b, a));
        let others = |array: &Array<'_>| -> Vec<Array<'_>> {
            // Of two that are written, the first one is compared with the second.
            let is_other =
                |other: &Array<'_>| other.value != array.value && (!other.written || other.value > array.value);
            self.arrays().filter(|other| is_other(other) && !may_overlap(array.value, other.value)).collect()
        };
        let written = self.arrays().filter(|array| array.written);
        written.map(|array| (others(&array), array)).map(|(others, array)| (array, others)).collect()
    }

    /// What is passed to a function of the object: the kernel's own, or one for parts of it.
    fn arguments(&self, of: &Kernel) -> Vec<Argument<'_>> {
        let mut bounds = BOUNDS.into_iter();
        let argument = |passed: &Passed| {
            let own = passed.param.and_then(|param| self.counterpart(of, param));
            let array = own.and_then(|own| self.arrays().find(|array| array.value == own));
            match (&passed.what, array, own) {
                (What::Scratch, ..) => Argument::Scratch,
                (What::Result(_), ..) => Argument::Result,
                (What::Array { .. }, Some(array), _) => Argument::Array(array),
                (What::Size(dim), Some(array), _) => Argument::Size(array, *dim),
                (_, _, Some(own)) => Argument::Scalar(self.name_of(own)),
                (_, _, None) => match passed.param.and_then(|param| self.partial(of, param)) {
                    Some(variable) => Argument::Partial(variable),
                    None => Argument::Bound(bounds.next().unwrap_or_default()),
                },
            }
        };
        passed(of).iter().map(argument).collect()
    }

    /// The parameter that is called like one of a function for parts.
    fn counterpart(&self, of: &Kernel, param: Value) -> Option<Value> {
        let name = of.values[param].name.as_deref()?;
        let is_it = |own: &&ir::Param| self.kernel.values[own.value].name.as_deref() == Some(name);
        self.kernel.params.iter().find(is_it).map(|own| own.value)
    }

    /// The type of a scalar parameter.
    fn elem_of(&self, param: Value) -> Option<Elem> {
        match self.kernel.ty(param) {
            Type::Data { elem, .. } => Some(elem),
            Type::View { .. } => None,
        }
    }

    /// The names of the structs that arrays have, each once, with their declarations.
    fn structs(&self) -> impl Iterator<Item = &'k ir::StructDecl> + '_ {
        let kernel: &'k Kernel = self.kernel;
        kernel.params.iter().filter_map(move |param| match kernel.ty(param.value) {
            Type::View { item: CellType::Struct(decl), .. } => Some(&kernel.structs[decl]),
            _ => None,
        })
    }
}

/// An array that is passed to a kernel.
struct Array<'c> {
    value: Value,
    name: &'c str,
    item: CellType,
    written: bool,
    sizes: &'c [DimSize],
}

/// The variables for the first iteration of a part and the one behind its last, which are the first arguments of its function. They are
/// among the words of each language, so no parameter is called like them.
const BOUNDS: [&str; 2] = ["begin", "end"];

/// An argument of a function of the object, in terms of what the caller of a kernel has.
enum Argument<'c> {
    /// The address of an array.
    Array(Array<'c>),
    /// The size of a dimension of an array.
    Size(Array<'c>, usize),
    /// The parameter of that name.
    Scalar(&'c str),
    /// The first iteration of a part, or the one behind its last: the variable of that name.
    Bound(&'static str),
    /// The array of partial results that this variable is.
    Partial(&'c str),
    /// The address that the result is stored to.
    Result,
    /// The address of scratch memory.
    Scratch,
}

/// The declarations of the structs that arrays of kernels have, each once.
fn structures(all: &[Callable<'_>], declaration: impl Fn(&ir::StructDecl) -> String) -> Vec<String> {
    let mut declared: Vec<String> = Vec::new();
    for decl in all.iter().flat_map(Callable::structs) {
        let decl = declaration(decl);
        if !declared.contains(&decl) {
            declared.push(decl);
        }
    }
    declared
}

/// The parameters that are sizes of arrays, each with the first of these.
fn told(kernel: &Kernel, most_dims: usize) -> Vec<(Value, Value, usize)> {
    let mut told: Vec<(Value, Value, usize)> = Vec::new();
    for param in kernel.params.iter().filter(|param| param.sizes.len() <= most_dims) {
        for (dim, size) in param.sizes.iter().enumerate() {
            if let DimSize::Param(value) = size
                && told.iter().all(|(known, ..)| known != value)
            {
                told.push((*value, param.value, dim));
            }
        }
    }
    told
}

/// The spelling of arithmetic in a language, on integers of any size or checked ones.
trait Notation {
    /// A number.
    fn constant(&self, number: i64) -> String;
    /// Two numbers joined.
    fn join(&self, join: Join, a: String, b: String) -> String;
    /// A number wrapped around to the range of a type.
    fn wrapped(&self, elem: Elem, number: String) -> String;
    /// The value of a parameter, or a size of an array.
    fn atom(&self, callable: &Callable<'_>, atom: Atom) -> String;
}

/// A part of a size: a parameter, or the size of an array.
#[derive(Debug, Clone, Copy)]
enum Atom {
    Param(Value),
    Size(Value, usize),
}

/// A declared size as an expression of a language; `None` for a size of an array's own.
fn declared(callable: &Callable<'_>, size: &DimSize, notation: &dyn Notation) -> Option<String> {
    Some(match size {
        DimSize::Own => return None,
        DimSize::Constant(number) => notation.constant(*number),
        DimSize::Param(value) => notation.atom(callable, Atom::Param(*value)),
        DimSize::Arithmetic(operator, a, b) => {
            let join = match operator {
                SizeOperator::Add => Join::Add,
                SizeOperator::Sub => Join::Sub,
                SizeOperator::Mul => Join::Mul,
                SizeOperator::Div => Join::Div,
                SizeOperator::FloorDiv => Join::FloorDiv,
                SizeOperator::Rem => Join::Rem,
            };
            notation.join(join, declared(callable, a, notation)?, declared(callable, b, notation)?)
        }
    })
}

/// The bytes of scratch memory as an expression of a language.
fn scratch_bytes(callable: &Callable<'_>, bytes: &SizeFormula, notation: &dyn Notation) -> String {
    let inner = |formula: &SizeFormula| scratch_bytes(callable, formula, notation);
    let param = |number: usize| callable.kernel.params[number].value;
    let zero = || notation.constant(0);
    match bytes {
        SizeFormula::Constant(number) => notation.constant(*number),
        SizeFormula::Param(number) => notation.atom(callable, Atom::Param(param(*number))),
        SizeFormula::Size(number, dim) => notation.atom(callable, Atom::Size(param(*number), *dim)),
        SizeFormula::Join(join, a, b) => notation.join(*join, inner(a), inner(b)),
        SizeFormula::Wrapped(elem, number) => notation.wrapped(*elem, inner(number)),
        SizeFormula::Aligned(number) => {
            let over = notation.join(Join::Add, inner(number), notation.constant(ir::scratch::ALIGN - 1));
            let lines = notation.join(Join::FloorDiv, over, notation.constant(ir::scratch::ALIGN));
            notation.join(Join::Mul, lines, notation.constant(ir::scratch::ALIGN))
        }
        SizeFormula::Array(bytes, sizes) => sizes.iter().fold(notation.constant(*bytes), |product, size| {
            notation.join(Join::Mul, product, notation.join(Join::Max, inner(size), zero()))
        }),
    }
}

/// Sizes as people read them.
struct Plain;

impl Notation for Plain {
    fn constant(&self, number: i64) -> String {
        number.to_string()
    }

    fn join(&self, join: Join, a: String, b: String) -> String {
        match join.is_function() {
            true => format!("{}({a}, {b})", join.symbol()),
            false => format!("({a} {} {b})", join.symbol()),
        }
    }

    fn wrapped(&self, elem: Elem, number: String) -> String {
        format!("wrapped({number}, {elem})")
    }

    fn atom(&self, callable: &Callable<'_>, atom: Atom) -> String {
        match atom {
            Atom::Param(param) => callable.name_of(param).to_owned(),
            Atom::Size(array, dim) => format!("length({}, {dim})", callable.name_of(array)),
        }
    }
}

#[cfg(test)]
mod tests;
