//! The names that a file declares outside of functions, found in its tokens alone.
//!
//! No header is read and no macro expanded, so thousands of files are looked at in a moment. All branches of conditions count. What
//! only macros make is not found, and members and values of enumerations are left to the outline.

use rustc_hash::FxHashSet;

use crate::file::FileText;
use crate::kinds::Kind;
use crate::names::DeclKind;

/// A name that is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DeclaredName {
    /// The kind; none for a macro.
    pub kind: Option<DeclKind>,
    /// Where the name starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// False for a prototype, which is left out where the file has a definition, too.
    pub is_definition: bool,
}

/// The names that a file declares, in order.
pub fn declared_names(file: &FileText) -> Vec<DeclaredName> {
    let mut scan = Scan { file, head: Vec::new(), depth: 0, branches: Vec::new(), found: Vec::new() };
    let mut at = 0;
    let mut directives = file.directives.iter().map(|hash| *hash as usize).peekable();
    while at < file.tokens.len() {
        if directives.next_if_eq(&at).is_some() {
            at = scan.directive(at);
            continue;
        }
        scan.token(at);
        at += 1;
    }
    let Scan { mut found, .. } = scan;
    let key = |name: &DeclaredName| (name.kind, &file.text[name.start as usize..name.end as usize]);
    let defined: FxHashSet<_> = found.iter().filter(|name| name.is_definition).map(key).collect();
    found.retain(|name| name.is_definition || !defined.contains(&key(name)));
    found
}

struct Scan<'f> {
    file: &'f FileText,
    /// The tokens of the declaration so far; those in braces are left out.
    head: Vec<usize>,
    /// How many braces are open.
    depth: usize,
    /// For each open `#if` the number of braces in front of it.
    branches: Vec<usize>,
    found: Vec<DeclaredName>,
}

impl Scan<'_> {
    fn text(&self, index: usize) -> &str {
        self.file.token_text(index)
    }

    fn kind(&self, index: usize) -> Kind {
        self.file.tokens[index].kind
    }

    /// A directive from its `#` on; returns where its line ends.
    fn directive(&mut self, hash: usize) -> usize {
        let end = (hash..self.file.tokens.len()).find(|at| self.kind(*at) == Kind::Newline);
        let end = end.unwrap_or(self.file.tokens.len());
        let mut words = (hash + 1..end).filter(|at| !self.kind(*at).is_trivia());
        let Some(word) = words.next() else { return end };
        match self.text(word) {
            "define" => {
                let name = words.next().filter(|name| self.kind(*name) == Kind::Name);
                name.into_iter().for_each(|name| self.add(None, name, true));
            }
            text if text.starts_with("if") => self.branches.push(self.depth),
            text if text.starts_with("el") => self.depth = self.branches.last().copied().unwrap_or(self.depth),
            "endif" => _ = self.branches.pop(),
            _ => {}
        }
        end
    }

    fn token(&mut self, at: usize) {
        match self.kind(at) {
            kind if kind.is_trivia() => {}
            Kind::LBrace => {
                let is_linkage = self.depth == 0 && self.is_linkage();
                if self.depth == 0 {
                    self.opens();
                }
                // What stands in `extern "C" { … }` is declared outside of functions.
                self.depth += usize::from(!is_linkage);
            }
            Kind::RBrace => {
                let was_inside = self.depth > 0;
                self.depth = self.depth.saturating_sub(1);
                if was_inside && self.depth == 0 && self.is_function() {
                    self.head.clear();
                }
            }
            Kind::Semicolon if self.depth == 0 => {
                self.ends();
                self.head.clear();
            }
            _ if self.depth == 0 => self.head.push(at),
            _ => {}
        }
    }

    fn has(&self, word: &str) -> bool {
        self.head.iter().any(|at| self.text(*at) == word)
    }

    fn is_linkage(&self) -> bool {
        matches!(&self.head[..], [.., word, name] if self.text(*word) == "extern" && self.kind(*name) == Kind::Str)
    }

    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Kind::Name && Kind::of_name(self.text(at)) == Kind::Name
    }

    /// The name in front of the brackets with the parameters: those that come last, but for those of attributes. A type stands in front.
    fn params(&self) -> Option<usize> {
        let mut depth = 0;
        for (index, at) in self.head.iter().enumerate().rev() {
            match self.kind(*at) {
                Kind::RParen => depth += 1,
                Kind::LParen if depth == 1 && index > 1 && self.is_name(self.head[index - 1]) => {
                    return Some(index - 1);
                }
                Kind::LParen => depth -= 1,
                _ => {}
            }
        }
        None
    }

    fn is_function(&self) -> bool {
        !self.has("=") && !self.has("typedef") && self.params().is_some()
    }

    /// A `{`: of a function, of a struct, or of values.
    fn opens(&mut self) {
        if self.is_linkage() {
            self.head.clear();
            return;
        }
        if self.is_function() {
            if let Some(name) = self.params() {
                self.add(Some(DeclKind::Function), self.head[name], true);
            }
            return;
        }
        let [.., word, name] = self.head[..] else { return };
        let kind = match self.text(word) {
            "struct" => DeclKind::Struct,
            "enum" => DeclKind::Enum,
            _ => return,
        };
        self.add(Some(kind), name, true);
    }

    /// A `;` behind a declaration.
    fn ends(&mut self) {
        let name = |at: &usize| self.is_name(*at);
        if self.has("typedef") {
            // Of a pointer to a function the name stands behind the star.
            let star = self.head.windows(2).find(|pair| {
                self.kind(pair[0]) == Kind::Star && name(&pair[1]) && self.kind(self.head[0]) != Kind::Star
            });
            let pointer = star.filter(|_| self.has("(")).map(|pair| pair[1]);
            let plain = self.head.iter().rev().copied().find(name);
            pointer.or(plain).into_iter().for_each(|at| self.add(Some(DeclKind::Typedef), at, true));
            return;
        }
        if self.is_function() {
            let name = self.params().map(|index| self.head[index]);
            name.into_iter().for_each(|at| self.add(Some(DeclKind::Function), at, false));
            return;
        }
        let stops = |at: &usize| matches!(self.kind(*at), Kind::Eq | Kind::LBracket | Kind::Comma | Kind::LParen);
        let end = self.head.iter().position(stops).unwrap_or(self.head.len());
        // A name alone is a macro's call, and `struct S;` declares nothing new.
        let head = &self.head[..end];
        let is_forward = head.len() == 2 && matches!(self.text(head[0]), "struct" | "enum");
        if let Some(at) = head.last().copied().filter(|at| head.len() > 1 && !is_forward && name(at)) {
            self.add(Some(DeclKind::Global), at, true);
        }
    }

    fn add(&mut self, kind: Option<DeclKind>, name: usize, is_definition: bool) {
        let range = self.file.range(name);
        if self.kind(name) == Kind::Name {
            let (start, end) = (range.start as u32, range.end as u32);
            self.found.push(DeclaredName { kind, start, end, is_definition });
        }
    }
}
