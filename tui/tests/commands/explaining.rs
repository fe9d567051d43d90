//! `explain`: facts about lanes, and the pages of codes.

use super::*;

#[test]
fn a_code_has_a_page() {
    let run = Folder::new(&[]).run(&["explain", "tab-indent"]);
    let page = driver::catalogue::page("tab-indent").expect("a page");
    assert_eq!(run.to_string(), format!("{page}\n--- exit 0 ---\n"));
    check(
        &[],
        &["explain", "tab-indnet"],
        expect![[r#"
        --- stderr ---
        error: invalid value 'tab-indnet' for '<FILE|CODE>': there is no such code; did you mean `tab-indent`?

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
    check(
        &[],
        &["explain", "tab-indent", "--json"],
        expect![[r#"
            --- stderr ---
            error: `--kernel`, `--line`, `--graph` and `--json` are about a file

            Usage: lanescope explain [OPTIONS] <FILE|CODE>

            For more information, try '--help'.
            --- exit 2 ---
        "#]],
    );
}

const PICK: &str = "\
fn pick(colors: f32[m], k: i32) -> f32:
    return colors[k]

kernel paint(colors: f32[m], number: i32[n], out: f32[n], n: i32, m: i32):
    let half = m / 2
    foreach i in range(n):
        let k = number[i]
        if k < half:
            k = k + 1
        out[i] = pick(colors, k) * colors[0]

kernel total(a: f32[n], n: i32) -> f32:
    let sum = 0.0
    for i in range(n):
        sum += a[2 * i]
    return sum
";

#[test]
fn a_file_is_explained_line_by_line() {
    check(
        &[("pick.lane", PICK)],
        &["explain", "pick.lane", "--target", "avx2"],
        expect![[r#"
            fn pick  pick.lane:1
              1 | fn pick(colors: f32[m], k: i32) -> f32:
                |                         ^ varying
                |                           <- k < half (line 8) <- number[i] (line 7) <- i (line 6)
              2 |     return colors[k]
                |            ^^^^^^^^^ gather: each lane has a cell of its own; a condition that varies decides the subscript
                |                      <- k <- k < half (line 8) <- number[i] (line 7) <- i (line 6)
                |                      to lift it: use one subscript on both sides, and choose between the elements
            1 access in lanes: 1 gather

            kernel paint  pick.lane:4
            loop in line 6: 8 lanes along `i`
              6 |     foreach i in range(n):
                |     ^^^^^^^^^^^^^^^^^^^^^ 8 lanes along `i`
                |                           estimated: about 1.4 cycles an element, bound by loads; the gather is 91 % (line 10); 4 groups at once
                |                           `interleave` chose groups-interleaved: 4 groups of lanes are done in each round, each operation for all of
                |                           them before the next, since no group touches a cell that another one writes
              7 |         let k = number[i]
                |             ^ varying
                |               <- number[i] <- i (line 6)
                |                 ^^^^^^^^^ contiguous load
              8 |         if k < half:
                |            ^^^^^^^^ lanes diverge here
                |                     <- k <- number[i] (line 7) <- i (line 6)
              9 |             k = k + 1
                |             ^ varying
                |               <- number[i] (line 7) <- i (line 6)
             10 |         out[i] = pick(colors, k) * colors[0]
                |         ^^^^^^ contiguous store
                |                                    ^^^^^^^^^ broadcast
            3 accesses in lanes: 1 broadcast, 2 contiguous

            kernel total  pick.lane:12
            loop in line 14: in order: ordered-float-sum
             14 |     for i in range(n):
                |     ^^^^^^^^^^^^^^^^^ in order: ordered-float-sum
                |                       a sum of floats keeps the order of its terms: `sum`
                |                       estimated: about 4 cycles an element, bound by waiting for the iteration before
                |                       to lift it: write `@reassoc` above the loop (then `strided-load` is left)
             15 |         sum += a[2 * i]
                |                ^^^^^^^^ would be a strided load: the cells of neighbouring lanes lie 2 cells apart
                |                         <- 2 * i <- i (line 14)
                |                         to lift it: split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
            1 access, if there were lanes: 1 strided
            --- exit 0 ---
        "#]],
    );
}

#[test]
fn a_line_is_explained_to_its_single_expressions() {
    check(
        &[("pick.lane", PICK)],
        &["explain", "pick.lane", "--target", "avx2", "--line", "10"],
        expect![[r#"
            kernel paint  pick.lane:4
             10 |         out[i] = pick(colors, k) * colors[0]
                |         ^^^^^^ contiguous store
                |             ^ varying, linear, stride 1
                |               <- i (line 6)
                |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^ varying
                |                                              <- pick(colors, k) <- k <- k < half (line 8) <- number[i] (line 7) <- i (line 6)
                |                                    ^^^^^^^^^ broadcast
            2 accesses in lanes: 1 broadcast, 1 contiguous
            --- exit 0 ---
        "#]],
    );
    check(
        &[("pick.lane", PICK)],
        &["explain", "pick.lane", "--target", "avx2", "--line", "11"],
        expect![[r#"
        --- stderr ---
        there is nothing to explain on this line
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn one_kernel_is_explained() {
    check(
        &[("pick.lane", PICK)],
        &["explain", "pick.lane", "--target", "avx2", "--kernel", "total"],
        expect![[r#"
            kernel total  pick.lane:12
            loop in line 14: in order: ordered-float-sum
             14 |     for i in range(n):
                |     ^^^^^^^^^^^^^^^^^ in order: ordered-float-sum
                |                       a sum of floats keeps the order of its terms: `sum`
                |                       estimated: about 4 cycles an element, bound by waiting for the iteration before
                |                       to lift it: write `@reassoc` above the loop (then `strided-load` is left)
             15 |         sum += a[2 * i]
                |                ^^^^^^^^ would be a strided load: the cells of neighbouring lanes lie 2 cells apart
                |                         <- 2 * i <- i (line 14)
                |                         to lift it: split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
            1 access, if there were lanes: 1 strided
            --- exit 0 ---
        "#]],
    );
    check(
        &[("pick.lane", PICK)],
        &["explain", "pick.lane", "--target", "avx2", "--kernel", "totl"],
        expect![[r#"
        --- stderr ---
        lanescope: pick.lane: there is no kernel `totl` in this file; did you mean `total`?
        --- exit 2 ---
    "#]],
    );
}

#[test]
fn what_has_errors_is_explained_as_far_as_it_is_understood() {
    let text = "kernel k(a: f32[n], out: f32[n], n: i32):\n    for i in range(n):\n        out[i] = a[2 * i] + nope\n";
    check(
        &[("k.lane", text)],
        &["explain", "k.lane", "--target", "avx2"],
        expect![[r#"
            kernel k  k.lane:1
            loop in line 2: in order: not-understood
              2 |     for i in range(n):
                |     ^^^^^^^^^^^^^^^^^ in order: not-understood
                |                       something in it was not understood
              3 |         out[i] = a[2 * i] + nope
                |         ^^^^^^ would be a contiguous store
                |                  ^^^^^^^^ would be a strided load: the cells of neighbouring lanes lie 2 cells apart
                |                           <- 2 * i <- i (line 2)
                |                           to lift it: split the array into 2, one for each remainder of the subscript by 2: then this is contiguous
            2 accesses, if there were lanes: 1 contiguous, 1 strided
            --- stderr ---
            error[unknown-name]: nothing here is called `nope`
             --> k.lane:3:29
              |
            3 |         out[i] = a[2 * i] + nope
              |                             ^^^^
              |
              = help: a name must be defined above: as a parameter, with `let`, or by an assignment
            help: add the parameter `nope`
              |
            1 | kernel k(a: f32[n], out: f32[n], n: i32, nope):
              |                                        ++++++
            --- exit 1 ---
        "#]],
    );
    check(
        &[("none.lane", "const N = 4\n")],
        &["explain", "none.lane"],
        expect![[r#"
        --- stderr ---
        there is no kernel to explain
        --- exit 0 ---
    "#]],
    );
    check(
        &[],
        &["explain", "gone.lane"],
        expect![[r#"
        --- stderr ---
        lanescope: gone.lane: no such file or folder
        --- exit 2 ---
    "#]],
    );
}

/// The JSON object gives the same facts about each place as the text.
#[test]
fn the_object_agrees_with_the_text() {
    let folder = Folder::new(&[("pick.lane", PICK)]);
    let run = folder.run(&["explain", "pick.lane", "--target", "avx2", "--json"]).to_string();
    let object = run.split("--- exit").next().unwrap_or_default();
    let object: serde_json::Value = serde_json::from_str(object).expect("an object");
    let names = |items: &serde_json::Value| -> Vec<String> {
        let items = items.as_array().expect("a list").iter();
        items.map(|item| item["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&object["kernels"]), ["paint", "total"]);
    assert_eq!(names(&object["functions"]), ["pick"]);
    let gather = &object["functions"][0]["accesses"][0];
    assert_eq!(gather["class"], "gather");
    assert_eq!(gather["array"], "colors");
    let texts: Vec<_> = gather["because"].as_array().expect("a chain").iter().map(|step| &step["text"]).collect();
    assert_eq!(texts, ["k", "k < half", "number[i]", "i"]);
    let text = folder.run(&["explain", "pick.lane", "--target", "avx2"]).to_string();
    assert!(
        text.contains("gather") && text.contains("<- k <- k < half (line 8) <- number[i] (line 7) <- i (line 6)"),
        "{text}"
    );
    let loops = &object["kernels"][1]["loops"];
    assert_eq!(loops[0]["index"], "i");
    assert_eq!((&loops[0]["verdict"], &loops[0]["code"]), (&"scalar".into(), &"ordered-float-sum".into()));
    assert_eq!(object["kernels"][0]["loops"][0]["verdict"], "vector");
    assert_eq!(object["kernels"][0]["loops"][0]["lanes"], 8);
    assert_eq!(object["kernels"][0]["branches"][0]["control"], "divergent");
}

const CHAINED: &str = "\
kernel chained(a: f32[30], b: f32[30], c: f32[30]):
    for i in range(1, 29):
        a[i] = b[i - 1] + c[i]
        b[i] = a[i] * 2

kernel far(a: f32[n, m], n: i32, m: i32):
    for i in range(1, n):
        for j in range(4, m):
            a[i, j] = a[i, j - 4] + 1.0
";

#[test]
fn verdicts_have_their_witnesses() {
    check(
        &[("chained.lane", CHAINED)],
        &["explain", "chained.lane", "--target", "avx2"],
        expect![[r#"
            kernel chained  chained.lane:1
            loop in line 2: in order: loop-carried-flow, 1 apart
              2 |     for i in range(1, 29):
                |     ^^^^^^^^^^^^^^^^^^^^^ in order: loop-carried-flow, 1 apart
                |                           an iteration reads what an earlier one has written; as a lane it would read too early: iteration 1 writes
                |                           `b[1]`, iteration 2 reads `b[1]`
                |                           carried flow, 1 apart, from b[i] (line 4) to b[i - 1] (line 3); test: distance
                |                           estimated: about 8 cycles an element, bound by waiting for the iteration before; the sum is 50 % (line 3)
              3 |         a[i] = b[i - 1] + c[i]
                |         ^^^^ would be a contiguous store
                |                ^^^^^^^^ would be a contiguous load
                |                         meets b[i] (line 4), carried flow, 1 apart: iteration 1 writes `b[1]`, iteration 2 reads `b[1]`
                |                           ^^^^ would be a contiguous load
              4 |         b[i] = a[i] * 2
                |         ^^^^ would be a contiguous store
                |              meets b[i - 1] (line 3), carried flow, 1 apart: iteration 1 writes `b[1]`, iteration 2 reads `b[1]`
                |                ^^^^ would be a contiguous load
            5 accesses, if there were lanes: 5 contiguous
            decisions on accesses, which `--line` tells: `load-reuse` chose loaded-before (1)

            kernel far  chained.lane:6
            loop in line 7: the loop over `j`, inside of this one, has the lanes
            loop in line 8: 4 lanes along `j`
              7 |     for i in range(1, n):
                |     ^^^^^^^^^^^^^^^^^^^^ the loop over `j`, inside of this one, has the lanes
                |                          estimated: about 6 cycles an element besides the loop inside, bound by stores
                |                          `interchange` decided against loops-exchanged: with this loop inside there is no less work: 242 % of what
                |                          there is
              8 |         for j in range(4, m):
                |         ^^^^^^^^^^^^^^^^^^^^ 4 lanes along `j`
                |                              iterations that depend on each other are a few apart, which limits the number of lanes: iteration i = 1,
                |                              j = 4 writes `a[1, 4]`, iteration i = 1, j = 8 reads `a[1, 4]`; at most 4 lanes
                |                              carried flow, 4 apart, from a[i, j] (line 9) to a[i, j - 4] (line 9), with n = 2, m = 9; test: distance
                |                              estimated: about 0.38 cycles an element, bound by arithmetic; the operation is 33 % (line 8)
                |                              `vector` chose lanes-along-this-loop: lanes along `i` would cost 287 % of this
              9 |             a[i, j] = a[i, j - 4] + 1.0
                |             ^^^^^^^ contiguous store
                |                     meets a[i, j - 4], carried flow, 4 apart: iteration i = 1, j = 4 writes `a[1, 4]`, iteration i = 1, j = 8 reads
                |                     `a[1, 4]`
                |                       ^^^^^^^^^^^ contiguous load
                |                                   meets a[i, j], carried flow, 4 apart: iteration i = 1, j = 4 writes `a[1, 4]`, iteration i = 1, j =
                |                                   8 reads `a[1, 4]`
            2 accesses in lanes: 2 contiguous
            --- exit 0 ---
        "#]],
    );
    let folder = Folder::new(&[("chained.lane", CHAINED)]);
    let loops = |target: &str| {
        let run = folder.run(&["explain", "chained.lane", "--target", target, "--json"]).stdout;
        let object: serde_json::Value = serde_json::from_str(&run).expect("an object");
        (object["kernels"][0]["loops"][0].clone(), object["kernels"][1]["loops"][1].clone())
    };
    let (chained, far) = loops("avx512");
    let first = &chained["dependences"][0];
    assert_eq!(chained["code"], "loop-carried-flow");
    assert_eq!((&first["kind"], &first["direction"], &first["distance"]), (&"flow".into(), &"<".into(), &1.into()));
    assert_eq!(first["witness"], serde_json::json!([1, 2]));
    assert_eq!(first["at"]["cell"], serde_json::json!([1]));
    // A distance of four allows four lanes and no more, on every target that has as many.
    assert_eq!((&far["verdict"], &far["lanes"]), (&"vector".into(), &4.into()));
    assert_eq!(far["dependences"][0]["at"]["outer"], serde_json::json!({ "i": 1 }));
    assert_eq!(loops("scalar").1["verdict"], "vector");
}

const RECURRENCE: &str = "\
kernel filter(a: f32[n], b: f32[n], c: f32[n], n: i32) -> f32:
    let last = 0.0
    for i in range(1, n):
        let t = b[i - 1] * 0.5
        a[i] = t + last
        b[i] = a[i] - c[i]
        last = c[i]
    return last
";

#[test]
fn statement_graphs_are_drawn() {
    check(
        &[("a.lane", RECURRENCE)],
        &["explain", "a.lane", "--target", "avx2", "--graph"],
        expect![[r#"
            filter, line 3: `for i in range(1, n)`: in order: loop-carried-flow, 1 apart

                ┌╌╌╌┬─▶*4 | let t = b[i - 1] * 0.5
              ┌╌┼╌┬─┴─▶*5 | a[i] = t + last
              ╎ └╌┴───▶*6 | b[i] = a[i] - c[i]
              └╌╌╌╌╌╌╌╌ 7 | last = c[i]

              4 ─▶ 5  flow of `t`
              5 ─▶ 6  flow of `a`
              6 ╌▶ 4  flow of `b`, 1 iteration later
              7 ╌▶ 5  flow of `last`, 1 iteration later
              * lines 4, 5, 6 need each other around a circle, so their iterations stay in order

            --- exit 0 ---
        "#]],
    );
    check(
        &[("a.lane", RECURRENCE)],
        &["explain", "a.lane", "--target", "avx2", "--graph=dot"],
        expect![[r#"
        digraph "filter, line 3" {
            label="for i in range(1, n)";
            node [shape=box, fontname=monospace];
            s0 [label="4: let t = b[i - 1] * 0.5", style=bold];
            s1 [label="5: a[i] = t + last", style=bold];
            s2 [label="6: b[i] = a[i] - c[i]", style=bold];
            s3 [label="7: last = c[i]"];
            s0 -> s1 [label="flow t"];
            s1 -> s2 [label="flow a"];
            s2 -> s0 [label="flow b, 1", style=dashed];
            s3 -> s1 [label="flow last, 1", style=dashed];
        }
        --- exit 0 ---
    "#]],
    );
    check(
        &[("a.lane", RECURRENCE)],
        &["explain", "a.lane", "--target", "avx2", "--graph=svg"],
        expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" width="632" height="272" viewBox="0 0 632 272">
        <style>
                text { font: 13px monospace; fill: #1f2328 }
                .title { font-weight: bold }
                .label { font-size: 11px; fill: #57606a }
                rect { fill: #f6f8fa; stroke: #57606a }
                rect.circle { stroke: #cf222e; stroke-width: 2.5 }
                path { fill: none; stroke: #0969da; stroke-width: 1.5 }
                path.carried { stroke: #cf222e; stroke-dasharray: 5 4 }
                marker path { fill: #0969da; stroke: none }
                marker.carried path { fill: #cf222e; stroke: none }
                @media (prefers-color-scheme: dark) {
                    text { fill: #e6edf3 }
                    .label { fill: #9da7b3 }
                    rect { fill: #161b22; stroke: #9da7b3 }
                    path { stroke: #58a6ff } marker path { fill: #58a6ff }
                    rect.circle, path.carried { stroke: #ff7b72 } marker.carried path { fill: #ff7b72 }
                }
            </style>
            <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
            <marker id="later" class="carried" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z"/></marker>
            <text class="title" x="12" y="24">filter, line 3: `for i in range(1, n)`: in order: loop-carried-flow, 1 apart</text>
            <rect class="circle" x="148" y="48" width="236" height="28" rx="4"/>
            <text x="158" y="67" xml:space="preserve">  4  let t = b[i - 1] * 0.5</text>
            <rect class="circle" x="148" y="102" width="236" height="28" rx="4"/>
            <text x="158" y="121" xml:space="preserve">  5  a[i] = t + last</text>
            <rect class="circle" x="148" y="156" width="236" height="28" rx="4"/>
            <text x="158" y="175" xml:space="preserve">  6  b[i] = a[i] - c[i]</text>
            <rect x="148" y="210" width="236" height="28" rx="4"/>
            <text x="158" y="229" xml:space="preserve">  7  last = c[i]</text>
            <path d="M384 67C412 67 412 111 384 111" marker-end="url(#arrow)"/>
            <text class="label" x="409" y="93" text-anchor="start">flow t</text>
            <path d="M384 121C428 121 428 165 384 165" marker-end="url(#arrow)"/>
            <text class="label" x="421" y="147" text-anchor="start">flow a</text>
            <path class="carried" d="M148 175C120 175 120 57 148 57" marker-end="url(#later)"/>
            <text class="label" x="123" y="120" text-anchor="end">flow b, 1</text>
            <path class="carried" d="M148 229C104 229 104 111 148 111" marker-end="url(#later)"/>
            <text class="label" x="111" y="174" text-anchor="end">flow last, 1</text>
        </svg>
        --- exit 0 ---
    "#]],
    );
    check(
        &[("a.lane", WHOLE)],
        &["explain", "a.lane", "--graph=svg"],
        expect![[r#"
        --- stderr ---
        there is no loop to draw
        --- exit 0 ---
    "#]],
    );
    check(
        &[("a.lane", WHOLE)],
        &["explain", "a.lane", "--graph"],
        expect![[r#"
        --- stderr ---
        there is no loop to draw
        --- exit 0 ---
    "#]],
    );
    check(
        &[("a.lane", BROKEN)],
        &["explain", "a.lane", "--graph"],
        expect![[r#"
        --- stderr ---
        error[expected-colon]: expected `:` at the end of the `kernel` line
         --> a.lane:1:15
          |
        1 | kernel a(x, n)
          |               ^
          |
        help: write `:`
          |
        1 | kernel a(x, n):
          |               +
        --- exit 1 ---
    "#]],
    );
}
