//! `explain`: the pages of codes.

use super::*;

#[test]
fn a_code_has_a_page() {
    let run = Folder::new(&[]).run(&["explain", "tab-indent"]);
    let page = tui::catalogue::page("tab-indent").expect("a page");
    assert_eq!(run.to_string(), format!("{page}\n--- exit 0 ---\n"));
    check(
        &[],
        &["explain", "tab-indnet"],
        expect![[r#"
        --- stderr ---
        error: invalid value 'tab-indnet' for '<CODE>': there is no such code; did you mean `tab-indent`?

        For more information, try '--help'.
        --- exit 2 ---
    "#]],
    );
}
