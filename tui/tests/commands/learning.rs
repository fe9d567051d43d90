//! `lanescope learn`, where there is no terminal.

use super::*;

/// A lesson as it is printed, with the exit code. The user's texts are in the folder.
fn learn(folder: &Folder, args: &[&str]) -> (i32, String) {
    let state = folder.path().join("state.json");
    let output = command(folder.path(), &[&["learn"], args].concat()).env("LANESCOPE_STATE", state).output();
    let output = output.expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text") + &String::from_utf8_lossy(&output.stderr);
    (output.status.code().expect("it ends"), text)
}

#[test]
fn lessons_are_listed_and_kept() {
    let folder = Folder::new(&[]);
    let (code, list) = learn(&folder, &[]);
    assert_eq!(code, 0);
    assert!(list.starts_with(" 1        Many iterations at once\n") && list.lines().count() == 12, "{list}");
    let path = folder.path().join("lessons/01-lanes.lane");
    let text = std::fs::read_to_string(&path).expect("the lesson was written");
    std::fs::write(&path, text.replace("    for", "    @lanes(4)\n    for")).expect("a file");
    assert!(learn(&folder, &[]).1.starts_with(" 1  done  Many iterations at once\n"));
    let (code, lesson) = learn(&folder, &["1"]);
    assert!(code == 0 && lesson.contains("[x] the loop has 4 lanes"), "{code} {lesson}");
    let (_, again) = learn(&folder, &["1", "--reset"]);
    assert!(again.contains("[ ] the loop has 4 lanes"), "{again}");
}

#[test]
fn a_file_is_checked() {
    let folder = Folder::new(&[("a.lane", "kernel f(a: f32[n], n: i32):\n    for i in range(n):\n        a[i] = 1\n")]);
    let (code, text) = learn(&folder, &["1", "--check", "a.lane", "--target", "avx2"]);
    assert!(code == 1 && text.contains("[ ] the loop has 4 lanes\n    now it has 8 lanes"), "{code} {text}");
    assert_eq!(learn(&folder, &["1", "--check", "nowhere.lane"]).0, 2);
    assert_eq!(learn(&folder, &["13"]).0, 2);
    assert_eq!(learn(&folder, &["--check", "a.lane"]).0, 2);
}
