//! ISPC files in the explorer: source, stage, assembly, reasons and runs, and what is said where there is nothing of the kind.

use std::sync::Arc;

use explorer::assembling::Workers;
use explorer::event::Event;
use explorer::questions::Engine;
use explorer::state::Settings;

use super::*;

/// A look-up with a gather, and a helper of two overloads.
const LOOK_UP: &str = "\
// Doubles a number.
static inline float twice(float x) {
    return x + x;
}

static inline float twice(float x, uniform float y) {
    return twice(x) * y;
}

// Looks up each number in a table.
export void scale(uniform const int index[], uniform const float table[], uniform float out[], uniform int n) {
    foreach (i = 0 ... n) {
        int at = index[i];
        if (at >= 0) {
            out[i] = twice(table[at], 0.5);
        }
    }
}
";

fn look_up() -> Player {
    Player::new(&[("a.ispc", LOOK_UP)], (100, 30))
}

#[test]
fn a_function_is_shown_with_its_stage_and_its_assembly() {
    let player = look_up();
    expect![[r#"
        | 1 a.ispc                                        │ 2 scale  lowered                            avx2
        | 1  // Doubles a number.                         │  function scale(%0: uniform pointer, %1: uniform…
        | 2  static inline float twice(float xᵛ) {        │    local $0 `index`: 8 bytes
        | 3      return xᵛ + xᵛ;                          │    local $1 `table`: 8 bytes
        | 4  }                                            │    local $2 `out`: 8 bytes
        | 5                                               │    local $3 `n`: 4 bytes
        | 6  static inline float twice(float xᵛ, uniform f│    local $4 the counter of `foreach`: 4 bytes
        | 7      return twice(xᵛ) * y;                    │    local $5 the variable of `foreach`: 32 bytes
        | 8  }                                            │    local $6 `at`: 32 bytes
        | 9                                               │▌   %4: uniform pointer = address of $0
        |10  // Looks up each number in a table.          │▌   %5: uniform pointer = address of $1
        |11 ▌export void scale(uniform const int index[], │▌   %6: uniform pointer = address of $2
        |12      foreach (iᵛ = 0 ... n) {                 │▌   %7: uniform pointer = address of $3
        |13          int atᵛ = index[iᵛ];                 │    %10: uniform pointer = address of $4
        |14          if (atᵛ >= 0) {                      │ 3 Assembly                                  avx2
        |15N             out[iᵛ] = twice(table[atᵛ], 0.5);│    # instructions 23: 4 vector 14 scalar 3 load 2
        |16          }                                    │      store 2 broadcast
        |17      }                                        │    scale:
        |18  }                                            │    ▸ 7 lines: prologue
        | 4 Why  Problems 1  Run  Lanes  Pictures         │  ┌ .LBB0_2:
        |  export void scale(uniform const int index[],   │  │   vmulps (%rdi,%rax,4), %ymm1, %ymm2
        |  uniform const float table[], uniform float     │  │   vaddps %ymm1, %ymm2, %ymm1
        |  out[], uniform int n)                          │  │   vmovups %ymm2, (%rsi,%rax,4)
        |                                                 │  │   addq $8, %rax
        |  Function.                                      │  │   cmpq %rcx, %rax
        |                                                 │  └   jl .LBB0_2
        |  Looks up each number in a table.               │    ▸ 12 lines: remainder and end
        |                                                 │
        | scale · line 12: the 8 lanes run along `i` · 1 note · lowered: the function as blocks of …   11:13
        | ? help  enter edit  , . stage  q quit  tab pane  d diff  w why  e problems  r run  o kernels
    "#]]
    .assert_eq(&player.framed());
}

#[test]
fn one_cursor_links_the_source_and_the_stage() {
    let mut player = look_up();
    player.keys("down down");
    expect![[r#"
        |    function scale(%0: uniform pointer, %1: uniform pointer, %2: uniform pointer, %3: uniform int32) {
        |      local $0 `index`: 8 bytes
        |      local $1 `table`: 8 bytes
        |      local $2 `out`: 8 bytes
        |      local $3 `n`: 4 bytes
        |      local $4 the counter of `foreach`: 4 bytes
        |      local $5 the variable of `foreach`: 32 bytes
        |      local $6 `at`: 32 bytes
        |      %4: uniform pointer = address of $0
        |      %5: uniform pointer = address of $1
        |      %6: uniform pointer = address of $2
        |      %7: uniform pointer = address of $3
        |      %10: uniform pointer = address of $4
        |      %13: uniform pointer = address of $5
        | *    %19: uniform pointer = address of $6
        |      store [%4], %0
        |      store [%5], %1
        |      store [%6], %2
        |      store [%7], %3
        |      %8: uniform int32 = 0
        |      %9: uniform int32 = load [%7]
        |      all lanes {
        |        store [%10], %8
        |        loop #0 {
        |          %11: uniform int32 = load [%10]
        |          %12: uniform bool = less %11, %9
        |          while %12
        |          %14: varying int32 = spread %11
        |          %15: varying int32 = lane index
        |          %16: varying int32 = add %14, %15
        |          %17: varying int32 = spread %9
        |          %18: varying bool = less %16, %17
        |          store [%13], %16
        |          if %18 {
        | *          %20: uniform pointer = load [%4]
        | *          %21: varying int32 = load [%13]
        | *          %22: varying int64 = convert %21
        | *          %23: varying pointer = convert %22
        | *          %24: uniform pointer = 4
        | *          %25: varying pointer = spread %24
        | *          %26: varying pointer = mul %23, %25
        | *          %27: varying pointer = spread %20
        | *          %28: varying pointer = add %27, %26
        | *          %29: varying int32 = load [%28]
        | *          all lanes {
        | *            store [%19], %29
        | *          }
        |            %30: varying int32 = load [%19]
        |            %31: uniform int32 = 0
        |            %32: varying int32 = spread %31
        |            %33: varying bool = greater_equal %30, %32
        |            if %33 {
        |              %34: uniform pointer = load [%5]
        |              %35: varying int32 = load [%19]
        |              %36: varying int64 = convert %35
        |              %37: varying pointer = convert %36
        |              %38: uniform pointer = 4
        |              %39: varying pointer = spread %38
        |              %40: varying pointer = mul %37, %39
        |              %41: varying pointer = spread %34
        |              %42: varying pointer = add %41, %40
        |              %43: varying float = load [%42]
        |              %44: uniform float = 0.5
        |              %45: varying float = call twice(%43, %44)
        |              %46: uniform pointer = load [%6]
        |              %47: varying int32 = load [%13]
        |              %48: varying int64 = convert %47
        |              %49: varying pointer = convert %48
        |              %50: uniform pointer = 4
        |              %51: varying pointer = spread %50
        |              %52: varying pointer = mul %49, %51
        |              %53: varying pointer = spread %46
        |              %54: varying pointer = add %53, %52
        |              store [%54], %45
        |            }
        |          }
        |          step {
        |            %55: uniform int32 = 8
        |            %56: uniform int32 = add %11, %55
        |            store [%10], %56
        |          }
        |        }
        |      }
        |    }
        |
        |    function twice(%0: varying float, %1: uniform float) -> varying float {
        |      local $0 `x`: 32 bytes
        |      local $1 `y`: 4 bytes
        |      %2: uniform pointer = address of $0
        |      %3: uniform pointer = address of $1
        |      store [%2], %0
        |      store [%3], %1
        |      %4: varying float = load [%2]
        |      %5: varying float = call twice(%4)
        |      %6: uniform float = load [%3]
        |      %7: varying float = spread %6
        |      %8: varying float = mul %5, %7
        |      return %8
        |    }
        |
        |    function twice(%0: varying float) -> varying float {
        |      local $0 `x`: 32 bytes
        |      %1: uniform pointer = address of $0
        |      store [%1], %0
        |      %2: varying float = load [%1]
        |      %3: varying float = load [%1]
        |      %4: varying float = add %2, %3
        |      return %4
        |    }
    "#]]
    .assert_eq(&player.page(Pane::Stage));
    // Enter goes from a line of the stage to its place.
    player.keys("2 / \"gather\" enter enter");
    assert_eq!(player.state.focus, Pane::Source);
    expect!["        int |at = index[i];"]
        .assert_eq(player.source().lines().find(|line| line.contains('|')).unwrap_or_default());
}

#[test]
fn the_details_say_why() {
    let mut player = look_up();
    player.keys("/ \"table[at\" enter w");
    expect![[r#"
        |>   note: `table[at]`: each lane has to load from a
        |    cell of its own, since `index[i]` is loaded
        |    from another cell in each lane, and the lanes
        |    run along `i`  ispc-perf-gather
        |    `at = index[i]` in line 13: `at` has its value
        |    from here
        |    `index[i]` in line 13: `index[i]` is loaded
        |    from another cell in each lane
        |    `i = 0 ... n` in line 12: the lanes run along
        |    `i`
        |    where all lanes mostly have one subscript,
        |    `reduce_equal` finds that out and one load
        |    does; where they run along the cells, a
        |    subscript that is a row makes it a vector load
        |
        |    uniform const float table[]
        |
        |    Parameter, uniform: one value for all lanes.
        |
        |    `table` is a `const uniform float * uniform`.
        |
        |    Here run only lanes for which `at >= 0` holds;
        |    of these all lanes, and in the last group those
        |    that have an element.
        |
        |    Looks up each number in a table.
        |
        |    The if in line 14: lanes may go different ways
        |    - `at = index[i]` in line 13: `at` has its
        |    value from here
        |    - `index[i]` in line 13: `index[i]` is loaded
        |    from another cell in each lane
        |    - `i = 0 ... n` in line 12: the lanes run along
        |    `i`
        |
        |    The foreach in line 12: the 8 lanes run along
        |    `i`
        |    - accesses: 2 of neighbours, 1 each its own
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("e");
    expect![[r#"
        |>     15  note: `table[at]`: each lane has to load
        |    from a cell of its own, since `index[i]` is
        |    loaded from another cell in each lane, and
        |    the lanes run along `i`  ispc-perf-gather
        |          `at = index[i]` in line 13: `at` has its
        |    value from here
        |          `index[i]` in line 13: `index[i]` is
        |    loaded from another cell in each lane
        |          `i = 0 ... n` in line 12: the lanes run
        |    along `i`
        |          where all lanes mostly have one
        |    subscript, `reduce_equal` finds that out
        |    and one load does; where they run along
        |    the cells, a subscript that is a row
        |    makes it a vector load
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn functions_are_picked_by_names_that_tell_them_apart() {
    let mut player = look_up();
    player.keys("o");
    let screen = player.screen();
    for name in ["twice(varying float)", "twice(varying float, uniform float)", "scale"] {
        assert!(screen.contains(name), "{name}: {screen}");
    }
    player.keys("\"uniform float)\" enter");
    assert_eq!(player.state.subject().map(|it| &*it.name), Some("twice(varying float, uniform float)"));
    assert!(player.page(Pane::Stage).contains("twice"), "{}", player.page(Pane::Stage));
}

#[test]
fn a_function_runs_on_data_that_are_found() {
    let mut player = look_up();
    player.keys("r r");
    expect![[r#"
        |    index  int32[]  = ramp(16)
        |    table  float[]  = ramp(16)
        |    out    float[]  = zeros(16)
        |    n      int32    = 16
        |    run by lowered, which E changes
        |    Enter changes a line, r runs the function
        |    B measures it, W on many sizes too
        |>   index = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
        |    12, 13, 14, 15]
        |    table = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0,
        |    7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0,
        |    15.0]
        |    out = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0,
        |    8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    // The interpreter is the engine whatever stage was one of Lane's.
    assert_eq!(player.state.engine, Engine::default());
    player.keys("A");
    assert!(player.page(Pane::Details).contains("out"), "{}", player.page(Pane::Details));
}

#[test]
fn lanes_are_stepped_through() {
    let mut player = Player::new(&[("a.ispc", LOOK_UP)], (130, 60));
    player.keys("r");
    player.keys("g enter \"else\" enter ctrl-u \"[1, 0, -1, 3, 0, 0, 2, 1, 5, -2, 4, 4, 9, 8, 7, 0]\" enter 1 D");
    expect![[r#"
        |    %4: uniform pointer = address of $0
        |    address · step 0
        |    lane  0  1  2  3  4  5  6  7
        |    mask on on on on on on on on
    "#]]
    .assert_eq(&player.page(Pane::Details));
    // On to the assignment, by lines.
    player.keys("} } } }");
    expect![[r#"
        |    %30: varying int32 = load [%19]
        |    load · step 37 · iteration 0
        |    lane   0  1  2  3  4  5  6  7
        |    mask  on on on on on on on on
        |    i      0  1  2  3  4  5  6  7
        |    at     1  0 -1  3  0  0  2  1
        |    → %30  1  0 -1  3  0  0  2  1
        |    the same in all lanes: n = 16
        |    lanes active on average: 8 of 8 (100 %), so far
        |    where lanes went:
        |      line 12: foreach (i = 0 ... n): of 8 lanes 8 in, 0 past, so
        |    far
        |      ├ in: 0-7
        |      └ past: none
    "#]]
    .assert_eq(&player.page(Pane::Details));
    assert!(player.source().contains("if (|at >= 0)"), "{}", player.source());
    // To where lanes part, and to the load from the table.
    player.keys("* ) ) ) ) ) ) ) ) )");
    expect![[r#"
        |    %43: varying float = load [%42]
        |    load · step 51 · iteration 0
        |    lane    0   1   2   3   4   5   6   7
        |    mask   on  on off  on  on  on  on  on
        |    i       0   1   2   3   4   5   6   7
        |    at      1   0  -1   3   0   0   2   1
        |    → %43 1.0 0.0 0.0 3.0 0.0 0.0 2.0 1.0
        |    reads table float[16]: each lane's own cell, but one for lanes
        |    1, 4, 5
        |    cell      0   1   2   3   4 …
        |    holds   0.0 1.0 2.0 3.0 4.0 …
        |    lane  1,4,5 0,7   6   3     …
        |    the same in all lanes: n = 16
        |    lanes active on average: 7.81 of 8 (98 %), so far
        |      line 15: 7 of 8 (88 %)
        |    where lanes went:
        |      line 12: foreach (i = 0 ... n): of 8 lanes 8 in, 0 past, so
        |    far
        |      ├ in: 0-7
        |      └ past: none
        |        line 14: at >= 0: of 8 lanes 7 in, 1 past, so far
        |        ├ in: 0, 1, 3-7
        |        └ past: 2
    "#]]
    .assert_eq(&player.page(Pane::Details));
    // Into the function that is called, and back by as many ops.
    let lanes = |player: &Player| player.page(Pane::Details).lines().take(11).map(str::to_owned).collect::<Vec<_>>();
    let before = lanes(&player);
    player.keys(") ) ) ) ) ) ) )");
    assert!(player.page(Pane::Details).contains("in twice"), "{}", player.page(Pane::Details));
    player.keys("( ( ( ( ( ( ( (");
    assert_eq!(lanes(&player), before);
    player.keys("&");
    expect![[r#"
        |    The run is over.
        |    step 152
        |    lanes active on average: 7.5 of 8 (94 %), of the whole run
        |      line 2: 7 of 8 (88 %)
        |      line 3: 7 of 8 (88 %)
        |      line 6: 7 of 8 (88 %)
        |      line 7: 7 of 8 (88 %)
        |      line 15: 7 of 8 (88 %)
        |    where lanes went:
        |      line 12: foreach (i = 0 ... n): of 16 lanes 16 in, 0 past,
        |    so far
        |      ├ in: 0-7
        |      └ past: none
        |        line 14: at >= 0: of 16 lanes 14 in, 2 past, so far
        |        ├ in: 0, 2-7
        |        └ past: 1
        |    index = [1, 0, -1, 3, 0, 0, 2, 1, 5, -2, 4, 4, 9, 8, 7, 0]
        |    table = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0,
        |    10.0, 11.0, 12.0, 13.0, 14.0, 15.0]
        |    out = [1.0, 0.0, 0.0, 3.0, 0.0, 0.0, 2.0, 1.0, 5.0, 0.0, 4.0,
        |    4.0, 9.0, 8.0, 7.0, 0.0]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    // A breakpoint in the function that is called, with a condition on its variable.
    player.keys("1 g down down ! ; \"any(x > 3.5)\" enter");
    player.keys(&"down ".repeat(10)).keys("^ c");
    assert!(player.status().contains("a breakpoint"), "{}", player.status());
    expect![[r#"
        |    %2: varying float = load [%1]
        |    load · step 129 · in twice
        |    lane   0   1   2   3   4   5   6   7
        |    mask  on off  on  on  on  on  on  on
        |    x    5.0 0.0 4.0 4.0 9.0 8.0 7.0 0.0
        |    → %2 5.0 0.0 4.0 4.0 9.0 8.0 7.0 0.0
        |    lanes active on average: 7.55 of 8 (94 %), so far
        |      line 2: 7 of 8 (88 %)
        |      line 3: 7 of 8 (88 %)
        |      line 6: 7 of 8 (88 %)
        |      line 7: 7 of 8 (88 %)
        |      line 15: 7 of 8 (88 %)
        |    where lanes went:
        |      line 12: foreach (i = 0 ... n): of 16 lanes 16 in, 0 past,
        |    so far
        |      ├ in: 0-7
        |      └ past: none
        |        line 14: at >= 0: of 16 lanes 14 in, 2 past, so far
        |        ├ in: 0, 2-7
        |        └ past: 1
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn what_there_is_not_is_said_by_the_key() {
    for key in ["V", "I", "Q", "K", "."] {
        let mut player = look_up();
        player.keys(key);
        let said = player.state.message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
        let what = if key == "." { "the only stage" } else { "ISPC" };
        let what = if key == "K" { "Lane" } else { what };
        assert!(said.contains(what), "{key}: {said}");
        assert!(player.state.topic == explorer::state::Topic::Why, "{key}: {:?}", player.state.topic);
    }
    // A topic that was shown of another file says so in the details.
    let mut player = Player::new(&[("a.lane", SCALE), ("a.ispc", LOOK_UP)], (100, 30));
    player.keys("V O \"a.ispc\" enter");
    assert!(
        player.page(Pane::Details).contains("Costs are estimated for Lane alone"),
        "{}",
        player.page(Pane::Details)
    );
    player.keys("O \"a.lane\" enter");
    assert!(player.page(Pane::Details).contains("avx2"), "{}", player.page(Pane::Details));
}

#[test]
fn files_of_both_languages_keep_their_stages() {
    let mut player = Player::new(&[("a.lane", SCALE), ("a.ispc", LOOK_UP)], (100, 30));
    let stage = player.state.stage;
    player.keys("O \"a.ispc\" enter");
    assert_eq!(player.state.stage_shown().name, "lowered");
    player.keys("s enter . ,");
    player.keys("O \"a.lane\" enter");
    assert_eq!((player.state.stage, player.state.stage_shown().name), (stage, "vector"));
    // The functions of a file that was not looked at yet are offered, too.
    let mut player = Player::new(&[("a.lane", SCALE), ("a.ispc", LOOK_UP)], (100, 30));
    player.keys("o \"twice\" enter");
    assert_eq!(player.state.file().name, "a.ispc");
}

#[test]
fn an_edit_shows_what_it_breaks_and_the_last_code_stays() {
    let mut player = look_up();
    player.keys("down i end");
    let before = player.state.stage_pane.page().text();
    player.keys("\" +\" esc");
    assert_eq!(player.state.stage_pane.page().text(), before);
    assert!(player.status().contains("error"), "{}", player.status());
    assert!(player.screen().contains("as of 1 change ago"), "{}", player.screen());
    player.keys("u u e");
    assert!(!player.page(Pane::Details).contains("error"), "{}", player.page(Pane::Details));
}

#[test]
fn lanes_and_targets_are_those_that_are_picked() {
    let mut player = look_up();
    assert!(player.page(Pane::Stage).contains("8"), "{}", player.page(Pane::Stage));
    let eight = player.page(Pane::Stage);
    player.keys("L \"4\" enter");
    assert_ne!(player.page(Pane::Stage), eight);
    player.keys("3 C \"sse4\" enter");
    assert!(player.screen().contains("sse4"), "{}", player.screen());
}

#[test]
fn a_fix_is_seen_before_it_is_made() {
    let text = "export void f(uniform float out[], uniform int n) {\n    float x = n;\n    foreach (i = 0 ... n) {\n        out[i] = x;\n    }\n}\n";
    let mut player = Player::new(&[("a.ispc", text)], (100, 30));
    player.keys("down a");
    assert!(player.screen().contains("uniform float x = n;"), "{}", player.screen());
    player.keys("enter");
    assert!(player.state.file().buffer.text().contains("    uniform float x = n;"), "{}", player.source());
}

#[test]
fn formatting_keeps_the_style_of_the_file() {
    let mut player = look_up();
    let text = player.state.file().buffer.text().replace("        int at", "      int at");
    player.happen(Event::Disk(0, Some(text)));
    player.keys("F");
    assert_eq!(player.state.file().buffer.text(), LOOK_UP);
}

#[test]
fn machine_code_of_this_machine_leads_to_the_source() {
    if !has_llvm() {
        return;
    }
    let workers = Workers::of(env!("CARGO_BIN_EXE_lanescope"));
    let mut player = Player::with_machinist(&[("a.ispc", LOOK_UP)], (100, 40), Settings::default(), Arc::new(workers));
    let page = player.page(Pane::Assembly);
    assert!(page.contains("scale:"), "{page}");
    player.keys("/ \"table[at\" enter");
    assert!(player.page(Pane::Assembly).lines().any(|line| line.starts_with("| *")), "{}", player.page(Pane::Assembly));
    player.keys("r E \"native\" enter r");
    assert!(player.page(Pane::Details).contains("out = ["), "{}", player.page(Pane::Details));
}
