//! The output on a real terminal.

use std::fs::{File, OpenOptions};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::*;

/// Runs the command with a terminal as standard output and standard error, and returns the terminal's input.
fn on_a_terminal(folder: &Folder, args: &[&str], variables: &[(&str, &str)]) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&ours).expect("a terminal");
    unlockpt(&ours).expect("a terminal");
    let path = ptsname(&ours, Vec::new()).expect("a terminal's name");
    let theirs = OpenOptions::new().read(true).write(true).open(path.to_str().expect("UTF-8")).expect("a terminal");
    let mut child = command(folder.path(), args);
    child.envs(variables.iter().copied()).stdin(Stdio::null());
    child.stdout(theirs.try_clone().expect("a copy")).stderr(theirs);
    let mut running = child.spawn().expect("the command starts");
    // Reading ends only once all other handles of the terminal are closed, and the builder holds one.
    drop(child);
    let mut bytes = Vec::new();
    // The end of a terminal is an error on Linux, and an end of file on other systems.
    let _ = File::from(ours).read_to_end(&mut bytes);
    running.wait().expect("the command ends");
    String::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n")
}

#[test]
fn colour_on_a_terminal_but_not_with_no_color() {
    let folder = Folder::new(&[("a.lane", BROKEN)]);
    for args in [&["check", "a.lane"][..], &["a.lane"], &["lower", "--stage", "list"]] {
        assert!(on_a_terminal(&folder, args, &[]).contains("\x1b["), "{args:?}");
        let plain = on_a_terminal(&folder, args, &[("NO_COLOR", "1")]);
        assert!(!plain.contains('\x1b'), "{args:?}: {plain}");
        assert_eq!(plain, folder.run(args).stdout, "{args:?}");
    }
}

#[test]
fn a_check_of_the_form_shows_the_difference() {
    let folder = Folder::new(&[("a.lane", "kernel a(x):\n  x[0]=1\n")]);
    expect![[r#"
        a.lane would change
        @@ -1,2 +1,2 @@
         kernel a(x):
        -  x[0]=1
        +    x[0] = 1
        1 file, 1 would change
    "#]]
    .assert_eq(&on_a_terminal(&folder, &["fmt", "--check", "a.lane"], &[("NO_COLOR", "1")]));
}

#[test]
fn progress_over_many_files_leaves_nothing_behind() {
    let names: Vec<_> = (0..30).map(|n| format!("{n}.lane")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), WHOLE)).collect();
    let shown = on_a_terminal(&Folder::new(&files), &["check", "."], &[]);
    assert!(shown.starts_with("\r\x1b[Kchecking 1/30 ./0.lane"), "{shown:?}");
    assert!(shown.ends_with("\r\x1b[K30 files: nothing to complain about\n"), "{shown:?}");
    let few = on_a_terminal(&Folder::new(&files[..3]), &["check", "."], &[]);
    assert_eq!(few, "3 files: nothing to complain about\n");
}
