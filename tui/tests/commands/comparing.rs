//! `compare`: kernels on other targets, with other lanes and attributes.

use serde_json::Value;

use super::*;

const SUMS: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s

kernel look_up(a: i32[n], b: f32[m], out: f32[n], n: i32, m: i32):
    for i in range(n):
        out[i] = b[a[i]]
";

#[test]
fn a_kernel_has_a_table() {
    check(
        &[("sums.lane", SUMS)],
        &["compare", "sums.lane", "sum", "--target", "avx2", "--targets", "sse4,avx512,scalar"],
        expect![[r#"
            sum, loop in line 3: estimated cycles of an element
                              lanes  cycles  bound by  memory  ops  loads  stores  gathers  scatters  shuffles  packs  changes
            * avx2                1       4  chain          4    2      1       -        -         -         -      -  in order: ordered-float-sum
              sse4                1       4  chain          4    2      1       -        -         -         -      -  nothing changes
              avx512              1       6  chain          6    2      1       -        -         -         -      -  the same ops at other costs
              scalar              1       4  chain          4    2      1       -        -         -         -      -  nothing changes
              avx2, @reassoc  8 x 8    0.06  loads       0.25   16      8       -        -         -         -      -  8 lanes instead of one; bound by loads
              avx2, @fast     8 x 8    0.06  loads       0.25   16      8       -        -         -         -      -  8 lanes instead of one; bound by loads
            @reassoc: the order of float sums and products changes, and with it their last bits, the same on all targets
            @fast: sums are reordered, products and sums contracted, math functions approximate: bits may differ, between targets too

            * as it is; cycles: estimated from the target's table, for arrays in the cache; memory: the same if no line is in a cache
            lanes 8 x 4: four groups of 8 lanes in a turn of the loop, and the counts of ops are of a turn
            An estimate ranks, it foretells no time: `lanescope bench` measures
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn who_names_lanes_wants_those_alone() {
    check(
        &[("sums.lane", SUMS)],
        &["compare", "sums.lane", "look_up", "--target", "avx512", "--lanes", "8,32", "--attributes", "no"],
        expect![[r#"
            look_up, loop in line 8: estimated cycles of an element
                                 lanes  cycles  bound by  memory  ops  loads  stores  gathers  scatters  shuffles  packs  changes
            * avx512            16 x 4       1  loads          1   12      4       4        4         -         -      -
              avx512, 8 lanes    8 x 4     1.1  loads        1.1   12      4       4        4         -         -      -  16 to 8 lanes
              avx512, 32 lanes  32 x 4       1  loads          1   12      4       4        4         -         -      -  16 to 32 lanes

            * as it is; cycles: estimated from the target's table, for arrays in the cache; memory: the same if no line is in a cache
            lanes 8 x 4: four groups of 8 lanes in a turn of the loop, and the counts of ops are of a turn
            An estimate ranks, it foretells no time: `lanescope bench` measures
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn errors_are_told_and_other_kernels_compared() {
    let text = SUMS.replace("s += a[i]", "s += b[i]");
    check(
        &[("sums.lane", &text)],
        &["compare", "sums.lane", "--target", "avx2", "--targets", "neon", "--attributes=no"],
        expect![[r#"
            look_up, loop in line 8: estimated cycles of an element
                    lanes  cycles  bound by  memory  ops  loads  stores  gathers  scatters  shuffles  packs  changes
            * avx2  8 x 4     1.3  loads        1.3   12      4       4        4         -         -      -
              neon  4 x 4     1.6  loads        1.6   12      4       4        4         -         -      -  8 to 4 lanes

            * as it is; cycles: estimated from the target's table, for arrays in the cache; memory: the same if no line is in a cache
            lanes 8 x 4: four groups of 8 lanes in a turn of the loop, and the counts of ops are of a turn
            An estimate ranks, it foretells no time: `lanescope bench` measures
            error[unknown-name]: nothing here is called `b`
             --> sums.lane:4:14
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
}

#[test]
fn json_has_the_rows_and_the_edits_that_make_them() {
    let folder = Folder::new(&[("sums.lane", SUMS)]);
    let run = folder.run(&["compare", "sums.lane", "sum", "--target", "avx2", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    let variants = report["kernels"][0]["variants"].as_array().expect("variants");
    let named =
        |name: &str| variants.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("no {name}: {run}"));
    let (present, fast) = (&variants[0], named("avx2, @fast"));
    assert_eq!(
        (&present["present"], &present["name"], &present["edits"]),
        (&Value::Bool(true), &"avx2".into(), &Value::Array(Vec::new()))
    );
    assert_eq!((&present["loops"][0]["cost"]["bound"], &present["loops"][0]["lanes"]), (&"chain".into(), &1.into()));
    assert_eq!((&fast["gains"], &fast["attribute"]), (&Value::Bool(true), &"@fast".into()));
    assert!(fast["results"].as_str().is_some_and(|results| results.contains("bits may differ")), "{fast}");
    assert_eq!((&fast["edits"][0]["text"], &fast["edits"][0]["range"]["line"]), (&"@fast\n".into(), &1.into()));
    for target in queries::stages::target::TARGETS {
        assert!(named(target.name)["loops"][0]["cost"]["cycles"].as_f64().is_some_and(|cycles| cycles > 0.0));
    }
    // Without `--asm` nothing is compiled.
    assert!(variants.iter().all(|it| it["loops"][0]["machine_code"].is_null()), "{run}");
}

#[test]
fn machine_code_is_counted_if_asked_for() {
    if !has_llvm() {
        return;
    }
    let folder = Folder::new(&[("sums.lane", SUMS)]);
    let run = folder.run(&["compare", "sums.lane", "--target", "avx2", "--targets", "avx512,neon", "--asm", "--json"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("{run}"));
    for kernel in report["kernels"].as_array().expect("kernels") {
        for variant in kernel["variants"].as_array().expect("variants") {
            let figures = &variant["loops"][0]["machine_code"];
            assert!(figures["instructions"].as_f64().is_some_and(|n| n > 0.0), "{variant}");
            let in_lanes = variant["loops"][0]["lanes"].as_u64().is_some_and(|lanes| lanes > 1);
            assert!(!in_lanes || figures["registers"].as_u64().is_some_and(|n| n > 0), "{variant}");
        }
    }
}
