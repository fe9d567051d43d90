//! Enums, and the cases of a `match`.

use expect_test::expect;

use super::check;

/// Each function is one mistake of somebody new.
#[test]
fn of_newcomers() {
    let enums = "enum Kind: Low, High\n\nenum Shape:\n    Circle(r: f32)\n    Rect(w: f32, h: f32)\n    Nothing\n\n";
    let wrong = [
        "fn a(s: Shape) -> f32:\n    match s:\n        case Circle(r): return r\n        case Rect(w, 0.0) if w > 0: return w\n",
        "fn b(s: Shape) -> f32:\n    match s:\n        case Circel(r): return r\n        case _: return 0.0\n",
        "fn c(s: Shape) -> f32:\n    match s:\n        case Rect(w): return w\n        case _: return 0.0\n",
        "fn d(k: Kind) -> bool:\n    return k == Low\n",
        "fn e(s: Shape) -> bool:\n    return s.r > 0\n",
        "fn f(a: Kind, b: Kind) -> bool:\n    return a < b\n",
        "fn g(s: Shape) -> bool:\n    return s == Shape.Nothing\n",
        "fn h(n: i32) -> Shape:\n    return Shape(n)\n",
        "fn i() -> Shape:\n    return Shape.Circle\n",
        "fn j() -> Kind:\n    return Kind.Low(1)\n",
        "fn l() -> Shape:\n    return Shape.Circle(1.0, 2.0)\n",
        "fn m(x: i32, y: i32) -> i32:\n    match x:\n        case y + 1: return 1\n        case _: return 2\n",
        "fn o(x: i32) -> i32:\n    match x:\n        case 1 | y: return 1\n        case _: return y\n",
        "fn p(x: i32) -> i32:\n    match x:\n        case Low: return 1\n        case _: return 2\n",
        "fn q(k: Kind) -> i32:\n    match k:\n        case Low: return 1\n        case _: return 2\n        case High: return 3\n",
        "fn r(x: i32, b: bool) -> i32:\n    match x, b:\n        case 1, true: return 1\n        case _, false: return 2\n",
        "fn s(k: Kind) -> Kind:\n    return Kind(k)\n",
        "fn t(k: Kind) -> bool:\n    return isinstance(k, 1)\n",
        "enum Level(f32): One\n",
        "enum Level(u8): One = 256\n",
        "enum Level: One = 1, Two = 1\n",
        "enum Level: One, One\n",
        "enum Level: One(f32)\n",
        "enum Level: One = 1.5\n",
        "enum Level: One(x: Level)\n",
        "enum Level: One(x: f32[4])\n",
        "enum Level:\n    pass\n",
    ];
    let program: String = wrong.iter().map(|wrong| format!("{wrong}\n")).collect();
    let program = program.replace("enum Level", "enum Level0");
    let mut number = 0;
    let numbered: String = program
        .split_inclusive("Level0")
        .map(|part| {
            number += u32::from(part.ends_with("enum Level0"));
            part.replace("Level0", &format!("Level{number}"))
        })
        .collect();
    check(&format!("{enums}{numbered}"), expect![[r#""#]]);
}

#[test]
fn a_variant_in_small_letters_is_taken_for_a_name() {
    check(
        "
enum Kind: low, high

fn f(k: Kind) -> i32:
    match k:
        case low: return 1
        case Kind.high: return 2
",
        expect![[r#""#]],
    );
}

#[test]
fn cases_in_cases() {
    check(
        "
enum Side: Left, Right
enum Move:
    Go(side: Side, fast: bool)
    Stay

fn f(m: Move) -> i32:
    match m:
        case Go(Left, true): return 1
        case Go(Right, _): return 2
        case Go(Right, true): return 3
",
        expect![[r#""#]],
    );
}

/// What is right has no finding: variables may be called as the words, and types come out of patterns.
#[test]
fn nothing_to_complain_about() {
    check(
        "
enum Shape:
    Circle(r: f32)
    Nothing

fn radius(s):
    match s:
        case Circle(r): return r
        case Nothing: return 0.0

kernel k(match: f32[n], case: i32, n: i32):
    let enum = case + 1
    for i in range(n):
        match[i] = radius(Shape.Circle(match[i])) + f32(enum)
        match enum:
            case 1:
                match[i] += 1.0
            case case if case > 3:
                match[i] += f32(case)
            case _:
                pass
",
        expect![[r#""#]],
    );
}
