//! Line-by-line differences between two texts.

use std::time::Duration;

use anstyle::{AnsiColor, Style};
use driver::words::visible;
use similar::{ChangeTag, TextDiff};

use crate::console::Look;
use crate::highlight::FAINT;

/// Time limit for the search of the smallest difference; beyond it a larger one is shown.
const DIFF_TIME: Duration = Duration::from_secs(1);

/// Returns the changed lines, with a few lines of context.
pub(crate) fn diff(old: &str, new: &str, look: Look) -> String {
    const OLD: Style = AnsiColor::Red.on_default();
    const NEW: Style = AnsiColor::Green.on_default();
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(old, new);
    let mut drawn = String::new();
    for hunk in diff.unified_diff().context_radius(2).iter_hunks() {
        drawn += &look.paint(FAINT, &hunk.header().to_string());
        drawn.push('\n');
        for change in hunk.iter_changes() {
            let (mark, style) = match change.tag() {
                ChangeTag::Delete => ('-', OLD),
                ChangeTag::Insert => ('+', NEW),
                ChangeTag::Equal => (' ', Style::new()),
            };
            let line = change.value().trim_end_matches(['\r', '\n']);
            drawn += &look.paint(style, &format!("{mark}{}", visible(line)));
            drawn.push('\n');
        }
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_diff_shows_what_changes_and_little_else() {
        let old: String = (0..20).map(|n| format!("line {n}\n")).collect();
        let new = old.replace("line 3\n", "line three\n").replace("line 15\n", "");
        expect![[r#"
            @@ -2,5 +2,5 @@
             line 1
             line 2
            -line 3
            +line three
             line 4
             line 5
            @@ -14,5 +14,4 @@
             line 13
             line 14
            -line 15
             line 16
             line 17
        "#]]
        .assert_eq(&diff(&old, &new, Look::PLAIN));
    }
}
