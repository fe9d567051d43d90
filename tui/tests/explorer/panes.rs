//! The arrangement of the panes, which does not depend on their content.

use super::*;
use explorer::event::Event;
use explorer::layout::Arrangement;

/// Returns the sequence of arrangements while keys are pressed and answers arrive, without consecutive duplicates.
fn arrangements(player: &mut Player, script: &str) -> Vec<Arrangement> {
    let mut seen = vec![player.state.arrangement.clone()];
    player.keys_watched(script, |state| {
        if seen.last() != Some(&state.arrangement) {
            seen.push(state.arrangement.clone());
        }
    });
    seen
}

#[test]
fn no_pane_jumps_while_a_line_is_typed() {
    for size in [(80, 24), (120, 40), (150, 30), (200, 60)] {
        let mut player = Player::new(&[("a.lane", SCALE)], size);
        let seen = arrangements(&mut player, "down down $ i \" + 1.0\" esc");
        assert_eq!(seen.len(), 1, "{size:?}: {seen:#?}");
    }
}

#[test]
fn no_pane_jumps_when_another_file_is_shown() {
    for size in [(80, 24), (200, 60)] {
        let mut player = Player::new(&[("a.lane", SCALE), ("b.lane", TWO)], size);
        let seen = arrangements(&mut player, "O \"b.lane\" enter O \"a.lane\" enter");
        assert_eq!(seen.len(), 1, "{size:?}: {seen:#?}");
    }
}

#[test]
fn a_notice_has_the_lines_it_needs_at_once_and_at_every_width() {
    for width in 70..=240 {
        let mut player = Player::new(&[("a.lane", BROKEN)], (width, 30));
        let first = player.state.arrangement.clone();
        player.happen(Event::Resize(width, 30));
        player.keys("down up");
        assert_eq!(first, player.state.arrangement, "{width}");
        let area = player.state.arrangement.area(Pane::Assembly).expect("a pane");
        let n_rows = player.state.page_view(Pane::Assembly).expect("a page").rows().len();
        assert_eq!(usize::from(area.h), n_rows + 1, "{width}");
    }
}

#[test]
fn the_source_stays_where_it_was_while_another_pane_has_the_screen() {
    let long = format!("{SCALE}    # {}\n", "a word ".repeat(20));
    let mut player = Player::new(&[("a.lane", &long)], (80, 24));
    player.keys("G up end");
    let left = player.state.file().left;
    assert!(left > 0);
    player.keys("2 z z 1");
    assert_eq!(player.state.file().left, left);
    // The starts of lines are shown whenever the cursor is visible without scrolling.
    player.keys("home");
    assert_eq!(player.state.file().left, 0);
    player.keys("up up $ 2 z z 1");
    assert_eq!(player.state.file().left, 0);
}

#[test]
fn what_had_no_room_comes_back_with_the_room() {
    let mut player = play(SCALE);
    player.keys("down down");
    for (size, top) in [((80, 2), 3), ((80, 24), 0)] {
        player.happen(Event::Resize(size.0, size.1));
        assert_eq!(player.state.file().top, top, "{size:?}");
    }
}

#[test]
fn counts_that_are_too_long_for_the_pane_go_on_in_the_next_line() {
    let mut player = play(SCALE);
    player.keys("3");
    expect![[r#"
        |    # instructions 22: 3 vector 14
        |    scalar 3 load 2 store 2 broadcast
        |    # hot loop of line 3, a turn for 8
        |    iterations: 1 vector 3 scalar 1
        |    load 1 store
    "#]]
    .assert_eq(&first_lines(&player.page(Pane::Assembly), 5));
    let wide = Player::new(&[("a.lane", SCALE)], (240, 24));
    expect![[r#"
        |    # instructions 22: 3 vector 14 scalar 3 load 2 store 2 broadcast
        |    # hot loop of line 3, a turn for 8 iterations: 1 vector 3 scalar 1 load 1
        |    store
    "#]]
    .assert_eq(&first_lines(&wide.page(Pane::Assembly), 3));
}

fn first_lines(page: &str, n: usize) -> String {
    page.lines().take(n).map(|line| format!("{line}\n")).collect()
}
