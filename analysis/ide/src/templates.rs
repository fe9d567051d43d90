//! Tests of what an editor shows of items with constant and type parameters.

use expect_test::{Expect, expect};
use report::apply_edits;

use crate::fixture::Fixture;
use crate::hover::{Beside, hover};

const TEXT: &str = "\
fn poly[N: const i32](c: f32[N], x: f32) -> f32:
    let s = c[N - 1]
    static for k in range(N - 2, -1, -1):
        s = s * x + c[k]
    return s

## Means of neighbours.
kernel blur[R: const i32, T](a: T[n], out: T[n], n: i32):
    static if R > 2:
        let gone = a[0]
        out[0] = gone
    else:
        out[1] = a[R] + T(R)

kernel blur1 = blur[1, f32]
kernel blur2 = blur[R=2, T=f64]

kernel curve(c: f32[3], out: f32[n], n: i32):
    out[0] = poly(c, 1.0) + poly[2]([1.0, 2.0], 2.0)
";

/// The program with a mark in front of a piece of its text.
fn marked(piece: &str) -> String {
    assert!(TEXT.contains(piece), "{piece}");
    TEXT.replacen(piece, &format!("$0{piece}"), 1)
}

fn hovers(piece: &str, expected: Expect) {
    let fixture = Fixture::new(&marked(piece));
    let shown = hover(&fixture.db, fixture.file, fixture.offset(), Beside::Nothing).map(|hover| hover.text);
    expected.assert_eq(&shown.unwrap_or_default());
}

fn renames(piece: &str, name: &str) -> String {
    let fixture = Fixture::new(&marked(piece));
    match crate::rename::rename(&fixture.db, &[], fixture.file, fixture.offset(), name) {
        Ok(edits) => apply_edits(&fixture.text, edits.first().map_or(&[], |(_, edits)| edits)),
        Err(error) => format!("{error}"),
    }
}

#[test]
fn hovers_say_which_instance_is_shown() {
    hovers(
        "blur[R: const",
        expect![[r#"
        ```lane
        kernel blur[1, f32](a: f32[n], out: f32[n], n: i32)
        ```

        Shown as the instance `blur[1, f32]`. Instances in this file: `blur1`, `blur2`.

        Means of neighbours."#]],
    );
    hovers(
        "R: const",
        expect![[r#"
        ```lane
        R: const i32 = 1
        ```

        A constant parameter.

        Shown as the instance `blur[1, f32]`. Instances in this file: `blur1`, `blur2`."#]],
    );
    hovers(
        "T](a",
        expect![[r#"
        ```lane
        T = f32
        ```

        A type parameter.

        Shown as the instance `blur[1, f32]`. Instances in this file: `blur1`, `blur2`."#]],
    );
    hovers(
        "T(R)",
        expect![[r#"
        ```lane
        T = f32
        ```

        A type parameter.

        Shown as the instance `blur[1, f32]`. Instances in this file: `blur1`, `blur2`.

        This call:
        ```lane
        T(R): f32 = 1.0
        ```"#]],
    );
}

#[test]
fn a_type_parameter_is_shown_where_it_is_the_type_of_elements() {
    hovers(
        "T[n], out",
        expect![[r#"
        ```lane
        T = f32
        ```

        A type parameter.

        Shown as the instance `blur[1, f32]`. Instances in this file: `blur1`, `blur2`."#]],
    );
}

#[test]
fn names_of_static_branches_are_renamed_in_all_of_them() {
    let text = "fn f[K: const i32](x: f32) -> f32:\n    static if K == 0:\n        let y = x\n    else:\n        let y = -x\n    return $0y\n";
    let fixture = Fixture::new(text);
    let edits = crate::rename::rename(&fixture.db, &[], fixture.file, fixture.offset(), "z").expect("edits");
    expect![[r#"
        fn f[K: const i32](x: f32) -> f32:
            static if K == 0:
                let z = x
            else:
                let z = -x
            return z
    "#]]
    .assert_eq(&apply_edits(&fixture.text, &edits[0].1));
}

#[test]
fn hovers_of_what_is_repeated_or_not_there() {
    hovers(
        "k in range",
        expect![[r#"
            ```lane
            k: i32
            ```

            The index of a `static for`: a constant in each iteration, of the type that is needed where it is used."#]],
    );
    hovers(
        "gone = a",
        expect![[r#"
            ```lane
            gone: ?
            ```

            The instance `blur[1, f32]` does not have it."#]],
    );
    hovers(
        "blur2",
        expect![[r#"
        ```lane
        kernel blur2(a: f64[n], out: f64[n], n: i32)
        ```

        Shown as the instance `blur[2, f64]`. Instances in this file: `blur1`, `blur2`.

        Means of neighbours."#]],
    );
    hovers(
        "poly(c, 1.0)",
        expect![[r#"
        ```lane
        fn poly[3](c: f32[3], x: f32) -> f32
        ```

        Shown as the instance `poly[3]`.

        This call:
        ```lane
        poly(c, 1.0): f32
        ```"#]],
    );
    hovers(
        "poly[2]",
        expect![[r#"
            ```lane
            fn poly[3](c: f32[3], x: f32) -> f32
            ```

            Shown as the instance `poly[3]`."#]],
    );
}

#[test]
fn names_are_renamed_in_all_instances() {
    let changed = |before: &str, after: &str| TEXT.replace(before, after);
    assert_eq!(renames("blur[R: const", "mean"), changed("blur[", "mean["));
    assert_eq!(renames("poly[2]", "horner"), changed("poly", "horner"));
    assert_eq!(renames("gone = a", "lost"), changed("gone", "lost"));
    let radius = TEXT.replace("blur[R:", "blur[RADIUS:").replace("if R >", "if RADIUS >");
    let radius = radius.replace("a[R] + T(R)", "a[RADIUS] + T(RADIUS)").replace("blur[R=2", "blur[RADIUS=2");
    assert_eq!(renames("R: const", "RADIUS"), radius);
    let real = TEXT.replace("i32, T](a: T[n], out: T[n]", "i32, Real](a: Real[n], out: Real[n]");
    let real = real.replace("+ T(R)", "+ Real(R)").replace("T=f64", "Real=f64");
    assert_eq!(renames("T](a", "Real"), real);
}

#[test]
fn the_call_of_an_instance_has_its_signature() {
    let fixture = Fixture::new(&TEXT.replace("poly[2]([", "poly[2]($0["));
    let help = crate::signature_help::signature_help(&fixture.db, fixture.file, fixture.offset());
    expect!["poly[3](c: f32[3], x: f32) -> f32"].assert_eq(&help.expect("a call").label);
}

#[test]
fn the_outline_has_parameters_in_brackets_and_instances() {
    let fixture = Fixture::new(&marked("fn poly"));
    let symbols = crate::symbols::document_symbols(&fixture.db, fixture.file);
    let shown: Vec<_> =
        symbols.iter().map(|symbol| format!("{} {}\n", symbol.name, symbol.detail.as_deref().unwrap_or(""))).collect();
    expect![[r#"
        poly [N: const i32](c: f32[N], x: f32) -> f32
        blur [R: const i32, T](a: T[n], out: T[n], n: i32)
        blur1 = blur[1, f32]
        blur2 = blur[R=2, T=f64]
        curve (c: f32[3], out: f32[n], n: i32)
    "#]]
    .assert_eq(&shown.concat());
}

#[test]
fn another_instance_is_chosen() {
    let mut fixture = Fixture::new(&marked("out[1]"));
    let shown = |fixture: &Fixture| {
        let found = hover(&fixture.db, fixture.file, fixture.offset(), Beside::Nothing).expect("a hover");
        found.text.lines().find(|line| line.starts_with("out[1]")).map(str::to_owned)
    };
    assert_eq!(shown(&fixture).as_deref(), Some("out[1]: f32"));
    fixture.db.choose_instance("blur", "blur2");
    assert_eq!(shown(&fixture).as_deref(), Some("out[1]: f64"));
}
