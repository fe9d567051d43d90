//! A header in C++20: an inline function for each kernel that takes spans.
//!
//! It stands alone: the functions of the object are declared in a namespace `raw` inside of the file's own, so that a file and a kernel may
//! have one name, as a C header could not have them. Lengths and overlaps are compared before each call, and `std::invalid_argument` says
//! what is wrong. That no subscript leaves its array is up to the program and its data, and the documentation of each function says so.

use std::fmt::Write;

use ir::{CellType, DimSize, Elem, FieldDecl, Kernel, StructDecl};

use super::slices::{
    Checked, Comparison, MOST_DIMS, Slices, compares, comparison, given, halves_docs, size, size_param, told_docs,
};
use super::{Argument, Array, Callable, PartFunctions, Plain, declared, scratch_bytes, structures};
use crate::emit::abi::{Passed, What, name_beside, passed};
use crate::emit::c_type;
use crate::header::{self, Described, HeaderConstant};

/// Names that the functions use, besides the words of C++.
const OWN_NAMES: &[&str] = &["begin", "end", "memory", "part", "raw", "result", "sizes", "std", "threads"];

/// Names that C's and POSIX's libraries have in the global namespace, which may not be a namespace there as well.
const GLOBAL_NAMES: &str = include_str!("cpp/global_names.txt");

/// The functions on sizes that others call.
const SIZES: &str = include_str!("cpp/sizes.hpp");

/// The function that has threads run parts of a kernel.
const THREADS: &str = include_str!("cpp/threads.hpp");

/// The parts of the standard library that these use.
const INCLUDED: &str = "algorithm cstddef cstdint functional limits memory new optional span stdexcept string utility";
const INCLUDED_FOR_THREADS: &str = "atomic exception mutex thread vector";

/// The header of kernels that came from a file of that name. Its namespace is called like the object.
pub fn module(file: &str, stem: &str, kernels: &[Described<'_>], constants: &[HeaderConstant]) -> String {
    let words = words(kernels);
    let all = Callable::all(kernels, &words, MOST_DIMS);
    let namespace = namespace(stem);
    let has_threads = all.iter().any(|callable| callable.parts.is_some());
    let mut text = opening(file, stem, &namespace, has_threads);
    let _ = write!(text, "\nnamespace {namespace} {{\n\n");
    constants.iter().for_each(|constant| text.push_str(&definition(constant)));
    text.push_str(if constants.is_empty() { "" } else { "\n" });
    structures(&all, structure).iter().for_each(|decl| text.push_str(&format!("{decl}\n")));
    text.push_str("/** The functions of the object, as C calls them. */\nnamespace raw {\nextern \"C\" {\n");
    kernels.iter().for_each(|described| text.push_str(&external(described.kernel, &words)));
    let _ = write!(text, "}}\n}}  // namespace raw\n\n{SIZES}\n{}", if has_threads { THREADS } else { "" });
    text.push_str(if has_threads { "\n" } else { "" });
    for callable in all.iter().filter(|callable| is_declared(callable.kernel)) {
        let context = Context { callable, namespace: &namespace, words: &words };
        let _ = writeln!(text, "{}", context.function(false));
        if callable.parts.is_some() {
            let _ = writeln!(text, "{}", context.function(true));
        }
    }
    let _ = writeln!(text, "}}  // namespace {namespace}\n\n#endif");
    text
}

/// What stands in front of the namespace.
fn opening(file: &str, stem: &str, namespace: &str, has_threads: bool) -> String {
    let (stem, guard) = (header::comment(stem), header::guard_of(file));
    let mut text = format!(
        "/* Made by lanescope from {}: calls its kernels on spans.\n *\n * Link {stem}.o{}. A source file includes this or {stem}.h: what that \
         declares is in `{namespace}::raw`.\n */\n#ifndef {guard}PP\n#define {guard}PP\n\n#ifdef {guard}\n#error \"{stem}.hpp takes the place of \
         {stem}.h: include one of them in a source file\"\n#endif\n\n",
        header::comment(file),
        if has_threads { ", and threads by -pthread" } else { "" },
    );
    let mut included: Vec<&str> = INCLUDED.split(' ').collect();
    included.extend(has_threads.then(|| INCLUDED_FOR_THREADS.split(' ')).into_iter().flatten());
    included.sort_unstable();
    included.iter().for_each(|name| text.push_str(&format!("#include <{name}>\n")));
    text
}

/// The words that no parameter may be called. A parameter that is called like a struct would hide it in the parameters behind.
fn words<'k>(kernels: &[Described<'k>]) -> Vec<&'k str> {
    let structs = kernels.iter().flat_map(|described| described.kernel.structs.iter()).map(|(_, decl)| &*decl.name);
    header::WORDS.iter().chain(OWN_NAMES).copied().chain(structs).collect()
}

/// The namespace of a file: its name, as far as C++ takes it.
fn namespace(stem: &str) -> String {
    let mut name: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert_str(0, "lane_");
    }
    let mut words = header::WORDS.to_vec();
    words.push("std");
    words.extend(GLOBAL_NAMES.split_whitespace());
    name_beside(&name, &[], &words)
}

/// A name in the file's namespace, for a function or a struct.
fn taken(name: &str) -> String {
    let mut words = header::WORDS.to_vec();
    words.extend(["raw", "sizes", "std"]);
    name_beside(name, &[], &words)
}

/// Says whether C++ takes the name of a kernel, which is how the linker finds it.
fn is_declared(kernel: &Kernel) -> bool {
    !header::WORDS.contains(&&*kernel.name) && &*kernel.name != "main"
}

fn definition(HeaderConstant { name, value, elem }: &HeaderConstant) -> String {
    let value = match i64::try_from(*value) {
        // The least number has no literal of its own, and the greatest ones are no signed numbers.
        Ok(i64::MIN) => "std::numeric_limits<std::int64_t>::min()".to_owned(),
        Ok(value) => value.to_string(),
        Err(_) => format!("{value}U"),
    };
    format!("inline constexpr {} {name} = {value};\n", type_of(*elem))
}

fn type_of(elem: Elem) -> String {
    match elem {
        Elem::Bool | Elem::F32 | Elem::F64 => c_type(elem).to_owned(),
        _ => format!("std::{}", c_type(elem)),
    }
}

fn structure(decl: &StructDecl) -> String {
    let names: Vec<&str> = decl.fields.iter().map(|field| &*field.name).collect();
    let field = |field: &FieldDecl| {
        let dims: String = field.sizes.iter().map(|size| format!("[{size}]")).collect();
        format!("    {} {}{dims};\n", type_of(field.elem), header::taken(&field.name, &names))
    };
    let fields: String = decl.fields.iter().map(field).collect();
    format!("struct {} {{\n{fields}}};\n", taken(&decl.name))
}

fn cell(kernel: &Kernel, item: CellType) -> String {
    match item {
        CellType::Elem(elem) => type_of(elem),
        CellType::Struct(decl) => taken(&kernel.structs[decl].name),
    }
}

/// The declaration of a function of the object.
fn external(kernel: &Kernel, words: &[&str]) -> String {
    if !is_declared(kernel) {
        return format!("/* `{}` is no name for a function in C++, so it is not declared. */\n", kernel.name);
    }
    let passed = passed(kernel);
    let all: Vec<&str> = passed.iter().map(|passed| &*passed.name).collect();
    let param = |passed: &Passed| {
        let ty = match &passed.what {
            What::Scalar(elem) => format!("{} ", type_of(*elem)),
            What::Size(_) => "std::int64_t ".to_owned(),
            What::Result(elem) => format!("{}* ", type_of(*elem)),
            What::Scratch => "void* ".to_owned(),
            What::Array { item, written, .. } => {
                format!("{}{}* ", if *written { "" } else { "const " }, cell(kernel, *item))
            }
        };
        format!("{ty}{}", name_beside(&passed.name, &all, words))
    };
    let params: Vec<String> = passed.iter().map(param).collect();
    let result = if kernel.marks.checked { "std::int32_t".to_owned() } else { result_of(kernel) };
    format!("{result} {}({});\n", kernel.name, params.join(", "))
}

fn result_of(kernel: &Kernel) -> String {
    kernel.result.map_or_else(|| "void".to_owned(), type_of)
}

/// A kernel whose functions are written.
struct Context<'c, 'k> {
    callable: &'c Callable<'k>,
    namespace: &'c str,
    words: &'c [&'k str],
}

impl Context<'_, '_> {
    /// The function that checks its arguments and calls the kernel, all at once or by threads.
    fn function(&self, in_threads: bool) -> String {
        let Context { callable, .. } = *self;
        let kernel = callable.kernel;
        let name = if in_threads { format!("{}_in_threads", kernel.name) } else { taken(&kernel.name) };
        let mut text = self.docs(in_threads);
        let mut params: Vec<String> = Vec::new();
        params.extend(in_threads.then(|| "std::size_t threads".to_owned()));
        for at in given(callable) {
            let ty = match &callable.passed[at].what {
                What::Scalar(elem) => type_of(*elem),
                What::Array { item, written, .. } => {
                    format!("std::span<{}{}>", if *written { "" } else { "const " }, cell(kernel, *item))
                }
                _ => "std::int64_t".to_owned(),
            };
            params.push(format!("{ty} {}", callable.names[at]));
        }
        let _ = writeln!(text, "inline {} {name}({}) {{", result_of(kernel), params.join(", "));
        let function = format!("\"{}::{name}\"", self.namespace);
        text.push_str(&self.checks(&function));
        text.push_str(&if in_threads { self.divided(&function) } else { self.call(&function) });
        text.push_str("}\n");
        text
    }

    fn docs(&self, in_threads: bool) -> String {
        let Context { callable, .. } = *self;
        let kernel = callable.kernel;
        let mut lines: Vec<String> = match in_threads {
            true => callable.docs_in_threads(&format!("`{}`", taken(&kernel.name))),
            false => callable.docs.to_vec(),
        };
        let mut part = |told: Vec<String>| {
            if !told.is_empty() {
                lines.extend((!lines.is_empty()).then(String::new));
                lines.extend(told);
            }
        };
        let apart = callable.apart();
        let overlaps = apart.iter().filter(|(_, others)| !others.is_empty()).map(|(array, others)| {
            let others: Vec<String> = others.iter().map(|other| format!("`{}`", other.name)).collect();
            format!("`{}` is written, and must not overlap {}.", array.name, one_of(&others))
        });
        let overlaps: Vec<String> = overlaps.collect();
        let compares =
            compares(callable) || callable.arrays().any(|array| comparison(callable, &array, &Spans).is_some());
        let throws = match (compares, overlaps.is_empty()) {
            (true, true) => Some("have other sizes than the kernel says"),
            (true, false) => Some("have other sizes than the kernel says, or overlap where they must not"),
            (false, true) => None,
            (false, false) => Some("overlap where they must not"),
        };
        part(told_docs(callable).into_iter().chain(overlaps).collect());
        part(halves_docs(callable).into_iter().collect());
        part(throws.map(|why| format!("Throws std::invalid_argument if arrays {why}.")).into_iter().collect());
        part(vec![
            "The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,"
                .to_owned(),
            "and an access outside of an array is undefined behaviour.".to_owned(),
        ]);
        let lines = lines.iter().map(|line| format!("{}\n", format!(" * {}", header::comment(line)).trim_end()));
        format!("/**\n{} */\n", lines.collect::<String>())
    }

    /// The variables that lengths tell, and the comparisons of lengths and addresses.
    fn checks(&self, function: &str) -> String {
        let Context { callable, .. } = *self;
        let mut text = String::new();
        for &(param, array, _) in &callable.told {
            let elem = callable.elem_of(param).map_or_else(|| "std::int64_t".to_owned(), type_of);
            let (param, array) = (callable.name_of(param), callable.name_of(array));
            let _ = writeln!(
                text,
                "    const auto {param} = sizes::told<{elem}>({function}, \"{array}\", {array}.size(), \"{param}\");"
            );
        }
        for array in callable.arrays() {
            let Some(Comparison { function: check, cells, dims }) = comparison(callable, &array, &Spans) else {
                continue;
            };
            let (name, why) = (array.name, why(callable, &array, &dims));
            let _ = writeln!(text, "    sizes::{check}({function}, \"{name}\", {name}.size(), {cells}, \"{why}\");");
        }
        for (array, others) in callable.apart() {
            let name = array.name;
            for other in others.iter().map(|other| other.name) {
                let _ = writeln!(text, "    sizes::apart({function}, \"{name}\", {name}, \"{other}\", {other});");
            }
        }
        text
    }

    fn call(&self, function: &str) -> String {
        let Context { callable, .. } = *self;
        memory(callable, callable.kernel, function, "    ") + &self.returned(callable.kernel, function)
    }

    /// The call of a function of the object that gives what the kernel does: its own, or the one that joins parts.
    fn returned(&self, kernel: &Kernel, function: &str) -> String {
        let mut text = String::new();
        let call = format!("raw::{}({})", kernel.name, arguments(self.callable, kernel));
        let _ = match (kernel.marks.checked, kernel.result) {
            (false, None) => writeln!(text, "    {call};"),
            (false, Some(_)) => writeln!(text, "    return {call};"),
            (true, None) => writeln!(text, "    sizes::done({function}, {call});"),
            (true, Some(elem)) => writeln!(
                text,
                "    {} result{{}};\n    sizes::done({function}, {call});\n    return result;",
                type_of(elem)
            ),
        };
        text
    }

    /// The call of parts by threads.
    fn divided(&self, function: &str) -> String {
        let Context { callable, words, .. } = *self;
        let Some(PartFunctions { iterations, part, join, partials, .. }) = &callable.parts else {
            return String::new();
        };
        let mut text = String::new();
        for partial in partials {
            let _ = writeln!(text, "    std::unique_ptr<{}[]> {};", type_of(partial.elem), partial.variable);
        }
        text.push_str("    const auto part = [&](std::int64_t begin, std::int64_t end) {\n");
        text.push_str(&memory(&callable.part(part, words), part, function, "        "));
        let call = format!("raw::{}({})", part.name, arguments(callable, part));
        let _ = match part.marks.checked {
            true => writeln!(
                text,
                "        sizes::done({function}, {call});\n    }};\n    // A part of no iterations compares sizes, before any thread starts.\n    part(0, 0);"
            ),
            false => writeln!(text, "        {call};\n    }};"),
        };
        let n_iterations = format!("raw::{}({})", iterations.name, arguments(callable, iterations));
        let Some(join) = join else {
            text.push_str(&memory(&callable.part(iterations, words), iterations, function, "    "));
            let _ = writeln!(text, "    sizes::divide(threads, {n_iterations}, part);");
            return text;
        };
        // The memory for the count goes before that for the join is there.
        let count = callable.variable("n_blocks", words);
        let _ = writeln!(
            text,
            "    const std::int64_t {count} = [&] {{\n{}        return {n_iterations};\n    }}();",
            memory(&callable.part(iterations, words), iterations, function, "        ")
        );
        for partial in partials {
            let (name, ty) = (&partial.variable, type_of(partial.elem));
            let _ = writeln!(text, "    {name} = std::make_unique<{ty}[]>(static_cast<std::size_t>({count}));");
        }
        let _ = writeln!(text, "    sizes::divide(threads, {count}, part);");
        text + &memory(&callable.part(join, words), join, function, "    ") + &self.returned(join, function)
    }
}

/// Names as a sentence lists them.
fn one_of(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [others @ .., last] => format!("{} or {last}", others.join(", ")),
    }
}

/// The reason why an array has to have a length, behind a colon: the kernel's formula, and which lengths its parameters are. Nothing, if
/// it is a number.
fn why(callable: &Callable<'_>, array: &Array<'_>, dims: &[usize]) -> String {
    let shown = |&dim: &usize| match &array.sizes[dim] {
        DimSize::Own => size_param(callable, array, dim).map(str::to_owned),
        size => declared(callable, size, &Plain),
    };
    let mut params = Vec::new();
    dims.iter().for_each(|&dim| params_of(&array.sizes[dim], &mut params));
    let told: Vec<_> = callable.told.iter().filter(|(param, ..)| params.contains(param)).collect();
    let sizes: Vec<String> = dims.iter().filter_map(shown).collect();
    match (&*sizes, dims, &*told) {
        ([_], &[dim], _) if matches!(array.sizes[dim], DimSize::Constant(_)) => String::new(),
        ([_], &[dim], [(.., teller, _)]) if matches!(array.sizes[dim], DimSize::Param(_)) => {
            format!(": as many as `{}`", callable.name_of(*teller))
        }
        _ => {
            let formula = match &*sizes {
                // An operator in front of no other has no parentheses.
                [only] => only.strip_prefix('(').and_then(|only| only.strip_suffix(')')).unwrap_or(only).to_owned(),
                several => several.join(" * "),
            };
            let is = |&&(param, array, _): &&(ir::Value, ir::Value, usize)| {
                format!("{} is the length of `{}`", callable.name_of(param), callable.name_of(array))
            };
            let told: Vec<String> = told.iter().map(is).collect();
            let place = if told.is_empty() { String::new() } else { format!(", where {}", told.join(" and ")) };
            format!(": {formula}{place}")
        }
    }
}

/// The parameters that a size is made of.
fn params_of(size: &DimSize, found: &mut Vec<ir::Value>) {
    match size {
        DimSize::Own | DimSize::Constant(_) => {}
        DimSize::Param(param) => found.push(*param),
        DimSize::Arithmetic(_, a, b) => [a, b].into_iter().for_each(|size| params_of(size, found)),
    }
}

/// The variable for the scratch memory of a function of the object, if that needs any.
fn memory(callable: &Callable<'_>, kernel: &Kernel, function: &str, indent: &str) -> String {
    kernel.marks.scratch.as_ref().map_or_else(String::new, |bytes| {
        let bytes = scratch_bytes(callable, bytes, &Checked(&Spans));
        format!("{indent}const sizes::Memory memory = sizes::scratch({function}, {bytes});\n")
    })
}

/// The expressions for the arguments of a function of the object.
fn arguments(callable: &Callable<'_>, of: &Kernel) -> String {
    let shown = |argument: &Argument<'_>| match argument {
        Argument::Array(array) => format!("{}.data()", array.name),
        Argument::Size(array, dim) => size(callable, array, *dim, &Spans),
        Argument::Scalar(name) => (*name).to_owned(),
        Argument::Bound(name) => (*name).to_owned(),
        Argument::Partial(name) => format!("{name}.get()"),
        Argument::Result => "&result".to_owned(),
        Argument::Scratch => "memory.get()".to_owned(),
    };
    callable.arguments(of).iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Spans, and numbers by `std::optional`, which plain ones become.
struct Spans;

impl Slices for Spans {
    fn constant(&self, number: i64) -> String {
        // The least number has no literal of its own.
        if number == i64::MIN { "sizes::lowest".to_owned() } else { number.to_string() }
    }

    fn some(&self, number: String) -> String {
        number
    }

    fn none(&self) -> String {
        "std::nullopt".to_owned()
    }

    fn len(&self, array: &str) -> String {
        format!("{array}.size()")
    }

    fn signed_len(&self, array: &str) -> String {
        format!("std::ssize({array})")
    }
}
