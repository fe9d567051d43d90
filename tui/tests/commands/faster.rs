//! `faster`: the changes of a kernel, tried and measured. What is faster is for the machine to say; what became of each change is not.

use serde_json::Value;

use super::*;

const SUM: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s
";

const SCALED: &str = "\
kernel scaled(a: f32[n], out: f32[n], n: i32):
    @lanes(8)
    for i in range(n):
        out[i] = a[i] * 2.0
";

/// Only a machine that is one of the targets runs what is tried.
fn can_measure() -> bool {
    has_llvm() && cfg!(target_arch = "x86_64")
}

fn report(folder: &Folder, args: &[&str]) -> Value {
    let usual = ["--json", "--time", "1", "--timeout", "300", "--target", "sse4"];
    let run = folder.run(&[&["faster"], args, &usual].concat());
    serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"))
}

fn change<'r>(report: &'r Value, title: &str) -> &'r Value {
    let changes = report["changes"].as_array().expect("changes");
    changes.iter().find(|change| change["title"] == title).unwrap_or_else(|| panic!("no {title}: {report}"))
}

#[test]
fn each_change_has_what_it_does_to_results_and_the_edits_that_make_it() {
    if !can_measure() {
        return;
    }
    let report = report(&Folder::new(&[("sum.lane", SUM)]), &["sum.lane", "--arg", "n=1000"]);
    assert_eq!(
        (&report["kernel"], &report["target"], &report["chosen"][0]),
        (&"sum".into(), &"sse4".into(), &"a=ramp(1000)".into())
    );
    let reordered = change(&report, "@reassoc above the loop in line 3");
    assert_eq!(
        (&reordered["edits"][0]["text"], &reordered["edits"][0]["range"]["line"]),
        (&"    @reassoc\n".into(), &3.into())
    );
    assert!(reordered["allows"].as_str().is_some_and(|words| words.contains("order of float sums")), "{reordered}");
    let results = &reordered["results"];
    assert!(results["differ"].as_u64().is_some_and(|differ| differ > 0 && results["runs"] == 8), "{reordered}");
    assert!(results["largest"].as_f64().is_some_and(|share| share > 0.0 && share < 1e-4), "{reordered}");
    assert!(reordered["times"].as_f64().is_some_and(|times| times > 0.0), "{reordered}");
    // A loop without stores has none that could go past the cache.
    let streamed = change(&report, "@stream above the loop in line 3");
    assert_eq!(streamed["why_not"], "it comes to the same machine code");
    assert_eq!((&streamed["times"], &streamed["gains"]), (&Value::Null, &false.into()));
}

#[test]
fn an_attribute_that_is_there_is_replaced() {
    if !can_measure() {
        return;
    }
    let report = report(&Folder::new(&[("scaled.lane", SCALED)]), &["scaled.lane", "--arg", "n=1000"]);
    let narrower = change(&report, "@lanes(4) above the loop in line 3");
    let edit = &narrower["edits"][0];
    assert_eq!(
        (&edit["text"], &edit["range"]["line"], &edit["range"]["column"]),
        (&"@lanes(4)".into(), &2.into(), &5.into())
    );
    assert_eq!(narrower["results"], serde_json::json!({ "runs": 8, "differ": 0, "largest": 0.0 }));
    assert!(narrower["allows"].is_null());
}

#[test]
fn what_callers_would_have_to_change_is_no_way_to_be_faster() {
    if !can_measure() {
        return;
    }
    let text = "\
kernel sums(a: f32[h, w], b: f32[w, h], h: i32, w: i32):
    for i in range(h):
        s = 0.0
        for j in range(w):
            s += b[j, i]
        a[i, 0] = s
";
    let report = report(&Folder::new(&[("sums.lane", text)]), &["sums.lane", "--arg", "h=40", "--arg", "w=40"]);
    let changes = report["changes"].as_array().expect("changes");
    let exchanged =
        changes.iter().find(|it| it["title"].as_str().is_some_and(|it| it.starts_with("exchange the subscripts")));
    let exchanged = exchanged.unwrap_or_else(|| panic!("{report}"));
    assert_eq!(exchanged["why_not"], "the kernel has other parameters then, so its callers would change");
    assert!(exchanged["times"].is_null(), "{exchanged}");
}

#[test]
fn the_file_has_the_best_changes_if_that_is_asked_for() {
    if !can_measure() {
        return;
    }
    let folder = Folder::new(&[("sum.lane", SUM)]);
    let report = report(&folder, &["sum.lane", "--arg", "n=1000", "--write=any-bits"]);
    let best = ["any_bits", "same_bits"].map(|which| report[which]["text"].as_str());
    let expected = best[0].or(best[1]).unwrap_or(SUM);
    assert_eq!(folder.read("sum.lane"), expected);
}

#[test]
fn what_cannot_be_measured_is_told() {
    let text = SUM.replace("a[i]", "b[i]");
    check(
        &[("sum.lane", &text)],
        &["faster", "sum.lane"],
        expect![[r#"
        error[unknown-name]: nothing here is called `b`
         --> sum.lane:4:14
          |
        4 |         s += b[i]
          |              ^
          |
          = help: a name must be defined above: as a parameter, with `let`, or by an assignment
        help: add the parameter `b`
          |
        1 | kernel sum(a: f32[n], n: i32, b) -> f32:
          |                             +++

        --- exit 1 ---
    "#]],
    );
    check(
        &[("sum.lane", SUM)],
        &["faster", "sum.lane", "--target", "neon"],
        expect![[r#"
        --- stderr ---
        lanescope: this machine does not run code for `neon`
        --- exit 2 ---
    "#]],
    );
    check_stdin(
        SUM,
        &["faster", "-", "--write"],
        expect![[r#"
        --- stderr ---
        error: standard input cannot be written to; name a file

        Usage: lanescope faster [OPTIONS] <FILE>

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
}
