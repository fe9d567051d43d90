//! Line-by-line differences between two texts.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use driver::words::visible;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token, sources};

use crate::console::Look;
use crate::highlight::FAINT;

/// Number of unchanged lines around a change.
const CONTEXT: u32 = 2;

/// Returns the changed lines, with a few lines of context.
pub(crate) fn diff(old: &str, new: &str, look: Look) -> String {
    const OLD: Style = AnsiColor::Red.on_default();
    const NEW: Style = AnsiColor::Green.on_default();
    let input = InternedInput::new(sources::lines(old), sources::lines(new));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (n_old, n_new) = (input.before.len() as u32, input.after.len() as u32);
    let mut drawn = String::new();
    for group in groups(diff.hunks()) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let before = first.before.start.saturating_sub(CONTEXT)..(last.before.end + CONTEXT).min(n_old);
        let after = first.after.start.saturating_sub(CONTEXT)..(last.after.end + CONTEXT).min(n_new);
        drawn += &look.paint(FAINT, &format!("@@ -{} +{} @@", place(&before), place(&after)));
        drawn.push('\n');
        let mut draw = |mark: char, style: Style, range: Range<u32>, tokens: &[Token]| {
            for token in &tokens[range.start as usize..range.end as usize] {
                let line = input.interner[*token].trim_end_matches(['\r', '\n']);
                drawn += &look.paint(style, &format!("{mark}{}", visible(line)));
                drawn.push('\n');
            }
        };
        let mut at = before.start;
        for hunk in &group {
            draw(' ', Style::new(), at..hunk.before.start, &input.before);
            draw('-', OLD, hunk.before.clone(), &input.before);
            draw('+', NEW, hunk.after.clone(), &input.after);
            at = hunk.before.end;
        }
        draw(' ', Style::new(), at..before.end, &input.before);
    }
    drawn
}

/// Joins changes whose context touches.
fn groups(hunks: impl Iterator<Item = Hunk>) -> Vec<Vec<Hunk>> {
    let mut groups: Vec<Vec<Hunk>> = Vec::new();
    for hunk in hunks {
        match groups.last_mut() {
            Some(group) if group.last().is_some_and(|last| hunk.before.start - last.before.end <= 2 * CONTEXT) => {
                group.push(hunk);
            }
            _ => groups.push(vec![hunk]),
        }
    }
    groups
}

/// Formats lines as the header of a unified difference does: the first, from 1 on, and their number unless it is 1. Where
/// there are none, it is the line before that is named.
fn place(lines: &Range<u32>) -> String {
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
}
