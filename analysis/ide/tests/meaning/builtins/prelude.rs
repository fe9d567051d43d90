//! The prelude: builtins that are written in Lane.

use std::sync::Arc;

use expect_test::expect_file;
use hir::builtins::{BUILTINS, BuiltinId, Means, TypeRule};
use ide::definition::definition;
use queries::db::{Database, File};
use queries::run::{Argument, Engine, Source, run};
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
        let Some(builtin) = BuiltinId::from_name(item.name(&db)) else { continue };
        let signature = queries::signature(&db, item);
        let n_args = match builtin.get().shape {
            TypeRule::Same(_, n) => n,
            TypeRule::To(..) => 1,
            shape => panic!("a {shape:?} is not written in Lane"),
        };
        assert_eq!(signature.params.len(), n_args, "{}", item.name(&db));
        n_written += 1;
    }
    assert!(n_written > 0);
}

#[test]
fn a_builtin_has_a_function_if_its_row_says_so() {
    let db = Database::default();
    for row in BUILTINS {
        let written = queries::named(&db, prelude::file(&db), row.name.into()).is_some();
        assert_eq!(matches!(row.means, Means::Prelude), written, "{}", row.name);
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
    let given = [given("a", Source::Ramp(3)), given("n", Source::Number("3".to_owned()))];
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
fn what_is_not_written_in_lane_is_told_of() {
    let db = Database::default();
    let (functions, _) = prelude::TEXT.split_once(LISTING).expect("the listing");
    let written = |name: &str| queries::named(&db, prelude::file(&db), name.into()).is_some();
    expect_file!["../../../../lane/prelude/math.lane"]
        .assert_eq(&format!("{functions}{LISTING}{}", prelude::listing(written)));

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
    for row in BUILTINS.iter().filter(|row| !written(row.name)) {
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
