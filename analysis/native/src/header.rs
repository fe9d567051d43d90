//! The C header of kernels: how C and C++ call them.

mod scratch;

use std::fmt::Write;

use ir::{CellType, Elem, FieldDecl, Kernel, Type};

use crate::emit::abi::{Passed, What, name_beside, passed};
use crate::emit::c_type;
use scratch::Companions;

/// A kernel, and what its documentation says.
#[derive(Debug, Clone, Copy)]
pub struct Described<'k> {
    /// The kernel that is declared.
    pub kernel: &'k Kernel,
    /// The documentation of the kernel, a line each.
    pub docs: &'k [String],
}

/// A number with a name, which the header defines: a variant of an enum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderConstant {
    /// Its name.
    pub name: String,
    /// Its value, of this type.
    pub value: i128,
    /// The type.
    pub elem: Elem,
}

impl HeaderConstant {
    fn definition(&self) -> String {
        let kind = if self.elem.is_signed() { "INT" } else { "UINT" };
        let value = match i64::try_from(self.value) {
            // The least number has no literal of its own.
            Ok(i64::MIN) => "(-INT64_C(9223372036854775807) - 1)".to_owned(),
            _ if self.value < 0 => format!("(-{kind}{}_C({}))", self.elem.bits(), -self.value),
            _ => format!("{kind}{}_C({})", self.elem.bits(), self.value),
        };
        format!("#define {} {value}\n", self.name)
    }
}

/// The header of kernels that came from a file of that name.
pub fn header(file: &str, kernels: &[Described<'_>]) -> String {
    header_with(file, kernels, &[])
}

/// The header of kernels, with constants that their callers need.
pub fn header_with(file: &str, kernels: &[Described<'_>], constants: &[HeaderConstant]) -> String {
    let guard = guard_of(file);
    let mut text = format!("/* Made by lanescope from {}. */\n#ifndef {guard}\n#define {guard}\n\n", comment(file));
    let all: Vec<&Kernel> = kernels.iter().map(|described| described.kernel).collect();
    let helpers = scratch::helpers(&all);
    text.push_str("#include <stdbool.h>\n");
    text.push_str(if helpers.is_empty() { "" } else { "#include <stddef.h>\n" });
    text.push_str("#include <stdint.h>\n");
    text.push_str(if helpers.is_empty() { "" } else { "#include <stdlib.h>\n" });
    text.push('\n');
    text.push_str("#ifdef __cplusplus\n#define LANESCOPE_RESTRICT __restrict\nextern \"C\" {\n#else\n");
    text.push_str("#define LANESCOPE_RESTRICT restrict\n#endif\n");
    text.push_str(helpers);
    text.push_str(if all.iter().any(|kernel| kernel.marks.checked) { STATUS } else { "" });
    if !constants.is_empty() {
        text.push('\n');
        constants.iter().for_each(|constant| text.push_str(&constant.definition()));
    }
    let mut declared: Vec<String> = Vec::new();
    for described in kernels {
        for decl in structs(described.kernel) {
            if !declared.contains(&decl) {
                let _ = write!(text, "\n{decl}");
                declared.push(decl);
            }
        }
        let _ = write!(text, "\n{}", declaration(described, &all));
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n#undef LANESCOPE_RESTRICT\n\n#endif\n");
    text
}

/// The statuses that a kernel may return if it compares sizes, one definition for all headers of a program.
const STATUS: &str = include_str!("header/status.h");

/// A name for the header that no other file's is likely to have.
pub(crate) fn guard_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let upper: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect();
    format!("LANESCOPE_{upper}_H")
}

/// Words of C and C++ that no parameter, field or function may be called, but for those that Lane reserves as well.
pub(crate) const WORDS: &[&str] = &[
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
pub fn taken(name: &str, neighbours: &[&str]) -> String {
    name_beside(name, neighbours, WORDS)
}

/// A text that neither ends a comment nor begins one inside of it, of which compilers warn.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *")
}

fn structs(kernel: &Kernel) -> Vec<String> {
    let of_params = kernel.params.iter().filter_map(|param| match kernel.ty(param.value) {
        Type::View { item: CellType::Struct(decl), .. } => Some(&kernel.structs[decl]),
        _ => None,
    });
    let shown = of_params.map(|decl| {
        let names: Vec<&str> = decl.fields.iter().map(|field| &*field.name).collect();
        let field = |field: &FieldDecl| {
            let dims: String = field.sizes.iter().map(|size| format!("[{size}]")).collect();
            format!("    {} {}{dims};\n", c_type(field.elem), taken(&field.name, &names))
        };
        let fields: String = decl.fields.iter().map(field).collect();
        format!("typedef struct {0} {{\n{fields}}} {0};\n", taken(&decl.name, &[]))
    });
    shown.collect()
}

fn declaration(described: &Described<'_>, kernels: &[&Kernel]) -> String {
    let kernel = described.kernel;
    // A parameter can have another name here; the name of a function is how the linker finds it.
    if WORDS.contains(&&*kernel.name) || &*kernel.name == "main" {
        return format!("/* `{}` is no name for a function in C or C++, so it is not declared. */\n", kernel.name);
    }
    let passed = passed(kernel);
    let neighbours: Vec<&str> = passed.iter().map(|passed| &*passed.name).collect();
    let names: Vec<String> = passed.iter().map(|passed| taken(&passed.name, &neighbours)).collect();
    let companions = Companions::of(kernel, &passed, &names, kernels);
    let mut text = companions.as_ref().map_or_else(String::new, Companions::told);
    let mut docs = described.docs.to_vec();
    let mut more = |lines: Vec<String>| {
        docs.extend((!docs.is_empty() && !lines.is_empty()).then(String::new));
        docs.extend(lines);
    };
    more(status(kernel, &passed, &names));
    more(companions.as_ref().map_or_else(Vec::new, Companions::docs));
    if !docs.is_empty() {
        text.push_str("/**\n");
        docs.iter().for_each(|line| {
            let _ = writeln!(text, "{}", format!(" * {}", comment(line)).trim_end());
        });
        text.push_str(" */\n");
    }
    let result = match kernel.result {
        _ if kernel.marks.checked => "int32_t",
        Some(elem) => c_type(elem),
        None => "void",
    };
    let params: Vec<String> = passed.iter().zip(&names).map(|(passed, name)| param(kernel, passed, name)).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let _ = writeln!(text, "{result} {}({params});", kernel.name);
    text + &companions.map_or_else(String::new, |companions| companions.allocating())
}

/// The documentation of the status that a kernel returns.
fn status(kernel: &Kernel, passed: &[Passed], names: &[String]) -> Vec<String> {
    if !kernel.marks.checked {
        return Vec::new();
    }
    let is_result = |passed: &Passed| matches!(passed.what, What::Result(_));
    let stored = passed.iter().position(is_result).map(|at| format!(" and stores its result to `{}`", names[at]));
    vec![
        format!("Returns LANESCOPE_DONE (0){}, or LANESCOPE_SIZES_DIFFER (1)", stored.unwrap_or_default()),
        "if sizes differ that have to be equal, or there is no element where one is needed; then nothing is written."
            .to_owned(),
    ]
}

fn param(kernel: &Kernel, passed: &Passed, name: &str) -> String {
    match &passed.what {
        What::Scalar(elem) => format!("{} {name}", c_type(*elem)),
        What::Size(_) => format!("int64_t {name}"),
        What::Result(elem) => format!("{} *{name}", c_type(*elem)),
        What::Scratch => format!("void *{name}"),
        What::Array { item, written, alone } => {
            let constant = if *written { "" } else { "const " };
            let cell = match item {
                CellType::Elem(elem) => c_type(*elem).to_owned(),
                CellType::Struct(decl) => taken(&kernel.structs[*decl].name, &[]),
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
    fn scratch_memory_is_told_and_allocated_by_functions() {
        let text = "\
@scratch((aligned(array(4, n, size(rows, 0))) + array(8, wrapped((m - 1), u32))))
kernel scale(rows: f32[?, 4], n: u64, m: u32, bytes: i32) -> f32:
    return rows[0, 0]

@scratch(4100)
kernel scale_alloc(scratch: f32[4]):
    scratch[0] = 1.0
";
        let kernels = ir::read(text, None).unwrap_or_else(|error| panic!("{error}"));
        let docs = ["Scales.".to_owned()];
        let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &docs }).collect();
        let header = header("scale.lane", &described);
        assert!(header.contains("#include <stdlib.h>"));
        let from = header.find("/** The bytes").expect("a function that tells them");
        let to = header.rfind("\n#ifdef").expect("an end");
        expect![[r#"
            /** The bytes of scratch memory that `scale` needs; SIZE_MAX if they are more than any memory has. */
            static inline size_t scale_scratch(int64_t rows_size0, uint64_t n, uint32_t m) {
                bool fits = true;
                int64_t bytes_ = lanescope_sum(lanescope_round_up(lanescope_product(lanescope_product(INT64_C(4), lanescope_max(lanescope_signed(n, &fits), 0), &fits), lanescope_max(rows_size0, 0), &fits), &fits), lanescope_product(INT64_C(8), lanescope_max((int64_t)(uint32_t)(uint64_t)lanescope_difference(m, INT64_C(1), &fits), 0), &fits), &fits);
                return lanescope_bytes(bytes_, fits);
            }
            /**
             * Scales.
             *
             * `scratch` points to scale_scratch(rows_size0, n, m) bytes of memory that nothing else uses meanwhile,
             * at an address that is a multiple of 64; it may be null if they are 0:
             *     aligned(4 * n * rows_size0) + 8 * wrapped(m - 1, u32)
             * where aligned(x) is x rounded up to a multiple of 64.
             * wrapped(x, type) is x as unsigned arithmetic has it, modulo the numbers of the type.
             */
            float scale(const float *LANESCOPE_RESTRICT rows, int64_t rows_size0, uint64_t n, uint32_t m, int32_t bytes, void *scratch);
            /** Calls `scale` with scratch memory that it allocates and frees, and stores its result to `result`.
             * Returns false, and does not call it, if there is not so much memory. */
            static inline bool scale_alloc_(const float *LANESCOPE_RESTRICT rows, int64_t rows_size0, uint64_t n, uint32_t m, int32_t bytes, float *result) {
                size_t bytes_ = scale_scratch(rows_size0, n, m);
                void *memory = lanescope_allocate(bytes_);
                if (memory == NULL) {
                    return false;
                }
                *result = scale(rows, rows_size0, n, m, bytes, lanescope_aligned(memory));
                free(memory);
                return true;
            }

            /** The bytes of scratch memory that `scale_alloc` needs; SIZE_MAX if they are more than any memory has. */
            static inline size_t scale_alloc_scratch(void) {
                bool fits = true;
                int64_t bytes = INT64_C(4100);
                return lanescope_bytes(bytes, fits);
            }
            /**
             * Scales.
             *
             * `scratch_` points to scale_alloc_scratch() bytes of memory that nothing else uses meanwhile,
             * at an address that is a multiple of 64; it may be null if they are 0:
             *     4100
             */
            void scale_alloc(float *LANESCOPE_RESTRICT scratch, void *scratch_);
            /** Calls `scale_alloc` with scratch memory that it allocates and frees.
             * Returns false, and does not call it, if there is not so much memory. */
            static inline bool scale_alloc_alloc(float *LANESCOPE_RESTRICT scratch) {
                size_t bytes = scale_alloc_scratch();
                void *memory = lanescope_allocate(bytes);
                if (memory == NULL) {
                    return false;
                }
                scale_alloc(scratch, lanescope_aligned(memory));
                free(memory);
                return true;
            }
        "#]].assert_eq(&header[from..to]);
    }

    #[test]
    fn a_kernel_that_compares_sizes_returns_a_status() {
        let text = "\
@checked
@scratch(array(4, n))
kernel total(a: f32[n], b: f32[?], n: i32) -> f32:
    assert_size(n, size(b))
    return a[0]

@checked
kernel add(result: f32[?], b: f32[?]):
    assert_size(size(result), size(b))
    result[0] = b[0]
";
        let kernels = ir::read(text, None).unwrap_or_else(|error| panic!("{error}"));
        let docs = ["Adds.".to_owned()];
        let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &docs }).collect();
        let header = header("add.lane", &described);
        let from = header.find("#ifndef LANESCOPE_STATUS").expect("the statuses");
        let to = header.rfind("\n#ifdef").expect("an end");
        expect![[r#"
            #ifndef LANESCOPE_STATUS
            #define LANESCOPE_STATUS
            /* What kernels return that compare sizes before they do anything else. */
            enum lanescope_status {
                /* There is too little memory: only functions that allocate say so. */
                LANESCOPE_NO_MEMORY = -1,
                /* The kernel has come to its end. */
                LANESCOPE_DONE = 0,
                /* Sizes that have to be equal differ, or there is no element where one is needed: the kernel has done nothing. */
                LANESCOPE_SIZES_DIFFER = 1
            };
            #endif

            /** The bytes of scratch memory that `total` needs; SIZE_MAX if they are more than any memory has. */
            static inline size_t total_scratch(int32_t n) {
                bool fits = true;
                int64_t bytes = lanescope_product(INT64_C(4), lanescope_max(n, 0), &fits);
                return lanescope_bytes(bytes, fits);
            }
            /**
             * Adds.
             *
             * Returns LANESCOPE_DONE (0) and stores its result to `result`, or LANESCOPE_SIZES_DIFFER (1)
             * if sizes differ that have to be equal, or there is no element where one is needed; then nothing is written.
             *
             * `scratch` points to total_scratch(n) bytes of memory that nothing else uses meanwhile,
             * at an address that is a multiple of 64; it may be null if they are 0:
             *     4 * n
             */
            int32_t total(const float *LANESCOPE_RESTRICT a, const float *LANESCOPE_RESTRICT b, int64_t b_size0, int32_t n, float *result, void *scratch);
            /** Calls `total` with scratch memory that it allocates and frees, and returns what it does.
             * Returns LANESCOPE_NO_MEMORY (-1), and does not call it, if there is not so much memory. */
            static inline int32_t total_alloc(const float *LANESCOPE_RESTRICT a, const float *LANESCOPE_RESTRICT b, int64_t b_size0, int32_t n, float *result) {
                size_t bytes = total_scratch(n);
                void *memory = lanescope_allocate(bytes);
                if (memory == NULL) {
                    return LANESCOPE_NO_MEMORY;
                }
                int32_t status = total(a, b, b_size0, n, result, lanescope_aligned(memory));
                free(memory);
                return status;
            }

            /**
             * Adds.
             *
             * Returns LANESCOPE_DONE (0), or LANESCOPE_SIZES_DIFFER (1)
             * if sizes differ that have to be equal, or there is no element where one is needed; then nothing is written.
             */
            int32_t add(float *LANESCOPE_RESTRICT result, int64_t result_size0, const float *LANESCOPE_RESTRICT b, int64_t b_size0);
        "#]].assert_eq(&header[from..to]);
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
