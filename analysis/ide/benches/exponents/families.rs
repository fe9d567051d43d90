//! The families of kernels that are measured: each is a text with so many of one thing, at two sizes.

/// A family of kernels: its name, the text for a size, and the two sizes.
pub(crate) type Family = (&'static str, fn(usize) -> String, [usize; 2]);

/// The sizes of most families: up to 5,000 statements.
const STATEMENTS: [usize; 2] = [1250, 5000];

pub(crate) const FAMILIES: [Family; 42] = [
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
    ("fields of one struct", fields_of_one, [60, 240]),
    ("variants with data", variants, [60, 240]),
    ("stores to one array", stores, STATEMENTS),
    ("stores to one array of other cells", |n| apart(n, 100), STATEMENTS),
    ("stores to rows", rows, STATEMENTS),
    ("arrays", arrays, [300, 1200]),
    ("statements on whole arrays", whole_arrays, [312, 1250]),
    ("loops", loops, [625, 2500]),
    ("loops of two sums", loops_of_sums, [312, 1250]),
    ("nests of two loops", for_nests, [312, 1250]),
    ("nested loops", nested_loops, [6, 24]),
    ("whiles", whiles, [625, 2500]),
    ("whiles with breaks", searches, [312, 1250]),
    ("kernels", kernels, [312, 1250]),
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
