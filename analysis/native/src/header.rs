//! The C header of kernels: how C and C++ call them.

use std::fmt::Write;

use ir::{Item, Kernel, Type};

use crate::emit::abi::{Passed, What, passed};
use crate::emit::c_type;

/// A kernel, and what its documentation says.
#[derive(Debug, Clone, Copy)]
pub struct Described<'k> {
    /// The kernel.
    pub kernel: &'k Kernel,
    /// Its documentation, a line each.
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
        let fields: String =
            decl.fields.iter().map(|(name, elem)| format!("    {} {name};\n", c_type(*elem))).collect();
        format!("typedef struct {0} {{\n{fields}}} {0};\n", decl.name)
    });
    shown.collect()
}

fn declaration(described: &Described<'_>) -> String {
    let kernel = described.kernel;
    let mut text = String::new();
    if !described.docs.is_empty() {
        text.push_str("/**\n");
        described.docs.iter().for_each(|line| {
            let _ = writeln!(text, "{}", format!(" * {}", comment(line)).trim_end());
        });
        text.push_str(" */\n");
    }
    let result = kernel.result.map_or("void", c_type);
    let params: Vec<String> = passed(kernel).iter().map(|passed| param(kernel, passed)).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let _ = writeln!(text, "{result} {}({params});", kernel.name);
    text
}

fn param(kernel: &Kernel, passed: &Passed) -> String {
    match &passed.what {
        What::Scalar(elem) => format!("{} {}", c_type(*elem), passed.name),
        What::Size(_) => format!("int64_t {}", passed.name),
        What::Array { item, written, alone } => {
            let constant = if *written { "" } else { "const " };
            let cell = match item {
                Item::Elem(elem) => c_type(*elem).to_owned(),
                Item::Struct(decl) => kernel.structs[*decl].name.to_string(),
            };
            let alone = if *alone { "LANESCOPE_RESTRICT " } else { "" };
            format!("{constant}{cell} *{alone}{}", passed.name)
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
}
