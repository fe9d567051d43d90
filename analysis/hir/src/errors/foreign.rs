//! Names of C, CUDA, ISPC, GLSL, NumPy, Numba and others, and what they are here.
//!
//! A builtin of another name is a row of [`name`]; all that is done in another way, or not at all, has a sentence in [`help`].

use super::habits::{NO_SORT, REVERSED, ROTATED};
use crate::builtins::BuiltinId;

/// The builtin that has another name elsewhere.
pub(super) fn name(name: &str) -> Option<&'static str> {
    Some(match name {
        "INFINITY" | "HUGE_VAL" | "HUGE_VALF" | "Inf" | "Infinity" | "infinity" => "inf",
        "NAN" | "NaN" | "QNAN" => "nan",
        "M_PI" | "PI" | "Pi" => "pi",
        "TAU" => "tau",
        "INT8_MAX" | "SCHAR_MAX" => "largest(i8)",
        "INT8_MIN" | "SCHAR_MIN" => "lowest(i8)",
        "INT16_MAX" | "SHRT_MAX" => "largest(i16)",
        "INT16_MIN" | "SHRT_MIN" => "lowest(i16)",
        "INT_MAX" | "INT32_MAX" => "largest(i32)",
        "INT_MIN" | "INT32_MIN" => "lowest(i32)",
        "INT64_MAX" | "LONG_MAX" | "LLONG_MAX" => "largest(i64)",
        "INT64_MIN" | "LONG_MIN" | "LLONG_MIN" => "lowest(i64)",
        "UINT8_MAX" | "UCHAR_MAX" => "largest(u8)",
        "UINT16_MAX" | "USHRT_MAX" => "largest(u16)",
        "UINT_MAX" | "UINT32_MAX" => "largest(u32)",
        "UINT64_MAX" | "ULONG_MAX" | "ULLONG_MAX" | "SIZE_MAX" => "largest(u64)",
        "FLT_MAX" => "largest(f32)",
        "DBL_MAX" => "largest(f64)",
        "FLT_EPSILON" => "1.1920929e-7",
        "DBL_EPSILON" => "2.220446049250313e-16",
        "bswap16" | "bswap32" | "bswap64" | "swap_bytes" | "__builtin_bswap16" | "__builtin_bswap32"
        | "__builtin_bswap64" => "byte_swap",
        "bitreverse" | "__builtin_bitreverse32" => "reverse_bits",
        "rotl" | "_rotl" => "rotate_left",
        "rotr" | "_rotr" => "rotate_right",
        "saturating_add" => "add_sat",
        "saturating_sub" => "sub_sat",
        "avg_up" => "avg_round",
        "absdiff" => "abs_diff",
        "True" => "true",
        "False" => "false",
        "fmin" | "fminf" => "min",
        "fmax" | "fmaxf" => "max",
        "fabs" | "fabsf" => "abs",
        "programIndex" | "program_index" => "lane_id",
        "programCount" | "program_count" => "LANES",
        "len" | "shape" | "size" => "length",
        "where" => "select",
        "arange" => "iota",
        "prod" => "product",
        "amin" => "minimum",
        "amax" => "maximum",
        "average" => "mean",
        "concatenate" | "append" => "concat",
        "ravel" => "flatten",
        "take" => "gather",
        "put" => "scatter",
        "inner" | "vdot" => "dot",
        "accumulate" => "scan",
        "rint" | "nearbyint" => "round",
        "packed_load_active" => "expand_load",
        "packed_store_active" | "packed_store_active2" => "compress_store",
        "ln" => "log",
        "sgn" | "signum" => "sign",
        "isfinite" => "is_finite",
        "scalbn" | "scalbnf" => "ldexp",
        "intbits" | "as_uint" | "floatBitsToInt" | "floatBitsToUint" => "to_bits",
        "floatbits" | "as_float" | "intBitsToFloat" | "uintBitsToFloat" => "from_bits",
        "inversesqrt" | "rsqrtf" | "rsqrt_fast" | "__frsqrt_rn" | "native_rsqrt" => "rsqrt",
        "mad" | "madd" => "mul_add",
        "__fmaf_rn" | "__fma_rn" => "fma",
        "__fsqrt_rn" | "native_sqrt" => "sqrt",
        "native_recip" | "__frcp_rn" => "rcp",
        "__popc" | "__popcll" | "bitCount" | "popcnt" | "count_ones" => "popcount",
        "__clz" | "__clzll" | "__builtin_clz" | "lzcnt" | "leading_zeros" => "clz",
        "__builtin_ctz" | "tzcnt" | "trailing_zeros" | "countr_zero" => "ctz",
        "__brev" => "reverse_bits",
        "make_float2" | "float2" | "vec2f" | "f32x2" | "Vec2" => "vec2",
        "make_float3" | "float3" | "vec3f" | "f32x3" | "Vec3" => "vec3",
        "make_float4" | "float4" | "vec4f" | "f32x4" | "Vec4" => "vec4",
        "frac" => "fract",
        "prange" | "xrange" => "range",
        "clip" | "constrain" => "clamp",
        "absolute" => "abs",
        "power" => "pow",
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" => "atan",
        "arctan2" => "atan2",
        "deg2rad" => "radians",
        "rad2deg" => "degrees",
        // C's names of functions of `float`, and CUDA's and OpenCL's of fast ones.
        _ => {
            let fast = name.strip_prefix("__").or(name.strip_prefix("native_")).or(name.strip_prefix("half_"));
            let plain = name.strip_suffix('f').and_then(BuiltinId::from_name);
            let builtin = plain.or_else(|| {
                let fast = fast?;
                fast.strip_suffix('f').and_then(BuiltinId::from_name).or_else(|| BuiltinId::from_name(fast))
            })?;
            builtin.get().name
        }
    })
}

/// A function of one value that is another one here, with more arguments.
pub(super) fn with_more(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "saturate" | "__saturatef" | "clamp01" => ("clamp", "0, 1"),
        "zeros" => ("replicate", "0.0"),
        "ones" => ("replicate", "1.0"),
        _ => return None,
    })
}

const OF_THREADS: &str = "there are no threads and blocks to number: the index of a loop says which element it is, `foreach i in range(n):`, and \
                          lanes are made of its iterations";

const NO_BARRIER: &str = "lanes need no barrier: all iterations of a loop are done before the statement behind it starts, so a second loop \
                          sees what the first has stored";

/// A sentence about something that is not here, or not in this form: how it is done.
pub(super) fn help(name: &str) -> Option<&'static str> {
    Some(match name {
        "range" => "`range` stands in the header of a loop: `for i in range(n):`",
        "print" | "printf" => "kernels do not print; store to an array parameter, and `lanescope run` prints it",
        "None" | "null" | "nullptr" => "there is no such value",
        "zeros" | "ones" | "full" => "an array of one value is `replicate(n, 0.0)`",
        "bitcast" | "bit_cast" => "`to_bits(x)` are the bits of a float, `from_bits(bits)` is the float that has them",
        "fmod" | "fmodf" => "the remainder of floats is `x % y`",
        "roll" => ROTATED,
        "flip" => REVERSED,
        "isinf" => "`not is_finite(x)` holds for infinities and NaN; `abs(x) > 3.4028235e38` for those of `f32` alone",
        "__builtin_prefetch" | "prefetch_l1" | "prefetch_l2" | "prefetch_l3" | "prefetch_nt" | "_mm_prefetch" => {
            "here that is `prefetch(a, i)`: the array and the index"
        }
        "math" | "np" | "numpy" | "std" => "the built-in functions stand without a module: `sqrt(x)`",
        "threadIdx"
        | "blockIdx"
        | "blockDim"
        | "gridDim"
        | "warpSize"
        | "get_global_id"
        | "get_local_id"
        | "get_group_id"
        | "get_global_size"
        | "get_local_size"
        | "gl_GlobalInvocationID"
        | "gl_LocalInvocationID"
        | "gl_WorkGroupID"
        | "gl_LocalInvocationIndex"
        | "cuda"
        | "taskIndex"
        | "taskCount"
        | "threadIndex"
        | "threadCount"
        | "thread_idx"
        | "block_idx"
        | "global_invocation_id" => OF_THREADS,
        "__syncthreads"
        | "__syncwarp"
        | "barrier"
        | "syncthreads"
        | "memoryBarrier"
        | "memory_barrier"
        | "mem_fence"
        | "__threadfence"
        | "groupMemoryBarrier"
        | "GroupMemoryBarrierWithGroupSync"
        | "workgroupBarrier" => NO_BARRIER,
        "__shfl_sync" | "__shfl" | "__shfl_up_sync" | "__shfl_down_sync" | "__shfl_xor_sync" | "subgroupShuffle" => {
            "in a `foreach`, `shuffle(x, lane)` is the value of `x` in another lane, `rotate(x, by)` that of the lane `by` further on, and \
             `broadcast(x, lane)` that of one lane for all"
        }
        "__ballot_sync" | "__ballot" | "__activemask" | "packmask" | "lanemask" | "popcnt_mask" => {
            "in a `foreach`, `any(c)`, `all(c)` and `none(c)` ask about all active lanes, and `reduce_add(1 if c else 0)` counts them"
        }
        "__any_sync" | "__all_sync" | "subgroupAny" | "subgroupAll" => {
            "in a `foreach`, `any(c)` and `all(c)` ask about all active lanes"
        }
        "subgroupAdd" | "__reduce_add_sync" | "WaveActiveSum" => {
            "in a `foreach`, `reduce_add(x)` is the sum over all active lanes"
        }
        "__ldg" | "__ldcs" | "__stcs" | "streaming_store" | "streaming_load" => {
            "an element is `a[i]`; `@stream` above a loop has its stores go past the cache"
        }
        "extract" => "in a `foreach`, `broadcast(x, lane)` is the value of one lane for all",
        "insert" => "in a `foreach`, `y if lane_id == k else x` puts a value into one lane",
        "discard" => "in a `foreach`, `continue` ends an iteration",
        "sizeof" | "countof" | "_countof" => {
            "the size of an array is `length(a)`, counted in elements; nothing here is counted in bytes"
        }
        "memcpy" | "memmove" => "one array is copied to another by `b[:] = a`, a part of it by `b[i:j] = a[i:j]`",
        "memset" | "fill" | "bzero" => "one value is stored to all elements by `a[:] = x`",
        "malloc" | "calloc" | "alloca" | "free" | "realloc" => {
            "kernels never allocate: `let a: f32[8]` is a small array, large ones are parameters"
        }
        "NULL" => "there is no such value; a `bool` can say that there is none, or an index of -1",
        "mod" => {
            "the remainder is `x % y`, which has the sign of `x`; GLSL's `mod`, which has that of `y`, is `x - y * floor(x / y)`"
        }
        "sort" | "argsort" | "qsort" | "sorted" | "median" => NO_SORT,
        "relu" => "that is `max(x, 0)`",
        "sigmoid" | "logistic" => "that is `1 / (1 + exp(-x))`",
        "tl" | "triton" | "jl" => "the functions that are built in stand without a module, and an element is `a[i]`",
        "swap" => "two places are swapped by an assignment: `a, b = b, a`",
        "nonzero" | "argwhere" | "flatnonzero" => {
            "the indices where a condition holds are appended in a loop: `if c: out[count] = i`, then `count += 1`"
        }
        "einsum" => "products of matrices are `matmul(a, b)`; others are loops",
        "texture" | "tex2D" | "texelFetch" | "imageLoad" | "read_imagef" => "an element of an image is `image[y, x]`",
        "imageStore" | "write_imagef" => "an element of an image is stored by `image[y, x] = x`",
        "assume" | "__builtin_assume" => "`assert c` is a statement; native code assumes that it holds",
        "__builtin_expect" | "likely" | "unlikely" => {
            "the condition stands by itself; `cif` tests at run time for lanes that agree"
        }
        "vectorize" | "parallel" | "schedule" => {
            "a loop gets lanes without being told; `@lanes(8)` above it asks for so many, `@threads` above a kernel for threads"
        }
        _ if name.to_lowercase().contains("atomic") => {
            "the atomic operations are `atomic_add`, `atomic_min`, `atomic_max`, `atomic_and`, `atomic_or`, `atomic_xor` and \
             `atomic_exchange`, as in `atomic_add(a, i, x)`; there is none that compares"
        }
        _ => return None,
    })
}

/// True for a type of arrays in another language, such as `Tensor`.
pub fn is_array_type(name: &str) -> bool {
    matches!(
        name,
        "List"
            | "list"
            | "Array"
            | "array"
            | "ndarray"
            | "NDArray"
            | "Tensor"
            | "tensor"
            | "Vec"
            | "vector"
            | "Vector"
            | "Buffer"
            | "Span"
            | "span"
            | "SIMD"
            | "Slice"
            | "Pointer"
            | "UnsafePointer"
            | "DTypePointer"
            | "LayoutTensor"
            | "Func"
            | "Matrix"
    )
}

/// A sentence about an attribute of another language: what stands for it here.
pub(super) fn attribute_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "njit" | "jit" | "guvectorize" | "vectorize" | "cuda" | "triton" | "compute" | "inline" | "always_inline"
        | "export" => {
            "every kernel is compiled, its functions are inlined, and its loops get lanes where that keeps their meaning"
        }
        "parallel" | "prange" | "omp" => {
            "`@threads` above a kernel lets threads divide the iterations of its outermost loop"
        }
        "parameter" => "`static if` and `static for` are done when the program is built",
        "ivdep" | "vectorized" => {
            "a `foreach` says that its iterations are independent; `@simd` fails where a loop gets no lanes"
        }
        "fastmath" => "`@fast` allows reordered sums, contraction and approximate functions",
        _ => return None,
    })
}

/// The scalar type that has another name elsewhere.
pub fn scalar_of_others(name: &str) -> Option<&'static str> {
    Some(match name {
        "int" | "Int" | "Int32" | "int32" | "int32_t" | "long32" => "i32",
        "float" | "Float32" | "float32" | "single" => "f32",
        "double" | "Float64" | "float64" => "f64",
        "half" | "Float16" | "float16" | "_Float16" | "float16_t" | "__fp16" => "f16",
        "bfloat16" | "BFloat16" | "__bf16" | "bfloat16_t" | "bfloat" => "bf16",
        "unsigned" | "uint" | "UInt32" | "uint32" | "uint32_t" => "u32",
        "char" | "Int8" | "int8" | "int8_t" => "i8",
        "byte" | "uchar" | "UInt8" | "uint8" | "uint8_t" => "u8",
        "short" | "Int16" | "int16" | "int16_t" => "i16",
        "ushort" | "UInt16" | "uint16" | "uint16_t" => "u16",
        "long" | "Int64" | "int64" | "int64_t" | "isize" => "i64",
        "ulong" | "UInt64" | "uint64" | "uint64_t" | "size_t" | "usize" => "u64",
        "boolean" | "Bool" | "_Bool" => "bool",
        _ => return None,
    })
}
