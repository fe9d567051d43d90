//! A view in one file: what is written, and that it opens as it was.

use std::path::PathBuf;

use explorer::event::Event;
use explorer::layout::Pane;
use explorer::state::file::OpenFile;
use explorer::state::{Settings, Topic};
use queries::stages::Options;
use queries::stages::target;

use super::SCALE;
use super::player::Player;

/// The text of the last export by this name.
fn written(player: &Player, name: &str) -> String {
    let head = format!("Export(\"{name}\", ");
    let found = player.done.iter().rev().find_map(|done| done.strip_prefix(&head)).expect("an export");
    let text = found.rsplit_once(", ").expect("a flag behind it").0;
    serde_json::from_str(text).expect("a text as Rust and JSON write it")
}

/// A player with a file whose last line may be a view, which is opened.
fn opened(name: &str, text: &str) -> Player {
    let mut player = Player::new(&[(name, text)], (120, 40));
    player.state.open_shared_view(false);
    player.happen(Event::Resize(120, 40));
    player.wait();
    player
}

#[test]
fn a_view_in_one_file_opens_as_it_was() {
    let mut settings = Settings::default();
    settings.goal.options = Options { target: target::find("avx512").expect("a target"), lanes: Some(4) };
    let mut player = Player::with(&[("a.lane", SCALE)], (120, 40), settings);
    // The size of the data, a breakpoint with terms, and some steps of the lanes at an earlier stage.
    player.keys("G ; \"hits >= 2\" enter s \"sequential\" enter r enter \"something\" enter ctrl-u \"[1, 2, 3, 4, 5]\" enter D ) ) J )");
    assert_eq!(player.state.topic, Topic::Lanes, "{}", player.screen());
    player.keys("X ctrl-u \"shared.view.lane\" enter");
    let text = written(&player, "shared.view.lane");
    let (program, view) = text.rsplit_once("# lanescope view: ").expect("a view");
    assert_eq!(program, SCALE);
    assert_eq!(text.lines().count(), SCALE.lines().count() + 1, "{view}");

    let mut again = opened("shared.view.lane", &text);
    assert_eq!(again.state.topic, Topic::Lanes);
    let (was, is) = (&player.state, &again.state);
    let of = |state: &explorer::state::State| {
        let view = state.lanes.view().expect("a run");
        let breakpoints: Vec<_> =
            state.file().breakpoints.iter().map(|set| (set.at, set.terms.text().to_owned())).collect();
        (
            state.stage,
            state.settings.goal.options,
            state.focus,
            state.file().buffer.cursor_line(),
            view.n_steps,
            breakpoints,
        )
    };
    assert_eq!(of(was), of(is));
    assert_eq!(
        was.page_view(Pane::Details).map(|view| view.page().text()),
        is.page_view(Pane::Details).map(|view| view.page().text())
    );
    assert_eq!(
        was.page_view(Pane::Stage).map(|view| view.page().text()),
        is.page_view(Pane::Stage).map(|view| view.page().text())
    );
    // What is written of that has one view, of now.
    again.keys("w X ctrl-u \"more.view.lane\" enter");
    let more = written(&again, "more.view.lane");
    assert_eq!(more.matches("lanescope view").count(), 1);
    assert_eq!(opened("more.view.lane", &more).state.topic, Topic::Why);
    // By another name it is what the pane shows.
    player.keys("1 X ctrl-u \"plain.lane\" enter");
    assert_eq!(written(&player, "plain.lane"), SCALE);
}

#[test]
fn what_is_drawn_is_drawn_again() {
    let details = |player: &Player| player.state.details_pane.page().text();
    for (key, told) in
        [("I", "Iterations of"), ("Q", "statements"), ("A", "out"), ("V", "avx2"), ("r", "volume"), ("e", "")]
    {
        let mut player = Player::new(&[("a.lane", SCALE)], (120, 40));
        player.keys("g j j").keys(key).keys("X ctrl-u \"a.view.lane\" enter");
        let again = opened("a.lane", &written(&player, "a.view.lane"));
        assert_eq!(player.state.topic, again.state.topic, "{key}");
        assert_eq!(details(&player), details(&again), "{key}");
        assert!(details(&again).contains(told), "{key}: {}", details(&again));
    }
}

#[test]
fn the_command_line_goes_before_the_target_of_a_view() {
    let mut player = Player::new(&[("a.lane", SCALE)], (120, 40));
    player.state.settings.goal.options = Options { target: target::find("neon").expect("a target"), lanes: None };
    player.keys("X ctrl-u \"a.view.lane\" enter");
    let text = written(&player, "a.view.lane");
    for (keeps, name) in [(true, "sse4"), (false, "neon")] {
        let mut again = Player::new(&[("a.lane", &text)], (120, 40));
        again.state.settings.goal.options = Options { target: target::find("sse4").expect("a target"), lanes: None };
        again.state.open_shared_view(keeps);
        assert_eq!(again.state.settings.goal.options.target.name, name);
    }
}

#[test]
fn a_view_that_cannot_be_read_is_told_and_the_file_is_open() {
    for view in ["{\"version\":9}", "{", "", "{\"version\":1,\"target\":\"z80\"}"] {
        let text = format!("{SCALE}# lanescope view: {view}\n");
        let mut player = Player::new(&[("a.lane", &text)], (120, 40));
        player.state.open_shared_view(false);
        let told = player.state.message.as_ref().expect("a message").text.clone();
        assert!(told.contains("view"), "{told}");
        assert!(player.screen().contains("kernel scale"));
    }
    // Places that are not in the text any more are left out.
    let view = "{\"version\":1,\"kernel\":\"gone\",\"line\":900,\"breakpoints\":[[900,\"\"],[4,\"x >\"]],\"topic\":\"lanes\",\"step\":7}";
    let player = opened("a.lane", &format!("{SCALE}# lanescope view: {view}\n"));
    assert!(player.state.file().breakpoints.is_empty());
}

#[test]
fn a_view_of_ispc_stands_behind_its_comment() {
    let text = "export void f(uniform float out[], uniform int n) {\n    foreach (i = 0 ... n) {\n        out[i] = i;\n    }\n}\n";
    let mut player = Player::new(&[("a.ispc", text)], (120, 40));
    player.keys("e X ctrl-u \"a.view.ispc\" enter");
    let shared = written(&player, "a.view.ispc");
    assert!(
        shared.starts_with(text) && shared.lines().last().is_some_and(|line| line.starts_with("// lanescope view: {"))
    );
    let file = OpenFile::new("a.ispc", Some(PathBuf::from("a.ispc")), shared.clone());
    assert_eq!(opened("a.ispc", file.buffer.text()).state.topic, Topic::Problems);
}
