//! The text of modules. That they work is shown where there is a whole program: by callers that are compiled and run.

use expect_test::expect;

use super::*;

const KERNELS: &str = "\
struct Point:
    x: f32
    on: bool

kernel mix(points: Point[?], out: f32[n], rows: f64[?, m], table: f32[16], twice: i32[(n * 2)], n: i32, m: i64, type: bool) -> i64:
    out[0] = points.x[n]
    return size(points)

@checked
@scratch((aligned(array(4, n)) + array(8, wrapped((k - 1), u32))))
kernel total(a: f32[n], b: f32[?], n: i32, k: u32) -> f32:
    assert_size(n, size(b))
    return a[0]

kernel brighten(photo: u8[h, w], out: u8[h, w], h: i32, w: i32, by: u8):
    out[0, 0] = by

kernel brighten_iterations(h: i32) -> i64:
    return i64(h)

kernel brighten_part(begin: i64, end: i64, photo: u8[h, w], out: u8[h, w], h: i32, w: i32, by: u8):
    out[0, 0] = by
";

/// A writer of modules.
type Writer = fn(&str, &str, &[Described<'_>], &[crate::header::HeaderConstant]) -> String;

fn module(of: Writer) -> String {
    module_of(KERNELS, of)
}

fn module_of(kernels: &str, of: Writer) -> String {
    let kernels = ir::read(kernels, None).unwrap_or_else(|error| panic!("{error}"));
    let docs = ["Does \"it\".".to_owned(), String::new(), "Slowly.".to_owned()];
    let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &docs }).collect();
    let constant = |name: &str, value| crate::header::HeaderConstant { name: name.to_owned(), value, elem: Elem::I8 };
    of("a/mix.lane", "mix", &described, &[constant("Kind_low", -128), constant("Kind_high", 127)])
}

#[test]
fn rust_checks_slices() {
    let text = module(rust::module);
    let end = text.find("/// Sizes of arrays and of scratch memory.").expect("the functions on sizes");
    expect![[r#"
        // Made by lanescope from a/mix.lane.
        //
        // Declare this file as a module, and link its object: by `rustc -C link-arg=mix.o`, or with Cargo by a `build.rs` that prints
        //
        //     cargo::rustc-link-arg=PATH/mix.o

        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub const Kind_low: i8 = -128;
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub const Kind_high: i8 = 127;

        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        #[repr(C)]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct Point {
            pub x: f32,
            pub on: bool,
        }

        /// Does "it".
        ///
        /// Slowly.
        ///
        /// `n` is the length of `out`.
        /// `rows` has [_, m] cells, row by row.
        ///
        /// # Panics
        ///
        /// If arrays have other sizes than the kernel says.
        ///
        /// # Safety
        ///
        /// The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
        /// and an access outside of an array is undefined behaviour.
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub unsafe fn mix(points: &[Point], out: &mut [f32], rows: &[f64], table: &[f32], twice: &[i32], m: i64, type_: bool) -> i64 {
            let n = sizes::told::<i32>("out", out.len());
            sizes::check_rows("rows", rows.len(), sizes::of(m));
            sizes::check("table", table.len(), Some(16));
            sizes::check("twice", twice.len(), sizes::product(sizes::of(n), Some(2)));
            // SAFETY: sizes are as the kernel says, arrays that it writes overlap no other, and the caller answers for the rest.
            unsafe { raw::mix(points.as_ptr(), points.len() as i64, out.as_mut_ptr(), rows.as_ptr(), table.as_ptr(), twice.as_ptr(), n, m, type_) }
        }

        /// Does "it".
        ///
        /// Slowly.
        ///
        /// `n` is the length of `a`.
        ///
        /// # Panics
        ///
        /// If arrays have other sizes than the kernel says.
        ///
        /// # Safety
        ///
        /// The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
        /// and an access outside of an array is undefined behaviour.
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub unsafe fn total(a: &[f32], b: &[f32], k: u32) -> f32 {
            let n = sizes::told::<i32>("a", a.len());
            let mut result = 0 as f32;
            let mut memory = sizes::scratch(sizes::sum(sizes::product(sizes::floored(sizes::sum(sizes::product(Some(4), sizes::most(sizes::of(n), Some(0))), Some(63)), Some(64)), Some(64)), sizes::product(Some(8), sizes::most(sizes::wrapped(sizes::difference(sizes::of(k), Some(1)), 32, false), Some(0)))));
            // SAFETY: sizes are as the kernel says, arrays that it writes overlap no other, and the caller answers for the rest.
            let status = unsafe { raw::total(a.as_ptr(), b.as_ptr(), b.len() as i64, n, k, &mut result, memory.as_mut_ptr().cast()) };
            assert!(status == 0, "sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing");
            result
        }

        /// Does "it".
        ///
        /// Slowly.
        ///
        /// `photo` has [h, w] cells, row by row.
        /// `out` has [h, w] cells, row by row.
        ///
        /// # Panics
        ///
        /// If arrays have other sizes than the kernel says.
        ///
        /// # Safety
        ///
        /// The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
        /// and an access outside of an array is undefined behaviour.
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub unsafe fn brighten(photo: &[u8], out: &mut [u8], h: i32, w: i32, by: u8) {
            sizes::check("photo", photo.len(), sizes::product(sizes::of(h), sizes::of(w)));
            sizes::check("out", out.len(), sizes::product(sizes::of(h), sizes::of(w)));
            // SAFETY: sizes are as the kernel says, arrays that it writes overlap no other, and the caller answers for the rest.
            unsafe { raw::brighten(photo.as_ptr(), out.as_mut_ptr(), h, w, by) }
        }

        /// Does what [`brighten`] does by so many threads, with the same bits whatever their number.
        ///
        /// `photo` has [h, w] cells, row by row.
        /// `out` has [h, w] cells, row by row.
        ///
        /// # Panics
        ///
        /// If arrays have other sizes than the kernel says.
        ///
        /// # Safety
        ///
        /// The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
        /// and an access outside of an array is undefined behaviour.
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub unsafe fn brighten_in_threads(threads: usize, photo: &[u8], out: &mut [u8], h: i32, w: i32, by: u8) {
            sizes::check("photo", photo.len(), sizes::product(sizes::of(h), sizes::of(w)));
            sizes::check("out", out.len(), sizes::product(sizes::of(h), sizes::of(w)));
            let photo_at = sizes::Address(photo.as_ptr().cast_mut());
            let out_at = sizes::Address(out.as_mut_ptr());
            // SAFETY: as above; the parts may run at the same time.
            let n_iterations = unsafe { raw::brighten_iterations(h) };
            sizes::divide(threads, n_iterations, |begin, end| {
                unsafe { raw::brighten_part(begin, end, photo_at.get(), out_at.get(), h, w, by) };
            });
        }

        /// The functions of the object, as C calls them.
        #[allow(dead_code, non_camel_case_types, non_snake_case, non_upper_case_globals)]
        pub mod raw {
            #[allow(unused_imports)]
            use super::*;

            unsafe extern "C" {
                pub fn mix(points: *const Point, points_size0: i64, out: *mut f32, rows: *const f64, table: *const f32, twice: *const i32, n: i32, m: i64, type_: bool) -> i64;
                pub fn total(a: *const f32, b: *const f32, b_size0: i64, n: i32, k: u32, result_: *mut f32, scratch: *mut u8) -> i32;
                pub fn brighten(photo: *const u8, out: *mut u8, h: i32, w: i32, by: u8);
                pub fn brighten_iterations(h: i32) -> i64;
                pub fn brighten_part(begin_: i64, end_: i64, photo: *const u8, out: *mut u8, h: i32, w: i32, by: u8);
            }
        }

    "#]].assert_eq(&text[..end]);
}

#[test]
fn cpp_checks_spans() {
    let text = module(cpp::module);
    let start = text.find("/** Sizes of arrays").expect("the functions on sizes");
    let end = text.find("/**\n * Does \"it\"").expect("the first kernel");
    expect![[r#"
        /* Made by lanescope from a/mix.lane: calls its kernels on spans.
         *
         * Link mix.o, and threads by -pthread. A source file includes this or mix.h: what that declares is in `mix::raw`.
         */
        #ifndef LANESCOPE_MIX_LANE_HPP
        #define LANESCOPE_MIX_LANE_HPP

        #ifdef LANESCOPE_MIX_LANE_H
        #error "mix.hpp takes the place of mix.h: include one of them in a source file"
        #endif

        #include <algorithm>
        #include <atomic>
        #include <cstddef>
        #include <cstdint>
        #include <exception>
        #include <functional>
        #include <limits>
        #include <memory>
        #include <mutex>
        #include <new>
        #include <optional>
        #include <span>
        #include <stdexcept>
        #include <string>
        #include <thread>
        #include <utility>
        #include <vector>

        namespace mix {

        inline constexpr std::int8_t Kind_low = -128;
        inline constexpr std::int8_t Kind_high = 127;

        struct Point {
            float x;
            bool on;
        };

        /** The functions of the object, as C calls them. */
        namespace raw {
        extern "C" {
        std::int64_t mix(const Point* points, std::int64_t points_size0, float* out, const double* rows, const float* table, const std::int32_t* twice, std::int32_t n, std::int64_t m, bool type);
        std::int32_t total(const float* a, const float* b, std::int64_t b_size0, std::int32_t n, std::uint32_t k, float* result_, void* scratch);
        void brighten(const std::uint8_t* photo, std::uint8_t* out, std::int32_t h, std::int32_t w, std::uint8_t by);
        std::int64_t brighten_iterations(std::int32_t h);
        void brighten_part(std::int64_t begin_, std::int64_t end_, const std::uint8_t* photo, std::uint8_t* out, std::int32_t h, std::int32_t w, std::uint8_t by);
        }
        }  // namespace raw

        […]

        /**
         * Does "it".
         *
         * Slowly.
         *
         * `n` is the length of `out`.
         * `rows` has [_, m] cells, row by row.
         * `out` is written, and must not overlap `points`, `rows`, `table` or `twice`.
         *
         * Throws std::invalid_argument if arrays have other sizes than the kernel says, or overlap where they must not.
         *
         * The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
         * and an access outside of an array is undefined behaviour.
         */
        inline std::int64_t mix(std::span<const Point> points, std::span<float> out, std::span<const double> rows, std::span<const float> table, std::span<const std::int32_t> twice, std::int64_t m, bool type) {
            const auto n = sizes::told<std::int32_t>("mix::mix", "out", out.size(), "n");
            sizes::check_rows("mix::mix", "rows", rows.size(), sizes::of(m), ": m");
            sizes::check("mix::mix", "table", table.size(), 16, "");
            sizes::check("mix::mix", "twice", twice.size(), sizes::product(sizes::of(n), 2), ": n * 2, where n is the length of `out`");
            sizes::apart("mix::mix", "out", out, "points", points);
            sizes::apart("mix::mix", "out", out, "rows", rows);
            sizes::apart("mix::mix", "out", out, "table", table);
            sizes::apart("mix::mix", "out", out, "twice", twice);
            return raw::mix(points.data(), std::ssize(points), out.data(), rows.data(), table.data(), twice.data(), n, m, type);
        }

        /**
         * Does "it".
         *
         * Slowly.
         *
         * `n` is the length of `a`.
         *
         * Throws std::invalid_argument if arrays have other sizes than the kernel says.
         *
         * The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
         * and an access outside of an array is undefined behaviour.
         */
        inline float total(std::span<const float> a, std::span<const float> b, std::uint32_t k) {
            const auto n = sizes::told<std::int32_t>("mix::total", "a", a.size(), "n");
            const sizes::Memory memory = sizes::scratch("mix::total", sizes::sum(sizes::product(sizes::floored(sizes::sum(sizes::product(4, sizes::most(sizes::of(n), 0)), 63), 64), 64), sizes::product(8, sizes::most(sizes::wrapped(sizes::difference(sizes::of(k), 1), 32, false), 0))));
            float result{};
            sizes::done("mix::total", raw::total(a.data(), b.data(), std::ssize(b), n, k, &result, memory.get()));
            return result;
        }

        /**
         * Does "it".
         *
         * Slowly.
         *
         * `photo` has [h, w] cells, row by row.
         * `out` has [h, w] cells, row by row.
         * `out` is written, and must not overlap `photo`.
         *
         * Throws std::invalid_argument if arrays have other sizes than the kernel says, or overlap where they must not.
         *
         * The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
         * and an access outside of an array is undefined behaviour.
         */
        inline void brighten(std::span<const std::uint8_t> photo, std::span<std::uint8_t> out, std::int32_t h, std::int32_t w, std::uint8_t by) {
            sizes::check("mix::brighten", "photo", photo.size(), sizes::product(sizes::of(h), sizes::of(w)), ": h * w");
            sizes::check("mix::brighten", "out", out.size(), sizes::product(sizes::of(h), sizes::of(w)), ": h * w");
            sizes::apart("mix::brighten", "out", out, "photo", photo);
            raw::brighten(photo.data(), out.data(), h, w, by);
        }

        /**
         * Does what `brighten` does by so many threads, with the same bits whatever their number.
         *
         * `photo` has [h, w] cells, row by row.
         * `out` has [h, w] cells, row by row.
         * `out` is written, and must not overlap `photo`.
         *
         * Throws std::invalid_argument if arrays have other sizes than the kernel says, or overlap where they must not.
         *
         * The kernel has to run without an error on these arguments, as `lanescope run` shows. It checks no subscript itself,
         * and an access outside of an array is undefined behaviour.
         */
        inline void brighten_in_threads(std::size_t threads, std::span<const std::uint8_t> photo, std::span<std::uint8_t> out, std::int32_t h, std::int32_t w, std::uint8_t by) {
            sizes::check("mix::brighten_in_threads", "photo", photo.size(), sizes::product(sizes::of(h), sizes::of(w)), ": h * w");
            sizes::check("mix::brighten_in_threads", "out", out.size(), sizes::product(sizes::of(h), sizes::of(w)), ": h * w");
            sizes::apart("mix::brighten_in_threads", "out", out, "photo", photo);
            const auto part = [&](std::int64_t begin, std::int64_t end) {
                raw::brighten_part(begin, end, photo.data(), out.data(), h, w, by);
            };
            sizes::divide(threads, raw::brighten_iterations(h), part);
        }

        }  // namespace mix

        #endif
    "#]].assert_eq(&format!("{}[…]\n\n{}", &text[..start], &text[end..]));
}

#[test]
fn python_checks_arrays() {
    let text = module(python::module);
    let start = text.find("\n_library").expect("the library");
    assert!(text.starts_with("\"\"\"Made by lanescope from a/mix.lane: calls its kernels on arrays of NumPy.\n"));
    expect![[r#"

        _library = _open("mix")
        Kind_low = -128
        Kind_high = 127
        Point = np.dtype(
            {
                "names": ["x", "on"],
                "formats": ["float32", "bool"],
                "offsets": [0, 4],
                "itemsize": 8,
            }
        )
        _c_mix = _library["mix"]
        _c_mix.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_bool]
        _c_mix.restype = ctypes.c_int64
        _c_total = _library["total"]
        _c_total.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_uint32, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p]
        _c_total.restype = ctypes.c_int32
        _c_brighten = _library["brighten"]
        _c_brighten.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_uint8]
        _c_brighten.restype = None
        _c_brighten_iterations = _library["brighten_iterations"]
        _c_brighten_iterations.argtypes = [ctypes.c_int32]
        _c_brighten_iterations.restype = ctypes.c_int64
        _c_brighten_part = _library["brighten_part"]
        _c_brighten_part.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32, ctypes.c_uint8]
        _c_brighten_part.restype = None


        def mix(points, out, rows, table, twice, type):
            """Does 'it'.

            Slowly.

            points: Point of shape (any,)
            out: float32 of shape (n,), written
            rows: float64 of shape (any, m)
            table: float32 of shape (16,)
            twice: int32 of shape ((n * 2),)
            """
            _array("points", points, Point, 1, False)
            _array("out", out, "float32", 1, True)
            _array("rows", rows, "float64", 2, False)
            _array("table", table, "float32", 1, False)
            _array("twice", twice, "int32", 1, False)
            n = out.shape[0]
            m = rows.shape[1]
            n = _integer("n", n, 32, True)
            m = _integer("m", m, 64, True)
            type = bool(type)
            _size("table", table, 0, 16)
            _size("twice", twice, 0, (n * 2))
            _apart("out", out, ("points", points), ("rows", rows), ("table", table), ("twice", twice))
            return _c_mix(points.ctypes.data, points.shape[0], out.ctypes.data, rows.ctypes.data, table.ctypes.data, twice.ctypes.data, n, m, type)


        def total(a, b, k):
            """Does 'it'.

            Slowly.

            a: float32 of shape (n,)
            b: float32 of shape (any,)
            """
            _array("a", a, "float32", 1, False)
            _array("b", b, "float32", 1, False)
            n = a.shape[0]
            n = _integer("n", n, 32, True)
            k = _integer("k", k, 32, False)
            memory = _memory((((((4 * max(n, 0)) + 63) // 64) * 64) + (8 * max(_wrapped((k - 1), 32, False), 0))))
            result = ctypes.c_float()
            _done(_c_total(a.ctypes.data, b.ctypes.data, b.shape[0], n, k, ctypes.byref(result), _address(memory)))
            return result.value


        def brighten(photo, out, by):
            """Does 'it'.

            Slowly.

            photo: uint8 of shape (h, w)
            out: uint8 of shape (h, w), written
            """
            _array("photo", photo, "uint8", 2, False)
            _array("out", out, "uint8", 2, True)
            h = photo.shape[0]
            w = photo.shape[1]
            h = _integer("h", h, 32, True)
            w = _integer("w", w, 32, True)
            by = _integer("by", by, 8, False)
            _size("out", out, 0, h)
            _size("out", out, 1, w)
            _apart("out", out, ("photo", photo))
            _c_brighten(photo.ctypes.data, out.ctypes.data, h, w, by)


        def brighten_in_threads(threads, photo, out, by):
            """Does what `brighten` does by so many threads, with the same bits whatever their number.

            photo: uint8 of shape (h, w)
            out: uint8 of shape (h, w), written
            """
            _array("photo", photo, "uint8", 2, False)
            _array("out", out, "uint8", 2, True)
            h = photo.shape[0]
            w = photo.shape[1]
            h = _integer("h", h, 32, True)
            w = _integer("w", w, 32, True)
            by = _integer("by", by, 8, False)
            _size("out", out, 0, h)
            _size("out", out, 1, w)
            _apart("out", out, ("photo", photo))

            def part(begin, end):
                _c_brighten_part(begin, end, photo.ctypes.data, out.ctypes.data, h, w, by)

            _divide(threads, _c_brighten_iterations(h), part)
    "#]].assert_eq(&text[start..]);
}

#[test]
fn a_name_that_is_a_word_of_the_language_takes_none_of_its_neighbours() {
    let kernels = "\
struct Pair:
    async: f32
    async_: f32

kernel k(a: Pair[n], n: i32, async_: i32, async: i32):
    a.async[n] = 1.0
";
    let rust = module_of(kernels, rust::module);
    for line in [
        "    pub async__: f32,\n    pub async_: f32,\n",
        "(a: &mut [Pair], async_: i32, async__: i32)",
        "n, async_, async__)",
    ] {
        assert!(rust.contains(line), "{line}\n{rust}");
    }
    assert!(rust.contains("(a: *mut Pair, n: i32, async_: i32, async__: i32)"), "{rust}");
    let python = module_of(kernels, python::module);
    assert!(python.contains("def k(a, async_, async__):"), "{python}");
    let kernels = "\
struct Pair:
    short: f32
    short_: f32

kernel k(Pair: Pair[n], n: i32, result_: i32, result: i32):
    Pair.short[n] = 1.0

kernel double(x: f32):
    pass

kernel raw(x: f32):
    pass
";
    let cpp = module_of(kernels, cpp::module);
    for line in [
        "    float short__;\n    float short_;\n",
        "inline void k(std::span<Pair> Pair_, std::int32_t result_, std::int32_t result__) {",
        "void k(Pair* Pair_, std::int32_t n, std::int32_t result_, std::int32_t result__);",
        "    raw::k(Pair_.data(), n, result_, result__);",
        "/* `double` is no name for a function in C++, so it is not declared. */",
        "inline void raw_(float x) {",
        "    raw::raw(x);",
    ] {
        assert!(cpp.contains(line), "{line}\n{cpp}");
    }
    assert!(!cpp.contains("inline void double"), "{cpp}");
}

/// A namespace may be called like no word of C++, and like nothing that C has in its global namespace.
#[test]
fn a_file_is_a_namespace_of_cpp() {
    let kernels = ir::read("kernel k(x: f32):\n    pass\n", None).expect("a kernel");
    let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &[] }).collect();
    for (stem, namespace) in [
        ("mix", "mix"),
        ("box-blur 2", "box_blur_2"),
        ("3d", "lane_3d"),
        ("new", "new_"),
        ("stdin", "stdin_"),
        ("random", "random_"),
    ] {
        let text = cpp::module(&format!("a/{stem}.lane"), stem, &described, &[]);
        assert!(text.contains(&format!("\nnamespace {namespace} {{\n")), "{text}");
    }
}

/// A kernel whose parts compare sizes, and need scratch memory as the count of its iterations does: what differs is told before any
/// thread starts.
#[test]
fn parts_compare_sizes_before_threads_start() {
    let kernels = "\
kernel k(a: f32[n], out: f32[n], n: i32):
    out[0] = a[0]

@scratch(array(4, n))
kernel k_iterations(a: f32[n], n: i32) -> i64:
    return i64(n)

@checked
@scratch(array(8, n))
kernel k_part(begin: i64, end: i64, a: f32[n], out: f32[n], n: i32):
    assert_size(n, 4)
    out[0] = a[0]
";
    let behind = |of: Writer, function: &str, first: &str| {
        let text = module_of(kernels, of);
        let body = &text[text.find(function).expect("the function")..];
        let body = body[body.find(first).expect("its call")..].lines().take_while(|line| !line.starts_with('}'));
        body.map(|line| format!("{}\n", line.strip_prefix("    ").unwrap_or(line))).collect::<String>()
    };
    expect![[r#"
            // A part of no iterations compares sizes, before any thread starts.
            let (begin, end) = (0, 0);
            let mut memory = sizes::scratch(sizes::product(Some(8), sizes::most(sizes::of(n), Some(0))));
            // SAFETY: as above; the parts may run at the same time.
            let status = unsafe { raw::k_part(begin, end, a_at.get(), out_at.get(), n, memory.as_mut_ptr().cast()) };
            assert!(status == 0, "sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing");
            let mut memory = sizes::scratch(sizes::product(Some(4), sizes::most(sizes::of(n), Some(0))));
            // SAFETY: as above; the parts may run at the same time.
            let n_iterations = unsafe { raw::k_iterations(a_at.get(), n, memory.as_mut_ptr().cast()) };
            sizes::divide(threads, n_iterations, |begin, end| {
                let mut memory = sizes::scratch(sizes::product(Some(8), sizes::most(sizes::of(n), Some(0))));
                unsafe { raw::k_part(begin, end, a_at.get(), out_at.get(), n, memory.as_mut_ptr().cast()) };
            });
    "#]].assert_eq(&behind(rust::module, "fn k_in_threads", "    // A part"));
    expect![[r#"
            const auto part = [&](std::int64_t begin, std::int64_t end) {
                const sizes::Memory memory = sizes::scratch("mix::k_in_threads", sizes::product(8, sizes::most(sizes::of(n), 0)));
                sizes::done("mix::k_in_threads", raw::k_part(begin, end, a.data(), out.data(), n, memory.get()));
            };
            // A part of no iterations compares sizes, before any thread starts.
            part(0, 0);
            const sizes::Memory memory = sizes::scratch("mix::k_in_threads", sizes::product(4, sizes::most(sizes::of(n), 0)));
            sizes::divide(threads, raw::k_iterations(a.data(), n, memory.get()), part);
    "#]].assert_eq(&behind(cpp::module, "void k_in_threads", "    const auto part"));
    expect![[r#"
            def part(begin, end):
                memory = _memory((8 * max(n, 0)))
                return _c_k_part(begin, end, a.ctypes.data, out.ctypes.data, n, _address(memory))

            # A part of no iterations compares sizes, before any thread starts.
            _done(part(0, 0))
            memory = _memory((4 * max(n, 0)))
            _divide(threads, _c_k_iterations(a.ctypes.data, n, _address(memory)), part)
    "#]]
    .assert_eq(&behind(python::module, "def k_in_threads", "    def part"));
}

/// The partial results of a kernel with a result have variables of their own, with room for all blocks, between parts and join. A file's own
/// kernel that ends in `_join` is none of these, where the other one gives no result.
#[test]
fn partial_results_are_joined_behind_all_parts() {
    let kernels = "\
kernel k(a: f32[n], s_: bool, n: i32) -> f32:
    return a[0]

kernel k_iterations(s_: bool, n: i32) -> i64:
    return i64(n)

kernel k_part(begin: i64, end: i64, memory: f32[?], s: bool[?], a: f32[n], s_: bool, n: i32):
    memory[begin] = a[0]
    s[begin] = s_

kernel k_join(memory: f32[?], s: bool[?], s_: bool, n: i32) -> f32:
    return select(s[0], memory[0], 0.0)

kernel other(a: f32[n], n: i32):
    a[0] = 1.0

kernel other_iterations(n: i32) -> i64:
    return i64(n)

kernel other_part(begin: i64, end: i64, a: f32[n], n: i32):
    a[0] = 1.0

kernel other_join(a: f32[n], n: i32):
    a[0] = 2.0
";
    let behind = |of: Writer, function: &str| {
        let text = module_of(kernels, of);
        let body = &text[text.find(function).expect("the function")..];
        let body = body.lines().take_while(|line| !line.starts_with('}') && !line.starts_with("def other"));
        body.map(|line| format!("{line}\n")).collect::<String>()
    };
    expect![[r#"
        pub unsafe fn k_in_threads(threads: usize, a: &[f32], s_: bool) -> f32 {
            let n = sizes::told::<i32>("a", a.len());
            let a_at = sizes::Address(a.as_ptr().cast_mut());
            // SAFETY: as above; the parts may run at the same time.
            let n_iterations = unsafe { raw::k_iterations(s_, n) };
            let mut memory_ = vec![0 as f32; usize::try_from(n_iterations).unwrap_or(0)];
            let memory__at = sizes::Address(memory_.as_mut_ptr());
            let mut s = vec![false; usize::try_from(n_iterations).unwrap_or(0)];
            let s_at = sizes::Address(s.as_mut_ptr());
            sizes::divide(threads, n_iterations, |begin, end| {
                unsafe { raw::k_part(begin, end, memory__at.get(), s_at.get(), a_at.get(), s_, n) };
            });
            // SAFETY: as above; all parts have run.
            unsafe { raw::k_join(memory__at.get(), s_at.get(), s_, n) }
    "#]]
    .assert_eq(&behind(rust::module, "pub unsafe fn k_in_threads"));
    expect![[r#"
        inline float k_in_threads(std::size_t threads, std::span<const float> a, bool s_) {
            const auto n = sizes::told<std::int32_t>("mix::k_in_threads", "a", a.size(), "n");
            std::unique_ptr<float[]> memory_;
            std::unique_ptr<bool[]> s;
            const auto part = [&](std::int64_t begin, std::int64_t end) {
                raw::k_part(begin, end, memory_.get(), s.get(), a.data(), s_, n);
            };
            const std::int64_t n_blocks = [&] {
                return raw::k_iterations(s_, n);
            }();
            memory_ = std::make_unique<float[]>(static_cast<std::size_t>(n_blocks));
            s = std::make_unique<bool[]>(static_cast<std::size_t>(n_blocks));
            sizes::divide(threads, n_blocks, part);
            return raw::k_join(memory_.get(), s.get(), s_, n);
    "#]]
    .assert_eq(&behind(cpp::module, "inline float k_in_threads"));
    expect![[r#"
        def k_in_threads(threads, a, s_):
            """Does what `k` does by so many threads, with the same bits whatever their number.
            Slowly.

            a: float32 of shape (n,)
            """
            _array("a", a, "float32", 1, False)
            n = a.shape[0]
            s_ = bool(s_)
            n = _integer("n", n, 32, True)

            def part(begin, end):
                _c_k_part(begin, end, memory_.ctypes.data, s.ctypes.data, a.ctypes.data, s_, n)

            n_blocks = _c_k_iterations(s_, n)
            memory_ = np.empty(n_blocks, "float32")
            s = np.empty(n_blocks, "bool")
            _divide(threads, n_blocks, part)
            return _c_k_join(memory_.ctypes.data, s.ctypes.data, s_, n)


    "#]]
    .assert_eq(&behind(python::module, "def k_in_threads"));
    assert!(module_of(kernels, rust::module).contains("pub unsafe fn other_join("));
}

/// What arrays must not overlap is compared once for each pair, unless the kernel allows it.
#[test]
fn arrays_that_are_written_overlap_no_others_but_those_of_alias() {
    let kernels = "\
@alias(a, b)
kernel k(a: f32[n], b: f32[n], c: f32[n], d: f32[n], n: i32):
    a[0] = d[0]
    b[0] = c[0]
";
    let python = module_of(kernels, python::module);
    assert!(
        python.contains("    _apart(\"a\", a, (\"c\", c), (\"d\", d))\n    _apart(\"b\", b, (\"c\", c), (\"d\", d))\n"),
        "{python}"
    );
    let cpp = module_of(kernels, cpp::module);
    let compared: Vec<&str> = cpp.lines().filter(|line| line.contains("sizes::apart(\"")).map(str::trim).collect();
    expect![[r#"
        sizes::apart("mix::k", "a", a, "c", c);
        sizes::apart("mix::k", "a", a, "d", d);
        sizes::apart("mix::k", "b", b, "c", c);
        sizes::apart("mix::k", "b", b, "d", d);"#]]
    .assert_eq(&compared.join("\n"));
}

#[test]
fn an_array_in_a_struct_is_one_in_the_languages_too() {
    let kernels = "\
struct Filter:
    on: bool
    z: f32[2]
    m: f64[2, 3]
    half: f16[4]

kernel k(a: Filter[n], n: i32):
    a.z[n, 1] = a.z[0, 0]
";
    let rust = module_of(kernels, rust::module);
    let fields = "    pub on: bool,\n    pub z: [f32; 2],\n    pub m: [[f64; 3]; 2],\n    pub half: [u16; 4],\n";
    assert!(rust.contains(fields), "{rust}");
    let python = module_of(kernels, python::module);
    for part in [
        r#""formats": ["bool", ("float32", (2,)), ("float64", (2, 3)), ("float16", (4,))]"#,
        r#""offsets": [0, 4, 16, 64]"#,
        r#""itemsize": 72"#,
    ] {
        assert!(python.contains(part), "{part}\n{python}");
    }
    let cpp = module_of(kernels, cpp::module);
    let fields = "    bool on;\n    float z[2];\n    double m[2][3];\n    std::uint16_t /* f16 */ half[4];\n";
    assert!(cpp.contains(fields), "{cpp}");
    let kernels = ir::read(kernels, None).unwrap_or_else(|error| panic!("{error}"));
    let described: Vec<_> = kernels.iter().map(|kernel| Described { kernel, docs: &[] }).collect();
    let c = crate::header::header("k.lane", &described);
    let fields = "    bool on;\n    float z[2];\n    double m[2][3];\n    uint16_t /* f16 */ half[4];\n";
    assert!(c.contains(fields), "{c}");
    // Its text is read as it is written.
    let text = ir::print(&kernels[0]).text;
    assert!(text.contains("    m: f64[2, 3]\n"), "{text}");
    assert_eq!(ir::read(&text, None).expect("its own text"), kernels);
}
