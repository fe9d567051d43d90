//! Pictures of loops and of arrays in the details.

use super::*;
use explorer::event::Event;
use explorer::graphics::{Graphics, Protocol};
use explorer::pictures::Drawing;
use explorer::state::Settings;
use explorer::theme::Depth;

const SWEEP: &str = "\
kernel sweep(m: f32[n, w], n: i32, w: i32):
    for i in range(1, n):
        for j in range(1, w):
            m[i, j] = m[i - 1, j] + m[i, j - 1]
";

const TURNED: &str = "\
kernel turned(m: f32[n, w], n: i32, w: i32):
    for j in range(w):
        for i in range(1, n):
            m[i, j] = m[i - 1, j] + 1.0
";

const SHIFTED: &str = "\
kernel shifted(a: f32[n], n: i32):
    for i in range(n - 2):
        a[i + 2] = a[i] * 0.5
";

/// Opens a text with the cursor in its last line, and the details on the whole screen.
fn drawing(text: &str, size: (u16, u16), keys: &str) -> Player {
    let mut player = Player::new(&[("a.lane", text)], size);
    player.keys("G up");
    player.keys(keys);
    player
}

#[test]
fn a_plane_of_iterations_has_its_arrows_and_orders() {
    let player = drawing(SWEEP, (100, 60), "I 4 z");
    expect![[r#"
        |>   Iterations of i, j in lines 2 and 3, 7 by 7 on the data of r
        |         j 1    2    3    4    5    6    7
        |    i  1   S───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       2   T───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       3   o───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       4   o───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       5   o───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       6   o───▶o───▶o───▶o───▶o───▶o───▶o
        |           │    │    │    │    │    │    │
        |           ▼    ▼    ▼    ▼    ▼    ▼    ▼
        |       7   o───▶o───▶o───▶o───▶o───▶o───▶o
        |    ─▶ flow of m: (i, j) → (i + 1, j); iteration i = 1, j = 1 writes `m[1, 1]`, iteration i = 2, j = 1
        |    reads `m[1, 1]`
        |    ─▶ flow of m: (i, j) → (i, j + 1); iteration i = 1, j = 1 writes `m[1, 1]`, iteration i = 1, j = 2
        |    reads `m[1, 1]`
        |
        |    order of the program                 at the stage vector
        |    i    1   2   3   4   5   6   7  j    i    1   2   3   4   5   6   7  j
        |      1  0   1   2   3   4   5   6         1  0   1   2   3   4   5   6
        |      2  7   8   9  10  11  12  13         2  7   8   9  10  11  12  13
        |      3 14  15  16  17  18  19  20         3 14  15  16  17  18  19  20
        |      4 21  22  23  24  25  26  27         4 21  22  23  24  25  26  27
        |      5 28  29  30  31  32  33  34         5 28  29  30  31  32  33  34
        |      6 35  36  37  38  39  40  41         6 35  36  37  38  39  40  41
        |      7 42  43  44  45  46  47  48         7 42  43  44  45  46  47  48
        |    At the stage `vector` the iterations run one by one, in the order of the program.
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn an_exchanged_nest_is_drawn_before_and_after() {
    let player = drawing(TURNED, (120, 60), "I 4 z");
    expect![[r#"
        |>   Iterations of j, i in lines 2 and 3, 8 by 7 on the data of r
        |         i 1    2    3    4    5    6    7
        |    j  0   S───▶T───▶o───▶o───▶o───▶o───▶o
        |       1   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       2   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       3   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       4   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       5   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       6   o───▶o───▶o───▶o───▶o───▶o───▶o
        |       7   o───▶o───▶o───▶o───▶o───▶o───▶o
        |    ─▶ flow of m: (j, i) → (j, i + 1); iteration j = 0, i = 1 writes `m[1, 0]`, iteration j = 0, i = 2 reads `m[1, 0]`
        |
        |    order of the program                 at the stage vector
        |    j    1   2   3   4   5   6   7  i    j   1  2  3  4  5  6  7  i
        |      0  0   1   2   3   4   5   6         0 0┐ 1┐ 2┐ 3┐ 4┐ 5┐ 6┐
        |      1  7   8   9  10  11  12  13         1 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      2 14  15  16  17  18  19  20         2 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      3 21  22  23  24  25  26  27         3 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      4 28  29  30  31  32  33  34         4 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      5 35  36  37  38  39  40  41         5 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      6 42  43  44  45  46  47  48         6 0│ 1│ 2│ 3│ 4│ 5│ 6│
        |      7 49  50  51  52  53  54  55         7 0┘ 1┘ 2┘ 3┘ 4┘ 5┘ 6┘
        |    At the stage `vector` up to 8 iterations run together, in 7 turns, in another order.
        |    - `interchange`, line 2: loops-exchanged: with this loop inside there is less work: 56 % of what there was
        |    - `vector`, line 2: lanes-along-this-loop: lanes along `i` are not possible
    "#]].assert_eq(&player.page(Pane::Details));
}

/// The picture on the explorer's page is a real one; `UPDATE_DOCS=1` rewrites it.
#[test]
fn the_page_shows_a_real_picture() {
    let player = drawing(TURNED, (120, 60), "I 4 z");
    let view = player.state.page_view(Pane::Details).expect("a page");
    let shown = view.page().text();
    let path = root().join("docs/explorer.md");
    let text = std::fs::read_to_string(&path).expect("the page");
    let (before, rest) = text.split_once("## Pictures").expect("the section");
    assert!(rest.contains(TURNED), "the program of the picture");
    let (words, rest) = rest.split_once("```text\n").expect("a picture");
    let (written, behind) = rest.split_once("```").expect("its end");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}## Pictures{words}```text\n{shown}```{behind}")).expect("written");
    } else {
        assert_eq!(
            written, shown,
            "`UPDATE_DOCS=1 cargo test -p tui --test explorer picture` brings the page up to date"
        );
    }
}

#[test]
fn a_row_of_iterations_has_lanes_that_keep_their_distance() {
    let player = drawing(SHIFTED, (80, 24), "I 4");
    expect![[r#"
        |>   Iterations of i in line 2, 6 on the
        |    data of r
        |    i        0  1  2  3  4  5
        |    flow a   S────▶T  o  o  o
        |    in order 0  1  2  3  4  5
        |    vector   0──0  1──1  2──2
        |    ─▶ flow of a: i → i + 2; iteration 0
        |    writes `a[2]`, iteration 2 reads
        |    `a[2]`
        |    At the stage `vector` up to 2
        |    iterations run together, in the order
        |    of the program.
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn statements_are_drawn_with_their_packs() {
    let player = drawing(SHIFTED, (80, 24), "Q 4");
    expect![[r#"
        |>   Statements of for i in range(n - 2):
        |    2 lanes
        |     *3 a[i + 2] = a[i] * 0.5
        |    - 3 ╌▶ 3  flow of `a`, 2 iterations
        |    later
        |    - * line 3 needs what it made in an
        |    earlier iteration, so its
        |    iterations stay in order
        |
        |    Pairs and packs of one iteration
        |    after the other
        |        # pairs that load or store neighbouring cells
        |        (S_2, S_8)      a[i], a[i_1]
        |        (S_5, S_11)     a[v4], a[v10]
        |        (S_8, S_14)     a[i_1], a[i_2]
        |        (S_11, S_17)    a[v10], a[v16]
        |        (S_14, S_20)    a[i_2], a[i_3]
        |        (S_17, S_23)    a[v16], a[v22]
        |        (S_20, S_26)    a[i_3], a[i_4]
        |        (S_23, S_29)    a[v22], a[v28]
        |        (S_26, S_32)    a[i_4], a[i_5]
        |        (S_29, S_35)    a[v28], a[v34]
        |        (S_32, S_38)    a[i_5], a[i_6]
        |        (S_35, S_41)    a[v34], a[v40]
        |        (S_38, S_44)    a[i_6], a[i_7]
        |        (S_41, S_47)    a[v40], a[v46]
        |
        |        # pairs that follow: what makes the operands of a pair, or uses its results
        |        (S_3, S_9)      use what S_2 and S_8 make
        |        (S_9, S_15)     use what S_8 and S_14 make
        |        (S_15, S_21)    use what S_14 and S_20 make
        |        (S_21, S_27)    use what S_20 and S_26 make
        |        (S_27, S_33)    use what S_26 and S_32 make
        |        (S_33, S_39)    use what S_32 and S_38 make
        |        (S_39, S_45)    use what S_38 and S_44 make
        |
        |        # guards that a stronger one implies
        |        S_1 by S_43     guard(i < n - 2) by guard(i_7 < n - 2)
        |        S_7 by S_43     guard(i_1 < n - 2) by guard(i_7 < n - 2)
        |        S_13 by S_43    guard(i_2 < n - 2) by guard(i_7 < n - 2)
        |        S_19 by S_43    guard(i_3 < n - 2) by guard(i_7 < n - 2)
        |        S_25 by S_43    guard(i_4 < n - 2) by guard(i_7 < n - 2)
        |        S_31 by S_43    guard(i_5 < n - 2) by guard(i_7 < n - 2)
        |        S_37 by S_43    guard(i_6 < n - 2) by guard(i_7 < n - 2)
        |
        |        # whole groups start in range(0, n - 2 - 7, 8), which tests that guard
        |
        |        # nothing is packed: no two statements do the same to neighbouring cells
        |        # the statements
        |        S_1   guard(i < n - 2)
        |        S_2   v2 = a[i]           # waits for S_43
        |        S_3   v3 = v2 * 0.5       # waits for S_2
        |        S_4   v4 = i + 2
        |        S_5   a[v4] = v3          # waits for S_3, S_4
        |        S_6   i_1 = i + 1
        |        S_7   guard(i_1 < n - 2)  # waits for S_6
        |        S_8   v8 = a[i_1]         # waits for S_43
        |        S_9   v9 = v8 * 0.5       # waits for S_8
        |        S_10  v10 = i_1 + 2       # waits for S_6
        |        S_11  a[v10] = v9         # waits for S_9, S_10
        |        S_12  i_2 = i_1 + 1       # waits for S_6
        |        S_13  guard(i_2 < n - 2)  # waits for S_12
        |        S_14  v14 = a[i_2]        # waits for S_5
        |        S_15  v15 = v14 * 0.5     # waits for S_14
        |        S_16  v16 = i_2 + 2       # waits for S_12
        |        S_17  a[v16] = v15        # waits for S_15, S_16
        |        S_18  i_3 = i_2 + 1       # waits for S_12
        |        S_19  guard(i_3 < n - 2)  # waits for S_18
        |        S_20  v20 = a[i_3]        # waits for S_11
        |        S_21  v21 = v20 * 0.5     # waits for S_20
        |        S_22  v22 = i_3 + 2       # waits for S_18
        |        S_23  a[v22] = v21        # waits for S_21, S_22
        |        S_24  i_4 = i_3 + 1       # waits for S_18
        |        S_25  guard(i_4 < n - 2)  # waits for S_24
        |        S_26  v26 = a[i_4]        # waits for S_17
        |        S_27  v27 = v26 * 0.5     # waits for S_26
        |        S_28  v28 = i_4 + 2       # waits for S_24
        |        S_29  a[v28] = v27        # waits for S_27, S_28
        |        S_30  i_5 = i_4 + 1       # waits for S_24
        |        S_31  guard(i_5 < n - 2)  # waits for S_30
        |        S_32  v32 = a[i_5]        # waits for S_23
        |        S_33  v33 = v32 * 0.5     # waits for S_32
        |        S_34  v34 = i_5 + 2       # waits for S_30
        |        S_35  a[v34] = v33        # waits for S_33, S_34
        |        S_36  i_6 = i_5 + 1       # waits for S_30
        |        S_37  guard(i_6 < n - 2)  # waits for S_36
        |        S_38  v38 = a[i_6]        # waits for S_29
        |        S_39  v39 = v38 * 0.5     # waits for S_38
        |        S_40  v40 = i_6 + 2       # waits for S_36
        |        S_41  a[v40] = v39        # waits for S_39, S_40
        |        S_42  i_7 = i_6 + 1       # waits for S_36
        |        S_43  guard(i_7 < n - 2)  # waits for S_42
        |        S_44  v44 = a[i_7]        # waits for S_35
        |        S_45  v45 = v44 * 0.5     # waits for S_44
        |        S_46  v46 = i_7 + 2       # waits for S_42
        |        S_47  a[v46] = v45        # waits for S_45, S_46
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn arrays_of_a_run_are_drawn_in_each_form() {
    let mut player = Player::with(
        &[("a.lane", SCALE)],
        (80, 40),
        Settings { ascii: true, depth: Depth::None, ..Settings::default() },
    );
    player.keys("A");
    expect![[r#"
        |    out 8: plot: 0 to 3.5
        |    3.5 │                            ***
        |        │                         ***
        |        │                       **
        |        │                    ***
        |        │               *****
        |        │           ****
        |        │        ***
        |        │      **
        |        │   ***
        |      0 │***
        |         0                             7
    "#]]
    .assert_eq(&player.page(Pane::Details));
    let mut forms = Vec::new();
    for _ in 0..5 {
        player.keys("'");
        forms.push(player.status());
    }
    expect![[r#"
        arrays are drawn: plot
        arrays are drawn: waveform
        arrays are drawn: heat map
        arrays are drawn: image
        arrays are drawn: as its shape suggests"#]]
    .assert_eq(&forms.join("\n"));
    // An edit, and another run: before, difference, now.
    player.keys("@");
    assert!(player.status().starts_with("there is nothing to compare"), "{}", player.status());
    player.keys("1 G up end i");
    player.keys("\" + 1.0\" esc r r A @");
    assert!(player.page(Pane::Details).contains("before the edit"), "{}", player.page(Pane::Details));
    player.keys("@");
    assert!(player.page(Pane::Details).contains("all 1"), "{}", player.page(Pane::Details));
}

#[test]
fn the_shown_stage_is_the_one_whose_order_is_drawn() {
    let mut player = drawing(TURNED, (120, 60), "I");
    for _ in 0..12 {
        let Drawing::Iterations(space) = &player.state.shown.drawing else { panic!("{}", player.screen()) };
        assert_eq!(space.stage, queries::stages::STAGES[player.state.stage].name);
        player.keys(".");
    }
}

#[test]
fn what_has_no_picture_says_why() {
    let mut player = Player::new(&[("a.lane", TWO), ("b.lane", BROKEN)], (80, 24));
    for (keys, words) in [("I", "in no loop"), ("Q", "in no loop"), ("' ", "about the picture of arrays")] {
        player.keys(keys);
        assert!(player.screen().contains(words), "{keys}: {}", player.screen());
    }
    player.keys("o \"broken\" enter I");
    assert!(player.screen().contains("errors"), "{}", player.screen());
}

#[test]
fn pictures_are_written_as_svg_and_panes_as_html() {
    let mut player = drawing(SWEEP, (100, 40), "I 4 X enter");
    let written = |player: &Player, start: &str| {
        let found = player.done.iter().rev().find(|done| done.starts_with("Export"));
        let done = found.unwrap_or_else(|| panic!("{:?}", player.done)).clone();
        assert!(done.starts_with(start), "{done}");
        done
    };
    let svg = written(&player, "Export(\"sweep.iterations.svg\", \"<svg");
    assert!(svg.contains("class=\\\"flow\\\"") && svg.contains("</svg>"), "{svg}");
    for (keys, name) in [("Q 4", "statements"), ("A 4", "arrays")] {
        player.keys(keys).keys("X enter");
        written(&player, &format!("Export(\"sweep.{name}.svg\", \"<svg"));
    }
    player.keys("X ctrl-u \"all.html\" enter");
    let html = written(&player, "Export(\"all.html\", \"<!DOCTYPE html>");
    assert!(html.contains("kernel") && html.contains("Details"), "{html}");
    player.keys("1 X ctrl-u \"a.svg\" enter");
    assert!(player.status().starts_with("only pictures are written as SVG"), "{}", player.status());
}

/// Pictures are ASCII where the terminal has nothing else, at any size.
#[test]
fn pictures_fit_every_screen() {
    for ascii in [false, true] {
        let settings = Settings { ascii, depth: Depth::None, ..Settings::default() };
        for text in [SWEEP, TURNED, SHIFTED] {
            let mut player = Player::with(&[("a.lane", text)], (80, 24), settings.clone());
            player.keys("G up");
            for keys in ["I", "Q", "A", "'", "' z", "I"] {
                player.keys(keys);
                for size in [(40, 12), (80, 24), (120, 40), (200, 60)] {
                    player.happen(Event::Resize(size.0, size.1));
                    let screen = player.screen();
                    assert_eq!(screen.lines().count(), usize::from(size.1));
                    assert!(!ascii || screen.is_ascii(), "{keys} {size:?}\n{screen}");
                }
            }
        }
    }
}

/// The pictures that are pixels, with the area of each.
fn pixels(player: &Player) -> Vec<explorer::layout::Area> {
    explorer::views::images::images(&player.state).iter().map(|image| image.area).collect()
}

#[test]
fn arrays_are_pixels_where_the_terminal_has_them_and_nothing_covers_them() {
    let graphics = Graphics { protocol: Protocol::Kitty, ..Graphics::default() };
    let settings = Settings { depth: Depth::True, graphics, ..Settings::default() };
    let mut player = Player::with(&[("a.lane", SWEEP)], (120, 40), settings.clone());
    player.keys("G up A 4 z");
    let [map] = pixels(&player)[..] else { panic!("{}", player.screen()) };
    let body = player.state.body(Pane::Details);
    assert!(
        map.w > 4 && map.h > 2 && body.contains(map.x, map.y) && body.contains(map.x + map.w - 1, map.y + map.h - 1)
    );
    // The characters below are the same picture, so nothing else moves.
    let in_characters = player.screen();
    // A dialog covers it, another picture takes its place, and it is gone with its pane.
    player.keys("?");
    assert_eq!(pixels(&player), []);
    player.keys("esc");
    assert_eq!(pixels(&player), [map]);
    player.keys("I");
    assert_eq!(pixels(&player), []);
    player.keys("A");
    assert_eq!(pixels(&player), [map]);
    player.keys("w");
    assert_eq!(pixels(&player), []);
    player.keys("A 4 f \"x\" enter");
    assert_eq!(pixels(&player), []);
    // Of one that is scrolled, the rows that are in sight are drawn.
    player.keys("f ctrl-u enter");
    player.happen(Event::Resize(120, 8));
    let tall = explorer::views::images::images(&player.state);
    if let [image] = &tall[..] {
        assert!(usize::from(image.area.h) <= image.n_rows && image.area.h < 8);
    }
    player.happen(Event::Resize(120, 40));
    let blocks = Settings { graphics: Graphics::default(), ..settings };
    let mut other = Player::with(&[("a.lane", SWEEP)], (120, 40), blocks);
    other.keys("G up A 4 z");
    assert_eq!((pixels(&other), other.screen()), (Vec::new(), in_characters));
}
