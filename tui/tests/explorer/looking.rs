//! Stages, differences, linked highlights, facts, problems, searching.

use super::*;
use expect_test::Expect;
use explorer::event::{Event, MouseKind};
use explorer::questions::Answer;
use queries::stages::{STAGES, usual};

fn stage_after(text: &str, keys: &str, expected: Expect) {
    expected.assert_eq(&play(text).keys(keys).page(Pane::Stage));
}

fn details_after(text: &str, keys: &str, expected: Expect) {
    expected.assert_eq(&play(text).keys(keys).page(Pane::Details));
}

#[test]
fn stages_are_stepped_through_both_ways() {
    let mut player = play(SCALE);
    let shown = |player: &Player| STAGES[player.state.stage].name;
    assert_eq!(shown(&player), usual().name);
    let mut names = Vec::new();
    player.keys("s \"parsed\" enter");
    for _ in 0..STAGES.len() {
        names.push(shown(&player));
        player.keys(".");
    }
    assert_eq!(names, STAGES.iter().map(|stage| stage.name).collect::<Vec<_>>());
    assert_eq!(player.status(), "this is the last stage");
    for name in names.iter().rev() {
        assert_eq!(shown(&player), *name);
        player.keys(",");
    }
    assert_eq!(player.status(), "this is the first stage");
}

#[test]
fn stages_that_changed_nothing_are_stepped_over_if_one_likes() {
    let mut player = play("kernel k(a):\n    a[0] = 1.0\n");
    player.keys("x s \"sequential\" enter");
    let unchanged: Vec<_> = player.state.stage_view.changed.iter().map(|changed| *changed == Some(false)).collect();
    player.keys(".");
    let here = STAGES.iter().position(|stage| stage.name == "sequential").expect("a stage");
    let next = unchanged.iter().skip(here + 1).position(|unchanged| !unchanged).map_or(here, |n| n + here + 1);
    assert!(unchanged.iter().any(|unchanged| *unchanged));
    assert_eq!(player.state.stage, next);
}

#[test]
fn target_and_lanes_are_picked_and_the_stage_is_made_for_them() {
    let mut player = play(SCALE);
    player.keys("t \"sse4\" enter L \"16\" enter");
    let options = player.state.settings.goal.options;
    assert_eq!((options.target.name, options.lanes), ("sse4", Some(16)));
    assert!(player.screen().contains("sse4 x16"), "{}", player.screen());
    player.keys("L \"auto\" enter");
    assert_eq!(player.state.settings.goal.options.lanes, None);
}

#[test]
fn what_differs_from_the_stage_before_is_marked() {
    stage_after(
        TWO,
        "o \"second\" enter s \"final\" enter d",
        expect![[r#"
            |    kernel second(a, n):
            |  -     a[0] = (1.0 + 2.0)
            |  +     a[0] = 3.0
        "#]],
    );
}

#[test]
fn what_the_last_edit_changed_is_marked() {
    stage_after(
        SCALE,
        "d d down down end i backspace backspace backspace backspace backspace backspace \"2.0\"",
        expect![[r#"
            |    kernel scale(samples, out, n, volume):
            |        vector_for base in range(0, n, LANES):
            |            let i = (base + lane_id)
            |            let active = (i < n)
            |  -         masked_store(out, i, (masked_load(samples, i, active) * volume), active)
            | *+         masked_store(out, i, (masked_load(samples, i, active) * 2.0), active)
        "#]],
    );
}

#[test]
fn a_line_of_the_source_lights_what_it_became() {
    stage_after(
        SCALE,
        "down",
        expect![[r#"
            |    kernel scale(samples, out, n, volume):
            | *      vector_for base in range(0, n, LANES):
            | *          let i = (base + lane_id)
            | *          let active = (i < n)
            |            masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
}

#[test]
fn a_line_that_became_nothing_lights_nothing_and_a_loop_is_its_first_line() {
    let text = "kernel k(a, n):\n    for i in range(n):\n        x = 0.0\n        a[i] = x\n";
    let mut player = play(text);
    player.keys("down down");
    assert_eq!(player.state.light.stage, [0; 0]);
    player.keys("2 g down");
    let light = player.state.light.range.expect("a light");
    assert_eq!(&text[light], "for i in range(n):");
}

#[test]
fn a_line_of_the_stage_lights_what_it_is_from_and_enter_goes_there() {
    let mut player = play(SCALE);
    player.keys("2 G");
    let light = player.state.light.range.expect("a light");
    assert_eq!(&SCALE[light], "out[i]");
    player.keys("enter");
    expect![[r#"
        ## Turns the volume up or down.
        kernel scale(samples, out, n, volume):
            for i in range(n):
                |out[i] = samples[i] * volume
    "#]]
    .assert_eq(&player.source());
}

#[test]
fn an_inlined_line_leads_into_the_function_and_the_kernel_stays_on_the_screen() {
    let mut player = play(TWO);
    player.keys("o \"first\" enter 2 down down down down");
    expect![[r#"
        |    kernel first(a, n):
        |        vector_for base in range(0, n, LANES):
        |            let i = (base + lane_id)
        |            let active = (i < n)
        |>*          let _0 = masked_load(a, i, active)
        |            masked_store(a, i, (_0 + _0), active)
    "#]]
    .assert_eq(&player.page(Pane::Stage));
    assert_eq!(player.state.subject().map(|item| item.name.to_string()).as_deref(), Some("first"));
    player.keys("enter up");
    assert_eq!(player.state.subject().map(|item| item.name.to_string()).as_deref(), Some("first"));
}

#[test]
fn a_function_says_where_it_is_to_be_seen() {
    stage_after(
        TWO,
        "o \"twice\" enter",
        expect![[r#"
            |    No `vector` of `twice`: it is a
            |    function, and becomes part of the
            |    kernels that call it.
        "#]],
    );
    stage_after(
        TWO,
        "o \"twice\" enter , ,",
        expect![[r#"
            |    No `trace` of `twice`: it is a
            |    function, and becomes part of the
            |    kernels that call it.
        "#]],
    );
}

#[test]
fn a_broken_kernel_says_what_keeps_it() {
    stage_after(
        BROKEN,
        "",
        expect![[r#"
            |    kernel broken(a, n):
            |        @in_order(not-understood)
            |        for i in range(0, n):
            |            a[i] = unknown(type=f32)
        "#]],
    );
}

#[test]
fn what_is_not_lowered_stands_above_the_rest() {
    let mut player = play("kernel k(a: f32[n], n: i32):\n    a[0] = reduce(+, 0.0, a ** 2.0)\n");
    let n_missing = player.state.stage_view.n_missing;
    let comments =
        player.page(Pane::Stage).lines().filter(|line| line.starts_with("|*   #") || line.contains("# ")).count();
    assert_eq!(comments, n_missing);
    assert_eq!(player.status().contains("not lowered"), n_missing > 0);
    player.keys("s \"typed\" enter");
    assert_eq!(player.state.stage_view.n_missing, 0);
}

#[test]
fn in_an_indentation_why_is_about_what_the_line_begins_with() {
    details_after(
        SCALE,
        "down down home home",
        expect![[r#"
            |    out: f32[_]
            |
            |    Inferred: nothing decides the
            |    elements' type, so it is the default.
            |
            |    Stored here:
            |    out[i]: f32
            |
            |    contiguous store: neighbouring lanes
            |    have neighbouring cells.
            |    - `i` in line 3: lanes run along `i`
            |
            |    The loop along i in line 3: 8 lanes
        "#]],
    );
}

#[test]
fn a_failure_of_the_analysis_is_told_and_the_explorer_goes_on() {
    let mut player = play(SCALE);
    player.press("j");
    let wanted = player.state.wanted();
    player.happen(Event::Answer(Answer::Failed(Box::new(wanted), "it panicked".to_owned())));
    assert!(player.status().starts_with("the analysis failed on this text"), "{}", player.status());
    player.keys("i \"x\"");
    assert_eq!(player.state.wanted(), Default::default());
}

#[test]
fn why_says_what_is_known_about_the_place() {
    details_after(
        SCALE,
        "down down end left",
        expect![[r#"
            |    volume: f32
            |
            |    Inferred: nothing decides this type,
            |    so it is the default.
            |
            |    Uniform: the same in all lanes.
            |
            |    The loop along i in line 3: 8 lanes
        "#]],
    );
    details_after(
        "kernel k(a, n):\n    a[0] = m\n",
        "down end left",
        expect![[r#"
            |    error: nothing here is called `m`
            |    unknown-name
            |    a name must be defined above: as a
            |    parameter, with `let`, or by an
            |    assignment
            |    fix: add the parameter `m`
        "#]],
    );
}

#[test]
fn problems_are_a_list_with_their_fixes() {
    details_after(
        BROKEN,
        "e",
        expect![[r#"
            |       2  error: expected `:` at the end
            |    of the `for` line  expected-colon
            |          fix: write `:`
            |       3  error: nothing here is called
            |    `m`  unknown-name
            |          a name must be defined above:
            |    as a parameter, with `let`, or
            |    by an assignment
            |          fix: add the parameter `m`
        "#]],
    );
    details_after(
        SCALE,
        "e",
        expect![[r#"
            |    Nothing to complain about.
        "#]],
    );
}

#[test]
fn a_fix_is_shown_with_what_it_changes_and_then_applied() {
    let mut player = play(BROKEN);
    player.keys("] a");
    expect![[r#"
        | 1 a.lane                              │ 2 vector 7/11  broken             avx2
        | 1  kernel broken(a: f32[_], n: i32):  │  kernel broken(a, n):
        | 2E▌    for iᵛ in range(n)  expected `…│▌     @in_order(not-understood)
        | 3E         a[iᵛ] = m  nothing here is…│▌     for i in range(0, n):
        |┌─ write `:` ──────────────────────────────────────────────────────────────────┐
        |│ errors 2 → 1   warnings 0 → 0   notes 0 → 0                                  │
        |│                                                                              │
        |│ -     for i in range(n)                                                      │
        |│ +     for i in range(n):                                                     │
        |│                                                                              │
        |│ enter  apply it   esc  leave it                                              │
        |└──────────────────────────────────────────────────────────────────────────────┘
        |                                       │
        |                                       │
        |                                       │
        | 4 Why Problems 2 Run Lanes Variants   │
        |  error: expected `:` at the end of the│
        |  `for` line  expected-colon           │
        |  fix: write `:`                       │
        |                                       │ 3 Assembly                        avx2
        |  The loop along i in line 2: in order:│  No machine code of `broken`: it has
        |  not-understood                       │  errors, which `e` lists.
        | broken · line 2: in order: not-understood · 2 errors · vector (changed…   2:22
        | ? help  enter edit  , . stage  q quit  tab pane  d diff  w why  e problems
    "#]]
    .assert_eq(&player.framed());
    player.keys("enter");
    expect![[r#"
        kernel broken(a, n):
            for i in range(n):|
                a[i] = m
    "#]]
    .assert_eq(&player.source());
    player.keys("u");
    assert_eq!(player.state.file().buffer.text(), BROKEN);
}

const SUM: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s
";

#[test]
fn why_draws_what_the_statements_of_a_loop_need_of_each_other() {
    let text = "\
kernel chained(a: f32[n], b: f32[n], c: f32[n], n: i32):
    for i in range(1, n):
        a[i] = b[i - 1] + c[i]
        b[i] = a[i] * 2.0
";
    let mut player = Player::new(&[("a.lane", text)], (160, 50));
    player.keys("down home w");
    let page = player.page(Pane::Details);
    assert!(page.contains("What its statements need of each other:"), "{page}");
    assert!(page.contains("┌╌┬─▶*3 a[i] = b[i - 1] + c[i]") && page.contains("└╌┴─▶*4 b[i] = a[i] * 2.0"), "{page}");
    assert!(page.contains("4 ╌▶ 3  flow of `b`, 1 iteration later"), "{page}");
}

#[test]
fn why_is_about_the_text_as_it_is_even_while_it_is_read() {
    let mut player = play(SUM);
    player.keys("] w");
    let page = player.page(Pane::Details);
    assert!(page.contains("ordered-float-sum"), "{page}");
    player.keys("a enter");
    assert_eq!(
        (player.state.focus, player.source()),
        (Pane::Details, SUM.replace("    for", "    @reassoc\n    |for"))
    );
    let page = player.page(Pane::Details);
    assert!(page.contains("8 lanes") && !page.contains("ordered-float-sum"), "{page}");
}

#[test]
fn why_says_once_what_stands_against_a_loop() {
    details_after(
        SUM,
        "down down home",
        expect![[r#"
        |    note: this loop runs in order: a sum
        |    of floats keeps the order of its
        |    terms: `s`  ordered-float-sum
        |    `s` in line 4: here `s` gets its next
        |    value
        |    fix: write `@reassoc` above the loop
        |
        |    The loop along i in line 3: in order:
        |    ordered-float-sum
        |    - ordered-float-sum: a sum of floats
        |    keeps the order of its terms: `s`
        |      - `s` in line 4: here `s` gets its
        |    next value
        |    To lift it: write `@reassoc` above
        |    the loop
    "#]],
    );
}

#[test]
fn details_of_another_place_begin_at_their_start() {
    let mut player = Player::new(&[("a.lane", SUM)], (80, 24));
    player.keys("down down w down down down down esc 1 down w");
    let view = player.state.page_view(Pane::Details).expect("a page");
    assert_eq!((view.cursor(), view.top()), (0, 0));
}

#[test]
fn the_problems_begin_with_the_next_one() {
    let mut player = play(BROKEN);
    player.keys("G e 4");
    let page = player.page(Pane::Details);
    assert!(page.lines().any(|line| line.starts_with("|>      2")), "after the last one, the first: {page}");
    player.keys("1 g down down e 4");
    let page = player.page(Pane::Details);
    assert!(page.lines().any(|line| line.starts_with("|>      3")), "{page}");
}

#[test]
fn a_line_that_is_from_nowhere_leaves_the_light_where_it_was() {
    let mut player = play(SCALE);
    player.keys("down down");
    let lit = |player: &Player| player.state.light.stage.clone();
    let before = lit(&player);
    assert!(!before.is_empty());
    // The assembly begins with counts, and the details of `volume` with its type.
    player.keys("3 g");
    assert_eq!(lit(&player), before);
    player.keys("1 end left w");
    assert_eq!((player.state.focus, lit(&player)), (Pane::Details, before));
}

#[test]
fn keys_that_are_offered_while_the_source_is_edited_do_not_type() {
    let mut player = play(SCALE);
    player.keys("i");
    let keys = player.screen().lines().last().unwrap_or_default().to_owned();
    expect![[" esc done  ctrl-s save  alt-u undo  ctrl-x cut  f1 help"]].assert_eq(&keys);
    player.keys("\"x\" alt-u f1");
    assert!(player.screen().contains("Esc closes this"), "{}", player.screen());
    assert_eq!(player.state.file().buffer.text(), SCALE);
}

#[test]
fn a_search_goes_from_match_to_match_in_every_pane() {
    let mut player = play(SCALE);
    player.keys("/ \"volume\" enter");
    let mut places = vec![player.state.file().buffer.cursor()];
    for _ in 0..3 {
        player.keys("n");
        places.push(player.state.file().buffer.cursor());
    }
    let expected: Vec<_> = SCALE.match_indices("volume").map(|(at, _)| at).collect();
    assert_eq!(expected.len(), 3);
    assert_eq!(places, [expected[1], expected[2], expected[0], expected[1]]);
    player.keys("N");
    assert_eq!(player.state.file().buffer.cursor(), expected[0]);
    player.keys("2 / \"nothing\" enter");
    assert!(player.status().starts_with("`nothing` is not in this pane"), "{}", player.status());
}

#[test]
fn a_filter_shows_some_lines_of_a_pane() {
    stage_after(
        SCALE,
        "2 f \"out\" enter",
        expect![[r#"
            |>   kernel scale(samples, out, n, volume):
            |            masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
    stage_after(
        SCALE,
        "2 f \"out\" enter esc",
        expect![[r#"
            |>   kernel scale(samples, out, n, volume):
            |        vector_for base in range(0, n, LANES):
            |            let i = (base + lane_id)
            |            let active = (i < n)
            |            masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
    stage_after(
        SCALE,
        "2 f \"out\" esc",
        expect![[r#"
            |>   kernel scale(samples, out, n, volume):
            |        vector_for base in range(0, n, LANES):
            |            let i = (base + lane_id)
            |            let active = (i < n)
            |            masked_store(out, i, (masked_load(samples, i, active) * volume), active)
        "#]],
    );
}

#[test]
fn the_wheel_scrolls_what_it_is_over_and_a_press_goes_there() {
    let text = "kernel k(a):\n".to_owned() + &"    a[0] = 1\n".repeat(60);
    let mut player = play(&text);
    player.mouse(MouseKind::WheelDown, 60, 5);
    assert_eq!((player.state.stage_pane.top(), player.state.focus), (3, Pane::Source));
    player.mouse(MouseKind::Press, 60, 6);
    assert_eq!((player.state.stage_pane.cursor(), player.state.focus), (8, Pane::Stage));
}

#[test]
fn panes_are_reached_shown_hidden_and_zoomed() {
    let mut player = play(SCALE);
    let mut panes = vec![player.state.focus];
    for _ in 0..4 {
        panes.push(player.keys("tab").state.focus);
    }
    assert_eq!(panes, [Pane::Source, Pane::Stage, Pane::Assembly, Pane::Details, Pane::Source]);
    player.keys("m shift-tab shift-tab");
    assert_eq!(player.state.focus, Pane::Stage);
    player.keys("z");
    assert_eq!(player.state.arrangement.panes.len(), 1);
    player.keys("esc");
    assert!(player.state.arrangement.panes.len() > 1);
}

#[test]
fn on_a_small_screen_each_pane_has_it_all() {
    let mut player = Player::new(&[("a.lane", SCALE)], (40, 8));
    expect![[r#"
        | 1 a.lane
        | 1  ## Turns the volume up or down.
        | 2 ▌kernel scale(samples, out, n, volume
        | 3      for iᵛ in range(n): 8 lanes
        | 4          out[iᵛ] = samples[iᵛ] * volu
        | 5
        | scale · line 3: 8 lanes · no pr…   2:8
        | ? help  enter edit  , . stage  q quit
    "#]]
    .assert_eq(&player.framed());
    player.keys("w");
    expect![[r#"
        | 4 Why Problems Run Lanes Variants
        |▌ kernel scale(samples: f32[_], out:
        |  f32[_], n: i32, volume: f32)
        |
        |  Turns the volume up or down.
        |
        | scale · line 3: 8 lanes · no pr…   2:8
        | ? help  enter choose  , . stage
    "#]]
    .assert_eq(&player.framed());
}

const SUMS: &str = "\
kernel sums(a, b, index, n):
    for i in range(1, n):
        b[i] = b[i - 1] + a[index[i]]
    for i in range(n):
        a[i] = 2.0
";

#[test]
fn the_line_of_verdicts_tells_every_loop_the_one_under_the_cursor_first() {
    let mut player = Player::new(&[("a.lane", SUMS)], (160, 40));
    assert!(player.status().contains("line 2: in order: loop-carried-flow, 1 apart"), "{}", player.status());
    player.keys("down down down");
    assert!(player.status().starts_with("sums · line 4: 8 lanes · line 2: in order"), "{}", player.status());
    player.keys("t \"avx512\" enter");
    assert!(player.status().starts_with("sums · line 4: 16 lanes"), "{}", player.status());
}

#[test]
fn why_says_which_iterations_meet_and_leads_there() {
    let mut player = Player::new(&[("a.lane", SUMS)], (160, 60));
    player.keys("/ \"b[i - 1]\" enter");
    let page = player.page(Pane::Details);
    assert!(
        page.contains("in order: loop-carried-flow, 1 apart") && page.contains("iteration 1 writes `b[1]`"),
        "{page}"
    );
    player.keys("4 f \"The loop\" enter enter");
    assert_eq!((player.state.focus, player.state.file().buffer.cursor_line()), (Pane::Source, 1));
}

#[test]
fn a_step_of_a_chain_leads_to_its_place() {
    let mut player = Player::new(&[("a.lane", SUMS)], (160, 60));
    player.keys("/ \"a[index\" enter");
    let page = player.page(Pane::Details);
    assert!(page.contains("gather"), "{page}");
    player.keys("4 / \"in line 2\" enter enter");
    assert_eq!((player.state.focus, player.state.file().buffer.cursor_line()), (Pane::Source, 1));
}

#[test]
fn what_varies_from_lane_to_lane_has_a_mark_and_a_colour() {
    let mut player = Player::new(&[("a.lane", SCALE)], (160, 40));
    assert!(player.screen().contains("out[iᵛ] = samples[iᵛ] * volume"), "{}", player.screen());
    assert!(player.painted().contains(" italic⟩"), "{}", player.painted());
    player.keys("H");
    assert!(player.screen().contains("out[i] = samples[i] * volume"), "{}", player.screen());
}
