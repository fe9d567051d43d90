//! Iterations that go together through an inner loop.

use expect_test::expect;

use super::check;
use crate::jam;

#[test]
fn iterations_that_change_the_same_cells_go_together() {
    check(
        jam,
        "\
kernel sums(m: f32[n, n], s: f32[n], n):
    for i in range(0, n):
        for j in range(0, n):
            s[j] = (s[j] + m[i, j])
",
        expect![[r#"
            kernel sums(m: f32[n, n], s: f32[n], n):
                let _0 = (n - (n % 4))
                for i in range(0, _0, 4):
                    let _1 = (i + 1)
                    let _2 = (i + 2)
                    let _3 = (i + 3)
                    for j in range(0, n):
                        s[j] = ((((s[j] + m[i, j]) + m[_1, j]) + m[_2, j]) + m[_3, j])
                for i_1 in range(_0, n):
                    for j_1 in range(0, n):
                        s[j_1] = (s[j_1] + m[i_1, j_1])
        "#]],
    );
    // Cells of each outer iteration's own, a cell of several inner ones, an array that is read beside, and loops that begin
    // elsewhere stay.
    for cell in ["m[i, j] = (m[i, j] + s[j])", "s[(j / 2)] = (s[(j / 2)] + m[i, j])", "s[j] = (s[j] + s[i])"] {
        let text = format!(
            "kernel k(m: f32[n, n], s: f32[n], n):\n    for i in range(0, n):\n        for j in range(0, n):\n            {cell}\n"
        );
        check(jam, &text, expect!["unchanged"]);
    }
    check(
        jam,
        "\
kernel sums(m: f32[n, n], s: f32[n], n):
    for i in range(1, n):
        for j in range(0, n):
            s[j] = (s[j] + m[i, j])
",
        expect!["unchanged"],
    );
}
