//! Random expressions and types.

use std::ops::Range;

use super::{Maker, Word};

/// The words of a line generated so far.
#[derive(Debug, Default)]
pub(super) struct Words {
    pub(super) list: Vec<Word>,
    depth: u32,
}

impl Words {
    pub(super) fn new(first: &str) -> Words {
        let mut words = Words::default();
        words.push(first);
        words
    }

    pub(super) fn push(&mut self, text: &str) {
        match text {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth -= 1,
            _ => {}
        }
        self.list.push(Word::Token(text.to_owned()));
    }
}

/// Binary operators of each level, from `or` to `*`.
const LEVELS: &[&[&str]] = &[
    &["or"],
    &["and"],
    &["<", "<=", ">", ">=", "==", "!="],
    &["|"],
    &["^"],
    &["&"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "//", "%"],
];
/// Level of comparisons, and of `not` in front of them.
const COMPARISON: usize = 2;
/// Level of operands, in front of which a sign may stand.
const OPERAND: usize = LEVELS.len();

impl Maker {
    pub(super) fn name(&mut self) -> String {
        let short = ["a", "b", "i", "n", "x1", "_", "range", "e5", "f32", "forward"];
        let long = ["a_rather_long_name_for_a_value", "samples_of_the_left_channel", "interpolated"];
        let from_long = self.long && self.chance(60);
        let names: &[&str] = if from_long { &long } else { &short };
        self.rng.choice(names).copied().unwrap_or("x").to_owned()
    }

    pub(super) fn type_(&mut self, words: &mut Words) {
        if self.chance(20) {
            words.push(self.rng.choice(["uniform", "varying"]).unwrap_or("uniform"));
        }
        words.push(self.rng.choice(["f32", "i32", "bool", "Particle"]).unwrap_or("f32"));
        if self.chance(40) {
            self.list(words, "[", "]", 1..3, |maker, words| maker.expression(words, 0, 1));
        }
    }

    /// Generates the expression of a statement.
    pub(super) fn value(&mut self, words: &mut Words) {
        let size = if self.long { 5 } else { 3 };
        self.expression(words, 0, size);
    }

    /// Generates the target of an assignment.
    pub(super) fn target(&mut self, words: &mut Words) {
        words.push(&self.name());
        while self.chance(40) {
            if self.chance(70) {
                self.list(words, "[", "]", 1..3, |maker, words| maker.subscript(words, 1));
            } else {
                words.push(".");
                words.push(&self.name());
            }
        }
    }

    /// Generates a bracketed list, with optional comments and an optional trailing comma.
    pub(super) fn list(
        &mut self,
        words: &mut Words,
        open: &str,
        close: &str,
        n: Range<usize>,
        mut element: impl FnMut(&mut Self, &mut Words),
    ) {
        words.push(open);
        self.remark(words);
        let n = self.rng.usize(n);
        for k in 0..n {
            element(self, words);
            self.remark(words);
            if k + 1 < n || self.chance(10) {
                words.push(",");
                self.remark(words);
            }
        }
        words.push(close);
    }

    /// Generates a comment inside brackets.
    fn remark(&mut self, words: &mut Words) {
        if words.depth > 0 && self.rng.u16(..150) == 0 {
            let own_line = matches!(words.list.last(), Some(Word::Comment { .. })) || self.chance(50);
            words.list.push(Word::Comment { text: self.comment_text(), own_line });
        }
    }

    /// Generates an expression whose operators are of `level` or tighter; at level 0 it may be a conditional or a lambda.
    pub(super) fn expression(&mut self, words: &mut Words, level: usize, size: usize) {
        self.remark(words);
        if size == 0 {
            self.atom(words, 0);
            return;
        }
        match self.rng.u8(..20) {
            0 if level == 0 => self.lambda(words, size - 1),
            1 if level == 0 => self.conditional(words, size - 1),
            2 if level <= COMPARISON => {
                words.push("not");
                self.expression(words, COMPARISON, size - 1);
            }
            3..10 => self.chain(words, level, size - 1),
            10 => {
                words.push(self.rng.choice(["-", "~", "-", "+"]).unwrap_or("-"));
                self.expression(words, OPERAND, size - 1);
            }
            11 => {
                self.postfix(words, size - 1);
                words.push("**");
                self.expression(words, OPERAND, size - 1);
            }
            12 => self.atom(words, size - 1),
            _ => self.postfix(words, size - 1),
        }
        self.remark(words);
    }

    fn chain(&mut self, words: &mut Words, least: usize, size: usize) {
        if least >= OPERAND {
            return self.postfix(words, size);
        }
        let level = self.rng.usize(least..OPERAND);
        self.expression(words, level + 1, size);
        let most = if level == COMPARISON { 2 } else { 5 };
        for _ in 1..self.rng.usize(2..=most) {
            words.push(self.rng.choice(LEVELS[level]).copied().unwrap_or("+"));
            self.expression(words, level + 1, size);
        }
    }

    fn lambda(&mut self, words: &mut Words, size: usize) {
        words.push("\\");
        let typed = self.chance(20);
        for k in 0..self.rng.usize(0..3) {
            if k > 0 && typed {
                words.push(",");
            }
            words.push(&self.name());
            if typed {
                words.push(":");
                self.type_(words);
            }
        }
        words.push("->");
        self.expression(words, 0, size);
    }

    /// Generates the names of a loop: one, several, or some of them in parentheses.
    pub(super) fn loop_names(&mut self, words: &mut Words) {
        words.push(&self.name());
        while self.chance(40) {
            words.push(",");
            if self.chance(30) {
                self.list(words, "(", ")", 1..3, |maker, words| words.push(&maker.name()));
            } else {
                words.push(&self.name());
            }
        }
    }

    fn comprehension(&mut self, words: &mut Words, size: usize) {
        self.expression(words, 0, size);
        words.push("for");
        self.loop_names(words);
        words.push("in");
        self.expression(words, 1, size);
        if self.chance(40) {
            words.push("if");
            self.expression(words, 1, size);
        }
    }

    fn conditional(&mut self, words: &mut Words, size: usize) {
        self.expression(words, 1, size);
        words.push("if");
        self.expression(words, 1, size);
        words.push("else");
        self.expression(words, 0, size);
    }

    fn postfix(&mut self, words: &mut Words, size: usize) {
        self.atom(words, size);
        while self.chance(40) {
            self.access(words, size);
        }
    }

    /// Generates a call, an index or a field behind an operand.
    fn access(&mut self, words: &mut Words, size: usize) {
        let size = size.saturating_sub(1);
        match self.rng.u8(..5) {
            0 | 1 => self.list(words, "(", ")", 0..4, |maker, words| maker.argument(words, size)),
            2 | 3 => self.list(words, "[", "]", 1..3, |maker, words| maker.subscript(words, size)),
            _ => {
                words.push(".");
                words.push(&self.name());
            }
        }
    }

    fn argument(&mut self, words: &mut Words, size: usize) {
        if self.chance(8) {
            let operators = ["+", "-", "*", "**", "//", "and", "or", "<<", "<=", "|", "=="];
            words.push(self.rng.choice(operators).unwrap_or("+"));
        } else {
            self.expression(words, 0, size);
        }
    }

    fn subscript(&mut self, words: &mut Words, size: usize) {
        if self.chance(70) {
            return self.expression(words, 0, size);
        }
        for part in 0..self.rng.usize(2..4) {
            if part > 0 {
                words.push(":");
            }
            if self.chance(60) {
                self.expression(words, 0, size);
            }
        }
    }

    fn atom(&mut self, words: &mut Words, size: usize) {
        match self.rng.u8(..12) {
            0..3 => {
                let numbers = ["0", "42", "1_000", "0x2a", "0b101", "1.5", "1e-3", "1.", ".5", "2.e1"];
                words.push(self.rng.choice(numbers).unwrap_or("0"));
            }
            3 => words.push(self.rng.choice(["true", "false"]).unwrap_or("true")),
            4 | 5 if size > 0 => {
                words.push("(");
                self.expression(words, 0, size - 1);
                words.push(")");
            }
            6 if size > 0 && self.chance(30) => {
                self.list(words, "[", "]", 1..2, |maker, words| maker.comprehension(words, size - 1));
            }
            6 if size > 0 => self.list(words, "[", "]", 1..4, |maker, words| maker.expression(words, 0, size - 1)),
            _ => words.push(&self.name()),
        }
    }
}
