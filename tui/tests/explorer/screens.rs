//! The drawn screen: every view, at sizes of every kind, in every theme.

use super::*;
use expect_test::expect_file;
use explorer::assembling::Workers;
use explorer::state::Settings;
use explorer::theme::{Depth, Theme};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::Severity;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// The size of a small screen, which has one pane.
const SMALL: (u16, u16) = (40, 12);

/// The views, with the keys that open them.
const VIEWS: &[(&str, &str)] = &[
    ("first", ""),
    ("stage", "2 , d down down"),
    ("problems", "o \"broken\" enter e 4"),
    ("run", "r r"),
    ("kernels", "o"),
    ("palette", ": \"stage\""),
    ("help", "?"),
    ("assembly", "o \"scale\" enter down down 3"),
    ("beside", "C \"sse4\" enter 3 d"),
    ("editing", "o \"broken\" enter i"),
    ("lanes", "D J ) ) ) )"),
    ("iterations", "down down I"),
    ("arrays", "A"),
];

fn text() -> String {
    format!("{SCALE}\n{BROKEN}")
}

fn check(name: &str, screen: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explorer/screens");
    expect_file![folder.join(format!("{name}.txt"))].assert_eq(screen);
}

#[test]
fn every_view_at_three_sizes() {
    for &(view, keys) in VIEWS {
        let mut screens = String::new();
        for size in SIZES {
            let mut player = Player::new(&[("a.lane", &text())], size);
            player.keys(keys);
            screens += &format!("{}x{}\n{}\n", size.0, size.1, player.screen());
        }
        check(view, &screens);
    }
}

#[test]
fn lanes_on_a_small_screen() {
    let mut player = Player::new(&[("a.lane", &text())], SMALL);
    player.keys("D J ) ) ) )");
    let lanes = player.screen();
    player.keys("1 ( (");
    check("lanes-small", &format!("{lanes}\n{}", player.screen()));
}

#[test]
fn every_theme_with_its_colours() {
    for (name, theme, depth) in [
        ("dark", Theme::Dark, Depth::True),
        ("dark-256", Theme::Dark, Depth::Palette),
        ("light", Theme::Light, Depth::True),
        ("terminal", Theme::Terminal, Depth::Sixteen),
        ("no-colour", Theme::Dark, Depth::None),
    ] {
        let settings = Settings { theme, depth, ..Settings::default() };
        let mut player = Player::with(&[("a.lane", &text())], (80, 24), settings);
        player.keys("2 d down down");
        let stage = player.painted();
        player.keys("o \"broken\" enter e");
        let problems = player.painted();
        player.keys("o");
        check(&format!("theme-{name}"), &format!("{stage}\n{problems}\n{}", player.painted()));
    }
}

/// Colours change no text: each view says the same in each theme at each depth, and fills the screen. How long a frame takes is printed, as
/// nothing else says how loaded a machine is; the bound is far above the 16 ms that it is to take.
#[test]
fn every_view_says_the_same_in_each_theme_and_depth_at_each_size() {
    let depths = [Depth::None, Depth::Sixteen, Depth::Palette, Depth::True];
    let mut slowest = Duration::ZERO;
    for &(view, keys) in VIEWS {
        for size in [SMALL].into_iter().chain(SIZES) {
            let mut player = Player::new(&[("a.lane", &text())], size);
            player.keys(keys);
            let mut texts: Vec<String> = Vec::new();
            for (theme, depth) in Theme::ALL.into_iter().flat_map(|theme| depths.map(|depth| (theme, depth))) {
                (player.state.settings.theme, player.state.settings.depth) = (theme, depth);
                let start = Instant::now();
                let screen = player.screen();
                slowest = slowest.max(start.elapsed());
                let told = format!("{view} at {size:?} in {theme:?} with {depth:?}\n{screen}");
                assert_eq!(screen.lines().count(), usize::from(size.1), "{told}");
                assert!(!screen.contains(|c: char| c.is_control() && c != '\n'), "{told}");
                texts.push(screen);
            }
            assert!(texts.iter().all(|text| *text == texts[0]), "{view} at {size:?}");
        }
    }
    eprintln!("the slowest frame, with the text of its cells, took {slowest:?}");
    assert!(slowest < Duration::from_millis(500), "{slowest:?}");
}

#[test]
fn wide_characters_and_what_could_steer_the_terminal() {
    let text = "# 漢字 \u{1b}[31m \u{202e}drow\u{202c} e\u{301} 👩‍👩‍👧 \u{7f}\tend\nkernel k(漢):\n\t漢[0] = 1.0\n";
    let mut player = Player::new(&[("a.lane", text)], (60, 8));
    expect![[r#"
        | 1 a.lane
        | 1  # 漢字 ␛[31m <U+202E>drow<U+202C> é 👩‍👩‍👧 ␡    end
        | 2E▌kernel k(漢: f32[_]):  the name `漢` has letters beyond…
        | 3E     漢[0] = 1.0  a line is indented with tabs
        | 4
        |
        | k · 2 errors · vector (changed nothing): loops in l…   2:8
        | ? help  enter edit  , . stage  q quit  tab pane  d diff
    "#]]
    .assert_eq(&player.framed());
    // Half of a wide character at the edge is drawn as a blank.
    player.keys("up right right right right");
    player.state.file_mut().left = 3;
    expect!["| 1 ▌ 字 ␛[31m <U+202E>drow<U+202C> é 👩‍👩‍👧 ␡    end"]
        .assert_eq(player.framed().lines().nth(1).unwrap_or_default());
}

#[test]
fn no_colour_is_no_colour() {
    let settings = Settings { theme: Theme::Light, depth: Depth::None, ..Settings::default() };
    let mut player = Player::with(&[("a.lane", &text())], (120, 40), settings);
    for keys in ["", "e 4", "o", "esc r r", "? "] {
        let painted = player.keys(keys).painted();
        let paints = painted.split('⟨').skip(1).filter_map(|part| part.split('⟩').next());
        for paint in paints {
            assert!(!paint.contains(|c: char| c.is_ascii_digit() || c == '#'), "{paint}");
        }
    }
}

#[test]
fn every_example_is_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    for entry in fs::read_dir(folder).expect("the examples") {
        let path = entry.expect("an entry").path();
        if !path.is_file() {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a text");
        let mut player = Player::new(&[("example.lane", &text)], (120, 40));
        let kernels = text.matches("\nkernel ").count() + usize::from(text.starts_with("kernel "));
        // Notes are about the costs of vector code; all else would be wrong.
        let counts = |found: &&syntax::Diagnostic| found.severity != Severity::Note;
        let wrong = player.state.file().words.diagnostics.iter().filter(counts);
        assert_eq!(wrong.count(), 0, "{}", path.display());
        assert!(player.state.file().words.outline.len() >= kernels);
        player.keys("s \"typed\" enter");
        assert!(player.page(Pane::Stage).contains("kernel "), "{}: {}", path.display(), player.page(Pane::Stage));
    }
}

/// The screens in the README and on the explorer's page equal the real screen in every cell; `UPDATE_DOCS=1` rewrites
/// them.
#[test]
fn the_page_and_the_readme_show_a_real_screen() {
    if !has_llvm() {
        return;
    }
    let root = root();
    let name = "examples/color_by_number.lane";
    let kernel = fs::read_to_string(root.join(name)).expect("an example");
    let workers = Arc::new(Workers::of(env!("CARGO_BIN_EXE_lanescope")));
    let mut player = Player::with_machinist(&[(name, &kernel)], (100, 32), Settings::default(), workers);
    // Moves the cursor to the subscript that causes the gather.
    player.keys("down down down home").keys(&"right ".repeat("out[i] = colors[".len()));
    let screen: String = player.screen().lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    for page in ["docs/explorer.md", "README.md"] {
        let path = root.join(page);
        let text = fs::read_to_string(&path).expect("the page");
        let (before, rest) = text.split_once("```text\n").expect("a picture");
        let (shown, behind) = rest.split_once("```").expect("its end");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, format!("{before}```text\n{screen}```{behind}")).expect("written");
        } else {
            assert_eq!(
                shown, screen,
                "`UPDATE_DOCS=1 cargo test -p tui --test explorer page` brings {page} up to date"
            );
        }
    }
}
