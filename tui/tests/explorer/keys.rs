//! Keys that have nothing to do say why; ways back; sizes of panes; code of a text that is broken for a moment.

use super::*;
use explorer::event::{Event, MouseKind};
use explorer::layout::Pane;
use explorer::state::file::OpenFile;
use explorer::state::{Settings, State};

#[test]
fn a_key_that_has_nothing_to_do_says_why() {
    for (keys, expected) in [
        ("a", "there is nothing to fix: nothing is wrong in this file"),
        ("]", "there is no problem to go to: nothing is wrong in this file"),
        ("[", "there is no problem to go to"),
        ("5", "there is no pane 5 until something to see beside is picked"),
        ("2 left", "this is the start of the lines"),
        ("v", "nothing is folded in this pane"),
        ("z >", "this pane has the whole width"),
        ("z +", "this pane has the whole height"),
        ("X ctrl-u \"~nobody/x.s\" enter", "`~nobody/x.s` was not written: the folders of other users"),
    ] {
        let mut player = play(SCALE);
        player.keys(keys);
        let message = player.state.message.as_ref().map(|message| message.text.clone()).unwrap_or_default();
        assert!(message.starts_with(expected), "{keys}: {message}");
    }
    let mut player = play(BROKEN);
    player.keys("a");
    assert!(player.status().starts_with("no problem in this line has a fix"), "{}", player.status());
}

#[test]
fn a_file_that_is_being_read_is_not_called_empty() {
    let mut player = play(SCALE);
    let file = OpenFile::new("a.lane", Some("a.lane".into()), SCALE);
    player.state = State::new(vec![file], Settings::default(), (80, 24));
    // Nobody answers what it asks.
    player.state.apply(Event::Resize(80, 24));
    assert!(player.status().starts_with("the text is being analysed"), "{}", player.status());
    player.state.apply(Event::Key("r".parse().expect("a key")));
    assert!(player.page(Pane::Details).contains("The text is being analysed."), "{}", player.screen());
    let player = play("const N = 4\n");
    assert!(!player.screen().contains("analysed"), "{}", player.screen());
}

#[test]
fn an_export_to_the_home_folder_goes_there() {
    let mut player = play(SCALE);
    player.keys("X ctrl-u \"~/x.s\" enter");
    let home = std::env::var("HOME").expect("a home folder");
    assert!(player.done.iter().any(|done| done.contains(&format!("{home}/x.s"))), "{:?}", player.done);
}

#[test]
fn a_search_counts_its_matches() {
    let mut player = play(SCALE);
    for (keys, expected) in [
        ("/ \"volume\" enter", "`volume`: 2 of 3"),
        ("n", "`volume`: 3 of 3"),
        ("n", "`volume`: 1 of 3"),
        ("N", "`volume`: 3 of 3"),
        ("2 / \"masked\" enter", "`masked`: 1 of 1"),
    ] {
        player.keys(keys);
        assert!(player.status().starts_with(expected), "{keys}: {}", player.status());
    }
}

#[test]
fn a_palette_without_a_match_says_so_and_words_are_not_picked_from_sentences() {
    let mut player = play(SCALE);
    player.keys(": \"zebra\"");
    assert!(player.screen().contains("nothing has these letters"), "{}", player.screen());
    player.keys("ctrl-u \"learn\"");
    let found = player.screen();
    assert!(found.contains("show the task of a lesson") && !found.contains("mouse"), "{found}");
    player.keys("ctrl-u \"terminal\"");
    assert!(player.screen().contains("leave the mouse to the terminal"), "{}", player.screen());
}

#[test]
fn esc_goes_back_step_by_step() {
    let mut player = play(TWO);
    player.keys("o \"first\" enter 2 down down down enter");
    let there = (player.state.focus, player.state.file().buffer.cursor_line());
    assert_eq!(there.0, Pane::Source);
    player.keys("o \"second\" enter");
    assert_eq!(player.state.file().buffer.cursor_line(), 7);
    player.keys("esc");
    assert_eq!((player.state.focus, player.state.file().buffer.cursor_line()), there);
    player.keys("esc");
    assert_eq!((player.state.focus, player.state.stage_pane.cursor()), (Pane::Stage, 3));
    player.keys("esc esc");
    assert_eq!(player.state.focus, Pane::Source);
    player.keys("esc esc");
    assert!(player.status().starts_with("q quits"), "{}", player.status());
}

#[test]
fn esc_goes_back_from_the_details_to_where_they_were_asked_for() {
    let mut player = play(TWO);
    player.keys("o \"first\" enter o \"second\" enter");
    for keys in ["r r", "w w", "e e"] {
        player.keys(keys);
        assert_eq!(player.state.focus, Pane::Details, "{keys}");
        player.keys("esc");
        assert_eq!((player.state.focus, player.state.file().buffer.cursor_line()), (Pane::Source, 7), "{keys}");
    }
    player.keys("esc");
    assert_eq!(player.state.file().buffer.cursor_line(), 3);
}

#[test]
fn the_help_fits_a_screen_of_40_columns() {
    let mut player = Player::new(&[("a.lane", SCALE)], (40, 20));
    player.keys("?");
    let mut seen = String::new();
    for _ in 0..40 {
        let screen = player.screen();
        for row in screen.lines().filter(|row| row.starts_with('│')) {
            assert!(row.ends_with(" │") || row.contains("more"), "{row}");
            seen += row.trim_matches(['│', ' ']);
            seen.push(' ');
        }
        player.keys("pagedown");
    }
    for row in explorer::actions::ACTIONS {
        assert!(seen.contains(row.description), "{}\n{seen}", row.description);
    }
}

fn width(player: &Player, pane: Pane) -> (u16, u16) {
    player.state.arrangement.area(pane).map(|area| (area.w, area.h)).expect("a pane")
}

#[test]
fn panes_are_resized_by_key_and_stay_so() {
    let mut player = Player::new(&[("a.lane", SCALE)], (120, 40));
    let before = [Pane::Source, Pane::Stage, Pane::Assembly, Pane::Details].map(|pane| width(&player, pane));
    player.keys("> > 4 + + 3 -");
    let after = [Pane::Source, Pane::Stage, Pane::Assembly, Pane::Details].map(|pane| width(&player, pane));
    let wider = before[0].0 + 8;
    assert_eq!(after[0], (wider, before[0].1 - 2));
    assert_eq!(after[3], (wider, before[3].1 + 2));
    assert_eq!(after[1], (before[1].0 - 8, before[1].1 + 1));
    assert_eq!(after[2], (before[2].0 - 8, before[2].1 - 1));
    // An edge that is pushed against the screen's turns back at once.
    player.keys(&format!("1 {} <", "> ".repeat(60)));
    let narrow = width(&player, Pane::Stage).0;
    assert!((12..=20).contains(&narrow), "{narrow}");
    player.keys("=");
    assert!(width(&player, Pane::Source).0 < 75, "{:?}", width(&player, Pane::Source));
    player.keys("=");
    assert_eq!(width(&player, Pane::Source), before[0], "once more: the usual sizes");
}

#[test]
fn panes_are_resized_by_dragging_their_edges() {
    let mut player = Player::new(&[("a.lane", SCALE)], (120, 40));
    let before = [Pane::Source, Pane::Details].map(|pane| width(&player, pane));
    let edge = before[0].0;
    player.mouse(MouseKind::Press, edge, 5);
    for x in edge..edge + 10 {
        player.mouse(MouseKind::Drag, x, 5);
    }
    assert_eq!(width(&player, Pane::Source).0, before[0].0 + 9);
    player.mouse(MouseKind::Press, 3, before[0].1);
    player.mouse(MouseKind::Drag, 3, before[0].1 - 4);
    assert_eq!(width(&player, Pane::Details).1, before[1].1 + 4);
    // A drag that begins in the text selects, and moves nothing.
    player.mouse(MouseKind::Press, 6, 2);
    player.mouse(MouseKind::Drag, 12, 2);
    assert_eq!(width(&player, Pane::Details).1, before[1].1 + 4);
    assert!(player.state.file().buffer.selection().is_some());
}

#[test]
fn a_pane_is_fitted_to_its_content() {
    let mut player = Player::new(&[("a.lane", SCALE)], (160, 40));
    player.keys("2 =");
    let text = "            masked_store(out, i, (masked_load(samples, i, active) * volume), active)";
    assert_eq!(usize::from(width(&player, Pane::Stage).0), text.len() - 4 + 2);
}

#[test]
fn results_are_seen_whole_and_matrices_as_matrices() {
    let text = "kernel k(m: i32[3, 4], a: i32[n], n: i32):\n    for i in range(3):\n        for j in range(4):\n            m[i, j] = i * 40 + j\n    for i in range(n):\n        a[i] = i\n";
    let mut player = Player::new(&[("a.lane", text)], (80, 40));
    player.keys("r g down down enter \"200\" enter r");
    let page = player.page(Pane::Details);
    for row in ["m = 3 by 4", "   0  1  2  3", "  40 41 42 43", "  80 81 82 83"] {
        assert!(page.contains(row), "{row}\n{page}");
    }
    assert!(page.contains("198, 199]") && !page.contains("more]"), "{page}");
    let area = player.state.arrangement.area(Pane::Details).expect("a pane");
    assert!(area.h > 20, "the pane has grown for it: {area:?}");
}

#[test]
fn while_the_text_is_broken_its_last_good_code_stays_and_says_of_when_it_is() {
    let mut player = Player::new(&[("a.lane", SCALE)], (200, 40));
    let good = [Pane::Stage, Pane::Assembly].map(|pane| player.page(pane).replace('*', " "));
    assert!(good[0].contains("masked_store"));
    player.keys("down down end i \" + (\"");
    assert!(player.state.file().words.diagnostics.iter().any(|found| found.severity == syntax::Severity::Error));
    let now = [Pane::Stage, Pane::Assembly].map(|pane| player.page(pane).replace('*', " "));
    assert_eq!(now, good);
    let titles = player.screen().lines().next().unwrap_or_default().to_owned();
    assert_eq!(titles.matches("as of ").count(), 2, "{titles}");
    player.keys("f1 esc esc");
    assert!(player.status().contains("dimmed: the code of"), "{}", player.status());
    // Not one word of it has a colour of its own.
    let painted = player.painted();
    let row = painted.lines().find(|row| row.contains("masked_store")).expect("the stage's last line");
    assert!(row.contains("italic⟩"), "{row}");
    player.keys("i backspace backspace backspace backspace");
    assert!(!player.screen().contains("as of "), "{}", player.screen());
}

#[test]
fn what_was_never_good_is_shown_as_it_is() {
    let player = play(BROKEN);
    assert!(player.page(Pane::Stage).contains("unknown(type=f32)"));
    assert!(!player.screen().contains("as of "));
}

#[test]
fn a_long_line_says_that_it_goes_on_and_its_end_is_reached() {
    let mut player = play(SCALE);
    let row = |player: &Player| player.screen().lines().nth(5).unwrap_or_default().to_owned();
    assert!(row(&player).ends_with('…'), "{}", player.screen());
    player.keys("2 $");
    assert!(row(&player).ends_with("active)"), "{}", player.screen());
    player.keys("right");
    assert!(player.status().starts_with("no line goes on at the right"), "{}", player.status());
}

#[test]
fn a_fix_of_a_long_line_is_seen_whole() {
    let long = format!("kernel broken(a, n):\n    for i in range(n)\n        a[i] = {}1.0\n", "a[i] + ".repeat(30));
    let long = long.replace("range(n)", &format!("range({}n)", "n - n + ".repeat(14)));
    let mut player = play(&long);
    player.keys("down a");
    let screen = player.screen();
    assert!(screen.contains("n - n + n)") && screen.contains("n - n + n):"), "{screen}");
}

#[test]
fn what_a_program_does_has_one_hue_in_source_stage_and_assembly() {
    use explorer::page::Role;
    use explorer::theme::{Colour, Depth, Rgb, Theme};
    let settings = Settings { theme: Theme::Dark, depth: Depth::True, ..Settings::default() };
    let text = SCALE.replace("        out", "        if samples[i] > 0.0:\n            out");
    let mut player = Player::with(&[("a.lane", &text)], (240, 40), settings.clone());
    player.keys("3 v 1 g");
    let painted = player.painted();
    let shown = |role: Role, text: &str| {
        let Some(Colour::Rgb(Rgb(r, g, b))) = settings.look().role(role).fg else { panic!("no colour") };
        let start = format!("⟨#{r:02x}{g:02x}{b:02x}/");
        painted.split('⟨').any(|part| format!("⟨{part}").starts_with(&start) && part.ends_with(&format!("⟩{text}")))
    };
    for (role, texts) in [
        (Role::Load, &["samples", "masked_load", "vmaskmovps"][..]),
        (Role::Store, &["out", "masked_store", "vmovups"]),
        (Role::Arithmetic, &["*", "vmulps"]),
        (Role::Mask, &[">", "active", "vpcmpgtd"]),
        (Role::Shuffle, &["vbroadcastss"]),
    ] {
        for text in texts {
            assert!(shown(role, text), "{role:?} {text}\n{painted}");
        }
    }
}
