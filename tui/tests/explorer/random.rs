//! Random keys, mouse events, sizes and late answers: the explorer does not panic, and its screen is consistent.
//!
//! `LANESCOPE_CASES` raises the number of events, and `LANESCOPE_SEED` chooses other ones.

use super::*;
use explorer::actions::ACTIONS;
use explorer::event::{Event, Mouse, MouseKind};
use explorer::graphics::{Board, Graphics, Protocol};
use explorer::state::Settings;
use explorer::theme::Depth;
use explorer::views::images::images;
use fastrand::Rng;

const LETTERS: &[&str] = &["a", "(", ")", ":", "[", "=", "1", "\t", "漢", "👩‍👩‍👧", "#", "\u{301}", "\u{202e}", " ", "+"];

const ISPC: &str = "\
#define TWICE(x) ((x) + (x))
struct Pair { float a, b; };
static float sum(Pair p) { return TWICE(p.a) + p.b; }
export void all(uniform float a[], uniform int n) {
    foreach (i = 0 ... n) {
        Pair p = { a[i], a[n - i] };
        a[i] = sum(p);
    }
}
";

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|number| number.parse().ok())
}

fn event(random: &mut Rng, size: (u16, u16)) -> Event {
    match random.u8(..100) {
        0..=2 => Event::Resize(random.u16(..=240), random.u16(..=80)),
        3 => Event::Resize(random.u16(..=4), random.u16(..=4)),
        4..=12 => {
            let kinds = [MouseKind::Press, MouseKind::Drag, MouseKind::WheelUp, MouseKind::WheelDown];
            let kind = kinds[random.usize(..kinds.len())];
            Event::Mouse(Mouse { kind, x: random.u16(..size.0.max(1)), y: random.u16(..size.1.max(1)) })
        }
        13 => Event::Paste(["kernel z(q):\n    q[0] = 1.0\n", "漢\r\nx", ""][random.usize(..3)].to_owned()),
        14 => Event::Disk(0, [None, Some(SCALE.to_owned()), Some(TWO.to_owned())][random.usize(..3)].clone()),
        15 => Event::Tick,
        16..=40 => Event::Paste(LETTERS[random.usize(..LETTERS.len())].to_owned()),
        41..=60 => key(["enter", "esc", "backspace", "delete", "tab", "up", "down", "left"][random.usize(..8)]),
        _ => {
            let keys = ACTIONS[random.usize(..ACTIONS.len())].keys;
            key(keys[random.usize(..keys.len())])
        }
    }
}

fn key(name: &str) -> Event {
    Event::Key(name.parse().expect("a key"))
}

#[test]
fn nothing_brings_it_down() {
    let n_events = number("LANESCOPE_CASES").unwrap_or(4_000);
    let first = number("LANESCOPE_SEED").unwrap_or(0);
    for seed in first..first + 4 {
        let mut random = Rng::with_seed(seed);
        let other = if seed % 2 == 0 { ("b.lane", BROKEN) } else { ("b.ispc", ISPC) };
        let graphics = Graphics { protocol: Protocol::Kitty, ..Graphics::default() };
        let settings = match seed % 4 {
            0 | 3 => Settings { graphics, depth: Depth::True, ..Settings::default() },
            _ => Settings::default(),
        };
        let mut player = Player::with(&[("a.lane", TWO), other], (80, 24), settings);
        if seed % 2 == 1 {
            player.keys("O \"ispc\" enter");
        }
        for n in 0..n_events / 4 {
            let event = event(&mut random, player.state.size);
            let told = format!("seed {seed}, event {n}: {event:?}");
            player.happen(event);
            match random.u8(..10) {
                0 => player.wait(),
                1..=6 => player.listen(),
                // Answers accumulate and arrive late.
                _ => {}
            }
            sane(&player, &told);
        }
        player.wait();
    }
}

/// Checks invariants of every screen.
fn sane(player: &Player, told: &str) {
    let state = &player.state;
    let file = state.file();
    assert!(file.buffer.text().is_char_boundary(file.buffer.cursor()), "{told}");
    let end = file.buffer.text().len();
    for (range, _) in &file.words.roles {
        assert!(usize::from(range.end()) <= end, "{told}: a word behind the end");
    }
    let body = state.body(Pane::Source);
    if body.h > 0 && body.w > 0 {
        let line = file.buffer.cursor_line();
        assert!((file.top..file.top + usize::from(body.h)).contains(&line), "{told}: the cursor is off the screen");
    }
    for pane in Pane::PAGES {
        let view = state.page_view(pane).expect("a page");
        assert!(view.cursor() < view.rows().len().max(1), "{told}");
    }
    let details = state.body(Pane::Details);
    let shown = images(state);
    for area in shown.iter().map(|image| image.area) {
        let last = (area.x + area.w - 1, area.y + area.h - 1);
        assert!(details.contains(area.x, area.y) && details.contains(last.0, last.1), "{told}: {area:?} is outside");
    }
    Board::default().change(&shown, state.settings.graphics);
    let screen = player.screen();
    assert_eq!(screen.lines().count(), usize::from(state.size.1), "{told}");
    assert!(!screen.contains(|c: char| c.is_control() && c != '\n'), "{told}: {screen:?}");
}

#[test]
fn every_size_has_a_screen() {
    for (width, height) in (0..30).flat_map(|w| (0..14).map(move |h| (w, h))) {
        let mut player = Player::new(&[("a.lane", SCALE)], (80, 24));
        player.happen(Event::Resize(width, height));
        for keys in ["", "?", "esc o", "esc /", "esc q e r r", "D J )", "I", "Q", "A ' @"] {
            player.keys(keys);
            sane(&player, &format!("{width}x{height} {keys}"));
        }
    }
}
