//! Differences between two listings of a program, line by line and word by word.
//!
//! Compilers number their temporaries anew whenever something above them changes: `_4` becomes `_3`, `.LBB0_5` becomes
//! `.LBB0_2`. Lines are first matched with all such names as one, then the names of matched lines are put side by side:
//! as long as each old name always stands where the same new name does, nothing has changed. Of a line that changed and
//! the line that it changed to, the words that differ are marked.

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

use crate::colouring::program_line;
use crate::page::{Change, Frame, Line, Role};

/// Lines with less than this part of their words in common, in percent, are different lines.
const ALIKE: usize = 40;

/// Number of new lines among which the line that an old one changed to is looked for.
const NEAR: usize = 16;

/// Lines that differ: a range of the old ones, and that of the new ones that stand in their place.
pub type Hunk = (Range<usize>, Range<usize>);

/// The parts of two sequences that differ, in order: ranges of the old one and of the new one.
fn hunks<T: Hash + Eq>(old: impl Iterator<Item = T>, new: impl Iterator<Item = T>) -> Vec<Hunk> {
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner: Interner::new(0) };
    input.update_before(old);
    input.update_after(new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let range = |range: Range<u32>| range.start as usize..range.end as usize;
    diff.hunks().map(|hunk| (range(hunk.before), range(hunk.after))).collect()
}

/// The ranges of old lines, and of the new lines that they changed to, in which two listings of a program differ. Names that
/// are only numbered anew are no difference.
pub fn changes(old: &[&str], new: &[&str]) -> Vec<Hunk> {
    with_names(old, new).0
}

fn with_names<'t>(old: &[&'t str], new: &[&'t str]) -> (Vec<Hunk>, Names<'t>) {
    let changed = hunks(old.iter().map(|line| unnumbered(line)), new.iter().map(|line| unnumbered(line)));
    let mut names = Names::default();
    let mut changes: Vec<Hunk> = Vec::new();
    let mut add = |before: Range<usize>, after: Range<usize>| match changes.last_mut() {
        Some(last) if last.0.end == before.start && last.1.end == after.start => {
            *last = (last.0.start..before.end, last.1.start..after.end);
        }
        _ => changes.push((before, after)),
    };
    let (mut old_at, mut new_at) = (0, 0);
    for (before, after) in changed.into_iter().chain([(old.len()..old.len(), new.len()..new.len())]) {
        while new_at < after.start {
            if !names.agree(old[old_at], new[new_at]) {
                add(old_at..old_at + 1, new_at..new_at + 1);
            }
            (old_at, new_at) = (old_at + 1, new_at + 1);
        }
        (old_at, new_at) = (before.end, after.end);
        if !(before.is_empty() && after.is_empty()) {
            add(before, after);
        }
    }
    (changes, names)
}

/// Merges new and removed lines of a program into one listing with marks; `page` are the new lines as they are shown.
pub(crate) fn compared(old: &[String], new: &[String], page: Vec<Line>) -> Vec<Line> {
    let [old, new]: [Vec<&str>; 2] = [old, new].map(|lines| lines.iter().map(String::as_str).collect());
    let (changes, names) = with_names(&old, &new);
    merged(&old, &new, page, changes, names)
}

/// Merges like [`compared`], but the lines are those of a text, in which every name counts.
pub(crate) fn compared_texts(old: &[String], new: &[String], page: Vec<Line>) -> Vec<Line> {
    let [old, new]: [Vec<&str>; 2] = [old, new].map(|lines| lines.iter().map(String::as_str).collect());
    let changes = hunks(old.iter(), new.iter());
    merged(&old, &new, page, changes, Names::default())
}

fn merged<'t>(
    old: &[&'t str],
    new: &[&'t str],
    page: Vec<Line>,
    changes: Vec<Hunk>,
    mut names: Names<'t>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut page = page.into_iter();
    let mut new_at = 0;
    for (before, after) in changes {
        lines.extend(page.by_ref().take(after.start - new_at));
        let changed = page.by_ref().take(after.len()).collect();
        replaced(&old[before], &new[after.clone()], changed, &mut names, &mut lines);
        new_at = after.end;
    }
    lines.extend(page);
    lines
}

/// Adds lines that are gone and lines that are new, with the words marked in which two of them differ.
fn replaced<'t>(old: &[&'t str], new: &[&'t str], page: Vec<Line>, names: &mut Names<'t>, lines: &mut Vec<Line>) {
    let inside = lines.last().is_some_and(|line| matches!(line.frame, Frame::Top | Frame::Side));
    let frame = if inside { Frame::Side } else { Frame::None };
    let gone = |text: &&str| Line { change: Change::Removed, frame, ..program_line(*text) };
    let mut gone: Vec<_> = old.iter().map(gone).collect();
    let mut page: Vec<_> = page.into_iter().map(|line| Line { change: Change::Added, ..line }).collect();
    let mut next = 0;
    for (line, text) in gone.iter_mut().zip(old) {
        // The most alike of the lines behind the last one that was taken, so that pairs do not cross.
        let alike = new.iter().enumerate().skip(next).take(NEAR).map(|(n, other)| (likeness(text, other), n));
        let best = alike.max_by_key(|&(likeness, n)| (likeness, std::cmp::Reverse(n)));
        if let Some((_, n)) = best.filter(|(likeness, _)| *likeness >= ALIKE) {
            names.define(text, new[n]);
            mark_words(line, &mut page[n], names);
            next = n + 1;
        }
    }
    lines.extend(gone);
    lines.extend(page);
}

/// Returns how many percent of the words of two lines are in both.
fn likeness(one: &str, other: &str) -> usize {
    let (one, other) = (unnumbered(one), unnumbered(other));
    let (one, other) = (meaningful(&one), meaningful(&other));
    let changed = hunks(one.iter(), other.iter());
    let n_changed: usize = changed.iter().map(|(before, after)| before.len() + after.len()).sum();
    let all = one.len() + other.len();
    ((all - n_changed) * 100).checked_div(all).unwrap_or(0)
}

/// Returns the words of a line; two lines with the same brackets alone are not alike.
fn meaningful(line: &str) -> Vec<&str> {
    words(line).into_iter().map(|range| &line[range]).filter(|word| word.chars().any(char::is_alphanumeric)).collect()
}

fn mark_words(old: &mut Line, new: &mut Line, names: &Names<'_>) {
    let (old_words, new_words) = (words(&old.text), words(&new.text));
    let old_texts = old_words.iter().map(|range| &old.text[range.clone()]);
    let renamed = old_texts.map(|word| names.new_of.get(word).copied().unwrap_or(word));
    let changed = hunks(renamed, new_words.iter().map(|range| &new.text[range.clone()]));
    let mark = |line: &mut Line, words: &[Range<usize>]| {
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            line.spans.push((first.start..last.end, Role::ChangedWord));
        }
    };
    for (before, after) in changed {
        mark(old, &old_words[before]);
        mark(new, &new_words[after]);
    }
}

/// Cuts a line into words, single marks and blanks; a numbered name is one word.
fn words(line: &str) -> Vec<Range<usize>> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let names = numbered(line);
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let name = names.iter().find(|name| name.start == at);
        let len = match name {
            Some(name) => name.len(),
            None if is_word(c) => line[at..].find(|c| !is_word(c)).unwrap_or(line.len() - at),
            None => c.len_utf8(),
        };
        words.push(at..at + len);
        at += len;
    }
    words
}

/// Returns the names of a line that a compiler numbers: temporaries of Lane IR and of LLVM IR, names that several loops would
/// have in common (`base_1`), labels of assembly.
fn numbered(line: &str) -> Vec<Range<usize>> {
    const LABELS: [&str; 5] = [".LBB", ".LCPI", "LBB", "LCPI", ".Ltmp"];
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let is_value = c == '%' && line[at + 1..].starts_with(|c: char| c.is_ascii_digit());
        if !is_word(c) && !is_value {
            at += c.len_utf8();
            continue;
        }
        let skip = usize::from(is_value);
        let end = line[at + skip..].find(|c| !is_word(c)).map_or(line.len(), |len| at + skip + len);
        let word = &line[at..end];
        let is_temporary = word.starts_with('%') || stem(word).len() < word.len();
        if is_temporary || LABELS.iter().any(|start| word.starts_with(start)) {
            names.push(at..end);
        }
        at = end;
    }
    names
}

/// Returns a name without its number: `base` of `base_1`, and nothing of `_1`.
fn stem(word: &str) -> &str {
    let digits = |rest: &str| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit());
    match word.rsplit_once('_') {
        Some((stem, number)) if digits(number) && !word.starts_with(['.', 'L']) => stem,
        _ => word,
    }
}

/// Returns a line without the numbers of names.
fn unnumbered(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut at = 0;
    for range in numbered(line) {
        out += &line[at..range.start];
        let word = &line[range.clone()];
        let stem = stem(word);
        out += if stem.len() < word.len() { stem } else { "" };
        out.push('\0');
        at = range.end;
    }
    out + &line[at..]
}

/// The numbered names that stand for each other in the two listings.
#[derive(Default)]
struct Names<'t> {
    new_of: HashMap<&'t str, &'t str>,
    old_of: HashMap<&'t str, &'t str>,
}

impl<'t> Names<'t> {
    /// Lets the names that two lines define, if both define one, stand for each other.
    fn define(&mut self, old: &'t str, new: &'t str) {
        let first = |line: &'t str| {
            let name = &line[numbered(line).first()?.clone()];
            defines(line, name).then_some(name)
        };
        if let (Some(old), Some(new)) = (first(old), first(new)) {
            self.new_of.insert(old, new);
            self.old_of.insert(new, old);
        }
    }

    /// Puts the names of two lines side by side, and returns true if they are those that stood for each other before. A
    /// name that a line defines anew stands for what that line says.
    fn agree(&mut self, old: &'t str, new: &'t str) -> bool {
        let pairs = numbered(old).into_iter().zip(numbered(new)).map(|(old_at, new_at)| (&old[old_at], &new[new_at]));
        let mut agree = true;
        for (n, (old_name, new_name)) in pairs.enumerate() {
            let defines = n == 0 && defines(old, old_name);
            let known = (self.new_of.get(old_name).copied(), self.old_of.get(new_name).copied());
            let fits = defines
                || known.0.is_none_or(|known| known == new_name) && known.1.is_none_or(|known| known == old_name);
            agree &= fits;
            if fits {
                self.new_of.insert(old_name, new_name);
                self.old_of.insert(new_name, old_name);
            }
        }
        agree
    }
}

/// Returns true if a line defines the numbered name that is its first.
fn defines(line: &str, name: &str) -> bool {
    let line = line.trim_start();
    let line = ["let ", "for ", "vector_for "].iter().find_map(|word| line.strip_prefix(word)).unwrap_or(line);
    line.strip_prefix(name).is_some_and(|rest| rest.trim_start().starts_with(['=', ':', ' ']) || rest.starts_with(','))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    fn check(old: &str, new: &str, expected: Expect) {
        let (old, new) = (lines(old), lines(new));
        let page = new.iter().map(|line| program_line(line.clone())).collect();
        let mut shown = String::new();
        for line in compared(&old, &new, page) {
            let mark = match line.change {
                Change::Same => ' ',
                Change::Added => '+',
                Change::Removed => '-',
            };
            let mut at = 0;
            let mut text = String::new();
            for (range, _) in line.spans.iter().filter(|(_, role)| *role == Role::ChangedWord) {
                text += &format!("{}<{}>", &line.text[at..range.start], &line.text[range.clone()]);
                at = range.end;
            }
            shown += &format!("|{mark} {text}{}\n", &line.text[at..]);
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn temporaries_that_are_numbered_anew_are_no_change() {
        check(
            "let _0 = load(a)\nlet _1 = load(b)\nlet _2 = (_0 + _1)\nstore(c, _2)\n",
            "let _0 = load(b)\nlet _7 = (x + _0)\nstore(c, _7)\n",
            expect![[r#"
                |- let _0 = load(a)
                |  let _0 = load(b)
                |- let _2 = (<_0> + _1)
                |+ let _7 = (<x> + _0)
                |  store(c, _7)
            "#]],
        );
        check(
            "\tjle\t.LBB0_3\n\tnop\n.LBB0_3:\n\tvmulps\n",
            "\tjle\t.LBB7_1\n.LBB7_1:\n\tvmulps\n",
            expect![[r#"
                |  	jle	.LBB7_1
                |- 	nop
                |  .LBB7_1:
                |  	vmulps
            "#]],
        );
        check(
            "  %1 = add i32 %0, 2\n  ret i32 %1\n",
            "  %4 = add i32 %3, 2\n  ret i32 %4\n",
            expect![[r#"
            |    %4 = add i32 %3, 2
            |    ret i32 %4
        "#]],
        );
    }

    #[test]
    fn names_that_are_told_apart_by_a_number_are_too() {
        let old = "for base in range(n):\n    let i = base\nfor base_2 in range(n):\n    let i_2 = (base_2 + x)\n";
        let new = "for base in range(n):\n    let i = base\nfor base_1 in range(n):\n    let i_1 = (base_1 + y)\n";
        check(
            old,
            new,
            expect![[r#"
            |  for base in range(n):
            |      let i = base
            |  for base_1 in range(n):
            |-     let i_2 = (base_2 + <x>)
            |+     let i_1 = (base_1 + <y>)
        "#]],
        );
        let [old, new]: [Vec<&str>; 2] = [old, new].map(|text| text.lines().collect());
        assert_eq!(changes(&old, &new), [(3..4, 3..4)]);
        let texts = |text: &[&str]| text.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let page = new.iter().map(|line| program_line(*line)).collect();
        let lines = compared_texts(&texts(&old), &texts(&new), page);
        assert_eq!(lines.iter().filter(|line| line.change == Change::Added).count(), 2, "in a text every name counts");
    }

    #[test]
    fn another_temporary_in_the_same_place_is_a_change() {
        check(
            "let _0 = x\nlet _1 = y\nstore(a, _0)\n",
            "let _0 = x\nlet _1 = y\nstore(a, _1)\n",
            expect![[r#"
                |  let _0 = x
                |  let _1 = y
                |- store(a, <_0>)
                |+ store(a, <_1>)
            "#]],
        );
    }

    #[test]
    fn words_are_marked_in_lines_that_are_alike_and_no_others() {
        check(
            "for i in range(0, n):\n    out[i] = (a[i] * volume)\nlast\n",
            "for i in range(0, n, LANES):\n    out[i] = (a[i] * 2.0)\n    # quite another line\nlast\n",
            expect![[r#"
                |- for i in range(0, n):
                |-     out[i] = (a[i] * <volume>)
                |+ for i in range(0, n<, LANES>):
                |+     out[i] = (a[i] * <2.0>)
                |+     # quite another line
                |  last
            "#]],
        );
        check(
            "a\n",
            "b\n",
            expect![[r#"
            |- a
            |+ b
        "#]],
        );
    }
}
