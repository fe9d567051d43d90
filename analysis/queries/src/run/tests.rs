//! Samples fit their kernels, and kernels run on them.

use expect_test::expect;

use super::*;
use crate::db::{Database, File, file_items};

/// The samples of the first kernel for some integers, one a line, and how a run on them ends.
fn sampled(text: &str, given: &[(&str, i128)]) -> String {
    let db = Database::default();
    let file = File::new(&db, text.into());
    let item = file_items(&db, file)[0];
    let given: Vec<_> = given.iter().map(|(name, n)| ((*name).to_owned(), *n)).collect();
    let samples = sample(&db, item, &given).expect("a kernel");
    let source = |sample: &Sample| match given.iter().find(|(name, _)| *name == sample.name) {
        Some((_, n)) => DataSource::Number(n.to_string()),
        None => sample.source.clone(),
    };
    let argument = |sample: &Sample| Argument { name: sample.name.clone(), source: source(sample) };
    let arguments: Vec<_> = samples.iter().map(argument).collect();
    let ran = match in_order(&db, item, &arguments, 1_000_000) {
        Ok(ran) => ran.failure.map_or_else(|| "runs".to_owned(), |failure| failure.message),
        Err(why) => why.to_string(),
    };
    let samples = samples.iter().map(|sample| format!("{}: {} = {:?}\n", sample.name, sample.ty, sample.source));
    samples.collect::<String>() + &ran
}

fn check(text: &str, expected: expect_test::Expect) {
    expected.assert_eq(&sampled(text, &[]));
}

#[test]
fn sizes_go_with_the_integers_that_are_given() {
    let text = "kernel k(a, b: f32[h, w], h: i32, w: i32):\n    for i in range(w):\n        b[h - 1, i] = a[2 * i]\n";
    expect_test::expect![[r#"
        a: f32[_] = Ramp(200)
        b: f32[_, _] = Zeros(300)
        h: i32 = Number("8")
        w: i32 = Number("8")
        runs"#]]
    .assert_eq(&sampled(text, &[("h", 3), ("w", 100)]));
    // A parameter that is no size leaves arrays as they are.
    expect_test::expect![[r#"
        a: f32[_] = Ramp(16)
        b: f32[_, _] = Zeros(0)
        h: i32 = Number("8")
        w: i32 = Number("8")
        `b` is given 0 elements, and its type says [-1, 8], which is -8"#]]
    .assert_eq(&sampled(text, &[("h", -1)]));
}

#[test]
fn results_are_zeros_and_what_is_read_counts_up() {
    check(
        "kernel k(a, out, n, x):\n    for i in range(n):\n        out[i] = a[i] * x\n",
        expect_test::expect![[r#"
            a: f32[_] = Ramp(8)
            out: f32[_] = Zeros(8)
            n: i32 = Number("8")
            x: f32 = Number("0.5")
            runs"#]],
    );
}

#[test]
fn an_array_has_as_many_elements_as_the_kernel_reads() {
    check(
        "kernel k(a, b, n):\n    foreach i in range(n):\n        a[2 * i + 1] += b[i // 2]\n",
        expect_test::expect![[r#"
            a: f32[_] = Ramp(16)
            b: f32[_] = Ramp(16)
            n: i32 = Number("8")
            runs"#]],
    );
}

#[test]
fn declared_sizes_are_kept() {
    check(
        "kernel k(a: u8[2 * n, m], n: i32, m: i32, yes: bool) -> u8:\n    return a[0, m - 1] if yes else 0\n",
        expect_test::expect![[r#"
            a: u8[_, _] = Ramp(128)
            n: i32 = Number("8")
            m: i32 = Number("8")
            yes: bool = Number("true")
            runs"#]],
    );
}

#[test]
fn data_to_measure_is_large_where_it_has_a_length() {
    let chosen = |text: &str, given: &[(&str, &str)]| {
        let db = Database::default();
        let file = File::new(&db, text.into());
        let item = file_items(&db, file)[0];
        let number = |&(name, number): &(&str, &str)| Argument {
            name: name.to_owned(),
            source: DataSource::Number(number.to_owned()),
        };
        let given: Vec<_> = given.iter().map(number).collect();
        let chosen = to_measure(&db, item, &given).expect("a kernel");
        chosen.into_iter().map(|one| format!("{}={:?}", one.name, one.source)).collect::<Vec<_>>().join(" ")
    };
    let scale = "kernel k(a, out, n: i32, by: i32):\n    for i in range(n):\n        out[i] = a[2 * i]\n";
    expect![[r#"a=Ramp(2000000) out=Zeros(2000000) n=Number("1000000") by=Number("8")"#]]
        .assert_eq(&chosen(scale, &[]));
    expect!["a=Ramp(100) out=Zeros(100)"].assert_eq(&chosen(scale, &[("n", "50"), ("by", "3")]));
    let filter = "\
kernel k(a: f32[n + taps], w: f32[taps], out: f32[n], n: i32, taps: i32, start: i32):
    for i in range(n):
        for j in range(taps):
            out[i] += a[i + j] * w[j]
";
    expect![[r#"a=Ramp(2000) w=Ramp(1000) out=Ramp(1000) n=Number("1000") taps=Number("1000") start=Number("8")"#]]
        .assert_eq(&chosen(filter, &[]));
    expect![[r#"a=Ramp(1016) w=Ramp(16) out=Ramp(1000) n=Number("1000") start=Number("8")"#]]
        .assert_eq(&chosen(filter, &[("taps", "16")]));
}
