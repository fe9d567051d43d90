//! Kernels of 1,000 lines, into the middle of which keys are typed: by the benchmark of the queries behind a key, and by that of the
//! language server.

/// The lines of a kernel, by their number.
type Line = fn(usize) -> String;

/// The statements that the kernels have 1,000 lines of.
pub(crate) const LONG_KERNELS: [(&str, Line); 3] = [
    ("definitions", |k| format!("let x{k} = x{} * 0.5 + {k}.0", k.saturating_sub(1))),
    ("stores and loads of four arrays, with notes", |k| match k % 4 {
        0 => format!("let x{k} = a[2 * i] * {k}.0"),
        1 => format!("c[i] = x{} + b[3 * i]", k - 1),
        2 => format!("let x{k} = c[i] + d[i]"),
        _ => format!("d[i] = x{} - x{}", k - 1, k - 3),
    }),
    ("stores and loads of three stencils", |k| {
        let [to, from] = [k % 3, (k + 1) % 3].map(|k| ["a", "b", "c"][k]);
        format!("{to}[i] = {from}[i - {}] * {k}.5 + {from}[i + {}]", k % 4 + 1, k % 5 + 1)
    }),
];

/// A digit that is typed behind this makes the kernel compute something else, and it is right with the digit as well.
pub(crate) const BEHIND_A_DIGIT: &str = "let key = x0 * 0.5";

/// The text of a kernel with such lines.
pub(crate) fn kernel_of_lines(line: Line) -> String {
    let mut text = "kernel long(a: f32[m], b: f32[m], c: f32[m], d: f32[m], m: i32):\n".to_owned();
    text += "    for i in range(8, m / 3 - 8):\n        let x0 = a[i]\n";
    for k in 0..1_000 {
        // A name that is used nowhere else: with a letter more, the text is right as well.
        if k == 490 {
            text += &format!("        {BEHIND_A_DIGIT}\n");
        }
        text += &format!("        {}\n", line(k)).replace("let x0 = x0", "x0 = x0").replace("let x0 = a[2", "x0 = a[2");
    }
    text
}
