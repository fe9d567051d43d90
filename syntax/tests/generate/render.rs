//! Random white space that keeps a program's meaning.

use fastrand::Rng;

use super::{Line, Program, Role, Word};

pub(super) fn render(program: &Program, rng: Rng) -> String {
    let mut out = Renderer { rng, text: String::new(), line_end: "\n", columns: vec![0], neat: false };
    if out.rng.u8(..4) == 0 {
        out.line_end = "\r\n";
    }
    out.neat = out.rng.bool();
    if program.mark {
        out.text.push('\u{feff}');
    }
    out.lines(&program.lines);
    out.text
}

struct Renderer {
    rng: Rng,
    text: String,
    line_end: &'static str,
    /// Columns of the open blocks.
    columns: Vec<usize>,
    /// Set for spacing close to the canonical form.
    neat: bool,
}

impl Renderer {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn spaces(&mut self, n: usize) {
        let space = if self.neat || self.rng.u8(..8) > 0 { " " } else { "\t" };
        self.text.push_str(&space.repeat(n));
    }

    fn end_line(&mut self) {
        if self.chance(10) {
            self.spaces(2);
        }
        self.text.push_str(self.line_end);
    }

    fn lines(&mut self, lines: &[Line]) {
        for (n, line) in lines.iter().enumerate() {
            let above = n.checked_sub(1).map(|above| &lines[above]);
            let next = lines[n + 1..].iter().find(|line| line.role != Role::Comment);
            let joins = line.role == Role::Only
                && !line.blank
                && above.is_some_and(|above| !matches!(above.words.last(), Some(Word::Comment { .. })))
                && lines.get(n + 1).is_none_or(|below| below.depth < line.depth)
                && self.chance(50);
            if joins {
                let n_spaces = self.rng.usize(..3);
                self.spaces(n_spaces);
                self.words(&line.words);
                continue;
            }
            if let Some(above) = above {
                self.end_line();
                self.blank_lines(line, above);
            }
            if line.role == Role::Comment {
                let depth_below = next.map_or(0, |next| next.depth);
                self.comment_column(line, depth_below);
            } else {
                self.columns.truncate(line.depth + 1);
                if line.depth == self.columns.len() {
                    let step = if self.neat { 4 } else { self.rng.usize(2..7) };
                    self.columns.push(self.columns[line.depth - 1] + step);
                }
                self.text.push_str(&" ".repeat(self.columns[line.depth]));
            }
            self.words(&line.words);
        }
        for _ in 0..self.rng.usize(..3) {
            self.end_line();
        }
    }

    /// Adds blank lines above a line: those it has, and some where the formatter must remove them.
    fn blank_lines(&mut self, line: &Line, above: &Line) {
        let is = |line: &Line, n: usize, word: &str| line.words.get(n) == Some(&Word::Token(word.to_owned()));
        // A constant, or a kernel that is an instance of another one.
        let is_const = |line: &Line| is(line, 0, "const") || is(line, 0, "kernel") && is(line, 2, "=");
        let free = line.depth > above.depth
            || (line.role == Role::Item && above.role != Role::Comment && !is_const(above))
            || matches!(line.words.first(), Some(Word::Token(word)) if word == "else" || word == "elif");
        if (line.blank && !free) || (free && self.chance(30)) {
            for _ in 0..self.rng.usize(1..4) {
                self.end_line();
            }
        }
    }

    /// Indents a comment so that it belongs to its own block, given the depth of the code below it.
    fn comment_column(&mut self, comment: &Line, depth_below: usize) {
        let doc = matches!(&comment.words[..], [Word::Comment { text, .. }] if text.starts_with("##") && !text.starts_with("###"));
        let depth = comment.depth;
        // Behind a closed block, comments must stay left of its column.
        let most = self.columns.get(depth + 1).map_or(usize::MAX, |&inner| inner - 1);
        let least = if depth > depth_below { self.columns[depth] } else { 0 };
        let least = least.max(usize::from(doc)).min(most);
        let column = least + self.rng.usize(..6).min(most - least);
        self.columns.truncate(depth.max(depth_below) + 1);
        self.text.push_str(&" ".repeat(column));
    }

    fn words(&mut self, words: &[Word]) {
        let mut depth = 0;
        for (n, word) in words.iter().enumerate() {
            let last = n.checked_sub(1).map(|last| &words[last]);
            match word {
                Word::Comment { text, own_line } => {
                    if n > 0 && *own_line {
                        self.break_line(0);
                    } else if n > 0 {
                        let n_spaces = self.rng.usize(..4);
                        self.spaces(n_spaces);
                    }
                    self.text.push_str(text);
                }
                Word::Token(text) => {
                    if matches!(text.as_str(), ")" | "]") {
                        depth -= 1;
                    }
                    let inside = depth > 0 || matches!(text.as_str(), ")" | "]");
                    match last {
                        None => {}
                        Some(Word::Comment { .. }) => self.break_line(usize::from(!matches!(text.as_str(), ")" | "]"))),
                        Some(Word::Token(last)) => self.between(last, text, inside),
                    }
                    self.text.push_str(text);
                    if matches!(text.as_str(), "(" | "[") {
                        depth += 1;
                    }
                }
            }
        }
    }

    /// Adds a line break inside brackets, and the indentation of the line below, of `least` at least.
    fn break_line(&mut self, least: usize) {
        self.end_line();
        while self.chance(5) {
            self.end_line();
        }
        let column = least + self.rng.usize(..12);
        self.text.push_str(&" ".repeat(column));
    }

    fn between(&mut self, last: &str, next: &str, inside: bool) {
        // A line that ends in `:` could be read as a header.
        let may_break = inside && last != ":";
        if may_break && self.chance(if self.neat { 3 } else { 15 }) {
            return self.break_line(usize::from(!matches!(next, ")" | "]")));
        }
        let needed = usize::from(would_join(last, next));
        let n_spaces = if self.neat { 1 } else { self.rng.usize(needed..3.max(needed + 1)) };
        self.spaces(n_spaces.max(needed));
    }
}

/// Returns true if two adjacent tokens could be read as other tokens.
fn would_join(last: &str, next: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
    let (Some(end), Some(start)) = (last.chars().last(), next.chars().next()) else { return false };
    let name_and_field =
        |end: char| last != "." && !last.starts_with(|c: char| c.is_ascii_digit() || c == '.') && end != '.';
    if next == "." || last == "." {
        // A field's dot directly behind a number would be lexed as part of the number.
        return !(last == "." || name_and_field(end));
    }
    if is_word(end) && is_word(start) {
        return true;
    }
    let pair: String = [end, start].iter().collect();
    let pairs = [
        "//", "**", "<<", ">>", "<=", ">=", "==", "!=", "->", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "&&",
        "||", ":=", "=>",
    ];
    pairs.contains(&pair.as_str())
}
