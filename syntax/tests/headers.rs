//! A header without its colon: the block below it is its body all the same, and the colon is the one thing that is missing.

use syntax::{SourceFile, SyntaxKind, SyntaxNode};

const PROGRAM: &str = "\
kernel first(a: f32[n], n: i32) -> f32:
    for i in range(n):  # comment
        if a[i] > 1.0:
            a[i] = 1.0
        elif a[i] < 0.0:
            cif a[0] > 2.0:
                a[i] = 0.0
        else:
            a[i] = 0.5
    foreach i in range(n), j in range(3):
        while a[i] < 2.0:
            a[i] += 1.0
        cfor k in range(2):
            cwhile a[i] > 9.0:
                break
    return a[0]

struct P:
    x: f32

fn second(x):
    return x
";

/// The kinds of all nodes and tokens, without colons, white space and comments.
fn shape(node: SyntaxNode) -> Vec<String> {
    let parts =
        node.descendants_with_tokens().filter(|part| part.kind() != SyntaxKind::COLON && !part.kind().is_between());
    parts.map(|part| format!("{:?}", part.kind())).collect()
}

/// The places of the colons that end a header.
fn colons() -> Vec<usize> {
    let ends = PROGRAM.match_indices(':').map(|(at, _)| at);
    ends.filter(|at| PROGRAM[at + 1..].starts_with('\n') || PROGRAM[at + 1..].starts_with("  #")).collect()
}

#[test]
fn the_block_below_is_the_body() {
    let whole = shape(SourceFile::parse(PROGRAM).syntax());
    assert_eq!(colons().len(), 12);
    for at in colons() {
        let mut text = PROGRAM.to_owned();
        text.remove(at);
        let file = SourceFile::parse(&text);
        assert_eq!(file.syntax().text().to_string(), text);
        assert_eq!(shape(file.syntax()), whole, "{text}");
        let errors: Vec<_> = file.errors().collect();
        let [error] = &errors[..] else { panic!("{errors:?}\n{text}") };
        assert_eq!((error.code.name(), usize::from(error.range.start())), ("expected-colon", at));
        assert_eq!(report::apply_edits(&text, &error.fixes[0].edits), PROGRAM);
    }
}

#[test]
fn an_item_starts_in_column_0_whatever_is_missing_above() {
    for at in colons() {
        let mut text = PROGRAM.to_owned();
        text.remove(at);
        let names = |text| syntax::cut(text).iter().map(|cut| cut.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&text), ["first", "P", "second"]);
    }
}

#[test]
fn a_statement_on_the_line_is_the_body_too() {
    let lines = [
        "for i in range(n): a[i] = 1.0",
        "if n > 1: return 0.0",
        "while n > 1: break",
        "foreach i in range(n): f(a)[0] += 1",
    ];
    for line in lines {
        let text = format!("kernel k(a: f32[n], n: i32):\n    {line}\n    n = 1\n");
        let broken = text.replacen(": ", " ", usize::MAX).replace("(a f32[n], n i32)", "(a: f32[n], n: i32)");
        let file = SourceFile::parse(&broken);
        let errors: Vec<_> = file.errors().collect();
        let [error] = &errors[..] else { panic!("{errors:?}\n{broken}") };
        assert_eq!(error.code.name(), "expected-colon");
        assert_eq!(report::apply_edits(&broken, &error.fixes[0].edits), text);
        assert_eq!(shape(file.syntax()), shape(SourceFile::parse(&text).syntax()), "{broken}");
    }
}
