//! Stepping through the lanes of a stage.

use std::fs;
use std::time::Instant;

use super::*;
use driver::document::Document;
use driver::stepping::grid::{LaneCell, RowOrigin};
use driver::stepping::looking::LanesView;
use explorer::event::{Event, MouseKind};
use explorer::state::Settings;
use ir::interp::{Cell, Machine, Reg};
use queries::run::prepare;
use queries::stages::{Options, stage};

const LOOK_UP: &str = "\
kernel look_up(number: i32[n], colors: f32[m], out: f32[n], n: i32, m: i32):
    for i in range(n):
        if number[i] > 0:
            out[i] = colors[number[i]]
";

/// Opens the explorer on the look-up, with lanes shown and data of seven elements.
fn looking_up(size: (u16, u16)) -> Player {
    let mut player = Player::new(&[("a.lane", LOOK_UP)], size);
    say(&mut player, &["[1, 0, 3, 3, 0, 0, 2]", "[5, 6, 7, 8]", "zeros(7)", "7", "4"]);
    player.keys("D");
    player
}

/// Types the data of each parameter.
fn say(player: &mut Player, data: &[&str]) {
    player.keys("r");
    // Lines above stay where they are when long data take several rows.
    for (n, data) in data.iter().enumerate().rev() {
        player.keys(&format!("g {} enter", "down ".repeat(n)));
        player.keys(&format!("\"else\" enter ctrl-u \"{data}\" enter"));
    }
    player.keys("1");
}

fn view(player: &Player) -> &LanesView {
    player.state.lanes.view().unwrap_or_else(|| panic!("no run: {}", player.screen()))
}

#[test]
fn lanes_are_shown_and_stepped_through() {
    let mut player = looking_up((120, 40));
    expect![[r#"
        |    vector_for base in range(0, n, LANES):
        |    vector_for · step 0
        |    values: n = 7, m = 4
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys(") ) )");
    expect![[r#"
        |    let _0 = (active & (masked_load(number, i, active) > 0))
        |    masked_load · step 3 · iteration 0 to 7
        |    lane      0  1  2  3  4  5  6   7
        |    active   on on on on on on on off
        |    i         0  1  2  3  4  5  6   7
        |    → result  1  0  3  3  0  0  2   0
        |    reads number i32[7]: contiguous
        |    cell  0 1 2 3 4 5 6
        |    holds 1 0 3 3 0 0 2
        |    lane  0 1 2 3 4 5 6
        |    the same in all lanes: n = 7, m = 4, base = 0
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("*");
    assert!(player.status().starts_with("the lanes part here"), "{}", player.status());
    expect![[r#"
        |    let _0 = (active & (masked_load(number, i, active) > 0))
        |    and · step 5 · iteration 0 to 7
        |    lane        0     1    2    3     4     5    6     7
        |    active     on    on   on   on    on    on   on   off
        |    i           0     1    2    3     4     5    6     7
        |    (gt)     true false true true false false true false
        |    → result true false true true false false true false
        |    the same in all lanes: n = 7, m = 4, base = 0
        |    lanes active on average: 7 of 8 (88 %), so far
        |      line 3: 7 of 8 (88 %)
        |    where lanes went:
        |      line 3: number[i] > 0: of 7 lanes 4 in, 3 past, so far
        |      ├ in: 0, 2, 3, 6
        |      └ past: 1, 4, 5
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys("&");
    expect![[r#"
        |    The run is over.
        |    step 14
        |    values: n = 7, m = 4
        |    lanes active on average: 5.17 of 8 (65 %), of the whole
        |    run
        |      line 3: 6.33 of 8 (79 %)
        |      line 4: 4 of 8 (50 %)
        |    where lanes went:
        |      line 3: number[i] > 0: of 7 lanes 4 in, 3 past, so far
        |      ├ in: 0, 2, 3, 6
        |      └ past: 1, 4, 5
        |    out = [6.0, 0.0, 8.0, 8.0, 0.0, 0.0, 7.0]
    "#]]
    .assert_eq(&player.page(Pane::Details));
    player.keys(")");
    assert!(player.status().starts_with("the run is over"), "{}", player.status());
    player.keys("^");
    assert_eq!(view(&player).n_steps, 0);
    player.keys("(");
    assert!(player.status().starts_with("this is the start of the run"), "{}", player.status());
}

#[test]
fn the_first_step_key_shows_the_lanes_and_the_next_one_steps() {
    let mut player = play(LOOK_UP);
    player.keys("}");
    assert!(player.state.shows_lanes());
    assert_eq!(view(&player).n_steps, 0);
    player.keys("}");
    assert!(view(&player).n_steps > 0);
}

#[test]
fn a_step_before_there_is_a_run_says_that_it_is_being_started() {
    let mut player = play(LOOK_UP);
    player.press("D");
    player.press(")");
    assert!(player.status().starts_with("the run is being started"), "{}", player.status());
    player.wait();
    player.keys(")");
    assert!(view(&player).n_steps > 0);
}

#[test]
fn the_op_at_hand_is_marked_in_stage_and_source() {
    let mut player = looking_up((120, 40));
    for _ in 0..30 {
        player.keys(")");
        let Some(op) = view(&player).op.clone() else { break };
        let line = player.state.op_line().expect("a line of the stage");
        assert_eq!(player.state.stage_pane.page().lines[line].text.trim(), op.text);
        let range = op.range.expect("a place");
        assert_eq!(player.state.file().buffer.cursor(), usize::from(range.start()));
        let marked = player.screen().lines().filter(|row| row.contains('►')).count();
        // The stage's line and the source's may stand in one row of the screen.
        assert!((1..=2).contains(&marked), "{}", player.screen());
        let height = usize::from(player.state.body(Pane::Stage).h);
        let top = player.state.stage_pane.top();
        let row = player.state.stage_pane.rows().iter().position(|row| row.line == line).expect("a row");
        assert!((top..top + height).contains(&row), "{}", player.screen());
    }
}

#[test]
fn the_cursor_of_stage_and_assembly_goes_along() {
    let mut player = looking_up((120, 40));
    player.keys("2 ) ) ) ) ) )");
    let row = player.state.stage_pane.rows()[player.state.stage_pane.cursor()].line;
    assert_eq!(Some(row), player.state.op_line());
    assert_eq!(player.state.focus, Pane::Stage);
    player.keys("3 ) ) ) )");
    assert_eq!(player.state.focus, Pane::Assembly);
    player.keys("2");
    assert_eq!(Some(player.state.stage_pane.rows()[player.state.stage_pane.cursor()].line), player.state.op_line());
}

/// What the page shows of each name is what the interpreter has, at every step of the run.
#[test]
fn values_are_those_of_the_interpreter() {
    let mut player = looking_up((120, 40));
    let document = Document::new("a.lane", LOOK_UP);
    let options = player.state.settings.goal.options;
    let item = document.kernel(None, "").expect("a kernel");
    let data = ["number=[1,0,3,3,0,0,2]", "colors=[5,6,7,8]", "out=zeros(7)", "n=7", "m=4"];
    let arguments =
        data.map(|text| driver::arguments::argument(&driver::spec::parse(text).expect("data")).expect("data"));
    let kernel = stage("vector").and_then(|stage| stage.kernel(document.db(), item, options)).expect("a kernel");
    let (_, inputs) = prepare(document.db(), item, &arguments).expect("inputs");
    let mut machine = Machine::new(kernel.clone(), inputs).expect("it runs");
    let mut n_steps = 0;
    let mut n_compared = 0;
    while view(&player).end.is_none() {
        while n_steps < view(&player).n_steps {
            machine.step();
            n_steps += 1;
        }
        let grid = &view(&player).grid;
        let named = |row: &&driver::stepping::grid::LaneRow| matches!(row.of, RowOrigin::Source | RowOrigin::Pass);
        for row in grid.rows.iter().chain(&grid.same).filter(named) {
            let is_same = |value: ir::Value| match machine.reg(value) {
                Reg::Empty => false,
                Reg::One(cell) => row.cells.iter().all(|shown| same(shown, cell)),
                Reg::Lanes(cells) => {
                    cells.len() == row.cells.len()
                        && cells.iter().zip(&row.cells).all(|(cell, shown)| same(shown, cell))
                }
            };
            let values = kernel.values.iter().filter(|(_, data)| data.name.as_deref() == Some(&row.name));
            assert!(values.map(|(value, _)| value).any(is_same), "step {n_steps}: {row:?}");
            n_compared += 1;
        }
        player.keys(")");
    }
    assert!(n_compared > 40, "{n_compared}");
}

fn same(shown: &LaneCell, cell: &Cell) -> bool {
    match (shown, cell) {
        (LaneCell::Value(shown), Cell::Data(scalar)) => shown == scalar,
        (LaneCell::Off, Cell::Off) | (LaneCell::Failed, Cell::Failed(_)) => true,
        _ => false,
    }
}

#[test]
fn back_and_forth_shows_the_same_page() {
    for stage in ["arrays", "vector", "final"] {
        let mut player = looking_up((120, 40));
        player.keys(&format!("s \"{stage}\" enter & ^"));
        let mut pages = vec![player.page(Pane::Details)];
        while view(&player).end.is_none() {
            player.keys(")");
            pages.push(player.page(Pane::Details));
        }
        for page in pages.iter().rev().skip(1) {
            player.keys("(");
            assert_eq!(player.page(Pane::Details), *page, "{stage}");
        }
    }
}

#[test]
fn breakpoints_are_set_in_source_and_stage_and_move_along_with_the_text() {
    let mut player = looking_up((120, 40));
    player.keys("g down down down !");
    assert!(player.status().starts_with("a breakpoint in line 4"), "{}", player.status());
    assert!(player.screen().contains("4◆"), "{}", player.screen());
    player.keys("c");
    assert!(player.status().starts_with("a breakpoint"), "{}", player.status());
    assert_eq!(player.state.file().buffer.cursor_line(), 3);
    player.keys("g i \"# above\" enter esc");
    assert!(player.screen().contains("5◆"), "{}", player.screen());
    player.keys("c");
    assert_eq!(player.state.file().buffer.cursor_line(), 4);
    player.keys("g down down down down !");
    assert!(player.status().starts_with("the breakpoint in line 5 is gone"), "{}", player.status());
    player.keys("^ 2 g down down down !");
    assert!(player.screen().contains('◆'), "{}", player.screen());
    player.keys("c");
    let row = player.state.stage_pane.rows()[player.state.stage_pane.cursor()].line;
    assert_eq!((row, player.state.op_line()), (3, Some(3)));
    player.keys("2 !");
    assert!(!player.screen().contains('◆'), "{}", player.screen());
}

#[test]
fn breakpoints_have_terms_which_are_shown_and_edited_at_their_line() {
    let mut player = looking_up((180, 40));
    player.keys("g down down down ;");
    assert!(player.screen().contains("Stop in line 4, if:"), "{}", player.screen());
    player.keys("\"i >=\" enter");
    assert!(player.status().contains("an expression is missing"), "{}", player.status());
    player.keys("\" 5\" enter");
    assert!(player.status().starts_with("a breakpoint in line 4, if i >= 5"), "{}", player.status());
    assert!(player.screen().contains("4◇") && player.screen().contains("◇ i >= 5"), "{}", player.screen());
    player.keys("c");
    assert!(player.status().starts_with("a breakpoint"), "{}", player.status());
    let of_lanes = |player: &Player| {
        let grid = &view(player).grid;
        let row = grid.rows.iter().find(|row| row.name == "i").expect("the index").cells.clone();
        row.iter().map(driver::stepping::grid::LaneCell::text).collect::<Vec<_>>()
    };
    assert!(of_lanes(&player).contains(&"5".to_owned()), "{:?}", of_lanes(&player));
    // They move along with the text, and are edited where they are.
    player.keys("g i \"# above\" enter esc g down down down down ;");
    assert!(player.screen().contains("Stop in line 5") && player.screen().contains("i >= 5"), "{}", player.screen());
    player.keys("ctrl-u \"nothing > 1\" enter c");
    assert!(player.status().contains("was never asked"), "{}", player.status());
    player.keys("; ctrl-u \"hits 1\" enter ^ c");
    assert!(player.status().starts_with("a breakpoint"), "{}", player.status());
    player.keys("!");
    assert!(!player.screen().contains('◇'), "{}", player.screen());
    // In a line of the stage, too.
    player.keys("^ 2 g down down down ; \"hits 1\" enter");
    assert!(player.screen().contains("◇ hits 1"), "{}", player.screen());
    player.keys("c");
    assert_eq!(player.state.op_line(), Some(3));
}

#[test]
fn other_data_and_other_texts_start_anew() {
    let mut player = looking_up((120, 40));
    player.keys(") ) )");
    assert!(view(&player).n_steps > 0);
    player.keys(",");
    assert_eq!(view(&player).n_steps, 0, "another stage");
    player.keys(") r g \"\" D");
    let before = view(&player).n_steps;
    assert!(before > 0, "a look at the data changes nothing");
    player.keys("1 i");
    player.press("x");
    assert!(player.page(Pane::Details).contains("The text has changed since"), "{}", player.page(Pane::Details));
    player.keys("backspace esc");
    assert_eq!(view(&player).n_steps, 0, "another text");
}

#[test]
fn what_cannot_be_run_says_why() {
    let mut player = looking_up((120, 40));
    player.keys("s \"parsed\" enter");
    assert!(
        player.page(Pane::Details).contains("The stage parsed is there to be read"),
        "{}",
        player.page(Pane::Details)
    );
    player.keys(")");
    assert!(player.status().starts_with("there is no run to step through"), "{}", player.status());
    for (text, expected) in [
        (BROKEN, "broken has errors and cannot be run"),
        ("const A = 1\n", "A is no kernel"),
        ("", "There is no kernel in this file"),
    ] {
        let mut player = play(text);
        player.keys("D ) c !");
        let page = player.page(Pane::Details).replace("\n|    ", " ");
        assert!(page.contains(expected) || page.contains("not run"), "{page}");
    }
}

#[test]
fn errors_of_the_program_stand_at_their_place() {
    let text = "kernel k(a: i32[n], n: i32):\n    for i in range(n):\n        a[i] = 8 // (i - 3)\n";
    let mut player = play(text);
    player.keys("D &");
    assert!(player.status().starts_with("an integer is divided by zero"), "{}", player.status());
    assert!(
        player.page(Pane::Details).contains("error: an integer is divided by zero"),
        "{}",
        player.page(Pane::Details)
    );
    let at = player.state.file().buffer.cursor();
    assert_eq!(&text[at..at + 2], "8 ", "{}", player.source());
    player.keys("(");
    assert!(player.page(Pane::Details).contains("error, if it runs"), "{}", player.page(Pane::Details));
}

#[test]
fn an_endless_run_is_stopped_by_a_key_and_by_the_next_movement() {
    let mut player = play("kernel k(a):\n    n = 0\n    while n < 1:\n        a[0] = 1.0\n");
    player.keys("D");
    player.press("&");
    assert!(player.state.waits());
    player.happen(Event::Tick);
    assert!(player.state.spins());
    player.press("esc");
    player.wait();
    assert!(player.status().starts_with("the run was stopped here"), "{}", player.status());
    player.press("&");
    player.press("^");
    player.wait();
    assert_eq!(view(&player).n_steps, 0);
}

#[test]
fn the_mouse_scrolls_and_chooses_lines_of_the_page() {
    let mut player = looking_up((120, 20));
    player.keys("& ^ ) ) ) ) ) )");
    let area = player.state.arrangement.area(Pane::Details).expect("it is there");
    player.mouse(MouseKind::Press, area.x + 3, area.y + 2);
    assert_eq!((player.state.focus, player.state.details_pane.cursor()), (Pane::Details, 1));
    player.mouse(MouseKind::WheelDown, area.x + 3, area.y + 2);
    assert!(player.state.details_pane.top() > 0 || player.state.details_pane.rows().len() < usize::from(area.h));
}

#[test]
fn lanes_fit_screens_of_every_size_in_blocks() {
    for size in [(40, 12), (80, 24), (120, 40), (200, 60)] {
        let mut player = looking_up(size);
        player.keys("J ) ) ) )");
        if size.0 < 70 {
            player.keys("4");
        }
        let columns = usize::from(player.state.body(Pane::Details).w);
        for row in player.state.details_pane.rows().iter().skip(1) {
            let width = player.state.details_pane.text(row).chars().count();
            assert!(width + 2 <= columns, "{size:?}: {}", player.state.details_pane.text(row));
        }
        let page = player.page(Pane::Details);
        assert!(page.contains("lane ") && page.contains(" on"), "{size:?}\n{page}");
    }
}

#[test]
fn without_unicode_all_of_it_is_ascii() {
    let settings = Settings { ascii: true, ..Settings::default() };
    let mut player = Player::with(&[("a.lane", LOOK_UP)], (120, 40), settings);
    player.keys("D ) ) ) g down down ! )");
    let screen = player.screen();
    assert!(screen.is_ascii() && screen.contains('@') && screen.contains("lane"), "{screen}");
}

/// A run of more than a million steps goes back in a moment. What that takes is printed, as nothing else says how loaded a machine
/// is; the bound is far above it.
#[test]
fn a_million_steps_are_taken_back_in_a_moment() {
    let text = "kernel k(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = a[i] * 2.0 + 1.0\n";
    let document = Document::new("a.lane", text);
    let item = document.kernel(None, "").expect("a kernel");
    let arguments = ["a=zeros(1200000)", "n=1200000"];
    let arguments =
        arguments.map(|text| driver::arguments::argument(&driver::spec::parse(text).expect("data")).expect("data"));
    let vector = stage("vector").expect("a stage");
    let mut stepper =
        driver::stepping::Stepper::start(&document, item, vector, Options::default(), &arguments).expect("it runs");
    let stops = driver::stepping::Stops::default();
    stepper.go(driver::stepping::Movement::ToEnd, &stops, &mut || false);
    let n_steps = stepper.stepping().n_steps();
    let start = Instant::now();
    stepper.go(driver::stepping::Movement::RunBack, &stops, &mut || false);
    let took = start.elapsed();
    eprintln!("{} steps back take {took:?}", n_steps - stepper.stepping().n_steps());
    assert!(n_steps > 1_000_000 && took.as_secs() < 10, "{n_steps} steps, {took:?}");
}

/// The page in the explorer's documentation is a real one; `UPDATE_DOCS=1` rewrites it.
#[test]
fn the_documentation_shows_a_real_page_of_lanes() {
    let kernel = fs::read_to_string(root().join("examples/color_by_number.lane")).expect("an example");
    let mut player = Player::new(&[("examples/color_by_number.lane", &kernel)], (160, 60));
    say(&mut player, &["[0, 2, 1, 1, 0, 3, 3, 3, 2, 0, 1, 1]", "[10, 20, 30, 40]", "zeros(12)", "12"]);
    player.keys("D J J ) )");
    let lines = player.state.details_pane.page().lines.iter().map(|line| format!("{}\n", line.text.trim_end()));
    let page: String = lines.collect();
    let path = root().join("docs/explorer.md");
    let text = fs::read_to_string(&path).expect("the page");
    let (before, section) = text.split_once("## Stepping through lanes\n").expect("a section");
    let (introduction, rest) = section.split_once("```text\n").expect("a picture");
    let (shown, behind) = rest.split_once("```").expect("its end");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = format!("{before}## Stepping through lanes\n{introduction}```text\n{page}```{behind}");
        fs::write(&path, text).expect("written");
    } else {
        assert_eq!(shown, page, "`UPDATE_DOCS=1 cargo test -p tui --test explorer lanes` brings it up to date");
    }
}
