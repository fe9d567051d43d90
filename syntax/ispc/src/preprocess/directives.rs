//! Lines that start with `#`.

use std::sync::Arc;

use crate::file::{FileText, folder_of, included_name, join};
use crate::kinds::Kind;
use crate::problems;
use crate::unit::{FileId, Include, Macro, MacroUse, Name, SourcePlace, Token};

use super::{Frame, Preprocessor};

/// The deepest that files may include each other.
const DEEPEST: usize = 200;

/// Headers that ispc brings: their functions are the library's.
const OWN_HEADERS: &[&str] =
    &["amx.isph", "builtins.isph", "core.isph", "short_vec.isph", "stdlib.isph", "svml.isph", "target.isph"];

/// The types that the headers of SSE intrinsics declare.
const SSE_TYPES: &str = "#pragma once
typedef float<2> __m64;
typedef float<4> __m128;
typedef int<4> __m128i;
typedef double<2> __m128d;
";

/// A conditional that is open.
#[derive(Clone, Copy)]
pub(super) struct Condition {
    /// Its `#if`.
    pub(super) place: SourcePlace,
    /// One of its branches was read.
    taken: bool,
    has_else: bool,
}

/// A directive: its file, its word, and the tokens behind that.
struct Directive {
    id: FileId,
    file: Arc<FileText>,
    word: String,
    place: SourcePlace,
    rest: Vec<Token>,
    /// The index of the end of its line.
    end: usize,
}

impl Preprocessor<'_> {
    /// Carries out the directive at which the file on top of the stack stands.
    pub(super) fn directive(&mut self) {
        let Some(directive) = self.read_directive() else { return };
        self.go_to(directive.end);
        match directive.word.as_str() {
            "define" => self.define(&directive),
            "undef" => self.undefine(&directive),
            "include" | "include_next" | "import" => self.include(&directive),
            "if" | "ifdef" | "ifndef" => self.open_condition(&directive),
            "elif" | "else" | "elifdef" | "elifndef" | "endif" => self.next_branch(&directive),
            "error" | "warning" => self.tell(&directive),
            "pragma" => self.pragma(&directive),
            // The places of the text as it is are those that count here.
            "line" | "" | "ident" | "sccs" => {}
            word if word.starts_with(|first: char| first.is_ascii_digit()) => {}
            word => {
                let message = format!("there is no directive `#{word}`, so its line says nothing: take it out");
                self.unit.problems.push(problems::directive(directive.place, message));
            }
        }
    }

    fn read_directive(&mut self) -> Option<Directive> {
        let Some(Frame::File(frame)) = self.frames.last() else { return None };
        let (id, file, at) = (frame.id, frame.file.clone(), frame.at);
        Some(self.directive_at(id, file, at))
    }

    fn directive_at(&mut self, id: FileId, file: Arc<FileText>, at: usize) -> Directive {
        let (mut tokens, end) = self.line(id, &file, at + 1);
        let hash = file.range(at);
        let hash = SourcePlace { file: id, start: hash.start as u32, end: hash.end as u32 };
        if tokens.is_empty() {
            return Directive { id, file, word: String::new(), place: hash, rest: tokens, end };
        }
        let word = tokens.remove(0);
        let text = self.unit.token_text(&word).into_owned();
        Directive { id, file, word: text, place: hash.to(word.place), rest: tokens, end }
    }

    fn go_to(&mut self, at: usize) {
        if let Some(Frame::File(frame)) = self.frames.last_mut() {
            frame.at = at;
        }
    }

    // Macros.

    fn define(&mut self, directive: &Directive) {
        let tokens = &directive.rest;
        let Some(name) = tokens.first().filter(|token| token.kind == Kind::Name) else {
            let message = "`#define` needs a name behind it, so nothing is defined: write one";
            return self.unit.problems.push(problems::directive(directive.place, message));
        };
        if name.name == self.words.defined {
            return self
                .unit
                .problems
                .push(problems::macro_problem(name.place, "`defined` cannot be a macro: take another name"));
        }
        let takes_some = tokens.get(1).is_some_and(|next| next.kind == Kind::LParen && !next.is(Token::SPACE));
        let (params, is_variadic, body_at) = match takes_some {
            false => (None, false, 1),
            true => match self.params(&tokens[2..]) {
                Some((params, is_variadic, n_tokens)) => (Some(params), is_variadic, 2 + n_tokens),
                None => {
                    let message =
                        "the parameters of a macro are names between commas, then `)`: this macro is not defined";
                    return self.unit.problems.push(problems::directive(tokens[1].place, message));
                }
            },
        };
        let body = self.body(&tokens[body_at..], params.as_deref());
        let end = tokens.last().map_or(name.place, |last| last.place);
        let definition = Macro {
            name: name.name,
            name_place: name.place,
            place: name.place.to(end),
            params,
            is_variadic,
            body,
            is_built_in: false,
        };
        self.check_redefined(&definition);
        self.add_macro(definition);
    }

    /// Reads parameters up to their `)`: their names, true if the last takes any number, and how many tokens they are.
    fn params(&mut self, tokens: &[Token]) -> Option<(Vec<Name>, bool, usize)> {
        let mut params = Vec::new();
        let mut at = 0;
        if tokens.first()?.kind == Kind::RParen {
            return Some((params, false, 1));
        }
        loop {
            let token = tokens.get(at)?;
            let mut is_variadic = false;
            match token.kind {
                Kind::Name => {
                    params.push(token.name);
                    if tokens.get(at + 1)?.kind == Kind::Dots {
                        is_variadic = true;
                        at += 1;
                    }
                }
                Kind::Dots => {
                    params.push(self.words.va_args);
                    is_variadic = true;
                }
                _ => return None,
            }
            match tokens.get(at + 1)?.kind {
                Kind::RParen => return Some((params, is_variadic, at + 2)),
                Kind::Comma if !is_variadic => at += 2,
                _ => return None,
            }
        }
    }

    fn body(&self, tokens: &[Token], params: Option<&[Name]>) -> Vec<Token> {
        let index_of = |token: &Token| match params {
            Some(params) if token.kind == Kind::Name => params.iter().position(|param| *param == token.name),
            _ => None,
        };
        let of_body = |token: &Token| Token {
            flags: token.flags & Token::SPACE,
            expansion: index_of(token).map_or(0, |index| index as u32 + 1),
            ..*token
        };
        tokens.iter().map(of_body).collect()
    }

    fn check_redefined(&mut self, definition: &Macro) {
        let Some(before) = self.defined.get(&definition.name) else { return };
        let before = &self.unit.macros[*before as usize];
        let is_equal = |a: &Token, b: &Token| a.kind == b.kind && self.unit.token_text(a) == self.unit.token_text(b);
        let are_equal = before.params == definition.params
            && before.body.len() == definition.body.len()
            && before.body.iter().zip(&definition.body).all(|(a, b)| is_equal(a, b));
        if !are_equal && before.name_place.file != FileId::PREDEFINED {
            let name = self.unit.interner.text(definition.name);
            let problem = problems::redefined(definition.name_place, name, before.name_place);
            self.unit.problems.push(problem);
        }
    }

    fn undefine(&mut self, directive: &Directive) {
        match directive.rest.first() {
            Some(name) if name.kind == Kind::Name => {
                self.named(name);
                self.defined.remove(&name.name);
            }
            _ => {
                let message = "`#undef` needs the name of a macro behind it: write one";
                self.unit.problems.push(problems::directive(directive.place, message));
            }
        }
    }

    /// Notes that a directive names a macro.
    pub(super) fn named(&mut self, token: &Token) {
        if let Some(of) = self.defined.get(&token.name) {
            self.unit.macro_uses.push(MacroUse { place: token.place, of: *of, expansion: 0 });
        }
    }

    // Files.

    fn include(&mut self, directive: &Directive) {
        let Some(first) = directive.rest.first() else {
            let message = "`#include` needs a file name in quotes or angle brackets behind it: write one";
            return self.unit.problems.push(problems::directive(directive.place, message));
        };
        let written = directive.file.text[first.place.start as usize..].lines().next().unwrap_or_default();
        let (name, is_quoted, place) = match included_name(written) {
            Some((name, is_quoted, length)) => {
                (name.to_owned(), is_quoted, SourcePlace { end: first.place.start + length as u32, ..first.place })
            }
            None => {
                let expanded = self.expand_line(&directive.rest);
                let text: String = expanded.iter().map(|token| self.unit.token_text(token).into_owned()).collect();
                let place = first.place.to(directive.rest.last().map_or(first.place, |last| last.place));
                match included_name(&text) {
                    Some((name, is_quoted, _)) => (name.to_owned(), is_quoted, place),
                    None => {
                        let message = "`#include` needs a file name in quotes or angle brackets: nothing is included";
                        return self.unit.problems.push(problems::directive(place, message));
                    }
                }
            }
        };
        let target = self.find(directive.id, &name, is_quoted, place);
        self.unit.includes.push(Include { place, name: name.clone(), target });
        match target {
            None => self.unit.problems.push(problems::include_not_found(place, &name)),
            Some(target) if self.once.contains(&target) => {}
            Some(_) if self.frames.len() > DEEPEST => {
                self.unit.problems.push(problems::include_too_deep(place, &name));
            }
            Some(target) => {
                let is_first = self.unit.files[usize::from(target.0)].from == Some(place);
                self.enter(target);
                if let Some(Frame::File(frame)) = self.frames.last_mut() {
                    frame.is_first = is_first;
                }
            }
        }
    }

    /// Finds the file of an include: beside the including file if quoted, then in the folders in their order.
    pub(super) fn find(&mut self, from: FileId, name: &str, is_quoted: bool, place: SourcePlace) -> Option<FileId> {
        let own = is_quoted.then(|| folder_of(self.unit.path(from)).to_owned());
        let config = self.config;
        let folders = own.iter().map(String::as_str).chain(config.include_folders.iter().map(String::as_str));
        let candidates: Vec<String> = folders.map(|folder| join(folder, name)).collect();
        for path in candidates {
            if let Some(id) = self.ids.get(path.as_str()) {
                return Some(*id);
            }
            match self.files.file(&path) {
                Some(file) if self.unit.files.len() < usize::from(u16::MAX) => {
                    return Some(self.add_file(file, Some(place)));
                }
                _ => self.unit.wanted.push(path),
            }
        }
        if OWN_HEADERS.contains(&name) || name.starts_with("intrinsics/") {
            let path = format!("<ispc>/{name}");
            return Some(match self.ids.get(path.as_str()) {
                Some(id) => *id,
                None => {
                    let text = if name.starts_with("intrinsics/") { SSE_TYPES } else { "" };
                    self.add_file(Arc::new(FileText::new(path, text)), Some(place))
                }
            });
        }
        None
    }

    // Conditions.

    fn open_condition(&mut self, directive: &Directive) {
        let taken = self.holds(directive);
        let condition = Condition { place: directive.place, taken, has_else: false };
        if let Some(Frame::File(frame)) = self.frames.last_mut() {
            frame.conditions.push(condition);
        }
        if !taken {
            self.skip(directive.end);
        }
    }

    fn holds(&mut self, directive: &Directive) -> bool {
        let word = directive.word.as_str();
        if matches!(word, "if" | "elif") {
            return self.condition(&directive.rest, directive.place);
        }
        match directive.rest.first() {
            Some(name) if name.kind == Kind::Name => {
                self.named(name);
                self.defined.contains_key(&name.name) != word.ends_with("ndef")
            }
            _ => {
                let message = format!("`#{word}` needs the name of a macro behind it, so it does not hold: write one");
                self.unit.problems.push(problems::directive(directive.place, message));
                false
            }
        }
    }

    /// Comes to a next branch from one that was read, or to the end.
    fn next_branch(&mut self, directive: &Directive) {
        let Some(Frame::File(frame)) = self.frames.last_mut() else { return };
        let Some(condition) = frame.conditions.last_mut() else {
            return self.unit.problems.push(problems::without_if(directive.place, &directive.word));
        };
        if directive.word == "endif" {
            frame.conditions.pop();
            return;
        }
        let is_late = condition.has_else;
        condition.has_else |= directive.word == "else";
        if is_late {
            self.unit.problems.push(problems::without_if(directive.place, &directive.word));
        }
        self.skip(directive.end);
    }

    /// Skips text from the end of a directive's line to the next branch that is to be read, or behind the `#endif`.
    fn skip(&mut self, from: usize) {
        let Some(Frame::File(frame)) = self.frames.last() else { return };
        let (id, file) = (frame.id, frame.file.clone());
        let mut from = from;
        let mut depth = 0;
        let first = file.directives.partition_point(|hash| (*hash as usize) < from);
        for index in first..file.directives.len() {
            let hash = file.directives[index] as usize;
            match word_of(&file, hash) {
                "if" | "ifdef" | "ifndef" => depth += 1,
                "endif" if depth > 0 => depth -= 1,
                "endif" => {
                    self.leave_out(&file, from, hash);
                    let end = line_end(&file, hash);
                    self.go_to(end);
                    if let Some(Frame::File(frame)) = self.frames.last_mut() {
                        frame.conditions.pop();
                    }
                    return;
                }
                "elif" | "else" | "elifdef" | "elifndef" if depth == 0 => {
                    self.leave_out(&file, from, hash);
                    let directive = self.directive_at(id, file.clone(), hash);
                    if self.takes_branch(&directive) {
                        return self.go_to(directive.end);
                    }
                    from = directive.end;
                }
                _ => {}
            }
        }
        self.leave_out(&file, from, file.tokens.len());
        self.go_to(file.tokens.len());
    }

    /// Returns true if a branch behind others is the one to be read.
    fn takes_branch(&mut self, directive: &Directive) -> bool {
        let Some(Frame::File(frame)) = self.frames.last() else { return false };
        let Some(condition) = frame.conditions.last().copied() else { return false };
        if condition.has_else {
            self.unit.problems.push(problems::without_if(directive.place, &directive.word));
            return false;
        }
        let is_else = directive.word == "else";
        let takes = !condition.taken && (is_else || self.holds(directive));
        if let Some(Frame::File(frame)) = self.frames.last_mut()
            && let Some(condition) = frame.conditions.last_mut()
        {
            condition.taken |= takes;
            condition.has_else |= is_else;
        }
        takes
    }

    /// Notes text that no branch reads, from the end of a line to the start of a directive.
    fn leave_out(&mut self, file: &FileText, from: usize, to: usize) {
        let Some(Frame::File(frame)) = self.frames.last() else { return };
        let start_of = |index: usize| file.tokens.get(index).map_or(file.text.len(), |token| token.start as usize);
        let start = (start_of(from) + 1).min(file.text.len());
        let end = file.text[..start_of(to)].rfind('\n').map_or(0, |at| at + 1);
        let end = if to == file.tokens.len() { file.text.len() } else { end };
        if frame.is_first && start < end {
            self.unit.files[usize::from(frame.id.0)].inactive.push(start as u32..end as u32);
        }
    }

    // The others.

    fn tell(&mut self, directive: &Directive) {
        let text = match (directive.rest.first(), directive.rest.last()) {
            (Some(first), Some(last)) => &directive.file.text[first.place.start as usize..last.place.end as usize],
            _ => "",
        };
        let problem = problems::told(directive.place, directive.word == "warning", text);
        self.unit.problems.push(problem);
    }

    fn pragma(&mut self, directive: &Directive) {
        let Some(word) = directive.rest.first() else { return };
        let place = word.place.to(directive.rest.last().map_or(word.place, |last| last.place));
        match &*self.unit.token_text(word) {
            "once" => _ = self.once.insert(directive.id),
            "unroll" | "nounroll" => {
                self.unit.pragmas.push(place);
                let place = directive.place.to(place);
                let flags = Token::WRITTEN | Token::LINE;
                let token = Token { kind: Kind::Pragma, flags, place, name: Name::NONE, expansion: 0 };
                // A macro's arguments may go on behind a pragma, which then stands for nothing.
                if self.depth == 0 && self.frames.iter().all(|frame| matches!(frame, Frame::File(_))) {
                    self.unit.tokens.push(token);
                }
            }
            _ => self.unit.pragmas.push(place),
        }
    }
}

/// The word of the directive at a `#`.
pub(crate) fn word_of(file: &FileText, hash: usize) -> &str {
    let mut rest = hash + 1..file.tokens.len();
    let found = rest.find(|index| {
        let kind = file.tokens[*index].kind;
        !kind.is_trivia() || kind == Kind::Newline
    });
    found.map_or("", |index| file.token_text(index))
}

fn line_end(file: &FileText, from: usize) -> usize {
    let mut rest = from..file.tokens.len();
    rest.find(|index| file.tokens[*index].kind == Kind::Newline).unwrap_or(file.tokens.len())
}
