//! The one canonical form: of a whole text, of a part, and of what has just been typed.

use lane::tree::{format_edits, format_range};
use report::{TextEdit, TextRange, TextSize};

/// The edits that bring a text into canonical form.
pub fn document(text: &str) -> Vec<TextEdit> {
    format_edits(text)
}

/// The edits that do so with the lines that a range touches.
pub fn range(text: &str, range: TextRange) -> Vec<TextEdit> {
    format_range(text, range)
}

/// The edits after a line break was typed in front of `offset`: the line that is done gets its form, and nothing in the
/// line that was begun is touched.
pub fn after_line_break(text: &str, offset: TextSize) -> Vec<TextEdit> {
    let offset = usize::from(offset).min(text.len());
    let Some(before) = text.get(..offset) else { return Vec::new() };
    let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let done = before[..line_start].trim_end_matches(['\n', '\r']);
    let done_start = done.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let done = TextRange::new(TextSize::new(done_start as u32), TextSize::of(done));
    format_range(text, done).into_iter().filter(|edit| edit.range.end() <= done.end()).collect()
}

/// The edits after the `:` at the end of an `elif` or `else` line was typed: the line is indented as its `if` is, which is
/// where an editor that indents by the line above does not put it.
pub fn after_colon(text: &str, offset: TextSize) -> Vec<TextEdit> {
    let Some((before, behind)) = text.split_at_checked(usize::from(offset)) else { return Vec::new() };
    let line_start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = &before[line_start..];
    let ends_line = line.ends_with(':') && (behind.is_empty() || behind.starts_with(['\n', '\r']));
    if !ends_line || !matches!(first_word(line), "elif" | "else") {
        return Vec::new();
    }
    // The lines around, innermost first: each is less deep than the one before, and so holds it. A comment holds nothing.
    let holds = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    let mut depth = depth_of(line);
    for above in before[..line_start].lines().rev().filter(holds) {
        let opens = matches!(first_word(above), "if" | "cif" | "elif");
        match depth_of(above).cmp(&depth) {
            std::cmp::Ordering::Less if opens => {
                let range = TextRange::at(TextSize::new(line_start as u32), TextSize::of(indentation(line)));
                return vec![TextEdit { range, text: indentation(above).to_owned() }];
            }
            std::cmp::Ordering::Less => depth = depth_of(above),
            std::cmp::Ordering::Equal if opens && depth == depth_of(line) => return Vec::new(),
            _ => {}
        }
    }
    Vec::new()
}

/// Returns true for a line with a block below it: the header of one, also while its colon is missing, or its first word is that
/// of another language.
pub fn heads_block(line: &str) -> bool {
    let code = line.split('#').next().unwrap_or_default().trim();
    let ends_in_value = code.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
    code.ends_with(':')
        || match first_word(code) {
            "kernel" | "fn" | "def" | "export" | "func" | "function" | "void" => {
                code.ends_with(')') || ends_in_value && code.contains("->")
            }
            "for" | "foreach" | "cfor" | "while" | "cwhile" | "if" | "cif" | "elif" | "struct" => {
                ends_in_value && code.contains(char::is_whitespace) && !code.contains(':')
            }
            "else" => code == "else",
            _ => false,
        }
}

/// The column that a line's indentation reaches, as the parser counts.
fn depth_of(line: &str) -> u32 {
    lane::tree::width(0, indentation(line))
}

fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start().len()]
}

fn first_word(line: &str) -> &str {
    line.trim_start().split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::Fixture;

    fn check(marked: &str, expected: Expect) {
        let fixture = Fixture::new(marked);
        let edits = match fixture.text[..fixture.offset().into()].ends_with(':') {
            true => after_colon(&fixture.text, fixture.offset()),
            false => after_line_break(&fixture.text, fixture.offset()),
        };
        // White space at the end of a line is hard to see, so it is shown.
        let show = |line: &str| {
            let end = line.trim_end_matches(' ');
            format!("{end}{}\n", "·".repeat(line.len() - end.len()))
        };
        expected.assert_eq(&report::apply_edits(&fixture.text, &edits).lines().map(show).collect::<String>());
    }

    #[test]
    fn a_line_that_is_done_gets_its_form() {
        check(
            "kernel k(a:f32[n],n:i32):\n    $0\n    a[0]=1\n",
            expect![[r#"
                kernel k(a: f32[n], n: i32):
                ····
                    a[0]=1
            "#]],
        );
        check(
            "kernel k(a):\n    a[ 0 ]=1\n    $0\n    a[1]=2\n",
            expect![[r#"
                kernel k(a):
                    a[0] = 1
                ····
                    a[1]=2
            "#]],
        );
        check(
            "kernel k(a):\n    a[ 0 ]=1   \n\n    $0",
            expect![[r#"
                kernel k(a):
                    a[0] = 1

                ····
            "#]],
        );
        check("$0", expect![[""]]);
    }

    #[test]
    fn a_header_gets_its_form_before_there_is_a_block() {
        check(
            "@lanes( 8 )\n$0",
            expect![[r#"
                @lanes(8)
            "#]],
        );
        check(
            "kernel k(a,n):\n    for i in range( n ) :\n        $0",
            expect![[r#"
                kernel k(a,n):
                    for i in range(n):
                ········
            "#]],
        );
    }

    #[test]
    fn a_header_without_its_colon_heads_a_block() {
        for line in [
            "kernel k(a, n):",
            "kernel k(a, n)",
            "fn f(x) -> f32",
            "def f(x):  # of Python",
            "export kernel k(a)",
            "    for i in range(n)",
            "    if a[i] > 0  # positive",
            "    else",
            "struct P",
        ] {
            assert!(heads_block(line), "{line}");
        }
        for line in [
            "",
            "# if a:",
            "    a[i] = f(x)",
            "    if",
            "    if c: pass",
            "    if a[i] >",
            "kernel k(a,",
            "## What it does.",
        ] {
            assert!(!heads_block(line), "{line}");
        }
    }

    #[test]
    fn an_else_goes_to_its_if_by_tabs_too() {
        // The editor goes on with what the lines above have, be it an error; the fix is one for the whole item.
        check(
            "kernel k(a):\n\tif a[0] > 1:\n\t\ta[0] = 1\n\t\telse:$0\n",
            expect![["kernel k(a):\n\tif a[0] > 1:\n\t\ta[0] = 1\n\telse:\n"]],
        );
        check(
            "kernel k(a):\n\tfor i in range(2):\n\t\tif a[0] > 1:\n\t\t\ta[0] = 1\n\t\t\telif a[0] > 0:$0\n",
            expect![["kernel k(a):\n\tfor i in range(2):\n\t\tif a[0] > 1:\n\t\t\ta[0] = 1\n\t\telif a[0] > 0:\n"]],
        );
        // A tab reaches as far as four spaces, so where both are used the line is held by the `if` that holds it for the parser.
        check(
            "kernel k(a):\n    if a[0] > 1:\n\t\ta[0] = 1\n\t\telse:$0\n",
            expect![["kernel k(a):\n    if a[0] > 1:\n\t\ta[0] = 1\n    else:\n"]],
        );
        check(
            "kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n\telse:$0\n",
            expect![["kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n\telse:\n"]],
        );
    }

    #[test]
    fn an_else_goes_to_its_if() {
        check(
            "kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n        else:$0\n",
            expect![[r#"
            kernel k(a):
                if a[0] > 1:
                    a[0] = 1
                else:
        "#]],
        );
        check(
            "kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n        elif a[0] > 0:$0",
            expect![[r#"
                kernel k(a):
                    if a[0] > 1:
                        a[0] = 1
                    elif a[0] > 0:
            "#]],
        );
        check(
            "kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n# or not\n        else:$0\n",
            expect![[r#"
                kernel k(a):
                    if a[0] > 1:
                        a[0] = 1
                # or not
                    else:
            "#]],
        );
        check(
            "kernel k(a):\n    if a[0] > 1:\n        a[0] = 1\n    else:$0\n",
            expect![[r#"
            kernel k(a):
                if a[0] > 1:
                    a[0] = 1
                else:
        "#]],
        );
        check(
            "kernel k(a):\n    a[0] = 1\n    else:$0\n",
            expect![[r#"
            kernel k(a):
                a[0] = 1
                else:
        "#]],
        );
    }
}
