//! Tests of examples in documentation: what is found, run and compared.

use super::*;
use crate::examples::parse::Expected;

const SCALE: &str = "kernel scale(a, out, n, by):\n    for i in range(n):\n        out[i] = a[i] * by\n";

/// The verdict on each example of a text, without native code.
fn check(text: &str) -> Vec<String> {
    let document = Document::new("a.lane", text);
    let settings = Settings { options: Options::default(), fuel: 100_000 };
    let examples = examples(&document);
    let verdicts = examples.iter().map(|example| {
        let (verdict, _) = judge(&document, example, settings, Path::new(""), None);
        match verdict {
            Verdict::Passed => format!("{}: passed", example.line),
            Verdict::Differs { engine, difference: Difference { expected, actual } } => {
                format!("{}: {expected} / {engine} {actual}", example.line)
            }
            Verdict::Broken(why) => format!("{}: {why}", example.line),
        }
    });
    verdicts.collect()
}

/// The verdict on a kernel with these lines of documentation.
fn check_docs(docs: &[&str]) -> Vec<String> {
    let docs: String = docs.iter().map(|line| format!("## {line}\n")).collect();
    check(&(docs + SCALE))
}

#[test]
fn what_is_expected_is_compared() {
    assert_eq!(check_docs(&["> scale([1, 2], zeros(2), 2, 0.5)", "out = [0.5, 1.0]"]), ["1: passed"]);
    assert_eq!(
        check_docs(&["Text.", "", "> scale([1, 2], n=2, out = zeros(2), by=0.5)", "out = [0.5, 1]"]),
        ["3: passed"]
    );
    assert_eq!(
        check_docs(&["> scale([1, 2], zeros(2), 2, 0.5)", "out = [0.5, 2.0]"]),
        ["1: out = [0.5, 2.0] / evaluated out = [0.5, 1.0]"]
    );
    assert_eq!(
        check_docs(&["> scale([1, 2], zeros(2), 2, 0.5)", "out = [0.5]"]),
        ["1: out = [0.5] / evaluated out = [0.5, 1.0]"]
    );
    assert_eq!(check_docs(&["> scale([1, 2], zeros(2), 2, 0.5)", "out = [0.5, …]"]), ["1: passed"]);
    assert_eq!(check_docs(&["> scale([1], zeros(1), 1, 0.1)", "out ≈ [0.10000001]"]), ["1: passed"]);
    assert_eq!(
        check_docs(&["> scale([1], zeros(1), 1, 0.1)", "out = [0.100001]"]),
        ["1: out = [0.100001] / evaluated out = [0.1]"]
    );
    let texts = "kernel upper(a: u8[n], out: u8[n], n: i32, first: u8) -> u8:\n    for i in range(n):\n        out[i] = a[i] & 0xdf\n    return first\n";
    let docs = r#"## > upper("a(b,\"", out = zeros(5), n = 5, first = '(')
## out = "A\x08B\x0c\x02"
## '('
"#;
    assert_eq!(check(&format!("{docs}{texts}")), ["1: passed"]);
    // A zero is not the other zero.
    assert_eq!(
        check_docs(&["> scale([-1], zeros(1), 1, 0)", "out = [0.0]"]),
        ["1: out = [0.0] / evaluated out = [-0.0]"]
    );
}

#[test]
fn a_difference_in_a_long_array_is_told_by_its_place() {
    let expected: Vec<_> = (0..20).map(|n| if n == 18 { "0".to_owned() } else { (2 * n).to_string() }).collect();
    let docs = |expected: &str| ["> scale(ramp(20), zeros(20), 20, 2)".to_owned(), format!("out = [{expected}]")];
    let verdict = |expected: &str| check_docs(&docs(expected).each_ref().map(|line| &line[..])).remove(0);
    let of_place = verdict(&expected.join(", "));
    assert!(of_place.ends_with("] / evaluated out[18] is 36.0, not 0"), "{of_place}");
    let of_length = verdict(&expected[..18].join(", "));
    assert!(of_length.ends_with("] / evaluated out has 20 elements"), "{of_length}");
}

#[test]
fn errors_are_expected_by_their_codes() {
    let call = "> scale(ramp(1), zeros(2), 2, 0.5)";
    assert_eq!(check_docs(&[call, "error[index-out-of-range]"]), ["1: passed"]);
    assert_eq!(check_docs(&[call, "error[index-out-of-range]: the index 1 is outside"]), ["1: passed"]);
    let is = "evaluated error[index-out-of-range]: the index 1 is outside of `a`, whose size there is 1";
    assert_eq!(check_docs(&[call, "error[overflow]"]), [format!("1: error[overflow] / {is}")]);
    assert_eq!(check_docs(&[call]), [format!("1: no error / {is}")]);
    assert_eq!(
        check_docs(&["> scale(ramp(2), zeros(2), 2, 0.5)", "error[overflow]"]),
        ["1: error[overflow] / evaluated no error: out = [0.0, 0.5]"]
    );
}

#[test]
fn an_example_ends_where_the_next_begins_or_at_an_empty_line() {
    let docs =
        ["> scale([1], zeros(1), 1, 2)", "> scale([1,", "2], zeros(2),", "2, 2)", "out = [2, 4]", "", "And text."];
    assert_eq!(check_docs(&docs), ["1: passed", "2: passed"]);
    assert_eq!(check_docs(&["> A quotation (of prose).", "> and another"]), [""; 0]);
}

#[test]
fn what_cannot_be_run_is_told_with_a_way_out() {
    assert_eq!(check_docs(&["> scale([1], zeros(1), 1, 2"]), ["1: the call is not closed; write `)` at its end"]);
    assert_eq!(check_docs(&["> scala([1])"]), ["1: there is no kernel `scala` in this file; did you mean `scale`?"]);
    assert_eq!(
        check_docs(&["> scale([1], zeros(1), 1)"]),
        ["1: no value is given for `by`; write `NAME = …` in the call"]
    );
    assert_eq!(check_docs(&["> scale([1], zeros(1), 1, 2, 3)"]), ["1: `scale` has 4 parameters, and is given 5"]);
    assert_eq!(
        check_docs(&["> scale(a = [1], zeros(1), 1, 2)"]),
        ["1: `zeros(1)` stands behind an argument with a name; give it its parameter's name"]
    );
    assert_eq!(
        check("## > f(1)\nfn f(x):\n    return x\n"),
        ["1: `f` is a `fn`, and only kernels can be run; call a kernel that uses it"]
    );
    let unknown = check_docs(&["> scale([1], zeros(1), 1, 2)", "out is doubled"]);
    assert!(unknown[0].starts_with("1: out is doubled / evaluated this line is no expectation; write"), "{unknown:?}");
    let broken = check("## > k(1)\nkernel k(n) -> i32:\n    return m\n");
    assert!(broken[0].starts_with("1: `k` has errors: ") && broken[0].contains("lanescope check"), "{broken:?}");
}

#[test]
fn a_run_that_never_ends_is_stopped() {
    let text = "## > k(1)\nkernel k(n: i32) -> i32:\n    while n > 0:\n        pass\n    return n\n";
    let verdicts = check(text);
    assert!(verdicts[0].contains("stopped after 100000 steps"), "{verdicts:?}");
}

#[test]
fn every_kind_of_expected_line_is_read() {
    let expected = |line: &str| {
        let document = Document::new("a.lane", format!("## > k()\n## {line}\nkernel k():\n    pass\n"));
        let mut examples = examples(&document);
        examples.remove(0).expected.remove(0).of
    };
    let result = |number: &str, nearly| Expected::Result { number: number.to_owned(), nearly };
    assert_eq!(expected("3.5"), result("3.5", false));
    assert_eq!(expected("≈ 3.5"), result("3.5", true));
    assert_eq!(expected("true"), result("true", false));
    let array = |elements: &[&str], open| Expected::Array {
        name: "out".to_owned(),
        elements: elements.iter().map(|&element| element.to_owned()).collect(),
        open,
        nearly: false,
    };
    assert_eq!(expected("out = [1, nan, -inf]"), array(&["1", "nan", "-inf"], false));
    assert_eq!(expected("out = [1, ...]"), array(&["1"], true));
    assert_eq!(expected("out = []"), array(&[], false));
    assert_eq!(expected("out = [1, x]"), Expected::Unknown);
    assert_eq!(expected("error[overflow] in line 3"), Expected::Error("overflow".to_owned()));
}

#[test]
fn expected_lines_are_written() {
    let text = format!(
        "const N = 2\n\n## Scales.\n## > scale([1, 2], zeros(2), 2, 2)\n## out = [0]\n## > scale([1], zeros(1), 1, 3)\n##\n## More.\n{SCALE}"
    );
    let document = Document::new("a.lane", text);
    let settings = Settings { options: Options::default(), fuel: 100_000 };
    let examples = examples(&document);
    let outcomes = examples.iter().map(|example| {
        let (_, outcome) = judge(&document, example, settings, Path::new(""), None);
        (example, outcome.expect("it runs"))
    });
    let new = updated(&document, &outcomes.collect::<Vec<_>>());
    let docs = "const N = 2\n\n## Scales.\n## > scale([1, 2], zeros(2), 2, 2)\n## out = [2.0, 4.0]\n## > scale([1], zeros(1), 1, 3)\n## out = [3.0]\n##\n## More.\n";
    assert_eq!(new, format!("{docs}{SCALE}"));
    assert_eq!(check(&new), ["4: passed", "6: passed"]);
    // A long array is left open.
    let text = format!("## > scale(ramp(20), zeros(20), 20, 2)\n{SCALE}");
    let document = Document::new("a.lane", text);
    let example = parse::examples(&document).remove(0);
    let (_, outcome) = judge(&document, &example, settings, Path::new(""), None);
    let new = updated(&document, &[(&example, outcome.expect("it runs"))]);
    assert!(new.contains("28.0, 30.0, …]\n"), "{new}");
    assert_eq!(check(&new), ["1: passed"]);
}
