//! The families of kernels that are measured: each is a text with so many of one thing, at two sizes. The file is long because each has a
//! function of its own.

/// A family of kernels: its name, the text for a size, and the two sizes.
pub(crate) type Family = (&'static str, fn(usize) -> String, [usize; 2]);

/// The sizes of most families: up to 5,000 statements.
const STATEMENTS: [usize; 2] = [1250, 5000];

pub(crate) const FAMILIES: [Family; 76] = [
    ("statements, a chain of lets", chain, STATEMENTS),
    ("statements of three arrays", |n| statements(n, 3), STATEMENTS),
    ("statements of forty arrays", |n| statements(n, 40), STATEMENTS),
    ("statements of three stencils", stencils, STATEMENTS),
    ("assignments to one variable", assignments, STATEMENTS),
    ("lets that are all used at the end", wide, STATEMENTS),
    ("terms of an expression", terms, [100, 400]),
    ("calls of a function in a chain", calls, STATEMENTS),
    ("calls of a function with branches", calls_with_branches, [625, 2500]),
    ("sums in one loop", |n| sums(n, ""), [312, 1250]),
    ("sums of integers in one loop", integer_sums, [312, 1250]),
    ("extremes in one loop", extremes, [80, 320]),
    ("@reassoc sums in one loop", |n| sums(n, "    @reassoc\n"), [312, 1250]),
    ("@reassoc additions to one sum", additions, STATEMENTS),
    ("guarded continues", continues, [312, 1250]),
    ("guarded continues with stores", guarded, [312, 1250]),
    ("guarded continues behind lets", guarded_lets, [312, 1250]),
    ("guarded breaks", breaks, [312, 1250]),
    ("nested ifs", ifs, [10, 40]),
    ("nests of 40 ifs", nests, [15, 60]),
    ("elifs", elifs, [60, 240]),
    ("ifs, one behind the other", branches, STATEMENTS),
    ("lines of a foreach of deep ifs", deep, [143, 572]),
    ("lines of a foreach of a tree of ifs", tree, [143, 572]),
    ("non-linear subscripts", non_linear, STATEMENTS),
    ("gathers", gathers, STATEMENTS),
    ("strided loads", strided, STATEMENTS),
    ("fields of structs", fields, STATEMENTS),
    ("fields of one struct", fields_of_one, [240, 960]),
    ("fields of a variable of a struct", fields_of_variable, [60, 240]),
    ("fields given to a struct", fields_given, [240, 960]),
    ("structs inside of a struct", structs_inside, [60, 240]),
    ("structs of a file", structs, [312, 1250]),
    ("variants with data", variants, [60, 240]),
    ("variants without data", plain_variants, [60, 240]),
    ("variants that are made", variants_made, [312, 1250]),
    ("cases of numbers", cases_of_numbers, [60, 240]),
    ("cases of two enums", |n| cases_of_two(n.isqrt()), [64, 256]),
    ("matches", matches, [312, 1250]),
    ("constants of a file", constants, [312, 1250]),
    ("constants in a chain", chained_constants, [60, 240]),
    ("elements of a constant array", constant_array, STATEMENTS),
    ("functions of a file", functions, [312, 1250]),
    ("functions in a chain", chained_functions, [15, 60]),
    ("functions with a loop", functions_with_loops, [312, 1250]),
    ("calls of a template with other constants", instances, [60, 240]),
    ("rounds of a static for", static_rounds, [312, 1250]),
    ("parameters", scalars, [300, 1200]),
    ("asserts", asserts, [312, 1250]),
    ("conditions joined by and", joined, [100, 400]),
    ("values chosen by conditions", chosen, STATEMENTS),
    ("tuples", tuples, STATEMENTS),
    ("lambdas", lambdas, [312, 1250]),
    ("comprehensions", comprehensions, [156, 625]),
    ("maps of maps over rows", maps_of_maps, [78, 312]),
    ("slices", slices, [312, 1250]),
    ("new arrays", new_arrays, [78, 312]),
    ("gathers with a note each", noted, [312, 1250]),
    ("compares of neighbours", neighbours, [312, 1250]),
    ("foreach loops", foreach_loops, [312, 1250]),
    ("loops with a recurrence", recurrences, [312, 1250]),
    ("loops with a condition each", guarded_loops, [312, 1250]),
    ("calls of math functions", math, [312, 1250]),
    ("terms of one stencil", stencil_terms, [25, 100]),
    ("stores to one array", stores, STATEMENTS),
    ("stores to one array of other cells", |n| apart(n, 100), STATEMENTS),
    ("stores to rows", rows, STATEMENTS),
    ("arrays", arrays, [300, 1200]),
    ("statements on whole arrays", whole_arrays, [312, 1250]),
    ("loops", loops, [625, 2500]),
    ("loops of two sums", loops_of_sums, [312, 1250]),
    ("nests of two loops", for_nests, [312, 1250]),
    ("nested loops", nested_loops, [6, 24]),
    ("whiles", whiles, [312, 1250]),
    ("whiles with breaks", searches, [208, 832]),
    ("kernels", kernels, [312, 1250]),
];

/// Families with mistakes: of them only types and findings are asked.
pub(crate) const MISTAKEN: [Family; 5] = [
    ("unknown names", unknown_names, [312, 1250]),
    ("unknown fields", unknown_fields, [60, 240]),
    ("unknown functions", unknown_functions, [312, 1250]),
    ("types that clash", clashes, [312, 1250]),
    ("brackets that are not closed", unclosed, [312, 1250]),
];

/// A text of a head, of a line for each number up to `n`, and of a tail.
fn text(head: &str, n: usize, line: impl Fn(usize) -> String, tail: &str) -> String {
    head.to_owned() + &(0..n).map(line).collect::<String>() + tail
}

/// A kernel with a loop over two arrays, which starts with an element of the one and ends with a store to the other.
fn over_elements(n: usize, line: impl Fn(usize) -> String, stored: &str) -> String {
    let head = "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n";
    text(head, n, line, &format!("        out[i] = {stored}\n"))
}

fn chain(n: usize) -> String {
    let line = |k: usize| match k {
        0 => "        let x0 = x * 0.5\n".to_owned(),
        _ => format!("        let x{k} = x{} * 0.5 + {k}.0\n", k - 1),
    };
    over_elements(n, line, &format!("x{}", n - 1))
}

fn statements(n: usize, n_arrays: usize) -> String {
    let params = text("", n_arrays, |k| format!("a{k}: f32[n], "), "");
    let line = |k: usize| {
        let [to, from, other] = [k, k + 1, k + 2].map(|k| k % n_arrays);
        format!("        a{to}[i] = a{from}[i] * {k}.5 + a{other}[i]\n")
    };
    text(&format!("kernel k({params}n: i32):\n    for i in range(1, n - 1):\n"), n, line, "")
}

/// Cells beside each other, as a stencil has them.
fn stencils(n: usize) -> String {
    let line = |k: usize| {
        let [to, from] = [k % 3, (k + 1) % 3].map(|k| ["a", "b", "c"][k]);
        let [left, right] = [k % 4, k % 5].map(|k| k + 1);
        format!("        {to}[i] = {from}[i - {left}] * {k}.5 + {from}[i + {right}]\n")
    };
    text("kernel k(a: f32[n], b: f32[n], c: f32[n], n: i32):\n    for i in range(8, n - 8):\n", n, line, "")
}

fn assignments(n: usize) -> String {
    over_elements(n, |k| format!("        x = x * {k}.5 + 1.0\n"), "x")
}

/// Values that all live until they are joined in pairs.
fn wide(n: usize) -> String {
    let half = n / 2;
    let line = |k: usize| match k {
        _ if k < half => format!("        let x{k} = x * {k}.5\n"),
        _ if k == half => "        let y0 = x\n".to_owned(),
        _ => format!("        let y{} = y{} + x{}\n", k - half, k - half - 1, n - 1 - k),
    };
    over_elements(n, line, &format!("y{}", n - half - 1))
}

fn terms(n: usize) -> String {
    let sum = text("x", n, |k| format!(" + a[i] * {k}.5"), "");
    over_elements(0, |_| String::new(), &sum)
}

fn calls(n: usize) -> String {
    "fn f(x: f32, y: f32) -> f32:\n    return x * y + 1.0\n\n".to_owned()
        + &over_elements(n, |k| format!("        x = f(x, {k}.5)\n"), "x")
}

fn calls_with_branches(n: usize) -> String {
    "fn f(x: f32, y: f32) -> f32:\n    if x > y:\n        return x - y\n    return x * 2.0\n\n".to_owned()
        + &over_elements(n, |k| format!("        x = f(x, {k}.5)\n"), "x")
}

fn sums(n: usize, attribute: &str) -> String {
    let head =
        text("kernel k(a: f32[n], out: f32[m], n: i32, m: i32):\n", n, |k| format!("    let s{k} = 0.0\n"), attribute);
    let sums = text("    for i in range(n):\n", n, |k| format!("        s{k} += a[i] * {k}.5\n"), "");
    head + &text(&sums, n, |k| format!("    out[{k}] = s{k}\n"), "")
}

fn integer_sums(n: usize) -> String {
    let head = "kernel k(a: i32[n], out: i32[m], n: i32, m: i32):\n";
    let head = text(head, n, |k| format!("    let s{k} = 0\n"), "    for i in range(n):\n");
    let sums = text(&head, n, |k| format!("        s{k} += a[i] ^ {k}\n"), "");
    text(&sums, n, |k| format!("    out[{k}] = s{k}\n"), "")
}

/// Greatest values, and the places where they are.
fn extremes(n: usize) -> String {
    let head = "kernel k(a: f32[n], out: f32[m], at: i32[m], n: i32, m: i32):\n";
    let start = |k: usize| format!("    let s{k} = -inf\n    let t{k} = 0\n");
    let head = text(head, n, start, "    for i in range(n):\n");
    let line = |k: usize| {
        format!(
            "        let x{k} = a[i] * {k}.5\n        if x{k} > s{k}:\n            s{k} = x{k}\n            t{k} = i\n"
        )
    };
    let loops = text(&head, n, line, "");
    text(&loops, n, |k| format!("    out[{k}] = s{k}\n    at[{k}] = t{k}\n"), "")
}

fn additions(n: usize) -> String {
    let head = "kernel k(a: f32[n], out: f32[1], n: i32):\n    let s = 0.0\n    @reassoc\n    for i in range(n):\n";
    text(head, n, |k| format!("        s += a[i] * {k}.5\n"), "    out[0] = s\n")
}

fn continues(n: usize) -> String {
    over_elements(n, |k| format!("        if x > {k}.0:\n            continue\n"), "x")
}

fn guarded(n: usize) -> String {
    let line =
        |k: usize| format!("        x += 1.0\n        if x > {k}.0:\n            out[i] = x\n            continue\n");
    over_elements(n, line, "x * 2.0")
}

fn guarded_lets(n: usize) -> String {
    let line = |k: usize| {
        let before = if k == 0 { "x".to_owned() } else { format!("x{}", k - 1) };
        format!("        let x{k} = {before} * 0.5\n        if x{k} > {k}.0:\n            continue\n")
    };
    over_elements(n, line, &format!("x{}", n - 1))
}

fn breaks(n: usize) -> String {
    over_elements(n, |k| format!("        if x > {k}.0:\n            break\n"), "x")
}

fn ifs(n: usize) -> String {
    over_elements(n, |k| nested_if(k, 0), "x")
}

/// Nests of 40 ifs, one behind the other.
fn nests(n: usize) -> String {
    over_elements(40 * n, |k| nested_if(k % 40, k / 40), "x")
}

fn nested_if(depth: usize, nest: usize) -> String {
    let indent = "    ".repeat(depth + 2);
    format!("{indent}if x > {nest}.{depth}:\n{indent}    x = x * 0.5\n")
}

fn elifs(n: usize) -> String {
    let word = |k: usize| if k == 0 { "if" } else { "elif" };
    over_elements(n, |k| format!("        {} x > {k}.0:\n            x = x * {k}.5\n", word(k)), "x")
}

fn branches(n: usize) -> String {
    over_elements(n, |k| format!("        if x > {k}.0:\n            x = x * 0.5\n"), "x")
}

/// A `foreach` of so many lines: branches inside of branches, twelve deep, each with an `else`, a variable and a store.
fn deep(n_lines: usize) -> String {
    let mut lines = vec![
        "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):".to_owned(),
        "    foreach i in range(n):".to_owned(),
        "        let x = a[i]".to_owned(),
        "        let y = b[i]".to_owned(),
    ];
    while lines.len() < n_lines {
        let mut open: Vec<usize> = Vec::new();
        while open.len() < 12 && lines.len() + 4 * open.len() + 8 <= n_lines.max(12) {
            let (depth, k) = (open.len(), lines.len());
            let indent = "    ".repeat(depth + 2);
            let condition = ["x", "y", "a[i]", "b[i] + x"][k % 4];
            lines.push(format!("{indent}if {condition} > {k}.5:"));
            lines.push(format!("{indent}    x = x * y + {k}.0"));
            lines.push(format!("{indent}    out[i] = x"));
            open.push(depth);
        }
        if open.is_empty() {
            lines.push(format!("        x += {}.0", lines.len()));
        }
        while let Some(depth) = open.pop() {
            let indent = "    ".repeat(depth + 2);
            lines.push(format!("{indent}else:"));
            lines.push(format!("{indent}    y = y - x"));
            lines.push(format!("{indent}    out[i] = y * {}.0", lines.len()));
        }
    }
    lines.join("\n") + "\n        out[i] = x + y\n"
}

/// A `foreach` of about so many lines: branches on both sides of branches.
fn tree(n_lines: usize) -> String {
    fn branch(lines: &mut Vec<String>, depth: usize, n_lines: usize) {
        let indent = "    ".repeat(depth + 2);
        let k = lines.len();
        if n_lines < 8 {
            return lines.push(format!("{indent}x = x * y + {k}.0"));
        }
        lines.push(format!("{indent}if {} > {k}.0:", ["x", "y", "a[i]", "x * y"][k % 4]));
        branch(lines, depth + 1, (n_lines - 4) / 2);
        lines.push(format!("{indent}else:"));
        lines.push(format!("{indent}    y = y + {k}.5"));
        branch(lines, depth + 1, (n_lines - 4) / 2);
        lines.push(format!("{indent}out[i] = x - y"));
    }
    let mut lines = vec![
        "kernel k(a: f32[n], b: f32[n], out: f32[n], n: i32):".to_owned(),
        "    foreach i in range(n):".to_owned(),
        "        let x = a[i]".to_owned(),
        "        let y = b[i]".to_owned(),
    ];
    branch(&mut lines, 0, n_lines);
    lines.join("\n") + "\n        out[i] = x + y\n"
}

/// A kernel with arrays and a loop, for statements that load and store.
fn with_arrays(n: usize, line: impl Fn(usize) -> String) -> String {
    let params = "a: f32[n], b: f32[n], c: f32[n], m: f32[h, w], p: P[n], x: i32[n], h: i32, w: i32, n: i32";
    let head = format!("struct P:\n    x: f32\n    y: f32\n\nkernel k({params}):\n    for i in range(n):\n");
    text(&head, n, line, "")
}

fn non_linear(n: usize) -> String {
    with_arrays(n, |k| format!("        a[x[i] % {}] = {k}.0\n", k + 3))
}

fn gathers(n: usize) -> String {
    with_arrays(n, |k| format!("        b[i + {k}] = a[x[i] + {k}]\n"))
}

fn strided(n: usize) -> String {
    with_arrays(n, |k| format!("        b[i] = b[i] + a[3 * i + {k}]\n"))
}

fn fields(n: usize) -> String {
    with_arrays(n, |k| format!("        p[i].{} = p[i].{} * {k}.5\n", ["x", "y"][k % 2], ["y", "x"][k % 3 % 2]))
}

fn fields_of_one(n: usize) -> String {
    let fields = text("struct S:\n", n + 1, |k| format!("    x{k}: f32\n"), "\n");
    let head = "kernel k(s: S[n], n: i32):\n    for i in range(n):\n";
    fields + &text(head, n, |k| format!("        s[i].x{k} = s[i].x{} * {k}.5\n", k + 1), "")
}

/// The variants of an enum, and a `match` with a case for each.
fn variants(n: usize) -> String {
    let variants = text("enum E:\n", n, |k| format!("    V{k}(x{k}: f32)\n"), "\n");
    let head = "kernel k(a: E[n], out: f32[n], n: i32):\n    for i in range(n):\n        match a[i]:\n";
    let case = |k: usize| format!("            case V{k}(x): out[i] = x * {k}.5\n");
    variants + &text(head, n, case, "")
}

fn stores(n: usize) -> String {
    with_arrays(n, |k| format!("        b[i + {k}] = a[i] * {k}.0\n"))
}

/// Stores to cells that lie far apart, each from a load of them.
fn apart(n: usize, cells: usize) -> String {
    with_arrays(n, |k| format!("        b[i + {0}] = b[i + {0}] * {k}.0\n", cells * k))
}

fn rows(n: usize) -> String {
    with_arrays(n, |k| format!("        m[{k}, i] = m[{}, i] * {k}.0\n", k + 1))
}

fn arrays(n: usize) -> String {
    let params = text("", n, |k| format!("a{k}: f32[n], "), "");
    let head = format!("kernel k({params}n: i32):\n    for i in range(n):\n");
    text(&head, n - 1, |k| format!("        a{}[i] = a{k}[i] * {k}.0\n", k + 1), "")
}

fn whole_arrays(n: usize) -> String {
    let line = |k: usize| {
        let [to, from, other] = [k, k + 1, k + 2].map(|k| ["a", "b", "c"][k % 3]);
        format!("    {to}[:] = {from} * {k}.5 + {other}\n")
    };
    text("kernel k(a: f32[n], b: f32[n], c: f32[n], n: i32):\n", n, line, "")
}

fn loops(n: usize) -> String {
    let line = |k: usize| format!("    for i{k} in range(n):\n        a[i{k}] = b[i{k}] * {k}.0\n");
    text("kernel k(a: f32[n], b: f32[n], n: i32):\n", n, line, "")
}

fn loops_of_sums(n: usize) -> String {
    let line = |k: usize| {
        format!(
            "    let s{k} = 0.0\n    let t{k} = 0\n    for i in range(n):\n        s{k} += a[i] * {k}.0\n        t{k} += b[i]\n    \
             out[{k}] = s{k} + f32(t{k})\n"
        )
    };
    text("kernel k(a: f32[n], b: i32[n], out: f32[m], n: i32, m: i32):\n", n, line, "")
}

fn for_nests(n: usize) -> String {
    let line = |k: usize| {
        format!("    for i in range(n):\n        for j in range(m):\n            a[i, j] = b[j, i] * {k}.0 + a[i, j]\n")
    };
    text("kernel k(a: f32[n, m], b: f32[m, n], n: i32, m: i32):\n", n, line, "")
}

/// Loops inside of each other, each with a statement.
fn nested_loops(n: usize) -> String {
    let line = |k: usize| {
        let indent = "    ".repeat(k + 1);
        format!("{indent}for i{k} in range(n):\n{indent}    a{k}[i{k}] = a{k}[i{k}] * {k}.5\n")
    };
    text(&format!("kernel k({}n: i32):\n", text("", n, |k| format!("a{k}: f32[n], "), "")), n, line, "")
}

fn whiles(n: usize) -> String {
    let line = |k: usize| {
        format!("    let i{k} = 0\n    while i{k} < n:\n        a[i{k}] = b[i{k}] * {k}.0\n        i{k} += 1\n")
    };
    text("kernel k(a: f32[n], b: f32[n], n: i32):\n", n, line, "")
}

fn searches(n: usize) -> String {
    let line = |k: usize| {
        format!(
            "    let i{k} = 0\n    while i{k} < n:\n        if a[i{k}] > {k}.0:\n            break\n        i{k} += 1\n    \
             out[{k}] = i{k}\n"
        )
    };
    text("kernel k(a: f32[n], out: i32[m], n: i32, m: i32):\n", n, line, "")
}

fn kernels(n: usize) -> String {
    let line = |k: usize| {
        format!("kernel k{k}(a: f32[n], b: f32[n], n: i32):\n    for i in range(n):\n        a[i] = b[i] * {k}.0\n\n")
    };
    text("", n, line, "")
}

fn fields_of_variable(n: usize) -> String {
    let fields = text("struct S:\n", n, |k| format!("    x{k}: f32\n"), "\n");
    let head = "kernel k(s: S[n], out: f32[n], n: i32):\n    for i in range(n):\n        let v = s[i]\n";
    let line = |k: usize| format!("        v.x{k} = v.x{} * {k}.5\n", (k + 1) % n);
    fields + &text(head, n, line, "        out[i] = v.x0\n")
}

fn fields_given(n: usize) -> String {
    let fields = text("struct S:\n", n, |k| format!("    x{k}: f32\n"), "\n");
    let given = text("", n, |k| format!("{}a[i] * {k}.5", if k == 0 { "" } else { ", " }), "");
    fields + &format!("kernel k(s: S[n], a: f32[n], n: i32):\n    for i in range(n):\n        s[i] = S({given})\n")
}

fn structs_inside(n: usize) -> String {
    let inner = text("struct P:\n    x: f32\n    y: f32\n\nstruct S:\n", n, |k| format!("    p{k}: P\n"), "\n");
    let head = "kernel k(s: S[n], n: i32):\n    for i in range(n):\n";
    inner + &text(head, n, |k| format!("        s[i].p{k}.x = s[i].p{k}.y * {k}.5\n"), "")
}

fn structs(n: usize) -> String {
    let structs = text("", n, |k| format!("struct S{k}:\n    x{k}: f32\n    y{k}: f32\n\n"), "");
    let params = text("", n, |k| format!("s{k}: S{k}[n], "), "");
    let head = format!("kernel k({params}n: i32):\n    for i in range(n):\n");
    structs + &text(&head, n, |k| format!("        s{k}[i].x{k} = s{k}[i].y{k} * 0.5\n"), "")
}

fn plain_variants(n: usize) -> String {
    let variants = text("enum E:\n", n, |k| format!("    V{k}\n"), "\n");
    let head = "kernel k(a: E[n], out: f32[n], n: i32):\n    for i in range(n):\n        match a[i]:\n";
    variants + &text(head, n, |k| format!("            case V{k}: out[i] = {k}.5\n"), "")
}

fn variants_made(n: usize) -> String {
    let head = "enum E:\n    A\n    B(x: f32)\n    C(y: f32, z: f32)\n\nkernel k(a: f32[n], out: E[n], n: i32):\n    for i in range(n):\n";
    text(head, n, |k| format!("        if a[i] > {k}.0:\n            out[i] = E.C(a[i], {k}.5)\n"), "")
}

fn cases_of_numbers(n: usize) -> String {
    let head = "kernel k(a: i32[n], out: f32[n], n: i32):\n    for i in range(n):\n        match a[i]:\n";
    text(head, n, |k| format!("            case {k}: out[i] = {k}.5\n"), "            case _: out[i] = 0.0\n")
}

/// A case for each pair of variants of two values.
fn cases_of_two(n: usize) -> String {
    let variants = text("enum E:\n", n, |k| format!("    V{k}\n"), "\n");
    let head = "kernel k(a: E[n], b: E[n], out: f32[n], n: i32):\n    for i in range(n):\n        match a[i], b[i]:\n";
    variants + &text(head, n * n, |k| format!("            case V{}, V{}: out[i] = {k}.5\n", k / n, k % n), "")
}

fn matches(n: usize) -> String {
    let head = "enum E:\n    A\n    B(x: f32)\n    C(y: f32, z: f32)\n\nkernel k(a: E[n], out: f32[n], n: i32):\n    for i in range(n):\n        let s = 0.0\n";
    let line = |k: usize| {
        format!(
            "        match a[i]:\n            case A: s += {k}.5\n            case B(x): s += x\n            case C(y, z): s += y * z\n"
        )
    };
    text(head, n, line, "        out[i] = s\n")
}

fn constants(n: usize) -> String {
    let all = text("", n, |k| format!("const K{k} = {k}.5 * 2.0\n\n"), "");
    all + &over_elements(n, |k| format!("        x = x * K{k}\n"), "x")
}

fn chained_constants(n: usize) -> String {
    let line = |k: usize| match k {
        0 => "const K0 = 1.5\n\n".to_owned(),
        _ => format!("const K{k} = K{} + 1.0\n\n", k - 1),
    };
    text("", n, line, "") + &over_elements(n, |k| format!("        x = x * K{k}\n"), "x")
}

fn constant_array(n: usize) -> String {
    let elements = text("", n, |k| format!("{}{k}.5", if k == 0 { "" } else { ", " }), "");
    format!("const TABLE: f32[{n}] = [{elements}]\n\n")
        + &over_elements(1, |_| "        x *= TABLE[i % 4]\n".into(), "x")
}

fn functions(n: usize) -> String {
    let all = text("", n, |k| format!("fn step{k}(x: f32, y: f32) -> f32:\n    return x * y + {k}.0\n\n"), "");
    all + &over_elements(n, |k| format!("        x = step{k}(x, {k}.5)\n"), "x")
}

fn chained_functions(n: usize) -> String {
    let line = |k: usize| match k {
        0 => "fn step0(x: f32) -> f32:\n    return x * 0.5\n\n".to_owned(),
        _ => format!("fn step{k}(x: f32) -> f32:\n    return step{}(x) + {k}.0\n\n", k - 1),
    };
    text("", n, line, "") + &over_elements(1, |_| format!("        x = step{}(x)\n", n - 1), "x")
}

fn functions_with_loops(n: usize) -> String {
    let body = "    let s = 0.0\n    for i in range(n):\n        s += a[i] * x\n    return s\n\n";
    let head = format!("fn f(a: f32[n], x: f32) -> f32:\n{body}kernel k(a: f32[n], out: f32[m], n: i32, m: i32):\n");
    text(&head, n, |k| format!("    out[{k}] = f(a, {k}.5)\n"), "")
}

fn instances(n: usize) -> String {
    let head = "fn f[N: const i32](x: f32) -> f32:\n    return x * f32(N) + 1.0\n\n";
    head.to_owned() + &over_elements(n, |k| format!("        x = f[{}](x)\n", k + 1), "x")
}

fn static_rounds(n: usize) -> String {
    over_elements(1, |_| format!("        static for k in range({n}):\n            x = x * 0.5 + f32(k)\n"), "x")
}

fn scalars(n: usize) -> String {
    let params = text("", n, |k| format!("c{k}: f32, "), "");
    let head = format!("kernel k({params}a: f32[n], n: i32):\n    for i in range(n):\n        let x = a[i]\n");
    text(&head, n, |k| format!("        x = x * c{k} + 1.0\n"), "        a[i] = x\n")
}

fn asserts(n: usize) -> String {
    over_elements(n, |k| format!("        assert n > {k}\n        x *= {k}.5\n"), "x")
}

fn joined(n: usize) -> String {
    let condition = text("x > 0.5", n, |k| format!(" and x != {k}.5"), "");
    over_elements(1, |_| format!("        if {condition}:\n            x = 1.0\n"), "x")
}

fn chosen(n: usize) -> String {
    over_elements(n, |k| format!("        x = x * 0.5 if x > {k}.0 else x + 1.0\n"), "x")
}

fn tuples(n: usize) -> String {
    over_elements(n, |k| format!("        let p{k}, q{k} = x * 0.5, x + {k}.0\n        x = p{k} - q{k}\n"), "x")
}

fn lambdas(n: usize) -> String {
    over_elements(n, |k| format!("        let f{k} = \\y -> y * {k}.5 + x\n        x = f{k}(x)\n"), "x")
}

fn comprehensions(n: usize) -> String {
    let head = "kernel k(a: f32[n], b: f32[n], n: i32):\n";
    text(head, n, |k| format!("    a[:] = [x * y + {k}.0 for x, y in zip(a, b)]\n"), "")
}

fn maps_of_maps(n: usize) -> String {
    let head = "kernel k(a: f32[n, m], b: f32[n, m], n: i32, m: i32):\n";
    text(head, n, |k| format!("    a[:, :] = map(\\r -> map(\\x -> x + {k}.0, r), b)\n"), "")
}

fn slices(n: usize) -> String {
    let head = "kernel k(a: f32[n], b: f32[n], n: i32):\n";
    text(head, n, |k| format!("    a[{k}:n] = b[{k}:n] * {k}.5\n"), "")
}

/// Arrays that a kernel makes, each from the one before.
fn new_arrays(n: usize) -> String {
    let line = |k: usize| match k {
        0 => "    let t0 = a * 0.5\n".to_owned(),
        _ => format!("    let t{k} = scan(+, 0.0, t{})\n", k - 1),
    };
    text("kernel k(a: f32[n], out: f32[n], n: i32):\n", n, line, &format!("    out[:] = t{}\n", n - 1))
}

fn noted(n: usize) -> String {
    let line = |k: usize| match k % 2 {
        0 => format!("        let x{k} = a[x[i] + {k}]\n"),
        _ => format!("        b[i] = x{} + c[3 * i + {k}]\n", k - 1),
    };
    with_arrays(n, line)
}

fn neighbours(n: usize) -> String {
    let line = |k: usize| format!("        if a[i] > a[i + {k}]:\n            b[i] = {k}.0\n");
    with_arrays(n, line)
}

fn foreach_loops(n: usize) -> String {
    let line = |k: usize| format!("    foreach i in range(n):\n        a[i] = a[i] * b[i] + {k}.0\n");
    text("kernel k(a: f32[n], b: f32[n], n: i32):\n", n, line, "")
}

fn recurrences(n: usize) -> String {
    let line = |k: usize| format!("    for i in range(1, n):\n        a[i] = a[i - 1] * b[i] + {k}.0\n");
    text("kernel k(a: f32[n], b: f32[n], n: i32):\n", n, line, "")
}

fn guarded_loops(n: usize) -> String {
    let line = |k: usize| format!("    if n > {k}:\n        for i in range(n):\n            a[i] = b[i] * {k}.0\n");
    text("kernel k(a: f32[n], b: f32[n], n: i32):\n", n, line, "")
}

fn math(n: usize) -> String {
    over_elements(n, |k| format!("        x = {}(x) * {k}.5\n", ["sqrt", "abs", "floor", "sin"][k % 4]), "x")
}

fn stencil_terms(n: usize) -> String {
    let sum = text("a[i]", n, |k| format!(" + a[i + {k}] * {k}.5"), "");
    with_arrays(1, |_| format!("        b[i] = {sum}\n"))
}

fn unknown_names(n: usize) -> String {
    over_elements(n, |k| format!("        let x{k} = y{k} * {k}.5\n"), "x")
}

fn unknown_fields(n: usize) -> String {
    let fields = text("struct S:\n", n, |k| format!("    x{k}: f32\n"), "\n");
    let head = "kernel k(s: S[n], n: i32):\n    for i in range(n):\n";
    fields + &text(head, n, |k| format!("        s[i].x{k} = s[i].y{k} * {k}.5\n"), "")
}

fn unknown_functions(n: usize) -> String {
    let all = text("", n, |k| format!("fn step{k}(x: f32) -> f32:\n    return x * {k}.5\n\n"), "");
    all + &over_elements(n, |k| format!("        x = stop{k}(x)\n"), "x")
}

fn clashes(n: usize) -> String {
    over_elements(n, |k| format!("        let x{k} = x + (n > {k})\n"), "x")
}

fn unclosed(n: usize) -> String {
    over_elements(n, |k| format!("        x = (x * {k}.5\n"), "x")
}
