//! Running a kernel on small data.

use std::sync::Arc;

use super::*;
use explorer::assembling::Workers;
use explorer::event::Event;
use explorer::goal::Goal;
use explorer::overlay::Overlay;
use explorer::page::Page;
use explorer::questions::Answer;
use explorer::state::Settings;

#[test]
fn a_kernel_is_run_on_data_that_is_offered_and_on_data_that_is_said() {
    let mut player = play(SCALE);
    player.keys("r");
    expect![[r#"
        |>   samples  f32[]  = ramp(8)
        |    out      f32[]  = zeros(8)
        |    n        i32    = 8
        |    volume   f32    = 0.5
        |    run by sequential, which E changes
        |    Enter changes a line, r runs the
        |    kernel
        |    B measures it, W on many sizes too
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("r");
    expect![[r#"
        |    samples  f32[]  = ramp(8)
        |    out      f32[]  = zeros(8)
        |    n        i32    = 8
        |    volume   f32    = 0.5
        |    run by sequential, which E changes
        |    Enter changes a line, r runs the
        |    kernel
        |    B measures it, W on many sizes too
        |>   out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5,
        |    3.0, 3.5]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("g enter \"twice\" enter r");
    expect![[r#"
        |    samples  f32[]  = ramp(16)
        |    out      f32[]  = zeros(8)
        |    n        i32    = 8
        |    volume   f32    = 0.5
        |    run by sequential, which E changes
        |    Enter changes a line, r runs the
        |    kernel
        |    B measures it, W on many sizes too
        |>   out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5,
        |    3.0, 3.5]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("g enter \"else\" enter ctrl-u \"bad\" enter");
    assert!(player.status().starts_with("`bad` is no SPEC"), "{}", player.status());
}

#[test]
fn the_outcome_is_seen_where_the_data_fill_the_pane() {
    let mut player = play("kernel k(a, b, c, d, e, f, g, n):\n    a[n] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0]\n");
    player.keys("r");
    assert!(!player.screen().contains("a = ["), "{}", player.screen());
    player.keys("r");
    assert!(player.screen().contains("a = ["), "{}", player.screen());
}

#[test]
fn an_outcome_is_seen_down_to_its_end_where_it_has_room() {
    let mut player = play("kernel k(a, b, c):\n    a[0] = 1.0\n    b[0] = 1.0\n    c[0] = 1.0\n");
    player.keys("r r");
    assert!(player.page(Pane::Details).contains("|>   a = ["), "{}", player.page(Pane::Details));
    for array in ["a = [", "b = [", "c = ["] {
        assert!(player.screen().contains(array), "{}", player.screen());
    }
}

#[test]
fn sizes_go_with_the_integers_that_are_said_and_choices_with_the_type() {
    let mut player = play("kernel k(a, m: f32[n, 2], n: i32, yes: bool, x: f64):\n    a[0] = m[0, 0]\n");
    player.keys("r");
    let offered = |player: &mut Player, keys: &str| {
        let Some(Overlay::Pick(picker)) = &player.keys(keys).state.overlay else { panic!("no list") };
        let labels: Vec<_> = picker.shown().map(|shown| shown.choice.label.clone()).collect();
        player.keys("esc");
        labels
    };
    assert_eq!(offered(&mut player, "g down down down enter"), ["true", "false", "something else"]);
    assert_eq!(offered(&mut player, "down enter"), ["0", "1", "0.5", "something else"]);
    assert_eq!(offered(&mut player, "up up enter"), ["0", "1", "8", "100000", "something else"]);
    // The typed text is offered as data too, in front of all choices that it matches.
    player.keys("enter \"10\" enter");
    expect![[r#"
        |    a    f32[]   = zeros(10)
        |    m    f32[,]  = ramp(20)
        |>   n    i32     = 10
        |    yes  bool    = true
        |    x    f64     = 0.5
    "#]]
    .assert_eq(&player.page(Pane::Details).lines().take(5).map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn a_kernel_without_data_is_run_too() {
    let mut player = play("kernel k() -> i32:\n    return 6 * 7\n");
    player.keys("r enter");
    expect![[r#"
        |>   run by sequential, which E changes
        |    k takes no data; r runs it
        |    B measures it, W on many sizes too
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn an_error_of_a_run_stands_at_its_place() {
    let mut player = play("kernel k(a: i32[n], n: i32):\n    for i in range(n):\n        a[i] = 8 // (i - 3)\n");
    player.keys("r r");
    expect![[r#"
        |    a  i32[]  = zeros(8)
        |    n  i32    = 8
        |    run by sequential, which E changes
        |    Enter changes a line, r runs the
        |    kernel
        |    B measures it, W on many sizes too
        |>   error: an integer is divided by zero
        |    division-by-zero
        |    in iteration 3
        |    the arrays as they were then:
        |    a = [-3, -4, -8, 0, 0, 0, 0, 0]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    let (range, _) = player.state.file().failure.clone().expect("a failure");
    assert_eq!(&player.state.file().buffer.text()[range], "8 // (i - 3)");
    player.keys("1 down down end i \" + 1\"");
    assert!(player.state.file().failure.is_some(), "it moves along with what is typed elsewhere");
    player.keys("r");
}

#[test]
fn an_endless_run_is_stopped_by_a_key() {
    let mut player = play("kernel k(a):\n    n = 0\n    while n < 1:\n        a[0] = 1.0\n");
    player.keys("r");
    player.press("r");
    assert!(player.state.running.is_some());
    player.happen(Event::Tick);
    assert!(player.state.spins());
    player.press("esc");
    assert!(player.state.running.is_none());
    player.wait();
    assert!(player.status().starts_with("the run was stopped"), "{}", player.status());
}

#[test]
fn what_cannot_be_run_says_why() {
    expect![[r#"
        |>   a  f32[]  = zeros(8)
        |    n  i32    = 8
        |    run by sequential, which E changes
        |    Enter changes a line, r runs the
        |    kernel
        |    B measures it, W on many sizes too
    "#]]
    .assert_eq(&play(BROKEN).keys("r").page(Pane::Details));
    expect![[r#"
        |>   A is no kernel; put the cursor in
        |    one, or pick one with o.
    "#]]
    .assert_eq(&play("const A = 1\n").keys("r").page(Pane::Details));
    expect![[r#"
        |>   There is no kernel in this file.
    "#]]
    .assert_eq(&play("").keys("r").page(Pane::Details));
}

#[test]
fn what_runs_it_is_picked() {
    for (engine, expected) in [
        ("vector", "out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5,"),
        ("final", "out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5,"),
        ("evaluator", "out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5,"),
        ("native", "not run: the processor stopped the"),
    ] {
        let mut player = play(SCALE);
        player.keys(&format!("t \"scalar\" enter r E \"{engine}\" enter r"));
        let page = player.page(Pane::Details);
        assert!(page.contains(&format!("run by {engine},")) && page.contains(expected), "{engine}: {page}");
    }
}

#[test]
fn a_kernel_is_measured_and_tells_how_far_it_is() {
    let mut player = Player::new(&[("a.lane", SCALE)], (160, 40));
    player.keys("t \"scalar\" enter B");
    assert!(player.status().starts_with("these are the data"), "{}", player.status());
    player.keys("B");
    let page = player.page(Pane::Details);
    if cfg!(target_arch = "x86_64") {
        assert!(page.contains("is 1.00 times as fast as scalar"), "{page}");
        // It is measured on many elements, and not on the few that a run is looked at with.
        assert!(page.contains("samples=ramp(1000000)") && page.contains("n=1000000"), "{page}");
        // Figures of other data go, and data that are said stay.
        player.keys("g enter \"twice\" enter");
        let page = player.page(Pane::Details);
        assert!(!page.contains("as fast as scalar") && page.contains("samples  f32[]  = ramp(16)"), "{page}");
        player.keys("B");
        let page = player.page(Pane::Details);
        assert!(page.contains("as fast as scalar") && !page.contains("1000000"), "{page}");
    }
    player.keys("t \"neon\" enter r B");
    let page = player.page(Pane::Details);
    assert!(page.contains("this machine does not run code for") || cfg!(target_arch = "aarch64"), "{page}");
}

#[test]
fn a_sweep_has_sizes_lanes_and_targets_whose_rows_are_kept_over_edits() {
    if !cfg!(target_arch = "x86_64") {
        return;
    }
    let mut player = Player::new(&[("a.lane", SCALE)], (160, 60));
    player.keys("t \"scalar\" enter W");
    assert!(player.status().starts_with("the same key again measures sizes"), "{}", player.status());
    player.keys("W");
    let page = player.page(Pane::Details);
    for title in ["sizes of all arrays together, for scalar", "lanes, for scalar", "targets that run here"] {
        assert!(page.contains(title), "{title}: {page}");
    }
    player.keys("4 / \"lanes, for scalar\" enter esc");
    for _ in 0..8 {
        if player.state.details_pane.line().is_some_and(|line| line.text.contains("1 lane")) {
            break;
        }
        player.keys("down");
    }
    player.keys("enter");
    assert!(player.status().starts_with("scalar, 1 lane is kept; rows"), "{}", player.status());
    player.keys("enter");
    assert!(player.status().starts_with("scalar, 1 lane is kept already"), "{}", player.status());
    assert!(player.page(Pane::Details).contains("kept; enter on one lets it go"));
    // A row of a later text is compared with it.
    player.keys("1 G up end i \" * volume\" esc W W 4 / \"1 lane (\" enter esc enter");
    let page = player.page(Pane::Details);
    assert!(page.contains("later:") && page.contains("times as"), "{page}");
    player.keys("/ \"  scalar, 1 lane: \" enter esc enter");
    assert!(player.status().contains("kept no longer"), "{}", player.status());
}

#[test]
fn what_is_told_on_the_way_is_seen_and_what_comes_after_a_stop_is_not() {
    let mut player = play(SCALE);
    player.keys("r");
    player.press("r");
    let run = player.state.running.clone().expect("a run");
    let told = |text: &str| Event::Answer(Answer::Running(run.clone(), Page::notice(text)));
    player.happen(told("measuring scalar"));
    assert!(player.page(Pane::Details).contains("measuring scalar"));
    player.press("esc");
    player.happen(told("measuring more"));
    assert!(!player.page(Pane::Details).contains("measuring more"));
    player.wait();
}

#[test]
fn a_real_machine_runs_it_and_measures_it() {
    if native::llvm::llvm().is_err() || !native::host::runs(Goal::native().options.target) {
        return eprintln!("skipped: no LLVM, or no processor that is known here");
    }
    let workers = Arc::new(Workers::of(env!("CARGO_BIN_EXE_lanescope")));
    let settings = Settings { goal: Goal::native(), ..Settings::default() };
    let mut player = Player::with_machinist(&[("a.lane", SCALE)], (120, 60), settings, workers);
    player.keys("r E \"native\" enter r");
    assert!(player.page(Pane::Details).contains("out = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5]"));
    player.keys("B");
    assert!(player.page(Pane::Details).contains("GB/s of memory"), "{}", player.page(Pane::Details));
}
