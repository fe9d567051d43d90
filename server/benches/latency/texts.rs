//! The programs that latency is measured with.

use std::collections::HashSet;

/// The length in lines of a long file.
pub(crate) const N_LINES: usize = 50_000;

/// The examples, again and again under other names, with a kernel to type into now and then: a file with as many findings, and of as
/// many kinds, as people write.
pub(crate) fn lane_text() -> String {
    lane_text_with(Alike::ButForNames)
}

/// The likeness of the repeated programs of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alike {
    /// They differ in the names of their items, so kernels share what is found out about one of them.
    ButForNames,
    /// They have other numbers, too, so that most kernels are like no other.
    InForm,
}

/// A text as that of [`lane_text`].
pub(crate) fn lane_text_with(alike: Alike) -> String {
    let typed_in = |n: usize| {
        format!(
            "
kernel step_{n}(a: f32[n], b: f32[n], n: i32, scale: f32):
    let key = 1.5
    for i in range(n):
        let x = a[i] * scale
        if x > key:
            b[i] = x + {n}.0
        else:
            b[i] = max(x, sqrt(a[i]))

"
        )
    };
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("the examples").flatten().map(|it| it.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "lane"));
    paths.sort();
    let examples: Vec<String> = paths.iter().map(|path| std::fs::read_to_string(path).expect("a program")).collect();
    let mut text = String::new();
    let mut n_lines = 0;
    for (n, example) in examples.iter().cycle().enumerate() {
        if n_lines >= N_LINES {
            break;
        }
        let piece = renamed(example, n, alike) + &typed_in(n);
        n_lines += piece.lines().count();
        text += &piece;
    }
    text
}

/// A program whose items have a number behind their names, and other fractions of numbers if they are to differ.
fn renamed(text: &str, number: usize, alike: Alike) -> String {
    let is_of_word = |char: char| char.is_alphanumeric() || char == '_';
    let named = |line: &str| {
        let (keyword, rest) = line.split_once(' ')?;
        let is_item = ["kernel", "fn", "struct", "enum", "const"].contains(&keyword);
        let end = rest.find(|char| !is_of_word(char)).unwrap_or(rest.len());
        is_item.then(|| rest[..end].to_owned())
    };
    let names: HashSet<String> = text.lines().filter_map(named).collect();
    let (mut out, mut rest, mut before) = (String::new(), text, ' ');
    while let Some(first) = rest.chars().next() {
        let is_word = is_of_word(first);
        let end = rest.find(|char| is_of_word(char) != is_word).unwrap_or(rest.len());
        let piece = &rest[..end];
        out += piece;
        // Behind a dot it is a field.
        if before != '.' && names.contains(piece) {
            out += &format!("_{number}");
        }
        let is_fraction = before == '.' && piece.bytes().all(|byte| byte.is_ascii_digit());
        if is_fraction && alike == Alike::InForm {
            out += &number.to_string();
        }
        before = piece.chars().next_back().unwrap_or(' ');
        rest = &rest[end..];
    }
    out
}

pub(crate) fn c_text(n_lines: usize) -> String {
    let function = |n: usize| {
        format!(
            "void step_{n}(float *a, float *b, int n, float scale) {{
    float key = 1.5f;
    for (int i = 0; i < n; i++) {{
        float x = a[i] * scale;
        if (x > key) b[i] = x + {n}.0f;
        else b[i] = x > a[i] ? x : a[i];
    }}
}}

"
        )
    };
    (0..n_lines / 8).map(function).collect()
}

/// Builds a kernel with one loop of `n_statements` statements that share three arrays.
pub(crate) fn long_kernel(n_statements: usize) -> String {
    let statement = |k: usize| match k % 6 {
        0 => format!("        let x{k} = a[i] * {k}.5 + b[i]\n"),
        1 => format!("        let y{k} = max(x{}, c[i] - {k}.0)\n", k - 1),
        2 => format!("        b[i] = y{} * x{}\n", k - 1, k - 2),
        3 => format!("        if y{} > {k}.0:\n            c[i] = x{}\n", k - 2, k - 3),
        4 => format!("        let z{k} = sqrt(y{} + b[i])\n", k - 3),
        _ => format!("        a[i] = z{} + y{}\n", k - 1, k - 4),
    };
    let header = "kernel long(a: f32[n], b: f32[n], c: f32[n], n: i32):\n    for i in range(n):\n";
    header.to_owned() + &(0..n_statements).map(statement).collect::<String>()
}
