//! Loops over the lanes' numbers, and the `foreach` that they are.

use expect_test::{Expect, expect};
use ispc_facts::foreach::as_foreach;
use ispc_facts::whole::placed_whole;
use ispc_types::source::{Piece, Source};
use ispc_types::{body, unit};

/// A text with each loop that may be one made a `foreach`, one after another.
fn changed(text: &str) -> String {
    let read = crate::read(text);
    let types = unit::declarations(&read, None);
    for place in &types.bodies {
        let piece = Piece::cut(&read, &types.entities, place, types.layer.n_entities(), false);
        let typed = body::type_body(&types.layer, &piece);
        let Some(facts) = ispc_facts::facts(&types.layer, &piece, &typed) else { continue };
        for node in 0..piece.n_nodes() {
            let first = read.tree.nodes[place.node].first;
            let edits = as_foreach(&piece, &typed, &facts, node);
            let Some(mut edits) = edits.and_then(|edits| placed_whole(&read, first, &edits)) else { continue };
            let mut new = text.to_owned();
            edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
            for (place, by) in edits {
                new.replace_range(place.range(), &by);
            }
            return changed(&new);
        }
        assert!(piece.node(0).end > 0);
    }
    text.to_owned()
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&changed(text));
}

/// An exported function with a loop that stays as it is.
fn stays(head: &str, body: &str) {
    let text = format!("void g(int & x); template <typename T> void t(T x); {head} {{ {body} }}");
    assert_eq!(changed(&text), text);
}

#[test]
fn lanes_that_leave_as_they_come_to_the_end() {
    check(
        "export void f(uniform float a[], uniform int n, uniform int8 from) {
    for (int i = programIndex; i < n; i += programCount) {
        if (a[i] < 0) continue;
        a[i] += i;
    }
    if (n > 3)
        for (int j = from + programIndex; j < 2 * n + 1; j += programCount) a[j] = 1;
    for (uniform int k = 0; k < n; ++k) {
        for (int x=programIndex; x<64; x+=programCount) { while (a[x] > 1) { a[x] *= 0.5; if (a[x] == 3) break; } }
    }
}
task void t(uniform float a[], const uniform int n) { for (int i = programIndex; i < n; i += programCount) { a[i] = 1; } }
",
        expect![[r#"
            export void f(uniform float a[], uniform int n, uniform int8 from) {
                foreach (i = 0 ... n) {
                    if (a[i] < 0) continue;
                    a[i] += i;
                }
                if (n > 3)
                    foreach (j = from ... 2 * n + 1) a[j] = 1;
                for (uniform int k = 0; k < n; ++k) {
                    foreach (x = 0 ...64) { while (a[x] > 1) { a[x] *= 0.5; if (a[x] == 3) break; } }
                }
            }
            task void t(uniform float a[], const uniform int n) { foreach (i = 0 ... n) { a[i] = 1; } }
        "#]],
    );
}

#[test]
fn groups_of_which_each_lane_asks_for_its_element() {
    check(
        "export void f(uniform float a[], uniform int n) {
    for (uniform int i = 0; i < n; i += programCount) {
        int k = i + programIndex;
        if (k < n) {
            a[k] = a[k] * 2;
        }
    }
    for (uniform int i = 3; i < n; i += programCount)
        if (programIndex + i < n) a[i + programIndex] = (programIndex + i) * 2;
    for (uniform int i = 0; i < n; i += programCount) { if (i + programIndex < n) a[(i + programIndex)] = 2; }
    for (uniform int i = 0; i < 128; i += programCount) {
        int k = i + programIndex;
        a[k] = a[i + programIndex + 1];
    }
}
",
        expect![[r#"
            export void f(uniform float a[], uniform int n) {
                foreach (k = 0 ... n) {
                        a[k] = a[k] * 2;
                    }
                foreach (i = 3 ... n)
                     a[i] = (i) * 2;
                foreach (i = 0 ... n) { a[(i)] = 2; }
                foreach (i = 0 ... 128) {
                    int k = i;
                    a[k] = a[i + 1];
                }
            }
        "#]],
    );
}

#[test]
fn loops_that_would_mean_something_else() {
    const HEAD: &str =
        "export void f(uniform float a[], uniform int n, int v, uniform int64 wide, uniform uint m, uniform int & r)";
    const LOOP: &str = "for (int i = programIndex; i < n; i += programCount) a[i] = 1;";
    let head = HEAD.replace("int v,", "uniform int v,");
    assert_ne!(changed(&format!("{head} {{ {LOOP} }}")), format!("{head} {{ {LOOP} }}"));
    // Lanes may be off.
    stays(&head.replace("export ", ""), LOOP);
    stays(&head.replace("export ", "export unmasked "), LOOP);
    for around in [
        "if (programIndex < v) { LOOP }",
        "if (programIndex > 1) return; LOOP",
        "unmasked { LOOP }",
        "foreach_active (x) { LOOP }",
    ] {
        stays(&head, &around.replace("LOOP", LOOP));
    }
    // All lanes go one way, and yet they may have gone it with none on.
    stays(&head, &"int w = v; if (w) return; LOOP".replace("LOOP", LOOP));
    stays(&head, &"int w = v; if (w) { LOOP }".replace("LOOP", LOOP));
    stays(&head, &"while (true) { if (programIndex == v) continue; LOOP break; }".replace("LOOP", LOOP));
    // The end may be another one in each round, or none that an `int` has.
    for end in ["wide", "m", "r", "a[0]", "programIndex + n", "n / reduce_max(v)", "w"] {
        stays(&head, &format!("uniform int w = n; ++w; {}", LOOP.replace("i < n", &format!("i < {end}"))));
    }
    stays(&head, "for (int i = programIndex; i < n; i += programCount) { a[i] = 1; n--; }");
    // Other loops.
    for other in [
        LOOP.replace("+= programCount", "+= 2 * programCount"),
        LOOP.replace("i = programIndex", "i = 2 * programIndex"),
        LOOP.replace("i < n", "i <= n"),
        LOOP.replace("int i", "int64 i"),
        LOOP.replace("int i", "int j = 0, i"),
        "for (uniform int i = 0; i < n; i += programCount) a[i + programIndex] = 1;".to_owned(),
        "for (uniform int i = 0; i < 24; i += programCount) a[i + programIndex] = 1;".to_owned(),
        "for (uniform int i = 0; i < 64; i += programCount) a[i] = 1;".to_owned(),
        "for (uniform int i = 0; i < 56 + programCount; i += programCount) a[i + programIndex] = 1;".to_owned(),
        "for (uniform int i = 0; i < n; i += programCount) { int k = i + programIndex; if (k < n) { a[k] = i; } }".to_owned(),
        "for (uniform int i = 0; i < n; i += programCount) { if (i + programIndex < n) { a[i + programIndex] = 1; } else { a[0] = 1; } }".to_owned(),
        "for (uniform int i = 0; i < n; i += programCount) { if (i + programIndex < n - 1) { a[i + programIndex] = 1; } }".to_owned(),
    ] {
        stays(&head, &other);
    }
    // Bodies that a `foreach` has not.
    for body in [
        "break;",
        "return;",
        "i++;",
        "g(i);",
        "int * uniform p = &i;",
        "t(i);",
        "foreach (k = 0 ... 3) a[k] = 1;",
        "unmasked { a[0] = 1; }",
    ] {
        stays(&head, &LOOP.replace("a[i] = 1;", &format!("{{ {body} }}")));
    }
    // Comments are kept.
    stays(&head, &LOOP.replace("i < n;", "i < n; /* all */"));
}
