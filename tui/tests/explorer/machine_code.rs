//! Assembly: its page, its links to the source, two listings side by side, and differences. A fake LLVM with canned
//! output replaces the real one, whose output differs from version to version; one test uses the real one where it is
//! available.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use explorer::assembling::{Machinist, Nobody, Workers};
use explorer::page::Frame;
use explorer::state::Settings;
use native::client::Answer;
use native::protocol::{CompiledForm, Failure, Job, Outcome, Spec};

use super::*;
use expect_test::Expect;

/// The output of an LLVM for `scale` on AVX2.
const SCALE_AVX2: &str = include_str!("scale.avx2.s");

/// A fake LLVM that knows only `scale`. For fewer than eight lanes, its registers are half as wide, and an addition
/// takes one more instruction.
pub(crate) struct Canned;

impl Machinist for Canned {
    fn host(&self) -> Result<Spec, Failure> {
        let text = str::to_owned;
        Ok(Spec {
            triple: text("x86_64-unknown-linux-gnu"),
            cpu: text("canned"),
            features: text("+avx2"),
            position_independent: true,
        })
    }

    fn text(&self, ir: String, _: Spec, form: CompiledForm) -> Result<String, Failure> {
        if form == CompiledForm::Optimised {
            return Ok(ir);
        }
        if !ir.contains("@scale(") {
            return Err(Failure::Refused("this LLVM has seen scale only".to_owned()));
        }
        let added = if ir.contains("fadd") { "\tvaddps\t%ymm1, %ymm2, %ymm1\n\tvmovups" } else { "\tvmovups" };
        let text = SCALE_AVX2.replacen("\tvmovups", added, 1);
        Ok(if ir.contains("<8 x float>") { text } else { text.replace("%ymm", "%xmm").replace("\tv", "\t") })
    }

    fn intel(&self, ir: String, spec: Spec) -> Result<String, Failure> {
        Ok(self.text(ir, spec, CompiledForm::Assembly)?.replace('%', ""))
    }

    fn run(&self, job: Job, _: &[u8], stop: &AtomicBool) -> Answer {
        match job {
            Job::Bench { .. } if stop.load(Ordering::Relaxed) => Err(Failure::Cancelled),
            Job::Bench { .. } => Ok((
                Outcome::Timed { nanoseconds: vec![1000.0, 1200.0, 1100.0], counts: None, uncounted: None },
                Vec::new(),
            )),
            _ => Err(Failure::Trap("illegal instruction".to_owned())),
        }
    }
}

fn assembly_after(keys: &str, expected: Expect) {
    expected.assert_eq(&play(SCALE).keys(keys).page(Pane::Assembly));
}

#[test]
fn assembly_has_its_counts_its_loops_and_what_the_cursor_s_line_became() {
    assembly_after(
        "down down",
        expect![[r#"
            |    # instructions 22: 3 vector 14
            |    scalar 3 load 2 store 2 broadcast
            |    # hot loop of line 3, a turn for 8
            |    iterations: 1 vector 3 scalar 1
            |    load 1 store
            |    #   an iteration: 0.125 vector,
            |    0.375 scalar, 0.125 load, 0.125
            |    store
            |    #   estimated for Intel Skylake-SP:
            |    1 cycle a turn (0.125 an
            |    iteration), bound by units: p4;
            |    turns wait for each other 1 cycle
            |    along the 1 instruction with *
            |    #   o the longest way through a turn
            |    takes 10 cycles; turns overlap as
            |    far as nothing hinders
            |    scale:
            |    ▸ 7 lines: prologue
            |    .LBB0_2:
            | *  o vmulps (%rdi,%rax,4), %ymm1, %ymm2
            | *    vmovups %ymm2, (%rsi,%rax,4)
            |    * addq $8, %rax
            |      cmpq %rcx, %rax
            |      jl .LBB0_2
            |    ▸ 12 lines: remainder and end
            |
            |    ▸ 9 lines: constants
        "#]],
    );
    let player = play(SCALE);
    let frames = player.state.assembly_pane.page().lines.iter().filter(|line| line.frame != Frame::None);
    assert!(frames.count() > 2);
}

#[test]
fn a_line_of_assembly_lights_what_it_is_from_and_enter_goes_there() {
    let mut player = play(SCALE);
    player.keys("3 / \"vmulps\" enter");
    let light = player.state.light.range.expect("a light");
    assert_eq!(&SCALE[light], "out[i] = samples[i] * volume");
    assert!(!player.state.light.stage.is_empty(), "the stage's lines of that line of the source are lit too");
    player.keys("enter");
    assert_eq!((player.state.focus, player.state.file().buffer.cursor_line()), (Pane::Source, 3));
    // The link also works from the stage.
    player.keys("2 G");
    let lit = player.state.light.assembly.iter().map(|&n| player.state.assembly_pane.page().lines[n].text.as_str());
    assert!(lit.clone().any(|text| text.contains("vmulps")), "{:?}", lit.collect::<Vec<_>>());
}

#[test]
fn the_second_stands_beside_the_first_and_what_differs_is_marked() {
    let mut player = play(SCALE);
    player.keys("C \"sse4\" enter");
    assert!(player.page(Pane::Beside).contains("mulps") && !player.page(Pane::Beside).contains("vmulps"));
    assert!(player.screen().contains("sse4") && player.screen().contains("avx2"), "{}", player.screen());
    player.keys("3 d");
    assert!(player.status().starts_with("the loops on top are beside those of sse4"), "{}", player.status());
    let page = player.page(Pane::Assembly);
    let marks = |mark: char| page.lines().filter(|line| line.chars().nth(3) == Some(mark)).count();
    assert_eq!((marks('+'), marks('-')), (0, 0), "{page}");
    assert!(page.starts_with("|>   # loop of line 3"), "it begins with the loops: {page}");
    // Turns of 8 and of 4 iterations, of 5 instructions each, are compared by the iteration.
    for (row, numbers) in [("iterations a turn", "     8     4"), ("instructions each", " 0.625  1.25")] {
        assert!(page.lines().any(|line| line.contains(row) && line.ends_with(numbers)), "{row}\n{page}");
    }
    player.keys("5");
    assert_eq!(player.state.focus, Pane::Beside);
    player.keys("C \"nothing\" enter");
    assert_eq!(player.state.focus, Pane::Source);
}

#[test]
fn another_number_of_lanes_stands_beside_too() {
    let mut player = play(SCALE);
    player.keys("C \"avx2 x2\" enter");
    assert_eq!(player.state.settings.beside.map(|goal| goal.label()).as_deref(), Some("avx2 x2"));
    assert!(player.page(Pane::Beside).contains("mulps (%rdi,%rax,4), %xmm1"), "{}", player.page(Pane::Beside));
}

#[test]
fn the_same_thing_beside_itself_is_answered_once_for_both() {
    for keys in ["C \"avx2\" enter", "C \"sse4\" enter t \"sse4\" enter", "C \"avx2\" enter 1 down down i x"] {
        // At this width, both panes show the same page.
        let mut player = Player::new(&[("a.lane", SCALE)], (81, 24));
        player.keys(keys);
        assert!(player.state.wanted().is_empty(), "{keys}");
        assert_eq!(player.page(Pane::Beside), player.page(Pane::Assembly), "{keys}");
    }
}

#[test]
fn what_the_last_edit_changed_in_assembly_is_marked() {
    let mut player = play(SCALE);
    player.keys("3 d 1 g down down down end i \" + 1.0\"");
    let page = player.page(Pane::Assembly);
    let added: Vec<_> = page.lines().filter(|line| line.chars().nth(3) == Some('+')).collect();
    assert!(added.iter().any(|line| line.contains("vaddps")), "{page}");
}

#[test]
fn it_is_written_as_one_likes() {
    let mut player = play(SCALE);
    player.keys("S \"intel\" enter");
    let page = player.page(Pane::Assembly);
    assert!(page.contains("vmulps") && !page.contains('%'), "{page}");
    player.keys("S \"as it is made\" enter");
    let page = player.page(Pane::Assembly);
    assert!(page.contains("define") && page.contains("fmul") && !page.contains("!dbg"), "{page}");
    player.keys("1 down down");
    assert!(!player.state.light.assembly.is_empty(), "LLVM IR leads to the source too");
}

#[test]
fn what_comes_behind_the_last_stage_is_among_the_stages_and_opens_its_pane() {
    let mut player = play(SCALE);
    let offered = player.keys("s").screen();
    for stage in ["final", "llvm", "llvm-opt", "asm"] {
        assert!(offered.contains(&format!("  {stage} ")), "{stage}\n{offered}");
    }
    player.keys("\"llvm-opt\" enter");
    assert_eq!(player.state.focus, Pane::Assembly);
    assert!(player.page(Pane::Assembly).contains("define"), "{}", player.page(Pane::Assembly));
    player.keys("s \"asm\" enter");
    assert!(player.page(Pane::Assembly).contains("vmulps"), "{}", player.page(Pane::Assembly));
}

#[test]
fn what_has_no_machine_code_says_why() {
    for (text, keys, expected) in [
        (BROKEN, "", "No machine code of `broken`: it has errors, which `e` lists."),
        (TWO, "o \"twice\" enter", "it is no kernel, and becomes part of the kernels that use it."),
        (TWO, "o \"second\" enter", "No machine code: this LLVM has seen scale only."),
    ] {
        let page = play(text).keys(keys).page(Pane::Assembly);
        let words: Vec<_> = page.split_whitespace().filter(|word| *word != "|").collect();
        assert!(words.join(" ").contains(expected), "{page}");
    }
    let nobody = Arc::new(Nobody("there is no LLVM".to_owned()));
    let player = Player::with_machinist(&[("a.lane", SCALE)], (80, 24), Settings::default(), nobody);
    assert!(player.page(Pane::Assembly).contains("No machine code: there is no LLVM."));
}

/// A fake LLVM that crashes its process.
struct Dying;

impl Machinist for Dying {
    fn host(&self) -> Result<Spec, Failure> {
        Canned.host()
    }

    fn text(&self, _: String, _: Spec, _: CompiledForm) -> Result<String, Failure> {
        Err(Failure::Died("LLVM ERROR: out of registers".to_owned()))
    }

    fn intel(&self, _: String, _: Spec) -> Result<String, Failure> {
        panic!("it is not asked")
    }

    fn run(&self, _: Job, _: &[u8], _: &AtomicBool) -> Answer {
        Err(Failure::Died("LLVM ERROR: out of registers".to_owned()))
    }
}

#[test]
fn a_worker_that_dies_is_a_message_and_the_explorer_goes_on() {
    let mut player = Player::with_machinist(&[("a.lane", SCALE)], (120, 40), Settings::default(), Arc::new(Dying));
    assert!(player.screen().contains("LLVM ERROR: out of registers"), "{}", player.screen());
    player.keys("S \"intel\" enter");
    player.press("j");
    assert!(player.screen().contains("masked_store"));
}

#[test]
fn a_real_llvm_is_asked_in_both_writings() {
    if !has_llvm() {
        return;
    }
    let workers = Workers::of(env!("CARGO_BIN_EXE_lanescope"));
    let mut player = Player::with_machinist(&[("a.lane", SCALE)], (200, 60), Settings::default(), Arc::new(workers));
    let shape = |player: &Player| {
        let lines = &player.state.assembly_pane.page().lines;
        let shape = lines.iter().map(|line| {
            let name = line.text.split_whitespace().next().unwrap_or_default().to_owned();
            (name, line.source, line.frame)
        });
        shape.collect::<Vec<_>>()
    };
    let att = shape(&player);
    let multiplies = |(name, source, _): &(String, Option<syntax::TextRange>, Frame)| {
        name == "vmulps" && source.is_some_and(|range| &SCALE[range] == "out[i] = samples[i] * volume")
    };
    assert!(att.iter().any(|line| multiplies(line) && line.2 != Frame::None), "{att:?}");
    player.keys("S \"intel\" enter");
    let page = player.page(Pane::Assembly);
    assert!(page.contains("ymmword ptr ["), "{page}");
    assert_eq!(shape(&player).len(), att.len(), "line by line the same");
    assert!(
        page.contains("estimated for Intel Skylake-SP"),
        "what an instruction takes does not depend on how it is written: {page}"
    );
    player.keys("S \"optimised\" enter");
    assert!(player.page(Pane::Assembly).contains("fmul <8 x float>"), "{}", player.page(Pane::Assembly));
    for target in ["neon", "sve256", "rvv256", "avx512", "scalar"] {
        player.keys(&format!("S \"AT\" enter t \"{target}\" enter"));
        let lines = &player.state.assembly_pane.page().lines;
        assert!(lines.iter().any(|line| line.frame == Frame::Top), "{target}: {}", player.page(Pane::Assembly));
    }
}
