//! A module in Rust: a function for each kernel that takes slices.
//!
//! Sizes are compared, and borrows keep arrays apart that must not overlap. That no subscript leaves its array is up to the program and
//! its data, so the functions are unsafe, and say for what they rely on the caller.

use std::fmt::Write;

use ir::{CellType, Elem, FieldDecl, Kernel, StructDecl};

use super::slices::{
    Checked, Comparison, MOST_DIMS, Slices, compares, comparison, given, halves_docs, size, told_docs,
};
use super::{Argument, Array, Callable, PartFunctions, scratch_bytes, structures};
use crate::emit::abi::{Passed, What, name_beside, passed};
use crate::header::{Described, HeaderConstant};

/// Words of Rust that no parameter may be called, and names that the functions use.
const WORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield", "memory", "raw",
    "sizes", "status", "threads", "std", "begin", "end", "result",
];

/// The attribute of each item: names are those of the program, and not all items are used. An attribute of the whole file would keep it
/// from being included.
const ALLOWED: &str = "#[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]\n";

/// The functions on sizes that others call.
const SIZES: &str = include_str!("sizes.rs.txt");

/// The module of kernels that came from a file of that name. Its object is called like the module.
pub fn module(file: &str, stem: &str, kernels: &[Described<'_>], constants: &[HeaderConstant]) -> String {
    let all = Callable::all(kernels, WORDS, MOST_DIMS);
    let file = file.replace(['\n', '\r'], " ");
    let mut text = format!(
        "// Made by lanescope from {file}.\n//\n// Declare this file as a module, and link its object: by `rustc -C link-arg={stem}.o`, or with \
         Cargo by a `build.rs` that prints\n//\n//     cargo::rustc-link-arg=PATH/{stem}.o\n"
    );
    if !constants.is_empty() {
        text.push('\n');
    }
    for HeaderConstant { name, value, elem } in constants {
        let _ = writeln!(text, "{ALLOWED}pub const {name}: {} = {value};", type_of(*elem));
    }
    for decl in structures(&all, structure) {
        let _ = write!(text, "\n{decl}");
    }
    for callable in &all {
        let _ = write!(text, "\n{}", function(callable, false));
        if callable.parts.is_some() {
            let _ = write!(text, "\n{}", function(callable, true));
        }
    }
    let _ = write!(text, "\n/// The functions of the object, as C calls them.\n{ALLOWED}");
    text.push_str("pub mod raw {\n    #[allow(unused_imports)]\n    use super::*;\n\n    unsafe extern \"C\" {\n");
    for described in kernels {
        let _ = writeln!(text, "        {}", external(described.kernel));
    }
    text.push_str("    }\n}\n\n");
    text.push_str(SIZES);
    text
}

fn type_of(elem: Elem) -> &'static str {
    match elem {
        // The bits of floats of two bytes.
        Elem::F16 | Elem::Bf16 => "u16",
        elem => elem.name(),
    }
}

fn structure(decl: &StructDecl) -> String {
    let names: Vec<&str> = decl.fields.iter().map(|field| &*field.name).collect();
    let field = |field: &FieldDecl| {
        let of_elem = type_of(field.elem).to_owned();
        let ty = field.sizes.iter().rev().fold(of_elem, |inner, size| format!("[{inner}; {size}]"));
        format!("    pub {}: {ty},\n", name_beside(&field.name, &names, WORDS))
    };
    let fields: String = decl.fields.iter().map(field).collect();
    format!(
        "{ALLOWED}#[repr(C)]\n#[derive(Debug, Clone, Copy, PartialEq)]\npub struct {} {{\n{fields}}}\n",
        taken(&decl.name)
    )
}

/// A name that is no word of the language.
fn taken(name: &str) -> String {
    name_beside(name, &[], WORDS)
}

fn cell(kernel: &Kernel, item: CellType) -> String {
    match item {
        CellType::Elem(elem) => type_of(elem).to_owned(),
        CellType::Struct(decl) => taken(&kernel.structs[decl].name),
    }
}

/// The declaration of a function of the object.
fn external(kernel: &Kernel) -> String {
    let passed = passed(kernel);
    let all: Vec<&str> = passed.iter().map(|passed| &*passed.name).collect();
    let param = |passed: &Passed| {
        let ty = match &passed.what {
            What::Scalar(elem) => type_of(*elem).to_owned(),
            What::Size(_) => "i64".to_owned(),
            What::Result(elem) => format!("*mut {}", type_of(*elem)),
            What::Scratch => "*mut u8".to_owned(),
            What::Array { item, written, .. } => {
                format!("*{} {}", if *written { "mut" } else { "const" }, cell(kernel, *item))
            }
        };
        format!("{}: {ty}", name_beside(&passed.name, &all, WORDS))
    };
    let params: Vec<String> = passed.iter().map(param).collect();
    let result = match kernel.result {
        _ if kernel.marks.checked => " -> i32".to_owned(),
        Some(elem) => format!(" -> {}", type_of(elem)),
        None => String::new(),
    };
    let name = taken(&kernel.name);
    let linked = if *name == *kernel.name { String::new() } else { format!("#[link_name = \"{}\"] ", kernel.name) };
    format!("{linked}pub fn {name}({}){result};", params.join(", "))
}

/// The function that checks its arguments and calls the kernel, all at once or by threads.
fn function(callable: &Callable<'_>, in_threads: bool) -> String {
    let kernel = callable.kernel;
    let mut text = docs(callable, in_threads);
    let mut params: Vec<String> = Vec::new();
    params.extend(in_threads.then(|| "threads: usize".to_owned()));
    for at in given(callable) {
        let name = &callable.names[at];
        params.push(match &callable.passed[at].what {
            What::Scalar(elem) => format!("{name}: {}", type_of(*elem)),
            What::Array { item, written, .. } => {
                format!("{name}: &{}[{}]", if *written { "mut " } else { "" }, cell(kernel, *item))
            }
            _ => format!("{name}: i64"),
        });
    }
    let result = kernel.result.map_or_else(String::new, |elem| format!(" -> {}", type_of(elem)));
    let name = if in_threads { format!("{}_in_threads", kernel.name) } else { taken(&kernel.name) };
    let _ = writeln!(text, "{ALLOWED}pub unsafe fn {name}({}){result} {{", params.join(", "));
    for &(param, array, _) in &callable.told {
        let elem = callable.elem_of(param).map_or("i64", type_of);
        let (param, array) = (callable.name_of(param), callable.name_of(array));
        let _ = writeln!(text, "    let {param} = sizes::told::<{elem}>(\"{array}\", {array}.len());");
    }
    for array in callable.arrays() {
        text.push_str(&check(callable, &array));
    }
    match in_threads {
        true => text.push_str(&divided(callable)),
        false => text.push_str(&call(callable)),
    }
    text.push_str("}\n");
    text
}

fn docs(callable: &Callable<'_>, in_threads: bool) -> String {
    let kernel = callable.kernel;
    let mut lines: Vec<String> = match in_threads {
        true => callable.docs_in_threads(&format!("[`{}`]", taken(&kernel.name))),
        false => callable.docs.to_vec(),
    };
    let mut part = |title: &str, told: Vec<String>| {
        if !told.is_empty() {
            lines.extend((!lines.is_empty()).then(String::new));
            lines.extend((!title.is_empty()).then(|| format!("# {title}\n///")));
            lines.extend(told);
        }
    };
    part("", told_docs(callable));
    part("", halves_docs(callable).into_iter().collect());
    let panics = compares(callable).then(|| "If arrays have other sizes than the kernel says.".to_owned());
    part("Panics", panics.into_iter().collect());
    part(
        "Safety",
        vec![
            "The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,".to_owned(),
            "and an access outside of an array is undefined behaviour.".to_owned(),
        ],
    );
    lines.iter().map(|line| format!("{}\n", format!("/// {line}").trim_end())).collect()
}

/// The comparison of an array's length with its sizes.
fn check(callable: &Callable<'_>, array: &Array<'_>) -> String {
    let name = array.name;
    let Some(Comparison { function, cells, .. }) = comparison(callable, array, &Own) else { return String::new() };
    format!("    sizes::{function}(\"{name}\", {name}.len(), {cells});\n")
}

/// The expressions for the arguments of a function of the object, with arrays by such expressions for their addresses.
fn arguments(callable: &Callable<'_>, of: &Kernel, address: impl Fn(&Array<'_>) -> String) -> String {
    let shown = |argument: &Argument<'_>| match argument {
        Argument::Array(array) => address(array),
        Argument::Size(array, dim) => size(callable, array, *dim, &Own),
        Argument::Scalar(name) => (*name).to_owned(),
        Argument::Bound(name) => (*name).to_owned(),
        Argument::Partial(name) => format!("{}.get()", self::address(callable, name)),
        Argument::Result => "&mut result".to_owned(),
        Argument::Scratch => "memory.as_mut_ptr().cast()".to_owned(),
    };
    callable.arguments(of).iter().map(shown).collect::<Vec<_>>().join(", ")
}

const STATUS: &str = "assert!(status == 0, \"sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing\");";

fn call(callable: &Callable<'_>) -> String {
    let kernel = callable.kernel;
    let pointer = |array: &Array<'_>| if array.written { "as_mut_ptr" } else { "as_ptr" };
    let args = arguments(callable, kernel, |array| format!("{}.{}()", array.name, pointer(array)));
    let safety = "// SAFETY: sizes are as the kernel says, arrays that it writes overlap no other, and the caller answers for the rest.";
    returned(&memory(callable, kernel, "    "), kernel, &args, safety)
}

/// The call of a function of the object that gives what a kernel does: its own, or the one that joins parts.
fn returned(memory: &str, kernel: &Kernel, args: &str, safety: &str) -> String {
    let mut text = memory.to_owned();
    let call = format!("raw::{}({args})", taken(&kernel.name));
    let _ = writeln!(text, "    {safety}");
    match (kernel.marks.checked, kernel.result) {
        (false, _) => drop(writeln!(text, "    unsafe {{ {call} }}")),
        (true, None) => {
            let _ = writeln!(text, "    let status = unsafe {{ {call} }};\n    {STATUS}");
        }
        (true, Some(elem)) => {
            // Declared in front of the comment about safety, which is about the call.
            let declaration = format!("    let mut result = {};\n", zero(elem));
            text.insert_str(0, &declaration);
            let _ = writeln!(text, "    let status = unsafe {{ {call} }};\n    {STATUS}\n    result");
        }
    }
    text
}

/// A number of a type.
fn zero(elem: Elem) -> String {
    if elem == Elem::Bool { "false".to_owned() } else { format!("0 as {}", type_of(elem)) }
}

/// The call of parts by threads.
fn divided(callable: &Callable<'_>) -> String {
    let Some(PartFunctions { iterations, part, join, partials, .. }) = &callable.parts else { return String::new() };
    let mut text = String::new();
    for array in callable.arrays() {
        let pointer = if array.written { "as_mut_ptr()" } else { "as_ptr().cast_mut()" };
        let _ = writeln!(text, "    let {} = sizes::Address({}.{pointer});", address(callable, array.name), array.name);
    }
    let args = |of: &Kernel| arguments(callable, of, |array| format!("{}.get()", address(callable, array.name)));
    let call = |of: &Kernel| format!("unsafe {{ raw::{}({}) }}", taken(&of.name), args(of));
    let of_part = |indent: &str| memory(&callable.part(part, WORDS), part, indent);
    let of_count = memory(&callable.part(iterations, WORDS), iterations, "    ");
    let safety = "    // SAFETY: as above; the parts may run at the same time.\n";
    let room = |size: &str| -> String {
        let room = partials.iter().map(|it| {
            let (name, at) = (&it.variable, address(callable, &it.variable));
            format!(
                "    let mut {name} = vec![{}; {size}];\n    let {at} = sizes::Address({name}.as_mut_ptr());\n",
                zero(it.elem)
            )
        });
        room.collect()
    };
    if part.marks.checked {
        // In front of the count, which takes sizes to be as they have to be.
        let _ = writeln!(
            text,
            "    // A part of no iterations compares sizes, before any thread starts.\n    let (begin, end) = (0, 0);\n\
             {}{}{safety}    let status = {};\n    {STATUS}",
            room("0"),
            of_part("    "),
            call(part)
        );
    }
    let _ = writeln!(text, "{of_count}{safety}    let n_iterations = {};", call(iterations));
    text.push_str(&room("usize::try_from(n_iterations).unwrap_or(0)"));
    let _ = write!(
        text,
        "    sizes::divide(threads, n_iterations, |begin, end| {{\n{}        {};\n    }});\n",
        of_part("        "),
        call(part)
    );
    if let Some(join) = join {
        let memory = memory(&callable.part(join, WORDS), join, "    ");
        text.push_str(&returned(&memory, join, &args(join), "// SAFETY: as above; all parts have run."));
    }
    text
}

/// The variable for the scratch memory of a function of the object, if that needs any.
fn memory(callable: &Callable<'_>, kernel: &Kernel, indent: &str) -> String {
    kernel.marks.scratch.as_ref().map_or_else(String::new, |bytes| {
        let bytes = scratch_bytes(callable, bytes, &Checked(&Own));
        format!("{indent}let mut memory = sizes::scratch({bytes});\n")
    })
}

/// The variable that has the address of an array.
fn address(callable: &Callable<'_>, array: &str) -> String {
    let mut name = format!("{array}_at");
    while callable.names.contains(&name) {
        name.push('_');
    }
    name
}

/// Slices, and numbers by `Option`.
struct Own;

impl Slices for Own {
    fn constant(&self, number: i64) -> String {
        self.some(number.to_string())
    }

    fn some(&self, number: String) -> String {
        format!("Some({number})")
    }

    fn none(&self) -> String {
        "None".to_owned()
    }

    fn len(&self, array: &str) -> String {
        format!("{array}.len()")
    }

    fn signed_len(&self, array: &str) -> String {
        format!("{array}.len() as i64")
    }
}
