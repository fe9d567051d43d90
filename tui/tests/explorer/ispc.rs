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
    expect![[""]].assert_eq(&player.framed());
}

#[test]
fn one_cursor_links_the_source_and_the_stage() {
    let mut player = look_up();
    player.keys("down down");
    expect![[""]].assert_eq(&player.page(Pane::Stage));
    // Enter goes from a line of the stage to its place.
    player.keys("2 / \"gather\" enter enter");
    assert_eq!(player.state.focus, Pane::Source);
    expect![[""]].assert_eq(&player.source().lines().find(|line| line.contains('|')).unwrap_or_default().to_owned());
}

#[test]
fn the_details_say_why() {
    let mut player = look_up();
    player.keys("/ \"table[at\" enter w");
    expect![[""]].assert_eq(&player.page(Pane::Details));
    player.keys("e");
    expect![[""]].assert_eq(&player.page(Pane::Details));
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
    expect![[""]].assert_eq(&player.page(Pane::Details));
    // The interpreter is the engine whatever stage was one of Lane's.
    assert_eq!(player.state.engine, Engine::default());
    player.keys("A");
    assert!(player.page(Pane::Details).contains("out"), "{}", player.page(Pane::Details));
}

#[test]
fn what_there_is_not_is_said_by_the_key() {
    for key in ["V", "I", "Q", "D", "B", "K", ")", "c", "!", "."] {
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
    player.keys("o \"scale uniform\" enter");
    assert_eq!(player.state.file().name, "a.ispc");
}

#[test]
fn an_edit_shows_what_it_breaks_and_the_last_code_stays() {
    let mut player = look_up();
    let before = player.page(Pane::Stage);
    player.keys("down i end \" +\" esc");
    assert!(player.page(Pane::Stage) == before, "{}", player.page(Pane::Stage));
    assert!(player.status().contains("error"), "{}", player.status());
    assert!(player.screen().contains("as of 2 changes ago"), "{}", player.screen());
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
    assert!(player.source().contains("    uniform float x = n;"), "{}", player.source());
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
