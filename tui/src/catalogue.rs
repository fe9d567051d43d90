//! The codes of all findings there are.

use crate::spelling::did_you_mean;

/// All codes, sorted.
pub fn codes() -> Vec<&'static str> {
    let mut codes = [syntax::errors::CODES, analysis::errors::CODES].concat();
    codes.sort_unstable();
    codes
}

/// The code that a word on the command line is.
pub fn parse_code(word: &str) -> Result<&'static str, String> {
    let codes = codes();
    let known = codes.iter().find(|&&code| code == word).copied();
    known.ok_or_else(|| format!("there is no such code{}", did_you_mean(word, &codes)))
}
