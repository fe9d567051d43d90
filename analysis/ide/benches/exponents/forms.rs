//! The families of kernels with structs, enums, templates, comprehensions and matrices.

use crate::families::{Family, over_elements, text};

/// The sizes of most of these families: a line makes many statements.
const LINES: [usize; 2] = [312, 1250];

pub(crate) const FORMS: [Family; 16] = [
    ("variants of an enum in a match", variants, [64, 256]),
    ("matches of three variants", matches, [156, 625]),
    ("cases of numbers", cases, [60, 240]),
    ("cases of tuples with guards", tuples, [60, 240]),
    ("variants with data", shapes, [32, 128]),
    ("instances of a template", instances, [100, 400]),
    ("calls of instances of a function", called_instances, [100, 400]),
    ("rounds of a static for", static_for, [250, 1000]),
    ("rounds of a static for over a window", window, [100, 400]),
    ("sums of comprehensions", comprehensions, [78, 312]),
    ("arrays of comprehensions", arrays, [78, 312]),
    ("loops over zipped arrays", zipped, LINES),
    ("statements of structs", structs, LINES),
    ("updates of structs in elements", elements, LINES),
    ("fields of a struct", fields, [50, 200]),
    ("products of mat4", matrices, [8, 32]),
];

/// An enum, a function with a case for each variant, and a kernel that calls it.
fn variants(n: usize) -> String {
    let variants = text("enum Kind:\n", n, |k| format!("    Kind{k}\n"), "\n");
    let cases = text("fn weight(k: Kind) -> f32:\n    match k:\n", n, case_of, "\n");
    variants
        + &cases
        + "kernel k(a: Kind[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = weight(a[i])\n"
}

fn case_of(k: usize) -> String {
    format!("        case Kind{k}:\n            return {k}.5\n")
}

fn matches(n: usize) -> String {
    let line = |k: usize| {
        format!(
            "        match kinds[i]:\n            case Low:\n                x += {k}.5\n            case High:\n                x *= \
             {k}.5\n            case _:\n                out[i] = x\n"
        )
    };
    let head = "enum Kind: Low, High, Other\n\nkernel k(kinds: Kind[n], out: f32[n], n: i32):\n    for i in range(n):\n        \
                let x = 1.0\n";
    text(head, n, line, "        out[i] = x\n")
}

fn cases(n: usize) -> String {
    let head = "kernel k(a: i32[n], out: f32[n], n: i32):\n    for i in range(n):\n        match a[i]:\n";
    let line = |k: usize| format!("            case {k}:\n                out[i] = {k}.5\n");
    text(head, n, line, "            case _:\n                out[i] = 0.5\n")
}

fn tuples(n: usize) -> String {
    let head =
        "kernel k(a: i32[n], b: i32[n], out: i32[n], n: i32):\n    for i in range(n):\n        match a[i], b[i]:\n";
    let line =
        |k: usize| format!("            case {k} | {}, y if y > {k}:\n                out[i] = y * {k}\n", k + 1000);
    text(head, n, line, "            case _:\n                out[i] = 0\n")
}

fn shapes(n: usize) -> String {
    let variants = text("enum Shape:\n", n, |k| format!("    Shape{k}(x: f32, y: i32)\n"), "\n");
    let case = |k: usize| format!("        case Shape{k}(x, y):\n            return x * {k}.5 + f32(y)\n");
    let cases = text("fn area(s: Shape) -> f32:\n    match s:\n", n, case, "\n");
    variants
        + &cases
        + "kernel k(a: Shape[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = area(a[i])\n"
}

fn instances(n: usize) -> String {
    let template = "kernel scaled[R: const i32](a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = a[i] * \
                    f32(R)\n\n";
    text(template, n, |k| format!("kernel scaled{k} = scaled[{k}]\n"), "")
}

fn called_instances(n: usize) -> String {
    let template = "fn scaled[R: const i32](x: f32) -> f32:\n    return x * f32(R) + 1.0\n\n".to_owned();
    template + &over_elements(n, |k| format!("        x = scaled[{k}](x)\n"), "x")
}

fn static_for(n: usize) -> String {
    over_elements(1, |_| format!("        static for k in range({n}):\n            x = x * 0.5 + f32(k)\n"), "x")
}

fn window(n: usize) -> String {
    format!(
        "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range({n}, n - {n}):\n        let window: f32[{n}]\n        static for k \
         in range({n}):\n            window[k] = a[i + k] * f32(k)\n        let s = 0.0\n        static for k in range({n}):\n            \
         s += window[k]\n        out[i] = s\n"
    )
}

fn comprehensions(n: usize) -> String {
    let line = |k: usize| format!("    out[{k}] = sum(x * {k}.5 for x in a if x > {k}.0)\n");
    text("kernel k(a: f32[n], out: f32[m], n: i32, m: i32):\n", n, line, "")
}

fn arrays(n: usize) -> String {
    let line = |k: usize| format!("    out[:] = [x * {k}.5 + y for x, y in zip(a, out)]\n");
    text("kernel k(a: f32[n], out: f32[n], n: i32):\n", n, line, "")
}

fn zipped(n: usize) -> String {
    let line = |k: usize| format!("    for i, (x, y) in enumerate(zip(a, b)):\n        out[i] = x * {k}.5 + y\n");
    text("kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):\n", n, line, "")
}

fn structs(n: usize) -> String {
    let line = |k: usize| format!("        let v{} = v{k} * {k}.5 + vec3(x, {k}.0, x)\n", k + 1);
    over_elements(
        n,
        |k| if k == 0 { "        let v1 = vec3(x, x, x)\n".to_owned() } else { line(k) },
        &format!("v{n}.y"),
    )
}

fn elements(n: usize) -> String {
    let head = "struct P:\n    at: vec3\n    mass: f32\n\nkernel k(p: P[n], n: i32):\n    for i in range(n):\n";
    text(head, n, |k| format!("        p[i].at = p[i].at * p[i].mass + {k}.5\n"), "")
}

fn fields(n: usize) -> String {
    let fields = text("struct P:\n", n, |k| format!("    x{k}: f32\n"), "\nkernel k(p: P[n], q: P[n], n: i32):\n");
    fields + "    for i in range(n):\n        p[i] = p[i] * 0.5 + q[i]\n"
}

fn matrices(n: usize) -> String {
    let head = "kernel k(a: mat4[n], b: mat4[n], n: i32):\n    for i in range(n):\n        let m = a[i]\n";
    text(head, n, |k| format!("        m = m * b[i] + {k}.5\n"), "        a[i] = m\n")
}
