//! LLVM IR for readers: its lines without debug information, which instead gives the source position of each line.

use std::collections::HashMap;

/// A line of LLVM IR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Text of the line without debug information.
    pub text: String,
    /// Line and column of the source, both counted from 1; a column of 0 is unknown.
    pub source: Option<(u32, u32)>,
}

/// Returns the lines of a module, with runs of empty lines merged into one.
pub fn lines(text: &str) -> Vec<Line> {
    let locations: HashMap<&str, (u32, u32)> = text.lines().filter_map(location).collect();
    let is_shown = |line: &&str| !line.starts_with('!') && !line.starts_with("source_filename");
    let mut lines: Vec<Line> = text.lines().filter(is_shown).map(|line| shown(line, &locations)).collect();
    lines.dedup_by(|line, before| line.text.is_empty() && before.text.is_empty());
    lines.pop_if(|line| line.text.is_empty());
    lines
}

fn shown(line: &str, locations: &HashMap<&str, (u32, u32)>) -> Line {
    let Some((code, behind)) = line.split_once(" !dbg ") else { return Line { text: line.to_owned(), source: None } };
    let number = behind.split([',', ' ']).next().unwrap_or_default();
    // The opening brace of a function follows its debug information.
    let brace = if line.ends_with('{') && !code.ends_with('{') { " {" } else { "" };
    Line { text: format!("{}{brace}", code.trim_end_matches(',')), source: locations.get(number).copied() }
}

/// Parses the number, line and column of a debug location: `!7 = !DILocation(line: 3, column: 2, scope: !4)`.
fn location(line: &str) -> Option<(&str, (u32, u32))> {
    let (number, rest) = line.split_once(" = ")?;
    let rest = rest.strip_prefix("distinct ").unwrap_or(rest).strip_prefix("!DILocation(")?;
    let field = |name: &str| {
        let value = rest.split([',', '(', ')']).find_map(|field| field.trim().strip_prefix(name)?.strip_prefix(": "));
        value.and_then(|value| value.parse().ok())
    };
    Some((number, (field("line")?, field("column").unwrap_or(0))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn locations_are_read() {
        assert_eq!(location("!7 = !DILocation(line: 3, column: 12, scope: !4)"), Some(("!7", (3, 12))));
        assert_eq!(location("!17 = distinct !DILocation(line: 3, scope: !4)"), Some(("!17", (3, 0))));
        assert_eq!(location("!4 = !DISubroutineType(types: !{})"), None);
        assert_eq!(location("!8 = !DILocation(line: 0, scope: !4)"), Some(("!8", (0, 0))));
    }

    #[test]
    fn what_is_for_a_debugger_is_left_out() {
        let text = "source_filename = \"k\"\n\ndefine void @k() !dbg !2 {\n  %a = add i32 1, 2, !dbg !7\n  ret void\n}\n\n\n\
                    !2 = distinct !DISubprogram(name: \"k\", line: 1)\n!7 = !DILocation(line: 3, column: 5, scope: !2)\n";
        let shown: String = lines(text).iter().map(|line| format!("{:24}{:?}\n", line.text, line.source)).collect();
        expect![[r#"
                                    None
            define void @k() {      None
              %a = add i32 1, 2     Some((3, 5))
              ret void              None
            }                       None
        "#]]
        .assert_eq(&shown);
    }
}
