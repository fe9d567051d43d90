//! Line-by-line differences between two texts.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use driver::words::visible;
use explorer::comparing::{Hunk, changes};
use imara_diff::{Algorithm, Diff, InternedInput, sources};

use crate::console::Look;
use crate::highlight::FAINT;

/// Number of unchanged lines around a change.
const CONTEXT: usize = 2;

/// Returns the changed lines of a text, with a few lines of context.
pub(crate) fn diff(old: &str, new: &str, look: Look) -> String {
    let input = InternedInput::new(sources::lines(old), sources::lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    let changes = diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect();
    draw(&lines(old), &lines(new), changes, look)
}

/// Returns the changed lines of a program at two stages; temporaries that are numbered anew are no change.
pub(crate) fn diff_of_stages(old: &str, new: &str, look: Look) -> String {
    let (old, new) = (lines(old), lines(new));
    let changes = changes(&old, &new);
    draw(&old, &new, changes, look)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn draw(old: &[&str], new: &[&str], changes: Vec<Hunk>, look: Look) -> String {
    const OLD: Style = AnsiColor::Red.on_default();
    const NEW: Style = AnsiColor::Green.on_default();
    let mut drawn = String::new();
    for group in groups(changes) {
        let (Some((first, first_new)), Some((last, last_new))) = (group.first(), group.last()) else { continue };
        let before = first.start.saturating_sub(CONTEXT)..(last.end + CONTEXT).min(old.len());
        let after = first_new.start.saturating_sub(CONTEXT)..(last_new.end + CONTEXT).min(new.len());
        drawn += &look.paint(FAINT, &format!("@@ -{} +{} @@", place(&before), place(&after)));
        drawn.push('\n');
        let mut draw = |mark: char, style: Style, lines: &[&str]| {
            for line in lines {
                let line = line.trim_end_matches(['\r', '\n']);
                drawn += &look.paint(style, &format!("{mark}{}", visible(line)));
                drawn.push('\n');
            }
        };
        // Lines that stay are shown as they are now.
        let mut at = after.start;
        for (before, after) in &group {
            draw(' ', Style::new(), &new[at..after.start]);
            draw('-', OLD, &old[before.clone()]);
            draw('+', NEW, &new[after.clone()]);
            at = after.end;
        }
        draw(' ', Style::new(), &new[at..after.end]);
    }
    drawn
}

/// Joins changes whose context touches.
fn groups(changes: Vec<Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for change in changes {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| change.0.start - last.0.end <= 2 * CONTEXT) => {
                group.push(change);
            }
            _ => groups.push(vec![change]),
        }
    }
    groups
}

/// Formats lines as the header of a unified difference does: the first, from 1 on, and their number unless it is 1. Where
/// there are none, it is the line before that is named.
fn place(lines: &Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        n => format!("{},{n}", lines.start + 1),
    }
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

    #[test]
    fn a_change_at_an_edge_has_the_context_that_there_is() {
        assert_eq!(diff("", "a\n", Look::PLAIN), "@@ -0,0 +1 @@\n+a\n");
        assert_eq!(diff("a\nb\n", "b\n", Look::PLAIN), "@@ -1,2 +1 @@\n-a\n b\n");
        assert_eq!(diff("a\r\nb", "a\nb", Look::PLAIN), "@@ -1,2 +1,2 @@\n-a\n+a\n b\n");
        assert_eq!(diff("a\n", "a\n", Look::PLAIN), "");
    }

    #[test]
    fn between_stages_a_temporary_may_have_another_number() {
        let (old, new) = ("let _0 = a\nlet _3 = b\nc[_3] = _0\n", "let _1 = b\nc[_1] = 2\n");
        expect![[r#"
            @@ -1,3 +1,2 @@
            -let _0 = a
             let _1 = b
            -c[_3] = _0
            +c[_1] = 2
        "#]]
        .assert_eq(&diff_of_stages(old, new, Look::PLAIN));
        assert!(diff(old, new, Look::PLAIN).contains("-let _3 = b\n"), "in a text every name counts");
    }
}
