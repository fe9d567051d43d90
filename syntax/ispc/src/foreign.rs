//! Words of C and C++ that ISPC has not, and what is written in their place.

/// The name of a type that people write who know C, C++ or its vector types: what to do.
pub(crate) fn type_advice(name: &str) -> Option<String> {
    if let Some(vector) = short_vector(name) {
        return Some(format!("there is no type `{name}`: a short vector is `{vector}`"));
    }
    if let Some(number) = register(name) {
        return Some(format!(
            "ISPC has no types of registers such as `{name}`: a varying `{number}` is one, with a number a lane"
        ));
    }
    Some(match name {
        "char" => "there is no type `char`: write `int8` or `uint8`".to_owned(),
        "short" => "there is no type `short`: write `int16`".to_owned(),
        "long" => "there is no type `long`: write `int64`".to_owned(),
        "int8_t" | "int16_t" | "int32_t" | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" => {
            format!("there is no type `{name}`: write `{}`", &name[..name.len() - 2])
        }
        "uchar" | "ushort" | "ulong" => {
            let number = [("uchar", "uint8"), ("ushort", "uint16"), ("ulong", "uint64")];
            let number = number.into_iter().find(|(own, _)| *own == name).map_or("uint", |(_, number)| number);
            format!("there is no type `{name}`: write `{number}`")
        }
        "ssize_t" => "there is no type `ssize_t`: write `int64`".to_owned(),
        "wchar_t" | "char32_t" => format!("there is no type `{name}`: write `uint32`"),
        "half" | "_Float16" => format!("there is no type `{name}`: write `float16`"),
        "auto" => "ISPC does not find the type of a variable by itself: write it in place of `auto`".to_owned(),
        "union" => {
            "ISPC has no `union`: use a `struct`, and `intbits` or `floatbits` for the bits of a number".to_owned()
        }
        "class" => "ISPC has no `class`: write `struct`, and functions that take it".to_owned(),
        "string" => "ISPC has no strings: a text stands in `print` alone".to_owned(),
        _ => return None,
    })
}

/// The short vector that a name such as `float4` or `vec3` means.
fn short_vector(name: &str) -> Option<String> {
    let digits = name.find(|char: char| char.is_ascii_digit())?;
    let (base, count) = name.split_at(digits);
    let number = match base {
        "float" | "double" | "int" | "uint" | "bool" => base,
        "vec" | "Vec" => "float",
        "ivec" => "int",
        "uvec" => "uint",
        "dvec" => "double",
        "half" => "float16",
        "char" => "int8",
        "uchar" => "uint8",
        "short" => "int16",
        "ushort" => "uint16",
        "long" => "int64",
        "ulong" => "uint64",
        _ => return None,
    };
    let count = count.strip_suffix('f').filter(|_| base.ends_with("ec")).unwrap_or(count);
    matches!(count, "2" | "3" | "4" | "8" | "16").then(|| format!("{number}<{count}>"))
}

/// The numbers in the lanes of a register's type: `__m256`.
fn register(name: &str) -> Option<&'static str> {
    let bits = name.strip_prefix("__m")?;
    Some(match bits.strip_prefix("128").or(bits.strip_prefix("256")).or(bits.strip_prefix("512"))? {
        "" => "float",
        "d" => "double",
        "i" => "int",
        _ => return None,
    })
}

/// The name of a value, function or cast that people write who know C and C++: what to do.
pub fn value_advice(name: &str) -> Option<String> {
    if let Some(vector) = short_vector(name) {
        return Some(format!("ISPC makes no short vector by a call: declare one, `{vector} v = {{ … }};`"));
    }
    Some(match name {
        "nullptr" => "write `NULL`".to_owned(),
        "printf" | "fprintf" | "puts" | "cout" | "cerr" => {
            "write `print(\"…\", x)`, in which `%` stands for each value".to_owned()
        }
        "sqrtf" | "sinf" | "cosf" | "tanf" | "asinf" | "acosf" | "atanf" | "atan2f" | "expf" | "logf" | "powf"
        | "floorf" | "ceilf" | "roundf" | "truncf" | "fmodf" | "cbrtf" => {
            format!("write `{}`, which is for all types", &name[..name.len() - 1])
        }
        "fabs" | "fabsf" | "labs" => "write `abs`".to_owned(),
        "fmin" | "fminf" => "write `min`".to_owned(),
        "fmax" | "fmaxf" => "write `max`".to_owned(),
        "M_PI" => "write `PI`".to_owned(),
        "malloc" | "calloc" | "realloc" => {
            "write `new`, as `uniform new uniform float[n]` for an array that all lanes share".to_owned()
        }
        "free" => "write `delete`".to_owned(),
        "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" => {
            "write the type in brackets in front of the value, as in C".to_owned()
        }
        "INFINITY" | "HUGE_VALF" => "write `floatbits(0x7f800000)`".to_owned(),
        "exit" => "write `assert`, which ends the program, or `return`".to_owned(),
        "__builtin_popcount" | "__popcnt" => "write `popcnt`".to_owned(),
        "__builtin_clz" => "write `count_leading_zeros`".to_owned(),
        "__builtin_ctz" => "write `count_trailing_zeros`".to_owned(),
        "laneid" | "threadIdx" => "write `programIndex`".to_owned(),
        _ => return None,
    })
}

/// The libraries of C and C++, of which ISPC reads no header: what to do.
pub(crate) fn header_advice(name: &str) -> Option<&'static str> {
    const OF_C: &[&str] = &[
        "assert",
        "ctype",
        "errno",
        "float",
        "inttypes",
        "limits",
        "math",
        "memory",
        "setjmp",
        "signal",
        "stdarg",
        "stdatomic",
        "stdbool",
        "stddef",
        "stdint",
        "stdio",
        "stdlib",
        "string",
        "time",
    ];
    const OF_CPP: &[&str] = &[
        "algorithm",
        "array",
        "atomic",
        "bit",
        "chrono",
        "cmath",
        "complex",
        "cstddef",
        "cstdint",
        "cstdio",
        "cstdlib",
        "cstring",
        "functional",
        "iostream",
        "limits",
        "map",
        "memory",
        "numeric",
        "random",
        "set",
        "span",
        "sstream",
        "string",
        "thread",
        "tuple",
        "type_traits",
        "unordered_map",
        "utility",
        "vector",
    ];
    if name == "math.h" || name == "cmath" {
        return Some("its own functions of numbers are always there: `sqrt`, `exp`, `min`, …");
    }
    if name == "stdio.h" || name == "cstdio" || name == "iostream" {
        return Some("its `print` is always there");
    }
    let is_of_c = name.strip_suffix(".h").is_some_and(|stem| OF_C.contains(&stem));
    (is_of_c || OF_CPP.contains(&name)).then_some("what ISPC has of it is always there")
}

/// Returns true for a header of the libraries of C and C++.
pub fn is_header(name: &str) -> bool {
    header_advice(name).is_some()
}

/// The names of `std` that are kinds of memory or texts.
pub(crate) fn is_container(name: &str) -> bool {
    const ALL: &[&str] = &[
        "array",
        "deque",
        "list",
        "map",
        "pair",
        "set",
        "shared_ptr",
        "span",
        "string",
        "tuple",
        "unique_ptr",
        "unordered_map",
        "unordered_set",
        "vector",
    ];
    ALL.contains(&name)
}
