//! Random text and deep text: nothing stops the facts.

use fastrand::Rng;
use ispc_facts::whole::notes_of;
use ispc_types::unit::declarations;

use super::read;

const WORDS: &[&str] = &[
    "uniform",
    "varying",
    "int",
    "float",
    "x",
    "y",
    "s",
    "p",
    "a",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "*",
    "&",
    ";",
    ";",
    ",",
    "=",
    "+",
    "-",
    "<",
    ">>",
    ".x",
    "->x",
    "1",
    "2.5",
    "if (",
    "else",
    "for (",
    "while (",
    "do",
    "foreach (",
    "return",
    "break;",
    "continue;",
    "...",
    "?",
    ":",
    "!",
    "++",
    "foreach_unique (",
    "foreach_active (i)",
    "in",
    "switch (",
    "case 1:",
    "default:",
    "goto l;",
    "l:",
    "reduce_add(",
    "programIndex",
    "<<",
    "+=",
    "unmasked {",
    "/ 4",
    "% 8",
    "f(",
    "cif (",
    "(double)",
    "(uint)",
    "soa<4>",
    "static",
];

const PROGRAM: &str = "
struct S { float x; uniform int n; S * uniform next; };
typedef float (*F)(float x);
S operator+(S a, S b) { S c = a; c.x += b.x; return c; }
float f(uniform float a[], S s, uniform S * uniform p, float * q, F g, int x) {
    float y = 0; int i = programIndex; static int z = 2; float & r = y;
    foreach (k = 0 ... 100) { y += a[k * 2] * s.x; a[x] = k / 4; }
    for (int m = 0; m < p->n; m++) { if (a[m] > y) { p->x = m; continue; } else { break; } }
    foreach_unique (u in x) { y = min(y, a[u]); }
    switch (x) { case 1: x = 2; case 2: { x++; break; } default: y = g(y); }
    do { i += programCount; unmasked { x = 3; } } while (i < x && (x = 4) > 3);
    s = s + s;
    *q = y; q += i; x >>= i; x %= 8;
    return q[x] + reduce_add(y) + (i > 2 ? y++ : 1.5) + (float)(uint)i;
}
";

fn facts_of(text: &str) {
    let unit = read(text);
    notes_of(&unit, &declarations(&unit, None), false);
}

fn edited(rng: &mut Rng, n_edits: usize) -> String {
    let mut words: Vec<String> = PROGRAM.split_inclusive([' ', '\n', '(', ';', ')']).map(str::to_owned).collect();
    for _ in 0..n_edits {
        let at = rng.usize(..words.len());
        let word = format!("{} ", WORDS[rng.usize(..WORDS.len())]);
        match rng.u8(..3) {
            0 => _ = words.remove(at),
            1 => words.insert(at, word),
            _ => words[at] = word,
        }
    }
    words.concat()
}

#[test]
fn random_words_and_edits_have_facts() {
    let mut rng = Rng::with_seed(5);
    facts_of(PROGRAM);
    for _ in 0..1_500 {
        let n_edits = rng.usize(1..5);
        facts_of(&edited(&mut rng, n_edits));
        let words: Vec<&str> = (0..rng.usize(1..60)).map(|_| WORDS[rng.usize(..WORDS.len())]).collect();
        facts_of(&format!("float f(uniform float a[], float x, int y, float * p) {{ {} }}", words.join(" ")));
    }
}

#[test]
fn deep_and_long_functions_have_facts_or_none() {
    let sum = "y + ".repeat(10_000);
    facts_of(&format!("float f(float y) {{ return {sum} y; }}"));
    for (open, close) in [("if (y > 1) { ", "}"), ("for (int i = 0; i < y; i++) { y++; ", "}"), ("{", "}")] {
        for depth in [8, 60, 150, 390] {
            facts_of(&format!(
                "float f(float y) {{ {} y = 2; {} return y; }}",
                open.repeat(depth),
                close.repeat(depth)
            ));
        }
    }
    facts_of(&format!("float f(float y) {{ return {}y{}; }}", "(".repeat(110), ")".repeat(110)));
    let ladder = "if (y > 1) y = 2; else ".repeat(300);
    facts_of(&format!("float f(float y) {{ {ladder} y = 3; return y; }}"));
    let many: String = (0..800).map(|n| format!("int v{n} = {n}; if (y > {n}) v{n} = 1;")).collect();
    facts_of(&format!("float f(float y) {{ {many} return y; }}"));
}
