//! The words of Lane IR, explained where they stand in a view: what an op means, and what it keeps busy on a target.
//!
//! A view is a text without a program behind it, so a line of it is all that is needed. What an op takes is that of the target's
//! [table](ir::target::Costs), by which passes and estimates count, too.

use ir::ops::{Code, PrintForm, Row};
use ir::target::Target;
use report::lanes::costs::shown;
use report::{TextRange, TextSize};

/// A word of a view, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageWord {
    /// The place of the word in its line.
    pub range: TextRange,
    /// The explanation, as Markdown.
    pub text: String,
}

/// Words of Lane IR that are no ops.
const WORDS: &[(&str, &str)] = &[
    ("kernel", "A function that callers call by its name, with its parameters."),
    (
        "vector_for",
        "A loop whose iterations run in groups: as many as there are lanes at a time. Its index is that of the first lane.",
    ),
    ("for", "A loop whose iterations run one after the other."),
    ("foreach", "A loop whose iterations may run in any order, and together."),
    ("while", "A loop that runs as long as its condition holds."),
    ("let", "Gives a value a name. It never changes."),
    ("with", "Values that a loop hands from one iteration to the next, each with what it starts as."),
    ("yield", "The values that an iteration hands to the next one, or a branch to what is behind it."),
    ("LANES", "The number of lanes in force here."),
    ("lane_id", "The number of each lane, from 0."),
    ("if", "Runs one of two blocks."),
    ("else", "The other one of two blocks."),
    ("return", "The result of the kernel."),
];

/// Explains the word of Lane IR at an offset of a line.
pub fn explain_word(line: &str, offset: TextSize, target: &Target) -> Option<StageWord> {
    let at = usize::from(offset).min(line.len());
    if !line.is_char_boundary(at) || line[..at].contains('#') {
        return None;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (word, start) = run_around(line, at, is_part).or_else(|| {
        let is_sign = |c: char| "+-*/%<>=!&|^~".contains(c);
        run_around(line, at, is_sign)
    })?;
    let range = TextRange::at(TextSize::new(start as u32), TextSize::of(word));
    let behind = line[start + word.len()..].trim_start();
    if let Some((_, meaning)) = WORDS.iter().find(|(name, _)| *name == word) {
        return Some(StageWord { range, text: format!("`{word}`\n\n{meaning}") });
    }
    let row = row_of(word, behind)?;
    let mut text = format!("```lane-ir\n{}\n```\n\n{}", row.1.example, row.1.meaning);
    if let Some(words) = takes(row.0, target) {
        text += &format!("\n\n{}: {words}", target.name);
    }
    Some(StageWord { range, text })
}

/// The letters of a kind around a place, with where they start.
fn run_around(line: &str, at: usize, is_part: impl Fn(char) -> bool) -> Option<(&str, usize)> {
    let before = &line[..at];
    let start = before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(at, |(start, _)| start);
    let end = at + line[at..].chars().take_while(|c| is_part(*c)).map(char::len_utf8).sum::<usize>();
    (start < end).then(|| (&line[start..end], start))
}

/// The op that a word stands for; a name is one where it is called, or before a cell that is accessed.
fn row_of(word: &str, behind: &str) -> Option<(Code, &'static Row)> {
    let all = || Code::all().map(|code| (code, code.row()));
    let is_called = behind.starts_with('(');
    let fits = |row: &Row| match row.form {
        PrintForm::Call | PrintForm::Convert => is_called && row.name == word,
        PrintForm::Infix(sign) | PrintForm::Prefix(sign) => sign == word || is_called && row.name == word,
        _ => false,
    };
    if let Some(found) = all().find(|(_, row)| fits(row)) {
        return Some(found);
    }
    let end = behind.strip_prefix('[').and_then(|rest| Some(&rest[rest.find(']')? + 1..]));
    let form = match end.map(|end| end.trim_start().starts_with("= ")) {
        Some(true) => PrintForm::SetCell,
        Some(false) => PrintForm::Cell,
        None => return None,
    };
    all().find(|(_, row)| row.form == form)
}

/// What an op keeps busy, in cycles of a target's table.
fn takes(code: Code, target: &Target) -> Option<String> {
    let costs = &target.costs;
    // The table counts in quarters of a cycle.
    let cycles = |quarters: u16| {
        let cycles = shown(f64::from(quarters) / 4.0);
        format!("about {cycles} cycle{}", if cycles == "1" { "" } else { "s" })
    };
    let each = "for each register of lanes";
    let words = match code {
        code if is_named(code, &["gather"]) => {
            format!(
                "{} for each lane, on the units that load; lanes wait for the last of them",
                cycles(costs.gather_lane)
            )
        }
        code if is_named(code, &["scatter"]) => {
            format!("{} for each lane, on the units that store", cycles(costs.scatter_lane))
        }
        code if is_named(code, &["masked_load"]) => {
            format!("{} {each}, on the units that load", cycles(costs.load + costs.masked))
        }
        code if is_named(code, &["masked_store"]) => {
            format!("{} {each}, on the units that store", cycles(costs.store + costs.masked_store))
        }
        code if code.row().name.ends_with("load") || code.row().form == PrintForm::Cell => {
            format!("{} {each}, on the units that load", cycles(costs.load))
        }
        code if code.row().name.ends_with("store") || code.row().form == PrintForm::SetCell => {
            format!("{} {each}, on the units that store", cycles(costs.store))
        }
        Code::Div | Code::FloorDiv | Code::Rem | Code::Sqrt | Code::Rsqrt | Code::Rcp => {
            format!(
                "{} {each} of floats, on the unit that divides; integers are divided one by one",
                cycles(costs.divide)
            )
        }
        Code::Pack
        | Code::Permute
        | Code::Rotate
        | Code::Reverse
        | Code::Regroup
        | Code::Extract
        | Code::Shuffle
        | Code::Lookup
        | Code::Splat => {
            format!("{} {each}, on the units that shuffle", cycles(costs.shuffle))
        }
        Code::Add | Code::Sub | Code::Mul | Code::Fma => format!(
            "{} {each}, on the units of arithmetic; a float's result is there after {}",
            cycles(costs.arithmetic),
            cycles(costs.latency)
        ),
        code if code.is_elementwise() => format!("{} {each}, on the units of arithmetic", cycles(costs.arithmetic)),
        _ => return None,
    };
    Some(words)
}

fn is_named(code: Code, names: &[&str]) -> bool {
    names.contains(&code.row().name)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use ir::target;

    use super::*;

    fn check(line: &str, expected: Expect) {
        let at = line.find('|').expect("a cursor");
        let line = line.replacen('|', "", 1);
        let target = target::find("avx2").expect("a row of the table");
        let found = explain_word(&line, TextSize::new(at as u32), target);
        let text = found.map_or_else(String::new, |it| format!("{}: {}\n", &line[it.range], it.text));
        expected.assert_eq(&text);
    }

    #[test]
    fn ops_words_and_cells_are_explained() {
        check(
            "    let x = ga|ther(a, i)",
            expect![[r#"
            gather: ```lane-ir
            gather(a, i, active)
            ```

            Loads a cell of its own for each active lane.

            avx2: about 1.2 cycles for each lane, on the units that load; lanes wait for the last of them
        "#]],
        );
        check(
            "    let y = (x |* v)",
            expect![[r#"
            *: ```lane-ir
            (a * b)
            ```

            The product. Signed overflow fails, unsigned wraps.

            avx2: about 0.5 cycles for each register of lanes, on the units of arithmetic; a float's result is there after about 4 cycles
        "#]],
        );
        check(
            "        ou|t[i] = y",
            expect![[r#"
            out: ```lane-ir
            a[i, j] = x
            ```

            Stores `x` to a cell. Each subscript must lie within its dimension.

            avx2: about 1 cycle for each register of lanes, on the units that store
        "#]],
        );
        check(
            "        let x = a|[i]",
            expect![[r#"
            a: ```lane-ir
            a[i, j]
            ```

            The content of a cell. Each subscript must lie within its dimension.

            avx2: about 0.5 cycles for each register of lanes, on the units that load
        "#]],
        );
        check(
            "    vector_|for base in range(0, n, LANES):",
            expect![[r#"
            vector_for: `vector_for`

            A loop whose iterations run in groups: as many as there are lanes at a time. Its index is that of the first lane.
        "#]],
        );
        check(
            "        vector_store(out, i, sq|rt(x))",
            expect![[r#"
            sqrt: ```lane-ir
            sqrt(a)
            ```

            The square root, correctly rounded.

            avx2: about 3 cycles for each register of lanes of floats, on the unit that divides; integers are divided one by one
        "#]],
        );
    }

    #[test]
    fn names_comments_and_blanks_are_not() {
        check("    let x| = y", expect![""]);
        check("  |  let x = y", expect![""]);
        check("# a gat|her", expect![""]);
    }
}
