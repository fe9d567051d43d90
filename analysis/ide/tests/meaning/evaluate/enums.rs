//! Enums, and `match`.

use expect_test::expect;

use super::fixture::check;

const SHAPES: &str = "enum Shape:
    Circle(r: f32)
    Rect(w: f32, h: f32)
    Nothing

";

#[test]
fn a_match_takes_variants_apart() {
    check(
        &format!(
            "{SHAPES}fn area(s: Shape) -> f32:
    match s:
        case Circle(r) if r > 2.0: return 100.0
        case Circle(r): return 3.0 * r * r
        case Rect(w, h): return w * h
        case Nothing: return -1.0

kernel k(shapes: Shape[5], out: f32[6]):
    foreach i in range(5):
        out[i] = area(shapes[i])
    shapes[4] = Shape.Rect(h=2.0, w=area(Shape.Circle(1.0)))
    out[5] = area(shapes[4])
"
        ),
        "shapes = [(0, 1, 7, 7), (0, 4, 7, 7), (1, 9, 5, 6), (2, 9, 9, 9), (0, 2, 0, 0)]; out = [0, 0, 0, 0, 0, 0]",
        expect![[r#"
            shapes = [(0, 1.0, 7.0, 7.0), (0, 4.0, 7.0, 7.0), (1, 9.0, 5.0, 6.0), (2, 9.0, 9.0, 9.0), (1, 0.0, 3.0, 2.0)]
            out = [3.0, 100.0, 30.0, -1.0, 12.0, 6.0]
        "#]],
    );
}

#[test]
fn patterns_of_all_kinds() {
    check(
        "const LIMIT = 9

struct P:
    x: i32
    y: i32

enum Pair:
    Both(a: P, b: P)
    One(a: P)

fn of(p: Pair) -> i32:
    match p:
        case Both(P(0, y), P(x, 0)) | One(P(x, y)) if x > y: return 10 * x + y
        case One(a): return -a.x
        case Pair.Both(b=P(y=y)): return y

kernel k(x: i32[8], out: i32[8], pairs: i32[4]):
    foreach i in range(8):
        match x[i], x[i] % 2 == 0:
            case 0, _: out[i] = 1
            case 1 | 3, false: out[i] = 2
            case -1, b: out[i] = 3 if b else 4
            case LIMIT, _: out[i] = 5
            case (n, true): out[i] = 100 + n
            case _: out[i] = 6
    pairs[0] = of(Pair.Both(P(0, 1), P(2, 0)))
    pairs[1] = of(Pair.One(P(3, 2)))
    pairs[2] = of(Pair.One(P(3, 5)))
    pairs[3] = of(Pair.Both(P(1, 2), P(3, 4)))
",
        "x = [0, 1, 3, -1, 9, 8, 5, 2]; out = [0, 0, 0, 0, 0, 0, 0, 0]; pairs = [0, 0, 0, 0]",
        expect![[r#"
            out = [1, 2, 2, 4, 5, 108, 6, 102]
            pairs = [21, 32, -3, 4]
        "#]],
    );
}

#[test]
fn numbers_of_variants() {
    let text = "enum Op(u8): Load = 3, Store, Jump = 16

kernel k(codes: u8[n], out: i32[n], n: i32):
    foreach i in range(n):
        let op = Op(codes[i])
        out[i] = 1000 if op == Op.Jump else i32(op) + 10 * i32(op != Op.Load)
";
    check(
        text,
        "codes = [3, 4, 16]; out = [0, 0, 0]; n = 3",
        expect![[r#"
        out = [3, 14, 1000]
    "#]],
    );
    check(
        text,
        "codes = [3, 5, 16]; out = [0, 0, 0]; n = 3",
        expect![[r#"
            out = [3, 0, 0]
            error assert-failed at `Op(codes[i])`, i = 1: what is asserted does not hold
        "#]],
    );
}

#[test]
fn a_variable_that_is_matched_may_change() {
    check(
        "enum Light: Red, Green, Amber

kernel k(n: i32) -> i32:
    let light = Light.Red
    let lights: Light[3]
    let sum = 0
    for i in range(n):
        match light:
            case Red:
                light = Light.Green
                continue
            case Green:
                light = Light.Amber
            case other:
                lights[i % 3] = other
                if sum > 3:
                    break
                light = Light.Red
        sum += i32(lights[i % 3]) + 1
    return sum
",
        "n = 9",
        expect![[r#"
            result 5
        "#]],
    );
}

#[test]
fn values_with_data_are_equal_by_what_belongs_to_them() {
    check(
        "enum Shape:
    Circle(r: f32)
    Rect(w: f32, h: f32)
    Nothing

enum Placed:
    At(shape: Shape, x: i32)
    Nowhere

struct Pair:
    a: Shape
    n: i32

kernel k(a: Shape[4], b: Shape[4], p: Pair, q: Placed, out: bool[8]):
    foreach i in range(4):
        out[i] = a[i] == b[i]
    out[4] = p == Pair(Shape.Circle(2), 3)
    out[5] = p != Pair(Shape.Circle(2.5), 3)
    out[6] = q == Placed.At(Shape.Nothing, 4)
    out[7] = q != Placed.Nowhere
",
        "a = [0, 1, 8, 8, 1, 9, 2, 3, 1, 0, 2, 3, 2, 5, 6, 7]; b = [0, 1, 7, 7, 1, 8, 2, 3, 1, 0, 2, 4, 2, 1, 1, 1]; p = [0, 2, 9, 9, 3]; q = [0, 2, 9, 9, 9, 4]; out = [false, false, false, false, false, false, false, false]",
        expect![[r#"
            out = [true, true, false, true, true, true, true, true]
        "#]],
    );
}

#[test]
fn cases_name_the_whole_value_and_variants_are_functions() {
    check(
        "enum Shape:
    Circle(r: f32)
    Rect(w: f32, h: f32)

fn grown(s: Shape) -> Shape:
    match s:
        case Circle(r) as c if r > 1:
            return c
        case Rect(w, _) | Circle(w) as other:
            return Shape.Rect(w, w) if other == Shape.Circle(w) else other

kernel k(r: f32[3], out: f32[6], n: i32) -> i32:
    let shapes = map(Shape.Circle, r)
    let others = map(Shape.Rect, r, r + 1)
    for i, s in enumerate(shapes):
        match grown(s), grown(others[i]):
            case (Circle(a), Rect(w, h)) as both:
                out[2 * i], out[2 * i + 1] = a, w * h
                let first, second = both
                out[2 * i] += 100 if first == s and second == others[i] else 0
            case (Rect(a, b), _):
                out[2 * i] = a + b
            case _:
                out[2 * i] = -1
    match n:
        case 1 | 2 as small:
            return small * 10
        case x as same:
            return x + same
",
        "r = [1, 2, 3]; out = [0, 0, 0, 0, 0, 0]; n = 4",
        expect![[r#"
            result 8
            out = [2.0, 0.0, 102.0, 6.0, 103.0, 12.0]
        "#]],
    );
}
