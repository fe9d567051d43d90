//! The lines of assembly that a reader looks at, each with its source line and its mark.

use super::mark::Mark;

/// A line of the text that may be shown.
pub(super) struct Raw<'t> {
    pub(super) text: &'t str,
    pub(super) source_line: Option<u32>,
    pub(super) mark: Option<Mark>,
    /// True for code, false for data.
    pub(super) code: bool,
}

/// The lines of code and of constants, without what is for the assembler and the debugger.
pub(super) fn sections(text: &str) -> Vec<Raw<'_>> {
    let (mut lines, mut section, mut source_line, mut mark) = (Vec::new(), Some(true), None, None);
    for line in text.lines() {
        let line = without_comment(line);
        let bare = line.trim();
        let mut words = bare.split_whitespace();
        let Some(first) = words.next() else { continue };
        if let Some(named) = section_named(first, words.next().unwrap_or_default()) {
            section = named;
            continue;
        }
        let Some(code) = section else { continue };
        if first == ".loc" {
            mark = Mark::of_location(bare);
            source_line =
                bare.split_whitespace().nth(2).and_then(|number| number.parse().ok()).filter(|&line| line > 0);
            continue;
        }
        let is_data = DATA.contains(&first);
        let is_shown = is_data && !code;
        if first.starts_with('.') && label_of(line).is_none() && !is_shown {
            continue;
        }
        lines.push(Raw { text: line, source_line: source_line.filter(|_| code), mark: mark.filter(|_| code), code });
    }
    lines
}

/// Directives that say what lies somewhere.
const DATA: &[&str] = &[
    ".byte", ".short", ".half", ".hword", ".2byte", ".long", ".word", ".4byte", ".quad", ".xword", ".dword", ".8byte",
    ".zero", ".ascii", ".asciz",
];

/// The section that a directive begins: `Some(Some(true))` for code, `Some(Some(false))` for constants, `Some(None)` for a
/// section that no reader needs; `None` if the directive begins none.
fn section_named(directive: &str, name: &str) -> Option<Option<bool>> {
    match directive {
        ".text" => Some(Some(true)),
        ".section" if name.starts_with(".text") || name.contains("__text") => Some(Some(true)),
        ".section" if name.starts_with(".rodata") || name.contains("__literal") || name.contains("__const") => {
            Some(Some(false))
        }
        ".section" | ".data" | ".bss" => Some(None),
        _ => None,
    }
}

/// A line without the assembler's comment behind it.
fn without_comment(line: &str) -> &str {
    let starts = [line.find("# "), line.find("// "), line.find("\t#"), line.find("\t//")];
    let end = starts.into_iter().flatten().min().unwrap_or(line.len());
    let end = if line.trim_start().starts_with('#') { 0 } else { end };
    line[..end].trim_end()
}

pub(super) fn label_of(line: &str) -> Option<&str> {
    let name = line.strip_suffix(':')?;
    let plain = !line.starts_with([' ', '\t']) && !name.contains(char::is_whitespace);
    plain.then(|| name.trim_matches('"'))
}

/// True if a label is local to the assembler, and not the name of a function.
pub(super) fn is_local(name: &str) -> bool {
    name.starts_with(".L")
        || name.starts_with("LBB")
        || name.starts_with("LCPI")
        || name.starts_with("Ltmp")
        || name.starts_with("L_")
}

pub(super) fn used_labels<'t>(lines: &[Raw<'t>]) -> Vec<&'t str> {
    let instructions = lines.iter().filter(|line| label_of(line.text).is_none());
    let words = instructions.flat_map(|line| line.text.split(|c: char| !is_label_char(c)));
    words.filter(|word| is_local(word)).collect()
}

pub(super) fn is_label_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '$')
}

/// A line with a single tab before the instruction and one space behind its name.
pub(super) fn shown(line: &str) -> String {
    if label_of(line).is_some() {
        return line.to_owned();
    }
    let bare = line.trim();
    match bare.split_once(char::is_whitespace) {
        Some((name, rest)) => format!("\t{name} {}", rest.trim()),
        None => format!("\t{bare}"),
    }
}
