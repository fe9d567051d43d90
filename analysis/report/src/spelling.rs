//! "Did you mean": the word of a list that was most likely meant.
//!
//! [`closest`] compares a word with all others. Who asks about the same list again and again asks [`WordList`], which finds the same word by
//! *rests*: what is left of a word without one or two of its letters. Two words that are two edits apart have a rest in common, since each
//! edit is undone by taking one letter out of either.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHasher};

/// The candidate closest to `word`, if one is close enough to be a slip of the fingers: one edit for short
/// words, two for longer ones, a swap of neighbours counting as one. Two equally close ones: the first.
pub fn closest<'c>(word: &str, candidates: &[&'c str]) -> Option<&'c str> {
    let slip = Slip::of(word)?;
    let distances = candidates.iter().filter_map(|candidate| Some((slip.distance(candidate)?, *candidate)));
    distances.min_by_key(|&(distance, _)| distance).map(|(_, candidate)| candidate)
}

/// A word that stands for nothing, and how far from it is what was meant.
struct Slip<'w> {
    word: &'w str,
    allowed: usize,
    letters: Option<Letters>,
}

impl<'w> Slip<'w> {
    /// A word that is long enough to be a slip.
    fn of(word: &'w str) -> Option<Slip<'w>> {
        let allowed = match word.chars().count() {
            0..=2 => return None,
            3..=5 => 1,
            _ => 2,
        };
        Some(Slip { word, allowed, letters: Letters::of(word) })
    }

    /// The edits that lead to another word, if they are few.
    fn distance(&self, candidate: &str) -> Option<usize> {
        // A difference in length is a lower bound of the distance, and cheap.
        let is_near = candidate.len().abs_diff(self.word.len()) <= self.allowed
            && self.letters.as_ref().is_none_or(|letters| letters.differ_by(candidate) <= self.allowed);
        let distance = is_near.then(|| strsim::damerau_levenshtein(self.word, candidate))?;
        (0 < distance && distance <= self.allowed).then_some(distance)
    }
}

/// The words of a list that grows, among which one is looked for that was meant.
#[derive(Debug, Default)]
pub struct WordList {
    words: Vec<Arc<str>>,
    /// The rests without one letter at most, and those without two.
    rests: [Rests; 2],
    n_questions: usize,
}

/// Rests of the first words of a list, by their hashes: words that are not alike may share one.
#[derive(Debug, Default)]
struct Rests {
    n_words: usize,
    /// The last entry of each rest.
    last: FxHashMap<u64, u32>,
    /// The number of a word, and the entry before that has the same rest.
    entries: Vec<(u32, Option<u32>)>,
}

impl WordList {
    /// The number of questions that are answered without rests, which cost as much as a few of them.
    const FEW: usize = 16;

    /// Adds a word behind all others.
    pub fn push(&mut self, word: Arc<str>) {
        self.words.push(word);
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Says whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The word of a number.
    pub fn word(&self, number: usize) -> &Arc<str> {
        &self.words[number]
    }

    /// The distance and the number of the word that [`closest`] finds among those that fit.
    pub fn closest(&mut self, word: &str, fits: impl Fn(usize, &str) -> bool) -> Option<(usize, usize)> {
        let slip = Slip::of(word)?;
        self.n_questions += 1;
        if self.n_questions <= WordList::FEW {
            return self.nearest(&slip, 0..self.words.len(), fits);
        }
        let letters: Vec<char> = word.chars().collect();
        (1..=slip.allowed).find_map(|n_less| {
            let rests = &mut self.rests[n_less - 1];
            rests.extend(&self.words, n_less);
            let mut met = Vec::new();
            each_rest(&letters, n_less, &mut |rest| met.extend(rests.words_with(rest)));
            met.sort_unstable();
            met.dedup();
            // Words that are two edits apart may share a rest of one letter less, but no word that is nearer is missed.
            self.nearest(&slip, met.into_iter(), &fits).filter(|(distance, _)| *distance <= n_less)
        })
    }

    fn nearest(
        &self,
        slip: &Slip,
        numbers: impl Iterator<Item = usize>,
        fits: impl Fn(usize, &str) -> bool,
    ) -> Option<(usize, usize)> {
        let distances = numbers.filter_map(|number| Some((slip.distance(&self.words[number])?, number)));
        distances.filter(|(_, number)| fits(*number, &self.words[*number])).min()
    }
}

impl Rests {
    /// Adds the rests of the words that are new.
    fn extend(&mut self, words: &[Arc<str>], n_less: usize) {
        for (number, word) in words.iter().enumerate().skip(self.n_words) {
            let letters: Vec<char> = word.chars().collect();
            each_rest(&letters, n_less, &mut |rest| {
                let entry = self.entries.len() as u32;
                self.entries.push((number as u32, self.last.insert(rest, entry)));
            });
        }
        self.n_words = words.len();
    }

    /// The words that have a rest.
    fn words_with(&self, rest: u64) -> impl Iterator<Item = usize> {
        let entry = |number: u32| self.entries[number as usize];
        let entries =
            std::iter::successors(self.last.get(&rest).map(|last| entry(*last)), move |(_, before)| before.map(entry));
        entries.map(|(word, _)| word as usize)
    }
}

/// The hashes of what is left of a word without so many of its letters or fewer.
fn each_rest(letters: &[char], n_less: usize, see: &mut impl FnMut(u64)) {
    let without = |first: usize, second: usize| {
        let mut hasher = FxHasher::default();
        letters
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != first && *at != second)
            .for_each(|(_, c)| c.hash(&mut hasher));
        hasher.finish()
    };
    let n = letters.len();
    see(without(n, n));
    (0..n).for_each(|first| see(without(first, n)));
    if n_less > 1 {
        (0..n).for_each(|first| (first + 1..n).for_each(|second| see(without(first, second))));
    }
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
    use std::sync::Arc;

    use super::{Letters, WordList, closest};

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
    fn words_of_a_long_list_are_those_that_all_comparisons_find() {
        let names = ["step", "stop", "x", "go", "größe", "a€b", "ab", "retrun", "return", "while"];
        let words: Vec<Arc<str>> =
            (0..120).map(|k| format!("{}{}", names[k % names.len()], k * 7 % 90).into()).collect();
        let mut list = WordList::default();
        let mut n_found = 0;
        for (n, word) in words.iter().enumerate() {
            list.push(word.clone());
            let asked = word.replace('e', "o").replace("tr", "rt") + if n % 5 == 0 { "" } else { "1" };
            let fits = |number: usize| number % 11 != n % 11;
            let candidates: Vec<&str> =
                words[..=n].iter().enumerate().filter(|(at, _)| fits(*at)).map(|(_, it)| &**it).collect();
            let found = list.closest(&asked, |number, _| fits(number)).map(|(_, number)| &**list.word(number));
            assert_eq!(found, closest(&asked, &candidates), "{asked}");
            n_found += usize::from(found.is_some());
        }
        assert!((40..110).contains(&n_found), "{n_found}");
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
