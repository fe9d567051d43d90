//! Findings drawn on their source, as compilers do: the range underlined, related places beside it, and each fix as the
//! lines that it would produce.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Patch, Renderer, Snippet};
use driver::document::Document;
use driver::words::count;
use report::{Diagnostic, Fix, Severity, TextRange, TextSize};

use crate::console::Look;

/// Maximum number of edits of a fix that is drawn; a larger one repeats the same change in many places, and only its
/// title is shown.
const MAX_EDITS_DRAWN: usize = 8;

/// Maximum number of source bytes in a drawing; beyond it, only the position is shown. Lines of that length cannot be
/// read, and drawing them for each of their findings would take minutes.
const MAX_BYTES_DRAWN: usize = 16 * 1024;

/// Renders a finding, with an empty line behind it.
pub(crate) fn diagnostic(document: &Document, diagnostic: &Diagnostic, look: Look) -> String {
    let excerpt = Excerpt::around(document, diagnostic);
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code.name());
    let mut finding = match &excerpt {
        Some(excerpt) => title.element(draw_places(document, diagnostic, excerpt)),
        None => title.elements(name_places(document, diagnostic)),
    };
    if let Some(help) = &diagnostic.help {
        finding = finding.element(Level::HELP.message(help));
    }
    let fixes = diagnostic.fixes.iter().map(|fix| draw_fix(excerpt.as_ref(), fix));
    let report: Vec<_> = std::iter::once(finding).chain(fixes).collect();
    let renderer = if look.colour { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(look.width).render(&report) + "\n\n"
}

/// Returns the summary of findings, such as "2 errors, 1 note in 3 files", or nothing if there are none.
pub(crate) fn summary<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>, n_files: usize) -> Option<String> {
    let mut counts = [(Severity::Error, 0), (Severity::Warning, 0), (Severity::Note, 0)];
    for diagnostic in diagnostics {
        counts[diagnostic.severity as usize].1 += 1;
    }
    summary_of(counts, n_files)
}

/// The summary of counts of findings.
pub(crate) fn summary_of(counts: [(Severity, usize); 3], n_files: usize) -> Option<String> {
    let counts: Vec<_> =
        counts.iter().filter(|(_, n)| *n > 0).map(|&(severity, n)| count(n, severity.name())).collect();
    (!counts.is_empty()).then(|| format!("{} in {}", counts.join(", "), count(n_files, "file")))
}

/// Draws the places of a finding, underlined in their source.
fn draw_places<'a>(
    document: &'a Document,
    diagnostic: &'a Diagnostic,
    excerpt: &'a Excerpt,
) -> Snippet<'a, Annotation<'a>> {
    let related = diagnostic
        .related
        .iter()
        .map(|related| AnnotationKind::Context.span(excerpt.span(related.range)).label(&related.message));
    excerpt
        .snippet()
        .path(&document.name)
        .annotation(AnnotationKind::Primary.span(excerpt.span(diagnostic.range)))
        .annotations(related)
}

/// Lists the places of a finding as lines and columns.
fn name_places<'a>(document: &'a Document, diagnostic: &'a Diagnostic) -> Vec<Element<'a>> {
    let origin = |range: TextRange| {
        let place = document.place(range.start());
        Origin::path(&document.name).line(place.line as usize).char_column(place.column as usize)
    };
    let related = diagnostic
        .related
        .iter()
        .flat_map(|related| [Level::NOTE.message(&related.message).into(), origin(related.range).into()]);
    std::iter::once(origin(diagnostic.range).into()).chain(related).collect()
}

fn draw_fix<'a>(excerpt: Option<&'a Excerpt>, fix: &'a Fix) -> Group<'a> {
    let title = Level::HELP.secondary_title(&fix.title);
    match excerpt.filter(|_| fix.edits.len() <= MAX_EDITS_DRAWN) {
        Some(excerpt) => {
            let patches = fix.edits.iter().map(|edit| Patch::new(excerpt.span(edit.range), &edit.text));
            title.element(excerpt.snippet().patches(patches))
        }
        None => Group::with_title(title),
    }
}

/// The source lines around a finding. The drawing library processes its entire source for each finding, so it receives
/// only these lines.
struct Excerpt {
    text: String,
    first_line: usize,
    start: usize,
}

impl Excerpt {
    fn around(document: &Document, diagnostic: &Diagnostic) -> Option<Excerpt> {
        let related = diagnostic.related.iter().map(|related| related.range);
        let edits = diagnostic.fixes.iter().filter(|fix| fix.edits.len() <= MAX_EDITS_DRAWN);
        let edits = edits.flat_map(|fix| &fix.edits).map(|edit| edit.range);
        let whole = related.chain(edits).fold(diagnostic.range, TextRange::cover);
        let lines = document.lines();
        let (first, last) = (lines.line(whole.start()), lines.line(whole.end()));
        let range = lines.line_range(first).cover(lines.line_range(last));
        // A byte order mark is no column, so it is left out of the drawing.
        let mark = TextSize::of('\u{feff}');
        let starts_marked = range.start() < mark && whole.start() >= mark && document.text.starts_with('\u{feff}');
        let range = if starts_marked { TextRange::new(mark, range.end()) } else { range };
        (usize::from(range.len()) <= MAX_BYTES_DRAWN).then(|| Excerpt {
            text: with_plain_line_ends(&document.text[range]),
            first_line: first as usize + 1,
            start: range.start().into(),
        })
    }

    fn snippet<'a, T: Clone>(&'a self) -> Snippet<'a, T> {
        Snippet::source(&self.text).line_start(self.first_line)
    }

    fn span(&self, range: TextRange) -> Range<usize> {
        usize::from(range.start()) - self.start..usize::from(range.end()) - self.start
    }
}

/// Replaces lone `\r`, which end lines in Lane but not in the drawing library, and keeps all offsets.
fn with_plain_line_ends(text: &str) -> String {
    let mut chars = text.chars().peekable();
    let mut plain = String::with_capacity(text.len());
    while let Some(c) = chars.next() {
        plain.push(if c == '\r' && chars.peek() != Some(&'\n') { '\n' } else { c });
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use syntax::errors::SyntaxCode;

    fn drawn(text: &str) -> String {
        let document = Document::new("a.lane", text);
        document.diagnostics().iter().map(|found| diagnostic(&document, found, Look::PLAIN)).collect()
    }

    fn check(text: &str, expected: Expect) {
        expected.assert_eq(&drawn(text));
    }

    #[test]
    fn a_fix_is_drawn_as_the_line_it_leaves_behind() {
        check(
            "kernel a(x, n)\n    x[0] = n\n",
            expect![[r#"
            error[expected-colon]: expected `:` at the end of the `kernel` line
             --> a.lane:1:15
              |
            1 | kernel a(x, n)
              |               ^
              |
            help: write `:`
              |
            1 | kernel a(x, n):
              |               +

        "#]],
        );
        check(
            "kernel a(x, n):\n    if n = 1:\n        x[0] = n\n",
            expect![[r#"
            error[assignment-in-expression]: `=` assigns, and a condition is no place to
             --> a.lane:2:10
              |
            2 |     if n = 1:
              |          ^
              |
              = help: to compare, write `==`
            help: write `==`
              |
            2 |     if n == 1:
              |           +

        "#]],
        );
    }

    #[test]
    fn another_place_is_named_beside_the_first() {
        check(
            "kernel a(x, n):\n    x[0] = (n + 1\n    x[1] = 2\n",
            expect![[r#"
                error[unclosed-bracket]: this `(` is never closed
                 --> a.lane:2:12
                  |
                2 |     x[0] = (n + 1
                  |            ^     - `)` is missing here, or before
                  |
                help: write `)`
                  |
                2 |     x[0] = (n + 1)
                  |                  +

            "#]],
        );
    }

    #[test]
    fn tabs_emoji_and_wide_characters_keep_the_underline_below_its_place() {
        check(
            "kernel a(x): # 漢字 😀\n    x[0] =\t1 $ 2 # é\n",
            expect![[r#"
                error[bad-character]: `$` has no meaning here
                 --> a.lane:2:14
                  |
                2 |     x[0] =    1 $ 2 # é
                  |                 ^
                  |
                  = help: names are made of letters, digits and `_`
                help: remove it
                  |
                2 -     x[0] =    1 $ 2 # é
                2 +     x[0] =    1  2 # é
                  |

            "#]],
        );
        check(
            "kernel a(x):\n\tx[0] = 1\n\tx[1] = 1\n",
            expect![[r#"
            error[tab-indent]: 2 lines are indented with tabs
             --> a.lane:2:1
              |
            2 |     x[0] = 1
              | ^^^^
              |
              = help: indentation makes the blocks here, and a tab has no width that all editors agree on; use spaces
            help: indent with spaces
              |
            2 ~     x[0] = 1
            3 ~     x[1] = 1
              |

        "#]],
        );
    }

    #[test]
    fn a_byte_order_mark_is_not_drawn() {
        check(
            "\u{feff}kernel k(x: f32):\n    pass\n",
            expect![[r#"
            warning[unused-name]: the parameter `x` is never used
             --> a.lane:1:10
              |
            1 | kernel k(x: f32):
              |          ^
              |
            help: write `_x` to say that this is meant
              |
            1 | kernel k(_x: f32):
              |          +

        "#]],
        );
    }

    #[test]
    fn lines_may_end_in_any_way() {
        let lines = ["kernel a(x):", "    x[0] = 1", "    x[1] =", "    x[2] = 3", ""];
        let expected = drawn(&lines.join("\n"));
        for end in ["\r\n", "\r"] {
            assert_eq!(drawn(&lines.join(end)), expected, "{end:?}");
        }
        check(
            &lines.join("\r"),
            expect![[r#"
            error[expected-expression]: expected an expression after `=`, found the end of the line
             --> a.lane:3:11
              |
            3 |     x[1] =
              |           ^

        "#]],
        );
    }

    #[test]
    fn a_line_of_endless_length_is_not_drawn() {
        let text = format!("kernel a(x):\n    x[0] = ({}$\n    x[1] = n = 1\n", "1 + ".repeat(MAX_BYTES_DRAWN / 4));
        check(
            &text,
            expect![[r#"
                error[too-deep]: this chain of operators is longer than 600
                --> a.lane:2:2411
                 = help: name a part of it with `let`, or make it a `fn`

                error[bad-character]: `$` has no meaning here
                --> a.lane:2:16397
                 = help: names are made of letters, digits and `_`
                help: remove it

                error[chained-assignment]: a statement assigns once
                 --> a.lane:3:14
                  |
                3 |     x[1] = n = 1
                  |              ^
                  |
                  = help: write one assignment a line

            "#]],
        );
    }

    #[test]
    fn a_place_at_the_end_of_the_text_can_be_drawn() {
        for text in
            ["kernel a(x):", "kernel a(x):\n", "kernel a(x):\r", "kernel a(", "\u{feff}kernel", "kernel a(x):\n\n\n"]
        {
            let document = Document::new("a.lane", text);
            let end = Diagnostic::error(
                SyntaxCode::ExpectedName,
                TextRange::empty(TextSize::of(text)),
                "something is missing",
            );
            for found in document.diagnostics().iter().chain([&end]) {
                assert!(diagnostic(&document, found, Look::PLAIN).contains(&found.message), "{text:?}");
            }
        }
    }

    #[test]
    fn colour_is_there_only_when_asked_for() {
        let document = Document::new("a.lane", "kernel a(x)\n");
        let found = &document.diagnostics()[0];
        assert!(!diagnostic(&document, found, Look::PLAIN).contains('\x1b'));
        assert!(diagnostic(&document, found, Look { colour: true, ..Look::PLAIN }).contains('\x1b'));
    }

    #[test]
    fn the_summary_counts_what_there_is() {
        let error = Diagnostic::error(SyntaxCode::ExpectedName, TextRange::default(), "");
        let note = Diagnostic { severity: Severity::Note, ..error.clone() };
        assert_eq!(summary([], 1), None);
        assert_eq!(summary([&error], 1).as_deref(), Some("1 error in 1 file"));
        assert_eq!(summary([&error, &note, &error], 3).as_deref(), Some("2 errors, 1 note in 3 files"));
    }
}
