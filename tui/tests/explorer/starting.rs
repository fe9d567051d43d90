//! The starting page, and the editor of the user's choice, as far as the state goes.

use super::*;
use explorer::start::{StartEntry, StartPage};
use explorer::state::Topic;

/// An explorer with a starting page of three files.
fn started(size: (u16, u16)) -> Player {
    let mut player = Player::new(&[("mine.lane", SCALE), ("lesson.lane", TWO), ("example.lane", BROKEN)], size);
    player.state.files[1].lesson = Some(0);
    let entry = |file: usize, label: &str, words: &str| StartEntry {
        file,
        label: label.to_owned(),
        words: words.to_owned(),
        is_done: false,
    };
    player.state.start = Some(StartPage {
        recent: vec![entry(0, "mine.lane", "line 2")],
        lessons: vec![entry(1, " 1 One lane", "")],
        examples: vec![entry(2, "example.lane", "broken")],
    });
    player.state.show_start();
    player.keys("esc ~");
    player
}

#[test]
fn the_page_has_the_whole_screen_and_begins_at_the_first_file() {
    let mut player = started((80, 24));
    assert!(player.state.is_starting());
    expect![[r#"
        | 4 Start  Why  Problems  Run  Lanes  Variants  Pictures                  zoomed
        |  Lanescope shows what the lanes of data-parallel kernels do.
        |  Enter opens what the cursor is on, / searches, ? shows every key, q quits.
        |  Files of your own are opened by their names: lanescope kernel.lane
        |
        |  Recent file
        |▌   mine.lane     line 2
        |
        |  Lessons, 0 of 1 done
        |     1 One lane
        |
        |  1 example, as copies of your own
        |    example.lane  broken
        |
        |
        |
        |
        |
        |
        |
        |
        |
        | scale · line 3: 8 lanes · no problems · vector: loops in lanes: lane in…   2:8
        | ? help  enter open  , . stage  q quit  tab pane  d diff  w why  e problems
    "#]]
    .assert_eq(&player.framed());
    player.keys("down");
    expect![[r#"
        |    Lanescope shows what the lanes of data-parallel kernels do.
        |    Enter opens what the cursor is on, / searches, ? shows every key, q quits.
        |    Files of your own are opened by their names: lanescope kernel.lane
        |
        |    Recent file
        |      mine.lane     line 2
        |>
        |    Lessons, 0 of 1 done
        |       1 One lane
        |
        |    1 example, as copies of your own
        |      example.lane  broken
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn enter_opens_a_file_and_the_page_comes_back() {
    let mut player = started((80, 24));
    assert_eq!(
        player.state.files.iter().filter(|file| file.shown > 0).count(),
        1,
        "files are offered, and not looked at"
    );
    // Headings and blanks stand between the three.
    player.keys("down down down down down down enter");
    assert_eq!((player.state.current, player.state.focus, player.state.topic), (2, Pane::Source, Topic::Why));
    player.keys("~ enter");
    assert_eq!(player.state.current, 0);
    player.keys("~ down down down enter");
    assert_eq!((player.state.current, player.state.topic), (1, Topic::Task), "a lesson has a task");
    assert!(player.state.files.iter().all(|file| file.shown > 0));
    let mut other = play(SCALE);
    other.keys("~");
    assert_eq!(other.status(), "the starting page is there when `lanescope` is started without a file");
}

#[test]
fn keys_of_all_panes_work_on_the_page() {
    let mut player = started((40, 12));
    player.keys("f \"exam\" enter");
    assert_eq!(player.page(Pane::Details).lines().count(), 2, "{}", player.page(Pane::Details));
    player.keys("G $ esc").keys("? esc q");
    assert!(player.done.iter().any(|effect| effect == "Quit"), "{:?}", player.done);
}

#[test]
fn an_editor_opens_the_file_at_the_cursor_and_unsaved_text_is_asked_about() {
    let mut player = play("# é\nkernel k(a: f32[n], n: i32):\n    a[0] = 1.0  # é.\n");
    player.keys("g down down end ctrl-e");
    let place = "Editor { file: 0, path: \"a.lane\", place: EditorPlace { line: 3, column: 21, byte: 22 } }";
    assert_eq!(player.done, [place]);
    player.done.clear();
    player.keys("i \"x\" ctrl-e");
    assert!(player.done.is_empty(), "{:?}", player.done);
    assert!(player.screen().contains("a.lane has changes that are not saved"), "{}", player.screen());
    player.keys("c");
    assert!(player.done.is_empty() && player.state.file().buffer.is_dirty());
    player.keys("ctrl-e s");
    assert_eq!(player.done, [place.replace("column: 21, byte: 22", "column: 22, byte: 23")]);
    assert!(!player.state.file().buffer.is_dirty());
    player.state.files[0].path = None;
    player.done.clear();
    player.keys("ctrl-e");
    assert!(player.done.is_empty());
    assert!(player.status().starts_with("this text is in no file"), "{}", player.status());
}
