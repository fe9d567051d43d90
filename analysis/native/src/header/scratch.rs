//! The part of a header that is about scratch memory: its bytes as a function in C, and a call with memory of its own.
//!
//! The function says just what [`SizeFormula::evaluate`] does: a number that does not fit `int64_t` gives `SIZE_MAX`, which nobody can
//! allocate.

use ir::scratch::{ALIGN, Join, ParamAtom, SizeFormula};
use ir::{Elem, Kernel};

use super::{param, taken};
use crate::emit::abi::{Passed, What};
use crate::emit::c_type;

/// The functions in C that formulas call, one definition of them for all headers of a program.
const HELPERS: &str = include_str!("scratch.h");

/// The helpers of scratch formulas, once for each header, if a kernel needs any.
pub(super) fn helpers(kernels: &[&Kernel]) -> &'static str {
    if kernels.iter().any(|kernel| kernel.marks.scratch.is_some()) { HELPERS } else { "" }
}

/// The functions that a C program may call besides the kernel.
pub(super) struct Companions<'k> {
    kernel: &'k Kernel,
    bytes: &'k SizeFormula,
    passed: &'k [Passed],
    /// The names of the parameters in C.
    names: &'k [String],
    /// The name of the function that tells the bytes.
    told_by: String,
    /// The name of the function that allocates them.
    allocator: String,
}

impl<'k> Companions<'k> {
    /// The companions of a kernel; none if it needs no scratch memory. No other kernel of the header is called like them.
    pub(super) fn of(
        kernel: &'k Kernel,
        passed: &'k [Passed],
        names: &'k [String],
        kernels: &[&Kernel],
    ) -> Option<Companions<'k>> {
        let free = |suffix: &str| {
            let mut name = format!("{}_{suffix}", kernel.name);
            while kernels.iter().any(|other| *other.name == *name) {
                name.push('_');
            }
            name
        };
        let bytes = kernel.marks.scratch.as_ref()?;
        Some(Companions { kernel, bytes, passed, names, told_by: free("scratch"), allocator: free("alloc") })
    }

    /// The documentation of the kernel's scratch memory.
    pub(super) fn docs(&self) -> Vec<String> {
        let formula = self.bytes.shown(&|atom| self.name(atom));
        let args: Vec<&str> = self.atoms().into_iter().map(|number| &*self.names[number]).collect();
        let scratch = self.names.last().map_or("scratch", String::as_str);
        let mut docs = vec![
            format!(
                "`{scratch}` points to {}({}) bytes of memory that nothing else uses meanwhile,",
                self.told_by,
                args.join(", ")
            ),
            format!("at an address that is a multiple of {ALIGN}; it may be null if they are 0:"),
            format!("    {formula}"),
        ];
        if formula.contains("aligned(") {
            docs.push(format!("where aligned(x) is x rounded up to a multiple of {ALIGN}."));
        }
        if formula.contains("wrapped(") {
            docs.push(
                "wrapped(x, type) is x as unsigned arithmetic has it, modulo the numbers of the type.".to_owned(),
            );
        }
        docs
    }

    /// The function that tells the bytes.
    pub(super) fn told(&self) -> String {
        let params: Vec<String> = self
            .atoms()
            .into_iter()
            .map(|number| param(self.kernel, &self.passed[number], &self.names[number]))
            .collect();
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let [bytes, fits] = ["bytes", "fits"].map(|name| self.fresh(name));
        format!(
            "/** The bytes of scratch memory that `{}` needs; SIZE_MAX if they are more than any memory has. */\n\
             static inline size_t {}({params}) {{\n    bool {fits} = true;\n    \
             int64_t {bytes} = {};\n    return lanescope_bytes({bytes}, {fits});\n}}\n",
            self.kernel.name,
            self.told_by,
            self.in_c(self.bytes, &fits),
        )
    }

    /// The function that allocates scratch memory, calls the kernel and frees it again.
    pub(super) fn allocating(&self) -> String {
        let kernel = self.kernel;
        let [bytes, memory, result, status] = ["bytes", "memory", "result", "status"].map(|name| self.fresh(name));
        let own = &self.passed[..self.passed.len() - 1];
        let mut params: Vec<String> =
            own.iter().zip(self.names).map(|(passed, name)| param(kernel, passed, name)).collect();
        let mut args: Vec<String> = self.names[..own.len()].to_vec();
        args.push(format!("lanescope_aligned({memory})"));
        let mut call = format!("{}({})", kernel.name, args.join(", "));
        let mut gives = String::new();
        match kernel.result {
            _ if kernel.marks.checked => call = format!("int32_t {status} = {call}"),
            Some(elem) => {
                params.push(format!("{} *{result}", c_type(elem)));
                call = format!("*{result} = {call}");
                gives = format!(", and stores its result to `{result}`");
            }
            None => {}
        }
        let (ty, done, refused, refusal) = match kernel.marks.checked {
            true => {
                gives = ", and returns what it does".to_owned();
                ("int32_t", &*status, "LANESCOPE_NO_MEMORY", "LANESCOPE_NO_MEMORY (-1)")
            }
            false => ("bool", "true", "false", "false"),
        };
        let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
        let asked: Vec<&str> = self.atoms().into_iter().map(|number| &*self.names[number]).collect();
        format!(
            "/** Calls `{name}` with scratch memory that it allocates and frees{gives}.\n \
             * Returns {refusal}, and does not call it, if there is not so much memory. */\nstatic inline {ty} {alloc}({params}) {{\n    \
             size_t {bytes} = {told}({asked});\n    \
             void *{memory} = lanescope_allocate({bytes});\n    if ({memory} == NULL) {{\n        return {refused};\n    }}\n    \
             {call};\n    free({memory});\n    return {done};\n}}\n",
            name = kernel.name,
            alloc = self.allocator,
            told = self.told_by,
            asked = asked.join(", "),
        )
    }

    /// A name that no parameter has.
    fn fresh(&self, name: &str) -> String {
        let mut fresh = taken(name, &[]);
        while self.names.contains(&fresh) {
            fresh.push('_');
        }
        fresh
    }

    /// The number of the argument that passes a parameter, or the size of one.
    fn argument(&self, atom: ParamAtom) -> Option<usize> {
        let (ParamAtom::Param(number) | ParamAtom::Size(number, _)) = atom;
        let param = self.kernel.params.get(number)?.value;
        let is_it = |passed: &Passed| {
            let fits = match (&passed.what, atom) {
                (What::Scalar(_), ParamAtom::Param(_)) => true,
                (What::Size(own), ParamAtom::Size(_, dim)) => *own == dim,
                _ => false,
            };
            fits && passed.param == Some(param)
        };
        self.passed.iter().position(is_it)
    }

    fn name(&self, atom: ParamAtom) -> String {
        self.argument(atom).map_or_else(|| self.kernel.atom_name(atom), |number| self.names[number].clone())
    }

    /// The arguments that the bytes depend on, by their numbers, in order.
    fn atoms(&self) -> Vec<usize> {
        let mut numbers = Vec::new();
        self.bytes.atoms(&mut |atom| numbers.extend(self.argument(atom)));
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }

    /// An argument as an `int64_t`.
    fn argument_in_c(&self, atom: ParamAtom, fits: &str) -> String {
        let is_u64 = self.argument(atom).is_some_and(|number| self.passed[number].what == What::Scalar(Elem::U64));
        let name = self.name(atom);
        if is_u64 { format!("lanescope_signed({name}, &{fits})") } else { name }
    }

    /// A formula as an expression of C, of `int64_t`. What does not fit makes `fits` false.
    fn in_c(&self, formula: &SizeFormula, fits: &str) -> String {
        let inner = |formula: &SizeFormula| self.in_c(formula, fits);
        match formula {
            SizeFormula::Constant(number) => format!("INT64_C({number})"),
            SizeFormula::Param(number) => self.argument_in_c(ParamAtom::Param(*number), fits),
            SizeFormula::Size(number, dim) => self.argument_in_c(ParamAtom::Size(*number, *dim), fits),
            SizeFormula::Join(join, a, b) => {
                let (a, b) = (inner(a), inner(b));
                match join {
                    Join::Add => format!("lanescope_sum({a}, {b}, &{fits})"),
                    Join::Sub => format!("lanescope_difference({a}, {b}, &{fits})"),
                    Join::Mul => format!("lanescope_product({a}, {b}, &{fits})"),
                    Join::Div => format!("({a} / {b})"),
                    Join::Rem => format!("({a} % {b})"),
                    Join::FloorDiv => format!("lanescope_floored({a}, {b})"),
                    Join::Min => format!("lanescope_min({a}, {b})"),
                    Join::Max => format!("lanescope_max({a}, {b})"),
                }
            }
            SizeFormula::Wrapped(Elem::U64, number) => {
                format!("lanescope_signed((uint64_t){}, &{fits})", inner(number))
            }
            SizeFormula::Wrapped(elem, number) => format!("(int64_t)({})(uint64_t){}", c_type(*elem), inner(number)),
            SizeFormula::Aligned(bytes) => format!("lanescope_round_up({}, &{fits})", inner(bytes)),
            SizeFormula::Array(bytes, sizes) => sizes.iter().fold(format!("INT64_C({bytes})"), |product, size| {
                format!("lanescope_product({product}, lanescope_max({}, 0), &{fits})", inner(size))
            }),
        }
    }
}
