//! The prelude: builtins that are written in Lane.

use std::sync::Arc;

use expect_test::expect_file;
use hir::builtins::{BUILTINS, Builtin, Means, TypeRule};
use ide::definition::definition;
use ir::Elem;
use queries::db::{Database, File};
use queries::run::{Argument, DataSource, Engine, run};
use queries::stages::{Options, in_order, stage};
use queries::{check, db, prelude};

use crate::common;

/// What stands above the listing.
const LISTING: &str = "# What follows is built in and has no text in Lane. It stands here to be found.\n";

#[test]
fn the_prelude_is_in_order() {
    let db = Database::default();
    let file = prelude::file(&db);
    let found = check::diagnostics(&db, file);
    assert!(found.is_empty(), "{}", common::render(prelude::TEXT, &found));
    assert_eq!(syntax::format::format(prelude::TEXT), prelude::TEXT);
}

#[test]
fn a_builtin_and_its_function_take_the_same() {
    let db = Database::default();
    let mut n_written = 0;
    for &item in db::file_items(&db, prelude::file(&db)) {
        let name = item.name(&db);
        let row =
            BUILTINS.iter().find(|row| row.name == &**name || row.all_functions().any(|of_type| of_type == **name));
        let Some(row) = row else { continue };
        let signature = queries::signature(&db, item);
        let n_args = match row.shape {
            TypeRule::Same(_, n) => n,
            TypeRule::To(..) => 1,
            TypeRule::Scale(_) => 2,
            TypeRule::Function(n) => n,
            TypeRule::Vote if row.takes_arrays => 1,
            TypeRule::Move if row.takes_arrays => 2,
            shape => panic!("a {shape:?} is not written in Lane"),
        };
        assert_eq!(signature.params.len(), n_args, "{}", item.name(&db));
        n_written += 1;
    }
    assert!(n_written > 0);
}

/// Functions whose results are exact, for which `@fast` has no text of its own.
const EXACT: &[&str] = &["copysign", "ldexp", "frexp_fraction", "frexp_exponent", "nextafter"];

#[test]
fn a_builtin_has_a_function_if_its_row_says_so() {
    let db = Database::default();
    for row in BUILTINS {
        let written = |name: &str| queries::named(&db, prelude::file(&db), name.into()).is_some();
        assert_eq!(matches!(row.means, Means::Prelude) || row.takes_arrays, written(row.name), "{}", row.name);
        if matches!(row.means, Means::ByType) {
            for elem in [Elem::F32, Elem::F64] {
                let strict = row.functions(elem, false).next().expect("a name");
                assert!(written(&strict), "{strict}");
                let fast = row.functions(elem, true).next().expect("a name");
                assert_eq!(written(&fast), !EXACT.contains(&row.name), "{fast}");
            }
        }
    }
}

const CLAMPED: &str = "\
fn max(a, b):
    return a - b

kernel k(a: f32[n], n: i32):
    for i in range(n):
        a[i] = clamp(a[i] + max(a[i], 1), 0, 2)
";

#[test]
fn the_names_of_a_file_and_of_the_prelude_never_meet() {
    let db = Database::default();
    let file = File::new(&db, Arc::from(CLAMPED));
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let given = |name: &str, source| Argument { name: name.to_owned(), source };
    let given = [given("a", DataSource::Ramp(3)), given("n", DataSource::Number("3".to_owned()))];
    for engine in [Engine::Interp(in_order(), Options::default()), Engine::Scalar] {
        let ran = run(&db, kernel, engine, &given, 1_000, &mut || false).expect("arguments that fit");
        let elements: Vec<_> = ran.arrays[0].elements.iter().map(ToString::to_string).collect();
        assert_eq!(elements, ["0.0", "1.0", "2.0"], "{engine:?}");
    }
}

#[test]
fn a_function_of_the_file_stands_before_the_builtin() {
    let own = format!("fn clamp(x, lo, hi):\n    return x\n\n{CLAMPED}");
    let db = Database::default();
    let file = File::new(&db, Arc::from(&*own));
    let at = own.rfind("clamp").expect("the call") as u32;
    let targets = definition(&db, file, at.into());
    assert_eq!(targets.len(), 1);
    assert_eq!(targets[0].file, file);
}

#[test]
fn a_definition_leads_into_the_prelude() {
    let db = Database::default();
    let file = File::new(&db, Arc::from(CLAMPED));
    let at = CLAMPED.find("clamp").expect("the call") as u32;
    let targets = definition(&db, file, at.into());
    assert_eq!(targets.len(), 1);
    assert_eq!(targets[0].file, prelude::file(&db));
    assert_eq!(&prelude::TEXT[targets[0].focus], "clamp");
    assert!(prelude::TEXT[targets[0].range].starts_with("## `x`, moved"));
}

#[test]
fn a_call_leads_to_the_text_for_its_type_and_mode() {
    let db = Database::default();
    let texts = [
        ("kernel k(a: f32[n], n: i32):\n    a[0] = exp(a[1])\n", "exp_f32"),
        ("kernel k(a: f64[n], n: i32):\n    a[0] = exp(a[1])\n", "exp_f64"),
        ("@fast\nkernel k(a: f32[n], n: i32):\n    a[0] = exp(a[1])\n", "exp_f32_fast"),
        ("kernel k(a: f32[n], n: i32):\n    @fast\n    for i in range(n):\n        a[i] = exp(a[i])\n", "exp_f32_fast"),
        ("@fast\nkernel k(a: f32[n], n: i32):\n    a[0] = rsqrt(a[1])  # exp\n", "rsqrt_f32_fast"),
    ];
    for (text, function) in texts {
        let file = File::new(&db, Arc::from(text));
        let at = text.find(&function[..function.find('_').unwrap_or(0)]).expect("the call") as u32;
        let [target] = definition(&db, file, at.into())[..] else { panic!("{text}") };
        assert_eq!(&prelude::TEXT[target.focus], function, "{text}");
    }
}

/// The prelude's functions are also what constants are made by, so a call has one value everywhere.
#[test]
fn a_call_with_constant_arguments_is_a_constant() {
    let db = Database::default();
    let text = "\
const SINE = sin(1.0)
const WIDE: f64 = exp(-0.5)
const ROOT = sqrt(2.0)
const POWER = 1.5 ** 2.5
const MIXED = mix(1.0, 3.0, 0.25)
const BITS = to_bits(1.0)

kernel k(a: f32[n], b: f64[n], n: i32):
    a[0] = sin(a[1])
    a[2] = sin(1.0)
    b[0] = exp(b[1])
";
    let file = File::new(&db, Arc::from(text));
    let value = |name: &str| {
        let item = queries::named(&db, file, name.into()).expect("the constant");
        queries::const_value(&db, item).map_or("?".to_owned(), |value| value.to_string())
    };
    let names = ["SINE", "WIDE", "ROOT", "POWER", "MIXED", "BITS"];
    let values: Vec<_> = names.into_iter().map(value).collect();
    assert_eq!(values, ["0.84147096", "0.6065306597126334", "1.4142135", "2.755676", "1.5", "1065353216"]);
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let given = |name: &str, source| Argument { name: name.to_owned(), source };
    let numbers = |numbers: &[&str]| DataSource::List(numbers.iter().map(|&number| number.to_owned()).collect());
    let given = [
        given("a", numbers(&["0", "1", "0"])),
        given("b", numbers(&["0", "-0.5", "0"])),
        given("n", DataSource::Number("3".to_owned())),
    ];
    for engine in [Engine::Interp(in_order(), Options::default()), Engine::Scalar] {
        let ran = run(&db, kernel, engine, &given, 10_000, &mut || false).expect("arguments that fit");
        let first = |n: usize| ran.arrays[n].elements.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!((&*first(0)[0], &*first(0)[2], &*first(1)[0]), (&*values[0], &*values[0], &*values[1]));
    }
}

/// A function of the prelude may give several values; under `@fast` they are those of the approximate functions.
#[test]
fn the_sine_and_the_cosine_of_an_angle_are_those_of_two_calls() {
    let db = Database::default();
    for fast in ["", "@fast\n"] {
        let text = format!(
            "{fast}kernel k(x: f64[n], both: f64[2, n], each: f64[2, n], n: i32):\n    for i in range(n):\n        let s, c = sincos(x[i])\n        \
             both[0, i] = s\n        both[1, i] = c\n        each[0, i] = sin(x[i])\n        each[1, i] = cos(x[i])\n"
        );
        let file = File::new(&db, Arc::from(&*text));
        assert_eq!(check::diagnostics(&db, file).len(), 0, "{text}");
        let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
        let given = |name: &str, source| Argument { name: name.to_owned(), source };
        let given = [
            given("x", DataSource::Ramp(9)),
            given("both", DataSource::Zeros(18)),
            given("each", DataSource::Zeros(18)),
            given("n", DataSource::Number("9".to_owned())),
        ];
        for engine in [Engine::Interp(in_order(), Options::default()), Engine::Scalar] {
            let ran = run(&db, kernel, engine, &given, 100_000, &mut || false).expect("arguments that fit");
            let elements = |n: usize| ran.arrays[n].elements.iter().map(ToString::to_string).collect::<Vec<_>>();
            assert_eq!(elements(0), elements(1), "{fast}{engine:?}");
            assert!(elements(0)[1].starts_with("0.84147"), "{:?}", elements(0));
        }
    }
}

/// Of a value and its bits each has the type that the other one asks for, wherever that is known.
#[test]
fn bits_and_what_they_are_bits_of_have_types_by_each_other() {
    let db = Database::default();
    let text = "\
kernel k(b: f64[n], n: i32):
    let one = to_bits(b[0]) | to_bits(1.0)
    let half: f64 = from_bits(0x3fe0000000000000)
    let other = to_bits(0.5)
    b[0] = from_bits(one) + half
";
    let file = File::new(&db, Arc::from(text));
    assert!(check::diagnostics(&db, file).iter().all(|it| it.severity != syntax::Severity::Error));
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let shown: Vec<_> = queries::typed(&db, kernel).iter().map(|line| line.text.trim().to_owned()).collect();
    let with =
        |name: &str| shown.iter().find(|line| line.starts_with(&format!("let {name}"))).expect("the line").clone();
    assert!(with("one").starts_with("let one: u64"), "{}", with("one"));
    assert!(with("other").starts_with("let other: u32"), "{}", with("other"));
    let wrong = "kernel k(b: f32[n], c: u64[n], n: i32):\n    c[0] = to_bits(b[0])\n";
    let found = check::diagnostics(&db, File::new(&db, Arc::from(wrong)));
    assert!(found.iter().any(|it| it.severity == syntax::Severity::Error), "{found:?}");
}

#[test]
fn what_is_not_written_in_lane_is_told_of() {
    let db = Database::default();
    let written = |row: &Builtin| matches!(row.means, Means::Prelude | Means::ByType);
    expect_file!["../../../../lane/prelude/listing.lane"].assert_eq(&format!("{LISTING}{}", prelude::listing(written)));

    let told = |text: &str, name: &str| {
        let file = File::new(&db, Arc::from(text));
        let at = text.find(name).unwrap_or_else(|| panic!("{name}")) as u32;
        let targets = definition(&db, file, at.into());
        let [target] = targets[..] else { panic!("{name}: {targets:?}") };
        assert_eq!((target.file, &prelude::TEXT[target.focus]), (prelude::file(&db), name));
        prelude::TEXT[target.range].to_owned()
    };
    assert_eq!(
        told("kernel k(a):\n    a[0] = sqrt(a[1])\n", "sqrt"),
        "# sqrt(x)\n#     The square root, correctly rounded."
    );
    assert!(
        told("kernel k(a, n):\n    foreach i in range(n):\n        a[i] = lane_id\n", "lane_id")
            .starts_with("# lane_id\n")
    );
    assert!(told("@alias(a, b)\nkernel k(a, b):\n    a[0] = b[0]\n", "alias").starts_with("# @alias(a, b, ...)\n"));
    for row in BUILTINS.iter().filter(|row| !written(row)) {
        assert!(told(&format!("fn f(x):\n    return {}(x)\n", row.name), row.name).ends_with(row.docs));
    }
}

#[test]
fn a_line_of_the_prelude_shows_the_call() {
    let db = Database::default();
    let text = "kernel k(a, n):\n    let x = clamp(n, 0, 8)\n    a[0] = x\n";
    let file = File::new(&db, Arc::from(text));
    let kernel = queries::named(&db, file, "k".into()).expect("the kernel");
    let shown = stage("sequential").expect("the stage").of(&db, kernel, Options::default());
    let line = shown.lines.iter().find(|line| line.text.contains("let x")).expect("the line of `x`");
    assert_eq!(line.text.trim(), "let x = min(max(n, 0.0), 8.0)");
    assert_eq!(line.source.map(|source| &text[source]), Some("clamp(n, 0, 8)"));
}
