//! "Did you mean" suggestions on the command line.

use report::spelling::closest;

/// Returns the end of a message about an unknown word: the likely intended word, or nothing.
pub fn did_you_mean(word: &str, known: &[&str]) -> String {
    match closest(word, known).or_else(|| by_part(word, known)) {
        Some(meant) => format!("; did you mean `{meant}`?"),
        None => String::new(),
    }
}

/// Returns the only known word that has `word` as a component: `tab-indent` for `indent`.
fn by_part<'k>(word: &str, known: &[&'k str]) -> Option<&'k str> {
    let mut candidates = known.iter().filter(|candidate| candidate.split(['-', '_']).any(|part| part == word));
    let candidate = candidates.next()?;
    candidates.next().is_none().then_some(candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_and_parts_are_found() {
        let known = ["tab-indent", "bad-number", "bad-target", "parsed"];
        for (word, ending) in [
            ("tab-indnet", "; did you mean `tab-indent`?"),
            ("indent", "; did you mean `tab-indent`?"),
            ("prased", "; did you mean `parsed`?"),
            ("bad", ""),
            ("zebra", ""),
        ] {
            assert_eq!(did_you_mean(word, &known), ending, "{word}");
        }
    }
}
