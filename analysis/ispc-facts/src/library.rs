//! The library's functions that compute a lane's result from that lane's arguments alone.

use ispc_types::layer::{Entity, Layer};
use ispc_types::library::library;

/// Their names, sorted.
const PURE: &[&str] = &[
    "abs",
    "acos",
    "all_bits",
    "asin",
    "atan",
    "atan2",
    "broadcast",
    "cbrt",
    "ceil",
    "clamp",
    "copysign",
    "cos",
    "cosh",
    "count_leading_zeros",
    "count_trailing_zeros",
    "doublebits",
    "exp",
    "exp2",
    "float16bits",
    "float_to_half",
    "float_to_half_fast",
    "float_to_srgb8",
    "floatbits",
    "floor",
    "fmod",
    "half_to_float",
    "half_to_float_fast",
    "intbits",
    "isfinite",
    "isinf",
    "isnan",
    "log",
    "log10",
    "log2",
    "max",
    "min",
    "popcnt",
    "pow",
    "rcp",
    "rcp_fast",
    "round",
    "rsqrt",
    "rsqrt_fast",
    "saturating_add",
    "saturating_div",
    "saturating_mul",
    "saturating_sub",
    "select",
    "signbits",
    "sign_extend",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "trunc",
];

/// Returns true for a function of the library whose result is uniform where its arguments are.
pub(crate) fn is_pure(layer: &Layer, entity: Entity) -> bool {
    is_of_library(entity) && PURE.binary_search(&&*layer.entity(entity).name).is_ok()
}

/// Returns true for a declaration of the library's.
pub(crate) fn is_of_library(entity: Entity) -> bool {
    (entity.0 as usize) < library().unit.names.decls.len()
}
