//! The last cut of a file, from which the next one is made.
//!
//! A key changes one item of thousands. So that the others cost nothing, the items are kept in *chunks*, each a few that stand together: from
//! one cut to the next those are shared in which nothing has changed, and only the lines around the edit are looked at. The items are
//! those of cutting the whole text.
//!
//! What is known of an item is lost when it comes into another chunk. So an item stays in its chunk while its neighbours come and go: a
//! new one joins the chunk of the one before it, and a chunk that has grown too long keeps its first items.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use report::ItemKind;
use rustc_hash::FxHashMap;

use super::{ItemCut, Recut, recut};

/// The number of items of a new chunk; one with more than twice as many is divided. A key costs something for each chunk of the file, and for each
/// item of the chunk that it is in.
const N_ITEMS: usize = 16;

/// The last text of a file, with its cut.
#[derive(Debug, Default)]
pub(crate) struct LastCut(Mutex<Arc<TextCut>>);

/// The items of a text, in chunks.
#[derive(Debug)]
pub(crate) struct TextCut {
    text: Arc<str>,
    /// The offset of each item.
    pub(crate) starts: Vec<usize>,
    pub(crate) chunks: Vec<CutChunk>,
    /// The number of the next new chunk.
    next_number: u32,
}

/// A chunk of a text.
#[derive(Debug, Clone)]
pub(crate) struct CutChunk {
    /// The number of the chunk, which it keeps while others come and go.
    pub(crate) number: u32,
    pub(crate) items: ChunkItems,
}

/// The items of a chunk. They are compared after each key, and are mostly those that they were.
#[derive(Debug, Clone, Eq, salsa::SalsaValue)]
pub struct ChunkItems(Arc<[KnownItem]>);

/// An item of a text.
#[derive(Debug, Clone, PartialEq, Eq, salsa::SalsaValue)]
pub struct KnownItem {
    /// The kind of the item.
    pub kind: ItemKind,
    /// The name of the item.
    pub name: Arc<str>,
    /// The number of those of the same kind and name that stand before it.
    pub nth: u32,
    /// The text of the item.
    pub text: Arc<str>,
}

impl PartialEq for ChunkItems {
    fn eq(&self, other: &ChunkItems) -> bool {
        self.is(other) || self.0 == other.0
    }
}

impl std::ops::Deref for ChunkItems {
    type Target = [KnownItem];

    fn deref(&self) -> &[KnownItem] {
        &self.0
    }
}

impl ChunkItems {
    /// Returns true if these are the same items in memory. Others may be equal.
    pub fn is(&self, other: &ChunkItems) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Default for TextCut {
    fn default() -> Self {
        TextCut { text: "".into(), starts: Vec::new(), chunks: Vec::new(), next_number: 0 }
    }
}

impl LastCut {
    /// The cut of a text, which is the last one from now on.
    pub(crate) fn of(&self, text: &Arc<str>) -> Arc<TextCut> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !Arc::ptr_eq(&last.text, text) {
            *last = Arc::new(last.next(text));
        }
        last.clone()
    }
}

impl TextCut {
    fn next(&self, text: &Arc<str>) -> TextCut {
        let Recut { n_front, between, n_back } = recut(&self.text, &self.starts, text);
        let behind = self.starts.len() - n_back;
        let back = self.starts[behind..].iter().map(|start| start + text.len() - self.text.len());
        let starts = self.starts[..n_front].iter().copied().chain(between.iter().map(|it| it.start)).chain(back);
        let (window, first) = self.chunks_with(n_front..behind);
        let around = &self.chunks[window.clone()];
        let known: Vec<(u32, &KnownItem)> =
            around.iter().flat_map(|chunk| chunk.items.iter().map(|item| (chunk.number, item))).collect();
        let (front, rest) = known.split_at(n_front - first);
        let (replaced, back) = rest.split_at(behind - n_front);
        let stays = stays(&between, replaced);
        let names_stay = replaced.len() == between.len() && stays.iter().all(Option::is_some);
        let mut items: Vec<(u32, KnownItem)> = front.iter().map(|&(number, item)| (number, item.clone())).collect();
        let of_first = around.first().map_or(self.next_number, |chunk| chunk.number);
        for (it, known) in between.iter().zip(stays) {
            let before = items.last().map_or(of_first, |(number, _)| *number);
            items.push(known.map_or_else(|| (before, new_item(it)), |n| (replaced[n].0, replaced[n].1.with(it.text))));
        }
        items.extend(back.iter().map(|&(number, item)| (number, item.clone())));
        let mut next = TextCut { text: text.clone(), starts: starts.collect(), chunks: Vec::new(), ..*self };
        next.next_number = next.next_number.max(of_first + 1);
        next.chunks.extend_from_slice(&self.chunks[..window.start]);
        items.chunk_by(|a, b| a.0 == b.0).for_each(|items| next.add_chunk(items, around));
        next.chunks.extend_from_slice(&self.chunks[window.end..]);
        if !names_stay {
            number(&mut next.chunks);
        }
        if next.chunks.is_empty() {
            next.next_number = 0;
        }
        next
    }

    /// The chunks that a range of items touches, at least one if there is any, and the number of items before them.
    fn chunks_with(&self, items: Range<usize>) -> (Range<usize>, usize) {
        let (mut first, mut before) = (0, 0);
        while first + 1 < self.chunks.len() && before + self.chunks[first].items.len() <= items.start {
            before += self.chunks[first].items.len();
            first += 1;
        }
        let (mut last, mut end) = (first, before);
        while last < self.chunks.len() && (last == first || end < items.end) {
            end += self.chunks[last].items.len();
            last += 1;
        }
        (first..last, before)
    }

    /// Adds a chunk with some items, or several where there are too many. `before` are those that had them.
    fn add_chunk(&mut self, items: &[(u32, KnownItem)], before: &[CutChunk]) {
        let number = items[0].0;
        let is_same = |(known, (_, item)): (&KnownItem, &(u32, KnownItem))| known.is(item);
        let stays = |chunk: &&CutChunk| {
            chunk.number == number && chunk.items.len() == items.len() && chunk.items.iter().zip(items).all(is_same)
        };
        if let Some(chunk) = before.iter().find(stays) {
            return self.chunks.push(chunk.clone());
        }
        let n_items = if items.len() > 2 * N_ITEMS { items.len().div_ceil(items.len() / N_ITEMS) } else { items.len() };
        for (n, piece) in items.chunks(n_items).enumerate() {
            let items = ChunkItems(piece.iter().map(|(_, item)| item.clone()).collect());
            let number = if n == 0 { number } else { self.next_number };
            self.next_number = self.next_number.max(number + 1);
            self.chunks.push(CutChunk { number, items });
        }
    }
}

impl KnownItem {
    /// The item with a text, which may be the one that it has.
    fn with(&self, text: &str) -> KnownItem {
        if *self.text == *text { self.clone() } else { KnownItem { text: Arc::from(text), ..self.clone() } }
    }

    /// Returns true if this is the same item in memory.
    fn is(&self, other: &KnownItem) -> bool {
        Arc::ptr_eq(&self.text, &other.text) && Arc::ptr_eq(&self.name, &other.name) && self.nth == other.nth
    }
}

/// An item that was not there before. Its number is found when all are there.
fn new_item(it: &ItemCut<'_>) -> KnownItem {
    KnownItem { kind: it.kind, name: Arc::from(it.name), nth: 0, text: Arc::from(it.text) }
}

/// For each of some items the number of the one that it was before, if any: of the same kind and name, and in the same order.
fn stays(now: &[ItemCut<'_>], before: &[(u32, &KnownItem)]) -> Vec<Option<usize>> {
    let names_before = || before.iter().map(|(_, it)| (it.kind, &*it.name));
    if now.iter().map(|it| (it.kind, it.name)).eq(names_before()) {
        return (0..now.len()).map(Some).collect();
    }
    let mut numbers: FxHashMap<(ItemKind, &str), Vec<usize>> = FxHashMap::default();
    names_before().enumerate().rev().for_each(|(n, name)| numbers.entry(name).or_default().push(n));
    let mut found: Vec<_> = now.iter().map(|it| numbers.get_mut(&(it.kind, it.name))?.pop()).collect();
    keep_in_order(&mut found);
    found
}

/// Takes away the numbers that are out of order, as few as can be: the others are a longest increasing subsequence.
fn keep_in_order(numbers: &mut [Option<usize>]) {
    // The end of the subsequence of each length whose last number is the least, and for each place the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; numbers.len()];
    for n in (0..numbers.len()).filter(|&n| numbers[n].is_some()) {
        let length = ends.partition_point(|&end| numbers[end] < numbers[n]);
        before[n] = length.checked_sub(1).map(|length| ends[length]);
        match ends.get_mut(length) {
            Some(end) => *end = n,
            None => ends.push(n),
        }
    }
    let mut in_order = vec![false; numbers.len()];
    let mut place = ends.last().copied();
    while let Some(n) = place {
        in_order[n] = true;
        place = before[n];
    }
    numbers.iter_mut().zip(in_order).filter(|(_, in_order)| !in_order).for_each(|(number, _)| *number = None);
}

/// Numbers the items of one kind and name.
fn number(chunks: &mut [CutChunk]) {
    let mut seen: FxHashMap<(ItemKind, Arc<str>), u32> = FxHashMap::default();
    for chunk in chunks {
        let nth = chunk.items.iter().map(|item| {
            let next = seen.entry((item.kind, item.name.clone())).or_default();
            std::mem::replace(next, *next + 1)
        });
        let nth: Vec<u32> = nth.collect();
        if !chunk.items.iter().map(|item| item.nth).eq(nth.iter().copied()) {
            let items = chunk.items.iter().zip(nth).map(|(item, nth)| KnownItem { nth, ..item.clone() });
            chunk.items = ChunkItems(items.collect());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The items of a cut with their starts.
    fn items(cut: &TextCut) -> Vec<(usize, KnownItem)> {
        let items = cut.chunks.iter().flat_map(|chunk| chunk.items.iter().cloned());
        cut.starts.iter().copied().zip(items).collect()
    }

    /// The numbers of the chunks with the names of their items.
    fn chunks(cut: &TextCut) -> Vec<(u32, Vec<&str>)> {
        cut.chunks.iter().map(|chunk| (chunk.number, chunk.items.iter().map(|item| &*item.name).collect())).collect()
    }

    fn kernels(numbers: impl Iterator<Item = usize>) -> Arc<str> {
        numbers.map(|n| format!("kernel k{n}():\n    pass\n\n")).collect::<String>().into()
    }

    #[test]
    fn a_cut_made_from_another_is_that_of_the_text() {
        let last = LastCut::default();
        let mut text: String = (0..90).map(|n| format!("kernel k{}():\n    pass\n\n", n % 17)).collect();
        let mut random = fastrand::Rng::with_seed(26);
        for _ in 0..900 {
            let at = random.usize(..=text.len());
            let end = (at + [0, 1, 2, 3, 400][random.usize(..5)]).min(text.len());
            let kernels = "\nkernel k1():\n".repeat(random.usize(..40));
            text.replace_range(at..end, ["", "x", "\n", "\nkernel k1():\n", &kernels, "fn ", "## "][random.usize(..7)]);
            text.truncate(3000);
            let text: Arc<str> = Arc::from(&*text);
            let (cut, fresh) = (last.of(&text), LastCut::default().of(&text));
            assert_eq!(items(&cut), items(&fresh), "{text:?}");
            assert_eq!(cut.starts.len(), items(&cut).len());
            let mut numbers: Vec<u32> = cut.chunks.iter().map(|chunk| chunk.number).collect();
            numbers.sort_unstable();
            assert!(numbers.is_sorted_by(|a, b| a < b) && numbers.last().is_none_or(|last| *last < cut.next_number));
            assert!(cut.chunks.iter().all(|chunk| (1..=2 * N_ITEMS).contains(&chunk.items.len())));
        }
    }

    #[test]
    fn a_key_makes_one_item_and_one_chunk_anew() {
        let last = LastCut::default();
        let text = kernels(0..90);
        let before = last.of(&text);
        let after = last.of(&Arc::from(text.replacen("k45():\n", "k45():\n\n", 1)));
        let n_chunks = before.chunks.iter().zip(&after.chunks).filter(|(a, b)| a.items.is(&b.items)).count();
        assert_eq!(n_chunks, before.chunks.len() - 1);
        let shares = |(a, b): &(&(usize, KnownItem), &(usize, KnownItem))| a.1.is(&b.1);
        assert_eq!(items(&before).iter().zip(&items(&after)).filter(shares).count(), 89);
    }

    #[test]
    fn items_stay_in_their_chunks() {
        let last = LastCut::default();
        let before = last.of(&kernels(0..90));
        // The last one is the first now; and two in the middle are gone.
        let numbers = [89].into_iter().chain((0..89).filter(|n| !(50..52).contains(n)));
        let after = last.of(&kernels(numbers));
        let gone = ["k50", "k51", "k89"];
        let mut expected = chunks(&before);
        expected.iter_mut().for_each(|(_, names)| names.retain(|name| !gone.contains(name)));
        expected[0].1.insert(0, "k89");
        assert_eq!(chunks(&after), expected);
        // In a text of its own it is the first one again.
        last.of(&"".into());
        assert_eq!(chunks(&last.of(&kernels(0..90))), chunks(&before));
    }

    #[test]
    fn a_chunk_that_grows_keeps_its_first_items() {
        let last = LastCut::default();
        let before = last.of(&kernels(0..N_ITEMS));
        let after = last.of(&kernels(0..4 * N_ITEMS));
        assert_eq!(chunks(&after)[0], chunks(&before)[0]);
        assert_eq!(after.chunks.len(), 4);
    }
}
