//! Source text in colours, line by line, for terminals; control characters are made visible.

use anstyle::{AnsiColor, Style};
use driver::words::visible;
use syntax::{NodeOrToken, SourceFile, SyntaxKind, SyntaxNode, SyntaxToken};

use crate::console::Look;

/// Style of headings and prominent names.
pub(crate) const STRONG: Style = Style::new().bold();
/// Style of secondary text: line numbers, positions, hints.
pub(crate) const FAINT: Style = AnsiColor::BrightBlack.on_default();
/// Style of what gains something.
pub(crate) const GAIN: Style = AnsiColor::Green.on_default();
const KEYWORD: Style = AnsiColor::Magenta.on_default();
const NUMBER: Style = AnsiColor::Cyan.on_default();
const TYPE: Style = AnsiColor::Yellow.on_default();
const CALL: Style = AnsiColor::Blue.on_default();
const ITEM: Style = AnsiColor::Blue.on_default().bold();
const DOC: Style = AnsiColor::Green.on_default();

/// Renders the text of a tree as coloured lines.
pub(crate) fn lines(root: &SyntaxNode, look: Look) -> Vec<String> {
    let mut lines = vec![String::new()];
    let tokens = root.descendants_with_tokens().filter_map(NodeOrToken::into_token);
    for token in tokens {
        let style = style_of(&token);
        let text = token.text().replace("\r\n", "\n").replace('\r', "\n");
        for (n, part) in text.split('\n').enumerate() {
            if n > 0 {
                lines.push(String::new());
            }
            if let Some(line) = lines.last_mut() {
                line.push_str(&look.paint(style, &visible(part)));
            }
        }
    }
    // The line break at the end of a text does not start another line.
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

/// Renders Markdown with coloured headings, code and kernels; without colours, the lines stay as they are.
pub(crate) fn markdown(text: &str, look: Look) -> Vec<String> {
    if !look.colour {
        return text.lines().map(str::to_owned).collect();
    }
    let mut shown = Vec::new();
    let mut rest = text.lines();
    while let Some(line) = rest.next() {
        if let Some(language) = line.strip_prefix("```") {
            let source: Vec<_> = rest.by_ref().take_while(|line| !line.starts_with("```")).collect();
            shown.push(look.paint(FAINT, line));
            match language {
                "lane" => shown.extend(lines(&SourceFile::parse(&source.join("\n")).syntax(), look)),
                _ => shown.extend(source.iter().map(|line| (*line).to_owned())),
            }
            shown.push(look.paint(FAINT, "```"));
        } else if line.starts_with('#') {
            shown.push(look.paint(STRONG, line));
        } else {
            shown.push(with_code(line, look));
        }
    }
    shown
}

/// Colours the text between backticks.
fn with_code(line: &str, look: Look) -> String {
    let parts = line.split('`').enumerate();
    let painted = parts.map(|(n, part)| if n % 2 == 1 { look.paint(NUMBER, part) } else { part.to_owned() });
    painted.collect::<Vec<_>>().join("`")
}

fn style_of(token: &SyntaxToken) -> Style {
    use SyntaxKind::*;
    match token.kind() {
        COMMENT => FAINT,
        DOC_COMMENT => DOC,
        INT | FLOAT | TRUE_KW | FALSE_KW => NUMBER,
        AT => KEYWORD,
        kind if kind.is_keyword() => KEYWORD,
        IDENT => style_of_name(token),
        _ => Style::new(),
    }
}

/// Returns the style of a name by its role in the tree.
fn style_of_name(ident: &SyntaxToken) -> Style {
    use SyntaxKind::*;
    let Some(name) = ident.parent() else { return Style::new() };
    let is_callee = |node: &SyntaxNode| node.first_child().as_ref() == Some(&name);
    match name.parent().map(|parent| (parent.kind(), parent)) {
        _ if matches!(name.kind(), ENUM | MATCH_STMT | MATCH_CASE) => KEYWORD,
        Some((KERNEL | FN | STRUCT | ENUM | CONST, _)) => ITEM,
        Some((TYPE, _)) => self::TYPE,
        Some((ATTR, _)) => KEYWORD,
        Some((CALL_EXPR, call)) if is_callee(&call) => CALL,
        _ => Style::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, look: Look, expected: Expect) {
        let lines = lines(&SourceFile::parse(text).syntax(), look);
        expected.assert_eq(&lines.join("\n").replace('\x1b', "^"));
    }

    #[test]
    fn every_kind_of_name_has_its_colour() {
        let look = Look { colour: true, ..Look::PLAIN };
        check(
            "## Doc.\n@fast\nkernel a(x: f32[n]): # why\n    x[0] = sqrt(2.0) if true else n\n",
            look,
            expect![[r#"
            ^[32m## Doc.^[0m
            ^[35m@^[0m^[35mfast^[0m
            ^[35mkernel^[0m ^[1m^[34ma^[0m(x: ^[33mf32^[0m[n]): ^[90m# why^[0m
                x[^[36m0^[0m] = ^[34msqrt^[0m(^[36m2.0^[0m) ^[35mif^[0m ^[36mtrue^[0m ^[35melse^[0m n"#]],
        );
    }

    #[test]
    fn without_colour_the_text_is_the_text() {
        for text in ["", "kernel a(x):\n    pass", "x\n\ny\n", "# a\r\n# b\r# c"] {
            let shown = lines(&SourceFile::parse(text).syntax(), Look::PLAIN).join("\n");
            assert_eq!(shown, text.replace("\r\n", "\n").replace('\r', "\n").trim_end_matches('\n'));
        }
    }

    #[test]
    fn markdown_without_colour_is_the_markdown() {
        let text = "## a\n\nSay `x`.\n\n```lane\nconst A = 1\n\nconst B = 2\n```\n\n```text\n`\n```";
        assert_eq!(markdown(text, Look::PLAIN).join("\n"), text);
        let look = Look { colour: true, ..Look::PLAIN };
        expect![[r#"
            ^[1m## a^[0m

            Say `^[36mx^[0m`.

            ^[90m```lane^[0m
            ^[35mconst^[0m ^[1m^[34mA^[0m = ^[36m1^[0m

            ^[35mconst^[0m ^[1m^[34mB^[0m = ^[36m2^[0m
            ^[90m```^[0m

            ^[90m```text^[0m
            `
            ^[90m```^[0m"#]]
        .assert_eq(&markdown(text, look).join("\n").replace('\x1b', "^"));
    }

    #[test]
    fn nothing_in_a_source_steers_the_terminal() {
        check(
            "# \x1b[31m\u{9b}31m\x7f\n\tx",
            Look::PLAIN,
            expect![[r#"
            # ␛[31m<U+009B>31m␡
                x"#]],
        );
    }
}
