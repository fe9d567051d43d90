//! `fmt`: the changes that it makes, the files that it writes, and those it leaves alone.

use super::*;

const LOOSE: &str = "kernel  a( x,n ):\n  x[0]=n # é\n";

#[test]
fn files_are_brought_into_form_and_only_when_that_changes_them() {
    let folder = Folder::new(&[("a.lane", LOOSE), ("k/b.lane", WHOLE)]);
    let modified = |name: &str| folder.path().join(name).metadata().and_then(|data| data.modified()).expect("a time");
    let before = modified("k/b.lane");
    expect![[r#"
        a.lane changed
        2 files, 1 changed
        --- exit 0 ---
    "#]]
    .assert_eq(&folder.run(&["fmt", "a.lane", "k"]).to_string());
    expect![[r#"
        kernel a(x, n):
            x[0] = n  # é
    "#]]
    .assert_eq(&folder.read("a.lane"));
    assert_eq!(modified("k/b.lane"), before);
    expect![[r#"
        2 files, 0 changed
        --- exit 0 ---
    "#]]
    .assert_eq(&folder.run(&["fmt", "."]).to_string());
    let left: Vec<_> = folder.path().read_dir().expect("a folder").collect();
    assert_eq!(left.len(), 2, "no other file is left behind: {left:?}");
}

#[test]
fn a_check_changes_nothing() {
    let folder = Folder::new(&[("a.lane", LOOSE), ("b.lane", WHOLE)]);
    expect![[r#"
        ./a.lane would change
        2 files, 1 would change
        --- exit 1 ---
    "#]]
    .assert_eq(&folder.run(&["fmt", "--check", "."]).to_string());
    assert_eq!(folder.read("a.lane"), LOOSE);
    expect![[r#"
        1 file, 0 would change
        --- exit 0 ---
    "#]]
    .assert_eq(&folder.run(&["fmt", "--check", "b.lane"]).to_string());
}

#[test]
fn standard_input_goes_to_standard_output() {
    check_stdin(
        LOOSE,
        &["fmt", "-"],
        expect![[r#"
        kernel a(x, n):
            x[0] = n  # é
        --- exit 0 ---
    "#]],
    );
    check_stdin(
        LOOSE,
        &["fmt", "-", "--check"],
        expect![[r#"
        <stdin> would change
        1 file, 1 would change
        --- exit 1 ---
    "#]],
    );
    check_stdin(
        "",
        &["fmt", "-"],
        expect![[r#"
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn mistakes_are_not_its_business() {
    check_stdin(
        "kernel a( x )\n    x[0]=1\n    x[1] = = 2\n    x[ 2 ]=3\n",
        &["fmt", "-"],
        expect![[r#"
        kernel a( x )
            x[0] = 1
            x[1] = = 2
            x[2] = 3
        --- exit 0 ---
    "#]],
    );
}

#[test]
fn every_example_is_in_form() {
    let run = run(&root(), &["fmt", "--check", "examples"], "");
    assert_eq!(run.code, Some(0), "{run}");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::fs::{Permissions, metadata, set_permissions, symlink_metadata};
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = Folder::new(&[("a.lane", LOOSE), ("fixed.lane", LOOSE)]);
    let path = |name: &str| folder.path().join(name);
    set_permissions(path("a.lane"), Permissions::from_mode(0o640)).expect("permissions");
    set_permissions(path("fixed.lane"), Permissions::from_mode(0o444)).expect("permissions");
    symlink("a.lane", path("link.lane")).expect("a link");
    assert_eq!(folder.run(&["fmt", "link.lane"]).code, Some(0));
    assert_ne!(folder.read("a.lane"), LOOSE);
    assert_eq!(metadata(path("a.lane")).expect("a file").permissions().mode() & 0o777, 0o640);
    assert!(symlink_metadata(path("link.lane")).expect("a link").is_symlink());
    expect![[r#"
        1 file, 0 changed
        --- stderr ---
        lanescope: fixed.lane: cannot be written: the file is read-only
        --- exit 2 ---
    "#]]
    .assert_eq(&folder.run(&["fmt", "fixed.lane"]).to_string());
    assert_eq!(folder.read("fixed.lane"), LOOSE);
}
