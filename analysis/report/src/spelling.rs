//! "Did you mean": the word of a list that was most likely meant.

/// The candidate closest to `word`, if one is close enough to be a slip of the fingers: one edit for short
/// words, two for longer ones, a swap of neighbours counting as one. Two equally close ones: the first.
pub fn closest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let allowed = match word.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    let distance = |candidate: &str| strsim::damerau_levenshtein(word, candidate);
    candidates
        .iter()
        // A difference in length is a lower bound of the distance, and cheap.
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed)
        .map(|candidate| (distance(candidate), *candidate))
        .filter(|&(distance, _)| 0 < distance && distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        let words = ["for", "foreach", "while", "return"];
        for (word, meant) in
            [("fro", "for"), ("forr", "for"), ("forech", "foreach"), ("whiel", "while"), ("retrun", "return")]
        {
            assert_eq!(closest(word, &words), Some(meant), "{word}");
        }
        for word in ["x", "if", "fo", "samples", "for", "whilst_not"] {
            assert_eq!(closest(word, &words), None, "{word}");
        }
    }
}
