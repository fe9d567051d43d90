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
        "fn o(x: i32) -> i32:\n    match x:\n        case 1 | y: return 1\n        case _: return 2\n",
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
        "enum Tree: Leaf, Node(left: Tree)\n",
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
    check(
        &format!("{enums}{numbered}"),
        expect![[r#"
            error[missing-case]: some values have no case: `case Rect(_, _):`, `case Nothing:` are missing
              9 |    match s:
                |    ^^^^^^^
              = every value has its case; `case _:` takes all others
              fix: add the cases
                |        case Rect(_, _):
                |            pass
                |        case Nothing:
                |            pass
              fix: add `case _:` for all others
                |        case _:
                |            pass
            error[unknown-variant]: `Shape` has no variant `Circel`
             15 |        case Circel(r): return r
                |             ^^^^^^
              3 |enum Shape:
                |     ^^^^^ `Shape` is defined here
              = did you mean `Circle`?
              fix: write `Circle`
                |        case Circle(r): return r
            error[argument-count]: `Rect` holds 2 values, and this pattern has 1 for them
             20 |        case Rect(w): return w
                |             ^^^^^^^
              3 |enum Shape:
                |     ^^^^^ `Shape` is defined here
              = write `_` for a value that is not needed, or `Rect` alone where none is
            error[unknown-name]: nothing here is called `Low`; it is a variant of `Kind`
             24 |    return k == Low
                |                ^^^
              = outside of a `case`, a variant stands behind its enum
              fix: write `Kind.Low`
                |    return k == Kind.Low
            error[unknown-field]: `Shape` is an enum, which has no field `r`
             27 |    return s.r > 0
                |           ^^^
              = what a variant holds is taken out by a `match`: `case Circle(r):`
            error[operand-type]: `<` does not work on `Kind`, an enum: its values have no order and are no numbers
             30 |    return a < b
                |           ^^^^^
              = `==` and `!=` compare them, `match` tells them apart, and `i32(x)` is the number of one
            error[not-a-function]: a number says nothing of the data of `Shape`, so none becomes a `Shape`
             36 |    return Shape(n)
                |           ^^^^^^^^
              = a value is made by the name of its variant: `Shape.Circle(r)`
            error[not-a-value]: `Shape.Circle` has data, and is a value only with those
             39 |    return Shape.Circle
                |           ^^^^^^^^^^^^
              = write `Shape.Circle(r)`
            error[argument-count]: `Kind.Low` has no data, so it is not called
             42 |    return Kind.Low(1)
                |           ^^^^^^^^^^^
              fix: write `Kind.Low`
                |    return Kind.Low
            error[argument-count]: `Shape.Circle(r)` takes 1 argument, and is given 2
             45 |    return Shape.Circle(1.0, 2.0)
                |           ^^^^^^^^^^^^^^^^^^^^^^
              3 |enum Shape:
                |     ^^^^^ `Shape` is defined here
            error[not-a-pattern]: this is no pattern, so no value can be compared with it
             49 |        case y + 1: return 1
                |             ^^^^^
              = a pattern is a number, a variant (`Circle(r)`), a name, `_`, or several of them (`1 | 2`, `(a, b)`); what is computed stands in a condition: `case x if x > a + b:`
            error[not-a-pattern]: `y` is not defined by each side of this `|`
             54 |        case 1 | y: return 1
                |                 ^
              = both sides define the same names, or none; write `_` for a value that is not needed
            warning[unused-name]: the variable `y` is never read
             54 |        case 1 | y: return 1
                |                 ^
              fix: write `_y` to say that this is meant
                |        case 1 | _y: return 1
            warning[unreachable-case]: no value comes to this case: those above take all that it takes
             55 |        case _: return 2
                |             ^
              fix: remove the case
                (the line is gone)
            error[type-mismatch]: `Low` is no pattern for what is matched, which is `i32`
             59 |        case Low: return 1
                |             ^^^
             57 |fn p(x: i32) -> i32:
                |        ^^^ `x` is `i32`
              = a name for any value starts with a small letter
            warning[unreachable-case]: no value comes to this case: those above take all that it takes
             66 |        case High: return 3
                |             ^^^^
             65 |        case _: return 2
                |             ^ this takes every value
              fix: remove the case
                (the line is gone)
            error[missing-case]: some values have no case: `case (_, true):` is missing
             69 |    match x, b:
                |    ^^^^^^^^^^
              = every value has its case; `case _:` takes all others
              fix: add the case
                |        case (_, true):
                |            pass
              fix: add `case _:` for all others
                |        case _:
                |            pass
            error[argument-type]: this is a `Kind` already
             74 |    return Kind(k)
                |           ^^^^^^^
              fix: take it as it is
                |    return k
            error[unknown-name]: nothing here is called `isinstance`
             77 |    return isinstance(k, 1)
                |           ^^^^^^^^^^
              = `match x:` and `case Circle(r):` tell the variants of an enum apart
            error[not-an-integer]: the numbers of an enum are of a type of integers
             79 |enum Level1(f32): One
                |            ^^^
              = write `enum Kind(u8):`, or nothing for `i32`
            error[number-out-of-range]: `One` has the number 256, which is no `u8`
             81 |enum Level2(u8): One = 256
                |                 ^^^
              = the type of the numbers stands behind the name: `enum Kind(i64):`
            error[duplicate-name]: `Two` has the number 1, which `One` has already
             83 |enum Level3: One = 1, Two = 1
                |                      ^^^
             83 |enum Level3: One = 1, Two = 1
                |             ^^^ `One` is defined here
              = a number tells one variant from all others; one without a number has that of the one before it plus 1
            error[duplicate-name]: there is a variant `One` already
             85 |enum Level4: One, One
                |                  ^^^
             85 |enum Level4: One, One
                |             ^^^ `One` is defined here first
              = give one of the two another name
            error[unknown-type]: `f32` of `One` has no type, so nothing can hold it
             87 |enum Level5: One(f32)
                |                 ^^^
              = data have a name and a type: `One(value: f32)`
              fix: write `value: f32`
                |enum Level5: One(value: f32)
            error[not-an-integer]: the number of a variant is an integer that is written out
             89 |enum Level6: One = 1.5
                |                   ^^^
              = write `Low = 3`, or nothing for the number before it plus 1
            error[recursion]: `Tree` holds itself, so it would have no end
             91 |enum Tree: Leaf, Node(left: Tree)
                |                            ^^^^
              = structs refer to each other by their indices in arrays: `next: i32`
            error[field-not-scalar]: the data of a variant are scalars, structs or enums, and `x` is `f32[4]`
             93 |enum Level7: One(x: f32[4])
                |                    ^^^^^^
              = a struct may hold an array of scalars: let the variant hold such a struct
            error[missing-case]: `Level8` has no variants, so it has no value
             95 |enum Level8:
                |     ^^^^^^
              = list them behind the colon, `enum Level8: Low, High`, or one a line below it
        "#]],
    );
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
        expect![[r#"
            warning[unused-name]: the variable `low` is never read
              5 |        case low: return 1
                |             ^^^
              fix: write `_low` to say that this is meant
                |        case _low: return 1
            error[unreachable-case]: `low` is a new name here, which takes every value, and not the variant
              5 |        case low: return 1
                |             ^^^
              = a variant whose name starts with a small letter is written behind its enum: `Kind.low`
            warning[unreachable-case]: no value comes to this case: those above take all that it takes
              6 |        case Kind.high: return 2
                |             ^^^^^^^^^
              5 |        case low: return 1
                |             ^^^ this takes every value
              fix: remove the case
                (the line is gone)
        "#]],
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
        expect![[r#"
            error[missing-case]: some values have no case: `case Go(Left, false):`, `case Stay:` are missing
              7 |    match m:
                |    ^^^^^^^
              = every value has its case; `case _:` takes all others
              fix: add the cases
                |        case Go(Left, false):
                |            pass
                |        case Stay:
                |            pass
              fix: add `case _:` for all others
                |        case _:
                |            pass
            warning[unreachable-case]: no value comes to this case: those above take all that it takes
             10 |        case Go(Right, true): return 3
                |             ^^^^^^^^^^^^^^^
              fix: remove the case
                (the line is gone)
        "#]],
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
