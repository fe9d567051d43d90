//! A module in Python: a function for each kernel that takes arrays of NumPy, and calls a shared library by `ctypes`.
//!
//! Types, shapes and overlaps are checked before each call, with a message that says what to do. A shape tells the parameters that are
//! sizes of it.

use std::fmt::Write;

use ir::scratch::Join;
use ir::{CellType, DimSize, Elem, FieldDecl, Kernel, StructDecl};

use super::{Argument, Array, Atom, Callable, Notation, PartFunctions, declared, scratch_bytes, structures};
use crate::emit::abi::{Passed, What, name_beside, passed};
use crate::header::{Described, HeaderConstant};

/// Words of Python that no parameter may be called, and names that the functions use.
const WORDS: &[&str] = &[
    "False",
    "None",
    "True",
    "and",
    "as",
    "assert",
    "async",
    "await",
    "break",
    "class",
    "continue",
    "def",
    "del",
    "elif",
    "else",
    "except",
    "finally",
    "for",
    "from",
    "global",
    "if",
    "import",
    "in",
    "is",
    "lambda",
    "nonlocal",
    "not",
    "or",
    "pass",
    "raise",
    "return",
    "try",
    "while",
    "with",
    "yield",
    "ctypes",
    "np",
    "threads",
    "min",
    "max",
    "begin",
    "end",
    "memory",
    "operator",
    "part",
    "pathlib",
    "result",
    "sys",
    "ThreadPoolExecutor",
];

/// The functions that check arguments.
const CHECKS: &str = include_str!("checks.py");

/// The most dimensions that an array of NumPy has.
const MOST_DIMS: usize = 64;

/// The module of kernels that came from a file of that name. Its library is called like the module.
pub fn module(file: &str, stem: &str, kernels: &[Described<'_>], constants: &[HeaderConstant]) -> String {
    let all = Callable::all(kernels, WORDS, MOST_DIMS);
    let mut text = format!(
        "\"\"\"Made by lanescope from {}: calls its kernels on arrays of NumPy.\n\nThe kernels are in a shared library beside this \
         file:\n\n    cc -shared {stem}.o -o lib{stem}.so\n\"\"\"\n\n",
        quoted(file)
    );
    text.push_str(CHECKS);
    let _ = write!(text, "\n_library = _open(\"{}\")\n", quoted(stem));
    for HeaderConstant { name, value, .. } in constants {
        let _ = writeln!(text, "{name} = {value}");
    }
    structures(&all, structure).iter().for_each(|decl| text.push_str(decl));
    for described in kernels {
        text.push_str(&external(described.kernel));
    }
    for callable in &all {
        let _ = write!(text, "\n\n{}", function(callable, false));
        if callable.parts.is_some() {
            let _ = write!(text, "\n\n{}", function(callable, true));
        }
    }
    text
}

/// A text that ends no string.
fn quoted(text: &str) -> String {
    text.replace('\\', "/").replace('"', "'")
}

/// A name that is no word of the language.
fn taken(name: &str) -> String {
    name_beside(name, &[], WORDS)
}

/// The type of elements in NumPy.
fn dtype(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "bool",
        Elem::I8 => "int8",
        Elem::I16 => "int16",
        Elem::I32 => "int32",
        Elem::I64 => "int64",
        Elem::U8 => "uint8",
        // Of `bf16` NumPy has no type, and takes its bits.
        Elem::U16 | Elem::Bf16 => "uint16",
        Elem::U32 => "uint32",
        Elem::U64 => "uint64",
        Elem::F16 => "float16",
        Elem::F32 => "float32",
        Elem::F64 => "float64",
    }
}

/// The type of scalars in C.
fn c_type(elem: Elem) -> &'static str {
    match elem {
        Elem::Bool => "ctypes.c_bool",
        Elem::I8 => "ctypes.c_int8",
        Elem::I16 => "ctypes.c_int16",
        Elem::I32 => "ctypes.c_int32",
        Elem::I64 => "ctypes.c_int64",
        Elem::U8 => "ctypes.c_uint8",
        Elem::U16 | Elem::F16 | Elem::Bf16 => "ctypes.c_uint16",
        Elem::U32 => "ctypes.c_uint32",
        Elem::U64 => "ctypes.c_uint64",
        Elem::F32 => "ctypes.c_float",
        Elem::F64 => "ctypes.c_double",
    }
}

fn structure(decl: &StructDecl) -> String {
    let quoted = |text: &str| format!("\"{text}\"");
    let names: Vec<String> = decl.fields.iter().map(|field| quoted(&field.name)).collect();
    let format = |field: &FieldDecl| match &field.sizes[..] {
        [] => quoted(dtype(field.elem)),
        sizes => {
            // A tuple of one has a comma behind it.
            let comma = if sizes.len() == 1 { "," } else { "" };
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!("({}, ({}{comma}))", quoted(dtype(field.elem)), sizes.join(", "))
        }
    };
    let formats: Vec<String> = decl.fields.iter().map(format).collect();
    let offsets: Vec<String> = (0..decl.fields.len()).map(|field| decl.offset(field).to_string()).collect();
    format!(
        "{} = np.dtype(\n    {{\n        \"names\": [{}],\n        \"formats\": [{}],\n        \"offsets\": [{}],\n        \
         \"itemsize\": {},\n    }}\n)\n",
        taken(&decl.name),
        names.join(", "),
        formats.join(", "),
        offsets.join(", "),
        decl.bytes(),
    )
}

/// The types of a function of the library.
fn external(kernel: &Kernel) -> String {
    let ty = |passed: &Passed| match &passed.what {
        What::Scalar(elem) => c_type(*elem).to_owned(),
        What::Size(_) => "ctypes.c_int64".to_owned(),
        What::Result(elem) => format!("ctypes.POINTER({})", c_type(*elem)),
        What::Array { .. } | What::Scratch => "ctypes.c_void_p".to_owned(),
    };
    let types: Vec<String> = passed(kernel).iter().map(ty).collect();
    let result = match kernel.result {
        _ if kernel.marks.checked => "ctypes.c_int32",
        Some(elem) => c_type(elem),
        None => "None",
    };
    format!(
        "_c_{0} = _library[\"{0}\"]\n_c_{0}.argtypes = [{1}]\n_c_{0}.restype = {result}\n",
        kernel.name,
        types.join(", ")
    )
}

/// The function that checks its arguments and calls the kernel, all at once or by threads.
fn function(callable: &Callable<'_>, in_threads: bool) -> String {
    let kernel = callable.kernel;
    let mut params: Vec<&str> = if in_threads { vec!["threads"] } else { Vec::new() };
    params.extend(callable.given().map(|at| &*callable.names[at]));
    let name = if in_threads { format!("{}_in_threads", kernel.name) } else { taken(&kernel.name) };
    let mut text = format!("def {name}({}):\n{}", params.join(", "), docs(callable, in_threads));
    for array in callable.arrays() {
        let ty = match array.item {
            CellType::Elem(elem) => format!("\"{}\"", dtype(elem)),
            CellType::Struct(decl) => taken(&kernel.structs[decl].name),
        };
        let written = if array.written { "True" } else { "False" };
        let _ = writeln!(text, "    _array(\"{0}\", {0}, {ty}, {1}, {written})", array.name, array.sizes.len());
    }
    for &(param, array, dim) in &callable.told {
        let _ = writeln!(text, "    {} = {}.shape[{dim}]", callable.name_of(param), callable.name_of(array));
    }
    for passed in &callable.passed {
        if let (What::Scalar(elem), Some(param)) = (&passed.what, passed.param) {
            let name = callable.name_of(param);
            let _ = match elem {
                Elem::F16 => writeln!(text, "    {name} = int(np.float16({name}).view(np.uint16))"),
                elem if elem.is_float() && *elem != Elem::Bf16 => writeln!(text, "    {name} = float({name})"),
                Elem::Bool => writeln!(text, "    {name} = bool({name})"),
                elem => {
                    let (bits, signed) =
                        (elem.bits(), if elem.is_signed() && *elem != Elem::Bf16 { "True" } else { "False" });
                    writeln!(text, "    {name} = _integer(\"{name}\", {name}, {bits}, {signed})")
                }
            };
        }
    }
    for array in callable.arrays() {
        text.push_str(&check(callable, &array));
    }
    for (array, others) in callable.apart().into_iter().filter(|(_, others)| !others.is_empty()) {
        let others: Vec<String> = others.iter().map(|other| format!("(\"{0}\", {0})", other.name)).collect();
        let _ = writeln!(text, "    _apart(\"{0}\", {0}, {1})", array.name, others.join(", "));
    }
    text.push_str(&if in_threads { divided(callable) } else { call(callable) });
    text
}

fn docs(callable: &Callable<'_>, in_threads: bool) -> String {
    let kernel = callable.kernel;
    let mut lines: Vec<String> = match in_threads {
        true => callable.docs_in_threads(&format!("`{}`", taken(&kernel.name))),
        false => callable.docs.iter().map(|line| line.replace('\\', "\\\\").replace('"', "'")).collect(),
    };
    let arrays = callable.arrays().map(|array| {
        let sizes: Vec<String> = (0..array.sizes.len())
            .map(|dim| declared(callable, &array.sizes[dim], &Exact).unwrap_or_else(|| "any".to_owned()))
            .collect();
        let comma = if sizes.len() == 1 { "," } else { "" };
        let ty = match array.item {
            CellType::Elem(elem) => dtype(elem).to_owned(),
            CellType::Struct(decl) => taken(&kernel.structs[decl].name),
        };
        let written = if array.written { ", written" } else { "" };
        format!("{}: {ty} of shape ({}{comma}){written}", array.name, sizes.join(", "))
    });
    let arrays: Vec<String> = arrays.collect();
    if !arrays.is_empty() {
        lines.extend((!lines.is_empty()).then(String::new));
        lines.extend(arrays);
    }
    match &lines[..] {
        [] => String::new(),
        [only] => format!("    \"\"\"{only}\"\"\"\n"),
        [first, rest @ ..] => {
            let mut text = format!("    \"\"\"{first}\n");
            rest.iter().for_each(|line| text.push_str(&format!("{}\n", format!("    {line}").trim_end())));
            text + "    \"\"\"\n"
        }
    }
}

/// The comparison of an array's shape with its sizes.
fn check(callable: &Callable<'_>, array: &Array<'_>) -> String {
    let is_told = |dim: usize, size: &DimSize| match size {
        DimSize::Own => true,
        DimSize::Param(param) => callable.teller(*param) == Some((array.value, dim)),
        _ => false,
    };
    let mut text = String::new();
    for (dim, size) in array.sizes.iter().enumerate().filter(|(dim, size)| !is_told(*dim, size)) {
        let Some(expected) = declared(callable, size, &Exact) else { continue };
        let _ = writeln!(text, "    _size(\"{0}\", {0}, {dim}, {expected})", array.name);
    }
    text
}

/// The expressions for the arguments of a function: the kernel's, or one for parts of it.
fn arguments(callable: &Callable<'_>, of: &Kernel) -> String {
    let shown = |argument: &Argument<'_>| match argument {
        Argument::Array(array) => format!("{}.ctypes.data", array.name),
        Argument::Size(array, dim) => format!("{}.shape[{dim}]", array.name),
        Argument::Scalar(name) => (*name).to_owned(),
        Argument::Bound(name) => (*name).to_owned(),
        Argument::Partial(name) => format!("{name}.ctypes.data"),
        Argument::Result => "ctypes.byref(result)".to_owned(),
        Argument::Scratch => "_address(memory)".to_owned(),
    };
    callable.arguments(of).iter().map(shown).collect::<Vec<_>>().join(", ")
}

fn call(callable: &Callable<'_>) -> String {
    memory(callable, callable.kernel, "    ") + &returned(callable, callable.kernel)
}

/// The call of a function of the library that gives what the kernel does: its own, or the one that joins parts.
fn returned(callable: &Callable<'_>, kernel: &Kernel) -> String {
    let mut text = String::new();
    let call = format!("_c_{}({})", kernel.name, arguments(callable, kernel));
    let given = |value: &str| match kernel.result {
        Some(Elem::F16) => format!("    return np.uint16({value}).view(np.float16)\n"),
        _ => format!("    return {value}\n"),
    };
    match (kernel.marks.checked, kernel.result) {
        (false, None) => text.push_str(&format!("    {call}\n")),
        (false, Some(_)) => text.push_str(&given(&call)),
        (true, None) => text.push_str(&format!("    _done({call})\n")),
        (true, Some(elem)) => {
            let _ = writeln!(text, "    result = {}()\n    _done({call})", c_type(elem));
            text.push_str(&given("result.value"));
        }
    }
    text
}

/// The call of parts by threads.
fn divided(callable: &Callable<'_>) -> String {
    let Some(PartFunctions { iterations, part, join, partials, .. }) = &callable.parts else { return String::new() };
    let of_count = memory(&callable.part(iterations, WORDS), iterations, "    ");
    let of_part = memory(&callable.part(part, WORDS), part, "        ");
    let [n_iterations, one] = [iterations, part].map(|of| format!("_c_{}({})", of.name, arguments(callable, of)));
    let (given, compared) = match part.marks.checked {
        true => (
            "return ",
            "    # A part of no iterations compares sizes, before any thread starts.\n    _done(part(0, 0))\n",
        ),
        false => ("", ""),
    };
    let room = |size: &str| -> String {
        let room =
            partials.iter().map(|it| format!("    {} = np.empty({size}, \"{}\")\n", it.variable, dtype(it.elem)));
        room.collect()
    };
    let Some(join) = join else {
        return format!(
            "\n    def part(begin, end):\n{of_part}        {given}{one}\n\n{compared}{of_count}    _divide(threads, {n_iterations}, part)\n"
        );
    };
    let count = callable.variable("n_blocks", WORDS);
    let (none, all) = (if part.marks.checked { room("0") } else { String::new() }, room(&count));
    let joined = memory(&callable.part(join, WORDS), join, "    ") + &returned(callable, join);
    format!(
        "\n    def part(begin, end):\n{of_part}        {given}{one}\n\n{none}{compared}{of_count}    {count} = {n_iterations}\n{all}    \
         _divide(threads, {count}, part)\n{joined}"
    )
}

/// The variable for the scratch memory of a function of the library, if that needs any.
fn memory(callable: &Callable<'_>, kernel: &Kernel, indent: &str) -> String {
    kernel.marks.scratch.as_ref().map_or_else(String::new, |bytes| {
        let bytes = scratch_bytes(callable, bytes, &Exact);
        format!("{indent}memory = _memory({bytes})\n")
    })
}

/// Numbers of any size; what does not fit 64 bits is an error.
struct Exact;

impl Notation for Exact {
    fn constant(&self, number: i64) -> String {
        number.to_string()
    }

    fn join(&self, join: Join, a: String, b: String) -> String {
        match join {
            Join::Add | Join::Sub | Join::Mul | Join::FloorDiv => format!("({a} {} {b})", join.symbol()),
            Join::Div => format!("_quotient({a}, {b})"),
            Join::Rem => format!("_rest({a}, {b})"),
            Join::Min | Join::Max => format!("{}({a}, {b})", join.symbol()),
        }
    }

    fn wrapped(&self, elem: Elem, number: String) -> String {
        let signed = if elem.is_signed() { "True" } else { "False" };
        format!("_wrapped({number}, {}, {signed})", elem.bits())
    }

    fn atom(&self, callable: &Callable<'_>, atom: Atom) -> String {
        match atom {
            Atom::Param(param) => callable.name_of(param).to_owned(),
            Atom::Size(array, dim) => format!("{}.shape[{dim}]", callable.name_of(array)),
        }
    }
}
