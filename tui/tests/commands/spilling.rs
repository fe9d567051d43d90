//! `@no_spill`: a promise that machine code alone can break.

use super::*;

/// The programs of the page about a broken promise: one that breaks it, and one that keeps it.
fn programs() -> [String; 2] {
    let page = Folder::new(&[]).run(&["explain", "broken-no-spill"]).stdout;
    let mut blocks =
        page.split("```lane\n").skip(1).map(|rest| rest.split("```").next().unwrap_or_default().to_owned());
    [(); 2].map(|()| blocks.next().expect("two programs"))
}

#[test]
fn assembly_tells_how_much_lies_on_the_stack_and_of_which_lines() {
    if !has_llvm() {
        return;
    }
    let [broken, kept] = programs();
    let folder = Folder::new(&[("broken.lane", &broken), ("kept.lane", &kept)]);
    let run = folder.run(&["asm", "broken.lane", "--target", "avx2", "--json"]);
    assert_eq!(run.code, Some(1), "{run}");
    let report: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let found = &report["diagnostics"][0];
    assert_eq!((&found["code"], &found["range"]["line"]), (&"broken-no-spill".into(), &2.into()));
    let message = found["message"].as_str().expect("a message");
    assert!(message.contains("the machine code of `k` for avx2 has ") && message.contains(" vectors"), "{message}");
    assert!(message.ends_with(" accesses a turn"), "{message}");
    assert_eq!(found["related"][0]["range"]["line"], 4);
    let run = folder.run(&["asm", "kept.lane", "--target", "avx2", "--json"]);
    assert_eq!(run.code, Some(0), "{run}");
    // Neither holds where there is no machine code.
    assert_eq!(folder.run(&["check", "broken.lane", "--target", "avx2"]).code, Some(0));
}

#[test]
fn a_build_leaves_out_what_breaks_its_promise_on_one_of_its_targets() {
    if !has_llvm() {
        return;
    }
    let [broken, kept] = programs();
    let both = format!("{broken}\n{}", kept.replace("kernel k(", "kernel kept("));
    let folder = Folder::new(&[("both.lane", &both)]);
    let run = folder.run(&["build", "both.lane", "-o", "out", "--target", "sse4,avx2"]);
    assert_eq!(run.code, Some(1), "{run}");
    assert_eq!(run.stdout.matches("error[broken-no-spill]").count(), 1, "{run}");
    let header = std::fs::read_to_string(folder.path().join("out/both.h")).expect("a header");
    assert!(header.contains("kept(") && !header.contains(" k("), "{header}");
}

#[test]
fn above_a_kernel_all_of_its_code_counts() {
    if !has_llvm() {
        return;
    }
    let [broken, kept] = programs();
    let above = |text: &str| format!("@no_spill\n{}", text.replace("    @no_spill\n", ""));
    let folder = Folder::new(&[("broken.lane", &above(&broken)), ("kept.lane", &above(&kept))]);
    let run = folder.run(&["asm", "broken.lane", "--target", "avx2"]);
    assert!(
        run.code == Some(1) && run.stdout.contains("promises that this item keeps its values in registers"),
        "{run}"
    );
    assert_eq!(folder.run(&["asm", "kept.lane", "--target", "avx2"]).code, Some(0));
}
