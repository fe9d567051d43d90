//! Each lesson, as somebody does it who makes its typical mistake first.

use expect_test::expect;
use queries::stages::Options;
use queries::stages::target::reference;

use super::*;

/// A target that is the same on every machine.
fn avx2() -> Options {
    Options { lanes: None, target: reference() }
}

fn progress(lesson: &Lesson, text: &str) -> Vec<Step> {
    let mut db = Database::default();
    db.set_made_for(&[avx2()]);
    let file = File::new(&db, text.into());
    lesson.progress(&db, file)
}

fn lesson(name: &str) -> &'static Lesson {
    LESSONS.iter().find(|lesson| lesson.name == name).expect("a lesson of that name")
}

/// What is left of a task: each step that is not done, with its hint.
fn left(name: &str, replaced: &[(&str, &str)]) -> String {
    let lesson = lesson(name);
    let mut text = lesson.program.to_owned();
    for (old, new) in replaced {
        assert!(text.contains(old), "{name} has no {old}");
        text = text.replacen(old, new, 1);
    }
    let steps = progress(lesson, &text).into_iter().filter(|step| !step.is_done);
    steps.map(|step| format!("{}: {}\n", step.text, step.hint.unwrap_or_default())).collect()
}

#[test]
fn each_lesson_has_something_to_do() {
    for lesson in LESSONS {
        let steps = progress(lesson, lesson.program);
        assert!(steps.iter().any(|step| !step.is_done && step.hint.is_some()), "{}: {steps:?}", lesson.name);
        assert_eq!(syntax::format::format(lesson.program), lesson.program, "{}", lesson.name);
    }
    assert_eq!(LESSONS.len(), 12);
}

#[test]
fn lanes() {
    expect![[r#""#]].assert_eq(&left("lanes", &[]));
    expect![[r#""#]].assert_eq(&left("lanes", &[("    for", "    @lanes(16)\n    for")]));
    assert_eq!(left("lanes", &[("    for", "    @lanes(4)\n    for")]), "");
}

#[test]
fn uniform() {
    expect![[r#""#]].assert_eq(&left("uniform", &[]));
    expect![[r#""#]].assert_eq(&left("uniform", &[("from * f32(i)", "from")]));
    assert_eq!(left("uniform", &[("from * f32(i)", "from * 0.5")]), "");
}

#[test]
fn masks() {
    expect![[r#""#]].assert_eq(&left("masks", &[]));
    let of = |condition: &str| {
        let text = format!("if {condition}:\n            out[i] = 0\n        else:\n            out[i] = samples[i]");
        left("masks", &[("out[i] = samples[i]", &text)])
    };
    expect![[r#""#]].assert_eq(&of("samples[i] < least"));
    assert_eq!(of("abs(samples[i]) < least"), "");
}

#[test]
fn strides() {
    expect![[r#""#]].assert_eq(&left("strides", &[]));
    expect![[r#""#]].assert_eq(&left("strides", &[("stereo[2 * i]", "stereo[i + n]")]));
    assert_eq!(left("strides", &[("stereo[2 * i]", "stereo[i]")]), "");
}

#[test]
fn gathers() {
    expect![[r#""#]].assert_eq(&left("gathers", &[]));
    expect![[r#""#]].assert_eq(&left("gathers", &[("order[i]", "n - i")]));
    assert_eq!(left("gathers", &[("order[i]", "n - 1 - i")]), "");
}

#[test]
fn sums() {
    expect![[r#""#]].assert_eq(&left("sums", &[]));
    expect![[r#""#]].assert_eq(&left("sums", &[("    for", "    @simd\n    for")]));
    assert_eq!(left("sums", &[("    for", "    @reassoc\n    for")]), "");
}

#[test]
fn dependences() {
    expect![[r#""#]].assert_eq(&left("dependences", &[]));
    let parameter = ("a: f32[n], n", "a: f32[n], out: f32[n], n");
    expect![[r#""#]].assert_eq(&left("dependences", &[("a[i] = 0.5", "out[i] = 0.5")]));
    expect![[r#""#]]
        .assert_eq(&left("dependences", &[parameter, ("a[i] =", "out[i] ="), ("a[i - 1] +", "out[i - 1] +")]));
    assert_eq!(left("dependences", &[parameter, ("a[i] =", "out[i] =")]), "");
}

#[test]
fn promises() {
    expect![[r#""#]].assert_eq(&left("promises", &[]));
    assert_eq!(left("promises", &[("foreach", "for")]), "");
}

#[test]
fn layouts() {
    expect![[r#""#]].assert_eq(&left("layouts", &[]));
    let arrays = ("points: Point[n]", "x: f32[n], y: f32[n], z: f32[n]");
    expect![[r#""#]].assert_eq(&left("layouts", &[arrays]));
    let own = ("let p = points[i]", "let p = Point(x[i], y[i], z[i])");
    assert_eq!(left("layouts", &[arrays, own]), "");
}

#[test]
fn divergence() {
    expect![[r#""#]].assert_eq(&left("divergence", &[]));
    let rounds = (
        "while x > 1:\n            x *= 0.5\n            count += 1",
        "for k in range(8):\n            x *= 0.5\n            count += 1",
    );
    expect![[r#""#]].assert_eq(&left("divergence", &[rounds]));
    let masked = (
        "while x > 1:\n            x *= 0.5\n            count += 1",
        "for k in range(8):\n            if x > 1:\n                x *= 0.5\n                count += 1",
    );
    assert_eq!(left("divergence", &[masked]), "");
}

#[test]
fn contracts() {
    expect![[r#""#]].assert_eq(&left("contracts", &[]));
    expect![[r#""#]].assert_eq(&left("contracts", &[("    @no_gather\n", "")]));
    let few = ("f32[256]", "f32[8]");
    expect![[r#""#]].assert_eq(&left("contracts", &[few]));
    assert_eq!(left("contracts", &[few, ("[index[i]]", "[index[i] & 7]")]), "");
}

#[test]
fn fast() {
    expect![[r#""#]].assert_eq(&left("fast", &[]));
    expect![[r#""#]].assert_eq(&left("fast", &[("kernel", "@reassoc\nkernel")]));
    assert_eq!(left("fast", &[("kernel", "@fast\nkernel")]), "");
}
