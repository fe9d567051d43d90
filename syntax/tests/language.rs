//! `docs/language.md` agrees with the parser: its programs parse, its reserved words are the keywords, and each form it mentions
//! in passing appears in one of its programs.
//!
//! Its programs are in canonical form. Those marked `lane free` are not: they show other accepted spacing.

use syntax::format::format;
use syntax::{SourceFile, SyntaxKind};

const LANGUAGE: &str = include_str!("../../docs/language.md");

#[test]
fn every_program_parses_without_errors() {
    for program in programs() {
        let errors: Vec<_> = SourceFile::parse(program).errors().collect();
        assert_eq!(errors, [], "{program}");
    }
}

#[test]
fn every_program_is_in_canonical_form() {
    for program in blocks("lane") {
        assert_eq!(format(program), program);
    }
    for program in blocks("lane free") {
        assert_ne!(format(program), program, "this is in canonical form, and needs no mark");
    }
}

#[test]
fn the_keywords_are_those_that_are_listed() {
    let listed: Vec<_> = blocks("text").iter().flat_map(|block| block.split_whitespace()).collect();
    assert_eq!(listed, SyntaxKind::KEYWORDS);
}

#[test]
fn every_kind_of_node_is_met_in_some_program() {
    use SyntaxKind::*;
    let roots: Vec<_> = programs().map(|program| SourceFile::parse(program).syntax()).collect();
    let met = |kind| roots.iter().flat_map(|root| root.descendants()).any(|node| node.kind() == kind);
    let kinds = [
        PREAMBLE,
        KERNEL,
        FN,
        STRUCT,
        ENUM,
        CONST,
        ATTR,
        ATTR_ARGS,
        PARAM,
        RET_TYPE,
        TYPE,
        SIZE_LIST,
        FIELD_DEF,
        VARIANT_DEF,
        MATCH_STMT,
        MATCH_CASE,
        LET_STMT,
        ASSIGN_STMT,
        FOR_STMT,
        FOREACH_STMT,
        WHILE_STMT,
        IF_STMT,
        ELIF_BRANCH,
        ELSE_BRANCH,
        BREAK_STMT,
        CONTINUE_STMT,
        RETURN_STMT,
        PASS_STMT,
        ASSERT_STMT,
        LITERAL,
        OPERATOR_REF,
        PAREN_EXPR,
        ARRAY_EXPR,
        PREFIX_EXPR,
        BIN_EXPR,
        COND_EXPR,
        CALL_EXPR,
        INDEX_EXPR,
        SLICE,
        GENERIC_LIST,
        GENERIC,
        GENERIC_ARGS,
        INSTANCE,
        FIELD_EXPR,
        LAMBDA_EXPR,
    ];
    let missing: Vec<_> = kinds.into_iter().filter(|&kind| !met(kind)).collect();
    assert_eq!(missing, []);
}

#[test]
fn forms_that_are_named_in_passing_parse() {
    for expression in [
        "42",
        "1_000",
        "0x2a",
        "0b101",
        "1.5",
        "1.",
        ".5",
        "1e-3",
        "true",
        "false",
        "2 * n + 1",
        "a if c else b",
        "a[i]",
        "a[i, j]",
        "a[lo:hi]",
        "a[i, lo:hi:step]",
        "a[:n]",
        "a[n:]",
        "a[::2]",
        "a[:]",
        "p[i].x",
        "f32(x)",
        "\\x -> x + 2",
        "\\x y -> x + y",
        "\\x, y -> x + y",
        "\\x: f32 -> x",
        "map(f, a, b)",
        "reduce(f, zero, a)",
        "scan(max, zero, a)",
        "reduce(+, 0, a)",
        "iota(n)",
        "replicate(n, x)",
        "zip(a, b)",
        "map(\\a -> map(\\y -> y + 2, a), A)",
        "broadcast(x, lane)",
        "compress_store(a, at, x)",
        "expand_load(a, at)",
        "+x",
        "2 ** -x ** 2",
        "~x",
        "not x",
        "-0.0",
        "1/sqrt(x)",
    ] {
        assert_parses(&format!("const X = {expression}\n"));
    }
    for statement in [
        "let x = e",
        "let x: T = e",
        "x = e",
        "x += e",
        "a[i] = e",
        "for i in range(stop): pass",
        "for i in range(a, b): pass",
        "for i in range(a, b, step): pass",
        "foreach i in range(n), j in range(m): pass",
        "while c: pass",
        "if c: pass",
        "cif c: pass",
        "cwhile c: pass",
        "cfor i in range(n): pass",
        "match = case + enum",
        "match(case)",
        "match[i] = case.enum",
        "match -= 1",
        "case(match, enum)",
        "break",
        "continue",
        "return",
        "return e",
        "pass",
        "assert c",
        "m = max(m, a[i])",
        "if a[i] > m: m = a[i]",
    ] {
        assert_parses(&format!("kernel k():\n    {statement}\n"));
    }
    for parameter in ["name", "name: f32", "name: f32[n]", "name: f32[n, m]", "name: uniform f32", "name: varying i8"] {
        assert_parses(&format!("kernel k({parameter}) -> f32:\n    pass\n"));
    }
    for attribute in [
        "@reassoc",
        "@fast",
        "@lanes(8)",
        "@unroll(4)",
        "@alias(a, b)",
        "@simd",
        "@no_gather",
        "@no_scatter",
        "@no_copy",
        "@no_scratch",
        "@no_spill",
        "@cost(2.5)",
        "@threads",
    ] {
        assert_parses(&format!("{attribute}\nkernel k():\n    pass\n"));
        assert_parses(&format!("kernel k():\n    {attribute}\n    for i in range(n):\n        pass\n"));
    }
}

fn assert_parses(program: &str) {
    let errors: Vec<_> = SourceFile::parse(program).errors().collect();
    assert_eq!(errors, [], "{program}");
}

/// All programs, in canonical form or not.
fn programs() -> impl Iterator<Item = &'static str> {
    blocks("lane").into_iter().chain(blocks("lane free"))
}

/// The contents of the fences with this mark.
fn blocks(mark: &str) -> Vec<&'static str> {
    let parts = LANGUAGE.split("```").enumerate().filter(|(n, _)| n % 2 == 1).map(|(_, part)| part);
    parts.filter_map(|part| part.strip_prefix(mark)?.strip_prefix('\n')).collect()
}
