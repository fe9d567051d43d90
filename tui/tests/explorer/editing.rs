//! Typing, undoing, selecting, formatting.

use super::*;
use explorer::event::{Event, MouseKind};

#[test]
fn typing_changes_the_stage() {
    let mut player = play(SCALE);
    player.keys("down down end i \" + 1.0\"");
    expect![[r#"
        ## Turns the volume up or down.
        kernel scale(samples, out, n, volume):
            for i in range(n):
                out[i] = samples[i] * volume + 1.0|
    "#]]
    .assert_eq(&player.source());
    expect![[r#"
        |    kernel scale(samples, out, n, volume):
        |        vector_for base in range(0, n, LANES):
        |            let i = (base + lane_id)
        |            let active = (i < n)
        | *          masked_store(out, i, ((masked_load(samples, i, active) * volume) + 1.0), active)
    "#]]
    .assert_eq(&player.page(Pane::Stage));
}

#[test]
fn letters_are_keys_until_one_edits_and_again_after_escape() {
    let mut player = play(SCALE);
    player.keys("x i x esc");
    assert!(player.source().starts_with("## Turns the volume up or down.\nkernel x|scale"), "{}", player.source());
    player.keys("u");
    assert!(player.source().contains("kernel |scale"), "{}", player.source());
    player.keys("u");
    assert_eq!(player.status(), "there is nothing to undo");
    player.keys("U");
    assert!(player.source().contains("kernel x|scale"));
}

#[test]
fn a_line_break_goes_on_with_the_block() {
    let mut player = play(SCALE);
    player.keys("down end i enter \"x = 1\" enter tab backspace \"y = 2\"");
    expect![[r#"
        ## Turns the volume up or down.
        kernel scale(samples, out, n, volume):
            for i in range(n):
                x = 1
                y = 2|
                out[i] = samples[i] * volume
    "#]]
    .assert_eq(&player.source());
}

#[test]
fn shift_selects_and_what_is_selected_can_be_cut_and_pasted() {
    let mut player = play("one two three\n");
    player.keys("i home shift-right shift-right shift-right shift-right ctrl-x end ctrl-v");
    assert_eq!(player.source(), "two threeone |\n");
    assert_eq!(player.done, ["Copy(\"one \")"]);
    player.keys("esc u u");
    assert_eq!(player.source(), "|one two three\n".replace("|one ", "one |"));
}

#[test]
fn a_paste_is_one_step_however_long() {
    let mut player = play("");
    player.happen(Event::Paste("kernel k():\r\n    pass\r".to_owned()));
    player.wait();
    assert_eq!(player.source(), "kernel k():\n    pass\n|");
    player.keys("esc u");
    assert_eq!(player.source(), "|");
}

#[test]
fn formatting_can_be_undone() {
    let mut player = play("kernel k(a):\n  a[0]=1\n");
    player.keys("F");
    assert_eq!(player.state.file().buffer.text(), "kernel k(a):\n    a[0] = 1\n");
    player.keys("u");
    assert_eq!(player.state.file().buffer.text(), "kernel k(a):\n  a[0]=1\n");
    player.keys("F F");
    assert!(player.status().starts_with("it has the canonical form already"), "{}", player.status());
}

#[test]
fn the_mouse_puts_the_cursor_where_it_points_past_hints_and_wide_characters() {
    let mut player = play("kernel k(漢, n):\n    漢[0] = n\n");
    // The line reads `kernel k(漢: f32[_], n: i32):`, behind four columns of numbers and marks.
    player.mouse(MouseKind::Press, 4 + 13, 1);
    assert_eq!(player.source(), "kernel k(漢|, n):\n    漢[0] = n\n");
    player.mouse(MouseKind::Press, 4 + 21, 1);
    assert_eq!(player.source(), "kernel k(漢, |n):\n    漢[0] = n\n");
    player.mouse(MouseKind::Press, 4 + 7, 2);
    player.mouse(MouseKind::Drag, 4 + 9, 2);
    assert_eq!(player.state.file().buffer.selection().map(|range| range.len()), Some(2));
}

#[test]
fn marks_move_along_with_what_is_typed_before_them() {
    let mut player = play("kernel k(a, n):\n    a[0] = m\n");
    let place = |player: &Player| {
        let found = player.state.file().words.diagnostics.iter().find(|found| found.message.contains("`m`"));
        let found = found.expect("an unknown name");
        player.state.file().buffer.text()[found.range].to_owned()
    };
    assert_eq!(place(&player), "m");
    // No answer is awaited here: the mark moves with the text.
    player.press("i");
    player.press("x");
    player.press("enter");
    assert_eq!(place(&player), "m");
    player.wait();
}
