//! `explore` without a terminal: a file as text.

use super::*;

#[test]
fn a_file_as_a_whole() {
    let text = "\
## Twice as much.
## And more.
fn twice(
    x, # what
): # how
    return 2 * x

struct Point:
    x: f32

kernel a(p: Point[n], n: i32) -> f32:
\treturn twice(p[0].x)
";
    check(
        &[("a.lane", text)],
        &["a.lane"],
        expect![[r#"
            a.lane

               1 | ## Twice as much.
               2 | ## And more.
               3 | fn twice(
               4 |     x, # what
               5 | ): # how
               6 |     return 2 * x
               7 |
               8 | struct Point:
               9 |     x: f32
              10 |
              11 | kernel a(p: Point[n], n: i32) -> f32:
              12 |     return twice(p[0].x)

            Items

              fn twice(x)  line 3
                  Twice as much.
              struct Point  line 8
              kernel a(p: Point[n], n: i32) -> f32  line 11

            Findings

            error[tab-indent]: a line is indented with tabs
              --> a.lane:12:1
               |
            12 |     return twice(p[0].x)
               | ^^^^
               |
               = help: indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces
            help: indent with spaces
               |
            12 |     return twice(p[0].x)
               | ++++

            1 error in 1 file

            Stage `vector`: loops in lanes: lane indices, masks of active lanes, masked loads and stores, gathers and scatters

              struct Point:
                  x: f32

              kernel a(p: Point[n], n) -> f32:
                  return (2.0 * p.x[0])

            --- stderr ---
            lanescope: not a terminal: plain text, with the stage `vector` at its end
            --- exit 1 ---
        "#]],
    );
}

#[test]
fn by_its_name_or_without_it() {
    let folder = Folder::new(&[("a.lane", WHOLE)]);
    assert_eq!(folder.run(&["a.lane"]).to_string(), folder.run(&["explore", "a.lane"]).to_string());
    let stdin = run(folder.path(), &["-"], WHOLE);
    assert_eq!(stdin.stdout.replace("<stdin>", "a.lane"), folder.run(&["a.lane"]).stdout);
}
