//! Names of other languages: the fix of each has the value that it has there.

use ::syntax::apply_edits;

use crate::common;
use crate::evaluate::fixture::run;

/// The names, an expression with each, and its value after the fix.
const NAMES: &[(&str, &str, &str, &str)] = &[
    ("INFINITY HUGE_VAL HUGE_VALF Inf Infinity infinity", "f32", "@", "inf"),
    ("NAN NaN QNAN", "f32", "@", "nan"),
    ("M_PI PI Pi", "f64", "@", "3.141592653589793"),
    ("TAU", "f64", "@", "6.283185307179586"),
    ("INT8_MAX SCHAR_MAX", "i8", "@", "127"),
    ("INT8_MIN SCHAR_MIN", "i8", "@", "-128"),
    ("INT16_MAX SHRT_MAX", "i16", "@", "32767"),
    ("INT16_MIN SHRT_MIN", "i16", "@", "-32768"),
    ("INT_MAX INT32_MAX", "i32", "@", "2147483647"),
    ("INT_MIN INT32_MIN", "i32", "@", "-2147483648"),
    ("INT64_MAX LONG_MAX LLONG_MAX", "i64", "@", "9223372036854775807"),
    ("INT64_MIN LONG_MIN LLONG_MIN", "i64", "@", "-9223372036854775808"),
    ("UINT8_MAX UCHAR_MAX", "u8", "@", "255"),
    ("UINT16_MAX USHRT_MAX", "u16", "@", "65535"),
    ("UINT_MAX UINT32_MAX", "u32", "@", "4294967295"),
    ("UINT64_MAX ULONG_MAX ULLONG_MAX SIZE_MAX", "u64", "@", "18446744073709551615"),
    ("FLT_MAX", "f32", "@", "3.4028235e38"),
    ("DBL_MAX", "f64", "@", "1.7976931348623157e308"),
    ("FLT_EPSILON", "f32", "@", "1.1920929e-7"),
    ("DBL_EPSILON", "f64", "@", "2.220446049250313e-16"),
    ("bswap16 __builtin_bswap16", "u16", "@(u16(258))", "513"),
    ("bswap32 swap_bytes __builtin_bswap32", "u32", "@(u32(1))", "16777216"),
    ("bswap64 __builtin_bswap64", "u64", "@(u64(1))", "72057594037927936"),
    ("bitreverse __builtin_bitreverse32", "u32", "@(u32(1))", "2147483648"),
    ("rotl _rotl", "u32", "@(u32(3), 31)", "2147483649"),
    ("rotr _rotr", "u32", "@(u32(3), 1)", "2147483649"),
    ("saturating_add", "u8", "@(u8(200), u8(100))", "255"),
    ("saturating_sub", "u8", "@(u8(100), u8(200))", "0"),
    ("avg_up", "u8", "@(u8(1), u8(2))", "2"),
    ("absdiff", "u8", "@(u8(1), u8(3))", "2"),
    ("True", "bool", "@", "true"),
    ("False", "bool", "@", "false"),
    ("fmin fminf", "f32", "@(1.0, 2.0)", "1.0"),
    ("fmax fmaxf", "f32", "@(1.0, 2.0)", "2.0"),
    ("fabs fabsf", "f32", "@(-1.0)", "1.0"),
    ("len size shape", "i32", "@([4, 5, 6])", "3"),
    ("where", "i32", "sum(@([true, false], [1, 2], [10, 20]))", "21"),
    ("arange", "i32", "sum(@(4))", "6"),
    ("prod", "i32", "@([2, 3, 4])", "24"),
    ("amin", "i32", "@([2, 3, 4])", "2"),
    ("amax", "i32", "@([2, 3, 4])", "4"),
    ("average", "f32", "@([2.0, 4.0])", "3.0"),
    ("concatenate append", "i32", "@([2, 3], [4])[2]", "4"),
    ("ravel", "i32", "@([[2, 3], [4, 5]])[2]", "4"),
    ("take", "i32", "@([2, 3, 4], [2])[0]", "4"),
    ("inner vdot", "i32", "@([2, 3], [4, 5])", "23"),
    ("accumulate", "i32", "@(+, 0, [2, 3, 4])[2]", "9"),
    ("rint nearbyint", "f32", "@(2.5)", "2.0"),
    ("ln", "f32", "@(1.0)", "0.0"),
    ("sgn signum", "f32", "@(-2.5)", "-1.0"),
    ("isfinite", "bool", "@(1.0)", "true"),
    ("scalbn scalbnf", "f32", "@(1.5, 2)", "6.0"),
    ("intbits as_uint floatBitsToInt floatBitsToUint", "u32", "u32(@(1.0))", "1065353216"),
    ("floatbits as_float intBitsToFloat uintBitsToFloat", "f32", "@(u32(1065353216))", "1.0"),
    ("sqrtf __sqrtf native_sqrt __fsqrt_rn half_sqrt", "f32", "@(4.0)", "2.0"),
    ("inversesqrt rsqrtf rsqrt_fast __frsqrt_rn native_rsqrt", "f32", "@(4.0)", "0.5"),
    ("mad madd", "f32", "@(2.0, 3.0, 4.0)", "10.0"),
    ("__fmaf_rn __fma_rn", "f32", "@(2.0, 3.0, 4.0)", "10.0"),
    ("native_recip __frcp_rn", "f32", "@(4.0)", "0.25"),
    ("__popc __popcll bitCount popcnt count_ones", "u32", "@(u32(7))", "3"),
    ("__clz __clzll __builtin_clz lzcnt leading_zeros", "u32", "@(u32(1))", "31"),
    ("__builtin_ctz tzcnt trailing_zeros countr_zero", "u32", "@(u32(8))", "3"),
    ("__brev", "u32", "@(u32(1))", "2147483648"),
    ("make_float2 float2 vec2f f32x2 Vec2", "f32", "@(1.0, 2.0).y", "2.0"),
    ("make_float3 float3 vec3f f32x3 Vec3", "f32", "@(1.0, 2.0, 3.0).z", "3.0"),
    ("make_float4 float4 vec4f f32x4 Vec4", "f32", "@(1.0, 2.0, 3.0, 4.0).w", "4.0"),
    ("frac", "f32", "@(1.5)", "0.5"),
    ("clip constrain", "f32", "@(3.0, 0.0, 1.0)", "1.0"),
    ("absolute", "f32", "@(-1.0)", "1.0"),
    ("power", "f32", "@(2.0, 3.0)", "8.0"),
    ("arcsin arctan", "f32", "@(0.0)", "0.0"),
    ("arccos", "f32", "@(1.0)", "0.0"),
    ("arctan2", "f32", "@(0.0, 1.0)", "0.0"),
    ("deg2rad rad2deg", "f32", "@(0.0)", "0.0"),
];

/// Names whose fix needs more than one value to be run.
const OF_STATEMENTS: [&str; 10] = [
    "prange",
    "xrange",
    "programIndex",
    "program_index",
    "programCount",
    "program_count",
    "put",
    "packed_load_active",
    "packed_store_active",
    "packed_store_active2",
];

#[test]
fn a_name_of_another_language_has_its_value() {
    let mut wrong = Vec::new();
    for (names, ty, expression, value) in NAMES {
        for name in names.split(' ') {
            let text = format!("kernel k() -> {ty}:\n    return {}\n", expression.replace('@', name));
            let found = common::diagnostics(&text);
            let fix =
                found.iter().filter(|found| found.code.name() == "unknown-name").find_map(|found| found.fixes.first());
            let Some(fix) = fix else {
                wrong.push(format!("{text}{}", common::render(&text, &found)));
                continue;
            };
            let fixed = apply_edits(&text, &fix.edits);
            let left = common::diagnostics(&fixed);
            if left.iter().any(|found| found.severity == ::syntax::Severity::Error) {
                wrong.push(format!("{fixed}{}", common::render(&fixed, &left)));
                continue;
            }
            let result = run(&fixed, "");
            if result.trim_end() != format!("result {value}") {
                wrong.push(format!("{fixed}gives {result}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each name that the message about unknown names knows from elsewhere has a row.
#[test]
fn each_name_of_another_language_has_a_row() {
    let text = common::read("analysis/hir/src/errors/foreign.rs");
    let (_, behind) = text.split_once("Some(match name {").expect("the list of names");
    let (list, _) = behind.split_once("// C's names").expect("the end of the list");
    let patterns = list.split("=>").map(|part| part.rsplit("\",\n").next().unwrap_or(part));
    let known: Vec<&str> = patterns.flat_map(|pattern| pattern.split('"').skip(1).step_by(2)).collect();
    assert!(known.len() > 80, "{known:?}");
    let has_row = |name: &&str| {
        OF_STATEMENTS.contains(name) || NAMES.iter().any(|(names, ..)| names.split(' ').any(|other| other == *name))
    };
    let missing: Vec<_> = known.into_iter().filter(|name| !has_row(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn atomic_operations_of_other_languages() {
    let rows = [
        ("add", "atomicAdd atomic_fetch_add InterlockedAdd atomic_add_global atomic_add_local", "24"),
        ("min", "atomicMin atomic_min_global", "4"),
        ("max", "atomicMax atomic_max_local", "20"),
        ("exchange", "atomicExch atomic_swap_global atomic_exchange_explicit", "4"),
    ];
    for (ours, names, expected) in rows {
        for name in names.split(' ') {
            let text = format!("kernel k(a: i32[1]) -> i32:\n    {name}(a, 0, 4)\n    return a[0]\n");
            let found = common::diagnostics(&text);
            let fix =
                found.iter().flat_map(|found| &found.fixes).find(|fix| fix.title == format!("write `atomic_{ours}`"));
            let fix = fix.unwrap_or_else(|| panic!("{name}: {found:?}"));
            let fixed = apply_edits(&text, &fix.edits);
            let ran = run(&fixed, "a = [20]");
            assert!(ran.starts_with(&format!("result {expected}\n")), "{name}: {ran}");
        }
    }
}
