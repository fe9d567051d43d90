//! Random Lane programs without errors: the whole grammar, in any spacing with the same meaning.
//!
//! A program is generated in two steps. [`Program::new`] chooses its words, comments and blank lines; [`Program::render`] chooses
//! the rest of its white space: the indentation of blocks, line breaks inside brackets, and blocks on their header's line. The
//! formatter must map all renderings of one program to one text. Both steps depend on their seed alone.

mod expressions;
mod render;

use expressions::Words;
use fastrand::Rng;

/// A program without its white space.
#[derive(Debug)]
pub(crate) struct Program {
    lines: Vec<Line>,
    mark: bool,
}

/// A row of a program: a statement, a header, an attribute or a comment.
#[derive(Debug)]
struct Line {
    depth: usize,
    words: Vec<Word>,
    /// Set if one blank line or more stand above it.
    blank: bool,
    role: Role,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The first line of an item, whose distance from the item above is fixed by the form.
    Item,
    /// The only statement of its block, and a simple one, which may stand on its header's line.
    Only,
    Comment,
    Other,
}

/// A token. Comments may stand inside brackets, and at the end of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Word {
    Token(String),
    Comment { text: String, own_line: bool },
}

impl Program {
    /// Generates the program of a seed.
    pub(crate) fn new(seed: u64) -> Program {
        let mut maker = Maker { rng: Rng::with_seed(seed), lines: Vec::new(), blank: false, long: false };
        maker.file();
        Program { lines: maker.lines, mark: maker.rng.u8(..16) == 0 }
    }

    /// Renders the program in the spacing of a seed.
    pub(crate) fn render(&self, seed: u64) -> String {
        render::render(self, Rng::with_seed(seed))
    }
}

struct Maker {
    rng: Rng,
    lines: Vec<Line>,
    /// Set if a blank line precedes the next line.
    blank: bool,
    /// Set to generate long names and lists, so that lines need to be broken.
    long: bool,
}

impl Maker {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn line(&mut self, depth: usize, words: Words, role: Role) {
        let mut words = words.list;
        if self.chance(10) {
            words.push(Word::Comment { text: self.comment_text(), own_line: false });
        }
        let blank = std::mem::take(&mut self.blank);
        self.lines.push(Line { depth, words, blank, role });
        self.blank = self.chance(15);
    }

    fn comment_text(&mut self) -> String {
        let texts = ["#", "# note", "#note", "### ruler", "#! [x](y) = \\ 1e5 'q", "# größe 😀", "#\ta"];
        self.rng.choice(texts).unwrap_or("#").to_owned()
    }

    fn comment(&mut self, depth: usize) {
        let text = if self.chance(10) { "## no documentation".to_owned() } else { self.comment_text() };
        let words = vec![Word::Comment { text, own_line: true }];
        let blank = std::mem::take(&mut self.blank);
        self.lines.push(Line { depth, words, blank, role: Role::Comment });
        self.blank = self.chance(15);
    }

    fn comments(&mut self, depth: usize) {
        while self.chance(12) {
            self.comment(depth);
        }
    }

    fn file(&mut self) {
        self.long = self.chance(50);
        self.comments(0);
        for _ in 0..self.rng.usize(0..5) {
            let first = self.lines.len();
            self.item();
            self.lines[first].role = Role::Item;
            self.comments(0);
        }
    }

    // Items.

    fn item(&mut self) {
        let mut in_head = false;
        while self.chance(if in_head { 40 } else { 25 }) {
            if self.chance(50) {
                let text = if self.chance(80) { "## Documentation." } else { "##" };
                let words = vec![Word::Comment { text: text.to_owned(), own_line: true }];
                let blank = std::mem::take(&mut self.blank);
                self.lines.push(Line { depth: 0, words, blank, role: Role::Other });
            } else {
                self.attribute(0);
            }
            in_head = true;
            self.comments(0);
        }
        match self.rng.u8(..10) {
            9 => self.instance(),
            0 => self.struct_(),
            8 => self.enum_(),
            1 | 2 => self.const_(),
            3..5 => self.function("fn"),
            _ => self.function("kernel"),
        }
    }

    fn attribute(&mut self, depth: usize) {
        let mut words = Words::new("@");
        words.push(self.rng.choice(["simd", "fast", "reassoc", "lanes", "alias"]).unwrap_or("simd"));
        if self.chance(50) {
            self.list(&mut words, "(", ")", 0..3, |maker, words| maker.expression(words, 0, 1));
        }
        self.line(depth, words, Role::Other);
    }

    fn struct_(&mut self) {
        let mut words = Words::new("struct");
        words.push(&self.name());
        words.push(":");
        self.line(0, words, Role::Other);
        for _ in 0..self.rng.usize(1..4) {
            self.comments(1);
            let mut words = Words::new(&self.name());
            words.push(":");
            self.type_(&mut words);
            self.line(1, words, Role::Other);
        }
        self.comments(1);
    }

    fn enum_(&mut self) {
        let mut words = Words::new("enum");
        words.push(&self.name());
        if self.chance(30) {
            words.push("(");
            words.push(self.rng.choice(["u8", "i64", "Number"]).unwrap_or("u8"));
            words.push(")");
        }
        words.push(":");
        self.line(0, words, Role::Other);
        for _ in 0..self.rng.usize(1..4) {
            self.comments(1);
            let mut words = Words::default();
            self.variant(&mut words);
            while self.chance(30) {
                words.push(",");
                self.variant(&mut words);
            }
            self.line(1, words, Role::Other);
        }
        self.comments(1);
    }

    fn variant(&mut self, words: &mut Words) {
        words.push(&self.name());
        if self.chance(40) {
            self.list(words, "(", ")", 0..3, |maker, words| {
                words.push(&maker.name());
                words.push(":");
                maker.type_(words);
            });
        }
        if self.chance(30) {
            words.push("=");
            self.expression(words, 0, 1);
        }
    }

    fn const_(&mut self) {
        let mut words = Words::new("const");
        words.push(&self.name());
        if self.chance(30) {
            words.push(":");
            self.type_(&mut words);
        }
        words.push("=");
        self.value(&mut words);
        self.line(0, words, Role::Other);
    }

    fn function(&mut self, keyword: &str) {
        let mut words = Words::new(keyword);
        words.push(&self.name());
        if self.chance(20) {
            self.list(&mut words, "[", "]", 1..4, |maker, words| maker.generic(words));
        }
        let most = if self.long { 8 } else { 4 };
        self.list(&mut words, "(", ")", 0..most, |maker, words| {
            words.push(&maker.name());
            if maker.chance(50) {
                words.push(":");
                maker.type_(words);
            }
        });
        if self.chance(30) {
            words.push("->");
            self.type_(&mut words);
        }
        words.push(":");
        self.line(0, words, Role::Other);
        self.block(1, 3);
    }

    /// A constant or type parameter.
    fn generic(&mut self, words: &mut Words) {
        words.push(&self.name());
        if self.chance(60) {
            words.push(":");
            words.push("const");
            self.type_(words);
        }
    }

    /// A kernel that is an instance of another one.
    fn instance(&mut self) {
        let mut words = Words::new("kernel");
        words.push(&self.name());
        words.push("=");
        words.push(&self.name());
        self.list(&mut words, "[", "]", 1..4, |maker, words| {
            maker.expression(words, 0, 1);
        });
        self.line(0, words, Role::Other);
    }

    // Statements.

    fn block(&mut self, depth: usize, size: usize) {
        let n_statements = if size == 0 { 1 } else { self.rng.usize(1..4) };
        let first = self.lines.len();
        for _ in 0..n_statements {
            self.comments(depth);
            self.statement(depth, size);
        }
        if let [only] = &mut self.lines[first..]
            && only.role == Role::Other
        {
            only.role = Role::Only;
        }
        self.comments(depth);
    }

    fn statement(&mut self, depth: usize, size: usize) {
        if size > 0 && self.chance(40) {
            self.compound(depth, size - 1);
            return;
        }
        let mut words = Words::default();
        match self.rng.u8(..16) {
            0 => words.push("break"),
            1 => words.push("continue"),
            2 => words.push("pass"),
            3 => words.push("return"),
            4 => {
                words.push("return");
                self.value(&mut words);
            }
            5 => {
                if self.chance(20) {
                    words.push("static");
                }
                words.push("assert");
                self.value(&mut words);
            }
            6..9 => {
                words.push("let");
                words.push(&self.name());
                if self.chance(30) {
                    words.push(":");
                    self.type_(&mut words);
                }
                words.push("=");
                self.value(&mut words);
            }
            9 => self.value(&mut words),
            _ => {
                self.target(&mut words);
                let operators =
                    ["=", "=", "=", "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^=", "<<=", ">>="];
                words.push(self.rng.choice(operators).unwrap_or("="));
                self.value(&mut words);
            }
        }
        self.line(depth, words, Role::Other);
    }

    fn compound(&mut self, depth: usize, size: usize) {
        while self.chance(15) {
            self.attribute(depth);
            self.comments(depth);
        }
        let mut words = Words::default();
        match self.rng.u8(..7) {
            6 => {
                self.match_(depth, size);
                return;
            }
            0..2 => {
                let word = self.rng.choice(["for", "cfor", "static"]).unwrap_or("for");
                words.push(word);
                if word == "static" {
                    words.push("for");
                }
                self.loop_index(&mut words);
            }
            2 => {
                words.push("foreach");
                self.loop_index(&mut words);
                while self.chance(30) {
                    words.push(",");
                    self.loop_index(&mut words);
                }
            }
            3 => {
                words.push(self.rng.choice(["while", "cwhile"]).unwrap_or("while"));
                self.value(&mut words);
            }
            _ => {
                self.if_(depth, size);
                return;
            }
        }
        words.push(":");
        self.line(depth, words, Role::Other);
        self.block(depth + 1, size);
    }

    fn loop_index(&mut self, words: &mut Words) {
        if self.chance(30) {
            self.loop_names(words);
            words.push("in");
            words.push(self.rng.choice(["zip", "enumerate", "reversed"]).unwrap_or("zip"));
        } else {
            words.push(&self.name());
            words.push("in");
            words.push("range");
        }
        self.list(words, "(", ")", 1..4, |maker, words| maker.expression(words, 0, 2));
    }

    fn match_(&mut self, depth: usize, size: usize) {
        let mut words = Words::new("match");
        self.value(&mut words);
        words.push(":");
        self.line(depth, words, Role::Other);
        for _ in 0..self.rng.usize(1..4) {
            self.comments(depth + 1);
            let mut words = Words::new("case");
            self.expression(&mut words, 1, 2);
            while self.chance(20) {
                words.push(",");
                self.expression(&mut words, 1, 1);
            }
            if self.chance(30) {
                words.push("if");
                self.expression(&mut words, 0, 2);
            }
            words.push(":");
            self.line(depth + 1, words, Role::Other);
            self.block(depth + 2, size);
        }
        self.comments(depth + 1);
    }

    fn if_(&mut self, depth: usize, size: usize) {
        let mut keyword = self.rng.choice(["if", "if", "cif"]).unwrap_or("if");
        loop {
            let mut words = Words::new(keyword);
            self.value(&mut words);
            words.push(":");
            self.line(depth, words, Role::Other);
            self.block(depth + 1, size);
            if !self.chance(30) {
                break;
            }
            keyword = "elif";
            self.comments(depth);
        }
        if self.chance(40) {
            self.comments(depth);
            let mut words = Words::new("else");
            words.push(":");
            self.line(depth, words, Role::Other);
            self.block(depth + 1, size);
        }
    }
}
