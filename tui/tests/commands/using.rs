//! Files that use others, and the libraries.

use super::*;

const FILTERS: &str = "\
use shared.constants: ALPHA

struct State:
    y: f32

fn _follow(x: f32, y: f32) -> f32:
    return y + ALPHA * (x - y)

## One step.
fn step(s: State, x: f32) -> State:
    return State(_follow(x, s.y))

fn halved(x):
    return x / 2
";

const MAIN: &str = "\
use filters
use shared.constants: WINDOW

kernel smooth(a: f32[n], out: f32[n], n: i32):
    s = State(0.0)
    for i in range(n):
        s = step(s, a[i])
        out[i] = s.y

kernel window(a: f32[n], n: i32):
    for i in range(n):
        a[i] = halved(a[i] * WINDOW[i & 3])
";

const FILES: &[(&str, &str)] = &[
    ("main.lane", MAIN),
    ("filters.lane", FILTERS),
    ("shared/constants.lane", "const ALPHA = 0.25\nconst WINDOW: f32[4] = [0.25, 0.5, 0.75, 1.0]\n"),
];

#[test]
fn kernels_run_with_what_other_files_have() {
    let folder = Folder::new(FILES);
    for engine in ["scalar", "interp", "native"] {
        if engine == "native" && !has_llvm() {
            continue;
        }
        let run = |kernel: &str, args: &[&str]| {
            let mut all = vec!["run", "main.lane", "--kernel", kernel, "--engine", engine];
            args.iter().for_each(|arg| all.extend(["--arg", *arg]));
            folder.run(&all).to_string()
        };
        assert_eq!(
            run("smooth", &["a=[1, 2, 3]", "out=zeros(3)", "n=3"]),
            "out = [0.25, 0.6875, 1.265625]\n--- exit 0 ---\n"
        );
        assert_eq!(run("window", &["a=[1, 2, 3, 4]", "n=4"]), "a = [0.125, 0.5, 1.125, 2.0]\n--- exit 0 ---\n");
    }
    // From elsewhere, the files are those beside the one that is named.
    let inside = folder.run(&["check", "./filters.lane", "main.lane"]).to_string();
    assert!(inside.ends_with("--- exit 0 ---\n"), "{inside}");
}

#[test]
fn what_another_file_does_is_told_at_the_call() {
    check(
        FILES,
        &["explain", "main.lane", "--kernel", "window", "--target", "avx512"],
        expect![[r#"
            kernel window  main.lane:10
            loop in line 11: 16 lanes along `i`
             11 |     for i in range(n):
                |     ^^^^^^^^^^^^^^^^^ 16 lanes along `i`
                |                       estimated: about 0.62 cycles an element, bound by divisions; 4 groups at once
                |                       `interleave` chose groups-interleaved: 4 groups of lanes are done in each round, each operation for all of them
                |                       before the next, since no group touches a cell that another one writes
             12 |         a[i] = halved(a[i] * WINDOW[i & 3])
                |         ^^^^ contiguous store
                |                       ^^^^ contiguous load
                |                              ^^^^^^^^^^^^^ periodic load: the cells repeat every 4 lanes
                |                                            <- i & 3 <- i (line 11)
            3 accesses in lanes: 2 contiguous, 1 periodic
            decisions on accesses, which `--line` tells: `memory` chose known-order (1)
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn wrong_uses_are_told() {
    let main = "\
use filter
use shared.constants: WINDO, smooth
use \"filters.lane\"
use shared/constants
use filters as f
import filters
from shared.constants import ALPHA

kernel smooth(a: f32[n], n: i32):
    use filters
    for i in range(n):
        a[i] = halvd(a[i]) + polar(a[i], 0.0).re
";
    check(
        &[("main.lane", main), FILES[1], FILES[2]],
        &["check", "main.lane"],
        expect![[r#"
            error[unknown-file]: there is no file `filter.lane` beside this one, and no library `filter`
             --> main.lane:1:5
              |
            1 | use filter
              |     ^^^^^^
              |
              = help: did you mean `filters`?
            help: write `filters`
              |
            1 | use filters
              |           +

            error[unknown-name]: `shared.constants` has nothing of the name `WINDO`
             --> main.lane:2:23
              |
            2 | use shared.constants: WINDO, smooth
              |                       ^^^^^
              |
              = help: did you mean `WINDOW`?
            help: write `WINDOW`
              |
            2 | use shared.constants: WINDOW, smooth
              |                            +

            error[unknown-name]: `shared.constants` has nothing of the name `smooth`
             --> main.lane:2:30
              |
            2 | use shared.constants: WINDO, smooth
              |                              ^^^^^^
              |
              = help: it has `ALPHA`, `WINDOW`

            error[text-literal]: a file is named without quotes and without its ending
             --> main.lane:3:5
              |
            3 | use "filters.lane"
              |     ^^^^^^^^^^^^^^
              |
            help: write `filters`
              |
            3 - use "filters.lane"
            3 + use filters
              |

            error[foreign-syntax]: there is no `/` here; it is spelled `.`
             --> main.lane:4:11
              |
            4 | use shared/constants
              |           ^
              |
            help: write `.`
              |
            4 - use shared/constants
            4 + use shared.constants
              |

            error[foreign-syntax]: a file has no other name here
             --> main.lane:5:13
              |
            5 | use filters as f
              |             ^^
              |
              = help: its names are used as they are: `use filters: lowpass` takes one of them

            error[foreign-syntax]: other files are named by `use`
             --> main.lane:6:1
              |
            6 | import filters
              | ^^^^^^
              |
              = help: `use filters` in column 0 takes what `filters.lane` has; the built-in functions are always there
            help: write `use filters`
              |
            6 - import filters
            6 + use filters
              |

            error[foreign-syntax]: other files are named by `use`
             --> main.lane:7:1
              |
            7 | from shared.constants import ALPHA
              | ^^^^
              |
              = help: `use filters` in column 0 takes what `filters.lane` has; the built-in functions are always there
            help: write `use shared.constants: ALPHA`
              |
            7 - from shared.constants import ALPHA
            7 + use shared.constants: ALPHA
              |

            error[foreign-syntax]: a `use` stands in column 0
              --> main.lane:10:5
               |
            10 |     use filters
               |     ^^^
               |
               = help: move it to the top of the file; what it takes is seen in the whole file

            9 errors in 1 file
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn circles_clashes_and_broken_files_are_told() {
    check(
        &[
            ("a.lane", "use b\n\nfn f(x): return g(x)\nkernel k(a): a[0] = f(a[0])\n"),
            ("b.lane", "use a\n\nfn g(x): return f(x)\n"),
            ("c.lane", "use d\nuse e\n\nkernel k(a): a[0] = f(a[0])\n"),
            ("d.lane", "fn f(x): return x\nstruct S:\n    x: f32\n"),
            ("e.lane", "fn f(x): return -x\nstruct S:\n    y: f32\n"),
            ("f.lane", "use broken\nuse k: k\n\nkernel k(a: f32[4]): a[0] = half(a[0])\n"),
            ("broken.lane", "fn half(x): return x / to\n"),
            ("k.lane", "kernel k(a): a[0] = 1\n"),
        ],
        &["check", "a.lane", "c.lane", "f.lane"],
        expect![[r#"
            error[use-circle]: `b` uses this file, directly or by way of others, so this `use` closes a circle
             --> a.lane:1:5
              |
            1 | use b
              |     ^
              |
              = help: move what both need to a file of its own, and use that in both

            error[duplicate-name]: `f` is in `d` and in `e`
             --> c.lane:2:5
              |
            2 | use e
              |     ^
              |
              = help: say which names are meant: `use e: …` takes no others

            error[duplicate-name]: `e` brings a struct `S`, and another one of that name is here already
             --> c.lane:2:5
              |
            2 | use e
              |     ^
              |
              = help: in files that work together a struct's name is one type: rename one of the two

            error[used-file-fails]: `broken` has errors, so what it gives cannot be relied on
             --> f.lane:1:5
              |
            1 | use broken
              |     ^^^^^^
              |
              = help: the first: nothing here is called `to`

            error[unknown-name]: `k` is a kernel, which is called from outside alone
             --> f.lane:2:8
              |
            2 | use k: k
              |        ^
              |
              = help: move what both need to a `fn`, and use that

            5 errors in 3 files
            --- exit 1 ---
        "#]],
    );
    let broken =
        &[("f.lane", "use broken\n\nkernel k(a): a[0] = half(a[0])\n"), ("broken.lane", "fn half(x): return x / to\n")];
    check(
        broken,
        &["lower", "f.lane"],
        expect![[r#"
            kernel k(a):
                a[0] = (a[0] / unknown(type=f32))
            --- stderr ---
            error[used-file-fails]: `broken` has errors, so what it gives cannot be relied on
             --> f.lane:1:5
              |
            1 | use broken
              |     ^^^^^^
              |
              = help: the first: nothing here is called `to`
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn errors_inside_of_another_file_are_told_at_the_call() {
    check(
        &[
            ("main.lane", "use other\n\nkernel k(a: f32[4], i: i32):\n    a[0] = at(a, i)\n"),
            ("other.lane", "fn at(a, i):\n    return a[i]\n"),
        ],
        &["run", "main.lane", "--arg", "a=zeros(4)", "--arg", "i=7"],
        expect![[r#"
            a = [0.0, 0.0, 0.0, 0.0]
            error[index-out-of-range]: the index 7 is out of range: the size there is 4
             --> main.lane:4:12
              |
            4 |     a[0] = at(a, i)
              |            ^^^^^^^^

            --- exit 1 ---
        "#]],
    );
}

/// A program that calls what the libraries have, and what numbers come out, worked out beside it.
#[test]
fn libraries_compute_what_they_say() {
    let main = "\
use colour
use complex
use filters
use noise
use random
use sorting
use statistics

kernel k(out: f32[32], a: f32[8], b: f32[8]):
    out[0] = srgb_to_linear(0.5)
    out[1] = linear_to_srgb(srgb_to_linear(0.3))
    let hsv = rgb_to_hsv(vec3(0.2, 0.4, 0.6))
    out[2] = hsv.x
    out[3] = hsv_to_rgb(hsv).y
    out[4] = ycbcr_to_rgb(rgb_to_ycbcr(vec3(0.2, 0.4, 0.6))).z
    out[5] = f32(to_byte(1.5)) + f32(to_byte(0.5))
    let z = over(times(Complex(1.0, 2.0), Complex(3.0, -1.0)), Complex(0.0, 2.0))
    out[6] = z.re
    out[7] = z.im
    out[8] = modulus(polar(2.0, 1.0))
    let s = silence()
    let c = lowpass(1000.0, 0.7071, 48000.0)
    for i in range(2000):
        s = biquad(c, s, 1.0)
    out[9] = s.y
    out[10] = decibels(gain(-6.0))
    out[11] = hann(2, 8)
    out[12] = f32(random_bits(1, 2) >> 8)
    let sum = 0.0
    let squares = 0.0
    for i in range(4096):
        let x = normal(3, u32(i))
        sum += x
        squares += x * x
    out[13] = sum / 4096
    out[14] = squares / 4096
    out[15] = gradient_noise(3.0, 5.0, 1)
    out[16] = abs(fractal_noise(3.3, 5.7, 4, 1))
    out[17] = cell_noise(1.5, 2.5, 9)
    out[18] = median9(9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0)
    let p, q, r, t = sort4(3.0, 1.0, 4.0, 2.0)
    out[19] = 1000 * p + 100 * q + 10 * r + t
    out[20] = median5(5.0, 1.0, 3.0, 2.0, 4.0)
    out[21] = variance(a)
    out[22] = correlation(a, b)
    out[23] = normal_below(1.0)
    let w = nothing_seen()
    for i in range(8):
        w = seen(w, a[i])
    out[24] = w.squares / w.count
    out[25] = value_noise(0.5, 0.5, 4)
    out[26] = f32(random_below(5, 6, 10))
";
    let folder = Folder::new(&[("main.lane", main)]);
    let args = [
        "run",
        "main.lane",
        "--json",
        "--arg",
        "out=zeros(32)",
        "--arg",
        "a=[1, 2, 4, 8, 1, 2, 4, 8]",
        "--arg",
        "b=ramp(8)",
    ];
    let outcome = folder.run(&args);
    let shown = outcome.to_string();
    let json: serde_json::Value = serde_json::from_str(
        shown.rsplit_once("---").and_then(|(all, _)| all.rsplit_once("---")).expect("an exit code").0,
    )
    .expect(&shown);
    let out: Vec<f64> = json["arrays"]["out"]
        .as_array()
        .unwrap_or_else(|| panic!("{shown}"))
        .iter()
        .map(|x| x.as_f64().expect("a number"))
        .collect();
    let near = |n: usize, expected: f64, within: f64| {
        assert!((out[n] - expected).abs() <= within, "out[{n}] is {}, and should be {expected}", out[n]);
    };
    near(0, 0.214_041_14, 1e-6);
    near(1, 0.3, 1e-6);
    near(2, 0.583_333_3, 1e-6);
    near(3, 0.4, 1e-6);
    near(4, 0.6, 1e-6);
    near(5, 255.0 + 128.0, 0.0);
    // (1 + 2i)(3 - i) = 5 + 5i, by 2i: 2.5 - 2.5i
    near(6, 2.5, 1e-6);
    near(7, -2.5, 1e-6);
    near(8, 2.0, 1e-6);
    near(9, 1.0, 1e-4);
    near(10, -6.0, 1e-5);
    near(11, 0.5, 1e-6);
    near(12, f64::from(philox(1, 2) >> 8), 0.0);
    near(13, 0.0, 0.05);
    near(14, 1.0, 0.08);
    near(15, 0.0, 0.0);
    assert!(out[16] < 2.0);
    assert!(out[17] > 0.0 && out[17] < 1.5);
    near(18, 5.0, 0.0);
    near(19, 1234.0, 0.0);
    near(20, 3.0, 0.0);
    near(21, 7.1875, 1e-5);
    let (a, b) = ([1.0, 2.0, 4.0, 8.0, 1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let mean = |x: &[f64]| x.iter().sum::<f64>() / x.len() as f64;
    let joint = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(p, q)| (p - mean(x)) * (q - mean(y))).sum::<f64>();
    near(22, joint(&a, &b) / (joint(&a, &a) * joint(&b, &b)).sqrt(), 1e-6);
    near(23, 0.841_344_7, 1e-6);
    near(24, 7.1875, 1e-4);
    assert!(out[25] > 0.0 && out[25] < 1.0);
    assert!((0.0..10.0).contains(&out[26]));
}

/// Philox 2x32 with 10 rounds, written again.
fn philox(seed: u32, place: u32) -> u32 {
    let (mut key, mut a, mut b) = (seed, place, 0_u32);
    for _ in 0..10 {
        let product = u64::from(a) * 0xd256_d193;
        (a, b) = ((product >> 32) as u32 ^ key ^ b, product as u32);
        key = key.wrapping_add(0x9e37_79b9);
    }
    a
}
