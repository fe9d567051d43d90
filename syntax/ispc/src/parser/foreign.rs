//! What people write who know C and C++. Each is told in words of its own, and read as what it means, so that one mistake is told once.

use crate::foreign::{is_container, value_advice};
use crate::kinds::Kind;
use crate::problems;
use crate::tree::NodeKind;

use super::Parser;
use super::declarations::Where;

impl Parser<'_> {
    /// Returns true for a name that nothing here declares, and that is spelled so.
    pub(super) fn is_foreign_at(&self, n: usize, words: &[&str]) -> bool {
        self.nth(n) == Kind::Name
            && self.scopes.find(self.nth_token(n).name).is_none()
            && words.contains(&self.unit.interner.text(self.nth_token(n).name))
    }

    /// Returns true for `std::`.
    pub(super) fn is_scope_at(&self, n: usize) -> bool {
        self.nth(n) == Kind::Name && self.nth(n + 1) == Kind::Colon && self.nth(n + 2) == Kind::Colon
    }

    /// Returns true for a type behind `std::`, or a name that is followed by that of a variable.
    pub(super) fn starts_scoped_type(&self) -> bool {
        let mut n = 0;
        while self.is_scope_at(n) {
            n += 3;
        }
        let is_type = || {
            self.starts_type_at(n)
                || self.nth(n + 1) == Kind::Name
                || is_container(self.unit.interner.text(self.nth_token(n).name))
        };
        n > 0 && is_type()
    }

    /// Takes `std::` in front of a name.
    pub(super) fn skip_scopes(&mut self) {
        let start = self.at;
        while self.is_scope_at(0) {
            (0..3).for_each(|_| self.bump());
        }
        if self.at > start {
            let scopes: String =
                (start..self.at).map(|at| self.unit.token_text(&self.unit.tokens[at]).into_owned()).collect();
            let name = self.unit.token_text(self.token()).into_owned();
            let message = match value_advice(&name) {
                _ if is_container(&name) => {
                    format!("ISPC has no `{scopes}{name}`: use an array, or a pointer to what the caller has")
                }
                Some(advice) => format!("ISPC has no `{scopes}{name}`: {advice}"),
                None => format!("ISPC has no namespaces: write `{name}` without `{scopes}`"),
            };
            let at = self.at;
            self.at = start;
            self.fail_at(start, message);
            self.at = at;
        }
    }

    /// Takes a type behind `std::`; true if it is one of those that ISPC has nothing like.
    pub(super) fn scoped_type(&mut self) -> bool {
        self.skip_scopes();
        let is_container = self.is(Kind::Name) && is_container(self.unit.interner.text(self.token().name));
        if is_container {
            self.bump();
            if self.is(Kind::Lt) {
                self.template_args();
            }
        }
        is_container
    }

    /// Takes a word of C++ in front of a type; false if there is none.
    pub(super) fn foreign_qualifier(&mut self) -> bool {
        let message = match () {
            _ if self.is_foreign_at(0, &["constexpr", "consteval", "constinit"]) => "write `const`",
            _ if self.is_foreign_at(0, &["volatile", "register", "mutable", "friend", "virtual", "explicit"]) => {
                "take it out"
            }
            _ => return false,
        };
        if !self.starts_type_at(1) && self.nth(1) != Kind::Name {
            return false;
        }
        let word = self.unit.token_text(self.token()).into_owned();
        self.fail_at(self.at, format!("ISPC has no `{word}`: {message}"));
        self.bump();
        true
    }

    /// Takes `unsigned char` and its like; false if there is none.
    pub(super) fn unsigned_type(&mut self) -> bool {
        const WORDS: &[(&str, &str, &str)] =
            &[("char", "int8", "uint8"), ("short", "int16", "uint16"), ("long", "int64", "uint64")];
        let Some((word, signed, unsigned)) = WORDS.iter().find(|(word, ..)| self.is_foreign_at(1, &[word])) else {
            return false;
        };
        let first = self.unit.token_text(self.token()).into_owned();
        let write = if self.is(Kind::Unsigned) { unsigned } else { signed };
        let token = *self.token();
        let message = format!("there is no type `{first} {word}`: write `{write}`");
        self.tell(problems::no_such_type(self.unit.place(&token), message), &token);
        self.bump();
        self.bump();
        self.rest_of_number();
        true
    }

    /// Takes what stands behind `long` in C: `long long`, `long int`.
    pub(super) fn rest_of_number(&mut self) {
        while self.is_foreign_at(0, &["long"]) || matches!(self.kind(), Kind::Int | Kind::Double) {
            self.bump();
        }
    }

    /// Takes `class C {` for a struct; false if there is none.
    pub(super) fn class_specifier(&mut self) -> bool {
        let is_class = self.is_foreign_at(0, &["class"]) && self.nth(1) == Kind::Name && self.nth(2) == Kind::LBrace;
        if is_class {
            let token = *self.token();
            self.tell(problems::unknown_type(self.unit.place(&token), "class"), &token);
            self.struct_specifier();
        }
        is_class
    }

    /// Takes `public:`; false if there is none.
    pub(super) fn access_specifier(&mut self) -> bool {
        let is_there = self.is_foreign_at(0, &["public", "private", "protected"]) && self.nth(1) == Kind::Colon;
        if is_there {
            self.fail_at(self.at, "everyone may use all members of a struct in ISPC: take this out");
            self.bump();
            self.bump();
        }
        is_there
    }

    /// Takes an item of C++'s namespaces; false if there is none.
    pub(super) fn namespace_item(&mut self) -> bool {
        if self.is_foreign_at(0, &["namespace"]) && self.nth(1) == Kind::Name && self.nth(2) == Kind::LBrace {
            self.fail_at(
                self.at,
                "ISPC has no namespaces: take this and its braces out, and give the names a beginning of their own",
            );
            self.linkage_block();
            return true;
        }
        self.using()
    }

    /// Takes `using …;`; false if there is none.
    pub(super) fn using(&mut self) -> bool {
        if !self.is_foreign_at(0, &["using"]) || self.nth(1) != Kind::Name {
            return false;
        }
        let message = match self.is_foreign_at(1, &["namespace"]) || self.is_scope_at(1) {
            true => "ISPC has no namespaces: take this line out".to_owned(),
            false => {
                let name = self.unit.token_text(self.nth_token(1)).into_owned();
                format!("ISPC has no `using`: write `typedef … {name};`")
            }
        };
        self.fail_at(self.at, message);
        let mark = self.open();
        while !matches!(self.kind(), Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End) {
            self.bump();
        }
        self.eat(Kind::Semicolon);
        self.close(mark, NodeKind::Error);
        true
    }

    /// Takes the `...` of a range, or what people write in its place; false if no second value follows.
    pub(super) fn range_dots(&mut self) -> bool {
        if self.is(Kind::Dot) && self.nth(1) == Kind::Dot {
            self.fail_at(self.at, "a range has three dots: write `...`");
            self.bump();
            self.bump();
            return true;
        }
        if self.is(Kind::Semicolon) {
            self.fail_at(
                self.at,
                "`foreach` runs through a range, without a condition and a step: write `foreach (i = 0 ... n)`",
            );
            return false;
        }
        self.expect(Kind::Dots, "the first value");
        true
    }

    /// Takes a type in front of the variable of a `foreach`.
    pub(super) fn foreach_type(&mut self) {
        if self.starts_type() || self.is_foreign_at(0, &["auto", "size_t"]) && self.nth(1) == Kind::Name {
            self.fail_at(
                self.at,
                "the variable of a `foreach` has no type of its own, it is a `varying int`: write its name alone",
            );
            if self.starts_type() { self.type_specifiers() } else { self.bump() }
        }
    }

    /// Takes the head of a loop over the elements of an array, behind its `(`; false if this is no such loop.
    pub(super) fn element_loop(&mut self) -> bool {
        let n_ahead = (0..24)
            .take_while(|n| !matches!(self.nth(*n), Kind::Semicolon | Kind::Question | Kind::RParen | Kind::End));
        let colon = n_ahead.into_iter().find(|n| self.nth(*n) == Kind::Colon && !self.is_scope_at(n.saturating_sub(1)));
        if !self.starts_declaration(Where::Local) || colon.is_none_or(|n| self.nth(n + 1) == Kind::Colon) {
            return false;
        }
        self.fail_at(
            self.at,
            "ISPC has no loops over the elements of an array: write `foreach (i = 0 ... n)`, and use `a[i]`",
        );
        let mark = self.open();
        while !matches!(self.kind(), Kind::RParen | Kind::Semicolon | Kind::LBrace | Kind::RBrace | Kind::End) {
            self.bump();
        }
        self.close(mark, NodeKind::Error);
        true
    }

    /// Takes a lambda; false if there is none.
    pub(super) fn lambda(&mut self) -> bool {
        if !self.is(Kind::LBracket) || !matches!(self.nth(1), Kind::RBracket | Kind::Amp | Kind::Eq) {
            return false;
        }
        self.fail_at(
            self.at,
            "ISPC has no functions inside of expressions: write a function of its own, and its name here",
        );
        self.skip_group();
        if self.is(Kind::LParen) {
            self.skip_group();
        }
        if self.is(Kind::LBrace) {
            self.skip_group();
        }
        true
    }
}
