//! The front of a unit: a file up to the end of its last `#include`, with all that this brings.
//!
//! Headers are nearly all of a unit, and edits mostly stand behind them. So what has been read when the last header ends is kept, and an
//! edit behind it reads on from there. That is right only where nothing in front can depend on what follows: no condition is open, no
//! mistake in the grammar was told, whose recovery might have gone on, and no header includes the file itself. Any other file has no
//! prefix and is read whole.

use std::sync::Arc;

use crate::config::Config;
use crate::file::{FileText, Files};
use crate::kinds::Kind;
use crate::names::Names;
use crate::parser::{self, ParserState};
use crate::preprocess::{Preprocessor, PreprocessorState, word_of};
use crate::problems::Problem;
use crate::unit::{FileId, Unit};

/// The front of a unit, read.
pub struct Prefix {
    /// The length of its text.
    length: usize,
    unit: Unit,
    preprocessor: PreprocessorState,
    parser: ParserState,
    /// The problems of the parser: the preprocessor's problems of the rest come before these.
    problems: Vec<Problem>,
}

impl Prefix {
    /// What was read: a unit whose tree has no root.
    pub fn unit(&self) -> &Unit {
        &self.unit
    }
}

/// The length of the front of a file that a prefix may have: up to the end of the line of the last `#include` outside of conditions, if there
/// is one.
pub fn prefix_length(file: &FileText) -> Option<usize> {
    let mut depth = 0;
    let mut last = None;
    for hash in file.directives.iter().map(|hash| *hash as usize) {
        match word_of(file, hash) {
            "if" | "ifdef" | "ifndef" => depth += 1,
            "endif" => depth -= 1,
            "include" | "include_next" | "import" if depth == 0 => last = Some(hash),
            _ => {}
        }
    }
    let mut rest = last?..file.tokens.len();
    let end = rest.find(|index| file.tokens[*index].kind == Kind::Newline)?;
    Some(file.range(end).end)
}

/// Reads the front of a file: its text is that front alone. Nothing where what follows might change it.
pub fn read_prefix(front: Arc<FileText>, config: &Config, files: &dyn Files) -> Option<Prefix> {
    let (is_header, length) = (!front.path.ends_with(".ispc"), front.text.len());
    let mut preprocessor = Preprocessor::start(front, config, files);
    preprocessor.run();
    let (mut unit, state) = preprocessor.pause();
    let n_problems = unit.problems.len();
    let parser = parser::parse_front(&mut unit, is_header);
    let problems = unit.problems.split_off(n_problems);
    let is_settled = |problem: &Problem| !matches!(problem.code, "ispc-syntax" | "ispc-directive");
    let is_whole = unit.problems.iter().chain(&problems).all(is_settled);
    let includes_itself = unit.includes.iter().any(|include| include.target == Some(FileId::MAIN));
    if !is_whole || includes_itself {
        return None;
    }
    unit.share();
    Some(Prefix { length, unit, preprocessor: state, parser, problems })
}

/// Reads a file on from its prefix.
pub fn read_behind(prefix: &Prefix, file: Arc<FileText>, config: &Config, files: &dyn Files) -> Unit {
    let is_header = !file.path.ends_with(".ispc");
    let mut unit = prefix.unit.clone();
    unit.files[0].file = file;
    let mut preprocessor = Preprocessor::resume(unit, &prefix.preprocessor, prefix.length, config, files);
    preprocessor.run();
    let mut unit = preprocessor.finish();
    unit.problems.extend(prefix.problems.iter().cloned());
    parser::parse_behind(&mut unit, &prefix.parser, is_header);
    unit
}

impl Unit {
    /// Shares all that was read, for the units that go on from here.
    fn share(&mut self) {
        // The end of the front is none of the unit's.
        self.tokens.own_mut().pop();
        self.tokens.share();
        self.expansions.share();
        self.macros.share();
        self.macro_uses.share();
        self.tree.nodes.share();
        let Names { decls, uses, unresolved, members } = &mut self.names;
        decls.share();
        uses.share();
        unresolved.share();
        members.share();
        self.interner.share();
    }
}
