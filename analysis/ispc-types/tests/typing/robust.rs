//! Random text and random edits: nothing stops typing, and a function's types follow from its text and the declarations in front alone.

use fastrand::Rng;
use ispc_types::source::Piece;
use ispc_types::unit::declarations;

use crate::{problems, read, typed};

const WORDS: &[&str] = &[
    "uniform",
    "varying",
    "int",
    "float",
    "struct",
    "S",
    "x",
    "y",
    "f",
    "g",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "*",
    "&",
    ";",
    ",",
    "=",
    "+",
    "-",
    "<",
    ">",
    ".",
    "->",
    "1",
    "2.5",
    "if",
    "else",
    "for",
    "while",
    "foreach",
    "return",
    "break",
    "template",
    "typename",
    "T",
    "typedef",
    "enum",
    "const",
    "void",
    "bool",
    "NULL",
    "new",
    "launch",
    "task",
    "operator",
    "...",
    "?",
    ":",
    "!",
    "++",
    "sizeof",
    "soa",
    "in",
    "foreach_unique",
    "foreach_active",
    "switch",
    "case",
    "goto",
    "extern",
    "\"C\"",
    "min",
    "reduce_add",
    "programIndex",
    "<<",
    "+=",
    "unmasked",
];

const PROGRAM: &str = "
struct S { float x; uniform int n; S * uniform next; };
enum E { A, B = 4 };
typedef float<3> V;
template <typename T> T twice(T a) { return a + a; }
S operator+(S a, S b) { S c = a; c.x += b.x; return c; }
static uniform int limit = 3;
float f(uniform float a[], S s, uniform S * uniform p, V v, int i) {
    float sum = 0;
    foreach (k = 0 ... limit) { sum += a[k] * s.x; }
    for (uniform int m = 0; m < p->n; m++) { if (a[m] > sum) { p->x = m; } else { v.x = twice(a[m]); } }
    foreach_unique (u in i) { sum = min(sum, a[u]); }
    S t = s + s;
    return t.x + reduce_add(sum) + (i > 2 ? v.y : 1.5);
}
void g(uniform int n) { uniform float b[8]; S s; f(b, s, s.next, 1, n); }
";

#[test]
fn random_words_are_typed() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..600 {
        let n = rng.usize(1..120);
        let words: Vec<&str> = (0..n).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
        let text = if rng.bool() {
            words.join(" ")
        } else {
            format!("{PROGRAM} void h(int x, S y) {{ {} }}", words.join(" "))
        };
        problems(&read(&text));
    }
}

/// The program with random words put in, taken out or put in the place of others.
fn edited(rng: &mut Rng, text: &str, n_edits: usize) -> String {
    let mut words: Vec<String> = text.split_inclusive([' ', '\n', '(', ';', ')']).map(str::to_owned).collect();
    for _ in 0..n_edits {
        let at = rng.usize(..words.len());
        match rng.u8(..3) {
            0 => _ = words.remove(at),
            1 => words.insert(at, format!("{} ", WORDS[rng.usize(..WORDS.len())])),
            _ => words[at] = format!("{} ", WORDS[rng.usize(..WORDS.len())]),
        }
    }
    words.concat()
}

#[test]
fn random_edits_are_typed() {
    let mut rng = Rng::with_seed(11);
    for _ in 0..600 {
        let n = rng.usize(1..6);
        problems(&read(&edited(&mut rng, PROGRAM, n)));
    }
}

#[test]
fn deep_and_long_expressions_are_typed() {
    let sum = "x + ".repeat(20_000);
    let chain = ".x".repeat(20_000);
    let stars = "typedef T * U;\n".replace('T', "int").to_owned();
    let pointers: String = (0..500).map(|n| format!("typedef T{n} * T{};\n", n + 1)).collect();
    for text in [
        format!("float f(float x) {{ return {sum} 1; }}"),
        format!("struct S {{ float x; }}; float f(S s) {{ return s{chain}; }}"),
        format!("{stars} typedef int T0; {pointers} void f(T500 p) {{ *p; }}"),
    ] {
        problems(&read(&text));
    }
}

#[test]
fn an_edit_inside_of_a_function_leaves_all_others_equal() {
    let pieces = |text: &str| {
        let unit = read(text);
        let types = declarations(&unit, None);
        let first = types.layer.n_entities();
        let pieces: Vec<Piece> =
            types.bodies.iter().map(|body| Piece::cut(&unit, &types.entities, body, first, false)).collect();
        (types.layer.clone(), pieces)
    };
    let (layer, before) = pieces(PROGRAM);
    let edit =
        PROGRAM.replace("float sum = 0;", "float sum = 0; uniform int fresh = 2; struct L { int q; }; /* more */");
    let (layer_after, after) = pieces(&edit);
    assert_eq!(layer, layer_after);
    let changed: Vec<bool> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
    assert_eq!(changed, [false, false, true, false]);
    // The types are those of a fresh reading, whatever was edited.
    let (one, other) = (read(&edit), read(&edit));
    assert!(typed(&one).into_iter().map(|it| it.0).eq(typed(&other).into_iter().map(|it| it.0)));
}
