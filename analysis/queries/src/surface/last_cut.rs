//! The last cut of a file, from which the next one is made.
//!
//! A key changes one item of thousands. So that the others cost nothing, their texts are shared from one cut to the next, and only the
//! lines around the edit are looked at. The result is that of cutting the whole text.

use std::sync::{Arc, Mutex, PoisonError};

use report::ItemKind;
use rustc_hash::FxHashMap;

use super::{Recut, recut};

/// The last text of a file, with its cut.
#[derive(Debug, Default)]
pub(crate) struct LastCut(Mutex<TextCut>);

#[derive(Debug)]
struct TextCut {
    text: Arc<str>,
    items: Arc<[KnownItem]>,
}

/// An item of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KnownItem {
    pub(crate) kind: ItemKind,
    pub(crate) name: Arc<str>,
    /// The number of those of the same kind and name that stand before it.
    pub(crate) nth: u32,
    pub(crate) start: usize,
    pub(crate) text: Arc<str>,
}

impl Default for TextCut {
    fn default() -> Self {
        TextCut { text: "".into(), items: [].into() }
    }
}

impl LastCut {
    /// The items of a text, which is the last one from now on.
    pub(crate) fn of(&self, text: &Arc<str>) -> Arc<[KnownItem]> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&last.text, text) {
            let items = last.next(text);
            *last = TextCut { text: text.clone(), items };
        }
        last.items.clone()
    }
}

impl TextCut {
    fn next(&self, text: &str) -> Arc<[KnownItem]> {
        let starts: Vec<_> = self.items.iter().map(|item| item.start).collect();
        let Recut { n_front, between, n_back } = recut(&self.text, &starts, text);
        let (front, rest) = self.items.split_at(n_front);
        let (replaced, back) = rest.split_at(rest.len() - n_back);
        let names_stay = replaced.iter().map(|it| (it.kind, &*it.name)).eq(between.iter().map(|it| (it.kind, it.name)));
        let between = between.iter().enumerate().map(|(n, it)| KnownItem {
            kind: it.kind,
            name: Arc::from(it.name),
            nth: if names_stay { replaced[n].nth } else { 0 },
            start: it.start,
            text: Arc::from(it.text),
        });
        let back = back.iter().map(|it| KnownItem { start: it.start + text.len() - self.text.len(), ..it.clone() });
        let mut items: Vec<_> = front.iter().cloned().chain(between).chain(back).collect();
        if !names_stay {
            number(&mut items);
        }
        items.into()
    }
}

fn number(items: &mut [KnownItem]) {
    let mut seen: FxHashMap<(ItemKind, Arc<str>), u32> = FxHashMap::default();
    for item in items {
        let next = seen.entry((item.kind, item.name.clone())).or_default();
        item.nth = *next;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_made_from_another_is_that_of_the_text() {
        let last = LastCut::default();
        let fresh = |text: &Arc<str>| LastCut::default().of(text);
        let mut text: String = (0..40).map(|n| format!("kernel k{}():\n    pass\n\n", n % 7)).collect();
        let mut random = fastrand::Rng::with_seed(26);
        for _ in 0..500 {
            let at = random.usize(..=text.len());
            let end = (at + random.usize(..4)).min(text.len());
            text.replace_range(at..end, ["", "x", "\n", "\nkernel k1():\n", "fn ", "## "][random.usize(..6)]);
            let text: Arc<str> = Arc::from(&*text);
            assert_eq!(last.of(&text), fresh(&text), "{text:?}");
        }
    }

    #[test]
    fn items_that_stay_share_their_texts() {
        let last = LastCut::default();
        let text: Arc<str> = (0..9).map(|n| format!("kernel k{n}():\n    pass\n")).collect::<String>().into();
        let before = last.of(&text);
        let after = last.of(&Arc::from(text.replacen("k4():\n", "k4():\n\n", 1)));
        let shares = |(a, b): (&KnownItem, &KnownItem)| Arc::ptr_eq(&a.text, &b.text);
        let n_shared = before.iter().zip(&*after).filter(|&pair| shares(pair)).count();
        assert_eq!(n_shared, 6);
    }
}
