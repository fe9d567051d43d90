//! A list of choices with fuzzy search by typing.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::prompt::Input;

/// A list of choices, the typed query, and the choices that match it, best first.
#[derive(Debug, Clone)]
pub struct Picker<T> {
    /// Title, which names the kind of choices.
    pub title: String,
    /// The typed query.
    pub input: Input,
    choices: Vec<PickerEntry<T>>,
    /// Number of choices that are not derived from the query.
    n_own: usize,
    found: Vec<Found>,
    chosen: usize,
    /// The first match on the screen.
    top: usize,
}

/// A choice of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickerEntry<T> {
    /// Name of the choice.
    pub label: String,
    /// Further explanation, which the query also matches.
    pub detail: String,
    /// Text at the right edge: a key, a mark.
    pub aside: String,
    /// Value of the choice.
    pub value: T,
}

/// A choice that matches the query.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Found {
    n: usize,
    /// The matching letters, as indices of characters of the label.
    letters: Vec<u32>,
}

/// A choice as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'p, T> {
    /// The choice.
    pub choice: &'p PickerEntry<T>,
    /// The letters that match the query, as indices of characters of the label.
    pub letters: &'p [u32],
    /// True for the choice that Enter picks.
    pub chosen: bool,
}

impl<T: Clone> Picker<T> {
    /// Creates a list with an empty query.
    pub fn new(title: impl Into<String>, choices: Vec<PickerEntry<T>>) -> Picker<T> {
        let (title, n_own) = (title.into(), choices.len());
        let mut picker =
            Picker { title, input: Input::default(), choices, n_own, found: Vec::new(), chosen: 0, top: 0 };
        picker.search();
        picker
    }

    /// Moves the selection to the first choice whose value fulfils a condition.
    pub fn choosing(mut self, is_it: impl Fn(&T) -> bool) -> Picker<T> {
        self.chosen = self.found.iter().position(|found| is_it(&self.choices[found.n].value)).unwrap_or(0);
        self
    }

    /// Updates the matches after a change of the query.
    pub fn search(&mut self) {
        self.choices.truncate(self.n_own);
        let pattern = Pattern::parse(self.input.text(), CaseMatching::Smart, Normalization::Smart);
        let in_detail = Pattern::new(self.input.text(), CaseMatching::Smart, Normalization::Smart, AtomKind::Substring);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut found: Vec<(u32, Found)> = Vec::new();
        for (n, choice) in self.choices.iter().enumerate() {
            let (mut chars, mut letters) = (Vec::new(), Vec::new());
            let label = pattern.indices(Utf32Str::new(&choice.label, &mut chars), &mut matcher, &mut letters);
            let score = label.or_else(|| {
                letters.clear();
                // A match in the detail scores less than one in the name. In a sentence, letters far apart are no match.
                in_detail.score(Utf32Str::new(&choice.detail, &mut chars), &mut matcher).map(|score| score / 2)
            });
            if let Some(score) = score {
                letters.sort_unstable();
                letters.dedup();
                found.push((score, Found { n, letters }));
            }
        }
        // Among equal scores, shorter labels come first, since less of them is unmatched. Otherwise the stable sort
        // keeps the order of the list.
        let typed = !self.input.text().is_empty();
        let length = |found: &Found| if typed { self.choices[found.n].label.len() } else { 0 };
        found.sort_by_key(|(score, found)| (std::cmp::Reverse(*score), length(found)));
        self.found = found.into_iter().map(|(_, found)| found).collect();
        self.chosen = 0;
    }

    /// Puts the typed text itself in front of all matches, unless it is a choice already.
    pub fn offer_typed(&mut self, choice: PickerEntry<T>) {
        if self.choices.iter().all(|other| other.label != choice.label) {
            self.found.insert(0, Found { n: self.choices.len(), letters: Vec::new() });
            self.choices.push(choice);
        }
    }

    /// Returns the values of all choices.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.choices.iter().map(|choice| &choice.value)
    }

    /// Returns the number of matches.
    pub fn n_found(&self) -> usize {
        self.found.len()
    }

    /// Moves the selection by `n` matches, wrapping around at the ends.
    pub fn go(&mut self, n: isize) {
        if !self.found.is_empty() {
            self.chosen = (self.chosen as isize + n).rem_euclid(self.found.len() as isize) as usize;
        }
    }

    /// Selects the match at a row of the screen, and returns true if there is one.
    pub fn choose_shown(&mut self, n: usize) -> bool {
        let there = self.top + n < self.found.len();
        if there {
            self.chosen = self.top + n;
        }
        there
    }

    /// Returns the value that Enter picks.
    pub fn picked(&self) -> Option<&T> {
        Some(&self.choices[self.found.get(self.chosen)?.n].value)
    }

    /// Fits the scroll position to a number of rows.
    pub fn fit(&mut self, n_rows: usize) {
        let n_rows = n_rows.max(1);
        self.top = self.top.min(self.chosen).max((self.chosen + 1).saturating_sub(n_rows));
        self.top = self.top.min(self.found.len().saturating_sub(n_rows));
    }

    /// Returns the matches from the first on the screen on.
    pub fn shown(&self) -> impl Iterator<Item = Shown<'_, T>> {
        self.found.iter().enumerate().skip(self.top).map(|(n, found)| Shown {
            choice: &self.choices[found.n],
            letters: &found.letters,
            chosen: n == self.chosen,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(typed: &str) -> Vec<String> {
        let names =
            [("scale_audio", "kernel"), ("color_by_number", "kernel"), ("Point", "a struct of x and y"), ("sca", "")];
        let choice = |(label, detail): (&str, &str)| PickerEntry {
            label: label.to_owned(),
            detail: detail.to_owned(),
            aside: String::new(),
            value: label.to_owned(),
        };
        let mut picker = Picker::new("Kernels", names.into_iter().map(choice).collect());
        picker.input = Input::new(typed);
        picker.search();
        picker.shown().map(|shown| shown.choice.value.clone()).collect()
    }

    #[test]
    fn what_is_typed_may_be_a_choice_of_its_own() {
        let choice = |label: &str| PickerEntry {
            label: label.to_owned(),
            detail: String::new(),
            aside: String::new(),
            value: label.to_owned(),
        };
        let mut picker = Picker::new("Data", ["1", "100"].map(choice).into());
        for (typed, expected) in [("10", &["10", "100"][..]), ("100", &["100"]), ("1", &["1", "100"])] {
            picker.input = Input::new(typed);
            picker.search();
            picker.offer_typed(choice(typed));
            assert_eq!(picker.shown().map(|shown| shown.choice.value.as_str()).collect::<Vec<_>>(), expected);
            assert_eq!(picker.picked().map(String::as_str), Some(typed));
        }
    }

    #[test]
    fn some_letters_find_what_has_them_in_this_order() {
        assert_eq!(found("").len(), 4);
        assert_eq!(found("cbn"), ["color_by_number"]);
        assert_eq!(found("sca")[0], "sca");
        assert_eq!(found("struct"), ["Point"]);
        assert_eq!(found("of x"), ["Point"]);
        assert_eq!(found("sxy"), [""; 0], "a sentence has the letters of many words in it");
        assert_eq!(found("zzz"), [""; 0]);
    }
}
