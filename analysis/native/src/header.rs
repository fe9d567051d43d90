//! The C header of kernels: how C and C++ call them.

use std::fmt::Write;

use ir::{Elem, Item, Kernel, Name, Type};

use crate::emit::abi::{Passed, What, passed};
use crate::emit::c_type;

/// A kernel, and what its documentation says.
#[derive(Debug, Clone, Copy)]
pub struct Described<'k> {
    /// The kernel that is declared.
    pub kernel: &'k Kernel,
    /// The documentation of the kernel, a line each.
    pub docs: &'k [String],
}

/// The header of kernels that came from a file of that name.
pub fn header(file: &str, kernels: &[Described<'_>]) -> String {
    let guard = guard_of(file);
    let mut text = format!("/* Made by lanescope from {}. */\n#ifndef {guard}\n#define {guard}\n\n", comment(file));
    text.push_str("#include <stdbool.h>\n#include <stdint.h>\n\n");
    text.push_str("#ifdef __cplusplus\n#define LANESCOPE_RESTRICT __restrict\nextern \"C\" {\n#else\n");
    text.push_str("#define LANESCOPE_RESTRICT restrict\n#endif\n");
    let mut declared: Vec<String> = Vec::new();
    for described in kernels {
        for decl in structs(described.kernel) {
            if !declared.contains(&decl) {
                let _ = write!(text, "\n{decl}");
                declared.push(decl);
            }
        }
        let _ = write!(text, "\n{}", declaration(described));
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n#undef LANESCOPE_RESTRICT\n\n#endif\n");
    text
}

/// A name for the header that no other file's is likely to have.
fn guard_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let upper: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("LANESCOPE_{upper}_H")
}

/// Words of C and C++ that no parameter, field or function may be called, but for those that Lane reserves as well.
const WORDS: &[&str] = &[
    "alignas",
    "alignof",
    "asm",
    "auto",
    "bool",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "concept",
    "consteval",
    "constexpr",
    "constinit",
    "const_cast",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "enum",
    "explicit",
    "export",
    "extern",
    "float",
    "friend",
    "goto",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "xor",
    "bitand",
    "bitor",
    "compl",
    "and_eq",
    "or_eq",
    "not_eq",
    "xor_eq",
];

/// A name that C and C++ take, and that none of its neighbours has.
fn taken(name: &str, neighbours: &[&str]) -> String {
    let mut taken = name.to_owned();
    while WORDS.contains(&taken.as_str()) || (taken != name && neighbours.contains(&taken.as_str())) {
        taken.push('_');
    }
    taken
}

/// A text that ends no comment.
fn comment(text: &str) -> String {
    text.replace("*/", "* /")
}

fn structs(kernel: &Kernel) -> Vec<String> {
    let of_params = kernel.params.iter().filter_map(|param| match kernel.ty(param.value) {
        Type::View { item: Item::Struct(decl), .. } => Some(&kernel.structs[decl]),
        _ => None,
    });
    let shown = of_params.map(|decl| {
        let names: Vec<&str> = decl.fields.iter().map(|(name, _)| &**name).collect();
        let field = |(name, elem): &(Name, Elem)| format!("    {} {};\n", c_type(*elem), taken(name, &names));
        let fields: String = decl.fields.iter().map(field).collect();
        format!("typedef struct {0} {{\n{fields}}} {0};\n", taken(&decl.name, &[]))
    });
    shown.collect()
}

fn declaration(described: &Described<'_>) -> String {
    let kernel = described.kernel;
    // A parameter can have another name here; the name of a function is how the linker finds it.
    if WORDS.contains(&&*kernel.name) || &*kernel.name == "main" {
        return format!("/* `{}` is no name for a function in C or C++, so it is not declared. */\n", kernel.name);
    }
    let mut text = String::new();
    if !described.docs.is_empty() {
        text.push_str("/**\n");
        described.docs.iter().for_each(|line| {
            let _ = writeln!(text, "{}", format!(" * {}", comment(line)).trim_end());
        });
        text.push_str(" */\n");
    }
    let result = kernel.result.map_or("void", c_type);
    let passed = passed(kernel);
    let names: Vec<&str> = passed.iter().map(|passed| &*passed.name).collect();
    let params: Vec<String> = passed.iter().map(|passed| param(kernel, passed, &taken(&passed.name, &names))).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let _ = writeln!(text, "{result} {}({params});", kernel.name);
    text
}

fn param(kernel: &Kernel, passed: &Passed, name: &str) -> String {
    match &passed.what {
        What::Scalar(elem) => format!("{} {name}", c_type(*elem)),
        What::Size(_) => format!("int64_t {name}"),
        What::Array { item, written, alone } => {
            let constant = if *written { "" } else { "const " };
            let cell = match item {
                Item::Elem(elem) => c_type(*elem).to_owned(),
                Item::Struct(decl) => taken(&kernel.structs[*decl].name, &[]),
            };
            let alone = if *alone { "LANESCOPE_RESTRICT " } else { "" };
            format!("{constant}{cell} *{alone}{name}")
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn what_is_never_written_is_constant_and_what_may_overlap_is_not_restricted() {
        let text = "\
struct Point:
    x: f32
    on: bool

kernel mix(points: Point[?], out: f32[n], rows: f64[?, ?], n: i32, sharp: bool) -> i64:
    out[0] = points.x[n]
    return size(points)
";
        let kernel = ir::read(text, None).expect("a kernel").remove(0);
        let docs = ["Mixes.".to_owned(), String::new(), "Slowly. */".to_owned()];
        expect![[r#"
            /* Made by lanescope from a/mix.lane. */
            #ifndef LANESCOPE_MIX_LANE_H
            #define LANESCOPE_MIX_LANE_H

            #include <stdbool.h>
            #include <stdint.h>

            #ifdef __cplusplus
            #define LANESCOPE_RESTRICT __restrict
            extern "C" {
            #else
            #define LANESCOPE_RESTRICT restrict
            #endif

            typedef struct Point {
                float x;
                bool on;
            } Point;

            /**
             * Mixes.
             *
             * Slowly. * /
             */
            int64_t mix(const Point *LANESCOPE_RESTRICT points, int64_t points_size0, float *LANESCOPE_RESTRICT out, const double *LANESCOPE_RESTRICT rows, int64_t rows_size1, int32_t n, bool sharp);

            #ifdef __cplusplus
            }
            #endif
            #undef LANESCOPE_RESTRICT

            #endif
        "#]].assert_eq(&header("a/mix.lane", &[Described { kernel: &kernel, docs: &docs }]));
    }

    #[test]
    fn words_of_c_are_no_names() {
        let text = "\
struct Point:
    short: f32

kernel f(long: Point[?], long_: f32[n], n: i32, new: i32):
    long_[0] = long.short[new]

kernel double(x: f32):
    pass
";
        let kernels = ir::read(text, None).expect("kernels");
        let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &[] }).collect();
        let header = header("f.lane", &described);
        let from = header.find("typedef").expect("a struct");
        let to = header.rfind("\n#ifdef").expect("an end");
        expect![[r#"
            typedef struct Point {
                float short_;
            } Point;

            void f(const Point *LANESCOPE_RESTRICT long__, float *LANESCOPE_RESTRICT long_, int32_t n, int32_t new_);

            /* `double` is no name for a function in C or C++, so it is not declared. */
        "#]]
        .assert_eq(&header[from..to]);
    }
}
