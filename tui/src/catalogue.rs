//! The codes of all findings there are.

use crate::spelling::did_you_mean;

/// All codes.
pub fn codes() -> &'static [&'static str] {
    syntax::errors::CODES
}

/// The code that a word on the command line is.
pub fn parse_code(word: &str) -> Result<&'static str, String> {
    let known = codes().iter().find(|&&code| code == word).copied();
    known.ok_or_else(|| format!("there is no such code{}", did_you_mean(word, codes())))
}
