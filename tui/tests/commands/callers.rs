//! The callers in `examples/callers`: each is built, if there is a compiler for it, and run, and all print the same
//! output. A caller of kernels that compare sizes, which is told by a status. And programs that call kernels by the modules
//! in Rust, C++ and Python that a build makes.

use std::path::PathBuf;
use std::process::Command;

use super::*;

/// The expected output of a caller: the samples at half the volume.
const PRINTED: &str = "0.5\n-1\n0.25\n2\n-4\n";

/// The expected output of a caller in threads: the iterations, and the sum of what they store.
const PRINTED_BY_THREADS: &str = "200 rows, 892545 steps\n";

/// The expected output of a caller that joins what threads have found.
const PRINTED_OF_BLOCKS: &str = "24 blocks, loudness 2\n";

/// The expected output of the caller that draws pictures: the sum of the bytes of each.
const PICTURES: &str = "\
mandelbrot.pgm 1983228
clouds.pgm 2390005
open_skies.pgm 2891421
volume.pgm 1110380
waves.pgm 3143652
hills.pgm 1941388
lights.ppm 7909677
";

/// Returns a folder with an example's object and headers, if LLVM is available.
fn built(example: &str) -> Option<Folder> {
    if !has_llvm() {
        return None;
    }
    let folder = Folder::new(&[]);
    let source = root().join(format!("examples/{example}.lane"));
    let build = folder.run(&["build", source.to_str().expect("UTF-8"), "-o", ".", "--emit", "obj,header,cpp"]);
    assert_eq!(build.code, Some(0), "{build}");
    Some(folder)
}

/// Returns the path of a caller's source.
fn caller(name: &str) -> PathBuf {
    root().join("examples/callers").join(name)
}

/// Returns the first of several programs that is available and runs with the given arguments; reports if there is none.
fn found(programs: &[&'static str], tried_with: &[&str]) -> Option<&'static str> {
    let works =
        |program: &&&str| Command::new(program).args(tried_with).output().is_ok_and(|output| output.status.success());
    let found = programs.iter().find(works).copied();
    if found.is_none() {
        eprintln!("skipped: {} {} does not work here", programs.join(" or "), tried_with.join(" "));
    }
    found
}

/// Returns the output of a command, which must succeed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Builds a caller with a compiler that takes the arguments of C compilers, and runs it.
fn compiled(compilers: &[&'static str], example: &str, ending: &str, flags: &[&str], expected: &str) {
    let (Some(compiler), Some(folder)) = (found(compilers, &["--version"]), built(example)) else { return };
    let mut build = Command::new(compiler);
    let source = caller(&format!("{example}.{ending}"));
    build.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", "-I", "."]).args(flags).arg(source);
    printed(build.arg(format!("{example}.o")).args(["-o", "caller"]));
    assert_eq!(printed(&mut Command::new(folder.path().join("caller"))), expected);
}

/// Returns a compiler of C that works here; reports if there is none.
pub(crate) fn c_compiler() -> Option<&'static str> {
    found(C_COMPILERS, &["--version"])
}

const C_COMPILERS: &[&str] = &["cc", "gcc", "clang"];

#[test]
fn c_calls_a_kernel() {
    compiled(C_COMPILERS, "scale_audio", "c", &[], PRINTED);
}

/// The pictures that are drawn have the same pixels on every machine.
#[test]
fn c_draws_the_programs() {
    let (Some(compiler), true) = (c_compiler(), has_llvm()) else { return };
    let folder = Folder::new(&[]);
    let programs = ["aobench", "deferred", "noise", "rays", "stencil", "volume"].map(|name| format!("programs/{name}"));
    let sources = programs.iter().map(String::as_str).chain(["mandelbrot"]);
    let sources: Vec<_> = sources.map(|name| root().join(format!("examples/{name}.lane"))).collect();
    let sources: Vec<_> = sources.iter().map(|path| path.to_str().expect("UTF-8")).collect();
    let build = folder.run(&[&["build", "-o", "."], &sources[..]].concat());
    assert_eq!(build.code, Some(0), "{build}");
    let objects = build.stdout.lines().filter(|line| line.ends_with(".o"));
    let mut compile = Command::new(compiler);
    compile.current_dir(folder.path()).args(["-O1", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror", "-I", "."]);
    printed(compile.arg(caller("pictures.c")).args(objects).args(["-o", "caller"]));
    let drawn = printed(Command::new(folder.path().join("caller")).current_dir(folder.path()));
    assert_eq!(drawn, PICTURES);
}

/// Compilers of C++20 that are tried, each under the names that it may have.
const CPP_COMPILERS: [&[&str]; 2] = [&["g++", "c++"], &["clang++", "clang++-19"]];

/// The options of C++ compilers: its version, and all that they warn of.
const CPP: [&str; 7] = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];

/// Returns the compilers of C++20 that work here; reports those that do not.
fn cpp_compilers() -> Vec<&'static str> {
    let tried = ["-std=c++20", "-fsyntax-only", "-include", "span", "-x", "c++", "/dev/null"];
    CPP_COMPILERS.iter().filter_map(|names| found(names, &tried)).collect()
}

#[test]
fn cpp_calls_kernels() {
    for compiler in cpp_compilers() {
        compiled(&[compiler], "scale_audio", "cpp", &CPP, PRINTED);
        let threads = [&CPP[..], &["-pthread"][..]].concat();
        compiled(&[compiler], "julia", "cpp", &threads, PRINTED_BY_THREADS);
        compiled(&[compiler], "loudness", "cpp", &threads, PRINTED_OF_BLOCKS);
    }
}

/// The headers of all examples are C++ that no compiler warns of, also beside each other.
#[test]
fn headers_of_spans_compile_without_warnings() {
    let folder = Folder::new(&[]);
    let examples = lane_files();
    let examples: Vec<&str> = examples.iter().map(String::as_str).collect();
    let build = folder.run(&[&["build", "-o", ".", "--emit", "cpp", "--target", "avx2"], &examples[..]].concat());
    assert_eq!(build.code, Some(0), "{build}");
    assert!(build.stdout.lines().count() > 15, "{build}");
    // Kernels of one name cannot be in one program. Each of these is the text of a file, and the kernels that it declares.
    let mut files: Vec<(String, Vec<String>)> = Vec::new();
    for path in build.stdout.lines() {
        let header = folder.read(path);
        let declared =
            header.split("extern \"C\" {\n").nth(1).and_then(|rest| rest.split("}\n").next()).expect("functions");
        let name = |line: &str| line.split('(').next()?.rsplit(' ').next().map(str::to_owned);
        let names: Vec<String> = declared.lines().filter_map(name).collect();
        let file = match files.iter_mut().find(|(_, others)| names.iter().all(|name| !others.contains(name))) {
            Some(file) => file,
            None => files.push_mut(Default::default()),
        };
        file.0 += &format!("#include \"{path}\"\n");
        file.1.extend(names);
    }
    for (number, (text, _)) in files.iter().enumerate() {
        let name = format!("all{number}.cpp");
        folder.write(&name, text);
        for compiler in cpp_compilers() {
            let mut check = Command::new(compiler);
            printed(check.current_dir(folder.path()).args(CPP).args(["-fsyntax-only", &name]));
        }
    }
}

#[test]
fn c_runs_a_kernel_in_threads_and_in_one() {
    for (example, expected) in [("julia", PRINTED_BY_THREADS), ("loudness", PRINTED_OF_BLOCKS)] {
        compiled(C_COMPILERS, example, "c", &["-Wno-unknown-pragmas"], expected);
        if has_openmp() {
            compiled(C_COMPILERS, example, "c", &["-fopenmp"], expected);
        }
    }
}

/// Says whether the compiler links OpenMP's library, which may not be installed beside it.
fn has_openmp() -> bool {
    let folder = Folder::new(&[("main.c", "int main(void) { return 0; }\n")]);
    let compiler = C_COMPILERS.iter().find(|compiler| Command::new(compiler).arg("--version").output().is_ok());
    let mut build = Command::new(compiler.unwrap_or(&"cc"));
    let built = build.current_dir(folder.path()).args(["-fopenmp", "main.c", "-o", "main"]).output();
    built.is_ok_and(|output| output.status.success())
}

/// The examples with callers in Rust and Python, and their output.
const CALLERS: [(&str, &str); 3] =
    [("scale_audio", PRINTED), ("julia", PRINTED_BY_THREADS), ("loudness", PRINTED_OF_BLOCKS)];

#[test]
fn rust_calls_kernels() {
    for (example, expected) in CALLERS {
        let (Some(rustc), Some(folder)) = (found(&["rustc"], &["--version"]), built(example)) else { return };
        let mut build = Command::new(rustc);
        let source = caller(&format!("{example}.rs"));
        build.current_dir(folder.path()).args(["--edition", "2024", "-D", "warnings"]).arg(source);
        printed(build.args(["-C", &format!("link-arg={example}.o"), "-o", "caller"]));
        assert_eq!(printed(&mut Command::new(folder.path().join("caller"))), expected);
    }
}

#[test]
fn python_calls_kernels() {
    let compiler = found(C_COMPILERS, &["--version"]);
    let python = found(&["python3", "/usr/bin/python3"], &["-c", "import numpy"]);
    for (example, expected) in CALLERS {
        let (Some(compiler), Some(python), Some(folder)) = (compiler, python, built(example)) else { return };
        let library = folder.path().join("kernels.so");
        let mut link = Command::new(compiler);
        printed(link.current_dir(folder.path()).args(["-shared", &format!("{example}.o"), "-o"]).arg(&library));
        let source = caller(&format!("{example}.py"));
        assert_eq!(printed(Command::new(python).arg(source).arg(&library)), expected);
    }
}

/// A kernel in threads does natively what it does in one piece, whatever their number.
#[test]
fn threads_give_what_one_gives() {
    if !has_llvm() {
        return;
    }
    let program = "\
@threads
kernel k(a: f32[n], w: f32[5], out: f32[n], n: i32):
    let half = map(\\x -> x * 0.5, w)
    for i in range(n - 3, 1, -2):
        let window: f32[5]
        for j in range(5):
            window[j] = a[i + j - 2] * half[j]
        out[i] = maximum(scan(+, 0.0, window))
";
    let counting = "\
@threads
kernel count(bins: i32[16], a: f32[n], n: i32):
    for i in range(n):
        atomic_add(bins, i32(a[i] * 16.0), 1)
";
    let folder = Folder::new(&[("k.lane", program), ("count.lane", counting)]);
    let run = |file: &str, given: &[&str], more: &[&str]| {
        let given = given.iter().flat_map(|given| ["--arg", given]).collect::<Vec<_>>();
        let run = folder.run(&[&["run", file, "--json"], &given[..], more].concat());
        assert_eq!(run.code, Some(0), "{run}");
        run.stdout
    };
    let stencil = ["a=random(1007, 3)", "w=ramp(5)", "out=zeros(1007)", "n=1007"];
    let histogram = ["bins=zeros(16)", "a=random(10007, 3)", "n=10007"];
    for (file, given) in [("k.lane", &stencil[..]), ("count.lane", &histogram)] {
        let expected = run(file, given, &[]);
        for threads in ["1", "2", "3", "16"] {
            let found = run(file, given, &["--engine", "native", "--threads", threads]);
            assert_eq!(found, expected, "{file} by {threads} threads");
        }
    }
    let refused = folder.run(&["run", "k.lane", "--threads", "0"]);
    assert_eq!(refused.code, Some(2), "{refused}");
}

/// The results of a kernel in threads are joined from blocks, and have the same bits whatever their number: also those of floats, whose sums
/// go block by block, and also in several blocks of 4096 iterations, or of 16 that run loops.
#[test]
fn results_are_joined_by_any_number_of_threads() {
    if !has_llvm() {
        return;
    }
    let exact = "\
@threads
kernel found(a: f32[n], out: f32[n], n: i32) -> f32:
    let least = 1e9
    let total: i32 = 0
    let any = false
    for i in range(n - 3, 1, -2):
        out[i] = a[i] * 2.0
        least = min(a[i], least)
        total += i32(a[i] * 1000.0)
        if a[i] > 0.999:
            any = true
    return f32(total) + least * (1.0 if any else 3.0)
";
    let rows = "\
@threads
kernel rows(m: i32[h, w], h: i32, w: i32) -> i32:
    let most: i32 = -1
    for y in range(h):
        for x in range(w):
            most = max(most, m[y, x])
    return most
";
    let sums = "\
@threads
@reassoc
kernel sums(a: f32[n], b: f32[n], n: i32) -> f32:
    let s = 0.5
    for i in range(n):
        s += a[i] * b[i]
    return s + a[n - 1]
";
    let folder = Folder::new(&[("found.lane", exact), ("rows.lane", rows), ("sums.lane", sums)]);
    let run = |file: &str, given: &[&str], more: &[&str]| {
        let given = given.iter().flat_map(|given| ["--arg", given]).collect::<Vec<_>>();
        let run = folder.run(&[&["run", file, "--json"], &given[..], more].concat());
        assert_eq!(run.code, Some(0), "{run}");
        run.stdout
    };
    let found = ["a=random(30007, 3)", "out=zeros(30007)", "n=30007"];
    let none = ["a=random(3, 3)", "out=zeros(3)", "n=3"];
    let rows = ["m=ramp(30000)", "h=300", "w=100"];
    for (file, given) in [("found.lane", &found[..]), ("found.lane", &none), ("rows.lane", &rows)] {
        let expected = run(file, given, &[]);
        for threads in ["1", "2", "3", "7", "16"] {
            let found = run(file, given, &["--engine", "native", "--threads", threads]);
            assert_eq!(found, expected, "{file} by {threads} threads");
        }
    }
    let sums = ["a=random(30007, 3)", "b=random(30007, 4)", "n=30007"];
    let native = |threads: &str| run("sums.lane", &sums, &["--engine", "native", "--threads", threads]);
    let expected = native("1");
    for threads in 2..=16 {
        assert_eq!(native(&threads.to_string()), expected, "by {threads} threads");
    }
    // Whole numbers have exact sums, in whatever order.
    let whole = ["a=fill(20000, 2)", "b=fill(20000, 1)", "n=20000"];
    assert_eq!(run("sums.lane", &whole, &["--engine", "native", "--threads", "2"]), run("sums.lane", &whole, &[]));
}

/// Kernels that compare sizes: one without a result, one with a result, and one that needs scratch memory as well.
const CHECKED: &str = "\
## Adds.
kernel add(a: f32[n], b: f32[m], out: f32[n], n: i32, m: i32):
    out[0] = -1.0
    for i in range(n):
        out[i] = a[i]
    out[:] += b

kernel inner(a: f32[n], b: f32[m], result: i32, n: i32, m: i32) -> f32:
    return dot(a, b) + f32(result)

kernel last(a: f32[n], b: f32[m], n: i32, m: i32, twice: bool) -> bool:
    sums = scan(+, 0.0, a)
    if twice:
        sums = sums + b
    a[0] = sums[n - 1]
    a[1] = sums[n // 2]
    return a[0] > 10.0

kernel plain(a: f32[n], n: i32) -> f32:
    return a[n - 1]
";

/// A program in C or C++ that calls them with sizes that are equal and with others.
const CALLS: &str = r#"
#include "checked.h"
#include <stdio.h>
#include <string.h>
int main(void) {
    float a[40], b[40], out[40], product = -5;
    bool large = false;
    for (int i = 0; i < 40; i++) { a[i] = (float)i; b[i] = 0.5f; out[i] = 7; }
    for (int round = 0; round < 2; round++) {
        int32_t status = add(a, b, out, 40, 39);
        printf("%d %g %g\n", status, out[0], out[39]);
    }
    printf("%d ", add(a, b, out, 40, 40) == LANESCOPE_DONE);
    printf("%g %g\n", out[0], out[39]);
    printf("%d ", inner(a, b, 3, 8, 9, &product) == LANESCOPE_SIZES_DIFFER);
    printf("%g ", product);
    printf("%d ", (int)inner(a, b, 3, 8, 8, &product));
    printf("%g\n", product);
    printf("%d ", (int)last_alloc(a, b, 8, 9, true, &large));
    printf("%g %d ", a[0], large);
    printf("%d ", (int)last_alloc(a, b, 8, 9, false, &large));
    printf("%g %d ", a[0], large);
    void *memory = malloc(last_scratch(8) + 64);
    printf("%d ", (int)last(a, b, 8, 8, true, &large, lanescope_aligned(memory)));
    printf("%g %d ", a[0], large);
    printf("%d\n", (int)last(a, b, 8, 7, true, &large, lanescope_aligned(memory)));
    free(memory);
    printf("%g\n", plain(a, 40));
    return 0;
}
"#;

#[test]
fn a_caller_is_told_that_sizes_differ() {
    let Some(compiler) = found(C_COMPILERS, &["--version"]).filter(|_| has_llvm()) else { return };
    let mut compilers = vec![(compiler, "main.c")];
    compilers.extend(found(&["c++", "g++", "clang++"], &["--version"]).map(|compiler| (compiler, "main.cpp")));
    let mut targets = vec!["native"];
    if cfg!(target_arch = "x86_64") {
        targets.push("scalar,sse4,avx2,avx512");
    }
    for target in targets {
        let folder = Folder::new(&[("checked.lane", CHECKED), ("main.c", CALLS), ("main.cpp", CALLS)]);
        let build = folder.run(&["build", "checked.lane", "-o", ".", "--target", target]);
        assert_eq!(build.code, Some(0), "{build}");
        let header = folder.read("checked.h");
        let declared: String = header
            .lines()
            .filter(|line| line.contains("LANESCOPE_RESTRICT a") && !line.starts_with(' '))
            .map(|line| line.replace("LANESCOPE_RESTRICT ", "") + "\n")
            .collect();
        expect![[r#"
            int32_t add(const float *a, const float *b, float *out, int32_t n, int32_t m);
            int32_t inner(const float *a, const float *b, int32_t result, int32_t n, int32_t m, float *result_);
            int32_t last(float *a, const float *b, int32_t n, int32_t m, bool twice, bool *result, void *scratch);
            static inline int32_t last_alloc(float *a, const float *b, int32_t n, int32_t m, bool twice, bool *result) {
            float plain(const float *a, int32_t n);
        "#]]
        .assert_eq(&declared);
        let objects: Vec<String> = std::fs::read_dir(folder.path())
            .expect("a folder")
            .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
            .filter(|name| name.ends_with(".o"))
            .collect();
        for (compiler, main) in &compilers {
            let mut build = Command::new(compiler);
            build.current_dir(folder.path()).args(["-Wall", "-Wextra", "-Werror", "-I", ".", main]).args(&objects);
            printed(build.args(["-o", "caller"]));
            expect![[r#"
                1 7 7
                1 7 7
                1 0.5 39.5
                1 -5 0 17
                1 0 0 0 28 1 0 65.5 1 1
                39
            "#]]
            .assert_eq(&printed(&mut Command::new(folder.path().join("caller"))));
        }
    }
}

/// Kernels of all sorts: sizes by formulas, rows, structs, scratch memory, statuses, results of all types, threads, words of other languages.
const CALLED: &str = "\
struct Point:
    x: f32
    on: bool

## Turns the volume up or down.
kernel scale(samples: f32[n], out: f32[n], n: i32, volume: f32):
    for i in range(n):
        out[i] = samples[i] * volume

kernel pairs(a: i16[n * 2], n: i32) -> i16:
    let s: i16 = 0
    for i in range(n):
        s += a[2 * i] * a[2 * i + 1]
    return s

kernel rows(a: f64[h, w], out: f64[h], h: i32, w: i32):
    for y in range(h):
        out[y] = sum(a[y, :])

kernel first(a) -> u8:
    return a[length(a, 0) - 1, length(a, 1) - 1]

kernel lit(points: Point[n], n: i32, yield: bool) -> i64:
    let lit: i64 = 0
    for i in range(n):
        lit += 1 if points[i].on == yield else 0
    return lit

kernel halves(a: f16[n], by: f16, n: i32) -> f16:
    for i in range(n):
        a[i] = a[i] * by
    return a[0]

kernel later(a: f32[n], b: f32[m], n: i32, m: i32, twice: bool) -> bool:
    sums = scan(+, 0.0, a)
    if twice:
        sums = sums + b
    a[0] = sums[n - 1]
    a[1] = sums[n // 2]
    return a[0] > 10.0

@threads
kernel brighten(photo: u8[h, w], out: u8[h, w], h: i32, w: i32, by: u8):
    for y in range(h):
        for x in range(w):
            out[y, x] = add_sat(photo[y, x], by)

@threads
kernel smooth(a: f32[n], b: f32[m], out: f32[n], n: i32, m: i32):
    sums = a + b
    for i in range(n):
        let window: f32[9]
        for j in range(9):
            window[j] = sums[min(max(i + j - 4, 0), n - 1)]
        out[i] = maximum(scan(+, 0.0, window))

@threads
kernel loudest(a: f32[n], b: f32[m], n: i32, m: i32) -> f32:
    sums = a + b
    let most = 0.0
    let count: i32 = 0
    let s_: bool = false
    for i in range(n):
        most = max(abs(sums[i] - sums[n - 1 - i]), most)
        if sums[i] > 1.0:
            count += 1
            s_ = true
    return most + f32(count) if s_ else -1.0
";

const RUST: &str = r#"
mod called;
use called::Point;
fn panics<T>(run: impl FnOnce() -> T + std::panic::UnwindSafe) -> String {
    let error = std::panic::catch_unwind(run).err().expect("it panics");
    match error.downcast::<String>() {
        Ok(text) => *text,
        Err(error) => error.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    }
}
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = [0.0; 3];
    unsafe { called::scale(&[1.0, -2.0, 0.5], &mut out, 0.5) };
    println!("{out:?}");
    println!("{}", panics(|| unsafe { called::scale(&[1.0], &mut [0.0; 2], 0.5) }));
    println!("{} {}", unsafe { called::pairs(&[1, 2, 3, 4], 2) }, panics(|| unsafe { called::pairs(&[1, 2, 3], 2) }));
    let mut sums = [0.0; 2];
    unsafe { called::rows(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], &mut sums, 3) };
    println!("{sums:?} {}", panics(|| unsafe { called::rows(&[1.0; 5], &mut [0.0; 2], 3) }));
    println!("{} {}", unsafe { called::first(&[1, 2, 3, 4, 5, 6], 2) }, panics(|| unsafe { called::first(&[1; 5], 2) }));
    let points = [Point { x: 1.0, on: true }, Point { x: 2.0, on: false }, Point { x: 3.0, on: true }];
    println!("{} {}", unsafe { called::lit(&points, true) }, unsafe { called::lit(&points, false) });
    let mut halves = [0x3c00, 0x4000];
    println!("{:#x} {halves:x?}", unsafe { called::halves(&mut halves, 0x3800) });
    let (mut a, b) = ([4.0; 8], [0.5; 8]);
    println!("{} {a:?}", unsafe { called::later(&mut a, &b, true) });
    println!("{}", panics(|| unsafe { called::later(&mut [4.0; 8], &[0.5; 7], true) }));
    let photo: Vec<u8> = (0..250).cycle().take(70 * 33).collect();
    let (mut at_once, mut divided) = (vec![0; photo.len()], vec![0; photo.len()]);
    unsafe { called::brighten(&photo, &mut at_once, 70, 33, 9) };
    for threads in [1, 2, 5] {
        divided.fill(0);
        unsafe { called::brighten_in_threads(threads, &photo, &mut divided, 70, 33, 9) };
        assert_eq!(at_once, divided);
    }
    println!("{}", at_once.iter().map(|&cell| u64::from(cell)).sum::<u64>());
    let wave: Vec<f32> = (0..1007).map(|i| (i % 13) as f32 / 7.0).collect();
    let (more, mut at_once, mut divided) = ([0.25; 1007], [0.0; 1007], [0.0; 1007]);
    unsafe { called::smooth(&wave, &more, &mut at_once) };
    for threads in [1, 3, 16] {
        divided.fill(0.0);
        unsafe { called::smooth_in_threads(threads, &wave, &more, &mut divided) };
        assert_eq!(at_once, divided);
    }
    println!("{}", panics(|| unsafe { called::smooth_in_threads(3, &wave, &more[1..], &mut [0.0; 1007]) }));
    let long: Vec<f32> = (0..30_007).map(|i| (i % 13) as f32 / 7.0).collect();
    let loudest = unsafe { called::loudest(&long, &vec![0.25; 30_007]) };
    for threads in [1, 3, 16] {
        // SAFETY: no subscript leaves the arrays.
        assert_eq!(unsafe { called::loudest_in_threads(threads, &long, &vec![0.25; 30_007]) }, loudest);
    }
    println!("{loudest}");
    println!("{}", panics(|| unsafe { called::loudest_in_threads(3, &[0.0; 3], &[0.0; 2]) }));
}
"#;

/// Kernels besides those, of which one is called like the file.
const SPANS: &str = "\
enum Kind(i8): Low = -128, High

## Sums and squares, some of them /* or all */ \\
kernel spans(a: f32[n], out: f32[(n + 3) // 4], n: i32):
    for i in range((n + 3) // 4):
        out[i] = a[i] * a[i]

@alias(a, b)
kernel shifted(a: f32[n], b: f32[n], by: f32[3], n: i32):
    for i in range(n):
        a[i] = b[i] + by[1]

kernel few(a: u8[n], n: i8, kind: Kind) -> i32:
    return i32(n) if kind == Kind.High else 0

kernel last_row(a, b: f64[n], n: i32) -> f64:
    return a[n - 1, 1] + b[0]
";

const CPP_MAIN: &str = r#"
#include "called.hpp"
#include "spans.hpp"

#include <array>
#include <cstdio>
#include <iostream>
#include <numeric>

double elsewhere();

template <typename Call>
void refused(const Call& call) {
    try {
        call();
        std::cout << "not refused\n";
    } catch (const std::invalid_argument& error) {
        std::cout << error.what() << '\n';
    }
}

template <typename Cells>
void print(const Cells& cells) {
    const char* between = "";
    for (const auto& cell : cells) std::cout << std::exchange(between, " ") << +cell;
    std::cout << '\n';
}

int main() {
    std::cout << std::boolalpha;
    const std::vector<float> samples{1.0f, -2.0f, 0.5f};
    std::vector<float> out(3);
    called::scale(samples, out, 0.5f);
    print(out);
    refused([&] { called::scale(samples, std::span(out).first(2), 0.5f); });
    refused([&] { called::scale(out, out, 0.5f); });
    std::vector<float> track(6);
    refused([&] { called::scale(std::span(track).first(3), std::span(track).subspan(2, 3), 0.5f); });
    called::scale(std::span(track).first(3), std::span(track).subspan(3), 0.5f);
    called::scale({}, {}, 0.5f);

    const std::array<std::int16_t, 4> pairs{1, 2, 3, 4};
    std::cout << called::pairs(pairs, 2) << '\n';
    refused([&] { called::pairs(std::span(pairs).first(3), 2); });
    refused([&] { called::pairs(pairs, -1); });

    const std::vector<double> cells{1, 2, 3, 4, 5, 6};
    std::vector<double> sums(2);
    called::rows(cells, sums, 3);
    print(sums);
    refused([&] { called::rows(std::span(cells).first(5), sums, 3); });
    refused([&] { called::rows(cells, sums, 2147483647); });

    const std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6};
    std::cout << int{called::first(bytes, 2)} << '\n';
    refused([&] { called::first(std::span(bytes).first(5), 2); });
    refused([&] { called::first(bytes, 0); });

    const std::vector<called::Point> points{{1, true}, {2, false}, {3, true}};
    std::cout << called::lit(points, true) << ' ' << called::lit(points, false) << '\n';

    std::vector<std::uint16_t> halves{0x3c00, 0x4000};
    std::cout << std::hex << called::halves(halves, 0x3800) << std::dec << '\n';
    print(halves);

    std::vector<float> a(8, 4.0f), b(8, 0.5f);
    std::cout << called::later(a, b, true) << '\n';
    print(a);
    refused([&] { called::later(a, std::span(b).first(7), true); });
    print(a);

    std::vector<std::uint8_t> photo(70 * 33), at_once(photo.size()), divided(photo.size());
    for (std::size_t i = 0; i < photo.size(); i++) photo[i] = static_cast<std::uint8_t>(i % 250);
    called::brighten(photo, at_once, 70, 33, 9);
    for (std::size_t threads : {0u, 1u, 2u, 5u, 1000u}) {
        std::fill(divided.begin(), divided.end(), std::uint8_t{0});
        called::brighten_in_threads(threads, photo, divided, 70, 33, 9);
        if (at_once != divided) std::cout << "other bits by " << threads << " threads\n";
    }
    std::cout << std::accumulate(at_once.begin(), at_once.end(), 0) << '\n';
    refused([&] { called::brighten_in_threads(2, photo, divided, 70, 34, 9); });
    refused([&] { called::brighten_in_threads(2, photo, photo, 70, 33, 9); });
    called::brighten_in_threads(2, {}, {}, 0, 33, 9);

    std::vector<float> squares(2);
    spans::spans(std::vector<float>{3, 4, 5, 6, 7}, squares);
    print(squares);
    refused([&] { spans::spans(samples, squares); });
    spans::shifted(std::span(track).first(3), std::span(track).subspan(1, 3), samples);
    print(track);
    refused([&] { spans::shifted(std::span(track).first(3), std::span(track).subspan(3), std::span(track).subspan(2, 3)); });
    refused([&] { spans::shifted(track, track, std::span(samples).first(2)); });
    std::cout << spans::few(std::vector<std::uint8_t>(127), spans::Kind_High) << '\n';
    refused([&] { spans::few(std::vector<std::uint8_t>(128), spans::Kind_Low); });
    std::cout << spans::last_row(cells, 2, std::vector<double>(3, 7.0)) << '\n';
    refused([&] { spans::last_row(cells, 4, sums); });

    std::vector<float> wave(1007), more(1007, 0.25f), smooth(1007), by_threads(1007);
    for (std::size_t i = 0; i < wave.size(); i++) wave[i] = static_cast<float>(i % 13) / 7.0f;
    called::smooth(wave, more, smooth);
    for (std::size_t threads : {1u, 3u, 16u}) {
        std::fill(by_threads.begin(), by_threads.end(), 0.0f);
        called::smooth_in_threads(threads, wave, more, by_threads);
        if (smooth != by_threads) std::cout << "other bits by " << threads << " threads\n";
    }
    std::fill(by_threads.begin(), by_threads.end(), 0.0f);
    refused([&] { called::smooth_in_threads(3, wave, std::span(more).first(1006), by_threads); });
    std::cout << (by_threads == std::vector<float>(1007)) << ' ' << elsewhere() << '\n';

    std::vector<float> recording(30007), noise(30007, 0.25f);
    for (std::size_t i = 0; i < recording.size(); i++) recording[i] = static_cast<float>(i % 13) / 7.0f;
    const float loudest = called::loudest(recording, noise);
    for (std::size_t threads : {0u, 1u, 3u, 16u}) {
        if (called::loudest_in_threads(threads, recording, noise) != loudest) std::cout << "another result by " << threads << " threads\n";
    }
    std::cout << loudest << '\n';
    refused([&] { called::loudest_in_threads(3, recording, std::span(noise).first(3)); });
}
"#;

/// Another file of the program: definitions in headers are one.
const CPP_ELSEWHERE: &str = r#"
#include "spans.hpp"
#include "called.hpp"

double elsewhere() {
    std::vector<double> sum(1);
    called::rows(std::vector<double>{20, 22}, sum, 2);
    return sum[0];
}
"#;

/// Arithmetic of sizes, as the functions of a header do it.
const CPP_SIZES: &str = r#"
#include "called.hpp"

#include <cassert>

namespace sizes = called::sizes;

int main() {
    using sizes::highest, sizes::lowest, sizes::Number;
    const Number none;
    assert(sizes::sum(highest, 0) == highest && sizes::sum(highest, 1) == none && sizes::sum(lowest, -1) == none);
    assert(sizes::sum(lowest, highest) == -1 && sizes::sum(none, 1) == none && sizes::sum(1, none) == none);
    assert(sizes::difference(lowest, 1) == none && sizes::difference(-1, highest) == lowest);
    assert(sizes::difference(0, lowest) == none && sizes::difference(-1, lowest) == highest);
    for (std::int64_t a : {lowest, lowest + 1, -highest / 2 - 1, std::int64_t{-3}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, highest / 2, highest}) {
        for (std::int64_t b : {lowest, lowest / 2, std::int64_t{-2}, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, highest}) {
            std::int64_t product = 0;
            const bool overflows = __builtin_mul_overflow(a, b, &product);
            assert(sizes::product(a, b) == (overflows ? none : Number(product)));
        }
    }
    assert(sizes::quotient(-7, 2) == -3 && sizes::floored(-7, 2) == -4 && sizes::rest(-7, 2) == -1);
    assert(sizes::floored(7, -2) == -4 && sizes::floored(6, -2) == -3 && sizes::floored(7, 2) == 3);
    assert(sizes::quotient(1, 0) == none && sizes::rest(lowest, -1) == none && sizes::floored(none, 2) == none);
    assert(sizes::least(2, -3) == -3 && sizes::most(2, -3) == 2 && sizes::most(none, 1) == none);
    assert(sizes::wrapped(-1, 8, false) == 255 && sizes::wrapped(200, 8, true) == -56 && sizes::wrapped(-1, 32, false) == 4294967295);
    assert(sizes::wrapped(-1, 64, false) == none && sizes::wrapped(-1, 64, true) == -1 && sizes::wrapped(5, 64, false) == 5);
    assert(sizes::of(~std::uint64_t{0}) == none && sizes::of(std::int8_t{-1}) == -1);
    assert(reinterpret_cast<std::uintptr_t>(sizes::scratch("f", 100).get()) % 64 == 0);
    for (Number bytes : {none, Number(-1)}) {
        try {
            sizes::scratch("f", bytes);
            assert(false);
        } catch (const std::invalid_argument&) {
        }
    }
    // What a part throws comes out, and no thread is left.
    std::atomic<int> n_run = 0;
    try {
        sizes::divide(4, 1000, [&](std::int64_t begin, std::int64_t end) {
            n_run += static_cast<int>(end - begin);
            if (begin > 100) throw std::bad_alloc();
        });
        assert(false);
    } catch (const std::bad_alloc&) {
    }
    n_run = 0;
    sizes::divide(3, 1001, [&](std::int64_t begin, std::int64_t end) { n_run += static_cast<int>(end - begin); });
    assert(n_run == 1001);
    sizes::divide(3, -5, [&](std::int64_t, std::int64_t) { n_run = 0; });
    assert(n_run == 1001);
}
"#;

const PYTHON: &str = r#"
import inspect
import numpy as np
import called
def refused(call):
    try:
        call()
    except (TypeError, ValueError, OverflowError) as error:
        print(type(error).__name__, error)
f = np.float32
out = np.zeros(3, f)
called.scale(np.array([1, -2, 0.5], f), out, 0.5)
print(out)
refused(lambda: called.scale([1.0], out, 0.5))
refused(lambda: called.scale(np.zeros(3), out, 0.5))
refused(lambda: called.scale(np.zeros((3, 1), f), out, 0.5))
refused(lambda: called.scale(np.zeros(2, f), out, 0.5))
refused(lambda: called.scale(np.zeros(6, f)[::2], out, 0.5))
refused(lambda: called.scale(out, out, 0.5))
out.flags.writeable = False
refused(lambda: called.scale(np.zeros(3, f), out, 0.5))
print(called.pairs(np.array([1, 2, 3, 4], np.int16), 2))
refused(lambda: called.pairs(np.zeros(3, np.int16), 2))
refused(lambda: called.pairs(np.zeros(3, np.int16), 1 << 40))
sums = np.zeros(2)
called.rows(np.arange(1.0, 7).reshape(2, 3), sums)
print(sums, called.first(np.arange(6, dtype=np.uint8).reshape(3, 2)))
points = np.zeros(3, called.Point)
points["on"] = [True, False, True]
print(called.lit(points, True), called.lit(points, False))
halves = np.array([1, 2], np.float16)
print(called.halves(halves, 0.5), halves)
a, b = np.full(8, 4, f), np.full(8, 0.5, f)
print(called.later(a, b, True), a)
refused(lambda: called.later(a, b[:7], True))
photo = (np.arange(70 * 33) % 250).astype(np.uint8).reshape(70, 33)
at_once, divided = np.zeros_like(photo), np.zeros_like(photo)
called.brighten(photo, at_once, 9)
for threads in [1, 2, 5]:
    divided[:] = 0
    called.brighten_in_threads(threads, photo, divided, 9)
    assert (at_once == divided).all()
print(int(at_once.sum()))
wave, more = (np.arange(1007) % 13 / 7).astype(f), np.full(1007, 0.25, f)
at_once, divided = np.zeros_like(wave), np.zeros_like(wave)
called.smooth(wave, more, at_once)
for threads in [1, 3, 16]:
    divided[:] = 0
    called.smooth_in_threads(threads, wave, more, divided)
    assert (at_once == divided).all()
refused(lambda: called.smooth_in_threads(3, wave, more[1:], divided))
recording, noise = (np.arange(30007) % 13 / 7).astype(f), np.full(30007, 0.25, f)
loudest = called.loudest(recording, noise)
assert all(called.loudest_in_threads(threads, recording, noise) == loudest for threads in [1, 3, 16])
print(loudest)
refused(lambda: called.loudest_in_threads(3, recording, noise[1:]))
print(inspect.getdoc(called.scale))
"#;

/// A folder with the kernels above, built with the modules.
fn called(main: &str, text: &str) -> Option<Folder> {
    let folder = has_llvm().then(|| Folder::new(&[("called.lane", CALLED), (main, text)]))?;
    let build = folder.run(&["build", "called.lane", "-o", ".", "--emit", "obj,rust,python"]);
    assert_eq!(build.code, Some(0), "{build}");
    Some(folder)
}

#[test]
fn a_module_in_rust_calls_kernels() {
    let (Some(rustc), Some(folder)) = (found(&["rustc"], &["--version"]), called("main.rs", RUST)) else { return };
    let mut build = Command::new(rustc);
    build.current_dir(folder.path()).args(["--edition", "2024", "-D", "warnings", "main.rs"]);
    printed(build.args(["-C", "link-arg=called.o", "-o", "caller"]));
    expect![[r#"
        [0.5, -1.0, 0.25]
        `out` has 2 elements, and has to have 1
        14 `a` has 3 elements, and has to have 4
        [6.0, 15.0] `a` has 5 elements, and has to have 6
        6 `a` has 5 elements, which are no rows of 2
        2 1
        0x3800 [3800, 3c00]
        true [32.5, 20.5, 4.0, 4.0, 4.0, 4.0, 4.0, 4.0]
        sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        302631
        sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        16157.286
        sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
    "#]]
    .assert_eq(&printed(&mut Command::new(folder.path().join("caller"))));
}

#[test]
fn a_header_of_spans_calls_kernels() {
    let compilers = cpp_compilers();
    if compilers.is_empty() || !has_llvm() {
        return;
    }
    let sources = ["main.cpp", "elsewhere.cpp", "sizes.cpp"];
    let texts = [CPP_MAIN, CPP_ELSEWHERE, CPP_SIZES];
    let folder = Folder::new(&[("called.lane", CALLED), ("spans.lane", SPANS)]);
    sources.iter().zip(texts).for_each(|(name, text)| folder.write(name, text));
    let build = folder.run(&["build", "called.lane", "spans.lane", "-o", ".", "--emit", "obj,cpp"]);
    assert_eq!(build.code, Some(0), "{build}");
    let run = |compiler: &str, more: &[&str]| {
        let mut build = Command::new(compiler);
        printed(build.current_dir(folder.path()).args(CPP).args(["-O1", "-pthread", "-o", "caller"]).args(more));
        printed(&mut Command::new(folder.path().join("caller")))
    };
    let program = ["main.cpp", "elsewhere.cpp", "called.o", "spans.o"];
    let outputs: Vec<String> = compilers.iter().map(|compiler| run(compiler, &program)).collect();
    expect![[r#"
        0.5 -1 0.25
        called::scale: `out` has 2 elements, and has to have 3: as many as `samples`
        called::scale: `out` is written, and overlaps `samples`: give a copy of one of them
        called::scale: `out` is written, and overlaps `samples`: give a copy of one of them
        14
        called::pairs: `a` has 3 elements, and has to have 4: 2 * n
        called::pairs: `a` has 4 elements, and has to have 0: 2 * n
        6 15
        called::rows: `a` has 5 elements, and has to have 6: h * w, where h is the length of `out`
        called::rows: `a` has 6 elements, and has to have 4294967294: h * w, where h is the length of `out`
        6
        called::first: `a` has 5 elements, and has to have whole rows of 2: a_size1
        called::first: `a` has 6 elements, and has to have whole rows of 0: a_size1
        2 1
        3800
        14336 15360
        true
        32.5 20.5 4 4 4 4 4 4
        called::later: sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        32.5 20.5 4 4 4 4 4 4
        302631
        called::brighten_in_threads: `photo` has 2310 elements, and has to have 2380: h * w
        called::brighten_in_threads: `out` is written, and overlaps `photo`: give a copy of one of them
        9 16
        spans::spans: `out` has 2 elements, and has to have 1: (3 + n) // 4, where n is the length of `a`
        -2 -2 -2 0 0 0
        spans::shifted: `a` is written, and overlaps `by`: give a copy of one of them
        spans::shifted: `by` has 2 elements, and has to have 3
        127
        spans::few: `a` has 128 elements, and `n`, which is their number, is at most 127
        13
        spans::last_row: `a` has 6 elements, and has to have whole rows of 4: a_size1
        called::smooth_in_threads: sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        true 42
        16157.3
        called::loudest_in_threads: sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
    "#]].assert_eq(&outputs[0]);
    assert!(outputs.iter().all(|output| *output == outputs[0]), "{outputs:?}");
    for compiler in &compilers {
        assert_eq!(run(compiler, &["sizes.cpp", "-UNDEBUG", "called.o"]), "", "{compiler}");
    }
    // A file that includes both headers is told to include one of them.
    folder.write("both.cpp", "#include \"called.h\"\n#include \"called.hpp\"\n");
    folder.run(&["build", "called.lane", "-o", ".", "--emit", "header"]);
    let mut both = Command::new(compilers[0]);
    let both = both.current_dir(folder.path()).args(["-std=c++20", "-fsyntax-only", "both.cpp"]).output();
    let told = String::from_utf8_lossy(&both.expect("a compiler").stderr).into_owned();
    assert!(told.contains("called.hpp takes the place of called.h: include one of them in a source file"), "{told}");
}

#[test]
fn a_module_in_python_calls_kernels() {
    let compiler = found(C_COMPILERS, &["--version"]);
    let python = found(&["python3", "/usr/bin/python3"], &["-c", "import numpy"]);
    let (Some(compiler), Some(python)) = (compiler, python) else { return };
    let Some(folder) = called("main.py", PYTHON) else { return };
    let run = || {
        let mut run = Command::new(python);
        run.current_dir(folder.path()).env("PYTHONDONTWRITEBYTECODE", "1").arg("main.py");
        run.output().expect("Python")
    };
    let missing = String::from_utf8_lossy(&run().stderr).into_owned();
    assert!(missing.contains("is not there: make it by `cc -shared called.o -o libcalled.so`"), "{missing}");
    let mut link = Command::new(compiler);
    printed(link.current_dir(folder.path()).args(["-shared", "called.o", "-o", "libcalled.so"]));
    let ran = run();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    expect![[r#"
        [ 0.5  -1.    0.25]
        TypeError `samples` is a list, and has to be an array: `np.asarray(…, dtype=np.float32)` makes one
        TypeError `samples` has elements of float64, and has to have float32: `.astype` converts them
        ValueError `samples` has 2 dimensions, and has to have 1
        ValueError `out` has 3 cells in dimension 0, and has to have 2
        ValueError `samples` does not lie in memory cell by cell: `np.ascontiguousarray` makes a copy that does
        ValueError `out` is written, and overlaps `samples`: give a copy of one of them
        ValueError `out` is written, and is read-only: give a copy of it
        14
        ValueError `a` has 3 cells in dimension 0, and has to have 4
        OverflowError `n` is 1099511627776, and has to lie between -2147483648 and 2147483647
        [ 6. 15.] 5
        2 1
        0.5 [0.5 1. ]
        True [32.5 20.5  4.   4.   4.   4.   4.   4. ]
        ValueError sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        302631
        ValueError sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        16157.2861328125
        ValueError sizes differ that have to be equal, or there is no element where one is needed: the kernel has done nothing
        Turns the volume up or down.

        samples: float32 of shape (n,)
        out: float32 of shape (n,), written
    "#]]
    .assert_eq(&String::from_utf8_lossy(&ran.stdout));
}

/// The examples that are in no folder of their own.
fn lane_files() -> Vec<String> {
    let examples = std::fs::read_dir(root().join("examples")).expect("a folder");
    let examples = examples.map(|entry| entry.expect("an entry").path().to_str().expect("UTF-8").to_owned());
    examples.filter(|path| path.ends_with(".lane")).collect()
}

/// Code for WebAssembly has all that it calls: helpers for arithmetic without an instruction, and nothing of a library.
#[test]
fn web_assembly_needs_no_library() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[]);
    let kernels = root().join("examples/kernels").to_str().expect("UTF-8").to_owned();
    let mut made = Vec::new();
    for (inputs, out) in [(lane_files(), "."), (vec![kernels], "kernels")] {
        let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
        let build = folder.run(&[&["build", "--target", "wasm", "--emit", "asm", "-o", out], &inputs[..]].concat());
        assert_eq!(build.code, Some(0), "{build}");
        made.extend(build.stdout.lines().map(str::to_owned));
    }
    let mut n_calls = 0;
    for path in &made {
        let text = folder.read(path);
        let labels: Vec<&str> = text.lines().filter_map(|line| line.strip_suffix(':')).collect();
        let calls = text.lines().filter_map(|line| line.trim().strip_prefix("call")?.split_whitespace().next());
        for called in calls {
            n_calls += 1;
            assert!(labels.contains(&called), "{path} calls `{called}`, which it does not have");
        }
    }
    assert!(n_calls > 0, "some arithmetic is in helpers");
}
