//! Macros: calls, arguments, and what their bodies become.

use crate::kinds::Kind;
use crate::problems;
use crate::unit::{Expansion, MacroUse, Name, SourcePlace, Token};

use super::{Frame, MOST_MADE, Preprocessor, TokensFrame};

/// The deepest that arguments may stand in arguments.
const DEEPEST: u32 = 150;

impl Preprocessor<'_> {
    /// The next token after expansion.
    pub(super) fn next_expanded(&mut self) -> Token {
        loop {
            let mut token = self.next_raw();
            if token.kind != Kind::Name {
                return token;
            }
            if token.name == self.words.pragma {
                self.pragma_operator();
                continue;
            }
            if token.is(Token::PAINTED) {
                return token;
            }
            let Some(of) = self.defined.get(&token.name).copied() else { return token };
            if self.active[of as usize] > 0 {
                token.flags |= Token::PAINTED;
                return token;
            }
            if !self.expand(&token, of) {
                return token;
            }
        }
    }

    /// Pushes a frame with what a macro's name becomes here. A macro with parameters whose name stands alone is not expanded.
    fn expand(&mut self, token: &Token, of: u32) -> bool {
        if self.n_made > MOST_MADE {
            return false;
        }
        let definition = &self.unit.macros[of as usize];
        if definition.is_built_in {
            let made = self.built_in(token);
            self.used(token, of, 0);
            self.frames.push(Frame::Tokens(TokensFrame { tokens: vec![made], at: 0, of: 0 }));
            return true;
        }
        let (call, arguments) = match definition.params.is_some() {
            false => (token.place, Vec::new()),
            true => match self.arguments(token, of) {
                Some(found) => found,
                None => {
                    self.used(token, of, 0);
                    return false;
                }
            },
        };
        self.unit.expansions.push(Expansion { of, call, within: token.expansion, tokens: (0, 0) });
        let expansion = self.unit.expansions.len() as u32;
        self.used(token, of, expansion);
        let mut tokens = self.substitute(of, &arguments, token, expansion);
        if let Some(first) = tokens.first_mut() {
            first.flags = (first.flags & !(Token::SPACE | Token::LINE)) | (token.flags & (Token::SPACE | Token::LINE));
        }
        self.n_made += tokens.len() + 1;
        if self.n_made > MOST_MADE {
            let name = self.unit.interner.text(token.name).to_owned();
            let message = format!(
                "expanding `{name}` makes more than {MOST_MADE} tokens, so no macro is expanded from here on: let macros repeat less"
            );
            self.unit.problems.push(problems::macro_problem(self.unit.place(token), message));
        }
        self.active[of as usize] += 1;
        self.frames.push(Frame::Tokens(TokensFrame { tokens, at: 0, of: of + 1 }));
        true
    }

    pub(super) fn used(&mut self, token: &Token, of: u32, expansion: u32) {
        if token.is(Token::WRITTEN) {
            self.unit.macro_uses.push(MacroUse { place: token.place, of, expansion });
        }
    }

    /// Reads the arguments of a call: where the call is, and each argument's tokens. Nothing if no `(` follows.
    fn arguments(&mut self, name: &Token, of: u32) -> Option<(SourcePlace, Vec<Vec<Token>>)> {
        let open = self.next_raw();
        if open.kind != Kind::LParen {
            self.give_back(vec![open]);
            return None;
        }
        let definition = &self.unit.macros[of as usize];
        let (n_params, is_variadic) = (definition.params.as_ref().map_or(0, Vec::len), definition.is_variadic);
        let mut arguments = vec![Vec::new()];
        let mut depth = 0;
        let close = loop {
            let mut token = self.next_raw();
            match token.kind {
                Kind::End => {
                    let place = self.unit.place(name);
                    self.unit.problems.push(problems::unclosed(place, "(", ")"));
                    self.give_back(arguments.into_iter().flatten().collect());
                    return None;
                }
                Kind::LParen => depth += 1,
                Kind::RParen if depth == 0 => break token,
                Kind::RParen => depth -= 1,
                Kind::Comma if depth == 0 && !(is_variadic && arguments.len() == n_params) => {
                    arguments.push(Vec::new());
                    continue;
                }
                Kind::Name => {
                    let known = self.defined.get(&token.name);
                    if known.is_some_and(|of| self.active[*of as usize] > 0) {
                        token.flags |= Token::PAINTED;
                    }
                }
                _ => {}
            }
            arguments.last_mut().expect("one argument").push(token);
        };
        let call = if close.expansion == name.expansion { name.place.to(close.place) } else { name.place };
        self.check_count(name, of, &mut arguments, n_params, is_variadic);
        Some((call, arguments))
    }

    fn give_back(&mut self, tokens: Vec<Token>) {
        if tokens.first().is_some_and(|token| token.kind != Kind::End) {
            self.frames.push(Frame::Tokens(TokensFrame { tokens, at: 0, of: 0 }));
        }
    }

    /// Makes the number of arguments that of the parameters, and tells if it was another one.
    fn check_count(
        &mut self,
        name: &Token,
        of: u32,
        arguments: &mut Vec<Vec<Token>>,
        n_params: usize,
        is_variadic: bool,
    ) {
        let n_given = if n_params == 0 && arguments[0].is_empty() { 0 } else { arguments.len() };
        let least = if is_variadic { n_params - 1 } else { n_params };
        if n_given < least.max(usize::from(n_params == 1 && !is_variadic)) || n_given > n_params {
            let text = self.unit.interner.text(name.name);
            let message =
                format!("the macro `{text}` takes {n_params} arguments, and {n_given} are given here: give it as many");
            let problem = problems::macro_problem(self.unit.place(name), message)
                .with(self.unit.macros[of as usize].name_place, "the macro");
            self.unit.problems.push(problem);
        }
        arguments.resize(n_params.max(1), Vec::new());
    }

    /// Expands an argument by itself.
    fn expand_alone(&mut self, tokens: &[Token]) -> Vec<Token> {
        let is_plain = |token: &Token| token.kind != Kind::Name || !self.defined.contains_key(&token.name);
        if tokens.iter().all(is_plain) {
            return tokens.to_vec();
        }
        if self.depth > DEEPEST {
            return tokens.to_vec();
        }
        self.depth += 1;
        self.frames.push(Frame::Barrier);
        self.frames.push(Frame::Tokens(TokensFrame { tokens: tokens.to_vec(), at: 0, of: 0 }));
        let mut expanded = Vec::new();
        loop {
            let token = self.next_expanded();
            if token.kind == Kind::End {
                break;
            }
            expanded.push(token);
        }
        self.frames.pop();
        self.depth -= 1;
        expanded
    }

    /// Expands the tokens of a directive.
    pub(super) fn expand_line(&mut self, tokens: &[Token]) -> Vec<Token> {
        self.expand_alone(tokens)
    }

    /// A body with its parameters replaced.
    fn substitute(&mut self, of: u32, arguments: &[Vec<Token>], call: &Token, expansion: u32) -> Vec<Token> {
        let body = self.unit.macros[of as usize].body.clone();
        let takes_some = self.unit.macros[of as usize].params.is_some();
        let mut maker = Substitution {
            arguments,
            expanded: vec![None; arguments.len()],
            call,
            expansion,
            of,
            variadic: self.unit.macros[of as usize].is_variadic.then(|| arguments.len() - 1),
            takes_some,
        };
        maker.run(self, &body)
    }

    /// The token that a macro of the preprocessor's own becomes.
    fn built_in(&mut self, token: &Token) -> Token {
        let name = self.unit.interner.text(token.name).to_owned();
        let place = self.unit.place(token);
        let text = match name.as_str() {
            "__LINE__" => {
                let before = self.unit.text(place.file).get(..place.start as usize).unwrap_or_default();
                (before.matches('\n').count() + 1).to_string()
            }
            "__FILE__" => quoted(self.unit.path(place.file)),
            "__BASE_FILE__" => quoted(self.unit.path(crate::unit::FileId::MAIN)),
            "__COUNTER__" => {
                self.counter += 1;
                (self.counter - 1).to_string()
            }
            "__INCLUDE_LEVEL__" => {
                let n_files = self.frames.iter().filter(|frame| matches!(frame, Frame::File(_))).count();
                n_files.saturating_sub(1).to_string()
            }
            // Reading is the same at any time.
            "__DATE__" => "\"Jan  1 1970\"".to_owned(),
            _ => "\"00:00:00\"".to_owned(),
        };
        self.made(&text, token)
    }

    /// Takes `("…")` behind `_Pragma`.
    fn pragma_operator(&mut self) {
        let open = self.next_raw();
        if open.kind != Kind::LParen {
            self.give_back(vec![open]);
            return;
        }
        loop {
            let token = self.next_raw();
            match token.kind {
                Kind::RParen | Kind::End => return,
                _ => self.unit.pragmas.push(self.unit.place(&token)),
            }
        }
    }
}

/// A text as a string of the source.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// One body on its way to what it becomes.
struct Substitution<'a> {
    arguments: &'a [Vec<Token>],
    /// Each argument expanded, once one is needed.
    expanded: Vec<Option<Vec<Token>>>,
    call: &'a Token,
    expansion: u32,
    of: u32,
    /// The index of the parameter that takes any number.
    variadic: Option<usize>,
    takes_some: bool,
}

impl Substitution<'_> {
    fn run(&mut self, p: &mut Preprocessor<'_>, body: &[Token]) -> Vec<Token> {
        let mut made: Vec<Token> = Vec::with_capacity(body.len());
        let mut at = 0;
        while at < body.len() {
            // An operand of `##` is not expanded; a chain of them goes from left to right.
            let mut is_operand = body.get(at + 1 + self.skip(p, body, at)).is_some_and(is_paste);
            let mut left = self.operand(p, body, &mut at, is_operand);
            while body.get(at).is_some_and(is_paste) && at + 1 < body.len() {
                at += 1;
                let right_at = at;
                is_operand = true;
                let right = self.operand(p, body, &mut at, is_operand);
                left = self.paste(p, left, right, &body[right_at]);
            }
            made.extend(left);
        }
        made
    }

    /// How many tokens belong to the operand at a place, beyond the first.
    fn skip(&self, p: &Preprocessor<'_>, body: &[Token], at: usize) -> usize {
        let token = &body[at];
        if token.kind == Kind::Hash && self.takes_some && body.get(at + 1).is_some_and(|next| next.expansion > 0) {
            return 1;
        }
        if token.name == p.words.va_opt && self.variadic.is_some() {
            return group_length(&body[at + 1..]);
        }
        0
    }

    /// What one operand becomes.
    fn operand(&mut self, p: &mut Preprocessor<'_>, body: &[Token], at: &mut usize, raw: bool) -> Vec<Token> {
        let token = body[*at];
        let n_more = self.skip(p, body, *at);
        let inner = &body[*at + 1..*at + 1 + n_more];
        *at += 1 + n_more;
        if token.kind == Kind::Hash && n_more == 1 {
            return vec![self.string(p, inner[0].expansion as usize - 1, &token)];
        }
        if token.name == p.words.va_opt && n_more > 1 {
            let is_given = self.variadic.is_some_and(|index| !self.arguments[index].is_empty());
            return if is_given { self.run(p, &inner[1..inner.len() - 1]) } else { Vec::new() };
        }
        if token.expansion == 0 {
            return vec![Token { expansion: self.expansion, ..token }];
        }
        let index = token.expansion as usize - 1;
        let argument = &self.arguments[index];
        let mut tokens = if raw {
            argument.clone()
        } else {
            if self.expanded[index].is_none() {
                self.expanded[index] = Some(p.expand_alone(argument));
            }
            self.expanded[index].clone().unwrap_or_default()
        };
        for argument in &mut tokens {
            if argument.expansion == 0 || argument.expansion == self.call.expansion {
                argument.expansion = self.expansion;
            }
        }
        if let Some(first) = tokens.first_mut() {
            first.flags = (first.flags & !(Token::SPACE | Token::LINE)) | (token.flags & Token::SPACE);
        }
        tokens
    }

    /// `#` in front of a parameter: the argument's text as a string.
    fn string(&self, p: &mut Preprocessor<'_>, index: usize, hash: &Token) -> Token {
        let mut text = String::from("\"");
        for (nth, token) in self.arguments[index].iter().enumerate() {
            if nth > 0 && token.is(Token::SPACE | Token::LINE) {
                text.push(' ');
            }
            let spelled = p.unit.token_text(token);
            match token.kind {
                Kind::Str | Kind::Char => text += &spelled.replace('\\', "\\\\").replace('"', "\\\""),
                _ => text += &spelled,
            }
        }
        text.push('"');
        let mut made = p.made(&text, hash);
        made.kind = Kind::Str;
        made.name = Name::NONE;
        made.expansion = self.expansion;
        made
    }

    /// Pastes the last token of one operand and the first of the next one.
    fn paste(&self, p: &mut Preprocessor<'_>, mut left: Vec<Token>, right: Vec<Token>, at: &Token) -> Vec<Token> {
        let is_rest = self.variadic.is_some_and(|index| at.expansion as usize == index + 1);
        if is_rest && left.last().is_some_and(|token| token.kind == Kind::Comma) {
            // `, ## __VA_ARGS__`: the comma goes when nothing is given.
            if right.is_empty() {
                left.pop();
            }
            left.extend(right);
            return left;
        }
        let (Some(last), Some(first)) = (left.last().copied(), right.first().copied()) else {
            left.extend(right);
            return left;
        };
        let text = format!("{}{}", p.unit.token_text(&last), p.unit.token_text(&first));
        left.pop();
        if crate::lexer::lex(&text).len() == 1 {
            let made = p.made(&text, &Token { expansion: self.expansion, ..last });
            left.push(made);
        } else {
            let message = format!(
                "`##` makes `{text}` here, which is not one token, so the two stay apart: paste what makes one"
            );
            let place = p.unit.place(&Token { flags: 0, expansion: self.expansion, ..last });
            let definition = p.unit.macros[self.of as usize].name_place;
            p.unit.problems.push(problems::macro_problem(place, message).with(definition, "the macro"));
            left.extend([last, first]);
        }
        left.extend(&right[1..]);
        left
    }
}

fn is_paste(token: &Token) -> bool {
    token.kind == Kind::HashHash && token.expansion == 0
}

/// The length of a group in parentheses at the start of tokens, or 0.
fn group_length(tokens: &[Token]) -> usize {
    let mut depth = 0;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::LParen => depth += 1,
            Kind::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    0
}
