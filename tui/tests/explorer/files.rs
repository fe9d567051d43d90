//! Files: saving, changes by other programs, several open files, exports, quitting.

use super::*;
use explorer::event::Event;

#[test]
fn saving_writes_the_file_and_the_mark_goes() {
    let mut player = play(SCALE);
    player.keys("i \"my_\"");
    assert!(player.screen().lines().next().is_some_and(|title| title.contains("a.lane ●")), "{}", player.screen());
    player.keys("ctrl-s");
    assert!(player.disk[0].contains("kernel my_scale("));
    assert!(!player.screen().contains('●'));
}

#[test]
fn what_another_program_saves_is_shown_at_once_and_can_be_undone() {
    let mut player = play(SCALE);
    let theirs = SCALE.replace("volume)", "volume): # theirs").replace("theirs:", "theirs");
    player.happen(Event::Disk(0, Some(theirs.clone())));
    player.wait();
    assert_eq!(player.state.file().buffer.text(), theirs);
    assert!(!player.state.file().buffer.is_dirty());
    player.keys("u");
    assert_eq!(player.state.file().buffer.text(), SCALE);
}

#[test]
fn a_conflict_asks() {
    let theirs = SCALE.replace("scale", "theirs");
    let conflict = || {
        let mut player = play(SCALE);
        player.keys("i \"my_\" esc");
        player.disk[0] = theirs.clone();
        player.happen(Event::Disk(0, Some(theirs.clone())));
        player
    };
    let mut player = conflict();
    expect![[r#"
        | 1 a.lane ●                            │ 2 vector 7/11  my_scale           avx2
        | 1  ## Turns the volume up or down.    │  kernel my_scale(samples, out, n, volu…
        | 2 ▌kernel my_scale(samples, out, n, vo│      vector_for base in range(0, n, LA…
        | 3      for iᵛ in range(n): 8 lanes    │          let i = (base + lane_id)
        | 4┌─ a.lane was changed by another program ──────────────────────────────────┐
        | 5│ There are changes here that are not saved, and others on the disk.       │_…
        |  │                                                                          │
        |  │ t  take the disk's text (undo brings back yours)                         │
        |  │ k  keep yours; saving writes over the disk's                             │
        |  └──────────────────────────────────────────────────────────────────────────┘
        |                                       │
        |                                       │ 3 Assembly                        avx2
        |                                       │  No machine code: this LLVM has seen
        |                                       │  scale only.
        |                                       │
        | 4 Why Problems Run Lanes Variants     │
        |  kernel my_scale(samples: f32[_], out:│
        |  f32[_], n: i32, volume: f32)         │
        |                                       │
        |  Turns the volume up or down.         │
        |                                       │
        |                                       │
        | my_scale · line 3: 8 lanes · no problems · vector: loops in lanes: lan…   2:11
        | ? help  enter edit  , . stage  q quit  tab pane  d diff  w why  e problems
    "#]]
    .assert_eq(&player.framed());
    player.keys("t");
    assert_eq!(player.state.file().buffer.text(), theirs);
    player.keys("u");
    assert!(player.state.file().buffer.text().contains("my_scale"));
    let mut player = conflict();
    player.keys("k ctrl-s");
    assert!(player.disk[0].contains("my_scale"), "{}", player.disk[0]);
}

#[test]
fn a_save_over_something_unseen_asks() {
    let mut player = play(SCALE);
    player.disk[0] = "# theirs\n".to_owned();
    player.keys("i \"my_\" ctrl-s");
    expect![[r#"
        | 1 a.lane ●                    editing │ 2 vector 7/11  my_scale           avx2
        | 1  ## Turns the volume up or down.    │  kernel my_scale(samples, out, n, volu…
        | 2 ▌kernel my_scale(samples, out, n, vo│      vector_for base in range(0, n, LA…
        | 3      for iᵛ in range(n): 8 lanes    │          let i = (base + lane_id)
        | 4┌─ a.lane is not what was read ────────────────────────────────────────────┐
        | 5│ Another program has written it since.                                    │_…
        |  │                                                                          │
        |  │ w  write over it                                                         │
        |  │ t  take the disk's text (undo brings back yours)                         │
        |  │ c  do not save                                                           │
        |  └──────────────────────────────────────────────────────────────────────────┘
        |                                       │ 3 Assembly                        avx2
        |                                       │  No machine code: this LLVM has seen
        |                                       │  scale only.
        |                                       │
        | 4 Why Problems Run Lanes Variants     │
        |  kernel my_scale(samples: f32[_], out:│
        |  f32[_], n: i32, volume: f32)         │
        |                                       │
        |  Turns the volume up or down.         │
        |                                       │
        |                                       │
        | my_scale · line 3: 8 lanes · no problems · vector: loops in lanes: lan…   2:11
        | esc done  ctrl-s save  alt-u undo  ctrl-x cut  f1 help
    "#]]
    .assert_eq(&player.framed());
    player.keys("c");
    assert_eq!(player.disk[0], "# theirs\n");
    player.keys("ctrl-s w");
    assert!(player.disk[0].contains("my_scale"), "{}", player.disk[0]);
}

#[test]
fn quitting_with_changes_asks() {
    let mut player = play(SCALE);
    player.keys("i x esc q");
    expect![[r#"
        | 1 a.lane ●                            │ 2 vector 7/11  xscale             avx2
        | 1  ## Turns the volume up or down.    │  kernel xscale(samples, out, n, volume…
        | 2 ▌kernel xscale(samples, out, n, volu│      vector_for base in range(0, n, LA…
        | 3      for iᵛ in range(n): 8 lanes    │          let i = (base + lane_id)
        | 4┌─ There are changes that are not saved ───────────────────────────────────┐
        | 5│ a.lane                                                                   │_…
        |  │                                                                          │
        |  │ s  save and quit                                                         │
        |  │ d  quit, and lose what is not saved                                      │
        |  │ c  stay                                                                  │
        |  └──────────────────────────────────────────────────────────────────────────┘
        |                                       │ 3 Assembly                        avx2
        |                                       │  No machine code: this LLVM has seen
        |                                       │  scale only.
        |                                       │
        | 4 Why Problems Run Lanes Variants     │
        |  kernel xscale(samples: f32[_], out:  │
        |  f32[_], n: i32, volume: f32)         │
        |                                       │
        |  Turns the volume up or down.         │
        |                                       │
        |                                       │
        | xscale · line 3: 8 lanes · no problems · vector: loops in lanes: lane i…   2:9
        | ? help  enter edit  , . stage  q quit  tab pane  d diff  w why  e problems
    "#]]
    .assert_eq(&player.framed());
    player.keys("c");
    assert_eq!(player.done, [""; 0]);
    player.keys("q s");
    assert!(player.disk[0].contains("xscale"), "{}", player.disk[0]);
    assert_eq!(player.done, ["Quit"]);
}

#[test]
fn another_file_keeps_its_place_and_has_its_own_kernels() {
    let mut player = Player::new(&[("a.lane", SCALE), ("b.lane", TWO)], (80, 24));
    player.keys("down O \"b.l\" enter");
    assert!(player.page(Pane::Stage).contains("kernel first"), "{}", player.page(Pane::Stage));
    player.keys("o \"second\" enter O \"a.l\" enter");
    assert_eq!(player.state.file().buffer.cursor_line(), 2);
    assert!(player.page(Pane::Stage).contains("kernel scale"), "{}", player.page(Pane::Stage));
    player.keys("O \"b.l\" enter");
    assert!(player.page(Pane::Stage).contains("kernel second"), "{}", player.page(Pane::Stage));
}

#[test]
fn a_kernel_of_another_file_is_picked_by_its_name_alone() {
    let mut player = Player::new(&[("a.lane", SCALE), ("b.lane", TWO)], (80, 24));
    player.keys("o");
    expect![[r#"
        |┌─ Go to ──────────────────────────────────────────────────────────────────────┐
        |│ >                                                                            │
        |│ ▸ scale   kernel (samples, out, n, volume)                           line 2  │
        |│   first   kernel (a, n)                                       b.lane line 4  │
        |│   second  kernel (a, n)                                       b.lane line 8  │
        |└──────────────────────────────────────────────────────────────────────────────┘
        |                                       │
    "#]]
    .assert_eq(&player.framed().lines().skip(4).take(7).map(|line| format!("{line}\n")).collect::<String>());
    player.keys("\"second\" enter");
    assert_eq!((player.state.file().name.as_str(), player.state.focus), ("b.lane", Pane::Source));
    assert!(player.source().contains("kernel |second"), "{}", player.source());
    assert!(player.page(Pane::Stage).contains("kernel second"), "{}", player.page(Pane::Stage));
}

#[test]
fn a_pane_is_copied_and_written_as_text_and_as_json() {
    let mut player = play("kernel k(a):\n    a[0] = 1.0\n");
    player.keys("2 Y X enter X ctrl-u \"k.json\" enter");
    expect![[r#"
        Copy("kernel k(a):
            a[0] = 1.0
        ")
        Export("k.vector.txt", "kernel k(a):
            a[0] = 1.0
        ", false)
        Export("k.json", "{
          "version": 1,
          "file": "a.lane",
          "item": "k",
          "pane": "stage",
          "stage": "vector",
          "lines": [
            {
              "line": 1,
              "text": "kernel k(a):",
              "change": "same",
              "source_range": null
            },
            {
              "line": 2,
              "text": "    a[0] = 1.0",
              "change": "same",
              "source_range": {
                "line": 2,
                "column": 5,
                "end_line": 2,
                "end_column": 9
              }
            }
          ]
        }
        ", false)"#]]
    .assert_eq(&player.done.join("\n").replace("\\n", "\n").replace("\\\"", "\""));
}
