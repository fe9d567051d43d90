//! A vector whose front is shared: what a unit's [prefix](crate::prefix) made, which no edit behind it touches. It grows at its end, and
//! only there elements change.

use std::fmt;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A vector with a shared front.
#[derive(Clone)]
pub struct Shared<T> {
    front: Arc<Vec<T>>,
    back: Vec<T>,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared { front: Arc::default(), back: Vec::new() }
    }
}

impl<T> Shared<T> {
    /// The number of elements.
    pub fn len(&self) -> usize {
        self.front.len() + self.back.len()
    }

    /// Returns true if there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of elements at the front that are shared.
    pub fn n_shared(&self) -> usize {
        self.front.len()
    }

    /// The element of an index.
    pub fn get(&self, index: usize) -> Option<&T> {
        match index.checked_sub(self.front.len()) {
            None => self.front.get(index),
            Some(index) => self.back.get(index),
        }
    }

    /// All elements.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.front.iter().chain(&self.back)
    }

    /// The elements from an index on.
    pub fn from(&self, start: usize) -> impl DoubleEndedIterator<Item = &T> + Clone {
        let in_front = start.min(self.front.len());
        self.front[in_front..].iter().chain(&self.back[(start - in_front).min(self.back.len())..])
    }

    /// The index of the element for which `key` gives `wanted`, where keys ascend.
    pub fn find_by_key<K: Ord>(&self, wanted: &K, key: impl Fn(&T) -> K) -> Option<usize> {
        let in_back = self.back.binary_search_by_key(wanted, &key).ok().map(|index| self.front.len() + index);
        in_back.or_else(|| self.front.binary_search_by_key(wanted, key).ok())
    }

    /// The index of the first element that is not `in_front`, where those that are stand in front of all others.
    pub fn first_behind(&self, in_front: impl Fn(&T) -> bool) -> usize {
        match self.front.partition_point(&in_front) {
            n if n < self.front.len() => n,
            n => n + self.back.partition_point(in_front),
        }
    }

    pub(crate) fn push(&mut self, element: T) {
        self.back.push(element);
    }

    /// The elements that are not shared.
    pub(crate) fn own(&self) -> &[T] {
        &self.back
    }

    /// The elements that are not shared.
    pub(crate) fn own_mut(&mut self) -> &mut Vec<T> {
        &mut self.back
    }

    /// Shares all elements from here on. Only what has no shared front yet can.
    pub(crate) fn share(&mut self) {
        debug_assert!(self.front.is_empty());
        self.front = Arc::new(std::mem::take(&mut self.back));
    }
}

impl<T> Index<usize> for Shared<T> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        match index.checked_sub(self.front.len()) {
            None => &self.front[index],
            Some(index) => &self.back[index],
        }
    }
}

impl<T> IndexMut<usize> for Shared<T> {
    fn index_mut(&mut self, index: usize) -> &mut T {
        &mut self.back[index - self.front.len()]
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Shared<T>) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T> From<Vec<T>> for Shared<T> {
    fn from(all: Vec<T>) -> Shared<T> {
        Shared { front: Arc::default(), back: all }
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::iter::Chain<std::slice::Iter<'a, T>, std::slice::Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.front.iter().chain(&self.back)
    }
}
