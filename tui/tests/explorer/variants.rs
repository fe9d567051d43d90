//! The comparison of targets, lanes and attributes in the details.

use explorer::page::Offer;
use explorer::state::AssemblyComparing;

use super::*;

const SUM: &str = "\
kernel sum(a: f32[n], n: i32) -> f32:
    s = 0.0
    for i in range(n):
        s += a[i]
    return s
";

/// Goes to the row of a name in the details.
fn go_to(player: &mut Player, name: &str) {
    player.keys("4 g");
    for _ in 0..40 {
        let view = player.state.page_view(Pane::Details).expect("a page");
        if view.line().is_some_and(|line| line.text.trim_start_matches(['*', ' ']).starts_with(&format!("{name} "))) {
            return;
        }
        player.keys("down");
    }
    panic!("no row {name} in\n{}", player.page(Pane::Details));
}

#[test]
fn the_table_has_a_row_for_each_variant() {
    let mut player = play(SUM);
    player.keys("V");
    expect![[r#"
        |    sum, loop in line 3: estimated cycles of an element
        |                      lanes  cycles  bound by  gathers  changes
        |    * avx2                1       4  chain           -  in order: ordered-float-sum
        |      sse4                1       4  chain           -  nothing changes
        |      avx512              1       6  chain           -  the same ops at other costs
        |      neon                1       4  chain           -  nothing changes
        |      sve128              1       4  chain           -  nothing changes
        |      sve256              1       4  chain           -  nothing changes
        |      sve512              1       4  chain           -  nothing changes
        |      rvv128              1       4  chain           -  nothing changes
        |      rvv256              1       4  chain           -  nothing changes
        |      rvv512              1       4  chain           -  nothing changes
        |      wasm                1       4  chain           -  nothing changes
        |      scalar              1       4  chain           -  nothing changes
        |      avx2, 4 lanes       1       4  chain           -  nothing changes
        |      avx2, 8 lanes       1       4  chain           -  nothing changes
        |      avx2, 16 lanes      1       4  chain           -  nothing changes
        |      avx2, 32 lanes      1       4  chain           -  nothing changes
        |      avx2, @reassoc  8 x 8    0.06  loads           -  8 lanes instead of one; bound by loads
        |      avx2, @fast     8 x 8    0.06  loads           -  8 lanes instead of one; bound by loads
        |
        |    `@reassoc`: the order of float sums
        |    and products changes, and with it
        |    their last bits, the same on all
        |    targets.
        |    `@fast`: sums are reordered, products
        |    and sums contracted, math functions
        |    approximate: bits may differ, between
        |    targets too.
        |    Cycles are estimated from each
        |    target's table, for arrays in the
        |    cache; `B` measures.
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn enter_on_a_target_shows_its_assembly_beside_the_present_one() {
    let mut player = play(SCALE);
    player.keys("V");
    go_to(&mut player, "sse4");
    player.keys("enter");
    let beside = player.state.settings.beside.expect("something beside");
    assert_eq!((beside.options.target.name, beside.options.lanes), ("sse4", None));
    assert_eq!(player.state.assembly_comparing, AssemblyComparing::Beside);
    assert_eq!(player.state.focus, Pane::Assembly);
    assert!(player.state.has_pane(Pane::Beside));
    // Esc goes back to where one was.
    player.keys("esc");
    assert_eq!(player.state.focus, Pane::Details);
}

#[test]
fn enter_on_an_attribute_shows_what_it_changes_and_writes_it() {
    let mut player = play(SUM);
    player.keys("V");
    go_to(&mut player, "avx2, @fast");
    let line = player.state.page_view(Pane::Details).and_then(|view| view.line()).cloned().expect("a line");
    assert!(matches!(line.offer, Some(Offer::Change(..))), "{line:?}");
    player.keys("enter");
    assert!(player.screen().contains("+ @fast"), "{}", player.screen());
    player.keys("enter");
    assert!(player.state.file().buffer.text().starts_with("@fast\nkernel sum"), "{}", player.source());
    // The table is about the new text then, and offers the way back.
    go_to(&mut player, "avx2, without @fast");
    player.keys("enter enter");
    assert_eq!(player.state.file().buffer.text(), SUM);
}

#[test]
fn a_text_with_errors_or_without_a_kernel_says_so() {
    let mut player = play("kernel k(a, n):\n    for i in range(n):\n        a[i] = nope\n");
    player.keys("V");
    expect![[r#"
        |    k has errors, or no loop of it is
        |    left, so there is nothing to
        |    estimate.
    "#]]
    .assert_eq(&player.page(Pane::Details));
    let mut player = play("const A = 1\n");
    player.keys("V");
    expect![[r#"
        |    A is no kernel; put the cursor in
        |    one, or pick one with o.
    "#]]
    .assert_eq(&player.page(Pane::Details));
}

#[test]
fn the_screen_with_the_table() {
    let mut player = Player::new(&[("a.lane", SUM)], (120, 40));
    player.keys("V V z");
    let screen = player.framed();
    assert!(screen.contains("Variants") && screen.contains("rvv512"), "{screen}");
    player.keys("z");
    player.happen(explorer::event::Event::Resize(40, 12));
    player.wait();
    player.keys("V");
    assert!(player.screen().contains("avx2"), "{}", player.screen());
}
