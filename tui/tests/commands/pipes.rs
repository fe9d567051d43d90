//! Readers that are no terminals, or that close their end early.

use super::*;

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let text = BROKEN.repeat(5000);
    let folder = Folder::new(&[("a.lane", &text)]);
    for args in [&["check", "a.lane"][..], &["a.lane"], &["lower", "a.lane"], &["check", "a.lane", "--json"]] {
        let mut child = command(folder.path(), args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the command ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panic") && !stderr.contains("Broken pipe"), "{args:?}: {stderr}");
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    }
}

#[test]
fn no_colour_where_there_is_no_terminal() {
    let folder = Folder::new(&[("a.lane", BROKEN)]);
    for args in [&["check", "a.lane"][..], &["a.lane"]] {
        let output = command(folder.path(), args).env("CLICOLOR_FORCE", "1").output().expect("it runs");
        assert!(!output.stdout.contains(&0x1b), "{args:?}");
    }
}
