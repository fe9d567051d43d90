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

/// Lists the rest of a task: each step that is not done, with its hint.
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
        assert_eq!(ide::formatting::document(lesson.program), [], "{}", lesson.name);
    }
    assert_eq!(LESSONS.len(), 12);
}

#[test]
fn lanes() {
    expect![[r#"
        the loop has 4 lanes: now it has 8 lanes
    "#]]
    .assert_eq(&left("lanes", &[]));
    expect![[r#"
        the loop has 4 lanes: now it has 16 lanes
    "#]]
    .assert_eq(&left("lanes", &[("    for", "    @lanes(16)\n    for")]));
    assert_eq!(left("lanes", &[("    for", "    @lanes(4)\n    for")]), "");
}

#[test]
fn uniform() {
    expect![[r#"
        `volume` is uniform: the same in all lanes: `volume` in line 4 varies, because of `i`
        with samples=[1, 2, 3], out=zeros(3), n=3, from=0.5 it gives out = [0.25, 0.5, 0.75]: it gives out = [0.0, 1.0, 3.0]
    "#]].assert_eq(&left("uniform", &[]));
    expect![[r#"
        with samples=[1, 2, 3], out=zeros(3), n=3, from=0.5 it gives out = [0.25, 0.5, 0.75]: it gives out = [0.5, 1.0, 1.5]
    "#]].assert_eq(&left("uniform", &[("from * f32(i)", "from")]));
    assert_eq!(left("uniform", &[("from * f32(i)", "from * 0.5")]), "");
}

#[test]
fn masks() {
    expect![[r#"
        with samples=[1, -0.25, 0.5, -2], out=zeros(4), n=4, least=0.5 it gives out = [1.0, 0.0, 0.5, -2.0]: it gives out = [1.0, -0.25, 0.5, -2.0]
    "#]].assert_eq(&left("masks", &[]));
    let of = |condition: &str| {
        let text = format!("if {condition}:\n            out[i] = 0\n        else:\n            out[i] = samples[i]");
        left("masks", &[("out[i] = samples[i]", &text)])
    };
    expect![[r#"
        with samples=[1, -0.25, 0.5, -2], out=zeros(4), n=4, least=0.5 it gives out = [1.0, 0.0, 0.5, -2.0]: it gives out = [1.0, 0.0, 0.5, 0.0]
    "#]].assert_eq(&of("samples[i] < least"));
    assert_eq!(of("abs(samples[i]) < least"), "");
}

#[test]
fn strides() {
    expect![[r#"
        every load and store is contiguous or broadcast: `stereo[2 * i]` in line 4 is strided
        with stereo=[1, 2, 3, 4, 5, 6], out=zeros(3), n=3 it gives out = [1.0, 2.0, 3.0]: it gives out = [1.0, 3.0, 5.0]
    "#]]
    .assert_eq(&left("strides", &[]));
    expect![[r#"
        with stereo=[1, 2, 3, 4, 5, 6], out=zeros(3), n=3 it gives out = [1.0, 2.0, 3.0]: it gives out = [4.0, 5.0, 6.0]
    "#]]
    .assert_eq(&left("strides", &[("stereo[2 * i]", "stereo[i + n]")]));
    assert_eq!(left("strides", &[("stereo[2 * i]", "stereo[i]")]), "");
}

#[test]
fn gathers() {
    expect![[r#"
        every load and store is contiguous or broadcast or reversed: `a[order[i]]` in line 4 is gather
    "#]]
    .assert_eq(&left("gathers", &[]));
    expect![[r#"
        with a=[1, 2, 3, 4], order=[3, 2, 1, 0], out=zeros(4), n=4 it gives out = [4.0, 3.0, 2.0, 1.0]: it gives an error: the index 4 is outside of `a`, whose size there is 4
    "#]].assert_eq(&left("gathers", &[("order[i]", "n - i")]));
    assert_eq!(left("gathers", &[("order[i]", "n - 1 - i")]), "");
}

#[test]
fn sums() {
    expect![[r#"
        the loop runs as lanes: the loop in line 4 is in order: ordered-float-sum
    "#]]
    .assert_eq(&left("sums", &[]));
    expect![[r#"
        the program has no errors: line 4: `@simd` promises that this loop becomes vector code, and it does not: a sum of floats keeps the order of its terms: `sum` (ordered-float-sum)
        the loop runs as lanes: 
        with samples=[1, 2, 3, 4], n=4 it gives 30.0: 
    "#]].assert_eq(&left("sums", &[("    for", "    @simd\n    for")]));
    assert_eq!(left("sums", &[("    for", "    @reassoc\n    for")]), "");
}

#[test]
fn dependences() {
    expect![[r#"
        the loop runs as lanes: the loop in line 3 is in order: loop-carried-flow, 1 apart
        with a=[1, 3, 5, 9], out=zeros(4), n=4 it gives out = [0.0, 2.0, 4.0, 7.0]: it gives a = [1.0, 2.0, 3.5, 6.25]
    "#]]
    .assert_eq(&left("dependences", &[]));
    expect![[r#"
        the loop runs as lanes: the loop in line 3 is in order: loop-carried-flow, 1 apart
        with a=[1, 3, 5, 9], out=zeros(4), n=4 it gives out = [0.0, 2.0, 4.0, 7.0]: it gives out = [0.0, 1.5, 3.25, 6.125]
    "#]].assert_eq(&left("dependences", &[("a[i] =", "out[i] ="), ("(a[i - 1] +", "(out[i - 1] +")]));
    assert_eq!(left("dependences", &[("a[i] =", "out[i] =")]), "");
}

#[test]
fn promises() {
    expect![[r#"
        with values=[1, 5, 2, 9, 4], bins=zeros(4), n=5 it gives bins = [1, 3, 1, 0]: it gives an error: this iteration reads what the one with i = 0 wrote
    "#]].assert_eq(&left("promises", &[]));
    assert_eq!(left("promises", &[("foreach", "for")]), "");
}

#[test]
fn layouts() {
    expect![[r#"
        every load and store is contiguous or broadcast: `points[i]` in line 9 is interleaved
        with x=[1, 2], y=[0, 1], z=[2, 0], out=zeros(2), n=2 it gives out = [5.0, 5.0]: it gives nothing: `distances` has no parameter `x`
    "#]].assert_eq(&left("layouts", &[]));
    let arrays = ("points: Point[n]", "x: f32[n], y: f32[n], z: f32[n]");
    expect![[r#"
        the program has no errors: line 9: nothing here is called `points`
        every load and store is contiguous or broadcast: 
        with x=[1, 2], y=[0, 1], z=[2, 0], out=zeros(2), n=2 it gives out = [5.0, 5.0]: 
    "#]]
    .assert_eq(&left("layouts", &[arrays]));
    let own = ("let p = points[i]", "let p = Point(x[i], y[i], z[i])");
    assert_eq!(left("layouts", &[arrays, own]), "");
}

#[test]
fn divergence() {
    expect![[r#"
        all lanes leave every loop together: the loop in line 6 goes on until its last lane has left
    "#]]
    .assert_eq(&left("divergence", &[]));
    let rounds = (
        "while x > 1:\n            x *= 0.5\n            count += 1",
        "for k in range(8):\n            x *= 0.5\n            count += 1",
    );
    expect![[r#"
        with a=[1, 2, 256, 0.5, 5], out=zeros(5), n=5 it gives out = [0, 1, 8, 0, 3]: it gives out = [8, 8, 8, 8, 8]
    "#]]
    .assert_eq(&left("divergence", &[rounds]));
    let masked = (
        "while x > 1:\n            x *= 0.5\n            count += 1",
        "for k in range(8):\n            if x > 1:\n                x *= 0.5\n                count += 1",
    );
    assert_eq!(left("divergence", &[masked]), "");
}

#[test]
fn contracts() {
    expect![[r#"
        the program has no errors: line 5: `@no_gather` promises that no load here becomes a gather, and this load of `colors` is one: each lane has a cell of its own; the subscript is data, or made of it
        `@no_gather` is written above the kernel or its loop: 
        the loop runs as lanes: 
        with index=[0, 3, 7], colors=[1, 2, 3, 4, 5, 6, 7, 8], out=zeros(3), n=3 it gives out = [1.0, 4.0, 8.0]: 
    "#]].assert_eq(&left("contracts", &[]));
    expect![[r#"
        `@no_gather` is written above the kernel or its loop: it stands in a line of its own
        with index=[0, 3, 7], colors=[1, 2, 3, 4, 5, 6, 7, 8], out=zeros(3), n=3 it gives out = [1.0, 4.0, 8.0]: it gives nothing: `colors` is given 8 elements, and its type says 256
    "#]].assert_eq(&left("contracts", &[("    @no_gather\n", "")]));
    let few = ("f32[256]", "f32[8]");
    expect![[r#"
        the program has no errors: line 5: `@no_gather` promises that no load here becomes a gather, and this load of `colors` is one: each lane has a cell of its own; the subscript is data, or made of it
        `@no_gather` is written above the kernel or its loop: 
        the loop runs as lanes: 
        with index=[0, 3, 7], colors=[1, 2, 3, 4, 5, 6, 7, 8], out=zeros(3), n=3 it gives out = [1.0, 4.0, 8.0]: 
    "#]].assert_eq(&left("contracts", &[few]));
    assert_eq!(left("contracts", &[few, ("[index[i]]", "[index[i] & 7]")]), "");
}

#[test]
fn fast() {
    expect![[r#"
        `@fast` is written above the kernel or its loop: it stands in a line of its own
    "#]]
    .assert_eq(&left("fast", &[]));
    expect![[r#"
        `@fast` is written above the kernel or its loop: it stands in a line of its own
    "#]]
    .assert_eq(&left("fast", &[("kernel", "@reassoc\nkernel")]));
    assert_eq!(left("fast", &[("kernel", "@fast\nkernel")]), "");
}
