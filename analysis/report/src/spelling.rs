//! "Did you mean": the word of a list that was most likely meant.

/// The candidate closest to `word`, if one is close enough to be a slip of the fingers: one edit for short
/// words, two for longer ones, a swap of neighbours counting as one. Two equally close ones: the first.
pub fn closest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let allowed = match word.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        _ => 2,
    };
    let letters = Letters::of(word);
    let distance = |candidate: &str| strsim::damerau_levenshtein(word, candidate);
    candidates
        .iter()
        // A difference in length is a lower bound of the distance, and cheap.
        .filter(|candidate| candidate.len().abs_diff(word.len()) <= allowed)
        .filter(|candidate| letters.as_ref().is_none_or(|letters| letters.differ_by(candidate) <= allowed))
        .map(|candidate| (distance(candidate), *candidate))
        .filter(|&(distance, _)| 0 < distance && distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// The number of times that a word has each letter of ASCII.
struct Letters([i16; 128]);

impl Letters {
    /// The letters of a word; `None` for one that has others.
    fn of(word: &str) -> Option<Letters> {
        let mut counts = [0; 128];
        word.bytes().try_for_each(|letter| counts.get_mut(usize::from(letter)).map(|count| *count += 1))?;
        Some(Letters(counts))
    }

    /// A lower bound of the distance to a word, since an edit takes one letter away, or adds one, or both.
    fn differ_by(&self, word: &str) -> usize {
        let Some(other) = Letters::of(word) else { return 0 };
        let (mut missing, mut added) = (0, 0);
        for (own, other) in self.0.iter().zip(&other.0) {
            missing += (own - other).max(0);
            added += (other - own).max(0);
        }
        usize::from(missing.max(added).unsigned_abs())
    }
}

#[cfg(test)]
mod tests {
    use super::{Letters, closest};

    #[test]
    fn letters_are_a_lower_bound_of_the_distance() {
        let words =
            ["", "a", "ab", "ba", "bca", "abc", "aab", "step12", "stop21", "retrun", "return", "größe", "grosse"];
        for (one, other) in words.iter().flat_map(|one| words.map(|other| (*one, other))) {
            let bound = Letters::of(one).map_or(0, |letters| letters.differ_by(other));
            assert!(bound <= strsim::damerau_levenshtein(one, other), "{one} {other}");
        }
    }

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
