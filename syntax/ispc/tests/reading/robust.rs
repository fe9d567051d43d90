//! Any text is read without a panic, and no byte of it is lost.

use std::sync::Arc;

use ispc::config::Config;
use ispc::file::{FileText, NoFiles};
use ispc::file_tree::file_tree;

const PROGRAMS: &[&str] = &[
    "#include \"a.isph\"\n#define F(x, ...) x ## 1 + #x __VA_ARGS__\n#if defined(A) && (B > 2)\nint a = F(b, 2);\n#else\nfloat c;\n#endif\n",
    "template <typename T, int N> T f(T<N> a[], uniform int * uniform p) { return (T)a[0] * p->x; }\n",
    "export void k(uniform float a[], uniform int n) {\n  foreach (i = 0 ... n) { a[i] = i % 2 ? sqrt(a[i]) : -1.5f; }\n}\n",
    "struct S { float<3> x; soa<4> S y[2]; };\nenum E { A = 1, B };\ntask void t() { launch[2] t(); sync; unmasked { } }\n",
    "void g() { switch (x) { case 1: goto l; default: l: break; } do { } while (0); int * p = uniform new int[3]; delete[] p; }\n",
    "/* comment */ // line \\\nmore\n\"string\\\"\" 'c' @llvm.x.y é ∀ \u{1F600}\r\n",
];

fn read(text: &str) {
    let file = Arc::new(FileText::new("a.ispc", text));
    let tiled: String = (0..file.tokens.len()).map(|index| file.token_text(index)).collect();
    assert_eq!(tiled, text);
    assert_eq!(file_tree(&file).text().to_string(), text);
    let unit = ispc::read(file, &Config::default(), &NoFiles);
    for node in &unit.tree.nodes {
        assert!(node.first <= node.end && (node.end as usize) < unit.tokens.len());
    }
    for problem in &unit.problems {
        let places = problem.related.iter().map(|(place, _)| *place).chain([problem.place]);
        places.for_each(|place| assert!(unit.text(place.file).get(place.range()).is_some(), "{problem:?} in {text:?}"));
    }
}

#[test]
fn every_prefix_and_suffix() {
    for program in PROGRAMS {
        for (at, _) in program.char_indices() {
            read(&program[..at]);
            read(&program[at..]);
        }
    }
}

#[test]
fn soups_of_tokens() {
    let words: Vec<&str> = PROGRAMS.iter().flat_map(|program| program.split_inclusive([' ', '(', ';', '\n'])).collect();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..1500 {
        let n_words = random.usize(1..60);
        let text: String = (0..n_words).map(|_| words[random.usize(..words.len())]).collect();
        read(&text);
    }
}

#[test]
fn programs_with_bytes_changed() {
    let mut random = fastrand::Rng::with_seed(11);
    let whole = PROGRAMS.concat();
    let marks =
        ["{", "}", "(", ")", "#", "\n#if 1\n", "\n#endif\n", "\\\n", "\"", "<", ">", "##", ",", ";", "é", "/*", "F("];
    for _ in 0..800 {
        let mut text = whole.clone();
        for _ in 0..random.usize(1..6) {
            let at = (0..=random.usize(..text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = (at..text.len()).find(|end| *end >= at + random.usize(..9) && text.is_char_boundary(*end));
            text.replace_range(at..end.unwrap_or(at), marks[random.usize(..marks.len())]);
        }
        read(&text);
    }
}

#[test]
fn deep_and_long_texts() {
    for open in
        ["(", "{", "[", "-", "if (1) ", "a ? ", "a = ", "F(", "#if 1\n", "(int)", "struct S {", "x(", "do ", "!"]
    {
        read(&format!("#define F(x) x\nvoid f() {{ {}", open.repeat(3000)));
    }
    read(&format!("#if {}1\n#endif", "(".repeat(5000)));
    read(&format!("#if {}1\n#endif", "!".repeat(5000)));
    read(&format!("int a = {}1;", "1 + ".repeat(50_000)));
}

#[test]
fn the_editor_grammar_knows_every_keyword() {
    let grammar = include_str!("../../../../editors/vscode/syntaxes/ispc.tmLanguage.json");
    let words: Vec<&str> = grammar.split(|char: char| !(char.is_alphanumeric() || char == '_')).collect();
    let missing = ispc::kinds::Kind::KEYWORDS.iter().filter(|(_, text)| !words.contains(text));
    assert_eq!(missing.map(|(_, text)| *text).collect::<Vec<_>>(), Vec::<&str>::new());
}
