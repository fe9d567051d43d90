//! A unit: a file with all that it includes, expanded, parsed, its names resolved. And the way back from each of its tokens to the text
//! as written.
//!
//! A token is *spelled* at one place: in a file, in a macro's body, or in the text that pasting made. If a macro brought it, it has an
//! *expansion*: which macro, called where, and from which expansion in turn. A *written* token is spelled where it takes effect or in
//! an argument, so its place is its own; for any other it is that of the outermost call.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::file::FileText;
use crate::kinds::Kind;
use crate::lexer::spelling;
use crate::names::Names;
use crate::problems::Problem;
use crate::shared::Shared;
use crate::tree::Tree;

/// The index of a file of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FileId(pub u16);

impl FileId {
    /// The file that the unit is about.
    pub const MAIN: FileId = FileId(0);
    /// The directives that stand in front of it.
    pub const PREDEFINED: FileId = FileId(1);
    /// Text that no file has: pasted and made to strings.
    pub const MADE: FileId = FileId(2);
}

/// A range of a file of a unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SourcePlace {
    /// The file.
    pub file: FileId,
    /// Where it starts.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl SourcePlace {
    /// The range in the file's text.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The place from the start of this one to the end of another one; this one if they are in two files.
    pub fn to(self, end: SourcePlace) -> SourcePlace {
        if end.file == self.file && end.end >= self.start { SourcePlace { end: end.end, ..self } } else { self }
    }

    /// Returns true if an offset is inside or at the end.
    pub fn touches(self, file: FileId, offset: u32) -> bool {
        self.file == file && (self.start..=self.end).contains(&offset)
    }
}

/// A name's number in its unit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(pub u32);

impl Name {
    /// The name of what has none.
    pub const NONE: Name = Name(u32::MAX);
}

/// All names of a unit, once each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Interner {
    /// The names of the prefix.
    in_front: Option<Arc<Interner>>,
    numbers: FxHashMap<Arc<str>, Name>,
    texts: Vec<(Arc<str>, Kind)>,
}

impl Interner {
    /// The number of a name.
    pub fn intern(&mut self, text: &str) -> Name {
        if let Some(name) = self.get(text) {
            return name;
        }
        let name = Name((self.n_in_front() + self.texts.len()) as u32);
        let text: Arc<str> = text.into();
        self.texts.push((text.clone(), Kind::of_name(&text)));
        self.numbers.insert(text, name);
        name
    }

    /// The number of a name that occurs.
    pub fn get(&self, text: &str) -> Option<Name> {
        let in_front = self.in_front.as_ref().and_then(|in_front| in_front.get(text));
        in_front.or_else(|| self.numbers.get(text).copied())
    }

    fn n_in_front(&self) -> usize {
        self.in_front.as_ref().map_or(0, |in_front| in_front.texts.len())
    }

    fn entry(&self, name: Name) -> Option<&(Arc<str>, Kind)> {
        match (name.0 as usize).checked_sub(self.n_in_front()) {
            None => self.in_front.as_ref()?.texts.get(name.0 as usize),
            Some(index) => self.texts.get(index),
        }
    }

    /// Shares all names, for units that go on from here.
    pub(crate) fn share(&mut self) {
        let in_front = std::mem::take(self);
        self.in_front = Some(Arc::new(in_front));
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        self.entry(name).map_or("", |(text, _)| text)
    }

    /// The kind of a name behind the preprocessor: a keyword's, or `Name`.
    pub fn kind(&self, name: Name) -> Kind {
        self.entry(name).map_or(Kind::Name, |(_, kind)| *kind)
    }

    /// All names.
    pub fn all(&self) -> impl Iterator<Item = (Name, &str)> {
        let in_front = self.in_front.iter().flat_map(|in_front| &in_front.texts);
        in_front.chain(&self.texts).enumerate().map(|(index, (text, _))| (Name(index as u32), &**text))
    }
}

/// A token of a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// Its kind: behind the preprocessor, a keyword's if it is one.
    pub kind: Kind,
    /// The token's properties: [`Token::SPACE`] and its like.
    pub flags: u8,
    /// Where it is spelled.
    pub place: SourcePlace,
    /// The name, if it is one.
    pub name: Name,
    /// The index of the expansion that brought it, plus 1; 0 for none.
    pub expansion: u32,
}

impl Token {
    /// White space stands in front.
    pub const SPACE: u8 = 1;
    /// The first of its line.
    pub const LINE: u8 = 2;
    /// Never to be expanded, since its macro was being expanded when it was met.
    pub const PAINTED: u8 = 4;
    /// Spelled in a file outside of any macro's body.
    pub const WRITTEN: u8 = 8;

    /// Returns true if it has this property.
    pub fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// One expansion of a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Expansion {
    /// The index of the macro.
    pub of: u32,
    /// The call, with its arguments, as spelled.
    pub call: SourcePlace,
    /// The expansion in which the call stands, plus 1; 0 if it is written in a file.
    pub within: u32,
    /// The tokens of the unit that the outermost expansion became.
    pub tokens: (u32, u32),
}

/// A macro, by one definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Macro {
    /// The name.
    pub name: Name,
    /// Where its name is in the definition.
    pub name_place: SourcePlace,
    /// The definition, from its name to the end of its line.
    pub place: SourcePlace,
    /// The parameters of a macro that takes some.
    pub params: Option<Vec<Name>>,
    /// The last parameter takes any number of arguments.
    pub is_variadic: bool,
    /// The tokens of its body; of those that are a parameter `expansion` is that one's index, plus 1.
    pub body: Vec<Token>,
    /// Made by the preprocessor itself: `__LINE__` and its like.
    pub is_built_in: bool,
}

/// A place that names a macro.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MacroUse {
    /// The name, as spelled.
    pub place: SourcePlace,
    /// The macro's index.
    pub of: u32,
    /// The expansion, plus 1, if it was expanded there; 0 if it is only named, as by `#ifdef`.
    pub expansion: u32,
}

/// An `#include`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Include {
    /// The name with its quotes or angle brackets.
    pub place: SourcePlace,
    /// The name alone.
    pub name: String,
    /// The file, if it was found.
    pub target: Option<FileId>,
}

/// A file of a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnitFile {
    /// Its text and tokens.
    pub file: Arc<FileText>,
    /// Text that conditions left out, in order.
    pub inactive: Vec<Range<u32>>,
    /// The `#include` by which it came in first.
    pub from: Option<SourcePlace>,
}

/// A unit: a file with all that it includes, read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Unit {
    /// Its files; the first is the one that it is about.
    pub files: Vec<UnitFile>,
    /// The text that pasting made.
    pub made: String,
    /// All names.
    pub interner: Interner,
    /// The expanded tokens; the last one is [`Kind::End`].
    pub tokens: Shared<Token>,
    /// No token in front of this one is spelled in the file itself: those of headers mostly come first.
    pub first_own: u32,
    /// All expansions.
    pub expansions: Shared<Expansion>,
    /// All macros, in the order of their definitions.
    pub macros: Shared<Macro>,
    /// All places that name macros.
    pub macro_uses: Shared<MacroUse>,
    /// All includes.
    pub includes: Vec<Include>,
    /// All pragmas but `once`, from the word behind `#pragma` on.
    pub pragmas: Vec<SourcePlace>,
    /// Paths of files that were looked for and not there.
    pub wanted: Vec<String>,
    /// The tree of the expanded tokens.
    pub tree: Tree,
    /// Declarations, and which name stands for which.
    pub names: Names,
    /// All that is wrong, in order of its finding.
    pub problems: Vec<Problem>,
}

impl Unit {
    /// The text of a file.
    pub fn text(&self, file: FileId) -> &str {
        match self.files.get(usize::from(file.0)) {
            _ if file == FileId::MADE => &self.made,
            Some(file) => &file.file.text,
            None => "",
        }
    }

    /// The path of a file.
    pub fn path(&self, file: FileId) -> &str {
        self.files.get(usize::from(file.0)).map_or("", |file| &file.file.path)
    }

    /// A token's text, without continued lines.
    pub fn token_text(&self, token: &Token) -> std::borrow::Cow<'_, str> {
        if token.name != Name::NONE {
            return self.interner.text(token.name).into();
        }
        self.text(token.place.file).get(token.place.range()).map_or("".into(), spelling)
    }

    /// Where a token stands for who reads the file: its own place if it is written there, else the outermost call that brought it.
    pub fn place(&self, token: &Token) -> SourcePlace {
        if token.is(Token::WRITTEN) || token.expansion == 0 {
            return token.place;
        }
        self.expansions_of(token).last().map_or(token.place, |outermost| outermost.call)
    }

    /// The expansions that brought a token, innermost first.
    pub fn expansions_of(&self, token: &Token) -> impl Iterator<Item = &Expansion> {
        let mut next = token.expansion;
        std::iter::from_fn(move || {
            let expansion = self.expansions.get((next as usize).checked_sub(1)?)?;
            next = expansion.within;
            Some(expansion)
        })
    }

    /// The place of a run of tokens for who reads the file.
    pub fn place_of(&self, tokens: Range<u32>) -> Option<SourcePlace> {
        let last = tokens.end.checked_sub(1).filter(|last| *last >= tokens.start)?;
        let (first, last) = (self.tokens.get(tokens.start as usize)?, self.tokens.get(last as usize)?);
        Some(self.place(first).to(self.place(last)))
    }

    /// The text of a run of tokens: as written if all of it is, else with single spaces.
    pub fn text_of(&self, tokens: Range<u32>) -> String {
        let mut text = String::new();
        for token in self.tokens.from(tokens.start as usize).take(tokens.len()) {
            if !text.is_empty() && token.is(Token::SPACE | Token::LINE) {
                text.push(' ');
            }
            text += &self.token_text(token);
        }
        text
    }

    /// The file of a path.
    pub fn file_at(&self, path: &str) -> Option<FileId> {
        let index = self.files.iter().position(|file| &*file.file.path == path)?;
        Some(FileId(index as u16))
    }

    /// Returns true if a condition left this place out.
    pub fn is_inactive(&self, file: FileId, offset: u32) -> bool {
        self.files
            .get(usize::from(file.0))
            .is_some_and(|file| file.inactive.iter().any(|range| range.contains(&offset)))
    }
}
