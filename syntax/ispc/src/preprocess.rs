//! The preprocessor: a file, and all that it includes, to the tokens that the compiler reads.
//!
//! - [`expand`]: macros: arguments, `#`, `##`, `__VA_ARGS__`, `__VA_OPT__`, recursion
//! - [`directives`]: lines that start with `#`
//! - [`conditions`]: the expressions of `#if`
//!
//! Input comes from a stack of frames: files, bodies of macros, arguments. A macro whose body is on the stack is not expanded again, and
//! its name is painted so that it never is. A barrier ends an argument, which is expanded by itself. No text is an error that stops
//! reading: what is wrong becomes a problem of the unit.

mod conditions;
mod directives;
mod expand;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::Config;
use crate::file::{FileText, Files};
use crate::kinds::Kind;
use crate::lexer::spelling;
use crate::problems;
use crate::unit::{FileId, Macro, Name, SourcePlace, Token, Unit, UnitFile};

use directives::Condition;
pub(crate) use directives::word_of;

/// The most tokens that macros may make: more is a mistake, and no editor could show it.
const MOST_MADE: usize = 4_000_000;

/// Reads a file and what it includes up to its expanded tokens. Tree and names of the unit are still empty.
pub(crate) fn preprocess(file: Arc<FileText>, config: &Config, files: &dyn Files) -> Unit {
    let mut preprocessor = Preprocessor::start(file, config, files);
    preprocessor.run();
    preprocessor.finish()
}

/// The state at the end of a prefix, beside its unit.
#[derive(Clone)]
pub(crate) struct PreprocessorState {
    defined: FxHashMap<Name, u32>,
    ids: FxHashMap<Arc<str>, FileId>,
    once: FxHashSet<FileId>,
    n_made: usize,
    counter: u32,
}

pub(crate) struct Preprocessor<'f> {
    config: &'f Config,
    files: &'f dyn Files,
    unit: Unit,
    /// The macros that are defined at this point.
    defined: FxHashMap<Name, u32>,
    /// For each macro how many frames hold its body.
    active: Vec<u32>,
    frames: Vec<Frame>,
    ids: FxHashMap<Arc<str>, FileId>,
    /// The files that are included once.
    once: FxHashSet<FileId>,
    n_made: usize,
    depth: u32,
    counter: u32,
    words: Words,
}

/// The names that the preprocessor itself knows.
struct Words {
    va_args: Name,
    va_opt: Name,
    defined: Name,
    pragma: Name,
    has_include: Name,
}

enum Frame {
    File(FileFrame),
    Tokens(TokensFrame),
    Barrier,
}

struct FileFrame {
    id: FileId,
    file: Arc<FileText>,
    at: usize,
    conditions: Vec<Condition>,
    /// This is the first time that the unit reads this file.
    is_first: bool,
}

struct TokensFrame {
    tokens: Vec<Token>,
    at: usize,
    /// The macro whose body this is, plus 1.
    of: u32,
}

impl<'f> Preprocessor<'f> {
    /// A preprocessor at the start of a file.
    pub(crate) fn start(file: Arc<FileText>, config: &'f Config, files: &'f dyn Files) -> Self {
        let mut preprocessor = Preprocessor::new(Unit::default(), config, files);
        preprocessor.add_file(file, None);
        preprocessor.add_file(Arc::new(FileText::new("<predefined>", config.predefined())), None);
        preprocessor.add_file(Arc::new(FileText::new("<made>", "")), None);
        preprocessor.define_built_ins();
        preprocessor.enter(FileId::PREDEFINED);
        preprocessor.run();
        preprocessor.unit.macro_uses.own_mut().clear();
        preprocessor.enter(FileId::MAIN);
        preprocessor
    }

    /// A preprocessor behind the prefix of a unit, whose file is whole now.
    pub(crate) fn resume(
        unit: Unit,
        state: &PreprocessorState,
        length: usize,
        config: &'f Config,
        files: &'f dyn Files,
    ) -> Self {
        let mut preprocessor = Preprocessor::new(unit, config, files);
        let PreprocessorState { defined, ids, once, n_made, counter } = state.clone();
        preprocessor.active = vec![0; preprocessor.unit.macros.len()];
        (preprocessor.defined, preprocessor.ids, preprocessor.once) = (defined, ids, once);
        (preprocessor.n_made, preprocessor.counter) = (n_made, counter);
        preprocessor.enter(FileId::MAIN);
        if let Some(Frame::File(frame)) = preprocessor.frames.last_mut() {
            // The end of the last line in front is read again, since it tells that the next token is the first of its line.
            frame.at = frame.file.tokens.partition_point(|token| (token.start as usize) < length).saturating_sub(1);
        }
        preprocessor
    }

    /// The unit up to here, and what is needed to go on.
    pub(crate) fn pause(self) -> (Unit, PreprocessorState) {
        let (defined, ids, once) = (self.defined.clone(), self.ids.clone(), self.once.clone());
        let state = PreprocessorState { defined, ids, once, n_made: self.n_made, counter: self.counter };
        (self.finish(), state)
    }

    fn new(mut unit: Unit, config: &'f Config, files: &'f dyn Files) -> Self {
        let mut intern = |text| unit.interner.intern(text);
        let words = Words {
            va_args: intern("__VA_ARGS__"),
            va_opt: intern("__VA_OPT__"),
            defined: intern("defined"),
            pragma: intern("_Pragma"),
            has_include: intern("__has_include"),
        };
        Preprocessor {
            config,
            files,
            unit,
            defined: FxHashMap::default(),
            active: Vec::new(),
            frames: Vec::new(),
            ids: FxHashMap::default(),
            once: FxHashSet::default(),
            n_made: 0,
            depth: 0,
            counter: 0,
            words,
        }
    }

    fn add_file(&mut self, file: Arc<FileText>, from: Option<SourcePlace>) -> FileId {
        let id = FileId(self.unit.files.len() as u16);
        self.ids.insert(file.path.clone(), id);
        self.unit.files.push(UnitFile { file, inactive: Vec::new(), from });
        id
    }

    fn define_built_ins(&mut self) {
        for name in
            ["__LINE__", "__FILE__", "__COUNTER__", "__DATE__", "__TIME__", "__INCLUDE_LEVEL__", "__BASE_FILE__"]
        {
            let name = self.unit.interner.intern(name);
            let place = SourcePlace { file: FileId::MADE, start: 0, end: 0 };
            self.add_macro(Macro {
                name,
                name_place: place,
                place,
                params: None,
                is_variadic: false,
                body: Vec::new(),
                is_built_in: true,
            });
        }
    }

    fn add_macro(&mut self, definition: Macro) {
        self.defined.insert(definition.name, self.unit.macros.len() as u32);
        self.unit.macros.push(definition);
        self.active.push(0);
    }

    fn enter(&mut self, id: FileId) {
        let file = self.unit.files[usize::from(id.0)].file.clone();
        self.frames.push(Frame::File(FileFrame { id, file, at: 0, conditions: Vec::new(), is_first: true }));
    }

    pub(crate) fn run(&mut self) {
        loop {
            let mut token = self.next_expanded();
            if token.kind == Kind::End {
                return;
            }
            if token.name != Name::NONE {
                token.kind = self.unit.interner.kind(token.name);
            }
            self.unit.tokens.push(token);
        }
    }

    pub(crate) fn finish(mut self) -> Unit {
        let end = self.unit.files[0].file.text.len() as u32;
        let place = SourcePlace { file: FileId::MAIN, start: end, end };
        self.unit.tokens.push(Token {
            kind: Kind::End,
            flags: Token::WRITTEN | Token::LINE,
            place,
            name: Name::NONE,
            expansion: 0,
        });
        // That of a prefix was found with it.
        if self.unit.first_own as usize == self.unit.tokens.n_shared() {
            let is_own = |token: &Token| token.place.file == FileId::MAIN;
            let n_others = self.unit.tokens.own().iter().position(is_own).unwrap_or(self.unit.tokens.own().len());
            self.unit.first_own += n_others as u32;
        }
        // The expansions of a prefix have their tokens.
        let (n_tokens, n_expansions) = (self.unit.tokens.n_shared(), self.unit.expansions.n_shared());
        let Unit { tokens, expansions, .. } = &mut self.unit;
        expansions.own_mut().iter_mut().for_each(|expansion| expansion.tokens = (u32::MAX, 0));
        for (index, token) in tokens.own().iter().enumerate() {
            let index = (n_tokens + index) as u32;
            let mut next = token.expansion as usize;
            while let Some(expansion) =
                next.checked_sub(1 + n_expansions).and_then(|at| expansions.own_mut().get_mut(at))
            {
                let (first, end) = expansion.tokens;
                expansion.tokens = (first.min(index), end.max(index + 1));
                next = expansion.within as usize;
            }
        }
        for expansion in expansions.own_mut().iter_mut().filter(|expansion| expansion.tokens.1 == 0) {
            expansion.tokens = (0, 0);
        }
        self.unit
    }

    /// The next token before expansion, with directives carried out. Of white space only flags are left.
    fn next_raw(&mut self) -> Token {
        loop {
            match self.frames.last_mut() {
                None | Some(Frame::Barrier) => return self.end(),
                Some(Frame::Tokens(frame)) => match frame.tokens.get(frame.at) {
                    Some(token) => {
                        frame.at += 1;
                        return *token;
                    }
                    None => {
                        if let Some(active) = (frame.of as usize).checked_sub(1) {
                            self.active[active] -= 1;
                        }
                        self.frames.pop();
                    }
                },
                Some(Frame::File(_)) => match self.next_of_file() {
                    Some(token) => return token,
                    None => continue,
                },
            }
        }
    }

    fn end(&self) -> Token {
        let place = SourcePlace { file: FileId::MADE, start: 0, end: 0 };
        Token { kind: Kind::End, flags: 0, place, name: Name::NONE, expansion: 0 }
    }

    /// The next token of the file on top of the stack; nothing if a directive was carried out or the file has ended.
    fn next_of_file(&mut self) -> Option<Token> {
        let Some(Frame::File(frame)) = self.frames.last_mut() else { return None };
        let mut flags = if frame.at == 0 { Token::LINE } else { 0 };
        while let Some(raw) = frame.file.tokens.get(frame.at) {
            match raw.kind {
                Kind::Newline => flags |= Token::LINE,
                kind if kind.is_trivia() => flags |= Token::SPACE,
                Kind::Hash if frame.file.directives.binary_search(&(frame.at as u32)).is_ok() => {
                    self.directive();
                    return None;
                }
                _ => {
                    let (id, at) = (frame.id, frame.at);
                    frame.at += 1;
                    let file = frame.file.clone();
                    return Some(self.token_of(id, &file, at, flags));
                }
            }
            frame.at += 1;
        }
        self.end_of_file();
        None
    }

    fn end_of_file(&mut self) {
        let Some(Frame::File(frame)) = self.frames.pop() else { return };
        for condition in frame.conditions {
            self.unit.problems.push(problems::unclosed_conditional(condition.place));
        }
    }

    fn token_of(&mut self, id: FileId, file: &FileText, at: usize, flags: u8) -> Token {
        let range = file.range(at);
        let text = &file.text[range.clone()];
        let kind = file.tokens[at].kind;
        let name = if kind == Kind::Name { self.unit.interner.intern(&spelling(text)) } else { Name::NONE };
        let place = SourcePlace { file: id, start: range.start as u32, end: range.end as u32 };
        Token { kind, flags: flags | Token::WRITTEN, place, name, expansion: 0 }
    }

    /// The tokens from an index of a file to the end of its line, and the index of that end.
    fn line(&mut self, id: FileId, file: &FileText, from: usize) -> (Vec<Token>, usize) {
        let mut tokens = Vec::new();
        let mut flags = 0;
        let mut at = from;
        while let Some(raw) = file.tokens.get(at) {
            match raw.kind {
                Kind::Newline => break,
                kind if kind.is_trivia() => flags |= Token::SPACE,
                _ => {
                    tokens.push(self.token_of(id, file, at, flags));
                    flags = 0;
                }
            }
            at += 1;
        }
        (tokens, at)
    }

    /// Makes a token that no file has, in place of another one.
    fn made(&mut self, text: &str, like: &Token) -> Token {
        let start = self.unit.made.len() as u32;
        self.unit.made += text;
        let place = SourcePlace { file: FileId::MADE, start, end: self.unit.made.len() as u32 };
        let kind = crate::lexer::lex(text).first().map_or(Kind::Stray, |token| token.kind);
        let name = if kind == Kind::Name { self.unit.interner.intern(text) } else { Name::NONE };
        let flags = like.flags & (Token::SPACE | Token::LINE);
        Token { kind, flags, place, name, expansion: like.expansion }
    }

    /// The file that is being read, below all macros.
    fn current_file(&self) -> Option<&FileFrame> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::File(frame) => Some(frame),
            _ => None,
        })
    }
}
