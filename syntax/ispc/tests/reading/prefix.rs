//! A unit that is read on from its prefix is the unit that is read whole.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use ispc::config::Config;
use ispc::file::{FileText, Files};
use ispc::prefix::{prefix_length, read_behind, read_prefix};
use ispc::unit::{FileId, Unit};

struct Map(HashMap<&'static str, &'static str>);

impl Files for Map {
    fn file(&self, path: &str) -> Option<Arc<FileText>> {
        self.0.get_key_value(path).map(|(path, text)| Arc::new(FileText::new(*path, *text)))
    }
}

fn headers() -> Map {
    Map(HashMap::from([
        (
            "a.isph",
            "#pragma once\nstruct V { float x; };\ntypedef uniform int N;\n#define M(a) (a + C)\nV operator+(V a, V b);\n\
             template <typename T> T id(T t) { return t; }\n#if __COUNTER__ == 0\n#define C 3\n#else\n#define C 4\n#endif\n",
        ),
        ("b.isph", "#include \"a.isph\"\nextern N count;\nenum { RED, GREEN };\nUnknown u;\n#define OPEN (\n"),
        ("broken.isph", "int f( {\n"),
        ("half.isph", "static const\n"),
        ("self.isph", "#ifndef ONCE\n#define ONCE\n#include \"main.ispc\"\n#endif\n"),
        ("if.isph", "#if 1\nint open;\n"),
        ("call.isph", "#define CALL(x) x\nCALL\n"),
    ]))
}

/// All that is known of a unit, by texts and places: names may be numbered in another order.
fn told(unit: &Unit) -> String {
    let name = |name| unit.interner.text(name);
    let mut out = String::new();
    for it in &unit.tokens {
        let _ = writeln!(out, "{:?} {} {:?} {} {}", it.kind, it.flags, it.place, it.expansion, unit.token_text(it));
    }
    unit.tree.nodes.iter().for_each(|it| _ = writeln!(out, "{it:?}"));
    for it in &unit.names.decls {
        let _ = writeln!(out, "{:?} {} {:?}", it.kind, name(it.name), (it.token, it.head, it.end, it.within, it.scope));
        let _ = writeln!(out, "    {:?}", (it.n_params, it.is_definition, it.is_template));
    }
    let _ = writeln!(out, "{:?}", (&unit.names.uses, &unit.names.unresolved, &unit.names.members));
    for it in &unit.macros {
        let body: Vec<_> = it.body.iter().map(|token| (token.place, unit.token_text(token))).collect();
        let params: Option<Vec<_>> = it.params.as_ref().map(|params| params.iter().map(|it| name(*it)).collect());
        let _ = writeln!(out, "{} {:?} {params:?} {body:?}", name(it.name), it.place);
    }
    let _ = writeln!(out, "{:?}", (&unit.expansions, &unit.macro_uses, &unit.includes, &unit.pragmas, &unit.wanted));
    for it in &unit.files {
        let _ = writeln!(out, "{} {:?} {:?}", it.file.path, it.inactive, it.from);
    }
    unit.problems.iter().for_each(|it| _ = writeln!(out, "{it:?}"));
    let _ = writeln!(out, "{}", unit.first_own);
    for token in (0..unit.tokens.len() as u32).step_by(7) {
        let nodes = unit.tree.nodes.iter().enumerate();
        let holding = nodes.filter(|(_, node)| (node.first..node.end).contains(&token)).map(|(index, _)| index);
        assert!(unit.tree.around(token).eq(holding));
    }
    out + &unit.made
}

/// Reads a text in both ways; returns true if it has a prefix.
fn check(text: &str) -> bool {
    let (config, files) = (Config::default(), headers());
    let file = Arc::new(FileText::new("main.ispc", text));
    let Some(length) = prefix_length(&file) else { return false };
    let front = Arc::new(FileText::new("main.ispc", &text[..length]));
    let Some(prefix) = read_prefix(front, &config, &files) else { return false };
    let (whole, behind) = (ispc::read(file.clone(), &config, &files), read_behind(&prefix, file, &config, &files));
    let (whole_told, behind_told) = (told(&whole), told(&behind));
    if whole_told != behind_told {
        let differ = whole_told.lines().zip(behind_told.lines()).find(|(one, other)| one != other);
        panic!("{text:?}: {differ:?}");
    }
    true
}

#[test]
fn units_go_on_from_their_headers() {
    assert!(check("#include \"a.isph\"\nV f(V v) { return id(v) + v; }\nint n = M(C);\n"));
    assert!(check("int a;\n#include \"b.isph\"\n#define D C\nint b = D; Unknown w;\n#include \"a.isph\"\nN n = RED;"));
    assert!(check("#define ONCE\n#include \"self.isph\"\nint a;\n"));
    assert!(check("#include \"none.isph\"\r\nint a;\r\n"));
    assert!(check("#if 0\n#include \"a.isph\"\n#endif\n#include \"a.isph\"\n#if C == 3\nV v;\n#endif\n"));
}

#[test]
fn what_may_depend_on_the_rest_is_no_prefix() {
    for text in [
        "int a;\n",
        "#include \"a.isph\"",
        "#if 1\n#include \"a.isph\"\n#endif\nint a;\n",
        "#include \"broken.isph\"\nint x) { }\n",
        "#include \"half.isph\"\nint x;\n",
        "#include \"self.isph\"\nint x;\n",
        "#include \"if.isph\"\nint x;\n",
        "#include \"call.isph\"\n(int y);\n",
        "void f() {\n#include \"a.isph\"\n}\n",
    ] {
        assert!(!check(text), "{text:?}");
    }
}

const PIECES: &[&str] = &[
    "#include \"a.isph\"\n",
    "#include \"b.isph\"\n",
    "#include \"call.isph\"\n",
    "#include \"none.isph\"\n",
    "#include \"self.isph\"\n",
    "#include \"if.isph\"\n",
    "#define D(x) x\n",
    "#undef M\n",
    "#if defined(M)\n",
    "#else\n",
    "#endif\n",
    "int a = M(1);\n",
    "V v;\n",
    "N n;\n",
    "V f(V v) { return v + v; }\n",
    "struct S { V v; };\n",
    "S s;\n",
    "template <typename T> T g(T t) { return id<T>(t); }\n",
    "M\n",
    "(1)\n",
    "{\n",
    "}\n",
    ";\n",
    "Unknown w;\n",
    "D(int b;)\n",
    "D\n",
    "_Pragma(\"x\")\n",
    "#pragma unroll\n",
    "int c = __COUNTER__;\n",
    "V operator-(V a, V b) { return a; }\n",
    "/* \n",
];

#[test]
fn whatever_stands_behind() {
    let mut random = fastrand::Rng::with_seed(30);
    let mut n_prefixes = 0;
    for _ in 0..3_000 {
        let n_pieces = random.usize(1..9);
        let first = if random.bool() { PIECES[0] } else { "" };
        let rest: String = (0..n_pieces).map(|_| PIECES[random.usize(..PIECES.len())]).collect();
        n_prefixes += usize::from(check(&format!("{first}{rest}")));
    }
    assert!(n_prefixes > 500, "{n_prefixes}");
}

#[test]
fn the_front_is_shared() {
    let (config, files) = (Config::default(), headers());
    let text = "#include \"a.isph\"\nint a;\n";
    let front = Arc::new(FileText::new("main.ispc", "#include \"a.isph\"\n"));
    let prefix = read_prefix(front, &config, &files).expect("it has one");
    let unit = read_behind(&prefix, Arc::new(FileText::new("main.ispc", text)), &config, &files);
    assert_eq!(unit.first_own as usize, unit.tokens.n_shared());
    let own = unit.tokens.from(unit.tokens.n_shared());
    assert!(own.clone().all(|token| token.place.file == FileId::MAIN));
    assert_eq!(own.count(), 4);
}
